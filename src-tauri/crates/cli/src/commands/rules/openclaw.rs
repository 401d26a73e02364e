//! Rules and settings from and to OpenClaw's approvals document.

use super::exec_approval::{
    SettingsImportOptions, confirm, require_agent, settings_and_rules, tell_left_out,
};
use super::file;
use crate::failure::Failure;
use crate::link::HostLink;
use crate::print;
use postern_command::escape::visible_text as escaped;
use postern_contract::methods::{AgentRef, GetAgent, ImportedSettings, RuleFile, RulesImported};
use postern_contract::{AgentRow, RuleDraft};
use postern_policy::openclaw::{Allowed, Document, OfAgent, OpenclawEntry, document, read_document};
use postern_policy::{AgentId, Effect, Rule, pattern_text};
use serde::Serialize;
use std::path::Path;

pub(super) fn export(link: &mut HostLink, agent: Option<&str>) -> Result<(), Failure> {
    let (row, rules) = settings_and_rules(link, agent)?;
    let (document, left_out) = document(row.id.as_str(), &row.settings, &rules);
    tell_left_out(left_out);
    print::write_json(&document)
}

/// Result for an entry.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Became {
    /// Position in the document.
    field: String,
    pattern: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    arg_pattern: Option<String>,
    /// The rules, as they are typed.
    rules: Vec<String>,
    /// Reason why there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ImportReport {
    entries: Vec<Became>,
    /// Tools of MCP servers that stay out.
    tools: Vec<String>,
    settings: ImportedSettings,
    done: RulesImported,
}

pub(super) fn import(
    link: &mut HostLink,
    path: &Path,
    agent: Option<&str>,
    of: Option<&str>,
    how: SettingsImportOptions,
) -> Result<(), Failure> {
    let agent = require_agent(agent)?;
    let read = read_document(&crate::typed::text_of(path)?)
        .map_err(|error| Failure::usage_error(format!("{}: {error}; nothing was saved", path.display())))?;
    let taken = read.for_agent(document_agent(&read, of, &agent)?.as_deref());
    let row = link.call_method::<GetAgent>(&AgentRef { agent: agent.clone() })?;
    let settings = settings(&row, &taken, how)?;
    let mut each: Vec<(Became, Vec<RuleDraft>)> =
        taken.allowlist.iter().map(|entry| became(entry, &agent)).collect();
    leave_out(link, &agent, &mut each)?;
    let (entries, rules): (Vec<_>, Vec<_>) = each.into_iter().unzip();
    let rules: Vec<RuleDraft> = rules.into_iter().flatten().collect();
    let all = rules.len();
    let rules = RuleFile { version: 1, rules };
    let done = file::send_rules(link, rules, Some(agent.clone()), Some(settings.clone()), how.check)?;
    let tools = taken.tools;
    let report = ImportReport { entries, tools, settings, done };
    if how.json.json {
        return print::write_json(&report);
    }
    print_report(&report)?;
    file::report(&report.done, all, how.check, how.json)?;
    tell_settings(&agent, &report.settings)
}

/// Returns the document's agent to use; `None` if it names none.
fn document_agent(document: &Document, of: Option<&str>, agent: &AgentId) -> Result<Option<String>, Failure> {
    let names = document.agents();
    let named = |name: &str| names.contains(&name).then(|| name.to_owned());
    let listed = || escaped(&names.join(", "));
    if let Some(of) = of {
        let missing = || {
            Failure::usage_error(format!(
                "the document names no agent {}; it names {}",
                escaped(of),
                listed()
            ))
        };
        return named(of).ok_or_else(missing).map(Some);
    }
    match (named(agent.as_str()), names.as_slice()) {
        (Some(same), _) => Ok(Some(same)),
        (None, []) => Ok(None),
        (None, [only]) => Ok(Some((*only).to_owned())),
        (None, _) => Err(Failure::usage_error(format!(
            "the document names {}: say which of them is meant, with --of NAME; one at a time, because none may have \
             what another is allowed",
            listed()
        ))),
    }
}

/// Returns the settings to import. A setting that is left out there stays as it is here: there it would mean
/// that everything runs.
fn settings(
    row: &AgentRow,
    taken: &OfAgent,
    how: SettingsImportOptions,
) -> Result<ImportedSettings, Failure> {
    let (said, here) = (&taken.said, &row.settings);
    confirm((said.security, said.fallback), how)?;
    Ok(ImportedSettings {
        security: said.security.unwrap_or(here.security),
        ask: said.ask.unwrap_or(here.ask),
        fallback: said.fallback.unwrap_or(here.fallback),
        approval_timeout_ms: here.approval_timeout_ms,
        skills: said.skills,
        confirmed: how.yes || how.check,
    })
}

/// Leaves out what would be refused as a rule: an entry less is asked about, it opens nothing.
fn leave_out(
    link: &mut HostLink,
    agent: &AgentId,
    each: &mut [(Became, Vec<RuleDraft>)],
) -> Result<(), Failure> {
    let rules = each.iter().flat_map(|(_, rules)| rules).cloned().collect();
    let looked = file::send_rules(link, RuleFile { version: 1, rules }, Some(agent.clone()), None, true)?;
    for (became, rules) in each {
        let of = |rule: &RuleDraft| looked.refused.iter().find(|refused| refused.text == escaped(&rule.text));
        if let Some(refused) = rules.iter().find_map(of) {
            became.left_out = Some(refused.why.clone());
            became.rules.clear();
            rules.clear();
        }
    }
    Ok(())
}

fn became(entry: &OpenclawEntry, agent: &AgentId) -> (Became, Vec<RuleDraft>) {
    let (drafts, left_out) = match entry.allowed() {
        Ok(allowed) => (allowed, None),
        Err(why) => (Vec::new(), Some(why)),
    };
    let shown = |allowed: &Allowed| {
        let arguments = allowed.arguments.as_ref().map(|words| {
            format!(" --args {}", postern_command::quote_word(&postern_command::quote_argv(words)))
        });
        format!("{}{}", pattern_text(&allowed.pattern), arguments.unwrap_or_default())
    };
    let shown = drafts.iter().map(shown).collect();
    let became = Became {
        field: entry.field.clone(),
        pattern: entry.pattern.clone(),
        arg_pattern: entry.arguments.clone(),
        rules: shown,
        left_out,
    };
    (became, drafts.into_iter().map(|allowed| allow_draft(allowed, agent)).collect())
}

fn allow_draft(allowed: Allowed, agent: &AgentId) -> RuleDraft {
    let rule = Rule::new(Effect::Allow, allowed.pattern);
    RuleDraft { agent: Some(agent.clone()), args: allowed.arguments, ..RuleDraft::of_rule(rule) }
}

fn print_report(report: &ImportReport) -> Result<(), Failure> {
    for entry in &report.entries {
        let there = entry.arg_pattern.as_ref().map_or_else(String::new, |arguments| format!(" {arguments}"));
        let there = escaped(&format!("{}{there}", entry.pattern));
        print::say!("{}  {there}", escaped(&entry.field))?;
        match &entry.left_out {
            Some(why) => print::say!("  left out: {}", escaped(why))?,
            None => print::say!("  becomes: {}", escaped(&entry.rules.join("; ")))?,
        }
    }
    for tool in &report.tools {
        print::say!("mcpTools  {}", escaped(tool))?;
        print::write_line("  left out: tools are in permissions.jsonc, not among the rules")?;
    }
    print::remark("socket: not imported; postern doors setup openclaw says what OpenClaw needs");
    Ok(())
}

fn tell_settings(agent: &AgentId, settings: &ImportedSettings) -> Result<(), Failure> {
    let skills = match settings.skills {
        Some(true) => ", skills trusted",
        Some(false) => ", skills not trusted",
        None => "",
    };
    print::say!(
        "{agent}: security {}, ask {}, fallback {}{skills}; what is not said there stays as it is here",
        settings.security.name(),
        settings.ask.name(),
        settings.fallback.name(),
    )
}
