//! Files of rules: read, sent in parts, saved whole or not at all.

use super::parse_agent_id;
use crate::failure::Failure;
use crate::link::HostLink;
use crate::print;
use crate::shared_args::JsonOutput;
use crate::typed::text_of;
use postern_command::escape::visible_text as escaped;
use postern_contract::RuleDraft;
use postern_contract::methods::{
    ImportRules, ImportedSettings, RuleFile, RulesImport, RulesImported, RulesPart, RulesWrite, StageRules,
};
use postern_policy::AgentId;
use std::path::Path;

/// Size of the parts that a file is sent in, in bytes of JSON: a call may have 256 KiB.
const PART: usize = 192 * 1024;

pub(crate) fn rules_of(text: &str, file: &Path) -> Result<RuleFile, Failure> {
    serde_json::from_str(text).map_err(|error| {
        let what = if error.is_data() {
            format!("what postern rules export writes, {{\"version\": 1, \"rules\": […]}}: {error}")
        } else {
            format!("JSON (line {}, column {})", error.line(), error.column())
        };
        Failure::usage_error(format!("{} is not {what}", escaped(&file.to_string_lossy())))
    })
}

/// Sends rules in parts. Gives the batch that takes them up; `None` if they fit into one call.
pub(crate) fn stage_rules(
    link: &mut HostLink,
    rules: &mut Vec<RuleDraft>,
) -> Result<Option<String>, Failure> {
    let mut parts: Vec<Vec<RuleDraft>> = Vec::new();
    let mut room = 0;
    for rule in rules.drain(..) {
        let length = serde_json::to_vec(&rule).map_err(Failure::from_error)?.len() + 1;
        if let Some(part) = parts.last_mut().filter(|_| length <= room) {
            part.push(rule);
        } else {
            room = PART;
            parts.push(vec![rule]);
        }
        room = room.saturating_sub(length);
    }
    if parts.len() <= 1 {
        rules.extend(parts.into_iter().flatten());
        return Ok(None);
    }
    let mut batch = None;
    for rules in parts {
        batch = Some(link.call_method::<StageRules>(&RulesPart { batch, rules })?.batch);
    }
    Ok(batch)
}

pub(super) fn import(
    link: &mut HostLink,
    file: &Path,
    agent: Option<&str>,
    check: bool,
    json: JsonOutput,
) -> Result<(), Failure> {
    let rules = rules_of(&text_of(file)?, file)?;
    let agent = agent.map(parse_agent_id).transpose()?;
    let all = rules.rules.len();
    let done = send_rules(link, rules, agent, None, check)?;
    report(&done, all, check, json)
}

/// Imports rules and settings, all at once.
pub(crate) fn send_rules(
    link: &mut HostLink,
    mut file: RuleFile,
    agent: Option<AgentId>,
    settings: Option<ImportedSettings>,
    check: bool,
) -> Result<RulesImported, Failure> {
    let batch = stage_rules(link, &mut file.rules)?;
    let write = if check { RulesWrite::Check } else { RulesWrite::Add };
    link.call_method::<ImportRules>(&RulesImport { file, agent, write, batch, settings })
}

/// Says what came of `all` the rules of a file. Where a rule was refused, nothing was saved: exits 1.
pub(super) fn report(done: &RulesImported, all: usize, check: bool, json: JsonOutput) -> Result<(), Failure> {
    if json.json {
        print::write_json(done)?;
    }
    for refused in &done.refused {
        print::remark(format!(
            "refused: {}: {}",
            postern_command::escape::visible_text(&refused.text),
            refused.why
        ));
    }
    if !done.refused.is_empty() {
        let refused = done.refused.len();
        let fine = all.saturating_sub(refused);
        return Err(Failure::negative(format!(
            "{refused} refused, so nothing was saved; the other {fine} are in order"
        )));
    }
    if json.json {
        return Ok(());
    }
    print::say!(
        "{} {}, {} there already",
        done.count,
        if check { "would be added" } else { "added" },
        done.same
    )
}
