//! `explain`: the verdict with its whole trace, by the very code that judges requests. Touches nothing: no usage is
//! written, nothing is run, nobody is asked.

use super::{Handle, HostControl, MethodResult};
use crate::ask::ApproverId;
use crate::book::PolicyStoreError;
use crate::clock::lasting;
use crate::gate::{JudgedRequest, RequestJudgment, World, judge_run};
use crate::measure::{Site, measure};
use postern_contract::methods::{ControlError, Explain, ExplainCommand, Explained};
use postern_contract::{ShownRisk, ShownTrace, render};
use postern_policy::{Decision, Reason};
use postern_protocol::{RunParams, What};
use postern_request::Denial;
use std::sync::Arc;
use uuid::Uuid;

impl Handle<ExplainCommand> for HostControl {
    async fn handle(&self, _: ApproverId, params: Explain) -> MethodResult<ExplainCommand> {
        let book = &self.parts.book;
        // By the file as it is, as a request would be judged.
        if book.reread_permissions_of(&params.agent).await? {
            self.rules_changed(Some(params.agent.clone())).await?;
        }
        let snapshot = book.snapshot();
        let entry = snapshot.agents.get(&params.agent);
        let entry = entry.ok_or_else(|| PolicyStoreError::NoAgent(params.agent.clone()))?;
        let (policy, version) = (Arc::clone(&entry.policy), snapshot.version);
        let agent = params.agent.clone();
        let run = run_of(params)?;
        let judge = move |world: &World| {
            let mut judgement = judge_run(world, &policy, version, &run, lasting());
            if let RequestJudgment::Judged(judged) = &mut judgement {
                measure_judged(judged, &world.home);
            }
            (judgement, ())
        };
        match self.preview(&agent, judge).await.0 {
            RequestJudgment::Judged(judged) => {
                let digest = judged.digest.0;
                let verdict = judged.verdict;
                let advice = render::verdict_advice(&verdict);
                Ok(Explained {
                    decision: verdict.decision,
                    reason: verdict.reason,
                    message: render::cause_sentence(&verdict.cause),
                    advice,
                    risk: render::shown_risk(&verdict.risk),
                    effects: render::effects(&verdict.risk.effects),
                    steps: render::shown_steps(&verdict),
                    rule: verdict.rule,
                    digest,
                    trace: render::shown_trace(&verdict.trace),
                })
            }
            RequestJudgment::Refused(denial) => Ok(refused(&denial)),
        }
    }
}

/// Adds to a judgement what can be measured, as a question would show it.
fn measure_judged(judged: &mut JudgedRequest, home: &str) {
    let site = Site { cwd: &judged.plan.cwd.path, home, env: &judged.plan.env };
    measure(&judged.reading, site, &mut judged.verdict.risk.effects);
}

/// Returns the request that the command would be.
fn run_of(params: Explain) -> Result<RunParams, ControlError> {
    let what = match (params.argv, params.shell) {
        (Some(argv), None) => What::Command(argv),
        (None, Some(text)) => What::Shell(text),
        (Some(_), Some(_)) | (None, None) => {
            return Err(ControlError::invalid("one of argv and shell is needed"));
        }
    };
    let Explain { cwd, env, session, .. } = params;
    Ok(RunParams { cwd, env, session, ..RunParams::new(Uuid::nil(), what) })
}

/// Makes the explanation of a request that could not even be looked up.
fn refused(denial: &Denial) -> Explained {
    // The two share the names of what is found before anybody is asked.
    let reason = Reason::from_name(denial.reason.name()).unwrap_or(Reason::Invalid);
    Explained {
        decision: Decision::Deny,
        reason,
        trace: vec![ShownTrace { stage: "look up".to_owned(), found: render::refusal(&denial.cause) }],
        message: render::refusal(&denial.cause),
        advice: render::denial_advice(denial),
        risk: ShownRisk::unknown(),
        effects: Vec::new(),
        rule: None,
        digest: String::new(),
        steps: Vec::new(),
    }
}
