//! Files that a Mac keeps of its fleet: the folder `fleet` in the data folder, 0700, which no request of an agent may
//! read.

use super::FleetError;
use postern_contract::THIS_COMPUTER;
use postern_fleet::{
    FleetId, Fresh, Hash, Introduction, InvitationCode, Member, MemberRole, OpenKey, PinnedRoster, Seed,
    SignKey, SignedEnvelope, VerifyKey,
};
use postern_host::{make_private, write_soon, write_whole};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::Notify;

/// Largest number of rosters between the one that a code names and the one that a new member is in.
const ROSTERS: usize = 10;

/// File with the credentials for a broker that others run.
pub(super) const CREDENTIALS: &str = "credentials";

/// Folder of the broker's own files, and those that the fleet writes there.
const BROKER: &str = "broker";
pub(super) const CONFIGURATION: &str = "broker/broker.conf";
pub(super) const CERTIFICATE: &str = "broker/broker.crt";
pub(super) const PRIVATE_KEY: &str = "broker/broker.pem";

/// File that is locked while a roster is pinned: programs and tasks do so at the same time.
const LOCK: &str = "roster.lock";

/// File with the roster that this Mac signed and the broker did not confirm yet, and the file that is locked while it is stored.
pub(super) const PENDING: &str = "pending-roster.json";
pub(super) const PENDING_LOCK: &str = "pending-roster.lock";

/// File with the numbers of what this Mac's person signed as one of several, by its key in the bucket.
const SIGNED: &str = "signed.json";

/// File with the members that this Mac's person lets in and that did not confirm it, and the file that is locked meanwhile.
pub(super) const LETTING_IN: &str = "letting-in.json";
pub(super) const LETTING_IN_LOCK: &str = "letting-in.lock";

/// File that says that this Mac became a member, and that nobody opened or closed the door since.
pub(super) const UNOPENED: &str = "unopened";

/// File that says that this Mac keeps what makes it a member, and that no owner said yet that they know.
pub(super) const UNCONFIRMED: &str = "unconfirmed";

/// Everything that makes this Mac a member. That it is unconfirmed goes last: until then it may join again.
const FILES: [&str; 24] = [
    UNOPENED, LOCK, PENDING, PENDING_LOCK, LETTING_IN, LETTING_IN_LOCK, "member.json", "shown.json",
    CREDENTIALS, "keys", "roster.json", "fresh.json", "invited.json", CONFIGURATION, "policy", "policy.json",
    "jobs.json", "published.json", SIGNED, "heads.json", "anchored.json", "rows-sent.json", "rows.json",
    UNCONFIRMED,
];

/// The folder.
#[derive(Debug, Clone)]
pub struct Folder {
    path: PathBuf,
    /// Word for a clone of this folder that the roster may be another one by now.
    roster_changed: Arc<Notify>,
}

/// Extent to which a fleet may change what runs on a host. Its person chooses it at joining.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PolicyScope {
    /// Deny, and ask more people.
    #[default]
    Deny,
    /// Allow, and decide settings, as well.
    Allow,
}

/// Rights that a host's person gives its fleet at joining.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HostConsent {
    /// Extent to which its policy counts.
    pub policy: PolicyScope,
    /// True if those who answer for the host may read its history, agents and rules.
    pub readable: bool,
    /// True if the rows of its audit go to the fleet's auditors, sealed for them.
    pub auditable: bool,
}

/// Facts about the fleet besides its roster.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Membership {
    pub fleet: FleetId,
    /// Address of the broker: `tls://HOST:PORT`.
    pub server: String,
    /// Hash of the broker's certificate; absent where the system trusts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<Hash>,
    /// The members that this Mac is: a host, an approver, or both.
    pub members: Vec<OwnMember>,
    /// Extent to which the fleet's policy counts on this Mac.
    #[serde(default)]
    pub policy: PolicyScope,
    /// True if those who answer for this Mac may read its history, agents and rules.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub readable: bool,
    /// True if the rows of this Mac's audit go to the fleet's auditors, sealed for them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub auditable: bool,
    /// Address of the broker, if this Mac keeps its configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broker: Option<OwnBroker>,
}

/// A member that this Mac is.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnMember {
    /// Identifier of the device in the roster.
    pub id: FleetId,
    /// True if it is the host, false if it is the person's own key.
    pub host: bool,
}

/// The broker that this Mac configures.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OwnBroker {
    /// Address and port of the broker: `HOST:PORT`.
    pub listen: String,
    /// True if its server is older than 2.10.
    pub before_2_10: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_container: bool,
}

/// Secrets of one member.
#[derive(Debug)]
pub struct Keys {
    pub sign: SignKey,
    pub open: OpenKey,
    /// The key for the broker.
    pub nkey: SignKey,
}

/// A roster that counts, and as its owners signed it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeptRoster {
    pinned: PinnedRoster,
    envelope: SignedEnvelope,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Secrets {
    sign: Hash,
    open: Hash,
    nkey: Hash,
}

impl Keys {
    /// Makes the keys of 32 random bytes.
    pub fn new(random: [u8; 32]) -> Result<Self, FleetError> {
        let mut seed = Seed::new(random);
        Self::from_seeds([seed.draw_bytes(), seed.draw_bytes(), seed.draw_bytes()])
    }

    fn from_seeds([sign, open, nkey]: [[u8; 32]; 3]) -> Result<Self, FleetError> {
        let signs = |seed| SignKey::from_seed(seed).map_err(|error| FleetError::Own(error.to_string()));
        Ok(Self { sign: signs(sign)?, open: OpenKey::from_seed(open), nkey: signs(nkey)? })
    }

    /// Introduces the member with these keys.
    pub fn introduce(&self, name: &str, host: bool) -> Introduction {
        let (sign, seal, nkey) = (self.sign.verifier(), self.open.sealer(), self.nkey.verifier());
        Introduction { name: name.to_owned(), host, sign, seal, nkey }
    }

    fn secrets(&self) -> Secrets {
        let hidden = |seed: &[u8; 32]| Hash::from_bytes(*seed);
        Secrets {
            sign: hidden(self.sign.seed_bytes()),
            open: hidden(self.open.seed_bytes()),
            nkey: hidden(self.nkey.seed_bytes()),
        }
    }
}

impl Folder {
    /// Returns the fleet's folder of a data folder. It need not exist.
    pub fn from_data_folder(data: &Path) -> Self {
        Self { path: data.join("fleet"), roster_changed: Arc::default() }
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes it for a new member. What an earlier joining left behind that never ended may be of another fleet.
    pub(super) fn create_for_member(&self) -> Result<(), FleetError> {
        self.require_none()?;
        self.forget()?;
        self.create()
    }

    /// Makes it for a device that joins, or that joins again: an owner may know nothing of the joining before.
    pub(super) fn create_for_joiner(&self, code: &InvitationCode) -> Result<(), FleetError> {
        self.require_joinable(code)?;
        self.forget()?;
        self.create()
    }

    /// Makes it.
    pub fn create(&self) -> Result<(), FleetError> {
        make_private(&self.path).map_err(FleetError::own_error)
    }

    /// Returns the folder of the broker's own files, which are all that a container sees. It need not exist.
    pub fn broker(&self) -> PathBuf {
        self.path.join(BROKER)
    }

    /// Removes everything that makes this Mac a member. What the broker stores stays.
    pub fn forget(&self) -> Result<(), FleetError> {
        FILES.iter().try_for_each(|name| self.remove(name))
    }

    /// Removes a file or folder. One that is not there is removed.
    pub(super) fn remove(&self, name: &str) -> Result<(), FleetError> {
        let path = self.path.join(name);
        let gone = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
        match gone {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(FleetError::own_error(error)),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Returns true if this Mac has credentials for a broker that others run.
    pub fn has_credentials(&self) -> bool {
        self.path.join(CREDENTIALS).exists()
    }

    /// Returns the credentials for a broker that others run; `None` where it knows members by their own keys.
    pub(super) fn credentials(&self) -> Result<Option<String>, FleetError> {
        match fs::read_to_string(self.path.join(CREDENTIALS)) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(FleetError::own_error(error)),
        }
    }

    /// Returns what is known of the fleet; an error if this Mac is in none.
    pub fn membership(&self) -> Result<Membership, FleetError> {
        self.read_json("member.json")?.ok_or(FleetError::NoFleet)
    }

    /// Refuses what makes this Mac a member if it is one.
    pub fn require_none(&self) -> Result<(), FleetError> {
        match self.membership() {
            Err(FleetError::NoFleet) => Ok(()),
            Err(error) => Err(error),
            Ok(_) => {
                Err(FleetError::Refused(format!("{THIS_COMPUTER} is in a fleet already: leave it first")))
            }
        }
    }

    /// Refuses a code if this Mac is a member, unless it comes from the same fleet and no owner confirmed that it joined.
    pub(super) fn require_joinable(&self, code: &InvitationCode) -> Result<(), FleetError> {
        let is_same = |known: Membership| {
            (known.fleet, known.server, known.certificate)
                == (code.fleet.clone(), code.server.clone(), code.certificate)
        };
        if self.is_unconfirmed() && self.membership().is_ok_and(is_same) {
            return Ok(());
        }
        self.require_none()
    }

    /// Returns true if this Mac is a member and no owner said yet that they know.
    pub fn is_unconfirmed(&self) -> bool {
        self.path.join(UNCONFIRMED).exists() && self.path.join("member.json").exists()
    }

    /// Keeps it.
    pub fn keep_membership(&self, membership: &Membership) -> Result<(), FleetError> {
        self.write_json("member.json", membership)
    }

    /// Returns the secrets of a member.
    pub fn read_keys(&self, member: &FleetId) -> Result<Keys, FleetError> {
        let kept: Option<Secrets> = self.read_json(&format!("keys/{member}.json"))?;
        let Secrets { sign, open, nkey } = kept.ok_or(FleetError::NoFleet)?;
        Keys::from_seeds([*sign.as_bytes(), *open.as_bytes(), *nkey.as_bytes()])
    }

    /// Keeps the secrets of a member.
    pub fn keep_keys(&self, member: &FleetId, keys: &Keys) -> Result<(), FleetError> {
        make_private(&self.path.join("keys")).map_err(FleetError::own_error)?;
        self.write_json(&format!("keys/{member}.json"), &keys.secrets())
    }

    /// Returns the roster that counts. It was checked against the one before it when it was pinned.
    pub fn pinned(&self) -> Result<PinnedRoster, FleetError> {
        self.roster().map(|(pinned, _)| pinned)
    }

    /// Returns the roster that counts if this Mac is a member. What a joining left that never ended makes it none.
    pub(super) fn pinned_as_member(&self) -> Option<PinnedRoster> {
        self.membership().and_then(|_| self.pinned()).ok()
    }

    /// Returns the same as its owners signed it, for a new member.
    pub fn signed(&self) -> Result<SignedEnvelope, FleetError> {
        self.roster().map(|(_, signed)| signed)
    }

    pub(super) fn roster(&self) -> Result<(PinnedRoster, SignedEnvelope), FleetError> {
        let kept: Option<KeptRoster> = self.read_json("roster.json")?;
        kept.map(|KeptRoster { pinned, envelope }| (pinned, envelope)).ok_or(FleetError::NoFleet)
    }

    /// Pins a roster. One that is older than the pinned one changes nothing.
    pub fn pin_roster(&self, pinned: &PinnedRoster, envelope: &SignedEnvelope) -> Result<(), FleetError> {
        let _turn = self.lock_roster()?;
        match self.read_json::<KeptRoster>("roster.json")? {
            Some(ours) if ours.pinned.roster.version > pinned.roster.version => Ok(()),
            Some(_) | None => {
                let kept = KeptRoster { pinned: pinned.clone(), envelope: envelope.clone() };
                self.write_json("roster.json", &kept)?;
                self.note_roster();
                Ok(())
            }
        }
    }

    /// Wakes the clone of this folder that waits for another roster.
    pub(super) fn note_roster(&self) {
        self.roster_changed.notify_one();
    }

    /// Waits until the roster may be another one than when this was last called.
    pub(super) async fn roster_noted(&self) {
        self.roster_changed.notified().await;
    }

    /// Returns the roster that was signed here and that the broker did not confirm.
    pub(super) fn pending_roster(&self) -> Result<Option<SignedEnvelope>, FleetError> {
        self.read_json(PENDING)
    }

    /// Returns true if this Mac became a member, and something ended before its door was opened.
    pub(crate) fn is_unopened(&self) -> bool {
        self.path.join(UNOPENED).exists() && self.path.join("member.json").exists()
    }

    /// Forgets that: whether the door is open is kept elsewhere from now on.
    pub(crate) fn forget_unopened(&self) -> Result<(), FleetError> {
        self.remove(UNOPENED)
    }

    /// Returns the members that were let in here and did not confirm it.
    pub(super) fn unconfirmed(&self) -> Result<Vec<FleetId>, FleetError> {
        Ok(self.read_json(LETTING_IN)?.unwrap_or_default())
    }

    /// Returns the number for the next document under a key, at least `next`.
    ///
    /// A number under which something was signed here is passed over, and the one after it. What was signed may still come to count,
    /// and does not name what is signed now.
    pub(super) fn free_number(&self, key: &str, next: u64) -> Result<u64, FleetError> {
        let used = self.signed_numbers()?.get(key).map(|(number, _)| *number).filter(|used| *used >= next);
        Ok(used.map_or(next, |used| used.saturating_add(2)))
    }

    /// Notes that a document is signed here as one of several. Nobody signs two of a number, or of two that follow each other
    /// and don't name each other: with other people's signatures both could count.
    pub(super) fn note_signed(
        &self,
        key: &str,
        (number, hash): (u64, Hash),
        next: u64,
    ) -> Result<(), FleetError> {
        let mut signed = self.signed_numbers()?;
        match signed.get(key) {
            Some((_, known)) if *known == hash => return Ok(()),
            Some((used, _)) if *used >= next && number <= used.saturating_add(1) => {
                return Err(FleetError::Refused(format!(
                    "something else with the number {used} was signed here, and may still come to count: withdraw this one, and make the change here"
                )));
            }
            Some(_) | None => {}
        }
        signed.insert(key.to_owned(), (number, hash));
        self.write_json(SIGNED, &signed)
    }

    fn signed_numbers(&self) -> Result<BTreeMap<String, (u64, Hash)>, FleetError> {
        Ok(self.read_json(SIGNED)?.unwrap_or_default())
    }

    /// Returns the last word that the roster is current.
    pub fn read_fresh(&self) -> Result<Option<Fresh>, FleetError> {
        self.read_json("fresh.json")
    }

    /// Keeps it.
    pub fn keep_fresh(&self, fresh: &Fresh) -> Result<(), FleetError> {
        self.write_json("fresh.json", fresh)
    }

    /// Returns the invitations that wait.
    pub fn invited(&self) -> Result<Vec<(FleetId, VerifyKey)>, FleetError> {
        Ok(self.read_json("invited.json")?.unwrap_or_default())
    }

    /// Keeps them.
    pub fn keep_invited(&self, invited: &[(FleetId, VerifyKey)]) -> Result<(), FleetError> {
        self.write_json("invited.json", &invited)
    }

    pub(super) fn read_json<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, FleetError> {
        match fs::read(self.path.join(name)) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map(Some)
                .map_err(|error| FleetError::Own(format!("fleet/{name} cannot be read: {error}"))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(FleetError::own_error(error)),
        }
    }

    pub(super) fn write_json<T: Serialize>(&self, name: &str, value: &T) -> Result<(), FleetError> {
        self.write_text(name, &serde_json::to_vec_pretty(value).map_err(FleetError::own_error)?)
    }

    /// Writes a file of the folder that need not survive a power cut: as a whole for every other end.
    pub(super) fn write_json_soon<T: Serialize>(&self, name: &str, value: &T) -> Result<(), FleetError> {
        let text = serde_json::to_vec(value).map_err(FleetError::own_error)?;
        write_soon(&self.path.join(name), &text).map_err(FleetError::own_error)
    }

    /// Waits until nobody else pins a roster. The lock ends with the returned file.
    fn lock_roster(&self) -> Result<fs::File, FleetError> {
        let file = self.open_lock(LOCK)?;
        file.lock().map_err(FleetError::own_error)?;
        Ok(file)
    }

    /// Returns a lock, which ends with the file; `None` while another task or program holds it.
    pub(super) fn try_lock(&self, name: &str) -> Result<Option<fs::File>, FleetError> {
        let file = self.open_lock(name)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(fs::TryLockError::WouldBlock) => Ok(None),
            Err(fs::TryLockError::Error(error)) => Err(FleetError::own_error(error)),
        }
    }

    fn open_lock(&self, name: &str) -> Result<fs::File, FleetError> {
        let mut options = fs::OpenOptions::new();
        let file = options.create(true).append(true).mode(0o600).open(self.path.join(name));
        file.map_err(FleetError::own_error)
    }

    /// Writes a file of the folder, 0600, as a whole or not at all.
    pub fn write_text(&self, name: &str, text: &[u8]) -> Result<(), FleetError> {
        write_whole(&self.path.join(name), text).map_err(FleetError::own_error)
    }
}

impl Membership {
    /// Returns the member that this Mac is as a host, or as its person.
    pub fn own_member_id(&self, host: bool) -> Option<&FleetId> {
        self.members.iter().find(|own| own.host == host).map(|own| &own.id)
    }

    /// Returns the person's member, if it is an owner.
    pub fn owner_member<'a>(&self, pinned: &'a PinnedRoster) -> Option<&'a Member> {
        let id = self.own_member_id(false)?;
        pinned.roster.member(id).filter(|member| member.has_role(MemberRole::Owner))
    }
}

/// Envelopes of rosters as an owner hands them to a new member: the one that the code names, and those after it.
#[derive(Debug)]
pub(super) struct Chain(pub(super) Vec<SignedEnvelope>);

impl Chain {
    /// Takes the next one.
    pub(super) fn push(&mut self, roster: SignedEnvelope) -> Result<(), FleetError> {
        if self.0.len() > ROSTERS {
            return Err(FleetError::Refused("too many rosters".to_owned()));
        }
        self.0.push(roster);
        Ok(())
    }

    /// Pins the first by its hash and follows the others. Returns the last with its envelope.
    pub(super) fn follow(
        &self,
        fleet: &FleetId,
        first: Hash,
    ) -> Result<(PinnedRoster, &SignedEnvelope), FleetError> {
        let [head, rest @ ..] = self.0.as_slice() else { return Err(FleetError::NoFleet) };
        let pinned = PinnedRoster::pin_first(head, fleet, first).map_err(FleetError::refused)?;
        rest.iter().try_fold((pinned, head), |(pinned, _), next| {
            pinned.verify_later(next, fleet).map(|pinned| (pinned, next)).map_err(FleetError::refused)
        })
    }
}
