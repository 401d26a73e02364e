//! The reason of a question is one plain line about the step that its headline speaks of.

use super::{AskedFacts, AskedUse, asked_because};
use crate::piece::{pieces_to_text, to_pieces};
use postern_command::{CommandEffect, EffectScope, Note, Reversible};
use postern_policy::{
    Cause, ClassGap, Confinement, ContentDifference, Decision, Difference, Effect, Millis, NamedRule,
    NamedRuleSource, PinMismatch, RatedEffect, Reason, Risk, RiskLevel, RuleRef, SignerDifference,
    StepVerdict, ToolCause, ToolUse, Verdict,
};

fn step(words: &[&str], decision: Decision, cause: Cause) -> StepVerdict {
    StepVerdict {
        argv: Some(words.iter().map(|word| (*word).to_owned()).collect()),
        text: words.join(" "),
        program: words.first().map(|word| (*word).to_owned()),
        path: None,
        decision,
        reason: Reason::AllowlistMiss,
        cause,
        rule: None,
        span: (0, 0),
    }
}

fn no_rule(command: &str) -> Cause {
    Cause::NoRule { command: Some(command.to_owned()) }
}

fn effect(step: usize, effect: CommandEffect) -> RatedEffect {
    let (scope, reversible, level) = (EffectScope::Remote, Reversible::No, RiskLevel::NeedsReview);
    RatedEffect {
        effect,
        scope,
        reversible,
        level,
        step: Some(step),
        span: (0, 0),
        guessed: false,
        measured: None,
        named: None,
    }
}

fn push(step: usize) -> RatedEffect {
    let to = vec!["origin".to_owned()];
    effect(step, CommandEffect::Send { what: "push commits".into(), to, branch: None })
}

fn asks(cause: Cause, steps: Vec<StepVerdict>, effects: Vec<RatedEffect>) -> Verdict {
    Verdict {
        decision: Decision::Ask,
        reason: Reason::AllowlistMiss,
        cause,
        advice: None,
        rule: None,
        risk: Risk { level: RiskLevel::NeedsReview, effects },
        confinement: Confinement::None,
        steps,
        used: Vec::new(),
        trace: Vec::new(),
    }
}

const DAY: Millis = 24 * 60 * 60 * 1000;

fn why(verdict: &Verdict, used: &AskedUse) -> String {
    let agent = to_pieces("Claude Code");
    let facts =
        AskedFacts { used, agent: &agent, asked_at: 4 * DAY, last_allowed: &[(7, DAY), (8, 3 * DAY)] };
    pieces_to_text(&asked_because(verdict, &facts))
}

#[test]
fn the_reason_is_that_of_the_step_in_the_headline() {
    let first = || step(&["npm", "test"], Decision::Ask, no_rule("npm test"));
    let steps = |second: StepVerdict| vec![first(), second];
    let both = || Cause::Steps { cause: Box::new(no_rule("npm test")), asking: 2, steps: 2 };
    let pushes = step(&["git", "push"], Decision::Ask, no_rule("git push"));
    assert_eq!(
        why(&asks(both(), steps(pushes.clone()), vec![push(1)]), &AskedUse::Command),
        "You haven’t allowed `git push` for Claude Code yet. Both need approval."
    );
    let allowed = StepVerdict { decision: Decision::Allow, ..pushes.clone() };
    assert_eq!(
        why(&asks(no_rule("npm test"), steps(allowed), vec![push(1)]), &AskedUse::Command),
        "You haven’t allowed `npm test` for Claude Code yet.",
        "what the headline speaks of is allowed"
    );
    let unread =
        StepVerdict { cause: Cause::Unparsed(Note::with_text("it sets ", "X", "")), ..pushes.clone() };
    assert_eq!(
        why(&asks(both(), steps(unread), vec![push(1)]), &AskedUse::Command),
        "Postern can’t read all of it: it sets `X`. Both need approval."
    );
    let command = Some("git push".to_owned());
    let follows = StepVerdict { cause: Cause::ReadOnlyBut { command, gap: ClassGap::NotConfined }, ..pushes };
    assert_eq!(
        why(&asks(both(), steps(follows), vec![push(1)]), &AskedUse::Command),
        "You haven’t allowed `npm test` for Claude Code yet. Both need approval.",
        "it is asked about for the other one alone"
    );
}

#[test]
fn a_changed_program_is_named_with_what_changed_and_when_it_was_last_allowed() {
    let by_rule = |id, change| {
        let pattern = "rg *".to_owned();
        let cause = Cause::Changed { command: Some("rg TODO".to_owned()), pattern, change };
        let (source, why) = ("always".to_owned(), None);
        let rule = RuleRef { id, effect: Effect::Allow, pattern: "rg *".to_owned(), source, why };
        StepVerdict { rule: Some(rule), ..step(&["rg", "TODO"], Decision::Ask, cause) }
    };
    let said = |step: StepVerdict| why(&asks(step.cause.clone(), vec![step], vec![]), &AskedUse::Command);
    let program =
        |content| PinMismatch::Program(Difference { content, signer: Some(SignerDifference::Same) });
    let versions = || ContentDifference::Versions { was: "14.1".to_owned(), now: "15.0".to_owned() };
    let script = || PinMismatch::Script { path: "/w/x.py".to_owned() };
    for (change, id, expected) in [
        (program(versions()), 7, "`rg` changed `14.1` → `15.0`, same signer, last allowed 3 days ago."),
        (program(versions()), 8, "`rg` changed `14.1` → `15.0`, same signer, last allowed yesterday."),
        (program(versions()), 9, "`rg` changed `14.1` → `15.0`, same signer."),
        (
            program(ContentDifference::SameVersion("15.0".to_owned())),
            7,
            "`rg` changed: still `15.0`, other content, same signer, last allowed 3 days ago.",
        ),
        (script(), 7, "The script `/w/x.py` changed, last allowed 3 days ago."),
        (PinMismatch::Unidentified, 7, "Postern can’t identify `rg`, last allowed 3 days ago."),
    ] {
        assert_eq!(said(by_rule(id, change)), expected);
    }
    let unapproved = said(by_rule(7, PinMismatch::NotApproved));
    assert!(!unapproved.contains("last allowed"), "nobody allowed it yet: {unapproved}");
    let changed = by_rule(7, script());
    let both = Cause::Steps { cause: Box::new(changed.cause.clone()), asking: 2, steps: 2 };
    let pushes = step(&["git", "push"], Decision::Ask, no_rule("git push"));
    assert_eq!(
        why(&asks(both, vec![changed, pushes], vec![]), &AskedUse::Command),
        "The script `/w/x.py` changed, last allowed 3 days ago. Both need approval."
    );
}

#[test]
fn a_use_of_a_tool_is_named_as_a_person_speaks_of_it() {
    let line = |pattern: &str| NamedRule {
        effect: Effect::Ask,
        pattern: pattern.to_owned(),
        source: NamedRuleSource::Line(4),
        why: None,
        broad: false,
        confine: None,
    };
    let cause = |line: Option<NamedRule>| {
        Cause::Tool(ToolCause::Line {
            tool: "write_file".to_owned(),
            of: ToolUse::Value("docs/a.md".to_owned()),
            line: line.map(Box::new),
        })
    };
    let said = |cause: Cause, used: &AskedUse| why(&asks(cause, Vec::new(), Vec::new()), used);
    let edits = AskedUse::Edits(Some("docs".to_owned()));
    for (used, expected) in [
        (edits.clone(), "edits in `docs`"),
        (AskedUse::Edits(None), "edits"),
        (AskedUse::Reads(Some("~/site".to_owned())), "reads in `~/site`"),
        (AskedUse::Searches, "searches"),
        (AskedUse::Fetches("docs.example.com".to_owned()), "fetches from `docs.example.com`"),
        (
            AskedUse::ServerTool { server: "github".to_owned(), tool: "create_issue".to_owned() },
            "`create_issue` of `github`",
        ),
        (AskedUse::Skills, "skills"),
        (AskedUse::Tool("TodoWrite".to_owned()), "`TodoWrite`"),
    ] {
        let expected = format!("You haven’t allowed {expected} for Claude Code yet.");
        assert_eq!(said(cause(Some(line("*"))), &used), expected, "a line for every use");
        assert_eq!(said(cause(None), &used), expected);
    }
    let got = said(cause(Some(line("docs/**"))), &edits);
    assert_eq!(got, "Your rule `docs/**` asks about edits in `docs` for Claude Code.");
    let default = Cause::Tool(ToolCause::Default(Box::new(cause(Some(line("*"))))));
    assert_eq!(said(default, &edits), "Claude Code’s own rules ask about edits in `docs`.");
    let beyond = Cause::Tool(ToolCause::Beyond(Box::new(cause(Some(line("git *"))))));
    let got = said(beyond, &AskedUse::Command);
    assert_eq!(got, "It does more than your rule `git *` allows for Claude Code.");
    let always = Cause::AskAlways(Box::new(cause(None)));
    assert_eq!(said(always, &edits), "Postern asks about everything from Claude Code.");
    let keys = ["write_file", "permissions.jsonc", "shell_exec"];
    let (tool, pattern) = (|| "write_file".to_owned(), || "docs/**".to_owned());
    for cause in [
        ToolCause::Missing { tool: tool(), argument: "path".to_owned() },
        ToolCause::MayMean { tool: tool(), value: "a".to_owned(), pattern: pattern() },
        ToolCause::NotCompared { tool: tool(), folder: true, pattern: pattern() },
        ToolCause::NotCompared { tool: tool(), folder: false, pattern: pattern() },
        ToolCause::Nul { tool: tool() },
        ToolCause::NoValue { tool: tool() },
    ] {
        let said = said(cause.into(), &edits);
        assert!(said.contains("Claude Code"), "{said}");
        assert!(!keys.iter().any(|key| said.contains(key)), "{said}");
    }
}
