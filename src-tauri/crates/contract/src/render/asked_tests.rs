//! The reason of a question is one plain line about the step that its headline speaks of.

use super::{AskedUse, asked_because, headline};
use crate::piece::{pieces_to_text, to_pieces};
use postern_command::{CommandEffect, EffectScope, Note, Reversible};
use postern_policy::{
    Cause, ClassGap, Confinement, Decision, Effect, NamedRule, NamedRuleSource, RatedEffect, Reason, Risk,
    RiskLevel, StepVerdict, ToolCause, ToolUse, Verdict,
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

fn why(verdict: &Verdict, used: &AskedUse) -> String {
    pieces_to_text(&asked_because(verdict, used, &to_pieces("Claude Code")))
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
            line,
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

#[test]
fn a_clone_is_named_by_its_host_and_nothing_else_is() {
    let headline_of = |words: &[&str]| {
        let fetch = effect(0, CommandEffect::Fetch { from: vec!["github.com".to_owned()] });
        let steps = [step(words, Decision::Ask, no_rule("git clone"))];
        let risk = Risk { level: RiskLevel::NeedsReview, effects: vec![fetch] };
        pieces_to_text(&headline(&to_pieces("builder"), &risk, &steps))
    };
    let url = "https://github.com/acme/site";
    assert_eq!(headline_of(&["git", "clone", url]), "builder wants to clone from `github.com`");
    assert_eq!(headline_of(&["git", "-C", "x", "clone", url]), "builder wants to clone from `github.com`");
    for words in [&["git", "fetch", url, "clone"][..], &["curl", url, "clone"], &["git", "ls-remote", url]] {
        assert_eq!(headline_of(words), "builder wants to fetch from `github.com`", "{words:?}");
    }
}
