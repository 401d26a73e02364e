//! `postern fleet sign` and `signatures`: changes that several people have to sign.

use super::policy::show_reply;
use super::{connected, signed};
use crate::failure::Failure;
use crate::fleet_args::{SignChange, Signatures};
use crate::print::{self, counted};
use crate::typed::require_yes;
use postern_command::escape::visible_text as escaped;
use postern_doors::fleet::{
    Folder, MemberRole, SignaturesChange, WaitingProposal, change_lines, change_signatures, list_proposals,
    replay_change, sign_proposal, withdraw_proposal,
};

/// Prints how many people have to sign, and how often, or changes it.
pub(super) fn signatures(folder: &Folder, command: &Signatures) -> Result<(), Failure> {
    let fresh_for = command.fresh_for.map(|time| i64::try_from(time.as_millis())).transpose();
    let change = SignaturesChange {
        owners: command.owners,
        publishers: command.publishers,
        fresh_for: fresh_for.map_err(Failure::from_error)?,
    };
    let mut policies = Vec::new();
    if change != SignaturesChange::default() {
        let Some((changed, unsigned)) = signed(change_signatures(folder, change))? else { return Ok(()) };
        if !changed {
            return print::write_line("Nothing changed: the fleet has it so already");
        }
        policies = unsigned;
    }
    let pinned = folder.pinned()?;
    let roster = &pinned.roster;
    for (what, role, number) in [
        ("members and rights", MemberRole::Owner, roster.owners_needed),
        ("policies", MemberRole::Publisher, roster.publishers_needed),
    ] {
        let people = roster.persons(role);
        let names: Vec<String> = people.iter().map(|person| escaped(person)).collect();
        let names = if names.is_empty() { "nobody".to_owned() } else { names.join(", ") };
        print::say!("{what}: {number} of {} sign ({names})", people.len())?;
    }
    print::say!(
        "current: answers from elsewhere count for {} after an owner said so",
        counted(roster.fresh_for / 3_600_000, "hour", "hours")
    )?;
    for policy in policies {
        let group = policy.split('/').next().unwrap_or(&policy);
        print::say!(
            "Policy {policy} stays in force where it is, but too few signed it for other hosts: postern fleet policy publish FILE --group {group}"
        )?;
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
    connected(replay_change(folder, shown, command.days))?.iter().try_for_each(show_reply)?;
    let otherwise = "add --yes to sign without asking";
    require_yes(command.yes, "Sign it? Type yes:", otherwise, "nothing was signed")?;
    // What was shown is signed: it is not read again.
    if signed(sign_proposal(folder, chosen))?.is_some() {
        print::write_line(
            "Signed by all who have to: it counts now. A host that is not connected learns it when it is.",
        )?;
    }
    Ok(())
}

fn print_change(folder: &Folder, one: &WaitingProposal) -> Result<(), Failure> {
    let what = match &one.group {
        None => "members of the fleet".to_owned(),
        Some(group) => format!("policy of {group}"),
    };
    print::say!("{}  {what}", one.id)?;
    match &one.shown {
        Ok(shown) => change_lines(folder, shown).iter().try_for_each(|line| print::say!("    {line}")),
        Err(why) => print::say!("    nobody can sign it: {}", escaped(why)),
    }
}
