//! A question of one Mac is answered on another.

use crate::stage::{
    AskedFromAfar, Mac, PATIENCE, Stage, closed, invitation, joined, ran_once, until_waiting, waits,
};
use postern_contract::ClosedBy;
use postern_doors::fleet::{AnswerReply, FleetApprover, FleetChoice};
use postern_protocol::RunResult;
use serde_json::json;
use std::fs;
use tokio::time::timeout;

fn closed_by(how: ClosedBy, person: &str, place: &str) -> AnswerReply {
    AnswerReply::Closed { how, by: Some(person.to_owned()), place: Some(place.to_owned()) }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_of_one_mac_is_answered_on_another() {
    let mut stage = Stage::set().await;
    let AskedFromAfar { mut news, file, run, asked } = stage.watch_and_ask("peculiarly-named-file").await;
    assert_eq!(asked.name, "mini", "the host's name is the roster's");
    assert!(asked.question.line.contains("peculiarly-named-file"));
    assert!(!file.exists());
    let approver = FleetApprover::connect(&stage.laptop.folder()).await.unwrap();
    let told = approver.answer(&asked, FleetChoice::Once, None, None).await.unwrap();
    assert_eq!(told, AnswerReply::Applied(0));
    let (ended, channel) = timeout(PATIENCE, run).await.unwrap().unwrap();
    assert!(matches!(ended, RunResult::Ended(_)), "{ended:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "ran\n");
    assert_eq!(closed(&mut news).await, "allowed by Mara on MacBook");
    // The same answer on another Mac comes too late, and learns whose it was.
    let late = approver.answer(&asked, FleetChoice::Deny, None, None).await.unwrap();
    assert_eq!(late, closed_by(ClosedBy::Allowed, "Mara", "MacBook"));
    let again = approver.answer(&asked, FleetChoice::Once, None, None).await.unwrap();
    assert_eq!(again, AnswerReply::Applied(0), "who sends an answer again learns that it counted");
    let stored = stage.broker.stored();
    assert!(stored.windows(7).any(|words| words == b"payload"), "it stores envelopes");
    for word in ["peculiarly", "echo ran", "MacBook"] {
        assert!(
            !stored.windows(word.len()).any(|words| words == word.as_bytes()),
            "the broker stores {word:?}"
        );
    }
    // A denial, with words for the agent.
    stage.channel = Some(channel);
    let run = stage.ask(&file);
    let asked = waits(&mut news).await;
    let words = Some("not on this Mac".to_owned());
    assert_eq!(
        approver.answer(&asked, FleetChoice::Deny, None, words).await.unwrap(),
        AnswerReply::Applied(0)
    );
    let (ended, _) = timeout(PATIENCE, run).await.unwrap().unwrap();
    assert!(format!("{ended:?}").contains("not on this Mac"), "{ended:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "ran\n", "it ran once");
    stage.mini.host.shutdown().await;
    stage.laptop.host.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn always_saves_the_rule_that_it_names_on_the_mac_that_asked_alone() {
    let mut stage = Stage::set().await;
    let AskedFromAfar { news: _news, file, run, asked } = stage.watch_and_ask("file").await;
    let approver = FleetApprover::connect(&stage.laptop.folder()).await.unwrap();
    for other in [None, Some("no-offer".to_owned())] {
        let refused = approver.answer(&asked, FleetChoice::Always, other, None).await.unwrap();
        let told =
            matches!(&refused, AnswerReply::Refused(why) if why.starts_with("always names one of the rules"));
        assert!(told, "{refused:?}");
    }
    let exact = Some("exact".to_owned());
    let saved = approver.answer(&asked, FleetChoice::Always, exact, None).await.unwrap();
    assert_eq!(saved, AnswerReply::Applied(0));
    stage.end(run).await;
    let (ended, _) = timeout(PATIENCE, stage.ask(&file)).await.unwrap().unwrap();
    assert!(matches!(ended, RunResult::Ended(_)), "{ended:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "ran\nran\n", "the second time nobody is asked");
    let rules = async |mac: &Mac| mac.call("rules.list", json!({})).await["rules"].as_array().unwrap().len();
    assert_eq!((rules(&stage.mini).await, rules(&stage.laptop).await), (1, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_that_always_saved_from_elsewhere_is_undone_on_the_mac_that_asked() {
    let mut stage = Stage::set().await;
    let AskedFromAfar { mut news, file, run, asked } = stage.watch_and_ask("file").await;
    let approver = FleetApprover::connect(&stage.laptop.folder()).await.unwrap();
    let exact = Some("exact".to_owned());
    let saved = approver.answer(&asked, FleetChoice::Always, exact, None).await.unwrap();
    assert_eq!(saved, AnswerReply::Applied(0));
    stage.end(run).await;
    let rule = stage.mini.call("rules.list", json!({})).await["rules"][0]["rule"].take();
    let page = stage.mini.call("audit", json!({})).await;
    let rows = page["rows"].as_array().unwrap();
    let saved = rows.iter().find(|row| row["subject"] == json!("rules")).unwrap();
    assert!(saved["by"]["name"].as_str().unwrap().contains("Mara on MacBook"), "{saved}");

    // As the window undoes it.
    stage.mini.call("rules.put", json!({"remove": [rule["id"]]})).await;
    let run = stage.ask(&file);
    let again = loop {
        // News of the first one may be on their way.
        let one = waits(&mut news).await;
        if one.question.id != asked.question.id {
            break one;
        }
    };
    let denied = approver.answer(&again, FleetChoice::Deny, None, None).await.unwrap();
    assert_eq!(denied, AnswerReply::Applied(0));
    stage.end(run).await;
    let exact = Some("exact".to_owned());
    let late = approver.answer(&asked, FleetChoice::Always, exact, None).await.unwrap();
    assert_eq!(late, AnswerReply::Applied(0), "the answer counted once");
    assert_eq!(stage.mini.call("rules.list", json!({})).await["rules"], json!([]), "it saves nothing again");
    assert_eq!(fs::read_to_string(&file).unwrap(), "ran\n");

    stage.mini.call("rules.put", json!({"put": [rule]})).await;
    timeout(PATIENCE, stage.ask(&file)).await.unwrap().unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "ran\nran\n", "done again, nobody is asked");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_is_gone_is_offline_and_one_that_comes_back_asks_again() {
    let mut stage = Stage::set().await;
    let AskedFromAfar { news: _news, file, run, asked } = stage.watch_and_ask("file").await;
    let approver = FleetApprover::connect(&stage.laptop.folder()).await.unwrap();
    stage.mini.call("doors.disable", json!({"door": "fleet"})).await;
    assert_eq!(approver.answer(&asked, FleetChoice::Once, None, None).await.unwrap(), AnswerReply::Offline);
    stage.mini.call("doors.enable", json!({"door": "fleet"})).await;
    let again = until_waiting(&approver, &asked).await;
    let answered = async {
        loop {
            match approver.answer(&again, FleetChoice::Once, None, None).await.unwrap() {
                // The broker's word on each try is what paces them.
                AnswerReply::Offline => {}
                told => return told,
            }
        }
    };
    assert_eq!(timeout(PATIENCE, answered).await.unwrap(), AnswerReply::Applied(0));
    ran_once(run, &file).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_approver_is_cut_off_and_its_answer_does_not_count() {
    let mut stage = Stage::set().await;
    let phone = Mac::start().await;
    joined(&mut stage.owner, &stage.broker, &phone.folder(), &[false], invitation("MacBook Air", "Noor"))
        .await;
    let noor = FleetApprover::connect(&phone.folder()).await.unwrap();
    let AskedFromAfar { news: _news, file, run, asked } = stage.watch_and_ask("file").await;
    until_waiting(&noor, &asked).await;
    assert_eq!(stage.owner.revoke("MacBook Air").await.unwrap(), 1);
    stage.broker.reload();
    let told = noor.answer(&asked, FleetChoice::Once, None, None).await.unwrap();
    assert_eq!(told, AnswerReply::NotConfirmed);
    assert!(FleetApprover::connect(&phone.folder()).await.is_err(), "the broker lets its key in no more");
    assert!(!file.exists());
    // The owner's own answer counts still.
    let owner = FleetApprover::connect(&stage.laptop.folder()).await.unwrap();
    let again = until_waiting(&owner, &asked).await;
    assert_eq!(owner.answer(&again, FleetChoice::Once, None, None).await.unwrap(), AnswerReply::Applied(0));
    ran_once(run, &file).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stranger_in_the_broker_s_place_is_not_spoken_to() {
    let stage = Stage::set().await;
    let membership = stage.laptop.folder().membership().unwrap();
    let mut other = membership.clone();
    other.certificate = Some(postern_fleet::Hash::of_bytes(b"another certificate"));
    stage.laptop.folder().keep_membership(&other).unwrap();
    let error = FleetApprover::connect(&stage.laptop.folder()).await.unwrap_err().to_string();
    assert!(error.contains("cannot be reached"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_answers_at_one_moment_one_counts_and_both_people_read_which() {
    let mut stage = Stage::set().await;
    let phone = Mac::start().await;
    joined(&mut stage.owner, &stage.broker, &phone.folder(), &[false], invitation("MacBook Air", "Noor"))
        .await;
    let AskedFromAfar { news: _news, file, run, asked } = stage.watch_and_ask("file").await;
    let (mara, noor) = (
        FleetApprover::connect(&stage.laptop.folder()).await.unwrap(),
        FleetApprover::connect(&phone.folder()).await.unwrap(),
    );
    let theirs = until_waiting(&noor, &asked).await;
    let (one, other) = tokio::join!(
        mara.answer(&asked, FleetChoice::Once, None, None),
        noor.answer(&theirs, FleetChoice::Deny, None, None)
    );
    let (one, other) = (one.unwrap(), other.unwrap());
    timeout(PATIENCE, run).await.unwrap().unwrap();
    match (&one, &other) {
        (AnswerReply::Applied(0), late) => {
            assert_eq!(*late, closed_by(ClosedBy::Allowed, "Mara", "MacBook"));
            assert_eq!(fs::read_to_string(&file).unwrap(), "ran\n");
        }
        (late, AnswerReply::Applied(0)) => {
            assert_eq!(*late, closed_by(ClosedBy::Denied, "Noor", "MacBook Air"));
            assert!(!file.exists());
        }
        both => panic!("one of them counts: {both:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_is_killed_and_comes_back_starts_nothing_twice() {
    let mut stage = Stage::set().await;
    let AskedFromAfar { news: _news, file, run, asked } = stage.watch_and_ask("file").await;
    stage.broker.restart();
    let approver = FleetApprover::connect(&stage.laptop.folder()).await.unwrap();
    let again = until_waiting(&approver, &asked).await;
    let answered = async {
        loop {
            match approver.answer(&again, FleetChoice::Once, None, None).await.unwrap() {
                // The host is not back yet.
                AnswerReply::Offline | AnswerReply::NotConfirmed => tokio::task::yield_now().await,
                told => return told,
            }
        }
    };
    assert_eq!(timeout(PATIENCE, answered).await.unwrap(), AnswerReply::Applied(0));
    timeout(PATIENCE, run).await.unwrap().unwrap();
    let late = approver.answer(&again, FleetChoice::Once, None, None).await.unwrap();
    assert_eq!(late, AnswerReply::Applied(0), "it counted once");
    assert_eq!(fs::read_to_string(&file).unwrap(), "ran\n", "once");
}
