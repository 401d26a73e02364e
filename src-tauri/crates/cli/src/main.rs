//! `postern`: the person's command line.

mod args;
mod commands;
mod failure;
mod fleet_args;
#[cfg(test)]
mod grammar;
mod hook_args;
mod import_args;
mod link;
mod print;
mod question;
mod rule_args;
mod secret;
mod settings_text;
mod setup_args;
mod shared_args;
mod topics;
mod tui;
mod typed;

use args::{Cli, Command};
use clap::Parser as _;
use failure::Failure;
use link::Link;
use postern_host::session::SystemSession;
use postern_host::{HostConfig, User};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    match run(Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !failure.message.is_empty() {
                print::remark(format!("postern: {}", failure.message));
            }
            ExitCode::from(failure.code)
        }
    }
}

/// Environment and terminal of this program, read once, here.
struct Surroundings {
    home: PathBuf,
    xdg_data_home: Option<PathBuf>,
    environment: Vec<(String, String)>,
}

impl Surroundings {
    /// Returns the search path of the user's shell.
    fn path(&self) -> Option<String> {
        self.environment.iter().find(|(name, _)| name == "PATH").map(|(_, path)| path.clone())
    }
}

#[expect(clippy::disallowed_methods, reason = "main reads the environment once and passes it in")]
fn surroundings() -> Result<Surroundings, Failure> {
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    let home = home.ok_or_else(|| Failure::own("HOME is not set to an absolute path"))?;
    // Names and values that are not UTF-8 are passed on to nobody.
    let environment = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let xdg_data_home = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from);
    Ok(Surroundings { home, xdg_data_home, environment: environment.collect() })
}

fn run(cli: Cli) -> Result<(), Failure> {
    let surroundings = surroundings()?;
    let data = match cli.data {
        Some(data) => std::path::absolute(data).map_err(Failure::own)?,
        None => link::default_data(&surroundings.home, surroundings.xdg_data_home.clone()),
    };
    let link = || Link::open(&data);
    let path = surroundings.path();
    match cli.command {
        Command::Setup(command) => commands::setup::run(link, surroundings, &command),
        Command::Uninstall(command) => commands::uninstall::run(&data, surroundings, &command),
        Command::Serve => {
            let user = User::current(surroundings.environment).map_err(Failure::own)?;
            commands::serve::run(HostConfig { data, user, session: Arc::new(SystemSession) })
        }
        Command::Status(json) => commands::status::status(&mut link()?, json),
        Command::Doctor(command) => commands::doctor::run(&data, &command),
        Command::Agents(command) => commands::agents::run(&mut link()?, command, path.as_deref()),
        Command::Rules(command) => commands::rules::run(&mut link()?, command),
        Command::Import(command) => commands::import::run(link, surroundings, &command),
        Command::Suggest(command) => commands::suggest::run(link, &surroundings.home, &command),
        Command::Questions { watch, host: Some(host), json } => {
            commands::fleet::questions(&data, &host, watch, json.json)
        }
        Command::Questions { watch: true, json, .. } => commands::questions::watch(&mut link()?, json.json),
        Command::Questions { watch: false, json, .. } => commands::questions::list(&mut link()?, json.json),
        Command::Tui => tui::run(&mut link()?),
        Command::Fleet(command) => {
            commands::fleet::run(&data, &surroundings.home, path.as_deref(), link, command)
        }
        Command::Approve(command) if command.host.is_some() => commands::fleet::approve(&data, &command),
        Command::Approve(command) => commands::questions::approve(&mut link()?, command),
        Command::Deny(command) if command.host.is_some() => commands::fleet::deny(&data, &command),
        Command::Deny(command) => commands::questions::deny(&mut link()?, command),
        Command::Explain(command) => commands::explain::run(&mut link()?, command),
        Command::Confine(command) => commands::confine::run(&data, surroundings, &command),
        Command::Programs(command) => commands::programs::run(&data, command),
        Command::Policy(command) => commands::policy::run(command, link),
        Command::History(command) => commands::history::list(&mut link()?, command),
        Command::Audit(command) => commands::audit::run(&mut link()?, &command),
        Command::Show { request, json } => commands::history::show(&mut link()?, request, json.json),
        Command::Kill { request, signal } => commands::history::kill(&mut link()?, request, signal),
        Command::Skills(command) => commands::skills::run(&mut link()?, command),
        Command::Doors(command) => commands::doors::run(&mut link()?, command),
        Command::Mcp { agent, session, wait } => {
            commands::mcp::run(&data, &agent, session, wait.map(Into::into))
        }
        Command::Hook(command) => commands::hook::run(&data, &surroundings.home, command),
        Command::Sessions { agent: Some(agent), close: Some(session), .. } => {
            commands::sessions::close(&mut link()?, &agent, session)
        }
        Command::Sessions { agent, json, .. } => {
            commands::sessions::run(&mut link()?, agent.as_deref(), json)
        }
        Command::Pause { duration } => commands::status::pause(&mut link()?, duration),
        Command::Resume => commands::status::resume(&mut link()?),
        Command::Completions { shell } => commands::shell::completions(shell),
        Command::Man { command, all } => commands::shell::man(&command, all.as_deref()),
        Command::Help { topic } => commands::shell::help(&topic),
    }
}
