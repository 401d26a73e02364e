//! Arguments that several commands share.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use std::net::SocketAddr;
use std::str::FromStr;

/// Output format of a listing.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct JsonOutput {
    /// Output JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AgentStartArg {
    /// Nothing: you are asked about everything that no rule allows
    Ask,
    /// Look around: read its folders and the system's files
    Look,
    /// Look around, change its files and run its projects' code, in its folders
    Work,
}

/// Returns the parser of these values by their names; clap lists the names if another word is typed.
pub(crate) fn name_parser<T: Copy + Send + Sync + 'static>(
    all: impl IntoIterator<Item = T>,
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let all: Vec<T> = all.into_iter().collect();
    let names: Vec<&str> = all.iter().copied().map(name).collect();
    let find =
        move |word: String| all.iter().copied().find(|value| name(*value) == word).ok_or("no such name");
    PossibleValuesParser::new(names).try_map(find)
}

/// Reads a duration: a number with a unit, or several.
pub(crate) fn parse_duration(text: &str) -> Result<humantime::Duration, String> {
    text.parse().map_err(|_| "not a number with a unit, such as 90s, 10m, 2h or 7d".to_owned())
}

/// Reads a duration that something lasts.
pub(crate) fn parse_lifetime(text: &str) -> Result<humantime::Duration, String> {
    let duration = parse_duration(text)?;
    if duration.is_zero() { Err("it would be over at once".to_owned()) } else { Ok(duration) }
}

/// Reads the number of a rule.
pub(crate) fn parse_rule_number(text: &str) -> Result<i64, String> {
    text.parse()
        .map_err(|_| "no rule has that name: rules are named by number (postern rules list)".to_owned())
}

/// Reads a whole number.
pub(crate) fn parse_number<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| "not a whole number".to_owned())
}

/// Reads an address to listen on.
pub(crate) fn parse_address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "not ADDRESS:PORT, such as 192.168.1.2:7720".to_owned())
}
