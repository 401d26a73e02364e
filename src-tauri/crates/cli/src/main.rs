//! `postern`: the person's command line.

mod agent_args;
mod answer_args;
mod args;
mod command_lines;
mod commands;
mod door_args;
mod failure;
mod fleet_args;
#[cfg(test)]
mod grammar;
mod help;
mod history_args;
mod hook_args;
mod import_args;
mod link;
mod mistake;
mod print;
mod question;
mod rule_args;
mod secret;
mod settings_text;
mod setup_args;
mod shared_args;
mod stages;
mod topics;
mod tui;
mod typed;

use agent_args::AgentsCommand;
use args::{Cli, CliCommand};
use clap::FromArgMatches as _;
use commands::hook_answer::{agent_of, refuse};
use failure::Failure;
use link::HostLink;
use postern_host::session::SystemSession;
use postern_host::{HostConfig, HostUser};
use postern_protocol::default_data_folder;
use rule_args::RulesCommand;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    postern_host::refuse_debuggers();
    let hook = agent_of(std::env::args_os());
    let typed = help::command().try_get_matches().and_then(|found| Cli::from_arg_matches(&found));
    let done = match (typed, hook) {
        (Ok(parsed), _) => run(parsed),
        (Err(error), Some(kind)) if error.use_stderr() => {
            return ExitCode::from(refuse(kind, &error.to_string()));
        }
        // Prints help, and exits.
        (Err(error), Some(_)) => error.exit(),
        (Err(error), None) => Err(mistyped(&error)),
    };
    match (done, hook) {
        (Ok(()), _) => ExitCode::SUCCESS,
        (Err(failure), Some(kind)) => ExitCode::from(refuse(kind, &failure.message)),
        (Err(failure), None) => {
            if !failure.message.is_empty() {
                print::remark(format!("postern: {}", failure.message));
            }
            ExitCode::from(failure.code)
        }
    }
}

/// Returns what is wrong with the command line. Clap prints the rest, or help, and exits.
fn mistyped(error: &clap::Error) -> Failure {
    let words: Vec<String> = std::env::args_os().filter_map(|word| word.into_string().ok()).collect();
    mistake::explain(error, &words).map_or_else(|| error.exit(), Failure::usage_error)
}

/// Environment and terminal of this program, read once, here.
struct CliEnvironment {
    home: PathBuf,
    xdg_data_home: Option<PathBuf>,
    environment: Vec<(String, String)>,
}

impl CliEnvironment {
    /// Returns the search path of the user's shell.
    fn search_path(&self) -> Option<String> {
        self.environment.iter().find(|(name, _)| name == "PATH").map(|(_, path)| path.clone())
    }

    /// Returns true if the user wants no colors (no-color.org).
    fn is_without_colors(&self) -> bool {
        self.environment.iter().any(|(name, value)| name == "NO_COLOR" && !value.is_empty())
    }
}

#[expect(clippy::disallowed_methods, reason = "main reads the environment once and passes it in")]
fn surroundings() -> Result<CliEnvironment, Failure> {
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    let home = home.ok_or_else(|| Failure::from_error("HOME is not set to an absolute path"))?;
    // Names and values that are not UTF-8 are passed on to nobody.
    let environment = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let xdg_data_home = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from);
    Ok(CliEnvironment { home, xdg_data_home, environment: environment.collect() })
}

#[expect(clippy::too_many_lines, reason = "one arm for each command")]
fn run(cli: Cli) -> Result<(), Failure> {
    let surroundings = surroundings()?;
    let data = match cli.data {
        Some(data) => std::path::absolute(data).map_err(Failure::from_error)?,
        None => default_data_folder(&surroundings.home, surroundings.xdg_data_home.clone()),
    };
    let link = || HostLink::open(&data);
    let path = surroundings.search_path();
    match cli.command {
        CliCommand::Setup(command) => commands::setup::run(link, &data, surroundings, &command),
        CliCommand::Uninstall(command) => commands::uninstall::run(&data, surroundings, &command),
        CliCommand::Serve => {
            let user = HostUser::current(surroundings.environment).map_err(Failure::from_error)?;
            commands::serve::run(HostConfig { data, user, session: Arc::new(SystemSession) })
        }
        CliCommand::Status(json) => commands::status::status(&mut link()?, json),
        CliCommand::Doctor(command) => commands::doctor::run(&data, &command),
        CliCommand::Agents(AgentsCommand::List { host: Some(host), json }) => {
            commands::agents::list_elsewhere(&data, &host, json.json)
        }
        CliCommand::Agents(command) => commands::agents::run(&mut link()?, command, path.as_deref()),
        CliCommand::Rules(RulesCommand::List { agent, host: Some(host), json }) => {
            commands::rules::list_elsewhere(&data, agent.as_deref(), &host, json.json)
        }
        CliCommand::Rules(command) => commands::rules::run(&mut link()?, command),
        CliCommand::Import(command) => commands::import::run(link, surroundings, &command),
        CliCommand::Suggest(command) => commands::suggest::run(link, &surroundings.home, &command),
        CliCommand::Questions { watch, host: Some(host), json } => {
            commands::fleet::questions(&data, &host, watch, json.json)
        }
        CliCommand::Questions { watch: true, json, .. } => {
            commands::questions::watch_questions(&mut link()?, json.json)
        }
        CliCommand::Questions { watch: false, json, .. } => {
            commands::questions::list_questions(&mut link()?, json.json)
        }
        CliCommand::Tui { host } => {
            let hosts = host.map(|host| commands::fleet::names_of_hosts(&data, &host)).transpose()?;
            tui::run(&mut link()?, hosts, surroundings.is_without_colors())
        }
        CliCommand::Fleet(command) => {
            commands::fleet::run(&data, &surroundings.home, path.as_deref(), link, command)
        }
        CliCommand::Approve(command) if command.host.is_some() => commands::fleet::approve(&data, &command),
        CliCommand::Approve(command) => commands::questions::approve(&mut link()?, &command),
        CliCommand::Deny(command) if command.host.is_some() => {
            commands::fleet::deny_question(&data, &command)
        }
        CliCommand::Deny(command) => commands::questions::deny_question(&mut link()?, command),
        CliCommand::Explain(command) => commands::explain::run(&mut link()?, command),
        CliCommand::Confine(command) => commands::confine::run(&data, surroundings, &command),
        CliCommand::Programs(command) => commands::programs::run(&data, command),
        CliCommand::Policy(command) => commands::policy::run(command, link),
        CliCommand::History(command) if command.host.is_some() => {
            commands::history::list_elsewhere(&data, command)
        }
        CliCommand::History(command) => commands::history::list_requests(&mut link()?, command),
        CliCommand::Audit(command) => commands::audit::run(&mut link()?, &command),
        CliCommand::Show { request, secrets, json } => {
            commands::history::show_request(&mut link()?, request, secrets, json.json)
        }
        CliCommand::Kill { request, signal } => {
            commands::history::kill_request(&mut link()?, request, signal)
        }
        CliCommand::Skills(command) => commands::skills::run(&mut link()?, command),
        CliCommand::Doors(command) => commands::doors::run(&mut link()?, command),
        CliCommand::Mcp { agent, session, wait } => {
            commands::mcp::run(&data, &agent, session, wait.map(Into::into))
        }
        CliCommand::Hook(command) => commands::hook::run(&data, &surroundings.home, command),
        CliCommand::Sessions { agent: Some(agent), close: Some(session), .. } => {
            commands::sessions::close_session(&mut link()?, &agent, session)
        }
        CliCommand::Sessions { agent, json, .. } => {
            commands::sessions::run(&mut link()?, agent.as_deref(), json)
        }
        CliCommand::Pause { duration } => commands::status::pause_all(&mut link()?, duration),
        CliCommand::Resume => commands::status::resume(&mut link()?),
        CliCommand::Completions { shell } => commands::shell::completions(shell),
        CliCommand::Man { command, all } => commands::shell::print_manual(&command, all.as_deref()),
        CliCommand::Help { topic } => commands::shell::print_help(&topic),
    }
}
