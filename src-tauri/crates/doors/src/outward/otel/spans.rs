//! A request that ended, as a trace: `system.run`, and in it `judge`, `question` and `run`, as far as it came.
//!
//! Names are those of OpenTelemetry's semantic conventions for processes where there is one; `postern.*` else.

use super::ids::{Ids, OfRequest};
use opentelemetry::trace::{
    Span as _, SpanBuilder, SpanKind, Status, TraceContextExt as _, Tracer as _, TracerProvider as _,
};
use opentelemetry::{Context, KeyValue};
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};
use postern_contract::RequestRow;
use postern_contract::methods::{FeedEvent, FeedTimes};
use postern_protocol::{EndReason, RunState};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Makes traces.
pub(super) struct Spans {
    tracer: SdkTracer,
    ids: Ids,
}

impl Spans {
    pub(super) fn new(provider: &SdkTracerProvider, ids: Ids) -> Self {
        Self { tracer: provider.tracer("postern"), ids }
    }

    /// Tells the whole of a request where this is its end.
    pub(super) fn export_ended(&self, event: &FeedEvent) {
        let (Some(request), Some(times), Some(of)) =
            (&event.request, &event.times, OfRequest::from_event(event))
        else {
            return;
        };
        let Some(ended) = times.ended else { return };
        self.ids.next_is(of);
        let root = SpanBuilder::from_name("system.run")
            .with_kind(SpanKind::Internal)
            .with_start_time(instant(times.received))
            .with_attributes(attributes(event, request));
        let mut root = self.tracer.build_with_context(root, &Context::new());
        if let Some(status) = status(request) {
            root.set_status(status);
        }
        let within = Context::new().with_span(root);
        for (name, from, to) in request_phases(times, ended) {
            let part = SpanBuilder::from_name(name).with_start_time(instant(from));
            self.tracer.build_with_context(part, &within).end_with_timestamp(instant(to));
        }
        within.span().end_with_timestamp(instant(ended));
    }
}

/// Returns the parts of a request's life, one after the other.
fn request_phases(times: &FeedTimes, ended: i64) -> Vec<(&'static str, i64, i64)> {
    let judged = times.asked.or(times.allowed).or(times.started).unwrap_or(ended);
    let mut parts = vec![("judge", times.received, judged)];
    if let Some(asked) = times.asked {
        parts.push(("question", asked, times.allowed.or(times.started).unwrap_or(ended)));
    }
    if let Some(started) = times.started {
        parts.push(("run", started, ended));
    }
    parts
}

/// Returns the attributes of a request, also for its log records.
pub(super) fn attributes(event: &FeedEvent, request: &RequestRow) -> Vec<KeyValue> {
    let text =
        |name: &'static str, value: &Option<String>| value.clone().map(|value| KeyValue::new(name, value));
    let mut all = vec![
        KeyValue::new("postern.request.id", request.id.clone()),
        KeyValue::new("postern.agent", request.agent.to_string()),
        KeyValue::new("postern.state", request.state.name()),
        KeyValue::new("process.command_line", request.line.clone()),
    ];
    all.extend(text("process.executable.name", &event.program));
    all.extend(event.profile.map(|profile| KeyValue::new("postern.profile", profile.name())));
    all.extend(text("session.id", &request.session));
    all.extend(request.ending.map(|ending| KeyValue::new("postern.ending", ending.name())));
    all.extend(request.decided.map(|decided| KeyValue::new("postern.decided", decided.name())));
    all.extend(text("postern.face", &event.face));
    all.extend(request.rule.map(|rule| KeyValue::new("postern.rule", rule.to_string())));
    all.extend(request.exit_code.map(|code| KeyValue::new("process.exit.code", i64::from(code))));
    all.extend(request.risk.as_ref().map(|risk| KeyValue::new("postern.risk", risk.level.name())));
    if let Some(Status::Error { .. }) = status(request) {
        all.extend(request.ending.map(|ending| KeyValue::new("error.type", ending.name())));
    }
    all
}

/// Returns an error where it ran and did not go well, or could not run. A denial is an answer, not an error.
fn status(request: &RequestRow) -> Option<Status> {
    let ran = matches!(request.state, RunState::Finished | RunState::Failed);
    (ran && request.exit_code != Some(0))
        .then(|| Status::error(request.ending.map(EndReason::name).unwrap_or_default()))
}

pub(super) fn instant(at: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(u64::try_from(at).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::request_phases;
    use postern_contract::methods::FeedTimes;

    #[test]
    fn a_request_has_the_parts_that_it_came_to() {
        let times = FeedTimes { received: 1, asked: None, allowed: None, started: None, ended: Some(9) };
        assert_eq!(request_phases(&times, 9), [("judge", 1, 9)], "denied by a rule");
        let asked = FeedTimes { asked: Some(3), ..times };
        assert_eq!(request_phases(&asked, 9), [("judge", 1, 3), ("question", 3, 9)], "denied by a person");
        let ran = FeedTimes { allowed: Some(5), started: Some(6), ..asked };
        assert_eq!(request_phases(&ran, 9), [("judge", 1, 3), ("question", 3, 5), ("run", 6, 9)]);
        let by_rule = FeedTimes { asked: None, ..ran };
        assert_eq!(request_phases(&by_rule, 9), [("judge", 1, 5), ("run", 6, 9)]);
    }
}
