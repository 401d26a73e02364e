//! Rules from a file: all of them are saved at once, with the settings that came with them, or nothing is.

use super::{AgentChanges, PolicyStore, PolicyStoreError};
use postern_policy::{AgentId, Effect, Lifetime, Limits, Pattern, Profile, Rule, RuleInput, RuleOrigin};
use std::collections::HashSet;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RuleImportResult {
    /// The rules that were added, or would be.
    pub(crate) added: Vec<Rule>,
    /// Number of rules that were there already.
    pub(crate) same: u32,
}

/// Parts of a rule that make two rules the same. Pins belong to one computer and are not compared.
type RuleKey = (
    (Effect, RuleOrigin, bool, bool, Option<Box<Limits>>, Option<Profile>),
    Option<AgentId>,
    Pattern,
    Option<Vec<String>>,
    Lifetime,
    (Option<String>, RuleInput),
);

impl PolicyStore {
    /// Saves rules that were read and checked, and an agent's settings; rules that are there already are passed over.
    /// With `write` off, nothing is saved.
    pub(crate) async fn import(
        &self,
        rules: Vec<Rule>,
        settings: Option<(AgentId, AgentChanges)>,
        write: bool,
    ) -> Result<RuleImportResult, PolicyStoreError> {
        let _one = self.change().await;
        let known = self.blocking(|book| Ok(book.store().read(postern_store::rules::list_rules)?)).await?;
        let mut seen: HashSet<RuleKey> = known.iter().map(rule_key).collect();
        let all = rules.len();
        let mut added: Vec<Rule> = rules.into_iter().filter(|rule| seen.insert(rule_key(rule))).collect();
        let same = u32::try_from(all - added.len()).unwrap_or(u32::MAX);
        let agent = settings.map(|(id, changes)| self.changed_agent(&id, changes)).transpose()?;
        if write && (!added.is_empty() || agent.is_some()) {
            let adding = added.clone();
            let ids = self.store().write_durable(move |conn| {
                if let Some(agent) = &agent {
                    postern_store::agents::update_agent(conn, agent)?;
                }
                adding
                    .iter()
                    .map(|rule| postern_store::rules::insert_rule(conn, rule))
                    .collect::<Result<Vec<_>, _>>()
            });
            for (rule, id) in added.iter_mut().zip(ids.await?) {
                rule.id = id;
            }
            self.reload(None).await?;
        }
        Ok(RuleImportResult { added, same })
    }
}

fn rule_key(rule: &Rule) -> RuleKey {
    (
        (rule.effect, rule.origin, rule.allow_writes, rule.broad, rule.limits.clone(), rule.confine),
        rule.agent.clone(),
        rule.pattern.clone(),
        rule.args.clone(),
        rule.lifetime.clone(),
        (rule.folder.clone(), rule.input.clone()),
    )
}
