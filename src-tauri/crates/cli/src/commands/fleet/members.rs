//! `postern fleet members` and `groups`: who belongs to the fleet, and who answers for what.

use super::{fleet_risk, parse_id, signed};
use crate::failure::Failure;
use crate::fleet_args::{RoleName, SetMember, YesOrNo};
use crate::print;
use postern_command::escape::visible_text as escaped;
use postern_contract::THIS_COMPUTER;
use postern_doors::fleet::{
    Folder, Member, MemberRole, RightsChange, Roster, change_rights, describe_member as described, groups_of,
};

pub(super) fn list_members(folder: &Folder, json: bool) -> Result<(), Failure> {
    let membership = folder.membership()?;
    let pinned = folder.pinned()?;
    if json {
        return print::write_json(&pinned.roster.members);
    }
    let is_own = |member: &Member| membership.members.iter().any(|own| own.id == member.id);
    for device in pinned.roster.devices(is_own) {
        for (nth, member) in device.iter().enumerate() {
            if nth == 0 {
                let own = if is_own(member) { format!(" ({THIS_COMPUTER})") } else { String::new() };
                print::say!("{}{own}", escaped(&member.name))?;
            }
            print::say!("    {}", described(member))?;
            print::say!("        {}", member.id)?;
        }
    }
    let needed = needed_words(&pinned.roster);
    print::say!("Changes are signed by {needed}")
}

/// Changes what a member may do, and prints what it may do now.
pub(super) fn set_member(folder: &Folder, command: &SetMember) -> Result<(), Failure> {
    let role = |role: &RoleName| match role {
        RoleName::Owner => MemberRole::Owner,
        RoleName::Publisher => MemberRole::Publisher,
        RoleName::Approver => MemberRole::Approver,
        RoleName::Auditor => MemberRole::Auditor,
    };
    let groups = command.groups.as_ref();
    let change = RightsChange {
        roles: command.roles.as_ref().map(|roles| roles.iter().map(role).collect()),
        groups: groups.map(|all| all.iter().map(|group| parse_id(group)).collect()).transpose()?,
        risk: command.risk.map(fleet_risk),
        once_only: command.once_only.map(|once_only| once_only == YesOrNo::Yes),
        new_groups: command.new_groups,
    };
    let named = command.member.as_str();
    let Some(changed) = signed(change_rights(folder, named, &change))? else { return Ok(()) };
    if !changed {
        return print::write_line("Nothing changed: the fleet has it so already");
    }
    let pinned = folder.pinned()?;
    for member in pinned.roster.members.iter().filter(|one| one.name == named || one.id.as_str() == named) {
        print::say!("{}  {}", escaped(&member.name), described(member))?;
    }
    if folder.has_credentials() {
        print::write_line(
            "Its rights at the broker are its administrator’s to change: postern fleet nats-setup",
        )?;
    }
    print::write_line("A host that is not connected learns it when it is.")
}

/// Says how many people sign, in words.
pub(super) fn needed_words(roster: &Roster) -> String {
    let owners = print::counted(roster.owners_needed, "owner", "owners");
    let publishers = print::counted(roster.publishers_needed, "publisher", "publishers");
    format!("{owners}, policies by {publishers}")
}

pub(super) fn list_groups(folder: &Folder, json: bool) -> Result<(), Failure> {
    let pinned = folder.pinned()?;
    let groups = groups_of(&pinned.roster.members);
    if json {
        return print::write_json(&groups);
    }
    for (group, row) in &groups {
        print::write_line(group.as_str())?;
        for (what, names) in [("hosts", row.hosts.join(", ")), ("answered by", row.approvers.join(", "))] {
            let names = if names.is_empty() { "nobody".to_owned() } else { escaped(&names) };
            print::say!("    {what:<11}  {names}")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::needed_words;
    use postern_doors::fleet::Roster;

    #[test]
    fn the_number_of_signers_is_said_in_words() {
        let (previous, fresh_by, members) = (None, Vec::new(), Vec::new());
        let (owners_needed, publishers_needed, fresh_for) = (2, 1, 0);
        let roster =
            Roster { version: 1, previous, owners_needed, publishers_needed, fresh_by, fresh_for, members };
        assert_eq!(needed_words(&roster), "2 owners, policies by 1 publisher");
    }
}
