//! The fleet as the window and the command line show it.

use super::risk::host_risk;
use super::{FleetError, Folder, groups_of};
use postern_command::escape::visible_text;
use postern_contract::methods::{
    FleetApproval, FleetDetail, FleetGroup, FleetMember, FleetRole, FleetWorkCounts,
};
use postern_fleet::{FleetId, Member, MemberRole};

/// Reads the fleet from its folder. Only the open door knows whether it is connected, and how
/// other hosts are.
pub(crate) fn read_detail(folder: &Folder) -> Result<FleetDetail, FleetError> {
    let (membership, pinned) = (folder.membership()?, folder.pinned()?);
    let fresh = folder.read_fresh()?.filter(|fresh| fresh.roster == pinned.hash);
    let roster = &pinned.roster;
    let is_own = |member: &Member| membership.members.iter().any(|own| own.id == member.id);
    let members = roster.devices(is_own).into_iter().flat_map(|device| {
        let first = device.first().map(|member| member.id.to_string()).unwrap_or_default();
        device.into_iter().map(move |member| shown_member(member, first.clone(), is_own(member)))
    });
    let groups = groups_of(&roster.members).into_iter().map(|(name, group)| FleetGroup {
        name: name.to_string(),
        hosts: group.hosts.into_iter().map(visible_text).collect(),
        approvers: group.approvers.iter().map(|name| visible_text(name)).collect(),
    });
    Ok(FleetDetail {
        id: membership.fleet.to_string(),
        server: visible_text(&membership.server),
        connected: false,
        problem: None,
        contact_at: None,
        roster: roster.version,
        fresh_at: fresh.as_ref().map(|fresh| fresh.at),
        fresh_until: fresh.map(|fresh| fresh.at + roster.fresh_for),
        owner: membership.owner_member(&pinned).is_some(),
        unconfirmed: folder.is_unconfirmed(),
        broker_start: None,
        credentials: folder.has_credentials(),
        members: members.collect(),
        groups: groups.collect(),
        proposals: Vec::new(),
        work: FleetWorkCounts::default(),
    })
}

fn shown_member(member: &Member, device: String, own: bool) -> FleetMember {
    FleetMember {
        id: member.id.to_string(),
        device,
        name: visible_text(&member.name),
        person: visible_text(&member.person),
        own,
        roles: member.roles.iter().map(|role| shown_role(*role)).collect(),
        groups: texts(&member.groups),
        approves: member.approver.as_ref().map(|may| FleetApproval {
            groups: texts(&may.groups),
            risk: host_risk(may.risk),
            once_only: may.once_only,
        }),
        state: None,
    }
}

fn texts(ids: &[FleetId]) -> Vec<String> {
    ids.iter().map(ToString::to_string).collect()
}

fn shown_role(role: MemberRole) -> FleetRole {
    match role {
        MemberRole::Owner => FleetRole::Owner,
        MemberRole::Publisher => FleetRole::Publisher,
        MemberRole::Approver => FleetRole::Approver,
        MemberRole::Auditor => FleetRole::Auditor,
        MemberRole::Host => FleetRole::Host,
    }
}
