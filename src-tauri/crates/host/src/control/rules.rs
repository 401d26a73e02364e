//! `rules.*`.

use super::{Answer, Control, Handle, rows};
use crate::ask::FaceId;
use crate::book::Matched;
use postern_command::escape;
use postern_contract::RuleDraft;
use postern_contract::methods::{
    AddRule, Applied, ControlError, ExportRules, ImportRules, ListRules, PreviewRule, RefusedRule,
    RemoveRule, RuleFile, RuleFilter, RuleNumber, RulePreview, RuleUpdate, Rules, RulesImport, RulesImported,
    RulesWrite, UpdateRule,
};
use postern_policy::{Rule, Source, kind_name, pattern_text};

/// The format of a rule file.
const VERSION: u32 = 1;
/// The most rules in one import.
const MOST: usize = 5000;

impl Handle<ListRules> for Control {
    async fn handle(&self, _: FaceId, params: RuleFilter) -> Answer<ListRules> {
        let listed = self.parts.book.rules(params.agent, params.own).await?;
        Ok(Rules { rules: listed.into_iter().map(rows::rule).collect() })
    }
}

impl Handle<AddRule> for Control {
    async fn handle(&self, _: FaceId, params: RuleDraft) -> Answer<AddRule> {
        let agent = params.agent.clone();
        let listed = self.parts.book.add_rule(params, Source::Person).await?;
        self.rules_changed(agent).await?;
        Ok(rows::rule(listed))
    }
}

impl Handle<UpdateRule> for Control {
    async fn handle(&self, _: FaceId, params: RuleUpdate) -> Answer<UpdateRule> {
        let listed = self.parts.book.update_rule(params.id, params.rule, params.keep_pin).await?;
        // It may have been somebody else's before.
        self.rules_changed(None).await?;
        Ok(rows::rule(listed))
    }
}

impl Handle<RemoveRule> for Control {
    async fn handle(&self, _: FaceId, params: RuleNumber) -> Answer<RemoveRule> {
        let agent = self.parts.book.remove_rule(params.id).await?;
        self.rules_changed(agent).await?;
        Ok(Applied { applied: true })
    }
}

impl Handle<ExportRules> for Control {
    async fn handle(&self, _: FaceId, params: RuleFilter) -> Answer<ExportRules> {
        let listed = self.parts.book.rules(params.agent, params.own).await?;
        let own = listed.into_iter().map(|listed| listed.rule).filter(|rule| is_portable(&rule.source));
        Ok(RuleFile { version: VERSION, rules: own.map(draft_of).collect() })
    }
}

impl Handle<ImportRules> for Control {
    async fn handle(&self, _: FaceId, params: RulesImport) -> Answer<ImportRules> {
        let RulesImport { file, agent, write } = params;
        if file.version != VERSION {
            return Err(ControlError::invalid(format!("format {} is not known; {VERSION} is", file.version)));
        }
        if file.rules.len() > MOST {
            return Err(ControlError::invalid(format!("{MOST} rules at a time are the most")));
        }
        let mut rules = Vec::new();
        let mut refused = Vec::new();
        for mut draft in file.rules {
            if agent.is_some() {
                draft.agent.clone_from(&agent);
            }
            let text = escape::text(&draft.text);
            match self.parts.book.rule_of(draft, Source::Import).await {
                Ok(rule) => rules.push(rule),
                Err(error) => refused.push(RefusedRule { text, why: error.to_string() }),
            }
        }
        let (added, same) = self.parts.book.import(rules, write == RulesWrite::Add).await?;
        if write == RulesWrite::Add && !added.is_empty() {
            self.rules_changed(None).await?;
        }
        Ok(RulesImported { added: added.into_iter().map(rows::rule).collect(), same, refused })
    }
}

impl Handle<PreviewRule> for Control {
    async fn handle(&self, _: FaceId, params: RuleDraft) -> Answer<PreviewRule> {
        let agent = params.agent.clone();
        let rule = match self.parts.book.rule_of(params, Source::Person).await {
            Ok(rule) => rule,
            Err(error) => {
                let problem = Some(error.to_string());
                return Ok(RulePreview {
                    problem,
                    remarks: Vec::new(),
                    matched: 0,
                    of: 0,
                    examples: Vec::new(),
                });
            }
        };
        let listed = self.parts.book.remarked(vec![rule.clone()]).await?;
        let remarks = listed.into_iter().flat_map(|listed| listed.remarks).collect();
        let Matched { count, of, examples } = self.parts.book.matched_recently(agent, vec![rule]).await?;
        Ok(RulePreview { problem: None, remarks, matched: count, of, examples })
    }
}

/// Whether a rule makes sense elsewhere: a skill's is bound to this machine's programs, a file's is in the file.
fn is_portable(source: &Source) -> bool {
    match source {
        Source::Person | Source::Always | Source::Import => true,
        Source::Skill(_) | Source::File | Source::Managed => false,
    }
}

/// A rule as a person would write it.
pub(super) fn draft_of(rule: Rule) -> RuleDraft {
    RuleDraft {
        effect: rule.effect,
        text: pattern_text(&rule.pattern),
        kind: Some(kind_name(&rule.pattern)),
        agent: rule.agent,
        args: rule.args,
        pin: rule.pin.is_some(),
        allow_writes: rule.allow_writes,
        lifetime: Some(rule.lifetime),
        why: rule.why,
        matches: rule.matches,
        misses: rule.misses,
    }
}
