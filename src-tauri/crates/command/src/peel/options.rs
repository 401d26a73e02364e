//! Options of a program, read by its own grammar: what is not in the grammar is not guessed.

use postern_programs::{Takes, listed, takes};

use crate::call::Arg;
use crate::{Note, Word};

/// An option that was given: its full name (`-n`, `--adjustment`) and the words that hold name and value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Given {
    pub(crate) name: String,
    /// Index of the word that the option stands in.
    pub(crate) at: usize,
    pub(crate) value: Option<Word>,
    /// Index of the word that its value stands in; that of the option where it has none.
    pub(crate) value_at: usize,
}

impl Given {
    /// Its value, where that is known.
    pub(crate) fn text(&self) -> Option<&str> {
        self.value.as_ref()?.value.as_deref()
    }
}

/// The options, and the index of the first operand.
#[derive(Debug)]
pub(crate) struct Parsed {
    pub(crate) given: Vec<Given>,
    pub(crate) operand: usize,
}

impl Parsed {
    /// The last of these options (names, separated by blanks).
    pub(crate) fn last(&self, names: &str) -> Option<&Given> {
        self.given.iter().rev().find(|given| names.split(' ').any(|name| name == given.name))
    }
}

/// Reads options from word `from` on, up to the first operand or `--`.
pub(crate) fn parse_from(args: &[Arg], from: usize, grammar: &str) -> Result<Parsed, Note> {
    let mut reader = Reader { args, grammar, given: Vec::new() };
    let mut at = from;
    while let Some(arg) = args.get(at) {
        let Some(value) = arg.value() else {
            if arg.dash {
                return Err("an option that is known only at run time".into());
            }
            break;
        };
        if value == "--" {
            at += 1;
            break;
        }
        if value == "-" || !value.starts_with('-') {
            break;
        }
        at = reader.option(at, value)?;
    }
    Ok(Parsed { given: reader.given, operand: at })
}

/// Reads options from word 1 on.
pub(crate) fn parse(args: &[Arg], grammar: &str) -> Result<Parsed, Note> {
    parse_from(args, 1, grammar)
}

/// Reads options wherever they stand before `--`; the indexes of the operands come second.
pub(crate) fn parse_everywhere(args: &[Arg], grammar: &str) -> Result<(Parsed, Vec<usize>), Note> {
    let mut all = Parsed { given: Vec::new(), operand: 1 };
    let mut operands = Vec::new();
    let mut at = 1;
    while at < args.len() {
        let some = parse_from(args, at, grammar)?;
        all.given.extend(some.given);
        at = some.operand;
        if args.get(at.wrapping_sub(1)).and_then(Arg::value) == Some("--") {
            operands.extend(at..args.len());
            break;
        }
        if at < args.len() {
            operands.push(at);
        }
        at += 1;
    }
    Ok((all, operands))
}

/// What is said of an option that is not known; it is text of the request.
pub(super) fn unknown(option: &str) -> Note {
    Note::about("the option ", option, " is not known here")
}

/// Whether a word is exactly one word whatever it turns out to hold. A variable without quotes is none, also where its value
/// is harmless by itself: `5 rm` becomes two words, and nothing becomes no word.
pub(crate) fn is_one_word(arg: &Arg) -> bool {
    arg.value().is_some() || !arg.several && (is_quoted(&arg.word.raw) || is_quoted_document(&arg.word.raw))
}

/// Whether everything that a shell expands stands in double quotes.
fn is_quoted(raw: &str) -> bool {
    let (mut double, mut escaped) = (false, false);
    for c in raw.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => double = !double,
            '$' | '`' | '*' | '?' | '[' if !double => return false,
            _ => {}
        }
    }
    !double
}

/// `"$(cat <<'EOF' … EOF )"`, as commit messages are given: quotes in the document are text.
fn is_quoted_document(raw: &str) -> bool {
    let text = raw.strip_prefix("\"$(cat <<'").and_then(|rest| rest.strip_suffix(")\""));
    text.and_then(|text| text.split_once("'\n")).is_some_and(|(end, body)| {
        let body = body.trim_end_matches(['\n', ' ']);
        body.ends_with(end) && body.lines().filter(|line| *line == end).count() == 1
    })
}

struct Reader<'a> {
    args: &'a [Arg],
    grammar: &'a str,
    given: Vec<Given>,
}

impl Reader<'_> {
    /// Reads the options of one word; the index of the next.
    fn option(&mut self, at: usize, word: &str) -> Result<usize, Note> {
        if let Some(long) = word.strip_prefix("--") {
            return self.long(at, long);
        }
        let name = word.split('=').next().unwrap_or(word);
        if name.chars().count() > 2 && takes(self.grammar, name).is_some() {
            return self.whole(at, name, word.split_once('=').map(|(_, value)| value));
        }
        self.short(at, word.get(1..).unwrap_or_default())
    }

    fn long(&mut self, at: usize, long: &str) -> Result<usize, Note> {
        let (name, attached) = match long.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (long, None),
        };
        let all = || listed(self.grammar).filter_map(|(known, _)| known.strip_prefix("--"));
        let mut begins = all().filter(|known| known.starts_with(name));
        let full = match (all().find(|known| *known == name), begins.next(), begins.next()) {
            (Some(full), _, _) | (None, Some(full), None) => format!("--{full}"),
            _ => return Err(unknown(&format!("--{name}"))),
        };
        self.whole(at, &full, attached)
    }

    /// An option that is a word by itself, or before `=`.
    fn whole(&mut self, at: usize, name: &str, attached: Option<&str>) -> Result<usize, Note> {
        let (value, next) = match (attached, takes(self.grammar, name)) {
            (Some(_), Some(Takes::Nothing) | None) => return Err(Note::about("", name, " takes no value")),
            (Some(value), Some(_)) => (Some(Word::literal(value)), at + 1),
            (None, Some(Takes::Value)) => (Some(self.next_value(at + 1, name)?), at + 2),
            (None, _) => (None, at + 1),
        };
        self.given.push(Given { name: name.to_owned(), at, value, value_at: next - 1 });
        Ok(next)
    }

    fn short(&mut self, at: usize, cluster: &str) -> Result<usize, Note> {
        for (offset, letter) in cluster.char_indices() {
            let attached = cluster.get(offset + letter.len_utf8()..).unwrap_or_default();
            let name = format!("-{letter}");
            let rest = (!attached.is_empty()).then(|| Word::literal(attached));
            match takes(self.grammar, &name) {
                None => return Err(unknown(&name)),
                Some(Takes::Nothing) => self.given.push(Given { name, at, value: None, value_at: at }),
                Some(Takes::Optional) => {
                    self.given.push(Given { name, at, value: rest, value_at: at });
                    return Ok(at + 1);
                }
                Some(Takes::Value) => {
                    let (value, next) = match rest {
                        Some(value) => (value, at + 1),
                        None => (self.next_value(at + 1, &name)?, at + 2),
                    };
                    self.given.push(Given { name, at, value: Some(value), value_at: next - 1 });
                    return Ok(next);
                }
            }
        }
        Ok(at + 1)
    }

    fn next_value(&self, at: usize, option: &str) -> Result<Word, Note> {
        let value = self.args.get(at).ok_or_else(|| Note::about("", option, " without its value"))?;
        if !is_one_word(value) {
            return Err(Note::about("the value of ", option, " is known only at run time"));
        }
        Ok(value.word.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::{parse, parse_everywhere};
    use crate::call::Arg;

    fn args(line: &str) -> Vec<Arg> {
        line.split(' ').map(|word| Arg::known(word, 0..0)).collect()
    }

    fn told(line: &str, grammar: &str) -> Result<(Vec<String>, usize), crate::Note> {
        let parsed = parse(&args(line), grammar)?;
        let given = parsed.given.iter().map(|given| match given.text() {
            Some(value) => format!("{}={value}", given.name),
            None => given.name.clone(),
        });
        Ok((given.collect(), parsed.operand))
    }

    #[test]
    fn options_are_read_by_the_grammar() {
        let grammar = "-a -b -n: -e? -sdk: --all --name: --replace?";
        for (line, given, operand) in [
            ("x -ab y", &["-a", "-b"][..], 2),
            ("x -an5 y", &["-a", "-n=5"], 2),
            ("x -n 5 y", &["-n=5"], 3),
            ("x -n=5 y", &["-n==5"], 2),
            ("x -e y", &["-e"], 2),
            ("x -ey z", &["-e=y"], 2),
            ("x -sdk macosx y", &["-sdk=macosx"], 3),
            ("x --na v y", &["--name=v"], 3),
            ("x --name=v -- -a", &["--name=v"], 3),
            ("x --replace y", &["--replace"], 2),
            ("x - -a", &[], 1),
        ] {
            let (got, at) = told(line, grammar).unwrap();
            assert_eq!((got.iter().map(String::as_str).collect::<Vec<_>>().as_slice(), at), (given, operand));
        }
        for line in ["x -z", "x -az", "x --al=1 --n", "x --unheard", "x -n"] {
            assert!(told(line, grammar).is_err(), "{line}");
        }
    }

    #[test]
    fn operands_may_stand_between_options() {
        let (parsed, operands) = parse_everywhere(&args("x out -c ls -- -q"), "-c: -q").unwrap();
        assert_eq!(parsed.last("-c").unwrap().text(), Some("ls"));
        assert_eq!(operands, [1, 5]);
    }

    #[test]
    fn a_value_that_may_be_many_words_is_not_read_over() {
        let mut words = args("x -n ? ls");
        words[2] = Arg::unknown("$X", 0..0, true);
        assert!(parse(&words, "-n:").is_err(), "it may become `5 rm`");
        words[2].several = false;
        assert!(parse(&words, "-n:").is_err(), "`5 rm` is tame and two words");
        for raw in ["\"$X\"", "a\"$X\"b", "\"$(cat <<'E'\nsay \"$x\"\nE\n)\"", "{}", "\"a\\\"$X\""] {
            words[2].word.raw = raw.to_owned();
            assert_eq!(parse(&words, "-n:").unwrap().operand, 3, "{raw}");
        }
        for raw in ["a$X", "\"$X\"$Y", "\"$(cat <<'E'\nE\n)\"$Y\"\nE\n)\"", "`x`", "*", "\\\"$X\\\""] {
            words[2].word.raw = raw.to_owned();
            assert!(parse(&words, "-n:").is_err(), "{raw}");
        }
    }
}
