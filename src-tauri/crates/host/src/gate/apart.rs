//! Runs that are not under way at the same time.
//!
//! What a confined run leaves where git obeys it is set aside at its end. An unconfined git that the same agent starts meanwhile would
//! obey it before, so the later of the two waits for the end of the other.

use super::judge::JudgedRequest;
use super::live::LiveRequest;
use super::task::Task;
use postern_command::Step;
use postern_exec::confine::{is_under_way, overlap};
use postern_policy::Confinement;
use postern_request::{AllowedBy, Approved, Denial, Refusal, RequestState};
use std::path::Path;
use uuid::Uuid;

/// Programs that obey what lies in a repository, or start git.
const OF_REPOSITORIES: [&str; 7] = ["git", "gh", "glab", "hub", "hg", "jj", "sl"];

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

    /// Returns whether an agent may run in its own shell what a rule allows. Nobody keeps it apart there from a confined run.
    pub(super) fn may_leave_to_agent(&self, id: Uuid, by: AllowedBy) -> Result<(), Denial> {
        let judged = self.requests.get(&id).and_then(|request| request.judged.as_deref());
        let Some(judged) = judged.filter(|judged| obeys_repository(judged)) else { return Ok(()) };
        let home = self.parts.world.places().home;
        let cwd = Path::new(&judged.plan.cwd.path);
        if matches!(by, AllowedBy::Person) || !is_under_way(&home, cwd) {
            return Ok(());
        }
        Err(Refusal::ConfinedRunUnderWay.into())
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
    if !obeys_repository(of_free) {
        return false;
    }
    let cwd = Path::new(&of_free.plan.cwd.path);
    confined.agent == free.agent || folders.iter().any(|folder| overlap(cwd, Path::new(folder)))
}

/// Returns true if it starts git, or another program like it, unconfined.
fn obeys_repository(judged: &JudgedRequest) -> bool {
    let obeys = |step: &Step| {
        let name = step.program().and_then(|program| program.rsplit('/').next());
        name.is_some_and(|name| OF_REPOSITORIES.contains(&name))
    };
    judged.plan.confinement.is_none() && judged.reading.steps.iter().any(obeys)
}
