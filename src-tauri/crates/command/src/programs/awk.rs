//! The language of awk: whether a program only computes and prints. POSIX awk, gawk(1), mawk(1).

use std::iter::Peekable;
use std::str::CharIndices;

/// Words with which a program runs commands, reads other input, or sees the environment.
const FORBIDDEN: [&str; 7] = ["system", "getline", "ENVIRON", "PROCINFO", "SYMTAB", "close", "fflush"];

/// Words after which a slash begins a regular expression.
const KEYWORDS: [&str; 19] = [
    "print", "printf", "return", "case", "in", "else", "do", "delete", "exit", "BEGIN", "END", "if", "while",
    "for", "switch", "next", "func", "function", "default",
];

/// Returns true if an awk program neither runs commands, nor writes files, nor reads other ones. False where
/// that cannot be told.
pub(super) fn only_prints(program: &str) -> bool {
    AwkReader {
        chars: program.char_indices().peekable(),
        program,
        operand: false,
        parens: Vec::new(),
        print: None,
        header: false,
    }
    .read_program()
    .is_some()
}

struct AwkReader<'a> {
    chars: Peekable<CharIndices<'a>>,
    program: &'a str,
    /// True if a slash here divides, rather than beginning a regular expression.
    operand: bool,
    /// Open parentheses; true for those of `if`, `while`, `for`.
    parens: Vec<bool>,
    /// Number of parentheses that are open around the `print` that is being read.
    print: Option<usize>,
    /// True if the next parenthesis is one of `if`, `while`, `for`.
    header: bool,
}

impl AwkReader<'_> {
    /// Reads to the end; `None` if something does more than print.
    fn read_program(&mut self) -> Option<()> {
        while let Some((at, c)) = self.chars.next() {
            match c {
                ' ' | '\t' | '\r' => {}
                '\\' => {
                    self.chars.next_if(|(_, next)| *next == '\n')?;
                }
                '#' => while self.chars.next_if(|(_, next)| *next != '\n').is_some() {},
                '"' => self.read_text()?,
                '/' if !self.operand => self.read_expression()?,
                '@' | '`' => return None,
                '|' => {
                    self.chars.next_if(|(_, next)| *next == '|')?;
                    self.operand = false;
                }
                '>' if self.print == Some(self.parens.len()) => return None,
                c if c.is_ascii_alphanumeric() || c == '_' || c == '.' => self.read_word(at)?,
                c => self.read_sign(c)?,
            }
        }
        self.parens.is_empty().then_some(())
    }

    fn read_text(&mut self) -> Option<()> {
        loop {
            match self.chars.next()?.1 {
                '\\' => drop(self.chars.next()?),
                '"' => break,
                '\n' => return None,
                _ => {}
            }
        }
        self.operand = true;
        Some(())
    }

    /// Returns a regular expression. With a slash in brackets, awks differ about where it ends.
    fn read_expression(&mut self) -> Option<()> {
        let mut bracket = false;
        loop {
            match self.chars.next()?.1 {
                '\\' => drop(self.chars.next()?),
                '\n' => return None,
                '/' if bracket => return None,
                '/' => break,
                c => bracket = c == '[' || bracket && c != ']',
            }
        }
        self.operand = true;
        Some(())
    }

    fn read_word(&mut self, start: usize) -> Option<()> {
        let mut end = start + 1;
        while let Some((at, c)) =
            self.chars.next_if(|(_, c)| c.is_ascii_alphanumeric() || *c == '_' || *c == '.')
        {
            end = at + c.len_utf8();
        }
        let word = self.program.get(start..end)?;
        if FORBIDDEN.contains(&word) {
            return None;
        }
        if matches!(word, "print" | "printf") {
            self.print = Some(self.parens.len());
        }
        self.header = matches!(word, "if" | "while" | "for" | "switch");
        self.operand = !KEYWORDS.contains(&word);
        Some(())
    }

    fn read_sign(&mut self, c: char) -> Option<()> {
        match c {
            '(' => {
                self.parens.push(self.header);
                self.operand = false;
            }
            ')' => self.operand = !self.parens.pop()?,
            ']' => self.operand = true,
            ';' | '\n' | '{' | '}' => {
                if self.print.is_some_and(|depth| depth >= self.parens.len()) {
                    self.print = None;
                }
                self.operand = false;
            }
            // `i++ / 2` divides, `++` before a name changes nothing.
            '+' | '-' if self.chars.next_if(|(_, next)| *next == c).is_some() => {}
            _ => self.operand = false,
        }
        self.header = false;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::only_prints;

    #[test]
    fn programs_that_only_print() {
        for program in [
            "{print $1}",
            "NR==1",
            "$3 > 5",
            "NR>1 {print $2}",
            "/a.b/",
            "{ s += $1 } END { print s }",
            "{print \"a > b | c\"}",
            "{print $1/2, ($2+$3)/4}",
            "/x\"y/ {print}",
            "{ if ($1 > 3) print $2; else print $3 }",
            "BEGIN{FS=\":\"} {print (a > b) ? 1 : 2}",
            "{ x[$1]++ } END { for (k in x) print k, x[k] }",
            "$1 ~ /^a/ || $2 > 3 # comment's end",
            "{ printf \"%s\\n\", $1 } ; { i++ / 2 }",
            "!seen[$0]++",
            "{ print $1; y = $2 > 3 }",
            "{gsub(/[a-z]/,\"\"); print length($0)}",
            "",
        ] {
            assert!(only_prints(program), "{program}");
        }
        for program in [
            "BEGIN{system(\"id\")}",
            "{print > \"f\"}",
            "{print $1 >> \"f\"}",
            "{printf(\"x\") > \"f\"}",
            "{print | \"sh\"}",
            "{\"id\" | getline}",
            "{\"id\" |& getline}",
            "{while ((getline l < \"f\") > 0) print l}",
            "@load \"x\"",
            "/\"/{system(\"id\")}",
            "/a/ {x=\"/\"; system(\"id\")} /\"/",
            "{ if (x) /\"/; system(\"id\") }",
            "{print (1)(2) > \"f\"}",
            "{print ENVIRON[\"X\"]}",
            "/[/]\"/{print}",
            "{ x = y / 2; system(\"id\") } #/",
            // Each hides a call where a quote, a bracket or a slash is taken for another one.
            "{print \"\\\"\"; system(\"id\") } #\"",
            "/[/]\"/; {system(\"id\")} #\"",
            "/[a/]\"/; {system(\"id\")} #\"",
            "{ y = x[1] / 2; system(\"id\") } #/",
            "{ x = y - /\"/; system(\"id\") } #\"",
            "{print \"unclosed}",
            "BEGIN { f = \"system\"; @f(\"id\") }",
            "{print a; print b > \"f\"}",
        ] {
            assert!(!only_prints(program), "{program}");
        }
    }
}
