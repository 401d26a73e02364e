//! An owner's side: starting a fleet, inviting, revoking, and the broker's configuration.

mod broker_file;
mod letting_in;
mod rights;
mod signing;

pub(super) use broker_file::configure_by_roster;

use super::connect::BrokerLink;
use super::joining::Inviting;
use super::keep::{
    CERTIFICATE, CONFIGURATION, CREDENTIALS, Folder, HostConsent, Keys, Membership, OwnBroker, OwnMember,
    PENDING, PENDING_LOCK, PRIVATE_KEY, UNOPENED,
};
use super::streams::prepare;
use super::{FleetError, policy, service, store};
use postern_fleet::{
    ApproverLimits, CODE_LASTS, FleetId, FleetRisk, Hash, Introduction, InvitationCode, Member, MemberRole,
    PinnedRoster, Roster, SignedEnvelope,
};
use postern_host::make_private;
use std::fs::File;
use std::net::SocketAddr;
use std::time::Duration;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject as _};

/// Time that a change waits for another one of this Mac to be stored.
const STORING_LASTS: Duration = Duration::from_secs(10);
/// Time between two looks whether it is.
const STORING_AGAIN: Duration = Duration::from_millis(50);

/// Choices for a new fleet.
#[derive(Debug, Clone)]
pub struct NewFleetChoices {
    pub broker: BrokerChoice,
    /// Name of this Mac.
    pub name: String,
    /// Name of the owner.
    pub person: String,
    /// Group of its host, and of what its person answers for.
    pub group: FleetId,
    /// Rights of the fleet on this Mac.
    pub consent: HostConsent,
}

/// Broker of a new fleet.
#[derive(Debug, Clone)]
pub enum BrokerChoice {
    /// Broker that this Mac configures.
    Own {
        listen: SocketAddr,
        /// True if nats-server is older than 2.10.
        before_2_10: bool,
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

impl BrokerChoice {
    /// Chooses a broker that others run.
    pub fn existing(
        server: String,
        certificate: Option<String>,
        credentials: String,
    ) -> Result<Self, FleetError> {
        if !server.starts_with("tls://") {
            return Err(FleetError::Refused("the server's address is tls://HOST:PORT".to_owned()));
        }
        Ok(Self::Existing { server, certificate, credentials })
    }
}

/// A fleet that is ready to be kept.
#[derive(Debug)]
pub struct PreparedFleet {
    membership: Membership,
    pinned: PinnedRoster,
    envelope: SignedEnvelope,
    keys: Vec<(FleetId, Keys)>,
    /// Further files, by their names.
    files: Vec<(&'static str, String)>,
    pub configuration: Option<String>,
}

/// Makes a fleet of one Mac, whose person owns it. Nothing is written.
pub fn prepare_fleet(folder: &Folder, wanted: &NewFleetChoices) -> Result<PreparedFleet, FleetError> {
    let fleet = super::new_id()?;
    let NewBroker { server, certificate, broker, mut files } = NewBroker::of_choice(&wanted.broker)?;
    let (person, host) = (super::new_id()?, super::new_id()?);
    let (own, hosts) = (Keys::new(super::random()?)?, Keys::new(super::random()?)?);
    let groups = vec![wanted.group.clone()];
    let approver = ApproverLimits { groups: groups.clone(), risk: FleetRisk::Dangerous, once_only: false };
    let name = &wanted.name;
    let owner = Member {
        person: wanted.person.clone(),
        roles: vec![MemberRole::Owner, MemberRole::Publisher, MemberRole::Approver],
        approver: Some(approver),
        ..member(&person, name, &own.introduce(name, false))
    };
    let member =
        Member { roles: vec![MemberRole::Host], groups, ..member(&host, name, &hosts.introduce(name, true)) };
    let roster = Roster {
        version: 1,
        previous: None,
        owners_needed: 1,
        publishers_needed: 1,
        fresh_by: Vec::new(),
        fresh_for: 24 * 3_600_000,
        members: vec![owner, member],
    };
    let header = super::header(&fleet, &person)?;
    let envelope = header.sign_body(roster, &[&own.sign]);
    let pinned = PinnedRoster::pin_first(&envelope, &fleet, Hash::of_bytes(&envelope.payload))
        .map_err(FleetError::refused)?;
    let membership = Membership {
        fleet,
        server,
        certificate,
        members: vec![
            OwnMember { id: person.clone(), host: false },
            OwnMember { id: host.clone(), host: true },
        ],
        policy: wanted.consent.policy,
        readable: wanted.consent.readable,
        auditable: wanted.consent.auditable,
        broker,
    };
    let configuration = broker_file::configuration(folder, &membership, &pinned.roster, &[]);
    files.extend(configuration.clone().map(|text| (CONFIGURATION, text)));
    let keys = vec![(person, own), (host, hosts)];
    Ok(PreparedFleet { membership, pinned, envelope, keys, files, configuration })
}

/// Facts and files of a new fleet's broker.
struct NewBroker {
    server: String,
    certificate: Option<Hash>,
    broker: Option<OwnBroker>,
    files: Vec<(&'static str, String)>,
}

impl NewBroker {
    fn of_choice(choice: &BrokerChoice) -> Result<Self, FleetError> {
        match choice {
            BrokerChoice::Own { listen, before_2_10, in_container } => {
                let made = rcgen::generate_simple_self_signed(vec![listen.ip().to_string()])
                    .map_err(FleetError::own_error)?;
                let (certificate, key) = (made.cert.pem(), made.signing_key.serialize_pem());
                Ok(Self {
                    server: format!("tls://{listen}"),
                    certificate: Some(Hash::of_bytes(made.cert.der())),
                    broker: Some(OwnBroker {
                        listen: listen.to_string(),
                        before_2_10: *before_2_10,
                        in_container: *in_container,
                    }),
                    files: vec![(CERTIFICATE, certificate), (PRIVATE_KEY, key)],
                })
            }
            BrokerChoice::Existing { server, certificate, credentials } => {
                let unusable = |error: pem::Error| {
                    FleetError::Refused(format!("the certificate cannot be used: {error}"))
                };
                let certificate =
                    certificate.as_ref().map(|text| CertificateDer::from_pem_slice(text.as_bytes()));
                let certificate = certificate.transpose().map_err(unusable)?;
                Ok(Self {
                    server: server.clone(),
                    certificate: certificate.map(|certificate| Hash::of_bytes(&certificate)),
                    broker: None,
                    files: vec![(CREDENTIALS, credentials.clone())],
                })
            }
        }
    }
}

/// Makes a member that may do nothing yet.
fn member(id: &FleetId, name: &str, introduced: &Introduction) -> Member {
    let Introduction { sign, seal, nkey, .. } = *introduced;
    Member {
        id: id.clone(),
        name: name.to_owned(),
        person: String::new(),
        roles: Vec::new(),
        groups: Vec::new(),
        approver: None,
        sign,
        seal,
        nkey,
    }
}

impl PreparedFleet {
    /// Returns the broker that this Mac configures, if it configures one.
    pub(super) fn own_broker(&self) -> Option<&OwnBroker> {
        self.membership.broker.as_ref()
    }

    /// Keeps it: from now on this Mac is a member.
    pub fn save_files(&self, folder: &Folder) -> Result<(), FleetError> {
        folder.create_for_member()?;
        if self.configuration.is_some() {
            make_private(&folder.broker()).map_err(FleetError::own_error)?;
        }
        for (name, text) in &self.files {
            folder.write_text(name, text.as_bytes())?;
        }
        for (id, keys) in &self.keys {
            folder.keep_keys(id, keys)?;
        }
        folder.pin_roster(&self.pinned, &self.envelope)?;
        folder.write_text(UNOPENED, b"")?;
        folder.keep_membership(&self.membership)
    }
}

/// Rights of a new member.
#[derive(Debug, Clone)]
pub struct Invitation {
    /// Human-readable label of the member.
    pub name: String,
    /// The person whose device it is.
    pub person: String,
    pub groups: Vec<FleetId>,
    /// Limits of what its person may approve; `None` if nothing.
    pub approver: Option<ApproverLimits>,
    /// True if its person may publish policy.
    pub publisher: bool,
    /// True if its person reads the rows of hosts' audits.
    pub auditor: bool,
}

impl Invitation {
    fn roles(&self) -> Vec<MemberRole> {
        let roles = [
            (self.approver.is_some(), MemberRole::Approver),
            (self.publisher, MemberRole::Publisher),
            (self.auditor, MemberRole::Auditor),
        ];
        roles.into_iter().filter(|(has, _)| *has).map(|(_, role)| role).collect()
    }
}

/// An owner that is connected.
#[derive(Debug)]
pub struct FleetOwner {
    link: BrokerLink,
    folder: Folder,
    membership: Membership,
    me: FleetId,
    keys: Keys,
    pinned: PinnedRoster,
    /// Envelope of that roster, as its owners signed it.
    signed: SignedEnvelope,
    /// Members that an earlier change removed and that is done only now.
    removed_late: Vec<Member>,
    /// True if such a change was done: the broker may not have read yet whom it lets in.
    is_finished_late: bool,
}

impl FleetOwner {
    /// Connects as the owner, and makes what the broker keeps if it does not keep it yet.
    pub async fn connect(folder: &Folder) -> Result<Self, FleetError> {
        let membership = folder.membership()?;
        let (pinned, signed) = folder.roster()?;
        let me = membership.own_member_id(false).ok_or(FleetError::NoOwner)?.clone();
        let keys = folder.read_keys(&me)?;
        let link = BrokerLink::open_as_member(folder, &membership, (&me, &keys.nkey)).await?;
        let (folder, removed_late, is_finished_late) = (folder.clone(), Vec::new(), false);
        let mut owner =
            Self { link, folder, membership, me, keys, pinned, signed, removed_late, is_finished_late };
        if !owner.is_owner() {
            // Another owner may have given that role meanwhile.
            owner.follow().await?;
        }
        if !owner.is_owner() {
            return Err(FleetError::NoOwner);
        }
        prepare(&owner.link.client, &owner.membership.fleet, &owner.pinned.roster).await?;
        if owner.pinned.roster.version > 1 {
            // The first one has not been stored yet, or nobody was there to read it.
            owner.follow().await?;
        } else {
            owner.finish_roster().await?;
        }
        store::say_fresh(owner.bucket(), (&owner.me, &owner.keys.sign), &owner.pinned).await?;
        owner.put_out_unconfirmed().await?;
        if owner.is_finished_late {
            service::reload(&owner.folder);
        }
        Ok(owner)
    }

    fn bucket(&self) -> store::Bucket<'_> {
        let (client, fleet) = (&self.link.client, &self.membership.fleet);
        store::Bucket { client, fleet, open: &self.keys.open }
    }

    fn is_owner(&self) -> bool {
        self.membership.owner_member(&self.pinned).is_some()
    }

    /// Follows the rosters that came after this one, and returns them as their owners signed them.
    async fn follow(&mut self) -> Result<Vec<SignedEnvelope>, FleetError> {
        let mut followed = self.follow_stored().await?;
        followed.extend(self.finish_roster().await?);
        Ok(followed)
    }

    /// Follows the rosters that the broker keeps.
    async fn follow_stored(&mut self) -> Result<Vec<SignedEnvelope>, FleetError> {
        let (newest, followed) = store::follow_from(self.bucket(), &self.folder, self.pinned.clone()).await?;
        self.pinned = newest;
        if let Some(signed) = followed.last() {
            self.signed = signed.clone();
        }
        Ok(followed)
    }

    /// Stores the roster that was signed here and that the broker did not confirm, if it can still follow. A broker may have
    /// shown it to members: the fleet gets no other one of its version from here.
    async fn finish_roster(&mut self) -> Result<Vec<SignedEnvelope>, FleetError> {
        if self.folder.pending_roster()?.is_none() {
            return Ok(Vec::new());
        }
        let _turn = self.begin_storing().await?;
        let before = self.pinned.roster.members.clone();
        let followed = match self.folder.pending_roster()? {
            Some(pending) => self.finish_pending(pending).await?.into_iter().collect(),
            // Another task or program of this Mac stored it meanwhile.
            None => self.follow_stored().await?,
        };
        let stays = |member: &Member| self.pinned.roster.member(&member.id).is_some();
        self.removed_late = before.into_iter().filter(|member| !stays(member)).collect();
        Ok(followed)
    }

    async fn finish_pending(
        &mut self,
        pending: SignedEnvelope,
    ) -> Result<Option<SignedEnvelope>, FleetError> {
        if Hash::of_bytes(&pending.payload) == self.pinned.hash {
            // It was stored, and only its confirmation was lost.
            self.settle_roster().await?;
            self.is_finished_late = true;
            return Ok(None);
        }
        let next = self.pinned.verify_later(&pending, &self.membership.fleet);
        // What several signed may have been withdrawn since.
        let is_wanted = !self.is_one_of_several() || self.is_proposed(&pending).await?;
        let Some(next) = next.ok().filter(|_| is_wanted && self.is_owner()) else {
            self.folder.remove(PENDING)?;
            return Ok(None);
        };
        self.store_roster(next, pending.clone()).await?;
        self.is_finished_late = true;
        Ok(Some(pending))
    }

    /// Waits for the lock under which this Mac stores a roster: another of its tasks or programs may hold it.
    async fn begin_storing(&self) -> Result<File, FleetError> {
        let turn = async {
            loop {
                if let Some(turn) = self.folder.try_lock(PENDING_LOCK)? {
                    return Ok(turn);
                }
                tokio::time::sleep(STORING_AGAIN).await;
            }
        };
        let late = |_| FleetError::Refused("another change is stored at this time: try again".to_owned());
        tokio::time::timeout(STORING_LASTS, turn).await.map_err(late)?
    }

    /// Stores the next roster for its members, and counts by it.
    async fn store_roster(
        &mut self,
        pinned: PinnedRoster,
        envelope: SignedEnvelope,
    ) -> Result<(), FleetError> {
        let by = (&self.me, &self.keys.sign);
        store::publish(self.bucket(), by, (&self.pinned, &pinned), &envelope).await?;
        self.folder.pin_roster(&pinned, &envelope)?;
        (self.pinned, self.signed) = (pinned, envelope);
        self.settle_roster().await
    }

    /// Configures the broker and seals policy by the roster that is stored now, and takes away what waited for signatures.
    ///
    /// That it was on its way is forgotten last: until then the next command of this owner does all of it again.
    async fn settle_roster(&self) -> Result<(), FleetError> {
        self.configure_by(&self.pinned.roster, &self.folder.invited()?)?;
        policy::reseal(self.bucket(), &self.pinned).await?;
        // Shares of the streams follow the number of hosts. An account may lack room for more.
        let shared = prepare(&self.link.client, &self.membership.fleet, &self.pinned.roster).await;
        if let Err(error) = shared {
            tracing::warn!(%error, "the broker's streams could not be brought up to date");
        }
        // One that stays there is on an older roster: nobody can sign it, and the next change takes its place.
        if let Err(error) = self.clear_proposal().await {
            tracing::warn!(%error, "a signed change could not be removed from those that wait");
        }
        self.folder.remove(PENDING)
    }

    /// Returns the roster.
    pub fn roster(&self) -> &Roster {
        &self.pinned.roster
    }

    /// Makes a code and the configuration that lets its key in. The broker has to read it before the code works.
    pub fn invite(&self) -> Result<InvitationCode, FleetError> {
        let code = InvitationCode {
            fleet: self.membership.fleet.clone(),
            join: super::new_id()?,
            server: self.membership.server.clone(),
            certificate: self.membership.certificate,
            credentials: self.folder.credentials()?.is_some(),
            roster: self.pinned.hash,
            secret: super::random()?,
            ends: super::wall_clock() + CODE_LASTS,
        };
        let key = code.broker_key().ok_or(FleetError::NoOwner)?.verifier();
        self.configure(&[(code.join.clone(), key)])?;
        Ok(code)
    }

    /// Takes back every invitation.
    pub fn uninvite(&self) -> Result<(), FleetError> {
        self.configure(&[])
    }

    fn configure(&self, invited: &[(FleetId, postern_fleet::VerifyKey)]) -> Result<(), FleetError> {
        self.folder.keep_invited(invited)?;
        self.configure_by(&self.pinned.roster, invited)
    }

    /// Lets in whom a roster names.
    fn configure_by(
        &self,
        roster: &Roster,
        invited: &[(FleetId, postern_fleet::VerifyKey)],
    ) -> Result<(), FleetError> {
        broker_file::write_configuration(&self.folder, &self.membership, roster, invited).map(drop)
    }

    /// Waits for the device that has a code.
    pub async fn await_device(&self, code: InvitationCode) -> Result<Inviting, FleetError> {
        Inviting::subscribe(self.link.client.clone(), code, self.keys.introduce("owner", false)).await
    }

    /// Removes members by name or id, and returns how many went. They are cut off once the broker reads its configuration.
    pub async fn revoke(&mut self, named: &str) -> Result<usize, FleetError> {
        self.follow().await?;
        let mut roster = self.next_roster();
        let is_named = |member: &Member| member.name == named || member.id.as_str() == named;
        let before = roster.members.len();
        roster.members.retain(|member| member.id == self.me || !is_named(member));
        let gone = before - roster.members.len();
        let late = std::mem::take(&mut self.removed_late).iter().filter(|member| is_named(member)).count();
        match (gone, late) {
            (0, 0) => {
                let nobody = format!("nobody named {named:?} can be revoked: postern fleet members");
                return Err(FleetError::Refused(nobody));
            }
            (0, late) => return Ok(late),
            _ => {}
        }
        let published = self.publish(roster.clone()).await;
        if self.is_one_of_several() {
            // One of several owners cuts nobody off.
            return published.map(|_| gone + late);
        }
        // They are cut off, whatever the broker says to the roster.
        self.folder.keep_invited(&[])?;
        self.configure_by(&roster, &[])?;
        published.map(|_| gone + late)
    }

    fn next_roster(&self) -> Roster {
        let mut roster = self.pinned.roster.clone();
        roster.version += 1;
        roster.previous = Some(self.pinned.hash);
        roster
    }

    /// Signs the next roster and stores it. Where further owners have to sign, it is proposed to them.
    async fn publish(&mut self, roster: Roster) -> Result<SignedEnvelope, FleetError> {
        if self.is_one_of_several() {
            return Err(FleetError::Proposed(self.propose(roster).await?));
        }
        let header = super::header(&self.membership.fleet, &self.me)?;
        let envelope = header.sign_body(roster, &[&self.keys.sign]);
        store::require_size::<Roster>(&envelope)?;
        let next = self.pinned.verify_next(&envelope, &self.membership.fleet).map_err(FleetError::refused)?;
        let _turn = self.begin_storing().await?;
        self.folder.write_json(PENDING, &envelope)?;
        self.store_roster(next, envelope.clone()).await?;
        Ok(envelope)
    }
}
