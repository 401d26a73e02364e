//! A fleet: several Macs whose questions and answers meet at a NATS server that nobody has to trust. What counts is decided
//! by [`postern_fleet::admit_message`] on the host that asks.

mod approver;
mod audit;
mod change_words;
mod connect;
mod desk;
mod entries;
mod examine;
mod inbox;
mod joining;
mod joining_again;
mod keep;
mod overview;
mod owner;
mod policy;
mod proposals;
mod publisher;
mod reading;
mod risk;
mod seen;
mod sender_shares;
mod service;
mod session;
mod steps;
mod store;
mod streams;
mod unsigned;
mod waiting;
mod work_turns;

pub use approver::{AnswerReply, FleetApprover, News};
pub use audit::Verified;
pub use change_words::{change_lines, describe_member, reach_in_words, reply_lines};
pub use examine::{BrokerFact, account_setup, examine_broker};
pub use joining::{Inviting, Joining, Met};
pub use joining_again::has_joined;
pub use keep::{Folder, HostConsent, Keys, Membership, OwnBroker, OwnMember, PolicyScope};
pub use owner::{BrokerChoice, FleetOwner, Invitation, NewFleetChoices, PreparedFleet, prepare_fleet};
pub use postern_fleet::{
    ApproverLimits, Bundle, BundleRules, FleetChoice, FleetId, FleetRisk, Hash, HostPart, InvitationCode,
    Joined, Member, MemberRole, Reported, RightsChange, RiseLimits, RolloutReach, Roster, RosterChange,
    SentAuditRow, SignaturesChange, Work,
};
pub use proposals::{ProposedContent, ShownProposal, SignaturesNeeded, WaitingProposal};
pub use publisher::{Asked, HostReply, Publisher};
pub use steps::{
    FleetSetup, GroupMembers, block_hosts, change_rights, change_signatures, groups_of, invite_device,
    list_proposals, replay_change, revoke_member, sign_proposal, withdraw_proposal,
};
pub use waiting::Elsewhere;

pub(crate) use desk::FleetDesk;
pub(crate) use overview::read_detail;
pub(crate) use reading::{read_host, readable_hosts};
pub(crate) use risk::fleet_risk;
pub(crate) use steps::broker_start;

use crate::door::{Door, HostStates, Proposals};
use crate::kept_running::{AFTER_A_CRASH, keep_running};
use async_trait::async_trait;
use parking_lot::Mutex;
use postern_contract::methods::{ControlError, DoorKind, DoorSetup, FleetWorkCounts, PairedClient};
use postern_contract::{MultilineText, THIS_COMPUTER};
use postern_fleet::{FleetMessageHeader, Payload, Sealed, SignedEnvelope, WallMillis};
use postern_host::{FleetPeople, Host};
use seen::SeenHosts;
use session::FleetHostSession;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use unsigned::UnsignedChanges;
use work_turns::HostTurns;

/// Pause between a lost connection and the next try, and the longest pause between two tries.
const REST: Duration = Duration::from_millis(500);
const LONGEST_REST: Duration = Duration::from_secs(15);
/// Interval at which a member says that it is there, and milliseconds for which its word counts.
const PRESENT: Duration = Duration::from_secs(30);
const PRESENT_FOR: WallMillis = 90_000;
/// Milliseconds by which the clock of who says so may differ.
const SKEW: WallMillis = 5 * 60_000;
/// Pause until a person who answers nothing looks whether an owner lets them by now.
const WITHOUT_ROLE: Duration = Duration::from_mins(5);

/// Reason why something with the fleet did not work.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    #[error("{} is in no fleet: postern fleet start, or postern fleet join CODE", THIS_COMPUTER)]
    NoFleet,
    /// This Mac's person may not answer.
    #[error("{} is no approver of its fleet: an owner invites it as one", THIS_COMPUTER)]
    NoApprover,
    /// This Mac does not own the fleet.
    #[error("you don't own the fleet: an owner does that")]
    NoOwner,
    #[error("no such host is in the fleet")]
    NoHost,
    /// The broker, or the other side, is not there.
    #[error("the fleet's broker cannot be reached: {0}")]
    Unreachable(String),
    /// The other side, or what it sent, does not count.
    #[error("{0}")]
    Refused(String),
    /// Further people have to sign: the change waits for them at the broker.
    #[error("{0}")]
    Proposed(SignaturesNeeded),
    /// The broker said no.
    #[error("the fleet's broker refused: {0}")]
    Broker(String),
    /// Something on this Mac failed.
    #[error("{0}")]
    Own(String),
}

impl FleetError {
    fn own_error(error: impl std::fmt::Display) -> Self {
        Self::Own(error.to_string())
    }

    fn refused(error: impl std::fmt::Display) -> Self {
        Self::Refused(error.to_string())
    }

    fn broker(error: impl std::fmt::Display) -> Self {
        Self::Broker(error.to_string())
    }
}

fn random<const N: usize>() -> Result<[u8; N], FleetError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(FleetError::own_error)?;
    Ok(bytes)
}

fn new_id() -> Result<FleetId, FleetError> {
    random().map(FleetId::random)
}

/// Begins a message of a member.
fn header(fleet: &FleetId, from: &FleetId) -> Result<FleetMessageHeader, FleetError> {
    Ok(FleetMessageHeader { fleet: fleet.clone(), from: from.clone(), id: new_id()? })
}

/// Returns true if `named` means a host: `all`, one of its groups, its name or its id.
fn is_meant(named: &str, groups: &[FleetId], name: &str, id: &FleetId) -> bool {
    let groups = groups.iter().map(FleetId::as_str);
    named == "all" || groups.chain([name, id.as_str()]).any(|one| one == named)
}

/// Returns the hosts of a roster that `named` means: all, those of a group, or one by its name or id.
pub fn hosts_named<'a>(
    pinned: &'a postern_fleet::PinnedRoster,
    named: &'a str,
) -> impl Iterator<Item = &'a Member> {
    let is = move |host: &&Member| is_meant(named, &host.groups, &host.name, &host.id);
    pinned.roster.members_with(MemberRole::Host).filter(is)
}

/// Opens a sealed message of a host of this roster, if the host signed it. Returns its header and what it says.
fn open_from_host<B: postern_fleet::FleetMessageBody>(
    bytes: &[u8],
    fleet: &FleetId,
    roster: &postern_fleet::Roster,
    open: &postern_fleet::OpenKey,
) -> Option<(FleetMessageHeader, B)> {
    let envelope = SignedEnvelope::decode(bytes, B::KIND.max_bytes()).ok()?;
    (envelope.payload_type == B::KIND.media_type()).then_some(())?;
    let payload: Payload<Sealed> = serde_json::from_slice(&envelope.payload).ok()?;
    let host = roster.member(&payload.from).filter(|member| member.has_role(MemberRole::Host))?;
    let signed = payload.fleet == *fleet && !envelope.signers([((), &host.sign)]).is_empty();
    signed.then_some(())?;
    Some((payload.header(), payload.open_body(open).ok()?))
}

fn wall_clock() -> i64 {
    postern_host::now_millis()
}

/// A side of this Mac that has a connection of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    /// Questions of this Mac go to approvers elsewhere.
    Host,
    /// Questions of other Macs come to its inbox.
    Inbox,
}

#[derive(Debug, Default)]
struct SideState {
    /// Reason why it is not connected; `None` while it is.
    trouble: Option<String>,
    /// Time at which the connection was lost, if there was one.
    lost_at: Option<i64>,
}

type SideStates = BTreeMap<Side, SideState>;

/// Everything that a side connects with.
#[derive(Debug, Clone)]
struct Line {
    host: Host,
    folder: Folder,
    state: Arc<Mutex<SideStates>>,
    seen: Arc<SeenHosts>,
    turns: Arc<HostTurns>,
    started: Instant,
}

fn say(state: &Mutex<SideStates>, side: Side, trouble: Option<String>) {
    let mut states = state.lock();
    let lost_at = match states.get(&side) {
        Some(SideState { trouble: None, .. }) if trouble.is_some() => Some(wall_clock()),
        known => known.and_then(|known| known.lost_at),
    };
    states.insert(side, SideState { trouble, lost_at });
}

/// The open door: this Mac asks in its fleet, or shows what others ask.
#[derive(Debug)]
pub(crate) struct FleetDoor {
    host: Host,
    folder: Folder,
    seen: Arc<SeenHosts>,
    /// Work of this Mac for other members.
    turns: Arc<HostTurns>,
    unsigned: Arc<UnsignedChanges>,
    state: Arc<Mutex<SideStates>>,
    closed: CancellationToken,
    tasks: TaskTracker,
}

impl FleetDoor {
    /// Connects, now and whenever the connection is lost.
    pub(crate) fn open(host: &Host) -> Result<Self, ControlError> {
        let folder = Folder::from_data_folder(host.data_folder());
        let membership = folder.membership().map_err(|error| ControlError::invalid(error.to_string()))?;
        let (state, seen) = (Arc::new(Mutex::new(BTreeMap::new())), Arc::new(SeenHosts::default()));
        let (closed, tasks, turns) =
            (CancellationToken::new(), TaskTracker::new(), Arc::new(HostTurns::new()));
        // The timer of questions runs on over lost connections and crashes.
        let started = Instant::now();
        let sides = [(Side::Host, true), (Side::Inbox, false)];
        for (side, _) in sides.into_iter().filter(|(_, host)| membership.own_member_id(*host).is_some()) {
            say(&state, side, Some("connecting".to_owned()));
            let (host, folder) = (host.clone(), folder.clone());
            let (state, seen, turns) = (Arc::clone(&state), Arc::clone(&seen), Arc::clone(&turns));
            let line = Line { host, folder, state, seen, turns, started };
            let ends = closed.clone();
            let work = move || connected(line.clone(), side, ends.clone());
            tasks.spawn(keep_running(DoorKind::Fleet, closed.clone(), AFTER_A_CRASH, work));
        }
        let unsigned = Arc::new(UnsignedChanges::new(host, &folder));
        if membership.own_member_id(false).is_some() {
            let (watched, ends) = (Arc::clone(&unsigned), closed.clone());
            let work = move || {
                let (watched, ends) = (Arc::clone(&watched), ends.clone());
                async move { watched.watch_broker(&ends).await }
            };
            tasks.spawn(keep_running(DoorKind::Fleet, closed.clone(), AFTER_A_CRASH, work));
        }
        tasks.close();
        Ok(Self { host: host.clone(), folder, seen, turns, unsigned, state, closed, tasks })
    }
}

#[async_trait]
impl Door for FleetDoor {
    /// Returns the approvers of this host.
    fn clients(&self) -> Vec<PairedClient> {
        let (Ok(pinned), Ok(membership)) = (self.folder.pinned(), self.folder.membership()) else {
            return Vec::new();
        };
        let groups = membership
            .own_member_id(true)
            .and_then(|id| pinned.roster.member(id))
            .map(|host| host.groups.clone());
        let row = |member: &Member| PairedClient {
            id: member.id.to_string(),
            name: postern_command::escape::visible_text(&format!("{} on {}", member.person, member.name)),
            paired_at: None,
            seen_at: None,
            connected: false,
        };
        pinned.roster.approvers_of(&groups.unwrap_or_default()).map(row).collect()
    }

    fn trouble(&self) -> Option<String> {
        let states = self.state.lock();
        states.values().find_map(|side| side.trouble.clone())
    }

    fn last_contact(&self) -> Option<i64> {
        let states = self.state.lock();
        let contact =
            |side: &SideState| if side.trouble.is_none() { Some(wall_clock()) } else { side.lost_at };
        states.values().filter_map(contact).max()
    }

    fn host_states(&self) -> HostStates {
        self.folder.pinned().map(|pinned| self.seen.states(&pinned)).unwrap_or_default()
    }

    fn fleet_work(&self) -> FleetWorkCounts {
        let postern_fleet::WorkCounts { running, begun, refused } = self.turns.count_work();
        FleetWorkCounts { running, begun, refused }
    }

    fn proposals(&self) -> Option<Arc<dyn Proposals>> {
        let changes = Arc::clone(&self.unsigned);
        Some(changes)
    }

    fn set_up(&self) -> Result<DoorSetup, ControlError> {
        let membership =
            self.folder.membership().map_err(|error| ControlError::refused(error.to_string()))?;
        let text =
            "Run postern fleet invite on an owner's Mac, and postern fleet join CODE on the new one.\n";
        let values = BTreeMap::from([("server".to_owned(), membership.server)]);
        Ok(DoorSetup { door: DoorKind::Fleet, values, text: MultilineText::new(text.to_owned()) })
    }

    async fn revoke(&self, _: &str) -> Result<(), ControlError> {
        Err(ControlError::not_found("an owner removes a member of the fleet: postern fleet revoke NAME"))
    }

    async fn close(self: Box<Self>) {
        self.closed.cancel();
        self.tasks.wait().await;
        // Without the fleet nobody is a person of it. A gate that is gone knows nobody.
        _ = self.host.gate().keep_people(FleetPeople::default()).await;
    }
}

/// Says why a side is not connected any more. Returns a longer pause for a person who has nothing to answer.
fn note_end(state: &Mutex<SideStates>, side: Side, ended: Result<(), FleetError>) -> Option<Duration> {
    match ended {
        // Nothing waits for somebody who only audits.
        Err(FleetError::NoApprover) if side == Side::Inbox => {
            state.lock().remove(&side);
            return Some(WITHOUT_ROLE);
        }
        Err(error) => {
            tracing::warn!(%error, ?side, "the fleet's broker is not connected");
            say(state, side, Some(error.to_string()));
        }
        Ok(()) => {}
    }
    None
}

/// Connects one side, now and whenever the connection is lost.
async fn connected(line: Line, side: Side, closed: CancellationToken) {
    let Line { host, folder, state, seen, turns, started } = line;
    let (mut rest, mut known) = (REST, session::Remembered::default());
    loop {
        let there = || {
            say(&state, side, None);
            // Another program may have pinned a roster meanwhile.
            folder.note_roster();
        };
        let began = Instant::now();
        let once = async {
            match side {
                Side::Host => {
                    let session =
                        FleetHostSession::open(&host, &folder, (started, Arc::clone(&turns))).await?;
                    there();
                    session.serve_until_lost(&mut known).await
                }
                Side::Inbox => inbox::serve((&host, &seen), &folder, there).await,
            }
        };
        let ended = closed.run_until_cancelled(Box::pin(once)).await;
        if side == Side::Inbox {
            seen.clear();
            // Nothing of it stays on show. A gate that is gone shows nothing.
            _ = host.gate().clear_elsewhere().await;
        }
        let Some(ended) = ended else { return };
        rest = if began.elapsed() > LONGEST_REST { REST } else { (rest * 2).min(LONGEST_REST) };
        let pause = note_end(&state, side, ended).unwrap_or(rest);
        if closed.run_until_cancelled(tokio::time::sleep(pause)).await.is_none() {
            return;
        }
        known.forget_gone();
    }
}
