//! Headline of a question: the most consequential effect as a sentence about the agent.

use super::effect::{
    effect_sentence, fetching, format_size, is_about_name, is_about_same, named_objects, phrase,
};
use super::files::{add_reach, objects};
use super::sentence::Sentence;
use crate::piece::ShownText;
use postern_command::effect::{EffectScope, is_git_clone, kept_names, path_words};
use postern_command::{CommandEffect, Words, asks_others, is_read_only};
use postern_policy::{EffectExtent, RatedEffect, Risk, RiskLevel, StepVerdict};

/// Effects that a headline names.
struct HeadlineEffects<'r> {
    first: &'r RatedEffect,
    /// Fetch of the step that also writes, or changes a repository: it says where that comes from.
    fetch: Option<&'r RatedEffect>,
    /// Another kind, if both are dangerous.
    second: Option<&'r RatedEffect>,
}

impl<'r> HeadlineEffects<'r> {
    fn of_risk(risk: &'r Risk) -> Option<Self> {
        let first = risk.effects.first()?;
        let takes = matches!(first.effect, CommandEffect::Write { .. })
            || matches!(first.effect, CommandEffect::ChangeRepository { .. })
                && first.scope != EffectScope::Remote;
        let fetches = |rated: &&RatedEffect| {
            matches!(rated.effect, CommandEffect::Fetch { .. }) && rated.step == first.step && !rated.guessed
        };
        let joined = takes && first.step.is_some() && !first.guessed;
        let fetch = risk.effects.iter().find(fetches).filter(|_| joined);
        Some(Self { first, fetch, second: second(risk) })
    }

    fn names_effect(&self, rated: &RatedEffect) -> bool {
        [Some(self.first), self.fetch, self.second].into_iter().flatten().any(|one| std::ptr::eq(one, rated))
    }

    /// Adds the first one, with where it comes from.
    fn add_first(&self, begun: Sentence, steps: &[StepVerdict]) -> Sentence {
        let argv = self.first.step.and_then(|at| steps.get(at)?.argv.as_deref()).unwrap_or_default();
        let kept = kept_names(argv);
        let verb = if is_git_clone(argv) { "clone from " } else { "download from " };
        match (&self.first.effect, self.fetch) {
            (CommandEffect::Write { paths }, Some(fetch)) => {
                let names = if paths.is_empty() { kept.as_deref() } else { Some(paths.as_slice()) };
                let said = add_destination(fetching(begun, verb, fetch), names);
                add_reach(said, self.first, paths)
            }
            (_, Some(fetch)) => {
                named_phrase(fetching(begun, "fetch from ", fetch).literal(" and "), self.first)
            }
            (CommandEffect::Fetch { .. }, None) if is_git_clone(argv) || kept.is_some() => {
                add_destination(fetching(begun, verb, self.first), kept.as_deref())
            }
            (CommandEffect::Fetch { from }, None) if from.is_empty() && self.only_asks(argv) => {
                let program = argv.first().map(String::as_str).unwrap_or_default();
                begun
                    .literal("look something up through ")
                    .code(program)
                    .literal(" without changing anything")
            }
            (CommandEffect::Write { paths } | CommandEffect::Delete { paths, .. }, None) => {
                match self.path_words(steps) {
                    Some(words) => {
                        let named = self.first.named.as_ref();
                        add_reach(named_objects(begun, &words, named, paths, "files"), self.first, paths)
                    }
                    None => named_phrase(begun, self.first),
                }
            }
            (_, None) => named_phrase(begun, self.first),
        }
    }

    /// Returns true if it is all that its step does: ask a service of which the address is not known, and change nothing.
    fn only_asks(&self, argv: &[String]) -> bool {
        let words: Vec<&str> = argv.iter().map(String::as_str).collect();
        let known: Vec<Option<&str>> = words.iter().copied().map(Some).collect();
        !self.first.guessed && self.first.measured.is_none() && is_read_only(&words) && asks_others(&known)
    }

    /// Returns the words for what its step writes or deletes. A step with a redirection may write the same file by it.
    fn path_words(&self, steps: &[StepVerdict]) -> Option<Words> {
        let step = steps.get(self.first.step?).filter(|step| !step.text.contains('>'))?;
        path_words(step.argv.as_deref()?, &self.first.effect)
    }
}

/// Adds an effect of a headline: what a dangerous deletion measures is said as its consequence.
fn named_phrase(begun: Sentence, rated: &RatedEffect) -> Sentence {
    if measured_loss(rated).is_some() {
        phrase(begun, &RatedEffect { measured: None, ..rated.clone() })
    } else {
        phrase(begun, rated)
    }
}

/// Returns what a dangerous deletion takes away, as a sentence; `None` unless it was measured.
pub(super) fn measured_loss(rated: &RatedEffect) -> Option<Sentence> {
    let CommandEffect::Delete { paths, .. } = &rated.effect else { return None };
    let Some(EffectExtent::Files { files, bytes }) = rated.measured else { return None };
    let is_certain = rated.level == RiskLevel::Dangerous && !rated.guessed;
    is_certain.then(|| {
        let begun = Sentence::new("Deletes ").quantity(files);
        let begun = begun.literal(if files == 1 { " file (" } else { " files (" });
        objects(begun.fragment(&format_size(bytes)).literal(") in "), paths, "folders").literal(".")
    })
}

/// Adds the files and folders that keep what is fetched: where there are no names, the folder of the run.
fn add_destination(said: Sentence, names: Option<&[String]>) -> Sentence {
    match names {
        None => said,
        Some([]) => said.literal(" into this folder"),
        Some(names) => objects(said.literal(" to "), names, "files"),
    }
}

/// Returns the most consequential effect as a sentence about the agent: `builder wants to push commits to origin`.
///
/// `steps` are those of the verdict: some words are better known from a command than from its effect.
pub fn headline(agent: &ShownText, risk: &Risk, steps: &[StepVerdict]) -> ShownText {
    let begun = Sentence::default().append(agent.clone());
    let Some(named) = HeadlineEffects::of_risk(risk) else {
        return begun.literal(" wants to run a harmless shell command").pieces();
    };
    let begun = begun.literal(if named.first.guessed {
        " wants to run a command that Postern can’t fully read, which may "
    } else {
        " wants to "
    });
    let said = named.add_first(begun, steps);
    match named.second {
        Some(second) => {
            // Behind a comma of its own, the first one would go on without one.
            let outside = named.first.scope == EffectScope::Outside;
            named_phrase(said.literal(if outside { ", and " } else { " and " }), second).pieces()
        }
        None => said.pieces(),
    }
}

/// Returns the other effect that a headline names: a second one that is dangerous as well.
fn second(risk: &Risk) -> Option<&RatedEffect> {
    let (first, rest) = risk.effects.split_first()?;
    let second = rest.iter().find(|other| !is_about_same(first, other))?;
    let both = [first, second].iter().all(|rated| rated.level == RiskLevel::Dangerous && !rated.guessed);
    // What a name looks like is no effect: it is among what makes it dangerous.
    (both && !is_about_name(&second.effect) && first.effect.kind() != second.effect.kind()).then_some(second)
}

/// Returns the effects that the headline does not name.
pub(super) fn unnamed_effects(risk: &Risk) -> impl Iterator<Item = &RatedEffect> {
    let named = HeadlineEffects::of_risk(risk);
    risk.effects.iter().filter(move |rated| named.as_ref().is_some_and(|named| !named.names_effect(rated)))
}

/// Returns the effects that need care and that the headline does not name, as sentences.
pub fn beyond_headline(risk: &Risk) -> Vec<ShownText> {
    unnamed_effects(risk).filter(|rated| rated.level != RiskLevel::Safe).map(effect_sentence).collect()
}
