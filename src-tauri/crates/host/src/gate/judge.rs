//! A request that was looked up and judged by the pure core. Blocks; changes nothing.

use super::call_facts::CallFacts;
use super::context::QuestionContext;
use super::look_up::looked_up;
use crate::book::RecordedFacts;
use crate::lanes::OpenFilesPermit;
use postern_command::ParsedCommand;
use postern_exec::confine::{self, Confines};
use postern_exec::identity::Allowance;
use postern_exec::resolve::{Cwd, Held, Resolver, shell_argv};
use postern_exec::run::UserPlaces;
use postern_exec::user::HostUser;
use postern_policy::environment::VariableChange;
use postern_policy::{
    AgentPolicy, AlwaysOffer, Cause, Confinable, Confinement, Decision, Facts, Input, Millis, NothingToSave,
    ProgramRenewal, Reason, Rule, StepFacts, Verdict, conclude, judge_request, judge_unanswered, propose,
    propose_renewals, tighter_profiles,
};
use postern_protocol::{RequestedConfinement, RunParams};
use postern_request::{AllowedBy, Denial, Digest, Launch, Plan};
use postern_store::Store;
use std::sync::{Arc, LazyLock};

/// Settings of a confined git: it writes nothing, fetches nothing, and starts nothing that a repository's
/// configuration names.
const GIT_ALONE: [(&str, &str); 12] = [
    ("GIT_CONFIG_COUNT", "4"),
    ("GIT_CONFIG_KEY_0", "core.fsmonitor"),
    ("GIT_CONFIG_KEY_1", "core.hooksPath"),
    ("GIT_CONFIG_KEY_2", "log.showSignature"),
    ("GIT_CONFIG_KEY_3", "core.untrackedCache"),
    ("GIT_CONFIG_VALUE_0", "false"),
    ("GIT_CONFIG_VALUE_1", "/dev/null"),
    ("GIT_CONFIG_VALUE_2", "false"),
    ("GIT_CONFIG_VALUE_3", "keep"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_PAGER", "cat"),
];

/// Context that a request is judged in.
#[derive(Debug, Clone)]
pub(crate) struct World {
    pub(crate) resolver: Resolver,
    pub(crate) user: Arc<HostUser>,
    pub(crate) home: String,
    /// Postern's own data folder, real.
    pub(crate) data: String,
    /// True if names are compared without case.
    pub(crate) any_case: bool,
    pub(crate) root_entries: Arc<[String]>,
    /// The profiles that the system can enforce.
    pub(crate) confines: TriedProfiles,
}

/// Profiles that are tried beside the start. The first reader waits for that, so it must be on a thread that may block.
pub(crate) type TriedProfiles = Arc<LazyLock<Confines, Box<dyn FnOnce() -> Confines + Send>>>;

impl World {
    /// Returns the folders that no confined run may use.
    pub(crate) fn places(&self) -> UserPlaces {
        UserPlaces { home: self.home.clone(), data: self.data.clone() }
    }

    /// Returns the context for a lookup that may read only so much.
    pub(crate) fn within(&self, allowance: Allowance) -> Self {
        Self { resolver: self.resolver.within(allowance), ..self.clone() }
    }
}

/// Result of judging.
#[derive(Debug)]
pub(crate) enum RequestJudgment {
    /// Refused before the lookup.
    Refused(Denial),
    Judged(Box<JudgedRequest>),
}

impl RequestJudgment {
    /// Returns true if it is denied, whatever else holds.
    pub(super) fn denies(&self) -> bool {
        match self {
            Self::Refused(_) => true,
            Self::Judged(judged) => judged.verdict.decision == Decision::Deny,
        }
    }

    /// Finds what a question about it shows beside the facts.
    pub(super) fn find_context(&mut self, store: &Store, home: &str) {
        if let Self::Judged(judged) = self
            && judged.verdict.decision == Decision::Ask
        {
            judged.find_context(store, home);
        }
    }

    /// Looks for a confined run that it would disturb. Blocks.
    pub(super) fn find_run_under_way(&mut self, home: &str) {
        if let Self::Judged(judged) = self {
            judged.find_run_under_way(home);
        }
    }

    /// Returns the patterns that *Always* would add to the agent's `permissions.jsonc`.
    pub(crate) fn patterns(&self, world: &World, policy: &AgentPolicy) -> Vec<String> {
        match self {
            Self::Judged(judged) => judged.patterns(world, policy),
            Self::Refused(_) => Vec::new(),
        }
    }

    /// Lets go of its files.
    pub(crate) fn close(&mut self) {
        if let Self::Judged(judged) = self {
            judged.close();
        }
    }

    /// Counts its files as open for as long as they are.
    pub(super) fn hold_permit(&mut self, open: OpenFilesPermit) {
        if let Self::Judged(judged) = self {
            judged.counted = Some(open);
        }
    }
}

/// A request that was looked up and judged.
#[derive(Debug)]
pub(crate) struct JudgedRequest {
    pub(crate) reading: ParsedCommand,
    pub(crate) steps: Vec<StepFacts>,
    pub(crate) verdict: Verdict,
    pub(crate) offers: Vec<AlwaysOffer>,
    /// Reason why there are no offers.
    pub(crate) nothing_to_save: Option<NothingToSave>,
    pub(crate) changes: Vec<VariableChange>,
    /// Findings that a question shows beside the facts.
    pub(super) context: QuestionContext,
    pub(crate) plan: Plan,
    pub(crate) digest: Digest,
    /// The files and the folder, open; taken by the start. None while a person is asked, or it waits for its turn: then
    /// the start opens them again, and they must be what they were.
    pub(crate) open: Option<(Held, Cwd)>,
    /// Count of its files among the agent's.
    pub(super) counted: Option<OpenFilesPermit>,
    pub(super) session: Option<String>,
    pub(super) shell: bool,
    pub(super) env_to_ask: Vec<String>,
    pub(super) input: Input,
    pub(super) confinable: Confinable,
    pub(super) confine: Option<RequestedConfinement>,
    /// The folders that its agent may read, and the setting that says so.
    pub(super) folders: (Vec<String>, Vec<String>),
    /// True if it would start git where a confined run was under way.
    pub(super) under_way: bool,
    /// Facts about the tool by which its agent does it itself.
    pub(super) call: Option<Box<CallFacts>>,
}

/// Reads, looks up and judges.
pub(crate) fn judge_run(
    world: &World,
    policy: &AgentPolicy,
    version: u64,
    run: &RunParams,
    now: Millis,
) -> RequestJudgment {
    match looked_up(world, policy, version, run) {
        Ok(mut judged) => {
            let facts = judged.policy_facts(world, policy, now);
            let verdict = conclude(judge_request(policy, &facts), policy);
            judged.decide(verdict, &world.home);
            judged.find_offers(world, policy, now);
            RequestJudgment::Judged(judged)
        }
        Err(denial) => RequestJudgment::Refused(denial),
    }
}

/// Returns the verdict until it is judged: a deny.
pub(super) fn unjudged() -> Verdict {
    Verdict {
        decision: Decision::Deny,
        reason: Reason::Invalid,
        cause: Cause::NothingKnown,
        advice: None,
        rule: None,
        confinement: Confinement::None,
        risk: postern_policy::Risk { level: postern_policy::RiskLevel::Dangerous, effects: Vec::new() },
        steps: Vec::new(),
        used: Vec::new(),
        trace: Vec::new(),
    }
}

impl JudgedRequest {
    /// Lets go of its files: nothing is held open for somebody who waits. The start opens them again.
    pub(super) fn close(&mut self) {
        self.open = None;
        self.counted = None;
    }

    pub(super) fn policy_facts<'a>(
        &'a self,
        world: &'a World,
        policy: &AgentPolicy,
        now: Millis,
    ) -> Facts<'a> {
        // Of folders that were changed meanwhile nothing was looked up.
        let (folders, named) = &self.folders;
        let folders = if policy.settings.folders == *named { folders.as_slice() } else { &[] };
        Facts {
            origin: self.plan.origin,
            reading: &self.reading,
            steps: &self.steps,
            cwd: &self.plan.cwd.path,
            home: &world.home,
            data: &world.data,
            own_pid: Some(std::process::id()),
            session: self.session.as_deref(),
            now,
            case_insensitive: world.any_case,
            shell: self.shell,
            folders,
            root_entries: &world.root_entries,
            confinable: if folders.is_empty() && !self.plan.origin.is_host() {
                Confinable::NONE
            } else {
                self.confinable
            },
            confine: self.confine,
            env_to_ask: &self.env_to_ask,
            input: &self.input,
        }
    }

    /// Sets the verdict: the plan says how it is confined.
    pub(super) fn decide(&mut self, verdict: Verdict, home: &str) {
        self.tighten(&verdict, home);
        self.verdict = verdict;
    }

    /// Confines it as a verdict says, unless it is confined at least so already: what a person was shown confined stays so.
    /// What its agent runs itself is confined only where it needs it: what a person allows runs as the agent asked.
    pub(super) fn tighten(&mut self, verdict: &Verdict, home: &str) {
        if self.call.is_some() {
            let allowed = verdict.decision == Decision::Allow;
            self.plan.confinement = if allowed { verdict.confinement.clone() } else { Confinement::None };
            self.digest = self.plan.digest();
            return;
        }
        self.confine(&verdict.confinement, home);
    }

    /// Confines it with a profile, unless it is confined at least so already.
    pub(super) fn confine(&mut self, confinement: &Confinement, home: &str) {
        if self.plan.confinement.is_within(confinement) {
            return;
        }
        self.plan.confinement = confinement.clone();
        if self.call.is_some() {
            self.digest = self.plan.digest();
            return;
        }
        if let Confinement::Project { .. } = self.plan.confinement {
            let own = confine::environment(&self.plan.confinement, home);
            self.set_variables(own);
            self.digest = self.plan.digest();
            return;
        }
        if self.reading.steps.iter().any(|step| step.program_name() == Some("git")) {
            self.set_variables(GIT_ALONE.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec());
        }
        self.digest = self.plan.digest();
    }

    /// Sets these variables, also if the request sets them.
    fn set_variables(&mut self, variables: Vec<(String, String)>) {
        self.plan.env.retain(|(name, _)| variables.iter().all(|(own, _)| own != name));
        self.plan.env.extend(variables);
        self.plan.env.sort();
    }

    pub(super) fn recorded_facts(&self) -> RecordedFacts {
        let (steps, env_to_ask) = (self.steps.clone(), self.env_to_ask.clone());
        let (cwd, folders) = (self.plan.cwd.path.clone(), self.folders.0.clone());
        let input = self.input.clone();
        let origin = self.plan.origin;
        let Confinable { look: confinable, project: confinable_project } = self.confinable;
        RecordedFacts {
            origin,
            steps,
            cwd,
            folders,
            confinable,
            confinable_project,
            confine: self.confine,
            env_to_ask,
            input,
        }
    }

    /// Judges the same request by another policy, or later.
    pub(crate) fn rejudge(&self, world: &World, policy: &AgentPolicy, now: Millis) -> Verdict {
        let facts = self.policy_facts(world, policy, now);
        let verdict = match &self.call {
            Some(call) => call.judge_by_policy(world, policy, &facts),
            None => judge_request(policy, &facts),
        };
        conclude(verdict, policy)
    }

    /// Returns what could be saved for it, with this verdict.
    pub(crate) fn propose(
        &self,
        world: &World,
        policy: &AgentPolicy,
        verdict: &Verdict,
        now: Millis,
    ) -> Result<Vec<AlwaysOffer>, NothingToSave> {
        let facts = self.policy_facts(world, policy, now);
        match &self.call {
            Some(call) => call.propose(world, policy, &facts, verdict),
            None => propose(policy, &facts, verdict),
        }
    }

    /// Finds what could be saved for it. What is denied is shown to nobody who could save it.
    pub(super) fn find_offers(&mut self, world: &World, policy: &AgentPolicy, now: Millis) {
        if self.verdict.decision != Decision::Deny {
            self.context.tighter =
                tighter_profiles(&self.policy_facts(world, policy, now), self.plan.confinement.profile());
            let offers = self.propose(world, policy, &self.verdict, now);
            self.set_offers(offers);
        }
    }

    /// Sets the offers, or the reason why there are none.
    pub(super) fn set_offers(&mut self, offers: Result<Vec<AlwaysOffer>, NothingToSave>) {
        self.nothing_to_save = offers.as_ref().err().copied();
        self.offers = offers.unwrap_or_default();
    }

    /// Puts the offers to renew the rules of a changed program beside the others: first where the same signer made it, last where
    /// not. `rules` are those of every agent.
    pub(super) fn offer_renewals<'a>(
        &mut self,
        world: &World,
        policy: &AgentPolicy,
        rules: impl Iterator<Item = &'a Rule>,
        now: Millis,
    ) {
        let renewals =
            propose_renewals(rules, &policy.agent, &self.policy_facts(world, policy, now), &self.verdict);
        let known = renewals.iter().flat_map(|offer| &offer.renews).all(ProgramRenewal::is_same_signer);
        let at = if known { 0 } else { self.offers.len() };
        if !renewals.is_empty() {
            self.nothing_to_save = None;
        }
        self.offers.splice(at..at, renewals);
    }

    /// Judges the request as if nobody could be asked.
    pub(crate) fn unanswered(&self, world: &World, policy: &AgentPolicy, now: Millis) -> Verdict {
        let facts = self.policy_facts(world, policy, now);
        match &self.call {
            Some(call) => call.unanswered(world, policy, &facts),
            None => judge_unanswered(policy, &facts),
        }
    }

    /// Returns the patterns that *Always* adds to the agent's `permissions.jsonc` for the tool by which it
    /// does it itself.
    pub(super) fn patterns(&self, world: &World, policy: &AgentPolicy) -> Vec<String> {
        self.call.as_ref().map(|call| call.patterns(world, policy)).unwrap_or_default()
    }

    /// Returns who let it through, where this verdict did.
    pub(super) fn decided_by(&self, verdict: &Verdict) -> AllowedBy {
        match (verdict.reason, &verdict.rule) {
            (Reason::Skill, Some(rule)) => AllowedBy::Skill(rule.id),
            (Reason::Rule, Some(rule)) => AllowedBy::Rule(rule.id),
            _ if self.call.as_ref().is_some_and(|call| call.is_by_default(verdict)) => AllowedBy::Default,
            _ => AllowedBy::Policy,
        }
    }

    /// Returns the started words, for reports.
    pub(crate) fn started_argv(&self) -> Vec<String> {
        match &self.plan.launch {
            Launch::Argv { argv } => argv.clone(),
            Launch::Shell { text } => shell_argv(text),
            Launch::Nothing => Vec::new(),
        }
    }
}
