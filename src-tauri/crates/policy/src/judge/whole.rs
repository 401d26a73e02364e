//! Denials of a request as a whole, which belong to none of its steps.
//!
//! The layers in front of all rules, broken rules, the agent's settings and folders, a program that is not
//! there, the environment.

use super::outcome::StepOutcome;
use super::{Judgement, against, core, label};
use crate::advice::Advice;
use crate::cause::{Cause, StageFinding};
use crate::decision::{Decision, Reason};
use crate::elevation::Elevation;
use crate::facts::Lookup;
use crate::path;
use crate::settings::{SEARCH_PATH, Security};
use postern_protocol::RequestedConfinement;

impl Judgement<'_> {
    /// Applies the tool policy: may this session use host commands at all?
    pub(super) fn by_tool_policy(&mut self) -> Option<StepOutcome> {
        let found = against::tool_policy(self.policy, self.facts);
        let text = found.as_ref().map_or(StageFinding::MayUseHost, |outcome| outcome.cause.clone().into());
        self.note_stage("tool policy", text);
        found.map(|outcome| self.unasked(outcome))
    }

    /// Returns the elevated gate: may it ask for the host at all?
    pub(super) fn by_elevation(&mut self) -> Option<StepOutcome> {
        let found = self.policy.elevation(self.facts.session);
        self.note_stage("elevated", StageFinding::Elevated(found));
        let advice = match found {
            Elevation::On => return None,
            Elevation::OffForAgent => Advice::Elevate,
            Elevation::OffForSession => Advice::ElevateSession,
        };
        Some(StepOutcome::new(Decision::Deny, Reason::Policy, Cause::Elevated(found)).advise(advice))
    }

    /// Stages 2 to 4, for what belongs to no single step.
    pub(super) fn against_the_whole(&self) -> Vec<StepOutcome> {
        let (policy, facts) = (self.policy, self.facts);
        let mut whole = Vec::new();
        if let Some((at, entry)) = core::check_request(&self.line) {
            whole.push(against::of_core(entry, label::of_step(&facts.reading.steps[at]), None));
        }
        for part in &facts.reading.opaque {
            whole.extend(against::candidates(policy, &self.line, &part.candidates));
        }
        if let Some(problem) = &policy.file_problem {
            let cause = Cause::FileUnreadable { problem: problem.clone() };
            whole.push(StepOutcome::new(Decision::Deny, Reason::Denylist, cause).advise(Advice::FixFile));
        }
        if let Some(problem) = &policy.managed_problem {
            let cause = Cause::ManagedUnreadable { problem: problem.clone() };
            whole.push(StepOutcome::new(Decision::Deny, Reason::Managed, cause).advise(Advice::FixManaged));
        }
        for broken in policy.rules.broken_denies() {
            let cause = Cause::BrokenDeny { problem: broken.problem.clone() };
            whole.push(StepOutcome::new(Decision::Ask, Reason::AskAlways, cause));
        }
        whole
    }

    /// Returns a request for a profile that this system cannot enforce.
    pub(super) fn by_asked_profile(&self) -> Option<StepOutcome> {
        let can = self.facts.confinable;
        let missing = match self.facts.confine? {
            RequestedConfinement::Look => !can.look,
            RequestedConfinement::Project => !can.project,
            RequestedConfinement::None => false,
        };
        missing.then(|| StepOutcome::new(Decision::Deny, Reason::CannotConfine, Cause::CannotConfine))
    }

    /// Runs stage 5, and checks the folders that the agent may run in.
    pub(super) fn by_policy(&mut self) -> Vec<StepOutcome> {
        let settings = &self.policy.settings;
        let mut found = Vec::new();
        if settings.security == Security::Deny {
            let denied = StepOutcome::new(Decision::Deny, Reason::Policy, Cause::RunsNothing);
            found.push(denied.advise(Advice::ChangeSettings));
        }
        found.extend(self.folder_outside());
        self.note_stage("policy", StageFinding::Security(settings.security));
        found
    }

    /// Denies a folder that is not one of the agent's, and asks about one that only the run tells.
    fn folder_outside(&self) -> Option<StepOutcome> {
        let folders = &self.policy.settings.folders;
        if folders.is_empty() {
            return None;
        }
        let inside = |folder: &str| {
            folders.iter().any(|allowed| {
                path::is_within(folder, &path::normal(&path::expand_home(allowed, self.facts.home)))
            })
        };
        let cwd = path::normal(self.facts.cwd).into_owned();
        let of_steps = self.facts.reading.steps.iter().flat_map(|step| {
            let known = crate::needed::folders_of(self.facts.cwd, &step.dir);
            known.map_or_else(|| vec![None], |folders| folders.into_iter().map(Some).collect())
        });
        let all = std::iter::once(Some(cwd)).chain(of_steps);
        let outside = all.filter(|folder| !folder.as_deref().is_some_and(inside));
        // One that is known weighs more.
        let folder = outside.min_by_key(Option::is_none)?;
        let (decision, reason) = match &folder {
            Some(_) => (Decision::Deny, Reason::CwdRefused),
            None => (Decision::Ask, Reason::Opaque),
        };
        let cause = Cause::FolderRefused { folder, folders: folders.clone() };
        let advice = Advice::RunIn { folders: folders.clone() };
        Some(self.unasked(StepOutcome::new(decision, reason, cause).advise(advice)))
    }

    /// Runs stage 6, for a request that is one program.
    pub(super) fn not_found(&mut self) -> Option<StepOutcome> {
        let ([step], [found]) = (self.facts.reading.steps.as_slice(), self.facts.steps) else { return None };
        let name = step.program().unwrap_or_default().to_owned();
        let searched = matches!(found.program, Lookup::NotFound) && !name.contains('/');
        let cause = match &found.program {
            Lookup::Found(program) => {
                let path = program.path.clone();
                self.note_stage("programs", StageFinding::Program { name, path });
                return None;
            }
            Lookup::Nothing => {
                self.note_stage("programs", StageFinding::NotLookedUp { name });
                return None;
            }
            Lookup::NotFound => Cause::NotFound { program: name },
            Lookup::Unusable { path, what } => Cause::Unusable { path: path.clone(), what: what.clone() },
        };
        self.note_stage("programs", cause.clone());
        let advice = if searched { self.search_path_advice() } else { Advice::CheckName };
        Some(StepOutcome::new(Decision::Deny, Reason::NotFound, cause).advise(advice))
    }

    /// Names the folders that were searched for a bare name, and the setting that changes them.
    pub(super) fn search_path_advice(&self) -> Advice {
        let own = &self.policy.settings.search_path;
        let searched = if own.is_empty() {
            SEARCH_PATH.iter().map(|&folder| folder.to_owned()).collect()
        } else {
            own.clone()
        };
        Advice::SearchPath { agent: self.policy.agent.clone(), searched }
    }

    pub(super) fn asked_environment(&mut self) -> Option<StepOutcome> {
        let names = self.facts.env_to_ask;
        if names.is_empty() {
            return None;
        }
        let cause = Cause::SetsVariables { names: names.to_vec() };
        self.note_stage("environment", cause.clone());
        Some(self.unasked(StepOutcome::new(Decision::Ask, Reason::AllowlistMiss, cause)))
    }
}
