//! Facts of a request for lists and rules.

use super::judge::JudgedRequest;
use super::live::LiveRequest;
use super::task::Task;
use crate::clock::now_millis;
use postern_command::escape;
use postern_contract::{ApproverNotification, RequestRow, render};
use postern_policy::{Lookup, RuleId};
use postern_protocol::{AllowedBy, Decided, RunState};
use postern_request::RequestEnding;
use postern_store::rules::RuleUse;
use uuid::Uuid;

impl Task {
    /// Tells every face that a request is in another state. The face leaves the secrets out: a long text would keep the gate
    /// busy.
    pub(super) fn tell_request(&self, id: Uuid) {
        if !self.parts.told.are_requests_watched() {
            return;
        }
        if let Some(request) = self.requests.get(&id) {
            self.notify_approvers(ApproverNotification::RequestChanged(Box::new(request_row(request))));
        }
    }
}

fn request_row(request: &LiveRequest) -> RequestRow {
    let ending = request.ending().and_then(RequestEnding::reason);
    let exit_code = match request.ending() {
        Some(RequestEnding::Finished { end }) => end.exit_code(),
        Some(RequestEnding::Denied(_) | RequestEnding::Failed { .. } | RequestEnding::Allowed) | None => None,
    };
    let result = request.result.as_ref();
    let phase = RunState::from(request.state());
    let decided = Decided::from_state(phase, ending, request.by.as_ref());
    RequestRow {
        id: request.id.to_string(),
        request_id: request.run.request_id.to_string(),
        agent: request.agent.clone(),
        origin: request.origin,
        session: request.run.session.as_deref().map(escape::visible_text),
        line: request.line.clone(),
        state: phase,
        ending,
        exit_code,
        approver: request.answered_by.clone(),
        at: request.received_at,
        duration_ms: result.map(|ran| u64::try_from(ran.duration.as_millis()).unwrap_or(u64::MAX)),
        risk: request.judged.as_ref().map(|judged| render::risk_text(&judged.verdict.risk)),
        decided,
        rule: deciding_rule(request),
    }
}

fn deciding_rule(request: &LiveRequest) -> Option<RuleId> {
    match (request.ending(), &request.by) {
        (Some(RequestEnding::Denied(denial)), _) => denial.rule,
        (_, Some(AllowedBy::Rule(rule) | AllowedBy::Skill(rule))) => Some(*rule),
        (
            _,
            Some(AllowedBy::Policy | AllowedBy::Person | AllowedBy::Fallback | AllowedBy::Default) | None,
        ) => None,
    }
}

pub(super) fn rule_uses(judged: &JudgedRequest, line: &str) -> Vec<(RuleId, RuleUse)> {
    judged
        .verdict
        .used
        .iter()
        .map(|id| {
            let step = judged
                .verdict
                .steps
                .iter()
                .position(|step| step.rule.as_ref().is_some_and(|rule| rule.id == *id))
                .unwrap_or(0);
            let program = match judged.steps.get(step).map(|facts| &facts.program) {
                Some(Lookup::Found(program)) => Some(program),
                Some(Lookup::NotFound | Lookup::Unusable { .. } | Lookup::Nothing) | None => None,
            };
            let used = RuleUse {
                at: now_millis(),
                command: line.to_owned(),
                path: program.map(|program| program.path.clone()),
                seen: program.and_then(|program| program.identity.clone()),
            };
            (*id, used)
        })
        .collect()
}
