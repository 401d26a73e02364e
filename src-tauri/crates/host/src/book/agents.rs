//! Enrolling, changing and removing agents.

use super::agent_folder::AgentFolder;
use super::values::{self, ValueError};
use super::{AgentEntry, FOLDERS_ANSWER, PermissionsFile, PolicyStore, PolicyStoreError, now_millis};
use crate::clock::lasting;
use postern_contract::{Start, plain_key};
use postern_policy::{AgentIcon, AgentId, Millis, Preset, Settings, expand_home};
use postern_store::agents::Agent;
use postern_store::audit;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Colours that are told apart at a glance, in light and dark, in the order in which they are given out.
///
/// Red and amber are not among them: beside a command they mean danger and a question.
const COLORS: [&str; 8] =
    ["#3b82f6", "#a855f7", "#14b8a6", "#64748b", "#10b981", "#6366f1", "#ec4899", "#84cc16"];
/// The longest name that is shown, in characters.
const LONGEST_NAME: usize = 64;
/// The most other uids on a channel.
const MOST_UIDS: usize = 16;

#[derive(Debug, Clone)]
pub(crate) struct NewAgent {
    pub(crate) id: AgentId,
    pub(crate) name: Option<String>,
    pub(crate) color: Option<String>,
    pub(crate) preset: Option<Preset>,
    pub(crate) start: Option<Start>,
    pub(crate) folders: Vec<String>,
}

/// A change to an agent: all settings at once, then single values.
#[derive(Debug, Clone, Default)]
pub(crate) struct AgentChanges {
    pub(crate) settings: Option<Settings>,
    pub(crate) values: BTreeMap<String, String>,
}

impl PolicyStore {
    /// Enrols an agent: its folders, its key, its settings.
    pub(crate) async fn add_agent(&self, new: NewAgent) -> Result<Arc<AgentEntry>, PolicyStoreError> {
        let _one = self.change().await;
        let snapshot = self.snapshot();
        // One folder for both where the volume does not tell them apart.
        if let Some(taken) =
            snapshot.agents.keys().find(|id| id.as_str().eq_ignore_ascii_case(new.id.as_str()))
        {
            return Err(PolicyStoreError::AgentExists(taken.clone()));
        }
        let folder = AgentFolder::new(&self.places().data, &new.id);
        folder.check_length()?;
        let mut settings = snapshot.settings.new_agent.clone();
        if let Some(preset) = new.preset {
            settings.apply_preset(preset);
        }
        if let Some(start) = new.start {
            start.apply_to(&mut settings);
        }
        if !new.folders.is_empty() {
            settings.folders.clone_from(&new.folders);
        }
        values::check_settings(&settings)?;
        self.require_folders(new.folders).await?;
        let free =
            COLORS.iter().find(|color| snapshot.agents.values().all(|entry| entry.agent.color != **color));
        let color = match new.color {
            Some(color) => checked_color(&color)?,
            None => (*free.unwrap_or(&COLORS[snapshot.agents.len() % COLORS.len()])).to_owned(),
        };
        let name = new.name.as_deref().map(checked_name).transpose()?;
        let agent = Agent {
            name: name.unwrap_or_else(|| new.id.as_str().to_owned()),
            id: new.id.clone(),
            color,
            icon: AgentIcon::of_agent(new.id.as_str()),
            settings,
            uids: Vec::new(),
            created_at: now_millis(),
            last_seen_at: None,
            denied_until: None,
        };
        self.blocking(move |_| {
            folder.create()?;
            folder.new_key()?;
            PermissionsFile::write_default(&folder)
        })
        .await?;
        self.store().write_durable(move |conn| postern_store::agents::insert_agent(conn, &agent)).await?;
        self.reload(Some(&new.id)).await?;
        self.require_agent(&new.id)
    }

    /// Changes an agent. Either all of the changes hold afterwards, or none.
    pub(crate) async fn set_agent(
        &self,
        id: &AgentId,
        changes: AgentChanges,
    ) -> Result<Arc<AgentEntry>, PolicyStoreError> {
        let _one = self.change().await;
        let (typed, before) = (changes.settings.is_none(), self.require_agent(id)?);
        let agent = self.changed_agent(id, changes)?;
        if typed {
            let known = &before.agent.settings.folders;
            let added = agent.settings.folders.iter().filter(|folder| !known.contains(folder));
            self.require_folders(added.cloned().collect()).await?;
        }
        self.store().write_durable(move |conn| postern_store::agents::update_agent(conn, &agent)).await?;
        self.reload(Some(id)).await?;
        self.require_agent(id)
    }

    /// Checks that folders which a person named are there. Reads the disk.
    async fn require_folders(&self, folders: Vec<String>) -> Result<(), PolicyStoreError> {
        let home = self.places().home.clone();
        self.in_time(FOLDERS_ANSWER, move |_| {
            let is_missing = |folder: &String| !Path::new(&*expand_home(folder, &home)).is_dir();
            folders
                .into_iter()
                .find(is_missing)
                .map_or(Ok(()), |folder| Err(values::missing_folder(folder).into()))
        })
        .await
    }

    /// Returns an agent with changes, as it is to be kept. The caller holds the write lock.
    pub(super) fn changed_agent(
        &self,
        id: &AgentId,
        changes: AgentChanges,
    ) -> Result<Agent, PolicyStoreError> {
        let entry = self.require_agent(id)?;
        let mut agent = entry.agent.clone();
        let is_typed = changes.settings.is_none();
        if let Some(settings) = changes.settings {
            agent.settings = settings;
        }
        // A preset sets two of the others, which may be named beside it: it goes first.
        let preset = changes.values.iter().filter(|(key, _)| plain_key(key) == "preset");
        let others = changes.values.iter().filter(|(key, _)| plain_key(key) != "preset");
        for (key, value) in preset.chain(others) {
            set_one(&mut agent, &plain_key(key), value)?;
        }
        let confirmed = changes.values.get("confirm").is_some_and(|word| word == "yes");
        // All settings at once come from the window, which asks twice itself.
        let typed = values::unconfirmed(&entry.agent.settings, &agent.settings).filter(|_| is_typed);
        if let Some(unconfirmed) = typed.filter(|_| !confirmed) {
            return Err(unconfirmed.into());
        }
        values::check_settings(&agent.settings)?;
        values::check_cap(&entry.agent.settings, &agent.settings)?;
        if let Ok(managed) = &self.snapshot().managed {
            agent.settings = managed.keep_own(&entry.agent.settings, &agent.settings, &entry.own)?;
        }
        Ok(agent)
    }

    /// Denies everything of an agent until then; none ends it.
    pub(crate) async fn deny_agent_until(
        &self,
        id: &AgentId,
        until: Option<Millis>,
    ) -> Result<(), PolicyStoreError> {
        let _one = self.change().await;
        let agent = id.clone();
        self.store()
            .write_durable(move |conn| postern_store::agents::deny_until(conn, &agent, until))
            .await?;
        self.reload(Some(id)).await
    }

    /// Removes an agent with its rules, its key and its folders. Its history stays.
    pub(crate) async fn remove_agent(&self, id: &AgentId) -> Result<(), PolicyStoreError> {
        let _one = self.change().await;
        let entry = self.require_agent(id)?;
        let agent = id.clone();
        self.store().write_durable(move |conn| postern_store::agents::remove(conn, &agent)).await?;
        self.forget_sessions(id);
        self.reload(Some(id)).await?;
        self.blocking(move |_| Ok(entry.folder.remove()?)).await
    }

    pub(crate) async fn rotate_key(&self, id: &AgentId) -> Result<Arc<AgentEntry>, PolicyStoreError> {
        let _one = self.change().await;
        let entry = self.require_agent(id)?;
        let folder = entry.folder.clone();
        self.blocking(move |_| Ok(folder.new_key().map(drop)?)).await?;
        let key = id.to_string();
        let noted = json!({ "key": "a new one" });
        let note = self
            .store()
            .write_durable(move |conn| audit::note_change(conn, "keys", &key, (None, Some(&noted)), true));
        note.await?;
        Ok(entry)
    }

    /// Notes that an agent asked for something. Nobody waits for it.
    pub(crate) fn note_agent_seen(&self, id: &AgentId) {
        let (agent, at) = (id.clone(), now_millis());
        drop(self.store().write(move |conn| postern_store::agents::mark_seen(conn, &agent, at)));
    }
}

/// Sets what belongs to an agent itself, or else one of its settings.
fn set_one(agent: &mut Agent, key: &str, value: &str) -> Result<(), ValueError> {
    match key {
        "name" => agent.name = checked_name(value)?,
        "color" => agent.color = checked_color(value)?,
        "icon" => agent.icon = checked_icon(value)?,
        "uids" => agent.uids = parse_uids(value)?,
        "denied-until" if matches!(value, "none" | "off") => agent.denied_until = None,
        "denied-until" => {
            agent.denied_until = Some(lasting().saturating_add_unsigned(values::duration(key, value)?));
        }
        // The second word that whatever runs everything needs; it sets nothing.
        "confirm" if value == "yes" => {}
        "confirm" => return Err(values::bad_value(key, value, "yes")),
        _ => values::set_value(&mut agent.settings, key, value)?,
    }
    Ok(())
}

fn checked_name(name: &str) -> Result<String, ValueError> {
    let name = name.trim();
    let fits =
        !name.is_empty() && name.chars().count() <= LONGEST_NAME && postern_command::escape::is_plain(name);
    if fits {
        Ok(name.to_owned())
    } else {
        Err(values::bad_value("name", name, "1 to 64 characters that can be seen"))
    }
}

fn checked_color(color: &str) -> Result<String, ValueError> {
    let digits = color.strip_prefix('#').unwrap_or_default();
    let fits = digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if fits { Ok(color.to_ascii_lowercase()) } else { Err(values::bad_value("color", color, "#rrggbb")) }
}

fn checked_icon(name: &str) -> Result<AgentIcon, ValueError> {
    AgentIcon::from_name(name).ok_or_else(|| {
        let [others @ .., last] = AgentIcon::ALL.map(AgentIcon::name);
        values::bad_value("icon", name, format!("{} or {last}", others.join(", ")))
    })
}

fn parse_uids(value: &str) -> Result<Vec<u32>, ValueError> {
    let expected = "up to 16 user numbers between commas, or none";
    if value.trim() == "none" || value.trim().is_empty() {
        return Ok(Vec::new());
    }
    let all: Result<Vec<u32>, _> = value.split(',').map(|uid| uid.trim().parse()).collect();
    match all {
        Ok(all) if all.len() <= MOST_UIDS => Ok(all),
        Ok(_) | Err(_) => Err(values::bad_value("uids", value, expected)),
    }
}
