//! `postern agents …`

use crate::args::{self, Agents, Channel, Json};
use crate::failure::Failure;
use crate::link::Link;
use crate::typed::{is_yes, typed};
use crate::{print, settings_text};
use postern_contract::methods::{
    AddAgent, AgentAdd, AgentRef, AgentSet, ChannelAsk, ChannelKind, DoorKind, DoorRef, DoorState, GetAgent,
    GetChannel, GetStatus, ListAgents, ListDoors, Nothing, RemoveAgent, RotateKey, SetAgent, SetUpDoor,
};
use postern_contract::{AgentRow, Start};
use postern_policy::{AgentId, Fallback, Preset};
use std::collections::BTreeMap;

/// Word that stands for the path of the user's shell where a search path is typed.
pub(crate) const SHELL: &str = "shell";

/// Runs a command about agents. `path` is the search path of the user's shell.
pub(crate) fn run(link: &mut Link, command: Agents, path: Option<&str>) -> Result<(), Failure> {
    match command {
        Agents::List(json) => {
            let agents = link.call::<ListAgents>(&Nothing {})?.agents;
            if json.json { print::json(&agents) } else { list(&agents) }
        }
        Agents::Add { id, name, start, folders, json } => {
            let folders = folders.iter().map(|folder| absolute(folder)).collect::<Result<_, _>>()?;
            let new = AgentAdd {
                agent: named(&id)?,
                name,
                color: None,
                preset: None,
                start: start.map(of),
                folders,
            };
            add(link, &new, json)
        }
        Agents::Show { id, json } => {
            let row = link.call::<GetAgent>(&AgentRef { agent: named(&id)? })?;
            if json.json { print::json(&row) } else { show(&row) }
        }
        Agents::Set { id, values, yes } => change(link, &id, &values, yes, path),
        Agents::DenyAll { id, duration } | Agents::Stop { id, duration } => {
            let until = set(link, &id, "denied-until", &duration.to_string())?.denied_until;
            let until = until.map(|until| format!(" until {}", print::time(until))).unwrap_or_default();
            print::line(format!(
                "{id} is stopped{until}: all its requests are denied. To end this: postern agents allow-again {id}"
            ))
        }
        Agents::AllowAgain { id } => {
            set(link, &id, "denied-until", "none")?;
            print::line(format!("{id} is decided about again"))
        }
        Agents::Remove { id, yes } => remove(link, &id, yes),
        Agents::RotateKey { id } => {
            let row = link.call::<RotateKey>(&AgentRef { agent: named(&id)? })?;
            print::line(format!(
                "{id} has a new key in {}; what was connected with the old one is cut off",
                row.key_file
            ))
        }
        Agents::Channel { id, kind, profile, json } => {
            let agent = named(&id)?;
            if profile { self::profile(link, &agent, kind) } else { channel(link, &agent, kind, json) }
        }
    }
}

/// Adds an agent and tells how to connect it.
fn add(link: &mut Link, new: &AgentAdd, json: Json) -> Result<(), Failure> {
    let row = link.call::<AddAgent>(new)?;
    if json.json {
        return print::json(&row);
    }
    print::line(format!("added {}; its channel is {}", row.id, row.socket))?;
    let id = &row.id;
    print::line(format!(
        "put it into a sandbox: postern agents channel {id} --for docker|bwrap|sandbox-exec"
    ))?;
    print::line(format!(
        "a coding agent's own shell: postern hook install claude-code|codex|cursor --agent {id}"
    ))?;
    print::line(format!("an MCP client: postern agents channel {id} --for mcp"))?;
    if let Some(start) = new.start {
        let status = link.call::<GetStatus>(&Nothing {})?;
        if let Some(why) = start.cannot_confine(&status) {
            let why = postern_command::escape::text(why);
            print::remark(format!("this system cannot confine that, so you are asked: {why}"));
        }
    }
    Ok(())
}

pub(crate) fn of(start: args::Start) -> Start {
    match start {
        args::Start::Ask => Start::Ask,
        args::Start::Look => Start::Look,
        args::Start::Work => Start::Work,
    }
}

/// Returns a folder as the host reads it: `~` stays, the rest begins with `/`.
pub(crate) fn absolute(folder: &str) -> Result<String, Failure> {
    if folder == "~" || folder.starts_with("~/") {
        return Ok(folder.to_owned());
    }
    let path = std::path::absolute(folder).map_err(|error| Failure::usage(format!("{folder:?}: {error}")))?;
    path.into_os_string()
        .into_string()
        .map_err(|path| Failure::usage(format!("{} is not UTF-8", path.display())))
}

/// Changes an agent and tells what is otherwise now.
fn change(
    link: &mut Link,
    id: &str,
    values: &[String],
    yes: bool,
    path: Option<&str>,
) -> Result<(), Failure> {
    let agent = named(id)?;
    let mut values = pairs(values)?;
    if let Some(value) = values.get_mut("search-path").filter(|value| *value == SHELL) {
        *value = postern_doors::setup::shell_folders(path.unwrap_or_default()).join(":");
        if value.is_empty() {
            return Err(Failure::usage("the PATH of this shell has no folder that is there and private"));
        }
    }
    if yes {
        values.insert("confirm".to_owned(), "yes".to_owned());
    }
    let before = link.call::<GetAgent>(&AgentRef { agent: agent.clone() })?;
    let after = link.call::<SetAgent>(&AgentSet { agent, settings: None, values })?;
    let changed = settings_text::changed(&before, &after);
    if changed.is_empty() {
        return print::line(format!("{id} is so already; nothing was changed"));
    }
    let escaped = postern_command::escape::text;
    changed
        .iter()
        .try_for_each(|(key, was, is)| print::line(format!("{key}: {} → {}", escaped(was), escaped(is))))
}

/// Removes an agent. Where something would be lost with it, the person says so first.
fn remove(link: &mut Link, id: &str, yes: bool) -> Result<(), Failure> {
    let agent = named(id)?;
    let row = link.call::<GetAgent>(&AgentRef { agent: agent.clone() })?;
    let rules = row.allow_rules + row.deny_rules;
    if !yes && (rules > 0 || row.last_seen_at.is_some()) {
        let plural = if rules == 1 { "rule" } else { "rules" };
        let question = format!(
            "Remove {id} with its key, its channel and {rules} {plural}? Its history stays. Type yes:"
        );
        let otherwise = format!("{id} was used and has {rules} {plural}: add --yes if it is to be removed");
        if !is_yes(&typed(&question, &otherwise)?) {
            return Err(Failure::no("not removed"));
        }
    }
    link.call::<RemoveAgent>(&AgentRef { agent })?;
    print::line(format!("removed {id}, its key, its channel and its rules"))
}

fn set(link: &mut Link, id: &str, key: &str, value: &str) -> Result<AgentRow, Failure> {
    let values = BTreeMap::from([(key.to_owned(), value.to_owned())]);
    link.call::<SetAgent>(&AgentSet { agent: named(id)?, settings: None, values })
}

/// Prints the lines that put an agent's channel to use: of the channel itself, or of a door that leads to it.
fn channel(link: &mut Link, agent: &AgentId, kind: Channel, json: Json) -> Result<(), Failure> {
    let kind = match kind {
        Channel::Docker => ChannelKind::Docker,
        Channel::Devcontainer => ChannelKind::Devcontainer,
        Channel::Bwrap => ChannelKind::Bwrap,
        Channel::SandboxExec => ChannelKind::SandboxExec,
        Channel::Mcp => ChannelKind::Mcp,
        Channel::Forwarder => ChannelKind::Forwarder,
        Channel::Plain => ChannelKind::Plain,
        Channel::McpHttp => return through(link, agent, DoorKind::McpHttp, json),
        Channel::Openclaw => return through(link, agent, DoorKind::Openclaw, json),
    };
    let lines = link.call::<GetChannel>(&ChannelAsk { agent: agent.clone(), kind })?;
    if json.json {
        return print::json(&lines);
    }
    if kind == ChannelKind::Mcp {
        print::remark(
            "a client that reaches its servers over HTTP: postern agents channel ID --for mcp-http",
        );
    }
    print::lines(&lines.text)
}

/// Returns the profile alone, for sandboxes that have one.
fn profile(link: &mut Link, agent: &AgentId, kind: Channel) -> Result<(), Failure> {
    let Channel::SandboxExec = kind else {
        return Err(Failure::usage(
            "--profile goes with --for sandbox-exec alone: no other sandbox is given a profile",
        ));
    };
    let asked = ChannelAsk { agent: agent.clone(), kind: ChannelKind::SandboxExec };
    let lines = link.call::<GetChannel>(&asked)?;
    let missing = || Failure::own("this host is older than this program and sends no profile");
    print::lines(&lines.profile.ok_or_else(missing)?)
}

/// Prints the settings for the other side of a door that leads to this agent.
fn through(link: &mut Link, agent: &AgentId, door: DoorKind, json: Json) -> Result<(), Failure> {
    let doors = link.call::<ListDoors>(&Nothing {})?.doors;
    let values = doors.into_iter().find(|row| row.door == door).filter(|row| row.state != DoorState::Off);
    let name = door.name();
    match values.map(|row| row.values.get("agent").cloned().unwrap_or_default()) {
        Some(whose) if whose == agent.as_str() => {}
        Some(whose) => {
            let whose = postern_command::escape::text(&whose);
            return Err(Failure::refused(format!(
                "the door {name} leads to {whose}; postern doors enable {name} agent={agent} leads it to {agent}"
            )));
        }
        None => {
            return Err(Failure::refused(format!(
                "the door {name} is closed: postern doors enable {name} agent={agent}"
            )));
        }
    }
    let setup = link.call::<SetUpDoor>(&DoorRef { door })?;
    if json.json {
        return print::json(&setup.values);
    }
    match setup.values.get("registration") {
        // As it can be pasted.
        Some(registration) => print::raw(registration),
        None => print::lines(&setup.text),
    }
}

/// Checks an agent's name before it travels.
pub(crate) fn named(id: &str) -> Result<AgentId, Failure> {
    AgentId::new(id).map_err(|error| Failure::usage(error.to_string()))
}

fn pairs(values: &[String]) -> Result<BTreeMap<String, String>, Failure> {
    let split = |text: &String| match text.split_once('=') {
        Some((key, value)) => Ok((key.to_owned(), value.to_owned())),
        None => Err(Failure::usage(format!("{text:?} is not KEY=VALUE (for example preset=deny)"))),
    };
    values.iter().map(split).collect()
}

fn list(agents: &[AgentRow]) -> Result<(), Failure> {
    let row = |agent: &AgentRow| {
        [
            agent.id.to_string(),
            match agent.denied_until.filter(|until| *until > print::now()) {
                Some(until) => format!("{}, stopped for {} more", policy(agent), print::until(until)),
                None => policy(agent),
            },
            if agent.connected { "connected".to_owned() } else { String::new() },
            agent.allow_rules.to_string(),
            agent.deny_rules.to_string(),
            agent.last_seen_at.map_or_else(|| "never".to_owned(), print::time),
        ]
    };
    let headings = ["AGENT", "POLICY", "CHANNEL", "ALLOW", "DENY", "LAST SEEN"];
    print::table(
        headings,
        agents.iter().map(row).collect(),
        "no agents yet: postern agents add NAME enrols one",
    )
}

/// Returns the preset, or the exact pair where it is none.
fn policy(agent: &AgentRow) -> String {
    let preset = match agent.preset {
        Some(Preset::Deny) => "Deny".to_owned(),
        Some(Preset::Ask) => "Ask".to_owned(),
        Some(Preset::Allow) => "Allow".to_owned(),
        None => format!("{:?}/{:?}", agent.settings.security, agent.settings.ask).to_lowercase(),
    };
    match agent.settings.fallback {
        Fallback::Deny => preset,
        Fallback::Allowlist => format!("{preset}, rules when nobody answers"),
        Fallback::Full => format!("{preset}, ALLOWED WHEN NOBODY ANSWERS"),
    }
}

fn show(agent: &AgentRow) -> Result<(), Failure> {
    print::line(print::bold(agent.id.as_str()))?;
    print::line(format!("name       {}", postern_command::escape::text(&agent.name)))?;
    print::line(format!("policy     {}", policy(agent)))?;
    print::line(format!(
        "socket     {}{}",
        agent.socket,
        if agent.connected { "  (connected)" } else { "" }
    ))?;
    print::line(format!("key        {}", agent.key_file))?;
    print::line(format!("rules      {} allow, {} deny", agent.allow_rules, agent.deny_rules))?;
    for (key, value) in settings_text::typed(&agent.settings) {
        let locked =
            if settings_text::is_locked(agent, key) { "  (your organization decides this)" } else { "" };
        print::line(format!("{key} = {}{locked}", postern_command::escape::text(&value)))?;
    }
    Ok(())
}
