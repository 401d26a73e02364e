//! A broker that withholds a revocation, and one that cuts, delays and repeats what passes.

use crate::between::{Between, Fate};
use crate::stage::{
    AskedFromAfar, Mac, PATIENCE, Stage, invitation, joined, ran_once, until_async, until_waiting, waits,
};
use parking_lot::Mutex;
use postern_doors::fleet::{AnswerReply, Elsewhere, FleetApprover, FleetChoice, FleetId, Folder, News};
use postern_fleet::{FleetMessageHeader, Fresh};
use postern_host::ConnectedApproverKind;
use serde_json::json;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// Time without word from an owner after which a roster counts no more, with a second to spare.
const A_DAY: i64 = 24 * 3_600_000 + 1000;

async fn reconnected(mac: &Mac) {
    mac.call("doors.disable", json!({"door": "fleet"})).await;
    mac.call("doors.enable", json!({"door": "fleet"})).await;
}

/// Leads the mini through a malicious broker.
pub(super) async fn led(stage: &Stage) -> Between {
    let between = Between::start(&stage.laptop.folder()).await;
    stage.mini.call("doors.disable", json!({"door": "fleet"})).await;
    between.lead(&stage.mini.folder());
    stage.mini.call("doors.enable", json!({"door": "fleet"})).await;
    between
}

/// Waits for a question that is none of these.
async fn next_waiting(approver: &FleetApprover, before: &BTreeSet<String>) -> Elsewhere {
    let found = async {
        loop {
            let waiting = approver.waiting().await.unwrap_or_default();
            if let Some(one) = waiting.into_iter().find(|one| !before.contains(&one.question.id)) {
                return one;
            }
        }
    };
    timeout(PATIENCE, found).await.expect("it waits")
}

/// Answers until the host is there to say what became of it.
async fn answered(approver: &FleetApprover, one: &Elsewhere, choice: FleetChoice) -> AnswerReply {
    let answered = async {
        loop {
            match approver.answer(one, choice, None, None).await.unwrap() {
                AnswerReply::Offline | AnswerReply::NotConfirmed => tokio::task::yield_now().await,
                said => return said,
            }
        }
    };
    timeout(PATIENCE, answered).await.expect("the host says what became of it")
}

/// Returns an owner's word of a day ago that the roster is current, with its signed bytes.
fn word_of_yesterday(stage: &Stage) -> (Fresh, Vec<u8>) {
    let folder = stage.laptop.folder();
    let (membership, pinned) = (folder.membership().unwrap(), stage.mini.folder().pinned().unwrap());
    let owner = membership.own_member_id(false).unwrap().clone();
    let keys = folder.read_keys(&owner).unwrap();
    let header = FleetMessageHeader { fleet: membership.fleet, from: owner, id: FleetId::random([7; 16]) };
    let (version, roster) = (pinned.roster.version, pinned.hash);
    let at = postern_host::now_millis() - A_DAY;
    let fresh = Fresh { version, roster, policy: std::collections::BTreeMap::new(), at };
    let bytes = header.sign_body(fresh.clone(), &[&keys.sign]).encode();
    (fresh, bytes)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_withheld_revocation_holds_at_the_latest_when_word_of_the_roster_runs_out() {
    let mut stage = Stage::set().await;
    let phone = Mac::start().await;
    let noors = invitation("MacBook Air", "Noor");
    joined(&mut stage.owner, &stage.broker, &phone.folder(), &[false], noors).await;
    let between = led(&stage).await;
    let mut news = stage.watch().await;
    let noor = FleetApprover::connect(&phone.folder()).await.unwrap();
    // The broker lets her in as before, and shows the mini neither the new roster nor word of it.
    between.freeze(true);
    assert_eq!(stage.owner.revoke("MacBook Air").await.unwrap(), 1);
    let file = stage.mini.file("file");
    let run = stage.ask(&file);
    let asked = waits(&mut news).await;
    let hers = until_waiting(&noor, &asked).await;
    assert_eq!(
        answered(&noor, &hers, FleetChoice::Once).await,
        AnswerReply::Applied(0),
        "within the day nobody but the owner knows"
    );
    let (_, channel) = timeout(PATIENCE, run).await.unwrap().unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "ran\n");
    // A day later: the newest word that the broker shows is as old as that.
    let at_mini = stage.mini.host.add_approver(ConnectedApproverKind::Terminal);
    stage.mini.call("doors.disable", json!({"door": "fleet"})).await;
    let (fresh, bytes) = word_of_yesterday(&stage);
    stage.mini.folder().keep_fresh(&fresh).unwrap();
    between.show("fresh", &bytes);
    stage.mini.call("doors.enable", json!({"door": "fleet"})).await;
    stage.channel = Some(channel);
    let run = stage.ask(&file);
    let one = next_waiting(&noor, &[hers.question.id.clone()].into()).await;
    for choice in [FleetChoice::Once, FleetChoice::Always] {
        let refused = answered(&noor, &one, choice).await;
        assert!(
            matches!(&refused, AnswerReply::Refused(why) if why.contains("no word from an owner")),
            "{refused:?}"
        );
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "ran\n", "nothing of hers runs any more");
    // A broker that shows the newest again: the mini follows it, and answers her no more.
    between.freeze(false);
    reconnected(&stage.mini).await;
    let newest = stage.owner.roster().version;
    until_async(async || stage.mini.folder().pinned().unwrap().roster.version == newest).await;
    let unheard = noor.answer(&one, FleetChoice::Once, None, None).await.unwrap();
    assert!(matches!(unheard, AnswerReply::NotConfirmed | AnswerReply::Offline), "{unheard:?}");
    let mara = FleetApprover::connect(&stage.laptop.folder()).await.unwrap();
    let one = until_waiting(&mara, &one).await;
    assert_eq!(answered(&mara, &one, FleetChoice::Deny).await, AnswerReply::Applied(0));
    ran_once(run, &file).await;
    drop(at_mini);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_comes_again_and_again_starts_once() {
    let mut stage = Stage::set().await;
    let between = led(&stage).await;
    let mut news = stage.watch().await;
    let seen = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&seen);
    between.play(move |passing| {
        if passing.to_member && (passing.is_about("ans") || passing.is_about("q")) {
            counted.fetch_add(1, Ordering::Relaxed);
            return Fate::Repeat(5);
        }
        Fate::Pass
    });
    let file = stage.mini.file("file");
    let run = stage.ask(&file);
    let asked = waits(&mut news).await;
    let mara = FleetApprover::connect(&stage.laptop.folder()).await.unwrap();
    assert_eq!(answered(&mara, &asked, FleetChoice::Once).await, AnswerReply::Applied(0));
    timeout(PATIENCE, run).await.unwrap().unwrap();
    let late = answered(&mara, &asked, FleetChoice::Once).await;
    assert_eq!(late, AnswerReply::Applied(0), "sent again, it is the same answer");
    assert_eq!(fs::read_to_string(&file).unwrap(), "ran\n", "once");
    assert!(seen.load(Ordering::Relaxed) >= 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_is_cut_at_any_moment_of_an_answer_starts_once() {
    let mut stage = Stage::set().await;
    let between = led(&stage).await;
    let file = stage.mini.file("file");
    let at_mini = stage.mini.host.add_approver(ConnectedApproverKind::Terminal);
    let mut before = BTreeSet::new();
    for round in 0..6 {
        let mut cut_yet = false;
        between.play(move |passing| {
            let it = match round / 2 {
                0 => passing.is_about("q") && !passing.to_member,
                1 => passing.is_about("ans"),
                _ => passing.is_own_reply(),
            };
            if !it || std::mem::replace(&mut cut_yet, true) {
                return Fate::Pass;
            }
            if round % 2 == 0 { Fate::Cut } else { Fate::PassAndCut }
        });
        let run = stage.ask(&file);
        let mara = FleetApprover::connect(&stage.laptop.folder()).await.unwrap();
        let one = next_waiting(&mara, &before).await;
        let said = answered(&mara, &one, FleetChoice::Once).await;
        assert_eq!(
            said,
            AnswerReply::Applied(0),
            "round {round}: whatever was cut off, it is the same answer"
        );
        stage.end(run).await;
        assert_eq!(fs::read_to_string(&file).unwrap(), "ran\n".repeat(round + 1), "round {round}: once");
        before.insert(one.question.id);
    }
    // What was cut off is said again: no inbox keeps what has ended.
    let mara = FleetApprover::connect(&stage.laptop.folder()).await.unwrap();
    until_async(async || mara.waiting().await.is_ok_and(|waiting| waiting.is_empty())).await;
    drop(at_mini);
}

/// Answers a question whose answer a broker holds until that is let go, after the end. Returns once the host `came` to read it,
/// with the approver, the question and the file that its command would have made.
pub(super) async fn answer_too_late(
    stage: &mut Stage,
    of: &Folder,
    news: &mut UnboundedReceiver<News>,
    (let_go, came): (oneshot::Sender<()>, oneshot::Receiver<()>),
) -> (FleetApprover, Elsewhere, PathBuf) {
    let file = stage.mini.file("file");
    let run = stage.ask(&file);
    let asked = waits(news).await;
    let approver = FleetApprover::connect(of).await.unwrap();
    let unheard = approver.answer(&asked, FleetChoice::Once, None, None);
    let (unheard, ended) = tokio::join!(unheard, timeout(PATIENCE, run));
    assert_eq!(unheard.unwrap(), AnswerReply::NotConfirmed, "the approver is not told that it counts");
    let (ended, channel) = ended.unwrap().unwrap();
    stage.channel = Some(channel);
    assert!(format!("{ended:?}").contains("Denied"), "{ended:?}");
    let_go.send(()).unwrap();
    // The host replies to what was held: it has read it by then.
    timeout(PATIENCE, came).await.unwrap().unwrap();
    (approver, asked, file)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_held_until_after_the_end_starts_nothing() {
    let mut stage = Stage::set().await;
    stage.mini.call("agents.set", json!({"agent": "main", "values": {"approvalTimeout": "20s"}})).await;
    let between = led(&stage).await;
    let mut news = stage.watch().await;
    let (let_go, held) = oneshot::channel();
    let (held, (tell, came)) = (Mutex::new(Some(held)), oneshot::channel());
    let tell = Mutex::new(Some(tell));
    between.play(move |passing| {
        match (passing.is_about("ans") && passing.to_member).then(|| held.lock().take()).flatten() {
            Some(until) => Fate::Hold(until),
            None if passing.is_own_reply() => {
                tell.lock().take().map(|tell| tell.send(()));
                Fate::Pass
            }
            None => Fate::Pass,
        }
    });
    let laptop = stage.laptop.folder();
    let (mara, asked, file) = answer_too_late(&mut stage, &laptop, &mut news, (let_go, came)).await;
    assert!(matches!(answered(&mara, &asked, FleetChoice::Once).await, AnswerReply::Closed { .. }));
    assert!(!file.exists(), "the time was over");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_sends_a_message_without_end_is_cut_off() {
    let mut stage = Stage::set().await;
    let between = led(&stage).await;
    let written = Arc::new(AtomicU64::new(0));
    let mut once = Some(Arc::clone(&written));
    between.play(move |passing| {
        let endless = if passing.to_member && passing.is_about("ans") { once.take() } else { None };
        endless.map_or(Fate::Pass, Fate::Endless)
    });
    let AskedFromAfar { news: _news, file, run, asked } = stage.watch_and_ask("file").await;
    let mara = FleetApprover::connect(&stage.laptop.folder()).await.unwrap();
    let shown = until_waiting(&mara, &asked).await;
    // The first answer becomes the endless message; the next one comes over another connection.
    assert_eq!(answered(&mara, &shown, FleetChoice::Once).await, AnswerReply::Applied(0));
    ran_once(run, &file).await;
    // Without that it would be as many as fit the time until three pings got no reply.
    let mebibytes = written.load(Ordering::Relaxed);
    assert!((1..200).contains(&mebibytes), "{mebibytes} MiB of it were taken");
}
