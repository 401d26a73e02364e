//! `postern doors …`

use super::finding::DoctorFinding;
use crate::door_args::{DoorName, DoorsCommand};
use crate::failure::Failure;
use crate::link::HostLink;
use crate::print;
use crate::shared_args::JsonOutput;
use crate::typed::parse_pairs;
use postern_command::escape::visible_text as escaped;
use postern_contract::methods::{
    DisableDoor, DoorEnable, DoorKind, DoorRef, DoorRow, DoorState, EnableDoor, ListDoors, Nothing,
    PairedClientRef, RevokeClient, SetUpDoor,
};
use std::collections::BTreeMap;

pub(crate) fn run(link: &mut HostLink, command: DoorsCommand) -> Result<(), Failure> {
    match command {
        DoorsCommand::List(json) => list_doors(link, json),
        DoorsCommand::Enable { door, values } => {
            let door = DoorKind::from(door);
            let mut values = parse_pairs(&values, "KEY=VALUE")?;
            ask_for_secret(door, &mut values)?;
            let row = link.call_method::<EnableDoor>(&DoorEnable { door, values })?;
            print_door(&row)?;
            // An empty value forgets a secret and closes the integration.
            if row.state == DoorState::Off {
                return Ok(());
            }
            print::say!("what the other side needs: postern doors setup {}", row.door.name())
        }
        DoorsCommand::Disable { door } => {
            print_door(&link.call_method::<DisableDoor>(&DoorRef { door: door.into() })?)
        }
        DoorsCommand::Setup { door, json } => {
            let setup = link.call_method::<SetUpDoor>(&DoorRef { door: door.into() })?;
            if json.json { print::write_json(&setup.values) } else { print::write_lines(&setup.text) }
        }
        DoorsCommand::Revoke { door, client } => {
            print_door(&link.call_method::<RevokeClient>(&PairedClientRef { door: door.into(), client })?)
        }
    }
}

fn list_doors(link: &mut HostLink, json: JsonOutput) -> Result<(), Failure> {
    let doors = link.call_method::<ListDoors>(&Nothing {})?.doors;
    if json.json {
        return print::write_json(&doors);
    }
    for row in &doors {
        print_door(row)?;
    }
    Ok(())
}

fn print_door(row: &DoorRow) -> Result<(), Failure> {
    let state = match row.state {
        DoorState::Off => "off",
        DoorState::Open => "on",
        DoorState::Broken => "broken",
    };
    let values = row.values.iter().map(|(key, value)| format!("  {key}={}", escaped(value)));
    print::say!("{}: {state}{}", row.door.name(), values.collect::<String>())?;
    print::say!("  {}", row.about)?;
    if let Some(problem) = &row.problem {
        print::say!("  {problem}")?;
    }
    for client in &row.clients {
        let now = if client.connected { ", connected" } else { "" };
        print::say!("  {} {}{now}", client.id, client.name)?;
    }
    for note in &row.notes {
        print::say!("  note: {note}")?;
    }
    Ok(())
}

/// Names the integrations that are enabled and do not work.
pub(super) fn examine(link: &mut HostLink) -> Result<Vec<DoctorFinding>, Failure> {
    let doors = link.call_method::<ListDoors>(&Nothing {})?.doors;
    let broken = doors.into_iter().filter(|row| row.state == DoorState::Broken);
    let finding = |row: DoorRow| {
        let why = row.problem.unwrap_or_else(|| "it does not work".to_owned());
        let door = row.door.name();
        let hint = format!(
            "correct its settings with postern doors enable {door}, or close it: postern doors disable {door}"
        );
        DoctorFinding::problem(format!("integration {door}: {why}"), hint)
    };
    // The fleet's broker is examined by itself.
    Ok(broken.filter(|row| row.door != DoorKind::Fleet).map(finding).collect())
}

/// Asks for a secret, which is typed without being shown, or piped in: others can read a command line.
fn ask_for_secret(door: DoorKind, values: &mut BTreeMap<String, String>) -> Result<(), Failure> {
    if door == DoorKind::Xmpp
        && let Some(jid) = values.get("jid").filter(|jid| !jid.contains('@'))
    {
        return Err(Failure::usage_error(format!("jid is NAME@HOST, not {:?}", escaped(jid))));
    }
    let Some((key, value)) = door.secret().and_then(|key| Some((key.clone(), values.get_mut(&key)?))) else {
        return Ok(());
    };
    match value.as_str() {
        "" => Ok(()),
        "-" => {
            *value = crate::secret::read_secret(&key, door.name())?;
            Ok(())
        }
        _ => Err(Failure::usage_error(format!(
            "other users can read command lines: use {key}=- and type it, or pipe it in"
        ))),
    }
}

impl From<DoorName> for DoorKind {
    fn from(name: DoorName) -> Self {
        match name {
            DoorName::Websocket => Self::Websocket,
            DoorName::Openclaw => Self::Openclaw,
            DoorName::McpHttp => Self::McpHttp,
            DoorName::Telegram => Self::Telegram,
            DoorName::Xmpp => Self::Xmpp,
            DoorName::Forwarder => Self::Forwarder,
            DoorName::Webhook => Self::Webhook,
            DoorName::Otel => Self::Otel,
            DoorName::Fleet => Self::Fleet,
        }
    }
}
