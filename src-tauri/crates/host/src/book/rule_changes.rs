//! Rules written whole, several at once: what undoes and redoes a change, and what cleans up.

use super::{ListedRule, PolicyStore, PolicyStoreError};
use postern_policy::{Rule, RuleId, Source, check_rule};
use std::collections::HashSet;

const MOST: usize = 20_000;

impl PolicyStore {
    /// Writes and removes rules in one transaction, and swaps them in. A rule with the number 0 gets a new
    /// one.
    ///
    /// Refused as a whole if one of them could not be saved by itself.
    pub(crate) async fn put_rules(
        &self,
        put: Vec<Rule>,
        remove: Vec<RuleId>,
    ) -> Result<Vec<ListedRule>, PolicyStoreError> {
        if put.len() > MOST || remove.len() > MOST {
            return Err(PolicyStoreError::Invalid(format!("{MOST} rules at a time are the most")));
        }
        for rule in &put {
            self.may_put(rule)?;
        }
        if let Some(id) = remove.iter().find(|id| **id < 0) {
            return Err(PolicyStoreError::ReadOnly(*id));
        }
        let _one = self.change().await;
        let written = self.store().write_durable(move |conn| {
            for id in remove {
                postern_store::rules::discard(conn, id)?;
            }
            let put = put.into_iter().map(|rule| {
                let id = postern_store::rules::put_rule(conn, &rule)?;
                Ok(Rule { id, ..rule })
            });
            put.collect::<Result<Vec<Rule>, postern_store::Error>>()
        });
        let written = written.await?;
        self.reload(None).await?;
        self.remarked(written).await
    }

    /// Rules by their numbers, as a list shows them; numbers of rules that are gone are passed over.
    pub(crate) async fn rules_named(
        &self,
        wanted: HashSet<RuleId>,
    ) -> Result<Vec<ListedRule>, PolicyStoreError> {
        let kept = self
            .blocking(move |book| {
                let named = |id: &RuleId| book.store().read(|conn| postern_store::rules::get_rule(conn, *id));
                Ok(wanted.iter().filter_map(|id| named(id).transpose()).collect::<Result<Vec<Rule>, _>>()?)
            })
            .await?;
        self.remarked(kept).await
    }

    fn may_put(&self, rule: &Rule) -> Result<(), PolicyStoreError> {
        if rule.id < 0 || matches!(rule.source, Source::File | Source::Managed) {
            return Err(PolicyStoreError::ReadOnly(rule.id));
        }
        if let Some(agent) = &rule.agent {
            self.require_agent(agent)?;
        }
        check_rule(rule, &self.places().home)?;
        Ok(())
    }
}
