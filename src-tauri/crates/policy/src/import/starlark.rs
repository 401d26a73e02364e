//! The calls of a Starlark file whose arguments are texts and lists of texts: all that files of rules hold.

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StarlarkCall {
    pub(super) name: String,
    arguments: Vec<(String, StarlarkValue)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum StarlarkValue {
    Text(String),
    List(Vec<Self>),
    /// A number or a name.
    Other,
}

impl StarlarkValue {
    pub(super) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::List(_) | Self::Other => None,
        }
    }
}

impl StarlarkCall {
    pub(super) fn argument(&self, name: &str) -> Option<&StarlarkValue> {
        self.arguments.iter().find(|(own, _)| own == name).map(|(_, value)| value)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum StarlarkToken {
    Name(String),
    Text(String),
    Mark(char),
}

/// Returns the statements of a file as they are written, each with the call that it is, or `None` if it is another one.
pub(super) fn parse_calls(text: &str) -> impl Iterator<Item = (&str, Option<StarlarkCall>)> {
    statements(text).into_iter().map(|statement| {
        let call = tokens(statement).and_then(|tokens| StarlarkReader { tokens, at: 0 }.read_call());
        (statement, call)
    })
}

/// Splits a file where no bracket, text or comment is open.
fn statements(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut quote, mut escaped) = (0_usize, 0, None, false);
    let mut comment = false;
    let mut found = Vec::new();
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (_, '\n') if comment => comment = false,
            _ if comment => continue,
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '#') => comment = true,
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (Some(_) | None, _) => {}
        }
        if c == '\n' && depth == 0 && quote.is_none() {
            found.push(&text[start..at]);
            start = at + 1;
        }
    }
    found.push(&text[start..]);
    let is_code = |statement: &&str| {
        statement.lines().any(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
    };
    found.into_iter().map(str::trim).filter(is_code).collect()
}

/// Returns the words and marks of a statement; `None` if it holds anything else.
fn tokens(text: &str) -> Option<Vec<StarlarkToken>> {
    let mut found = Vec::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '#' => drop(rest.by_ref().find(|c| *c == '\n')),
            '"' | '\'' => found.push(StarlarkToken::Text(quoted(c, &mut rest)?)),
            '(' | ')' | '[' | ']' | ',' | '=' => found.push(StarlarkToken::Mark(c)),
            c if c.is_whitespace() => {}
            c if c.is_alphanumeric() || c == '_' => {
                let mut name = String::from(c);
                while let Some(next) = rest.next_if(|c| c.is_alphanumeric() || *c == '_') {
                    name.push(next);
                }
                found.push(StarlarkToken::Name(name));
            }
            _ => return None,
        }
    }
    Some(found)
}

/// Reads a text up to its closing quote.
fn quoted(open: char, rest: &mut impl Iterator<Item = char>) -> Option<String> {
    let mut text = String::new();
    loop {
        match rest.next()? {
            c if c == open => return Some(text),
            '\\' => match rest.next()? {
                'n' => text.push('\n'),
                't' => text.push('\t'),
                c @ ('\\' | '"' | '\'') => text.push(c),
                _ => return None,
            },
            c => text.push(c),
        }
    }
}

struct StarlarkReader {
    tokens: Vec<StarlarkToken>,
    at: usize,
}

impl StarlarkReader {
    fn next_token(&mut self) -> Option<StarlarkToken> {
        let token = self.tokens.get(self.at).cloned();
        self.at += 1;
        token
    }

    fn take_mark(&mut self, mark: char) -> bool {
        let there = self.tokens.get(self.at) == Some(&StarlarkToken::Mark(mark));
        self.at += usize::from(there);
        there
    }

    fn read_call(mut self) -> Option<StarlarkCall> {
        let Some(StarlarkToken::Name(name)) = self.next_token() else { return None };
        if !self.take_mark('(') {
            return None;
        }
        let mut arguments = Vec::new();
        while !self.take_mark(')') {
            let Some(StarlarkToken::Name(name)) = self.next_token() else { return None };
            if !self.take_mark('=') {
                return None;
            }
            arguments.push((name, self.read_value()?));
            if !self.take_mark(',') && self.tokens.get(self.at) != Some(&StarlarkToken::Mark(')')) {
                return None;
            }
        }
        (self.at == self.tokens.len()).then_some(StarlarkCall { name, arguments })
    }

    fn read_value(&mut self) -> Option<StarlarkValue> {
        match self.next_token()? {
            StarlarkToken::Text(text) => Some(StarlarkValue::Text(text)),
            StarlarkToken::Name(_) => Some(StarlarkValue::Other),
            StarlarkToken::Mark('[') => {
                let mut all = Vec::new();
                while !self.take_mark(']') {
                    all.push(self.read_value()?);
                    if !self.take_mark(',') && self.tokens.get(self.at) != Some(&StarlarkToken::Mark(']')) {
                        return None;
                    }
                }
                Some(StarlarkValue::List(all))
            }
            StarlarkToken::Mark(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{StarlarkValue, parse_calls};

    #[test]
    fn calls_are_read_with_their_lists_and_what_else_stands_there_is_kept_apart() {
        let text = r#"
# what may run
prefix_rule(
    pattern = ["git", ["push", 'fetch']],  # two (of them
    decision = "prompt",
    match = ["git push # x", ["git", "fetch"]],
)
x = [1]
prefix_rule(pattern=["a\"b"])
"#;
        let all: Vec<_> = parse_calls(text).collect();
        assert_eq!(all.len(), 3, "{all:?}");
        let first = all[0].1.as_ref().unwrap();
        let word = |text: &str| StarlarkValue::Text(text.to_owned());
        let both = StarlarkValue::List(vec![word("push"), word("fetch")]);
        assert_eq!(first.argument("pattern"), Some(&StarlarkValue::List(vec![word("git"), both])));
        assert_eq!(first.argument("decision"), Some(&word("prompt")));
        assert_eq!(all[1], ("x = [1]", None));
        assert_eq!(
            all[2].1.as_ref().unwrap().argument("pattern"),
            Some(&StarlarkValue::List(vec![word("a\"b")]))
        );
    }

    #[test]
    fn a_file_that_never_closes_a_bracket_is_one_statement_that_is_no_call() {
        for text in ["prefix_rule(pattern=[\"a\"", "f(\"x", "f(a=b c)", "f(a=1) g(b=2)"] {
            let all: Vec<_> = parse_calls(text).collect();
            assert_eq!(all, [(text, None)]);
        }
    }
}
