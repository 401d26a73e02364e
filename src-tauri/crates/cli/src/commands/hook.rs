//! `postern hook …`: coding agents that ask a program before they use a tool.

use super::agents::parse_agent_id;
use super::hook_answer;
use super::hook_outside::writes_outside;
use crate::failure::Failure;
use crate::hook_args::{Hook, HookRun, HookSettings};
use crate::link::{HostLink, channel_folder};
use crate::print;
use crate::typed::{path_text, require_yes};
use postern_client::{CallError, Channel, ChannelOptions, ConnectError, ConnectionLoss, read_key};
use postern_command::escape::visible_text as escaped;
use postern_command::quote_word;
use postern_contract::methods::{AddAgent, AgentAdd, HookNote, ListAgents, NoteHook, Nothing};
use postern_doors::hooks::{
    self, HookAgent, HookSettingsChange, HookSettingsEntry, HookSettingsPlace, HookToolUse, HookVerdict, Odd,
    SettingsError, ToolClass,
};
use postern_policy::AgentId;
use postern_protocol::{
    AgentCall, Client, Confined, Decision, Defaults, NoticeEvent, SessionKind, ToolCheckParams,
    ToolCheckResult, ToolError, ToolResolved,
};
use serde_json::{Map, Value};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The longest event that is read, in bytes: a file that an agent wants to write is part of it.
const LONGEST: u64 = 8 * 1024 * 1024;

pub(crate) fn run(data: &Path, home: &Path, command: Hook) -> Result<(), Failure> {
    match command {
        Hook::Install { settings, agent } => install(data, home, &settings, &parse_agent_id(&agent)?),
        Hook::Uninstall { settings } => uninstall(data, home, &settings),
        Hook::ClaudeCode(run) => answer(data, HookAgent::ClaudeCode, &run),
        Hook::Cursor(run) => answer(data, HookAgent::Cursor, &run),
        Hook::GeminiCli(run) => answer(data, HookAgent::GeminiCli, &run),
        Hook::CopilotCli(run) => answer(data, HookAgent::CopilotCli, &run),
        Hook::VsCode(run) => answer(data, HookAgent::VsCode, &run),
        Hook::Codex(run) => answer(data, HookAgent::Codex, &run),
        Hook::Windsurf(run) => answer(data, HookAgent::Windsurf, &run),
        Hook::Cline(run) => answer(data, HookAgent::Cline, &run),
        Hook::KiroCli(run) => answer(data, HookAgent::KiroCli, &run),
        Hook::Opencode(run) => answer(data, HookAgent::Opencode, &run),
    }
}

/// Adds the hook to the settings, and enrolls the agent if it does not exist, after one confirmation.
fn install(data: &Path, home: &Path, settings: &HookSettings, agent: &AgentId) -> Result<(), Failure> {
    let mut link = HostLink::open(data).map_err(|failure| Failure {
        message: format!(
            "{}. While Postern isn’t running, the hook would deny every command and every file of {agent}",
            failure.message
        ),
        ..failure
    })?;
    let is_enrolled = link.call_method::<ListAgents>(&Nothing {})?.agents.iter().any(|row| row.id == *agent);
    if !is_enrolled {
        print::say!("the agent {agent} does not exist yet: it will be enrolled")?;
    }
    let program = path_text(&std::env::current_exe().map_err(Failure::from_error)?)?;
    let folder = path_text(data)?;
    let words = [&program, "--data", &folder, "hook", settings.kind.name(), "--agent", agent.as_str()];
    let file = file_of(home, settings)?;
    let change =
        HookSettingsChange::install(HookSettingsEntry::Hook(settings.kind), &file, &words.map(str::to_owned))
            .map_err(unusable)?;
    let changes = confirmed(&change, settings)?;
    if !is_enrolled {
        link.call_method::<AddAgent>(&AgentAdd::new(agent.clone()))?;
        print::say!("enrolled {agent}")?;
    }
    if changes {
        change.write().map_err(unusable)?;
        let place = match &settings.file {
            Some(_) => format!(" --file {}", quote_word(&escaped(&file.to_string_lossy()))),
            None => if settings.project { " --project" } else { "" }.to_owned(),
        };
        print::say!("changed; to undo it: postern hook uninstall {}{place}", settings.kind.name())?;
    }
    if let Some(left) = hooks::left_to_do(settings.kind, settings.project) {
        print::write_line(left)?;
    }
    record_hook(&mut link, &file, settings, Some(agent.clone()))
}

/// Takes the hook out of the settings. Where Postern runs it is written down.
fn uninstall(data: &Path, home: &Path, settings: &HookSettings) -> Result<(), Failure> {
    let file = file_of(home, settings)?;
    let change =
        HookSettingsChange::uninstall(HookSettingsEntry::Hook(settings.kind), &file).map_err(unusable)?;
    if confirmed(&change, settings)? {
        change.write().map_err(unusable)?;
        print::write_line("changed")?;
    }
    match HostLink::open(data) {
        Ok(mut link) => record_hook(&mut link, &file, settings, None),
        Err(_) => print::write_line("Postern isn’t running: this is not in its audit (postern audit)"),
    }
}

/// Returns the settings that are meant.
fn file_of(home: &Path, wanted: &HookSettings) -> Result<PathBuf, Failure> {
    let absolute = |file: &Path| std::path::absolute(file).map_err(Failure::from_error);
    match (&wanted.file, hooks::settings_place(wanted.kind, wanted.project)) {
        (Some(file), _) => absolute(file),
        (None, HookSettingsPlace::Home(file)) => Ok(home.join(file)),
        (None, HookSettingsPlace::Here(file)) => absolute(Path::new(file)),
        (None, HookSettingsPlace::Named(how)) => Err(Failure::usage_error(how)),
    }
}

/// Shows a change and asks. Returns false if nothing changes.
fn confirmed(change: &HookSettingsChange, wanted: &HookSettings) -> Result<bool, Failure> {
    let file = escaped(&change.file.to_string_lossy());
    if !change.changes() {
        print::say!("{file}: nothing to change")?;
        return Ok(false);
    }
    print::write_diff(&file, &change.diff_lines())?;
    if change.removes_file() {
        print::write_line("the file is removed: nothing else is in it")?;
    }
    let otherwise = "add --yes to change it without being asked";
    require_yes(wanted.yes, "Change it? [y/N]", otherwise, "nothing was changed")?;
    Ok(true)
}

fn unusable(error: SettingsError) -> Failure {
    match error {
        SettingsError::Io { .. } => Failure::from_error(error),
        SettingsError::Content { .. } => Failure::refused(error.to_string()),
    }
}

/// Writes what holds now into the audit.
fn record_hook(
    link: &mut HostLink,
    file: &Path,
    settings: &HookSettings,
    agent: Option<AgentId>,
) -> Result<(), Failure> {
    let file = file.to_string_lossy().into_owned();
    link.call_method::<NoteHook>(&HookNote { kind: settings.kind.name().to_owned(), file, agent }).map(drop)
}

/// Reads the event, asks, and prints the answer. Whatever goes wrong keeps the agent from using the tool.
fn answer(data: &Path, kind: HookAgent, run: &HookRun) -> Result<(), Failure> {
    let own = run.within.map(Duration::from_secs);
    let limit = hooks::deadline(kind);
    hook_answer::refuse_in_doubt(kind, own.map_or(limit, |own| own.min(limit)))?;
    let mut text = String::new();
    let read = std::io::stdin().lock().take(LONGEST).read_to_string(&mut text);
    read.map_err(|error| Failure::from_error(format!("the event cannot be read: {error}")))?;
    let (event, verdict) = match hooks::parse_event(kind, &text) {
        Ok(asked) => (asked.event.clone(), verdict(data, run, asked)),
        Err(Odd::Folder { event, what }) => (event, HookVerdict::Deny(what)),
        Err(odd @ Odd::Event { .. }) => return Err(Failure::from_error(odd)),
    };
    hook_answer::answer(kind, &event, &verdict)
}

/// Asks Postern. A tool that it could not be asked about is denied.
fn verdict(data: &Path, run: &HookRun, asked: HookToolUse) -> HookVerdict {
    parse_agent_id(&run.agent)
        .and_then(|agent| decide(data, &agent, asked, run.passthrough))
        .unwrap_or_else(|failure| HookVerdict::Deny(format!("Postern could not decide: {}", failure.message)))
}

fn decide(
    data: &Path,
    agent: &AgentId,
    asked: HookToolUse,
    passthrough: bool,
) -> Result<HookVerdict, Failure> {
    let folder = channel_folder(data, agent);
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let options = ChannelOptions { client: Client { name: "postern hook".to_owned(), version }, after: None };
    let connected = read_key(&folder.join("agent.key"))
        .and_then(|key| Channel::connect_with(&folder.join("agent.sock"), &key, options));
    let mut channel = match connected {
        Ok(channel) => channel,
        // A tool that touches nothing outside the agent needs no decision; the agent can still ask its user.
        Err(_) if asked.class == ToolClass::Harmless => return Ok(HookVerdict::NoOpinion),
        Err(error) => return Err(unreachable(agent, error)),
    };
    // The agent asks nobody about these.
    let silent = !asked.prompts && writes_outside(&asked.tool, &asked.arguments, asked.cwd.as_deref());
    let defaults = match asked.class {
        ToolClass::Gate => silent.then_some(Defaults::Ask),
        ToolClass::Harmless | ToolClass::OwnPrompt => Some(Defaults::Leave),
    };
    let HookToolUse { tool, server, arguments, replaceable, session, cwd, .. } = asked;
    let rewrites = replaceable.is_some();
    // Every agent's hook has an id of its session, and no name.
    let session_kind = SessionKind::Id;
    let params = ToolCheckParams { tool, server, arguments, session, session_kind, cwd, defaults, rewrites };
    loop {
        match resolved(&mut channel, params.clone(), passthrough) {
            Err(error) if error.may_come_back() => {
                print::remark("the connection to Postern is lost; trying again");
                channel.come_back(|| true).map_err(|error| unreachable(agent, error))?;
            }
            Err(error) => return Err(Failure::from_call(error)),
            Ok(HookToolOutcome::Allow(confined)) => return allowed(data, replaceable, confined.as_ref()),
            Ok(HookToolOutcome::Other(verdict)) => return Ok(verdict),
        }
    }
}

/// Result of a question about a tool.
enum HookToolOutcome {
    /// Allowed, perhaps confined.
    Allow(Option<Confined>),
    /// Anything else.
    Other(HookVerdict),
}

/// Asks, and waits for the answer.
fn resolved(
    channel: &mut Channel,
    params: ToolCheckParams,
    passthrough: bool,
) -> Result<HookToolOutcome, CallError> {
    let told: ToolCheckResult = channel.call_typed(&AgentCall::ToolCheck(params))?;
    let why = |message: Option<String>| message.unwrap_or_else(|| "denied".to_owned());
    let check = match (told.decision, told.check_id) {
        // Nobody decided, so the agent asks about what it would ask about without Postern.
        (Decision::Allow, _) if told.by_default => return Ok(HookToolOutcome::Other(HookVerdict::NoOpinion)),
        (Decision::Allow, _) => return Ok(HookToolOutcome::Allow(told.confined)),
        (Decision::Deny, _) => return Ok(HookToolOutcome::Other(HookVerdict::Deny(why(told.message)))),
        // Who hangs up takes the question back.
        (Decision::Ask, _) if passthrough => return Ok(HookToolOutcome::Other(HookVerdict::HandOver)),
        (Decision::Ask, None) => {
            return Ok(HookToolOutcome::Other(HookVerdict::Deny("the question has no number".to_owned())));
        }
        (Decision::Ask, Some(check)) => check,
    };
    for event in channel.events() {
        let NoticeEvent::ToolResolved(resolved) = event?.event else { continue };
        if resolved.check_id == check {
            return Ok(match resolved.decision {
                Decision::Allow => HookToolOutcome::Allow(resolved.confined),
                Decision::Ask | Decision::Deny => {
                    HookToolOutcome::Other(HookVerdict::Deny(denial_reason(resolved)))
                }
            });
        }
    }
    Err(CallError::Gone(ConnectionLoss::Closed))
}

/// Returns the verdict on what Postern allows: the tool as it was asked about, or with its command confined.
fn allowed(
    data: &Path,
    input: Option<Map<String, Value>>,
    confined: Option<&Confined>,
) -> Result<HookVerdict, Failure> {
    let Some(confined) = confined else { return Ok(HookVerdict::Allow) };
    let program = std::env::current_exe().map_err(Failure::from_error)?;
    let paths = program.to_str().zip(data.to_str());
    let input =
        input.zip(paths).and_then(|(input, (program, data))| hooks::confined(input, program, data, confined));
    Ok(input.map_or_else(
        || HookVerdict::Deny("Postern allows it only confined, and could not write that command".to_owned()),
        HookVerdict::AllowConfined,
    ))
}

/// Returns the reason of a denial for the agent: the user's words, or that nobody denied it.
fn denial_reason(resolved: ToolResolved) -> String {
    let message = resolved.message.or(resolved.feedback);
    message.unwrap_or_else(|| match resolved.error {
        Some(ToolError::ToolRejectedError) => "The user denied it.".to_owned(),
        Some(ToolError::ToolDeniedError) | None => {
            "It was not allowed, and no person refused it. Ask the user, or try again.".to_owned()
        }
    })
}

/// Returns why Postern could not be asked, and what the user has to do.
fn unreachable(agent: &AgentId, error: ConnectError) -> Failure {
    let message = match &error {
        ConnectError::KeyUnreadable { file, error: cause }
            if cause.kind() == std::io::ErrorKind::NotFound =>
        {
            format!(
                "{agent} is no agent of this Postern ({} is not there). The user has to enroll it: \
                 postern agents add {agent}. Until then nothing that it asks for is allowed",
                file.display()
            )
        }
        _ => error.to_string(),
    };
    Failure { message, ..Failure::from_connect(error) }
}
