//! `kill -9` of a real host, a real approver and the broker, at each step of an answer.
//!
//! An answer starts at most one run, what ran is never on record as denied, and the audit has every row once.

use crate::between::{Between, Fate, Passing};
use crate::stage::{PATIENCE, Stage, invitation, joined, until_async};
use parking_lot::Mutex;
use postern_client::{Channel, Control, read_key};
use postern_contract::RequestRow;
use postern_contract::methods::{ListRequests, RequestFilter};
use postern_doors::fleet::{AnswerReply, Elsewhere, FleetApprover, FleetChoice, Folder};
use postern_protocol::{AgentCall, NoticeEvent, RunParams, RunState, What};
use postern_tests::Postern;
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread::JoinHandle;
use tokio::sync::oneshot;
use tokio::time::timeout;
use uuid::Uuid;

/// Step of an answer, by the message that the broker sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Question,
    Answer,
    Receipt,
    Closing,
}

const STEPS: [Step; 4] = [Step::Question, Step::Answer, Step::Receipt, Step::Closing];

/// Recognizes the message of a step on the connection of a host.
struct AtStep {
    step: Step,
    answered: bool,
}

impl AtStep {
    fn is_it(&mut self, passing: &Passing) -> bool {
        let own_question = passing.is_about("q") && !passing.to_member;
        let answer = passing.is_about("ans") && passing.to_member;
        self.answered |= answer;
        match self.step {
            Step::Question => own_question,
            Step::Answer => answer,
            Step::Receipt => passing.is_own_reply(),
            Step::Closing => own_question && self.answered,
        }
    }
}

/// Kills a process when a message comes, before it passes or after it.
pub(super) fn strike(
    between: &Between,
    mut is_it: impl FnMut(&Passing) -> bool + Send + 'static,
    after: bool,
    process: &Arc<AtomicI32>,
) -> oneshot::Receiver<()> {
    let ((tell, struck), process) = (oneshot::channel(), Arc::clone(process));
    let kill: Box<dyn FnOnce() + Send> = Box::new(move || {
        let process = Pid::from_raw(process.load(Ordering::Relaxed)).expect("it was started");
        kill_process(process, Signal::KILL).expect("it runs");
        // A test that waits no more has failed already.
        _ = tell.send(());
    });
    let mut once = Some(kill);
    between.play(move |passing| {
        if !is_it(passing) {
            return Fate::Pass;
        }
        match once.take() {
            None => Fate::Pass,
            Some(kill) if after => Fate::PassAndDo(kill),
            Some(kill) => {
                kill();
                Fate::Drop
            }
        }
    });
    struck
}

/// A fleet with a host that is a process of its own, behind a malicious broker.
pub(super) struct Crashes {
    pub(super) stage: Stage,
    pub(super) host: Postern,
    pub(super) between: Between,
    channel: PathBuf,
    /// File to which every run adds the number of its request.
    log: PathBuf,
}

pub(super) fn shared_id(process: u32) -> Arc<AtomicI32> {
    Arc::new(AtomicI32::new(i32::try_from(process).unwrap()))
}

impl Crashes {
    /// Has Noor join with a Mac of her own, to approve.
    pub(super) async fn noor_joins(&mut self) -> (Postern, Folder) {
        let noor = Postern::start();
        let folder = Folder::from_data_folder(&noor.data());
        let stage = &mut self.stage;
        joined(&mut stage.owner, &stage.broker, &folder, &[false], invitation("Noor's MacBook", "Noor"))
            .await;
        (noor, folder)
    }

    pub(super) async fn set() -> Self {
        Self::with_host(Postern::start()).await
    }

    pub(super) async fn with_host(host: Postern) -> Self {
        let mut stage = Stage::set().await;
        let folder = Folder::from_data_folder(&host.data());
        joined(&mut stage.owner, &stage.broker, &folder, &[true], invitation("builder", "")).await;
        let between = Between::start(&stage.laptop.folder()).await;
        between.lead(&folder);
        host.ok(&["doors", "enable", "fleet"]);
        let channel = host.enrol("main");
        let log = host.scratch("ran").join("log");
        Self { stage, host, between, channel, log }
    }

    /// Asks for a run. What becomes of it is known from the record.
    pub(super) fn ask(&self) -> (Uuid, JoinHandle<()>) {
        let id = Uuid::new_v4();
        let key = read_key(&self.channel.join("agent.key")).unwrap();
        let mut channel = Channel::connect(&self.channel.join("agent.sock"), &key).unwrap();
        let line = format!("echo {id} >>'{}'", self.log.display());
        let run = RunParams { cwd: Some("/".to_owned()), ..RunParams::new(id, What::Shell(line)) };
        let asking = std::thread::spawn(move || {
            if channel.send(&AgentCall::Run(Box::new(run))).is_err() {
                return;
            }
            // Until its end, or the host's.
            while let Ok(Some(notice)) = channel.next_event(None) {
                if matches!(notice.event, NoticeEvent::Finished(_) | NoticeEvent::Denied(_)) {
                    return;
                }
            }
        });
        (id, asking)
    }

    fn row(&self, id: Uuid) -> Option<RequestRow> {
        let mut control = Control::connect(&self.host.data()).unwrap();
        let filter = RequestFilter { limit: Some(100), ..RequestFilter::default() };
        let rows = control.call_method::<ListRequests>(&filter).unwrap().requests;
        rows.into_iter().find(|row| row.request_id == id.to_string())
    }

    /// Checks that a request ended, ran at most once, and not if it was denied. Returns how often it ran.
    pub(super) async fn check_end(&self, id: Uuid, at: &str) -> usize {
        until_async(async || self.row(id).is_none_or(|row| row.state.has_ended())).await;
        let log = fs::read_to_string(&self.log).unwrap_or_default();
        let ran = log.lines().filter(|line| *line == id.to_string()).count();
        assert!(ran <= 1, "{at}: it ran {ran} times");
        let row = self.row(id);
        let denied = row.as_ref().is_none_or(|row| row.state == RunState::Denied);
        assert!(!denied || ran == 0, "{at}: it ran, and the record has {row:?}");
        ran
    }

    /// Starts the host again after it was killed.
    pub(super) fn start_over(&mut self) {
        self.host.crash();
        self.between.play(|_| Fate::Pass);
        self.host.start_again();
    }

    /// Kills the host when it sends a message of this kind, before it passes or after it, and starts it again.
    ///
    /// A rule is written before: the audit has something to send.
    pub(super) async fn kill_while_it_sends(&mut self, kind: &'static str, after: bool, rule: &str) {
        let process = shared_id(self.host.pid());
        let sends = move |passing: &Passing| passing.is_about(kind) && !passing.to_member;
        let struck = strike(&self.between, sends, after, &process);
        // A new connection sends at once; the host may be killed before it replies to any of these.
        drop(self.host.run(&["rules", "deny", rule, "--everyone"]));
        drop(self.host.run(&["doors", "disable", "fleet"]));
        drop(self.host.run(&["doors", "enable", "fleet"]));
        timeout(PATIENCE, struck).await.expect("it is killed").unwrap();
        self.start_over();
        drop(self.host.run(&["doors", "enable", "fleet"]));
    }

    /// Checks the chain of the host's own audit, and its anchors at the broker.
    pub(super) async fn check_audit(&self, at: &str) {
        self.host.ok(&["audit", "--verify"]);
        let approver = FleetApprover::connect(&self.stage.laptop.folder()).await.unwrap();
        let rows = self.host.json(&["audit"]);
        let numbers: Vec<i64> =
            rows["rows"].as_array().unwrap().iter().filter_map(|row| row["number"].as_i64()).collect();
        let whole: Vec<i64> = (numbers[0]..).take(numbers.len()).collect();
        assert_eq!(numbers, whole, "{at}: every row once");
        let verified = approver.verify_audit(Some("builder")).await.unwrap().remove(0);
        assert!(verified.findings.is_empty(), "{at}: {verified:?}");
    }
}

/// Returns the question about a request, once it waits.
pub(super) async fn question_of(laptop: &Folder, request: Uuid) -> Elsewhere {
    let request = request.to_string();
    loop {
        // The broker may be gone.
        let Ok(approver) = FleetApprover::connect(laptop).await else { continue };
        while let Ok(waiting) = approver.waiting().await {
            if let Some(one) = waiting.into_iter().find(|one| one.question.line.contains(&request)) {
                return one;
            }
        }
    }
}

/// Answers until the host says what became of it.
pub(super) async fn insist(laptop: &Folder, one: &Elsewhere) -> AnswerReply {
    let said = async {
        loop {
            let Ok(approver) = FleetApprover::connect(laptop).await else { continue };
            match approver.answer(one, FleetChoice::Once, None, None).await {
                Ok(AnswerReply::Offline | AnswerReply::NotConfirmed) | Err(_) => {
                    tokio::task::yield_now().await;
                }
                Ok(said) => return said,
            }
        }
    };
    timeout(PATIENCE, said).await.expect("the host says what became of it")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_is_killed_at_each_step_starts_at_most_once() {
    let mut crashes = Crashes::set().await;
    let laptop = crashes.stage.laptop.folder();
    for (step, after) in STEPS.into_iter().flat_map(|step| [(step, false), (step, true)]) {
        let at = format!("{step:?}, killed {}", if after { "after" } else { "before" });
        let there = crashes.host.watch();
        crashes.host.ok(&["rules", "deny", &format!("never-{}", Uuid::new_v4()), "--everyone"]);
        let mut watched = AtStep { step, answered: false };
        let process = shared_id(crashes.host.pid());
        let struck = strike(&crashes.between, move |passing| watched.is_it(passing), after, &process);
        let (id, asking) = crashes.ask();
        let shown = Arc::new(Mutex::new(None));
        let answering = async {
            let one = question_of(&laptop, id).await;
            *shown.lock() = Some(one.clone());
            insist(&laptop, &one).await
        };
        let mut struck = Box::pin(timeout(PATIENCE, struck));
        tokio::select! {
            killed = &mut struck => killed.expect("it is killed").unwrap(),
            _ = answering => struck.await.expect("it is killed").unwrap(),
        }
        crashes.host.crash();
        drop(there);
        asking.join().unwrap();
        crashes.between.play(|_| Fate::Pass);
        crashes.host.start_again();
        // The same answer again: what it was for has ended, one way or the other.
        let one = shown.lock().take();
        if let Some(one) = one {
            let said = insist(&laptop, &one).await;
            assert!(!matches!(said, AnswerReply::Applied(_)), "{at}: {said:?}");
        }
        crashes.check_end(id, &at).await;
        crashes.check_audit(&at).await;
        // What it did not close before, it closes now.
        let approver = FleetApprover::connect(&laptop).await.unwrap();
        until_async(async || approver.waiting().await.is_ok_and(|waiting| waiting.is_empty())).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_is_killed_while_it_anchors_its_audit_loses_and_doubles_no_row() {
    let mut crashes = Crashes::set().await;
    let laptop = crashes.stage.laptop.folder();
    for after in [false, true] {
        let seen = async || {
            let approver = FleetApprover::connect(&laptop).await.unwrap();
            approver.verify_audit(Some("builder")).await.unwrap().remove(0).last.map_or(0, |last| last.seq)
        };
        let before = seen().await;
        let rule = format!("never-{}", Uuid::new_v4());
        crashes.kill_while_it_sends("audit", after, &rule).await;
        until_async(async || seen().await > before).await;
        crashes.check_audit(if after { "after" } else { "before" }).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_is_killed_while_it_takes_an_anchor_loses_none() {
    let mut crashes = Crashes::set().await;
    let laptop = crashes.stage.laptop.folder();
    let anchors = async || {
        let approver = FleetApprover::connect(&laptop).await.unwrap();
        approver.verify_audit(Some("builder")).await.unwrap().remove(0).last.map_or(0, |last| last.seq)
    };
    for after in [false, true] {
        let before = anchors().await;
        let process = shared_id(crashes.stage.broker.process());
        let anchor = |passing: &Passing| passing.is_about("audit") && !passing.to_member;
        let struck = strike(&crashes.between, anchor, after, &process);
        crashes.host.ok(&["rules", "deny", &format!("never-{}", Uuid::new_v4()), "--everyone"]);
        // A new connection anchors at once.
        crashes.host.ok(&["doors", "disable", "fleet"]);
        crashes.host.ok(&["doors", "enable", "fleet"]);
        timeout(PATIENCE, struck).await.expect("it is killed").unwrap();
        crashes.stage.broker.restart();
        until_async(async || anchors().await > before).await;
        crashes.check_audit(if after { "after" } else { "before" }).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_is_killed_at_each_step_loses_no_answer() {
    let mut crashes = Crashes::set().await;
    let laptop = crashes.stage.laptop.folder();
    let there = crashes.host.watch();
    for (step, after) in STEPS.into_iter().flat_map(|step| [(step, false), (step, true)]) {
        let at = format!("{step:?}, killed {}", if after { "after" } else { "before" });
        let mut watched = AtStep { step, answered: false };
        let process = shared_id(crashes.stage.broker.process());
        let struck = strike(&crashes.between, move |passing| watched.is_it(passing), after, &process);
        let (id, asking) = crashes.ask();
        let answering = async {
            let one = question_of(&laptop, id).await;
            insist(&laptop, &one).await
        };
        let mut answering = Box::pin(answering);
        let mut struck = Box::pin(timeout(PATIENCE, struck));
        let early = tokio::select! {
            killed = &mut struck => { killed.expect("it is killed").unwrap(); None },
            said = &mut answering => { struck.await.expect("it is killed").unwrap(); Some(said) },
        };
        crashes.stage.broker.restart();
        let said = match early {
            Some(said) => said,
            None => timeout(PATIENCE, answering).await.expect("it is answered"),
        };
        assert!(matches!(said, AnswerReply::Applied(0) | AnswerReply::Closed { .. }), "{at}: {said:?}");
        asking.join().unwrap();
        assert_eq!(crashes.check_end(id, &at).await, 1, "{at}: the answer is not lost");
    }
    crashes.check_audit("at the end").await;
    drop(there);
}

/// Returns `postern approve`, as Noor types it on her Mac.
pub(super) fn approve_by(noor: &Postern, one: &Elsewhere) -> std::process::Command {
    noor.command(&["approve", &one.question.code, "--host", "builder", "--digest", &one.question.digest])
}

/// Starts it as a process of its own.
fn approve(noor: &Postern, one: &Elsewhere) -> std::process::Child {
    approve_by(noor, one)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approver_that_is_killed_at_each_step_starts_at_most_once_and_learns_it_later() {
    let mut crashes = Crashes::set().await;
    let laptop = crashes.stage.laptop.folder();
    let (noor, folder) = crashes.noor_joins().await;
    let before_noor = Between::start(&laptop).await;
    before_noor.lead(&folder);
    let there = crashes.host.watch();
    for (receipt, after) in [(false, false), (false, true), (true, false), (true, true)] {
        let at = format!("{}, killed {after}", if receipt { "receipt" } else { "answer" });
        let (id, asking) = crashes.ask();
        let one = timeout(PATIENCE, question_of(&laptop, id)).await.unwrap();
        let process = shared_id(0);
        let mut answered = false;
        let is_it = move |passing: &Passing| {
            let its_answer = passing.is_about("ans") && !passing.to_member;
            let its_receipt = answered && passing.to_member && passing.subject.starts_with("_INBOX");
            answered |= its_answer;
            if receipt { its_receipt } else { its_answer }
        };
        let struck = strike(&before_noor, is_it, after, &process);
        let mut child = approve(&noor, &one);
        process.store(i32::try_from(child.id()).unwrap(), Ordering::Relaxed);
        timeout(PATIENCE, struck).await.expect("it is killed").unwrap();
        child.wait().unwrap();
        before_noor.play(|_| Fate::Pass);
        let again = approve(&noor, &one).wait_with_output().unwrap();
        let said =
            format!("{}{}", String::from_utf8_lossy(&again.stdout), String::from_utf8_lossy(&again.stderr));
        let known = ["allowed once", "closed already by Noor on Noor's MacBook", "no such question waits"];
        assert!(known.iter().any(|words| said.contains(words)), "{at}: {said}");
        asking.join().unwrap();
        assert_eq!(crashes.check_end(id, &at).await, 1, "{at}: {said}");
    }
    crashes.check_audit("at the end").await;
    drop(there);
}
