//! Connects an agent, and takes that back.

use super::known::{AgentConnectMethod, agent_facts};
use super::{AgentConnectRecord, AgentSetup, settings_of, unusable, with_files};
use crate::hooks::{HookSettingsChange, left_to_do};
use postern_command::escape;
use postern_contract::methods::{
    AddAgent, AgentAdd, AgentRef, ChannelAsk, ControlCode, ControlError, DisableDoor, DoorEnable, DoorRef,
    EnableDoor, GetAgent, GetChannel, GetPermissions, HookNote, KnownAgent, NoteHook, PermissionsSet,
    PutRules, RemoveAgent, RulesPut, SetPermissions, SetUpDoor, SettingsChange, SetupConnect, SetupConnected,
    SetupDisconnect, SetupDisconnected, SetupPreview, SetupScope,
};
use postern_contract::{MultilineText, to_pieces};
use postern_host::ApproverId;
use postern_policy::{AgentId, from_home};
use std::collections::BTreeMap;
use std::path::Path;

impl AgentSetup {
    /// Says what connecting or disconnecting an agent would change.
    pub(crate) async fn preview(
        &self,
        face: ApproverId,
        asked: SetupPreview,
    ) -> Result<SettingsChange, ControlError> {
        let SetupPreview { kind, agent, remove, scope } = asked;
        let agent = self.resolve_agent(face, kind, agent, &scope).await?;
        let change = if remove {
            self.removal(kind, &scope).await?
        } else {
            self.change(kind, &agent, &scope).await?
        };
        let shown = |file: &Path| to_pieces(&from_home(&file.to_string_lossy(), &self.host.user().home));
        Ok(SettingsChange {
            file: change.as_ref().map(|change| escape::visible_text(&change.file.to_string_lossy())),
            place: change.as_ref().map(|change| shown(&change.file)),
            lines: change.as_ref().map(HookSettingsChange::diff_lines).unwrap_or_default(),
            removes_file: change.as_ref().is_some_and(HookSettingsChange::removes_file),
            digest: digest(change.as_ref()),
            remains: if remove { None } else { remains(kind) },
        })
    }

    /// Connects an agent as it was shown.
    pub(crate) async fn connect(
        &self,
        face: ApproverId,
        asked: SetupConnect,
    ) -> Result<SetupConnected, ControlError> {
        let _one = self.kept.lock().await;
        let SetupConnect { kind, agent, name, start, folders, digest: shown, scope } = asked;
        let agent = self.resolve_agent(face, kind, agent, &scope).await?;
        let change = self.change(kind, &agent, &scope).await?;
        if digest(change.as_ref()) != shown {
            return Err(other_change());
        }
        let mut done = self.load_records().await?;
        let known_row = self.host.call_method::<GetAgent>(face, &AgentRef { agent: agent.clone() }).await;
        let enrolled = match &known_row {
            Ok(_) => false,
            Err(error) if error.code == ControlCode::NotFound => true,
            Err(error) => return Err(error.clone()),
        };
        if enrolled {
            let name = name.unwrap_or_else(|| kind.display_name().to_owned());
            let (color, preset) = (None, None);
            let new = AgentAdd { agent: agent.clone(), name: Some(name), color, preset, start, folders };
            self.host.call_method::<AddAgent>(face, &new).await?;
            done.entry(kind).or_default().enrolled = Some(agent.clone());
        }
        done.entry(kind).or_default();
        self.save_records(&done).await?;
        let changed = self.apply_change(face, kind, Some(&agent), change).await?;
        let lines = self.other_side(face, kind, &agent, &mut done).await?;
        let search_path = if enrolled { self.like_shell(face, &agent, &scope).await? } else { Vec::new() };
        let agent = self.host.call_method::<GetAgent>(face, &AgentRef { agent }).await?;
        Ok(SetupConnected { agent, enrolled, changed, search_path, lines, remains: remains(kind) })
    }

    /// Takes back what connecting an agent did.
    pub(crate) async fn disconnect(
        &self,
        face: ApproverId,
        asked: SetupDisconnect,
    ) -> Result<SetupDisconnected, ControlError> {
        let _one = self.kept.lock().await;
        let SetupDisconnect { kind, digest: shown, scope } = asked;
        let change = self.removal(kind, &scope).await?;
        if digest(change.as_ref()) != shown {
            return Err(other_change());
        }
        let changed = self.apply_change(face, kind, None, change).await?;
        let mut done = self.load_records().await?;
        let AgentConnectRecord { enrolled, rules, permissions, integration } =
            done.remove(&kind).unwrap_or_default();
        if let (true, AgentConnectMethod::Integration(door)) = (integration, agent_facts(kind).how) {
            self.host.call_method::<DisableDoor>(face, &DoorRef { door }).await?;
        }
        if let Some(agent) = &enrolled {
            match self.host.call_method::<RemoveAgent>(face, &AgentRef { agent: agent.clone() }).await {
                // The user removed it meanwhile.
                Err(error) if error.code == ControlCode::NotFound => {}
                removed => {
                    removed?;
                }
            }
        } else {
            if !rules.is_empty() {
                self.host.call_method::<PutRules>(face, &RulesPut { put: Vec::new(), remove: rules }).await?;
            }
            self.restore_permissions(face, permissions).await?;
        }
        self.save_records(&done).await?;
        Ok(SetupDisconnected { changed, removed: enrolled })
    }

    /// Makes an agent's `permissions.jsonc` what it was before an import, if nobody changed it since.
    async fn restore_permissions(
        &self,
        face: ApproverId,
        imported: Option<super::ImportedPermissions>,
    ) -> Result<(), ControlError> {
        let Some(super::ImportedPermissions { agent, before, after }) = imported else { return Ok(()) };
        let now = self.host.call_method::<GetPermissions>(face, &AgentRef { agent: agent.clone() }).await;
        if now.is_ok_and(|now| now.text == after) {
            self.host.call_method::<SetPermissions>(face, &PermissionsSet { agent, text: before }).await?;
        }
        Ok(())
    }

    /// Returns the agent that was named, otherwise the one that is connected or would be.
    async fn resolve_agent(
        &self,
        face: ApproverId,
        kind: KnownAgent,
        named: Option<AgentId>,
        scope: &SetupScope,
    ) -> Result<AgentId, ControlError> {
        match named {
            Some(agent) => Ok(agent),
            None => self.agent_of(face, kind, scope).await,
        }
    }

    /// Plans the change of an agent's settings; `None` if it has none.
    async fn change(
        &self,
        kind: KnownAgent,
        agent: &AgentId,
        scope: &SetupScope,
    ) -> Result<Option<HookSettingsChange>, ControlError> {
        let Some((entry, file)) = settings_of(kind, &self.folders(scope)?) else { return Ok(None) };
        let command = self.command(agent_facts(kind).how, agent)?;
        let change = with_files(move || HookSettingsChange::install(entry, &file, &command)).await?;
        change.map(Some).map_err(|error| unusable(&error))
    }

    /// Plans to take the change back.
    async fn removal(
        &self,
        kind: KnownAgent,
        scope: &SetupScope,
    ) -> Result<Option<HookSettingsChange>, ControlError> {
        let Some((entry, file)) = settings_of(kind, &self.folders(scope)?) else { return Ok(None) };
        let change = with_files(move || HookSettingsChange::uninstall(entry, &file)).await?;
        change.map(Some).map_err(|error| unusable(&error))
    }

    /// Writes a change and notes it in the audit. Returns whether something changed.
    async fn apply_change(
        &self,
        face: ApproverId,
        kind: KnownAgent,
        agent: Option<&AgentId>,
        change: Option<HookSettingsChange>,
    ) -> Result<bool, ControlError> {
        let Some(change) = change else { return Ok(false) };
        let (changes, file) = (change.changes(), change.file.to_string_lossy().into_owned());
        with_files(move || change.write()).await?.map_err(|error| unusable(&error))?;
        if changes {
            let note = HookNote { kind: kind.name().to_owned(), file, agent: agent.cloned() };
            self.host.call_method::<NoteHook>(face, &note).await?;
        }
        Ok(changes)
    }

    /// Returns what the user puts into an agent whose settings Postern doesn't change.
    async fn other_side(
        &self,
        face: ApproverId,
        kind: KnownAgent,
        agent: &AgentId,
        done: &mut BTreeMap<KnownAgent, AgentConnectRecord>,
    ) -> Result<Option<MultilineText>, ControlError> {
        match agent_facts(kind).how {
            AgentConnectMethod::Hook(_) | AgentConnectMethod::Mcp(_) => Ok(None),
            AgentConnectMethod::Channel(kind) => {
                let asked = ChannelAsk { agent: agent.clone(), kind };
                Ok(Some(self.host.call_method::<GetChannel>(face, &asked).await?.text))
            }
            AgentConnectMethod::Integration(door) => {
                let values = BTreeMap::from([("agent".to_owned(), agent.to_string())]);
                self.host.call_method::<EnableDoor>(face, &DoorEnable { door, values }).await?;
                done.entry(kind).or_default().integration = true;
                self.save_records(done).await?;
                Ok(Some(self.host.call_method::<SetUpDoor>(face, &DoorRef { door }).await?.text))
            }
        }
    }
}

/// Returns the digest of a change; one of its own if no file changes.
fn digest(change: Option<&HookSettingsChange>) -> String {
    change.map_or_else(|| "no-file".to_owned(), HookSettingsChange::digest)
}

fn other_change() -> ControlError {
    ControlError::new(
        ControlCode::Conflict,
        "the settings are not what was shown any more: look at them again",
    )
}

/// Returns what the user has to do in the agent after it is connected.
fn remains(kind: KnownAgent) -> Option<String> {
    match agent_facts(kind).how {
        AgentConnectMethod::Hook(hook) => left_to_do(hook, false).map(str::to_owned),
        AgentConnectMethod::Mcp(_) => Some(
            "VS Code gets Postern’s tools. It asks Postern about its own terminal only in projects with the hook: \
             postern hook install vs-code --project"
                .to_owned(),
        ),
        AgentConnectMethod::Integration(_) | AgentConnectMethod::Channel(_) => None,
    }
}
