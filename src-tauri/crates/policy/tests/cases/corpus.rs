//! The verdict that every case deserves.

use crate::judged;
use crate::judged::Judged;
use postern_policy::Decision;

/// Describes the cases that fail a condition.
fn those(holds: impl Fn(&Judged) -> bool) -> Vec<String> {
    judged().iter().filter(|one| holds(one)).map(Judged::told).collect()
}

fn tier(one: &Judged, tier: u64) -> bool {
    one.corpus && one.written["tier"] == tier
}

#[test]
fn nothing_is_allowed_that_deserves_less() {
    let wrong = those(|one| one.outcome.got == Decision::Allow && !one.outcome.ok);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_case_of_the_first_tier_gets_its_verdict() {
    assert!(!those(|one| tier(one, 1)).is_empty());
    let wrong = those(|one| tier(one, 1) && !one.outcome.ok);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn nine_of_ten_cases_of_the_second_tier_get_their_verdict() {
    let second = those(|one| tier(one, 2));
    let wrong = those(|one| tier(one, 2) && !one.outcome.ok);
    assert!(!second.is_empty() && wrong.len() * 10 <= second.len(), "{wrong:#?}");
}

/// Expectations of our own cases come from their meaning, never from the program's output.
#[test]
fn our_own_cases_come_out_as_they_deserve() {
    assert!(!those(|one| !one.corpus).is_empty());
    let wrong = those(|one| !one.corpus && !one.outcome.ok);
    assert!(wrong.is_empty(), "{wrong:#?}");
}
