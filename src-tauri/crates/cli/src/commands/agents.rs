//! `postern agents …`

use crate::agent_args::{AgentsCommand, ChannelClientKind};
use crate::failure::Failure;
use crate::link::HostLink;
use crate::shared_args::{AgentStartArg, JsonOutput};
use crate::typed::{parse_pairs, path_text, require_yes};
use crate::{print, settings_text};
use postern_contract::methods::{
    AddAgent, AgentAdd, AgentRef, AgentSet, Agents, ChannelAsk, ChannelKind, DoorKind, DoorRef, DoorState,
    GetAgent, GetChannel, GetStatus, ListAgents, ListDoors, Nothing, RemoveAgent, RotateKey, SetAgent,
    SetUpDoor,
};
use postern_contract::{AgentRow, Start};
use postern_doors::fleet::HostPart;
use postern_policy::{AgentId, Fallback, Preset};
use std::collections::BTreeMap;
use std::path::Path;

/// Word that stands for the path of the user's shell where a search path is typed.
pub(crate) const SHELL: &str = "shell";

/// Runs a command about agents. `path` is the search path of the user's shell.
pub(crate) fn run(link: &mut HostLink, command: AgentsCommand, path: Option<&str>) -> Result<(), Failure> {
    match command {
        AgentsCommand::List { json, .. } => {
            let agents = link.call_method::<ListAgents>(&Nothing {})?.agents;
            if json.json { print::write_json(&agents) } else { list_agents(&agents) }
        }
        AgentsCommand::Add { id, name, start, folders, json } => {
            let folders = folders.iter().map(|folder| absolute(folder)).collect::<Result<_, _>>()?;
            let start = start.map(to_agent_start);
            let new = AgentAdd { name, start, folders, ..AgentAdd::new(parse_agent_id(&id)?) };
            add_agent(link, &new, json)
        }
        AgentsCommand::Show { id, json } => {
            let row = link.call_method::<GetAgent>(&AgentRef { agent: parse_agent_id(&id)? })?;
            if json.json { print::write_json(&row) } else { show_agent(&row) }
        }
        AgentsCommand::Set { id, values, yes } => change(link, &id, &values, yes, path),
        AgentsCommand::DenyAll { id, duration } | AgentsCommand::Stop { id, duration } => {
            let until = set_value(link, &id, "denied-until", &duration.to_string())?.denied_until;
            let until =
                until.map(|until| format!(" until {}", print::format_time(until))).unwrap_or_default();
            print::say!(
                "{id} is stopped{until}: all its requests are denied. To end this: postern agents allow-again {id}"
            )
        }
        AgentsCommand::AllowAgain { id } => {
            let before = link.call_method::<GetAgent>(&AgentRef { agent: parse_agent_id(&id)? })?;
            if before.denied_until.is_none_or(|until| until <= postern_host::now_millis()) {
                return print::say!("{id} is not stopped; postern resume ends a block of all agents");
            }
            set_value(link, &id, "denied-until", "none")?;
            print::say!("{id} is no longer stopped")
        }
        AgentsCommand::Remove { id, yes } => remove(link, &id, yes),
        AgentsCommand::RotateKey { id } => {
            let row = link.call_method::<RotateKey>(&AgentRef { agent: parse_agent_id(&id)? })?;
            print::say!(
                "{id} has a new key in {}; what was connected with the old one is cut off", row.key_file
            )
        }
        AgentsCommand::Channel { id, kind, profile, json } => {
            let agent = parse_agent_id(&id)?;
            if profile { self::profile(link, &agent, kind) } else { channel(link, &agent, kind, json) }
        }
    }
}

/// Lists the agents of other Macs of the fleet.
pub(crate) fn list_elsewhere(data: &Path, host: &str, json: bool) -> Result<(), Failure> {
    let parts = (|listed: Agents| listed.agents, |agents: &Vec<AgentRow>| list_agents(agents));
    super::fleet::read_hosts::<ListAgents, _>(data, (host, HostPart::Agents), &Nothing {}, json, parts)
}

/// Adds an agent and tells how to connect it.
fn add_agent(link: &mut HostLink, new: &AgentAdd, json: JsonOutput) -> Result<(), Failure> {
    let row = link.call_method::<AddAgent>(new)?;
    if json.json {
        return print::write_json(&row);
    }
    print::say!("added {}; its channel is {}", row.id, row.socket)?;
    let id = &row.id;
    print::say!("put it into a sandbox: postern agents channel {id} --for docker|bwrap|sandbox-exec")?;
    print::say!("a coding agent's own shell: postern hook install claude-code|codex|cursor --agent {id}")?;
    print::say!("an MCP client: postern agents channel {id} --for mcp")?;
    if let Some(start) = new.start {
        let status = link.call_method::<GetStatus>(&Nothing {})?;
        if let Some(why) = start.cannot_confine(&status) {
            let why = postern_command::escape::visible_text(why);
            print::remark(format!("this system cannot confine that, so you are asked: {why}"));
        }
    }
    Ok(())
}

pub(crate) fn to_agent_start(start: AgentStartArg) -> Start {
    match start {
        AgentStartArg::Ask => Start::Ask,
        AgentStartArg::Look => Start::Look,
        AgentStartArg::Work => Start::Work,
    }
}

/// Returns a folder as the host reads it: `~` stays, the rest begins with `/`.
pub(crate) fn absolute(folder: &str) -> Result<String, Failure> {
    if folder == "~" || folder.starts_with("~/") {
        return Ok(folder.to_owned());
    }
    let path =
        std::path::absolute(folder).map_err(|error| Failure::usage_error(format!("{folder:?}: {error}")))?;
    path_text(&path)
}

/// Changes an agent and tells what is otherwise now.
fn change(
    link: &mut HostLink,
    id: &str,
    values: &[String],
    yes: bool,
    path: Option<&str>,
) -> Result<(), Failure> {
    let agent = parse_agent_id(id)?;
    let mut values = parse_pairs(values, "KEY=VALUE (for example preset=deny)")?;
    if let Some(value) = values.get_mut("search-path").filter(|value| *value == SHELL) {
        *value = postern_doors::setup::shell_folders(path.unwrap_or_default()).join(":");
        if value.is_empty() {
            return Err(Failure::usage_error(
                "the PATH of this shell has no folder that is there and private",
            ));
        }
    }
    if yes {
        values.insert("confirm".to_owned(), "yes".to_owned());
    }
    let before = link.call_method::<GetAgent>(&AgentRef { agent: agent.clone() })?;
    let after = link.call_method::<SetAgent>(&AgentSet { agent, settings: None, values })?;
    let changed = settings_text::changed(&before, &after);
    if changed.is_empty() {
        return print::say!("{id} has these settings already; nothing was changed");
    }
    let escaped = postern_command::escape::visible_text;
    changed.iter().try_for_each(|(key, was, is)| print::say!("{key}: {} → {}", escaped(was), escaped(is)))
}

/// Removes an agent. Where something would be lost with it, the person says so first.
fn remove(link: &mut HostLink, id: &str, yes: bool) -> Result<(), Failure> {
    let agent = parse_agent_id(id)?;
    let row = link.call_method::<GetAgent>(&AgentRef { agent: agent.clone() })?;
    let rules = row.allow_rules + row.deny_rules;
    let unused = rules == 0 && row.last_seen_at.is_none();
    let (state, lost) = if rules == 0 {
        ("was used".to_owned(), "its key and its channel".to_owned())
    } else {
        let rules = print::counted(rules, "rule", "rules");
        (format!("has {rules}"), format!("its key, its channel and {rules}"))
    };
    let question = format!("Remove {id} with {lost}? Its history stays. Type yes:");
    let otherwise = format!("{id} {state}: add --yes to remove it");
    require_yes(yes || unused, &question, &otherwise, "not removed")?;
    link.call_method::<RemoveAgent>(&AgentRef { agent })?;
    print::say!("removed {id}, its key, its channel and its rules")
}

fn set_value(link: &mut HostLink, id: &str, key: &str, value: &str) -> Result<AgentRow, Failure> {
    let values = BTreeMap::from([(key.to_owned(), value.to_owned())]);
    link.call_method::<SetAgent>(&AgentSet { agent: parse_agent_id(id)?, settings: None, values })
}

/// Prints the lines that put an agent's channel to use: of the channel itself, or of a door that leads to it.
fn channel(
    link: &mut HostLink,
    agent: &AgentId,
    kind: ChannelClientKind,
    json: JsonOutput,
) -> Result<(), Failure> {
    let kind = match kind {
        ChannelClientKind::Docker => ChannelKind::Docker,
        ChannelClientKind::Devcontainer => ChannelKind::Devcontainer,
        ChannelClientKind::Bwrap => ChannelKind::Bwrap,
        ChannelClientKind::SandboxExec => ChannelKind::SandboxExec,
        ChannelClientKind::Mcp => ChannelKind::Mcp,
        ChannelClientKind::Forwarder => ChannelKind::Forwarder,
        ChannelClientKind::Plain => ChannelKind::Plain,
        ChannelClientKind::McpHttp => return through(link, agent, DoorKind::McpHttp, json),
        ChannelClientKind::Openclaw => return through(link, agent, DoorKind::Openclaw, json),
    };
    let lines = link.call_method::<GetChannel>(&ChannelAsk { agent: agent.clone(), kind })?;
    if json.json {
        return print::write_json(&lines);
    }
    if kind == ChannelKind::Mcp {
        print::remark(format!(
            "a client that reaches its servers over HTTP: postern agents channel {agent} --for mcp-http"
        ));
    }
    print::write_lines(&lines.text)
}

/// Returns the profile alone, for sandboxes that have one.
fn profile(link: &mut HostLink, agent: &AgentId, kind: ChannelClientKind) -> Result<(), Failure> {
    let ChannelClientKind::SandboxExec = kind else {
        return Err(Failure::usage_error(
            "--profile goes with --for sandbox-exec alone: no other sandbox is given a profile",
        ));
    };
    let asked = ChannelAsk { agent: agent.clone(), kind: ChannelKind::SandboxExec };
    let lines = link.call_method::<GetChannel>(&asked)?;
    let missing = || Failure::from_error("this host is older than this program and sends no profile");
    print::write_lines(&lines.profile.ok_or_else(missing)?)
}

/// Prints the settings for the other side of a door that leads to this agent.
fn through(link: &mut HostLink, agent: &AgentId, door: DoorKind, json: JsonOutput) -> Result<(), Failure> {
    let doors = link.call_method::<ListDoors>(&Nothing {})?.doors;
    let values = doors.into_iter().find(|row| row.door == door).filter(|row| row.state != DoorState::Off);
    let name = door.name();
    match values.map(|row| row.values.get("agent").cloned().unwrap_or_default()) {
        Some(whose) if whose == agent.as_str() => {}
        Some(whose) => {
            let whose = postern_command::escape::visible_text(&whose);
            return Err(Failure::refused(format!(
                "the integration {name} leads to {whose}; postern doors enable {name} agent={agent} leads it to {agent}"
            )));
        }
        None => {
            return Err(Failure::refused(format!(
                "the integration {name} is off: postern doors enable {name} agent={agent}"
            )));
        }
    }
    let setup = link.call_method::<SetUpDoor>(&DoorRef { door })?;
    if json.json {
        return print::write_json(&setup.values);
    }
    match setup.values.get("registration") {
        // As it can be pasted.
        Some(registration) => print::write_raw(registration),
        None => print::write_lines(&setup.text),
    }
}

/// Checks an agent's name before it travels.
pub(crate) fn parse_agent_id(id: &str) -> Result<AgentId, Failure> {
    AgentId::new(id).map_err(|error| Failure::usage_error(error.to_string()))
}

fn list_agents(agents: &[AgentRow]) -> Result<(), Failure> {
    let row = |agent: &AgentRow| {
        [
            agent.id.to_string(),
            match agent.denied_until.filter(|until| *until > postern_host::now_millis()) {
                Some(until) => format!("{}, stopped for {} more", policy(agent), print::time_until(until)),
                None => policy(agent),
            },
            if agent.connected { "connected".to_owned() } else { String::new() },
            agent.allow_rules.to_string(),
            agent.deny_rules.to_string(),
            agent.last_seen_at.map_or_else(|| "never".to_owned(), print::format_time),
        ]
    };
    let headings = ["AGENT", "POLICY", "CHANNEL", "ALLOW", "DENY", "LAST SEEN"];
    print::write_table(
        headings,
        agents.iter().map(row).collect(),
        "no agents yet: postern setup connects those that are here",
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
        Fallback::Allowlist => format!("{preset}, rules if no one answers"),
        Fallback::Full => format!("{preset}, ALLOWED IF NO ONE ANSWERS"),
    }
}

fn show_agent(agent: &AgentRow) -> Result<(), Failure> {
    print::write_line(print::emphasize(agent.id.as_str()))?;
    print::say!("name       {}", postern_command::escape::visible_text(&agent.name))?;
    print::say!("policy     {}", policy(agent))?;
    print::say!("socket     {}{}", agent.socket, if agent.connected { "  (connected)" } else { "" })?;
    print::say!("key        {}", agent.key_file)?;
    print::say!("rules      {} allow, {} deny", agent.allow_rules, agent.deny_rules)?;
    for (key, value) in postern_contract::setting_values(&agent.settings) {
        let locked =
            if settings_text::is_locked(agent, key) { "  (your organization decides this)" } else { "" };
        print::say!("{key} = {}{locked}", postern_command::escape::visible_text(&value))?;
    }
    Ok(())
}
