//! `postern doors …`

use crate::args::{DoorName, Doors, Json};
use crate::failure::Failure;
use crate::link::Link;
use crate::print;
use postern_command::escape::text as escaped;
use postern_contract::methods::{
    DisableDoor, DoorEnable, DoorKind, DoorRef, DoorRow, DoorState, EnableDoor, ListDoors, Nothing,
    PairedClientRef, RevokeClient, SetUpDoor,
};
use std::collections::BTreeMap;

pub(crate) fn run(link: &mut Link, command: Doors) -> Result<(), Failure> {
    match command {
        Doors::List(json) => list(link, json),
        Doors::Enable { door, values } => {
            let door = DoorKind::from(door);
            let mut values = typed(&values)?;
            ask_for_secret(door, &mut values)?;
            let row = link.call::<EnableDoor>(&DoorEnable { door, values })?;
            tell(&row)?;
            print::line(format!("what the other side needs: postern doors setup {}", row.door.name()))
        }
        Doors::Disable { door } => tell(&link.call::<DisableDoor>(&DoorRef { door: door.into() })?),
        Doors::Setup { door, json } => {
            let setup = link.call::<SetUpDoor>(&DoorRef { door: door.into() })?;
            if json.json { print::json(&setup.values) } else { print::lines(&setup.text) }
        }
        Doors::Revoke { door, client } => {
            tell(&link.call::<RevokeClient>(&PairedClientRef { door: door.into(), client })?)
        }
    }
}

fn list(link: &mut Link, json: Json) -> Result<(), Failure> {
    let doors = link.call::<ListDoors>(&Nothing {})?.doors;
    if json.json {
        return print::json(&doors);
    }
    for row in &doors {
        tell(row)?;
    }
    Ok(())
}

fn tell(row: &DoorRow) -> Result<(), Failure> {
    let state = match row.state {
        DoorState::Off => "closed",
        DoorState::Open => "open",
        DoorState::Broken => "broken",
    };
    let values = row.values.iter().map(|(key, value)| format!("  {key}={}", escaped(value)));
    print::line(format!("{}: {state}{}", row.door.name(), values.collect::<String>()))?;
    print::line(format!("  {}", row.about))?;
    if let Some(problem) = &row.problem {
        print::line(format!("  {problem}"))?;
    }
    for client in &row.clients {
        let now = if client.connected { ", connected" } else { "" };
        print::line(format!("  {} {}{now}", client.id, client.name))?;
    }
    for note in &row.notes {
        print::line(format!("  note: {note}"))?;
    }
    Ok(())
}

/// Asks for a secret, which is typed without being shown, or piped in: others can read a command line.
fn ask_for_secret(door: DoorKind, values: &mut BTreeMap<String, String>) -> Result<(), Failure> {
    let Some((key, value)) = door.secret().and_then(|key| Some((key.clone(), values.get_mut(&key)?))) else {
        return Ok(());
    };
    match value.as_str() {
        "" => Ok(()),
        "-" => {
            *value = crate::secret::ask(&format!("{key} for {}: ", door.name()))?;
            Ok(())
        }
        _ => Err(Failure::usage(format!(
            "others can read what stands on a command line: say {key}=- and type it, or pipe it in"
        ))),
    }
}

fn typed(values: &[String]) -> Result<BTreeMap<String, String>, Failure> {
    let pair = |text: &String| match text.split_once('=') {
        Some((key, value)) => Ok((key.to_owned(), value.to_owned())),
        None => Err(Failure::usage(format!("{} is not KEY=VALUE", escaped(text)))),
    };
    values.iter().map(pair).collect()
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
