//! Output of a substitution, if it is known well enough to tell it from an option: `git show $(git rev-parse
//! HEAD)`.

use shuck_ast::{BinaryOp, Command, RedirectKind, Stmt, StmtSeq, Word};

use super::span::byte_range;

/// Kind of output of some programs, with any content of their files. Empty output is possible too: if they
/// fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Prints {
    Number,
    /// Words, none of which begins with a dash or is a pattern.
    Words,
    /// A path from the root, which may hold blanks.
    Path,
}

/// Returns the output of the last command of a substitution; `None` if it is not known.
pub(super) fn known_output(body: &StmtSeq, source: &str) -> Option<Prints> {
    let [only] = body.stmts.as_slice() else { return None };
    output_of(only, source)
}

fn output_of(statement: &Stmt, source: &str) -> Option<Prints> {
    let (mut last, mut before) = (statement, None);
    while let Command::Binary(binary) = &last.command {
        let plain = binary.op == BinaryOp::Pipe && !last.negated && last.redirects.is_empty();
        before = Some(binary.left.as_ref());
        last = plain.then_some(binary.right.as_ref())?;
    }
    let argv = literal_words(last, source)?;
    // The `wc` of macOS puts blanks before a number.
    if let (Some(before), ["tr", "-d", " "]) = (before, argv.as_slice()) {
        return output_of(before, source).filter(|prints| *prints == Prints::Number);
    }
    let feeds = |kind| matches!(kind, RedirectKind::Input | RedirectKind::HereString | RedirectKind::HereDoc);
    let fed = before.is_some() || last.redirects.iter().any(|redirect| feeds(redirect.kind));
    printed(&argv, fed)
}

/// Returns the text that a substitution prints where it is written out: `$(cat <<'EOF' …)`.
pub(super) fn text_of<'s>(body: &StmtSeq, source: &'s str) -> Option<&'s str> {
    let [only] = body.stmts.as_slice() else { return None };
    let Command::Simple(command) = &only.command else { return None };
    let alone = !only.negated
        && only.terminator.is_none()
        && command.args.is_empty()
        && command.assignments.is_empty()
        && source.get(byte_range(command.name.span)) == Some("cat");
    let [redirect] = &only.redirects[..] else { return None };
    let heredoc = redirect.heredoc().filter(|_| alone && redirect.fd.is_none())?;
    let text = source.get(byte_range(heredoc.body.span))?;
    let plain = !heredoc.delimiter.expands_body || !text.contains(['$', '`', '\\']);
    (plain && !heredoc.delimiter.strip_tabs).then(|| text.trim_end_matches('\n'))
}

/// Returns true if a function of this name would make what is known here untrue.
pub(super) fn affects_output(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "git", "wc", "grep", "date", "nproc", "getconf", "sysctl", "id", "uname", "pwd", "seq", "echo",
        "cat", "tr",
    ];
    NAMES.contains(&name)
}

/// Returns the words of a simple command, each of them written out, that hands on nothing but its output.
fn literal_words<'s>(statement: &Stmt, source: &'s str) -> Option<Vec<&'s str>> {
    let Command::Simple(command) = &statement.command else { return None };
    let slice = |word: &Word| source.get(byte_range(word.span));
    let silent = statement.redirects.iter().all(|redirect| match redirect.kind {
        RedirectKind::Input | RedirectKind::HereString | RedirectKind::HereDoc => true,
        RedirectKind::Output => redirect.word_target().and_then(slice) == Some("/dev/null"),
        _ => false,
    });
    if statement.negated || statement.terminator.is_some() || !command.assignments.is_empty() || !silent {
        return None;
    }
    std::iter::once(&command.name).chain(&command.args).map(|word| literal(slice(word)?)).collect()
}

/// Returns a word of plain characters, in quotes as a whole or not at all.
fn literal(raw: &str) -> Option<&str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=%+@^~,".contains(c);
    let quoted = ['\'', '"'].iter().find_map(|quote| raw.strip_prefix(*quote)?.strip_suffix(*quote));
    let text = quoted.unwrap_or(raw);
    text.chars().all(|c| plain(c) || quoted.is_some() && c == ' ').then_some(text).filter(|t| !t.is_empty())
}

fn printed(argv: &[&str], fed: bool) -> Option<Prints> {
    let no_dash = |words: &[&str]| !words.is_empty() && words.iter().all(|word| !word.starts_with('-'));
    match argv {
        // Without a file it names none.
        ["wc", "-l" | "-c" | "-w" | "-m"] if fed => Some(Prints::Number),
        ["grep", "-c", pattern] if fed && !pattern.starts_with('-') => Some(Prints::Number),
        // With one file it prints no name.
        ["grep", "-c", words @ ..] if words.len() == 2 && no_dash(words) => Some(Prints::Number),
        ["nproc"]
        | ["getconf", "_NPROCESSORS_ONLN"]
        | ["id", "-u" | "-g"]
        | ["sysctl", "-n", "hw.ncpu" | "hw.logicalcpu" | "hw.physicalcpu"] => Some(Prints::Number),
        ["seq", numbers @ ..] if numbers.iter().all(|word| word.bytes().all(|b| b.is_ascii_digit())) => {
            Some(Prints::Number)
        }
        ["uname"] | ["uname", "-s" | "-m" | "-r"] => Some(Prints::Words),
        ["date", options @ .., format] => date_output(options, format),
        ["pwd"] | ["git", "rev-parse", "--show-toplevel"] => Some(Prints::Path),
        ["echo", words @ ..] if no_dash(words) && words.iter().all(|word| !word.contains(" -")) => {
            Some(Prints::Words)
        }
        // A name that is no commit is printed as it was given, an option too.
        ["git", "rev-parse", "--short" | "--verify", names @ ..] | ["git", "rev-parse", names @ ..]
            if no_dash(names) =>
        {
            Some(Prints::Words)
        }
        ["git", "merge-base", names @ ..] if no_dash(names) => Some(Prints::Words),
        ["git", "rev-list", "--count", names @ ..] if no_dash(names) => Some(Prints::Number),
        ["git", "rev-list", "-1", names @ ..] | ["git", "rev-list", "-n", "1", names @ ..]
            if no_dash(names) =>
        {
            Some(Prints::Words)
        }
        ["git", "log", "-1", format] | ["git", "log", format, "-1"] | ["git", "log", "-1", format, _]
            if matches!(*format, "--format=%H" | "--format=%h" | "--pretty=%H" | "--pretty=%h") =>
        {
            argv.get(4).is_none_or(|name| !name.starts_with('-')).then_some(Prints::Words)
        }
        _ => None,
    }
}

/// Returns the output of `date -u +%Y-%m-%d`: fields that are digits or names, with the text between them.
/// `%z` may begin with a dash.
fn date_output(options: &[&str], format: &str) -> Option<Prints> {
    let fields = format.strip_prefix('+')?;
    let part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphanumeric())
            || part.starts_with('%')
                && part.chars().nth(1).is_some_and(|field| "YymdFHMSsTjDbBaAGVu".contains(field))
    };
    if !options.iter().all(|option| matches!(*option, "-u" | "--utc")) || !fields.split(' ').all(part) {
        return None;
    }
    Some(if fields == "%s" { Prints::Number } else { Prints::Words })
}

#[cfg(test)]
mod tests {
    use super::{Prints, literal, printed};

    fn prints(line: &str, fed: bool) -> Option<Prints> {
        printed(&line.split('|').collect::<Vec<_>>(), fed)
    }

    #[test]
    fn what_cannot_be_an_option_is_known() {
        let known: [(Prints, &[&str]); 3] = [
            (
                Prints::Number,
                &[
                    "wc|-l", "grep|-c|x", "grep|-c|x|f", "nproc", "seq|1|3", "date|+%s",
                    "git|rev-list|--count|main..HEAD",
                ],
            ),
            (
                Prints::Words,
                &[
                    "date|-u|+%Y-%m-%d %T", "git|rev-parse|HEAD", "git|rev-parse|--short|HEAD~1",
                    "git|merge-base|main|HEAD", "git|log|-1|--format=%H", "git|log|-1|--format=%H|main",
                    "echo|a|b c",
                ],
            ),
            (Prints::Path, &["git|rev-parse|--show-toplevel"]),
        ];
        for (expected, lines) in known {
            for line in lines {
                assert_eq!(prints(line, true), Some(expected), "{line}");
            }
        }
    }

    #[test]
    fn what_may_be_an_option_is_not() {
        for line in [
            "git|rev-parse|--output=x", "git|rev-parse|HEAD|--output=x", "git|rev-parse|--abbrev-ref|HEAD",
            "git|rev-parse", "git|branch|--show-current", "git|describe|--tags", "git|log|-1|--format=-x",
            "git|log|-1|--format=%s", "git|log|-1|--format=%H|--all", "git|-c|alias.x=y|rev-parse|HEAD",
            "date|+%z", "date|+-x", "date|+%F -x", "date|-f|f|+%F", "date", "wc|-l|f", "grep|-c|x|f|g",
            "grep|-c|-r|f", "tr|-d| ", "echo", "echo|-n|x", "echo|x|-y", "echo|x -y", "uname|-a", "seq|-3|3",
            "seq|-f|%g|3",
        ] {
            assert_eq!(prints(line, true), None, "{line}");
        }
        assert_eq!(prints("wc|-l", false), None, "the request's own input");
        for raw in ["$x", "'a'b", "\"$x\"", "a*", "`x`", "''", "\\x", "{a,b}", "~$x"] {
            assert_eq!(literal(raw), None, "{raw}");
        }
        assert_eq!(literal("'+%F %T'"), Some("+%F %T"));
    }
}
