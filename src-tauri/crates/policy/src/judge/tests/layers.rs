//! The layers that a host command passes before its own rules: tool policy, then the elevated gate.

use crate::permissions::FileLayer;
use crate::subject::SHELL_TOOL;
use crate::testing::{HOME, Scene, person_rule};
use crate::tool_gate::check_tool;
use crate::{Ask, Cause, Decision, Effect, Reason, Security, SessionLayers, against_command_tool};

fn file(text: &str) -> FileLayer {
    FileLayer::parse(text, HOME).unwrap()
}

/// Makes a scene with `ls`, which a rule allows, by this file and in a session with these layers.
fn scene(text: &str, parents: &[&str], runtime: &str) -> Scene {
    let mut scene = Scene::new().with_allow_rule("/usr/bin/ls").with_shell_text("ls");
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
        let verdict = scene(text, parents, runtime).judge_request();
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
        let verdict = scene(r#"{ "shell_exec": { "ls *": "allow" } }"#, &[parent], "{}").judge_request();
        assert_eq!(verdict.reason, reason, "{parent}: {:?}", verdict.cause);
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
            let verdict = scene.judge_request();
            assert_eq!(verdict.decision, expected, "{elevated} {confined} {security:?}");
            if expected == Decision::Deny {
                assert_eq!(verdict.reason, Reason::Policy);
                assert!(matches!(verdict.cause, Cause::Elevated(_)), "{:?}", verdict.cause);
                assert!(verdict.advice.is_some());
            }
        }
    }
}

#[test]
fn a_fallback_never_goes_around_the_layers() {
    let mut scene =
        scene("{}", &[], "{}").with_settings(|settings| settings.fallback = crate::Fallback::Full);
    scene.policy.settings.elevated = false;
    assert_eq!(scene.judge_unanswered().decision, Decision::Deny);
}

#[test]
fn every_layer_is_in_the_trace_in_its_order() {
    for (text, elevated) in [("{}", true), (r#"{ "system.run": "deny" }"#, true), ("{}", false)] {
        let mut scene = scene(text, &[], "{}").with_settings(|settings| settings.ask = Ask::OnMiss);
        scene.policy.settings.elevated = elevated;
        let verdict = scene.judge_request();
        let stages: Vec<&str> = verdict.trace.iter().map(|line| &*line.stage).collect();
        let at = |stage: &str| stages.iter().position(|found| *found == stage).unwrap();
        assert!(at("tool policy") < at("elevated") && at("elevated") < at("deny rules"), "{stages:?}");
    }
}

/// Judges `shell_exec` with this command by the rules for host commands and the file together.
fn shell_tool(scene: &Scene, command: &str) -> crate::tool_gate::ToolVerdict {
    scene.with_facts(|policy, facts| {
        let arguments = serde_json::json!({ "command": command });
        let own = check_tool(policy, facts.session, SHELL_TOOL, &arguments, HOME);
        own.combine_with(against_command_tool(policy, facts))
    })
}

#[test]
fn a_shell_tool_is_held_to_the_core_and_to_deny_rules_by_the_strictest() {
    use Decision::{Allow, Ask as Asks, Deny};
    let off = r#"{ "*": "allow" }"#;
    let git = r#"{ "shell_exec": { "*": "ask", "git *": "allow" } }"#;
    for (text, command, denied, expected) in [
        (off, "ls", None, Allow),
        (off, "rm -rf /", None, Deny),
        (off, "cd / && sudo rm -r -f ./*", None, Deny),
        (off, "echo hi; bash -c 'rm -rf ~'", None, Deny),
        (off, "rm -rf node_modules", None, Allow),
        (off, "git push origin main", Some("git push *"), Deny),
        (off, "env X=1 /usr/bin/git -C sub push", Some("git push *"), Deny),
        (off, "git status", Some("git push *"), Allow),
        (off, "/usr/bin/git status", Some("/usr/bin/git"), Deny),
        (git, "git status", Some("git push *"), Allow),
        (git, "git push", Some("git push *"), Deny),
        (git, "ls -l", None, Asks),
        (r#"{ "shell_exec": "deny" }"#, "ls", None, Deny),
        // A text that cannot be read may be what is denied; where nothing is, the file alone decides.
        (off, "eval \"$x\"", Some("git push *"), Asks),
        (off, "eval \"$x\"", None, Allow),
        // The host is closed; the agent's own shell is another matter.
        (r#"{ "shell_exec": "allow", "system.run": "deny" }"#, "ls", None, Allow),
    ] {
        let mut scene = Scene::new().with_shell_text(command);
        scene.policy.file = Some(file(text));
        if let Some(pattern) = denied {
            scene = scene.with_deny_rule(pattern);
        }
        let verdict = shell_tool(&scene, command);
        assert_eq!(verdict.decision, expected, "{text} {command} {denied:?}: {verdict:?}");
        let stages: Vec<&str> = verdict.trace.iter().map(|line| &*line.stage).collect();
        for stage in ["tool gate", "core", "deny rules"] {
            assert!(stages.contains(&stage), "both layers are shown: {stages:?}");
        }
    }
}

#[test]
fn what_rules_for_host_commands_ask_about_cannot_be_saved_in_the_file() {
    for (asks, expected) in [(false, &["git log"][..]), (true, &[])] {
        let mut scene = Scene::new().with_shell_text("git log");
        scene.policy.file = Some(file(r#"{ "shell_exec": "ask" }"#));
        if asks {
            scene = scene.with_rule(person_rule(1, Effect::Ask, "git log *"));
        }
        let verdict = shell_tool(&scene, "git log");
        assert_eq!(
            (verdict.decision, verdict.always.as_slice()),
            (Decision::Ask, &expected.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>()[..]),
            "{verdict:?}"
        );
    }
}

#[test]
fn settings_that_close_the_host_do_not_close_an_agents_own_shell() {
    for security in [Security::Deny, Security::Allowlist, Security::Full] {
        let mut scene =
            Scene::new().with_shell_text("ls").with_settings(|settings| settings.security = security);
        scene.policy.file = Some(file(r#"{ "*": "allow" }"#));
        scene.policy.settings.elevated = false;
        assert_eq!(shell_tool(&scene, "ls").decision, Decision::Allow, "{security:?}");
    }
}

#[test]
fn a_shell_tool_asks_about_what_no_guess_shows_as_a_host_command_does() {
    let words = (0..900).map(|nth| format!("a{nth} ")).collect::<Vec<_>>().concat();
    for (text, expected) in [
        (format!("ls; bash -c 'sudo --odd {words}rm -rf / $(x'"), Decision::Ask),
        (format!("ls; bash -c 'sudo --odd {words}$(x'"), Decision::Allow),
    ] {
        let scene = scene(r#"{ "*": "allow" }"#, &[], "{}").with_shell_text(&text);
        assert_eq!(shell_tool(&scene, &text).decision, expected, "{}", &text[text.len() - 20..]);
    }
}

#[test]
fn organisation_s_rules_that_cannot_be_read_close_an_agent_s_own_tools_too() {
    let mut scene = scene("{}", &[], "{}");
    let judged = |scene: &Scene| scene.with_facts(crate::judge::against_command_tool).decision;
    assert_eq!(judged(&scene), Decision::Allow);
    scene.policy.managed_problem = Some("line 1".to_owned());
    assert_eq!(judged(&scene), Decision::Deny);
}

#[test]
fn an_entry_denies_a_command_in_text_that_cannot_be_read() {
    for (pattern, text) in [
        ("git push *", "(git push x"),
        ("git push *", "(/usr/bin/GIT -C x push"),
        ("git-lfs *", "(git-lfs push"),
        ("g?t push *", "(git push"),
        ("{git,hub} push", "(hub push"),
        ("'git' push *", "(git push"),
        ("*push*", "(git push"),
        ("/usr/bin/git *", "(/usr/bin/git push"),
    ] {
        let entries = format!(r#"{{ "shell_exec": {{ "{pattern}": "deny" }} }}"#);
        let denied = scene(&entries, &[], "{}").with_shell_text(text).judge_request();
        assert_eq!((denied.decision, denied.reason), (Decision::Deny, Reason::Denylist), "{pattern} {text}");
        let other = scene(&entries, &[], "{}").with_shell_text("(gitk pull").judge_request();
        assert_eq!(other.decision, Decision::Ask, "{pattern}");
    }
}
