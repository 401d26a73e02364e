//! `shell_exec`: lines of several commands, parts that cannot be read, and what *Always* would add.

use super::{Allow, Ask, Deny, HOME, policy};
use crate::permissions::{DEFAULT_FILE, EntryOrigin, PermissionEntry};
use crate::tool_gate::{ToolVerdict, check_tool};
use crate::{Cause, Decision, Effect, NamedRule, NamedRuleSource, ToolCause, ToolUse};
use postern_command::MOST_GUESSES;
use serde_json::json;

/// Judges a line by the file alone.
fn judged(entries: &str, command: &str) -> ToolVerdict {
    let file = policy(&format!("{{ \"shell_exec\": {{ {entries} }} }}"));
    check_tool(&file, None, "shell_exec", &json!({ "command": command }), HOME)
}

fn decided(entries: &str, command: &str) -> Decision {
    judged(entries, command).decision
}

fn is_about_a_part(cause: &Cause) -> bool {
    matches!(cause, Cause::Tool(ToolCause::Line { of: ToolUse::Part, .. }))
}

#[test]
fn a_part_that_cannot_be_read_is_denied_where_a_rule_denies_it_and_asked_about_otherwise() {
    const RULES: &str = r#""*": "allow", "rm *": "deny""#;
    let verdict = judged(RULES, "bash -c \"$X; rm x\"");
    assert_eq!((verdict.decision, verdict.entry.unwrap().0.as_str()), (Deny, "rm *"), "{:?}", verdict.cause);
    assert!(is_about_a_part(&verdict.cause), "{:?}", verdict.cause);
    // Nothing of it is a command of its own that a rule could ask about.
    let deep = format!("ls; {} ls", "eval ".repeat(10));
    let verdict = judged(RULES, &deep);
    assert_eq!(verdict.decision, Ask, "{:?}", verdict.cause);
    assert_eq!(decided(r#""*": "allow""#, &deep), Allow, "the gate is off");
}

#[test]
fn no_length_of_a_line_drops_a_denial() {
    const RULES: &str = r#""*": "allow", "rm *": "deny""#;
    let lines = |count: usize| (0..count).map(|nth| format!("a{nth};")).collect::<Vec<_>>().concat();
    for (text, by_rule) in [(format!("{}rm x", lines(500)), true), (lines(MOST_GUESSES + 1), false)] {
        let verdict = judged(RULES, &text);
        assert_eq!(verdict.decision, Deny, "{:?}", verdict.cause);
        let found = (is_about_a_part(&verdict.cause), verdict.cause == Cause::TooManyCandidates);
        assert_eq!(found, (by_rule, !by_rule), "{:?}", verdict.cause);
    }
    assert_eq!(decided(RULES, &lines(500)), Ask);
}

#[test]
fn the_person_is_told_that_a_command_does_more_than_its_rule_allows() {
    const RULES: &str = r#""*": "ask", "ls *": "allow", "rm *": "deny""#;
    let beyond = |command: &str| matches!(judged(RULES, command).cause, Cause::Tool(ToolCause::Beyond(_)));
    assert!(beyond("ls > x"));
    for command in ["ls", "cat x", "rm x"] {
        assert!(!beyond(command), "{command}");
    }
}

#[test]
fn each_command_is_told_and_a_line_without_one_names_the_rule_that_denies_it() {
    assert_eq!(judged(r#""*": "ask""#, "git status && ls -la").values, ["git status", "ls -la"]);
    let verdict = judged(r#""*": "ask", "rm *": "deny""#, "ls; rm x");
    assert_eq!(verdict.entry, Some(("rm *".to_owned(), 1)));
    let (tool, of) = ("shell_exec".to_owned(), ToolUse::Value("rm x".to_owned()));
    let (pattern, source) = ("rm *".to_owned(), NamedRuleSource::Line(1));
    let line =
        Some(NamedRule { effect: Effect::Deny, pattern, source, why: None, broad: false, confine: None });
    assert_eq!(verdict.cause, Cause::Tool(ToolCause::Line { tool, of, line: line.map(Box::new) }));
    let verdict = judged(r#""*": "deny""#, "X=1");
    assert_eq!((verdict.decision, verdict.entry.unwrap().0.as_str()), (Deny, "*"));
}

#[test]
fn a_harmless_builtin_needs_no_rule_unless_it_writes() {
    assert_eq!(decided(r#""*": "ask""#, "cd x"), Allow);
    assert_eq!(decided(r#""*": "ask""#, "echo x > y"), Ask);
    assert_eq!(decided(r#""*": "deny""#, "cd x"), Deny);
}

#[test]
fn always_adds_nothing_that_would_not_let_the_command_through() {
    let always = |command: &str| {
        check_tool(&policy(DEFAULT_FILE), None, "shell_exec", &json!({ "command": command }), HOME).always
    };
    for whole in ["python3 x.py", "bash x.sh"] {
        assert_eq!(always(whole), [whole], "what runs other programs is added as it is");
    }
    for command in [
        "python3 'a*.py'", "python3 '~x'", "python3 '$x'", "find . -delete", "git -c core.pager=x log",
        "cat x > y",
    ] {
        assert_eq!(always(command), [""; 0], "{command}");
    }
}

#[test]
fn a_pattern_stands_for_each_of_its_choices_outside_of_quotes() {
    let allows = |pattern: &str, command: &str| {
        let entries = format!("\"*\": \"ask\", {}: \"allow\"", json!(pattern));
        decided(&entries, command) == Allow
    };
    for (pattern, command, expected) in
        crate::testing::rows::<(String, String, bool)>(include_str!("choices.jsonl"))
    {
        assert_eq!(allows(&pattern, &command), expected, "{pattern} against {command}");
    }
    let entry = |pattern: &str| {
        PermissionEntry::new("shell_exec", pattern, Effect::Allow, HOME, EntryOrigin::Session)
    };
    assert!(entry(&format!("ls {}", "{a,b}".repeat(6))).is_ok(), "64 of them");
    assert!(entry(&format!("ls {}", "{a,b}".repeat(7))).is_err(), "128 of them");
}

#[test]
fn a_denied_program_is_known_by_its_name_and_by_its_path() {
    for (pattern, command) in
        [("r[m] -f", "/bin/rm x -f"), ("/bin/r[m] -f", "/bin/rm x -f"), ("r[m] -f", "rm x -f")]
    {
        let entries = format!("\"*\": \"allow\", \"{pattern}\": \"deny\"");
        assert_eq!(decided(&entries, command), Deny, "{pattern} against {command}");
        assert_eq!(decided(&entries, "rmdir -f"), Allow, "{pattern}");
    }
}
