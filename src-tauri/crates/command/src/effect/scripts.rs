//! Scripts of `osascript`: those that only show, speak or sound something are told from those that control other apps.

use super::command::ExaminedCommand;
use super::{CommandEffect, EffectScope, FoundEffect, Reversible};

/// Statements that do no more than they say, with the words for it.
const SHOWS: [(&str, &str); 6] = [
    ("display notification", "show a notification"),
    ("display alert", "show a message"),
    ("display dialog", "show a message"),
    ("say", "speak"),
    ("beep", "beep"),
    ("set volume", "set the volume"),
];

/// Words for statements of several kinds.
const SHOWS_SEVERAL: &str = "show messages, speak or set the volume";

/// Words around the texts and numbers of such statements. Text that is asked for (`default answer`) and files have others.
const AROUND: [&str; 39] = [
    "after", "alert", "as", "beep", "button", "buttons", "cancel", "caution", "critical", "default",
    "dialog", "display", "false", "giving", "icon", "informational", "input", "message", "modulation",
    "muted", "name", "note", "notification", "output", "pitch", "rate", "say", "set", "sound", "speaking",
    "stop", "subtitle", "title", "true", "up", "using", "volume", "warning", "with",
];

/// Returns what `osascript` shows or sounds, if its scripts are fixed and do no more.
pub(super) fn shown_by_script(command: &ExaminedCommand<'_>) -> Option<FoundEffect> {
    if !command.is_one_of(&["osascript"]) {
        return None;
    }
    let how = shown_by(command)?;
    let effect = CommandEffect::ControlApp { how: how.into(), app: None };
    Some((effect, Some(EffectScope::Machine), Reversible::Yes))
}

/// Returns the words for scripts that are arguments, if every statement in them only shows or sounds something.
fn shown_by(command: &ExaminedCommand<'_>) -> Option<&'static str> {
    let script = |pair: &[&str]| match pair {
        ["-e", script] if !command.patterns.contains(script) => statements(script),
        _ => None,
    };
    let scripts: Vec<Vec<&'static str>> = command.args.chunks(2).map(script).collect::<Option<_>>()?;
    let all = scripts.concat();
    let (first, rest) = all.split_first()?;
    Some(if rest.iter().all(|other| other == first) { *first } else { SHOWS_SEVERAL })
}

/// Returns the words for each statement of a script; `None` if one does anything else.
fn statements(script: &str) -> Option<Vec<&'static str>> {
    let lines = script.split('\n').map(str::trim).filter(|line| !line.is_empty());
    lines.map(statement).collect()
}

fn statement(line: &str) -> Option<&'static str> {
    let outside = without_texts(line)?.to_ascii_lowercase();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " \t{},.".contains(c);
    let known = |word: &str| AROUND.contains(&word) || word.bytes().all(|byte| byte.is_ascii_digit());
    let mut words = outside.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    if !outside.chars().all(is_plain) || !words.all(known) {
        return None;
    }
    let begins = |start: &str| {
        outside.strip_prefix(start).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
    };
    SHOWS.iter().find(|(start, _)| begins(start)).map(|(_, says)| *says)
}

/// Returns a line of AppleScript with a blank for each text in it; `None` if one does not end there.
fn without_texts(line: &str) -> Option<String> {
    let (mut rest, mut inside) = (String::new(), false);
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => {
                inside = !inside;
                rest.push(' ');
            }
            '\\' if inside => {
                letters.next()?;
            }
            _ if inside => {}
            other => rest.push(other),
        }
    }
    (!inside).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::statements;

    #[test]
    fn a_script_that_only_shows_or_speaks_is_told_from_others() {
        for (script, expected) in [
            (r#"display notification "x" with title "y" sound name "Glass""#, "show a notification"),
            (r#"Display Dialog "a \" tell" buttons {"OK"} default button 1"#, "show a message"),
            (r#"say "do shell script" using "Alex""#, "speak"),
            ("set volume output volume 30", "set the volume"),
            ("beep 2", "beep"),
        ] {
            assert_eq!(statements(script), Some(vec![expected]), "{script}");
        }
        assert_eq!(statements("beep\nsay \"x\""), Some(vec!["beep", "speak"]));
    }

    #[test]
    fn a_script_with_anything_else_is_none_of_these() {
        for script in [
            r#"tell app "Finder" to quit"#, r#"do shell script "id""#, r#"say (do shell script "id")"#,
            r#"say "x" saving to "f""#, r#"display dialog "Password:" default answer "" with hidden answer"#,
            r#"say "a" & (run script "b")"#, "say \"a\ntell app \"x\" to quit\"", "say x",
            "«event sysoexec» \"id\"", "load script \"x\"", "open location \"https://a.example\"",
            "saying \"x\"", "set x to 1", r#"say "a\" tell app "b" to quit"#, "beep ¬\n2", "beep -- x",
            "set volume (3)",
        ] {
            assert_eq!(statements(script), None, "{script}");
        }
    }
}
