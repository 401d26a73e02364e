//! Clocks that are an hour apart.
//!
//! An answer needs none: it counts while the host's timer runs, once. Word of the roster needs one that is right to five minutes,
//! and without it nothing from elsewhere runs.

use crate::crash::{Crashes, approve_by, insist, question_of};
use crate::stage::{PATIENCE, until_async};
use postern_doors::fleet::AnswerReply;
use postern_tests::TestClock;
use tokio::time::timeout;

const HOUR: i64 = 3600;

#[tokio::test(flavor = "multi_thread")]
async fn a_host_whose_clock_is_an_hour_ahead_runs_once_what_is_allowed_elsewhere() {
    let clock = TestClock::ahead_by(HOUR);
    let crashes = Crashes::with_host(clock.start_host()).await;
    let laptop = crashes.stage.laptop.folder();
    let there = crashes.host.watch();
    let (id, asking) = crashes.ask();
    let one = timeout(PATIENCE, question_of(&laptop, id)).await.unwrap();
    for _again in 0..2 {
        assert_eq!(insist(&laptop, &one).await, AnswerReply::Applied(0));
    }
    asking.join().unwrap();
    assert_eq!(crashes.check_end(id, "an hour ahead").await, 1);
    crashes.check_audit("an hour ahead").await;
    drop(there);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_whose_clock_is_an_hour_behind_runs_what_is_allowed_there_alone() {
    let clock = TestClock::ahead_by(-HOUR);
    let crashes = Crashes::with_host(clock.start_host()).await;
    let laptop = crashes.stage.laptop.folder();
    let there = crashes.host.watch();
    let (id, asking) = crashes.ask();
    let one = timeout(PATIENCE, question_of(&laptop, id)).await.unwrap();
    let said = insist(&laptop, &one).await;
    let refused = matches!(&said, AnswerReply::Refused(why) if why.contains("no word from an owner"));
    assert!(refused, "an owner's word comes from an hour ahead: {said:?}");
    let mut doctor = crashes.host.command(&["doctor"]);
    let found = doctor.envs(clock.variables()).output().unwrap();
    let found = String::from_utf8_lossy(&found.stdout).into_owned();
    let named = found.lines().any(|line| line.contains("the clock of the fleet's broker is"));
    assert!(named && found.contains("ahead of"), "{found}");
    crashes.host.approve(&there.question());
    asking.join().unwrap();
    assert_eq!(crashes.check_end(id, "an hour behind").await, 1, "who is there allowed it");
    crashes.check_audit("an hour behind").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approver_whose_clock_is_an_hour_off_is_shown_what_waits_and_answers_it() {
    let mut crashes = Crashes::set().await;
    let laptop = crashes.stage.laptop.folder();
    let (noor, _) = crashes.noor_joins().await;
    let there = crashes.host.watch();
    for seconds in [HOUR, -HOUR] {
        let clock = TestClock::ahead_by(seconds);
        let (id, asking) = crashes.ask();
        let one = timeout(PATIENCE, question_of(&laptop, id)).await.unwrap();
        // The builder may not have the roster yet in which she is.
        until_async(async || {
            let mut approve = approve_by(&noor, &one);
            approve.envs(clock.variables()).output().unwrap().status.success()
        })
        .await;
        asking.join().unwrap();
        assert_eq!(crashes.check_end(id, &format!("{seconds} seconds ahead")).await, 1);
    }
    drop(there);
}
