//! Patterns as people type them.

mod class;

use crate::glob::Glob;
use crate::path;
use crate::rule::{IdentityPattern, Pattern, PatternKind, Signer};
use globset::GlobBuilder;
use std::borrow::Cow;

/// Reason why a text is not a pattern, with what would be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    #[error("the pattern is empty; write a path (/opt/homebrew/bin/rg) or a command (git push *)")]
    Empty,
    #[error("the pattern holds a character that cannot be seen; type it again")]
    Invisible,
    #[error("{0:?} does not start with / or ~/; write the whole path, or a command pattern by name")]
    NotAbsolute(String),
    #[error("{0:?} holds {1}; write the path without it")]
    NotNormal(String, &'static str),
    #[error("{0:?} names a folder; write {0}** for all in it, or {0}* for the programs right in it")]
    Folder(String),
    #[error("{0:?} is no glob: {1}")]
    Glob(String, String),
    #[error("{0:?} is no command: {1}")]
    Words(String, String),
    #[error("{0:?} would match every program; name the program first")]
    AnyProgram(String),
    #[error("{0:?} starts in no folder; write **/{1} for any folder, or the whole path (from / or ~/)")]
    NoFolder(String, String),
    #[error("{0:?} names a folder; write {0}** for all in it")]
    FilesInFolder(String),
    #[error(
        "{0:?} is no identity; write the 64 hex digits of a sha256, team:TEAMID, signing:TEAMID:com.example.tool or signing:platform:com.apple.git"
    )]
    Identity(String),
}

/// Reads a pattern. Without a kind, its spelling decides.
///
/// A path if the first word holds `/` or starts with `~` or `$HOME`; an identity if it is one word that
/// starts with `sha256:`, `team:` or `signing:`; else a command.
pub fn parse_pattern(text: &str, kind: Option<PatternKind>) -> Result<Pattern, PatternError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(PatternError::Empty);
    }
    if !postern_command::escape::is_visible(text) {
        return Err(PatternError::Invisible);
    }
    match kind.unwrap_or_else(|| kind_of(text)) {
        PatternKind::Path => {
            check_path(text)?;
            Ok(Pattern::Path(text.to_owned()))
        }
        PatternKind::Command => {
            let words = split_words(text)?;
            if words.first().is_some_and(|word| word.contains(['*', '?'])) {
                return Err(PatternError::AnyProgram(text.to_owned()));
            }
            Ok(Pattern::Command(text.to_owned()))
        }
        PatternKind::Exact => Ok(Pattern::Exact(split_words(text)?)),
        PatternKind::Identity => identity(text).map(Pattern::Identity),
        PatternKind::Read => check_files(text).map(|()| Pattern::Read(text.to_owned())),
        PatternKind::Write => check_files(text).map(|()| Pattern::Write(text.to_owned())),
    }
}

/// Reads a pattern that a person with this home folder typed: the words of an exact command are read as in a shell.
pub fn parse_typed(text: &str, kind: Option<PatternKind>, home: &str) -> Result<Pattern, PatternError> {
    let pattern = parse_pattern(text, kind)?;
    let words = || postern_command::words_of_at(text.trim(), home);
    Ok(match (pattern, words()) {
        (Pattern::Exact(_), Ok(words)) => Pattern::Exact(words),
        (pattern, _) => pattern,
    })
}

fn kind_of(text: &str) -> PatternKind {
    let first = text.split(' ').next().unwrap_or(text);
    let by_identity = ["sha256:", "team:", "signing:"].iter().any(|prefix| text.starts_with(prefix));
    if by_identity && first.len() == text.len() {
        PatternKind::Identity
    } else if first.contains('/') || first.starts_with('~') || first.starts_with("$HOME") {
        PatternKind::Path
    } else {
        PatternKind::Command
    }
}

fn split_words(text: &str) -> Result<Vec<String>, PatternError> {
    let words = postern_command::words_of(text)
        .map_err(|error| PatternError::Words(text.to_owned(), error.to_string()))?;
    if words.first().is_none_or(String::is_empty) { Err(PatternError::Empty) } else { Ok(words) }
}

fn check_path(text: &str) -> Result<(), PatternError> {
    check_spelling(text)?;
    if !is_glob(text) {
        return Ok(());
    }
    if let Some(problem) = class::problem(text) {
        return Err(PatternError::Glob(text.to_owned(), problem.to_owned()));
    }
    path_glob(&path::expand_home(text, "/home"), false)
        .map(drop)
        .map_err(|error| PatternError::Glob(text.to_owned(), error.kind().to_string()))
}

/// Refuses a pattern of files that could match otherwise than it reads.
pub(crate) fn check_files(text: &str) -> Result<(), PatternError> {
    let expanded = match text.strip_prefix("**/") {
        Some(rest) => Cow::Owned(format!("/{rest}")),
        None => path::expand_home(text, "/home"),
    };
    if !expanded.starts_with('/') {
        let name = text.trim_start_matches("./").trim_start_matches(['!', '/']);
        return Err(PatternError::NoFolder(text.to_owned(), name.to_owned()));
    }
    if expanded.ends_with('/') {
        return Err(PatternError::FilesInFolder(text.to_owned()));
    }
    check_parts(text, &expanded)?;
    Glob::new(&expanded).map(drop).map_err(|problem| PatternError::Glob(text.to_owned(), problem))
}

/// Refuses a path that could match otherwise than it reads.
pub(crate) fn check_spelling(text: &str) -> Result<(), PatternError> {
    let expanded = path::expand_home(text, "/home");
    if !expanded.starts_with('/') {
        return Err(PatternError::NotAbsolute(text.to_owned()));
    }
    if expanded.len() > 1 && expanded.ends_with('/') {
        return Err(PatternError::Folder(text.to_owned()));
    }
    check_parts(text, &expanded)
}

fn check_parts(text: &str, expanded: &str) -> Result<(), PatternError> {
    for part in expanded[1..].split('/') {
        let what = match part {
            "" => "an empty part (//)",
            "." => "a . part",
            ".." => "a .. part",
            _ => continue,
        };
        return Err(PatternError::NotNormal(text.to_owned(), what));
    }
    Ok(())
}

/// Returns a path's glob: `*`, `?` and classes stay inside one component, `**` crosses them.
pub(crate) fn path_glob(expanded: &str, any_case: bool) -> Result<globset::Glob, globset::Error> {
    GlobBuilder::new(&class::within_a_folder(expanded))
        .literal_separator(true)
        .backslash_escape(true)
        .case_insensitive(any_case)
        .build()
}

/// Returns true if a path pattern describes rather than names.
pub(crate) fn is_glob(text: &str) -> bool {
    text.contains(['*', '?', '[', ']', '{', '}', '\\'])
}

fn identity(text: &str) -> Result<IdentityPattern, PatternError> {
    let refused = || PatternError::Identity(text.to_owned());
    let plain = |name: &str| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))
    };
    if let Some(team) = text.strip_prefix("team:") {
        return if plain(team) { Ok(IdentityPattern::TeamId(team.to_owned())) } else { Err(refused()) };
    }
    if let Some(signing) = text.strip_prefix("signing:") {
        return match signing.split_once(':') {
            Some(("platform", id)) if plain(id) => {
                Ok(IdentityPattern::Signed { signer: Signer::Platform, id: id.to_owned() })
            }
            Some((team, id)) if plain(team) && plain(id) => {
                Ok(IdentityPattern::Signed { signer: Signer::Team(team.to_owned()), id: id.to_owned() })
            }
            None if plain(signing) => Ok(IdentityPattern::SigningId(signing.to_owned())),
            Some(_) | None => Err(refused()),
        };
    }
    let hex = text.strip_prefix("sha256:").unwrap_or(text);
    if hex.len() == 64 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        Ok(IdentityPattern::Sha256(hex.to_ascii_lowercase()))
    } else {
        Err(refused())
    }
}

/// Returns a pattern as it is typed: [`parse_pattern`] with [`kind_name`]'s kind reads it back.
pub fn pattern_text(pattern: &Pattern) -> String {
    match pattern {
        Pattern::Path(text) | Pattern::Command(text) | Pattern::Read(text) | Pattern::Write(text) => {
            text.clone()
        }
        Pattern::Exact(argv) => postern_command::quote_argv(argv),
        Pattern::Identity(IdentityPattern::Sha256(hex)) => format!("sha256:{hex}"),
        Pattern::Identity(IdentityPattern::TeamId(team)) => format!("team:{team}"),
        Pattern::Identity(IdentityPattern::Signed { signer: Signer::Platform, id }) => {
            format!("signing:platform:{id}")
        }
        Pattern::Identity(IdentityPattern::Signed { signer: Signer::Team(team), id }) => {
            format!("signing:{team}:{id}")
        }
        Pattern::Identity(IdentityPattern::SigningId(signing)) => format!("signing:{signing}"),
    }
}

/// Returns the kind that a pattern is typed as.
pub fn kind_name(pattern: &Pattern) -> PatternKind {
    match pattern {
        Pattern::Path(_) => PatternKind::Path,
        Pattern::Command(_) => PatternKind::Command,
        Pattern::Exact(_) => PatternKind::Exact,
        Pattern::Identity(_) => PatternKind::Identity,
        Pattern::Read(_) => PatternKind::Read,
        Pattern::Write(_) => PatternKind::Write,
    }
}

/// Returns the command pattern that covers a command's kind (`git push *`), by the arity table; `None` if
/// its words cannot stand in a pattern as themselves.
pub(crate) fn by_arity(argv: &[&str]) -> Option<String> {
    let plain = |word: &&str| {
        !word.is_empty()
            && word.chars().all(|c| {
                c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | ':' | '@' | '+' | '=' | ',')
            })
    };
    let arity = postern_command::command_length(argv).clamp(1, argv.len().max(1));
    let prefix = argv.get(..arity)?;
    // An option in the command's place (git -C x push) would stand for every subcommand.
    let options = prefix.iter().skip(1).any(|word| word.starts_with('-'));
    if options || !prefix.iter().all(plain) || argv.first()?.contains('/') {
        return None;
    }
    let more = if argv.len() > arity { " *" } else { "" };
    Some(format!("{}{more}", prefix.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_is_told_by_the_writing() {
        for (text, kind) in [
            ("/opt/homebrew/bin/rg", PatternKind::Path),
            ("~/Projects/**/bin/bird", PatternKind::Path),
            ("$HOME/bin/*", PatternKind::Path),
            ("git push *", PatternKind::Command),
            ("git push origin feature/x", PatternKind::Command),
            ("rg", PatternKind::Command),
            ("team:H7V7XYVQ7D", PatternKind::Identity),
            ("signing:com.apple.git", PatternKind::Identity),
            ("signing:platform:com.apple.git", PatternKind::Identity),
            ("signing:H7V7XYVQ7D:com.example.tool", PatternKind::Identity),
        ] {
            let pattern = parse_pattern(text, None).unwrap();
            assert_eq!(kind_name(&pattern), kind, "{text}");
            assert_eq!(pattern_text(&pattern), text, "a pattern is shown as it was typed");
        }
    }

    #[test]
    fn a_refused_pattern_says_what_would_be_right() {
        for (text, kind, part) in [
            ("", None, "empty"),
            ("bin/x", None, "whole path"),
            ("/opt/../bin/x", None, ".. part"),
            ("/opt//x", None, "//"),
            ("/", None, "//"),
            ("/opt/./x", None, "a . part"),
            ("team:", Some(PatternKind::Identity), "team:TEAMID"),
            ("signing:com example", Some(PatternKind::Identity), "team:TEAMID"),
            ("signing:platform:", Some(PatternKind::Identity), "signing:platform:com.apple.git"),
            ("signing::com.example", Some(PatternKind::Identity), "signing:TEAMID:com.example.tool"),
            ("signing:A:b:c", Some(PatternKind::Identity), "signing:TEAMID:com.example.tool"),
            ("/opt/bin/", None, "/opt/bin/*"),
            ("/opt/[", None, "no glob"),
            ("* push", Some(PatternKind::Command), "name the program"),
            ("git 'push", Some(PatternKind::Command), "no command"),
            ("abc", Some(PatternKind::Identity), "64 hex digits"),
            ("git\u{202e}x", None, "cannot be seen"),
            (".env", Some(PatternKind::Read), "write **/.env for any folder"),
            ("./src/*.key", Some(PatternKind::Write), "write **/src/*.key for any folder"),
            ("~/Documents/", Some(PatternKind::Write), "write ~/Documents/** for all in it"),
            ("**/../x", Some(PatternKind::Read), ".. part"),
            ("~/a//b", Some(PatternKind::Read), "//"),
            ("!/x", Some(PatternKind::Read), "write **/x"),
            ("**/(a", Some(PatternKind::Read), "no glob"),
        ] {
            let error = parse_pattern(text, kind).unwrap_err().to_string();
            assert!(error.contains(part), "{text:?}: {error}");
        }
    }

    #[test]
    fn the_arity_table_says_how_much_is_the_command() {
        for (argv, expected) in [
            (vec!["git", "push", "origin", "main"], Some("git push *")),
            (vec!["npm", "run", "build"], Some("npm run build")),
            (vec!["cat", "README.md"], Some("cat *")),
            (vec!["git", "status"], Some("git status")),
            (vec!["/usr/bin/git", "status"], None),
            (vec!["git", "a*"], None),
            (vec!["git", "-C", "x", "push"], None),
        ] {
            assert_eq!(by_arity(&argv).as_deref(), expected, "{argv:?}");
        }
    }
}
