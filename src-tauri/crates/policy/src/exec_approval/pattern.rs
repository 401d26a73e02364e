//! Converter of a glob over a command line to a pattern over words.

use crate::pattern::{is_glob, parse_pattern};
use crate::rule::{Pattern, PatternKind};

/// Returns the pattern that allows what the glob allows, or less; or why there is none.
pub(super) fn of_glob(glob: &str) -> Result<Pattern, String> {
    if glob.contains([';', '|', '&', '<', '>', '(', ')', '$', '`', '\n']) {
        return Err(format!("{glob:?} is no single command; write one entry for each program"));
    }
    let words =
        postern_command::words_of(glob).map_err(|error| format!("{glob:?} is no command: {error}"))?;
    let Some((program, arguments)) = words.split_first().filter(|(program, _)| !program.is_empty()) else {
        return Err("it is empty; write a program and its arguments (git **)".to_owned());
    };
    if program.contains(['*', '?']) {
        return Err(format!(
            "{glob:?} does not name its program; set security to full if everything is meant"
        ));
    }
    if let Some(word) = arguments.iter().find(|word| stops_somewhere(word)) {
        return Err(format!(
            "{word:?} stops at a / there, which no rule here says; write ** for any further arguments, or the word itself"
        ));
    }
    let (more, arguments) = match arguments.split_last() {
        Some((last, before)) if last == "**" => (true, before),
        _ => (false, arguments),
    };
    if is_path(program) {
        return of_path(glob, program, arguments.is_empty() && more);
    }
    let mut text = written(program);
    for word in arguments {
        text.push(' ');
        // Within a command it stands for one word: over more of them, what follows could be anywhere.
        text.push_str(&written(&word.replace("**", "*")));
    }
    if more {
        text.push_str(" *");
    }
    parse_pattern(&text, Some(PatternKind::Command)).map_err(|error| error.to_string())
}

/// Returns a word of a pattern, quoted only where it would come apart: a star needs none.
pub(crate) fn written(word: &str) -> String {
    let apart = word.replace(['*', '~'], "");
    if !apart.is_empty() && postern_command::quote_word(&apart) != apart {
        postern_command::quote_word(word)
    } else {
        word.to_owned()
    }
}

fn is_path(program: &str) -> bool {
    program.contains('/') || program.starts_with('~')
}

fn of_path(glob: &str, program: &str, any_arguments: bool) -> Result<Pattern, String> {
    if !any_arguments {
        return Err(format!("{glob:?}: a program by its path is allowed with any arguments ({program} **)"));
    }
    parse_pattern(program, Some(PatternKind::Path)).map_err(|error| error.to_string())
}

/// Returns true if a word holds a sign that matches a part of a path only: `*` by itself, `?`, a class,
/// alternatives.
fn stops_somewhere(word: &str) -> bool {
    word.replace("**", "").contains(['*', '?', '[', ']', '{', '}'])
}

/// Returns the glob that means what the pattern means.
pub(super) fn to_glob(pattern: &Pattern) -> Result<String, &'static str> {
    match pattern {
        Pattern::Path(text) if is_glob(text) => Err("a glob over paths cannot be said there"),
        Pattern::Path(text) => Ok(format!("{} **", written(text))),
        Pattern::Command(text) => {
            let words = postern_command::words_of(text).unwrap_or_default();
            let (more, words) = match words.split_last() {
                Some((last, before)) if matches!(last.as_str(), "*" | "**") => (true, before),
                _ => (false, words.as_slice()),
            };
            let text = join_literal(words).ok_or("a star within a word means something else there")?;
            Ok(if more { format!("{text} **") } else { text })
        }
        Pattern::Exact(argv) => join_literal(argv).ok_or("a word of it is a glob there"),
        Pattern::Identity(_) => Err("a program by its identity cannot be said there"),
        Pattern::Read(_) | Pattern::Write(_) => Err("files that no program may touch cannot be said there"),
    }
}

/// Words that are no globs, as one line.
fn join_literal(words: &[String]) -> Option<String> {
    let literal = words.iter().all(|word| !word.contains(['*', '?', '[', ']', '{', '}']));
    literal.then(|| postern_command::quote_argv(words))
}
