use crate::permissions::FileLayer;
use crate::settings::SEARCH_PATH;
use crate::testing::{CWD, HOME, Scene, identity, person_rule};
use crate::{
    Advice, Ask, Cause, Decision, Fallback, Pin, Reason, Rule, Security, SessionLayers, Source, Unreadable,
};

fn file(text: &str) -> FileLayer {
    FileLayer::parse(text, HOME).unwrap()
}

/// Settings, and what `ls` becomes with and without a rule for it.
#[test]
fn every_triple_of_settings_has_its_verdict() {
    use Decision::{Allow, Ask as Asks, Deny};
    for (security, ask, with_rule, without) in [
        (Security::Deny, Ask::Off, Deny, Deny),
        (Security::Deny, Ask::OnMiss, Deny, Deny),
        (Security::Deny, Ask::Always, Deny, Deny),
        (Security::Allowlist, Ask::Off, Allow, Deny),
        (Security::Allowlist, Ask::OnMiss, Allow, Asks),
        (Security::Allowlist, Ask::Always, Asks, Asks),
        (Security::Full, Ask::Off, Allow, Allow),
        (Security::Full, Ask::OnMiss, Allow, Allow),
        (Security::Full, Ask::Always, Asks, Asks),
    ] {
        let set = |settings: &mut crate::Settings| (settings.security, settings.ask) = (security, ask);
        let bare = Scene::new().with_settings(set).with_shell_text("ls -la").judge_request();
        let ruled = Scene::new()
            .with_settings(set)
            .with_allow_rule("/usr/bin/ls")
            .with_shell_text("ls -la")
            .judge_request();
        assert_eq!(ruled.decision, with_rule, "{security:?} {ask:?} with a rule");
        assert_eq!(bare.decision, without, "{security:?} {ask:?} without");
    }
}

#[test]
fn a_deny_rule_beats_every_setting_and_every_allow_rule() {
    for security in [Security::Deny, Security::Allowlist, Security::Full] {
        let scene = Scene::new()
            .with_settings(|settings| settings.security = security)
            .with_allow_rule("/**")
            .with_deny_rule("git push *");
        let verdict = scene.with_shell_text("git -c a.b=c push origin").judge_request();
        assert_eq!((verdict.decision, verdict.reason), (Decision::Deny, Reason::Denylist), "{security:?}");
        assert_eq!(verdict.rule.unwrap().pattern, "git push *");
    }
}

#[test]
fn managed_rules_come_first_and_are_told_as_such() {
    let managed = Rule { source: Source::Managed, ..person_rule(9, crate::Effect::Deny, "/usr/bin/rm") };
    let verdict = Scene::new()
        .with_rule(managed)
        .with_deny_rule("/usr/bin/rm")
        .with_shell_text("rm -rf /")
        .judge_request();
    assert_eq!(
        verdict.reason,
        Reason::Managed,
        "a managed rule is told before the core and before the person's own"
    );
}

#[test]
fn a_program_that_is_not_found_is_denied_as_argv_and_asked_about_in_a_line() {
    let argv = Scene::new().with_allow_rule("/**").with_argv(&["gitx", "status"]).judge_request();
    assert_eq!((argv.decision, argv.reason), (Decision::Deny, Reason::NotFound));
    let line = Scene::new().with_allow_rule("/**").with_shell_text("gitx status").judge_request();
    assert_eq!((line.decision, line.reason), (Decision::Ask, Reason::NotFound));
    let full = Scene::new()
        .with_settings(|settings| settings.security = Security::Full)
        .with_argv(&["gitx"])
        .judge_request();
    assert_eq!(full.reason, Reason::NotFound, "nothing to run, whatever the settings");
}

#[test]
fn who_is_told_that_a_program_is_not_found_is_told_where_it_was_looked_for_and_how_that_is_changed() {
    let advice = |scene: Scene| scene.with_argv(&["gitx"]).judge_request().advice.unwrap();
    let usual: Vec<String> = SEARCH_PATH.iter().map(|&folder| folder.to_owned()).collect();
    let own = vec!["~/.cargo/bin".to_owned()];
    for (scene, expected) in [
        (Scene::new(), usual),
        (Scene::new().with_settings(|settings| settings.search_path.clone_from(&own)), own.clone()),
    ] {
        let said = advice(scene);
        assert!(matches!(&said, Advice::SearchPath { searched, .. } if *searched == expected), "{said:?}");
    }
    let path = Scene::new().with_argv(&["/opt/none"]).judge_request().advice;
    assert_eq!(path, Some(Advice::CheckName), "a path is looked up nowhere");
}

#[test]
fn the_strictest_step_decides() {
    let scene = || Scene::new().with_allow_rule("/usr/bin/ls").with_deny_rule("/usr/bin/rm");
    assert_eq!(scene().with_shell_text("ls | wc -l").judge_request().decision, Decision::Ask);
    let denied = scene().with_shell_text("ls && wc -l && rm x").judge_request();
    assert_eq!(denied.decision, Decision::Deny);
    let steps: Vec<_> = denied.steps.iter().map(|step| step.decision).collect();
    assert_eq!(steps, [Decision::Allow, Decision::Ask, Decision::Deny], "each step says what it contributed");
    assert_eq!(denied.used, [1, 2], "the rules that were used");
}

#[test]
fn folders_bind_the_request_and_every_step() {
    let scene = || {
        Scene::new()
            .with_allow_rule("/usr/bin/ls")
            .with_settings(|settings| settings.folders = vec!["~/project".to_owned()])
    };
    assert_eq!(scene().with_shell_text("ls").judge_request().decision, Decision::Allow);
    let mut outside = scene().with_shell_text("ls");
    outside.cwd = "/tmp".to_owned();
    assert_eq!(outside.judge_request().reason, Reason::CwdRefused);
    assert_eq!(scene().with_shell_text("cd /tmp && ls").judge_request().reason, Reason::CwdRefused);
    assert_eq!(scene().with_shell_text("cd sub && ls").judge_request().decision, Decision::Allow);
    assert_eq!(CWD, "/Users/u/project");
}

#[test]
fn a_rule_holds_in_the_requests_folder_and_below() {
    let scene = || Scene::new().with_allow_rule("/usr/bin/git");
    assert_eq!(scene().with_shell_text("cd sub && git status").judge_request().decision, Decision::Allow);
    assert_eq!(scene().with_shell_text("cd /tmp/evil && git status").judge_request().decision, Decision::Ask);
    assert_eq!(scene().with_shell_text("cd .. && git status").judge_request().decision, Decision::Ask);
    let reads = |text: &str| {
        Scene::new()
            .with_allow_rule("/usr/bin/*")
            .with_allow_rule("/tmp/ls")
            .with_shell_text(text)
            .judge_request()
            .decision
    };
    for text in ["cd /tmp && ls -la", "cd .. && cat x | wc -l", "for d in */; do (cd $d && ls); done"] {
        let got = reads(text);
        assert_eq!(got, Decision::Allow, "{text}: what it reads lies elsewhere, what it does does not");
    }
    for text in ["cd /tmp && npm run x", "cd /tmp && ./ls", "cd /tmp && ls $X"] {
        assert_eq!(reads(text), Decision::Ask, "{text}");
    }
}

#[test]
fn a_builtin_needs_no_rule_where_a_shell_runs_it() {
    let judged = |scene: Scene| {
        scene.with_allow_rule("/usr/bin/git").with_allow_rule("/usr/bin/ls").judge_request().decision
    };
    for text in ["cd sub && ls", "bash -c 'cd sub && ls'", "sh -c 'true; command git status'"] {
        assert_eq!(judged(Scene::new().with_shell_text(text)), Decision::Allow, "{text}");
    }
    for argv in
        [["bash", "-c", "cd sub && ls"], ["bash", "-c", "eval ls"], ["sh", "-c", "command git status"]]
    {
        assert_eq!(judged(Scene::new().with_argv(&argv)), Decision::Allow, "{argv:?}");
    }
    for text in ["nohup true", "env cd sub", "sudo bash -c true", "/tmp/bash -c true"] {
        let scene = Scene::new().program("/tmp/bash", "evil").with_shell_text(text);
        assert_eq!(judged(scene), Decision::Ask, "{text}: a program of that name may run");
    }
}

#[test]
fn what_cannot_be_read_is_asked_about_or_sent_back() {
    let scene = || Scene::new().with_allow_rule("/**").with_allow_rule("/usr/bin/rm");
    let asked = scene().with_shell_text("X=rm; $X -rf build").judge_request();
    assert_eq!((asked.decision, asked.reason), (Decision::Ask, Reason::Opaque));
    assert!(asked.advice.is_some(), "the agent is told what to write instead");
    let back = scene()
        .with_settings(|settings| settings.unreadable = Unreadable::SendBack)
        .with_shell_text("X=rm; $X -rf build")
        .judge_request();
    assert_eq!((back.decision, back.reason), (Decision::Deny, Reason::Opaque));
    let full = scene()
        .with_settings(|settings| settings.security = Security::Full)
        .with_shell_text("X=rm; $X -rf build")
        .judge_request();
    assert_eq!(full.decision, Decision::Allow, "except under full");
}

#[test]
fn an_environment_that_asks_makes_the_request_ask() {
    let mut scene = Scene::new().with_allow_rule("/usr/bin/ls").with_shell_text("ls");
    scene.env_to_ask = vec!["MY_FLAG".to_owned()];
    assert_eq!(scene.judge_request().decision, Decision::Ask);
    assert!(scene.offers().is_empty(), "no rule could help");
}

#[test]
fn nobody_answered() {
    let scene = |fallback| Scene::new().with_settings(|settings| settings.fallback = fallback);
    for (fallback, allowed, decision) in [
        (Fallback::Deny, false, Decision::Deny),
        (Fallback::Allowlist, false, Decision::Deny),
        (Fallback::Allowlist, true, Decision::Allow),
        (Fallback::Full, false, Decision::Allow),
    ] {
        let always =
            scene(fallback).with_settings(|settings| settings.ask = Ask::Always).with_shell_text("ls");
        let scene = if allowed { always.with_allow_rule("/usr/bin/ls") } else { always };
        assert_eq!(scene.judge_unanswered().decision, decision, "{fallback:?}, allowed: {allowed}");
    }
    let denied =
        scene(Fallback::Full).with_deny_rule("/usr/bin/rm").with_shell_text("rm x").judge_unanswered();
    assert_eq!(denied.decision, Decision::Deny, "a fallback never loosens a deny rule");
}

#[test]
fn a_broken_file_denies_and_says_where() {
    let mut scene = Scene::new().with_allow_rule("/usr/bin/ls").with_shell_text("ls");
    scene.policy.file_problem = Some("line 3, column 5: expected comma".to_owned());
    let verdict = scene.judge_request();
    assert_eq!(verdict.decision, Decision::Deny);
    let problem = "line 3, column 5: expected comma".to_owned();
    assert_eq!(verdict.cause, Cause::FileUnreadable { problem });
}

#[test]
fn the_files_last_match_wins_and_its_catch_all_forces_nothing() {
    for (text, command, rule, expected) in [
        ("{ \"*\": \"ask\", \"shell_exec\": \"ask\" }", "ls", true, Decision::Allow),
        (
            "{ \"shell_exec\": { \"*\": \"ask\", \"git status\": \"allow\" } }",
            "git status",
            false,
            Decision::Allow,
        ),
        (
            "{ \"shell_exec\": { \"git status\": \"allow\", \"*\": \"ask\" } }",
            "git status",
            false,
            Decision::Ask,
        ),
        ("{ \"shell_exec\": { \"ls *\": \"ask\" } }", "ls", true, Decision::Ask),
        ("{ \"shell_exec\": { \"ls *\": \"deny\" } }", "ls", true, Decision::Deny),
        (
            "{ \"shell_exec\": { \"ls *\": \"deny\", \"ls -la\": \"allow\" } }",
            "ls -la",
            false,
            Decision::Allow,
        ),
        ("{ \"shell_exec\": \"allow\" }", "git status", false, Decision::Allow),
        ("{ \"shell_exec\": \"allow\" }", "bash x.sh", false, Decision::Ask),
        ("{ \"shell_exec\": \"allow\" }", "git status > x", false, Decision::Ask),
        ("{ \"shell_exec\": { \"git status\": \"allow\" } }", "git status; wc", false, Decision::Ask),
    ] {
        let scene = if rule { Scene::new().with_allow_rule("/usr/bin/ls") } else { Scene::new() };
        let mut scene = scene.with_shell_text(command);
        scene.policy.file = Some(file(text));
        assert_eq!(scene.judge_request().decision, expected, "{text} and {command}");
    }
}

#[test]
fn a_parents_deny_is_final_and_its_allow_is_not() {
    let layered = |parent: &str, own: &str| {
        let mut scene = Scene::new().with_allow_rule("/usr/bin/ls").with_shell_text("ls");
        scene.session = Some("sub".to_owned());
        scene.policy.file = Some(file(own));
        let layers =
            SessionLayers { parents: vec![file(parent)], runtime: FileLayer::default(), confined: false };
        scene.policy.sessions.insert("sub".to_owned(), layers);
        scene.judge_request()
    };
    let veto = layered("{ \"*\": \"deny\" }", "{ \"shell_exec\": { \"ls\": \"allow\" } }");
    assert_eq!((veto.decision, veto.reason), (Decision::Deny, Reason::Managed));
    let tightened = layered("{ \"*\": \"allow\" }", "{ \"shell_exec\": { \"ls *\": \"deny\" } }");
    assert_eq!(tightened.reason, Reason::Denylist, "the file may tighten what a parent allows");
}

#[test]
fn what_is_told_is_what_weighs() {
    let told = |text: &str| Scene::new().with_allow_rule("/usr/bin/ls").with_shell_text(text).judge_request();
    assert_eq!(told("true && ls").rule.unwrap().pattern, "/usr/bin/ls", "a rule before a builtin");
    assert_eq!(told("true").reason, Reason::Builtin);
    assert_eq!(told("sudo ls").cause, Cause::NoRule { command: Some("sudo ls".to_owned()) });
}

#[test]
fn every_ending_says_something() {
    for scene in [
        Scene::new().with_argv(&[]),
        Scene::new().with_shell_text("ls"),
        Scene::new().with_deny_rule("/usr/bin/ls").with_shell_text("ls"),
        Scene::new().with_shell_text("rm -rf /"),
        Scene::new().with_settings(|settings| settings.ask = Ask::Off).with_shell_text("ls"),
        Scene::new().with_settings(|settings| settings.security = Security::Deny).with_shell_text("ls"),
    ] {
        let verdict = scene.judge_request();
        assert!(!verdict.trace.is_empty());
        assert!(
            verdict.decision != Decision::Deny || verdict.advice.is_some(),
            "a denial advises: {verdict:?}"
        );
    }
}

#[test]
fn a_program_that_only_the_users_shell_finds_is_asked_about_unless_a_rule_says_which_it_is() {
    let scene = || Scene::new().program("/usr/bin/tool", "its content").only_of_shell("/usr/bin/tool");
    let asked = scene().with_argv(&["tool", "x"]).judge_request();
    assert_eq!(asked.decision, Decision::Ask);
    let expected = Cause::OutsideSearchPath { program: "tool".to_owned(), folder: "/usr/bin".to_owned() };
    assert_eq!(asked.cause, expected);
    for (allowed, decision) in [("tool *", Decision::Ask), ("/usr/bin/tool", Decision::Allow)] {
        let verdict = scene().with_allow_rule(allowed).with_argv(&["tool", "x"]).judge_request();
        assert_eq!(verdict.decision, decision, "{allowed}: {:?}", verdict.cause);
        let line = scene()
            .with_allow_rule(allowed)
            .with_allow_rule("/usr/bin/git")
            .with_shell_text("git status && tool x")
            .judge_request();
        assert_eq!(line.decision, decision, "{allowed}: {:?}", line.cause);
    }
    let pin = Some(Box::new(Pin::new(identity("its content"))));
    let pinned = Rule { pin, ..person_rule(1, crate::Effect::Allow, "tool *") };
    let pinned = scene().with_rule(pinned).with_argv(&["tool", "x"]).judge_request();
    assert_eq!(pinned.decision, Decision::Allow, "it was allowed as it is: {:?}", pinned.cause);
    let quiet =
        scene().with_settings(|settings| settings.ask = Ask::Off).with_argv(&["tool"]).judge_request();
    assert_eq!(quiet.decision, Decision::Deny);
    assert!(matches!(quiet.advice, Some(Advice::SearchPath { .. })), "{:?}", quiet.advice);
    let denied = scene().with_deny_rule("tool *").with_argv(&["tool", "x"]).judge_request();
    assert_eq!((denied.decision, denied.reason), (Decision::Deny, Reason::Denylist));
}
