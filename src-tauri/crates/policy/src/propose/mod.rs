//! Offers for *Always*, the most useful of the narrow ones first; none allows more than the question shows.
//!
//! A pin is offered only if it holds until the program runs. For a file that the agent can change, the offer
//! allows any content and says so.

mod changed;
mod confined;
mod label;
mod line;
mod place;
mod reading;
mod renewal;
mod words;

pub use changed::ProgramRenewal;
pub use renewal::propose_renewals;

use crate::agent::AgentPolicy;
use crate::confinement::Confinement;
use crate::decision::{Decision, Reason};
use crate::facts::{Facts, FoundProgram, Input, Lookup, StepFacts};
use crate::path;
use crate::pattern::is_glob;
use crate::risk::RiskLevel;
use crate::rule::{Effect, Limits, Pattern, Pin, Rule, RuleInput, RuleOrigin, ScriptPin};
use crate::ruleset::RuleSet;
use crate::verdict::Verdict;
pub(crate) use label::commands;
pub use label::{OfferLabel, Offered, RenewedProgram};
pub use nothing::NothingToSave;
use postern_command::{Dir, Power, ProgramClass, Reversible, Role, Step, class_of};
use postern_protocol::Profile;

mod nothing;

/// Bytes of what an offer names: nobody reads more.
const LONGEST_LABEL: usize = 1_000;

/// Offer of rules. A chain saves a rule for each step that no rule covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlwaysOffer {
    /// `read`, `confined`, `exact`, `command` or `path`; `renew` or `renew-everyone` where it saves nothing new.
    pub id: &'static str,
    pub label: OfferLabel,
    /// Rules that would be saved.
    pub drafts: Vec<Draft>,
    /// Folder of the rules, with everything below: the request's, or the one that the line changes to. `None` if they cannot be
    /// bound to one.
    pub folder: Option<String>,
    /// The rules that it would renew instead: they stay as they are, and hold for the program as it is now.
    pub renews: Vec<ProgramRenewal>,
    /// Profile that the request would run in because of it; `Confinement::None` runs it as the agent asked.
    pub confinement: Confinement,
}

/// A rule that an offer would save.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    pub step: usize,
    pub pattern: Pattern,
    /// The patterns of its arguments.
    pub args: Option<Vec<String>>,
    /// Pin; `None` if the agent can change the program until it runs.
    pub pin: Option<Pin>,
    pub input: RuleInput,
    /// True if it also allows redirections that write.
    pub allow_writes: bool,
    /// Limits beyond which it covers nothing.
    pub limits: Option<Limits>,
    /// Profile that what it allows runs in.
    pub confine: Option<Profile>,
}

impl Draft {
    /// Returns a rule for the step that holds for no more than its pattern says.
    fn new(step: usize, pattern: Pattern) -> Self {
        let input = RuleInput::Nothing;
        Self { step, pattern, args: None, pin: None, input, allow_writes: false, limits: None, confine: None }
    }

    /// Returns true if limits bound the effects of what it would cover.
    fn holds_effects(&self) -> bool {
        self.limits.as_ref().is_some_and(Limits::hold_effects)
    }
}

impl AlwaysOffer {
    /// Returns true if it would save a rule for a whole line of shell text, and for none of its steps.
    pub fn is_line(&self) -> bool {
        self.drafts.iter().filter_map(|draft| draft.limits.as_ref()).any(Limits::is_line)
    }

    /// Judges a request as if its rules were saved.
    fn judge_with(&self, policy: &AgentPolicy, facts: &Facts<'_>) -> Verdict {
        let saved: Vec<Rule> = self.to_rules(RuleOrigin::of_answer(facts.origin)).collect();
        let saved = RuleSet::compile(&saved, facts.home, facts.case_insensitive);
        let with = AgentPolicy { rules: policy.rules.clone().join_with(&saved), ..policy.clone() };
        crate::judge::judge_request(&with, facts)
    }

    /// Returns its rules, for everybody and as yet without a number.
    pub fn to_rules(&self, origin: RuleOrigin) -> impl Iterator<Item = Rule> {
        self.drafts.iter().map(move |draft| Rule {
            args: draft.args.clone(),
            pin: draft.pin.clone().map(Box::new),
            folder: self.folder.clone(),
            input: draft.input.clone(),
            allow_writes: draft.allow_writes,
            limits: draft.limits.clone().map(Box::new),
            confine: draft.confine,
            origin,
            ..Rule::new(Effect::Allow, draft.pattern.clone())
        })
    }
}

/// Rules that could be saved for a step.
struct Widths {
    /// This very step.
    exact: Option<Draft>,
    /// The words that name the action.
    command: Option<Draft>,
    /// The program, or the script, at its path.
    path: Option<Draft>,
}

impl Widths {
    /// Returns the narrowest draft that also covers the next step of this kind.
    fn useful(&self) -> Option<&Draft> {
        self.command.as_ref().or(self.path.as_ref()).or(self.exact.as_ref())
    }
}

/// Returns at least one offer for a request that needs an answer, or the reason why there is none.
///
/// The first is the narrowest that also covers the next request of this kind: for code of the project it is
/// confined, for what is dangerous it is the exact command.
pub fn propose(
    policy: &AgentPolicy,
    facts: &Facts<'_>,
    verdict: &Verdict,
) -> Result<Vec<AlwaysOffer>, NothingToSave> {
    // What a deny rule may mean, no allow rule lets through.
    let denies =
        |step: &crate::StepVerdict| step.rule.as_ref().is_some_and(|rule| rule.effect == Effect::Deny);
    if verdict.steps.iter().any(denies) {
        return Err(NothingToSave::AlwaysAsks);
    }
    let others = by_step(policy, facts, verdict)
        .or_else(|why| line::line_offer(policy, facts, verdict, false).map(|offer| vec![offer]).ok_or(why));
    let first = [
        reading::read_folder_offer(policy, facts, verdict),
        confined::confined_offer(policy, facts, verdict),
    ];
    let mut offers: Vec<AlwaysOffer> = first.into_iter().flatten().collect();
    let why = others.map(|others| offers.extend(others)).err();
    if offers.is_empty() {
        offers.extend(line::confined_line_offer(policy, facts, verdict));
    }
    let any = !offers.is_empty();
    offers.retain(|offer| offer.label.length() <= LONGEST_LABEL);
    match why {
        _ if !offers.is_empty() => Ok(offers),
        _ if any => Err(NothingToSave::NotShown),
        why => Err(why.unwrap_or(NothingToSave::NoRuleHelps)),
    }
}

/// Returns offers of one rule for each step that needs one.
fn by_step(
    policy: &AgentPolicy,
    facts: &Facts<'_>,
    verdict: &Verdict,
) -> Result<Vec<AlwaysOffer>, NothingToSave> {
    if !facts.reading.opaque.is_empty() || facts.reading.invalid.is_some() {
        return Err(NothingToSave::Unread);
    }
    if !facts.env_to_ask.is_empty() {
        return Err(NothingToSave::Environment);
    }
    let mut widths = Vec::new();
    for (at, step) in verdict.steps.iter().enumerate() {
        if step.decision == Decision::Allow {
            continue;
        }
        let helps = matches!(
            step.reason,
            Reason::AllowlistMiss
                | Reason::BinaryChanged
                | Reason::AgentCanChange
                | Reason::CannotConfine
                | Reason::Opaque
        ) && crate::judge::can_be_covered(policy, facts, at);
        let found = widths_of(facts, at)?;
        if !helps {
            return Err(no_rule_helps(step.reason));
        }
        widths.push(found);
    }
    if widths.is_empty() {
        return Err(no_rule_helps(verdict.reason));
    }
    let narrow = verdict.risk.level == RiskLevel::Dangerous;
    let mut offers = offers(&widths, facts, narrow);
    // Step by step, what stands between them would be left out: a check before it, the input of a pipe.
    if is_whole(facts, verdict) {
        offers.retain(|offer| offer.id != "exact");
        let line = line::line_offer(policy, facts, verdict, true);
        offers.splice(offers.len().min(1)..offers.len().min(1), line);
    }
    if offers.is_empty() { Err(NothingToSave::Unread) } else { Ok(offers) }
}

/// Returns true for a line of which exact commands are offered as a whole only.
///
/// It does something dangerous, or that cannot be undone, behind other steps; or a step takes commands by a pipe.
fn is_whole(facts: &Facts<'_>, verdict: &Verdict) -> bool {
    let grave = |rated: &crate::RatedEffect| {
        rated.level == RiskLevel::Dangerous || rated.reversible == Reversible::No
    };
    let is_asked = |step: &crate::StepVerdict| step.decision != Decision::Allow;
    let asked = |at: usize| verdict.steps.get(at).is_some_and(is_asked);
    let begins = begins_in_place(facts, asked);
    let graves = verdict.risk.effects.iter().filter(|rated| grave(rated));
    let mut behind = graves.filter(|rated| !begins || rated.step != Some(0));
    verdict.steps.len() > 1 && behind.any(|rated| rated.step.is_none_or(asked))
        || (0..verdict.steps.len()).any(|at| asked(at) && crate::judge::takes_commands_by_pipe(facts, at))
}

/// Returns true if the line begins with its first step, and all that is asked about runs in its folder.
fn begins_in_place(facts: &Facts<'_>, asked: impl Fn(usize) -> bool) -> bool {
    let steps = &facts.reading.steps;
    let before = steps.first().and_then(|step| facts.reading.text.get(..step.span.start));
    before.is_some_and(|before| before.trim().is_empty())
        && steps.iter().enumerate().all(|(at, step)| !asked(at) || step.dir == Dir::Same)
}

fn offers(widths: &[Widths], facts: &Facts<'_>, narrow: bool) -> Vec<AlwaysOffer> {
    let all = |pick: fn(&Widths) -> Option<&Draft>| -> Option<Vec<Draft>> {
        widths.iter().map(|width| pick(width).cloned()).collect()
    };
    let mut offers: Vec<AlwaysOffer> = Vec::new();
    let mut add = |id, drafts: Option<Vec<Draft>>| {
        let Some(drafts) = drafts else { return };
        // One rule may be for steps in several folders.
        let Ok(folder) = place::rules_folder(&drafts, facts) else { return };
        let drafts = distinct(drafts.into_iter());
        let label = match id {
            "exact" => label::exact_label(&drafts, facts),
            _ => label::each_label(&drafts, facts),
        };
        let confinement = Confinement::None;
        offers.push(AlwaysOffer { id, label, drafts, folder, renews: Vec::new(), confinement });
    };
    let wide = widths.iter().any(|width| width.command.is_some());
    if !narrow && wide {
        add("command", all(Widths::useful));
    }
    let by_path = !narrow && widths.iter().any(|width| width.path.is_some());
    let paths = || all(|width| width.path.as_ref().or(width.exact.as_ref()).or(width.command.as_ref()));
    if by_path && !wide {
        add("path", paths());
    }
    add("exact", all(|width| width.exact.as_ref()));
    if by_path && wide {
        add("path", paths());
    }
    offers
}

fn no_rule_helps(reason: Reason) -> NothingToSave {
    match reason {
        Reason::AskAlways | Reason::Policy => NothingToSave::AlwaysAsks,
        Reason::Opaque | Reason::Invalid => NothingToSave::Unread,
        Reason::NotFound => NothingToSave::Program,
        _ => NothingToSave::NoRuleHelps,
    }
}

fn distinct(drafts: impl Iterator<Item = Draft>) -> Vec<Draft> {
    let mut all: Vec<Draft> = Vec::new();
    for draft in drafts {
        if !all.iter().any(|other| Draft { step: draft.step, ..other.clone() } == draft) {
            all.push(draft);
        }
    }
    all
}

fn widths_of(facts: &Facts<'_>, at: usize) -> Result<Widths, NothingToSave> {
    let (step, found) = (&facts.reading.steps[at], &facts.steps[at]);
    let elsewhere = step.via.iter().any(|via| via.power == Power::Elsewhere);
    if elsewhere || step.opaque.as_ref().is_some_and(|part| !crate::judge::is_constant(step, part)) {
        return Err(NothingToSave::Unread);
    }
    if crate::judge::sourced(step).is_some() {
        return sourced(facts, at).map(|draft| Widths { exact: Some(draft), command: None, path: None });
    }
    let limits = crate::judge::limits_of_step(facts, at, false);
    if step.role == Role::HarmlessBuiltin {
        let command = limits.and_then(|limits| builtin(step, at, limits));
        return command.map_or(Err(NothingToSave::Writes), |draft| {
            Ok(Widths { exact: None, command: Some(draft), path: None })
        });
    }
    if step.role != Role::Program {
        return Err(NothingToSave::Writes);
    }
    let Lookup::Found(program) = &found.program else { return Err(NothingToSave::Program) };
    if program.identity.is_none() {
        return Err(NothingToSave::Program);
    }
    let input = rule_input(facts, at)?;
    let name = step.program().ok_or(NothingToSave::Unread)?;
    let elevated = step.via.iter().any(|via| via.power == Power::Elevated);
    let base = CoverableStep { step, found, program, at, writes: step.writes_by_redirection() };
    let exact = exact_draft(&base, facts, elevated).map(|draft| Draft { input: input.clone(), ..draft });
    let exact = exact.filter(|_| !crate::judge::takes_commands_by_pipe(facts, at));
    // Commands from its input are saved only with this exact command.
    let plain = !elevated && input == RuleInput::Nothing && step.opaque.is_none();
    let names = [name, &program.path, &program.real_path];
    let class = names
        .iter()
        .map(|name| class_of(path::base_name(name)))
        .find(|class| *class != ProgramClass::Ordinary);
    let script = matches!(class, Some(ProgramClass::Shell | ProgramClass::Interpreter));
    let (mut command, mut path) = (None, None);
    if let Some(limits) = limits.filter(|_| plain) {
        let draft = |pattern, args| base.draft_rule(pattern, args, Some(limits.clone()));
        let by_words = class.is_none() || script && words::names_module(step) || words::names_tool(step);
        let text = by_words.then(|| words::action_pattern(step)).flatten();
        let bound = step.ways_out.iter().all(crate::judge::is_bound_by_limits);
        // By words alone the rule would match every program of that name in every folder.
        command = text.filter(|_| !program.agent_can_change).and_then(|text| {
            let pin = Some(Pin::new(program.identity.clone()?));
            Some(Draft { pin, ..draft(Pattern::Command(text), None) })
        });
        path = match class {
            None if bound => path_pattern(program).map(|pattern| draft(pattern, None)),
            Some(_) if script && bound => {
                script_args(step, found).and_then(|args| Some(draft(path_pattern(program)?, Some(args))))
            }
            _ => None,
        };
    }
    if exact.is_none() && command.is_none() && path.is_none() {
        return Err(if base.writes { NothingToSave::Writes } else { NothingToSave::Unread });
    }
    Ok(Widths { exact, command, path })
}

/// Returns the input that a rule for the step at `at` has to name.
fn rule_input(facts: &Facts<'_>, at: usize) -> Result<RuleInput, NothingToSave> {
    if let Some(code) = crate::judge::code_on_input(&facts.reading.steps[at]) {
        return Ok(RuleInput::Text(code));
    }
    let step = &facts.reading.steps[at];
    let obeys = |name: &str| !postern_command::takes_text(name);
    if crate::judge::is_fed_text(step)
        && step.program().is_some_and(obeys)
        && !crate::judge::reads_input_as_data(facts, at)
    {
        return crate::judge::text_on_input(step).map(RuleInput::Text).ok_or(NothingToSave::Input);
    }
    match facts.input {
        Input::Nothing => Ok(RuleInput::Nothing),
        Input::Text(_) | Input::Stream if crate::judge::reads_input_as_data(facts, at) => {
            Ok(RuleInput::Nothing)
        }
        Input::Text(sha256) => Ok(RuleInput::Text(sha256.clone())),
        // A stream's content is not known yet.
        Input::Stream => Err(NothingToSave::Input),
    }
}

/// A step that a rule may be saved for.
struct CoverableStep<'a> {
    step: &'a Step,
    found: &'a StepFacts,
    program: &'a FoundProgram,
    at: usize,
    writes: bool,
}

impl CoverableStep<'_> {
    /// Returns a draft for any input, bound to the program and the script as they are now.
    fn draft_rule(&self, pattern: Pattern, args: Option<Vec<String>>, limits: Option<Limits>) -> Draft {
        let pin = current_pin(self.program, self.found);
        let (step, allow_writes) = (self.at, self.writes);
        Draft { args, pin, allow_writes, limits, ..Draft::new(step, pattern) }
    }
}

/// This argv in its surroundings, while the program and the script that it runs are as they were shown. Where it reads, writes or
/// runs depends on the line around it, so then it has limits.
fn exact_draft(base: &CoverableStep<'_>, facts: &Facts<'_>, elevated: bool) -> Option<Draft> {
    let wrappers = base.step.via.iter().filter(|_| elevated).flat_map(|via| via.argv.iter());
    let argv: Option<Vec<String>> = wrappers.chain(&base.step.argv).map(|word| word.value.clone()).collect();
    let pattern = Pattern::Exact(argv?);
    let around = Some(crate::judge::surroundings_of(base.step)?);
    let reads = base.step.reads_by_redirection();
    let needed = base.writes || reads || base.step.opaque.is_some();
    let limits = if needed || base.step.dir != Dir::Same {
        crate::judge::limits_of_step(facts, base.at, true)
    } else {
        None
    };
    if limits.is_none() && needed {
        return None;
    }
    let nothing = Limits { effects: Vec::new(), places: Vec::new(), around: None, hooks: Vec::new() };
    let limits = limits.unwrap_or(nothing);
    let hooks = base.found.hooks.clone();
    Some(base.draft_rule(pattern, None, Some(Limits { around, hooks, ..limits })))
}

/// Offers a file of commands that the shell reads: the agent's own, or the system's.
fn sourced(facts: &Facts<'_>, at: usize) -> Result<Draft, NothingToSave> {
    let limits = crate::judge::limits_of_step(facts, at, true);
    let limits = limits.filter(|_| crate::judge::names_own_places(facts, at)).ok_or(NothingToSave::Unread)?;
    let step = &facts.reading.steps[at];
    let argv = step.literal_argv().ok_or(NothingToSave::Unread)?;
    let pattern = Pattern::Exact(argv.into_iter().map(str::to_owned).collect());
    let allow_writes = step.writes_by_redirection();
    Ok(Draft { allow_writes, limits: Some(limits), ..Draft::new(at, pattern) })
}

/// Offers a builtin that writes to files.
fn builtin(step: &Step, at: usize, limits: Limits) -> Option<Draft> {
    // The words of one that reads are names of variables.
    let reads = step.reads_by_redirection();
    let any = step.program().filter(|_| reads).and_then(words::any_arguments);
    let pattern = Pattern::Command(any.or_else(|| words::action_pattern(step))?);
    Some(Draft { allow_writes: true, limits: Some(limits), ..Draft::new(at, pattern) })
}

/// Returns a pin on the program and its script as they are now.
///
/// `None` if the agent can change one of them, or if one is unknown.
fn current_pin(program: &FoundProgram, found: &StepFacts) -> Option<Pin> {
    let script = found.script.as_ref();
    if program.agent_can_change || script.is_some_and(|script| script.agent_can_change) {
        return None;
    }
    let script = script
        .map(|script| ScriptPin { path: script.real_path.clone(), sha256: script.identity.sha256.clone() });
    Some(Pin { script, ..Pin::new(program.identity.clone()?) })
}

/// Returns the arguments by which a rule names this script: it comes first, and anything may follow.
fn script_args(step: &Step, found: &StepFacts) -> Option<Vec<String>> {
    found.script.as_ref()?;
    let written = step.argv.get(1)?.value.clone()?;
    if step.script != Some(1) || written.contains(['*', '?']) {
        return None;
    }
    Some(vec![written, "**".to_owned()])
}

fn path_pattern(program: &FoundProgram) -> Option<Pattern> {
    let pattern = Pattern::Path(program.path.clone());
    let reads_back = crate::pattern::parse_pattern(&program.path, Some(crate::rule::PatternKind::Path))
        .as_ref()
        == Ok(&pattern);
    (reads_back && !is_glob(&program.path)).then_some(pattern)
}

#[cfg(test)]
mod exact_tests;
#[cfg(test)]
mod tests;
