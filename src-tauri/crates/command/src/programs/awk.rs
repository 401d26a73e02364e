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
        doubtful: false,
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
    /// True if awks differ about that: after `length`, and after `++` and `--` behind a variable.
    doubtful: bool,
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
                '"' => self.read_literal('"')?,
                '/' if !self.operand => self.read_literal('/')?,
                '/' if self.doubtful && self.has_slash_behind(at) => return None,
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

    /// Returns true if a regular expression that began at this index would end in its line.
    fn has_slash_behind(&self, at: usize) -> bool {
        let line = self.program.get(at + 1..).and_then(|rest| rest.lines().next());
        line.is_some_and(|line| line.contains('/'))
    }

    /// Reads a text up to its quote, or a regular expression up to its slash.
    fn read_literal(&mut self, end: char) -> Option<()> {
        loop {
            match self.chars.next()?.1 {
                '\\' => drop(self.chars.next()?),
                '\n' => return None,
                '[' if end == '/' => self.read_brackets()?,
                letter if letter == end => break,
                _ => {}
            }
        }
        (self.operand, self.doubtful) = (true, false);
        Some(())
    }

    /// Reads what stands in brackets. With a slash in them, awks differ about where the expression ends.
    ///
    /// A `]` at their beginning, and those of `[:alpha:]` and similar classes, do not end them.
    fn read_brackets(&mut self) -> Option<()> {
        _ = self.chars.next_if(|(_, c)| *c == '^');
        _ = self.chars.next_if(|(_, c)| *c == ']');
        let mut class = None;
        loop {
            match (self.chars.next()?.1, class) {
                ('/' | '\n', _) => return None,
                ('\\', _) => drop(self.chars.next()?),
                (']', None) => return Some(()),
                ('[', None) => class = self.chars.next_if(|(_, c)| ":.=".contains(*c)).map(|(_, c)| c),
                (c, Some(end)) if c == end && self.chars.next_if(|(_, c)| *c == ']').is_some() => {
                    class = None;
                }
                _ => {}
            }
        }
    }

    /// Reads a name or a number. A name begins where a number ends: `1system("id")` calls `system`.
    fn read_word(&mut self, start: usize) -> Option<()> {
        let mut end = start + 1;
        while let Some((at, c)) =
            self.chars.next_if(|(_, c)| c.is_ascii_alphanumeric() || *c == '_' || *c == '.')
        {
            end = at + c.len_utf8();
        }
        let word = self.program.get(start..end)?;
        let is_name = !word.contains('.') && !word.starts_with(|c: char| c.is_ascii_digit());
        if FORBIDDEN.iter().any(|name| word == *name || !is_name && word.contains(name)) {
            return None;
        }
        if matches!(word, "print" | "printf") {
            self.print = Some(self.parens.len());
        }
        self.header = matches!(word, "if" | "while" | "for" | "switch");
        self.operand = !KEYWORDS.contains(&word);
        self.doubtful = word.ends_with("length");
        Some(())
    }

    fn read_sign(&mut self, c: char) -> Option<()> {
        self.doubtful = false;
        match c {
            '(' => {
                self.parens.push(self.header);
                self.operand = false;
            }
            ')' => self.operand = !self.parens.pop()?,
            ']' => self.operand = true,
            // A statement goes on behind a line that ends with a comma, `&&` or `||`.
            ';' | '{' | '}' => {
                if self.print.is_some_and(|depth| depth >= self.parens.len()) {
                    self.print = None;
                }
                self.operand = false;
            }
            // `i++ / 2` divides, `++` before a name changes nothing.
            '+' | '-' if self.chars.next_if(|(_, next)| *next == c).is_some() => self.doubtful = true,
            _ => self.operand = false,
        }
        self.header = false;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::only_prints;

    /// A call hides where a quote, a bracket or a slash is taken for another one, or a name begins where a number ends.
    ///
    /// A statement may go on in the next line, and mawk begins an expression behind `length` and `i++`, where others divide.
    #[test]
    fn programs_that_only_print_are_told_from_those_that_do_more_or_are_not_understood() {
        for (script, prints) in crate::tests::rows::<(String, bool)>(include_str!("awk.jsonl")) {
            assert_eq!(only_prints(&script), prints, "{script}");
        }
    }
}
