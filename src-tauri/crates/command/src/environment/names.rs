//! Classes of environment names. The lists are one data file, `names.json`; names are compared upper-cased.

use serde::Deserialize;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Treatment of a name that a request wants to set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VariableClass {
    /// Computed by Postern; a request cannot set it.
    Base,
    /// May be set with a harmless value, silently.
    Auto,
    /// May be set; the person sees it and is asked.
    Ask,
    /// Refused, unless the agent's settings name it.
    Soft,
    /// Refused, whatever the settings say: it makes programs load or run other code.
    Hard,
}

/// The data file, as written. All names and prefixes are in upper case.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Lists {
    /// [`VariableClass::Base`].
    pub base: HashSet<String>,
    /// [`VariableClass::Auto`], each with what it does and where that is written.
    pub auto: HashMap<String, String>,
    /// Values that are harmless, of names that are asked about or refused.
    pub auto_values: HashMap<String, HarmlessValues>,
    /// Names that a prefix of `hard_prefixes` covers and that are only asked about.
    pub except: HashSet<String>,
    /// Prefixes of such names.
    pub except_prefixes: Vec<String>,
    pub hard_prefixes: Vec<String>,
    pub hard_names: HashSet<String>,
    pub soft_prefixes: Vec<String>,
    pub soft_names: HashSet<String>,
    /// `_`-separated parts that make a name [`VariableClass::Soft`]: credentials.
    pub soft_segments: Vec<String>,
    /// [`VariableClass::Hard`] names whose own value the person may hand on.
    pub pass: HashSet<String>,
    /// Names that a shell itself obeys, besides the above.
    pub shell: HashSet<String>,
    /// Names that only zsh obeys: its tables of aliases, functions and commands, its prompts and hooks.
    pub zsh: HashSet<String>,
    /// Names whose value bash reads as arithmetic when they are set, which can run commands (tried with bash 5.2).
    pub numbers: HashSet<String>,
    /// Names that zsh evaluates so, besides (tried with zsh 5.9).
    pub zsh_numbers: HashSet<String>,
}

/// The values of a name that make nothing run, though others may.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HarmlessValues {
    /// Every plain value (see [`is_plain_value`](super::is_plain_value)).
    #[serde(default)]
    pub plain: bool,
    /// These, each as a whole.
    #[serde(default)]
    pub values: Vec<String>,
    /// Effect of the names, and its source.
    pub why: String,
}

static LISTS: LazyLock<Option<Lists>> =
    LazyLock::new(|| serde_json::from_str(include_str!("names.json")).ok());

/// Returns the lists; `None` if the data file does not parse, which a test rules out.
pub fn name_lists() -> Option<&'static Lists> {
    LISTS.as_ref()
}

/// Returns the class of a name, whatever its letter case.
pub fn class_of(name: &str) -> VariableClass {
    match name_lists() {
        Some(lists) => lists.class_of(&name.to_ascii_uppercase()),
        // Without the lists nothing is known to be harmless.
        None => VariableClass::Hard,
    }
}

/// Returns true if the person's own value of this name may be passed on when the agent's settings say so.
///
/// A request can never set what is hard denied; but the person may hand on a few of their own (`SSH_AUTH_SOCK`).
pub fn may_pass(name: &str) -> bool {
    match class_of(name) {
        VariableClass::Base => false,
        VariableClass::Auto | VariableClass::Ask | VariableClass::Soft => true,
        VariableClass::Hard => {
            name_lists().is_some_and(|lists| lists.pass.contains(&name.to_ascii_uppercase()))
        }
    }
}

/// Returns true if an agent's settings may let requests set this name.
pub fn may_set(name: &str) -> bool {
    match class_of(name) {
        VariableClass::Base | VariableClass::Hard => false,
        VariableClass::Auto | VariableClass::Ask | VariableClass::Soft => true,
    }
}

/// Returns true if it is a name at all: `[A-Za-z_][A-Za-z0-9_]{0,127}`. Anything else can carry a shell
/// function or a second variable.
pub fn is_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    name.len() <= 128
        && bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

impl Lists {
    fn class_of(&self, name: &str) -> VariableClass {
        let starts = |prefixes: &[String]| prefixes.iter().any(|prefix| name.starts_with(prefix.as_str()));
        if self.base.contains(name) {
            VariableClass::Base
        } else if self.auto.contains_key(name) {
            VariableClass::Auto
        } else if self.except.contains(name) || starts(&self.except_prefixes) {
            VariableClass::Ask
        } else if self.hard_names.contains(name) || starts(&self.hard_prefixes) {
            VariableClass::Hard
        } else if self.soft_names.contains(name) || starts(&self.soft_prefixes) || self.is_secret(name) {
            VariableClass::Soft
        } else {
            VariableClass::Ask
        }
    }

    /// Returns true if one of its `_`-separated parts says that it is a credential.
    fn is_secret(&self, name: &str) -> bool {
        let framed = format!("_{name}_");
        self.soft_segments.iter().any(|segment| framed.contains(&format!("_{segment}_")))
    }
}
