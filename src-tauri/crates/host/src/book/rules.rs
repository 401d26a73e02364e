//! Rules: adding, changing, removing, listing.

use super::settings::DAY;
use super::{AgentEntry, PolicyStore, PolicyStoreError, now_millis};
use crate::clock::{ends_by_the_host, lasting, uptime};
use crate::lanes::PATIENCE;
use postern_contract::render::{self, of_kind};
use postern_contract::{RemarkKind, RuleDraft, RuleRemark};
use postern_policy::permissions::{EntryOrigin, FileLayer, PermissionEntry};
use postern_policy::{
    AgentId, Effect, Lifetime, Millis, Pattern, Rule, RuleId, RuleOrigin, RuleProblem, Source, check_rule,
    remarks, source_words, why_not_readable,
};
use std::collections::HashMap;
use std::ops::Range;

/// Number of the first line of a session's layer in a list: no file has as many lines.
const SESSION_LINES: RuleId = -(1 << 40);

/// A rule with what is to be said about it in a list.
#[derive(Debug, Clone)]
pub(crate) struct ListedRule {
    pub(crate) rule: Rule,
    /// Source, in a word or two.
    pub(crate) from: String,
    pub(crate) remarks: Vec<RuleRemark>,
}

/// Resolves a folder to its real path, if it exists, as requests are compared with it. Reads the disk.
fn real_folder(folder: &str, home: &str) -> String {
    let folder = folder.trim();
    let expanded = postern_policy::expand_home(folder, home);
    match std::fs::canonicalize(&*expanded).map(std::path::PathBuf::into_os_string) {
        Ok(real) => real.into_string().unwrap_or_else(|_| folder.to_owned()),
        Err(_) if expanded.starts_with('/') => expanded.into_owned(),
        Err(_) => folder.to_owned(),
    }
}

/// Returns true if rules differ in their number, their age and their use alone.
fn says_the_same(kept: &Rule, new: &Rule) -> bool {
    let Rule { id, created_at, ref usage, .. } = *kept;
    *kept == Rule { id, created_at, usage: usage.clone(), ..new.clone() }
}

/// Time that a rule that denies is kept after its end.
const KEPT_DENIES: Millis = 30 * DAY;

impl PolicyStore {
    /// Adds a rule as a person wrote it. One that is there already is not added again.
    pub(crate) async fn add_rule(
        &self,
        draft: RuleDraft,
        source: Source,
    ) -> Result<ListedRule, PolicyStoreError> {
        let rule = self.rule_of(draft, source).await?;
        let _one = self.change().await;
        let known = self.store().read(postern_store::rules::list_rules)?;
        let id = match known.iter().find(|other| says_the_same(other, &rule)) {
            Some(other) => other.id,
            None => self.save_new(rule).await?,
        };
        self.listed(id).await
    }

    /// Writes a rule again; when it was made and how it was used stay. With `keep_pin`, a pinned rule keeps its pin.
    pub(crate) async fn update_rule(
        &self,
        id: RuleId,
        draft: RuleDraft,
        keep_pin: bool,
    ) -> Result<ListedRule, PolicyStoreError> {
        let before = self.stored(id)?;
        let (pin, agent) = (draft.pin, before.agent.clone());
        let kept = if pin && keep_pin { before.pin.clone() } else { None };
        let draft = RuleDraft { pin: pin && kept.is_none(), ..draft };
        let mut rule = self.rule_of(draft, before.source.clone()).await?;
        rule.id = id;
        if kept.is_some() {
            rule.pin = kept;
        }
        let _one = self.change().await;
        let one_agent = agent.as_ref() == rule.agent.as_ref();
        self.store().write_durable(move |conn| postern_store::rules::update_rule(conn, &rule)).await?;
        self.reload(agent.as_ref().filter(|_| one_agent)).await?;
        self.listed(id).await
    }

    /// Removes a rule. Gives whose it was.
    pub(crate) async fn remove_rule(&self, id: RuleId) -> Result<Option<AgentId>, PolicyStoreError> {
        let agent = self.stored(id)?.agent;
        let _one = self.change().await;
        self.store().write_durable(move |conn| postern_store::rules::remove(conn, id)).await?;
        self.reload(agent.as_ref()).await?;
        Ok(agent)
    }

    /// Removes what has expired. Gives whether there was something.
    pub(crate) async fn remove_expired(&self) -> Result<bool, PolicyStoreError> {
        let _one = self.change().await;
        let at = lasting();
        // What is forbidden is not forgotten because the clock was wrong for a while.
        let denies = if uptime() >= DAY { at.saturating_sub(KEPT_DENIES) } else { Millis::MIN };
        let gone = self
            .store()
            .write_durable(move |conn| postern_store::rules::remove_expired(conn, at, denies))
            .await?;
        if gone.is_empty() {
            return Ok(false);
        }
        self.reload(None).await?;
        Ok(true)
    }

    /// Returns the rule that a draft stands for: read, pinned where it is to be, and checked.
    pub(crate) async fn rule_of(&self, draft: RuleDraft, source: Source) -> Result<Rule, PolicyStoreError> {
        self.in_time(PATIENCE, move |book| book.rule_from(draft, source)).await
    }

    /// Makes many rules; the error of each says what is wrong with it.
    pub(crate) async fn rules_of(
        &self,
        drafts: Vec<RuleDraft>,
        source: Source,
    ) -> Result<Vec<Result<Rule, PolicyStoreError>>, PolicyStoreError> {
        let each = move |book: &Self| {
            Ok(drafts.into_iter().map(|draft| book.rule_from(draft, source.clone())).collect())
        };
        self.blocking(each).await
    }

    /// Reads the disk where the rule is to be pinned.
    pub(super) fn rule_from(&self, draft: RuleDraft, source: Source) -> Result<Rule, PolicyStoreError> {
        if let Some(agent) = &draft.agent {
            self.require_agent(agent)?;
        }
        let (pin, home) = (draft.pin, &self.places().home);
        let mut rule = draft.into_rule(home)?;
        rule.source = source;
        rule.created_at = now_millis();
        rule.lifetime = ends_by_the_host(rule.lifetime);
        rule.folder = rule.folder.map(|folder| real_folder(&folder, home));
        if let (Effect::Allow, Pattern::Read(text)) = (rule.effect, &rule.pattern) {
            rule.pattern = Pattern::Read(self.opened(text)?);
        }
        if let Some(agent) = rule.agent.as_ref().filter(|_| pin && rule.effect == Effect::Allow)
            && self.is_changeable(&rule.pattern, Some(agent))
        {
            return Err(PolicyStoreError::CannotPin(format!(
                "{agent} can change it until it runs, so a pin would not hold; without --pin the rule allows any content"
            )));
        }
        if pin {
            rule.pin = Some(Box::new(self.pin_of(&rule.pattern, rule.agent.as_ref())?));
        }
        if rule.effect == Effect::Ask {
            return Err(PolicyStoreError::Invalid(
                "a rule allows or denies; ask is for permissions.jsonc".into(),
            ));
        }
        if rule.effect == Effect::Deny && rule.origin != RuleOrigin::Any {
            let message = "a rule that denies denies everywhere: only one that allows can be for the agent's own shell alone";
            return Err(PolicyStoreError::Invalid(message.into()));
        }
        check_rule(&rule, &self.places().home)?;
        Ok(rule)
    }

    /// Returns what an allow rule for reading names, by its real path. Reads the disk.
    fn opened(&self, text: &str) -> Result<String, PolicyStoreError> {
        let home = &self.places().home;
        let folder = text.strip_suffix("/**").unwrap_or(text);
        let real = real_folder(folder, home);
        let (typed, data) = (postern_policy::expand_home(folder, home), self.places().data.to_string_lossy());
        let why = [&real, &*typed].into_iter().find_map(|path| why_not_readable(path, home, Some(&data)));
        match why {
            Some(why) => Err(RuleProblem::Reads(text.to_owned(), why).into()),
            // As it is typed it holds for another home folder as well.
            None if real == typed => Ok(folder.to_owned()),
            None => Ok(real),
        }
    }

    /// Saves a new rule and swaps it in. The caller holds the write lock.
    pub(super) async fn save_new(&self, rule: Rule) -> Result<RuleId, PolicyStoreError> {
        let agent = rule.agent.clone();
        let id =
            self.store().write_durable(move |conn| postern_store::rules::insert_rule(conn, &rule)).await?;
        self.reload(agent.as_ref()).await?;
        Ok(id)
    }

    #[cfg(test)]
    pub(crate) async fn list_rules(
        &self,
        agent: Option<AgentId>,
        own_only: bool,
    ) -> Result<Vec<ListedRule>, PolicyStoreError> {
        self.page_of_rules(agent, own_only, 0..usize::MAX).await
    }

    /// Rules from every source, as a list shows them: those of `agent` and everybody's, or all. Only those at these places
    /// of the list.
    pub(crate) async fn page_of_rules(
        &self,
        agent: Option<AgentId>,
        own_only: bool,
        page: Range<usize>,
    ) -> Result<Vec<ListedRule>, PolicyStoreError> {
        if let Some(agent) = &agent {
            self.require_agent(agent)?;
        }
        self.blocking(move |book| {
            let wanted = wanted(agent.as_ref(), own_only);
            let rules = book.kept_and_shipped(&wanted)?;
            let count = rules.len();
            let mut listed = book.list_page(rules, page.clone());
            let mut lines = Vec::new();
            for entry in book.snapshot().agents.values().filter(|entry| wanted(Some(&entry.agent.id))) {
                lines.extend(from_file(entry));
                lines.extend(from_sessions(entry));
            }
            let lines = lines.into_iter().zip(count..).filter(|(_, at)| page.contains(at));
            listed.extend(lines.map(|(line, _)| line));
            Ok(listed)
        })
        .await
    }

    /// Returns the rules that make sense elsewhere: a skill's is bound to this machine's programs, a file's
    /// is in the file.
    pub(crate) async fn portable_rules(
        &self,
        agent: Option<AgentId>,
        own_only: bool,
    ) -> Result<Vec<Rule>, PolicyStoreError> {
        if let Some(agent) = &agent {
            self.require_agent(agent)?;
        }
        self.blocking(move |book| {
            let mut rules = book.kept_and_shipped(wanted(agent.as_ref(), own_only))?;
            rules.retain(|rule| matches!(rule.source, Source::Person | Source::Always | Source::Import));
            Ok(rules)
        })
        .await
    }

    /// Returns those of the record, then those of an organization.
    pub(super) fn kept_and_shipped(
        &self,
        wanted: impl Fn(Option<&AgentId>) -> bool,
    ) -> Result<Vec<Rule>, PolicyStoreError> {
        let kept = self.store().read(postern_store::rules::list_rules)?;
        let snapshot = self.snapshot();
        let shipped = snapshot.managed.iter().flat_map(|managed| &managed.rules).cloned();
        Ok(kept.into_iter().chain(shipped).filter(|rule| wanted(rule.agent.as_ref())).collect())
    }

    /// Rules with what is to be said about each.
    pub(crate) async fn remarked(&self, rules: Vec<Rule>) -> Result<Vec<ListedRule>, PolicyStoreError> {
        self.blocking(move |book| Ok(book.list_page(rules, 0..usize::MAX))).await
    }

    async fn listed(&self, id: RuleId) -> Result<ListedRule, PolicyStoreError> {
        let listed = self.blocking(move |book| Ok(book.list_page(vec![book.stored(id)?], 0..1))).await?;
        listed.into_iter().next().ok_or(PolicyStoreError::NoRule(id))
    }

    fn stored(&self, id: RuleId) -> Result<Rule, PolicyStoreError> {
        if id < 0 {
            return Err(PolicyStoreError::ReadOnly(id));
        }
        self.store()
            .read(|conn| postern_store::rules::get_rule(conn, id))?
            .ok_or(PolicyStoreError::NoRule(id))
    }

    /// Returns those of the rules at these places, with what is to be said about each. Reads the disk where
    /// they are pinned.
    fn list_page(&self, rules: Vec<Rule>, page: Range<usize>) -> Vec<ListedRule> {
        let mut said: HashMap<RuleId, Vec<RuleRemark>> = HashMap::new();
        for (id, remark) in remarks(&rules, lasting()) {
            said.entry(id).or_default().push(render::rule_remark(remark));
        }
        let page = rules.into_iter().take(page.end).skip(page.start);
        let listed = page.map(|rule| {
            let mut remarks = said.remove(&rule.id).unwrap_or_default();
            remarks.extend(self.remarks_of(&rule));
            ListedRule { from: source_words(&rule.source), rule, remarks }
        });
        listed.collect()
    }

    /// Returns the remarks on a rule that need this computer's files.
    fn remarks_of(&self, rule: &Rule) -> Vec<RuleRemark> {
        let mut remarks = Vec::new();
        if rule.source == Source::Managed {
            remarks.push(of_kind(RemarkKind::ReadOnly));
        }
        if let Some(pin) = &rule.pin {
            match self.has_changed(&rule.pattern, rule.agent.as_ref(), pin) {
                Some(true) => remarks.push(of_kind(RemarkKind::Changed)),
                Some(false) => {}
                None => remarks.push(of_kind(RemarkKind::NotFound)),
            }
        }
        if let Err(problem) = check_rule(rule, &self.places().home) {
            remarks.push(render::invalid_rule(&problem));
        }
        remarks
    }
}

/// Returns whether rules of this owner (everybody's: none) are asked for.
fn wanted(agent: Option<&AgentId>, own_only: bool) -> impl Fn(Option<&AgentId>) -> bool {
    let agent = agent.cloned();
    move |owner| match (&agent, owner) {
        (None, _) => true,
        (Some(_), None) => !own_only,
        (Some(agent), Some(owner)) => agent == owner,
    }
}

/// Returns the rules of an agent's `permissions.jsonc`, but for those that a new file is written with: they
/// say what holds without them.
pub(super) fn from_file(entry: &AgentEntry) -> Vec<ListedRule> {
    let Ok(layer) = &entry.permissions.read else { return Vec::new() };
    let lines = layer.entries().iter().filter(|line| !line.is_seeded());
    let listed = lines.map(|line| {
        read_only(file_rule(&entry.agent.id, line), format!("permissions.jsonc:{}", line.line_number()))
    });
    listed.collect()
}

/// Returns the rules that hold in an agent's sessions alone.
///
/// These are the ones that a subagent was opened with, and those that *Always* added there and not to the
/// file.
fn from_sessions(entry: &AgentEntry) -> Vec<ListedRule> {
    let mut sessions: Vec<_> = entry.policy.sessions.iter().collect();
    sessions.sort_unstable_by_key(|(name, _)| *name);
    let file = entry.permissions.read.as_ref().map(FileLayer::entries).unwrap_or_default();
    let said = |line: &PermissionEntry| (line.tool.clone(), line.written.clone(), line.effect);
    let in_file = |line: &PermissionEntry| file.iter().any(|other| said(other) == said(line));
    let lines = sessions.into_iter().flat_map(|(name, layers)| {
        let layers = layers.parents.iter().chain([&layers.runtime]);
        layers.flat_map(FileLayer::entries).map(move |line| (name, line))
    });
    let lines = lines.filter(|(_, line)| line.origin == EntryOrigin::Subagent || !in_file(line));
    let listed = lines.zip(0..).map(|((name, line), at)| {
        let (id, lifetime) = (SESSION_LINES - at, Lifetime::Session(name.clone()));
        let shown = postern_command::escape::visible_text(name);
        let from = match line.origin {
            EntryOrigin::Subagent => format!("session {shown}, opened with it"),
            EntryOrigin::Session | EntryOrigin::File { .. } => format!("session {shown}, always"),
        };
        read_only(Rule { id, lifetime, ..file_rule(&entry.agent.id, line) }, from)
    });
    listed.collect()
}

fn read_only(rule: Rule, from: String) -> ListedRule {
    ListedRule { rule, from, remarks: vec![of_kind(RemarkKind::ReadOnly)] }
}

/// Returns a line of an agent's `permissions.jsonc` as a rule: its number is the line, negative. A line about
/// another tool than a shell is written with its tool.
pub(super) fn file_rule(agent: &AgentId, line: &PermissionEntry) -> Rule {
    let written = if line.is_about_commands() {
        line.written.clone()
    } else {
        format!("{}: {}", line.tool, line.written)
    };
    Rule {
        id: -RuleId::try_from(line.line_number()).unwrap_or(RuleId::MAX),
        agent: Some(agent.clone()),
        source: Source::File,
        ..Rule::new(line.effect, Pattern::Command(written))
    }
}
