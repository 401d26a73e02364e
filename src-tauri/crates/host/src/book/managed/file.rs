//! The file of an organization: JSON with comments, or a property list where its name says so.

use super::settings;
use crate::book::PolicyStoreError;
use postern_contract::RuleDraft;
use postern_policy::permissions::FileError;
use postern_policy::{RiskLevel, Rule, RuleId, Settings, Source, check_rule, jsonc};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The format of the file.
const VERSION: u32 = 1;

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct ManagedContent {
    version: u32,
    organisation: Option<String>,
    #[serde(default)]
    rules: Vec<RuleDraft>,
    #[serde(default)]
    settings: serde_json::Map<String, serde_json::Value>,
    #[serde(default)]
    approvals: BTreeMap<RiskLevel, u8>,
}

/// The most people whose approval can be wanted.
const PEOPLE: u8 = 5;

#[derive(Debug)]
pub(super) struct ManagedFile {
    drafts: Vec<RuleDraft>,
    /// Text in which rules have a line and column; `None` of a property list.
    text: Option<String>,
    pub(super) organisation: Option<String>,
    pub(super) settings: serde_json::Map<String, serde_json::Value>,
    pub(super) approvals: BTreeMap<RiskLevel, u8>,
}

/// Reads a file. The error says where, and what would be right.
pub(super) fn parse(path: &Path, bytes: &[u8]) -> Result<ManagedFile, String> {
    let is_plist = path.extension().is_some_and(|kind| kind == "plist");
    let (content, text) = if is_plist { (of_plist(bytes)?, None) } else { of_jsonc(bytes)? };
    let at_key = |key: &str| text.and_then(|text| jsonc::place_of_key(text, key));
    let wrong = |key: &str, message: String| message_at(text.unwrap_or_default(), at_key(key), message);
    if content.version != VERSION {
        let message = format!("format {} is not known; {VERSION} is", content.version);
        return Err(wrong("version", message));
    }
    settings::override_settings(&Settings::default(), &content.settings)
        .map_err(|problem| wrong("settings", problem))?;
    if content.approvals.values().any(|people| !(1..=PEOPLE).contains(people)) {
        return Err(wrong("approvals", format!("1 to {PEOPLE} people have to approve")));
    }
    Ok(ManagedFile {
        approvals: content.approvals,
        drafts: content.rules,
        text: text.map(str::to_owned),
        organisation: content.organisation,
        settings: content.settings,
    })
}

fn of_plist(bytes: &[u8]) -> Result<ManagedContent, String> {
    plist::from_bytes(bytes).map_err(|error| error.to_string())
}

fn of_jsonc(bytes: &[u8]) -> Result<(ManagedContent, Option<&str>), String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "is not UTF-8 text".to_owned())?;
    let plain = jsonc::to_plain_json(text).map_err(|error| error.to_string())?;
    let content = serde_json::from_str(&plain).map_err(|error| {
        // Its own words end in the place; it is said first here, as everywhere.
        let words = error.to_string();
        let words = words.rsplit_once(" at line ").map_or(words.as_str(), |(words, _)| words);
        message_at(text, Some((error.line(), error.column())), words.to_owned())
    })?;
    Ok((content, Some(text)))
}

fn message_at(text: &str, place: Option<(usize, usize)>, message: String) -> String {
    match place {
        Some((line, column)) => FileError::at_position(text, line, column, message).to_string(),
        None => message,
    }
}

impl ManagedFile {
    /// Returns its rules, checked as any others, numbered down from `first`.
    pub(super) fn build_rules(&self, first: RuleId, home: &str) -> Result<Vec<Rule>, String> {
        let numbered = self.drafts.iter().zip(0..);
        let rules = numbered.map(|(draft, index)| {
            build_rule(draft.clone(), first - index, home).map_err(|error| {
                let text = self.text.as_deref().unwrap_or_default();
                let place = usize::try_from(index).ok();
                let place = place.and_then(|index| jsonc::place_in_list(text, "rules", index));
                message_at(text, place, format!("rule {} ({:?}): {error}", index + 1, draft.text))
            })
        });
        rules.collect()
    }
}

fn build_rule(draft: RuleDraft, id: RuleId, home: &str) -> Result<Rule, PolicyStoreError> {
    if draft.pin {
        return Err(PolicyStoreError::CannotPin(
            "a managed rule cannot be pinned: name the program by its sha256".into(),
        ));
    }
    let rule = Rule { id, source: Source::Managed, ..draft.into_rule(home)? };
    check_rule(&rule, home)?;
    Ok(rule)
}
