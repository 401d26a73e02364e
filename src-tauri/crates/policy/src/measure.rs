//! Quietness: what a policy makes of commands that agents ran, with every program taken as present and unchanged.

use crate::agent::AgentPolicy;
use crate::cause::{Cause, Gap, Obstacle};
use crate::decision::Decision;
use crate::judge::judge_request;
use crate::path;
use crate::pattern::pattern_text;
use crate::pretend::{CWD, HOME, Pretended};
use crate::propose::{AlwaysOffer, NothingToSave, propose};
use crate::risk::RiskLevel;
use crate::rule::{Rule, RuleId, RuleOrigin};
use crate::ruleset::RuleSet;
use crate::settings::{AgentId, BadAgentId, Settings};
use crate::subject::Origin;
use crate::suggest::PastQuestion;
use crate::verdict::Verdict;
use postern_command::{ArgFact, Dialect, read_shell_at};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A command that an agent ran. Unknown fields are ignored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MeasuredCall {
    /// The project it ran for: rules that the person saves are kept per project.
    #[serde(default)]
    pub project: String,
    pub cwd: Option<String>,
    /// The command, as shell text.
    pub shell: String,
}

/// The person's answer to a question with an offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AlwaysAnswer {
    /// Allows this once.
    Never,
    FirstOffer,
}

/// Policy that the commands are judged by.
#[derive(Debug, Clone)]
pub struct MeasurementSetup {
    pub settings: Settings,
    /// The rules from the start, in every project.
    pub rules: Vec<Rule>,
    /// Actor that would run the commands.
    pub origin: Origin,
    pub home: String,
    pub always: AlwaysAnswer,
}

impl Default for MeasurementSetup {
    fn default() -> Self {
        Self {
            settings: Settings::default(),
            rules: Vec::new(),
            origin: Origin::Host,
            home: HOME.to_owned(),
            always: AlwaysAnswer::Never,
        }
    }
}

/// The result of a measurement.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Measurement {
    pub calls: usize,
    pub allowed: usize,
    /// Commands that the person is asked about.
    pub asked: usize,
    pub denied: usize,
    /// Questions that offer no rule.
    pub without_offer: usize,
    /// High-risk commands, whatever is decided about them.
    pub dangerous: usize,
    /// Commands that run without a question and with the user's rights, although they start code of the project, of the request
    /// or of the network.
    pub code_unconfined: usize,
    /// Counts of questions and denials by cause, the highest first.
    pub by_reason: Vec<Tally>,
    /// Counts of questions and denials by program, the highest first.
    pub by_program: Vec<Tally>,
    /// Counts of questions and denials by each kind of effect of the whole command.
    pub by_effect: Vec<Tally>,
    /// Questions without an offer, by what prevents one.
    pub by_nothing_to_save: Vec<Tally>,
    /// The commands that are asked about or denied, in their order.
    #[serde(skip)]
    pub stopped: Vec<Stopped>,
}

/// A command that does not run silently.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Stopped {
    /// Index among the commands, from 0.
    pub call: usize,
    /// True if the person is asked or it is denied.
    pub decision: Decision,
    /// The name of the cause, as in `byReason`.
    pub reason: String,
    /// The programs that are not allowed, as in `byProgram`.
    pub programs: Vec<String>,
    /// The kinds of its effects, as in `byEffect`.
    pub effects: Vec<String>,
    /// The patterns of the first offer's rules; empty without an offer.
    pub offer: Vec<String>,
}

/// Commands with something in common.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Tally {
    /// Cause or program.
    pub name: String,
    /// Commands that the person is asked about.
    pub asked: usize,
    /// Those of them that offer no rule.
    pub without_offer: usize,
    pub denied: usize,
}

/// Judges the commands in their order.
pub fn measure(calls: &[MeasuredCall], setup: &MeasurementSetup) -> Result<Measurement, BadAgentId> {
    let mut measuring = Measuring::new(calls, setup)?;
    for (at, call) in calls.iter().enumerate() {
        measuring.count_call(at, call);
    }
    let Measuring { counts, reasons, programs, effects, unsaved, .. } = measuring;
    Ok(Measurement {
        by_reason: reasons.sorted(),
        by_program: programs.sorted(),
        by_effect: effects.sorted(),
        by_nothing_to_save: unsaved.sorted(),
        ..counts
    })
}

/// Returns the questions that the commands lead to, as far as a rule could answer them, each with the places of its commands.
pub fn questions(
    calls: &[MeasuredCall],
    setup: &MeasurementSetup,
) -> Result<Vec<(PastQuestion, Vec<usize>)>, BadAgentId> {
    let mut measuring = Measuring::new(calls, setup)?;
    let mut places: HashMap<(&str, &str, Option<&str>), usize> = HashMap::new();
    let mut found: Vec<(PastQuestion, Vec<usize>)> = Vec::new();
    for (at, call) in calls.iter().enumerate() {
        let key = (call.project.as_str(), call.shell.as_str(), call.cwd.as_deref());
        if let Some(place) = places.get(&key) {
            let (asked, calls) = &mut found[*place];
            asked.times += 1;
            calls.push(at);
            continue;
        }
        let (verdict, offers) = measuring.judge_call(call);
        let harmless = verdict.risk.level != RiskLevel::Dangerous;
        if verdict.decision == Decision::Ask && harmless {
            places.insert(key, found.len());
            let offers = offers.unwrap_or_default();
            found.push((PastQuestion { times: 1, denied: false, offers }, vec![at]));
        }
    }
    Ok(found)
}

struct Measuring<'a> {
    setup: &'a MeasurementSetup,
    policy: AgentPolicy,
    /// Working directories of each project, those above before those below.
    tops: HashMap<String, BTreeSet<String>>,
    /// Each project's rules, those of the setup first.
    projects: HashMap<String, (Vec<Rule>, RuleSet)>,
    counts: Measurement,
    reasons: Tallies,
    programs: Tallies,
    effects: Tallies,
    unsaved: Tallies,
}

impl<'a> Measuring<'a> {
    fn new(calls: &[MeasuredCall], setup: &'a MeasurementSetup) -> Result<Self, BadAgentId> {
        let mut tops: HashMap<String, BTreeSet<String>> = HashMap::new();
        for call in calls {
            let cwd = path::normal(call.cwd.as_deref().unwrap_or(CWD)).into_owned();
            tops.entry(call.project.clone()).or_default().insert(cwd);
        }
        Ok(Self {
            tops,
            setup,
            policy: AgentPolicy::new(AgentId::new("measured")?, setup.settings.clone()),
            projects: HashMap::new(),
            counts: Measurement::default(),
            reasons: Tallies::default(),
            programs: Tallies::default(),
            effects: Tallies::default(),
            unsaved: Tallies::default(),
        })
    }

    fn count_call(&mut self, at: usize, call: &MeasuredCall) {
        let (verdict, offers) = self.judge_call(call);
        let asked = verdict.decision == Decision::Ask;
        let without_offer = asked && offers.is_err();
        self.counts.calls += 1;
        self.counts.dangerous += usize::from(verdict.risk.level == RiskLevel::Dangerous);
        match verdict.decision {
            Decision::Allow => {
                self.counts.allowed += 1;
                self.counts.code_unconfined += usize::from(runs_code_unconfined(&verdict));
                return;
            }
            Decision::Ask => self.counts.asked += 1,
            Decision::Deny => self.counts.denied += 1,
        }
        self.counts.without_offer += usize::from(without_offer);
        let stopped = Stopped {
            call: at,
            decision: verdict.decision,
            reason: reason(&verdict),
            programs: programs(&verdict).into_iter().collect(),
            effects: effects(&verdict).into_iter().collect(),
            offer: offers.as_ref().map_or_else(|_| Vec::new(), |offers| self.patterns(offers.first())),
        };
        self.reasons.add_outcome(stopped.reason.clone(), asked, without_offer);
        for program in &stopped.programs {
            self.programs.add_outcome(program.clone(), asked, without_offer);
        }
        for effect in &stopped.effects {
            self.effects.add_outcome(effect.clone(), asked, without_offer);
        }
        self.counts.stopped.push(stopped);
        match offers {
            Err(why) if asked => self.unsaved.add_outcome(variant(&why), asked, without_offer),
            Ok(offers) if asked && self.setup.always == AlwaysAnswer::FirstOffer => {
                self.save_offer(call, offers.first());
            }
            Ok(_) | Err(_) => {}
        }
    }

    fn judge_call(&mut self, call: &MeasuredCall) -> (Verdict, Result<Vec<AlwaysOffer>, NothingToSave>) {
        let MeasurementSetup { rules, origin, home, settings, .. } = self.setup;
        let (_, compiled) = self
            .projects
            .entry(call.project.clone())
            .or_insert_with(|| (rules.clone(), RuleSet::compile(rules, home, true)));
        self.policy.rules = compiled.clone();
        let cwd = path::normal(call.cwd.as_deref().unwrap_or(CWD));
        if settings.has_classes() && settings.folders.is_empty() {
            self.policy.settings.folders = self.folders_of(&call.project);
        }
        let reading = read_shell_at(&call.shell, Dialect::Bash, home);
        Pretended::shell_line(&cwd, home, *origin).with_facts(&reading, &self.policy.settings, |facts| {
            let verdict = judge_request(&self.policy, facts);
            let offers = propose(&self.policy, facts, &verdict);
            (verdict, offers)
        })
    }

    /// Returns the project's topmost working directories: those that the person would name, so that no session is refused.
    fn folders_of(&self, project: &str) -> Vec<String> {
        let mut folders: Vec<String> = Vec::new();
        for top in self.tops.get(project).into_iter().flatten() {
            if !folders.iter().any(|folder| path::is_within(top, folder)) {
                folders.push(top.clone());
            }
        }
        folders
    }

    fn patterns(&self, offer: Option<&AlwaysOffer>) -> Vec<String> {
        let rules =
            offer.into_iter().flat_map(|offer| offer.to_rules(RuleOrigin::of_answer(self.setup.origin)));
        rules.map(|rule| pattern_text(&rule.pattern)).collect()
    }

    fn save_offer(&mut self, call: &MeasuredCall, offer: Option<&AlwaysOffer>) {
        let Some((rules, compiled)) = self.projects.get_mut(&call.project) else { return };
        for rule in
            offer.into_iter().flat_map(|offer| offer.to_rules(RuleOrigin::of_answer(self.setup.origin)))
        {
            let id = RuleId::try_from(rules.len()).unwrap_or(RuleId::MAX - 1) + 1;
            rules.push(Rule { id, ..rule });
        }
        *compiled = RuleSet::compile(rules.iter(), &self.setup.home, true);
    }
}

fn runs_code_unconfined(verdict: &Verdict) -> bool {
    verdict.confinement.is_none() && verdict.risk.effects.iter().any(|rated| rated.effect.runs_code())
}

#[derive(Default)]
struct Tallies(BTreeMap<String, Tally>);

impl Tallies {
    fn add_outcome(&mut self, name: String, asked: bool, without_offer: bool) {
        let tally =
            self.0.entry(name).or_insert_with_key(|name| Tally { name: name.clone(), ..Tally::default() });
        tally.asked += usize::from(asked);
        tally.denied += usize::from(!asked);
        tally.without_offer += usize::from(without_offer);
    }

    fn sorted(self) -> Vec<Tally> {
        let mut all: Vec<Tally> = self.0.into_values().collect();
        all.sort_by_key(|tally| std::cmp::Reverse(tally.asked + tally.denied));
        all
    }
}

/// Returns the programs that are not allowed, by the names they are called by.
fn programs(verdict: &Verdict) -> BTreeSet<String> {
    let steps = verdict.steps.iter().filter(|step| step.decision != Decision::Allow);
    let name = |name: Option<&str>| name.map_or("(unknown)", path::base_name).to_owned();
    steps.map(|step| name(step.program.as_deref())).collect()
}

/// Returns the kinds of a command's effects.
fn effects(verdict: &Verdict) -> BTreeSet<String> {
    verdict.risk.effects.iter().map(|rated| rated.effect.kind().to_owned()).collect()
}

/// Returns a stable name for why a command is not allowed: the verdict's reason, the kind of its cause and what that is about.
fn reason(verdict: &Verdict) -> String {
    let mut cause = &verdict.cause;
    while let Cause::Steps { cause: inner, .. }
    | Cause::AskAlways(inner)
    | Cause::SeveralPeople { would: inner, .. } = cause
    {
        cause = inner;
    }
    let detail = match cause {
        Cause::NotCoverable { obstacle: Obstacle::Sets { .. }, .. } => Some("sets".to_owned()),
        Cause::NotCoverable { obstacle, .. } => Some(variant(obstacle)),
        Cause::NotCovered { gap: Gap::UnsafeArg(fact), .. } | Cause::UnsafeArg(fact) => effect(fact),
        Cause::NotCovered { gap, .. } => Some(variant(gap)),
        Cause::ReadOnlyBut { gap, .. } => Some(variant(gap)),
        _ => None,
    };
    let parts = [variant(&verdict.reason), variant(cause)].into_iter().chain(detail);
    parts.collect::<Vec<_>>().join(" ")
}

fn effect(fact: &ArgFact) -> Option<String> {
    match fact {
        ArgFact::Mark { effect, .. } => Some(variant(effect)),
        ArgFact::Note(_) => None,
    }
}

/// Returns the name by which a value of an enum is written.
fn variant(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(name)) => name,
        Ok(serde_json::Value::Object(map)) => map.keys().next().cloned().unwrap_or_default(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::{AlwaysAnswer, MeasuredCall, Measurement, MeasurementSetup, measure};
    use crate::rule::Effect;
    use crate::settings::Settings;
    use crate::testing::person_rule;

    fn measured(lines: &[(&str, &str)], setup: &MeasurementSetup) -> Measurement {
        let call = |(project, shell): &(&str, &str)| MeasuredCall {
            project: (*project).to_owned(),
            cwd: None,
            shell: (*shell).to_owned(),
        };
        measure(&lines.iter().map(call).collect::<Vec<_>>(), setup).unwrap()
    }

    fn looking() -> MeasurementSetup {
        let settings = Settings { look: crate::Access::Allow, ..Settings::default() };
        MeasurementSetup { settings, ..MeasurementSetup::default() }
    }

    #[test]
    fn every_call_is_counted_once_with_its_causes() {
        let lines = [("a", "ls"), ("a", "npm test"), ("a", "rm -rf /"), ("a", "cd \"$X\" && ls")];
        let found = measured(&lines, &looking());
        assert_eq!((found.calls, found.allowed, found.asked, found.denied), (4, 1, 2, 1), "{found:?}");
        assert_eq!((found.without_offer, found.dangerous), (1, 1), "{found:?}");
        let by = |tallies: &[super::Tally]| tallies.iter().map(|one| one.asked + one.denied).sum::<usize>();
        assert_eq!(by(&found.by_reason), found.asked + found.denied);
        assert!(found.by_program.iter().any(|one| one.name == "npm" && one.asked == 1), "{found:?}");
    }

    #[test]
    fn code_that_runs_with_the_users_rights_is_counted() {
        let lines =
            ["npm test", "make", "./x.sh", "python3 -c 'print(1)'", "cat a", "git status", "git push"];
        let lines = lines.map(|line| ("a", line));
        let mut setup = looking();
        for class in crate::Class::ALL {
            setup.settings.set_access(class, crate::Access::Allow);
        }
        let by_classes = measured(&lines, &setup);
        assert_eq!((by_classes.code_unconfined, by_classes.allowed), (0, 6), "{by_classes:?}");
        let rules =
            vec![person_rule(1, Effect::Allow, "npm test"), person_rule(2, Effect::Allow, "git push")];
        let by_rule = measured(&lines, &MeasurementSetup { rules, ..looking() });
        assert_eq!(by_rule.code_unconfined, 1, "{by_rule:?}");
    }

    #[test]
    fn rules_are_kept_per_project_and_in_their_folder() {
        let lines = [("a", "npm test"), ("a", "npm test"), ("b", "npm test")];
        assert_eq!(measured(&lines, &looking()).asked, 3);
        let always = MeasurementSetup { always: AlwaysAnswer::FirstOffer, ..looking() };
        assert_eq!(measured(&lines, &always).asked, 2, "once in each project");
    }

    #[test]
    fn rules_of_the_setup_hold_in_every_project() {
        let rules = vec![person_rule(1, Effect::Allow, "npm test"), person_rule(2, Effect::Deny, "git push")];
        let setup = MeasurementSetup { rules, ..looking() };
        let found = measured(&[("a", "npm test"), ("b", "npm test"), ("b", "git push")], &setup);
        assert_eq!((found.allowed, found.denied), (2, 1));
    }
}
