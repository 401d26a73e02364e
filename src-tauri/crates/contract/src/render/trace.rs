//! Findings of each stage of a judgment.

use super::cause::elevated;
use super::missing_network;
use super::sentence::Sentence;
use crate::piece::ShownText;
use postern_policy::{Confinement, Decision, Denied, Security, StageFinding};

/// Returns what a stage found, in one sentence to the user.
pub fn finding_sentence(found: &StageFinding) -> ShownText {
    let sentence = match found {
        StageFinding::Cause(cause) => return super::cause_sentence(cause),
        StageFinding::Decided { decision, cause } => Sentence::new(match decision {
            Decision::Allow => "Allow. ",
            Decision::Ask => "Ask. ",
            Decision::Deny => "Deny. ",
        })
        .append(super::cause_sentence(cause)),
        StageFinding::Read { shell, steps, clear } => {
            let kind = Sentence::new(if *shell { "Shell text with " } else { "" }).number(*steps);
            let counted = kind.literal(if *steps == 1 { " command, " } else { " commands, " });
            counted.literal(if *clear { "understood in full." } else { "not understood in full." })
        }
        StageFinding::NoneDenies => Sentence::new("No rule denies it."),
        StageFinding::NotInCore => Sentence::new("No built-in rule denies it."),
        StageFinding::NoneMatches => Sentence::new("No rule denies any part of it."),
        StageFinding::MayUseHost => Sentence::new("This session can run commands on the host."),
        StageFinding::ShellOpen => Sentence::new("Nothing closes the agent’s own shell."),
        StageFinding::AllNamed => Sentence::new("Protected places are touched, and each is named."),
        StageFinding::Elevated(elevation) => Sentence::new(elevated(*elevation)),
        StageFinding::EveryStep => Sentence::new("Each command is looked up by itself."),
        StageFinding::Program { name, path } => Sentence::filled("{} is {}.", &[name, path]),
        StageFinding::NotLookedUp { name } => Sentence::filled("{} is not looked up.", &[name]),
        StageFinding::Security(security) => Sentence::new(match security {
            Security::Deny => "This agent may run nothing.",
            Security::Allowlist => "This agent may run what is allowed.",
            Security::Full => "This agent may run everything.",
        }),
        StageFinding::Confinement(confinement) => confined(confinement),
        StageFinding::Managed(names) => super::cause::policies(names).literal(" applied."),
        StageFinding::Touched { place, named } => {
            let line = if *named { "a line" } else { "no line" };
            Sentence::filled("It touches {}, and ", &[place]).literal(line).literal(" names it.")
        }
        StageFinding::Said(text) => Sentence::default().fragment(text),
    };
    sentence.pieces()
}

/// Adds the files that deny rules keep from a confined run.
fn kept_from(mut sentence: Sentence, denied: &Denied) -> Sentence {
    for (texts, what) in [(&denied.read, " It can’t read "), (&denied.write, " It can’t write ")] {
        if !texts.is_empty() {
            sentence = sentence.literal(what).code_list(texts).literal(".");
        }
    }
    sentence
}

/// Tells of the confinement of a run.
fn confined(confinement: &Confinement) -> Sentence {
    match confinement {
        Confinement::None => Sentence::new("Runs with your full access."),
        Confinement::Look { folders, reads, denied } => {
            let begun = Sentence::new("Confined: it reads ")
                .code_list(&[folders.as_slice(), reads].concat())
                .literal(" and the system’s files, writes nothing, and has no network.");
            kept_from(begun, denied)
        }
        Confinement::Project { folders, network, loopback, reads, denied, .. } => {
            let network = missing_network(*network, *loopback).unwrap_or("the network");
            let begun = Sentence::new("Confined: it writes in ")
                .code_list(folders)
                .literal(" except protected places, reads those, ");
            let further = if reads.is_empty() { begun } else { begun.code_list(reads).literal(", ") };
            let whole = further.literal("and the system’s files, and has ").literal(network).literal(".");
            kept_from(whole, denied)
        }
    }
}
