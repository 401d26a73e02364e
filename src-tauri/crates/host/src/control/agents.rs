//! `agents.*`.

use super::lines::{self, SandboxChannel};
use super::linux_run::installed_linux_run;
use super::{Handle, HostControl, MethodResult, rows};
use crate::ask::ApproverId;
use crate::book::{AgentChanges, AgentEntry, NewAgent};
use postern_contract::methods::{
    AddAgent, AgentAdd, AgentRef, AgentSet, Agents, Applied, ChannelAsk, ChannelKind, ChannelLines,
    ControlError, GetAgent, GetChannel, ListAgents, Nothing, RemoveAgent, RotateKey, SetAgent,
};
use postern_contract::{AgentRow, ApproverNotification, MultilineText};
use postern_policy::AgentId;
use std::path::Path;

impl HostControl {
    /// Opens an agent's channel, or opens it again with another key or other uids: who is on it is cut off.
    pub(crate) async fn open_channel(&self, entry: &AgentEntry) -> Result<(), ControlError> {
        let opened = self.parts.channels.open_for(entry).await;
        opened.map_err(ControlError::internal)
    }

    async fn agent_row(&self, agent: &AgentId) -> Result<AgentRow, ControlError> {
        let entry = self.parts.book.require_agent(agent)?;
        let id = agent.clone();
        let kept = self.read_record(move |conn| postern_store::agents::get_agent(conn, &id)).await?;
        let seen = kept.and_then(|kept| kept.last_seen_at);
        Ok(rows::agent_row(&entry, seen, self.parts.channels.is_connected(agent)))
    }

    async fn agents_changed(&self, agent: &AgentId) -> Result<AgentRow, ControlError> {
        self.notify_approvers(ApproverNotification::AgentsChanged);
        self.agent_row(agent).await
    }
}

impl Handle<ListAgents> for HostControl {
    async fn handle(&self, _: ApproverId, _: Nothing) -> MethodResult<ListAgents> {
        let kept = self.read_record(postern_store::agents::list_agents).await?;
        let entries = self.parts.book.agents();
        let row = |entry: &std::sync::Arc<AgentEntry>| {
            let seen = kept.iter().find(|kept| kept.id == entry.agent.id).and_then(|kept| kept.last_seen_at);
            rows::agent_row(entry, seen, self.parts.channels.is_connected(&entry.agent.id))
        };
        Ok(Agents { agents: entries.iter().map(row).collect() })
    }
}

impl Handle<GetAgent> for HostControl {
    async fn handle(&self, _: ApproverId, params: AgentRef) -> MethodResult<GetAgent> {
        self.agent_row(&params.agent).await
    }
}

impl Handle<AddAgent> for HostControl {
    async fn handle(&self, _: ApproverId, params: AgentAdd) -> MethodResult<AddAgent> {
        let AgentAdd { agent, name, color, preset, start, folders } = params;
        let new = NewAgent { id: agent.clone(), name, color, preset, start, folders };
        let entry = self.parts.book.add_agent(new).await?;
        self.parts.channels.forget(&agent);
        self.open_channel(&entry).await?;
        self.agents_changed(&agent).await
    }
}

impl Handle<SetAgent> for HostControl {
    async fn handle(&self, _: ApproverId, params: AgentSet) -> MethodResult<SetAgent> {
        let AgentSet { agent, settings, values } = params;
        let uids = self.parts.book.find_agent(&agent).map(|entry| entry.agent.uids.clone());
        let entry = self.parts.book.set_agent(&agent, AgentChanges { settings, values }).await?;
        if uids.is_some_and(|uids| uids != entry.agent.uids) {
            self.open_channel(&entry).await?;
        }
        self.rules_changed(Some(agent.clone())).await?;
        self.status_changed().await?;
        self.agents_changed(&agent).await
    }
}

impl Handle<RemoveAgent> for HostControl {
    async fn handle(&self, _: ApproverId, params: AgentRef) -> MethodResult<RemoveAgent> {
        self.parts.book.require_agent(&params.agent)?;
        self.parts.channels.close(&params.agent).await;
        self.parts.book.remove_agent(&params.agent).await?;
        self.rules_changed(Some(params.agent)).await?;
        self.notify_approvers(ApproverNotification::AgentsChanged);
        Ok(Applied { applied: true })
    }
}

impl Handle<RotateKey> for HostControl {
    async fn handle(&self, _: ApproverId, params: AgentRef) -> MethodResult<RotateKey> {
        let entry = self.parts.book.rotate_key(&params.agent).await?;
        self.open_channel(&entry).await?;
        self.agents_changed(&params.agent).await
    }
}

impl Handle<GetChannel> for HostControl {
    async fn handle(&self, _: ApproverId, params: ChannelAsk) -> MethodResult<GetChannel> {
        let row = self.agent_row(&params.agent).await?;
        let entry = self.parts.book.require_agent(&params.agent)?;
        let places = self.parts.book.places();
        let home = Path::new(&places.home);
        let run = installed_linux_run();
        let folder = entry.folder.channel();
        let channel = SandboxChannel { folder, data: &places.data, home, run: run.as_deref() };
        let text = MultilineText::new(lines::channel_lines(params.kind, channel));
        let profile =
            (params.kind == ChannelKind::SandboxExec).then(|| MultilineText::new(lines::profile(channel)));
        Ok(ChannelLines { kind: params.kind, text, profile, socket: row.socket, key_file: row.key_file })
    }
}
