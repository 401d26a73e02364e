//! Several things speak about one step: which of them counts, and what the person is told about it.

use crate::judge::{can_be_covered, changes, covers};
use crate::permissions::FileLayer;
use crate::testing::{HOME, Scene, identity, person_rule};
use crate::{
    Ask, Authority, Cause, ContentDifference, Decision, Difference, Effect, Gap, Identity, NamedRule,
    NamedRuleSource, Reason, Rule, Security, Signature, SignerDifference, Source, StageFinding, Verdict,
};

fn full(rules: Vec<Rule>, command: &str) -> Verdict {
    let scene =
        Scene::new().with_settings(|settings| settings.security = Security::Full).with_shell_text(command);
    rules.into_iter().fold(scene, Scene::with_rule).judge_request()
}

fn by(verdict: &Verdict) -> i64 {
    verdict.rule.as_ref().map_or(0, |rule| rule.id)
}

#[test]
fn a_deny_outweighs_a_question_in_either_order() {
    for (asks, denies) in [(1, 2), (2, 1)] {
        let mut rules =
            vec![person_rule(asks, Effect::Ask, "git *"), person_rule(denies, Effect::Deny, "git push *")];
        for _ in 0..2 {
            let verdict = full(rules.clone(), "git push origin");
            assert_eq!((verdict.reason, by(&verdict)), (Reason::Denylist, denies), "{rules:?}");
            assert_eq!(full(rules.clone(), "git log").reason, Reason::AskAlways, "the question alone");
            rules.reverse();
        }
    }
}

#[test]
fn a_rule_that_surely_denies_outweighs_one_that_may() {
    for (unsure, sure) in [(1, 2), (2, 1)] {
        let mut rules =
            vec![person_rule(unsure, Effect::Deny, "git push *"), person_rule(sure, Effect::Deny, "git")];
        for _ in 0..2 {
            let verdict = full(rules.clone(), "git $X origin");
            assert_eq!((verdict.reason, by(&verdict)), (Reason::Denylist, sure), "{rules:?}");
            rules.reverse();
        }
    }
}

#[test]
fn of_rules_that_deny_alike_the_managed_one_is_told_and_else_the_oldest() {
    let managed = |id| Rule { source: Source::Managed, ..person_rule(id, Effect::Deny, "/usr/bin/rm") };
    let own = |id| person_rule(id, Effect::Deny, "rm");
    for rules in [vec![own(1), managed(2)], vec![managed(2), own(1)], vec![managed(1), own(2)]] {
        assert_eq!(full(rules, "rm x").reason, Reason::Managed);
    }
    for rules in [vec![own(4), own(3)], vec![own(3), own(4)]] {
        assert_eq!(by(&full(rules, "rm x")), 3);
    }
}

#[test]
fn argument_patterns_of_a_deny_rule_are_weighed_word_by_word() {
    let words = |args: &[&str]| Some(args.iter().map(|word| (*word).to_owned()).collect());
    let denies =
        || vec![Rule { args: words(&["push", "**"]), ..person_rule(1, Effect::Deny, "/usr/bin/git") }];
    assert_eq!(full(denies(), "git push origin").decision, Decision::Deny);
    assert_eq!(full(denies(), "git status").decision, Decision::Allow, "other arguments");
    assert_eq!(full(denies(), "git $X").decision, Decision::Ask, "what may be the argument is asked about");
}

#[test]
fn a_way_out_has_to_be_named_at_its_own_place_in_the_arguments() {
    let judged = |args: &[&str]| {
        let args = Some(args.iter().map(|word| (*word).to_owned()).collect());
        let allows = Rule { args, ..person_rule(1, Effect::Allow, "/usr/bin/git") };
        Scene::new().with_rule(allows).with_shell_text("git -c core.pager=cat log").judge_request().decision
    };
    assert_eq!(judged(&["-c", "core.pager=cat", "log"]), Decision::Allow);
    assert_eq!(judged(&["*", "core.pager=cat", "log"]), Decision::Ask);
}

#[test]
fn a_rule_for_the_file_behind_a_link_covers_the_link() {
    let linked = |allow: &str| {
        let mut scene =
            Scene::new().program("/opt/link", "tool").with_allow_rule(allow).with_shell_text("/opt/link x");
        scene.programs.get_mut("/opt/link").unwrap().real_path = "/opt/real".to_owned();
        scene.judge_request().decision
    };
    assert_eq!(linked("/opt/real"), Decision::Allow);
    assert_eq!(linked("/opt/link"), Decision::Allow);
    assert_eq!(linked("/opt/other"), Decision::Ask);
}

#[test]
fn a_deny_rule_s_program_is_known_by_the_name_of_the_file_behind_a_link() {
    let linked = |deny: &str, command: &str| {
        let mut scene = Scene::new()
            .program("/opt/link", "tool")
            .with_allow_rule("/**")
            .with_deny_rule(deny)
            .with_shell_text(command);
        scene.programs.get_mut("/opt/link").unwrap().real_path = "/opt/real".to_owned();
        scene.judge_request().decision
    };
    assert_eq!(linked("real push *", "/opt/link push x"), Decision::Deny);
    assert_eq!(linked("link push *", "/opt/link push x"), Decision::Deny);
    assert_eq!(linked("real push *", "/opt/link pull"), Decision::Allow);
}

#[test]
fn with_more_rights_a_way_out_has_to_be_named_where_it_stands() {
    let judged = |text: &str, command: &str| {
        Scene::new().with_allow_rule(text).with_shell_text(command).judge_request().decision
    };
    let command = "sudo git -c core.pager=cat log";
    assert_eq!(judged("sudo git -c core.pager=cat log", command), Decision::Allow);
    assert_eq!(judged("sudo git * core.pager=cat log", command), Decision::Ask);
    let command_with_option = "sudo -n git -c core.pager=cat log";
    assert_eq!(judged("sudo -n git * core.pager=cat log", command_with_option), Decision::Ask);
    assert_eq!(judged("sudo git -c * log", command), judged("git -c * log", "git -c core.pager=cat log"));
}

#[test]
fn what_a_wrapper_hides_is_not_covered_where_the_wrapper_was_not_looked_up() {
    let scene = Scene::new().with_allow_rule("/usr/bin/git").with_shell_text("nohup env git status");
    assert_eq!(scene.judge_request().decision, Decision::Allow);
    for kept in [0, 1] {
        let judged = scene.with_facts(|policy, facts| {
            let mut steps = facts.steps.to_vec();
            steps[0].via.truncate(kept);
            crate::judge_request(policy, &crate::Facts { steps: &steps, ..*facts })
        });
        assert_eq!(judged.decision, Decision::Ask, "{kept} of two wrappers looked up");
    }
}

#[test]
fn what_was_looked_up_for_another_reading_is_invalid() {
    let judged =
        Scene::new().with_allow_rule("/**").with_shell_text("ls; git status").with_facts(|policy, facts| {
            crate::judge_request(policy, &crate::Facts { steps: &facts.steps[..1], ..*facts })
        });
    assert_eq!((judged.decision, judged.reason), (Decision::Deny, Reason::Invalid));
}

#[test]
fn only_a_program_that_nothing_stands_before_can_be_covered() {
    let asked = |command: &str| {
        let scene = Scene::new().with_allow_rule("/usr/bin/git").with_shell_text(command);
        scene.with_facts(|policy, facts| (can_be_covered(policy, facts, 0), covers(policy, facts, 0)))
    };
    assert_eq!(asked("git status"), (true, true));
    assert_eq!(asked("ls"), (true, false), "no rule says so yet");
    for command in ["cd src", "$X y", "gitx", "PATH=/tmp git status", "git $(x) | sh"] {
        assert!(!asked(command).1, "{command}");
    }
    assert_eq!(asked("python3 -c 'print(1)'"), (true, false), "by a rule for just this code");
    for command in ["cd src", "$X y", "gitx", "PATH=/tmp git status", "python3 -c \"$X\""] {
        assert!(!asked(command).0, "{command}");
    }
}

#[test]
fn a_line_of_the_file_has_the_limits_of_a_rule() {
    let judged = |line: &str, command: &str| {
        let mut scene = Scene::new().with_shell_text(command);
        let text = format!("{{ \"shell_exec\": {{ \"{line}\": \"allow\" }} }}");
        scene.policy.file = Some(FileLayer::parse(&text, HOME).unwrap());
        scene.judge_request().decision
    };
    for (line, command, expected) in [
        ("git status", "git status", Decision::Allow),
        ("git status", "nohup git status", Decision::Allow),
        ("git status", "sudo git status", Decision::Ask),
        ("bash x.sh", "bash x.sh", Decision::Allow),
        ("b* x.sh", "bash x.sh", Decision::Ask),
        ("* x.sh", "bash x.sh", Decision::Ask),
        ("* status", "git status", Decision::Allow),
        ("git -c core.pager=cat log", "git -c core.pager=cat log", Decision::Allow),
        ("git *", "git -c core.pager=cat log", Decision::Ask),
    ] {
        assert_eq!(judged(line, command), expected, "{line} and {command}");
    }
}

#[test]
fn the_read_only_list_covers_what_a_plain_wrapper_runs() {
    let judged = |command: &str| {
        Scene::new()
            .with_settings(|settings| settings.look = crate::Access::Allow)
            .with_shell_text(command)
            .judge_request()
    };
    assert_eq!(judged("nohup ls").reason, Reason::ReadOnly);
    assert_eq!(judged("sudo ls").decision, Decision::Ask);
    assert_eq!(judged("ls; nohup wc x").decision, Decision::Allow);
}

#[test]
fn what_changed_is_told_with_its_version_and_signer() {
    let file = |version: Option<&str>, team: Option<&str>| Identity {
        version: version.map(str::to_owned),
        signature: team.map(|team| Signature {
            authority: Authority::DeveloperId,
            signing_id: "com.example.tool".to_owned(),
            team_id: Some(team.to_owned()),
            cdhash: "00".to_owned(),
        }),
        ..identity(version.unwrap_or("none"))
    };
    let versions = || ContentDifference::Versions { was: "1".to_owned(), now: "2".to_owned() };
    for (was, now, content, signer) in [
        (file(Some("1"), None), file(Some("2"), None), versions(), None),
        (file(Some("1"), None), file(Some("1"), None), ContentDifference::SameVersion("1".to_owned()), None),
        (file(Some("1"), Some("A")), file(Some("2"), Some("A")), versions(), Some(SignerDifference::Same)),
        (file(Some("1"), Some("A")), file(Some("2"), Some("B")), versions(), Some(SignerDifference::Another)),
        (file(Some("1"), Some("A")), file(Some("2"), None), versions(), Some(SignerDifference::Lost)),
        (file(Some("1"), None), file(Some("2"), Some("A")), versions(), Some(SignerDifference::New)),
    ] {
        assert_eq!(changes(&was, &now), Difference { content, signer });
    }
    let (was, now) = (file(None, None), file(Some("2"), None));
    let content =
        ContentDifference::Hashes { was: was.sha256[..8].to_owned(), now: now.sha256[..8].to_owned() };
    assert_eq!(changes(&was, &now), Difference { content, signer: None });
}

#[test]
fn the_person_is_told_what_it_is_about() {
    let told = |scene: Scene| scene.judge_request().cause;
    let of = |command: &str| Scene::new().with_allow_rule("/usr/bin/ls").with_shell_text(command);
    let writes = Gap::Writes { target: "out.txt".to_owned() };
    assert!(matches!(told(of("ls > out.txt")), Cause::NotCovered { gap, .. } if gap == writes));
    let named = Some("rm".to_owned());
    assert!(matches!(told(of("rm -rf /")), Cause::Core { command, .. } if command == named));
    let note = |command: &str| {
        let trace = of(command).judge_request().trace;
        trace.iter().find(|line| line.stage == "read").map(|line| line.found.clone()).unwrap()
    };
    assert_eq!(note("ls"), StageFinding::Read { shell: true, steps: 1, clear: true });
    assert_eq!(note("ls; wc x"), StageFinding::Read { shell: true, steps: 2, clear: true });
    let policy = |text: &str| {
        let mut scene = of("ls");
        scene.policy.file = Some(FileLayer::parse(text, HOME).unwrap());
        told(scene)
    };
    let source = NamedRuleSource::Line(1);
    assert_eq!(
        policy(r#"{ "system.run": "deny" }"#),
        Cause::ToolPolicy { asks: false, source: source.clone() }
    );
    let many = told(of("ls; wc x; cat y"));
    assert!(matches!(many, Cause::Steps { asking: 2, steps: 3, .. }), "{many:?}");
    assert!(!matches!(told(of("ls; wc x")), Cause::Steps { .. }));
    let denied = of("ls; rm x; $X y").with_deny_rule("rm").judge_request();
    let line = |stage: &str| denied.trace.iter().find(|line| line.stage == stage).unwrap().found.clone();
    assert_eq!(line("deny rules"), denied.cause.clone().into());
    assert_eq!(line("managed rules"), StageFinding::NoneDenies);
    let got = line("verdict");
    assert_eq!(got, StageFinding::Decided { decision: Decision::Deny, cause: denied.cause.clone().into() });
    assert_eq!(policy(r#"{ "system.run": "ask" }"#), Cause::ToolPolicy { asks: true, source });
}

#[test]
fn nobody_answering_never_loosens_what_is_denied_and_says_why_it_allows() {
    let scene = |command: &str| {
        let scene = Scene::new().with_settings(|settings| settings.fallback = crate::Fallback::Full);
        scene.with_settings(|settings| settings.ask = Ask::OnMiss).with_shell_text(command)
    };
    let allowed = scene("ls").judge_unanswered();
    assert_eq!((allowed.decision, allowed.reason), (Decision::Allow, Reason::Policy));
    let closed =
        scene("ls").with_settings(|settings| settings.fallback = crate::Fallback::Deny).judge_unanswered();
    assert_eq!((closed.decision, closed.reason), (Decision::Deny, Reason::AllowlistMiss));
}

#[test]
fn where_nobody_is_asked_it_is_denied_for_want_of_a_rule_and_says_what_else_to_do() {
    let off = |scene: Scene| scene.with_settings(|settings| settings.ask = Ask::Off).judge_request();
    for command in ["$X y", "ls", "cat x > y"] {
        let verdict = off(Scene::new().with_shell_text(command));
        assert_eq!((verdict.decision, verdict.reason), (Decision::Deny, Reason::AllowlistMiss), "{command}");
        assert!(verdict.advice.is_some(), "{command}");
    }
    let broken =
        Rule { pattern: crate::Pattern::Path("/opt/[".to_owned()), ..person_rule(7, Effect::Deny, "x") };
    let verdict = off(Scene::new().with_rule(broken).with_allow_rule("/usr/bin/ls").with_shell_text("ls"));
    assert_eq!(verdict.decision, Decision::Deny, "a deny rule that cannot be read may be meant for it");
}

#[test]
fn everything_is_asked_about_where_the_person_wants_it_so() {
    let verdict = Scene::new()
        .with_settings(|settings| settings.ask = Ask::Always)
        .with_allow_rule("ls")
        .with_shell_text("ls")
        .judge_request();
    assert_eq!((verdict.decision, verdict.reason), (Decision::Ask, Reason::AskAlways));
    assert!(matches!(verdict.cause, Cause::AskAlways(_)), "{:?}", verdict.cause);
}

#[test]
fn a_question_of_the_file_does_not_keep_unreadable_text_from_being_sent_back() {
    let mut scene = Scene::new().with_allow_rule("/usr/bin/git").with_shell_text("git log > $OUT");
    scene.policy.file = Some(FileLayer::parse(r#"{ "shell_exec": { "git *": "ask" } }"#, HOME).unwrap());
    assert_eq!(scene.judge_request().decision, Decision::Ask);
    let back =
        scene.with_settings(|settings| settings.unreadable = crate::Unreadable::SendBack).judge_request();
    assert_eq!(back.decision, Decision::Deny);
}

#[test]
fn a_line_that_may_deny_is_a_doubt_and_one_that_may_ask_is_not() {
    let unanswered = |effect: &str| {
        let mut scene = Scene::new().with_settings(|settings| settings.fallback = crate::Fallback::Full);
        let text = format!("{{ \"shell_exec\": {{ \"git push *\": \"{effect}\" }} }}");
        scene.policy.file = Some(FileLayer::parse(&text, HOME).unwrap());
        scene.with_shell_text("git $X origin").judge_unanswered().decision
    };
    assert_eq!(unanswered("deny"), Decision::Deny);
    assert_eq!(unanswered("ask"), Decision::Allow);
}

#[test]
fn a_rule_s_question_is_told_before_a_program_that_is_missing() {
    let mut scene = Scene::new().with_shell_text("gitx; git status");
    scene.policy.file = Some(FileLayer::parse(r#"{ "shell_exec": { "git *": "ask" } }"#, HOME).unwrap());
    assert_eq!(scene.judge_request().reason, Reason::AskAlways);
}

#[test]
fn a_rule_is_told_with_where_it_comes_from_and_only_a_stored_one_counts_as_used() {
    let of = |source: Source| full(vec![Rule { source, ..person_rule(3, Effect::Deny, "rm") }], "rm x");
    for (source, named) in [
        (Source::Person, NamedRuleSource::Person),
        (Source::Always, NamedRuleSource::Always),
        (Source::Skill("bird".to_owned()), NamedRuleSource::Skill("bird".to_owned())),
        (Source::Managed, NamedRuleSource::Managed),
        (Source::Import, NamedRuleSource::Import),
    ] {
        let verdict = of(source);
        let (effect, pattern) = (Effect::Deny, "rm".to_owned());
        assert_eq!(
            verdict.cause,
            Cause::Rule(NamedRule { effect, pattern, source: named, why: None, broad: false, confine: None })
        );
        assert_eq!(verdict.used, [3]);
    }
    let mut scene = Scene::new().with_shell_text("rm x");
    scene.policy.file = Some(FileLayer::parse("{\n \"shell_exec\": { \"rm *\": \"deny\" } }", HOME).unwrap());
    let verdict = scene.judge_request();
    assert_eq!((by(&verdict), verdict.used), (-2, Vec::new()), "a line of the file");
    let source = NamedRuleSource::Line(2);
    assert!(matches!(&verdict.cause, Cause::Rule(rule) if rule.source == source), "{:?}", verdict.cause);
}

#[test]
fn a_part_that_is_not_followed_is_compared_with_all_its_words() {
    let verdict =
        full(vec![person_rule(1, Effect::Deny, "git push *")], "nice --unheard git -c a.b=c push origin");
    assert_eq!(verdict.decision, Decision::Deny, "{:?}", verdict.cause);
}
