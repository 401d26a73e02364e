//! The format of a file about a program.

use std::collections::BTreeMap;

use serde::de::{Deserializer, IntoDeserializer};
use serde::{Deserialize, Serialize};

use crate::effect::OneOrMany;
use crate::grammar::{OptionPosition, placed};
use crate::{
    AllDoes, Alone, ArgEffect, ArgumentCheck, Does, EffectKind, EffectScope, InstallPlace, Of, Operand,
    Power, ProgramClass, ReadCheck, Reversible, Style,
};

/// Knowledge of a program, or of a family of programs that are used alike.
///
/// A list of words is one text with blanks between them. Keys that take *some of `names`* also take `*` for all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ProgramFile {
    /// Names in lower case, without folder, version and Homebrew's `g`.
    pub names: Vec<String>,
    /// The name of another program, whose `style`, `options`, `strict`, `mild`, `dash-prints`, `check`, `commands` and
    /// effects hold here too. What is given here replaces it; effects are added.
    pub like: Option<String>,
    /// Kind of program.
    #[serde(default)]
    pub kind: ProgramClass,
    /// Some of `names`: GNU tools that Homebrew and BSD ports install with a leading `g`.
    #[serde(default)]
    pub gnu: String,
    /// Spelling of its options.
    pub style: Option<Style>,
    /// Options with their values: `-n` takes none, `-n:` a value, `-n?` the rest of its word. `@-n` comes
    /// before the command, `add|rm:-n,-m:` after these commands.
    pub options: Option<String>,
    /// True if `options` lists every harmless option: any other is then asked about.
    pub strict: Option<bool>,
    /// True if its effects are so mild that an argument known only at run time is no danger.
    pub mild: Option<bool>,
    /// True if `-o -` prints.
    pub dash_prints: Option<bool>,
    /// A check in code of what a pattern cannot say.
    pub check: Option<ArgumentCheck>,
    /// Number of words that name the action, by the word after the program; `*` stands for any other word.
    #[serde(default)]
    pub words: BTreeMap<String, u8>,
    /// Commands of its own, for the pattern `!`: any command but these.
    pub commands: Option<String>,
    /// True if a command that is not its own may be an alias or a plugin.
    #[serde(default)]
    pub extended: bool,
    /// Commands of its own that a configuration may redefine.
    #[serde(default)]
    pub redefinable: String,
    /// Other names of its commands.
    #[serde(default)]
    pub aliases: BTreeMap<String, String>,
    /// Commands whose names may be shortened.
    #[serde(default)]
    pub completes: String,
    /// Commands that also stand below a noun: `container = "ls:ps"` says that `container ls` is `ps`.
    #[serde(default)]
    pub nouns: BTreeMap<String, String>,
    /// Some of `names`: programs that take their input for data, or ignore it.
    #[serde(default)]
    pub input_is_data: String,
    /// Words with which those obey their input all the same.
    #[serde(default)]
    pub obeys_input: String,
    /// Some of `names`: programs that run commands which stand in their arguments.
    #[serde(default)]
    pub runs_others: String,
    /// Some of `names`: programs for which a file whose name begins with a dash is a well known trap.
    #[serde(default)]
    pub glob_trap: String,
    /// Some of `names`: programs that obey what lies in a repository, or start git.
    #[serde(default)]
    pub obeys_repository: String,
    /// Commands that only read.
    #[serde(default)]
    pub reads: ReadsSection,
    /// Arguments by which it does more than its ordinary work.
    #[serde(default, rename = "effect")]
    pub effects: Vec<EffectSection>,
    /// Way in which it starts another command.
    pub wrapper: Option<WrapperSection>,
    /// Way in which it takes its code.
    pub interpreter: Option<InterpreterSection>,
    /// Files of its own that a confined run needs.
    pub caches: Option<CachesSection>,
    /// Command lines, and what they show.
    #[serde(default)]
    pub examples: BTreeMap<String, Shows>,
}

/// An effect with the arguments that cause it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EffectSection {
    /// Some of the program's `names`; all of them, if nothing is said.
    #[serde(default)]
    pub names: String,
    /// Patterns of arguments, one a word.
    pub when: String,
    /// Patterns of arguments with which it has no such effect.
    #[serde(default)]
    pub unless: String,
    /// The effect, or several.
    pub does: AllDoes,
    /// Words for a person: a verb phrase, a noun or a phrase, as the kind of the effect asks for.
    #[serde(default)]
    pub says: String,
    /// Operands that the effect is about.
    #[serde(default)]
    pub of: Of,
    /// Options whose values name what the effect is about, in place of operands.
    #[serde(default)]
    pub out: String,
    /// Number of operands before another command in its arguments, whose effects it has too.
    pub inner: Option<u8>,
    /// Place of an installation; the user's own programs, if nothing is said.
    pub place: Option<InstallPlace>,
    /// Reach, if it is not the usual one of its kind.
    pub scope: Option<EffectScope>,
    /// Reversibility, if it is not the usual one of its kind.
    pub reversible: Option<Reversible>,
    /// Manual page, project documentation, GTFOBins page or advisory. An unsafe argument needs one.
    #[serde(default)]
    pub source: String,
}

/// Commands that only read, if no argument has an effect.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ReadsSection {
    /// Some of `names`: programs that read with any arguments.
    #[serde(default)]
    pub always: String,
    /// Some of `names`: the same, also where arguments are known only at run time.
    #[serde(default)]
    pub anyway: String,
    /// Some of `always`: an argument that is known only at run time is one more operand.
    #[serde(default)]
    pub operands: String,
    /// Commands that read; `config.get` is a command below another.
    #[serde(default)]
    pub commands: String,
    /// Whole command lines that read: `a|b` is one of these, `_` an operand, a last `*` any operands.
    #[serde(default)]
    pub forms: Vec<String>,
    /// Commands that ask a service or a registry; `*` for all.
    #[serde(default)]
    pub asks: String,
    /// A check in code of what the above cannot say.
    pub check: Option<ReadCheck>,
}

/// Way in which a wrapper starts another command.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WrapperSection {
    /// Change that it makes to that command.
    #[serde(default)]
    pub power: Power,
    /// Words between its options and the command.
    #[serde(default)]
    pub operands: Vec<Operand>,
    /// True if `NAME=value` may stand before the command.
    #[serde(default)]
    pub assignments: bool,
    /// Options with which it runs nothing (`command -v`, `sudo -l`).
    #[serde(default = "help_and_version")]
    pub asks: String,
    /// Options after which the command is looked up elsewhere.
    #[serde(default)]
    pub elsewhere: String,
    /// Options that name a file which it writes.
    #[serde(default)]
    pub writes: String,
    /// Options that name the folder in which the command runs.
    #[serde(default)]
    pub folder: String,
    /// The only commands that it runs; any other word is a command of its own. Empty: it runs any.
    #[serde(default)]
    pub only: String,
    /// Commands of its own, although it runs any other.
    #[serde(default)]
    pub own: String,
    /// Effect without a command.
    #[serde(default)]
    pub alone: Alone,
    /// Source of its options.
    pub source: String,
}

/// Way in which an interpreter takes its code.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InterpreterSection {
    /// Options whose value is code, or a module that runs before the script.
    #[serde(default)]
    pub code: String,
    /// Options whose value names code that a rule can name too (`python -m pytest`).
    #[serde(default)]
    pub named: String,
    /// Options with which it runs nothing.
    #[serde(default)]
    pub asks: String,
    /// Options whose value is the script (`java -jar`).
    #[serde(default)]
    pub script: String,
    /// Source of its options.
    pub source: String,
}

/// Files of a program that a confined run of it needs, and settings that keep such a run from the network and from shared caches.
///
/// Nothing shared is written: what a confined run leaves in a cache, a later unconfined run would trust.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CachesSection {
    /// Places that it reads, each below the home folder: `~/.cargo/registry`.
    #[serde(default)]
    pub reads: Vec<String>,
    /// Variables, and the folder that each names below a cache of the run's own.
    #[serde(default)]
    pub private: BTreeMap<String, String>,
    /// Variables for a run without network.
    #[serde(default)]
    pub offline: BTreeMap<String, String>,
    /// Other programs with caches that it starts, or whose caches it uses.
    #[serde(default)]
    pub with: String,
    /// True if it starts whatever a project names, so that a run of it gets every program's caches.
    #[serde(default)]
    pub all: bool,
    /// Manual page or documentation that names them.
    #[serde(default)]
    pub source: String,
}

/// Expectations of an example: one, or several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shows(pub Vec<Example>);

/// Expectation of an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Example {
    /// Nothing beyond its ordinary work (`none`).
    None,
    /// Something that is not followed (`unparsed`).
    Unparsed,
    /// This effect.
    Effect(Does),
}

impl ProgramFile {
    /// Returns the file together with what it has from the file that it is like. Effects of some names stay with those names.
    #[must_use]
    pub fn with_base(&self, base: &Self) -> Self {
        let inherited = base.effects.iter().filter(|effect| effect.names.is_empty());
        Self {
            like: None,
            style: self.style.or(base.style),
            options: self.options.as_ref().or(base.options.as_ref()).cloned(),
            strict: self.strict.or(base.strict),
            mild: self.mild.or(base.mild),
            dash_prints: self.dash_prints.or(base.dash_prints),
            check: self.check.or(base.check),
            commands: self.commands.as_ref().or(base.commands.as_ref()).cloned(),
            caches: self.caches.as_ref().or(base.caches.as_ref()).cloned(),
            effects: inherited.chain(&self.effects).cloned().collect(),
            ..self.clone()
        }
    }

    /// Returns the file with what it has from the file that it is like, and its relatives among these files, which share effects.
    pub fn with_relatives(self, files: &[Self]) -> (Self, Vec<Self>) {
        let base = match &self.like {
            Some(like) => files.iter().find(|other| other.names.contains(like)),
            None => Some(&self),
        };
        let Some(base) = base.cloned() else { return (self, Vec::new()) };
        let is_relative = |other: &&Self| {
            let is_like = other.like.as_ref().is_some_and(|like| base.names.contains(like));
            other.names != self.names && (other.names == base.names || is_like)
        };
        let whole = |one: &Self| if one.like.is_some() { one.with_base(&base) } else { one.clone() };
        (whole(&self), files.iter().filter(is_relative).map(whole).collect())
    }

    /// Returns the options before the command; `None` for a program without commands.
    pub fn options_before(&self) -> Option<String> {
        let options = || placed(self.options.as_deref().unwrap_or_default());
        let has_commands =
            !self.words.is_empty() || options().any(|(place, _)| place == OptionPosition::Before);
        // What runs others has no command of its own.
        if !has_commands || self.options.is_none() || self.kind != ProgramClass::Ordinary {
            return None;
        }
        let of = |wanted: OptionPosition<'static>| {
            options().filter(move |(place, _)| *place == wanted).map(|(_, option)| option)
        };
        Some(of(OptionPosition::Before).chain(of(OptionPosition::Anywhere)).collect::<Vec<_>>().join(" "))
    }

    /// Returns the options that are read anywhere.
    pub fn options_anywhere(&self) -> String {
        let options = placed(self.options.as_deref().unwrap_or_default());
        let anywhere =
            options.filter(|(place, _)| *place == OptionPosition::Anywhere).map(|(_, option)| option);
        anywhere.collect::<Vec<_>>().join(" ")
    }

    /// Returns the options that are read behind some commands, with these commands.
    pub fn options_of_commands(&self) -> BTreeMap<String, String> {
        let mut all: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for (place, option) in placed(self.options.as_deref().unwrap_or_default()) {
            if let OptionPosition::Behind(commands) = place {
                all.entry(commands.replace('|', " ")).or_default().push(option);
            }
        }
        all.into_iter().map(|(commands, options)| (commands, options.join(" "))).collect()
    }
}

impl EffectSection {
    /// Returns the ways in which its arguments are unsafe.
    pub fn unsafe_args(&self) -> impl Iterator<Item = ArgEffect> {
        self.does.0.iter().filter_map(|does| match does {
            Does::Unsafe(effect) => Some(*effect),
            Does::Has(_) => None,
        })
    }

    /// Returns the kinds of effects that the command has.
    pub fn effect_kinds(&self) -> impl Iterator<Item = EffectKind> {
        self.does.0.iter().filter_map(|does| match does {
            Does::Has(kind) => Some(*kind),
            Does::Unsafe(_) => None,
        })
    }

    /// Returns the place of an installation.
    pub fn install_place(&self) -> InstallPlace {
        self.place.unwrap_or(InstallPlace::User)
    }

    /// Returns the patterns of `when`, with a bare `!` as any command but these.
    pub fn when_patterns(&self, commands: &str) -> String {
        let any_other = || format!("!{}", commands.split_whitespace().collect::<Vec<_>>().join(","));
        let mark = |mark: &str| if mark == "!" { any_other() } else { mark.to_owned() };
        self.when.split_whitespace().map(mark).collect::<Vec<_>>().join(" ")
    }
}

impl<'de> Deserialize<'de> for Example {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        match word.as_str() {
            "none" => Ok(Self::None),
            "unparsed" => Ok(Self::Unparsed),
            effect => Does::deserialize(effect.into_deserializer()).map(Self::Effect),
        }
    }
}

impl<'de> Deserialize<'de> for Shows {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expected = "an effect, \"none\", \"unparsed\", or a list of effects";
        OneOrMany::deserialize_items(deserializer, expected).map(Self)
    }
}

#[cfg(test)]
impl schemars::JsonSchema for Shows {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Shows".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let effect = generator.subschema_for::<Does>();
        let one = schemars::json_schema!({ "anyOf": [effect, { "enum": ["none", "unparsed"] }] });
        schemars::json_schema!({
            "description": "What an example shows: one thing, or several.",
            "anyOf": [one, { "type": "array", "items": one }]
        })
    }
}

fn help_and_version() -> String {
    "--help --version".to_owned()
}
