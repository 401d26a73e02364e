//! The words that a file uses besides effects.

use serde::{Deserialize, Serialize};

/// Kind of program that a name stands for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum ProgramClass {
    /// Does its own work.
    #[default]
    Ordinary,
    /// Runs shell text.
    Shell,
    /// Runs code in a language of its own.
    Interpreter,
    /// Runs another program that is named in its arguments.
    Wrapper,
    /// Many programs in one file, told apart by name (`busybox`).
    Multicall,
}

/// Spelling of a program's options.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Style {
    /// `-ab`, `-o FILE`, `-oFILE`, `--output=FILE`, and every abbreviation of a long name.
    #[default]
    Getopt,
    /// `getopt`, and letters without a dash in the first word (`tar xf`).
    Bundled,
    /// A word for each option, with one dash or two (`find -name`, `go -exec`).
    Words,
}

/// Change that a wrapper makes to the program that it runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Power {
    /// No change that matters here (`nohup`, `nice`, `time`, plain `env`): a rule for the inner program
    /// covers it.
    #[default]
    Transparent,
    /// Another user or more rights (`sudo`, `doas`, `su`): a rule for the inner program does not cover it.
    Elevated,
    /// Another machine, container or search path (`ssh`, `docker exec`, `env -P`): what runs cannot be looked up here.
    Elsewhere,
}

/// A word before the program that a wrapper runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Operand {
    /// A file or folder.
    Path,
    /// A file that it makes if there is none.
    Made,
    /// Digits and what goes with them in a time, a priority, a processor list or a mask.
    Number,
}

/// Effect of a wrapper without a program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Alone {
    /// Nothing that counts: it prints, waits, or runs `echo`.
    Harmless,
    /// Starts a shell, or does something that is not followed.
    #[default]
    Doubt,
}

/// A check in code of what a pattern cannot say about arguments (`programs/checks` in `postern-command`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum ArgumentCheck {
    /// No check, where `like` would bring one.
    None,
    /// Formulas from elsewhere are code.
    Brew,
    /// Verbs of clouds and clusters.
    Cloud,
    /// Settings that choose programs.
    Cmake,
    /// Requirements are written to a file.
    Codesign,
    /// Addresses, and where the answer is written.
    Curl,
    /// Setting the clock.
    Date,
    /// Paths that files are put to, taken from and changed at.
    Files,
    /// Methods of calls, and files that are sent as text.
    Gh,
    /// Aliases, configuration and merge strategies.
    Git,
    /// The environment in a filter.
    Jq,
    /// Sending what a command prints with a look-up.
    Lookup,
    /// Changing the network.
    Network,
    /// Settings that are changed for all projects.
    Npm,
    /// More than showing a certificate.
    Openssl,
    /// Converting a file in place.
    Plutil,
    /// Running a program that is no script.
    Pnpm,
    /// Generators by name.
    Protoc,
    /// Environments of other programs.
    Ps,
    /// The file that a runtime is given.
    Script,
    /// Commands of a script of sed.
    Sed,
    /// Archives elsewhere.
    Tar,
    /// Letters that write.
    Tree,
    /// Variables that a makefile may run.
    Variables,
    /// Addresses, and where the answer is written.
    Wget,
    /// Build settings.
    Xcodebuild,
}

/// A check in code of what only reads (`programs/read_only/shapes.rs` in `postern-command`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum ReadCheck {
    /// A program that only prints.
    Awk,
    /// No formula by its path.
    Brew,
    /// Signatures that are displayed or verified.
    Codesign,
    /// Uses that do not set the clock.
    Date,
    /// No device.
    Devices,
    /// Local packages only.
    Gem,
    /// No browser.
    Gh,
    /// Subcommands by how they are written.
    Git,
    /// No other cluster.
    Helm,
    /// No operand.
    Hostname,
    /// No secret and no file.
    Kubectl,
    /// Pages by name.
    Man,
    /// No property list.
    Mdls,
    /// Packages of the registry only.
    Npm,
    /// A certificate that is shown.
    Openssl,
    /// Options that say what is listed.
    Pip,
    /// Lists that are printed or checked.
    Plutil,
    /// An archive that is listed.
    Tar,
    /// A single operand.
    Uniq,
    /// An expression that reads nothing else.
    Yq,
}
