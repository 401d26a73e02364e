//! Hooks of a repository: they are code of the project, which a rule covers only if the question showed it.

use crate::testing::{CWD, Scene};
use crate::{Access, Cause, Class, Decision, Gap, Rule, RuleOrigin, Verdict};
use postern_command::CommandEffect;

fn scene(hooks: &[&str], text: &str) -> Scene {
    Scene::new().program("/usr/bin/gh", "gh").with_hooks(hooks).with_shell_text(text)
}

fn saved(hooks: &[&str], text: &str) -> Vec<Rule> {
    let offers = scene(hooks, text).offers();
    assert!(!offers.is_empty(), "{text}: no offer");
    (1..).zip(offers[0].to_rules(RuleOrigin::Any)).map(|(id, rule)| Rule { id, ..rule }).collect()
}

fn judged(rules: &[Rule], hooks: &[&str], text: &str) -> Verdict {
    rules.iter().cloned().fold(scene(hooks, text), Scene::with_rule).judge_request()
}

fn decision(rules: &[Rule], hooks: &[&str], text: &str) -> Decision {
    judged(rules, hooks, text).decision
}

/// Returns the hooks among the effects of a command.
fn shown(hooks: &[&str], text: &str) -> Vec<String> {
    let verdict = scene(hooks, text).judge_request();
    let named = |effect: CommandEffect| match effect {
        CommandEffect::RunProjectCode { name, .. } => name,
        _ => None,
    };
    verdict.risk.effects.into_iter().filter_map(|rated| named(rated.effect)).collect()
}

#[test]
fn a_hook_is_an_effect_of_the_command_that_runs_it() {
    assert_eq!(shown(&["pre-push"], "git push origin main"), ["pre-push"]);
    assert_eq!(shown(&["pre-push"], "git -C sub push origin main"), ["pre-push"]);
    assert_eq!(shown(&["pre-push"], "gh pr create --fill"), ["pre-push"]);
    assert_eq!(shown(&["commit-msg", "pre-push"], "git add . && git commit -m x"), ["commit-msg"]);
    for text in ["git status", "git commit -m x", "git log -3"] {
        assert_eq!(shown(&["pre-push"], text), [""; 0], "{text}");
    }
}

#[test]
fn a_rule_that_was_saved_without_a_hook_asks_and_says_which() {
    for (text, hook) in [("git push origin main", "pre-push"), ("git commit -m x", "pre-commit")] {
        let rules = saved(&[], text);
        assert_eq!(decision(&rules, &[], text), Decision::Allow, "{text}");
        let got = decision(&rules, &["post-checkout"], text);
        assert_eq!(got, Decision::Allow, "{text}: it runs no such hook");
        let verdict = judged(&rules, &[hook], text);
        assert_eq!(verdict.decision, Decision::Ask, "{text}: {rules:?}");
        let Cause::NotCovered { gap: Gap::Beyond(rated), .. } = &verdict.cause else {
            panic!("{text}: {:?}", verdict.cause)
        };
        let CommandEffect::RunProjectCode { name, .. } = &rated.effect else { panic!("{text}: {rated:?}") };
        assert_eq!(name.as_deref(), Some(hook), "{text}");
    }
}

#[test]
fn a_rule_that_was_saved_with_a_hook_covers_it_and_no_other() {
    let rules = saved(&["pre-commit"], "git commit -m x");
    assert_eq!(decision(&rules, &["pre-commit"], "git commit -m y"), Decision::Allow);
    assert_eq!(decision(&rules, &[], "git commit -m y"), Decision::Allow, "one that is gone runs nothing");
    assert_eq!(decision(&rules, &["pre-commit", "commit-msg"], "git commit -m y"), Decision::Ask);
}

#[test]
fn an_exact_command_runs_no_hook_that_was_not_shown() {
    let text = "git push origin main";
    let exact = |hooks: &[&str]| -> Vec<Rule> {
        let offers = scene(hooks, text).offers();
        let offer = offers.iter().find(|offer| offer.id == "exact").unwrap();
        offer.to_rules(RuleOrigin::Any).collect()
    };
    assert_eq!(decision(&exact(&[]), &[], text), Decision::Allow);
    assert_eq!(decision(&exact(&[]), &["pre-push"], text), Decision::Ask);
    assert_eq!(decision(&exact(&["pre-push"]), &["pre-push"], text), Decision::Allow);
}

#[test]
fn a_setting_by_which_git_starts_a_program_is_shown_and_bound_as_a_hook_is() {
    let (own, evil) = ("core.sshcommand=ssh -i ~/.ssh/site", "core.sshcommand=./evil.sh");
    for text in ["git fetch origin", "git push origin main"] {
        assert_eq!(shown(&[own], text), [own], "{text}");
        let without = saved(&[], text);
        assert_eq!(decision(&without, &[own], text), Decision::Ask, "{text}: {without:?}");
        let with = saved(&[own], text);
        assert_eq!(decision(&with, &[own], text), Decision::Allow, "{text}: {with:?}");
        assert_eq!(decision(&with, &[evil], text), Decision::Ask, "{text}");
    }
    assert_eq!(shown(&[own], "git commit -m x"), [""; 0], "it reaches no server");
    assert_eq!(shown(&["filter.x.clean=./e"], "git add ."), ["filter.x.clean=./e"]);
}

#[test]
fn a_rule_for_a_whole_line_covers_the_hooks_that_were_shown() {
    let line = "git stash && git reset --hard && git stash pop";
    let hook = &["post-index-change"];
    for (given, covers) in [(&[][..], false), (&hook[..], true)] {
        assert!(scene(given, line).offers()[0].is_line());
        let rules = saved(given, line);
        assert_eq!(decision(&rules, given, line), Decision::Allow);
        assert_eq!(decision(&rules, hook, line) == Decision::Allow, covers, "{rules:?}");
    }
}

#[test]
fn a_rule_that_a_person_wrote_covers_what_its_words_cover() {
    let scene = scene(&["pre-commit"], "git commit -m x").with_allow_rule("git commit -m *");
    assert_eq!(scene.judge_request().decision, Decision::Allow);
}

#[test]
fn the_class_of_code_covers_a_commit_with_hooks() {
    let with = |classes: &[Class], hooks: &[&str]| {
        let scene = scene(hooks, "git commit -m x").with_settings(|settings| {
            settings.folders = vec![CWD.to_owned()];
            for class in classes {
                settings.set_access(*class, Access::Allow);
            }
        });
        let verdict = scene.judge_request();
        (verdict.decision, verdict.confinement.name())
    };
    assert_eq!(with(&[Class::Look, Class::Files], &[]), (Decision::Allow, "project"));
    assert_eq!(with(&[Class::Look, Class::Files], &["pre-commit"]).0, Decision::Ask);
    assert_eq!(
        with(&[Class::Look, Class::Files, Class::Build], &["pre-commit"]),
        (Decision::Allow, "project")
    );
}

#[test]
fn what_is_offered_for_a_commit_with_hooks_is_this_command_and_no_other_of_git() {
    let in_folder = |text: &str| {
        scene(&["pre-commit"], text).with_settings(|settings| settings.folders = vec![CWD.to_owned()])
    };
    let offers = in_folder("git commit -m x").offers();
    assert_eq!(offers[0].id, "confined");
    let rules: Vec<Rule> = offers[0].to_rules(RuleOrigin::Any).collect();
    let with = |text: &str| rules.iter().cloned().fold(in_folder(text), Scene::with_rule).judge_request();
    assert_eq!(with("git commit -m y").decision, Decision::Allow);
    assert_eq!(with("git merge x").decision, Decision::Ask);
}
