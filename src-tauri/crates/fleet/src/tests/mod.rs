//! A small fleet made of numbered seeds, and what is tried on it.

mod answers;
mod audit;
mod brokers;
mod documents;
mod envelopes;
mod jobs;
mod joins;
mod policies;
mod properties;
mod proposals;
mod refusals;
mod rights;
mod rises;
mod rosters;
mod rows;
mod sizes;
mod standards;
mod vectors;
mod work_shares;

use crate::{
    ApproverLimits, FleetAnswer, FleetChoice, FleetId, FleetMessageBody, FleetMessageHeader, FleetQuestion,
    FleetRisk, FleetState, Fresh, Hash, Member, MemberRole, Now, OpenKey, OpenQuestion, PinnedRoster, Roster,
    Seed, SignKey,
};
use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex};
use std::time::Duration;

pub(super) const HOUR: i64 = 3_600_000;
/// The wall clock at which everything here begins.
pub(super) const START: i64 = 1_790_000_000_000;

pub(super) fn id(text: &str) -> FleetId {
    text.parse().unwrap()
}

pub(super) fn at(minutes: i64) -> Now {
    let timer = Duration::from_secs(u64::try_from(minutes * 60).unwrap() + 1000);
    Now { wall: START + minutes * 60_000, timer }
}

/// The secrets of a member, all made of one number.
pub(super) struct Device {
    pub(super) id: FleetId,
    pub(super) sign: SignKey,
    pub(super) open: OpenKey,
    pub(super) nkey: SignKey,
}

/// Returns the device of a name. Keys are made once.
pub(super) fn device(name: &str) -> &'static Device {
    static MADE: Mutex<BTreeMap<String, &'static Device>> = Mutex::new(BTreeMap::new());
    let mut made = MADE.lock().unwrap();
    made.entry(name.to_owned()).or_insert_with(|| Box::leak(Box::new(new_device(name))))
}

/// Returns the key that opens what is sealed for a device, once more.
pub(super) fn open_key(name: &str) -> OpenKey {
    OpenKey::from_seed(*device(name).open.seed_bytes())
}

fn new_device(name: &str) -> Device {
    let mut seed = Seed::new(*Hash::of_bytes(name.as_bytes()).as_bytes());
    let mut draw = || seed.draw_bytes();
    Device {
        id: id(name),
        sign: SignKey::from_seed(draw()).unwrap(),
        open: OpenKey::from_seed(draw()),
        nkey: SignKey::from_seed(draw()).unwrap(),
    }
}

impl Device {
    pub(super) fn member(&self, person: &str, roles: &[MemberRole]) -> Member {
        Member {
            id: self.id.clone(),
            name: format!("{}'s device", self.id),
            person: person.to_owned(),
            roles: roles.to_vec(),
            groups: Vec::new(),
            approver: None,
            sign: self.sign.verifier(),
            seal: self.open.sealer(),
            nkey: self.nkey.verifier(),
        }
    }

    pub(super) fn header(&self, message: &str) -> FleetMessageHeader {
        FleetMessageHeader { fleet: id("fleet-1"), from: self.id.clone(), id: id(message) }
    }
}

pub(super) fn approver(groups: &[&str], risk: FleetRisk, once_only: bool) -> ApproverLimits {
    ApproverLimits { groups: groups.iter().map(|group| id(group)).collect(), risk, once_only }
}

/// Returns the members that the tests use.
///
/// Mara owns the fleet and answers on two devices. Noor answers for builds up to needs-review and only once. Pat
/// publishes, `mini` is a host of the group `builds`, and Olu answers for another group.
pub(super) fn roster() -> Roster {
    let mut mara = device("mara").member("Mara", &[MemberRole::Owner, MemberRole::Approver]);
    mara.approver = Some(approver(&["builds"], FleetRisk::Dangerous, false));
    let mut phone = device("mara-phone").member("Mara", &[MemberRole::Approver]);
    phone.approver = Some(approver(&["builds"], FleetRisk::Dangerous, false));
    let mut noor = device("noor").member("Noor", &[MemberRole::Approver]);
    noor.approver = Some(approver(&["builds"], FleetRisk::NeedsReview, true));
    let mut ines = device("ines").member("Ines", &[MemberRole::Owner, MemberRole::Approver]);
    ines.approver = Some(approver(&["builds"], FleetRisk::Dangerous, false));
    let mut olu = device("olu").member("Olu", &[MemberRole::Approver]);
    olu.approver = Some(approver(&["laptops"], FleetRisk::Dangerous, false));
    let mut mini = device("mini").member("", &[MemberRole::Host]);
    mini.groups = vec![id("builds")];
    let pat = device("pat").member("Pat", &[MemberRole::Publisher]);
    Roster {
        version: 1,
        previous: None,
        owners_needed: 1,
        publishers_needed: 1,
        fresh_by: Vec::new(),
        fresh_for: 24 * HOUR,
        members: vec![mara, phone, noor, ines, olu, mini, pat],
    }
}

pub(super) fn signed(roster: Roster, by: &[&str]) -> crate::SignedEnvelope {
    let devices: Vec<&Device> = by.iter().map(|name| device(name)).collect();
    let keys: Vec<&SignKey> = devices.iter().map(|device| &device.sign).collect();
    let header = devices[0].header(&format!("roster-{}", roster.version));
    header.sign_body(roster, &keys)
}

pub(super) fn pinned(roster: Roster) -> PinnedRoster {
    let envelope = signed(roster, &["mara", "ines"]);
    PinnedRoster::pin_first(&envelope, &id("fleet-1"), Hash::of_bytes(&envelope.payload)).unwrap()
}

/// Makes the version after this one, with a change.
pub(super) fn following(pinned: &PinnedRoster, change: impl FnOnce(&mut Roster)) -> Roster {
    let mut roster = pinned.roster.clone();
    roster.version += 1;
    roster.previous = Some(pinned.hash);
    change(&mut roster);
    roster
}

/// Returns the host, with a statement from Mara that its roster is current.
pub(super) fn host() -> FleetState {
    static FIRST: LazyLock<PinnedRoster> = LazyLock::new(|| pinned(roster()));
    let mut fleet = FleetState::new(id("fleet-1"), id("mini"), open_key("mini"), FIRST.clone());
    let fresh = crate::admit_message(&fleet, &fresh(&fleet.pinned, 0), at(0)).unwrap();
    fleet.apply_admitted(&fresh, at(0));
    fleet
}

pub(super) fn fresh(pinned: &PinnedRoster, minutes: i64) -> Vec<u8> {
    let body = Fresh {
        version: pinned.roster.version,
        roster: pinned.hash,
        policy: BTreeMap::new(),
        at: at(minutes).wall,
    };
    let mara = device("mara");
    mara.header(&format!("fresh-{minutes}")).sign_body(body, &[&mara.sign]).encode()
}

pub(super) fn open(risk: FleetRisk, approvals: u8) -> OpenQuestion {
    OpenQuestion {
        revision: 1,
        digest: "d1".to_owned(),
        risk,
        approvals,
        ends: at(30).timer,
        given: Vec::new(),
    }
}

pub(super) fn answer(fleet: &FleetState, answer: FleetChoice) -> FleetAnswer {
    FleetAnswer {
        question: id("q1"),
        revision: 1,
        digest: "d1".to_owned(),
        answer,
        rule: None,
        shows: Vec::new(),
        feedback: None,
        roster: fleet.pinned.hash,
    }
}

/// Returns a message to the mini as it comes from the broker.
pub(super) fn sent<B: FleetMessageBody>(by: &str, message: &str, body: &B) -> Vec<u8> {
    let (device, mut seed) = (device(by), Seed::new([7; 32]));
    let to = [self::device("mini").open.sealer()];
    device.header(message).seal_body(body, &to, &device.sign, &mut seed).unwrap().encode()
}

pub(super) fn question(pinned: &PinnedRoster) -> FleetQuestion {
    FleetQuestion {
        revision: 1,
        digest: "d1".to_owned(),
        facts: serde_json::json!({"line": "git push origin main"}),
        groups: vec![id("builds")],
        risk: FleetRisk::NeedsReview,
        expires_in: 60_000,
        approvals: 1,
        fallback: "Denied".to_owned(),
        policy: "Ask when no rule matches".to_owned(),
        roster: pinned.hash,
    }
}
