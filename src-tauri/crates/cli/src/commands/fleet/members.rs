//! `postern fleet members` and `groups`: who belongs to the fleet, and who answers for what.

use super::failure;
use crate::failure::Failure;
use crate::print;
use postern_command::escape::visible_text as escaped;
use postern_contract::THIS_COMPUTER;
use postern_doors::fleet::{FleetId, FleetRisk, Folder, Member, MemberRole, groups_of};

pub(super) fn list_members(folder: &Folder, json: bool) -> Result<(), Failure> {
    let membership = folder.membership().map_err(|error| failure(&error))?;
    let pinned = folder.pinned().map_err(|error| failure(&error))?;
    if json {
        return print::write_json(&pinned.roster.members);
    }
    for member in &pinned.roster.members {
        let is_own = membership.members.iter().any(|own| own.id == member.id);
        let own = if is_own { format!(" ({THIS_COMPUTER})") } else { String::new() };
        print::write_line(format!("{}{own}  {}", escaped(&member.name), described(member)))?;
        print::write_line(format!("    {}", member.id))?;
    }
    Ok(())
}

/// Describes a member in words.
fn described(member: &Member) -> String {
    let list = |groups: &[FleetId]| groups.iter().map(FleetId::as_str).collect::<Vec<_>>().join(", ");
    if member.has_role(MemberRole::Host) {
        return format!("host in {}", list(&member.groups));
    }
    let mut words = vec![escaped(&member.person)];
    if member.has_role(MemberRole::Owner) {
        words.push("owner".to_owned());
    }
    if member.has_role(MemberRole::Auditor) {
        words.push("auditor".to_owned());
    }
    if let Some(may) = &member.approver {
        let risk = match may.risk {
            FleetRisk::Safe => "what is safe",
            FleetRisk::NeedsReview => "what needs review",
            FleetRisk::Dangerous => "everything",
        };
        let once = if may.once_only { ", once only" } else { "" };
        words.push(format!("approves {risk} for {}{once}", list(&may.groups)));
    }
    words.join(", ")
}

pub(super) fn list_groups(folder: &Folder, json: bool) -> Result<(), Failure> {
    let pinned = folder.pinned().map_err(|error| failure(&error))?;
    let groups = groups_of(&pinned.roster.members);
    if json {
        return print::write_json(&groups);
    }
    for (group, row) in &groups {
        print::write_line(group.as_str())?;
        for (what, names) in [("hosts", row.hosts.join(", ")), ("answered by", row.approvers.join(", "))] {
            let names = if names.is_empty() { "nobody".to_owned() } else { escaped(&names) };
            print::write_line(format!("    {what:<11}  {names}"))?;
        }
    }
    Ok(())
}
