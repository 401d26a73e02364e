//! The language of sed: whether a script only selects, prints and substitutes. sed(1) GNU and macOS.

use super::table;
use crate::call::Arg;
use crate::invocation::Leading;

/// The first word of a call that is a script which does more, or an option that is not known.
pub(super) fn more_than_prints(args: &[Arg]) -> Option<usize> {
    let options = table::program("sed").map_or("", |sed| sed.behind);
    let Ok((parsed, operands)) = Leading::everywhere(args, options) else {
        let option = |at: &usize| args[*at].value().is_none_or(|word| word.starts_with('-'));
        return Some((1..args.len()).find(option).unwrap_or(0));
    };
    if let Some(at) = given(&parsed) {
        return Some(at);
    }
    let scripts = parsed.last("-e --expression -f --file --help --version").is_some();
    let first = operands.first().copied().filter(|_| !scripts)?;
    (!args[first].value().is_some_and(only_prints)).then_some(first)
}

fn given(parsed: &Leading<'_>) -> Option<usize> {
    let mut scripts = parsed.given.iter().filter(|given| matches!(&*given.name, "-e" | "--expression"));
    scripts.find(|given| !given.value.is_some_and(only_prints)).map(|given| given.value_at)
}

/// Whether a sed script only selects, prints and substitutes: no `w`, `r`, `e`, and no such flag on `s`.
pub(super) fn only_prints(script: &str) -> bool {
    let mut rest = script;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ';' || c == '}');
        let Some(after_address) = address(rest) else { return false };
        rest = after_address.trim_start_matches(['!', ' ']);
        let Some(command) = rest.chars().next() else { return true };
        rest = rest.get(command.len_utf8()..).unwrap_or_default();
        rest = match command {
            '{' | 'p' | 'd' | 'q' | 'Q' | 'P' | 'D' | 'n' | 'N' | 'h' | 'H' | 'g' | 'G' | 'x' | '=' | 'l' => {
                rest
            }
            'a' | 'i' | 'c' => behind_text(rest),
            '#' => rest.split_once('\n').map_or("", |(_, next)| next),
            ':' | 'b' | 't' => rest.split_once(['\n', ';']).map_or("", |(_, next)| next),
            's' => {
                let Some(flags) = delimited(rest, 2) else { return false };
                flags.trim_start_matches(|c: char| c.is_ascii_digit() || "gpiIM".contains(c))
            }
            'y' => match delimited(rest, 2) {
                Some(next) => next,
                None => return false,
            },
            _ => return false,
        };
        if !rest.is_empty()
            && !rest.starts_with(|c: char| c.is_whitespace() || ";}".contains(c))
            && !matches!(command, '{' | ':' | 'b' | 't' | 'a' | 'i' | 'c' | '#')
        {
            return false;
        }
    }
}

/// What follows the text of `a`, `i` and `c`: a backslash at the end of a line takes the next line in.
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

/// What follows an address; `None` where it is not closed.
fn address(mut rest: &str) -> Option<&str> {
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || "$,+~ ".contains(c));
        match rest.strip_prefix('/') {
            Some(_) => rest = delimited(rest, 1)?.trim_start_matches(['I', 'M']),
            None => return Some(rest),
        }
    }
}

/// What follows `/…/` (one part) or `/…/…/` (two), with any delimiter. Where the delimiter stands in brackets, GNU's sed and
/// macOS's differ about where the part ends: none.
fn delimited(text: &str, parts: usize) -> Option<&str> {
    let delimiter = text.chars().next().filter(|c| !c.is_alphanumeric() && !"\\\n ".contains(*c))?;
    let mut left = parts;
    let mut escaped = false;
    let mut bracket = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == delimiter && !escaped {
            if bracket {
                return None;
            }
            left -= 1;
            if left == 0 {
                return text.get(at + c.len_utf8()..);
            }
        } else if left == parts && !escaped {
            bracket = c == '[' || bracket && c != ']';
        }
        escaped = c == '\\' && !escaped;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{more_than_prints, only_prints};
    use crate::call::Arg;

    #[test]
    fn scripts_that_only_print() {
        for script in [
            "1,40p",
            "s/a/b/g",
            "/x/d",
            "#n\np",
            "a text\np",
            ":a;N;ba",
            "s/\\[/x/",
            "s/a/[/",
            "$!N;P;D",
            "s|a|b|;s/c/d/p",
            "2q",
            "/a/,/b/{p}",
            "y/abc/xyz/",
            "s/a\\/b/c/",
            "s/[ab]/c/",
            "/^#/d",
            "1!G;h;$!d",
            "s/a/b/2",
            "$p",
            "/x/a\\\nw is text",
            "/x/i\\\none\\\ntwo\np",
        ] {
            assert!(only_prints(script), "{script}");
        }
        for script in [
            "w f",
            "s/a/b/w f",
            "s/a/id/e",
            "1e id",
            "r /etc/passwd",
            "s/a/b/gw f",
            "1,2w x",
            "p;w x",
            "W x",
            "F",
            "e",
            "s/[/]/w x/",
            // The first slash ends nothing: what follows the third is `w f`.
            "s/[/]/;s/w f;s/;/",
            "s/[a/]/;s/w f;s/;/",
            "s/a/b/;e",
            "/x/e id",
            "s/a/b",
            "R f",
            "v",
            "1{w x}",
            "/x/a\\\ntext\nw f",
            "/x/a text\nw f",
            "/x/a two backslashes\\\\\nw f",
        ] {
            assert!(!only_prints(script), "{script}");
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
        ] {
            let args: Vec<Arg> = line.split(' ').map(|word| Arg::known(word, 0..0)).collect();
            assert_eq!(more_than_prints(&args), expected, "{line}");
        }
    }
}
