//! `postern policy replay`: recorded requests judged again.

use super::super::agents::named;
use super::super::explain::{named_rule, word};
use super::super::rules::file;
use crate::args::Json;
use crate::failure::Failure;
use crate::link::Link;
use crate::print;
use postern_contract::methods::{Replay, ReplayChange, ReplayPolicy};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Policies to compare.
pub(super) struct Asked {
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
    /// Those that would come out otherwise, newest first.
    changes: Vec<ReplayChange>,
}

pub(super) fn run(link: &mut Link, asked: &Asked, json: Json) -> Result<(), Failure> {
    let ago = i64::try_from(asked.since.as_millis()).map_err(Failure::own)?;
    let mut call = Replay {
        agent: asked.agent.as_deref().map(named).transpose()?,
        since: Some(jiff::Timestamp::now().as_millisecond().saturating_sub(ago)),
        ..Replay::default()
    };
    if let Some(path) = &asked.with {
        edit(link, path, &mut call)?;
    }
    let mut report = ReplayReport::default();
    loop {
        let page = link.call::<ReplayPolicy>(&call)?;
        report.judged += page.judged;
        report.skipped += page.skipped;
        report.changes.extend(page.changes);
        call.before = page.next;
        if call.before.is_none() {
            break;
        }
    }
    if json.json { print::json(&report) } else { show(&report, asked.with.is_some()) }
}

/// Takes the file for what it is: rules as they are exported, or an agent's `permissions.jsonc`.
fn edit(link: &mut Link, path: &Path, call: &mut Replay) -> Result<(), Failure> {
    let text = file::text_of(path)?;
    let is_rules = serde_json::from_str::<serde_json::Value>(&text)
        .is_ok_and(|value| value.get("version").is_some() && value.get("rules").is_some());
    if is_rules {
        let mut rules = file::rules_of(&text, path)?;
        call.batch = file::stage(link, &mut rules.rules)?;
        call.rules = Some(rules);
        return Ok(());
    }
    if call.agent.is_none() {
        return Err(Failure::usage(format!(
            "{} is no file of rules (see rules export); as a permissions.jsonc it belongs to one agent: add --agent ID",
            path.display()
        )));
    }
    call.permissions = Some(text);
    Ok(())
}

fn show(report: &ReplayReport, edited: bool) -> Result<(), Failure> {
    for change in &report.changes {
        print::line(format!(
            "{}  {}  {} -> {}  {}",
            print::time(change.at),
            change.agent,
            word(change.was),
            word(change.becomes),
            change.line
        ))?;
        let by = change.rule.as_ref().map(|rule| format!(" ({})", named_rule(rule))).unwrap_or_default();
        print::line(format!("    {}{by}", change.message))?;
    }
    let (changes, judged) = (report.changes.len(), report.judged);
    let by = if edited { "by these rules" } else { "by the rules as they are now" };
    let skipped = match report.skipped {
        0 => String::new(),
        skipped => format!("; {skipped} were never looked up and cannot be judged again"),
    };
    print::line(format!("{changes} of {judged} requests would come out otherwise {by}{skipped}"))
}
