//! The fleet that this Mac is in: starting, joining, inviting, changing rights, revoking, leaving, and
//! blocking agents of other Macs.

use postern_policy::{Millis, RiskLevel};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The fleet as this Mac knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FleetOverview {
    /// The fleet; `None` if this Mac is in none.
    pub fleet: Option<FleetDetail>,
    /// A device that joins, or this Mac while it does; kept until it is ended or another one begins.
    pub pairing: Option<FleetPairing>,
}

/// A fleet, with its members as the newest roster that is known here names them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own on the wire")]
pub struct FleetDetail {
    pub id: String,
    /// Address of the broker, escaped.
    pub server: String,
    /// True if this Mac is connected to the broker.
    pub connected: bool,
    /// Reason why it is not, escaped; `None` also while the door is closed.
    pub problem: Option<String>,
    /// Time of the last contact with the broker since Postern started.
    pub contact_at: Option<Millis>,
    /// Version of the roster.
    pub roster: u64,
    /// Time at which an owner last said that the roster is current.
    pub fresh_at: Option<Millis>,
    /// Time until which that word counts; afterwards no answer from elsewhere does.
    pub fresh_until: Option<Millis>,
    /// True if this Mac's person owns the fleet: only an owner invites, changes and revokes.
    pub owner: bool,
    /// True if this Mac joined and no owner's Mac confirmed it: it may have to join again, with another code.
    pub unconfirmed: bool,
    /// Command that starts the broker, if this Mac configures it.
    pub broker_start: Option<String>,
    /// True if the broker's administrator gave credentials.
    pub credentials: bool,
    pub members: Vec<FleetMember>,
    pub groups: Vec<FleetGroup>,
    /// Changes that wait for further signatures, as this Mac's person may see them.
    pub proposals: Vec<ProposedChange>,
    /// Work of this Mac for other members: replays, counts, reading and blocks.
    pub work: FleetWorkCounts,
}

/// Counts of what a Mac works for other members of its fleet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FleetWorkCounts {
    /// Number of jobs that are under way.
    pub running: u32,
    /// Number of jobs that began in this minute.
    pub begun: u32,
    /// Number of jobs that were refused because their member asks for too many, since the door was opened.
    pub refused: u64,
}

/// Change of a fleet that several people have to sign.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProposedChange {
    /// Name of the change. It stands for the exact bytes that are signed.
    pub id: String,
    /// Group whose policy changes; `None` if the members of the fleet do.
    pub group: Option<String>,
    /// Everything that it changes, line by line, escaped: the lines of `postern fleet sign`.
    pub lines: Vec<String>,
    /// Signatures that it waits for; `None` if none is missing, or nobody can sign it.
    pub needs: Option<FleetSignatures>,
    /// Reason why nobody can sign it, escaped.
    pub problem: Option<String>,
    /// True if this Mac's person can sign it: their signature is missing, or nobody's, and it is to be stored.
    pub own: bool,
}

/// Signatures that a change waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FleetSignatures {
    /// Role of those who may sign: owner or publisher.
    pub role: FleetRole,
    /// Number of further people who have to sign.
    pub missing: u32,
    /// People who may and have not signed, escaped.
    pub people: Vec<String>,
}

/// A change by the name under which it was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProposedChangeRef {
    /// Name of the change: [`ProposedChange::id`].
    pub id: String,
}

/// History of the hosts of a group, judged by a policy that waits for signatures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChangeReplay {
    /// Result of each host, line by line, escaped; none for a change without rules.
    pub lines: Vec<String>,
}

/// Group of hosts, by the names of its members.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FleetGroup {
    pub name: String,
    /// Names of its hosts, escaped.
    pub hosts: Vec<String>,
    /// People who answer for them, with their devices, escaped.
    pub approvers: Vec<String>,
}

/// Member of a fleet: a host, or the device of a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FleetMember {
    pub id: String,
    /// Id of the first member of its device: a Mac's host and its person are one device.
    pub device: String,
    /// Name of the device, escaped.
    pub name: String,
    /// The person whose device it is, escaped; empty for a host.
    pub person: String,
    /// True if it is a member of this Mac.
    pub own: bool,
    pub roles: Vec<FleetRole>,
    /// Groups that a host is in.
    pub groups: Vec<String>,
    /// Limits of its approvals, if it may approve.
    pub approves: Option<FleetApproval>,
    /// State of another host that this Mac's person answers for; `None` if it said nothing for 90 seconds.
    pub state: Option<FleetHostState>,
}

/// State of a host, as it said itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FleetHostState {
    /// True if all its agents are blocked.
    pub blocked: bool,
    /// End of the block; `None` if it lasts until it is ended.
    pub until: Option<Millis>,
}

/// Duty of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum FleetRole {
    /// Signs the roster.
    Owner,
    /// Publishes policy.
    Publisher,
    /// Answers questions.
    Approver,
    /// Reads the audit of hosts.
    Auditor,
    /// Asks questions.
    Host,
}

/// Limits of the approvals of a member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FleetApproval {
    /// Groups of hosts that it answers for.
    pub groups: Vec<String>,
    /// Highest risk that it may allow.
    pub risk: RiskLevel,
    /// True if its approval saves no rule.
    pub once_only: bool,
}

/// Choices for a new fleet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FleetStart {
    /// Name of this Mac.
    pub name: String,
    /// Name of the owner.
    pub person: String,
    /// Group of this Mac's host, and of what its person answers for.
    pub group: String,
    pub broker: FleetBroker,
    pub consent: FleetConsent,
}

/// Broker of a new fleet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum FleetBroker {
    /// Broker that this Mac configures.
    Own {
        /// Address and port at which it listens.
        listen: String,
        /// True if nats-server is older than 2.10.
        before_2_10: bool,
        /// True if it runs in a container, by Docker or Podman.
        #[serde(default)]
        in_container: bool,
    },
    /// Broker that others run.
    Existing {
        /// Address: `tls://HOST:PORT`.
        server: String,
        /// Text of its certificate (PEM), to pin it; `None` trusts whom the system trusts.
        certificate: Option<String>,
        /// Credentials that its administrator gave.
        credentials: String,
    },
}

/// Rights of a fleet on this Mac. Its person gives them at starting or joining.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FleetConsent {
    /// True if the fleet's policy may also allow; otherwise it denies and asks.
    pub policy_allows: bool,
    /// True if those who answer for this Mac may read its history, agents and rules.
    pub readable: bool,
    /// True if the rows of its audit go to the fleet's auditors.
    pub auditable: bool,
}

/// A new fleet that is ready to be written, as it is shown before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FleetPlan {
    pub id: String,
    /// Files that will be written; none for a broker that others run.
    pub files: Vec<FleetPlanFile>,
    /// Command that starts the broker afterwards; `None` if nats-server is not installed, or others run it.
    pub broker_start: Option<String>,
    /// True if no other Mac can reach the broker.
    pub only_here: bool,
}

/// A file of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FleetPlanFile {
    pub path: String,
    pub text: String,
}

/// A plan that was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FleetPlanRef {
    /// Identifier of the plan: [`FleetPlan::id`].
    pub id: String,
}

/// Rights of a Mac that is invited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FleetInvite {
    /// Name of the Mac.
    pub name: String,
    /// The person whose Mac it is.
    pub person: String,
    /// Limits of its person's approvals; the host is in the same groups.
    pub approves: FleetApproval,
    /// True if its person may publish policy.
    pub publisher: bool,
    /// True if its person reads the audit of hosts, and answers nothing.
    pub auditor: bool,
}

/// Joining with a code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FleetJoin {
    pub code: String,
    /// Credentials for a broker that others run.
    pub credentials: Option<String>,
    /// True if questions of this Mac go to the fleet.
    pub asks: bool,
    /// True if its person answers for others.
    pub answers: bool,
    pub consent: FleetConsent,
}

/// A device that joins, seen from either side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FleetPairing {
    /// Name of the Mac that is invited, escaped; `None` on the one that joins.
    pub name: Option<String>,
    pub state: FleetPairingState,
    /// Code of the invitation. It works once, for ten minutes.
    pub code: Option<String>,
    /// Six digits, which both screens must show.
    pub digits: Option<String>,
    /// True if the device asks: it joins as a host.
    pub asks: bool,
    /// True if its person answers.
    pub answers: bool,
    /// Signatures of further owners that the accepted device waits for.
    pub needs: Option<FleetSignatures>,
    /// Reason why it failed, escaped.
    pub problem: Option<String>,
}

/// Progress of a device that joins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum FleetPairingState {
    /// The code is shown, and no device came with it yet.
    Waiting,
    /// Both screens show digits; the owner compares them.
    Comparing,
    /// The owner said that they are the same.
    Accepted,
    /// The device is a member.
    Joined,
    Failed,
}

/// The owner's word on the digits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FleetPair {
    /// The digits that both screens show; `None` ends the invitation or the joining.
    pub digits: Option<String>,
}

/// A member by its name or id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FleetMemberRef {
    pub member: String,
}

/// Change of what a member may do. What is `None` stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FleetMemberChange {
    /// Name of a Mac, whose host and person change together, or id of one member.
    pub member: String,
    /// Roles of a person, all of them; never the host's.
    pub roles: Option<Vec<FleetRole>>,
    /// Groups that a host is in, or that a person answers for.
    pub groups: Option<Vec<String>>,
    /// Highest risk that a person may allow.
    pub risk: Option<RiskLevel>,
    /// True if a person's approval saves no rule.
    pub once_only: Option<bool>,
    /// True if groups that no member has yet are no mistake.
    pub new_groups: bool,
}

/// Blocking of all agents of hosts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FleetBlock {
    /// A host or a group; `all` is every host.
    pub hosts: String,
    /// Number of minutes; `None` until it is ended.
    pub minutes: Option<u32>,
    /// True to let them work again.
    pub end: bool,
}

/// Replies of the hosts that were asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FleetBlocked {
    pub hosts: Vec<FleetBlockReply>,
}

/// Reply of a host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FleetBlockReply {
    /// Name in the roster, escaped.
    pub name: String,
    pub outcome: FleetBlockOutcome,
    /// Reason of a refusal, escaped.
    pub problem: Option<String>,
}

/// Outcome of blocking on a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum FleetBlockOutcome {
    Done,
    Refused,
    /// The host is not connected: nothing was sent.
    Offline,
    /// The host did not reply: sending it again is safe.
    Unconfirmed,
}
