//! Joining over the broker: the invited device asks, the owner's terminal answers.

use super::FleetError;
use super::connect::{BrokerAddress, BrokerLink};
use super::keep::{CREDENTIALS, Chain, Folder, HostConsent, Keys, Membership, OwnMember};
use async_nats::{Client, Message};
use futures_util::StreamExt as _;
use postern_fleet::{
    FleetId, Hash, Introduction, InvitationCode, JoinSide, Joined, Party, PinnedRoster, Reveal,
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
/// Pause before another look whether a code works.
const AGAIN: Duration = Duration::from_millis(100);
/// Largest message of joining.
const LARGEST: usize = 1 << 20;

/// Message of the invited device.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum JoinStepMessage {
    Commit(Hash),
    Reveal(Reveal),
    Wait,
}

/// Answer of the owner once the digits were compared. Each roster comes by itself: of a large fleet two are more than a
/// message.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum JoinVerdict {
    Roster(SignedEnvelope),
    Welcome { ids: Vec<FleetId> },
    No,
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
    client: Client,
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
        let link = connect_invited(&code, credentials.clone()).await?;
        let subject = Subjects::for_fleet(&code.fleet).join_subject(&code.join);
        let client = link.client;
        let theirs: Hash =
            send_and_receive(&client, &subject, &JoinStepMessage::Commit(party.commitment()), STEP).await?;
        let revealed: Reveal =
            send_and_receive(&client, &subject, &JoinStepMessage::Reveal(party.reveal(theirs)), STEP).await?;
        let joined = party.finish(theirs, &revealed).map_err(FleetError::refused)?;
        Ok(Self { client, code, credentials, keys, joined })
    }

    /// Waits until the owner has compared the digits, and keeps what makes this Mac a member.
    pub async fn welcomed(
        self,
        folder: &Folder,
        consent: HostConsent,
    ) -> Result<(Membership, PinnedRoster), FleetError> {
        let Self { client, code, credentials, keys, joined } = self;
        let subject = Subjects::for_fleet(&code.fleet).join_subject(&code.join);
        let mut rosters = Chain(Vec::new());
        let ids = loop {
            match send_and_receive(&client, &subject, &JoinStepMessage::Wait, PATIENCE).await? {
                JoinVerdict::Roster(roster) => rosters.push(roster)?,
                JoinVerdict::Welcome { ids } => break ids,
                JoinVerdict::No => return Err(FleetError::Refused("the owner said no".to_owned())),
            }
        };
        let (pinned, envelope) = rosters.follow(&code.fleet, code.roster)?;
        // The owner whose digits were compared is an owner in the roster, and our members have our keys.
        let [owner] = joined.members.as_slice() else { return Err(FleetError::NoFleet) };
        let is_owner = pinned
            .roster
            .members_with(postern_fleet::MemberRole::Owner)
            .any(|member| member.sign == owner.sign);
        let ours = ids.len() == keys.len()
            && ids.iter().zip(&keys).all(|(id, (host, keys))| {
                pinned.roster.member(id).is_some_and(|member| {
                    member.sign == keys.sign.verifier()
                        && member.seal == keys.open.sealer()
                        && member.nkey == keys.nkey.verifier()
                        && member.has_role(postern_fleet::MemberRole::Host) == *host
                })
            });
        if !is_owner || !ours {
            return Err(FleetError::Refused("the roster is not the one that was agreed on".to_owned()));
        }
        folder.create()?;
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
        folder.keep_membership(&membership)?;
        Ok((membership, pinned))
    }
}

/// Connects with the key that a code holds.
async fn connect_invited(
    code: &InvitationCode,
    credentials: Option<String>,
) -> Result<BrokerLink, FleetError> {
    let key = code.broker_key().ok_or(FleetError::NoFleet)?;
    let (server, certificate) = (code.server.as_str(), code.certificate);
    let address = BrokerAddress { server, certificate, credentials };
    BrokerLink::open(&address, &key, &format!("join-{}", code.join)).await
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

async fn send_and_receive<T: DeserializeOwned>(
    client: &Client,
    subject: &str,
    said: &JoinStepMessage,
    patience: Duration,
) -> Result<T, FleetError> {
    let request = async_nats::Request::new().payload(encode(said)?.into()).timeout(Some(patience));
    let reply =
        client.send_request(subject.to_owned(), request).await.map_err(|error| match error.kind() {
            async_nats::RequestErrorKind::NoResponders => FleetError::Unreachable(
                "nobody waits for this code: an owner invites this Mac again".to_owned(),
            ),
            async_nats::RequestErrorKind::TimedOut => {
                FleetError::Unreachable("the owner did not answer".to_owned())
            }
            _ => FleetError::broker(error),
        })?;
    decode(&reply.payload)
}

/// The owner's side of one invitation.
#[derive(Debug)]
pub struct Inviting {
    client: Client,
    messages: async_nats::Subscriber,
    party: Party,
}

/// A device that has met the owner, until somebody compared the digits.
#[derive(Debug)]
pub struct Met {
    client: Client,
    messages: async_nats::Subscriber,
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
        let party = Party::new(code, JoinSide::Owner, vec![owner], super::random()?);
        Ok(Self { client, messages, party })
    }

    /// Meets the device.
    pub async fn meet_device(mut self) -> Result<Met, FleetError> {
        let gone = || FleetError::Refused("nobody came with this code in time".to_owned());
        let met = async {
            let mut committed = None;
            loop {
                let Some(message) = self.messages.next().await else { return Err(gone()) };
                match (decode(&message.payload)?, committed) {
                    (JoinStepMessage::Commit(theirs), None) => {
                        committed = Some(theirs);
                        send_reply(&self.client, &message, &self.party.commitment()).await?;
                    }
                    (JoinStepMessage::Reveal(revealed), Some(theirs)) => {
                        let joined = self.party.finish(theirs, &revealed).map_err(FleetError::refused)?;
                        send_reply(&self.client, &message, &self.party.reveal(theirs)).await?;
                        return Ok(joined);
                    }
                    // A second device, or one that begins again: a code works once.
                    (JoinStepMessage::Commit(_) | JoinStepMessage::Reveal(_) | JoinStepMessage::Wait, _) => {
                        return Err(FleetError::Refused(
                            "this code was used twice: make another one".to_owned(),
                        ));
                    }
                }
            }
        };
        let joined = timeout(PATIENCE, met).await.map_err(|_| gone())??;
        Ok(Met { client: self.client, messages: self.messages, joined })
    }
}

impl Met {
    /// Tells the device that it is a member, with the rosters from the one that its code names.
    pub(super) async fn welcome(
        mut self,
        rosters: Vec<SignedEnvelope>,
        ids: Vec<FleetId>,
    ) -> Result<(), FleetError> {
        for roster in rosters {
            self.send_verdict(&JoinVerdict::Roster(roster)).await?;
        }
        self.send_verdict(&JoinVerdict::Welcome { ids }).await
    }

    /// Tells the device that it is none.
    pub async fn refuse(mut self) -> Result<(), FleetError> {
        self.send_verdict(&JoinVerdict::No).await
    }

    async fn send_verdict(&mut self, verdict: &JoinVerdict) -> Result<(), FleetError> {
        let gone = || FleetError::Unreachable("the device went away".to_owned());
        let message = timeout(STEP, self.messages.next()).await.ok().flatten().ok_or_else(gone)?;
        let JoinStepMessage::Wait = decode(&message.payload)? else {
            return Err(FleetError::Refused("this code was used twice: make another one".to_owned()));
        };
        send_reply(&self.client, &message, verdict).await?;
        self.client.flush().await.map_err(FleetError::broker)
    }
}

async fn send_reply<T: Serialize>(client: &Client, to: &Message, value: &T) -> Result<(), FleetError> {
    let Some(subject) = to.reply.clone() else { return Ok(()) };
    client.publish(subject, encode(value)?.into()).await.map_err(FleetError::broker)
}
