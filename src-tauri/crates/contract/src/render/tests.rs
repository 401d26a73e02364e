//! The words of facts, and that no text of a request can pass for them.

use super::{cause_sentence, cause_text, difference, effect_sentence, finding_sentence};
use crate::piece::{Piece, PieceKind, pieces_to_text};
use postern_command::{
    ArgEffect, ArgFact, CommandEffect, EffectScope, InstallPlace, Note, Reversible, UnknownEffectReason,
    escape,
};
use postern_policy::{
    Cause, ContentDifference, Difference, Doubt, Effect, FileAccess, Gap, NamedRule, NamedRuleSource,
    Obstacle, RatedEffect, RiskLevel, SignerDifference, StageFinding, StepVerdict, ToolCause, ToolUse,
    Unidentified,
};
use proptest::prelude::*;

fn rule(text: &str) -> NamedRule {
    let text = || text.to_owned();
    let (source, why) = (NamedRuleSource::Skill(text()), Some(text()));
    NamedRule { effect: Effect::Deny, pattern: text(), source, why, broad: false, confine: None }
}

/// Causes that hold a text of a request, a rule or a file in each place where one can be.
fn causes(text: &str) -> Vec<Cause> {
    let text = || text.to_owned();
    let mark = || ArgFact::Mark { mark: text(), effect: ArgEffect::Runs };
    let part = || Doubt::Part(Note::with_text("sets ", text(), ", which may decide what the program does"));
    let command = || Some(text());
    let tool = |of, line: Option<NamedRule>| {
        Cause::Tool(ToolCause::Line { tool: text(), of, line: line.map(Box::new) })
    };
    vec![
        Cause::FileUnreadable { problem: text() },
        Cause::FolderRefused { folder: Some(text()), folders: vec![text(), text()] },
        Cause::NotFound { program: text() },
        Cause::OutsideSearchPath { program: text(), folder: text() },
        Cause::SetsVariables { names: vec![text()] },
        Cause::Rule(rule(&text())),
        Cause::RuleMayMatch { pattern: text() },
        Cause::File { path: text(), access: FileAccess::Read, rule: rule(&text()).into() },
        Cause::FileMayBeMeant { word: text(), access: FileAccess::Write, rule: rule(&text()).into() },
        Cause::Core { id: text(), why: "It stops Postern.".into(), command: command(), word: Some(text()) },
        Cause::Unparsed(Note::with_text("the option ", text(), " is not known here")),
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
        Cause::NotCovered { command: command(), pattern: text(), gap: Gap::Outside { path: text() } },
        Cause::AskAlways(Box::new(Cause::NoRule { command: command() })),
        Cause::SeveralPeople { people: 2, by: vec![text()], would: Box::new(Cause::Rule(rule(&text()))) },
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
    for row in include_str!("causes.jsonl").lines() {
        let (cause, expected): (Cause, String) = serde_json::from_str(row).unwrap();
        assert_eq!(cause_text(&cause), expected);
    }
    let found = StageFinding::Read { shell: true, steps: 1, clear: true };
    assert_eq!(pieces_to_text(&finding_sentence(&found)), "Shell text with 1 command, understood in full.");
    let content = ContentDifference::Versions { was: "1".to_owned(), now: "2".to_owned() };
    let updated = Difference { content, signer: Some(SignerDifference::Same) };
    assert_eq!(pieces_to_text(&difference(&updated)), "`1` → `2`, same signer");
}

#[test]
fn a_sentence_calls_the_user_by_its_audience() {
    let own = Cause::Rule(NamedRule { source: NamedRuleSource::Person, why: None, ..rule("rm *") });
    assert_eq!(pieces_to_text(&cause_sentence(&own)), "Denied by the rule `rm *` (yours).");
    assert_eq!(cause_text(&own), "Denied by the rule `rm *` (the user’s own).");
}

#[test]
fn what_an_earlier_version_recorded_is_still_shown() {
    let recorded = serde_json::json!({
        "argv": null, "text": "ls", "program": "ls", "path": null, "decision": "ask", "reason": "allowlist-miss",
        "message": "No rule for `ls`.", "rule": null, "span": [0, 2],
    });
    let step: StepVerdict = serde_json::from_value(recorded).unwrap();
    assert_eq!(cause_text(&step.cause), "No rule for `ls`.");
    let pieces = cause_sentence(&step.cause);
    assert!(
        pieces.iter().all(|piece| piece.kind == PieceKind::Plain),
        "nothing is read out of it: {pieces:?}"
    );
    let kept = serde_json::to_value(Cause::NoRule { command: Some("ls".to_owned()) }).unwrap();
    let again: Cause = serde_json::from_value(kept).unwrap();
    assert_eq!(cause_text(&again), "No rule allows `ls`.");
    let unit: Cause = serde_json::from_value(serde_json::to_value(Cause::RunsAnything).unwrap()).unwrap();
    assert_eq!(unit, Cause::RunsAnything);
}

/// Effects that hold a text of a request in each place where one can be.
fn effects(text: &str) -> Vec<CommandEffect> {
    let (text, list, maybe) = (|| text.to_owned(), || vec![text.to_owned()], || Some(text.to_owned()));
    vec![
        CommandEffect::Read { paths: list() },
        CommandEffect::Write { paths: list() },
        CommandEffect::Delete { paths: list(), recursive: true, found: false },
        CommandEffect::Delete { paths: list(), recursive: true, found: true },
        CommandEffect::RunProjectCode { what: "the package script".into(), name: maybe(), folder: maybe() },
        CommandEffect::RunInlineCode { language: "python".to_owned() },
        CommandEffect::RunDownloadedCode { package: maybe(), host: None },
        CommandEffect::RunDownloadedCode { package: None, host: maybe() },
        CommandEffect::Install { packages: list(), place: InstallPlace::Project },
        CommandEffect::Fetch { from: list() },
        CommandEffect::Send { what: "push commits".into(), to: list(), branch: maybe() },
        CommandEffect::Publish { what: list(), place: "npm".into(), host: maybe(), tag: maybe() },
        CommandEffect::ChangeRepository {
            change: "delete the branch".into(),
            names: list(),
            folder: maybe(),
        },
        CommandEffect::RunElsewhere { place: "on".into(), name: maybe() },
        CommandEffect::ChangeSystem { change: "stop every program named".into(), names: list() },
        CommandEffect::ControlApp { how: "open".into(), app: maybe() },
        CommandEffect::UseSecret { how: "read a password:".into(), which: maybe() },
        CommandEffect::Serve { what: "listen on a port".into(), port: maybe() },
        CommandEffect::Unknown { why: UnknownEffectReason::Program(text()) },
        CommandEffect::Unknown {
            why: UnknownEffectReason::Argument(ArgFact::Mark { mark: text(), effect: ArgEffect::Runs }),
        },
        CommandEffect::Unknown { why: UnknownEffectReason::Unparsed(Note::with_text("sets ", text(), "")) },
        CommandEffect::Unknown { why: UnknownEffectReason::MixedAlphabets(text()) },
        CommandEffect::Unknown { why: UnknownEffectReason::LooksLikeAscii(text()) },
        CommandEffect::Unknown { why: UnknownEffectReason::Tool(text()) },
        CommandEffect::Unknown { why: UnknownEffectReason::ServerTool { server: text(), tool: text() } },
    ]
}

fn rated(effect: CommandEffect) -> RatedEffect {
    let (scope, reversible, level) = (EffectScope::Inside, Reversible::Unknown, RiskLevel::NeedsReview);
    let (step, span, guessed, measured, named) = (Some(0), (0, 1), false, None, None);
    RatedEffect { effect, scope, reversible, level, step, span, guessed, measured, named }
}

#[test]
fn every_kind_of_effect_has_its_words() {
    let kinds: Vec<&str> = effects("x").iter().map(CommandEffect::kind).collect();
    for kind in CommandEffect::KINDS {
        assert!(kinds.contains(&kind), "{kind} has no words here");
    }
}

proptest! {
    #[test]
    fn no_text_passes_for_words_of_postern(hostile in ".{0,40}|[`\\\\.a ]{0,12}|.*`.*") {
        let of_effect = |effect| effect_sentence(&rated(effect));
        let said = |text: &str| -> Vec<_> {
            let causes = causes(text);
            causes.iter().map(cause_sentence).chain(effects(text).into_iter().map(of_effect)).collect()
        };
        for (pieces, usual) in said(&hostile).into_iter().zip(said("x")) {
            prop_assert_eq!(plain(&pieces), plain(&usual), "the words are the same whatever the text is");
            let line = pieces_to_text(&pieces);
            prop_assert!(escape::is_visible(&line), "{}", line);
            let quoted = line.replace("\\\\", "").replace("\\`", "");
            let expected = pieces_to_text(&usual);
            prop_assert_eq!(
                quoted.matches('`').count(), expected.matches('`').count(),
                "no backtick of the text ends the code in {}", line
            );
        }
    }
}
