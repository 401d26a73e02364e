//! Findings of each stage of a judgment.

use super::cause::elevated;
use super::missing_network;
use super::sentence::Sentence;
use crate::piece::ShownText;
use postern_policy::{Confinement, Decision, Denied, Security, StageFinding};

/// Returns what a stage found, in one sentence.
pub fn finding_sentence(found: &StageFinding) -> ShownText {
    let sentence = match found {
        StageFinding::Cause(cause) => return super::cause_sentence(cause),
        StageFinding::Decided { decision, cause } => Sentence::new(match decision {
            Decision::Allow => "allow: ",
            Decision::Ask => "ask: ",
            Decision::Deny => "deny: ",
        })
        .append(super::cause_sentence(cause)),
        StageFinding::Read { shell, steps, clear } => {
            let kind = Sentence::new(if *shell { "shell text, " } else { "argv, " }).number(*steps);
            let counted = kind.literal(if *steps == 1 { " step, " } else { " steps, " });
            counted.literal(if *clear { "understood in full." } else { "not understood in full." })
        }
        StageFinding::NoneDenies => Sentence::new("none denies."),
        StageFinding::NotInCore => Sentence::new("nothing of the built-in core."),
        StageFinding::NoneMatches => Sentence::new("none matches, at any depth."),
        StageFinding::MayUseHost => Sentence::new("this session may use `system.run`."),
        StageFinding::ShellOpen => Sentence::new("nothing closes the agent's own shell."),
        StageFinding::AllNamed => Sentence::new("protected places are touched, and each is named."),
        StageFinding::Elevated(elevation) => Sentence::new(elevated(*elevation)),
        StageFinding::EveryStep => Sentence::new("shell text: every step is looked up by itself."),
        StageFinding::Program { name, path } => {
            Sentence::default().code(name).literal(" is ").code(path).literal(".")
        }
        StageFinding::NotLookedUp { name } => Sentence::default().code(name).literal(" is not looked up."),
        StageFinding::Security(security) => Sentence::new(match security {
            Security::Deny => "security: deny.",
            Security::Allowlist => "security: allowlist.",
            Security::Full => "security: full.",
        }),
        StageFinding::Confinement(Confinement::None) => Sentence::new("none: it would run as you do."),
        StageFinding::Confinement(Confinement::Look { folders, reads, denied }) => {
            let begun = Sentence::new("look: it reads ")
                .code_list(&[folders.as_slice(), reads].concat())
                .literal(" and the system's files, writes nothing, and has no network.");
            kept_from(begun, denied)
        }
        StageFinding::Confinement(Confinement::Project {
            folders, network, loopback, reads, denied, ..
        }) => {
            let network = missing_network(*network, *loopback).unwrap_or("the network");
            let begun = Sentence::new("project: it writes in ")
                .code_list(folders)
                .literal(" except protected places, reads those, ");
            let further = if reads.is_empty() { begun } else { begun.code_list(reads).literal(", ") };
            let whole = further.literal("and the system's files, and has ").literal(network).literal(".");
            kept_from(whole, denied)
        }
        StageFinding::Touched { place, named } => {
            let words = if *named { ", and a line names it." } else { ", and no line names it." };
            Sentence::new("it touches ").code(place).literal(words)
        }
        StageFinding::Said(text) => Sentence::default().fragment(text),
    };
    sentence.pieces()
}

/// Adds the files that deny rules keep from a confined run.
fn kept_from(mut sentence: Sentence, denied: &Denied) -> Sentence {
    for (texts, what) in [(&denied.read, " It can't read "), (&denied.write, " It can't write ")] {
        if !texts.is_empty() {
            sentence = sentence.literal(what).code_list(texts).literal(".");
        }
    }
    sentence
}
