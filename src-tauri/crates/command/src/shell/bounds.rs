//! Bounds that keep both parsers fast and off the end of the stack: text beyond them is not parsed at all.

use super::quoted_bodies::without_quoted_bodies;

/// Highest cost of reading a request, in [`reading_cost`]'s units, the texts inside its text included: some 2 ms on a
/// slow machine.
pub(super) const MOST_COST: usize = 2_400;

/// Brackets inside brackets, quoted or not.
const DEEPEST_BRACKETS: isize = 32;

/// Compound commands inside compound commands.
const DEEPEST_COMPOUNDS: isize = 16;

/// Prefixes in a row (`! time ! time …`).
const LONGEST_PREFIX: usize = 8;

/// Here-documents in one text.
const MOST_HERE_DOCUMENTS: usize = 32;

/// Arithmetic commands in one text: one parser looks for the end of each again.
const MOST_ARITHMETIC: usize = 64;

/// Function definitions in one text, by their brackets.
const MOST_FUNCTIONS: usize = 64;

/// Bytes of text that nothing happens in, for one unit.
const BYTES_A_UNIT: usize = 32;

/// Cost of any text, in units: both parsers are set up for it.
const SET_UP: usize = 8;

/// Returns the cost of reading a text, in units of about a microsecond: measured for each kind of character,
/// and rounded up.
///
/// Text in single quotes, in plain double quotes and in here-documents is taken as it is and costs little. Where it is hard to
/// tell what is quoted, all that follows counts as not quoted.
pub(super) fn reading_cost(text: &str) -> usize {
    let mut meter =
        CostMeter { rest: text, before: ' ', quote: Quote::None, pending: Vec::new(), cost: SET_UP };
    meter.cost += text.len() / BYTES_A_UNIT;
    let parsed = without_quoted_bodies(text);
    if parsed.contains("((") || parsed.contains("$[") {
        meter.quote = Quote::Lost;
    }
    while let Some(c) = meter.rest.chars().next().filter(|_| meter.cost <= MOST_COST) {
        meter.rest = meter.rest.get(c.len_utf8()..).unwrap_or_default();
        meter.count_char(c);
        meter.before = if c == '\\' && meter.before == '\\' { ' ' } else { c };
    }
    meter.cost
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quote {
    None,
    Single,
    Double,
    Comment,
    /// The quoting is no longer followed.
    Lost,
}

struct CostMeter<'t> {
    rest: &'t str,
    before: char,
    quote: Quote,
    /// Delimiters of here-documents that begin after this line.
    pending: Vec<&'t str>,
    cost: usize,
}

impl CostMeter<'_> {
    fn count_char(&mut self, c: char) {
        let escaped = self.before == '\\';
        let inside = match self.quote {
            Quote::Single | Quote::Comment => c != '\'',
            Quote::Double => c != '$' && c != '"',
            Quote::None | Quote::Lost => false,
        };
        let ends_comment = self.quote == Quote::Comment && c == '\n';
        self.cost += if inside { usize::from(ends_comment) } else { weight(c, self.before) };
        self.quote = match (self.quote, c) {
            (Quote::Single, '\'') | (Quote::Comment, '\n') => Quote::None,
            (Quote::Double, '"') if !escaped => Quote::None,
            (Quote::Double, '$') if self.rest.starts_with(['(', '{']) => Quote::Lost,
            (Quote::None | Quote::Double, '`') => Quote::Lost,
            (Quote::None, '$') if self.rest.starts_with(['\'', '"', '{']) => Quote::Lost,
            // Behind a bracket a shell begins a comment as well; one of the parsers goes on.
            (Quote::None, '#')
                if !escaped && (self.before.is_whitespace() || ";&|".contains(self.before)) =>
            {
                Quote::Comment
            }
            (Quote::None, '\'') if !escaped => Quote::Single,
            (Quote::None, '"') if !escaped => Quote::Double,
            (Quote::None, '<') if self.rest.starts_with('<') && self.before != '<' => self.here_document(),
            (quote, _) => quote,
        };
        if c == '\n' && self.quote == Quote::None {
            self.skip_bodies();
        }
    }

    fn here_document(&mut self) -> Quote {
        let after = self.rest.trim_start_matches('<');
        if self.rest.len() - after.len() > 1 {
            return Quote::None;
        }
        let word = after.strip_prefix('-').unwrap_or(after).trim_start_matches([' ', '\t']);
        let end = word.find(|c| " \t\n;&|<>()".contains(c)).unwrap_or(word.len());
        let word = word.get(..end).unwrap_or_default();
        let quoted = |quote: char| word.strip_prefix(quote)?.strip_suffix(quote);
        let delimiter = quoted('\'').or_else(|| quoted('"')).unwrap_or(word);
        if delimiter.is_empty() || !delimiter.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        {
            return Quote::Lost;
        }
        self.pending.push(delimiter);
        Quote::None
    }

    /// Skips the bodies of here-documents: only what may be expanded in them costs something.
    fn skip_bodies(&mut self) {
        for delimiter in std::mem::take(&mut self.pending) {
            while !self.rest.is_empty() {
                let end = self.rest.find('\n').map_or(self.rest.len(), |end| end + 1);
                let (line, rest) = self.rest.split_at(end);
                self.rest = rest;
                self.cost += 1 + line.chars().filter(|c| matches!(c, '$' | '`' | '\\')).count() * 6;
                if line.trim_end_matches('\n').trim_start_matches('\t') == delimiter {
                    break;
                }
            }
        }
    }
}

fn weight(c: char, before: char) -> usize {
    match c {
        '`' | '(' => 6,
        '\n' | ';' | '&' | '|' => 5,
        '<' | '>' | '{' | ']' | '@' => 3,
        '$' | '"' | '[' | '=' | '!' => 2,
        '\'' | '\\' | '*' | '?' | '}' => 1,
        c if !c.is_ascii() && !c.is_whitespace() => 1,
        c if c.is_whitespace() && !before.is_whitespace() => 2,
        _ => 0,
    }
}

/// Returns true if a text is simple enough to be parsed.
pub(super) fn within(text: &str) -> bool {
    let parsed = without_quoted_bodies(text);
    brackets(&parsed) && words_in_bounds(&parsed) && counts(&parsed)
}

fn counts(text: &str) -> bool {
    let functions = text.split_whitespace().collect::<String>().matches("()").count();
    functions <= MOST_FUNCTIONS
        && text.matches("((").count() <= MOST_ARITHMETIC
        && text.matches("<<").count() <= MOST_HERE_DOCUMENTS
}

fn brackets(text: &str) -> bool {
    let mut depth = 0isize;
    for c in text.chars() {
        match c {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth = (depth - 1).max(0),
            _ => {}
        }
        if depth > DEEPEST_BRACKETS {
            return false;
        }
    }
    true
}

fn words_in_bounds(text: &str) -> bool {
    let mut depth = 0isize;
    let mut prefix = 0usize;
    for word in
        text.split(|c: char| c.is_whitespace() || ";&|()`\"'$".contains(c)).filter(|word| !word.is_empty())
    {
        match word {
            "if" | "while" | "until" | "for" | "case" | "select" | "[[" => depth += 1,
            "fi" | "done" | "esac" | "]]" => depth = (depth - 1).max(0),
            _ => {}
        }
        prefix = if matches!(word, "time" | "!" | "-p" | "coproc" | "function" | "then" | "do" | "else") {
            prefix + 1
        } else {
            0
        };
        if depth > DEEPEST_COMPOUNDS || prefix > LONGEST_PREFIX {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{
        BYTES_A_UNIT, DEEPEST_BRACKETS, DEEPEST_COMPOUNDS, LONGEST_PREFIX, MOST_ARITHMETIC, MOST_COST,
        MOST_FUNCTIONS, MOST_HERE_DOCUMENTS, reading_cost, within,
    };

    fn fits(text: &str) -> bool {
        within(text) && reading_cost(text) <= MOST_COST
    }

    #[test]
    fn real_lines_fit_and_piles_do_not() {
        assert!(fits("if [ -f a ]; then for x in a b; do (echo \"${x:-$(id)}\"); done; fi"));
        assert!(fits(&"make -j8 test && git status --short | head -5\n".repeat(60)), "a long script");
        for pile in [
            "(", "{a,", "${x:-", "$(", "time ", "! ", "if ", "[[ ", "case x in x) ", "cat <<E ", "`a` ",
            "a;", "\n", "'a'", "\"a\"", "$x", "((1))", "a ", "#'\n;", "a;b)#c|", "=(#x=<(||]]))+=", "]%",
            "a@", "é", "\"$('\";", "\\';",
        ] {
            assert!(!fits(&pile.repeat(3000)), "{pile:?} three thousand times");
        }
    }

    #[test]
    fn quoted_text_is_cheap() {
        let words = "A long message; with (many) words & lines.\n".repeat(400);
        assert!(fits(&format!("git commit -m '{words}'")));
        assert!(fits(&format!("git commit -m \"{words}\"")));
        assert!(!fits(&words));
        assert!(fits(&"# a word (of) explanation\n".repeat(600)), "comments are cheap");
        assert!(!fits(&"#é\n".repeat(3_000)), "and not free");
        assert!(!fits(&format!("# '\n{words}")), "a quote in a comment opens nothing");
        assert!(
            !fits(&format!("echo \"$(echo '\")\n{words}")),
            "nothing is cheap after what is not followed"
        );
        assert!(fits(&format!("cat <<'EOF'\n{words}EOF\nls")));
        for trick in ["\"\\\"\"; ", "$'\\''; ", "cat <<E\n'\nE\n", "echo $((1<<E))\n", "\\'; ", "${x:-'} '"] {
            assert!(!fits(&format!("{trick}{words}")), "{trick:?} opens nothing that stays open");
        }
    }

    #[test]
    fn code_that_is_written_to_a_file_nests_nothing() {
        let code =
            "    if (a) { f((x) => `${x} << 1`); }\n    for (const b of c) { case((d)); }\n".repeat(25);
        assert!(fits(&format!("cat <<'EOF' > src/app/[id]/page.tsx\n{code}EOF")));
        assert!(fits(&format!("mkdir -p src && cat > src/a.ts << 'EOF'\n{code}EOF\ncat src/a.ts")));
        assert!(!fits(&format!("cat > src/a.ts << EOF\n{code}EOF")), "code in it may be run");
        assert!(!fits(&format!("echo $((1<<'EOF'\n{code}EOF")), "no document");
        assert!(!fits(&format!("cat <<'EOF'\nEOF\n{code}")), "behind it");
    }

    #[test]
    fn what_is_nested_or_piled_up_is_not_parsed_however_little_it_costs() {
        let compounds = usize::try_from(DEEPEST_COMPOUNDS).unwrap();
        let brackets = usize::try_from(DEEPEST_BRACKETS).unwrap();
        for (piece, most) in [
            ("(", brackets),
            ("{", brackets),
            ("[", brackets),
            ("$(", brackets),
            ("if(", compounds),
            ("if ", compounds),
            ("while;", compounds),
            ("until\n", compounds),
            ("for ", compounds),
            ("case ", compounds),
            ("select ", compounds),
            ("! ", LONGEST_PREFIX),
            ("time -p ", LONGEST_PREFIX / 2),
            ("coproc ", LONGEST_PREFIX),
            ("((1));", MOST_ARITHMETIC),
            ("cat <<E;", MOST_HERE_DOCUMENTS),
            ("f() a;", MOST_FUNCTIONS),
            ("f (\n) a;", MOST_FUNCTIONS),
        ] {
            assert!(within(&piece.repeat(most)), "{piece:?} {most} times");
            assert!(!within(&piece.repeat(most + 1)), "{piece:?} {most} times and once more");
        }
        for line in
            ["(a) {b} [c];", "[[ a ]];", "if a; fi;", "for a; done;", "case a; esac;", "! a;", ")}];", "fi;"]
        {
            assert!(within(&line.repeat(100)), "{line:?} a hundred times, none in the other");
            let deep = format!("{}{}", line.repeat(100), "(".repeat(brackets + 1));
            assert!(!within(&deep), "{line:?} makes no room");
            let deep = format!("{}{}", line.repeat(100), "if ".repeat(compounds + 1));
            assert!(!within(&deep), "{line:?} makes no room");
        }
    }

    #[test]
    fn only_what_is_plain_in_quotes_or_in_a_document_is_cheap() {
        let words = "A long message; with (many) words & lines.\n".repeat(400);
        for cheap in [
            format!("git commit -m \"$USER: {words}\""),
            format!("git commit --author=$USER -m '{words}'"),
            format!("echo \"\\\\\" '{words}'"),
            format!("cat <<'MY_EOF'\n{words}MY_EOF\nls"),
            format!("cat <<-E\n{words}\tE\nls"),
        ] {
            assert!(fits(&cheap), "{}", &cheap[..40]);
        }
        let line = words.replace('\n', " ");
        for dear in [
            format!("echo \"$({words})\""),
            format!("echo \"${{x:-{words}}}\""),
            format!("echo \"\\\\\"; {words}"),
            format!("echo \\\"; {words}"),
            format!("cat < E\n{words}"),
            format!("cat <<<E\n{words}"),
            format!("cat <<\\E\nE\n{words}"),
            format!("cat <<\"E x\"\nE x\n{words}"),
            format!("cat <<'E;'\nE;\n{words}"),
            format!("cat <<'E\" x'\nE\" x\n{words}"),
            format!("cat <<\"E' x'\"\nE' x'\n{words}"),
            format!("cat <<E\r\nE\r\n{words}"),
            format!("cat <<E\u{a0}x\nE\u{a0}x\n{words}"),
            format!("cat <<$E\n$E\n{words}"),
            format!("cat <<E; {line}\nE\n"),
            format!("cat <<E\n{}\nE\n", "$x".repeat(500)),
            format!("echo \"{}\"", "$x".repeat(1500)),
            "`x`".repeat(300),
            "a".repeat(BYTES_A_UNIT * MOST_COST),
        ] {
            assert!(!fits(&dear), "{}", &dear[..40.min(dear.len())]);
        }
    }
}
