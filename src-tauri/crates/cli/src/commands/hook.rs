//! `postern hook …`: coding agents that ask a program before they use a tool.

use super::agents::named;
use crate::args::{Hook, HookRun, HookSettings};
use crate::failure::Failure;
use crate::print;
use postern_client::{Channel, Options, read_key};
use postern_command::quote;
use postern_doors::hooks::{self, Asked, Kind, Place, Verdict};
use postern_policy::AgentId;
use postern_protocol::{Call, Client, Decision, Event, ToolCheckParams, ToolCheckResult};
use similar::{ChangeTag, TextDiff};
use std::io::{IsTerminal as _, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// The longest event that is read, in bytes: a file that an agent wants to write is part of it.
const LONGEST: u64 = 8 * 1024 * 1024;
/// A hook that ends so keeps its agent from using the tool.
const BLOCKED: u8 = 2;

pub(crate) fn run(data: &Path, home: &Path, command: Hook) -> Result<(), Failure> {
    match command {
        Hook::ClaudeCode(run) => answer(data, Kind::ClaudeCode, &run),
        Hook::Cursor(run) => answer(data, Kind::Cursor, &run),
        Hook::GeminiCli(run) => answer(data, Kind::GeminiCli, &run),
        Hook::CopilotCli(run) => answer(data, Kind::CopilotCli, &run),
        Hook::Install { settings, agent } => {
            let agent = named(&agent)?;
            let kind: Kind = settings.kind.into();
            let program = std::env::current_exe().map_err(Failure::own)?;
            let program = program.to_str().ok_or_else(|| Failure::own("this program's path is not UTF-8"))?;
            let words = [program, "hook", kind.name(), "--agent", agent.as_str()].map(str::to_owned);
            change(home, &settings, |before| hooks::install(kind, before, &quote(&words)))
        }
        Hook::Uninstall { settings } => {
            let kind: Kind = settings.kind.into();
            change(home, &settings, |before| hooks::uninstall(kind, before))
        }
    }
}

/// Reads the event, asks, and prints the answer. Whatever goes wrong keeps the agent from using the tool.
fn answer(data: &Path, kind: Kind, run: &HookRun) -> Result<(), Failure> {
    let blocked = |message: String| Failure { code: BLOCKED, message };
    let mut text = String::new();
    let read = std::io::stdin().lock().take(LONGEST).read_to_string(&mut text);
    read.map_err(|error| blocked(format!("the event cannot be read: {error}")))?;
    let asked = hooks::read(kind, &text).map_err(|error| blocked(error.to_string()))?;
    let event = asked.event.clone();
    let verdict = named(&run.agent)
        .and_then(|agent| decide(data, &agent, asked, run.hand_over))
        .unwrap_or_else(|failure| Verdict::Deny(format!("Postern could not decide: {}", failure.message)));
    print::raw(hooks::answer(kind, &event, &verdict))
}

fn decide(data: &Path, agent: &AgentId, asked: Asked, hand_over: bool) -> Result<Verdict, Failure> {
    let folder = data.join("agents").join(agent.as_str());
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let options = Options { client: Client { name: "postern hook".to_owned(), version }, after: None };
    let key = read_key(&folder.join("agent.key")).map_err(Failure::from_connect)?;
    let mut channel =
        Channel::connect_with(&folder.join("agent.sock"), &key, options).map_err(Failure::from_connect)?;
    let params = ToolCheckParams { tool: asked.tool, arguments: asked.arguments, session: asked.session };
    let told: ToolCheckResult = channel.ask(&Call::ToolCheck(params)).map_err(Failure::from_call)?;
    let why = |message: Option<String>| message.unwrap_or_else(|| "denied".to_owned());
    let check = match (told.decision, told.check_id) {
        (Decision::Allow, _) => return Ok(Verdict::Allow),
        (Decision::Deny, _) => return Ok(Verdict::Deny(why(told.message))),
        // Who hangs up takes the question back.
        (Decision::Ask, _) if hand_over => return Ok(Verdict::HandOver),
        (Decision::Ask, None) => return Ok(Verdict::Deny("the question has no number".to_owned())),
        (Decision::Ask, Some(check)) => check,
    };
    for event in channel.events() {
        let notice = event.map_err(Failure::from_gone)?;
        let Event::ToolResolved(resolved) = notice.event else { continue };
        if resolved.check_id == check {
            return Ok(match resolved.decision {
                Decision::Allow => Verdict::Allow,
                Decision::Ask | Decision::Deny => {
                    Verdict::Deny(resolved.feedback.unwrap_or_else(|| "It was not approved.".to_owned()))
                }
            });
        }
    }
    Err(Failure::own("the connection to Postern ended"))
}

/// Shows what would change in an agent's settings, and changes it after a yes.
fn change(
    home: &Path,
    wanted: &HookSettings,
    make: impl FnOnce(&str) -> Result<String, hooks::BadSettings>,
) -> Result<(), Failure> {
    let file = match (&wanted.file, hooks::place(wanted.kind.into())) {
        (Some(file), _) => std::path::absolute(file).map_err(Failure::own)?,
        (None, Place::Home(file)) => home.join(file),
        (None, Place::Here(file)) => std::path::absolute(file).map_err(Failure::own)?,
    };
    let shown = postern_command::escape::text(&file.to_string_lossy());
    let before = match std::fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(Failure::own(format!("{shown}: {error}"))),
    };
    let after = make(&before).map_err(|error| {
        Failure::refused(format!("{shown} cannot be read as JSON ({error}): nothing was changed"))
    })?;
    if after.trim() == before.trim() {
        return print::line(format!("{shown}: nothing to change"));
    }
    print::line(format!("{shown}:"))?;
    for change in TextDiff::from_lines(&before, &after).iter_all_changes() {
        let mark = match change.tag() {
            ChangeTag::Delete => "-",
            ChangeTag::Insert => "+",
            ChangeTag::Equal => " ",
        };
        print::line(format!("  {mark} {}", change.value().trim_end_matches('\n')))?;
    }
    if !wanted.yes && !confirmed()? {
        return Err(Failure::no("nothing was changed"));
    }
    write(&file, &before, &after).map_err(|error| Failure::own(format!("{shown}: {error}")))?;
    print::line("changed; the file as it was lies beside it, with .before-postern behind its name")
}

fn confirmed() -> Result<bool, Failure> {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::usage("say --yes to change it without being asked"));
    }
    let mut out = std::io::stdout().lock();
    write!(out, "Change it? [y/N] ").and_then(|()| out.flush()).map_err(Failure::own)?;
    let mut said = String::new();
    std::io::stdin().read_line(&mut said).map_err(Failure::own)?;
    Ok(["y", "yes"].contains(&said.trim().to_lowercase().as_str()))
}

/// The file as it was is kept beside it; the new one takes its place whole.
fn write(file: &Path, before: &str, after: &str) -> std::io::Result<()> {
    // A file that links elsewhere stays a link.
    let file = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let beside = |ending: &str| {
        let mut name = file.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    if !before.is_empty() {
        std::fs::write(beside(".before-postern"), before)?;
    }
    let new = beside(".new-postern");
    std::fs::write(&new, after)?;
    std::fs::rename(&new, &file)
}
