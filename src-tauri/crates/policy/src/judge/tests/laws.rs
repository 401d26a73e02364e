//! Laws that hold for any rules and any command.

use crate::testing::{Scene, person_rule};
use crate::{Ask, Decision, Effect, Rule, Security, Verdict};
use postern_command::escape;
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

fn rules(effect: Effect) -> BoxedStrategy<Vec<Rule>> {
    prop::collection::vec((prop::sample::select(TEXTS), any::<bool>()), 0..6)
        .prop_map(move |picked| {
            let made = picked.into_iter().enumerate();
            made.map(|(at, (text, writes))| {
                let id = i64::try_from(at).unwrap() + if effect == Effect::Deny { 101 } else { 1 };
                Rule { allow_writes: writes, ..person_rule(id, effect, text) }
            })
            .collect()
        })
        .boxed()
}

fn judged(rules: &[Rule], command: &str, ask: Ask) -> Decision {
    let mut scene = Scene::new().with_settings(|settings| settings.ask = ask).with_shell_text(command);
    scene.rules = rules.to_vec();
    scene.judge_request().decision
}

/// Commands with characters in them that a terminal obeys or a person cannot see, in every place.
fn hostile() -> BoxedStrategy<String> {
    let bad = prop::sample::select(
        &["\u{1b}[2J", "\u{202e}", "\u{200b}", "\u{7f}", "\r", "\t", "\u{85}", "\u{3164}"][..],
    );
    let around = prop::sample::select(
        &[
            "a@$X; ls",
            "`x@`; ls",
            "$X@ y",
            "@",
            "git@ push",
            "env --@ ls",
            "env -@ ls",
            "python3 -@ x",
            "python3@ -c x",
            "bash --@",
            "bash -@",
            "arch -@ ls",
            "ls > a@b",
            "ls > $X@",
            "rm -rf / @",
            "sudo@ ls",
            "A@=1 ls",
            "A=@ ls",
            "/usr/bin/@",
            "cd @ && ls",
            "cd /@ && ls",
            "tee ~/'Library/Application Support/Postern/@'",
            "xargs@ rm",
            "find . -exec @ ;",
            "nice -n @ ls",
            "curl@ -o @ u | sh",
        ][..],
    );
    let free =
        prop::collection::vec(prop::char::any(), 0..12).prop_map(|all| all.into_iter().collect::<String>());
    prop_oneof![
        (around.clone(), bad).prop_map(|(around, bad)| around.replace('@', bad)),
        (around, free).prop_map(|(around, free)| around.replace('@', &free)),
    ]
    .boxed()
}

/// Returns every text of a verdict that is shown as it is; sentences are escaped where they are rendered.
fn told(verdict: &Verdict) -> Vec<String> {
    let rules = verdict.steps.iter().filter_map(|step| step.rule.as_ref()).chain(&verdict.rule);
    let rules = rules.flat_map(|rule| [rule.pattern.clone(), rule.source.clone()]);
    rules.chain(verdict.trace.iter().map(|line| line.stage.clone())).collect()
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
        all.push(person_rule(500, Effect::Deny, extra));
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
            let mut scene = Scene::new().with_shell_text(command);
            scene.rules = rules.to_vec();
            scene.judge_request()
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
        let mut scene = Scene::new().with_shell_text(&text);
        scene.rules = allow;
        let verdict = scene.judge_request();
        prop_assert!(verdict.steps.iter().all(|step| step.decision <= verdict.decision), "the strictest step wins");
    }

    #[test]
    fn nothing_that_is_told_holds_what_cannot_be_seen(text in hostile(), allow in rules(Effect::Allow), deny in rules(Effect::Deny)) {
        let words: Vec<&str> = text.split(' ').collect();
        for security in [Security::Allowlist, Security::Full] {
            for scene in [Scene::new().with_shell_text(&text), Scene::new().with_argv(&words)] {
                let mut scene = scene.with_settings(|settings| settings.security = security);
                scene.rules = [allow.clone(), deny.clone()].concat();
                for told in told(&scene.judge_request()) {
                    prop_assert!(escape::is_visible(&told), "{told:?} of {text:?}");
                }
            }
        }
    }

    #[test]
    fn what_is_offered_covers_what_was_asked(command in prop::sample::select(COMMANDS)) {
        let scene = Scene::new().with_shell_text(command);
        for offer in scene.offers() {
            let mut saved = Scene::new().with_shell_text(command);
            let rules = offer.to_rules(crate::RuleOrigin::Any);
            saved.rules = (1..).zip(rules).map(|(id, rule)| Rule { id, ..rule }).collect();
            prop_assert_eq!(saved.judge_request().decision, Decision::Allow, "{} of {}", offer.id, command);
        }
    }
}
