//! `rules.*`.

use super::{Handle, HostControl, MethodResult, rows, staged};
use crate::ask::ApproverId;
use crate::book::{AgentChanges, ListedRule, Matched, PolicyStoreError, RuleImportResult, unconfirmed};
use crate::clock::ends_by_the_wall;
use postern_command::escape;
use postern_contract::methods::{
    AddRule, Applied, ControlError, ExportRules, ImportRules, ImportedSettings, ListRules, PreviewRule,
    RefusedRule, RemoveRule, RuleFile, RuleFilter, RuleNumber, RulePreview, RuleUpdate, Rules, RulesBatch,
    RulesImport, RulesImported, RulesPart, RulesWrite, StageRules, UpdateRule,
};
use postern_contract::{AlsoCovers, ApproverNotification, RuleDraft, RuleRow, render};
use postern_policy::{AgentId, Rule, RuleProblem, Source, also_covered};

/// The format of a rule file.
const VERSION: u32 = 1;
/// Number of rules of an import that are returned in full.
const SHOWN: usize = 1000;

impl Handle<ListRules> for HostControl {
    async fn handle(&self, _: ApproverId, params: RuleFilter) -> MethodResult<ListRules> {
        let number = |n: u32| usize::try_from(n).unwrap_or(usize::MAX);
        let from = number(params.skip.unwrap_or(0));
        let page = from..params.limit.map_or(usize::MAX, |limit| from.saturating_add(number(limit)));
        let listed = self.parts.book.page_of_rules(params.agent, params.own, page).await?;
        Ok(Rules { rules: self.rule_rows(listed) })
    }
}

impl Handle<AddRule> for HostControl {
    async fn handle(&self, _: ApproverId, params: RuleDraft) -> MethodResult<AddRule> {
        let agent = params.agent.clone();
        let listed = self.parts.book.add_rule(params, Source::Person).await?;
        self.rules_changed(agent).await?;
        Ok(self.rule_row(listed))
    }
}

impl Handle<UpdateRule> for HostControl {
    async fn handle(&self, _: ApproverId, params: RuleUpdate) -> MethodResult<UpdateRule> {
        let listed = self.parts.book.update_rule(params.id, params.rule, params.keep_pin).await?;
        // It may have been somebody else's before.
        self.rules_changed(None).await?;
        Ok(self.rule_row(listed))
    }
}

impl Handle<RemoveRule> for HostControl {
    async fn handle(&self, _: ApproverId, params: RuleNumber) -> MethodResult<RemoveRule> {
        let agent = self.parts.book.remove_rule(params.id).await?;
        self.rules_changed(agent).await?;
        Ok(Applied { applied: true })
    }
}

impl Handle<ExportRules> for HostControl {
    async fn handle(&self, _: ApproverId, params: RuleFilter) -> MethodResult<ExportRules> {
        let rules = self.parts.book.portable_rules(params.agent, params.own).await?;
        let rules = rules.into_iter().map(|rule| {
            let lifetime = ends_by_the_wall(rule.lifetime);
            RuleDraft::of_rule(Rule { lifetime, ..rule })
        });
        Ok(RuleFile { version: VERSION, rules: rules.collect() })
    }
}

impl Handle<StageRules> for HostControl {
    async fn handle(&self, _: ApproverId, params: RulesPart) -> MethodResult<StageRules> {
        let (batch, held) = self.staged.add_to_batch(params.batch.as_deref(), params.rules)?;
        Ok(RulesBatch { batch, held: u32::try_from(held).unwrap_or(u32::MAX) })
    }
}

/// Returns the rules of a file whose format is known.
pub(super) fn drafts(file: &RuleFile) -> Result<Vec<RuleDraft>, ControlError> {
    if file.version != VERSION {
        return Err(ControlError::invalid(format!("format {} is not known; {VERSION} is", file.version)));
    }
    Ok(file.rules.clone())
}

impl Handle<ImportRules> for HostControl {
    async fn handle(&self, _: ApproverId, params: RulesImport) -> MethodResult<ImportRules> {
        let RulesImport { file, agent, write, batch, settings } = params;
        let mut drafts = drafts(&file)?;
        if let Some(batch) = batch {
            drafts.extend(self.staged.take_batch(&batch)?);
        }
        staged::check_count(drafts.len())?;
        if let Some(agent) = &agent {
            for draft in &mut drafts {
                draft.agent = Some(agent.clone());
            }
        }
        let settings = match (settings, &agent) {
            (None, _) => None,
            (Some(settings), Some(agent)) => Some((agent.clone(), self.changes_of(agent, &settings)?)),
            (Some(_), None) => return Err(ControlError::invalid("settings are one agent's: say whose")),
        };
        let (rules, refused) = self.read_all(drafts).await?;
        let (whole, adds) = (refused.is_empty(), write == RulesWrite::Add);
        let changes = whole && settings.is_some();
        let write = adds && whole;
        let RuleImportResult { mut added, same } =
            self.parts.book.import(rules, settings.filter(|_| whole), write).await?;
        if adds && !whole {
            // None was saved, so none is told as if it were.
            added.clear();
        }
        if write && (changes || !added.is_empty()) {
            self.rules_changed(None).await?;
        }
        if write && changes {
            self.notify_approvers(ApproverNotification::AgentsChanged);
        }
        let count = u32::try_from(added.len()).unwrap_or(u32::MAX);
        let shown = added.into_iter().take(SHOWN).collect();
        let added = self.rule_rows(self.parts.book.remarked(shown).await?);
        Ok(RulesImported { added, count, same, refused })
    }
}

impl HostControl {
    /// Reads and checks rules of a file: those that are in order, and those that are refused.
    async fn read_all(&self, drafts: Vec<RuleDraft>) -> Result<(Vec<Rule>, Vec<RefusedRule>), ControlError> {
        let texts: Vec<String> = drafts.iter().map(|draft| escape::visible_text(&draft.text)).collect();
        let read = self.parts.book.rules_of(drafts, Source::Import).await?;
        let mut rules = Vec::with_capacity(read.len());
        let mut refused = Vec::new();
        for (text, rule) in texts.into_iter().zip(read) {
            match rule {
                Ok(rule) => rules.push(rule),
                Err(error) => refused.push(RefusedRule { text, why: error.to_string() }),
            }
        }
        Ok((rules, refused))
    }

    fn rule_row(&self, listed: ListedRule) -> RuleRow {
        rows::rule_row(listed, &self.parts.book.places().home)
    }

    pub(super) fn rule_rows(&self, listed: Vec<ListedRule>) -> Vec<RuleRow> {
        listed.into_iter().map(|listed| self.rule_row(listed)).collect()
    }

    /// Returns what a rule covers if it is broad, and otherwise not.
    fn also_covered(&self, draft: RuleDraft) -> Vec<AlsoCovers> {
        let home = &self.parts.book.places().home;
        let rule = draft.into_rule(home);
        rule.map_or_else(
            |_| Vec::new(),
            |rule| also_covered(&rule, home).iter().map(render::also_covers).collect(),
        )
    }

    /// Returns the changes of an agent's settings by those from a file.
    fn changes_of(&self, agent: &AgentId, imported: &ImportedSettings) -> Result<AgentChanges, ControlError> {
        let entry = self.parts.book.require_agent(agent)?;
        let mut settings = entry.agent.settings.clone();
        settings.security = imported.security;
        settings.ask = imported.ask;
        settings.fallback = imported.fallback;
        settings.approval_timeout_ms = imported.approval_timeout_ms;
        settings.allow_skills = imported.skills.unwrap_or(settings.allow_skills);
        let unconfirmed = unconfirmed(&entry.agent.settings, &settings).filter(|_| !imported.confirmed);
        if let Some(unconfirmed) = unconfirmed {
            return Err(ControlError::refused(unconfirmed.to_string()));
        }
        let values = [("confirm".to_owned(), "yes".to_owned())].into();
        Ok(AgentChanges { settings: Some(settings), values })
    }
}

impl Handle<PreviewRule> for HostControl {
    async fn handle(&self, _: ApproverId, params: RuleDraft) -> MethodResult<PreviewRule> {
        let agent = params.agent.clone();
        let draft = params.clone();
        let rule = match self.parts.book.rule_of(params, Source::Person).await {
            Ok(rule) => rule,
            Err(error) => {
                let carrier = matches!(error, PolicyStoreError::Rule(RuleProblem::Carrier(_)));
                let also = if carrier { self.also_covered(draft) } else { Vec::new() };
                let problem = Some(error.to_string());
                return Ok(RulePreview { problem, also, ..RulePreview::default() });
            }
        };
        let also = if draft.broad { self.also_covered(draft) } else { Vec::new() };
        let listed = self.parts.book.remarked(vec![rule.clone()]).await?;
        let remarks = listed.into_iter().flat_map(|listed| listed.remarks).map(|remark| remark.text);
        let Matched { count, of, examples } =
            self.parts.book.matched_recently(agent.clone(), vec![rule.clone()]).await?;
        let (changed, changes) = self.parts.book.changed_by(agent, rule).await?;
        Ok(RulePreview {
            remarks: remarks.collect(),
            matched: count,
            of,
            examples,
            changed,
            changes,
            also,
            ..RulePreview::default()
        })
    }
}
