//! Recent requests of a session, beside its next question: a person judges a command by what came before it.

use super::edit::text_of;
use super::end::confined_failure;
use super::live::LiveRequest;
use super::show::to_pieces;
use super::task::Task;
use postern_contract::render::{self, PastOutcome};
use postern_contract::{Past, Piece, PieceKind, ShownText, hide_in_pieces};
use postern_policy::{AgentId, Millis, Origin};
use postern_protocol::{RequestedConfinement, What};
use postern_request::{DenyReason, Exit, Outcome, RequestEnding};
use std::collections::VecDeque;
use uuid::Uuid;

const SHOWN: usize = 3;
/// Number of requests that are kept of an agent, over all its sessions, until Postern quits.
const KEPT: usize = 32;
/// Characters of a command that are shown. It is not what is judged: the beginning tells it apart.
const LENGTH: usize = 200;

/// Recent requests of an agent, newest first, each with its session.
#[derive(Debug, Default)]
pub(crate) struct Lately(VecDeque<(Option<String>, RecentRequest)>);

/// Request as it is kept: few of them are ever shown, so the text is looked through only then.
#[derive(Debug, Clone)]
struct RecentRequest {
    /// Beginning of its command.
    line: String,
    /// True if the command goes on behind that.
    goes_on: bool,
    outcome: PastOutcome,
    at: Millis,
    /// True if it failed while it was confined.
    failed_confined: bool,
}

impl Task {
    /// Returns the requests of an agent's session before `but`: what runs, then what has ended, newest first.
    pub(super) fn recent(&self, agent: &AgentId, session: Option<&str>, but: Option<Uuid>) -> Vec<Past> {
        let same = |request: &&LiveRequest| {
            request.agent == *agent
                && request.run.session.as_deref() == session
                && Some(request.id) != but
                && request.pid().is_some()
        };
        let mut running: Vec<RecentRequest> =
            self.requests.values().filter(same).map(RecentRequest::from_live).collect();
        running.sort_unstable_by_key(|past| std::cmp::Reverse(past.at));
        let ended = self.agents.get(agent).into_iter().flat_map(|state| &state.lately.0);
        let ended = ended.filter(|(theirs, _)| theirs.as_deref() == session).map(|(_, past)| past);
        running.iter().chain(ended).take(SHOWN).map(RecentRequest::to_shown).collect()
    }

    /// Returns true if a request asks for full access to what its session ran last, confined, and what failed so.
    pub(super) fn asks_after_failure(&self, request: &LiveRequest) -> bool {
        if request.run.confine != Some(RequestedConfinement::None) {
            return false;
        }
        let now = RecentRequest::from_live(request);
        let is_same = |past: &RecentRequest| past.line == now.line && past.goes_on == now.goes_on;
        let mut ended = self.agents.get(&request.agent).into_iter().flat_map(|state| &state.lately.0);
        let last = ended.find(|(session, past)| *session == request.run.session && is_same(past));
        last.is_some_and(|(_, past)| past.failed_confined)
    }

    /// Keeps a request that has ended for the questions after it.
    pub(super) fn keep_past(&mut self, request: &LiveRequest) {
        let (session, past) = (request.run.session.clone(), RecentRequest::from_live(request));
        let lately = &mut self.agent_state(&request.agent).lately.0;
        lately.push_front((session, past));
        lately.truncate(KEPT);
    }
}

impl RecentRequest {
    fn from_live(request: &LiveRequest) -> Self {
        let text = match (&request.judged, &request.run.what) {
            _ if request.origin == Origin::Tool => request.line.clone(),
            (Some(judged), _) => text_of(&judged.plan.launch),
            (None, What::Command(argv)) => postern_command::quote_argv(argv),
            (None, What::Shell(text)) => text.clone(),
        };
        // A secret that begins in what is shown ends soon behind it.
        let line: String = text.chars().take(4 * LENGTH).collect();
        let goes_on = line.len() < text.len();
        let failed_confined = confined_failure(request).is_some();
        Self { line, goes_on, outcome: outcome(request), at: request.received_at, failed_confined }
    }

    fn to_shown(&self) -> Past {
        let mut line = to_pieces(&self.line);
        hide_in_pieces(&mut line);
        if self.goes_on {
            line.push(Piece { text: "…".to_owned(), kind: PieceKind::Plain });
        }
        Past { line: beginning(line), outcome: render::past_outcome(self.outcome), at: self.at }
    }
}

/// Returns the beginning of a text, cut within no escape.
fn beginning(text: ShownText) -> ShownText {
    let mut left = LENGTH;
    let mut begun = ShownText::new();
    for mut piece in text {
        let length = piece.text.chars().count();
        if length > left {
            if piece.kind == PieceKind::Plain {
                piece.text = piece.text.chars().take(left).collect::<String>() + "…";
            } else {
                piece = Piece { text: "…".to_owned(), kind: PieceKind::Plain };
            }
            begun.push(piece);
            break;
        }
        left -= length;
        begun.push(piece);
    }
    begun
}

/// Returns what became of it.
fn outcome(request: &LiveRequest) -> PastOutcome {
    match request.ending() {
        None => PastOutcome::Runs,
        Some(RequestEnding::Failed { .. }) => PastOutcome::NotStarted,
        Some(RequestEnding::Allowed) => PastOutcome::Allowed,
        Some(RequestEnding::Denied(denial)) => match denial.reason {
            DenyReason::User => PastOutcome::DeniedByPerson,
            DenyReason::Expired => PastOutcome::NoAnswer,
            DenyReason::Cancelled => PastOutcome::Withdrawn,
            _ => PastOutcome::Denied,
        },
        Some(RequestEnding::Finished { end }) => match (end.outcome, end.exit) {
            (Outcome::Timeout, _) => PastOutcome::Timeout,
            (Outcome::Killed, _) => PastOutcome::Stopped,
            (Outcome::Drifted, _) => PastOutcome::Drifted,
            (Outcome::Failed, _) => PastOutcome::NotStarted,
            (Outcome::Exited | Outcome::Signalled, Some(Exit::Code(code))) => PastOutcome::Exited(code),
            (Outcome::Exited | Outcome::Signalled, Some(Exit::Signal(signal))) => {
                PastOutcome::Signalled(signal)
            }
            (Outcome::Exited | Outcome::Signalled, None) | (Outcome::Lost | Outcome::Unknown, _) => {
                PastOutcome::Unknown
            }
        },
    }
}
