use crate::testing::{Scene, identity, person_rule};
use crate::{Decision, Effect, Pattern, Pin, Reason, Rule, Security};

#[test]
fn a_deny_rule_follows_the_program_everywhere() {
    for command in [
        "rm x", "/usr/bin/rm x", "/USR/BIN/RM x", "//usr//bin/rm x", "/bin/../usr/bin/rm x",
        "nohup env rm x", "sudo rm x", "bash -c 'ls && rm x'", "ls | xargs rm", "find . -exec rm {} +",
        "busybox rm x", "(rm x)", "echo $(rm x)", "\\rm x", "RM x", "exec rm x", "command rm x",
    ] {
        let verdict = Scene::new()
            .with_allow_rule("/**")
            .with_deny_rule("/usr/bin/rm")
            .with_shell_text(command)
            .judge_request();
        assert_eq!(verdict.decision, Decision::Deny, "{command}: {:?}", verdict.cause);
    }
    for command in ["git rm x", "ls rm", "npm run rm-cache", "echo rm"] {
        let verdict = Scene::new()
            .with_allow_rule("/**")
            .with_deny_rule("/usr/bin/rm")
            .with_shell_text(command)
            .judge_request();
        assert_ne!(verdict.decision, Decision::Deny, "{command}: {:?}", verdict.cause);
    }
}

#[test]
fn a_deny_rule_s_glob_is_compared_in_every_spelling_of_a_path() {
    for (rule, command) in [
        ("/usr/bin/*", "git status"),
        ("/usr/bin/g*", "/usr/bin/git status"),
        ("/usr/**", "git status"),
        ("/bin/*", "git status"),
        ("/bin/g?t", "/USR/bin/GIT status"),
        ("/**/git", "git status"),
        ("/private/tmp/*", "/tmp/tool"),
        ("/tmp/*", "/private/tmp/tool"),
        ("/System/Volumes/Data/usr/bin/*", "git status"),
        ("~/project/b*/x", "./build/x"),
    ] {
        for allow in ["/**", "git *"] {
            let verdict = Scene::new()
                .with_allow_rule(allow)
                .with_deny_rule(rule)
                .with_shell_text(command)
                .judge_request();
            assert_eq!(verdict.reason, Reason::Denylist, "{rule} and {command}: {:?}", verdict.cause);
        }
    }
    for (rule, command) in
        [("/usr/bin/*", "/opt/git status"), ("/usr/*", "git status"), ("/bin/*/x", "git status")]
    {
        let verdict = Scene::new()
            .with_deny_rule(rule)
            .program("/opt/git", "other")
            .with_shell_text(command)
            .judge_request();
        assert_ne!(verdict.decision, Decision::Deny, "{rule} and {command}: {:?}", verdict.cause);
    }
}

#[test]
fn a_deny_rule_looks_into_what_cannot_be_read() {
    let verdict = Scene::new()
        .with_allow_rule("/**")
        .with_deny_rule("~/bin/x")
        .with_shell_text("~/bin/x a")
        .judge_request();
    assert_eq!(verdict.decision, Decision::Deny, "{:?}", verdict.cause);
}

#[test]
fn the_same_file_under_another_name_is_denied() {
    let scene = || {
        Scene::new()
            .program("/opt/copy", "rm")
            .with_allow_rule("/**")
            .with_deny_rule("/usr/bin/rm")
            .with_shell_text("/opt/copy x")
    };
    assert_eq!(scene().judge_request().decision, Decision::Allow, "the names have nothing in common");
    let denied = scene().with_facts(|policy, facts| {
        let mut policy = policy.clone();
        let (id, path) = policy.rules.denied_programs("/Users/u").remove(0);
        policy.rules.identify(id, &identity("rm"), &path);
        crate::judge_request(&policy, facts)
    });
    assert_eq!(denied.reason, Reason::Denylist, "but the content is the same");
    let pinned =
        Rule { pin: Some(Box::new(Pin::new(identity("rm")))), ..person_rule(5, Effect::Deny, "/nowhere/rm") };
    let scene = Scene::new()
        .program("/opt/copy", "rm")
        .with_allow_rule("/**")
        .with_rule(pinned)
        .with_shell_text("/opt/copy x");
    assert_eq!(scene.judge_request().decision, Decision::Deny, "a pin widens a deny rule, never narrows it");
}

#[test]
fn a_script_and_its_interpreter_are_looked_at() {
    let mut scene = Scene::new()
        .program("/opt/tool", "tool")
        .with_allow_rule("/opt/tool")
        .with_deny_rule("/usr/bin/python3")
        .with_shell_text("/opt/tool");
    scene.programs.get_mut("/opt/tool").unwrap().shebang =
        Some(vec!["/usr/bin/env".to_owned(), "python3".to_owned()]);
    assert_eq!(scene.judge_request().decision, Decision::Deny);
    let mut scene = Scene::new()
        .with_allow_rule("/usr/bin/bash")
        .with_deny_rule("/Users/u/project/evil.sh")
        .with_shell_text("bash ./evil.sh");
    scene.scripts.insert("/Users/u/project/evil.sh".to_owned(), identity("evil"));
    assert_eq!(scene.judge_request().decision, Decision::Deny);
}

#[test]
fn a_shebang_s_interpreter_is_the_word_behind_env_s_options_and_assignments() {
    for (line, expected) in [
        (&["/usr/bin/env", "python3"][..], Decision::Deny),
        (&["/usr/bin/env", "-S", "A=1", "python3", "-u"], Decision::Deny),
        (&["/opt/bin/python3", "-u"], Decision::Deny),
        (&["/usr/bin/env", "node", "python3"], Decision::Allow),
        (&["/usr/bin/perl", "python3"], Decision::Allow),
    ] {
        let mut scene = Scene::new()
            .program("/opt/tool", "tool")
            .with_allow_rule("/opt/tool")
            .with_deny_rule("python3")
            .with_shell_text("/opt/tool");
        let words = line.iter().map(|word| (*word).to_owned()).collect();
        scene.programs.get_mut("/opt/tool").unwrap().shebang = Some(words);
        assert_eq!(scene.judge_request().decision, expected, "{line:?}");
    }
}

#[test]
fn a_script_and_a_wrapper_are_denied_with_the_words_behind_them() {
    let judged = |deny: Rule, command: &str| {
        let mut scene = Scene::new()
            .with_allow_rule("/usr/bin/bash")
            .with_allow_rule("/usr/bin/ls")
            .with_rule(deny)
            .with_shell_text(command);
        scene.scripts.insert("/Users/u/project/tool.sh".to_owned(), identity("tool"));
        scene.judge_request().decision
    };
    let of_script = || person_rule(9, Effect::Deny, "tool.sh push *");
    assert_eq!(judged(of_script(), "bash ./tool.sh push x"), Decision::Deny);
    assert_eq!(judged(of_script(), "bash ./tool.sh pull push"), Decision::Allow);
    let argv = ["nohup", "env", "ls"].map(str::to_owned).to_vec();
    let exact = || Rule { pattern: Pattern::Exact(argv.clone()), ..person_rule(9, Effect::Deny, "x") };
    assert_eq!(judged(exact(), "nohup env ls"), Decision::Deny);
    assert_eq!(judged(exact(), "nohup env ls -l"), Decision::Allow);
}

#[test]
fn a_shell_is_denied_by_just_its_own_words() {
    let judged = |words: &[&str], command: &str| {
        let argv = words.iter().map(|word| (*word).to_owned()).collect();
        let deny = Rule { pattern: Pattern::Exact(argv), ..person_rule(9, Effect::Deny, "x") };
        let scene = Scene::new()
            .with_allow_rule("/usr/bin/bash")
            .with_allow_rule("/usr/bin/ls")
            .with_allow_rule("/usr/bin/cat");
        scene.with_rule(deny).with_shell_text(command).judge_request().decision
    };
    for command in ["bash -c 'ls x'", "bash -c \"ls x\"", "nohup bash -c 'ls x'", "cat y && bash -c 'ls x'"] {
        assert_eq!(judged(&["bash", "-c", "ls x"], command), Decision::Deny, "{command}");
    }
    assert_eq!(judged(&["nohup", "bash", "-c", "ls x"], "nohup bash -c 'ls x'"), Decision::Deny);
    assert_eq!(judged(&["bash", "-c", "ls x; cat y"], "bash -c 'ls x; cat y'"), Decision::Deny);
    assert_eq!(judged(&["bash", "-c", "ls x"], "bash -c 'ls y'"), Decision::Allow);
    assert_eq!(judged(&["bash", "-c"], "bash -c 'ls x'"), Decision::Allow, "two words are not three");
}

#[test]
fn a_word_that_may_match_a_deny_rule_is_never_allowed() {
    let scene = || {
        Scene::new().with_settings(|settings| settings.security = Security::Full).with_deny_rule("git push *")
    };
    let got = scene().with_shell_text("git $X origin").judge_request().decision;
    assert_eq!(got, Decision::Ask, "not even under full");
    assert_eq!(scene().with_shell_text("git log $X").judge_request().decision, Decision::Allow);
}
