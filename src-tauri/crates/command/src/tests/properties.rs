//! Properties of every text.

use proptest::prelude::*;

use super::{heads, reads_clear};
use crate::{Dialect, ParsedCommand, quote_argv, read_argv, read_shell};

const PARTS: &[&str] = &[
    "ls", "rm -rf x", "git status", "echo", "cat", "sh -c", "env", "sudo", "xargs", "find . -exec", "eval",
    "cd src", "exit", "if", "then", "else", "fi", "for f in", "do", "done", "while", "case x in", "esac",
    "f()", "{", "}", "(", ")", "((", "))", "[[", "]]", "[", "]", "$(", "`", "${x", "}", "$x", "\"", "'",
    "$'", "\\", "\\\n", "\n", " ", ";", "&", "&&", "||", "|", "|&", ">", ">>", "<", "<<E", "<<'E'", "\nE\n",
    "<<<", ">(", "<(", "2>&1", "/dev/null", "#", "!", "=", "X=1", "a[", "*", "?", "~", "{a,b}", "--", "-c",
    "é", "\u{202e}", "\r", "\t", "time", "trap", "'ls'", "\"$@\"", "-I{}", "{}", "\\;", "+",
];

fn texts() -> BoxedStrategy<String> {
    let spaced = proptest::collection::vec((proptest::sample::select(PARTS), any::<bool>()), 0..24);
    let joined = spaced.prop_map(|parts| {
        parts
            .into_iter()
            .fold(String::new(), |text, (part, space)| text + part + if space { " " } else { "" })
    });
    prop_oneof![4 => joined, 1 => any::<String>()].boxed()
}

fn dialects() -> BoxedStrategy<Dialect> {
    prop_oneof![Just(Dialect::Posix), Just(Dialect::Bash), Just(Dialect::Zsh)].boxed()
}

fn spans_hold(reading: &ParsedCommand) {
    let opaque = reading.opaque.iter().chain(reading.steps.iter().filter_map(|step| step.opaque.as_ref()));
    let spans = reading.steps.iter().map(|step| &step.span).chain(opaque.map(|opaque| &opaque.span));
    for span in spans.chain(&reading.bodies) {
        assert!(reading.text.get(span.clone()).is_some(), "{span:?} is no part of {:?}", reading.text);
    }
    for step in &reading.steps {
        assert!(step.script.is_none_or(|at| at < step.argv.len()));
        assert!(step.ways_out.iter().all(|way| way.argument < step.argv.len()));
        assert!(
            !step.argv.is_empty() || matches!(step.role, crate::Role::Nothing | crate::Role::HarmlessBuiltin)
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn every_text_is_read(text in texts(), dialect in dialects()) {
        let reading = read_shell(&text, dialect);
        spans_hold(&reading);
        prop_assert_eq!(&reading, &read_shell(&text, dialect), "the same text is read the same way");
        prop_assert!(reading.invalid.is_some() || !reading.steps.is_empty() || !reading.opaque.is_empty());
    }

    #[test]
    fn every_argv_is_read(argv in proptest::collection::vec(prop_oneof![texts(), proptest::sample::select(PARTS).prop_map(String::from)], 0..8)) {
        let reading = read_argv(&argv);
        spans_hold(&reading);
        prop_assert!(reading.invalid.is_some() || !reading.steps.is_empty() || !reading.opaque.is_empty());
    }

    #[test]
    fn a_quoted_argv_reads_as_itself(rest in proptest::collection::vec("[ -~éа\\n]{0,12}", 0..5)) {
        let argv: Vec<String> = std::iter::once("program".to_owned()).chain(rest).collect();
        let reading = read_shell(&quote_argv(&argv), Dialect::Bash);
        prop_assert!(reading.is_clear(), "{:#?}", reading);
        prop_assert_eq!(reading.plain, Some(argv), "what is shown is what would run");
    }

    #[test]
    fn a_command_on_a_line_of_its_own_is_never_lost(text in texts()) {
        prop_assume!(!text.ends_with('\\') && !text.contains("<<"));
        let reading = read_shell(&format!("{text}\nid"), Dialect::Bash);
        if reads_clear(&reading) {
            prop_assert!(heads(&reading).iter().any(|head| head == "id"), "{:#?}", reading);
        }
    }
}

#[test]
fn piles_of_anything_are_read_without_falling_over() {
    for part in PARTS {
        for dialect in [Dialect::Posix, Dialect::Bash, Dialect::Zsh] {
            for joint in ["", " "] {
                let text = format!("{part}{joint}").repeat(4 * 1024 / (part.len() + joint.len()));
                spans_hold(&read_shell(&text, dialect));
                let few = format!("{part}{joint}").repeat(30);
                spans_hold(&read_shell(&few, dialect));
            }
        }
    }
}

proptest! {
    /// A parser panicked on characters beyond ASCII in backquotes in double quotes: such a text is not read, and nothing else.
    #[test]
    fn wide_characters_among_quotes_never_crash(
        parts in prop::collection::vec(
            prop::sample::select(vec!["\"", "`", "\\`", "\\\"", "'", "$(", ")", "é", "ῖ", "𞹛", "öy", "Û", "a", " ", "{ ", "rm"]),
            0..24,
        )
    ) {
        let text = parts.concat();
        for dialect in [Dialect::Bash, Dialect::Zsh, Dialect::Posix] {
            let reading = read_shell(&text, dialect);
            // Whatever it is, it is told as something: a step, a doubt, or a text that cannot be one.
            let told = !reading.steps.is_empty() || !reading.opaque.is_empty() || reading.invalid.is_some();
            prop_assert!(told || !text.contains("rm"), "{text}");
        }
    }
}
