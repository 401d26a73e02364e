//! Patterns of a rule for the arguments of its program.

use crate::path;
use crate::words::WordsPattern;
use postern_protocol::decode_hex;
use sha2::{Digest as _, Sha256};

/// Prefix of the one pattern that stands for all arguments and the folder by their hash.
const BOUND: &str = "sha256:cwd-argv:v1:";

/// Patterns of a rule's arguments, ready to compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Arguments {
    Words(WordsPattern),
    /// Exactly some arguments in one folder, which are known by their SHA-256: OpenClaw's *Always allow here*, which
    /// remembers no more than that.
    Bound([u8; 32]),
}

impl Arguments {
    /// Reads a rule's argument patterns, in which `~` is the home folder.
    pub(crate) fn new(patterns: &[String], home: &str) -> Self {
        let at_home = |pattern: &String| path::expand_home(pattern, home).into_owned();
        match bound_hash(patterns) {
            Some(hash) => Self::Bound(hash),
            None => {
                Self::Words(WordsPattern::of_arguments(&patterns.iter().map(at_home).collect::<Vec<_>>()))
            }
        }
    }

    /// Returns true if these are arguments that it describes, of a program in this folder. What is not known
    /// before the run (`None`) is bound to nothing.
    pub(crate) fn matches(&self, args: &[Option<&str>], folder: Option<&str>) -> bool {
        match self {
            Self::Words(words) => words.matches(args),
            Self::Bound(hash) => {
                let args: Option<Vec<&str>> = args.iter().copied().collect();
                args.zip(folder).is_some_and(|(args, folder)| hash_of(folder, &args) == *hash)
            }
        }
    }

    /// Returns true if it may describe them all the same, once everything is known.
    pub(crate) fn may_match(&self, args: &[Option<&str>], folder: Option<&str>) -> bool {
        args.contains(&None) || matches!(self, Self::Bound(_)) && folder.is_none()
    }

    /// Returns true if it names the argument at `index` rather than describing it.
    pub(crate) fn names_argument(&self, index: usize) -> bool {
        match self {
            Self::Words(words) => words.names_word(index),
            Self::Bound(_) => true,
        }
    }
}

/// Returns the hash that argument patterns consist of; `None` if they are patterns.
pub(crate) fn bound_hash(patterns: &[String]) -> Option<[u8; 32]> {
    let [only] = patterns else { return None };
    let digits = only.strip_prefix(BOUND)?;
    if digits.bytes().any(|digit| digit.is_ascii_uppercase()) { None } else { decode_hex(digits) }
}

/// Returns the hash in OpenClaw's layout.
///
/// Folder and arguments each after their length in bytes, the number of arguments between them, every part
/// ended by a NUL.
fn hash_of(folder: &str, args: &[&str]) -> [u8; 32] {
    let counted = |text: &str| format!("{}\0{text}\0", text.len());
    let args_of: String = args.iter().map(|arg| counted(arg)).collect();
    let text = format!("{}{}\0{args_of}", counted(folder), args.len());
    Sha256::digest(text).into()
}

#[cfg(test)]
mod tests {
    use super::Arguments;

    /// SHA-256 of `10 NUL /Users/u/p NUL 2 NUL 4 NUL push NUL 6 NUL origin NUL`.
    const PUSH: &str = "fa3d2efe1a7475fa313a98de9ca633c7e5f240309942abc7efda7ede3564861c";
    /// SHA-256 of `9 NUL /Users/ü NUL 0 NUL`.
    const ALONE: &str = "a3cfed2a0e916840b288ff2450f2624ed88b091e311bade7669ee9a9c08c3264";

    fn bound(hash: &str) -> Arguments {
        Arguments::new(&[format!("sha256:cwd-argv:v1:{hash}")], "/h")
    }

    #[test]
    fn a_hash_is_of_all_arguments_and_the_folder() {
        for (hash, args, folder, expected) in [
            (PUSH, &[Some("push"), Some("origin")][..], Some("/Users/u/p"), true),
            (PUSH, &[Some("push"), Some("origin")], Some("/Users/u"), false),
            (PUSH, &[Some("push"), Some("origin")], None, false),
            (PUSH, &[Some("push"), None], Some("/Users/u/p"), false),
            (PUSH, &[Some("push origin")], Some("/Users/u/p"), false),
            (PUSH, &[Some("push"), Some("origin"), Some("")], Some("/Users/u/p"), false),
            (ALONE, &[], Some("/Users/ü"), true),
        ] {
            assert_eq!(bound(hash).matches(args, folder), expected, "{args:?} in {folder:?}");
        }
    }

    #[test]
    fn what_is_no_whole_hash_is_a_word() {
        for text in ["sha256:cwd-argv:v1:00ff".to_owned(), format!("sha256:argv:{PUSH}"), PUSH.to_uppercase()]
        {
            let word = Arguments::new(std::slice::from_ref(&text), "/h");
            assert!(word.matches(&[Some(&text)], None), "{text}");
        }
    }

    #[test]
    fn what_is_not_known_yet_may_match() {
        assert!(bound(PUSH).may_match(&[None], Some("/a")) && bound(PUSH).may_match(&[], None));
        assert!(!bound(PUSH).may_match(&[Some("push")], Some("/a")));
    }
}
