use super::*;
use crate::testing::{HOME, Scene, identity, person_rule};
use crate::{Lifetime, Pin, Usage};

fn problem(rule: &Rule) -> String {
    check_rule(rule, HOME).err().map(|problem| problem.to_string()).unwrap_or_default()
}

#[test]
fn examples_hold_or_the_rule_is_refused() {
    let with = |text: &str, effect, matches: &[&str], misses: &[&str]| Rule {
        matches: matches.iter().map(|example| (*example).to_owned()).collect(),
        misses: misses.iter().map(|example| (*example).to_owned()).collect(),
        ..person_rule(1, effect, text)
    };
    for (checked, part) in [
        (with("git push *", Effect::Allow, &["git push", "git push origin"], &["git pull", "gitx push"]), ""),
        (with("/opt/homebrew/bin/rg", Effect::Allow, &["rg x", "/opt/homebrew/bin/rg"], &["/tmp/rg x"]), ""),
        (with("~/bin/*", Effect::Allow, &["~/bin/x"], &["~/bin/deep/x"]), ""),
        (with("git push *", Effect::Deny, &["/x/git --no-pager push"], &["git log --grep=push"]), ""),
        (with("git push *", Effect::Allow, &["git pull"], &[]), "\"git pull\" is not matched"),
        (with("git *", Effect::Allow, &[], &["git push"]), "\"git push\" is matched"),
        (with("git *", Effect::Allow, &["git 'x"], &[]), "\"git 'x\""),
    ] {
        let told = problem(&checked);
        assert!(
            if part.is_empty() { told.is_empty() } else { told.contains(part) },
            "{:?}: {told}",
            checked.pattern
        );
    }
}

#[test]
fn what_would_allow_anything_is_refused() {
    for (text, part) in [
        ("/**", "would allow everything"),
        ("/*/**", "would allow everything"),
        ("sudo *", "every program that it can start"),
        ("env *", "every program that it can start"),
        ("bash -c *", "every program that it can start"),
        ("/opt/../x", ".. part"),
    ] {
        let path = text.starts_with('/');
        let pattern = if path { Pattern::Path(text.to_owned()) } else { Pattern::Command(text.to_owned()) };
        let told = problem(&Rule { pattern, ..person_rule(1, Effect::Allow, "x") });
        assert!(told.contains(part), "{text}: {told}");
    }
    for text in ["sudo systemctl restart *", "/usr/bin/python3", "~/bin/**", "npm run *", "env"] {
        assert_eq!(problem(&person_rule(1, Effect::Allow, text)), "", "{text}");
    }
    assert_eq!(problem(&person_rule(1, Effect::Deny, "/**")), "", "denying everything is no danger");
    assert!(problem(&person_rule(1, Effect::Ask, "ls")).contains("only permissions.jsonc"));
}

#[test]
fn a_rule_that_names_what_an_interpreter_runs_is_taken_and_one_that_leaves_it_open_is_not() {
    for (text, taken) in crate::testing::rows::<(&str, bool)>(include_str!("interpreters.jsonl")) {
        let told = problem(&person_rule(1, Effect::Allow, text));
        assert_eq!(told.is_empty(), taken, "{text}: {told}");
        let broad = Rule { broad: true, ..person_rule(1, Effect::Allow, text) };
        assert_eq!(problem(&broad), "", "{text}: what a person confirms is taken");
    }
    for effect in [Effect::Deny, Effect::Allow] {
        let pattern = if effect == Effect::Deny { "git push" } else { "team:H7V7XYVQ7D" };
        let broad = Rule { broad: true, ..person_rule(1, effect, pattern) };
        assert!(problem(&broad).contains("can be broad"), "{effect:?} {pattern}");
    }
    let all =
        Rule { broad: true, pattern: Pattern::Path("/**".to_owned()), ..person_rule(1, Effect::Allow, "x") };
    assert!(problem(&all).contains("everything"), "not even a broad rule is for every program");
}

#[test]
fn an_exact_command_may_hold_any_text() {
    let words = |argv: &[&str]| Pattern::Exact(argv.iter().map(|word| (*word).to_owned()).collect());
    let rule = |argv: &[&str]| Rule { pattern: words(argv), ..person_rule(1, Effect::Allow, "x") };
    assert_eq!(problem(&rule(&["git", "commit", "-m", "one\ntwo"])), "");
    assert!(!problem(&rule(&[])).is_empty());
    assert!(!problem(&rule(&[""])).is_empty());
}

#[test]
fn what_would_have_matched_is_told_for_both_effects() {
    for (effect, text, command, expected) in [
        (Effect::Allow, "/usr/bin/git", "git status", true),
        (Effect::Allow, "git push *", "ls && git push x", true),
        (Effect::Allow, "git push *", "git pull", false),
        (Effect::Deny, "git push *", "nohup git push", true),
        (Effect::Deny, "/usr/bin/rm", "ls", false),
        (Effect::Deny, "git push *", "git $x", false),
    ] {
        let scene = Scene::new().with_shell_text(command);
        let matched = scene.with_facts(|_, facts| would_match(&person_rule(1, effect, text), facts));
        assert_eq!(matched, expected, "{effect:?} {text}: {command}");
    }
}

#[test]
fn remarks_name_rules_that_are_covered_broad_unused_or_expired() {
    let day = 24 * 60 * 60 * 1000;
    let used = |at| Usage { count: 1, last_used_at: Some(at), ..Usage::default() };
    let now = 200 * day;
    let rules = [
        Rule { usage: used(now), ..person_rule(1, Effect::Allow, "git push origin main") },
        Rule { usage: used(now), ..person_rule(2, Effect::Allow, "git push *") },
        Rule { usage: used(now), ..person_rule(3, Effect::Allow, "/usr/bin/python3") },
        Rule { usage: used(now), ..person_rule(4, Effect::Allow, "~/bin/**") },
        Rule { usage: used(day), ..person_rule(5, Effect::Allow, "ls *") },
        Rule { usage: used(now), lifetime: Lifetime::Until(now), ..person_rule(6, Effect::Allow, "cat *") },
        Rule { usage: used(now), ..person_rule(7, Effect::Deny, "git push *") },
        Rule { usage: used(now), ..person_rule(8, Effect::Allow, "git push *") },
        Rule { usage: used(now), ..person_rule(9, Effect::Allow, "/usr/bin/*") },
        Rule { usage: used(now), ..person_rule(10, Effect::Allow, "~/.local/bin/*") },
        Rule { usage: used(now), ..person_rule(11, Effect::Allow, "~/.local/bin/site-*") },
    ];
    let found = remarks(&rules, now);
    for expected in [
        (1, Remark::CoveredBy(2)),
        (3, Remark::TooBroad),
        (4, Remark::TooBroad),
        (5, Remark::Unused),
        (6, Remark::Expired),
        (8, Remark::CoveredBy(2)),
        (9, Remark::TooBroad),
        (10, Remark::TooBroad),
    ] {
        assert!(found.contains(&expected), "{expected:?} in {found:?}");
    }
    assert!(!found.iter().any(|(id, _)| *id == 7 || *id == 2), "{found:?}");
    assert!(!found.contains(&(11, Remark::TooBroad)), "it names the programs that are meant");
}

#[test]
fn only_what_matches_at_least_as_much_covers() {
    let pin = || Some(Box::new(Pin::new(identity("git"))));
    let of = |name: &str| Some(AgentId::new(name).unwrap());
    let narrow = || person_rule(1, Effect::Allow, "git push origin main");
    let wide = || person_rule(2, Effect::Allow, "git push *");
    for (what, first, second, expected) in [
        ("all that it matches", narrow(), wide(), true),
        ("it is bound to a program", narrow(), Rule { pin: pin(), ..wide() }, false),
        ("it ends", narrow(), Rule { lifetime: Lifetime::Until(9_000), ..wide() }, false),
        (
            "it is another agent's",
            Rule { agent: of("a"), ..narrow() },
            Rule { agent: of("b"), ..wide() },
            false,
        ),
        ("it is one agent's", narrow(), Rule { agent: of("a"), ..wide() }, false),
        (
            "it is the same agent's",
            Rule { agent: of("a"), ..narrow() },
            Rule { agent: of("a"), ..wide() },
            true,
        ),
        ("it is everyone's", Rule { agent: of("a"), ..narrow() }, wide(), true),
        ("it does not write", Rule { allow_writes: true, ..narrow() }, wide(), false),
        ("it writes too", narrow(), Rule { allow_writes: true, ..wide() }, true),
    ] {
        let covered = remarks(&[first, second], 1_000).contains(&(1, Remark::CoveredBy(2)));
        assert_eq!(covered, expected, "{what}");
    }
}

#[test]
fn a_rule_is_broad_or_unused_only_where_nothing_says_otherwise() {
    let day = 24 * 60 * 60 * 1000;
    let python = || person_rule(1, Effect::Allow, "/usr/bin/python3");
    let pin = || Some(Box::new(Pin::new(identity("python3"))));
    let used = |at| Usage { count: 1, last_used_at: Some(at), ..Usage::default() };
    let told = |rule: Rule| remarks(&[Rule { usage: used(110 * day), ..rule }], 200 * day);
    assert_eq!(told(python()), [(1, Remark::TooBroad)]);
    assert_eq!(told(Rule { pin: pin(), ..python() }), [], "bound to the program as it is");
    assert_eq!(told(Rule { args: Some(vec!["x.py".to_owned()]), ..python() }), [], "bound to a script");
    assert_eq!(told(person_rule(1, Effect::Allow, "ls *")), [], "used 90 days ago");
    let unused = Rule { usage: used(110 * day - 1), ..person_rule(1, Effect::Allow, "ls *") };
    assert_eq!(remarks(&[unused], 200 * day), [(1, Remark::Unused)]);
    let covered = [person_rule(1, Effect::Deny, "/opt/a/x"), person_rule(2, Effect::Deny, "/opt/a/*")];
    assert!(remarks(&covered, 0).contains(&(1, Remark::CoveredBy(2))));
}

#[test]
fn a_profile_takes_what_is_too_wide_without_one() {
    use crate::Profile;
    for text in ["python3 *", "bash *", "env *"] {
        let wide = person_rule(1, Effect::Allow, text);
        assert!(crate::check_rule(&wide, HOME).is_err(), "{text}");
        let confined = Rule { confine: Some(Profile::Project), ..wide };
        assert_eq!(crate::check_rule(&confined, HOME), Ok(()), "{text}");
        let example = Rule { matches: vec![text.replace('*', "-c x")], ..confined };
        assert_eq!(crate::check_rule(&example, HOME), Ok(()), "{text}: an example needs no folder");
    }
    let denies = Rule { confine: Some(Profile::Look), ..person_rule(1, Effect::Deny, "make") };
    assert!(
        crate::check_rule(&denies, HOME).is_err_and(|why| why.to_string().contains("leave out the profile"))
    );
}

#[test]
fn a_rule_covers_another_only_in_the_same_profile_or_a_wider_one() {
    use crate::Profile::{Look, Project};
    let covered = |theirs, own| {
        let rules = [
            Rule { confine: theirs, ..person_rule(1, Effect::Allow, "make *") },
            Rule { confine: own, ..person_rule(2, Effect::Allow, "make test") },
        ];
        let said = crate::remarks(&rules, 0);
        said.contains(&(2, crate::Remark::CoveredBy(1)))
    };
    for (theirs, own, expected) in [
        (None, None, true),
        (Some(Project), Some(Project), true),
        (Some(Project), Some(Look), true),
        (Some(Look), Some(Project), false),
        (Some(Project), None, false),
        (None, Some(Project), false),
    ] {
        assert_eq!(covered(theirs, own), expected, "{theirs:?} {own:?}");
    }
}
