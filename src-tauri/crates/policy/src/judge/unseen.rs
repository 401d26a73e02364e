//! Words of an unparsed span that no candidate command covers.
//!
//! They are in none of the commands that are guessed in it, or after so many others that a guess is cut off
//! before them. Rules that deny take a program's name anywhere in such a text for a doubt (see
//! [`super::doubt`]); so do the built-in denials here, if nothing else would ask.

use super::Judgement;
use super::core;
use super::outcome::StepOutcome;
use crate::advice::Advice;
use crate::cause::Cause;
use crate::decision::{Decision, Reason};
use crate::path;
use foldhash::HashMap;
use postern_command::CandidateCommand;

impl Judgement<'_> {
    /// Returns a question where the core may be about something that no guess shows.
    pub(super) fn unseen(&self) -> Option<StepOutcome> {
        let reading = self.facts.reading;
        let parts = reading.opaque.iter().chain(reading.steps.iter().filter_map(|step| step.opaque.as_ref()));
        let ways = reading.steps.iter().flat_map(|step| &step.ways_out).flat_map(|way| &way.candidates);
        let mut guesses = parts.flat_map(|part| &part.candidates).chain(ways).peekable();
        guesses.peek()?;
        let place = core::OwnFoldersView::new(&self.line, self.line.cwd);
        let is_guarded =
            |word: &str| core::is_about(&path::fold_case(path::base_name(word))) || place.is_named_by(word);
        // Guesses share their words, and each word is looked at once.
        let mut guarded: HashMap<*const String, Vec<usize>> = HashMap::default();
        for guess in guesses {
            if guess.is_partly() {
                return Some(asked_outcome(Cause::TooManyWords));
            }
            let Some(from) = guess.unseen_from() else { continue };
            let (words, _) = guess.shared_words();
            let all = guarded.entry(words.as_ptr()).or_insert_with(|| {
                let look = || self.line.meant_words(words, is_guarded);
                self.line.try_candidate(look).unwrap_or_else(|| (0..words.len()).collect())
            });
            if let Some(at) = all.get(all.partition_point(|at| *at < from)) {
                return Some(may_be_meant(&words[*at], guess));
            }
        }
        None
    }
}

fn may_be_meant(word: &str, guess: &CandidateCommand) -> StepOutcome {
    let program = guess.first().map(ToOwned::to_owned).unwrap_or_default();
    asked_outcome(Cause::BehindTooManyWords { word: word.to_owned(), program })
}

fn asked_outcome(cause: Cause) -> StepOutcome {
    StepOutcome::new(Decision::Ask, Reason::Opaque, cause).advise(Advice::Split).in_doubt()
}
