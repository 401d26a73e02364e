//! Other hosts of the fleet, as this Mac's window reads them. They come from there each time: nothing of them is kept here.

use super::keep::Folder;
use super::publisher::{HostReply, Publisher};
use super::session::method_of;
use super::{FleetError, HostPart, MemberRole, Reported, Work};
use postern_command::escape::visible_text;
use postern_contract::methods::{ControlError, FleetHost, FleetHosts};
use serde_json::Value;
use std::path::Path;

/// Lists the other hosts that the person at this Mac answers for, as the roster names them.
pub(crate) fn readable_hosts(data: &Path) -> Result<FleetHosts, ControlError> {
    let folder = Folder::from_data_folder(data);
    let of_fleet = || -> Result<_, FleetError> { Ok((folder.membership()?, folder.pinned()?)) };
    let (membership, pinned) = match of_fleet() {
        Ok(known) => known,
        Err(FleetError::NoFleet) => return Ok(FleetHosts::default()),
        Err(error) => return Err(error.into()),
    };
    let roster = &pinned.roster;
    let Some(person) = membership.own_member_id(false).and_then(|id| roster.member(id)) else {
        return Ok(FleetHosts::default());
    };
    let mine = membership.own_member_id(true);
    let hosts = roster
        .members_with(MemberRole::Host)
        .filter(|host| Some(&host.id) != mine)
        .filter(|host| person.has_role(MemberRole::Approver) && person.answers_for(&host.groups))
        .map(|host| FleetHost {
            id: host.id.to_string(),
            name: visible_text(&host.name),
            groups: host.groups.iter().map(ToString::to_string).collect(),
        });
    let own = mine.and_then(|id| roster.member(id)).map(|host| host.groups.as_slice()).unwrap_or_default();
    Ok(FleetHosts { hosts: hosts.collect(), groups: own.iter().map(ToString::to_string).collect() })
}

/// Calls a method that only reads on another host, as the person at this Mac. The host decides whether it sends anything.
pub(crate) async fn read_host(
    data: &Path,
    host: &str,
    method: &str,
    filter: Value,
) -> Result<Value, ControlError> {
    let what = HostPart::ALL.into_iter().find(|part| method_of(*part) == method);
    let what = what.ok_or_else(|| ControlError::invalid(format!("{method} is not read from another Mac")))?;
    let person = Publisher::connect(&Folder::from_data_folder(data)).await?;
    let named = person.hosts_of(host).into_iter().find(|known| known.id.as_str() == host);
    let member = named.ok_or_else(|| ControlError::not_found(FleetError::NoHost.to_string()))?;
    let name = visible_text(&member.name);
    match person.ask_host(member, Work::Read { what, filter }).await? {
        HostReply::Did(Reported::Read(value)) => Ok(value),
        HostReply::Did(Reported::Refused(why)) => {
            Err(ControlError::refused(format!("{name} shows nothing: {}", visible_text(&why))))
        }
        HostReply::Offline => Err(ControlError::refused(format!("{name} is offline"))),
        HostReply::Did(_) | HostReply::Silent => Err(ControlError::refused(format!("{name} did not answer"))),
    }
}
