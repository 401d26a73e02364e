use crate::testing::{Scene, identity, person_rule, rows};
use crate::{
    Authority, Cause, ContentDifference, Decision, Difference, Effect, Identity, Input, Lifetime, Pattern,
    Pin, PinMismatch, Reason, Rule, RuleInput, ScriptPin, Signature, Source,
};

fn allowed(scene: &Scene) -> bool {
    scene.judge_request().decision == Decision::Allow
}

/// A rule, a command, and whether the rule allows it.
#[derive(serde::Deserialize)]
struct RuleCase {
    rule: String,
    broad: bool,
    command: String,
    allowed: bool,
}

#[test]
fn a_rule_covers_what_it_says_and_a_broad_one_what_its_words_cover_and_no_more() {
    for RuleCase { rule, broad, command, allowed: expected } in rows(include_str!("rules.jsonl")) {
        let scene = Scene::new()
            .program("/usr/bin/date", "date")
            .program("/usr/bin/tar", "tar")
            .with_rule(Rule { broad, ..person_rule(1, Effect::Allow, &rule) })
            .with_shell_text(&command);
        let cause = scene.judge_request().cause;
        assert_eq!(allowed(&scene), expected, "{rule}, broad {broad}: {command}: {cause:?}");
    }
}

#[test]
fn a_verdict_says_that_it_rests_on_a_broad_rule_only_where_it_does() {
    let scene = Scene::new().with_rule(Rule { broad: true, ..person_rule(1, Effect::Allow, "git *") });
    let is_broad = |scene: &Scene| match scene.judge_request().cause {
        Cause::Rule(rule) => rule.broad,
        other => panic!("{other:?}"),
    };
    assert!(!is_broad(&scene.with_shell_text("git status")));
    let scene = Scene::new().with_rule(Rule { broad: true, ..person_rule(1, Effect::Allow, "git *") });
    assert!(is_broad(&scene.with_shell_text("git -c core.pager=x log")));
}

#[test]
fn a_broad_rule_holds_in_its_folder_for_its_program_and_in_its_shell() {
    let broad = || Rule { broad: true, ..person_rule(1, Effect::Allow, "python3 *") };
    let line = "python3 -c 'x'";
    let pin = |content: &str| Some(Box::new(Pin::new(identity(content))));
    for (rule, expected) in [
        (Rule { folder: Some(crate::testing::CWD.to_owned()), ..broad() }, true),
        (Rule { folder: Some("/opt".to_owned()), ..broad() }, false),
        (Rule { pin: pin("python3"), ..broad() }, true),
        (Rule { pin: pin("another"), ..broad() }, false),
        (Rule { origin: crate::RuleOrigin::AgentShell, ..broad() }, false),
        (Rule { lifetime: Lifetime::Until(1), ..broad() }, false),
    ] {
        let scene = Scene::new().with_rule(rule.clone()).with_shell_text(line);
        assert_eq!(allowed(&scene), expected, "{rule:?}");
    }
}

#[test]
fn a_wrapper_is_trusted_by_where_it_lies() {
    let evil =
        || Scene::new().program("/tmp/nohup", "evil").with_allow_rule("/usr/bin/git").with_allow_rule("/**");
    assert!(
        !allowed(&evil().with_shell_text("/tmp/nohup git status")),
        "a program that is only called like a wrapper"
    );
    assert!(allowed(&evil().with_shell_text("/usr/bin/nohup git status")));
    assert!(
        allowed(&evil().with_allow_rule("/tmp/nohup").with_shell_text("/tmp/nohup git status")),
        "unless a rule names it"
    );
}

#[test]
fn a_copy_or_link_of_a_shell_is_a_shell() {
    let mut scene = Scene::new()
        .program("/Users/u/bin/tool", "bash")
        .with_allow_rule("~/bin/*")
        .with_shell_text("~/bin/tool");
    scene.programs.get_mut("/Users/u/bin/tool").unwrap().real_path = "/bin/bash".to_owned();
    assert!(!allowed(&scene.with_argv(&["/Users/u/bin/tool", "-x"])));
}

#[test]
fn writing_needs_a_rule_that_says_so() {
    let writes = Rule { allow_writes: true, ..person_rule(1, Effect::Allow, "/usr/bin/ls") };
    assert!(allowed(&Scene::new().with_rule(writes.clone()).with_shell_text("ls > out.txt")));
    assert!(
        !allowed(&Scene::new().with_rule(writes).with_shell_text("ls > $OUT")),
        "to a file that is known"
    );
}

#[test]
fn arguments_of_a_path_rule_are_compared_word_by_word() {
    let words = |args: &[&str]| Some(args.iter().map(|word| (*word).to_owned()).collect());
    let push = Rule { args: words(&["push", "**"]), ..person_rule(1, Effect::Allow, "/usr/bin/git") };
    assert!(allowed(&Scene::new().with_rule(push.clone()).with_shell_text("git push origin")));
    assert!(!allowed(&Scene::new().with_rule(push).with_shell_text("git pull")));
    let named = Rule {
        args: words(&["-c", "core.pager=cat", "log"]),
        ..person_rule(1, Effect::Allow, "/usr/bin/git")
    };
    assert!(
        allowed(&Scene::new().with_rule(named).with_shell_text("git -c core.pager=cat log")),
        "a way out that is named"
    );
}

#[test]
fn an_exact_rule_is_byte_for_byte() {
    let exact = Rule {
        pattern: Pattern::Exact(vec!["git".to_owned(), "push".to_owned()]),
        ..person_rule(1, Effect::Allow, "git")
    };
    assert!(allowed(&Scene::new().with_rule(exact.clone()).with_shell_text("git 'push'")));
    assert!(!allowed(&Scene::new().with_rule(exact.clone()).with_shell_text("git push origin")));
    assert!(!allowed(&Scene::new().with_rule(exact).with_shell_text("sudo git push")));
}

fn pinned(was: Identity) -> Rule {
    Rule { pin: Some(Box::new(Pin::new(was))), ..person_rule(1, Effect::Allow, "/usr/bin/git") }
}

#[test]
fn a_pin_by_signer_holds_for_what_the_same_developer_signed_under_the_same_name() {
    let signed = |content: &str, authority, signing_id: &str, team: &str| Identity {
        signature: Some(Signature {
            authority,
            signing_id: signing_id.to_owned(),
            team_id: Some(team.to_owned()),
            cdhash: content.to_owned(),
        }),
        ..identity(content)
    };
    let developer = Authority::DeveloperId;
    for (by_signer, now, expected) in [
        (true, signed("new", developer, "com.example.git", "TEAM"), true),
        (false, signed("new", developer, "com.example.git", "TEAM"), false),
        (true, signed("new", developer, "com.example.git", "OTHER"), false),
        (true, signed("new", developer, "com.example.other", "TEAM"), false),
        (true, signed("new", Authority::AdHoc, "com.example.git", "TEAM"), false),
        (true, identity("new"), false),
    ] {
        let was = Pin { by_signer, ..Pin::new(signed("old", developer, "com.example.git", "TEAM")) };
        let rule = Rule { pin: Some(Box::new(was)), ..person_rule(1, Effect::Allow, "/usr/bin/git") };
        let mut scene = Scene::new().with_rule(rule).with_shell_text("git status");
        scene.programs.get_mut("/usr/bin/git").unwrap().identity = Some(now.clone());
        assert_eq!(allowed(&scene), expected, "{now:?}");
        assert!(!expected || !allowed(&scene.changeable("/usr/bin/git")), "the agent can change it");
    }
    let unsigned = Pin { by_signer: true, ..Pin::new(identity("old")) };
    assert!(!unsigned.holds(&identity("new")) && unsigned.holds(&identity("old")), "nobody is no signer");
}

#[test]
fn a_changed_program_asks_and_says_what_changed() {
    assert!(allowed(&Scene::new().with_rule(pinned(identity("git"))).with_shell_text("git status")));
    let was = Identity { version: Some("14.1".to_owned()), ..identity("old") };
    let mut scene = Scene::new().with_rule(pinned(was)).with_shell_text("git status");
    let now = scene.programs.get_mut("/usr/bin/git").unwrap().identity.as_mut().unwrap();
    now.version = Some("15.0".to_owned());
    let verdict = scene.judge_request();
    assert_eq!((verdict.decision, verdict.reason), (Decision::Ask, Reason::BinaryChanged));
    let content = ContentDifference::Versions { was: "14.1".to_owned(), now: "15.0".to_owned() };
    let change = PinMismatch::Program(Difference { content, signer: None });
    assert!(
        matches!(&verdict.cause, Cause::Changed { change: of, .. } if *of == change),
        "{:?}",
        verdict.cause
    );
    assert!(
        allowed(&scene.with_allow_rule("git status")),
        "another rule without a pin covers it all the same"
    );
}

#[test]
fn a_script_is_bound_to_its_content() {
    let pin = Pin {
        script: Some(ScriptPin {
            path: "/Users/u/project/x.py".to_owned(),
            sha256: identity("print").sha256,
        }),
        ..Pin::new(identity("python3"))
    };
    let rule = Rule { pin: Some(Box::new(pin)), ..person_rule(1, Effect::Allow, "/usr/bin/python3") };
    let scene = |content: &str, command: &str| {
        let mut scene = Scene::new().with_rule(rule.clone()).with_shell_text(command);
        scene.scripts.insert("/Users/u/project/x.py".to_owned(), identity(content));
        scene.scripts.insert("/Users/u/project/y.py".to_owned(), identity(content));
        scene.judge_request()
    };
    assert_eq!(scene("print", "python3 x.py").decision, Decision::Allow);
    assert_eq!(scene("other", "python3 x.py").reason, Reason::BinaryChanged);
    assert_eq!(scene("print", "python3 y.py").reason, Reason::AllowlistMiss, "another script");
}

#[test]
fn a_skills_program_needs_the_switch_and_an_approval() {
    let skill = |pin| Rule {
        source: Source::Skill("bird".to_owned()),
        pin,
        ..person_rule(1, Effect::Allow, "/opt/bin/bird")
    };
    let approved = || Some(Box::new(Pin::new(identity("bird"))));
    let scene = |rule, on| {
        let scene = Scene::new().program("/opt/bin/bird", "bird").with_rule(rule);
        scene
            .with_settings(|settings| settings.allow_skills = on)
            .with_shell_text("/opt/bin/bird sing")
            .judge_request()
    };
    assert_eq!(scene(skill(approved()), false).decision, Decision::Ask);
    assert_eq!(scene(skill(approved()), true).reason, Reason::Skill);
    assert_eq!(scene(skill(None), true).reason, Reason::BinaryChanged, "not approved yet");
    let git = Rule {
        source: Source::Skill("bird".to_owned()),
        pin: Some(Box::new(Pin::new(identity("git")))),
        ..person_rule(1, Effect::Allow, "/usr/bin/git")
    };
    let scene = Scene::new().with_rule(git).with_settings(|settings| settings.allow_skills = true);
    let got = scene.with_shell_text("git status").judge_request().decision;
    assert_eq!(got, Decision::Ask, "no skill brings what runs anything");
}

#[test]
fn a_rule_with_a_folder_allows_there_and_below() {
    let rule =
        |folder: &str| Rule { folder: Some(folder.to_owned()), ..person_rule(1, Effect::Allow, "rm *") };
    let judged = |folder: &str, cwd: &str, command: &str| {
        let mut scene = Scene::new().with_rule(rule(folder)).with_shell_text(command);
        scene.cwd = cwd.to_owned();
        scene.judge_request().decision
    };
    for (folder, cwd, expected) in [
        ("/Users/u/project", "/Users/u/project", Decision::Allow),
        ("/Users/u/project", "/Users/u/project/sub/deep", Decision::Allow),
        ("/Users/u/project/", "/Users/u/project", Decision::Allow),
        ("~/project", "/Users/u/project/sub", Decision::Allow),
        ("/Users/u/PROJECT", "/users/u/project", Decision::Allow),
        ("/Users/u/project", "/Users/u", Decision::Ask),
        ("/Users/u/project", "/Users/u/project-two", Decision::Ask),
        ("/Users/u/project", "/Users/u/important", Decision::Ask),
        ("/Users/u/project", "/Users/u/project/../important", Decision::Ask),
        ("/", "/anywhere", Decision::Allow),
    ] {
        assert_eq!(judged(folder, cwd, "rm -rf build"), expected, "{folder}: {cwd}");
    }
    // The folder at the time of the step is not held, not even if the line names the current one.
    for command in [
        "cd /Users/u/important && rm -rf build", "cd ../important && rm -rf build", "cd sub && rm -rf build",
        "cd /Users/u/project && rm -rf build", "cd $X && rm -rf build", "(cd sub; rm -rf build)",
        "env -C /Users/u/important rm -rf build",
    ] {
        assert_eq!(judged("/Users/u/project", "/Users/u/project", command), Decision::Ask, "{command}");
    }
}

#[test]
fn a_rule_covers_the_input_that_it_was_given_with() {
    let rule = |input| Rule { input, ..person_rule(1, Effect::Allow, "/opt/bin/query") };
    let judged = |covers: RuleInput, given: Input| {
        let mut scene = Scene::new()
            .program("/opt/bin/query", "q")
            .with_rule(rule(covers))
            .with_shell_text("/opt/bin/query");
        scene.input = given;
        scene.judge_request().decision
    };
    let text = |sha256: &str| RuleInput::Text(sha256.to_owned());
    let given = |sha256: &str| Input::Text(sha256.to_owned());
    for (covers, given, expected) in [
        (RuleInput::Nothing, Input::Nothing, Decision::Allow),
        (RuleInput::Nothing, given("aa"), Decision::Ask),
        (RuleInput::Nothing, Input::Stream, Decision::Ask),
        (text("aa"), given("AA"), Decision::Allow),
        (text("aa"), given("bb"), Decision::Ask),
        (text("aa"), Input::Stream, Decision::Ask),
        (text("aa"), Input::Nothing, Decision::Allow),
        (RuleInput::Any, given("aa"), Decision::Allow),
        (RuleInput::Any, Input::Stream, Decision::Allow),
    ] {
        assert_eq!(judged(covers.clone(), given.clone()), expected, "{covers:?} and {given:?}");
    }
}

#[test]
fn input_that_is_only_data_needs_no_rule_of_its_own() {
    for (command, expected) in [
        ("git status", Decision::Allow),
        ("nohup git status", Decision::Allow),
        ("git apply", Decision::Ask),
        ("git commit -F -", Decision::Ask),
        ("xargs git", Decision::Ask),
        ("sudo git status", Decision::Ask),
    ] {
        let mut scene =
            Scene::new().with_allow_rule("git *").with_allow_rule("sudo git *").with_shell_text(command);
        scene.input = Input::Stream;
        assert_eq!(scene.judge_request().decision, expected, "{command}");
        scene.input = Input::Nothing;
        let without = scene.judge_request().decision;
        assert!(without == Decision::Allow || command.starts_with("xargs"), "{command} without input");
    }
}

#[test]
fn time_and_session_are_checked_when_it_is_matched() {
    let lasting = |lifetime| Rule { lifetime, ..person_rule(1, Effect::Allow, "/usr/bin/ls") };
    let scene = |lifetime, session: Option<&str>| {
        let mut scene = Scene::new().with_rule(lasting(lifetime)).with_shell_text("ls");
        scene.session = session.map(str::to_owned);
        allowed(&scene)
    };
    assert!(scene(Lifetime::Until(1001), None));
    assert!(!scene(Lifetime::Until(1000), None), "until is not up to and including");
    assert!(scene(Lifetime::Session("a".to_owned()), Some("a")));
    assert!(!scene(Lifetime::Session("a".to_owned()), Some("b")));
    assert!(!scene(Lifetime::Session("a".to_owned()), None));
    assert!(scene(Lifetime::Quit, None));
}

#[test]
fn the_read_only_list_needs_the_switch() {
    let scene = |command: &str| {
        Scene::new()
            .with_settings(|settings| settings.look = crate::Access::Allow)
            .with_shell_text(command)
            .judge_request()
    };
    assert_eq!(scene("ls -la").reason, Reason::ReadOnly);
    assert_eq!(scene("ls -la > x").decision, Decision::Ask);
    assert_eq!(scene("rm x").decision, Decision::Ask);
    assert_eq!(scene("sort -o x y").decision, Decision::Ask);
    assert_eq!(scene("/tmp/ls").decision, Decision::Ask);
}

#[test]
fn a_rule_that_cannot_be_read_allows_nothing_and_lets_nothing_pass() {
    let broken = |effect| Rule { pattern: Pattern::Path("/opt/[".to_owned()), ..person_rule(7, effect, "x") };
    let verdict = Scene::new()
        .with_rule(broken(Effect::Allow))
        .with_allow_rule("/usr/bin/ls")
        .with_shell_text("ls")
        .judge_request();
    assert_eq!(verdict.decision, Decision::Allow, "a broken allow rule is no rule");
    let verdict = Scene::new()
        .with_rule(broken(Effect::Deny))
        .with_allow_rule("/usr/bin/ls")
        .with_shell_text("ls")
        .judge_request();
    assert_eq!(verdict.decision, Decision::Ask, "what a broken deny rule denies is not known");
}
