//! Findings of each stage of a judgment.

use super::cause::elevated;
use super::missing_network;
use super::sentence::Sentence;
use crate::piece::Shown;
use postern_policy::{Confinement, Decision, Denied, Found, Security};

/// Returns what a stage found, in one sentence.
pub fn found(found: &Found) -> Shown {
    let sentence = match found {
        Found::Cause(cause) => return super::cause(cause),
        Found::Decided { decision, cause } => Sentence::new(match decision {
            Decision::Allow => "allow: ",
            Decision::Ask => "ask: ",
            Decision::Deny => "deny: ",
        })
        .then(super::cause(cause)),
        Found::Read { shell, steps, clear } => {
            let kind = Sentence::new(if *shell { "shell text, " } else { "argv, " }).number(*steps);
            let counted = kind.say(if *steps == 1 { " step, " } else { " steps, " });
            counted.say(if *clear { "understood in full." } else { "not understood in full." })
        }
        Found::NoneDenies => Sentence::new("none denies."),
        Found::NotInCore => Sentence::new("nothing of the built-in core."),
        Found::NoneMatches => Sentence::new("none matches, at any depth."),
        Found::MayUseHost => Sentence::new("this session may use `system.run`."),
        Found::ShellOpen => Sentence::new("nothing closes the agent's own shell."),
        Found::AllNamed => Sentence::new("protected places are touched, and each is named."),
        Found::Elevated(elevation) => Sentence::new(elevated(*elevation)),
        Found::EveryStep => Sentence::new("shell text: every step is looked up by itself."),
        Found::Program { name, path } => Sentence::default().code(name).say(" is ").code(path).say("."),
        Found::NotLookedUp { name } => Sentence::default().code(name).say(" is not looked up."),
        Found::Security(security) => Sentence::new(match security {
            Security::Deny => "security: deny.",
            Security::Allowlist => "security: allowlist.",
            Security::Full => "security: full.",
        }),
        Found::Confinement(Confinement::None) => Sentence::new("none: it would run as you do."),
        Found::Confinement(Confinement::Look { folders, reads, denied }) => {
            let begun = Sentence::new("look: it reads ")
                .list(&[folders.as_slice(), reads].concat())
                .say(" and the system's files, writes nothing, and has no network.");
            kept_from(begun, denied)
        }
        Found::Confinement(Confinement::Project { folders, network, loopback, reads, denied, .. }) => {
            let network = missing_network(*network, *loopback).unwrap_or("the network");
            let begun = Sentence::new("project: it writes in ")
                .list(folders)
                .say(" except protected places, reads those, ");
            let further = if reads.is_empty() { begun } else { begun.list(reads).say(", ") };
            let whole = further.say("and the system's files, and has ").say(network).say(".");
            kept_from(whole, denied)
        }
        Found::Touched { place, named } => {
            let words = if *named { ", and a line names it." } else { ", and no line names it." };
            Sentence::new("it touches ").code(place).say(words)
        }
        Found::Said(text) => Sentence::default().fragment(text),
    };
    sentence.pieces()
}

/// Adds the files that deny rules keep from a confined run.
fn kept_from(mut sentence: Sentence, denied: &Denied) -> Sentence {
    for (texts, what) in [(&denied.read, " It can't read "), (&denied.write, " It can't write ")] {
        if !texts.is_empty() {
            sentence = sentence.say(what).list(texts).say(".");
        }
    }
    sentence
}
