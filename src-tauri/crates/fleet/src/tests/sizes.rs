//! A farm: what a thousand hosts need fits what a broker takes.

use super::policies::bundle;
use super::{device, id, roster};
use crate::{
    Bundle, BundleRules, FleetMessageBody as _, FleetMessageHeader, Hash, MAX_PAYLOAD, Member, MemberRole,
    PinnedRoster, Roster, SealError, SealKey, Sealed, Seed, SignedEnvelope, open_document, seal_document,
};
use serde_json::json;

/// Returns the roster with this many members in all, further hosts of a group.
fn farm(members: usize) -> Roster {
    let mut roster = roster();
    while roster.members.len() < members {
        let number = roster.members.len();
        let mut seed = Seed::new(*Hash::of_bytes(number.to_string().as_bytes()).as_bytes());
        let mut sign = || crate::SignKey::from_seed(seed.draw_bytes()).unwrap().verifier();
        let (sign_key, nkey) = (sign(), sign());
        roster.members.push(Member {
            id: crate::FleetId::random(number.to_be_bytes().repeat(2).try_into().unwrap()),
            name: format!("mac-mini-in-rack-{number:04}"),
            person: String::new(),
            roles: vec![MemberRole::Host],
            groups: vec![id("minis")],
            approver: None,
            sign: sign_key,
            seal: crate::OpenKey::from_seed(seed.draw_bytes()).sealer(),
            nkey,
        });
    }
    roster
}

fn header() -> FleetMessageHeader {
    FleetMessageHeader { fleet: id("fleet-1"), from: id("mara"), id: id("message-1") }
}

/// Seals an envelope as the bucket keeps it, and checks that the broker takes it and the last one opens it.
fn stored(envelope: &SignedEnvelope, to: &[SealKey]) {
    let (fleet, mut seed) = (id("fleet-1"), Seed::new([1; 32]));
    let bytes = seal_document((&fleet, "roster"), &envelope.encode(), to, &mut seed).unwrap();
    assert!(bytes.len() < MAX_PAYLOAD, "{} bytes for {} readers", bytes.len(), to.len());
    let read = open_document((&fleet, "roster"), &bytes, &device("pat").open);
    assert_eq!(read.unwrap(), envelope.encode());
}

#[test]
fn the_largest_roster_is_signed_sealed_and_read() {
    let roster = farm(crate::seal::RECIPIENTS);
    let to: Vec<SealKey> = roster.members.iter().map(|member| member.seal).collect();
    let envelope = header().sign_body(roster, &[&device("mara").sign]);
    assert!(envelope.encode().len() <= Roster::KIND.max_bytes(), "{}", envelope.encode().len());
    PinnedRoster::pin_first(&envelope, &id("fleet-1"), Hash::of_bytes(&envelope.payload)).unwrap();
    stored(&envelope, &to);
}

#[test]
fn a_large_policy_is_sealed_for_every_host_of_a_large_group_and_no_other() {
    let roster = farm(1000);
    let rules: Vec<_> =
        (0..2048).map(|n| json!({"effect": "deny", "text": format!("tool-{n:0100}")})).collect();
    let size = serde_json::to_vec(&rules).unwrap().len();
    assert!(size >= 256 << 10, "{size}");
    let group = id("minis");
    let rules = BundleRules::from_values(&rules);
    let bundle = Bundle { group: group.clone(), rules, ..bundle(1, None) };
    let envelope = header().sign_body(bundle, &[&device("pat").sign]);
    assert!(envelope.encode().len() <= Bundle::KIND.max_bytes(), "{}", envelope.encode().len());
    let to = roster.readers_of(&group);
    assert!(to.len() >= 990, "{}", to.len());
    stored(&envelope, &to);
    let others = roster.members_with(MemberRole::Host).filter(|host| !host.groups.contains(&group));
    assert!(others.map(|host| host.seal).all(|key| !to.contains(&key)), "hosts of other groups read nothing");
}

#[test]
fn one_more_than_the_largest_fleet_is_refused() {
    let keys = vec![device("mini").open.sealer(); crate::seal::RECIPIENTS + 1];
    let refused = Sealed::seal_bytes(b"", b"", &keys, &mut Seed::new([1; 32]));
    assert_eq!(refused, Err(SealError::Recipients(keys.len())));
    assert!(farm(crate::seal::RECIPIENTS + 1).validate().is_err());
}
