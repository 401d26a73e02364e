//! Allow rules: what a step needs so that one covers it, or a line of the file.

use super::against::allowing_entry;
use super::limits;
use super::outcome::{StepOutcome, entry_ref, named_entry};
use super::places::is_held_in_place;
use super::sent::sends_to_own_server;
use super::subject::StepSubject;
use super::surroundings;
use crate::agent::AgentPolicy;
use crate::cause::{Cause, ContentDifference, Difference, Gap, PinMismatch, SignerDifference};
use crate::decision::{Decision, Reason};
use crate::facts::{Facts, Input};
use crate::needed::folders_of;
use crate::path;
use crate::pattern::is_glob;
use crate::rule::{Identity, Pattern, Rule, RuleId, RuleInput, Signature, Source};
use crate::ruleset::{Compiled, CompiledRules};
use postern_command::{ArgEffect, Dir, Power, Redirection, RedirectionKind, Role, Step, UnsafeArg};

/// Result of the allow rules for a step.
#[derive(Debug)]
pub(super) enum Coverage<'a> {
    Covered(&'a Rule),
    /// This rule's pattern matches, but the program or script is not the one it was approved with.
    Changed(&'a Rule, PinMismatch),
    /// This rule matches, but depends on this file, which the agent can change until it runs.
    NotHeld(&'a Rule, String),
    /// A rule's pattern matches and does not cover it for this reason.
    Close(&'a Rule, Gap),
    /// No rule matches.
    Nothing,
}

/// Returns the result of the agent's allow rules without a profile for a step that has no obstacle.
pub(super) fn coverage<'a>(
    policy: &'a AgentPolicy,
    subject: &StepSubject<'_>,
    facts: &Facts<'_>,
) -> Coverage<'a> {
    coverage_by(policy, subject, facts, |_| true)
}

/// Returns what some of the allow rules without a profile say about a step.
pub(super) fn coverage_by<'a>(
    policy: &'a AgentPolicy,
    subject: &StepSubject<'_>,
    facts: &Facts<'_>,
    counts: impl Fn(&Rule) -> bool,
) -> Coverage<'a> {
    let mut best = (3, RuleId::MAX, Coverage::Nothing);
    for (rule, named) in policy.rules.compiled_parts().flat_map(|part| candidates(part, subject)) {
        if rule.rule.confine.is_some()
            || !counts(&rule.rule)
            || !rule.is_in_force(facts)
            || is_idle_skill(&rule.rule, policy, subject)
        {
            continue;
        }
        let said = weigh_rule(rule, named, subject, facts);
        let rank = match &said {
            Coverage::Covered(_) => 0,
            Coverage::Changed(..) | Coverage::NotHeld(..) => 1,
            Coverage::Close(..) => 2,
            Coverage::Nothing => continue,
        };
        if (rank, rule.rule.id) < (best.0, best.1) {
            best = (rank, rule.rule.id, said);
        }
    }
    best.2
}

/// Returns true if a skill's rule allows nothing here: the agent may not use skills, or skills may not bring
/// this program.
fn is_idle_skill(rule: &Rule, policy: &AgentPolicy, subject: &StepSubject<'_>) -> bool {
    let served = || {
        let names = subject.program().map(|program| [&program.path, &program.real_path]);
        names.into_iter().flatten().all(|path| crate::skill::may_serve_skill(path))
    };
    matches!(rule.source, Source::Skill(_)) && !(policy.settings.allow_skills && served())
}

/// Returns rules that may match, each with whether it names the program as the step does. The others match only
/// the file that was found.
fn candidates<'a>(
    part: &'a CompiledRules,
    subject: &StepSubject<'_>,
) -> impl Iterator<Item = (&'a Compiled, bool)> {
    let mut named = Vec::new();
    collect_named(part, subject, &mut named);
    let mut found = named.clone();
    collect_found(part, subject, &mut found);
    found.sort_unstable();
    found.dedup();
    found.into_iter().map(move |at| (part.get(at), named.contains(&at)))
}

fn collect_named(part: &CompiledRules, subject: &StepSubject<'_>, found: &mut Vec<usize>) {
    let index = part.allow_index();
    index.by_argv(subject.elevated.as_ref().unwrap_or(&subject.words), found);
    if let Some(elevated) = &subject.elevated {
        // More rights are covered only by a rule that names them: the wrapper is the command's first word.
        if let Some(Some(first)) = elevated.first() {
            index.by_first_word(first, found);
        }
        return;
    }
    if let Some(name) = subject.step.program() {
        index.by_first_word(name, found);
    }
    if let Some(program) = subject.program() {
        index.by_path(&part.allow_key(&program.path), found);
    }
}

fn collect_found(part: &CompiledRules, subject: &StepSubject<'_>, found: &mut Vec<usize>) {
    let index = part.allow_index();
    if subject.elevated.is_some() {
        return;
    }
    if let Some(program) = subject.program() {
        if program.real_path != program.path {
            index.by_path(&part.allow_key(&program.real_path), found);
        }
        if let Some(identity) = &program.identity {
            index.by_proven_identity(identity, found);
        }
    }
}

/// Returns true if a step does what a rule with limits showed, wherever it runs and whatever program its words name there.
pub(super) fn is_within_limits(rule: &Compiled, subject: &StepSubject<'_>, facts: &Facts<'_>) -> bool {
    matches_words(rule, subject) && gap_in_words(rule, subject, facts).is_none()
}

/// Weighs one rule; `named` is true if it names the program as the step does.
fn weigh_rule<'a>(
    rule: &'a Compiled,
    named: bool,
    subject: &StepSubject<'_>,
    facts: &Facts<'_>,
) -> Coverage<'a> {
    // Only the request's own folder is held open; the agent may exchange another one meanwhile.
    let folder = (subject.step.dir == Dir::Same).then(|| path::normal(facts.cwd));
    let words = subject.elevated.as_ref().unwrap_or(&subject.words);
    if !matches_words(rule, subject)
        || rule
            .args
            .as_ref()
            .is_some_and(|args| !args.matches(words.get(1..).unwrap_or_default(), folder.as_deref()))
    {
        return Coverage::Nothing;
    }
    if let Some(problem) = elsewhere(rule, subject, facts).or_else(|| gap_in_words(rule, subject, facts)) {
        return Coverage::Close(&rule.rule, problem);
    }
    match pin_problem(&rule.rule, subject) {
        PinState::Holds => match not_held(&rule.rule, named, subject) {
            Some(file) => Coverage::NotHeld(&rule.rule, file),
            None => Coverage::Covered(&rule.rule),
        },
        PinState::Changed(what) => Coverage::Changed(&rule.rule, what),
        PinState::OtherScript => Coverage::Nothing,
    }
}

/// Returns true if the step's words are those of a rule's command, if it has one.
fn matches_words(rule: &Compiled, subject: &StepSubject<'_>) -> bool {
    let words = subject.elevated.as_ref().unwrap_or(&subject.words);
    rule.command.as_ref().is_none_or(|command| {
        let program = words.len() - subject.words.len();
        // What an offer saved covers no more than it showed.
        let narrow = rule.rule.limits.is_some();
        let matches = if narrow { command.matches_with_numbers(words) } else { command.matches(words) };
        matches && (0..=program).all(|at| command.names_word(at))
    })
}

/// Returns why a rule whose words match a step does not cover it, with its input and its arguments.
fn gap_in_words(rule: &Compiled, subject: &StepSubject<'_>, facts: &Facts<'_>) -> Option<Gap> {
    let gap = with_input(&rule.rule, subject, facts).or_else(|| surroundings::gap(&rule.rule, subject));
    gap.or_else(|| too_wide(rule, subject)).or_else(|| {
        let limits = rule.rule.limits.as_deref()?;
        if !limits.hold_effects() {
            return limits::gap_of_hooks(limits, facts, subject);
        }
        limits::beyond(limits, matches!(rule.rule.pattern, Pattern::Exact(_)), facts, subject)
    })
}

/// Returns why a rule for a folder does not hold where the step runs.
fn elsewhere(rule: &Compiled, subject: &StepSubject<'_>, facts: &Facts<'_>) -> Option<Gap> {
    let folder = rule.rule.folder.clone()?;
    if subject.step.dir != Dir::Same {
        let is_there = rule.rule.holds_effects() && is_reached_there(rule, subject, facts);
        return (!is_there).then_some(Gap::FolderChanges { folder });
    }
    if rule.holds_in(facts.cwd, facts.case_insensitive) {
        return None;
    }
    Some(Gap::OtherFolder { folder, cwd: facts.cwd.to_owned() })
}

/// Returns true if the line itself moves to folders in which a rule holds.
///
/// Over no link that leads elsewhere, and into folders that the agent cannot exchange.
fn is_reached_there(rule: &Compiled, subject: &StepSubject<'_>, facts: &Facts<'_>) -> bool {
    let Some(folders) = folders_of(facts.cwd, &subject.step.dir) else { return false };
    let holds = |folder: &str| rule.holds_in(folder, facts.case_insensitive);
    let targets = || facts.steps.iter().flat_map(|found| &found.targets);
    let stays = |folder: &String| {
        let mut led = targets().filter(|target| path::join_path(facts.cwd, &target.written) == *folder);
        led.all(|target| holds(&target.real))
    };
    is_held_in_place(facts, &subject.step.dir) && folders.iter().all(|folder| holds(folder) && stays(folder))
}

/// Returns why a rule does not cover the step's input.
pub(super) fn with_input(rule: &Rule, subject: &StepSubject<'_>, facts: &Facts<'_>) -> Option<Gap> {
    if let Some(code) = super::code::on_input(subject.step) {
        let same = matches!(&rule.input, RuleInput::Text(covered) if covered.eq_ignore_ascii_case(&code));
        return (!same && !rule.broad).then_some(Gap::OtherInput);
    }
    if subject.reads_input_as_data() {
        return None;
    }
    if let Some(gap) = with_text(rule, subject, facts) {
        return Some(gap);
    }
    match (facts.input, &rule.input) {
        (Input::Nothing, _) | (_, RuleInput::Any) => None,
        (Input::Text(given), RuleInput::Text(covered)) if given.eq_ignore_ascii_case(covered) => None,
        (Input::Text(_), RuleInput::Text(_)) => Some(Gap::OtherInput),
        (Input::Text(_), RuleInput::Nothing) => Some(Gap::NoInput),
        (Input::Stream, _) => Some(Gap::StreamedInput),
    }
}

/// Returns why a rule from an offer does not cover the text that the line itself feeds the step.
///
/// To a program that takes text it may be a list of files; to another it may be commands.
fn with_text(rule: &Rule, subject: &StepSubject<'_>, facts: &Facts<'_>) -> Option<Gap> {
    let saved = rule.limits.is_some() || matches!(rule.pattern, Pattern::Exact(_));
    if !saved || rule.input == RuleInput::Any || !is_fed_text(subject.step) {
        return None;
    }
    if subject.step.program().is_some_and(postern_command::takes_text) {
        return limits::named_on_input(subject, facts);
    }
    match (super::code::text_on_input(subject.step), &rule.input) {
        (Some(given), RuleInput::Text(covered)) if given.eq_ignore_ascii_case(covered) => None,
        (_, RuleInput::Text(_)) => Some(Gap::OtherInput),
        (..) => Some(Gap::NoInput),
    }
}

/// Returns true for a program that has a here-string or a here-document on its input.
pub(crate) fn is_fed_text(step: &Step) -> bool {
    let here = |redirection: &Redirection| redirection.kind == RedirectionKind::Here;
    step.role == Role::Program && step.redirections.iter().any(here)
}

/// Returns the reason why a rule that matches is too wide for this step.
fn too_wide(rule: &Compiled, subject: &StepSubject<'_>) -> Option<Gap> {
    if rule.is_glob && subject.carries_others() {
        return Some(Gap::StartsOthers);
    }
    if rule.is_glob && subject.program().is_some_and(|program| program.setuid) {
        return Some(Gap::OtherUser);
    }
    // Limits look at the places themselves.
    let sent = |way: &UnsafeArg| way.effect == ArgEffect::Sends && sends_to_own_server(subject.step);
    let bounded =
        |way: &UnsafeArg| rule.rule.limits.is_some() && (limits::is_bound_by_limits(way) || sent(way));
    let ways = subject.step.ways_out.iter().filter(|way| !bounded(way));
    let unnamed = { ways }.find(|way| !names_word(rule, way.argument, subject));
    if let Some(way) = unnamed {
        return Some(Gap::UnsafeArg(way.fact().clone()));
    }
    let write = subject.step.redirections.iter().find(|redirection| redirection.writes());
    match write {
        Some(redirection) if !rule.rule.allow_writes || redirection.target.value.is_none() => {
            Some(Gap::Writes { target: target(redirection) })
        }
        Some(_) | None => None,
    }
}

pub(super) fn target(redirection: &Redirection) -> String {
    redirection.target.value.clone().unwrap_or_else(|| redirection.target.raw.clone())
}

/// Returns true if the rule names the word at this place of the argv literally.
fn names_word(rule: &Compiled, at: usize, subject: &StepSubject<'_>) -> bool {
    let before = subject.elevated.as_ref().map_or(0, |all| all.len() - subject.words.len());
    let at = at + before;
    match (&rule.rule.pattern, &rule.command, &rule.args) {
        (Pattern::Exact(_), _, _) => true,
        (_, Some(command), _) => command.names_word(at),
        (_, None, Some(args)) => at > 0 && args.names_argument(at - 1),
        (_, None, None) => false,
    }
}

/// Returns the file that the rule depends on and that the agent can change.
///
/// That is the pinned program or script, or the target of a path that the rule does not name.
fn not_held(rule: &Rule, named: bool, subject: &StepSubject<'_>) -> Option<String> {
    let pin = rule.pin.as_ref();
    let script = pin.and_then(|pin| pin.script.as_ref()).and(subject.found.script.as_ref());
    if let Some(script) = script.filter(|script| script.agent_can_change) {
        return Some(script.written.clone());
    }
    let rests = pin.is_some() || !named;
    let program = subject.program().filter(|program| rests && program.agent_can_change);
    program.map(|program| program.invoked.clone())
}

enum PinState {
    Holds,
    Changed(PinMismatch),
    OtherScript,
}

fn pin_problem(rule: &Rule, subject: &StepSubject<'_>) -> PinState {
    let Some(pin) = &rule.pin else {
        return if matches!(rule.source, Source::Skill(_)) {
            PinState::Changed(PinMismatch::NotApproved)
        } else {
            PinState::Holds
        };
    };
    if let Some(wanted) = &pin.script {
        match &subject.found.script {
            Some(script) if script.real_path == wanted.path => {
                if !script.identity.sha256.eq_ignore_ascii_case(&wanted.sha256) {
                    return PinState::Changed(PinMismatch::Script { path: wanted.path.clone() });
                }
            }
            Some(_) | None => return PinState::OtherScript,
        }
    }
    match subject.program().and_then(|program| program.identity.as_ref()) {
        Some(now) if pin.holds(now) => PinState::Holds,
        Some(now) => PinState::Changed(PinMismatch::Program(changes(&pin.program, now))),
        None => PinState::Changed(PinMismatch::Unidentified),
    }
}

/// Returns how two identities of a program differ.
pub fn changes(was: &Identity, now: &Identity) -> Difference {
    let content = match (&was.version, &now.version) {
        (Some(was), Some(now)) if was != now => {
            ContentDifference::Versions { was: was.clone(), now: now.clone() }
        }
        (Some(version), Some(_)) => ContentDifference::SameVersion(version.clone()),
        (Some(_) | None, _) => {
            let short = |hash: &str| hash.chars().take(8).collect::<String>();
            ContentDifference::Hashes { was: short(&was.sha256), now: short(&now.sha256) }
        }
    };
    let team = |identity: &Identity| identity.signature.as_ref().and_then(Signature::signer);
    let signer = match (team(was), team(now)) {
        (Some(was), Some(now)) if was == now => Some(SignerDifference::Same),
        (Some(_), Some(_)) => Some(SignerDifference::Another),
        (Some(_), None) => Some(SignerDifference::Lost),
        (None, Some(_)) => Some(SignerDifference::New),
        (None, None) => None,
    };
    Difference { content, signer }
}

/// Returns true if a rule describes programs by a glob.
pub(crate) fn describes(rule: &Rule) -> bool {
    matches!(&rule.pattern, Pattern::Path(text) if is_glob(text))
}

/// Returns true if the file's last match allows it, with the same limits that rules have.
pub(super) fn by_file(
    policy: &AgentPolicy,
    facts: &Facts<'_>,
    subject: &StepSubject<'_>,
) -> Option<StepOutcome> {
    let entry = allowing_entry(policy, facts, subject.own_words())?;
    let words = entry.command()?;
    let describes = entry.is_catch_all() || !words.names_word(0);
    let unnamed = subject.step.ways_out.iter().any(|way| !words.names_word(way.argument));
    let elevated = subject.step.via.iter().any(|via| via.power != Power::Transparent);
    let writes = subject.step.writes_by_redirection();
    if elevated || writes || unnamed || (describes && subject.carries_others()) {
        return None;
    }
    let cause = Cause::Rule(named_entry(entry));
    Some(StepOutcome::new(Decision::Allow, Reason::Rule, cause).with_rule(entry_ref(entry)))
}
