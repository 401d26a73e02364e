//! Steps of a fleet's life that the window and the command line share: starting, inviting, changing rights, revoking,
//! blocking.

use super::joining::until_let_in;
use super::keep::CONFIGURATION;
use super::owner::{FleetOwner, Invitation, NewFleetChoices, PreparedFleet, prepare_fleet};
use super::proposals::{ProposedContent, ShownProposal, SignaturesNeeded, WaitingProposal};
use super::publisher::{HostReply, Publisher};
use super::service::{self, BrokerService};
use super::{FleetError, Folder};
use postern_fleet::{FleetId, Joined, Member, MemberRole, RightsChange, SignaturesChange, Work};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tokio_util::sync::CancellationToken;

/// A new fleet and its broker's service, until they are written.
#[derive(Debug)]
pub struct FleetSetup {
    folder: Folder,
    prepared: PreparedFleet,
    service: Option<BrokerService>,
}

impl FleetSetup {
    /// Plans a fleet of this Mac alone. Nothing is written.
    pub fn prepare(
        folder: &Folder,
        places: (&Path, Option<&str>),
        wanted: &NewFleetChoices,
    ) -> Result<Self, FleetError> {
        folder.require_none()?;
        let prepared = prepare_fleet(folder, wanted)?;
        let broker = prepared.own_broker();
        let service = broker.and_then(|broker| service::service(folder, places, broker));
        if service.is_none() && broker.is_some_and(|broker| broker.in_container) {
            let missing = "neither Docker nor Podman is installed here: install one of them first";
            return Err(FleetError::Refused(missing.to_owned()));
        }
        Ok(Self { folder: folder.clone(), prepared, service })
    }

    /// Returns the files to show before they are written; none for a broker that others run.
    pub fn shown_files(&self) -> Vec<(PathBuf, &str)> {
        let configuration = self.prepared.configuration.as_deref();
        let configuration = configuration.map(|text| (self.folder.path().join(CONFIGURATION), text));
        let service = self.service.as_ref().map(|service| (service.path.clone(), service.text.as_str()));
        configuration.into_iter().chain(service).collect()
    }

    /// Returns the command that starts the broker; `None` if nats-server is not installed, or others run it.
    pub fn broker_start(&self) -> Option<&str> {
        self.service.as_ref().map(|service| service.start.as_str())
    }

    /// Writes the files. A broker that others run is reached first, or nothing stays.
    pub async fn write_files(&self) -> Result<(), FleetError> {
        self.folder.require_none()?;
        self.prepared.save_files(&self.folder)?;
        let done = match &self.service {
            Some(service) => service.write(),
            None if self.prepared.configuration.is_some() => Ok(()),
            None => FleetOwner::connect(&self.folder).await.map(drop),
        };
        if done.is_err() {
            self.folder.forget()?;
        }
        done
    }
}

/// Returns the command that starts the broker which this Mac configures, if its service was written.
pub(crate) fn broker_start(folder: &Folder, places: (&Path, Option<&str>)) -> Option<String> {
    let broker = folder.membership().ok()?.broker?;
    let service = service::service(folder, places, &broker)?;
    service.path.exists().then_some(service.start)
}

/// Invites a device: shows its code, and asks whether both screens have the same digits. Returns false if they have not.
///
/// Where further owners have to sign, it calls `tell` and waits for them. In every case, also when `stop` ends it, the code works no more afterwards.
pub async fn invite_device<C>(
    folder: &Folder,
    invitation: &Invitation,
    stop: &CancellationToken,
    (show_code, compare, tell): (
        impl FnOnce(String) -> bool,
        impl FnOnce(Joined) -> C,
        impl FnOnce(&SignaturesNeeded),
    ),
) -> Result<bool, FleetError>
where
    C: Future<Output = bool>,
{
    let mut owner = FleetOwner::connect(folder).await?;
    if !folder.has_credentials() && !folder.path().join(CONFIGURATION).exists() {
        let elsewhere = "the broker of this fleet is configured on another Mac: invite there";
        return Err(FleetError::Refused(elsewhere.to_owned()));
    }
    let code = owner.invite()?;
    service::reload(folder);
    let work = async {
        until_let_in(&code, folder.credentials()?.as_deref()).await?;
        let text = code.to_text();
        let waiting = owner.await_device(code).await?;
        if !show_code(text) {
            return Ok(false);
        }
        let met = waiting.meet_device().await?;
        if compare(met.joined.clone()).await {
            owner.welcome_signed(met, invitation, tell).await.map(|()| true)
        } else {
            met.refuse().await.map(|()| false)
        }
    };
    let invited = stop.run_until_cancelled(work).await.unwrap_or(Ok(false));
    owner.uninvite()?;
    service::reload(folder);
    invited
}

/// Removes members by name or id. Returns how many went, and the policies that stay in force though no publisher signs for
/// them any more.
pub async fn revoke_member(folder: &Folder, named: &str) -> Result<(usize, Vec<String>), FleetError> {
    let mut owner = FleetOwner::connect(folder).await?;
    let gone = owner.revoke(named).await;
    // They are revoked, whatever can be read of the rest.
    let policies = owner.policies_without_publisher().await.unwrap_or_default();
    service::reload(folder);
    gone.map(|gone| (gone, policies))
}

/// Changes the rights of members by name or id. Returns false if they have them already.
pub async fn change_rights(folder: &Folder, named: &str, change: &RightsChange) -> Result<bool, FleetError> {
    let changed = FleetOwner::connect(folder).await?.change_rights(named, change).await;
    service::reload(folder);
    changed
}

/// Changes how many people have to sign, and how often. Returns false if it is so already, and the policies that count for no further
/// host.
pub async fn change_signatures(
    folder: &Folder,
    change: SignaturesChange,
) -> Result<(bool, Vec<String>), FleetError> {
    let mut owner = FleetOwner::connect(folder).await?;
    let changed = owner.change_signatures(change).await?;
    Ok((changed, owner.policies_without_publisher().await.unwrap_or_default()))
}

/// Returns the changes that wait for signatures, as far as the person at this Mac may give one.
pub async fn list_proposals(folder: &Folder) -> Result<Vec<WaitingProposal>, FleetError> {
    let publisher = Publisher::connect(folder).await?;
    let mut all = Vec::new();
    if publisher.has_role(MemberRole::Owner) {
        all.extend(FleetOwner::connect(folder).await?.waiting_proposal().await?);
    }
    if publisher.has_role(MemberRole::Publisher) {
        all.extend(publisher.waiting_proposals().await?);
    } else if all.is_empty() && !publisher.has_role(MemberRole::Owner) {
        return Err(FleetError::NoOwner);
    }
    Ok(all)
}

/// Judges the history of a group's hosts by a policy that waits, as its publisher did. A change without rules has no replies.
pub async fn replay_change(
    folder: &Folder,
    shown: &ShownProposal,
    days: u16,
) -> Result<Vec<(String, HostReply)>, FleetError> {
    let ProposedContent::Policy { after: Some(after), .. } = &shown.content else { return Ok(Vec::new()) };
    let rules = after.rules.parse_each().map_err(FleetError::Refused)?;
    let work = Work::Replay { rules, settings: after.classes.clone(), days };
    Publisher::connect(folder).await?.ask_all(after.group.as_str(), &work).await
}

/// Signs a change as it was shown. It counts with the last signature; until then others have to sign.
pub async fn sign_proposal(folder: &Folder, shown: &WaitingProposal) -> Result<(), FleetError> {
    if shown.group.is_some() {
        return Publisher::connect(folder).await?.sign_proposal(shown).await;
    }
    let signed = FleetOwner::connect(folder).await?.sign_proposal(shown).await;
    service::reload(folder);
    signed
}

/// Withdraws a change that waits.
pub async fn withdraw_proposal(folder: &Folder, shown: &WaitingProposal) -> Result<(), FleetError> {
    if shown.group.is_some() {
        Publisher::connect(folder).await?.withdraw_proposal(shown).await
    } else {
        FleetOwner::connect(folder).await?.withdraw_proposal(shown).await
    }
}

/// Blocks the agents of a host, a group or all, or lets them work again. Returns what each host says.
pub async fn block_hosts(
    folder: &Folder,
    named: &str,
    work: &Work,
) -> Result<Vec<(String, HostReply)>, FleetError> {
    let replies = Publisher::connect(folder).await?.ask_all(named, work).await?;
    if replies.is_empty() { Err(FleetError::NoHost) } else { Ok(replies) }
}

/// A group, by the names of its members.
#[derive(Debug, Default, serde::Serialize)]
pub struct GroupMembers<'a> {
    pub hosts: Vec<&'a str>,
    /// People who answer for them, with their devices.
    pub approvers: Vec<String>,
}

/// Returns the groups of a roster.
pub fn groups_of(members: &[Member]) -> BTreeMap<&FleetId, GroupMembers<'_>> {
    let mut groups: BTreeMap<&FleetId, GroupMembers<'_>> = BTreeMap::new();
    for member in members {
        for group in &member.groups {
            groups.entry(group).or_default().hosts.push(&member.name);
        }
        for group in member.approver.iter().flat_map(|may| &may.groups) {
            let person = format!("{} on {}", member.person, member.name);
            groups.entry(group).or_default().approvers.push(person);
        }
    }
    groups
}
