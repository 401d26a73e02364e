//! Work that one member asks of a host without end.

use super::id;
use crate::{FleetRefusal, HostPart, Work, WorkCounts, WorkShares};
use std::time::Duration;

const START: Duration = Duration::from_secs(7);
const MOMENT: Duration = Duration::from_millis(1);

fn read() -> Work {
    Work::Read { what: HostPart::History, filter: serde_json::json!({}) }
}

/// Does a job of a member at once.
fn work_on(
    shares: &mut WorkShares,
    member: &str,
    spent: Duration,
    now: Duration,
) -> Result<(), FleetRefusal> {
    shares.begin_work(&id(member), &read(), now)?;
    shares.end_work(&id(member), spent, now);
    Ok(())
}

#[test]
fn so_many_jobs_of_a_member_are_under_way_and_those_of_others_begin() {
    let mut shares = WorkShares::default();
    let noor = id("noor");
    for _ in 0..4 {
        assert_eq!(shares.begin_work(&noor, &read(), START), Ok(()));
    }
    assert_eq!(shares.begin_work(&noor, &read(), START), Err(FleetRefusal::MuchAtOnce(4)));
    let later = START + Duration::from_mins(5);
    assert_eq!(shares.begin_work(&noor, &read(), later), Err(FleetRefusal::MuchAtOnce(4)), "they go on");
    assert_eq!(shares.begin_work(&noor, &Work::Resume, later), Ok(()), "a block waits for nothing");
    assert_eq!(shares.begin_work(&id("mara"), &read(), later), Ok(()));
    assert_eq!(shares.count_work(later), WorkCounts { running: 5, begun: 2, refused: 2 });
    shares.end_work(&noor, MOMENT, later);
    assert_eq!(shares.begin_work(&noor, &read(), later), Ok(()));
}

#[test]
fn a_member_has_so_many_jobs_and_so_much_time_in_a_minute() {
    let mut shares = WorkShares::default();
    for _ in 0..1200 {
        assert_eq!(work_on(&mut shares, "noor", MOMENT, START), Ok(()));
    }
    assert_eq!(work_on(&mut shares, "noor", MOMENT, START), Err(FleetRefusal::MuchInAMinute));
    assert_eq!(work_on(&mut shares, "mara", Duration::from_secs(20), START), Ok(()), "a share of her own");
    assert_eq!(work_on(&mut shares, "mara", MOMENT, START), Err(FleetRefusal::MuchInAMinute));
    let next = START + Duration::from_mins(1);
    for member in ["noor", "mara"] {
        assert_eq!(work_on(&mut shares, member, MOMENT, next), Ok(()));
    }
    assert_eq!(shares.count_work(next), WorkCounts { running: 0, begun: 2, refused: 2 });
}

#[test]
fn a_member_blocks_and_lets_work_so_often_in_a_minute_whatever_else_it_asks() {
    let mut shares = WorkShares::default();
    let noor = id("noor");
    assert_eq!(work_on(&mut shares, "noor", Duration::from_mins(1), START), Ok(()));
    for work in [Work::Block { minutes: None }, Work::Resume].into_iter().cycle().take(120) {
        assert_eq!(shares.begin_work(&noor, &work, START), Ok(()));
    }
    assert_eq!(shares.begin_work(&noor, &Work::Resume, START), Err(FleetRefusal::MuchInAMinute));
}

#[test]
fn a_flood_of_messages_is_not_read_and_those_of_others_are() {
    let mut shares = WorkShares::default();
    let is_read = |shares: &mut WorkShares, signer: Option<&str>| shares.note_message(signer.map(id), START);
    for signer in [None, Some("noor")] {
        let read = (0..10_000).filter(|_| is_read(&mut shares, signer)).count();
        assert_eq!(read, 2400, "{signer:?}");
    }
    assert!(is_read(&mut shares, Some("mara")));
    assert_eq!(shares.count_work(START).refused, 2 * (10_000 - 2400));
    assert!(shares.note_message(None, START + Duration::from_mins(1)));
}
