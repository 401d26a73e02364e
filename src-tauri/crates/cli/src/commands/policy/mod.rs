//! `postern policy …`

mod lint;
mod measure;
mod replay;
mod test;

use crate::failure::Failure;
use crate::link::HostLink;
use crate::rule_args::Policy;

/// Runs the command. `link` connects to the host, if one is needed.
pub(crate) fn run(command: Policy, link: impl FnOnce() -> Result<HostLink, Failure>) -> Result<(), Failure> {
    match command {
        Policy::Measure(asked) => measure::run(&asked),
        Policy::Test { cases, bins, json } => test::run(&cases, bins.as_deref(), json),
        Policy::Lint { agent, json } => lint::run(&mut link()?, agent.as_deref(), json),
        Policy::Replay { since, with, agent, json } => {
            let asked = replay::ReplayOptions { since, with, agent };
            replay::run(&mut link()?, &asked, json)
        }
    }
}
