//! Work that members ask of a host.

use super::{at, following, host, id, pinned, roster, sent};
use crate::{AdmittedMessage, FleetRefusal, FleetState, Hash, Job, Work, admit_message};

fn job(fleet: &FleetState, work: Work) -> Job {
    Job { at: at(1).wall, roster: fleet.roster(), work }
}

fn replay() -> Work {
    Work::Replay { rules: Vec::new(), settings: serde_json::Map::new(), days: 7 }
}

fn block() -> Work {
    Work::Block { minutes: None }
}

#[test]
fn each_work_has_its_role() {
    let fleet = host();
    let tried =
        |by: &str, work: Work| admit_message(&fleet, &sent(by, "job-1", &job(&fleet, work)), at(1)).map(drop);
    for work in [Work::Policy, replay()] {
        assert_eq!(tried("pat", work.clone()), Ok(()));
        assert!(matches!(tried("mara", work), Err(FleetRefusal::Role(..))), "no publisher");
    }
    for by in ["mara", "noor"] {
        assert_eq!(tried(by, block()), Ok(()), "{by} answers for the group");
    }
    let read = || Work::Read { what: crate::HostPart::History, filter: serde_json::json!({}) };
    assert_eq!(tried("noor", read()), Ok(()));
    assert!(matches!(tried("pat", read()), Err(FleetRefusal::Role(..))), "who only publishes reads nothing");
    assert_eq!(tried("olu", read()), Err(FleetRefusal::Group(id("olu"))));
    assert_eq!(tried("olu", block()), Err(FleetRefusal::Group(id("olu"))));
    assert!(matches!(tried("pat", block()), Err(FleetRefusal::Role(..))));
    assert!(matches!(tried("mini", block()), Err(FleetRefusal::Role(..))), "a host's key asks for nothing");
    assert_eq!(tried("mara", Work::Resume), Ok(()));
    assert!(
        matches!(tried("noor", Work::Resume), Err(FleetRefusal::Role(..))),
        "only who may allow everything"
    );
}

#[test]
fn a_job_counts_once_in_time_and_under_the_host_s_roster() {
    let mut fleet = host();
    let bytes = sent("mara", "job-1", &job(&fleet, block()));
    let admitted = admit_message(&fleet, &bytes, at(1)).unwrap();
    assert!(matches!(&admitted, AdmittedMessage::Job { member, .. } if *member == id("mara")));
    fleet.apply_admitted(&admitted, at(1));
    assert_eq!(admit_message(&fleet, &bytes, at(2)).map(drop), Err(FleetRefusal::Older), "a repetition");
    let mut again = host();
    again.restore_jobs(fleet.jobs().clone());
    assert_eq!(
        admit_message(&again, &bytes, at(2)).map(drop),
        Err(FleetRefusal::Older),
        "after a restart as well"
    );
    let other = |change: fn(&mut Job)| {
        let mut job = job(&host(), block());
        change(&mut job);
        admit_message(&host(), &sent("mara", "job-1", &job), at(1)).map(drop)
    };
    assert_eq!(other(|job| job.at = at(7).wall), Err(FleetRefusal::Future));
    assert_eq!(
        other(|job| job.at = at(0).wall - 5 * 60_000),
        Err(FleetRefusal::Older),
        "kept back by the broker"
    );
    assert_eq!(other(|job| job.roster = Hash::NONE), Err(FleetRefusal::OtherRoster));
    assert_eq!(admit_message(&host(), &bytes, at(25 * 60)).map(drop), Err(FleetRefusal::Stale));
}

#[test]
fn a_revoked_member_asks_for_nothing() {
    let next = following(&pinned(roster()), |roster| roster.members.retain(|member| member.id != id("noor")));
    let mut fleet = host();
    let envelope = super::signed(next, &["mara"]);
    let admitted = admit_message(&fleet, &envelope.encode(), at(1)).unwrap();
    fleet.apply_admitted(&admitted, at(1));
    let tried = admit_message(&fleet, &sent("noor", "job-1", &job(&fleet, block())), at(1)).map(drop);
    assert_eq!(tried, Err(FleetRefusal::Stranger(id("noor"))));
}
