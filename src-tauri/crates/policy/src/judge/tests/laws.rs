//! Laws that hold for any rules and any command.

use crate::testing::{Scene, rule};
use crate::{Ask, Decision, Effect, Rule};
use proptest::prelude::*;

const TEXTS: &[&str] = &[
    "/usr/bin/git",
    "/usr/bin/*",
    "/**",
    "git push *",
    "git status",
    "ls *",
    "/usr/bin/rm",
    "rm *",
    "/usr/bin/bash",
    "npm run build",
    "/usr/bin/l?",
    "sudo git *",
    "env *",
    "/usr/bin/{cat,wc}",
];

const COMMANDS: &[&str] = &[
    "git status",
    "git push origin main",
    "ls -la | wc -l",
    "rm -rf build",
    "sudo git status",
    "bash -c 'git push'",
    "cat a > b",
    "echo $(git status)",
    "X=1; $X",
    "env git push",
    "npm run build && ls",
    "/usr/bin/git -c a=b push",
    "find . -exec rm {} +",
    "git $X",
    "python3 -c 'x'",
    "cd .. && ls",
    "nope",
    "ls; /bin/ls; LS",
];

fn rules(effect: Effect) -> impl Strategy<Value = Vec<Rule>> {
    prop::collection::vec((prop::sample::select(TEXTS), any::<bool>()), 0..6).prop_map(move |picked| {
        let made = picked.into_iter().enumerate();
        made.map(|(at, (text, writes))| {
            let id = i64::try_from(at).unwrap() + if effect == Effect::Deny { 101 } else { 1 };
            Rule { allow_writes: writes, ..rule(id, effect, text) }
        })
        .collect()
    })
}

fn judged(rules: &[Rule], command: &str, ask: Ask) -> Decision {
    let mut scene = Scene::new().set(|settings| settings.ask = ask).shell(command);
    scene.rules = rules.to_vec();
    scene.judge().decision
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn another_deny_rule_never_loosens(
        allow in rules(Effect::Allow), deny in rules(Effect::Deny), command in prop::sample::select(COMMANDS),
        extra in prop::sample::select(TEXTS),
    ) {
        let mut all = [allow, deny].concat();
        let before = judged(&all, command, Ask::OnMiss);
        all.push(rule(500, Effect::Deny, extra));
        prop_assert!(judged(&all, command, Ask::OnMiss) >= before, "{command} with deny {extra}");
    }

    #[test]
    fn one_allow_rule_less_never_loosens(
        allow in rules(Effect::Allow), deny in rules(Effect::Deny), command in prop::sample::select(COMMANDS), at in 0usize..6,
    ) {
        let all = [allow.clone(), deny].concat();
        let before = judged(&all, command, Ask::OnMiss);
        if at < allow.len() {
            let mut fewer = all.clone();
            fewer.remove(at);
            prop_assert!(judged(&fewer, command, Ask::OnMiss) >= before, "{command}");
        }
    }

    #[test]
    fn the_order_of_rules_does_not_matter(
        allow in rules(Effect::Allow), deny in rules(Effect::Deny), command in prop::sample::select(COMMANDS),
    ) {
        let all = [allow, deny].concat();
        let mut turned = all.clone();
        turned.reverse();
        let judge = |rules: &[Rule]| {
            let mut scene = Scene::new().shell(command);
            scene.rules = rules.to_vec();
            scene.judge()
        };
        prop_assert_eq!(judge(&all), judge(&turned), "verdict, message, rule and trace");
    }

    #[test]
    fn ask_always_never_allows(
        allow in rules(Effect::Allow), deny in rules(Effect::Deny), command in prop::sample::select(COMMANDS),
    ) {
        prop_assert_ne!(judged(&[allow, deny].concat(), command, Ask::Always), Decision::Allow);
    }

    #[test]
    fn judging_any_text_gives_a_verdict(text in "\\PC{0,80}", allow in rules(Effect::Allow)) {
        let mut scene = Scene::new().shell(&text);
        scene.rules = allow;
        let verdict = scene.judge();
        prop_assert!(verdict.steps.iter().all(|step| step.decision <= verdict.decision), "the strictest step wins");
    }

    #[test]
    fn what_is_offered_covers_what_was_asked(command in prop::sample::select(COMMANDS)) {
        let scene = Scene::new().shell(command);
        for offer in scene.offers() {
            let mut saved = Scene::new().shell(command);
            saved.rules = offer.drafts.iter().enumerate().map(|(at, draft)| Rule {
                pattern: draft.pattern.clone(),
                args: draft.args.clone(),
                pin: draft.pin.clone(),
                ..rule(i64::try_from(at).unwrap() + 1, Effect::Allow, "x")
            }).collect();
            prop_assert_eq!(saved.judge().decision, Decision::Allow, "{} of {}", offer.id, command);
        }
    }
}
