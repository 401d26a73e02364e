//! Record of what is refused: once in an hour for each kind and sender, and bounded.

use super::id;
use crate::{FleetRefusal, RecordedRefusals};
use std::time::Duration;

#[test]
fn each_kind_of_each_sender_is_recorded_once_in_an_hour() {
    let mut recorded = RecordedRefusals::default();
    let (noor, start) = (id("noor"), Duration::from_secs(5));
    let used = FleetRefusal::Used.kind();
    assert!(recorded.note_refusal(used, Some(&noor), start));
    assert!(!recorded.note_refusal(used, Some(&noor), start + Duration::from_mins(59)));
    assert!(recorded.note_refusal(FleetRefusal::Stale.kind(), Some(&noor), start));
    assert!(recorded.note_refusal(used, Some(&id("mara")), start));
    assert!(recorded.note_refusal(used, None, start), "what names no sender is one of them");
    assert!(recorded.note_refusal(used, Some(&noor), start + Duration::from_hours(1)));
}

#[test]
fn a_flood_of_made_up_senders_fills_nothing() {
    let mut recorded = RecordedRefusals::default();
    let flood = |recorded: &mut RecordedRefusals, now| {
        let made_up = (0..1000).map(|number| id(&format!("s{number}")));
        made_up.filter(|sender| recorded.note_refusal("stranger", Some(sender), now)).count()
    };
    assert_eq!(flood(&mut recorded, Duration::ZERO), 64);
    assert_eq!(flood(&mut recorded, Duration::from_mins(30)), 0);
    assert_eq!(flood(&mut recorded, Duration::from_hours(1)), 64);
}
