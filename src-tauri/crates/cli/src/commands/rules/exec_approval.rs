//! Rules and settings from and to the `execApproval` of an agent profile.

use super::super::agents::parse_agent_id;
use super::file;
use crate::failure::Failure;
use crate::link::HostLink;
use crate::print;
use crate::shared_args::JsonOutput;
use postern_command::escape::visible_text as escaped;
use postern_contract::methods::{AgentRef, GetAgent, ImportedSettings, RuleFile};
use postern_contract::{AgentRow, RuleDraft};
use postern_policy::exec_approval::{ExecApproval, ExecApprovalProfile, read_exec_approval};
use postern_policy::{AgentId, Effect, Fallback, Rule, Security, pattern_text};
use std::path::Path;

#[derive(Clone, Copy)]
pub(super) struct SettingsImportOptions {
    pub(super) check: bool,
    pub(super) yes: bool,
    pub(super) json: JsonOutput,
}

pub(super) fn export(link: &mut HostLink, agent: Option<&str>) -> Result<(), Failure> {
    let (row, rules) = settings_and_rules(link, agent)?;
    let (exec_approval, left_out) = ExecApproval::from_settings(&row.settings, &rules);
    tell_left_out(left_out);
    print::write_json(&ExecApprovalProfile { exec_approval })
}

/// Warns of settings that run everything, or what nobody answers, and wants the second word for them.
pub(super) fn confirm(
    (security, fallback): (Option<Security>, Option<Fallback>),
    how: SettingsImportOptions,
) -> Result<(), Failure> {
    for (full, what) in [
        (security == Some(Security::Full), "security is full: everything runs that no rule denies"),
        (fallback == Some(Fallback::Full), "askFallback is full: what no one answers in time runs"),
    ] {
        if full {
            print::remark(format!("warning: {what}"));
        }
        if full && !how.yes && !how.check {
            return Err(Failure::refused("add --yes if that is meant; nothing was saved"));
        }
    }
    Ok(())
}

/// Returns an agent with the list's own rules of it and of everybody.
pub(super) fn settings_and_rules(
    link: &mut HostLink,
    agent: Option<&str>,
) -> Result<(AgentRow, Vec<Rule>), Failure> {
    let agent = require_agent(agent)?;
    let row = link.call_method::<GetAgent>(&AgentRef { agent: agent.clone() })?;
    Ok((row, super::own_rules(link, Some(&agent))?))
}

/// Names the rules that another program's file has no words for.
pub(super) fn tell_left_out(left_out: Vec<(Rule, &'static str)>) {
    for (rule, why) in left_out {
        let effect = if rule.effect == Effect::Deny { "deny" } else { "allow" };
        print::remark(format!("left out: {effect} {}: {why}", escaped(&pattern_text(&rule.pattern))));
    }
}

pub(super) fn import(
    link: &mut HostLink,
    path: &Path,
    agent: Option<&str>,
    how: SettingsImportOptions,
) -> Result<(), Failure> {
    let agent = require_agent(agent)?;
    let wrong = |error: postern_policy::exec_approval::FieldError| {
        Failure::usage_error(format!("{}: {error}; nothing was saved", path.display()))
    };
    let read = read_exec_approval(&crate::typed::text_of(path)?).map_err(wrong)?;
    let patterns = read.patterns().map_err(wrong)?;
    confirm((Some(read.security), Some(read.ask_fallback)), how)?;
    let rules = patterns.iter().map(|pattern| RuleDraft {
        agent: Some(agent.clone()),
        ..RuleDraft::of_rule(Rule::new(Effect::Allow, pattern.clone()))
    });
    let settings = ImportedSettings {
        security: read.security,
        ask: read.ask,
        fallback: read.ask_fallback,
        approval_timeout_ms: read.timeout_ms,
        skills: None,
        confirmed: how.yes || how.check,
    };
    let rules = RuleFile { version: 1, rules: rules.collect() };
    let mut done = file::send_rules(link, rules, Some(agent.clone()), Some(settings), how.check)?;
    for refused in &mut done.refused {
        // Named by where it stands in the person's file, not by what it became.
        if let Some(at) = patterns.iter().position(|pattern| escaped(&pattern_text(pattern)) == refused.text)
        {
            refused.text = format!("execApproval.allowlist[{at}].pattern");
        }
    }
    file::report(&done, patterns.len(), how.check, how.json)?;
    if how.json.json {
        return Ok(());
    }
    print::say!(
        "{agent}: security {}, ask {}, fallback {}, a question waits {}",
        read.security.name(),
        read.ask.name(),
        read.ask_fallback.name(),
        print::duration(read.timeout_ms),
    )
}

/// Returns the agent whose settings another program's file is about.
pub(super) fn require_agent(agent: Option<&str>) -> Result<AgentId, Failure> {
    parse_agent_id(
        agent.ok_or_else(|| Failure::usage_error("such settings are one agent's: add --agent ID"))?,
    )
}
