//! Tests of approvals that arrive at the moment when their question ends.
//!
//! The person or the end counts, never both: what the person was told, the agent was told and the record says agree,
//! and what ran is what was allowed.

use super::busy::{agent, processes_with};
use postern_client::Control;
use postern_contract::methods::{AnswerQuestion, ApproverKind, ListRequests, RequestFilter};
use postern_contract::{Answer, AnswerParams, ApproverNotification, Question, RequestRow};
use postern_protocol::{Decided, RunState};
use postern_tests::Postern;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

#[test]
fn an_approval_at_the_end_of_a_question_counts_or_does_not() {
    answer_at_the_end(2, 16);
}

#[test]
#[ignore = "some minutes; by hand: cargo test --workspace --test system ten_thousand_approvals -- --ignored"]
fn ten_thousand_approvals_at_the_end_of_their_questions() {
    answer_at_the_end(50, 10_000);
}

/// Longest time before its question's end at which an approval is sent, in microseconds. The question is open for ten seconds.
const LONGEST_LEAD: u64 = 1_000_000;

/// Result of an approval that was sent when its question ended.
struct Sent {
    request: String,
    counted: bool,
}

fn answer_at_the_end(agents: usize, approvals: usize) {
    let mut host = Postern::start();
    let log = host.scratch("ran").join("log");
    let channels: Vec<_> = (0..agents)
        .map(|nth| {
            let name = format!("asker-{nth}");
            let channel = host.enrol(&name);
            let limits = ["requestsPerSecond=10000", "questionsPerMinute=600", "approval-timeout=10s"];
            host.ok(&["agents", "set", &name, "preset=ask", limits[0], limits[1], limits[2]]);
            channel
        })
        .collect();
    let mut control = Control::connect(&host.data()).unwrap();
    let waiting = control.watch_questions(ApproverKind::Terminal).unwrap().questions;
    assert!(waiting.is_empty(), "nobody asked yet: {waiting:?}");
    let (moment, _happened) = channel();
    let asking: Vec<_> = channels.iter().map(|channel| agent(channel, &log, moment.clone())).collect();

    let sent = approve(&mut control, approvals);

    until_begun(&host, &sent);
    host.crash();
    for agent in asking {
        drop(agent.join().unwrap());
    }
    host.start_again();
    check(&host, &sent, &log);
}

/// Sends each approval so that it arrives within three milliseconds of its question's end, before or after it.
///
/// How long an approval takes depends on the machine: after one that was too late the next are sent a little earlier, and
/// after one that counted a little later.
fn approve(control: &mut Control, approvals: usize) -> Vec<Sent> {
    let mut open: Vec<(u64, Question)> = Vec::new();
    let mut sent = Vec::new();
    let mut lead = 0;
    let one_sided = |sent: &[Sent]| sent.iter().all(|one| one.counted == sent[0].counted);
    while sent.len() < approvals || one_sided(&sent) && sent.len() < 4 * approvals {
        open.sort_by_key(|(due, _)| std::cmp::Reverse(*due));
        let left = open.last().map(|(due, _)| due.saturating_sub(microseconds() + lead));
        if left == Some(0) {
            let question = open.pop().unwrap().1;
            let answered =
                control.call_method::<AnswerQuestion>(&AnswerParams::for_question(&question, Answer::Once));
            let counted = answered.is_ok_and(|answered| answered.applied);
            let later = lead.saturating_sub(1000 + lead / 4);
            lead = if counted { later } else { (lead + 2000 + lead / 2).min(LONGEST_LEAD) };
            let requests = question.requests.into_iter();
            sent.extend(requests.map(|request| Sent { request, counted }));
            continue;
        }
        let notification = control.next_known_notification(left.map(Duration::from_micros)).unwrap();
        if let Some(ApproverNotification::QuestionOpened(question)) = notification {
            let end = u64::try_from(question.expires_at).unwrap() * 1000;
            let dice = u64::from(uuid::Uuid::new_v4().as_bytes()[0]);
            open.push((end + dice * 6000 / 256 - 3000, *question));
        }
    }
    sent
}

fn microseconds() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    u64::try_from(now.as_micros()).unwrap()
}

/// Waits until what was allowed has begun: a crash while it starts leaves it unknown, as others test.
fn until_begun(host: &Postern, sent: &[Sent]) {
    let end = Instant::now() + Duration::from_mins(1);
    let starting = || {
        let rows = all_rows(host);
        sent.iter().any(|sent| rows[&sent.request].state == RunState::Starting)
    };
    while starting() {
        assert!(Instant::now() < end, "what was allowed never begins");
        std::thread::yield_now();
    }
}

fn check(host: &Postern, sent: &[Sent], log: &Path) {
    let ran: Vec<String> =
        std::fs::read_to_string(log).unwrap_or_default().lines().map(str::to_owned).collect();
    let once: HashSet<&String> = ran.iter().collect();
    assert_eq!(once.len(), ran.len(), "nothing runs twice");
    let rows = all_rows(host);
    for Sent { request, counted } in sent {
        let row = &rows[request];
        let ran = once.contains(&row.request_id);
        if *counted {
            assert_eq!(row.decided, Some(Decided::YouAllowed), "the answer counted: {row:?}");
            let cut_short = row.state == RunState::Failed;
            assert!(ran || cut_short, "it was allowed and did not run: {row:?}");
        } else {
            assert_eq!(row.state, RunState::Denied, "the answer did not count: {row:?}");
            assert!(!ran, "it ran and the person was told that it would not: {row:?}");
        }
    }
    let counted = sent.iter().filter(|sent| sent.counted).count();
    assert!(counted > 0 && counted < sent.len(), "both sides had their chance: {counted} of {}", sent.len());
    assert!(processes_with(log.to_str().unwrap()).is_empty(), "nothing is left behind");
}

/// Returns every request on the record, by the host's number.
fn all_rows(host: &Postern) -> HashMap<String, RequestRow> {
    let mut control = Control::connect(&host.data()).unwrap();
    let mut rows = HashMap::new();
    let mut filter = RequestFilter { limit: Some(1000), ..RequestFilter::default() };
    loop {
        let page = control.call_method::<ListRequests>(&filter).unwrap();
        rows.extend(page.requests.into_iter().map(|row| (row.id.clone(), row)));
        filter.before = page.next;
        if filter.before.is_none() {
            return rows;
        }
    }
}
