//! `permissions.*`.

use super::{Answer, Control, Handle};
use crate::ask::FaceId;
use crate::book::AgentEntry;
use postern_contract::methods::{AgentRef, GetPermissions, Permissions, PermissionsSet, SetPermissions};
use postern_policy::permissions::dangers;
use std::sync::Arc;

impl Handle<GetPermissions> for Control {
    async fn handle(&self, _: FaceId, params: AgentRef) -> Answer<GetPermissions> {
        // The person may just have saved it elsewhere.
        for changed in self.parts.book.reread_permissions().await? {
            self.rules_changed(Some(changed)).await?;
        }
        Ok(shown(&self.parts.book.entry(&params.agent)?))
    }
}

impl Handle<SetPermissions> for Control {
    async fn handle(&self, _: FaceId, params: PermissionsSet) -> Answer<SetPermissions> {
        self.parts.book.set_permissions(&params.agent, params.text).await?;
        self.rules_changed(Some(params.agent.clone())).await?;
        Ok(shown(&self.parts.book.entry(&params.agent)?))
    }
}

fn shown(entry: &Arc<AgentEntry>) -> Permissions {
    Permissions {
        agent: entry.agent.id.clone(),
        path: entry.folder.permissions().to_string_lossy().into_owned(),
        text: entry.permissions.text.clone(),
        problem: entry.permissions.problem(),
        dangers: entry.permissions.read.as_ref().map(dangers).unwrap_or_default(),
    }
}
