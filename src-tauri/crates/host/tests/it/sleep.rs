//! A machine that sleeps while a question waits.

use crate::support::Lab;
use postern_contract::Answer;
use serde_json::json;
use std::time::Duration;

/// Longer than any question waits.
const NIGHT: Duration = Duration::from_hours(8);

/// Starts a host that allows what nobody answers.
async fn lab() -> Lab {
    let lab = Lab::start().await;
    lab.set("main", &[("fallback", "full"), ("confirm", "yes")]).await;
    lab
}

#[tokio::test]
async fn what_waits_when_the_machine_goes_to_sleep_is_over_and_nothing_runs() {
    let mut lab = lab().await;
    let mut wire = lab.connect("main").await;
    let (call, question) = lab.ask(&mut wire, &["echo", "hi"]).await;
    lab.host.fall_asleep().await;
    let denied = wire.answer(call).await.unwrap();
    assert_eq!(denied["reason"], "expired", "silence allows nothing where nobody had the time: {denied}");
    let late = lab.answer_from(&lab.face, &question, Answer::Once).await;
    assert!(!late.applied, "{late:?}");
}

#[tokio::test]
async fn a_question_that_nobody_told_of_the_sleep_ends_on_wake_by_a_clock_that_counts_it() {
    let mut lab = lab().await;
    let mut wire = lab.connect("main").await;
    let (call, _) = lab.ask(&mut wire, &["echo", "hi"]).await;
    lab.screen.sleep(NIGHT);
    lab.host.wake_up().await;
    let denied = wire.answer(call).await.unwrap();
    assert_eq!(denied["reason"], "expired", "{denied}");
}

#[tokio::test]
async fn a_short_sleep_leaves_a_question_the_rest_of_its_time() {
    let mut lab = lab().await;
    let mut wire = lab.connect("main").await;
    let (call, question) = lab.ask(&mut wire, &["echo", "hi"]).await;
    lab.screen.sleep(Duration::from_secs(2));
    lab.host.wake_up().await;
    lab.answer_to(&question, "once", json!({})).await;
    assert_eq!(wire.answer(call).await.unwrap()["stdout"], "hi\n");
}
