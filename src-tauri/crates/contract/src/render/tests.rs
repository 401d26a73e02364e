//! The words of facts, and that no text of a request can pass for them.

use super::{cause, difference, found, reason, why};
use crate::piece::{Piece, PieceKind, text};
use postern_command::{ArgEffect, ArgFact, Note, escape};
use postern_policy::{
    Cause, ContentDifference, Difference, Doubt, Effect, Found, Gap, NamedRule, Obstacle, RiskReason,
    RuleSource, SignerDifference, StepVerdict, ToolCause, ToolUse, Unidentified,
};
use proptest::prelude::*;

fn rule(text: &str) -> NamedRule {
    let text = || text.to_owned();
    let (source, why) = (RuleSource::Skill(text()), Some(text()));
    NamedRule { effect: Effect::Deny, pattern: text(), source, why, broad: false }
}

/// Causes that hold a text of a request, a rule or a file in each place where one can be.
fn causes(text: &str) -> Vec<Cause> {
    let text = || text.to_owned();
    let mark = || ArgFact::Mark { mark: text(), effect: ArgEffect::Runs };
    let part = || Doubt::Part(Note::about("sets ", text(), ", which may decide what the program does"));
    let command = || Some(text());
    let tool = |of, line| Cause::Tool(ToolCause::Line { tool: text(), of, line });
    vec![
        Cause::FileUnreadable { problem: text() },
        Cause::FolderRefused { folder: Some(text()), folders: vec![text(), text()] },
        Cause::NotFound { program: text() },
        Cause::SetsVariables { names: vec![text()] },
        Cause::Rule(rule(&text())),
        Cause::RuleMayMatch { pattern: text() },
        Cause::Core { id: text(), why: "It stops Postern.".into(), command: command(), word: Some(text()) },
        Cause::Unparsed(Note::about("the option ", text(), " is not known here")),
        Cause::MayMeanNamed { doubt: part(), word: text(), pattern: text() },
        Cause::MayMeanDenied { doubt: Doubt::Argument(mark()) },
        Cause::ByNumber { name: text() },
        Cause::BehindTooManyWords { word: text(), program: text() },
        Cause::Unidentified { name: text(), why: Unidentified::NotThere, pattern: text() },
        Cause::NotCoverable { command: command(), obstacle: Obstacle::Leaves { folder: text() } },
        Cause::Writes { target: text() },
        Cause::UnsafeArg(mark()),
        Cause::NotHeld { pattern: text(), file: text() },
        Cause::NotCovered { command: command(), pattern: text(), gap: Gap::UnsafeArg(mark()) },
        Cause::AskAlways(Box::new(Cause::NoRule { command: command() })),
        tool(ToolUse::Value(text()), Some(rule(&text()))),
        tool(ToolUse::Any, None),
        Cause::Tool(ToolCause::MayMean { tool: text(), value: text(), pattern: text() }),
    ]
}

fn plain(pieces: &[Piece]) -> Vec<&str> {
    pieces.iter().filter(|piece| piece.kind == PieceKind::Plain).map(|piece| piece.text.as_str()).collect()
}

#[test]
fn facts_become_sentences() {
    let push = || Some("git push".to_owned());
    for (said, expected) in [
        (why(&Cause::NoRule { command: push() }), "No rule allows `git push`."),
        (why(&Cause::NoRule { command: None }), "No rule allows this part."),
        (
            why(&Cause::Steps { cause: Box::new(Cause::NoRule { command: push() }), asking: 2, steps: 3 }),
            "No rule allows `git push`. (2 of 3 steps need approval.)",
        ),
        (
            why(&Cause::Rule(NamedRule { source: RuleSource::Line(4), why: None, ..rule("rm *") })),
            "Denied by the rule `rm *` (permissions.jsonc:4).",
        ),
        (
            why(&Cause::UnsafeArg(ArgFact::Mark { mark: "-c".to_owned(), effect: ArgEffect::Config })),
            "`-c` decides which programs are run.",
        ),
        (
            text(&reason(&RiskReason::CanChange { program: "touch".to_owned() })),
            "`touch` may change something",
        ),
        (
            text(&found(&Found::Read { shell: true, steps: 1, clear: true })),
            "shell text, 1 step, understood in full.",
        ),
        (
            text(&difference(&Difference {
                content: ContentDifference::Versions { was: "1".to_owned(), now: "2".to_owned() },
                signer: Some(SignerDifference::Same),
            })),
            "`1` → `2`, same signer",
        ),
    ] {
        assert_eq!(said, expected);
    }
}

#[test]
fn what_an_earlier_version_recorded_is_still_shown() {
    let recorded = serde_json::json!({
        "argv": null, "text": "ls", "program": "ls", "path": null, "decision": "ask", "reason": "allowlist-miss",
        "message": "No rule for `ls`.", "rule": null, "span": [0, 2],
    });
    let step: StepVerdict = serde_json::from_value(recorded).unwrap();
    assert_eq!(why(&step.cause), "No rule for `ls`.");
    let pieces = cause(&step.cause);
    assert!(
        pieces.iter().all(|piece| piece.kind == PieceKind::Plain),
        "nothing is read out of it: {pieces:?}"
    );
    let kept = serde_json::to_value(Cause::NoRule { command: Some("ls".to_owned()) }).unwrap();
    let again: Cause = serde_json::from_value(kept).unwrap();
    assert_eq!(why(&again), "No rule allows `ls`.");
    let unit: Cause = serde_json::from_value(serde_json::to_value(Cause::RunsAnything).unwrap()).unwrap();
    assert_eq!(unit, Cause::RunsAnything);
}

proptest! {
    #[test]
    fn no_text_passes_for_words_of_postern(hostile in ".{0,40}|[`\\\\.a ]{0,12}|.*`.*") {
        for (one, other) in causes(&hostile).iter().zip(&causes("x")) {
            let (pieces, usual) = (cause(one), cause(other));
            prop_assert_eq!(plain(&pieces), plain(&usual), "the words are the same whatever the text is");
            let line = text(&pieces);
            prop_assert!(escape::is_visible(&line), "{}", line);
            let quoted = line.replace("\\\\", "").replace("\\`", "");
            let expected = text(&usual);
            prop_assert_eq!(
                quoted.matches('`').count(), expected.matches('`').count(),
                "no backtick of the text ends the code in {}", line
            );
        }
    }
}
