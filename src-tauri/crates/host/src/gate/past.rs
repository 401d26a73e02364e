//! What a session asked for lately, beside its next question: a person judges a command by what came before it.

use super::edit::text_of;
use super::live::Request;
use super::show::shown;
use super::task::Task;
use postern_contract::Past;
use postern_policy::AgentId;
use postern_protocol::What;
use postern_request::{DenyReason, Ending, Exit, Outcome};
use std::collections::VecDeque;
use uuid::Uuid;

/// How many are shown.
const SHOWN: usize = 3;
/// How many are kept of an agent, over all its sessions, until Postern quits.
const KEPT: usize = 32;
/// Characters of a command that are shown. It is not what is judged: the beginning tells it apart.
const LENGTH: usize = 200;

/// What an agent asked for lately, newest first, each with its session.
#[derive(Debug, Default)]
pub(crate) struct Lately(VecDeque<(Option<String>, Past)>);

impl Task {
    /// What the session of an agent asked for before `but`: what runs, then what has ended, newest first.
    pub(super) fn recent(&self, agent: &AgentId, session: Option<&str>, but: Option<Uuid>) -> Vec<Past> {
        let same = |request: &&Request| {
            request.agent == *agent
                && request.run.session.as_deref() == session
                && Some(request.id) != but
                && request.pid().is_some()
        };
        let mut running: Vec<Past> = self.requests.values().filter(same).map(past).collect();
        running.sort_unstable_by_key(|past| std::cmp::Reverse(past.at));
        let ended = self.agents.get(agent).into_iter().flat_map(|state| &state.lately.0);
        let ended = ended.filter(|(theirs, _)| theirs.as_deref() == session).map(|(_, past)| past.clone());
        running.into_iter().chain(ended).take(SHOWN).collect()
    }

    /// A request has ended: the questions after it show it.
    pub(super) fn keep_past(&mut self, request: &Request) {
        let (session, past) = (request.run.session.clone(), past(request));
        let lately = &mut self.agent(&request.agent).lately.0;
        lately.push_front((session, past));
        lately.truncate(KEPT);
    }
}

fn past(request: &Request) -> Past {
    let text = match (&request.judged, &request.run.what) {
        (Some(judged), _) => text_of(&judged.plan.launch),
        (None, What::Command(argv)) => postern_command::quote(argv),
        (None, What::Shell(text)) => text.clone(),
    };
    let mut beginning: String = text.chars().take(LENGTH).collect();
    if beginning.len() < text.len() {
        beginning.push('…');
    }
    Past { line: shown(&beginning), outcome: outcome(request), at: request.received_at }
}

/// What became of it, in words.
fn outcome(request: &Request) -> String {
    match request.ending() {
        None => "runs".to_owned(),
        Some(Ending::Failed { .. }) => "could not start".to_owned(),
        Some(Ending::Denied(denial)) => match denial.reason {
            DenyReason::User => "denied by you".to_owned(),
            DenyReason::Expired => "nobody answered".to_owned(),
            DenyReason::Cancelled => "taken back".to_owned(),
            _ => "denied".to_owned(),
        },
        Some(Ending::Finished { end }) => match (end.outcome, end.exit) {
            (Outcome::Timeout, _) => "ran out of time".to_owned(),
            (Outcome::Killed, _) => "stopped".to_owned(),
            (Outcome::Failed, _) => "could not start".to_owned(),
            (Outcome::Exited | Outcome::Signalled, Some(Exit::Code(code))) => format!("exit {code}"),
            (Outcome::Exited | Outcome::Signalled, Some(Exit::Signal(signal))) => format!("signal {signal}"),
            (Outcome::Exited | Outcome::Signalled, None) | (Outcome::Lost | Outcome::Unknown, _) => {
                "end not known".to_owned()
            }
        },
    }
}
