//! Risk of a request: effects with their reach, and a level from one table. Risk explains and orders; it
//! never allows.

mod code;
mod level;
mod named;
mod scope;

pub use level::RiskLevel;
pub use named::NamedFiles;

use crate::facts::{Facts, StepFacts};
use crate::needed::{folder_of, folders_of};
use crate::path;
use crate::protected::{ProtectedPlaces, Protection};
use crate::shell_touch::ShellTouch;
use crate::subject::Subject;
use postern_command::effect::{effects_of, effects_of_command, effects_of_words, is_setting};
use postern_command::{
    CommandEffect, Dir, EffectScope, Reversible, Step, StepEffect, UnknownEffectReason, UnparsedSpan, escape,
};
use scope::PathContext;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Commands of a text that was not understood which are weighed. A text with more is dangerous for that alone.
const MOST_WEIGHED: usize = 1_000;

/// Effects that are kept, the most consequential ones.
const MOST_KEPT: usize = 24;

/// An effect with its reach, and how careful it asks to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RatedEffect {
    #[serde(flatten)]
    pub effect: CommandEffect,
    pub scope: EffectScope,
    pub reversible: Reversible,
    pub level: RiskLevel,
    /// Index of its step; `None` for a part that belongs to no step.
    pub step: Option<usize>,
    /// Span in the request's text: first byte and byte after the last.
    pub span: (usize, usize),
    /// True if a part that was not understood may have it.
    #[serde(default)]
    pub guessed: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<EffectExtent>,
    /// Names of its files in place of its words, if something else gives them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub named: Option<NamedFiles>,
}

impl RatedEffect {
    /// Returns true if it runs code here or on another machine: its step's words say nothing of what that opens and reaches.
    pub(crate) fn runs_any_code(&self) -> bool {
        self.effect.runs_code() || matches!(self.effect, CommandEffect::RunElsewhere { .. })
    }
}

/// Measured extent of an effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EffectExtent {
    /// Commits of a push that the remote did not have when it was last looked at, and the address of the remote.
    Commits {
        ahead: u64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<String>,
    },
    /// Address of a remote or a registry, as the settings have it.
    Address { address: String },
    /// Files below the paths, with the bytes in them.
    Files { files: u64, bytes: u64 },
}

/// Risk of a request: it explains and orders; it never allows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Risk {
    pub level: RiskLevel,
    /// Effects, the most consequential first, none twice. Earlier versions recorded none.
    #[serde(default)]
    pub effects: Vec<RatedEffect>,
}

impl Risk {
    fn from_effects(mut effects: Vec<RatedEffect>) -> Self {
        let fetch = effects.iter().filter(|rated| matches!(rated.effect, CommandEffect::Fetch { .. }));
        let fetching: Vec<Option<usize>> = fetch.map(|rated| rated.step).collect();
        effects.sort_by_key(|rated| {
            // Of two writes the one of what comes from elsewhere leads.
            let is_local =
                matches!(rated.effect, CommandEffect::Write { .. }) && !fetching.contains(&rated.step);
            let rank = level::effect_rank(&rated.effect);
            (std::cmp::Reverse(rated.level), rated.guessed, rank, is_local, rated.step)
        });
        let mut kept: Vec<RatedEffect> = Vec::new();
        for rated in effects {
            let same = |other: &RatedEffect| {
                (&other.effect, other.scope, &other.named) == (&rated.effect, rated.scope, &rated.named)
            };
            if kept.len() < MOST_KEPT && !kept.iter().any(same) {
                kept.push(rated);
            }
        }
        let level = kept.first().map_or(RiskLevel::Safe, |rated| rated.level);
        Self { level, effects: kept }
    }

    /// Returns the same risk with protected places that the request touches, which lead.
    pub(crate) fn touching(mut self, touches: impl IntoIterator<Item = RatedEffect>) -> Self {
        self.effects.extend(touches);
        Self::from_effects(self.effects)
    }
}

/// Weighs a request.
pub fn assess(facts: &Facts<'_>) -> Risk {
    Weighed::new(facts).into_risk()
}

/// The effects of a request, before they are put in order.
#[derive(Debug)]
pub(crate) struct Weighed {
    /// Effects of each step, each with its reach.
    pub(crate) steps: Vec<Vec<RatedEffect>>,
    /// True for each step that is dangerous by itself, wherever its paths lie, or reads a secret.
    pub(crate) dangerous: Vec<bool>,
    /// Dangerous effects of commands in parts that were not understood.
    pub(crate) guessed: Vec<RatedEffect>,
    rest: Vec<RatedEffect>,
}

impl Weighed {
    pub(crate) fn new(facts: &Facts<'_>) -> Self {
        let reading = facts.reading;
        let of_step = |(at, step)| PathContext::of_step(facts, step, facts.steps.get(at));
        let places: Vec<PathContext<'_>> = reading.steps.iter().enumerate().map(of_step).collect();
        let rated = |(at, found): (usize, Vec<StepEffect>)| {
            let (step, place) = (&reading.steps[at], &places[at]);
            let hooks = facts.steps.get(at).into_iter().flat_map(|found| hook_effects(step, found));
            let found = found.into_iter().map(|found| with_files(found, step, facts.steps.get(at)));
            let found = found.chain(hooks).map(|found| with_folder(found, facts, step));
            found.map(|found| rate_effect(found, Some(at), place)).collect()
        };
        let unread = |part: &UnparsedSpan| {
            let why = UnknownEffectReason::Unparsed(part.note().clone());
            rate_effect(
                unknown(why, Reversible::Unknown, part.span.clone()),
                None,
                &PathContext::anywhere(facts),
            )
        };
        let parts = reading.steps.iter().filter_map(|step| step.opaque.as_ref());
        let unread = reading.opaque.iter().map(unread);
        let effects = effects_of_command(reading);
        let touched = ProtectedPlaces::of_home(facts.home).of_line(facts);
        let touched =
            touched.iter().filter(|touch| !touch.reads || !tells_names_only(&reading.steps[touch.step]));
        let mut guessed = candidate_effects(reading.opaque.iter().chain(parts), facts);
        for (step, place) in reading.steps.iter().zip(&places) {
            guessed.extend(code::effects_of_texts(reading, step, place));
        }
        Self {
            dangerous: effects.iter().map(|found| found.iter().any(is_dangerous)).collect(),
            steps: effects.into_iter().enumerate().map(rated).collect(),
            guessed,
            rest: unread
                .chain(looks_like_something_else(facts))
                .chain(touched.map(ShellTouch::effect))
                .collect(),
        }
    }

    /// Returns the risk of the request.
    pub(crate) fn into_risk(self) -> Risk {
        Risk::from_effects(self.steps.into_iter().flatten().chain(self.rest).chain(self.guessed).collect())
    }
}

/// Weighs an edit, a read, a fetch or another use of a tool in this folder.
pub fn assess_subject(subject: &Subject, cwd: Option<&str>, folders: &[String], home: &str) -> Risk {
    let place = PathContext::in_folder(cwd, folders, home);
    Risk::from_effects(subject.effects().into_iter().map(|found| rate_effect(found, None, &place)).collect())
}

/// Returns true if an effect is dangerous wherever its paths lie.
fn is_dangerous(found: &StepEffect) -> bool {
    let scope = found.scope.unwrap_or(EffectScope::Outside);
    level::effect_level(&found.effect, scope, found.reversible) == RiskLevel::Dangerous
}

/// Returns the effects of a step, each with its reach.
pub(crate) fn of_step(facts: &Facts<'_>, step: &Step, found: &StepFacts) -> Vec<RatedEffect> {
    let place = PathContext::of_step(facts, step, Some(found));
    let effects = effects_of(step).into_iter().map(|effect| with_files(effect, step, Some(found)));
    effects
        .chain(hook_effects(step, found))
        .map(|found| rate_effect(with_folder(found, facts, step), None, &place))
        .collect()
}

/// Returns an effect for each hook of the repository that a step runs, and each setting by which git starts a program.
fn hook_effects(step: &Step, found: &StepFacts) -> impl Iterator<Item = StepEffect> {
    found.hooks.iter().map(move |hook| StepEffect {
        effect: CommandEffect::RunProjectCode {
            what: if is_setting(hook) {
                "the program of the repository’s setting".into()
            } else {
                "the repository’s hook".into()
            },
            name: Some(hook.clone()),
            folder: None,
        },
        scope: Some(EffectScope::Inside),
        reversible: Reversible::Unknown,
        span: step.span.clone(),
    })
}

/// Returns true for a program that tells of files and opens none.
fn tells_names_only(step: &Step) -> bool {
    const NAMES_ONLY: [&str; 12] = [
        "[", "basename", "cd", "dirname", "du", "echo", "ls", "printf", "readlink", "realpath", "stat",
        "test",
    ];
    step.program().is_some_and(|name| NAMES_ONLY.contains(&path::base_name(name)))
}

/// Options by which `git checkout` makes a branch of the name, or takes it for a commit.
const MAKES_BRANCH: [&str; 8] = ["-b", "-B", "-d", "-t", "--detach", "--guess", "--orphan", "--track"];

/// Returns an effect as what it is where the name given to `git checkout` is a file: it discards changes.
fn with_files(effect: StepEffect, step: &Step, found: Option<&StepFacts>) -> StepEffect {
    let CommandEffect::ChangeRepository { names, folder, .. } = &effect.effect else { return effect };
    let has = |words: &[&str]| step.argv.iter().any(|word| words.iter().any(|one| word.raw == *one));
    let is_file = |name: &String| find_real_path(found, name).is_some();
    if step.program() != Some("git")
        || !has(&["checkout"])
        || has(&MAKES_BRANCH)
        || effect.reversible == Reversible::No
        || !names.iter().any(is_file)
    {
        return effect;
    }
    let (names, folder) = (names.clone(), folder.clone());
    let change = "discard changes in".into();
    StepEffect {
        effect: CommandEffect::ChangeRepository { change, names, folder },
        reversible: Reversible::No,
        ..effect
    }
}

/// Returns an effect with the folder that the line moved to, if a project or repository outside of the agent's folders is there.
fn with_folder(mut found: StepEffect, facts: &Facts<'_>, step: &Step) -> StepEffect {
    let (CommandEffect::RunProjectCode { folder, .. } | CommandEffect::ChangeRepository { folder, .. }) =
        &mut found.effect
    else {
        return found;
    };
    let own = |there: &str| facts.folders.iter().any(|own| path::is_within(there, own));
    let moved = step.dir != Dir::Same && folder.is_none();
    let there = moved.then(|| folder_of(facts.cwd, &step.dir)).flatten();
    if let Some(there) = there.filter(|there| !own(there)) {
        *folder = Some(path::from_home(&there, facts.home).into_owned());
        found.scope = found.scope.filter(|scope| *scope == EffectScope::Remote);
    }
    found
}

impl ShellTouch {
    pub(crate) fn effect(&self) -> RatedEffect {
        touch_effect(&self.word, self.place.protection, self.reads, Some(self.step))
    }
}

/// Returns the effect of touching a protected place.
pub(crate) fn touch_effect(
    path: &str,
    protection: Protection,
    reads: bool,
    step: Option<usize>,
) -> RatedEffect {
    let change = match protection {
        Protection::StartFile => "change what a shell or program runs when it starts:",
        Protection::Keys => "change keys or passwords:",
        Protection::Autostart => "change what the system starts by itself:",
        Protection::Repository => "change git’s configuration or hooks:",
        Protection::AgentSettings => "change settings or hooks of an agent:",
    };
    let effect = if reads {
        CommandEffect::UseSecret { how: "use keys or passwords from".into(), which: Some(path.to_owned()) }
    } else {
        CommandEffect::ChangeSystem { change: change.into(), names: vec![path.to_owned()] }
    };
    // What is read can't be taken back; what is written over may be written again.
    let reversible = if reads { Reversible::No } else { Reversible::Unknown };
    let (scope, level) = (EffectScope::Machine, RiskLevel::Dangerous);
    let (span, guessed, measured, named) = ((0, 0), false, None, None);
    RatedEffect { effect, scope, reversible, level, step, span, guessed, measured, named }
}

fn rate_effect(found: StepEffect, step: Option<usize>, place: &PathContext<'_>) -> RatedEffect {
    let StepEffect { effect, scope, reversible, span } = found;
    let scope = scope.unwrap_or_else(|| place.scope_of(effect.affected_paths()));
    let whole = matches!(effect, CommandEffect::Delete { .. }) && place.holds_all(effect.affected_paths());
    let level = if whole { RiskLevel::Dangerous } else { level::effect_level(&effect, scope, reversible) };
    let named = place.named(effect.affected_paths());
    let (span, guessed, measured) = ((span.start, span.end), false, None);
    RatedEffect { effect, scope, reversible, level, step, span, guessed, measured, named }
}

fn unknown(why: UnknownEffectReason, reversible: Reversible, span: std::ops::Range<usize>) -> StepEffect {
    StepEffect { effect: CommandEffect::Unknown { why }, scope: Some(EffectScope::Machine), reversible, span }
}

/// Returns what commands in parts that were not understood would do, as far as it is dangerous.
fn candidate_effects<'a>(
    parts: impl Iterator<Item = &'a UnparsedSpan>,
    facts: &Facts<'_>,
) -> Vec<RatedEffect> {
    let (mut all, mut left, place) = (Vec::new(), MOST_WEIGHED, PathContext::anywhere(facts));
    for part in parts {
        if part.candidates.len() > left {
            all.push(rate_effect(
                unknown(UnknownEffectReason::TooManyCommands, Reversible::No, part.span.clone()),
                None,
                &place,
            ));
        }
        for argv in part.candidates.iter().take(left) {
            let rated = effects_of_words(argv).into_iter().map(|found| rate_effect(found, None, &place));
            all.extend(rated.filter(|rated| rated.level == RiskLevel::Dangerous).map(|rated| RatedEffect {
                guessed: true,
                span: (part.span.start, part.span.end),
                ..rated
            }));
        }
        left = left.saturating_sub(part.candidates.len());
    }
    all
}

/// Returns a name that a reader takes for another one.
fn looks_like_something_else(facts: &Facts<'_>) -> Option<RatedEffect> {
    let text = &facts.reading.text;
    let token = escape::lookalikes(text).next()?;
    let shown = text[token.span.clone()].to_owned();
    let why = match token.resemblance {
        escape::Resemblance::MixedScripts => UnknownEffectReason::MixedAlphabets(shown),
        escape::Resemblance::Ascii(_) => UnknownEffectReason::LooksLikeAscii(shown),
    };
    Some(rate_effect(unknown(why, Reversible::No, token.span), None, &PathContext::anywhere(facts)))
}

/// Returns the step facts' paths as the system leads them.
fn find_real_path<'a>(found: Option<&'a StepFacts>, written: &str) -> Option<&'a str> {
    found?.targets.iter().find(|target| target.written == written).map(|target| target.real.as_str())
}

/// Returns the folder of a step, if it is known. Of several in an agent's folder that is the one nearest to the root.
fn folder<'a>(facts: &Facts<'a>, step: &Step) -> Option<Cow<'a, str>> {
    folder_of(facts.cwd, &step.dir).or_else(|| {
        let all = folders_of(facts.cwd, &step.dir)?;
        let inside = |one: &String| facts.folders.iter().any(|folder| path::is_within(one, folder));
        all.iter().all(inside).then(|| all.into_iter().min_by_key(String::len)).flatten().map(Cow::Owned)
    })
}

#[cfg(test)]
mod example_tests;
#[cfg(test)]
mod spelling_tests;
#[cfg(test)]
mod tests;
