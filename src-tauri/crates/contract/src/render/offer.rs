//! Description of an offer.

use super::missing_network;
use super::sentence::Sentence;
use crate::piece::ShownText;
use crate::program_path::is_of_system;
use postern_policy::{OfferLabel, Offered, from_home};

/// Returns what an offer would save, without where it would hold. Paths below `home` begin with `~`.
pub fn offer_phrase(label: &OfferLabel, home: &str) -> ShownText {
    offer_sentence(label, home).pieces()
}

/// Returns what an offer would save, and where it would hold. Paths below `home` begin with `~`.
pub fn placed_offer(label: &OfferLabel, folder: Option<&str>, home: &str) -> ShownText {
    let offer = offer_sentence(label, home);
    let placed = match folder {
        Some(folder) => offer.literal(", in ").fragment(&from_home(folder, home)).literal(" and below"),
        None => offer.literal(", in any folder"),
    };
    placed.pieces()
}

fn offer_sentence(label: &OfferLabel, home: &str) -> Sentence {
    let path = |sentence: Sentence, path: &String| sentence.fragment(&from_home(path, home));
    let offered = |sentence: Sentence, one: &Offered| offered(sentence, one, home);
    match label {
        OfferLabel::Exact { commands, changeable } => {
            let words = if *commands == 1 { "this exact command" } else { "these exact commands" };
            if changeable.is_empty() {
                return Sentence::new(words);
            }
            let begun = Sentence::new(words).literal(", even if ");
            let changes = if changeable.len() == 1 { " changes" } else { " change" };
            joined(begun, changeable, " and ", path).literal(changes)
        }
        OfferLabel::Each(all) => {
            let any = all.iter().any(|one| matches!(one, Offered::Command { any_arguments: true, .. }));
            let all = joined(Sentence::default(), all, ", ", offered);
            if any { all.literal(", doing no more than this") } else { all }
        }
        OfferLabel::Confined { confined, folders, network, loopback, rest } => {
            let all = joined(Sentence::default(), confined, ", ", offered);
            let network = missing_network(*network, *loopback).unwrap_or("with the network");
            let held =
                all.literal(", confined to this project (").literal(network).literal(", writes only in ");
            let held = joined(held, folders, " and ", path).literal(")");
            match rest {
                Some(rest) => held.literal(", and ").append(offer_sentence(rest, home).pieces()),
                None => held,
            }
        }
        OfferLabel::Read { folders } => joined(Sentence::new("read files in "), folders, " and ", path),
        OfferLabel::Lines { tool, patterns } if patterns.iter().any(|pattern| pattern == "*") => {
            Sentence::new("every use of ").fragment(tool).literal(", with any arguments")
        }
        OfferLabel::Lines { tool, patterns } => {
            let begun = Sentence::default().fragment(tool).literal(" ");
            joined(begun, patterns, ", ", |sentence, pattern| sentence.fragment(pattern))
                .literal(" in permissions.jsonc")
        }
        OfferLabel::Renew { programs, everyone } => {
            let all = joined(Sentence::new("renew "), programs, " and ", |sentence, program| {
                let counted = match program.rules {
                    1 => sentence.literal("the rule of "),
                    many => sentence.literal("all ").number(many).literal(" rules of "),
                };
                counted.fragment(&program.name)
            });
            if *everyone { all.literal(", of every agent") } else { all }
        }
    }
}

fn joined<T>(
    begun: Sentence,
    all: &[T],
    between: &'static str,
    add: impl Fn(Sentence, &T) -> Sentence,
) -> Sentence {
    all.iter().enumerate().fold(begun, |sentence, (at, one)| {
        add(if at > 0 { sentence.literal(between) } else { sentence }, one)
    })
}

fn offered(sentence: Sentence, offered: &Offered, home: &str) -> Sentence {
    let shown = |path| from_home(path, home);
    match offered {
        Offered::Command { words, any_arguments: false } | Offered::Pattern(words) => {
            sentence.fragment(words)
        }
        Offered::Command { words, any_arguments: true } => {
            sentence.fragment(words).literal(" … with any arguments")
        }
        Offered::Script { path, by, pinned } => sentence
            .literal("the script ")
            .fragment(&shown(path))
            .literal(" by ")
            .fragment(by)
            .literal(if *pinned { " (until one of them is updated)" } else { " (even if they change)" }),
        Offered::Line => sentence.literal("this exact command"),
        Offered::Confined { path } => sentence.fragment(&shown(path)).literal(" … with any arguments"),
        Offered::Program { name, path, pinned } => {
            let does = sentence.literal("everything ").fragment(name).literal(" does");
            let does = if is_of_system(path) { does } else { does.literal(" at ").fragment(&shown(path)) };
            if *pinned {
                does.literal(" (until ").fragment(name).literal(" is updated)")
            } else {
                does.literal(" (even if it changes)")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{offer_phrase, placed_offer};
    use crate::piece::pieces_to_text;
    use postern_policy::{OfferLabel, Offered, RenewedProgram};

    #[test]
    fn every_offer_says_what_it_saves() {
        let own = str::to_owned;
        let command = |any_arguments| Offered::Command { words: own("git push"), any_arguments };
        let script = |pinned| Offered::Script { path: own("/w/x.py"), by: own("python3"), pinned };
        let program = |path, pinned| Offered::Program { name: own("rg"), path: own(path), pinned };
        let renewed = |name: &str, rules| RenewedProgram { name: own(name), rules };
        for (label, expected) in [
            (OfferLabel::Exact { commands: 1, changeable: vec![] }, "this exact command"),
            (
                OfferLabel::Exact { commands: 2, changeable: vec![own("a"), own("b\u{202e}")] },
                "these exact commands, even if a and b\\u{202e} change",
            ),
            (
                OfferLabel::Each(vec![command(true), command(false)]),
                "git push … with any arguments, git push, doing no more than this",
            ),
            (
                OfferLabel::Each(vec![script(true)]),
                "the script /w/x.py by python3 (until one of them is updated)",
            ),
            (
                OfferLabel::Each(vec![program("/usr/bin/rg", true), program("/opt/rg", false)]),
                "everything rg does (until rg is updated), everything rg does at /opt/rg (even if it changes)",
            ),
            (
                OfferLabel::Confined {
                    confined: vec![command(true), Offered::Confined { path: own("/w/x.sh") }],
                    folders: vec![own("/w")],
                    network: false,
                    loopback: false,
                    rest: Some(Box::new(OfferLabel::Each(vec![command(true)]))),
                },
                "git push … with any arguments, /w/x.sh … with any arguments, confined to this project (no network, \
                 writes only in /w), and git push … with any arguments, doing no more than this",
            ),
            (
                OfferLabel::Confined {
                    confined: vec![Offered::Line],
                    folders: vec![own("/w")],
                    network: false,
                    loopback: false,
                    rest: None,
                },
                "this exact command, confined to this project (no network, writes only in /w)",
            ),
            (
                OfferLabel::Lines { tool: own("github_get_issue"), patterns: vec![own("*")] },
                "every use of github_get_issue, with any arguments",
            ),
            (
                OfferLabel::Read { folders: vec![own("~/notes"), own("/srv/x")] },
                "read files in ~/notes and /srv/x",
            ),
            (
                OfferLabel::Lines { tool: own("edit"), patterns: vec![own("/w/*"), own("x")] },
                "edit /w/*, x in permissions.jsonc",
            ),
            (
                OfferLabel::Renew { programs: vec![renewed("git", 2), renewed("ls", 1)], everyone: true },
                "renew all 2 rules of git and the rule of ls, of every agent",
            ),
        ] {
            assert_eq!(pieces_to_text(&offer_phrase(&label, "/home/kim")), expected);
        }
    }

    #[test]
    fn every_path_in_the_home_folder_begins_with_a_tilde() {
        let in_home = |below: &str| format!("/home/kim/{below}");
        let script = Offered::Script { path: in_home("x.py"), by: "python3".to_owned(), pinned: true };
        let program = Offered::Program { name: "rg".to_owned(), path: in_home("bin/rg"), pinned: true };
        for (label, expected) in [
            (
                OfferLabel::Exact { commands: 1, changeable: vec![in_home("a.sh")] },
                "this exact command, even if ~/a.sh changes",
            ),
            (
                OfferLabel::Each(vec![script, program]),
                "the script ~/x.py by python3 (until one of them is updated), everything rg does at ~/bin/rg (until rg \
                 is updated)",
            ),
            (
                OfferLabel::Confined {
                    confined: vec![Offered::Confined { path: in_home("site/x.sh") }],
                    folders: vec![in_home("site")],
                    network: false,
                    loopback: false,
                    rest: None,
                },
                "~/site/x.sh … with any arguments, confined to this project (no network, writes only in ~/site)",
            ),
            (OfferLabel::Read { folders: vec![in_home("notes")] }, "read files in ~/notes"),
        ] {
            assert_eq!(pieces_to_text(&offer_phrase(&label, "/home/kim")), expected);
        }
        let label = OfferLabel::Exact { commands: 1, changeable: vec![] };
        for (folder, expected) in [
            (Some("/w"), "this exact command, in /w and below"),
            (Some("/home/kim/site"), "this exact command, in ~/site and below"),
            (None, "this exact command, in any folder"),
        ] {
            assert_eq!(pieces_to_text(&placed_offer(&label, folder, "/home/kim")), expected);
        }
    }
}
