//! The words of facts, and that no text of a request can pass for them.

use super::{
    beyond_headline, cause_sentence, cause_text, difference, effect_sentence, finding_sentence, headline,
};
use crate::piece::{Piece, PieceKind, pieces_to_text};
use postern_command::{
    ArgEffect, ArgFact, CommandEffect, EffectScope, InstallPlace, Note, Reversible, UnknownEffectReason,
    escape,
};
use postern_policy::{
    Cause, ContentDifference, Difference, Doubt, Effect, EffectExtent, FileAccess, Gap, NamedRule,
    NamedRuleSource, Obstacle, RatedEffect, Risk, RiskLevel, SignerDifference, StageFinding, StepVerdict,
    ToolCause, ToolUse, Unidentified,
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
    let push = || Some("git push".to_owned());
    for (said, expected) in [
        (cause_text(&Cause::NoRule { command: push() }), "No rule allows `git push`."),
        (cause_text(&Cause::NoRule { command: None }), "No rule allows this part."),
        (
            cause_text(&Cause::Steps {
                cause: Box::new(Cause::NoRule { command: push() }),
                asking: 2,
                steps: 3,
            }),
            "No rule allows `git push`. (2 of 3 steps need approval.)",
        ),
        (
            cause_text(&Cause::Rule(NamedRule {
                source: NamedRuleSource::Line(4),
                why: None,
                ..rule("rm *")
            })),
            "Denied by the rule `rm *` (permissions.jsonc:4).",
        ),
        (
            cause_text(&Cause::File {
                path: ".env".to_owned(),
                access: FileAccess::Read,
                rule: Box::new(NamedRule { source: NamedRuleSource::Person, why: None, ..rule("**/.env") }),
            }),
            "`.env` may not be read: the rule `**/.env` (the user’s own).",
        ),
        (
            cause_text(&Cause::FileMayBeMeant {
                word: "*".to_owned(),
                access: FileAccess::Write,
                rule: Box::new(NamedRule { source: NamedRuleSource::Managed, ..rule("x") }),
            }),
            "`*` may reach a file that may not be written or deleted: the rule `x` (managed): `x`.",
        ),
        (
            cause_text(&Cause::UnsafeArg(ArgFact::Mark { mark: "-c".to_owned(), effect: ArgEffect::Config })),
            "`-c` decides which programs are run.",
        ),
        (
            cause_text(&Cause::UnsafeArg(ArgFact::Note("this script may do more".into()))),
            "This script may do more.",
        ),
        (
            pieces_to_text(&finding_sentence(&StageFinding::Read { shell: true, steps: 1, clear: true })),
            "Shell text with 1 command, understood in full.",
        ),
        (
            pieces_to_text(&difference(&Difference {
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
        CommandEffect::Publish { what: list(), place: "npm".into(), host: maybe() },
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

fn rated(effect: CommandEffect, level: RiskLevel) -> RatedEffect {
    let (scope, reversible) = (EffectScope::Inside, Reversible::Unknown);
    let (step, span, guessed, measured) = (Some(0), (0, 1), false, None);
    RatedEffect { effect, scope, reversible, level, step, span, guessed, measured }
}

#[test]
fn every_kind_of_effect_has_its_words() {
    let kinds: Vec<&str> = effects("x").iter().map(CommandEffect::kind).collect();
    for kind in CommandEffect::KINDS {
        assert!(kinds.contains(&kind), "{kind} has no words here");
    }
    let said = |effect, level| {
        pieces_to_text(&headline(&crate::piece::to_pieces("builder"), &risk(vec![rated(effect, level)]), &[]))
    };
    let paths = |all: &[&str]| all.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>();
    let review = RiskLevel::NeedsReview;
    for (effect, expected) in [
        (
            CommandEffect::Send { what: "push commits".into(), to: paths(&["origin"]), branch: None },
            "push commits to `origin`",
        ),
        (
            CommandEffect::Delete { paths: paths(&["build"]), recursive: true, found: false },
            "delete `build` and everything in it",
        ),
        (
            CommandEffect::Delete { paths: paths(&["build/**/*.o"]), recursive: true, found: true },
            "delete `build/**/*.o`",
        ),
        (
            CommandEffect::Delete { paths: paths(&["a", "b", "c", "d"]), recursive: false, found: false },
            "delete 4 files",
        ),
        (
            CommandEffect::ChangeRepository {
                change: "discard all uncommitted changes".into(),
                names: Vec::new(),
                folder: Some("../other".to_owned()),
            },
            "discard all uncommitted changes in `../other`",
        ),
        (
            CommandEffect::RunProjectCode {
                what: "the package script".into(),
                name: Some("test".to_owned()),
                folder: None,
            },
            "run the package script `test`",
        ),
        (CommandEffect::RunInlineCode { language: "python".to_owned() }, "run inline Python code"),
        (CommandEffect::RunInlineCode { language: "git".to_owned() }, "run inline code through `git`"),
        (
            CommandEffect::ChangeRepository {
                change: "rename the branch … to".into(),
                names: paths(&["a", "b"]),
                folder: None,
            },
            "rename the branch `a` to `b`",
        ),
        (
            CommandEffect::ChangeRepository {
                change: "rename the branch … to".into(),
                names: paths(&["b"]),
                folder: None,
            },
            "rename the branch to `b`",
        ),
        (
            CommandEffect::RunDownloadedCode { package: None, host: Some("get.example.dev".to_owned()) },
            "run a script from `get.example.dev`",
        ),
        (
            CommandEffect::Publish { what: Vec::new(), place: "npm".into(), host: None },
            "publish this project publicly on npm",
        ),
        (CommandEffect::Write { paths: paths(&["a", "b"]) }, "write `a` and `b`"),
        (
            CommandEffect::Unknown { why: UnknownEffectReason::Program("foo".to_owned()) },
            "run `foo`, which Postern doesn’t know",
        ),
    ] {
        assert_eq!(said(effect, review), format!("builder wants to {expected}"));
    }
}

#[test]
fn a_package_of_another_registry_is_named_with_it() {
    let (package, host) = (Some("create-vite".to_owned()), Some("npm.example".to_owned()));
    let run = rated(CommandEffect::RunDownloadedCode { package, host }, RiskLevel::NeedsReview);
    let said = headline(&crate::piece::to_pieces("builder"), &risk(vec![run]), &[]);
    assert_eq!(
        pieces_to_text(&said),
        "builder wants to run `create-vite` from `npm.example`, downloading it if needed"
    );
}

#[test]
fn a_path_that_only_the_run_tells_is_not_said_to_lie_outside() {
    for (path, expected) in [
        ("notes/$(date +%F).md", "write `notes/$(date +%F).md`, perhaps outside of its folders"),
        ("/Users/u/other/a", "write `/Users/u/other/a`, outside of its folders"),
    ] {
        let write = CommandEffect::Write { paths: vec![path.to_owned()] };
        let outside = RatedEffect { scope: EffectScope::Outside, ..rated(write, RiskLevel::NeedsReview) };
        let said = headline(&crate::piece::to_pieces("builder"), &risk(vec![outside]), &[]);
        assert_eq!(pieces_to_text(&said), format!("builder wants to {expected}"));
    }
}

fn risk(effects: Vec<RatedEffect>) -> Risk {
    Risk { level: effects.first().map_or(RiskLevel::Safe, |first| first.level), effects }
}

#[test]
fn measured_effects_say_how_much() {
    let name = crate::piece::to_pieces("builder");
    let push =
        CommandEffect::Send { what: "push commits".into(), to: vec!["origin".to_owned()], branch: None };
    let delete = CommandEffect::Delete { paths: vec!["build".to_owned()], recursive: true, found: false };
    let publish = CommandEffect::Publish {
        what: Vec::new(),
        place: "npm".into(),
        host: Some("registry.npmjs.org".to_owned()),
    };
    let at = |address: &str| EffectExtent::Address { address: address.to_owned() };
    for (effect, measured, expected) in [
        (push.clone(), EffectExtent::Commits { ahead: 2, to: None }, "push 2 commits to `origin`"),
        (
            push.clone(),
            EffectExtent::Commits { ahead: 1, to: Some("github.com/acme/site".to_owned()) },
            "push 1 commit to `github.com/acme/site`",
        ),
        (push, at("github.com/acme/site"), "push commits to `github.com/acme/site`"),
        (
            CommandEffect::Fetch { from: Vec::new() },
            at("github.com/acme/site"),
            "fetch from `github.com/acme/site`",
        ),
        (
            CommandEffect::ChangeRepository {
                change: "overwrite commits on".into(),
                names: vec!["origin".to_owned()],
                folder: None,
            },
            at("github.com/acme/site"),
            "overwrite commits on `github.com/acme/site`",
        ),
        (publish.clone(), at("npm.acme.example"), "publish this project on `npm.acme.example`"),
        (publish, at("registry.npmjs.org"), "publish this project publicly on npm (`registry.npmjs.org`)"),
        (
            delete.clone(),
            EffectExtent::Files { files: 214, bytes: 38_200_000 },
            "delete 214 files in `build` (38 MB)",
        ),
        (delete, EffectExtent::Files { files: 1, bytes: 12 }, "delete 1 file in `build` (12 bytes)"),
    ] {
        let measured = RatedEffect { measured: Some(measured), ..rated(effect, RiskLevel::NeedsReview) };
        assert_eq!(
            pieces_to_text(&headline(&name, &risk(vec![measured]), &[])),
            format!("builder wants to {expected}")
        );
    }
}

#[test]
fn a_dangerous_deletion_is_measured_as_its_consequence() {
    let delete = CommandEffect::Delete { paths: vec!["~/Library".to_owned()], recursive: true, found: false };
    let measured = Some(EffectExtent::Files { files: 41_208, bytes: 86_000_000_000 });
    let said = |level| {
        let delete = RatedEffect { measured: measured.clone(), ..rated(delete.clone(), level) };
        pieces_to_text(&headline(&crate::piece::to_pieces("builder"), &risk(vec![delete]), &[]))
    };
    let whole = "builder wants to delete `~/Library` and everything in it";
    assert_eq!(said(RiskLevel::Dangerous), whole);
    let counted = "builder wants to delete 41,208 files in `~/Library` (86 GB)";
    assert_eq!(said(RiskLevel::NeedsReview), counted);
}

#[test]
fn a_headline_names_two_dangers_and_nothing_twice() {
    let name = crate::piece::to_pieces("builder");
    let dangerous = |effect| rated(effect, RiskLevel::Dangerous);
    let publish = dangerous(CommandEffect::Publish { what: Vec::new(), place: "npm".into(), host: None });
    let secret = dangerous(CommandEffect::UseSecret { how: "use your npm tokens".into(), which: None });
    let write = rated(CommandEffect::Write { paths: vec!["x".to_owned()] }, RiskLevel::NeedsReview);
    let read = rated(CommandEffect::Read { paths: Vec::new() }, RiskLevel::Safe);
    let all = risk(vec![publish, secret.clone(), write, read]);
    assert_eq!(
        pieces_to_text(&headline(&name, &all, &[])),
        "builder wants to publish this project publicly on npm and use your npm tokens"
    );
    let rest: Vec<String> = beyond_headline(&all).iter().map(|said| pieces_to_text(said)).collect();
    assert_eq!(rest, ["Write `x`"], "neither what the headline says nor what only reads");
    let delete = CommandEffect::Delete { paths: vec!["/x".to_owned()], recursive: true, found: false };
    let delete = RatedEffect { scope: EffectScope::Outside, ..dangerous(delete) };
    assert_eq!(
        pieces_to_text(&headline(&name, &risk(vec![delete, secret.clone()]), &[])),
        "builder wants to delete `/x` and everything in it, outside of its folders, and use your npm tokens"
    );
    let guessed = risk(vec![RatedEffect { guessed: true, ..secret }]);
    assert_eq!(
        pieces_to_text(&headline(&name, &guessed, &[])),
        "builder wants to run a command that Postern can’t fully read, which may use your npm tokens"
    );
    assert_eq!(
        pieces_to_text(&headline(&name, &risk(Vec::new()), &[])),
        "builder wants to run a harmless shell command"
    );
}

proptest! {
    #[test]
    fn no_text_passes_for_words_of_postern(hostile in ".{0,40}|[`\\\\.a ]{0,12}|.*`.*") {
        let of_effect = |effect| effect_sentence(&rated(effect, RiskLevel::NeedsReview));
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
