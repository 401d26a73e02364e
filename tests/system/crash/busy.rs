//! Host at work: two agents that ask for runs, a person who answers, and one who changes rules.
//!
//! Each is on a connection of its own until it is gone.

use postern_client::{Channel, Control};
use postern_contract::methods::{AddRule, AnswerQuestion, ApproverKind, RemoveRule, RuleNumber};
use postern_contract::{Answer, AnswerParams, ApproverNotification, Question, RuleDraft};
use postern_policy::{Effect, RuleId};
use postern_protocol::{AgentCall, NoticeEvent, RunParams, What};
use postern_tests::{Postern, connect_agent};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::thread::{JoinHandle, spawn};
use std::time::{Duration, Instant};
use uuid::Uuid;

/// Number of an agent's requests that are under way at once.
const AT_ONCE: usize = 4;

/// Facts that somebody outside of the host was told, so that they must last.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// Requests that were told to have started, by their agents' own numbers.
    pub(super) started: Vec<String>,
    /// To have ended well.
    pub(super) finished: Vec<String>,
    pub(super) denied: Vec<String>,
    /// Requests, by the host's numbers, and whether the person's answer that counted was to allow.
    pub(super) answered: Vec<(String, bool)>,
    /// Rules that were added and not removed since.
    pub(super) added: Vec<String>,
    pub(super) removed: Vec<String>,
}

impl Known {
    fn with(mut self, mut other: Self) -> Self {
        self.started.append(&mut other.started);
        self.finished.append(&mut other.finished);
        self.denied.append(&mut other.denied);
        self.answered.append(&mut other.answered);
        self.added.append(&mut other.added);
        self.removed.append(&mut other.removed);
        self
    }
}

/// Processes that keep a host busy, and those that run.
pub(super) struct Busy {
    data: PathBuf,
    channels: [PathBuf; 2],
    /// Every run adds a line with its request's number.
    log: PathBuf,
}

impl Busy {
    /// Enrols an agent that is let through and one that is asked about.
    pub(super) fn prepare(host: &Postern) -> Self {
        let channels = ["runner", "asker"].map(|agent| host.enrol(agent));
        let many = ["requestsPerSecond=10000", "questionsPerMinute=600"];
        host.ok(&["agents", "set", "runner", "preset=allow", "--yes", many[0]]);
        host.ok(&["agents", "set", "asker", "preset=ask", many[0], many[1]]);
        Self { data: host.data(), channels, log: host.scratch("ran").join("log") }
    }

    /// Keeps it busy, calls `kill` after so many moments, and gives what was told until then.
    pub(super) fn until(&self, moments: u128, kill: impl FnOnce()) -> Known {
        let (moment, happened) = channel();
        let [runner, asker] = &self.channels;
        let threads: Vec<JoinHandle<Known>> = vec![
            agent(runner, &self.log, moment.clone()),
            agent(asker, &self.log, moment.clone()),
            person(&self.data, moment.clone()),
            rules(&self.data, moment),
        ];
        for _ in 0..moments {
            happened.recv().expect("a host at work goes on until it is killed");
        }
        kill();
        threads.into_iter().map(|thread| thread.join().unwrap()).fold(Known::default(), Known::with)
    }

    /// Returns the requests that ran, so far, in all rounds.
    pub(super) fn ran(&self) -> Vec<String> {
        let log = std::fs::read_to_string(&self.log).unwrap_or_default();
        log.lines().map(str::to_owned).collect()
    }

    /// Waits until nothing that a killed host started, or was about to start, is there any more.
    pub(super) fn until_none_is_left(&self) {
        let name = self.log.to_str().unwrap();
        let end = Instant::now() + Duration::from_mins(1);
        loop {
            let left = processes_with(name);
            if left.is_empty() {
                return;
            }
            assert!(Instant::now() < end, "left behind by killed hosts: {left:?}");
            std::thread::yield_now();
        }
    }
}

/// Processes in whose command line this stands. One that ended and is not reaped yet has none.
pub(super) fn processes_with(text: &str) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    let lines = processes.filter_map(|path| std::fs::read(path.join("cmdline")).ok());
    lines.map(|line| String::from_utf8_lossy(&line).into_owned()).filter(|line| line.contains(text)).collect()
}

/// Returns an agent that asks for the next run whenever one ended.
pub(super) fn agent(folder: &Path, log: &Path, moment: Sender<()>) -> JoinHandle<Known> {
    let mut channel = connect_agent(folder);
    let script = format!("echo \"$0\" >>'{}'", log.display());
    spawn(move || {
        let mut known = Known::default();
        let ask = |channel: &mut Channel| {
            let id = Uuid::new_v4();
            let argv = ["/bin/sh", "-c", &script, &id.to_string()].map(str::to_owned).to_vec();
            let params = RunParams { cwd: Some("/".to_owned()), ..RunParams::new(id, What::Command(argv)) };
            channel.send(&AgentCall::Run(Box::new(params))).is_ok()
        };
        let mut alive = (0..AT_ONCE).all(|_| ask(&mut channel));
        while alive {
            let Ok(Some(notice)) = channel.next_event(None) else { break };
            let request = notice.request_id.to_string();
            match &notice.event {
                NoticeEvent::Started(_) => known.started.push(request),
                NoticeEvent::Finished(done) => {
                    assert_eq!(done.exit_code, Some(0), "{notice:?}");
                    known.finished.push(request);
                    alive = ask(&mut channel);
                }
                NoticeEvent::Denied(_) => {
                    known.denied.push(request);
                    alive = ask(&mut channel);
                }
                NoticeEvent::Pending(_) | NoticeEvent::Output(_) | NoticeEvent::ToolResolved(_) => {}
            }
            // Nobody counts any more once the host is killed.
            _ = moment.send(());
        }
        known
    })
}

/// Returns a person who allows two questions of three and denies the third.
fn person(data: &Path, moment: Sender<()>) -> JoinHandle<Known> {
    let mut control = Control::connect(data).unwrap();
    let waiting = control.watch_questions(ApproverKind::Terminal).unwrap().questions;
    spawn(move || {
        let mut known = Known::default();
        let mut open: Vec<Question> = waiting;
        let mut seen = HashSet::new();
        for nth in 0_usize.. {
            let Some(question) = open.pop().or_else(|| next_question(&mut control, &seen)) else { break };
            seen.insert(question.id.clone());
            let allow = !nth.is_multiple_of(3);
            let params =
                AnswerParams::for_question(&question, if allow { Answer::Once } else { Answer::Deny });
            let Ok(answered) = control.call_method::<AnswerQuestion>(&params) else { break };
            assert!(answered.applied, "{answered:?}");
            known.answered.extend(question.requests.into_iter().map(|request| (request, allow)));
            _ = moment.send(());
        }
        known
    })
}

/// Returns the next question that opens. One that opened while the list was read is in the list and is told
/// as well.
fn next_question(control: &mut Control, seen: &HashSet<String>) -> Option<Question> {
    loop {
        match control.next_known_notification(None) {
            Ok(Some(ApproverNotification::QuestionOpened(question))) if !seen.contains(&question.id) => {
                return Some(*question);
            }
            Ok(_) => {}
            Err(_) => return None,
        }
    }
}

/// Returns a person who adds rules, and removes each once the next is there.
fn rules(data: &Path, moment: Sender<()>) -> JoinHandle<Known> {
    let mut control = Control::connect(data).unwrap();
    spawn(move || {
        let mut known = Known::default();
        let mut last: Option<(RuleId, String)> = None;
        loop {
            let text = format!("never-{}", Uuid::new_v4());
            let Ok(added) = control.call_method::<AddRule>(&RuleDraft::new(Effect::Deny, &text)) else {
                break;
            };
            known.added.push(text.clone());
            _ = moment.send(());
            if let Some((id, before)) = last.replace((added.rule.id, text)) {
                // Asked for, it may be gone or not; acknowledged, it is.
                known.added.retain(|rule| *rule != before);
                if control.call_method::<RemoveRule>(&RuleNumber { id }).is_err() {
                    break;
                }
                known.removed.push(before);
                _ = moment.send(());
            }
        }
        known
    })
}
