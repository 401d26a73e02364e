//! `postern fleet policy …`: a policy for the hosts of a group, from a file.

use super::{connected, parse_id, signed};
use crate::failure::Failure;
use crate::fleet_args::FleetPolicy;
use crate::print;
use crate::typed::{require_yes, text_of};
use postern_command::escape::visible_text as escaped;
use postern_contract::RuleDraft;
use postern_doors::fleet::{
    Asked, FleetError, FleetId, Folder, HostReply, Publisher, Reported, RiseLimits, Work, reach_in_words,
    reply_lines,
};
use postern_policy::{check_rule, jsonc};
use std::path::Path;

pub(super) fn run(folder: &Folder, home: &Path, command: FleetPolicy) -> Result<(), Failure> {
    match command {
        FleetPolicy::Lint { file } => {
            let asked = read_policy(&file, home)?;
            let rules = print::counted(asked.rules.len(), "rule", "rules");
            print::say!("{rules}, nothing wrong")
        }
        FleetPolicy::Replay { file, group, days } => {
            let asked = read_policy(&file, home)?;
            let replies = connected(async { replay(folder, &group, &asked, days).await })?;
            replies.iter().try_for_each(show_reply)
        }
        FleetPolicy::Publish { file, group, canary, days, yes } => {
            let asked = read_policy(&file, home)?;
            publish(folder, &group, asked, (&canary, days, yes))
        }
        FleetPolicy::Advance { group, anyway } => {
            let group = parse_id(&group)?;
            let advanced = async { Publisher::connect(folder).await?.advance(&group, anyway).await };
            let Some((name, reach)) = signed(advanced)? else { return Ok(()) };
            print::say!("{name} is for {}", reach_in_words(&reach))
        }
        FleetPolicy::Rollback { group } => {
            let group = parse_id(&group)?;
            let name = signed(async { Publisher::connect(folder).await?.roll_back(&group).await })?;
            let Some(name) = name else { return Ok(()) };
            print::say!("{name} is for all hosts: what was before the last policy")
        }
        FleetPolicy::Status { group } => status(folder, &group),
    }
}

/// Reads a policy's file, and checks it as a host would.
fn read_policy(file: &Path, home: &Path) -> Result<Asked, Failure> {
    let text = text_of(file)?;
    let wrong = |error: String| Failure::usage_error(format!("{}: {error}", file.display()));
    let plain = jsonc::to_plain_json(&text).map_err(|error| wrong(error.to_string()))?;
    let asked: Asked = serde_json::from_str(&plain).map_err(|error| wrong(error.to_string()))?;
    RiseLimits::read(&asked.limits).map_err(&wrong)?;
    let home = home.to_string_lossy();
    for (index, rule) in asked.rules.iter().enumerate() {
        let draft: RuleDraft = serde_json::from_value(rule.clone())
            .map_err(|error| wrong(format!("rule {}: {error}", index + 1)))?;
        let named = escaped(&draft.text);
        let checked = draft.into_rule(&home).map_err(|error| error.to_string());
        let checked = checked.and_then(|rule| check_rule(&rule, &home).map_err(|error| error.to_string()));
        checked.map_err(|error| wrong(format!("rule {} ({named}): {error}", index + 1)))?;
    }
    Ok(asked)
}

async fn replay(
    folder: &Folder,
    group: &str,
    asked: &Asked,
    days: u16,
) -> Result<Vec<(String, HostReply)>, FleetError> {
    let work = Work::Replay { rules: asked.rules.clone(), settings: asked.settings.clone(), days };
    Publisher::connect(folder).await?.ask_all(group, &work).await
}

fn publish(
    folder: &Folder,
    group: &str,
    asked: Asked,
    (canary, days, yes): (&[String], u16, bool),
) -> Result<(), Failure> {
    let name = parse_id(group)?;
    let replies = connected(async { replay(folder, group, &asked, days).await })?;
    if replies.is_empty() {
        return Err(Failure::refused(format!(
            "no host is in group {}: postern fleet members",
            escaped(group)
        )));
    }
    replies.iter().try_for_each(show_reply)?;
    if let Some((host, _)) =
        replies.iter().find(|(_, reply)| matches!(reply, HostReply::Did(Reported::Refused(_))))
    {
        return Err(Failure::negative(format!(
            "{} cannot judge by it: nothing was published",
            escaped(host)
        )));
    }
    let question = "Publish it for the first hosts? Type yes:";
    require_yes(yes, question, "add --yes to publish without asking", "nothing was published")?;
    let published = signed(async {
        let publisher = Publisher::connect(folder).await?;
        let hosts = publisher.hosts_of(group);
        let chosen = |host: &&&postern_doors::fleet::Member| {
            canary.iter().any(|named| *named == host.name || *named == host.id.as_str())
        };
        let mut first: Vec<FleetId> = hosts.iter().filter(chosen).map(|host| host.id.clone()).collect();
        if canary.is_empty() {
            first.extend(hosts.first().map(|host| host.id.clone()));
        }
        let names = hosts.iter().filter(|host| first.contains(&host.id)).map(|host| host.name.clone());
        let names: Vec<String> = names.collect();
        if first.len() < canary.len() {
            return Err(FleetError::NoHost);
        }
        Ok((publisher.publish(&name, asked, first).await?, names))
    })?;
    let Some((label, names)) = published else { return Ok(()) };
    print::say!(
        "{label} is for {}; then: postern fleet policy advance --group {name}",
        escaped(&names.join(", "))
    )
}

/// Prints the result of a host's replay.
pub(super) fn show_reply(reply: &(String, HostReply)) -> Result<(), Failure> {
    reply_lines(reply).iter().try_for_each(print::write_line)
}

fn status(folder: &Folder, group: &str) -> Result<(), Failure> {
    let name = parse_id(group)?;
    let (state, replies) = connected(async {
        let publisher = Publisher::connect(folder).await?;
        Ok((publisher.newest_of(&name).await?, publisher.ask_all(group, &Work::Policy).await?))
    })?;
    match state {
        Some((label, Some(reach))) => {
            print::say!("newest  {label}, for {}", reach_in_words(&reach))?;
        }
        Some((label, None)) => print::say!("newest  {label}, for no host")?,
        None => print::write_line("nothing is published")?,
    }
    for (host, reply) in replies {
        let HostReply::Did(Reported::Policy(states)) = &reply else {
            show_reply(&(host, reply))?;
            continue;
        };
        let state = states.iter().find(|state| state.group == name);
        let in_force = state.and_then(|state| state.in_force.as_deref()).unwrap_or("no policy");
        print::say!("{}: {}", escaped(&host), escaped(in_force))?;
        if let Some((_, why)) = state.and_then(|state| state.refused.as_ref()) {
            print::say!("    it refused the newest one: {}", escaped(why))?;
        }
    }
    Ok(())
}
