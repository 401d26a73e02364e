//! The format of a file about a program.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{self, Deserializer, IntoDeserializer, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

use crate::problem::{FileError, Problem, problems};
use crate::{Alone, ArgEffect, Check, Class, Operand, Power, ReadCheck, Style};

/// What is known about a program, or about a family of programs that are used alike.
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
    /// What kind of program it is.
    #[serde(default)]
    pub kind: Class,
    /// Some of `names`: GNU tools that Homebrew and BSD ports install with a leading `g`.
    #[serde(default)]
    pub gnu: String,
    /// How its options are spelled.
    pub style: Option<Style>,
    /// Its options, or its options by place.
    pub options: Option<Options>,
    /// True if `options` lists every harmless option: any other is then asked about.
    pub strict: Option<bool>,
    /// True if its effects are so mild that an argument known only at run time is no danger.
    pub mild: Option<bool>,
    /// True if `-o -` prints.
    pub dash_prints: Option<bool>,
    /// A check in code of what a pattern cannot say.
    pub check: Option<Check>,
    /// How many words name the action, by the word behind the program; `*` for any other word.
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
    /// What only reads.
    #[serde(default)]
    pub reads: Reads,
    /// Arguments by which it does more than its ordinary work.
    #[serde(default, rename = "effect")]
    pub effects: Vec<Effect>,
    /// How it begins the command that it runs.
    pub wrapper: Option<Wrapper>,
    /// How it is given its code.
    pub interpreter: Option<Interpreter>,
    /// Command lines, and what they show.
    #[serde(default)]
    pub examples: BTreeMap<String, Shows>,
}

/// Options with what each takes: `-n` nothing, `-n:` a value, `-n?` the rest of its word.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "a text of options, or a table of such texts by place")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Options {
    /// Those that are read alike everywhere.
    Everywhere(String),
    /// By place: `before` the command, `*` behind it, or behind the commands that the key names.
    ByPlace(BTreeMap<String, String>),
}

/// One effect: by which arguments, and which.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Effect {
    /// Patterns of arguments, one a word.
    pub when: String,
    /// The effect.
    pub does: ArgEffect,
    /// Manual page, project documentation, GTFOBins page or advisory.
    pub source: String,
}

/// Which of its commands only read, where no argument has an effect.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Reads {
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

/// How a wrapper begins the command that it runs.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Wrapper {
    /// What it changes about that command.
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
    /// What it does when no command is named.
    #[serde(default)]
    pub alone: Alone,
    /// Where its options are documented.
    pub source: String,
}

/// How an interpreter is given its code.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Interpreter {
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
    /// Where its options are documented.
    pub source: String,
}

/// What an example shows: one thing, or several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shows(pub Vec<Example>);

/// One thing that an example shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Example {
    /// Nothing but its ordinary work (`none`).
    None,
    /// Something that is not followed (`unparsed`).
    Unparsed,
    /// This effect.
    Effect(ArgEffect),
}

impl ProgramFile {
    /// Reads a file and checks what it says.
    pub fn parse(text: &str) -> Result<Self, FileError> {
        let file: Self = toml::from_str(text).map_err(|error| FileError::Format(error.to_string()))?;
        let found = problems(&file);
        if found.is_empty() { Ok(file) } else { Err(FileError::Content(found)) }
    }

    /// Reads a file that a person wrote, which may only describe: what it says adds effects and takes none away.
    pub fn parse_own(text: &str) -> Result<Self, FileError> {
        let file = Self::parse(text)?;
        let Self { names, style, options, words, effects, examples, .. } = file.clone();
        let described = Self { names, style, options, words, effects, examples, ..Self::default() };
        if described == file { Ok(file) } else { Err(FileError::Content(vec![Problem::NotForOwn])) }
    }

    /// Returns the options before the command; `None` if nothing is said about them apart from others.
    pub fn options_before(&self) -> Option<&str> {
        match &self.options {
            Some(Options::ByPlace(places)) => places.get("before").map(String::as_str),
            // What runs others has no command of its own.
            Some(Options::Everywhere(options)) => {
                Some(options.as_str()).filter(|_| self.kind == Class::Ordinary)
            }
            None => None,
        }
    }

    /// Returns the options that are read behind any command.
    pub fn options_behind(&self) -> &str {
        match &self.options {
            Some(Options::Everywhere(options)) => options,
            Some(Options::ByPlace(places)) => places.get("*").map(String::as_str).unwrap_or_default(),
            None => "",
        }
    }

    /// Returns the options that are read behind some commands, with these commands.
    pub fn options_of_commands(&self) -> impl Iterator<Item = (&str, &str)> {
        let places = match &self.options {
            Some(Options::ByPlace(places)) => Some(places),
            Some(Options::Everywhere(_)) | None => None,
        };
        let all = places.into_iter().flatten().map(|(place, options)| (place.as_str(), options.as_str()));
        all.filter(|(place, _)| !["before", "*"].contains(place))
    }
}

impl Effect {
    /// Returns the patterns of `when`, with a bare `!` as any command but these.
    pub fn marks(&self, commands: &str) -> String {
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
            effect => ArgEffect::deserialize(effect.into_deserializer()).map(Self::Effect),
        }
    }
}

impl<'de> Deserialize<'de> for Shows {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OneOrMany)
    }
}

struct OneOrMany;

impl<'de> Visitor<'de> for OneOrMany {
    type Value = Shows;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an effect, \"none\", \"unparsed\", or a list of effects")
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<Shows, E> {
        Example::deserialize(word.into_deserializer()).map(|one| Shows(vec![one]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut words: A) -> Result<Shows, A::Error> {
        let mut all = Vec::new();
        while let Some(one) = words.next_element()? {
            all.push(one);
        }
        Ok(Shows(all))
    }
}

#[cfg(test)]
impl schemars::JsonSchema for Shows {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Shows".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let effect = generator.subschema_for::<ArgEffect>();
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
