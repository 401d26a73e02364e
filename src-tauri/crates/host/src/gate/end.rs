//! Reports of a request's end: the last event, and the answers of those who waited for it.

use super::judge::JudgedRequest;
use super::live::LiveRequest;
use super::task::Task;
use postern_contract::{Answered, NotApplied, render};
use postern_exec::run::FinishedRun;
use postern_protocol::{
    Encoding, ExecDenied, ExecFinished, NoticeEvent, Outcome, RunParams, RunResult, Signal,
};
use postern_request::{Denial, Exit, RequestEnding, RunEnd};
use std::time::Duration;
use uuid::Uuid;

/// Longest stream in the line of `exec.finished`, escaped as JSON: both fit, and the rest does.
const ESCAPED: usize = 1800 * 1024;
/// Bytes of a stream that does not fit: at its worst, a byte is six.
const TOLD: usize = ESCAPED / 6;

impl Task {
    /// Answers all waiters and forgets the request, once the last record is durable and sent.
    pub(super) fn tell_ended(&mut self, id: Uuid) {
        let Some(mut request) = self.requests.remove(&id) else { return };
        self.keys.remove(&(request.agent.clone(), request.run.request_id));
        self.give_place_back(&request);
        self.start_kept_apart();
        self.keep_past(&request);
        self.owed.forget(id);
        if let Some(answering) = request.answering.take() {
            answering.fail_with(Answered::refused(&NotApplied::Ended));
        }
        match &request.notice {
            _ if request.call.is_some() => self.tell_call_ended(&mut request),
            Some(notice) if notice.event.is_end() => {
                let result = RunResult::Ended(Box::new(notice.clone()));
                for reply in std::mem::take(&mut request.finished) {
                    reply.send_result(&result);
                }
                let accepted =
                    super::calls::accepted(&request.run, request.state(), request.judged.as_deref());
                let accepted = RunResult::Accepted(accepted);
                for reply in std::mem::take(&mut request.accepted) {
                    reply.send_result(&accepted);
                }
            }
            Some(_) | None => {
                let owed = std::mem::take(&mut request.finished);
                for reply in owed.into_iter().chain(std::mem::take(&mut request.accepted)) {
                    let message = "the end of this request could not be written down";
                    reply.refuse(postern_protocol::ErrorCode::Internal, message);
                }
            }
        }
        tracing::info!(parent: &request.span, "ended");
    }

    /// Returns the last event of a request, once it has ended.
    pub(super) fn ended_event(&self, id: Uuid) -> Option<NoticeEvent> {
        let request = self.requests.get(&id)?;
        if request.call.is_some() {
            return super::call::ended_event(request);
        }
        let cut = request.judged.as_deref().and_then(|judged| shortened_timeout(&request.run, judged));
        let event = match request.ending()? {
            RequestEnding::Finished { end } => {
                let late = (end.outcome == Outcome::Timeout).then(|| self.too_late(request)).flatten();
                let left = request.result.as_deref().and_then(left_behind);
                let confined = confined_failure(request);
                let drifted = request.result.as_deref().and_then(drifted);
                finished(*end, request.result.as_deref(), late.or(drifted).or(left).or(confined))
            }
            ending @ (RequestEnding::Denied(_) | RequestEnding::Failed { .. } | RequestEnding::Allowed) => {
                event_of(ending)
            }
        };
        Some(match event {
            NoticeEvent::Finished(finished) => NoticeEvent::Finished(ExecFinished {
                edited: request.edited.clone(),
                timeout_ms: cut,
                ..finished
            }),
            other => other,
        })
    }

    /// Returns the advice to an agent whose time ran out.
    fn too_late(&self, request: &LiveRequest) -> Option<String> {
        let limit = request.judged.as_deref()?.plan.timeout_ms?;
        let cap = self.parts.book.policy(&request.agent)?.settings.run_timeout_cap_ms;
        Some(render::timed_out(&request.agent, limit, cap))
    }
}

/// Tells of the protected places that a confined run created or changed, or from which it could not be kept any more.
fn left_behind(ran: &FinishedRun) -> Option<String> {
    let unpinned = ran.unpinned.as_deref().map(render::unpinned);
    let Some(first) = ran.set_aside.first() else { return unpinned };
    tracing::warn!(places = ran.set_aside.len(), ?first, "a confined run changed protected places");
    let (mut moved, mut kept) = (Vec::new(), Vec::new());
    for found in &ran.set_aside {
        match &found.moved {
            Ok(_) => moved.push(found.path.as_str()),
            Err(why) => kept.push((found.path.as_str(), why.as_str())),
        }
    }
    let left = render::set_aside(&moved, &kept);
    Some(unpinned.into_iter().chain([left]).collect::<Vec<_>>().join(" "))
}

/// Tells which program was not the approved one when its turn came.
fn drifted(ran: &FinishedRun) -> Option<String> {
    ran.drift.as_ref().map(render::drifted_step)
}

/// Tells what a confined run that failed did not have.
pub(super) fn confined_failure(request: &LiveRequest) -> Option<String> {
    let Some(RequestEnding::Finished { end }) = request.ending() else { return None };
    let code = end.exit_code().filter(|code| *code != 0)?;
    render::failed_confined(&request.judged.as_deref()?.plan.confinement, code)
}

/// Returns the time limit, if it is shorter than the request asked for.
pub(super) fn shortened_timeout(run: &RunParams, judged: &JudgedRequest) -> Option<u64> {
    judged.plan.timeout_ms.filter(|may| run.timeout_ms.is_some_and(|wanted| *may < wanted))
}

/// Returns the event of an ending that was found at a restart.
pub(super) fn event_of(ending: &RequestEnding) -> NoticeEvent {
    match ending {
        RequestEnding::Denied(denial) => NoticeEvent::Denied(render::denial(denial)),
        RequestEnding::Finished { end } => finished(*end, None, None),
        RequestEnding::Failed { message } => finished(Outcome::Failed.into(), None, Some(message.clone())),
        // Postern ran nothing of it, and does not know.
        RequestEnding::Allowed => finished(Outcome::Unknown.into(), None, None),
    }
}

/// Returns the event of an ending that was kept, with what is kept of its output, and what ran instead where
/// it was edited.
pub(super) fn event_of_kept(
    ending: &RequestEnding,
    ran: &FinishedRun,
    edited: Option<String>,
) -> NoticeEvent {
    let event = match ending {
        RequestEnding::Finished { end } => finished(*end, Some(ran), None),
        RequestEnding::Denied(_) | RequestEnding::Failed { .. } | RequestEnding::Allowed => event_of(ending),
    };
    with_edit(event, edited)
}

/// Says what ran instead, where the person changed the command.
fn with_edit(event: NoticeEvent, edited: Option<String>) -> NoticeEvent {
    match event {
        NoticeEvent::Finished(finished) => NoticeEvent::Finished(ExecFinished { edited, ..finished }),
        other => other,
    }
}

/// Returns a denial as a model is told, in one line in which everything can be seen.
pub(super) fn denial_text(denial: &Denial) -> String {
    let feedback = denial.feedback.as_deref().map(postern_command::escape::visible_text);
    ExecDenied { feedback, ..render::denial(denial) }.to_text()
}

fn finished(end: RunEnd, ran: Option<&FinishedRun>, message: Option<String>) -> NoticeEvent {
    let RunEnd { outcome, exit } = end;
    // A run that was stopped has an exit of its own as well.
    let (exit_code, signal) = match exit {
        Some(Exit::Code(code)) => (Some(code), None),
        Some(Exit::Signal(number)) => (None, Signal::of_number(number)),
        None => (None, None),
    };
    let message = message.or_else(|| spoken(outcome).map(ToOwned::to_owned));
    let (stdout, cut_out) = ran.map(|ran| shortened(&ran.stdout)).unwrap_or_default();
    let (stderr, cut_err) = ran.map(|ran| shortened(&ran.stderr)).unwrap_or_default();
    let (stdout, stdout_encoding) = Encoding::encode(stdout);
    let (stderr, stderr_encoding) = Encoding::encode(stderr);
    NoticeEvent::Finished(ExecFinished {
        outcome,
        exit_code,
        signal,
        timed_out: outcome == Outcome::Timeout,
        duration_ms: ran.map_or(0, |ran| millis(ran.duration)),
        stdout,
        stdout_encoding,
        stderr,
        stderr_encoding,
        truncated: cut_out || cut_err,
        bytes: ran.map_or(0, |ran| ran.stdout.bytes.saturating_add(ran.stderr.bytes)),
        edited: None,
        timeout_ms: None,
        message,
    })
}

/// Returns the message for an outcome that a program did not choose.
fn spoken(outcome: Outcome) -> Option<&'static str> {
    match outcome {
        Outcome::Lost => Some(
            "It ran when Postern ended; what was left of it was ended when Postern started again. It is not run again.",
        ),
        Outcome::Unknown => Some("It may have been started when Postern ended. It is never run again."),
        Outcome::Drifted => {
            Some("A program changed after the line was approved. What was left of the line did not run.")
        }
        Outcome::Exited | Outcome::Signalled | Outcome::Timeout | Outcome::Killed | Outcome::Failed => None,
    }
}

/// Returns head and tail as far as they fit, and whether something was left out.
fn shortened(captured: &postern_exec::run::Captured) -> (Vec<u8>, bool) {
    let whole = captured.joined();
    if whole.len() <= ESCAPED && escaped_length(&whole) <= ESCAPED {
        return (whole, captured.truncated());
    }
    let half = TOLD / 2;
    ([&whole[..half], &whole[whole.len() - half..]].concat(), true)
}

/// Returns the length of bytes as JSON text, or as base64 if they are no text.
fn escaped_length(bytes: &[u8]) -> usize {
    if std::str::from_utf8(bytes).is_err() {
        return bytes.len().div_ceil(3) * 4;
    }
    bytes
        .iter()
        .map(|byte| match byte {
            b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 8 | 12 => 2,
            0..=31 => 6,
            _ => 1,
        })
        .sum()
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
