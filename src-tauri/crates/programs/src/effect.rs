//! Effects of a command: the words of `does`.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{self, Deserializer, IntoDeserializer, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

/// Word of `does`: an effect of an argument beyond the program's ordinary work, or of a command on the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(untagged)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Does {
    /// The argument is unsafe: a rule has to name it.
    Unsafe(ArgEffect),
    /// The command has this effect.
    Has(EffectKind),
}

/// Words of `does`: one, or a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllDoes(pub Vec<Does>);

/// Effect that an argument gives to a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum ArgEffect {
    /// Runs a program that is named in the arguments.
    Runs,
    /// Hands a text to a shell.
    Shell,
    /// Runs code of the program's own language, which can do anything.
    Code,
    /// Runs code that is found by its name, as a module or a script.
    NamedCode,
    /// Loads a library, plugin or module.
    Loads,
    /// Sets or reads settings that can run programs.
    Config,
    /// Works with another folder, whose settings can run programs.
    Folder,
    /// Fetches a program and runs it.
    Fetches,
    /// Runs something on another machine or in a container.
    Remote,
    /// Opens an application or an editor.
    Opens,
    /// Writes a file.
    Writes,
    /// Writes what other programs run or read by themselves.
    Plants,
    /// Lets a file run with its owner's rights.
    Elevates,
    /// Removes what it finds.
    Deletes,
    /// Sends data away.
    Sends,
    /// Reads another file than its operands.
    Reads,
    /// Reads or changes passwords and keys.
    Secrets,
    /// Changes settings of the machine or of a service.
    Changes,
    /// Opens a port.
    Serves,
    /// Leads out of the working directory, by the option's name.
    Outside,
    /// Is an option that is not known of a program whose harmless options are all known.
    Unlisted,
    /// Is a pattern that could match a file whose name is an option.
    Pattern,
    /// Is known only at run time, and could be an option or a subcommand.
    RunTime,
}

/// Kind of an effect of a command. Each is explained at `CommandEffect` in `postern-command`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum EffectKind {
    /// Reads files.
    Read,
    /// Writes files.
    Write,
    /// Deletes files.
    Delete,
    /// Runs code of the project; `says` is a noun.
    RunProjectCode,
    /// Runs code that is part of the request; `says` is the language.
    RunInlineCode,
    /// Runs code that it downloads.
    RunDownloadedCode,
    /// Installs packages, in `place`.
    Install,
    /// Fetches from hosts or remotes.
    Fetch,
    /// Sends data to hosts or remotes; `says` is a verb phrase.
    Send,
    /// Publishes for everybody; `says` is a noun.
    Publish,
    /// Changes a repository; `says` is a verb phrase.
    ChangeRepository,
    /// Runs on another machine, in a container or in a cluster; `says` is a phrase.
    RunElsewhere,
    /// Changes this machine, or something that a server keeps; `says` is a verb phrase.
    ChangeSystem,
    /// Controls another application; `says` is a verb phrase.
    ControlApp,
    /// Uses keys, passwords or tokens; `says` is a verb phrase.
    UseSecret,
    /// Offers a port; `says` is a verb phrase.
    Serve,
}

/// Operands that an effect is about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Of {
    #[default]
    None,
    /// All of them behind the command that `when` names.
    All,
    /// The first of them.
    First,
    /// All but the first.
    Rest,
    /// The last.
    Last,
    /// Those behind `--`; all of them if there is none.
    Paths,
    /// Paths that are found below the first operand, or below the current folder.
    Found,
    /// The machines among them.
    Hosts,
    /// The command itself.
    Verb,
}

/// Place of an installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum InstallPlace {
    /// The project.
    Project,
    /// The user's own programs.
    User,
    /// The whole machine.
    System,
}

/// Answer to the question whether an effect can be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Reversible {
    Yes,
    No,
    Unknown,
}

/// Reach of an effect, the narrowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum EffectScope {
    /// The agent's folders and temporary ones.
    Inside,
    /// Other folders of the person.
    Outside,
    /// This machine: the system, its settings, its programs.
    Machine,
    /// Other machines.
    Remote,
}

impl ArgEffect {
    /// Returns whether commands may stand in the arguments, which deny rules then look at.
    pub fn holds_commands(self) -> bool {
        matches!(
            self,
            Self::Runs | Self::Shell | Self::Code | Self::Config | Self::Fetches | Self::Remote | Self::Opens
        )
    }

    /// Returns whether a program that no reader sees may be started by it: the doubt that guards deny rules.
    ///
    /// A library or a module is a file, which no deny rule looks into; a word that is known only at run time is a doubt of
    /// its own where it stands for a program.
    pub fn may_start_programs(self) -> bool {
        match self {
            Self::Folder
            | Self::Plants
            | Self::Elevates
            | Self::NamedCode
            | Self::Unlisted
            | Self::Pattern
            | Self::Runs
            | Self::Shell
            | Self::Code
            | Self::Config
            | Self::Fetches
            | Self::Remote
            | Self::Opens => true,
            Self::Loads
            | Self::Writes
            | Self::Deletes
            | Self::Sends
            | Self::Reads
            | Self::Secrets
            | Self::Changes
            | Self::Serves
            | Self::Outside
            | Self::RunTime => false,
        }
    }
}

impl EffectKind {
    /// Returns true if an effect of this kind is told by its words, which `says` gives.
    pub fn needs_words(self) -> bool {
        match self {
            Self::RunProjectCode
            | Self::RunInlineCode
            | Self::Send
            | Self::Publish
            | Self::ChangeRepository
            | Self::RunElsewhere
            | Self::ChangeSystem
            | Self::ControlApp
            | Self::UseSecret
            | Self::Serve => true,
            Self::Read
            | Self::Write
            | Self::Delete
            | Self::RunDownloadedCode
            | Self::Install
            | Self::Fetch => false,
        }
    }

    /// Returns the reach and reversibility of most effects of this kind; the reach `None` is that of its paths.
    pub fn usual_reach(self, place: InstallPlace) -> (Option<EffectScope>, Reversible) {
        use Reversible::{No, Unknown, Yes};
        match self {
            Self::Read => (None, Yes),
            Self::Write => (None, Unknown),
            Self::Delete => (None, No),
            Self::RunProjectCode | Self::RunInlineCode => (Some(EffectScope::Inside), Unknown),
            Self::RunDownloadedCode | Self::Fetch | Self::Send | Self::RunElsewhere => {
                (Some(EffectScope::Remote), Unknown)
            }
            Self::Publish => (Some(EffectScope::Remote), No),
            Self::ChangeRepository => (Some(EffectScope::Inside), Yes),
            Self::Serve => (Some(EffectScope::Machine), Yes),
            Self::ChangeSystem => (Some(EffectScope::Machine), Unknown),
            Self::ControlApp | Self::UseSecret => (Some(EffectScope::Machine), No),
            Self::Install => match place {
                InstallPlace::Project => (Some(EffectScope::Inside), Yes),
                InstallPlace::User => (Some(EffectScope::Machine), Yes),
                InstallPlace::System => (Some(EffectScope::Machine), No),
            },
        }
    }
}

impl Does {
    /// Every word, for the error about another one.
    const WORDS: &'static [&'static str] = &[
        "runs", "shell", "code", "named-code", "loads", "config", "folder", "fetches", "remote", "opens",
        "writes", "plants", "elevates", "deletes", "sends", "reads", "secrets", "changes", "serves",
        "outside", "unlisted", "pattern", "run-time", "read", "write", "delete", "run-project-code",
        "run-inline-code", "run-downloaded-code", "install", "fetch", "send", "publish", "change-repository",
        "run-elsewhere", "change-system", "control-app", "use-secret", "serve",
    ];
}

impl<'de> Deserialize<'de> for Does {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        let reader = || IntoDeserializer::<de::value::Error>::into_deserializer(word.as_str());
        let effect = || EffectKind::deserialize(reader()).map(Self::Has);
        let found = ArgEffect::deserialize(reader()).map(Self::Unsafe).or_else(|_| effect());
        found.map_err(|_| de::Error::unknown_variant(&word, Self::WORDS))
    }
}

impl<'de> Deserialize<'de> for AllDoes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        OneOrMany::deserialize_items(deserializer, "what it does, or a list of that").map(Self)
    }
}

/// A value, or a list of values.
pub(crate) struct OneOrMany<T> {
    expected: &'static str,
    kind: PhantomData<T>,
}

impl<'de, T: Deserialize<'de>> OneOrMany<T> {
    /// Reads one value or a list, or says what was expected.
    pub(crate) fn deserialize_items<D: Deserializer<'de>>(
        deserializer: D,
        expected: &'static str,
    ) -> Result<Vec<T>, D::Error> {
        deserializer.deserialize_any(Self { expected, kind: PhantomData })
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for OneOrMany<T> {
    type Value = Vec<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.expected)
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<Vec<T>, E> {
        T::deserialize(word.into_deserializer()).map(|one| vec![one])
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut words: A) -> Result<Vec<T>, A::Error> {
        let mut all = Vec::new();
        while let Some(one) = words.next_element()? {
            all.push(one);
        }
        Ok(all)
    }
}

#[cfg(test)]
impl schemars::JsonSchema for AllDoes {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "AllDoes".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let one = generator.subschema_for::<Does>();
        schemars::json_schema!({
            "description": "What a command does: one word, or several.",
            "anyOf": [one, { "type": "array", "items": one, "minItems": 1 }]
        })
    }
}
