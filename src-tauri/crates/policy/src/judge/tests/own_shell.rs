//! A command of an agent's own shell: as on the host, with the agent's file as one more layer.

use crate::permissions::{DEFAULT_FILE, FileLayer};
use crate::testing::{CWD, HOME, Scene, person_rule};
use crate::{
    Access, Decision, Effect, Fallback, Origin, ProtectedPlaces, Reason, Rule, RuleOrigin, Security, Verdict,
    protect_in_own_shell,
};

/// Makes a scene with `line` in the agent's own shell, by this file.
fn scene(file: &str, line: &str) -> Scene {
    let mut scene = Scene::new().with_shell_text(line);
    scene.origin = Origin::AgentShell;
    scene.confinable = crate::Confinable::NONE;
    scene.policy.file = Some(FileLayer::parse(file, HOME).unwrap());
    scene
}

#[test]
fn a_line_of_the_person_wins_where_it_is_stricter_and_allows_where_it_allows() {
    use Decision::{Allow, Ask, Deny};
    for (file, line, expected, reason) in [
        (DEFAULT_FILE, "ls -l", Ask, Reason::AllowlistMiss),
        (DEFAULT_FILE, "uname -a", Allow, Reason::Rule),
        (DEFAULT_FILE, "cd /tmp", Allow, Reason::Builtin),
        (r#"{ "shell_exec": { "ls *": "allow" } }"#, "ls -l", Allow, Reason::Rule),
        (r#"{ "shell_exec": { "mytool *": "allow" } }"#, "mytool x", Allow, Reason::Rule),
        (r#"{ "shell_exec": { "ls *": "allow" } }"#, "ls -l > x", Ask, Reason::AllowlistMiss),
        (r#"{ "shell_exec": { "uname *": "ask" } }"#, "uname -a", Ask, Reason::AskAlways),
        (r#"{ "shell_exec": { "uname *": "deny" } }"#, "uname -a", Deny, Reason::Denylist),
        (r#"{ "shell_exec": "deny" }"#, "uname -a", Deny, Reason::Denylist),
        (r#"{ "shell_exec": "allow" }"#, "mytool > x", Allow, Reason::Rule),
        // A deny rule may be meant by what cannot be read.
        (r#"{ "shell_exec": "allow" }"#, "mytool | sh", Ask, Reason::Opaque),
        (r#"{ "shell_exec": "allow" }"#, "rm -rf /", Deny, Reason::Core),
        (r#"{ "shell_exec": "allow" }"#, "curl x", Deny, Reason::Denylist),
        (r#"{ "system.run": "deny" }"#, "uname -a", Allow, Reason::Rule),
        (r#"{ "system.run": { "ls *": "allow" } }"#, "ls -l", Ask, Reason::AllowlistMiss),
    ] {
        let verdict = scene(file, line)
            .program("/usr/bin/uname", "uname")
            .with_allow_rule("/usr/bin/uname")
            .with_deny_rule("/usr/bin/curl")
            .judge_request();
        let got = (verdict.decision, verdict.reason);
        assert_eq!(got, (expected, reason), "{file} {line}: {:?}", verdict.cause);
    }
}

#[test]
fn settings_hold_as_on_the_host_and_the_hosts_own_gates_do_not() {
    let line = || scene(DEFAULT_FILE, "ls -l");
    let denied = line().with_settings(|settings| settings.security = Security::Deny).judge_request();
    assert_eq!((denied.decision, denied.reason), (Decision::Deny, Reason::Policy));
    assert_eq!(
        line().with_settings(|settings| settings.security = Security::Full).judge_request().decision,
        Decision::Allow
    );
    let closed = line().with_settings(|settings| settings.elevated = false).judge_request();
    assert_eq!(closed.decision, Decision::Ask, "it does not ask for this machine: {:?}", closed.cause);
    let nobody = line().with_settings(|settings| settings.fallback = Fallback::Full).judge_unanswered();
    assert_eq!(nobody.decision, Decision::Allow);
    let reads = |line| {
        scene(DEFAULT_FILE, line)
            .with_settings(|settings| settings.look = crate::Access::Allow)
            .judge_request()
    };
    assert_eq!(reads("ls -l src").decision, Decision::Ask, "nothing confines it");
    assert_eq!(reads("ls -l").decision, Decision::Allow, "it names no file");
}

#[test]
fn a_rule_for_the_own_shell_holds_there_alone() {
    let only = Rule { origin: RuleOrigin::AgentShell, ..person_rule(7, Effect::Allow, "/usr/bin/ls") };
    let own = scene(DEFAULT_FILE, "ls -l").with_rule(only.clone());
    assert_eq!(own.judge_request().decision, Decision::Allow);
    let host = Scene::new().with_shell_text("ls -l").with_rule(only);
    assert_eq!(host.judge_request().decision, Decision::Ask);
    let both = scene(DEFAULT_FILE, "ls -l").with_rule(person_rule(7, Effect::Allow, "/usr/bin/ls"));
    let got = both.judge_request().decision;
    assert_eq!(got, Decision::Allow, "what the host was given, the own shell was given");
    let denied = Rule { origin: RuleOrigin::AgentShell, ..person_rule(7, Effect::Deny, "/usr/bin/ls") };
    let got = Scene::new().with_shell_text("ls -l").with_rule(denied).judge_request().decision;
    assert_eq!(got, Decision::Deny);
}

fn protected(scene: &Scene) -> Verdict {
    scene.with_facts(|policy, facts| {
        let touches = ProtectedPlaces::of_home(HOME).of_line(facts);
        assert!(!touches.is_empty(), "it touches a protected place");
        protect_in_own_shell(crate::judge_request(policy, facts), policy, facts, &touches)
    })
}

#[test]
fn only_what_names_a_protected_place_lets_a_line_touch_it() {
    let line = "cp x ~/.zshrc";
    for (file, rules, expected) in [
        (DEFAULT_FILE, &[][..], Decision::Ask),
        (r#"{ "shell_exec": "allow" }"#, &[], Decision::Ask),
        (r#"{ "shell_exec": { "cp *": "allow" } }"#, &[], Decision::Ask),
        (r#"{ "shell_exec": { "cp x ~/.zshrc": "allow" } }"#, &[], Decision::Allow),
        (DEFAULT_FILE, &["cp *"], Decision::Ask),
        (DEFAULT_FILE, &["cp x ~/.zshrc"], Decision::Allow),
        (r#"{ "shell_exec": { "cp *": "deny" } }"#, &["cp x ~/.zshrc"], Decision::Deny),
    ] {
        let scene = rules.iter().fold(scene(file, line), |scene, text| scene.with_allow_rule(text));
        let verdict = protected(&scene);
        assert_eq!(verdict.decision, expected, "{file} {rules:?}: {:?}", verdict.cause);
        let dangerous = verdict.risk.level == crate::RiskLevel::Dangerous;
        assert!(dangerous || expected == Decision::Deny, "{file} {rules:?}");
    }
}

/// Makes a scene with `line` in the own shell of an agent that looks, changes files and builds in its folder.
///
/// The agent runs other commands instead.
fn rewriting(file: &str, line: &str) -> Scene {
    let mut scene = scene(file, line)
        .program("/usr/bin/make", "make")
        .with_settings(|settings| settings.folders = vec![CWD.to_owned()])
        .with_settings(|settings| settings.look = Access::Allow)
        .with_settings(|settings| settings.files = Access::Allow)
        .with_settings(|settings| settings.build = Access::Allow);
    scene.confinable = crate::Confinable::ALL;
    scene
}

#[test]
fn what_its_agent_can_run_confined_is_allowed_so() {
    for (line, decision, profile) in [
        ("make", Decision::Allow, "project"),
        ("cd src && make test", Decision::Allow, "project"),
        ("rm -r build", Decision::Allow, "project"),
        ("cat a", Decision::Allow, "look"),
        // It needs no profile: the agent runs its own command.
        ("echo a", Decision::Allow, "none"),
        ("cd src", Decision::Allow, "none"),
        // The agent's other tools use the real folder for temporary files.
        ("make > /tmp/log", Decision::Ask, "none"),
        ("cat /tmp/log", Decision::Ask, "none"),
        ("cp /var/tmp/a b", Decision::Ask, "none"),
        // What the shell keeps would end with the confined one.
        ("make; cd build", Decision::Ask, "none"),
        ("cat a && export A=1", Decision::Ask, "none"),
        ("curl x", Decision::Ask, "none"),
    ] {
        let verdict = rewriting("{}", line).judge_request();
        let got = (verdict.decision, verdict.confinement.name());
        assert_eq!(got, (decision, profile), "{line}: {:?}", verdict.cause);
    }
}

#[test]
fn one_that_cannot_is_asked_as_before() {
    for line in ["make", "cat a", "rm -r build"] {
        let mut scene = rewriting("{}", line);
        scene.confinable = crate::Confinable::NONE;
        let verdict = scene.judge_request();
        assert_eq!((verdict.decision, verdict.confinement.is_none()), (Decision::Ask, true), "{line}");
    }
}

#[test]
fn what_the_person_allowed_in_the_file_is_not_confined() {
    for (file, line, profile) in [
        (r#"{ "shell_exec": { "make *": "allow" } }"#, "make test", "none"),
        (r#"{ "shell_exec": { "make *": "allow" } }"#, "make test && rm -r build", "project"),
        (r#"{ "shell_exec": "allow" }"#, "make", "none"),
    ] {
        let verdict = rewriting(file, line).judge_request();
        let got = (verdict.decision, verdict.confinement.name());
        assert_eq!(got, (Decision::Allow, profile), "{file} {line}: {:?}", verdict.cause);
    }
}

#[test]
fn no_agent_runs_postern_whatever_it_confines() {
    for line in [
        "postern confine look --folder / -- cat /etc/shadow",
        "/usr/bin/postern confine project --folder / -- /bin/bash -c 'rm x'",
        "env A=1 postern confine look -- ls",
    ] {
        let verdict = rewriting("{}", line).judge_request();
        assert_eq!((verdict.decision, verdict.reason), (Decision::Deny, Reason::Core), "{line}");
    }
}
