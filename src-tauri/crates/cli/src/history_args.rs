//! Arguments of `postern history`.

use crate::shared_args::{JsonOutput, parse_duration, parse_number};
use clap::Args;
use postern_protocol::RunState;

fn parse_state(name: &str) -> Result<RunState, String> {
    let names = || RunState::ALL.map(RunState::name).join(", ");
    RunState::from_name(name).ok_or_else(|| format!("the state is one of {}", names()))
}

fn effect(name: &str) -> Result<&'static str, String> {
    let names = || postern_command::CommandEffect::KINDS.join(", ");
    postern_command::CommandEffect::kind_named(name)
        .ok_or_else(|| format!("the effect is one of {}", names()))
}

#[derive(Debug, Args)]
pub(crate) struct History {
    /// Only requests of this agent
    #[arg(long)]
    pub(crate) agent: Option<String>,
    /// Only requests in this state: asking, running, finished, failed, denied (or cancelled before they ran)
    #[arg(long, value_parser = parse_state)]
    pub(crate) state: Option<RunState>,
    /// Only requests within this time: 2h, 7d
    #[arg(value_parser = parse_duration, long, value_name = "DURATION")]
    pub(crate) since: Option<humantime::Duration>,
    /// Only requests with an effect of this kind: read, write, delete, send, publish, install, use-secret, …
    #[arg(long, value_name = "KIND", value_parser = effect)]
    pub(crate) effect: Option<&'static str>,
    /// Only requests with these words in the command
    #[arg(long, value_name = "WORDS")]
    pub(crate) search: Option<String>,
    /// Only requests with this text in the output. Looks through the newest output of this computer
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["agent", "state", "since", "effect", "search", "host", "watch"])]
    pub(crate) output: Option<String>,
    /// Show those of another computer in your fleet, of a group, or of `all`
    #[arg(long, value_name = "NAME", conflicts_with = "watch")]
    pub(crate) host: Option<String>,
    /// Maximum number of requests, or of past events with --watch
    #[arg(long, default_value_t = 20, value_parser = parse_number::<u32>)]
    pub(crate) limit: u32,
    /// Keep running; print each step of every request, and unknown clients of integrations (with --json: JSON Lines).
    /// Begins with the newest `--limit` events, or all of `--since`
    #[arg(long, conflicts_with_all = ["state", "effect", "search"])]
    pub(crate) watch: bool,
    /// Show the secrets in the commands, too. Those of other computers stay there
    #[arg(long, conflicts_with = "host")]
    pub(crate) secrets: bool,
    /// Show whole commands, also those too long for a line of the terminal
    #[arg(long, conflicts_with = "json")]
    pub(crate) full: bool,
    /// With --watch: only events after this `sequence`
    #[arg(long, value_name = "SEQUENCE", value_parser = parse_number::<i64>, requires = "watch", conflicts_with = "since")]
    pub(crate) after: Option<i64>,
    #[command(flatten)]
    pub(crate) json: JsonOutput,
}
