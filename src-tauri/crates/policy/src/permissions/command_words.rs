//! A pattern of `shell_exec`: compared with a command word by word, never with joined text where it allows.

use crate::generous::{self, MatchCertainty};
use crate::glob::Glob;
use crate::path;
use crate::words::WordsPattern;

/// Patterns that one pattern with `{a,b}` may stand for.
const MOST: usize = 64;

/// A command pattern, read.
#[derive(Debug, Clone)]
pub(crate) enum CommandWords {
    /// Words with `*` and `?`; several where `{a,b}` or `@(a|b)` stood for them.
    Plain(Vec<WordsPattern>),
    /// Words with more than that: one pattern each.
    Globs {
        words: Vec<Glob>,
        /// True if any further words may follow.
        more: bool,
    },
}

impl CommandWords {
    /// Reads a pattern, in which `~` is the home folder; the error says what is wrong with it, as a sentence fragment.
    pub(super) fn new(pattern: &str, home: &str) -> Result<Self, String> {
        if pattern.starts_with('!') && !pattern.starts_with("!(") {
            return Err("begins with !; write \"*\": \"deny\" first and what is allowed below it".to_owned());
        }
        let mut all = Vec::new();
        expand(pattern, &mut all)?;
        let words: Vec<Vec<String>> =
            all.iter().map(|one| split_pattern(one, home)).collect::<Result<_, _>>()?;
        if words.iter().flatten().any(|word| needs_glob(word)) {
            let [words] = words.as_slice() else {
                return Err("mixes { } with [ ] or ! + * ( ); write one line for each".to_owned());
            };
            let more = words.last().is_some_and(|last| matches!(last.as_str(), "*" | "**"));
            let kept = &words[..words.len() - usize::from(more)];
            let words = kept.iter().map(|word| Glob::new(word)).collect::<Result<_, _>>()?;
            return Ok(Self::Globs { words, more });
        }
        Ok(Self::Plain(words.iter().map(|words| WordsPattern::of_command(words)).collect()))
    }

    /// Returns true if it allows a command. A word that is not known before the run (`None`) is only covered
    /// by a last `*`.
    pub(crate) fn matches(&self, argv: &[Option<&str>]) -> bool {
        match self {
            Self::Plain(all) => all.iter().any(|pattern| pattern.matches(argv)),
            Self::Globs { words, more } => {
                let length = if *more { argv.len() >= words.len() } else { argv.len() == words.len() };
                let fits =
                    |(glob, word): (&Glob, Option<&str>)| word.is_some_and(|word| glob.is_strict_match(word));
                length && words.iter().zip(argv.iter().copied()).all(fits)
            }
        }
    }

    /// Returns whether it denies or asks about a command, and how sure that is. `names` are the program as
    /// invoked and as found.
    pub(crate) fn stop_match(&self, names: &[&str], args: &[Option<&str>]) -> MatchCertainty {
        match self {
            Self::Plain(all) => {
                let one =
                    |pattern: &WordsPattern| generous::compare(&pattern.words, pattern.more, names, args);
                all.iter().map(one).max().unwrap_or(MatchCertainty::No)
            }
            Self::Globs { words, .. } => {
                let Some((program, rest)) = words.split_first() else { return MatchCertainty::Yes };
                let named = |name: &&str| {
                    program.is_generous_match(name) || program.is_generous_match(path::base_name(name))
                };
                if !names.iter().any(named) {
                    return MatchCertainty::No;
                }
                // In this order, with anything between.
                let mut known = args.iter().flatten();
                if rest.iter().all(|glob| known.any(|word| glob.is_generous_match(word))) {
                    MatchCertainty::Yes
                } else if args.contains(&None) {
                    MatchCertainty::Maybe
                } else {
                    MatchCertainty::No
                }
            }
        }
    }

    /// Returns true if it names the word at `index` rather than describing it.
    pub(crate) fn names_word(&self, index: usize) -> bool {
        match self {
            Self::Plain(all) => all.iter().all(|pattern| pattern.names_word(index)),
            Self::Globs { .. } => false,
        }
    }
}

fn split_pattern(pattern: &str, home: &str) -> Result<Vec<String>, String> {
    let words =
        postern_command::words_of_at(pattern, home).map_err(|error| format!("is no command: {error}"))?;
    if words.is_empty() { Err("holds no word".to_owned()) } else { Ok(words) }
}

fn needs_glob(word: &str) -> bool {
    let set = word.find('[').is_some_and(|open| word[open..].contains(']'));
    set || ["!(", "+(", "*("].iter().any(|sign| word.contains(sign))
}

/// Writes a pattern out for each choice of `{a,b}`, `@(a|b)` and `?(a)` in it.
fn expand(pattern: &str, all: &mut Vec<String>) -> Result<(), String> {
    let Some(choice) = first_choice(pattern) else {
        all.push(pattern.to_owned());
        return if all.len() > MOST { Err(format!("is more than {MOST} patterns")) } else { Ok(()) };
    };
    let (before, after) = (&pattern[..choice.from], &pattern[choice.to..]);
    choice.branches.iter().try_for_each(|branch| expand(&format!("{before}{branch}{after}"), all))
}

struct Alternatives<'a> {
    from: usize,
    to: usize,
    branches: Vec<&'a str>,
}

/// Returns the first choice outside of quotes.
fn first_choice(pattern: &str) -> Option<Alternatives<'_>> {
    let bytes = pattern.as_bytes();
    let mut quote = None;
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        match quote {
            Some(open) if byte == open => quote = None,
            Some(_) => {}
            None if byte == b'\\' => at += 1,
            None if matches!(byte, b'\'' | b'"') => quote = Some(byte),
            None => {
                let choice = match (byte, bytes.get(at + 1)) {
                    (b'{', _) => {
                        branches(pattern, at, at + 1, b',', b'}').filter(|choice| choice.branches.len() > 1)
                    }
                    (b'@', Some(b'(')) => branches(pattern, at, at + 2, b'|', b')'),
                    (b'?', Some(b'(')) => branches(pattern, at, at + 2, b'|', b')').map(|mut choice| {
                        choice.branches.push("");
                        choice
                    }),
                    _ => None,
                };
                if choice.is_some() {
                    return choice;
                }
            }
        }
        at += 1;
    }
    None
}

/// Returns the alternatives between `open` and the `end` that closes it; `None` if nothing does.
fn branches(pattern: &str, from: usize, open: usize, between: u8, end: u8) -> Option<Alternatives<'_>> {
    let (mut depth, mut start, mut found) = (0_usize, open, Vec::new());
    for (at, byte) in pattern.bytes().enumerate().skip(open) {
        match byte {
            b'{' | b'(' => depth += 1,
            _ if depth == 0 && (byte == between || byte == end) => {
                found.push(pattern.get(start..at)?);
                start = at + 1;
                if byte == end {
                    return Some(Alternatives { from, to: at + 1, branches: found });
                }
            }
            b'}' | b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}
