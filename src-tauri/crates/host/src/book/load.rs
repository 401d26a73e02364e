//! From the record and the files to the next snapshot.

use super::agent_folder::AgentFolder;
use super::managed::Managed;
use super::permissions_file::PermissionsFile;
use super::snapshot::{AgentEntry, Snapshot};
use super::{PolicyStore, PolicyStoreError, settings};
use postern_contract::{Concern, ConcernKind};
use postern_exec::resolve::{leave_out_missing, search_path};
use postern_policy::permissions::{DEFAULT_FILE, dangers};
use postern_policy::{AgentId, AgentPolicy, Effect, Lookup, Rule, RuleSet};
use postern_store::agents::Agent;
use postern_store::audit::{self, ChangeAuthor};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Rows that are read from the record.
struct Record {
    agents: Vec<Agent>,
    /// All of them, or those of the one agent whose part is built.
    rules: Vec<Rule>,
    settings: postern_contract::methods::HostSettings,
}

impl PolicyStore {
    /// Builds the next snapshot and swaps it in: all of it, or only one agent's part where nothing else changed.
    pub(super) async fn reload(&self, only: Option<&AgentId>) -> Result<(), PolicyStoreError> {
        let only = only.cloned();
        let before = self.snapshot();
        self.blocking(move |book| {
            let next = book.build_snapshot(only.as_ref())?;
            book.inner.snapshot.store(Arc::new(next));
            Ok(())
        })
        .await?;
        self.record_files(&before).await
    }

    /// Records changes of files that decide what may run.
    async fn record_files(&self, before: &Snapshot) -> Result<(), PolicyStoreError> {
        let now = self.snapshot();
        // All of them share a flush.
        let mut writes = Vec::new();
        for (agent, entry) in &now.agents {
            let known = before.agents.get(agent).map(|entry| &entry.permissions.text);
            if known == Some(&entry.permissions.text) {
                continue;
            }
            let path = entry.folder.permissions();
            let (key, is_broken) = (agent.to_string(), entry.permissions.read.is_err());
            let is_default = entry.permissions.text == DEFAULT_FILE;
            let says = of_text(&entry.permissions.text);
            let write = || {
                self.store().write_durable(move |conn| {
                    let widens = |known: Option<&Value>| !(is_broken || is_default && known.is_none());
                    audit::note_state(conn, "permissions", &key, &says, widens)
                })
            };
            writes.push(recorded_for(&path.to_string_lossy(), write));
        }
        if before.managed != now.managed && now.managed != Ok(Managed::default()) || before.managed.is_err() {
            let (says, is_broken) = match &now.managed {
                Ok(Managed { rules, settings, approvals, sources, names: _ }) => {
                    let text = serde_json::to_string(rules).unwrap_or_default();
                    let rules = if text.len() <= KEPT_TEXT { json!(rules) } else { of_text(&text) };
                    let mut says = json!({ "rules": rules, "settings": settings, "sources": sources });
                    if !approvals.is_empty() {
                        says["approvals"] = serde_json::to_value(approvals).unwrap_or_default();
                    }
                    (says, false)
                }
                Err(problem) => (json!({ "problem": problem }), true),
            };
            let write = || {
                self.store().write_durable(move |conn| {
                    audit::note_state(conn, "managed", "managed", &says, |_| !is_broken)
                })
            };
            writes.push(recorded_for("managed rules", write));
        }
        for written in writes {
            written.await?;
        }
        Ok(())
    }

    fn build_snapshot(&self, only: Option<&AgentId>) -> Result<Snapshot, PolicyStoreError> {
        let before = self.snapshot();
        let managed = self.read_managed();
        // What an organization ships is in every agent's part.
        let only = only.filter(|_| managed == before.managed);
        let record = self.inner.store.read(|conn| {
            Ok(Record {
                agents: postern_store::agents::list_agents(conn)?,
                rules: match only {
                    Some(agent) => postern_store::rules::of_agent(conn, agent)?,
                    None => postern_store::rules::list_rules(conn)?,
                },
                settings: settings::read_settings(conn)?,
            })
        })?;
        let mut by_agent: BTreeMap<Option<&AgentId>, Vec<&Rule>> = BTreeMap::new();
        for rule in &record.rules {
            by_agent.entry(rule.agent.as_ref()).or_default().push(rule);
        }
        let rules_of = |agent| by_agent.get(&agent).map(Vec::as_slice).unwrap_or_default();
        let everyone = match only {
            Some(_) => before.everyone.clone(),
            None => self.everyones(rules_of(None), &managed),
        };
        let mut agents = BTreeMap::new();
        for agent in &record.agents {
            let kept = before.agents.get(&agent.id).filter(|_| only.is_some_and(|only| *only != agent.id));
            let entry = match kept {
                Some(entry) => Arc::clone(entry),
                None => Arc::new(self.entry_of(agent, rules_of(Some(&agent.id)), &managed, &everyone)?),
            };
            agents.insert(agent.id.clone(), entry);
        }
        Ok(Snapshot {
            version: before.version + 1,
            attention: attention(&agents, &managed),
            agents,
            managed,
            everyone,
            skills: Arc::clone(&before.skills),
            settings: record.settings,
        })
    }

    /// Returns the rules that hold for every agent, compiled once for all of them.
    fn everyones(&self, rules: &[&Rule], managed: &Result<Managed, String>) -> RuleSet {
        let shipped = managed.iter().flat_map(|managed| &managed.rules).filter(|rule| rule.agent.is_none());
        self.compile(rules.iter().copied().chain(shipped))
    }

    /// Returns an agent's part, of the rules that are for it alone.
    fn entry_of(
        &self,
        agent: &Agent,
        rules: &[&Rule],
        managed: &Result<Managed, String>,
        everyone: &RuleSet,
    ) -> Result<AgentEntry, PolicyStoreError> {
        let places = self.places();
        let folder = AgentFolder::new(&places.data, &agent.id);
        folder.create()?;
        let permissions = PermissionsFile::read(&folder, &places.home);
        let nothing = Managed::default();
        let decided = managed.as_ref().unwrap_or(&nothing);
        let count = |effect| {
            u32::try_from(rules.iter().filter(|rule| rule.effect == effect).count()).unwrap_or(u32::MAX)
        };
        let own = agent.settings.clone();
        let settings = decided.override_settings(&own);
        let mut policy = AgentPolicy::new(agent.id.clone(), settings.clone());
        let shipped = decided.rules.iter().filter(|rule| rule.agent.as_ref() == Some(&agent.id));
        policy.rules = self.compile(rules.iter().copied().chain(shipped)).join_with(everyone);
        policy.managed_problem = managed.as_ref().err().cloned();
        policy.people.clone_from(&decided.approvals);
        policy.managed.clone_from(&decided.names);
        policy.file_problem = permissions.read.as_ref().err().map(ToString::to_string);
        policy.file = permissions.read.as_ref().ok().cloned();
        policy.sessions = self.inner.sessions.layers_of_agent(&agent.id);
        Ok(AgentEntry {
            allow_rules: count(Effect::Allow),
            deny_rules: count(Effect::Deny),
            agent: Agent { settings, ..agent.clone() },
            own,
            locked: decided.settings.keys().cloned().collect(),
            folder,
            policy: Arc::new(policy),
            permissions,
        })
    }

    /// Compiles rules, and looks up what lies where deny rules point, so that the same program is denied under any name.
    pub(super) fn compile<'a>(&self, rules: impl IntoIterator<Item = &'a Rule>) -> RuleSet {
        let places = self.places();
        let mut set = RuleSet::compile(rules, &places.home, places.any_case);
        let folders = search_path(&[], &places.home);
        let mut paths = Vec::new();
        for (id, name) in set.denied_programs(&places.home) {
            if name.contains('/') {
                paths.push((id, PathBuf::from(name)));
            } else {
                // Every program of that name counts: a copy of the second one is a copy, too.
                paths.extend(folders.iter().map(|folder| (id, Path::new(folder).join(&name))));
            }
        }
        for (id, path) in leave_out_missing(paths) {
            if let Lookup::Found(program) = self.resolver().identify(&path.to_string_lossy())
                && let Some(identity) = &program.identity
            {
                set.identify(id, identity, &program.real_path);
            }
        }
        set
    }
}

/// Runs a write with its author. Without a named author, the file was changed on disk.
fn recorded_for<T>(path: &str, write: impl FnOnce() -> T) -> T {
    match audit::current() {
        Some(_) => write(),
        None => audit::now_by(Arc::new(ChangeAuthor::from_file(path)), write),
    }
}

/// Largest part of a file that the audit stores, in bytes.
const KEPT_TEXT: usize = 16 * 1024;

/// Returns what the audit stores of a file: its hash, and its text if that is short.
fn of_text(text: &str) -> Value {
    let sha256 = postern_protocol::encode_hex(&Sha256::digest(text.as_bytes()));
    let text = Some(text).filter(|text| text.len() <= KEPT_TEXT);
    json!({ "sha256": sha256, "text": text })
}

fn attention(agents: &BTreeMap<AgentId, Arc<AgentEntry>>, managed: &Result<Managed, String>) -> Vec<Concern> {
    let told = |problem: &String| {
        let message = format!("your organization’s rules: {problem}: everything is denied");
        Concern::new(ConcernKind::Managed, message)
    };
    let mut all: Vec<Concern> = managed.as_ref().err().map(told).into_iter().collect();
    for (agent, entry) in agents {
        if let Err(error) = &entry.permissions.read {
            let message = format!("{agent}: permissions.jsonc, {error}: everything it asks for is denied");
            all.push(Concern::new(ConcernKind::Permissions, message));
        }
        for danger in entry.policy.file.as_ref().map(dangers).unwrap_or_default() {
            let message = format!("{agent}: permissions.jsonc: {danger}");
            all.push(Concern::new(ConcernKind::Permissions, message));
        }
        for broken in entry.policy.rules.broken() {
            let message = format!("{agent}: rule {} cannot be read: {}", broken.id, broken.problem);
            all.push(Concern::new(ConcernKind::Rule, message));
        }
    }
    all
}
