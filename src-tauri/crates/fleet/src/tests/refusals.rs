//! Record of what is refused: once in an hour for each kind and sender, and bounded.

use super::id;
use crate::{FleetRefusal, RecordedRefusals};
use std::time::Duration;

#[test]
fn each_kind_of_each_sender_is_recorded_once_in_an_hour() {
    let mut recorded = RecordedRefusals::default();
    let (noor, start) = (id("noor"), Duration::from_secs(5));
    let used = FleetRefusal::Used.kind();
    let by_noor = (Some(&noor), true);
    assert!(recorded.note_refusal(used, by_noor, start));
    assert!(!recorded.note_refusal(used, by_noor, start + Duration::from_mins(59)));
    assert!(recorded.note_refusal(FleetRefusal::Stale.kind(), by_noor, start));
    assert!(recorded.note_refusal(used, (Some(&id("mara")), true), start));
    assert!(recorded.note_refusal(used, (None, false), start), "what names no sender is one of them");
    assert!(recorded.note_refusal(used, by_noor, start + Duration::from_hours(1)));
}

#[test]
fn a_flood_of_made_up_senders_fills_nothing_and_hides_nothing() {
    let mut recorded = RecordedRefusals::default();
    let flood = |recorded: &mut RecordedRefusals, is_signed, now| {
        let made_up = (0..1000).map(|number| id(&format!("s{number}")));
        made_up.filter(|sender| recorded.note_refusal("stranger", (Some(sender), is_signed), now)).count()
    };
    let hour = Duration::from_hours(1);
    assert_eq!(flood(&mut recorded, false, Duration::ZERO), 32);
    assert_eq!(flood(&mut recorded, false, hour / 2), 0);
    let kind = FleetRefusal::RolledBack.kind();
    assert!(
        recorded.note_refusal(kind, (Some(&id("mara")), true), hour / 2),
        "what a member signed has room"
    );
    assert_eq!(flood(&mut recorded, false, hour), 32);
    assert_eq!(flood(&mut recorded, true, hour), 31, "in all there are as many as there may be");
}
