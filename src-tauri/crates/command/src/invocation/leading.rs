//! Options that all have to be known: those of a wrapper or an interpreter, before what it runs.

use postern_programs::{Style, Takes};

use super::word::{Grammar, WordOption};
use super::{ArgumentWord, GivenOption};
use crate::call::Arg;
use crate::{Note, Word};

/// Options that are all listed, and the index of the first operand.
#[derive(Debug)]
pub(crate) struct Leading<'a> {
    args: &'a [Arg],
    pub(crate) given: Vec<GivenOption<'a>>,
    pub(crate) operand: usize,
}

impl<'a> Leading<'a> {
    /// Reads options from word `from` on, up to the first operand or `--`.
    pub(crate) fn from(args: &'a [Arg], from: usize, options: &str) -> Result<Self, Note> {
        let mut found = Self { args, given: Vec::new(), operand: from };
        while let Some(arg) = args.get(found.operand) {
            let Some(word) = arg.known_value() else {
                if arg.dash {
                    return Err("an option is known only at run time".into());
                }
                break;
            };
            if word == "--" {
                found.operand += 1;
                break;
            }
            if word == "-" || !word.starts_with('-') {
                break;
            }
            found.operand = found.option(found.operand, word, options)?;
        }
        Ok(found)
    }

    /// Reads options from word 1 on, up to the first operand or `--`.
    pub(crate) fn parse_leading(args: &'a [Arg], options: &str) -> Result<Self, Note> {
        Self::from(args, 1, options)
    }

    /// Reads options anywhere before `--`; the indexes of the operands come second.
    pub(crate) fn everywhere(args: &'a [Arg], options: &str) -> Result<(Self, Vec<usize>), Note> {
        let mut all = Self { args, given: Vec::new(), operand: 1 };
        let mut operands = Vec::new();
        let mut at = 1;
        while at < args.len() {
            let some = Self::from(args, at, options)?;
            all.given.extend(some.given);
            at = some.operand;
            if args.get(at.wrapping_sub(1)).and_then(Arg::known_value) == Some("--") {
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

    /// Returns the last of these options (names, separated by blanks).
    pub(crate) fn last_option(&self, names: &str) -> Option<&GivenOption<'a>> {
        self.given.iter().rev().find(|given| names.split(' ').any(|name| name == given.name))
    }

    pub(crate) fn value_word(&self, given: &GivenOption<'a>) -> Option<Word> {
        match (given.attached, given.takes) {
            (true, _) => given.value.map(Word::literal),
            (false, Some(Takes::Value)) => self.args.get(given.value_at).map(|arg| arg.word.clone()),
            (false, _) => None,
        }
    }

    /// Reads the options of one word; returns the index of the next word.
    fn option(&mut self, at: usize, word: &'a str, options: &str) -> Result<usize, Note> {
        let grammar = Grammar { options: &[options], style: Style::Getopt, abbreviates: true };
        let mut parts: Vec<WordOption<'a>> = Vec::new();
        let next = grammar.read_word(word, |part| parts.push(part));
        for part in parts.into_iter().filter(|part| !part.is_guess) {
            match part.takes {
                None => return Err(unknown_option(&part.name)),
                Some(Takes::Nothing) if part.name.len() > 2 && part.attached.is_some() => {
                    return Err(Note::with_text("", &*part.name, " takes no value"));
                }
                Some(_) => self.given.push(GivenOption::from_part(at, part, self.args).without_guess()),
            }
        }
        if !next.takes_next() {
            return Ok(at + 1);
        }
        let name = self.given.last().map(|given| given.name.to_string()).unwrap_or_default();
        let value = self.args.get(at + 1).ok_or_else(|| Note::with_text("", &*name, " without its value"))?;
        if !ArgumentWord::is_one_word(value) {
            return Err(Note::with_text("the value of ", &*name, " is known only at run time"));
        }
        Ok(at + 2)
    }
}

/// Returns what is said of an option that is not known; it is text of the request.
pub(crate) fn unknown_option(option: &str) -> Note {
    Note::with_text("Postern doesn’t know the option ", option, "")
}

#[cfg(test)]
mod tests {
    use super::Leading;
    use crate::call::Arg;

    fn args(line: &str) -> Vec<Arg> {
        line.split(' ').map(|word| Arg::from_value(word, 0..0)).collect()
    }

    fn read(line: &str, options: &str) -> Result<(Vec<String>, usize), crate::Note> {
        let args = args(line);
        let read = Leading::parse_leading(&args, options)?;
        let given = read.given.iter().map(|given| match given.value {
            Some(value) => format!("{}={value}", given.name),
            None => given.name.to_string(),
        });
        Ok((given.collect(), read.operand))
    }

    #[test]
    fn options_are_read_by_the_grammar() {
        let options = "-a -b -n: -e? -sdk: --all --name: --replace?";
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
            let (got, at) = read(line, options).unwrap();
            assert_eq!((got.iter().map(String::as_str).collect::<Vec<_>>().as_slice(), at), (given, operand));
        }
        for line in ["x -z", "x -az", "x --al=1 --n", "x --unheard", "x -n", "x -sdkx y"] {
            assert!(read(line, options).is_err(), "{line}");
        }
    }

    #[test]
    fn operands_may_stand_between_options() {
        let args = args("x out -c ls -- -q");
        let (read, operands) = Leading::everywhere(&args, "-c: -q").unwrap();
        assert_eq!(read.last_option("-c").unwrap().value, Some("ls"));
        assert_eq!(operands, [1, 5]);
    }

    #[test]
    fn a_value_that_may_be_many_words_is_not_read_over() {
        let mut words = args("x -n ? ls");
        words[2] = Arg::unknown("$X", 0..0, true);
        assert!(Leading::parse_leading(&words, "-n:").is_err(), "it may become `5 rm`");
        words[2].several = false;
        assert!(Leading::parse_leading(&words, "-n:").is_err(), "`5 rm` is tame and two words");
        for raw in ["\"$X\"", "a\"$X\"b", "\"$(cat <<'E'\nsay \"$x\"\nE\n)\"", "{}", "\"a\\\"$X\""] {
            words[2].word.raw = raw.to_owned();
            assert_eq!(Leading::parse_leading(&words, "-n:").unwrap().operand, 3, "{raw}");
        }
        for raw in ["a$X", "\"$X\"$Y", "\"$(cat <<'E'\nE\n)\"$Y\"\nE\n)\"", "`x`", "*", "\\\"$X\\\""] {
            words[2].word.raw = raw.to_owned();
            assert!(Leading::parse_leading(&words, "-n:").is_err(), "{raw}");
        }
    }
}
