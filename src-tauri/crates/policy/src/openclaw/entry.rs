//! Converter of an entry of an allowlist to rules.

use super::expression::{Unsayable, arguments};
use crate::arguments::bound_hash;
use crate::exec_approval::written;
use crate::pattern::parse_pattern;
use crate::rule::{Pattern, PatternKind};

/// Prefix of an argument pattern that is a hash, in every version of it.
const HASHED: &str = "sha256:";

/// An entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenclawEntry {
    /// Position in the document: `agents.main.allowlist[0]`.
    pub field: String,
    /// The program: a path, a glob over paths, or a name.
    pub pattern: String,
    /// An expression over all arguments joined by blanks, or a hash.
    pub arguments: Option<String>,
    /// The command that it was last used for, joined by blanks.
    pub last_used: Option<String>,
    /// True if OpenClaw wrote it itself, for *Always allow*.
    pub generated: bool,
}

/// Parts of a rule for an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowed {
    pub pattern: Pattern,
    /// A pattern for each argument, or the hash of all and their folder; `None` means any, or that the
    /// pattern has them.
    pub arguments: Option<Vec<String>>,
}

impl OpenclawEntry {
    /// Returns the rules that allow what it allows, or less; or why there are none.
    pub fn allowed(&self) -> Result<Vec<Allowed>, String> {
        if self.pattern == "*" || self.pattern == "**" {
            return Err("it allows every program: set security to full if that is meant".to_owned());
        }
        let arguments = match self.arguments.as_deref() {
            Some(hash) if hash.starts_with(HASHED) => Some(vec![self.hashed(hash)?]),
            // OpenClaw looks at such an entry no more: taken as one that a person wrote it would open again what was closed.
            _ if self.generated => {
                return Err(self.left_out_reason(
                    "OpenClaw wrote it itself, bound to no command, and looks at it no more",
                ));
            }
            None => None,
            Some(expression) => Some(arguments(expression).map_err(|Unsayable(why)| why)?),
        };
        if self.pattern.contains(['[', ']', '{', '}', '\\']) {
            return Err(
                "[, ], {, } and \\ stand for themselves there and not here: write the rule again".to_owned()
            );
        }
        if self.pattern.contains('/') || self.pattern.starts_with('~') {
            by_path(&self.pattern, arguments)
        } else {
            by_name(&self.pattern, arguments)
        }
    }

    /// Returns the hash as argument patterns. It is one of the arguments and their folder, so the program has
    /// to be a path.
    fn hashed(&self, hash: &str) -> Result<Vec<String>, String> {
        let arguments = vec![hash.to_owned()];
        if bound_hash(&arguments).is_some() && self.pattern.contains('/') {
            return Ok(arguments);
        }
        Err(self.left_out_reason(
            "it is bound by a hash of an old form, or of a program that is not named by its path",
        ))
    }

    /// Returns the reason why an entry is left out, with its command for the person to judge by, joined by
    /// blanks.
    fn left_out_reason(&self, why: &str) -> String {
        let used = self.last_used.as_ref().map(|command| format!("; it was last used for: {command}"));
        format!("{why}: it is asked about once, and Always saves it here{}", used.unwrap_or_default())
    }
}

fn by_path(path: &str, arguments: Option<Vec<Vec<String>>>) -> Result<Vec<Allowed>, String> {
    let pattern = parse_pattern(path, Some(PatternKind::Path)).map_err(|error| error.to_string())?;
    let each = arguments.map_or_else(|| vec![None], |all| all.into_iter().map(Some).collect());
    Ok(each.into_iter().map(|arguments| Allowed { pattern: pattern.clone(), arguments }).collect())
}

fn by_name(name: &str, arguments: Option<Vec<Vec<String>>>) -> Result<Vec<Allowed>, String> {
    if name.contains(['*', '?']) {
        return Err(
            "a name with * or ? in it is no rule here: name the program, or its folder (/opt/tools/*)"
                .to_owned(),
        );
    }
    let each = arguments.unwrap_or_else(|| vec![vec!["**".to_owned()]]);
    let allowed = |words: Vec<String>| {
        let words = std::iter::once(name.to_owned()).chain(words);
        let text = words.map(|word| if word == "**" { "*".to_owned() } else { written(&word) });
        let text = text.collect::<Vec<_>>().join(" ");
        let pattern = parse_pattern(&text, Some(PatternKind::Command)).map_err(|error| error.to_string())?;
        Ok(Allowed { pattern, arguments: None })
    };
    each.into_iter().map(allowed).collect()
}
