//! What can be typed about rules and policies.

use crate::args::Json;
use clap::{Args, Subcommand, ValueEnum};
use postern_policy::Preset;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum Rules {
    /// Every rule, or an agent's
    List {
        /// The agent's and everyone's
        #[arg(long)]
        agent: Option<String>,
        #[command(flatten)]
        json: Json,
    },
    /// Allow what a pattern matches
    Allow(NewRule),
    /// Deny what a pattern matches, through every wrapper, quoting and spelling
    Deny(NewRule),
    /// Remove a rule
    Remove {
        /// Its number, as `rules list` prints it
        #[arg(allow_negative_numbers = true)]
        id: i64,
    },
    /// Undo a renewal: its rules hold again for the program as it was before
    Undo {
        /// The renewal's number, as the answer and `audit` print it
        entry: i64,
    },
    /// Print rules as a file
    Export {
        /// An agent's own
        #[arg(long)]
        agent: Option<String>,
        /// The format; exec-approval and openclaw are one agent's settings and what it is allowed
        #[arg(long, value_enum, default_value = "postern")]
        format: ExportFormat,
        /// For claude-code and codex: also write rules that allow more there
        #[arg(long)]
        broad: bool,
    },
    /// Add the rules of a file (`-` reads standard input): all of them, or, where one is refused, none
    Import {
        /// The file, as `rules export` prints it
        file: PathBuf,
        /// Give every rule to this agent
        #[arg(long)]
        agent: Option<String>,
        /// In an OpenClaw document, which of its agents is meant [default: the one of the same name, or the only one]
        #[arg(long, value_name = "NAME")]
        of: Option<String>,
        /// The format; exec-approval and openclaw also set the agent's security, ask and fallback
        #[arg(long, value_enum, default_value = "postern")]
        format: Format,
        /// Only look: nothing is saved
        #[arg(long)]
        check: bool,
        /// Yes, also where it lets run what nobody answered (askFallback: full), or everything (security: full)
        #[arg(long)]
        yes: bool,
        #[command(flatten)]
        json: Json,
    },
}

/// The format that rules are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// Postern's own
    Postern,
    /// The `execApproval` settings of an agent profile
    ExecApproval,
    /// OpenClaw's approvals document
    Openclaw,
    /// `permissions` of Claude Code's settings
    ClaudeCode,
    /// Codex's `prefix_rule`
    Codex,
}

/// The format of a file of rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Postern's own
    Postern,
    /// The `execApproval` settings of an agent profile: security, ask, timeoutMs, askFallback, allowlist
    ExecApproval,
    /// OpenClaw's approvals document
    Openclaw,
}

/// A rule as it is typed.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct NewRule {
    /// A path with globs (`~/bin/*`), words of a command (`git push *`), or an identity (`sha256:…`, `team:…`, `signing:…:…`)
    pub(crate) pattern: String,
    /// For this agent (or --everyone)
    #[arg(long, conflicts_with = "everyone")]
    pub(crate) agent: Option<String>,
    /// For every agent (or --agent)
    #[arg(long)]
    pub(crate) everyone: bool,
    /// The pattern is a path (told by `/` or `~` where nothing is said)
    #[arg(long, group = "kind")]
    pub(crate) path: bool,
    /// The pattern is the words of a command
    #[arg(long, group = "kind")]
    pub(crate) command: bool,
    /// The pattern is this command, exactly
    #[arg(long, group = "kind")]
    pub(crate) exact: bool,
    /// The pattern is an identity: a sha256, team:TEAMID, signing:TEAMID:ID or signing:platform:ID
    #[arg(long, group = "kind")]
    pub(crate) identity: bool,
    /// Argument patterns, one a word (`*` one word, a last `**` any further)
    #[arg(long, value_name = "PATTERN", allow_hyphen_values = true)]
    pub(crate) args: Option<String>,
    /// Bind it to the program as it is now
    #[arg(long)]
    pub(crate) pin: bool,
    /// Also allow redirections that write
    #[arg(long)]
    pub(crate) writes: bool,
    /// Yes, everything that the words cover, also arguments that run something else or reach further: the rule is broad
    #[arg(long)]
    pub(crate) broad: bool,
    /// Allow only in this folder and below (`.` is the current one); in every folder by default
    #[arg(long = "in", value_name = "FOLDER")]
    pub(crate) folder: Option<PathBuf>,
    /// Also cover any standard input
    #[arg(long)]
    pub(crate) any_input: bool,
    /// It allows in the agent's own shell alone, and nothing that Postern would run
    #[arg(long)]
    pub(crate) own_shell: bool,
    /// How long it lasts (15m, 1h, 7days)
    #[arg(long = "for", value_name = "DURATION")]
    pub(crate) lasts: Option<humantime::Duration>,
    /// Why it exists
    #[arg(long)]
    pub(crate) why: Option<String>,
    /// A command that it must match, checked now
    #[arg(long, value_name = "COMMAND")]
    pub(crate) matches: Vec<String>,
    /// A command that it must not match, checked now
    #[arg(long, value_name = "COMMAND")]
    pub(crate) misses: Vec<String>,
    /// Only look: say what it would match of the last requests, and save nothing
    #[arg(long)]
    pub(crate) check: bool,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Policy {
    /// Judge each case of a file against its own little policy; exits 1 if any comes out otherwise
    Test {
        /// One case a line (see docs/POLICY.md)
        cases: PathBuf,
        /// Bare names and the absolute paths that they resolve to; nothing else exists then
        #[arg(long, value_name = "MAP.json")]
        bins: Option<PathBuf>,
        #[command(flatten)]
        json: Json,
    },
    /// Count what a policy allows, asks and denies of commands that agents ran; needs no host
    Measure(Measure),
    /// Name rules that can never match, allow too much, could be turned against you, or do nothing; exits 1 if any
    Lint {
        /// The agent's and everyone's [default: all]
        #[arg(long)]
        agent: Option<String>,
        #[command(flatten)]
        json: Json,
    },
    /// Judge recorded requests again, by the rules as they are or as a file would have them; changes nothing
    Replay {
        /// Those of the last 2h, 7days
        #[arg(long, value_name = "DURATION", default_value = "7d")]
        since: humantime::Duration,
        /// Judge by this file instead of the rules there are: as `rules export` prints it, or a permissions.jsonc
        #[arg(long, value_name = "FILE")]
        with: Option<PathBuf>,
        /// Those of this agent
        #[arg(long)]
        agent: Option<String>,
        #[command(flatten)]
        json: Json,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Programs {
    /// Check a file about a program, and run its examples
    Check {
        /// The file
        file: PathBuf,
        #[command(flatten)]
        json: Json,
    },
    /// Show what is known about a program
    Show {
        /// Its name
        name: String,
        #[command(flatten)]
        json: Json,
    },
    /// List the programs that something is known about
    List {
        #[command(flatten)]
        json: Json,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Measure {
    /// One command per line, in order: {"project": …, "cwd": …, "shell": …}; `-` reads standard input
    pub(crate) commands: PathBuf,
    /// The agent's preset [default: ask]
    #[arg(long, value_enum)]
    pub(crate) preset: Option<PresetName>,
    /// Allow what only reads (allow-read-only=on)
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Set a class of effects; today `look=allow` and `look=ask`, which are --read-only and its absence
    #[arg(long = "class", value_name = "CLASS=DECISION", value_parser = class)]
    pub(crate) classes: Vec<Class>,
    /// The commands run in the agent's own shell, not on the host
    #[arg(long)]
    pub(crate) own_shell: bool,
    /// Rules, as `rules export` prints them
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Option<PathBuf>,
    /// An allow rule
    #[arg(long, value_name = "PATTERN")]
    pub(crate) allow: Vec<String>,
    /// A deny rule
    #[arg(long, value_name = "PATTERN")]
    pub(crate) deny: Vec<String>,
    /// The person's answer to each question: once, or the first offer, kept for the project
    #[arg(long, value_enum, default_value = "none")]
    pub(crate) always: Answers,
    /// The home folder in the commands [default: /Users/u]
    #[arg(long, value_name = "DIR")]
    pub(crate) home: Option<String>,
    #[command(flatten)]
    pub(crate) json: Json,
}

/// A preset by its name.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum PresetName {
    Deny,
    Ask,
    Allow,
}

impl From<PresetName> for Preset {
    fn from(name: PresetName) -> Self {
        match name {
            PresetName::Deny => Self::Deny,
            PresetName::Ask => Self::Ask,
            PresetName::Allow => Self::Allow,
        }
    }
}

/// The person's answers in a measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Answers {
    /// Always once
    None,
    /// The first offer, where there is one
    Offer,
}

/// A class of effects with its decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// What only reads is allowed.
    LookAllow,
    /// What only reads is asked about.
    LookAsk,
}

fn class(text: &str) -> Result<Class, String> {
    match text.split_once('=') {
        Some(("look", "allow")) => Ok(Class::LookAllow),
        Some(("look", "ask")) => Ok(Class::LookAsk),
        Some(("look", other)) => Err(format!("look={other} cannot be set: look is allow or ask")),
        Some((class, _)) => Err(format!("the class {class} is not there yet: only look is (look=allow)")),
        None => Err("a class is set as CLASS=DECISION (look=allow)".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Class, class};

    #[test]
    fn a_class_that_is_not_there_is_named_with_what_is() {
        assert_eq!(class("look=allow"), Ok(Class::LookAllow));
        for (text, part) in [
            ("share=ask", "the class share is not there yet: only look is"),
            ("look=deny", "look is allow or ask"),
            ("look", "CLASS=DECISION"),
        ] {
            let error = class(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
