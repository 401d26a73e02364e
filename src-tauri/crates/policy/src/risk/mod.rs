//! How careful a person should be: a level with reasons in plain words. Risk explains and orders; it never allows.

mod dangerous;
mod machine;
mod outside;
mod seen;

pub use dangerous::Danger;
pub use seen::Seen;

use crate::cause::RiskReason;
use crate::facts::Facts;
use crate::path;
use crate::verdict::{Risk, RiskLevel};
use postern_command::{Class, Power, Role, Step, class_of, escape};

/// Commands of a text that was not understood which are weighed. A text with more is dangerous for that alone.
const MOST_WEIGHED: usize = 1_000;

/// Every pattern of commands to be careful about.
pub fn patterns() -> impl Iterator<Item = &'static Danger> {
    dangerous::PATTERNS.iter().chain(machine::PATTERNS).chain(outside::PATTERNS)
}

/// Weighs a request. The weightiest reason comes first, none twice.
pub fn assess(facts: &Facts<'_>) -> Risk {
    let mut dangers: Vec<RiskReason> = Vec::new();
    let mut reviews: Vec<RiskReason> = Vec::new();
    let steps = &facts.reading.steps;
    for step in steps {
        let reads = only_reads(step);
        for seen in seen::of_step(step) {
            hits(&seen, reads, &mut dangers, &mut reviews);
        }
        review(step, &mut reviews);
    }
    dangers.extend(runs_what_it_fetched(steps));
    dangers.extend(looks_like_something_else(&facts.reading.text));
    let opaque = facts.reading.opaque.iter().chain(steps.iter().filter_map(|step| step.opaque.as_ref()));
    let mut left = MOST_WEIGHED;
    for part in opaque {
        reviews.push(RiskReason::Unparsed(part.note().clone()));
        if part.candidates.len() > left {
            dangers.push(RiskReason::TooManyCommands);
        }
        for seen in part.candidates.iter().take(left).filter_map(|argv| Seen::of_words(argv)) {
            hits(&seen, false, &mut dangers, &mut reviews);
        }
        left = left.saturating_sub(part.candidates.len());
    }
    let level = if !dangers.is_empty() {
        RiskLevel::Dangerous
    } else if reviews.is_empty() {
        RiskLevel::Safe
    } else {
        RiskLevel::NeedsReview
    };
    let mut reasons = Vec::new();
    for reason in dangers.into_iter().chain(reviews) {
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    Risk { level, reasons }
}

/// Returns true if a step is dangerous by itself, or reads a secret by a redirection.
pub(crate) fn is_dangerous(step: &Step) -> bool {
    let reads = only_reads(step);
    let dangers = |seen: &Seen<'_>| {
        let counts = |danger: &&Danger| !reads || OF_READING.contains(&danger.id);
        patterns().filter(counts).any(|danger| danger.level == RiskLevel::Dangerous && (danger.test)(seen))
    };
    let words = step.redirections.iter().map(|redirection| &redirection.target);
    seen::of_step(step).iter().any(dangers)
        || words.map(|word| word.value.as_deref().unwrap_or(&word.raw)).any(dangerous::is_secret)
}

/// Dangers of reading. A command that only reads has no other, with any name and words.
const OF_READING: [&str; 2] = ["secrets", "keychain"];

/// Returns true if a step only reads by its words, and writes nothing.
fn only_reads(step: &Step) -> bool {
    step.ways_out.is_empty()
        && step.via.iter().all(|via| via.power == Power::Transparent)
        && !step.redirections.iter().any(postern_command::Redirection::writes)
        && step.literal_argv().is_some_and(|argv| postern_command::is_read_only(&argv))
}

fn hits(seen: &Seen<'_>, reads: bool, dangers: &mut Vec<RiskReason>, reviews: &mut Vec<RiskReason>) {
    let counts = |danger: &&Danger| !reads || OF_READING.contains(&danger.id);
    for hit in patterns().filter(counts).filter(|danger| (danger.test)(seen)) {
        let reasons = if hit.level == RiskLevel::Dangerous { &mut *dangers } else { &mut *reviews };
        reasons.push(RiskReason::Danger(hit.reason.into()));
    }
}

/// What is worth a look in a step that matches no dangerous pattern.
fn review(step: &Step, reasons: &mut Vec<RiskReason>) {
    if step.via.iter().any(|via| via.power == Power::Elsewhere) {
        reasons.push(RiskReason::Elsewhere);
    }
    for write in step.redirections.iter().filter(|redirection| redirection.writes()) {
        let target = write.target.value.as_deref().unwrap_or(&write.target.raw);
        reasons.push(RiskReason::Writes { target: target.to_owned() });
    }
    reasons.extend(step.ways_out.iter().map(|way| RiskReason::UnsafeArg(way.fact().clone())));
    if step.role != Role::Program {
        return;
    }
    let Some(name) = step.program() else {
        reasons.push(RiskReason::ProgramUnknown);
        return;
    };
    let reads = step.literal_argv().is_some_and(|argv| postern_command::is_read_only(&argv));
    if !reads {
        let program = name.to_owned();
        reasons.push(match class_of(path::base_name(name)) {
            Class::Shell | Class::Interpreter => RiskReason::RunsCode { program },
            Class::Wrapper | Class::Multicall => RiskReason::Starts { program },
            Class::Ordinary => RiskReason::CanChange { program },
        });
    }
}

/// A name that a reader takes for another one.
fn looks_like_something_else(text: &str) -> Option<RiskReason> {
    let token = escape::lookalikes(text).next()?;
    let text = text[token.span.clone()].to_owned();
    Some(match token.resemblance {
        escape::Resemblance::MixedScripts => RiskReason::MixedAlphabets { text },
        escape::Resemblance::Ascii(_) => RiskReason::LooksLikeAscii { text },
    })
}

/// A download or a decoded text that goes into a shell or an interpreter.
fn runs_what_it_fetched(steps: &[Step]) -> Option<RiskReason> {
    let base = |step: &Step| step.program().map(|name| path::fold(path::base_name(name)).into_owned());
    let fetch =
        |name: &str| ["curl", "wget", "fetch", "nc", "ncat", "base64", "xxd", "openssl"].contains(&name);
    let first = steps.iter().position(|step| base(step).is_some_and(|name| fetch(&name)))?;
    let runs = |step: &Step| {
        let class = step.program().map_or(Class::Ordinary, |name| class_of(path::base_name(name)));
        matches!(class, Class::Shell | Class::Interpreter) && step.script.is_none()
    };
    steps[first + 1..].iter().any(runs).then_some(RiskReason::RunsDownload)
}

#[cfg(test)]
mod each_way;
#[cfg(test)]
mod tests;
