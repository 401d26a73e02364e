//! `postern hook …`: coding agents that ask a program before they use a tool.

mod settings;

use super::agents::named;
use crate::failure::Failure;
use crate::hook_args::{Hook, HookRun};
use crate::print;
use postern_client::{Channel, Options, read_key};
use postern_command::quote;
use postern_doors::hooks::{self, Asked, Kind, Verdict};
use postern_policy::AgentId;
use postern_protocol::{Call, Client, Decision, Event, ToolCheckParams, ToolCheckResult};
use std::io::Read as _;
use std::path::Path;

/// The longest event that is read, in bytes: a file that an agent wants to write is part of it.
const LONGEST: u64 = 8 * 1024 * 1024;
/// A hook that ends so keeps its agent from using the tool.
const BLOCKED: u8 = 2;

pub(crate) fn run(data: &Path, home: &Path, command: Hook) -> Result<(), Failure> {
    match command {
        Hook::Install { settings, agent } => {
            let agent = named(&agent)?;
            let kind = settings.kind;
            let program = std::env::current_exe().map_err(Failure::own)?;
            let program = program.to_str().ok_or_else(|| Failure::own("this program's path is not UTF-8"))?;
            let words = [program, "hook", kind.name(), "--agent", agent.as_str()].map(str::to_owned);
            settings::change(home, &settings, |before| hooks::install(kind, before, &quote(&words)))
        }
        Hook::Uninstall { settings } => settings::undo(home, &settings),
        Hook::ClaudeCode(run) => answer(data, Kind::ClaudeCode, &run),
        Hook::Cursor(run) => answer(data, Kind::Cursor, &run),
        Hook::GeminiCli(run) => answer(data, Kind::GeminiCli, &run),
        Hook::CopilotCli(run) => answer(data, Kind::CopilotCli, &run),
        Hook::VsCode(run) => answer(data, Kind::VsCode, &run),
        Hook::Codex(run) => answer(data, Kind::Codex, &run),
        Hook::Windsurf(run) => answer(data, Kind::Windsurf, &run),
        Hook::Cline(run) => answer(data, Kind::Cline, &run),
        Hook::KiroCli(run) => answer(data, Kind::KiroCli, &run),
        Hook::Opencode(run) => answer(data, Kind::Opencode, &run),
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
    match hooks::answer(kind, &event, &verdict) {
        Ok(told) if told.is_empty() => Ok(()),
        Ok(told) => print::raw(told),
        Err(reason) => Err(blocked(reason)),
    }
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
