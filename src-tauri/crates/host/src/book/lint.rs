//! Lint of the saved rules, with what this computer says about the programs that they name.

use super::rules::{file_rule, from_file};
use super::{AgentEntry, PolicyStore, PolicyStoreError, now_millis};
use postern_exec::resolve::is_mutable_by_agent;
use postern_policy::permissions::FileError;
use postern_policy::{
    AgentId, Lookup, Pattern, Rule, RuleFinding, RuleId, Seen, expand_home, lint_file, lint_rules,
};
use std::collections::HashMap;
use std::path::Path;

/// A rule with something wrong.
#[derive(Debug)]
pub(crate) struct LintedRule {
    pub(crate) rule: Rule,
    pub(crate) finding: RuleFinding,
}

/// Findings of a lint.
#[derive(Debug, Default)]
pub(crate) struct Wrong {
    /// Number of rules that were examined.
    pub(crate) looked_at: usize,
    /// With single rules.
    pub(crate) rules: Vec<LintedRule>,
    /// With whole files: whose, and what.
    pub(crate) files: Vec<(AgentId, FileError)>,
    /// With what an organization ships.
    pub(crate) managed: Option<String>,
}

impl PolicyStore {
    /// Looks over an agent's rules and everybody's, or all.
    pub(crate) async fn lint_rules(&self, agent: Option<AgentId>) -> Result<Wrong, PolicyStoreError> {
        if let Some(agent) = &agent {
            self.require_agent(agent)?;
        }
        self.blocking(move |book| book.lint_now(agent.as_ref())).await
    }

    fn lint_now(&self, agent: Option<&AgentId>) -> Result<Wrong, PolicyStoreError> {
        let snapshot = self.snapshot();
        let is_wanted = |owner: Option<&AgentId>| agent.is_none() || owner.is_none() || agent == owner;
        let rules = self.kept_and_shipped(is_wanted)?;
        let seen: HashMap<RuleId, Seen> =
            rules.iter().filter_map(|rule| Some((rule.id, self.lies_at(rule)?))).collect();
        let found = lint_rules(&rules, &seen, &self.places().home, now_millis());
        let mut wrong = Wrong { looked_at: rules.len(), ..Wrong::default() };
        let by_id: HashMap<RuleId, &Rule> = rules.iter().map(|rule| (rule.id, rule)).collect();
        for finding in found {
            if let Some(rule) = by_id.get(&finding.rule) {
                wrong.rules.push(LintedRule { rule: Rule::clone(rule), finding });
            }
        }
        for entry in snapshot.agents.values().filter(|entry| is_wanted(Some(&entry.agent.id))) {
            lint_entry(entry, &mut wrong);
        }
        wrong.managed = snapshot.managed.as_ref().err().cloned();
        Ok(wrong)
    }

    /// Returns the users who may connect as the agent that a rule is for, besides the person; as any agent,
    /// if it is for all.
    fn uids_of(&self, agent: Option<&AgentId>) -> Vec<u32> {
        let agents = self.agents();
        let whose = agents.iter().filter(|entry| agent.is_none_or(|agent| entry.agent.id == *agent));
        whose.flat_map(|entry| entry.agent.uids.clone()).collect()
    }

    /// Returns the file at the path of a rule; `None` if it names none. Reads the disk.
    fn lies_at(&self, rule: &Rule) -> Option<Seen> {
        let changed = rule
            .pin
            .as_ref()
            .is_some_and(|pin| self.has_changed(&rule.pattern, rule.agent.as_ref(), pin) == Some(true));
        let Pattern::Path(text) = &rule.pattern else {
            return changed.then_some(Seen { exists: true, changed, ..Seen::default() });
        };
        let path = expand_home(text, &self.places().home);
        let uids = self.uids_of(rule.agent.as_ref());
        if let Some(sign) = path.find(['*', '?', '[', '{', '\\']) {
            let folder = path[..sign]
                .rsplit_once('/')
                .map_or("/", |(folder, _)| if folder.is_empty() { "/" } else { folder });
            let folder = Path::new(folder);
            let mutable = folder.is_dir() && is_mutable_by_agent(folder, folder, &uids);
            return Some(Seen { exists: folder.is_dir(), mutable, changed, ..Seen::default() });
        }
        Some(match self.resolver().identify(&path) {
            Lookup::Found(program) => {
                let (path, real) = (Path::new(&program.path), Path::new(&program.real_path));
                let mutable = is_mutable_by_agent(path, real, &uids);
                let agent_can_change = self.is_changeable(&rule.pattern, rule.agent.as_ref());
                Seen { exists: true, mutable, agent_can_change, changed }
            }
            Lookup::Unusable { .. } => Seen { exists: true, changed, ..Seen::default() },
            Lookup::NotFound | Lookup::Nothing => Seen { changed, ..Seen::default() },
        })
    }
}

fn lint_entry(entry: &AgentEntry, wrong: &mut Wrong) {
    match &entry.permissions.read {
        Err(error) => wrong.files.push((entry.agent.id.clone(), error.clone())),
        Ok(layer) => {
            wrong.looked_at += from_file(entry).len();
            for finding in lint_file(layer) {
                let rules = layer.entries().iter().map(|line| file_rule(&entry.agent.id, line));
                let rule = { rules }.find(|rule| rule.id == finding.rule);
                wrong.rules.extend(rule.map(|rule| LintedRule { rule, finding }));
            }
        }
    }
}
