//! The order in which a request is decided. For the whole request the strictest step wins.
//!
//! 1. malformed or not to be shown: deny
//! 2. managed rules and parents' layers: deny
//! 3. the core: deny
//! 4. deny rules: deny
//! 5. `security: deny`: deny
//! 6. a program that is not found: deny
//! 7. `security: full`: allow
//! 8. allow rules, skills, the read-only list, the agent's classes: allow; a class that denies: deny
//! 9. a pin that does not hold: ask
//! 10. `ask: off`: deny, else ask

mod addresses;
mod against;
mod allow;
mod broad;
mod builtin;
mod by_profile;
mod caches;
mod classes;
mod code;
mod command_tool;
mod confined;
pub mod core;
mod covering;
mod deny;
mod doubt;
mod files;
mod filter_programs;
mod guarded;
mod host;
mod invocation;
mod label;
mod limits;
mod line;
mod look;
mod mention;
mod near;
mod opened;
mod outcome;
mod own_shell;
mod places;
mod processes;
mod profile;
mod search;
mod sent;
mod shell_values;
mod step;
mod subject;
mod surroundings;
mod unidentified;
mod unseen;
mod whole;
mod wild_path;

pub use allow::changes;
pub(crate) use allow::describes;
pub(crate) use allow::is_fed_text;
pub(crate) use classes::{ProjectCode, step_in_project};
pub(crate) use code::{
    argv_of_line, is_constant, is_repeatable, on_input as code_on_input, removes_temporary, sourced,
    text_on_input,
};
pub use command_tool::{CommandAgainst, against_classes, against_command_tool, against_files};
pub(crate) use covering::{can_be_covered, covers};
pub(crate) use limits::{
    folders_outside, gap_of_step, is_bound_by_limits, names_own_places, of_step as limits_of_step,
};
pub(crate) use opened::is_named as is_named_in;
pub(crate) use outcome::named_entry;
pub use outcome::{rule_ref, source_words};
pub use own_shell::protect_in_own_shell;
pub(crate) use places::is_held_in_place;
pub(crate) use processes::ends_found_processes;
pub use profile::tighter_profiles;
pub(crate) use sent::{sends_to_own_server, sends_written_text};
pub(crate) use step::reads_input_as_data;
pub(crate) use subject::is_harmless;
pub(crate) use surroundings::{of_step as surroundings_of, read_on_input, takes_commands_by_pipe};

use crate::advice::Advice;
use crate::agent::AgentPolicy;
use crate::cause::{Cause, StageFinding};
use crate::decision::{Decision, Reason};
use crate::facts::{Facts, Lookup};
use crate::risk::Weighed;
use crate::rule::{Rule, RuleId};
use crate::settings::{Ask, Fallback, Security, Unreadable};
use crate::verdict::{StepVerdict, TraceLine, Verdict};
use line::JudgmentContext;
use outcome::StepOutcome;
use std::borrow::Cow;
use std::cell::OnceCell;

/// Judges a request.
pub fn judge_request(policy: &AgentPolicy, facts: &Facts<'_>) -> Verdict {
    let (of_line, confining) = code::policy_of_line(policy, facts);
    Judgement::new(&of_line, facts, policy.settings.ask, confining).verdict()
}

/// Judges a request that nobody answered, by the agent's `fallback`: `allowlist` is as if `ask` were `off`. Never asks.
pub fn judge_unanswered(policy: &AgentPolicy, facts: &Facts<'_>) -> Verdict {
    let ask = match policy.settings.fallback {
        Fallback::Deny | Fallback::Full => policy.settings.ask,
        Fallback::Allowlist => Ask::Off,
    };
    let (of_line, confining) = code::policy_of_line(policy, facts);
    let mut judgement = Judgement::new(&of_line, facts, ask, confining);
    judgement.doubt_denies |= policy.settings.fallback == Fallback::Full;
    let mut verdict = judgement.verdict();
    if verdict.decision != Decision::Ask {
        return verdict;
    }
    let decision = match policy.settings.fallback {
        Fallback::Full => Decision::Allow,
        Fallback::Allowlist | Fallback::Deny => Decision::Deny,
    };
    let cause = Cause::NoAnswer(policy.settings.fallback);
    verdict.trace.push(TraceLine { stage: "fallback".into(), found: cause.clone().into() });
    if decision == Decision::Allow {
        verdict.reason = Reason::Policy;
    }
    verdict.decision = decision;
    verdict.cause = cause;
    verdict
}

struct Judgement<'a> {
    policy: &'a AgentPolicy,
    facts: &'a Facts<'a>,
    line: JudgmentContext<'a>,
    profiles: profile::Profiles<'a>,
    /// Effects, once they are needed.
    weighed: OnceCell<Weighed>,
    /// The rule for exactly this line, if there is one.
    line_rule: Option<&'a Rule>,
    /// The rule for exactly this line in a confined run, if there is one.
    confining_rule: Option<&'a Rule>,
    ask: Ask,
    /// True if nobody would look at what a deny rule may mean.
    doubt_denies: bool,
    trace: Vec<TraceLine>,
}

impl<'a> Judgement<'a> {
    fn new(
        policy: &'a AgentPolicy,
        facts: &'a Facts<'a>,
        ask: Ask,
        confining_rule: Option<&'a Rule>,
    ) -> Self {
        let line_rule = code::covering_line(policy, facts);
        let weighed = OnceCell::new();
        Self {
            policy,
            facts,
            line: JudgmentContext::new(facts),
            profiles: profile::Profiles::new(policy, facts, &weighed, line_rule.is_some()),
            weighed,
            line_rule,
            confining_rule,
            ask,
            doubt_denies: ask == Ask::Off,
            trace: Vec::with_capacity(12),
        }
    }

    fn note_stage(&mut self, stage: impl Into<Cow<'static, str>>, found: impl Into<StageFinding>) {
        self.trace.push(TraceLine { stage: stage.into(), found: found.into() });
    }

    fn verdict(mut self) -> Verdict {
        let facts = self.facts;
        if let Some(outcome) = self.unreadable_request() {
            return self.finish(Vec::new(), &[outcome]);
        }
        let (mut outcomes, mut named) = self.against_steps();
        let mut whole: Vec<StepOutcome> = if facts.origin.is_host() {
            self.by_tool_policy().into_iter().chain(self.by_elevation()).collect()
        } else {
            self.by_shell_policy().into_iter().collect()
        };
        whole.extend(self.against_the_whole());
        whole.extend(self.by_asked_profile());
        let rest = named.as_mut().and_then(doubt::Named::of_rest);
        let rest = rest.into_iter().chain(files::of_rest(self.policy, &self.line));
        whole.extend(rest.map(|doubt| self.unasked(doubt)));
        self.note_against(&outcomes, &whole);
        whole.extend(self.by_policy());
        if facts.shell {
            self.note_stage("programs", StageFinding::EveryStep);
        } else {
            whole.extend(self.not_found());
        }
        let open = self.by_full();
        let full = open.is_some();
        whole.extend(full.then(|| self.unseen()).flatten().map(|doubt| self.unasked(doubt)));
        for (at, outcome) in outcomes.iter_mut().enumerate() {
            let denied = outcome.as_ref().is_some_and(|found| found.decision == Decision::Deny);
            if denied {
                continue;
            }
            let own = open.clone().unwrap_or_else(|| self.by_rules(at));
            match outcome {
                Some(found) if found.decision >= own.decision => {}
                Some(_) | None => *outcome = Some(own),
            }
        }
        // What may run anything runs what it runs; a text of which nothing could be read is still nobody's command.
        if !full || outcomes.is_empty() {
            whole.extend(self.unread_parts());
        }
        if !full {
            whole.extend(self.asked_environment());
        }
        let steps = outcomes.into_iter().map(|outcome| outcome.unwrap_or_else(nothing_said)).collect();
        self.finish(steps, &whole)
    }

    /// Runs stage 1.
    fn unreadable_request(&mut self) -> Option<StepOutcome> {
        let reading = self.facts.reading;
        if let Some(invalid) = &reading.invalid {
            let cause = Cause::Invalid(invalid.message.into());
            self.note_stage("read", cause.clone());
            return Some(
                StepOutcome::new(Decision::Deny, Reason::Invalid, cause)
                    .advise(Advice::Reader(invalid.message.into())),
            );
        }
        if reading.steps.len() != self.facts.steps.len() {
            self.note_stage("read", Cause::LookupMismatch);
            return Some(StepOutcome::new(Decision::Deny, Reason::Invalid, Cause::LookupMismatch));
        }
        let (shell, steps, clear) = (self.facts.shell, reading.steps.len(), reading.is_clear());
        self.note_stage("read", StageFinding::Read { shell, steps, clear });
        None
    }

    /// Runs stages 2 to 4 for each step. Returns the search for names of deny rules, too, to go on with.
    fn against_steps(&self) -> (Vec<Option<StepOutcome>>, Option<doubt::Named<'a>>) {
        let mut named = doubt::Named::new(self.policy, self.facts);
        let steps = 0..self.facts.reading.steps.len();
        (steps.map(|at| self.against_step(at, named.as_mut())).collect(), named)
    }

    /// Stages 2 to 4 for one step: what denies it, what may, and what asks.
    fn against_step(&self, at: usize, named: Option<&mut doubt::Named<'a>>) -> Option<StepOutcome> {
        let found = against::find_against_step(self.policy, &self.line, at);
        let denied = found.as_ref().is_some_and(|found| found.decision == Decision::Deny);
        let doubt = named.filter(|_| !denied).and_then(|named| {
            // If only a rule allows it, Postern still asks about an unidentified program.
            let settings = &self.policy.settings;
            let unasked = settings.security == Security::Full || settings.fallback == Fallback::Full;
            let unknown = || unidentified::of_step(self.policy, self.facts, at);
            named.of_step(at).or_else(|| unasked.then(unknown).flatten())
        });
        doubt.or(found).map(|outcome| self.unasked(outcome))
    }

    fn note_against(&mut self, steps: &[Option<StepOutcome>], whole: &[StepOutcome]) {
        for (stage, reason, nothing) in [
            ("managed rules", Reason::Managed, StageFinding::NoneDenies),
            ("core", Reason::Core, StageFinding::NotInCore),
            ("deny rules", Reason::Denylist, StageFinding::NoneMatches),
        ] {
            let found = steps.iter().flatten().chain(whole).find(|outcome| outcome.reason == reason);
            self.note_stage(stage, found.map_or(nothing, |outcome| outcome.cause.clone().into()));
        }
    }

    /// Runs stage 7 for all that passes it: by the agent's settings, or by a file that lets every use of its
    /// own shell through.
    fn by_full(&self) -> Option<StepOutcome> {
        if self.policy.settings.security == Security::Full {
            return Some(StepOutcome::new(Decision::Allow, Reason::Policy, Cause::RunsAnything));
        }
        self.by_open_shell()
    }

    /// Notes the effective profile.
    fn note_confinement(&mut self) {
        self.note_stage("confinement", StageFinding::Confinement(self.profiles.confinement.clone().into()));
    }

    /// Stages 8 to 10 for one step.
    fn by_rules(&mut self, at: usize) -> StepOutcome {
        let by_rule = self.by_line(step::judge_step(self.policy, self.facts, &self.profiles, at));
        let outcome = self.by_confining_rule(self.in_search_path(at, self.by_profile(at, by_rule)));
        self.note_stage(format!("step {}: rules", at + 1), outcome.cause.clone());
        self.unasked(outcome)
    }

    /// Applies rules that name a profile, and then the agent's classes, to a step that no other rule covers.
    fn by_profile(&self, at: usize, by_rule: StepOutcome) -> StepOutcome {
        if by_rule.decision != Decision::Ask {
            return by_rule;
        }
        let confined = by_profile::by_confined_rule(self.facts, &self.profiles, at);
        if let Some(allowed) = confined.as_ref().filter(|found| found.decision == Decision::Allow) {
            return allowed.clone();
        }
        match self.by_classes(at, &by_rule) {
            Some(decided) if decided.decision != Decision::Ask => decided,
            asked if by_rule.reason != Reason::BinaryChanged => confined.or(asked).unwrap_or(by_rule),
            _ => by_rule,
        }
    }

    /// Returns the outcome of the agent's classes for a step that no rule covers. A changed program is asked about all the same.
    fn by_classes(&self, at: usize, by_rule: &StepOutcome) -> Option<StepOutcome> {
        if by_rule.decision != Decision::Ask || by_rule.reason == Reason::BinaryChanged {
            return None;
        }
        by_profile::by_classes(self.facts, &self.profiles, at)
    }

    /// Applies the rule for the whole line to a question that only a missing rule asks.
    fn by_line(&self, outcome: StepOutcome) -> StepOutcome {
        let missing =
            matches!(outcome.reason, Reason::AllowlistMiss | Reason::Opaque | Reason::CannotConfine);
        match self.line_rule.filter(|_| missing && outcome.decision == Decision::Ask) {
            Some(rule) => outcome::covered(rule),
            None => outcome,
        }
    }

    /// Names the rule that confines the whole line, where what the profile holds is allowed.
    fn by_confining_rule(&self, outcome: StepOutcome) -> StepOutcome {
        let held = outcome.decision == Decision::Allow && outcome.reason == Reason::Class;
        self.confining_rule.filter(|_| held).map_or(outcome, outcome::covered)
    }

    /// Parts that belong to no step and were not understood.
    fn unread_parts(&mut self) -> Option<StepOutcome> {
        let part = self.facts.reading.opaque.first()?;
        let by_rule = self.by_line(step::unparsed_outcome(part));
        let held = by_rule.decision == Decision::Ask && self.profiles.hold_any_code(&self.policy.settings);
        let outcome = if held { self.by_confining_rule(by_profile::any_code()) } else { by_rule };
        self.note_stage("unread", outcome.cause.clone());
        Some(self.unasked(outcome))
    }

    /// Runs stage 10 for agents without questions, and for unreadable text that is sent back.
    fn unasked(&self, outcome: StepOutcome) -> StepOutcome {
        if outcome.decision != Decision::Ask {
            return outcome;
        }
        let send_back =
            outcome.reason == Reason::Opaque && self.policy.settings.unreadable == Unreadable::SendBack;
        let off = self.ask == Ask::Off && outcome.reason != Reason::BinaryChanged;
        if outcome.doubt && self.doubt_denies {
            StepOutcome { decision: Decision::Deny, reason: Reason::Denylist, ..outcome }
        } else if send_back {
            StepOutcome { decision: Decision::Deny, ..outcome }
        } else if off {
            let advice = Some(outcome.advice.unwrap_or(Advice::AskForRule));
            StepOutcome { decision: Decision::Deny, reason: Reason::AllowlistMiss, advice, ..outcome }
        } else {
            outcome
        }
    }

    /// Combines the contributions: the strictest one decides; `ask: always` turns an allow into a question.
    fn finish(mut self, steps: Vec<StepOutcome>, whole: &[StepOutcome]) -> Verdict {
        let mut decider = self.unasked(decider(&steps, whole));
        if decider.decision == Decision::Allow && self.ask == Ask::Always {
            let cause = Cause::AskAlways(Box::new(decider.cause));
            decider = StepOutcome { decision: Decision::Ask, reason: Reason::AskAlways, cause, ..decider };
        }
        let mut used: Vec<RuleId> =
            steps.iter().chain([&decider]).filter_map(StepOutcome::used_rule).collect();
        if decider.decision == Decision::Allow && !self.profiles.confinement.is_none() {
            let named =
                |one: &&opened::OpenedFolder| one.rule > 0 && opened::is_named(self.facts, &one.folder);
            used.extend(self.profiles.opened.iter().filter(named).map(|one| one.rule));
        }
        used.sort_unstable();
        used.dedup();
        let (decision, cause) = (decider.decision, decider.cause.clone().into());
        self.note_stage("verdict", StageFinding::Decided { decision, cause });
        self.note_confinement();
        let risk = self.weighed.take().unwrap_or_else(|| Weighed::new(self.facts)).into_risk();
        let steps =
            steps.into_iter().enumerate().map(|(at, outcome)| self.step_verdict(at, outcome)).collect();
        Verdict {
            decision: decider.decision,
            reason: decider.reason,
            cause: decider.cause,
            advice: decider.advice,
            rule: decider.rule,
            risk,
            confinement: self.profiles.confinement,
            steps,
            used,
            trace: self.trace,
        }
    }

    fn step_verdict(&self, at: usize, outcome: StepOutcome) -> StepVerdict {
        let (step, found) = (&self.facts.reading.steps[at], &self.facts.steps[at]);
        let path = match &found.program {
            Lookup::Found(program) => Some(program.path.clone()),
            Lookup::Unusable { path, .. } => Some(path.clone()),
            Lookup::NotFound | Lookup::Nothing => None,
        };
        StepVerdict {
            argv: step.literal_argv().map(|words| words.into_iter().map(str::to_owned).collect()),
            text: self.facts.reading.text.get(step.span.clone()).unwrap_or_default().to_owned(),
            program: step.program().map(str::to_owned),
            path,
            decision: outcome.decision,
            reason: outcome.reason,
            cause: outcome.cause,
            rule: outcome.rule,
            span: (step.span.start, step.span.end),
        }
    }
}

/// Returns the outcome for a step without findings: such a step cannot be, and is asked about.
fn nothing_said() -> StepOutcome {
    StepOutcome::new(Decision::Ask, Reason::AllowlistMiss, Cause::NothingKnown)
}

/// Returns the strictest contribution. Of equally strict ones: one that does not only follow from others, of
/// the earliest stage.
fn decider(steps: &[StepOutcome], whole: &[StepOutcome]) -> StepOutcome {
    let strictest = whole.iter().chain(steps).min_by_key(|one| {
        (std::cmp::Reverse(one.decision), one.cause.follows_from_others(), one.stage_order())
    });
    let Some(strictest) = strictest else {
        return StepOutcome::new(Decision::Ask, Reason::AllowlistMiss, Cause::NothingRuns);
    };
    let asking = steps.iter().filter(|outcome| outcome.decision == strictest.decision).count();
    let mut decider = strictest.clone();
    if decider.decision == Decision::Ask && asking > 1 {
        decider.cause = Cause::Steps { cause: Box::new(decider.cause), asking, steps: steps.len() };
    }
    decider
}

#[cfg(test)]
mod tests;
