//! Examples of each effect with its level, and commands that only look dangerous.

use super::{Risk, RiskLevel, assess};
use crate::testing::{Scene, rows};
use crate::{Decision, Reason};
use RiskLevel::Dangerous;

/// Returns the risk of words; `·` is a space within a word.
fn weighed_words(line: &str) -> Risk {
    let words: Vec<String> = line.split(' ').map(|word| word.replace('·', " ")).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    Scene::new().with_argv(&words).with_facts(|_, facts| assess(facts))
}

/// Commands that have an effect of one kind and level.
#[derive(serde::Deserialize)]
struct RiskExample {
    /// Kind and level; `None` for commands that have only a part of one that is dangerous.
    effect: Option<(String, RiskLevel)>,
    lines: Vec<String>,
}

fn examples() -> impl Iterator<Item = RiskExample> {
    rows(include_str!("examples.jsonl"))
}

#[test]
fn commands_have_the_effects_and_levels_of_their_words() {
    for RiskExample { effect, lines } in examples() {
        for line in lines {
            let risk = weighed_words(&line);
            let Some((kind, level)) = &effect else {
                assert!(risk.level != Dangerous, "{line}: {risk:?}");
                continue;
            };
            let has = risk.effects.iter().any(|rated| rated.effect.kind() == kind);
            assert!(has && risk.level == *level, "{line}: {kind} {level:?}: {risk:?}");
        }
    }
}

/// Risk explains and orders: the verdict is the rules', whatever it says.
#[test]
fn risk_never_changes_a_verdict() {
    for line in examples().filter(|example| example.effect.is_some()).flat_map(|example| example.lines) {
        let asked = Scene::new().with_shell_text(&line).judge_request();
        let builtin = asked.reason == Reason::Builtin;
        assert!(builtin || asked.decision != Decision::Allow, "{line}: nothing allows it, however safe");
    }
    let allowed =
        Scene::new().with_allow_rule("git push *").with_shell_text("git push --force").judge_request();
    assert_eq!((allowed.decision, allowed.risk.level), (Decision::Allow, Dangerous));
}
