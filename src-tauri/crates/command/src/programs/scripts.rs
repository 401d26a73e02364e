//! The little languages of sed and awk: whether a script only reads and prints.

/// Whether an awk program neither runs commands, nor writes files, nor reads other ones.
pub(super) fn awk_only_prints(program: &str) -> bool {
    let mut code = String::new();
    let mut rest = program.chars();
    while let Some(c) = rest.next() {
        if c != '"' {
            code.push(c);
            continue;
        }
        while let Some(inner) = rest.next() {
            match inner {
                '\\' => drop(rest.next()),
                '"' => break,
                _ => {}
            }
        }
    }
    let words = ["system", "getline", "close", "fflush", "ENVIRON", "load", "include", "printf >"];
    let pipes = code.replace("||", "").contains('|');
    let redirects = |statement: &str| statement.find("print").is_some_and(|at| statement[at..].contains('>'));
    let writes = code.split([';', '{', '}', '\n']).any(redirects);
    !pipes && !writes && !code.contains('@') && !words.iter().any(|word| code.contains(word))
}

/// Whether a sed script only selects, prints and substitutes: no `w`, `r`, `e`, and no such flag on `s`.
pub(super) fn sed_only_prints(script: &str) -> bool {
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
            '#' | 'a' | 'i' | 'c' => rest.split_once('\n').map_or("", |(_, next)| next),
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

/// What follows `/…/` (one part) or `/…/…/` (two), with any delimiter.
fn delimited(text: &str, parts: usize) -> Option<&str> {
    let delimiter = text.chars().next().filter(|c| !c.is_alphanumeric() && !"\\\n ".contains(*c))?;
    let mut left = parts;
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == delimiter && !escaped {
            left -= 1;
            if left == 0 {
                return text.get(at + c.len_utf8()..);
            }
        }
        escaped = c == '\\' && !escaped;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{awk_only_prints, sed_only_prints};

    #[test]
    fn sed_scripts_that_only_print() {
        for script in [
            "1,40p",
            "s/a/b/g",
            "/x/d",
            "$!N;P;D",
            "s|a|b|;s/c/d/p",
            "2q",
            "/a/,/b/{p}",
            "y/abc/xyz/",
            "s/a\\/b/c/",
        ] {
            assert!(sed_only_prints(script), "{script}");
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
        ] {
            assert!(!sed_only_prints(script), "{script}");
        }
    }

    #[test]
    fn awk_programs_that_only_print() {
        for program in [
            "{print $1}",
            "NR==1",
            "$3 > 5",
            "NR>1 {print $2}",
            "/a|b/".replace('|', ".").as_str(),
            "{ s += $1 } END { print s }",
            "{print \"a > b | c\"}",
        ] {
            assert!(awk_only_prints(program), "{program}");
        }
        for program in [
            "BEGIN{system(\"id\")}",
            "{print > \"f\"}",
            "{print | \"sh\"}",
            "{\"id\" | getline}",
            "@load \"x\"",
        ] {
            assert!(!awk_only_prints(program), "{program}");
        }
    }
}
