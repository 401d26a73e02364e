//! Headlines of questions, and what one leaves to the rest of its question.

use super::{beyond_headline, danger, headline};
use crate::piece::{ShownText, pieces_to_text, to_pieces};
use postern_policy::{RatedEffect, Risk, RiskLevel, StepVerdict};
use serde::Deserialize;
use serde_json::{Value, json};

/// Effects of a request, with what its headline says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct HeadlineCase {
    /// Command of the first step.
    #[serde(default)]
    line: String,
    effects: Vec<Value>,
    headline: String,
    /// Sentences about the effects that it does not name.
    beyond: Option<Vec<String>>,
    /// Sentences about what makes it dangerous.
    danger: Option<Vec<String>>,
}

/// Reads an effect that names what matters alone.
fn rated(given: &Value) -> RatedEffect {
    let mut whole = json!({
        "scope": "inside", "reversible": "unknown", "level": "needs-review", "step": 0, "span": [0, 1],
    });
    for (name, value) in given.as_object().unwrap() {
        whole[name] = value.clone();
    }
    serde_json::from_value(whole).unwrap_or_else(|error| panic!("{given}: {error}"))
}

fn step(line: &str) -> StepVerdict {
    let argv: Vec<&str> = line.split_whitespace().collect();
    let step = json!({
        "argv": argv, "text": line, "program": argv.first(), "path": null, "decision": "ask",
        "reason": "allowlist-miss", "cause": {"no-rule": {"command": line}}, "rule": null, "span": [0, 1],
    });
    serde_json::from_value(step).unwrap()
}

#[test]
fn a_headline_says_the_most_consequential_effect() {
    for row in include_str!("headlines.jsonl").lines() {
        let case: HeadlineCase = serde_json::from_str(row).unwrap_or_else(|error| panic!("{row}: {error}"));
        let effects: Vec<RatedEffect> = case.effects.iter().map(rated).collect();
        let risk = Risk { level: effects.first().map_or(RiskLevel::Safe, |first| first.level), effects };
        let said = pieces_to_text(&headline(&to_pieces("builder"), &risk, &[step(&case.line)]));
        assert_eq!(said, format!("builder wants to {}", case.headline), "{row}");
        let texts = |said: Vec<ShownText>| said.iter().map(|one| pieces_to_text(one)).collect::<Vec<_>>();
        if let Some(beyond) = case.beyond {
            let rest = texts(beyond_headline(&risk));
            assert_eq!(rest, beyond, "neither what the headline says nor what only reads: {row}");
        }
        if let Some(expected) = case.danger {
            assert_eq!(texts(danger(&risk)), expected, "what may not be is not said as if it were: {row}");
        }
    }
}
