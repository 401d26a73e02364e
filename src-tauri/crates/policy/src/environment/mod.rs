//! The environment of a run, built from nothing: what Postern computes, what the person passes on, and what a request
//! may add. Everything else is refused by name, never dropped in silence.

#[cfg(test)]
mod tests;

pub use postern_command::environment::{VariableClass, class_of, is_name, may_pass, may_set};

use crate::settings::Settings;
use postern_command::environment::{is_harmless_value, is_plain_value};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};

/// Most variables that a request may set.
pub const MAX_OVERRIDES: usize = 64;
/// Most bytes of a value.
pub const MAX_VALUE_BYTES: usize = 32 * 1024;
/// Most bytes that a request may set in all, names and values.
pub const MAX_TOTAL_BYTES: usize = 64 * 1024;

/// Facts about the person and the run; every child gets these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseEnvironment {
    /// Login name: `USER`, `LOGNAME`.
    pub user: String,
    pub home: String,
    pub shell: String,
    /// The agent's search path, joined with `:`. The same one that programs were looked up on.
    pub path: String,
    /// The person's folder for temporary files.
    pub tmpdir: String,
    /// The person's locale: `LANG`.
    pub lang: String,
    /// The real path of the working directory: `PWD`.
    pub pwd: String,
    /// `__CF_USER_TEXT_ENCODING`, where the system has one (macOS).
    pub text_encoding: Option<String>,
    /// The person's own environment, from which the settings may pass names on.
    pub inherited: Vec<(String, String)>,
}

/// Change by a request or the agent's settings to the variables of every child.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariableChange {
    pub kind: ChangeKind,
    pub name: String,
    pub value: String,
    /// The value it replaces.
    pub was: Option<String>,
    /// True if a person is to be asked because of it.
    pub asks: bool,
}

/// Kind of change of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChangeKind {
    Added,
    /// The request replaces a value.
    Changed,
    /// The settings pass it on from the person's own environment.
    Passed,
}

/// A child's environment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Built {
    /// All of it, sorted by name.
    pub env: Vec<(String, String)>,
    /// Differences from the base, sorted by name.
    pub changes: Vec<VariableChange>,
}

/// A name that was asked for and refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RefusedName {
    /// As it was asked for: hostile text.
    pub name: String,
    pub why: NameRefusalReason,
}

/// Reason why a name was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NameRefusalReason {
    /// Not a name: letters, digits and `_` only, at most 128.
    NotAName,
    /// Name that occurs twice, compared without case.
    Twice,
    Computed,
    /// Name that makes programs load or run other code.
    Dangerous,
    /// Name that redirects traffic, trust, accounts or configuration, and is not in the agent's settings.
    NotAllowed,
    /// A shell or an interpreter starts with harmless names only.
    NotForShells,
    /// The value holds what its name must not: a path, a `%`, anything beyond plain characters.
    BadValue,
    /// The value holds NUL, begins like a shell function, or holds a substitution and is for a shell.
    Function,
    TooLong,
    TooMany,
}

/// Refused variables of a request. It is denied as a whole (`env-refused`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedVariables {
    /// Every name, in the order of the request.
    pub names: Vec<RefusedName>,
}

/// Builds a child's environment from `base`, what the settings pass on, and the request's `overrides`.
///
/// `shellish` says that a shell or an interpreter is started: these obey so many names that only the harmless ones
/// and those that the settings name are let in.
///
/// # Errors
/// Every name that is refused, with its reason; then nothing is built.
pub fn build_environment(
    base: &BaseEnvironment,
    overrides: &[(String, String)],
    settings: &Settings,
    shellish: bool,
) -> Result<Built, RefusedVariables> {
    let refused = refusals(overrides, settings, shellish);
    if !refused.is_empty() {
        return Err(RefusedVariables { names: refused });
    }
    let mut env = computed(base);
    let mut changes = BTreeMap::new();
    for (name, value) in passed(base, settings) {
        let was = env.insert(name.clone(), value.clone());
        changes
            .insert(name.clone(), VariableChange { kind: ChangeKind::Passed, name, value, was, asks: false });
    }
    for (name, value) in overrides {
        let was = env.insert(name.clone(), value.clone());
        if was.as_ref() == Some(value) {
            continue;
        }
        let kind = if was.is_some() { ChangeKind::Changed } else { ChangeKind::Added };
        let asks = standing(name, settings) == Standing::Asks && !is_harmless_value(name, value);
        changes.insert(
            name.clone(),
            VariableChange { kind, name: name.clone(), value: value.clone(), was, asks },
        );
    }
    Ok(Built { env: env.into_iter().collect(), changes: changes.into_values().collect() })
}

/// Standing of a name with an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Standing {
    /// Harmless with a plain value.
    Plain,
    /// The settings name it: any value, no question.
    Named,
    Asks,
    Refused(NameRefusalReason),
}

/// Returns the standing of a name with an agent: for requests, and for assignments inside a command (`FOO=1
/// cmd`).
pub fn standing(name: &str, settings: &Settings) -> Standing {
    if !is_name(name) {
        return Standing::Refused(NameRefusalReason::NotAName);
    }
    let named = settings.env_set.iter().any(|other| other.eq_ignore_ascii_case(name));
    match class_of(name) {
        VariableClass::Base => Standing::Refused(NameRefusalReason::Computed),
        VariableClass::Hard => Standing::Refused(NameRefusalReason::Dangerous),
        VariableClass::Auto | VariableClass::Ask | VariableClass::Soft if named => Standing::Named,
        VariableClass::Auto => Standing::Plain,
        VariableClass::Ask => Standing::Asks,
        VariableClass::Soft => Standing::Refused(NameRefusalReason::NotAllowed),
    }
}

fn refusals(overrides: &[(String, String)], settings: &Settings, shellish: bool) -> Vec<RefusedName> {
    let mut seen = HashSet::new();
    let mut total = 0;
    let mut refused = Vec::new();
    for (count, (name, value)) in overrides.iter().enumerate() {
        total += name.len() + value.len();
        let fits = count < MAX_OVERRIDES && total <= MAX_TOTAL_BYTES;
        let why = if !fits {
            Some(NameRefusalReason::TooMany)
        } else if !seen.insert(name.to_ascii_uppercase()) {
            Some(NameRefusalReason::Twice)
        } else {
            refusal(name, value, settings, shellish)
        };
        if let Some(why) = why {
            refused.push(RefusedName { name: name.clone(), why });
        }
    }
    refused
}

/// Returns the reason to refuse a name with its value; `None` if it is accepted.
fn refusal(name: &str, value: &str, settings: &Settings, shellish: bool) -> Option<NameRefusalReason> {
    let standing = standing(name, settings);
    if is_name(name) && is_harmless_value(name, value) {
        return None;
    }
    if let Standing::Refused(why) = standing {
        return Some(why);
    }
    if value.len() > MAX_VALUE_BYTES {
        return Some(NameRefusalReason::TooLong);
    }
    if value.starts_with("()") || value.contains('\0') {
        return Some(NameRefusalReason::Function);
    }
    match standing {
        Standing::Plain if !is_plain_value(value) => Some(NameRefusalReason::BadValue),
        Standing::Asks if shellish => Some(NameRefusalReason::NotForShells),
        // A shell that counts with the variable (`$((x))`) would run it.
        Standing::Named if shellish && value.contains(['`', '$']) && value.contains(['`', '(', '{']) => {
            Some(NameRefusalReason::Function)
        }
        Standing::Plain | Standing::Named | Standing::Asks => None,
        Standing::Refused(why) => Some(why),
    }
}

/// Returns the variables that every child gets.
fn computed(base: &BaseEnvironment) -> BTreeMap<String, String> {
    let mut env = BTreeMap::from(
        [
            ("HOME", &base.home),
            ("USER", &base.user),
            ("LOGNAME", &base.user),
            ("SHELL", &base.shell),
            ("PATH", &base.path),
            ("TMPDIR", &base.tmpdir),
            ("LANG", &base.lang),
            ("PWD", &base.pwd),
        ]
        .map(|(name, value)| (name.to_owned(), value.clone())),
    );
    env.insert("TERM".to_owned(), "dumb".to_owned());
    if let Some(encoding) = &base.text_encoding {
        env.insert("__CF_USER_TEXT_ENCODING".to_owned(), encoding.clone());
    }
    env
}

/// Returns the variables that the settings pass on from the person's own environment.
///
/// Names that must not be passed are left out: settings with such names are refused when they are saved
/// ([`may_pass`]).
fn passed(base: &BaseEnvironment, settings: &Settings) -> Vec<(String, String)> {
    base.inherited
        .iter()
        .filter(|(name, value)| {
            settings.env_pass.contains(name) && is_name(name) && may_pass(name) && !value.contains('\0')
        })
        .cloned()
        .collect()
}
