//! The language of sed: whether a script only selects, prints and substitutes. sed(1) GNU and macOS.

use std::borrow::Cow;

use super::table;
use crate::call::Arg;
use crate::invocation::Leading;

/// Returns the first word of a call that is a script which does more, or an option that is not known.
pub(super) fn more_than_prints(args: &[Arg]) -> Option<usize> {
    unsafe_word(args).or_else(|| behind_suffix(args))
}

/// Returns the script of macOS's sed, which takes the word after `-i` for a suffix, if it does more than print.
///
/// Of a suffix that is not empty, GNU's sed takes that word for the script, and what follows is files.
fn behind_suffix(args: &[Arg]) -> Option<usize> {
    let takes_suffix = |word: &str| {
        word.strip_prefix('-')
            .and_then(|letters| letters.strip_suffix(['i', 'I']))
            .is_some_and(|flags| flags.chars().all(|c| "nErsuzal".contains(c)))
    };
    let (mut kept, mut empty, mut at) = (Vec::new(), false, 0);
    while let Some(word) = args.get(at).filter(|word| word.known_value() != Some("--")) {
        kept.push(at);
        at += 1;
        if at > 1 && word.known_value().is_some_and(takes_suffix) {
            empty |= args.get(at).and_then(Arg::known_value) == Some("");
            at += 1;
        }
    }
    kept.extend(at..args.len());
    if kept.len() == args.len() {
        return None;
    }
    let rest: Vec<Arg> = kept.iter().map(|at| args[*at].clone()).collect();
    let found = unsafe_word(&rest)?;
    let is_script = || {
        let has_files = rest.iter().skip(found + 1).any(|word| word.known_value() != Some("--"));
        has_files && rest[found].known_value().is_some_and(may_write)
    };
    (empty || is_script()).then(|| kept[found])
}

/// Returns true for a word that may be a script which writes a file, rather than the name of a file.
fn may_write(word: &str) -> bool {
    let command = word.trim_start_matches(|c: char| c.is_ascii_digit() || "$,!{;".contains(c));
    let substitutes = || {
        let mut letters = command.strip_prefix('s')?.chars();
        let delimiter = letters.next().filter(|c| !c.is_alphanumeric())?;
        Some(letters.filter(|c| *c == delimiter).count() > 1)
    };
    word.contains(char::is_whitespace)
        || command.starts_with(['w', '\\'])
        || substitutes().unwrap_or_default()
}

fn unsafe_word(args: &[Arg]) -> Option<usize> {
    let options = table::program("sed").map_or("", |sed| sed.behind);
    let Ok((parsed, operands)) = Leading::everywhere(args, options) else {
        let unknown = (1..args.len()).find(|at| args[*at].known_value().is_none());
        let option = |at: &usize| args[*at].known_value().is_some_and(|word| word.starts_with('-'));
        return Some(unknown.or_else(|| (1..args.len()).find(option)).unwrap_or(0));
    };
    if let Some(at) = unsafe_expression(&parsed) {
        return Some(at);
    }
    let scripts = parsed.last_option("-e --expression -f --file --help --version").is_some();
    let first = operands.first().copied().filter(|_| !scripts)?;
    (!script_of(&args[first]).is_some_and(|script| only_prints(&script))).then_some(first)
}

/// Returns true for a word that only the run tells, behind a script that only prints: it is a file, or an option.
pub(super) fn follows_script(args: &[Arg], at: usize) -> bool {
    let is_flag =
        |word: &str| word.strip_prefix('-').is_some_and(|flags| flags.chars().all(|c| "nErsuz".contains(c)));
    let mut options = args.iter().skip(1).filter_map(Arg::known_value).filter(|word| word.starts_with('-'));
    let mut before = args.get(1..at).unwrap_or_default().iter().filter_map(Arg::known_value);
    let script = before.find(|word| !word.starts_with('-'));
    args.get(at).is_some_and(|word| word.known_value().is_none())
        && options.all(is_flag)
        && script.is_some_and(only_prints)
}

/// Returns the script that a word is, with a number for each arithmetic expression in it.
fn script_of(arg: &Arg) -> Option<Cow<'_, str>> {
    arg.known_value().map(Cow::Borrowed).or_else(|| with_numbers(&arg.word.raw).map(Cow::Owned))
}

/// Returns a word in double quotes with a number for each `$((…))`, if the run tells nothing else of it.
///
/// A number below zero is no address, so that a sed refuses the script.
fn with_numbers(raw: &str) -> Option<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_ +-*/%".contains(c);
    let mut rest = raw.strip_prefix('"')?.strip_suffix('"')?;
    let mut script = String::new();
    while let Some((before, behind)) = rest.split_once("$((") {
        let (expression, after) = behind.split_once("))")?;
        if !expression.chars().all(plain) {
            return None;
        }
        script.push_str(before);
        script.push('1');
        rest = after;
    }
    script.push_str(rest);
    (!script.contains(['$', '`', '\\', '"'])).then_some(script)
}

fn unsafe_expression(parsed: &Leading<'_>) -> Option<usize> {
    let mut scripts = parsed.given.iter().filter(|given| matches!(&*given.name, "-e" | "--expression"));
    scripts.find(|given| !given.value.is_some_and(only_prints)).map(|given| given.value_at)
}

/// Result of reading a script as a sed that finds the ends of parts in one way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ScriptFinding {
    /// Only selects, prints and substitutes.
    Prints,
    /// Refused before anything of it runs.
    Refused,
    /// Does more, or is not understood.
    More,
}

/// Way in which a sed finds the end of `/…/`: they differ about a delimiter, and about a backslash, in
/// brackets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Brackets {
    /// GNU's before 4.3: a delimiter ends the part wherever it stands.
    Unknown,
    /// GNU's and macOS's, where a backslash in brackets protects what follows.
    Escaping,
    /// As POSIX has it: a backslash in brackets is itself.
    Literal,
}

/// Returns true if a sed script only selects, prints and substitutes: no `w`, `r`, `e`, and no such flag on
/// `s`. However a sed finds the ends of its parts: one that finds others refuses the script, or prints as
/// well.
pub(super) fn only_prints(script: &str) -> bool {
    let found = [Brackets::Unknown, Brackets::Escaping, Brackets::Literal].map(|way| finding(script, way));
    found.contains(&ScriptFinding::Prints) && !found.contains(&ScriptFinding::More)
}

fn finding(script: &str, way: Brackets) -> ScriptFinding {
    let mut rest = script;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ';' || c == '}');
        rest = match address(rest, way) {
            Ok(after) => after.trim_start_matches(['!', ' ']),
            Err(why) => return why,
        };
        let Some(command) = rest.chars().next() else { return ScriptFinding::Prints };
        rest = rest.get(command.len_utf8()..).unwrap_or_default();
        rest = match command {
            '{' | 'p' | 'd' | 'q' | 'Q' | 'P' | 'D' | 'n' | 'N' | 'h' | 'H' | 'g' | 'G' | 'x' | '=' | 'l' => {
                rest
            }
            'a' | 'i' | 'c' => behind_text(rest),
            '#' => rest.split_once('\n').map_or("", |(_, next)| next),
            ':' | 'b' | 't' => match behind_label(rest) {
                Some(next) => next,
                None => return ScriptFinding::More,
            },
            's' => match delimited(rest, 2, way) {
                Ok(flags) => flags.trim_start_matches(|c: char| c.is_ascii_digit() || "gpiImM".contains(c)),
                Err(why) => return why,
            },
            'y' => match delimited(rest, 2, way) {
                Ok(next) => next,
                Err(why) => return why,
            },
            // No sed has such a command. Behind a backslash an address has another delimiter: `\,x,w f`.
            _ if command != '\\' && command.is_ascii_punctuation() => return ScriptFinding::Refused,
            _ => return ScriptFinding::More,
        };
        let ended = rest.is_empty() || rest.starts_with(|c: char| c.is_whitespace() || ";}".contains(c));
        match command {
            '{' | ':' | 'b' | 't' | 'a' | 'i' | 'c' | '#' => {}
            _ if ended => {}
            // A comment, or no flag of any sed.
            's' if rest.starts_with('#') => {}
            's' if !rest.starts_with(['w', 'W', 'e', 'E']) => return ScriptFinding::Refused,
            _ => return ScriptFinding::More,
        }
    }
}

/// Returns the rest after a label; `None` if a sed may read a command behind it: `:x w f` writes with GNU's.
fn behind_label(rest: &str) -> Option<&str> {
    let (line, next) = rest.split_once(['\n', ';']).unwrap_or((rest, ""));
    let label = line.trim().trim_end_matches('}').trim_end();
    let ends = label.chars().any(|one| one.is_whitespace() || one == '}');
    (!ends).then_some(next)
}

/// Returns the rest after the text of `a`, `i` and `c`: a backslash at the end of a line takes the next line
/// in.
fn behind_text(mut rest: &str) -> &str {
    while let Some((line, next)) = rest.split_once('\n') {
        rest = next;
        let backslashes = line.len() - line.trim_end_matches('\\').len();
        if backslashes % 2 == 0 {
            return rest;
        }
    }
    ""
}

/// Returns the rest after an address.
fn address(mut rest: &str, way: Brackets) -> Result<&str, ScriptFinding> {
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || "$,+~ ".contains(c));
        match rest.strip_prefix('/') {
            Some(_) => rest = delimited(rest, 1, way)?.trim_start_matches(['I', 'M']),
            None => return Ok(rest),
        }
    }
}

/// Returns the rest after `/…/` (one part) or `/…/…/` (two), with any delimiter. The first part alone is a
/// pattern, with brackets.
fn delimited(text: &str, parts: usize, way: Brackets) -> Result<&str, ScriptFinding> {
    let delimiter = text
        .chars()
        .next()
        .filter(|c| !c.is_alphanumeric() && !"\\\n ".contains(*c))
        .ok_or(ScriptFinding::More)?;
    let mut rest = text.get(delimiter.len_utf8()..).unwrap_or_default();
    let mut left = parts;
    while let Some(c) = rest.chars().next() {
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
        if c == '\\' {
            rest = behind_one(rest);
        } else if c == delimiter {
            left -= 1;
            if left == 0 {
                return Ok(rest);
            }
        } else if c == '[' && left == parts && way != Brackets::Unknown {
            rest = behind_brackets(rest, way)?;
        }
    }
    Err(ScriptFinding::Refused)
}

fn behind_one(text: &str) -> &str {
    text.get(text.chars().next().map_or(0, char::len_utf8)..).unwrap_or_default()
}

/// Returns the rest after `[…]`, from after its `[`: a leading `]`, and those of `[:alpha:]` and similar
/// classes, do not end it.
fn behind_brackets(text: &str, way: Brackets) -> Result<&str, ScriptFinding> {
    let mut rest = text.strip_prefix('^').unwrap_or(text);
    rest = rest.strip_prefix(']').unwrap_or(rest);
    while let Some(c) = rest.chars().next() {
        rest = behind_one(rest);
        match c {
            ']' => return Ok(rest),
            '\\' if way == Brackets::Escaping => rest = behind_one(rest),
            '[' if rest.starts_with([':', '.', '=']) => {
                let end: String = rest.chars().take(1).chain([']']).collect();
                rest = behind_one(rest).split_once(&*end).ok_or(ScriptFinding::More)?.1;
            }
            _ => {}
        }
    }
    // No sed takes one that is not closed, but where it says so differs.
    Err(ScriptFinding::More)
}

#[cfg(test)]
mod tests {
    use super::{more_than_prints, only_prints, with_numbers};
    use crate::call::Arg;

    /// A sed that knows no brackets refuses scripts with them; GNU's label ends at a blank (`:x w f`).
    ///
    /// For some seds the first slash of `s/[/]/;s/w f;s/;/` ends nothing, and what follows the third is then `w f`.
    #[test]
    fn scripts_that_only_print_are_told_from_those_that_do_more_or_are_not_understood() {
        for (script, prints) in crate::tests::rows::<(String, bool)>(include_str!("sed.jsonl")) {
            assert_eq!(only_prints(&script), prints, "{script}");
        }
    }

    #[test]
    fn a_number_that_the_run_tells_is_one_in_the_script() {
        for (raw, expected) in
            crate::tests::rows::<(String, Option<String>)>(include_str!("sed_numbers.jsonl"))
        {
            assert_eq!(with_numbers(&raw), expected, "{raw}");
        }
    }

    #[test]
    fn a_script_is_found_in_every_place() {
        for (line, expected) in [
            ("sed -n 1,5p f", None),
            ("sed -ne 1,5p f", None),
            ("sed -nE -e s/a/b/ -e p f", None),
            ("sed --expression=p f", None),
            ("sed -n -e p w", None),
            ("sed w", Some(1)),
            ("sed -e p -e w f", Some(4)),
            ("sed -new f", Some(1)),
            ("sed --expression=w f", Some(1)),
            ("sed -n --unheard p f", Some(1)),
            ("sed f -e w", Some(3)),
            // macOS takes the word after `-i` for a suffix.
            ("sed -i p wf g", Some(3)),
            ("sed -i p s,a,b,wf g", Some(3)),
            ("sed -ni p -I p wf g", Some(5)),
            ("sed -i -ep wf g", Some(3)),
            ("sed -i p wf", None),
            ("sed -i p src/a /r/b s.rs", None),
            ("sed -i -E s/a/b/ f g", None),
            ("sed -i.bak p wf g", None),
        ] {
            let args: Vec<Arg> = line.split(' ').map(|word| Arg::from_value(word, 0..0)).collect();
            assert_eq!(more_than_prints(&args), expected, "{line}");
        }
        let scripts = [("w .envrc", Some(3)), ("s/a/b/w .envrc", Some(3)), ("s/a/b/", None), ("p", None)];
        for (script, expected) in scripts {
            let args = ["sed", "-i", "", script, "f"].map(|word| Arg::from_value(word, 0..0));
            assert_eq!(more_than_prints(&args), expected, "{script}");
        }
    }
}
