//! Words for what a change of a fleet does. The window and the command line show the same lines.

use super::publisher::HostReply;
use super::{Folder, ProposedContent, ShownProposal};
use postern_command::escape::visible_text as escaped;
use postern_fleet::{
    Bundle, FleetId, FleetRisk, Member, MemberRole, Reported, RolloutReach, Roster, RosterChange,
};
use serde_json::{Map, Value};

const HOUR: i64 = 3_600_000;

/// Says everything that a change does, line by line, escaped.
pub fn change_lines(folder: &Folder, shown: &ShownProposal) -> Vec<String> {
    let names = |people: &[String]| people.iter().map(|one| escaped(one)).collect::<Vec<_>>().join(", ");
    let (signed, others) = (names(&shown.signed), names(&shown.needed.people));
    let mut lines = vec![match shown.needed.missing {
        0 => format!("signed by {signed}; nobody is missing: who signs it again stores it"),
        missing => format!("signed by {signed}; missing: {missing} of {others}"),
    }];
    match &shown.content {
        ProposedContent::Roster { before, after } => {
            lines.push(format!("roster {} after {}", after.version, before.version));
            lines.extend(before.changes_to(after).iter().flat_map(roster_lines));
        }
        ProposedContent::Policy { name, before, after, reach } => {
            lines.push(format!("{} for {}", escaped(name), reach_words(folder, reach)));
            if let Some(after) = after {
                lines.extend(policy_lines(before.as_deref(), after));
            }
        }
    }
    lines
}

/// Names the hosts that a policy is for first.
fn reach_words(folder: &Folder, reach: &RolloutReach) -> String {
    let RolloutReach::Canary(hosts) = reach else { return reach_in_words(reach) };
    let roster = folder.pinned().ok().map(|pinned| pinned.roster);
    let name = |id: &FleetId| {
        let member = roster.as_ref().and_then(|roster: &Roster| roster.member(id));
        member.map_or_else(|| id.to_string(), |member| escaped(&member.name))
    };
    if hosts.is_empty() {
        "no host yet".to_owned()
    } else {
        hosts.iter().map(name).collect::<Vec<_>>().join(", ")
    }
}

fn roster_lines(change: &RosterChange) -> Vec<String> {
    let named =
        |member: &Member| format!("{} ({})  {}", escaped(&member.name), member.id, describe_member(member));
    let ids = |all: &[FleetId]| {
        let all: Vec<&str> = all.iter().map(FleetId::as_str).collect();
        if all.is_empty() { "owners alone".to_owned() } else { all.join(", ") }
    };
    match change {
        RosterChange::Added(member) => {
            vec![format!("+ {}", named(member)), format!("  with the key {}", member.sign.key_id())]
        }
        RosterChange::Removed(member) => vec![format!("- {}", named(member))],
        RosterChange::Changed { before, after } => {
            let mut lines = vec![format!("- {}", named(before)), format!("+ {}", named(after))];
            if before.person != after.person {
                lines.push(format!(
                    "  whose it is: {} -> {}",
                    escaped(&before.person),
                    escaped(&after.person)
                ));
            }
            if (before.sign, before.seal, before.nkey) != (after.sign, after.seal, after.nkey) {
                lines.push("  with OTHER KEYS: it is another device from then on".to_owned());
            }
            lines
        }
        RosterChange::OwnersNeeded(before, after) => {
            vec![format!("owners who have to sign: {before} -> {after}")]
        }
        RosterChange::PublishersNeeded(before, after) => {
            vec![format!("publishers who have to sign: {before} -> {after}")]
        }
        RosterChange::FreshBy(before, after) => {
            vec![format!("who says that a roster is current: {} -> {}", ids(before), ids(after))]
        }
        RosterChange::FreshFor(before, after) => {
            let hours = |millis: &i64| millis / HOUR;
            vec![format!("hours without an owner’s word: {} -> {}", hours(before), hours(after))]
        }
    }
}

/// Says what a policy has otherwise than the one before: rules by rule, and all else as a whole.
fn policy_lines(before: Option<&Bundle>, after: &Bundle) -> Vec<String> {
    // Those of a policy that is shown can be read.
    let rules_of = |one: &Bundle| one.rules.parse_each::<Value>().unwrap_or_default();
    let (old, new) = (before.map(rules_of).unwrap_or_default(), rules_of(after));
    let line = |sign: &str, rule: &Value| format!("{sign} {}", escaped(&rule.to_string()));
    let mut lines: Vec<String> =
        old.iter().filter(|rule| !new.contains(rule)).map(|rule| line("-", rule)).collect();
    let is_new = |rule: &&Value| !old.contains(rule);
    lines.extend(new.iter().filter(is_new).map(|rule| line("+", rule)));
    let stay = new.iter().filter(|rule| !is_new(rule)).count();
    lines.push(format!("{} rules, {stay} of them as before", new.len()));
    for (what, of) in [
        ("settings", (|one| &one.classes) as fn(&Bundle) -> &Map<String, Value>),
        ("approvals", |one| &one.approvals),
        ("limits", |one| &one.limits),
    ] {
        let text = |one: &Bundle| escaped(&Value::Object(of(one).clone()).to_string());
        match before {
            Some(before) if of(before) != of(after) => {
                lines.push(format!("{what} {} -> {}", text(before), text(after)));
            }
            _ if !of(after).is_empty() => lines.push(format!("{what} {}", text(after))),
            _ => {}
        }
    }
    if let Some(begins) = (after.not_before > 0).then_some(after.not_before) {
        let begins = jiff::Timestamp::from_millisecond(begins).map(|at| format!("{at:.0}"));
        lines.push(format!("in force from {}", begins.unwrap_or_else(|_| "an unknown time".to_owned())));
    }
    lines
}

/// Describes a member and its rights in words, escaped.
pub fn describe_member(member: &Member) -> String {
    let list = |groups: &[FleetId]| groups.iter().map(FleetId::as_str).collect::<Vec<_>>().join(", ");
    if member.has_role(MemberRole::Host) {
        return format!("host in {}", list(&member.groups));
    }
    let mut words = vec![escaped(&member.person)];
    if member.has_role(MemberRole::Owner) {
        words.push("owner".to_owned());
    }
    if member.has_role(MemberRole::Publisher) {
        words.push("publisher".to_owned());
    }
    if member.has_role(MemberRole::Auditor) {
        words.push("auditor".to_owned());
    }
    if let Some(may) = &member.approver {
        let risk = match may.risk {
            FleetRisk::Safe => "what is safe",
            FleetRisk::NeedsReview => "what needs review",
            FleetRisk::Dangerous => "everything",
        };
        let once = if may.once_only { ", once only" } else { "" };
        words.push(format!("approves {risk} for {}{once}", list(&may.groups)));
    }
    words.join(", ")
}

/// Says what a host replied to a replay, line by line, escaped.
pub fn reply_lines((host, reply): &(String, HostReply)) -> Vec<String> {
    let host = escaped(host);
    match reply {
        HostReply::Did(Reported::Replayed { judged, changed, examples }) => {
            let all = format!("{host}: {changed} of {judged} requests would be judged differently");
            let example = |example: &Value| {
                let text = |key: &str| escaped(example[key].as_str().unwrap_or_default());
                format!("    {} -> {}  {}", text("was"), text("becomes"), text("line"))
            };
            std::iter::once(all).chain(examples.iter().map(example)).collect()
        }
        HostReply::Did(Reported::Refused(why)) => vec![format!("{host}: {}", escaped(why))],
        HostReply::Did(_) => vec![format!("{host}: an answer that says nothing of it")],
        HostReply::Offline => vec![format!("{host}: offline")],
        HostReply::Silent => vec![format!("{host}: no answer")],
    }
}

/// Says in words for how many hosts a policy is.
pub fn reach_in_words(reach: &RolloutReach) -> String {
    match reach {
        RolloutReach::Canary(hosts) if hosts.len() == 1 => "one host".to_owned(),
        RolloutReach::Canary(hosts) => format!("{} hosts", hosts.len()),
        RolloutReach::Percent(share) => format!("{share} of 100 hosts"),
        RolloutReach::All => "all hosts".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::policy_lines;
    use postern_fleet::{Bundle, BundleRules};
    use serde_json::{Map, Value, json};

    fn bundle(rules: &Value, approvals: &Value) -> Bundle {
        let group = "builds".parse().expect("an id");
        let rules = BundleRules::from_values(rules.as_array().expect("a list"));
        let approvals = approvals.as_object().expect("a map").clone();
        let (classes, limits) = (Map::new(), Map::new());
        Bundle { group, version: 2, previous: None, not_before: 0, rules, classes, limits, approvals }
    }

    #[test]
    fn everything_that_a_policy_has_otherwise_is_shown() {
        let before = bundle(&json!([{"deny": "a"}, {"deny": "b"}]), &json!({}));
        let after = bundle(&json!([{"deny": "b"}, {"deny": "c\u{1b}[2K"}]), &json!({"dangerous": 2}));
        let lines = policy_lines(Some(&before), &after);
        assert_eq!(lines[0], r#"- {"deny":"a"}"#);
        assert!(lines[1].starts_with("+ ") && !lines[1].contains('\u{1b}'), "{lines:?}");
        assert_eq!(lines[2..], ["2 rules, 1 of them as before", r#"approvals {} -> {"dangerous":2}"#]);
        assert_eq!(policy_lines(None, &before).len(), 3, "without one before each rule is new");
    }
}
