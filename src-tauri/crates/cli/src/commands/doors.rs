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
            let row = link.call::<EnableDoor>(&DoorEnable { door: door.into(), values: typed(&values)? })?;
            tell(&row)?;
            print::line(format!("what the other side needs: postern doors setup {}", row.door.name()))
        }
        Doors::Disable { door } => tell(&link.call::<DisableDoor>(&DoorRef { door: door.into() })?),
        Doors::Setup { door, json } => {
            let setup = link.call::<SetUpDoor>(&DoorRef { door: door.into() })?;
            if json.json { print::json(&setup.values) } else { print::line(setup.text.trim_end()) }
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
    Ok(())
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
        }
    }
}
