//! Word of what is current, bundles and stages.

use super::{at, device, fresh, host, id};
use crate::{
    AdmittedMessage, Bundle, BundleRules, FleetId, FleetRefusal, FleetState, Fresh, Hash, RolloutReach,
    RolloutStage, SignKey, VERSION_STEP, admit_message,
};
use serde_json::Map;

/// Makes a policy without a rule.
pub(super) fn bundle(version: u64, previous: Option<Hash>) -> Bundle {
    Bundle {
        group: id("builds"),
        version,
        previous,
        not_before: 0,
        rules: BundleRules::from_values(&[]),
        classes: Map::new(),
        limits: Map::new(),
        approvals: Map::new(),
    }
}

fn signed(bundle: &Bundle, by: &str) -> (Vec<u8>, Hash) {
    let device = device(by);
    let keys: [&SignKey; 1] = [&device.sign];
    let envelope = device.header(&format!("bundle-{}", bundle.version)).sign_body(bundle.clone(), &keys);
    (envelope.encode(), Hash::of_bytes(&envelope.payload))
}

fn stage(number: u64, bundle: Hash, reach: RolloutReach) -> Vec<u8> {
    let pat = device("pat");
    let stage = RolloutStage { group: id("builds"), number, bundle, reach };
    pat.header(&format!("stage-{number}")).sign_body(stage, &[&pat.sign]).encode()
}

fn take(fleet: &mut FleetState, bytes: &[u8]) -> Result<(), FleetRefusal> {
    let admitted = admit_message(fleet, bytes, at(1))?;
    fleet.apply_admitted(&admitted, at(1));
    Ok(())
}

#[test]
fn publishers_sign_policy_and_nobody_rolls_it_back() {
    let mut fleet = host();
    let (first, hash) = signed(&bundle(1, None), "pat");
    assert_eq!(
        take(&mut fleet, &signed(&bundle(1, None), "mara").0),
        Err(FleetRefusal::TooFew { have: 0, need: 1 })
    );
    take(&mut fleet, &first).unwrap();
    let (second, _) = signed(&bundle(2, Some(hash)), "pat");
    take(&mut fleet, &second).unwrap();
    assert_eq!(take(&mut fleet, &first), Err(FleetRefusal::Older), "a rollback of the store");
    assert_eq!(take(&mut fleet, &second), Err(FleetRefusal::Known), "a repetition");
    let other = signed(&bundle(2, None), "pat").0;
    assert!(matches!(take(&mut fleet, &other), Err(FleetRefusal::Fork { version: 2, .. })));
    let unlinked = signed(&bundle(3, Some(hash)), "pat").0;
    assert!(matches!(take(&mut fleet, &unlinked), Err(FleetRefusal::Fork { version: 3, .. })));
}

#[test]
fn nobody_takes_the_last_number() {
    let mut fleet = host();
    let far = |version: u64| signed(&bundle(version, None), "pat").0;
    assert_eq!(take(&mut fleet, &far(u64::MAX)), Err(FleetRefusal::TooFar(u64::MAX)), "the first of all");
    take(&mut fleet, &far(VERSION_STEP)).unwrap();
    assert_eq!(take(&mut fleet, &far(u64::MAX)), Err(FleetRefusal::TooFar(u64::MAX)));
    let (next, hash) = signed(&bundle(2 * VERSION_STEP, None), "pat");
    take(&mut fleet, &next).unwrap();
    let stage = |number: u64| stage(number, hash, RolloutReach::All);
    assert_eq!(take(&mut fleet, &stage(u64::MAX)), Err(FleetRefusal::TooFar(u64::MAX)));
    take(&mut fleet, &stage(VERSION_STEP)).unwrap();
    // A host that took the last number once refuses what comes, and goes on.
    fleet.policy.get_mut(&id("builds")).unwrap().version = u64::MAX;
    assert_eq!(take(&mut fleet, &far(7)), Err(FleetRefusal::Older));
    assert!(matches!(take(&mut fleet, &far(u64::MAX)), Err(FleetRefusal::Fork { .. })));
}

#[test]
fn word_of_the_beginning_of_time_is_old() {
    let mut fleet = host();
    let (version, roster) = (1, fleet.pinned.hash);
    let said = Fresh { version, roster, policy: std::collections::BTreeMap::new(), at: i64::MIN };
    fleet.restore(Some(said), std::collections::BTreeMap::new());
    assert!(!fleet.is_fresh(at(1)));
}

#[test]
fn a_bundle_for_others_or_for_later_is_refused() {
    let fleet = host();
    let with = |change: fn(&mut Bundle)| {
        let mut bundle = bundle(1, None);
        change(&mut bundle);
        admit_message(&fleet, &signed(&bundle, "pat").0, at(1)).map(drop)
    };
    assert_eq!(with(|bundle| bundle.group = id("laptops")), Err(FleetRefusal::OtherGroup(id("laptops"))));
    assert_eq!(with(|bundle| bundle.not_before = at(2).wall), Err(FleetRefusal::NotYet));
    assert_eq!(with(|bundle| bundle.not_before = at(1).wall), Ok(()));
}

#[test]
fn the_last_known_good_stays_until_a_stage_reaches_the_host() {
    let mut fleet = host();
    let (first, one) = signed(&bundle(1, None), "pat");
    take(&mut fleet, &first).unwrap();
    assert_eq!(fleet.policy()[&id("builds")].good, None);
    take(&mut fleet, &stage(1, one, RolloutReach::All)).unwrap();
    assert_eq!(fleet.policy()[&id("builds")].good, Some(one));
    let (second, two) = signed(&bundle(2, Some(one)), "pat");
    take(&mut fleet, &second).unwrap();
    assert_eq!(fleet.policy()[&id("builds")].good, Some(one));
    assert_eq!(
        take(&mut fleet, &stage(2, one, RolloutReach::All)),
        Err(FleetRefusal::NoBundle),
        "of an older bundle"
    );
    take(&mut fleet, &stage(2, two, RolloutReach::Canary(vec![id("mini-9")]))).unwrap();
    assert_eq!(fleet.policy()[&id("builds")].good, Some(one), "the canary is another host");
    assert_eq!(
        take(&mut fleet, &stage(2, two, RolloutReach::All)),
        Err(FleetRefusal::Known),
        "a stage of the same number"
    );
    take(&mut fleet, &stage(3, two, RolloutReach::Canary(vec![id("mini")]))).unwrap();
    assert_eq!(fleet.policy()[&id("builds")].good, Some(two));
}

#[test]
fn a_share_grows_without_moving_and_is_about_as_large_as_it_says() {
    let bundle = Hash::of_bytes(b"bundle");
    let hosts: Vec<FleetId> = (0..1000).map(|number| id(&format!("host-{number}"))).collect();
    let covered =
        |share: u8| hosts.iter().filter(|host| RolloutReach::Percent(share).covers(host, &bundle)).count();
    for host in &hosts {
        let first = (0..=100).find(|share| RolloutReach::Percent(*share).covers(host, &bundle)).unwrap();
        assert!((first..=100).all(|share| RolloutReach::Percent(share).covers(host, &bundle)));
    }
    assert!((60..140).contains(&covered(10)), "{} of 1000", covered(10));
    assert_eq!((covered(0), covered(100)), (0, 1000));
}

#[test]
fn word_of_what_is_current_comes_from_owners_and_only_forward() {
    let mut fleet = host();
    let said = |by: &str, change: fn(&mut Fresh), fleet: &FleetState| {
        let hash = fleet.pinned.hash;
        let mut fresh =
            Fresh { version: 1, roster: hash, policy: std::collections::BTreeMap::new(), at: at(1).wall };
        change(&mut fresh);
        let device = device(by);
        admit_message(fleet, &device.header("f1").sign_body(fresh, &[&device.sign]).encode(), at(1)).map(drop)
    };
    assert_eq!(said("ines", |_| {}, &fleet), Ok(()));
    assert!(matches!(said("noor", |_| {}, &fleet), Err(FleetRefusal::Role(..))));
    assert_eq!(said("ines", |fresh| fresh.at = at(7).wall, &fleet), Err(FleetRefusal::Future));
    assert_eq!(said("ines", |fresh| fresh.at = at(6).wall, &fleet), Ok(()), "five minutes of skew");
    assert_eq!(said("ines", |fresh| fresh.at = at(0).wall, &fleet), Err(FleetRefusal::Older), "a replay");
    assert_eq!(said("ines", |fresh| fresh.version = 0, &fleet), Err(FleetRefusal::Older));
    let fork = said("ines", |fresh| fresh.roster = Hash::of_bytes(b"other"), &fleet);
    assert!(matches!(fork, Err(FleetRefusal::Fork { version: 1, .. })));
    let bytes = fresh(&fleet.pinned, 1);
    let admitted = admit_message(&fleet, &bytes, at(1)).unwrap();
    assert!(matches!(admitted, AdmittedMessage::Fresh(_)));
    fleet.apply_admitted(&admitted, at(1));
    assert_eq!(admit_message(&fleet, &bytes, at(1)).map(drop), Err(FleetRefusal::Older));
}

#[test]
fn what_was_kept_over_a_restart_holds_again() {
    let mut fleet = host();
    let (first, one) = signed(&bundle(1, None), "pat");
    take(&mut fleet, &first).unwrap();
    take(&mut fleet, &stage(1, one, RolloutReach::All)).unwrap();
    let mut again = FleetState::new(id("fleet-1"), id("mini"), super::open_key("mini"), fleet.pinned.clone());
    again.restore(fleet.last_fresh().cloned(), fleet.policy().clone());
    assert_eq!(take(&mut again, &first), Err(FleetRefusal::Known));
    assert!(again.is_fresh(at(60)));
    assert!(!again.is_fresh(at(24 * 60 + 1)));
}
