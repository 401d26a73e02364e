//! What can be typed about rules and policies.

use crate::args::Json;
use clap::{Args, Subcommand, ValueEnum};
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
        format: Format,
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
