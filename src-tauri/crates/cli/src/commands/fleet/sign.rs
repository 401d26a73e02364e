//! `postern fleet sign` and `signatures`: changes that several people have to sign.

use super::members::described;
use super::policy::{reached, replay, show_reply};
use super::{connected, failure, signed};
use crate::failure::Failure;
use crate::fleet_args::{SignChange, Signatures};
use crate::print;
use crate::typed::{is_yes, read_answer};
use postern_command::escape::visible_text as escaped;
use postern_doors::fleet::{
    Asked, Bundle, FleetId, Folder, Member, MemberRole, ProposedContent, RolloutReach, Roster, RosterChange,
    ShownProposal, SignaturesChange, WaitingProposal, change_signatures, list_proposals, sign_proposal,
    withdraw_proposal,
};
use serde_json::{Map, Value};

const HOUR: i64 = 3_600_000;

/// Prints how many people have to sign, or changes it.
pub(super) fn signatures(folder: &Folder, command: &Signatures) -> Result<(), Failure> {
    let change = SignaturesChange { owners: command.owners, publishers: command.publishers };
    let mut policies = Vec::new();
    if change != SignaturesChange::default() {
        let Some((changed, unsigned)) = signed(change_signatures(folder, change))? else { return Ok(()) };
        if !changed {
            return print::write_line("Nothing changed: the fleet has it so already");
        }
        policies = unsigned;
    }
    let pinned = folder.pinned().map_err(|error| failure(&error))?;
    let roster = &pinned.roster;
    for (what, role, number) in [
        ("members and rights", MemberRole::Owner, roster.owners_needed),
        ("policies", MemberRole::Publisher, roster.publishers_needed),
    ] {
        let people = roster.persons(role);
        let names: Vec<String> = people.iter().map(|person| escaped(person)).collect();
        let names = if names.is_empty() { "nobody".to_owned() } else { names.join(", ") };
        print::write_line(format!("{what}: {number} of {} sign ({names})", people.len()))?;
    }
    for policy in policies {
        let group = policy.split('/').next().unwrap_or(&policy);
        print::write_line(format!(
            "Policy {policy} stays in force where it is, but too few signed it for other hosts: postern fleet policy publish FILE --group {group}"
        ))?;
    }
    Ok(())
}

/// Lists the changes that wait, or shows one and signs or withdraws it.
pub(super) fn sign_change(folder: &Folder, command: &SignChange) -> Result<(), Failure> {
    let waiting = connected(list_proposals(folder))?;
    let Some(named) = &command.change else {
        if waiting.is_empty() {
            return print::write_line("Nothing waits for a signature");
        }
        return waiting.iter().try_for_each(|one| print_change(folder, one));
    };
    let Some(chosen) = waiting.iter().find(|one| one.id == *named) else {
        return Err(Failure::refused(format!("no change {} waits: postern fleet sign", escaped(named))));
    };
    print_change(folder, chosen)?;
    if command.withdraw {
        connected(withdraw_proposal(folder, chosen))?;
        return print::write_line("Withdrawn: nothing changed");
    }
    let shown = chosen.shown.as_ref().map_err(|why| Failure::refused(escaped(why)))?;
    if let ProposedContent::Policy { after: Some(after), .. } = &shown.content {
        replay_on_hosts(folder, after, command.days)?;
    }
    if !command.yes && !is_yes(&read_answer("Sign it? Type yes:", "add --yes to sign without asking")?) {
        return Err(Failure::negative("nothing was signed"));
    }
    // What was shown is signed: it is not read again.
    if signed(sign_proposal(folder, chosen))?.is_some() {
        print::write_line(
            "Signed by all who have to: it counts now. A host that is not connected learns it when it is.",
        )?;
    }
    Ok(())
}

/// Judges the history of the group's hosts by a policy, as its publisher did.
fn replay_on_hosts(folder: &Folder, after: &Bundle, days: u16) -> Result<(), Failure> {
    let Bundle { group, rules, classes: settings, approvals, limits, .. } = after.clone();
    let rules = rules.parse_each().map_err(Failure::refused)?;
    let asked = Asked { rules, settings, approvals, limits };
    let replies = connected(async { replay(folder, group.as_str(), &asked, days).await })?;
    replies.iter().try_for_each(show_reply)
}

fn print_change(folder: &Folder, one: &WaitingProposal) -> Result<(), Failure> {
    let what = match &one.group {
        None => "members of the fleet".to_owned(),
        Some(group) => format!("policy of {group}"),
    };
    print::write_line(format!("{}  {what}", one.id))?;
    match &one.shown {
        Ok(shown) => {
            lines_of(folder, shown).iter().try_for_each(|line| print::write_line(format!("    {line}")))
        }
        Err(why) => print::write_line(format!("    nobody can sign it: {}", escaped(why))),
    }
}

/// Says everything that a change does.
fn lines_of(folder: &Folder, shown: &ShownProposal) -> Vec<String> {
    let names = |people: &[String]| people.iter().map(|one| escaped(one)).collect::<Vec<_>>().join(", ");
    let missing = shown.needed.missing;
    let (signed, others) = (names(&shown.signed), names(&shown.needed.people));
    let mut lines = vec![format!("signed by {signed}; missing: {missing} of {others}")];
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
    let RolloutReach::Canary(hosts) = reach else { return reached(reach) };
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
    let named = |member: &Member| format!("{} ({})  {}", escaped(&member.name), member.id, described(member));
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

#[cfg(test)]
mod tests {
    use super::policy_lines;
    use postern_doors::fleet::{Bundle, BundleRules};
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
