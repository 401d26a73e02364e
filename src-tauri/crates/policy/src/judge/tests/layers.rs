//! The layers that a host command passes before its own rules: tool policy, then the elevated gate.

use crate::permissions::FileLayer;
use crate::testing::{HOME, Scene};
use crate::{Ask, Decision, Reason, Security, SessionLayers};

fn file(text: &str) -> FileLayer {
    FileLayer::parse(text, HOME).unwrap()
}

/// `ls`, which a rule allows, by this file and in a session with these layers.
fn scene(text: &str, parents: &[&str], runtime: &str) -> Scene {
    let mut scene = Scene::new().allow("/usr/bin/ls").shell("ls");
    scene.session = Some("s".to_owned());
    scene.policy.file = Some(file(text));
    let parents = parents.iter().map(|text| file(text).of_subagent()).collect();
    let layers = SessionLayers { parents, runtime: file(runtime), confined: false };
    scene.policy.sessions.insert("s".to_owned(), layers);
    scene
}

#[test]
fn tool_policy_says_whether_a_session_may_use_host_commands_at_all() {
    use Decision::{Allow, Ask as Asks, Deny};
    for (text, parents, runtime, expected, reason) in [
        (r#"{ "*": "ask", "shell_exec": "ask" }"#, &[][..], "{}", Allow, Reason::Rule),
        (r#"{ "system.run": "deny" }"#, &[], "{}", Deny, Reason::Denylist),
        (r#"{ "shell_exec": "deny" }"#, &[], "{}", Deny, Reason::Denylist),
        (r#"{ "*": "deny", "read_file": "allow" }"#, &[], "{}", Deny, Reason::Denylist),
        (r#"{ "system.*": "deny" }"#, &[], "{}", Deny, Reason::Denylist),
        (r#"{ "System.Run": "deny" }"#, &[], "{}", Deny, Reason::Denylist),
        (r#"{ "*": "deny", "shell_exec": { "ls": "allow" } }"#, &[], "{}", Allow, Reason::Rule),
        (r#"{ "*": "deny", "shell_exec": { "cat *": "allow" } }"#, &[], "{}", Deny, Reason::Denylist),
        (r#"{ "*": "deny" }"#, &[], r#"{ "shell_exec": { "ls": "allow" } }"#, Allow, Reason::Rule),
        (r#"{ "shell_exec": "allow", "system.run": "deny" }"#, &[], "{}", Deny, Reason::Denylist),
        (r#"{ "system.run": "deny", "shell_exec": "allow" }"#, &[], "{}", Deny, Reason::Denylist),
        (r#"{ "system.run": { "ls *": "deny" } }"#, &[], "{}", Deny, Reason::Denylist),
        (r#"{ "system.run": "ask" }"#, &[], "{}", Asks, Reason::AskAlways),
        (r#"{ "system.run": "ask", "shell_exec": "allow" }"#, &[], "{}", Asks, Reason::AskAlways),
        (r#"{ "system.run": "ask" }"#, &[], r#"{ "system.run": "allow" }"#, Allow, Reason::Rule),
        ("{}", &[r#"{ "*": "deny" }"#], r#"{ "*": "allow" }"#, Deny, Reason::Managed),
        ("{}", &[r#"{ "system.run": "deny" }"#], "{}", Deny, Reason::Managed),
        (r#"{ "*": "allow" }"#, &[r#"{ "shell_exec": "deny" }"#], "{}", Deny, Reason::Managed),
        ("{}", &[r#"{ "read_file": "deny" }"#], "{}", Allow, Reason::Rule),
        ("{}", &[r#"{ "*": "deny" }"#, r#"{ "*": "allow" }"#], "{}", Deny, Reason::Managed),
    ] {
        let verdict = scene(text, parents, runtime).judge();
        assert_eq!((verdict.decision, verdict.reason), (expected, reason), "{text} {parents:?} {runtime}");
    }
}

#[test]
fn only_a_deny_of_a_parent_is_a_veto() {
    for (parent, reason) in [
        (r#"{ "shell_exec": { "ls *": "deny" } }"#, Reason::Managed),
        (r#"{ "shell_exec": { "ls *": "ask" } }"#, Reason::Rule),
        (r#"{ "shell_exec": { "ls *": "allow" } }"#, Reason::Rule),
        (r#"{ "shell_exec": { "ls *": "deny", "ls": "allow" } }"#, Reason::Rule),
    ] {
        let verdict = scene(r#"{ "shell_exec": { "ls *": "allow" } }"#, &[parent], "{}").judge();
        assert_eq!(verdict.reason, reason, "{parent}: {}", verdict.message);
    }
}

#[test]
fn the_elevated_gate_is_the_agents_and_then_the_sessions() {
    for (elevated, confined, expected) in [
        (true, false, Decision::Allow),
        (true, true, Decision::Deny),
        (false, false, Decision::Deny),
        (false, true, Decision::Deny),
    ] {
        for security in [Security::Allowlist, Security::Full] {
            let mut scene = scene("{}", &[], "{}");
            scene.policy.settings.elevated = elevated;
            scene.policy.settings.security = security;
            scene.policy.sessions.get_mut("s").unwrap().confined = confined;
            let verdict = scene.judge();
            assert_eq!(verdict.decision, expected, "{elevated} {confined} {security:?}");
            if expected == Decision::Deny {
                assert_eq!(verdict.reason, Reason::Policy);
                assert!(verdict.message.contains("elevated"), "{}", verdict.message);
                assert!(verdict.advice.is_some());
            }
        }
    }
}

#[test]
fn a_fallback_never_goes_around_the_layers() {
    let mut scene = scene("{}", &[], "{}").set(|settings| settings.fallback = crate::Fallback::Full);
    scene.policy.settings.elevated = false;
    assert_eq!(scene.judge_unanswered().decision, Decision::Deny);
}

#[test]
fn every_layer_is_in_the_trace_in_its_order() {
    for (text, elevated) in [("{}", true), (r#"{ "system.run": "deny" }"#, true), ("{}", false)] {
        let mut scene = scene(text, &[], "{}").set(|settings| settings.ask = Ask::OnMiss);
        scene.policy.settings.elevated = elevated;
        let verdict = scene.judge();
        let stages: Vec<&str> = verdict.trace.iter().map(|line| line.stage.as_str()).collect();
        let at = |stage: &str| stages.iter().position(|found| *found == stage).unwrap();
        assert!(at("tool policy") < at("elevated") && at("elevated") < at("deny rules"), "{stages:?}");
    }
}
