//! Joining over the broker: the invited device asks, the owner's terminal answers.

use super::FleetError;
use super::connect::{BrokerAddress, BrokerLink};
use super::keep::{
    CREDENTIALS, Chain, Folder, HostConsent, Keys, Membership, OwnMember, UNCONFIRMED, UNOPENED,
};
use async_nats::{Client, Message};
use futures_util::StreamExt as _;
use postern_fleet::{
    FleetId, Hash, Introduction, InvitationCode, JoinSide, Joined, MemberRole, Party, PinnedRoster, Reveal,
    SignedEnvelope, Subjects,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// Longest time that the invited device waits for the owner's approval.
const PATIENCE: Duration = Duration::from_mins(10);
/// Longest time for each of the first steps.
const STEP: Duration = Duration::from_secs(10);
/// Pause before another look whether a code works, or whether the owner is there.
const AGAIN: Duration = Duration::from_millis(100);
/// Longest time for a reply before the same is sent again: a broker that reads its configuration cuts connections.
const REPLY: Duration = Duration::from_secs(2);
/// Longest time for a device to take in what makes it a member.
const TOLD: Duration = Duration::from_mins(1);
const LARGEST: usize = 1 << 20;

/// Message of the invited device.
///
/// Each may come again: its reply was lost then, and is sent again.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum JoinStepMessage {
    Commit(Hash),
    Reveal(Reveal),
    /// The device waits for the verdict of this number.
    Wait(usize),
    /// The device keeps what makes it a member.
    Kept,
}

/// Answer of the owner once the digits were compared. Each roster comes by itself: of a large fleet two are more than a
/// message.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum JoinVerdict {
    Roster(SignedEnvelope),
    Welcome {
        ids: Vec<FleetId>,
    },
    No,
    /// The owner knows that the device is a member.
    Known,
}

fn encode<T: Serialize>(value: &T) -> Result<Vec<u8>, FleetError> {
    serde_json::to_vec(value).map_err(FleetError::own_error)
}

fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, FleetError> {
    if bytes.len() > LARGEST {
        return Err(FleetError::Refused("the other side sent too much".to_owned()));
    }
    let odd = |error: serde_json::Error| FleetError::Refused(format!("the other side sent {error}"));
    serde_json::from_slice(bytes).map_err(odd)
}

/// The invited device, whose digits are to be compared.
#[derive(Debug)]
pub struct Joining {
    owner: OwnerLine,
    code: InvitationCode,
    credentials: Option<String>,
    keys: Vec<(bool, Keys)>,
    /// The owner's members, and the digits.
    pub joined: Joined,
}

impl Joining {
    /// Meets the owner at the broker that the code names. `hosts` says for each member whether it is a host; `credentials`
    /// are for a broker that others run.
    pub async fn meet_owner(
        code: InvitationCode,
        credentials: Option<String>,
        hosts: &[bool],
    ) -> Result<Self, FleetError> {
        code.check_expiry(super::wall_clock()).map_err(FleetError::refused)?;
        if code.credentials && credentials.is_none() {
            return Err(FleetError::Refused(
                "this fleet's broker wants credentials: ask its administrator for them (--credentials FILE)"
                    .to_owned(),
            ));
        }
        let made = |host: &bool| Ok((*host, Keys::new(super::random()?)?));
        let keys = hosts.iter().map(made).collect::<Result<Vec<_>, FleetError>>()?;
        let members = keys.iter().map(|(host, keys)| keys.introduce("", *host)).collect();
        let party = Party::new(code.clone(), JoinSide::Joiner, members, super::random()?);
        let mut owner = OwnerLine::open(&code, credentials.clone()).await?;
        let theirs: Hash = owner.ask_owner(&JoinStepMessage::Commit(party.commitment()), STEP).await?;
        let revealed: Reveal = owner.ask_owner(&JoinStepMessage::Reveal(party.reveal(theirs)), STEP).await?;
        let joined = party.finish(theirs, &revealed).map_err(FleetError::refused)?;
        Ok(Self { owner, code, credentials, keys, joined })
    }

    /// Waits until the owner has compared the digits, and keeps what makes this Mac a member.
    pub async fn welcomed(
        self,
        folder: &Folder,
        consent: HostConsent,
    ) -> Result<(Membership, PinnedRoster), FleetError> {
        let Self { owner: mut line, code, credentials, keys, joined } = self;
        let mut rosters = Chain(Vec::new());
        let ids = loop {
            match line.ask_owner(&JoinStepMessage::Wait(rosters.0.len()), PATIENCE).await? {
                JoinVerdict::Roster(roster) => rosters.push(roster)?,
                JoinVerdict::Welcome { ids } => break ids,
                JoinVerdict::No => return Err(FleetError::Refused("the owner said no".to_owned())),
                JoinVerdict::Known => return Err(FleetError::Refused("the owner is ahead".to_owned())),
            }
        };
        let (pinned, envelope) = rosters.follow(&code.fleet, code.roster)?;
        require_agreed(&pinned, &joined, (&ids, &keys))?;
        if folder.pinned_as_member().is_some_and(|known| known.roster.version > pinned.roster.version) {
            return Err(FleetError::Refused(
                "the roster is older than the one that this Mac knows".to_owned(),
            ));
        }
        folder.create_for_joiner(&code)?;
        let mut members = Vec::new();
        for (id, (host, keys)) in ids.into_iter().zip(&keys) {
            folder.keep_keys(&id, keys)?;
            members.push(OwnMember { id, host: *host });
        }
        let InvitationCode { fleet, server, certificate, .. } = code;
        let HostConsent { policy, readable, auditable } = consent;
        let broker = None;
        let membership =
            Membership { fleet, server, certificate, members, policy, readable, auditable, broker };
        folder.pin_roster(&pinned, envelope)?;
        if let Some(credentials) = credentials {
            folder.write_text(CREDENTIALS, credentials.as_bytes())?;
        }
        folder.write_text(UNOPENED, b"")?;
        folder.write_text(UNCONFIRMED, b"")?;
        folder.keep_membership(&membership)?;
        // An owner who is not there any more may know it, or take this device out of the roster again: it may join again.
        match line.ask_owner::<JoinVerdict>(&JoinStepMessage::Kept, STEP).await {
            Ok(JoinVerdict::Known) => folder.remove(UNCONFIRMED)?,
            Ok(_) => tracing::warn!("the owner sent something else than that this device joined"),
            Err(error) => tracing::warn!(%error, "the owner did not confirm that this device joined"),
        }
        Ok((membership, pinned))
    }
}

/// Checks that the owner whose digits were compared is an owner in the roster, and that our members have our keys.
fn require_agreed(
    pinned: &PinnedRoster,
    joined: &Joined,
    (ids, keys): (&[FleetId], &[(bool, Keys)]),
) -> Result<(), FleetError> {
    let [owner] = joined.members.as_slice() else { return Err(FleetError::NoFleet) };
    let mut owners = pinned.roster.members_with(MemberRole::Owner);
    let ours = ids.len() == keys.len()
        && ids.iter().zip(keys).all(|(id, (host, keys))| {
            pinned.roster.member(id).is_some_and(|member| {
                member.sign == keys.sign.verifier()
                    && member.seal == keys.open.sealer()
                    && member.nkey == keys.nkey.verifier()
                    && member.has_role(MemberRole::Host) == *host
            })
        });
    if owners.any(|member| member.sign == owner.sign) && ours {
        return Ok(());
    }
    Err(FleetError::Refused("the roster is not the one that was agreed on".to_owned()))
}

/// Connects with the key that a code holds.
async fn connect_invited(
    code: &InvitationCode,
    credentials: Option<String>,
) -> Result<BrokerLink, FleetError> {
    let key = code.broker_key().ok_or(FleetError::NoFleet)?;
    let (server, certificate) = (code.server.as_str(), code.certificate);
    let address = BrokerAddress { server, certificate, credentials };
    BrokerLink::open(&address, &key, &invited_name(code)).await
}

/// Returns the name of an invited device in its subjects for replies.
fn invited_name(code: &InvitationCode) -> String {
    format!("join-{}", code.join)
}

/// Waits until the broker lets in who has a code: it reads its configuration in its own time.
pub(super) async fn until_let_in(code: &InvitationCode, credentials: Option<&str>) -> Result<(), FleetError> {
    let end = Instant::now() + STEP;
    loop {
        match connect_invited(code, credentials.map(str::to_owned)).await {
            Ok(_) => return Ok(()),
            Err(error) if Instant::now() >= end => return Err(error),
            Err(_) => sleep(AGAIN).await,
        }
    }
}

/// Connection of a device to the owner that invited it. It is made again when it is lost.
#[derive(Debug)]
struct OwnerLine {
    link: BrokerLink,
    code: InvitationCode,
    credentials: Option<String>,
}

impl OwnerLine {
    async fn open(code: &InvitationCode, credentials: Option<String>) -> Result<Self, FleetError> {
        let link = connect_invited(code, credentials.clone()).await?;
        Ok(Self { link, code: code.clone(), credentials })
    }

    /// Sends a message until its reply comes, for so long. An owner who is not there for a while has gone.
    async fn ask_owner<T: DeserializeOwned>(
        &mut self,
        said: &JoinStepMessage,
        patience: Duration,
    ) -> Result<T, FleetError> {
        let (end, mut gone) = (Instant::now() + patience, None);
        loop {
            let error = match self.ask_once(said).await {
                Ok(reply) => return decode(&reply.payload),
                Err(NoReply::Late) => {
                    gone = None;
                    FleetError::Unreachable("the owner did not answer".to_owned())
                }
                Err(NoReply::Gone(error)) => {
                    if gone.get_or_insert_with(Instant::now).elapsed() >= STEP {
                        return Err(error);
                    }
                    error
                }
            };
            if Instant::now() >= end {
                return Err(error);
            }
            sleep(AGAIN).await;
        }
    }

    async fn ask_once(&mut self, said: &JoinStepMessage) -> Result<Message, NoReply> {
        if self.link.is_lost() {
            let again = connect_invited(&self.code, self.credentials.clone()).await;
            self.link = again.map_err(NoReply::Gone)?;
        }
        let subject = Subjects::for_fleet(&self.code.fleet).join_subject(&self.code.join);
        let payload = encode(said).map_err(NoReply::Gone)?;
        let request = async_nats::Request::new().payload(payload.into()).timeout(Some(REPLY));
        self.link.client.send_request(subject, request).await.map_err(|error| match error.kind() {
            async_nats::RequestErrorKind::NoResponders => NoReply::Gone(FleetError::Unreachable(
                "nobody waits for this code: an owner invites this Mac again".to_owned(),
            )),
            async_nats::RequestErrorKind::TimedOut => NoReply::Late,
            _ => NoReply::Gone(FleetError::broker(error)),
        })
    }
}

/// Reason why no reply came.
enum NoReply {
    /// Absence of an owner, or a lost connection.
    Gone(FleetError),
    /// Patience of an owner who takes longer.
    Late,
}

/// Replies of an owner to the invited device.
///
/// They go where it gets replies alone: a request could name any subject, and an owner may write more than others.
#[derive(Debug)]
struct DeviceReplies {
    client: Client,
    device: String,
}

impl DeviceReplies {
    async fn send_reply(&self, to: &Message, reply: Vec<u8>) -> Result<(), FleetError> {
        let named = to.reply.clone().filter(|subject| Subjects::is_inbox_of(&self.device, subject));
        let Some(subject) = named else { return Ok(()) };
        self.client.publish(subject, reply.into()).await.map_err(FleetError::broker)
    }
}

/// The owner's side of one invitation.
#[derive(Debug)]
pub struct Inviting {
    replies: DeviceReplies,
    messages: async_nats::Subscriber,
    party: Party,
}

/// A device that has met the owner, until somebody compared the digits.
#[derive(Debug)]
pub struct Met {
    replies: DeviceReplies,
    messages: async_nats::Subscriber,
    /// Messages that the device may send again, each with its reply.
    replied: Vec<(JoinStepMessage, Vec<u8>)>,
    /// Members that joined, and the digits.
    pub joined: Joined,
}

impl Inviting {
    /// Waits for the device that has the code. The broker must let the code's key in by now.
    pub(super) async fn subscribe(
        client: Client,
        code: InvitationCode,
        owner: Introduction,
    ) -> Result<Self, FleetError> {
        let subject = Subjects::for_fleet(&code.fleet).join_subject(&code.join);
        let messages = client.subscribe(subject).await.map_err(FleetError::broker)?;
        client.flush().await.map_err(FleetError::broker)?;
        let replies = DeviceReplies { client, device: invited_name(&code) };
        let party = Party::new(code, JoinSide::Owner, vec![owner], super::random()?);
        Ok(Self { replies, messages, party })
    }

    /// Meets the device.
    pub async fn meet_device(mut self) -> Result<Met, FleetError> {
        let gone = || FleetError::Refused("nobody came with this code in time".to_owned());
        let met = async {
            let mut committed: Option<Hash> = None;
            loop {
                let Some(message) = self.messages.next().await else { return Err(gone()) };
                match (decode(&message.payload)?, committed) {
                    // The same once more: its reply was lost.
                    (JoinStepMessage::Commit(theirs), known) if known.is_none_or(|known| known == theirs) => {
                        committed = Some(theirs);
                        self.replies.send_reply(&message, encode(&self.party.commitment())?).await?;
                    }
                    (JoinStepMessage::Reveal(revealed), Some(theirs)) => {
                        let joined = self.party.finish(theirs, &revealed).map_err(FleetError::refused)?;
                        let own = [encode(&self.party.commitment())?, encode(&self.party.reveal(theirs))?];
                        self.replies.send_reply(&message, own[1].clone()).await?;
                        let theirs = [JoinStepMessage::Commit(theirs), JoinStepMessage::Reveal(revealed)];
                        return Ok((joined, theirs.into_iter().zip(own).collect()));
                    }
                    // A second device, or one that begins again: a code works once.
                    (_, _) => return Err(used_twice()),
                }
            }
        };
        let (joined, replied) = timeout(PATIENCE, met).await.map_err(|_| gone())??;
        Ok(Met { replies: self.replies, messages: self.messages, replied, joined })
    }
}

impl Met {
    /// Tells the device that it is a member, with the rosters from the one that its code names.
    ///
    /// Waits until the device says that it keeps them.
    pub(super) async fn welcome(
        mut self,
        rosters: Vec<SignedEnvelope>,
        ids: Vec<FleetId>,
    ) -> Result<KeepingDevice, FleetError> {
        let verdicts = rosters.into_iter().map(JoinVerdict::Roster).chain([JoinVerdict::Welcome { ids }]);
        let verdicts: Vec<JoinVerdict> = verdicts.collect();
        let told = async {
            loop {
                let (message, step) = self.next_step().await?;
                match step {
                    JoinStepMessage::Wait(number) => {
                        self.send_verdict(&message, verdicts.get(number).ok_or_else(used_twice)?).await?;
                    }
                    JoinStepMessage::Kept => return Ok(message),
                    JoinStepMessage::Commit(_) | JoinStepMessage::Reveal(_) => return Err(used_twice()),
                }
            }
        };
        let kept = timeout(TOLD, told).await.map_err(|_| device_gone())??;
        Ok(KeepingDevice { met: self, kept })
    }

    /// Tells the device that it is none.
    pub async fn refuse(mut self) -> Result<(), FleetError> {
        match self.next_step().await? {
            (message, JoinStepMessage::Wait(_)) => self.send_verdict(&message, &JoinVerdict::No).await,
            _ => Err(used_twice()),
        }
    }

    /// Returns the next step of the device. What it sends again gets the same reply.
    async fn next_step(&mut self) -> Result<(Message, JoinStepMessage), FleetError> {
        loop {
            let message = timeout(STEP, self.messages.next()).await.ok().flatten();
            let message = message.ok_or_else(device_gone)?;
            let step = decode(&message.payload)?;
            match self.replied.iter().find(|(known, _)| *known == step) {
                Some((_, reply)) => self.replies.send_reply(&message, reply.clone()).await?,
                None => return Ok((message, step)),
            }
        }
    }

    async fn send_verdict(&self, message: &Message, verdict: &JoinVerdict) -> Result<(), FleetError> {
        self.replies.send_reply(message, encode(verdict)?).await?;
        self.replies.client.flush().await.map_err(FleetError::broker)
    }
}

/// Device that keeps what makes it a member, and that is not told yet that its owner knows.
#[derive(Debug)]
pub(super) struct KeepingDevice {
    met: Met,
    kept: Message,
}

impl KeepingDevice {
    /// Tells the device that its owner knows. One that does not hear it is a member all the same.
    pub(super) async fn confirm(self) {
        if let Err(error) = self.met.send_verdict(&self.kept, &JoinVerdict::Known).await {
            tracing::warn!(%error, "a device that joined did not hear that this is known");
        }
    }
}

fn device_gone() -> FleetError {
    FleetError::Unreachable("the device went away, and did not join: invite it again".to_owned())
}

fn used_twice() -> FleetError {
    FleetError::Refused("this code was used twice: make another one".to_owned())
}
