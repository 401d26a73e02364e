//! Guesses at the commands in text that was not understood, for deny rules only: too many are fine, too few are not.
//!
//! Two readings are put together, both linear in the length: one takes every operator for an end of a command, quoted or
//! not; one follows quotes, and looks into quoted text where something else would run it.

use foldhash::fast::RandomState;
use foldhash::{HashMap, HashSet};
use std::hash::BuildHasher;
use std::sync::Arc;

use super::crude_words::{push_unquoted, words_of};
use crate::Guess;
use crate::guess::MOST_STARTS;
use crate::programs::{Class, class_of};

/// Words of one guess: a deny rule looks at the first few.
const LONGEST: usize = 64;

/// Guesses that are made of one text. It has one more where there would be others: whoever looks for denials has to take
/// those for denied. Texts that somebody wrote, up to the longest that is read, come to less.
pub const MOST_GUESSES: usize = 2_048;

/// Quoted texts inside quoted texts that are looked into.
const DEEPEST: usize = 6;

/// Words that stand before a command without being it.
const BEFORE: &[&str] = &[
    "if",
    "then",
    "elif",
    "else",
    "while",
    "until",
    "do",
    "!",
    "{",
    "time",
    "coproc",
    "noglob",
    "nocorrect",
    "-",
    "command",
    "builtin",
    "exec",
    "eval",
    "repeat",
    "always",
    "function",
    "}",
];

/// Words that run what stands somewhere behind them, besides shells, interpreters and wrappers.
const RUNS: &[&str] = &[
    "eval",
    "trap",
    "exec",
    "command",
    "builtin",
    "repeat",
    "coproc",
    "jobs",
    "mapfile",
    "readarray",
    "find",
    "fd",
    "fdfind",
    "ssh",
    "docker",
    "podman",
    "watch",
    "git",
    "tmux",
    "screen",
    "make",
    "npx",
    "npm",
    "bunx",
    "uvx",
    "hyperfine",
    "entr",
    "source",
    ".",
    "alias",
    "complete",
    "compgen",
    "bind",
];

/// Every stretch of words that may be a command: after each operator, bracket, quote or substitution. At most one more than
/// [`MOST_GUESSES`].
pub(crate) fn candidates(text: &str) -> Vec<Guess> {
    let folded;
    let text = if text.contains("\\\n") {
        folded = text.replace("\\\n", "");
        folded.as_str()
    } else {
        text
    };
    let mut guesses = Guesses::default();
    for part in text.split(OPERATORS) {
        if guesses.noted.is_full() {
            break;
        }
        guesses.loose(part);
        if part.contains(['{', '}']) {
            for inner in part.split(['{', '}']) {
                guesses.loose(inner);
            }
        }
    }
    guesses.quoted(text);
    guesses.noted.found
}

/// What ends a command.
const OPERATORS: [char; 8] = ['\n', '\r', ';', '&', '|', '(', ')', '`'];

#[derive(Default)]
struct Guesses<'t> {
    /// Parts whose quotes were followed.
    followed: HashSet<&'t str>,
    noted: Noted,
}

/// The guesses so far, each of them once.
#[derive(Default)]
struct Noted {
    found: Vec<Guess>,
    /// Where a guess with this hash stands in `found`.
    known: HashMap<u64, usize>,
    /// Hashes of the stretches that were looked at: a quoted text is one of the line, and a text by itself.
    seen: HashSet<u64>,
    hasher: RandomState,
}

impl Noted {
    /// Whether there are more guesses than anybody looks at.
    fn is_full(&self) -> bool {
        self.found.len() > MOST_GUESSES
    }

    /// Notes the command that the words are, and what it may run where it runs others.
    fn command(&mut self, words: Vec<String>, head: &Head) {
        // Behind so many assignments a command may stand all the same.
        let start = head.start.or((words.len() > LONGEST).then_some(0));
        let Some(start) = start.filter(|_| !self.is_full()) else { return };
        let hashes = self.hashes(&words);
        let plain = |at: &usize| !words[*at].starts_with('-') && !is_assignment(&words[*at]);
        let inner = (start + 1..words.len()).filter(|_| head.runs).filter(plain).take(MOST_STARTS);
        let starts = std::iter::once(start).chain(inner);
        let new: Vec<usize> = starts.filter(|at| !self.holds(&words[*at..], hashes[*at])).collect();
        let words: Arc<[String]> = if new.is_empty() { return } else { words.into() };
        for at in new {
            if self.is_full() {
                return;
            }
            self.known.insert(hashes[at], self.found.len());
            self.found.push(Guess::part(&words, at, LONGEST));
        }
    }

    /// A hash of each word with all that follow it: equal words have equal hashes.
    fn hashes(&self, words: &[String]) -> Vec<u64> {
        let mut hashes = vec![0; words.len()];
        let mut behind = 0u64;
        for (hash, word) in hashes.iter_mut().zip(words).rev() {
            behind = self.hasher.hash_one((behind, word));
            *hash = behind;
        }
        hashes
    }

    /// Whether the guess at these words was made already.
    fn holds(&self, words: &[String], hash: u64) -> bool {
        let known = self.known.get(&hash).and_then(|at| self.found.get(*at));
        known.is_some_and(|known| **known == words[..words.len().min(LONGEST)])
    }
}

impl<'t> Guesses<'t> {
    /// A stretch without operators, whatever is quoted in it.
    fn loose(&mut self, part: &str) {
        let part = part.trim();
        if part.is_empty() || !self.noted.seen.insert(self.noted.hasher.hash_one(part)) {
            return;
        }
        let mut words = Vec::new();
        for word in part.split_whitespace() {
            push_unquoted(word, &mut words);
        }
        let head = Head::of(&words);
        self.noted.command(words, &head);
    }

    /// The parts of the text as the shell would split it, where quotes make a difference.
    fn quoted(&mut self, text: &'t str) {
        let mut quote = None;
        let mut escaped = false;
        let mut start = 0;
        let mut quotes = false;
        for (at, c) in text.char_indices() {
            match (quote, c) {
                _ if escaped => escaped = false,
                (None | Some('"'), '\\') => (escaped, quotes) = (true, true),
                (None, '\'' | '"') => (quote, quotes) = (Some(c), true),
                (Some(open), c) if open == c => quote = None,
                (None, c) if OPERATORS.contains(&c) => {
                    self.part(text.get(start..at).unwrap_or_default(), quotes);
                    (start, quotes) = (at + 1, false);
                }
                _ => {}
            }
        }
        self.part(text.get(start..).unwrap_or_default(), quotes);
    }

    /// A part in which no quote is open at either end; without quotes it was looked at already.
    fn part(&mut self, part: &'t str, quotes: bool) {
        if quotes && !self.noted.is_full() && self.followed.insert(part) {
            self.split(words_of(part), 0);
        }
    }

    /// A command whose words are told apart, and the texts in it that something else would run.
    fn split(&mut self, words: Vec<String>, depth: usize) {
        let head = Head::of(&words);
        for text in words.iter().filter(|word| word.contains([' ', '\t', '\n', ';', '|', '(', '='])) {
            let value = text
                .split_once('=')
                .filter(|(name, _)| super::expansion::is_name(name))
                .map(|(_, value)| value);
            if !self.noted.is_full() && depth < DEEPEST && (head.runs || value.is_some()) {
                let text = value.unwrap_or(text);
                for part in text.split(OPERATORS) {
                    self.loose(part);
                }
                self.split(words_of(text), depth + 1);
            }
        }
        self.noted.command(words, &head);
    }
}

/// How a stretch of words begins.
struct Head {
    /// Where its command stands; none where there is none.
    start: Option<usize>,
    /// Whether it is, or stands behind, something that runs others.
    runs: bool,
}

impl Head {
    fn of(words: &[String]) -> Self {
        let start = start_of(words);
        let runs = words.iter().take(start.unwrap_or(0) + 1).any(|word| runs_others(word));
        Self { start, runs }
    }
}

/// Where the command begins: behind keywords, assignments, options and redirections.
fn start_of(words: &[String]) -> Option<usize> {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let redirect = word.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(['<', '>']);
        if redirect {
            at += 1 + usize::from(word.ends_with(['<', '>', '!']));
            continue;
        }
        let skip = BEFORE.contains(&word.as_str()) || is_assignment(word) || word.starts_with('-');
        if !skip {
            return Some(at);
        }
        at += 1;
    }
    None
}

fn runs_others(word: &str) -> bool {
    let base = word.rsplit('/').next().unwrap_or(word);
    RUNS.contains(&base) || class_of(base) != Class::Ordinary
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| super::expansion::is_name(name.trim_end_matches('+')))
}

#[cfg(test)]
mod tests {
    use super::{MOST_GUESSES, candidates};

    fn finds(text: &str) -> bool {
        candidates(text).iter().any(|argv| argv[0].rsplit('/').next() == Some("rm"))
    }

    #[test]
    fn commands_are_guessed_in_command_places_only() {
        let found = candidates("echo rm; \"r\"m -rf x && X=1 r\\m y | $'\\x72\\x6d' z; {rm,-rf,q}");
        let heads: Vec<&str> = found.iter().map(|argv| argv[0].as_str()).collect();
        assert_eq!(heads.iter().filter(|head| **head == "rm").count(), 4, "{found:?}");
        assert!(found.iter().any(|argv| **argv == ["echo", "rm"]));
    }

    #[test]
    fn every_spelling_is_found() {
        for text in [
            "rm x",
            "( rm x",
            "\trm x",
            "ls && rm x",
            "if a; then rm x; fi",
            "while rm x; do",
            "X='a b' rm x",
            "X=1 Y=2 rm",
            ">f rm x",
            "2>/dev/null rm x",
            "> f rm x",
            "sudo -u root rm x",
            "env -i A=1 rm x",
            "bash -c 'ls; rm x'",
            "sh -lc \"rm x\"",
            "xargs -n 1 rm",
            "find . -exec rm {} +",
            "eval 'rm x'",
            "trap 'rm x' EXIT",
            "$\"rm\" x",
            "r$'\\155' x",
            "$'\\u0072m' x",
            "=rm x",
            "repeat 3 rm x",
            "coproc rm x",
            "for i in a; do rm x; done",
            "case x in x) rm y;; esac",
            "f() { rm x; }",
            "function f { rm x; }",
            "echo $(rm x)",
            "echo `rm x`",
            "cat <(rm x)",
            "nohup nice -n 5 /bin/rm x",
            "{ rm x",
            "{rm,-rf,x}",
            "! rm x",
            "time -p rm x",
            "timeout 5 bash -c 'sudo rm x'",
            "r\\\nm x",
            "\\rm x",
            "jobs -x rm x",
            "PROMPT_COMMAND='rm x'",
            "bash -c \"eval 'rm x'\"",
            "FOO=$(rm x)",
            "ls\rrm x",
            "ls \"a; b\"; \"rm\" x",
            "ls 'a\\'; \"rm\" x",
            "ls \"\\\"; a\" b; r\\m x",
            "ls \"'\"; \"rm\" x; ls \"'\"",
        ] {
            assert!(finds(text), "{text:?}: {:?}", candidates(text));
        }
        for text in ["ls rm", "echo 'rm x'", "git log --grep=rm", "grep 'a; b' rm", "cat x # no"] {
            assert!(!finds(text), "{text:?}: {:?}", candidates(text));
        }
    }

    #[test]
    fn an_operator_in_quotes_ends_no_command() {
        let has = |text: &str, words: &[&str]| candidates(text).iter().any(|argv| **argv == *words);
        for (text, word) in [
            ("git add 'a;b' -f", "a;b"),
            ("ls;git add 'a;b' -f", "a;b"),
            ("(git add \"a|b\" -f", "a|b"),
            ("git add '\"a;b' -f", "\"a;b"),
            ("git add \"'a;b\" -f", "'a;b"),
            ("git add \"a\\\";b\" -f", "a\";b"),
            ("git add a\\;b -f", "a;b"),
        ] {
            assert!(has(text, &["git", "add", word, "-f"]), "{text:?}: {:?}", candidates(text));
        }
    }

    #[test]
    fn what_is_left_out_is_told_by_one_more() {
        let lines =
            |count: usize| (0..count).map(|nth| format!("a{nth} 'b c';")).collect::<Vec<_>>().concat();
        assert_eq!(candidates("ls; ls x").len(), 2);
        let sudo = (0..MOST_GUESSES).map(|nth| format!("sudo x{nth} y z;")).collect::<Vec<_>>().concat();
        for text in [lines(2 * MOST_GUESSES), format!("eval \"{}\"", lines(2 * MOST_GUESSES)), sudo] {
            assert_eq!(candidates(&text).len(), MOST_GUESSES + 1);
        }
    }

    #[test]
    fn no_length_drops_one() {
        for pile in ["ls; ", "ls\n", "'", "a ", "x=1 ", "(", "$(", "{a,b} ", "sudo -n "] {
            let text = format!("{};rm x", pile.repeat(32_000 / pile.len()));
            assert!(finds(&text), "{pile:?} many times");
        }
        assert!(finds(&format!("sudo {}rm x", "-n ".repeat(40))), "options are no commands");
        assert!(finds(&format!("env {}rm x", "a=1 ".repeat(40))), "nor are assignments");
    }

    #[test]
    fn what_holds_itself_comes_to_an_end() {
        for text in [format!("ls '{}'", "a=".repeat(15_000)), format!("eval {}rm x", "'a=' ".repeat(6_000))] {
            assert!(!candidates(&text).is_empty());
        }
    }
}
