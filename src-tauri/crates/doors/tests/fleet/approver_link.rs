//! A broker that cuts, delays and repeats what passes on an approver's own connection.
//!
//! An answer starts at most one run, and none after the end of its question.

use crate::between::{Between, Fate, Passing};
use crate::crash::insist;
use crate::rights::{changed, noor_joined};
use crate::stage::{Mac, PATIENCE, Stage, until_async};
use crate::withheld::answer_too_late;
use parking_lot::Mutex;
use postern_doors::fleet::{
    AnswerReply, Elsewhere, FleetApprover, FleetChoice, FleetRisk, Folder, RightsChange,
};
use postern_host::ConnectedApproverKind;
use postern_protocol::RunResult;
use serde_json::json;
use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::oneshot;
use tokio::time::timeout;

/// Lets Noor join, and leads her Mac through a malicious broker.
async fn noor_led(stage: &mut Stage) -> (Mac, Between) {
    let noor = noor_joined(stage).await;
    let between = Between::start(&stage.laptop.folder()).await;
    between.lead(&noor.folder());
    (noor, between)
}

/// Waits for a question that is none of these, over as many connections as it takes.
async fn question(noor: &Folder, before: &BTreeSet<String>) -> Elsewhere {
    let found = async {
        loop {
            let Ok(approver) = FleetApprover::connect(noor).await else { continue };
            while let Ok(waiting) = approver.waiting().await {
                if let Some(one) = waiting.into_iter().find(|one| !before.contains(&one.question.id)) {
                    return one;
                }
            }
        }
    };
    timeout(PATIENCE, found).await.expect("it waits")
}

/// Step of an answer on the approver's connection.
#[derive(Debug, Clone, Copy)]
enum Step {
    Question,
    Answer,
    Receipt,
}

/// Recognizes the first message of a step.
fn is_first(step: Step) -> impl FnMut(&Passing) -> bool + Send + 'static {
    let (mut answered, mut seen) = (false, false);
    move |passing: &Passing| {
        let answer = passing.is_about("ans") && !passing.to_member;
        let it = match step {
            Step::Question => passing.is_about("q") && passing.to_member,
            Step::Answer => answer,
            Step::Receipt => answered && passing.to_member && passing.subject.starts_with("_INBOX"),
        };
        answered |= answer;
        it && !std::mem::replace(&mut seen, true)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approver_whose_connection_is_cut_at_any_moment_starts_once() {
    let mut stage = Stage::set().await;
    let (noor, between) = noor_led(&mut stage).await;
    let file = stage.mini.file("file");
    let at_mini = stage.mini.host.add_approver(ConnectedApproverKind::Terminal);
    let mut before = BTreeSet::new();
    let steps = [Step::Question, Step::Answer, Step::Receipt];
    for (round, (step, passes)) in
        steps.into_iter().flat_map(|step| [(step, false), (step, true)]).enumerate()
    {
        let mut is_it = is_first(step);
        let cuts = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&cuts);
        between.play(move |passing| {
            if !is_it(passing) {
                return Fate::Pass;
            }
            counted.fetch_add(1, Ordering::Relaxed);
            if passes { Fate::PassAndCut } else { Fate::Cut }
        });
        let run = stage.ask(&file);
        let one = question(&noor.folder(), &before).await;
        let said = insist(&noor.folder(), &one).await;
        assert_eq!(said, AnswerReply::Applied(0), "{step:?}, {passes}: whatever is cut, it is one answer");
        let ended = stage.end(run).await;
        assert!(matches!(ended, RunResult::Ended(_)), "{step:?}, {passes}: {ended:?}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "ran\n".repeat(round + 1), "{step:?}, {passes}: once");
        assert_eq!(cuts.load(Ordering::Relaxed), 1, "{step:?}, {passes}: it was cut");
        before.insert(one.question.id);
    }
    between.play(|_| Fate::Pass);
    let approver = FleetApprover::connect(&noor.folder()).await.unwrap();
    until_async(async || approver.waiting().await.is_ok_and(|waiting| waiting.is_empty())).await;
    drop(at_mini);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_approver_s_connection_repeats_starts_once() {
    let mut stage = Stage::set().await;
    let (noor, between) = noor_led(&mut stage).await;
    let file = stage.mini.file("file");
    let at_mini = stage.mini.host.add_approver(ConnectedApproverKind::Terminal);
    let seen = Arc::new(AtomicUsize::new(0));
    let (repeated, mut is_question, mut is_receipt) =
        (Arc::clone(&seen), is_first(Step::Question), is_first(Step::Receipt));
    between.play(move |passing| {
        let (first, receipt) = (is_question(passing), is_receipt(passing));
        if first || receipt || passing.is_about("ans") {
            repeated.fetch_add(1, Ordering::Relaxed);
            return Fate::Repeat(3);
        }
        Fate::Pass
    });
    let run = stage.ask(&file);
    let one = question(&noor.folder(), &BTreeSet::new()).await;
    assert_eq!(insist(&noor.folder(), &one).await, AnswerReply::Applied(0));
    timeout(PATIENCE, run).await.unwrap().unwrap();
    assert_eq!(insist(&noor.folder(), &one).await, AnswerReply::Applied(0), "it is the same answer");
    assert!(seen.load(Ordering::Relaxed) >= 4, "a question, two answers and a receipt");
    assert_eq!(fs::read_to_string(&file).unwrap(), "ran\n", "once");
    drop(at_mini);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_an_approver_s_connection_holds_until_after_the_end_starts_nothing() {
    let mut stage = Stage::set().await;
    stage.mini.call("agents.set", json!({"agent": "main", "values": {"approvalTimeout": "20s"}})).await;
    let (noor, between) = noor_led(&mut stage).await;
    let mut news = stage.watch().await;
    let (let_go, held) = oneshot::channel();
    let (tell, came) = oneshot::channel();
    let (held, tell) = (Mutex::new(Some(held)), Mutex::new(Some(tell)));
    between.play(move |passing| {
        let answer = passing.is_about("ans") && !passing.to_member;
        if let Some(until) = answer.then(|| held.lock().take()).flatten() {
            return Fate::Hold(until);
        }
        let receipt = passing.to_member && passing.subject.starts_with("_INBOX") && !answer;
        if receipt && held.lock().is_none() && passing.says("vnd.postern.fleet") {
            tell.lock().take().map(|tell| tell.send(()));
        }
        Fate::Pass
    });
    let (_approver, asked, file) =
        answer_too_late(&mut stage, &noor.folder(), &mut news, (let_go, came)).await;
    assert!(matches!(insist(&noor.folder(), &asked).await, AnswerReply::Closed { .. }));
    assert!(!file.exists(), "the time was over");
}

/// Changes the highest risk that Noor may allow, and waits until the mini takes answers under that roster.
async fn limited(stage: &Stage, risk: FleetRisk) {
    let change = RightsChange { risk: Some(risk), ..RightsChange::default() };
    changed(stage, "Noor's MacBook", &change).await;
    let (newest, mini) = (stage.laptop.folder().pinned().unwrap().hash, stage.mini.folder());
    until_async(async || mini.read_fresh().unwrap().is_some_and(|said| said.roster == newest)).await;
}

/// An answer is refused first, and counts when it is sent again. The broker gives out what the host said first.
#[tokio::test(flavor = "multi_thread")]
async fn a_receipt_of_an_earlier_sending_says_nothing_of_a_later_one() {
    let mut stage = Stage::set().await;
    let (noor, between) = noor_led(&mut stage).await;
    let file = stage.mini.file("file");
    let at_mini = stage.mini.host.add_approver(ConnectedApproverKind::Terminal);
    limited(&stage, FleetRisk::Safe).await;
    let first = Arc::new(Mutex::new(None));
    between.play(move |passing| {
        if !passing.to_member || !passing.says("vnd.postern.fleet.receipt") {
            return Fate::Pass;
        }
        let first = Arc::clone(&first);
        Fate::Alter(Box::new(move |receipt: &[u8]| {
            first.lock().get_or_insert_with(|| receipt.to_vec()).clone()
        }))
    });
    let run = stage.ask(&file);
    let one = question(&noor.folder(), &BTreeSet::new()).await;
    let refused = insist(&noor.folder(), &one).await;
    assert!(matches!(refused, AnswerReply::Refused(_)), "{refused:?}");
    limited(&stage, FleetRisk::Dangerous).await;
    let approver = FleetApprover::connect(&noor.folder()).await.unwrap();
    let said = approver.answer(&one, FleetChoice::Once, None, None).await.unwrap();
    assert_eq!(said, AnswerReply::NotConfirmed, "it is no word on this sending");
    timeout(PATIENCE, run).await.unwrap().unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "ran\n", "the answer counted");
    between.play(|_| Fate::Pass);
    assert_eq!(insist(&noor.folder(), &one).await, AnswerReply::Applied(0), "and sending it again says so");
    drop(at_mini);
}
