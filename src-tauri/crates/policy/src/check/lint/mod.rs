//! What is wrong with rules that are there: those that can never match, that allow more than anybody means, that could
//! be turned against the person, and those that do nothing.

mod file;
mod never;
#[cfg(test)]
mod tests;

pub use file::lint_file;

use super::{Remark, check_rule, remarks};
use crate::cause::Cause;
use crate::judge::describes;
use crate::path;
use crate::pattern::pattern_text;
use crate::rule::{Effect, IdentityPattern, Millis, Pattern, Rule, RuleId};
use never::Denies;
use postern_command::{Class, class_of, escape};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::hash::BuildHasher;

/// What kind of thing is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum FindingKind {
    /// It cannot be read, or its examples do not hold.
    Broken,
    /// No command can ever be matched by it.
    NeverMatches,
    /// A deny rule denies everything that it would allow.
    Shadowed,
    /// It allows whatever it is told to run, or all of a folder.
    TooBroad,
    /// It was confirmed as broad: it allows whatever its words cover.
    Broad,
    /// What it allows lies where an agent's commands could replace it.
    AgentWritable,
    /// What it names is not there.
    Missing,
    /// The program is not the one that it was bound to.
    Changed,
    /// Another rule does all that it does.
    Covered,
    /// It was not used for 90 days.
    Unused,
    /// Its time has run out.
    Expired,
}

/// One thing that is wrong with a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Finding {
    /// The rule; a line of `permissions.jsonc` where it is negative.
    pub rule: RuleId,
    /// What kind of thing.
    pub kind: FindingKind,
    /// What is wrong, in one sentence.
    pub message: String,
    /// Cause of what a made-up command got, where one was tried.
    #[serde(default)]
    pub cause: Option<Cause>,
    /// How to mend it, in one sentence.
    pub mend: String,
}

/// What this machine says about the file at a rule's path.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Seen {
    /// Whether anything lies there; for a glob, whether its folder does.
    pub exists: bool,
    /// Whether the person's own user could write to it, or to a folder above it.
    pub mutable: bool,
    /// True if an agent that the rule is for can change the program until it runs.
    pub agent_can_change: bool,
    /// Whether it is bound to a program, and that is another one now.
    pub changed: bool,
}

/// Looks rules over, in their order. `seen` says what lies at their paths, where that was looked up; `now` is the
/// present time.
pub fn lint<S: BuildHasher>(
    rules: &[Rule],
    seen: &HashMap<RuleId, Seen, S>,
    home: &str,
    now: Millis,
) -> Vec<Finding> {
    let denies = Denies::new(rules, home);
    let mut said: HashMap<RuleId, Vec<Remark>> = HashMap::new();
    for (id, remark) in remarks(rules, now) {
        said.entry(id).or_default().push(remark);
    }
    let mut found = Vec::new();
    for rule in rules {
        let said = said.remove(&rule.id).unwrap_or_default();
        found.extend(one(rule, &said, seen.get(&rule.id), &denies, home));
    }
    found
}

fn one(rule: &Rule, said: &[Remark], seen: Option<&Seen>, denies: &Denies, home: &str) -> Vec<Finding> {
    let finding = |kind, message: String, mend: &str| Finding {
        rule: rule.id,
        kind,
        message,
        cause: None,
        mend: mend.to_owned(),
    };
    if let Err(problem) = check_rule(rule, home) {
        return vec![finding(FindingKind::Broken, format!("{problem}."), "Remove it, and write it anew.")];
    }
    let mut found = Vec::new();
    if said.contains(&Remark::Expired) {
        found.push(finding(
            FindingKind::Expired,
            "Its time has run out.".to_owned(),
            "Remove it, or give it a new time.",
        ));
    }
    if let Some((message, cause)) = never::matches(rule, home) {
        let never = finding(FindingKind::NeverMatches, message, "Remove it, or write what was meant.");
        found.push(Finding { cause, ..never });
    } else if let Some(message) = denies.shadow(rule, home) {
        found.push(finding(FindingKind::Shadowed, message, "Remove one of the two."));
    }
    found.extend(too_broad(rule, said).map(|(message, mend)| finding(FindingKind::TooBroad, message, mend)));
    found.extend(
        seen.and_then(|seen| on_disk(rule, *seen)).map(|(kind, message, mend)| finding(kind, message, mend)),
    );
    for remark in said {
        match remark {
            Remark::CoveredBy(other) => {
                let message = format!("Rule {other} does all that it does.");
                found.push(finding(FindingKind::Covered, message, "Remove it."));
            }
            Remark::Unused => {
                let message = "It was not used in the last 90 days.".to_owned();
                found.push(finding(FindingKind::Unused, message, "Remove it if nobody needs it any more."));
            }
            Remark::Broad => {
                let text = escape::text(&pattern_text(&rule.pattern));
                let message =
                    format!("{text} is broad: it allows whatever its words cover, as you confirmed.");
                found.push(finding(FindingKind::Broad, message, "Write narrower rules for what is needed."));
            }
            Remark::TooBroad | Remark::Expired => {}
        }
    }
    found
}

fn too_broad(rule: &Rule, said: &[Remark]) -> Option<(String, &'static str)> {
    if rule.effect != Effect::Allow || rule.broad {
        return None;
    }
    let text = escape::text(&pattern_text(&rule.pattern));
    let anything = |what: &str| {
        format!("{text} is {what}: it runs whatever it is told, and the rule allows all of that.")
    };
    match &rule.pattern {
        Pattern::Path(path) if !describes(rule) && rule.args.is_none() => {
            let what = carrier(path::base_name(path))?;
            let bound = rule.pin.as_ref().is_some_and(|pin| pin.script.is_some());
            (!bound)
                .then(|| (anything(what), "Name the command that it is to run, or bind it to one script."))
        }
        Pattern::Command(pattern) => {
            let words = postern_command::words_of(pattern).unwrap_or_default();
            let what = carrier(words.first()?)?;
            (words.len() == 1).then(|| (anything(what), "Name the command that it is to run."))
        }
        Pattern::Path(_) if said.contains(&Remark::TooBroad) => Some((
            format!("{text} allows every program in there, also those that come later."),
            "Name the programs that are meant.",
        )),
        Pattern::Identity(IdentityPattern::TeamId(_)) => Some((
            format!("{text} allows every program of this developer, also those that come later."),
            "Name the programs that are meant: signing:TEAMID:com.example.tool for each.",
        )),
        Pattern::Path(_) | Pattern::Exact(_) | Pattern::Identity(_) => None,
    }
}

/// What a program is that runs what it is told.
fn carrier(name: &str) -> Option<&'static str> {
    match class_of(name) {
        Class::Ordinary => None,
        Class::Shell => Some("a shell"),
        Class::Interpreter => Some("an interpreter"),
        Class::Wrapper | Class::Multicall => Some("a program that starts others"),
    }
}

fn on_disk(rule: &Rule, seen: Seen) -> Option<(FindingKind, String, &'static str)> {
    let text = escape::text(&pattern_text(&rule.pattern));
    match rule.effect {
        Effect::Allow | Effect::Deny | Effect::Ask if seen.changed => Some((
            FindingKind::Changed,
            format!("The program is not the one that {text} was bound to: it is asked about."),
            "Answer the question with Always, or bind the rule anew.",
        )),
        Effect::Deny if !seen.exists => Some((
            FindingKind::Missing,
            format!("Nothing lies at {text}: the rule denies nothing until something does."),
            "Correct the path, or deny by the command's name.",
        )),
        Effect::Allow if !seen.exists => Some((
            FindingKind::Missing,
            format!("Nothing lies at {text}: whoever puts something there is allowed to run it."),
            "Remove it, or correct the path.",
        )),
        Effect::Allow if seen.agent_can_change && rule.pin.is_some() => Some((
            FindingKind::AgentWritable,
            format!(
                "The agent can change {text} until it runs: what is bound to its content is asked about."
            ),
            "Move the program out of the agent's folders, or allow whatever is in it by a rule without --pin.",
        )),
        Effect::Allow if seen.agent_can_change => Some((
            FindingKind::AgentWritable,
            format!("The agent can change {text} until it runs: whatever is in it then is allowed."),
            "Move the program out of the agent's folders, and bind the rule to it as it is (--pin).",
        )),
        Effect::Allow if seen.mutable && rule.pin.is_none() => Some((
            FindingKind::AgentWritable,
            format!("{text} can be replaced by whatever runs as you, an agent's own commands too."),
            "Bind it to the program as it is (--pin), or name one that only the system can change.",
        )),
        Effect::Allow | Effect::Deny | Effect::Ask => None,
    }
}
