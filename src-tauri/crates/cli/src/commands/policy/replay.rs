//! `postern policy replay`: recorded requests judged again.

use super::super::agents::parse_agent_id;
use super::super::explain::named_rule;
use super::super::rules::file;
use crate::failure::Failure;
use crate::link::HostLink;
use crate::print;
use crate::shared_args::JsonOutput;
use postern_contract::methods::{Replay, ReplayChange, ReplayPolicy};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Policies to compare.
pub(super) struct ReplayOptions {
    pub(super) since: humantime::Duration,
    pub(super) with: Option<PathBuf>,
    pub(super) agent: Option<String>,
}

/// The document of `policy replay --json`.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct ReplayReport {
    /// Number of requests that were judged again.
    judged: u32,
    /// Number of requests that could not be.
    skipped: u32,
    /// Those that would be judged differently, newest first.
    changes: Vec<ReplayChange>,
}

pub(super) fn run(link: &mut HostLink, asked: &ReplayOptions, json: JsonOutput) -> Result<(), Failure> {
    let mut call = Replay {
        agent: asked.agent.as_deref().map(parse_agent_id).transpose()?,
        since: Some(print::time_before(asked.since)?),
        ..Replay::default()
    };
    if let Some(path) = &asked.with {
        load_file(link, path, &mut call)?;
    }
    let mut report = ReplayReport::default();
    loop {
        let page = link.call_method::<ReplayPolicy>(&call)?;
        report.judged += page.judged;
        report.skipped += page.skipped;
        report.changes.extend(page.changes);
        call.before = page.next;
        if call.before.is_none() {
            break;
        }
    }
    if json.json { print::write_json(&report) } else { print_report(&report, asked.with.is_some()) }
}

/// Takes the file for what it is: rules as they are exported, or an agent's `permissions.jsonc`.
fn load_file(link: &mut HostLink, path: &Path, call: &mut Replay) -> Result<(), Failure> {
    let text = crate::typed::text_of(path)?;
    let is_rules = serde_json::from_str::<serde_json::Value>(&text)
        .is_ok_and(|value| value.get("version").is_some() && value.get("rules").is_some());
    if is_rules {
        let mut rules = file::rules_of(&text, path)?;
        call.batch = file::stage_rules(link, &mut rules.rules)?;
        call.rules = Some(rules);
        return Ok(());
    }
    if call.agent.is_none() {
        return Err(Failure::usage_error(format!(
            "{} is no file of rules (see rules export); as a permissions.jsonc it belongs to one agent: add --agent ID",
            path.display()
        )));
    }
    call.permissions = Some(text);
    Ok(())
}

fn print_report(report: &ReplayReport, edited: bool) -> Result<(), Failure> {
    for change in &report.changes {
        print::say!(
            "{}  {}  {} -> {}  {}",
            print::format_time(change.at),
            change.agent,
            change.was.name(),
            change.becomes.name(),
            change.line
        )?;
        let by = change.rule.as_ref().map(|rule| format!("{}: ", named_rule(rule))).unwrap_or_default();
        print::say!("    {by}{}", change.message)?;
    }
    let (changes, judged) = (report.changes.len(), report.judged);
    if judged + report.skipped == 0 {
        return print::write_line("no requests in this time");
    }
    let by = if edited { "by these rules" } else { "by the rules as they are now" };
    let skipped = match report.skipped {
        0 => String::new(),
        skipped => format!("; {skipped} were never looked up and cannot be judged again"),
    };
    print::say!("{changes} of {judged} requests would be judged differently {by}{skipped}")
}
