//! Saves the rules of *Always* with the program as it is, durable before anything runs because of them.

use super::agent_folder::AgentFolder;
use super::{PermissionsFile, PolicyStore, PolicyStoreError, now_millis};
use crate::clock::ends_by_the_host;
use postern_contract::Scope;
use postern_policy::permissions::{self, EntryOrigin, PermissionEntry};
use postern_policy::{
    AgentId, Draft, Effect, Lifetime, Limits, Pattern, Pin, Profile, ProgramRenewal, Rule, RuleId, RuleInput,
    RuleOrigin, Source, check_rule,
};
use postern_store::{Connection, Error, renewals};

/// Choice of a person to save rules from a question.
#[derive(Debug, Clone)]
pub(crate) struct RuleSaveRequest {
    pub(crate) agent: AgentId,
    /// For whom it is saved.
    pub(crate) scope: Scope,
    /// Allow or deny.
    pub(crate) effect: Effect,
    pub(crate) origin: RuleOrigin,
    pub(crate) lifetime: Lifetime,
    /// Reason, in the person's words.
    pub(crate) why: Option<String>,
    /// The rules: one for each step that no rule covers.
    pub(crate) rules: Vec<OfferedRule>,
    /// The rules to be renewed instead: they hold for the program as it is now.
    pub(crate) renews: Vec<ProgramRenewal>,
}

impl RuleSaveRequest {
    /// Returns true if other agents may be judged otherwise by it.
    fn is_for_others(&self) -> bool {
        let mut renewed = self.renews.iter().flat_map(|renewal| &renewal.rules);
        self.scope == Scope::Everyone || renewed.any(|rule| rule.agent.as_ref() != Some(&self.agent))
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SavedRules {
    /// The rules, by number.
    pub(crate) rules: Vec<RuleId>,
    /// The entry in the audit by which rules were renewed, and those.
    pub(crate) renewed: Option<(i64, Vec<RuleId>)>,
    /// True if other agents may be judged otherwise by it.
    pub(crate) for_others: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OfferedRule {
    pub(crate) pattern: Pattern,
    /// Argument patterns.
    pub(crate) args: Option<Vec<String>>,
    /// The identities that were shown.
    pub(crate) pin: Option<Pin>,
    /// True if it also allows redirections that write.
    pub(crate) allow_writes: bool,
    /// Limits beyond which it covers nothing.
    pub(crate) limits: Option<Box<Limits>>,
    /// Profile that what it allows runs in.
    pub(crate) confine: Option<Profile>,
    /// Folder in which it holds, with everything below; `None` is everywhere.
    pub(crate) folder: Option<String>,
    pub(crate) input: RuleInput,
    /// True if the person confirmed that it covers whatever its words cover.
    pub(crate) broad: bool,
}

impl OfferedRule {
    pub(crate) fn new(pattern: Pattern) -> Self {
        Self {
            pattern,
            args: None,
            pin: None,
            allow_writes: false,
            limits: None,
            confine: None,
            folder: None,
            input: RuleInput::Nothing,
            broad: false,
        }
    }

    /// Returns the rule of an offer's draft in a folder.
    pub(crate) fn of_draft(draft: &Draft, folder: Option<&str>, effect: Effect) -> Self {
        let allows = effect == Effect::Allow;
        Self {
            // A deny holds everywhere, whatever comes on standard input.
            folder: folder.filter(|_| allows).map(str::to_owned),
            input: if allows { draft.input.clone() } else { RuleInput::Nothing },
            pattern: draft.pattern.clone(),
            args: draft.args.clone(),
            // A deny holds for whatever the program becomes.
            pin: draft.pin.clone().filter(|_| allows),
            allow_writes: allows && draft.allow_writes,
            limits: draft.limits.clone().filter(|_| allows).map(Box::new),
            confine: draft.confine.filter(|_| allows),
            broad: false,
        }
    }

    /// Returns it as a rule of everybody's.
    pub(crate) fn to_rule(&self, effect: Effect) -> Rule {
        Rule {
            args: self.args.clone(),
            pin: self.pin.clone().map(Box::new),
            allow_writes: self.allow_writes,
            broad: self.broad,
            limits: self.limits.clone(),
            confine: self.confine,
            folder: self.folder.clone(),
            input: self.input.clone(),
            ..Rule::new(effect, self.pattern.clone())
        }
    }
}

/// Choice of a person to save lines from a question about a tool.
#[derive(Debug, Clone)]
pub(crate) struct ToolRemember {
    pub(crate) agent: AgentId,
    pub(crate) session: Option<String>,
    pub(crate) tool: String,
    /// The patterns that were offered.
    pub(crate) patterns: Vec<String>,
}

impl PolicyStore {
    /// Saves the rules, all of them or none, and swaps them in. Replaces a rule that was there with another pin or lifetime;
    /// of a renewed rule only the program changes that it is bound to.
    pub(crate) async fn remember(&self, remember: RuleSaveRequest) -> Result<SavedRules, PolicyStoreError> {
        let rules = self.rules_to_save(&remember)?;
        let for_others = remember.is_for_others();
        let renews: Vec<renewals::RuleRenewal> = remember.renews.into_iter().map(stored).collect();
        let renewing = !renews.is_empty();
        let _one = self.change().await;
        let saved = self.store().write_durable(move |conn| {
            let renewed = renewals::renew_rules(conn, &renews)?;
            Ok((save_rules(conn, rules)?, renewed))
        });
        let (rules, renewed) = saved.await?;
        if renewing && renewed.is_none() {
            let message = "the rules to be renewed are not as they were shown: look again";
            return Err(PolicyStoreError::Invalid(message.to_owned()));
        }
        self.reload(Some(&remember.agent).filter(|_| !for_others)).await?;
        Ok(SavedRules { rules, renewed, for_others })
    }

    /// Returns the rules that would be saved, or why one of them cannot be.
    pub(crate) fn rules_to_save(&self, remember: &RuleSaveRequest) -> Result<Vec<Rule>, PolicyStoreError> {
        let agent = Some(remember.agent.clone()).filter(|_| remember.scope == Scope::Agent);
        let rules: Vec<Rule> =
            remember.rules.iter().map(|new| rule_of(new, remember, agent.clone())).collect();
        for rule in &rules {
            check_rule(rule, &self.places().home)?;
        }
        Ok(rules)
    }

    /// Binds the rules of a renewal to what they were bound to before it. Returns those that are back.
    pub(crate) async fn undo_renewal(&self, entry: i64) -> Result<Vec<RuleId>, PolicyStoreError> {
        let _one = self.change().await;
        let back = self.store().write_durable(move |conn| renewals::undo_renewal(conn, entry)).await?;
        if back.is_empty() {
            let message = format!("no rule is as renewal {entry} left it: there is nothing to undo");
            return Err(PolicyStoreError::Invalid(message));
        }
        self.reload(None).await?;
        Ok(back)
    }

    /// Appends what *Always* allows to the agent's `permissions.jsonc`, keeping the person's comments, and to its
    /// session's own layer.
    pub(crate) async fn remember_tool(&self, remember: ToolRemember) -> Result<(), PolicyStoreError> {
        let _one = self.change().await;
        let entry = self.require_agent(&remember.agent)?;
        let (folder, home) = (entry.folder.clone(), self.places().home.clone());
        let now = self.blocking(move |_| Ok(PermissionsFile::read(&folder, &home))).await?;
        // It is not written again from one rule.
        now.read?;
        if remember.patterns.is_empty() {
            let message = "no rule can be written that covers just this";
            return Err(PolicyStoreError::Invalid(message.to_owned()));
        }
        // The session first: it holds whatever becomes of the file.
        if let Some(session) = &remember.session {
            let home = &self.places().home;
            let line = |pattern: &String| {
                PermissionEntry::new(&remember.tool, pattern, Effect::Allow, home, EntryOrigin::Session)
            };
            let lines: Result<Vec<PermissionEntry>, String> = remember.patterns.iter().map(line).collect();
            self.add_to_session(&remember.agent, session, lines.map_err(PolicyStoreError::Invalid)?).await?;
        }
        let appended = self.append_permissions(&entry.folder, now.text, &remember).await;
        self.reload(Some(&remember.agent)).await?;
        appended
    }

    async fn append_permissions(
        &self,
        folder: &AgentFolder,
        mut text: String,
        remember: &ToolRemember,
    ) -> Result<(), PolicyStoreError> {
        for pattern in &remember.patterns {
            text = permissions::append(&text, &remember.tool, pattern)?;
        }
        self.write_permissions(folder, text).await
    }
}

fn stored(renewal: ProgramRenewal) -> renewals::RuleRenewal {
    let ProgramRenewal { program: path, was: program, now, rules } = renewal;
    let rules = rules.into_iter().map(|rule| rule.id).collect();
    renewals::RuleRenewal { was: renewals::BoundRules { path, program, rules }, now }
}

fn save_rules(conn: &Connection, rules: Vec<Rule>) -> Result<Vec<RuleId>, Error> {
    let known = postern_store::rules::list_rules(conn)?;
    let mut ids = Vec::with_capacity(rules.len());
    for rule in rules {
        ids.push(match known.iter().find(|other| is_same(other, &rule)) {
            Some(other) => {
                postern_store::rules::update_rule(conn, &Rule { id: other.id, ..rule })?;
                other.id
            }
            None => postern_store::rules::insert_rule(conn, &rule)?,
        });
    }
    Ok(ids)
}

pub(super) fn rule_of(new: &OfferedRule, remember: &RuleSaveRequest, agent: Option<AgentId>) -> Rule {
    Rule {
        agent,
        origin: remember.origin,
        source: Source::Always,
        lifetime: ends_by_the_host(remember.lifetime.clone()),
        why: remember.why.clone(),
        created_at: now_millis(),
        ..new.to_rule(remember.effect)
    }
}

/// Returns true if a saved rule is the same but for its pin and its lifetime. One that lasts is not cut
/// short.
fn is_same(kept: &Rule, new: &Rule) -> bool {
    let what = |rule: &Rule| {
        let place = (rule.folder.clone(), rule.input.clone(), rule.origin);
        let reach = (rule.allow_writes, rule.broad, rule.limits.clone(), rule.confine);
        (rule.effect, rule.agent.clone(), rule.pattern.clone(), rule.args.clone(), reach, place)
    };
    kept.source == Source::Always
        && what(kept) == what(new)
        && (kept.lifetime == new.lifetime || new.lifetime == Lifetime::Forever)
}
