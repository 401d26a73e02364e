//! Runs that are not under way at the same time.
//!
//! What a confined run leaves where git obeys it is set aside at its end. An unconfined git that the same agent starts meanwhile would
//! obey it before, so the later of the two waits for the end of the other.

use super::judge::JudgedRequest;
use super::live::LiveRequest;
use super::message::GateTaskResult;
use super::task::Task;
use crate::lanes::{Lane, Unanswered};
use postern_command::{Step, obeys_repository};
use postern_exec::confine::{is_under_way, overlap};
use postern_policy::Confinement;
use postern_request::{AllowedBy, Approved, Refusal, RequestEvent, RequestState};
use std::path::{Path, PathBuf};
use uuid::Uuid;

impl Task {
    /// Starts a request that has its place, when nothing is under way that it has to wait for.
    pub(super) fn launch_apart(&mut self, id: Uuid, approved: Approved) {
        if let Some(approved) = self.keep_apart(id, approved) {
            self.launch(id, approved);
        }
    }

    /// Keeps a start that has to wait for the end of another run; returns it if it may go on.
    fn keep_apart(&mut self, id: Uuid, approved: Approved) -> Option<Approved> {
        let Some(request) = self.requests.get(&id) else { return Some(approved) };
        let waiting = self.apart.iter().filter_map(|(earlier, _)| self.requests.get(earlier));
        let under_way = self.requests.values().filter(|other| other.placed && other.id != id);
        let stopped = matches!(request.state(), RequestState::Starting { stop: Some(_), .. });
        if stopped || !under_way.chain(waiting).any(|other| disturbs(request, other)) {
            return Some(approved);
        }
        self.close_files(id);
        self.apart.push((id, approved));
        None
    }

    /// Leaves to an agent what it runs in its own shell. Where a rule allows it, no confined run may be under way there: nobody
    /// keeps the two apart.
    pub(super) fn leave_to_agent(&mut self, id: Uuid, by: AllowedBy) {
        let Some(request) = self.requests.get(&id) else { return };
        let by_person = matches!(by, AllowedBy::Person);
        let judged = request.judged.as_deref().filter(|judged| !by_person && judged.starts_git_unconfined());
        let Some(judged) = judged else { return self.found_run(id, by, Ok(false)) };
        let (home, cwd) = (self.parts.world.home.clone(), PathBuf::from(&judged.plan.cwd.path));
        let (lanes, agent) = (self.parts.lanes.clone(), request.agent.clone());
        self.spawn_task(async move {
            let found = lanes.run(&agent, Lane::LookUps, move |_, _| is_under_way(&home, &cwd)).await;
            GateTaskResult::FoundRun { id, by, found }
        });
    }

    /// Leaves a request to its agent unless a confined run was found under way, or the policy has changed.
    pub(super) fn found_run(&mut self, id: Uuid, by: AllowedBy, found: Result<bool, Unanswered>) {
        let refusal = match found {
            Ok(false) => None,
            Ok(true) => Some(Refusal::ConfinedRunUnderWay),
            Err(unanswered) => Some(Refusal::from(unanswered)),
        };
        let event = match (self.still_allowed(id, by), refusal) {
            (Ok(()), None) => RequestEvent::LeftToAgent,
            (Ok(()), Some(refusal)) => RequestEvent::Drifted(refusal.into()),
            (Err(denial), _) => RequestEvent::Drifted(denial),
        };
        self.happen(id, event);
    }

    /// Starts what waited for a run that has ended, in the order in which it came.
    pub(super) fn start_kept_apart(&mut self) {
        for (id, approved) in std::mem::take(&mut self.apart) {
            self.launch_apart(id, approved);
        }
    }
}

/// Returns true if one of two runs is confined to folders in which the other starts git unconfined.
fn disturbs(one: &LiveRequest, other: &LiveRequest) -> bool {
    leaves_for(one, other) || leaves_for(other, one)
}

fn leaves_for(confined: &LiveRequest, free: &LiveRequest) -> bool {
    let (Some(of_confined), Some(of_free)) = (&confined.judged, &free.judged) else { return false };
    let Confinement::Project { folders, .. } = &of_confined.plan.confinement else { return false };
    if !of_free.starts_git_unconfined() {
        return false;
    }
    let cwd = Path::new(&of_free.plan.cwd.path);
    confined.agent == free.agent || folders.iter().any(|folder| overlap(cwd, Path::new(folder)))
}

impl JudgedRequest {
    /// Looks for a confined run in the folders of a request that its agent would run itself. Blocks.
    pub(super) fn find_run_under_way(&mut self, home: &str) {
        self.under_way =
            self.call.is_some() && self.starts_git() && is_under_way(home, Path::new(&self.plan.cwd.path));
    }

    /// Returns true if it starts git unconfined, and a confined run was under way there when it was looked up.
    pub(super) fn disturbs_run(&self) -> bool {
        self.under_way && self.starts_git_unconfined()
    }

    fn starts_git_unconfined(&self) -> bool {
        self.plan.confinement.is_none() && self.starts_git()
    }

    /// Returns true if it starts git, or another program like it.
    fn starts_git(&self) -> bool {
        self.reading.steps.iter().filter_map(Step::program).any(obeys_repository)
    }
}
