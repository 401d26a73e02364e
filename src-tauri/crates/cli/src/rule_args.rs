//! Arguments of rules and policies.

use crate::shared_args::{JsonOutput, parse_duration, parse_lifetime, parse_number, parse_rule_number};
use clap::{Args, Subcommand, ValueEnum};
use postern_policy::{Access, Class, Preset, Profile};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum RulesCommand {
    /// List rules
    List {
        /// Only rules of this agent and of everyone
        #[arg(long)]
        agent: Option<String>,
        /// Show those of another computer in your fleet, of a group, or of `all`
        #[arg(long, value_name = "NAME")]
        host: Option<String>,
        #[command(flatten)]
        json: JsonOutput,
    },
    /// Allow what a pattern matches, or reading a folder
    #[command(mut_arg("pattern", |pattern| pattern.required_unless_present("read")))]
    Allow(AllowRule),
    /// Deny what a pattern matches, through every wrapper, quoting and spelling, or files to every program
    #[command(mut_arg("pattern", |pattern| pattern.required_unless_present_any(["read", "write"])))]
    Deny(DenyRule),
    /// Remove a rule
    Remove {
        /// Number, as `rules list` prints it
        #[arg(value_parser = parse_rule_number, allow_negative_numbers = true)]
        id: i64,
    },
    /// Undo a renewal: its rules hold again for the program as it was before
    Undo {
        /// Number of the renewal, as the answer and `audit` print it
        #[arg(value_parser = parse_number::<i64>)]
        entry: i64,
    },
    /// Export rules
    Export {
        /// Only this agent's own
        #[arg(long)]
        agent: Option<String>,
        /// Format; exec-approval and openclaw export one agent's settings and allow rules
        #[arg(long, value_enum, default_value = "postern")]
        format: ExportFormat,
        /// For claude-code and codex: also write rules that allow more there
        #[arg(long)]
        broad: bool,
    },
    /// Add the rules of a file (`-` reads standard input): all of them, or none if one is refused
    Import {
        /// File, as `rules export` prints it
        file: PathBuf,
        /// Add every rule to this agent
        #[arg(long)]
        agent: Option<String>,
        /// Agent of an OpenClaw document [default: the one of the same name, or the only one]
        #[arg(long, value_name = "NAME")]
        of: Option<String>,
        /// Format; exec-approval and openclaw also set the agent's security, ask and fallback
        #[arg(long, value_enum, default_value = "postern")]
        format: RuleFileFormatArg,
        /// Save nothing; show what would be added
        #[arg(long)]
        check: bool,
        /// Confirm settings that allow what no one answered (askFallback: full) or everything (security: full)
        #[arg(long)]
        yes: bool,
        #[command(flatten)]
        json: JsonOutput,
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
pub(crate) enum RuleFileFormatArg {
    /// Postern's own
    Postern,
    /// The `execApproval` settings of an agent profile: security, ask, timeoutMs, askFallback, allowlist
    ExecApproval,
    /// OpenClaw's approvals document
    Openclaw,
}

/// An allow rule as it is typed.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct AllowRule {
    /// Folder that the agent may look around in besides its own, in confined runs (`~/notes`); in place of a pattern
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["pattern", "kind", "args", "pin", "writes", "broad", "confine", "any_input"])]
    pub(crate) read: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) rule: NewRuleArgs,
    /// Also allow redirections that write
    #[arg(long)]
    pub(crate) writes: bool,
    /// Cover everything the words cover, also arguments that run other programs or reach further
    #[arg(long)]
    pub(crate) broad: bool,
    /// Run what it allows with this profile; it then covers everything the words cover, as far as the profile holds it
    #[arg(long, value_enum, value_name = "PROFILE")]
    pub(crate) confine: Option<RuleProfile>,
    /// Allow only in this folder and below (`.` is the current one) [default: every folder]
    #[arg(long = "in", value_name = "FOLDER")]
    pub(crate) folder: Option<PathBuf>,
    /// Also cover any standard input
    #[arg(long)]
    pub(crate) any_input: bool,
    /// Allow only in the agent's own shell, not what Postern would run
    #[arg(long)]
    pub(crate) own_shell: bool,
}

/// A deny rule as it is typed.
#[derive(Debug, Args)]
pub(crate) struct DenyRule {
    /// Files that no program may read (`**/.env`); in place of a pattern
    #[arg(long, value_name = "FILES", conflicts_with_all = ["pattern", "kind", "args", "pin"])]
    pub(crate) read: Option<String>,
    /// Files that no program may write, move or delete (`~/Documents/**`); in place of a pattern
    #[arg(long, value_name = "FILES", conflicts_with_all = ["pattern", "kind", "args", "pin"])]
    pub(crate) write: Option<String>,
    #[command(flatten)]
    pub(crate) rule: NewRuleArgs,
}

/// A rule as it is typed.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct NewRuleArgs {
    /// Path with globs (`~/bin/*`), words of a command (`git push *`), or identity (`sha256:…`, `team:…`, `signing:…:…`)
    pub(crate) pattern: Option<String>,
    /// For this agent (or --everyone)
    #[arg(long, conflicts_with = "everyone")]
    pub(crate) agent: Option<String>,
    /// For every agent (or --agent)
    #[arg(long)]
    pub(crate) everyone: bool,
    /// Read the pattern as a path [default: if it has `/` or `~`]
    #[arg(long, group = "kind")]
    pub(crate) path: bool,
    /// Read the pattern as words of a command
    #[arg(long, group = "kind")]
    pub(crate) command: bool,
    /// Read the pattern as this exact command
    #[arg(long, group = "kind")]
    pub(crate) exact: bool,
    /// Read the pattern as an identity: a sha256, team:TEAMID, signing:TEAMID:ID or signing:platform:ID
    #[arg(long, group = "kind")]
    pub(crate) identity: bool,
    /// Argument patterns, one per word (`*` one word, a last `**` any further words)
    #[arg(long, value_name = "PATTERN", allow_hyphen_values = true)]
    pub(crate) args: Option<String>,
    /// Bind the rule to the program as it is now
    #[arg(long)]
    pub(crate) pin: bool,
    /// Lifetime: 15m, 1h, 7d
    #[arg(value_parser = parse_lifetime, long = "for", value_name = "DURATION")]
    pub(crate) lasts: Option<humantime::Duration>,
    /// Reason, shown with the rule
    #[arg(long)]
    pub(crate) why: Option<String>,
    /// Example that the rule must match, checked now
    #[arg(long, value_name = "COMMAND")]
    pub(crate) matches: Vec<String>,
    /// Example that the rule must not match, checked now
    #[arg(long, value_name = "COMMAND")]
    pub(crate) misses: Vec<String>,
    /// Save nothing; show which of the last requests it would match
    #[arg(long)]
    pub(crate) check: bool,
    #[command(flatten)]
    pub(crate) json: JsonOutput,
}

/// Profile of a rule's `--confine`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RuleProfile {
    /// Read, write nothing, and use no network
    Look,
    /// Write in the agent's folders only, and use no network unless the agent may
    Project,
    /// Run with your rights
    None,
}

impl RuleProfile {
    /// Returns the profile, if it is one.
    pub(crate) fn profile(self) -> Option<Profile> {
        match self {
            Self::Look => Some(Profile::Look),
            Self::Project => Some(Profile::Project),
            Self::None => None,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Policy {
    /// Judge each case of a file by its own policy; exit 1 if a verdict differs
    Test {
        /// File with one case per line (see docs/POLICY.md)
        cases: PathBuf,
        /// Resolve bare names to these absolute paths; no other program exists then
        #[arg(long, value_name = "MAP.json")]
        bins: Option<PathBuf>,
        #[command(flatten)]
        json: JsonOutput,
    },
    /// Count what a policy allows, asks and denies of commands that agents ran; needs no host
    Measure(Measure),
    /// Find rules that can never match, allow too much, could be turned against you, or do nothing; exit 1 if any
    Lint {
        /// Only rules of this agent and of everyone [default: all]
        #[arg(long)]
        agent: Option<String>,
        #[command(flatten)]
        json: JsonOutput,
    },
    /// Judge recorded requests again, by the current rules or those of a file; changes nothing
    Replay {
        /// Only within this time: 2h, 7d
        #[arg(value_parser = parse_duration, long, value_name = "DURATION", default_value = "7d")]
        since: humantime::Duration,
        /// Judge by this file instead of the current rules: as `rules export` prints it, or a permissions.jsonc
        #[arg(long, value_name = "FILE")]
        with: Option<PathBuf>,
        /// Only of this agent
        #[arg(long)]
        agent: Option<String>,
        #[command(flatten)]
        json: JsonOutput,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Programs {
    /// Check a file about a program and run its examples
    Check {
        /// File
        file: PathBuf,
        #[command(flatten)]
        json: JsonOutput,
    },
    /// Show what is known about a program
    Show {
        /// Program name
        name: String,
        #[command(flatten)]
        json: JsonOutput,
    },
    /// List known programs
    List {
        #[command(flatten)]
        json: JsonOutput,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Measure {
    /// File with one command per line, in order: {"project": …, "cwd": …, "shell": …}; `-` reads standard input
    pub(crate) commands: PathBuf,
    /// Preset of the agent [default: ask]
    #[arg(long, value_enum)]
    pub(crate) preset: Option<PresetName>,
    /// Set a class of effects: look=allow, files=allow, build=allow, network=deny and so on; each command's folder is the agent's
    #[arg(long = "class", value_name = "CLASS=ACCESS", value_parser = parse_class)]
    pub(crate) classes: Vec<(Class, Access)>,
    /// Judge as commands of the agent's own shell, not of the host
    #[arg(long)]
    pub(crate) own_shell: bool,
    /// File of rules, as `rules export` prints it
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Option<PathBuf>,
    /// Allow rule
    #[arg(long, value_name = "PATTERN")]
    pub(crate) allow: Vec<String>,
    /// Deny rule
    #[arg(long, value_name = "PATTERN")]
    pub(crate) deny: Vec<String>,
    /// Your answer to each question: once, or the first offer, kept for the project
    #[arg(long, value_enum, default_value = "none")]
    pub(crate) always: Answers,
    /// Home folder in the commands [default: /Users/u]
    #[arg(long, value_name = "DIR")]
    pub(crate) home: Option<String>,
    /// List each command that is asked about or denied, with the reason and the first offer
    #[arg(long)]
    pub(crate) list: bool,
    #[command(flatten)]
    pub(crate) json: JsonOutput,
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
    /// The first offer, if there is one
    Offer,
}

/// Reads a class with what is done about it (`look=allow`).
fn parse_class(text: &str) -> Result<(Class, Access), String> {
    let (name, access) =
        text.split_once('=').ok_or("a class is set as CLASS=allow, CLASS=ask or CLASS=deny")?;
    let known = || Class::ALL.map(Class::name).join(", ");
    let class =
        Class::from_name(name).ok_or_else(|| format!("{name} is no class; these are: {}", known()))?;
    let access =
        Access::from_name(access).ok_or_else(|| format!("{name} is allow, ask or deny, not {access}"))?;
    Ok((class, access))
}

#[cfg(test)]
mod tests {
    use super::{Access, Class, parse_class};

    #[test]
    fn a_class_that_is_not_there_is_named_with_what_is() {
        assert_eq!(parse_class("look=allow"), Ok((Class::Look, Access::Allow)));
        assert_eq!(parse_class("secrets=deny"), Ok((Class::Secrets, Access::Deny)));
        for (text, part) in [
            ("everything=ask", "these are: look, files, build"),
            ("look=yes", "look is allow, ask or deny"),
            ("look", "CLASS=allow"),
        ] {
            let error = parse_class(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
