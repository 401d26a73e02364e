//! `permissions.*`.

use super::{Handle, HostControl, MethodResult};
use crate::ask::ApproverId;
use crate::book::AgentEntry;
use postern_contract::methods::{AgentRef, GetPermissions, Permissions, PermissionsSet, SetPermissions};
use postern_policy::permissions::dangers;
use std::sync::Arc;

impl Handle<GetPermissions> for HostControl {
    async fn handle(&self, _: ApproverId, params: AgentRef) -> MethodResult<GetPermissions> {
        // The person may just have saved it elsewhere.
        for changed in self.parts.book.reread_permissions().await? {
            self.rules_changed(Some(changed)).await?;
        }
        Ok(to_permissions(&self.parts.book.require_agent(&params.agent)?))
    }
}

impl Handle<SetPermissions> for HostControl {
    async fn handle(&self, _: ApproverId, params: PermissionsSet) -> MethodResult<SetPermissions> {
        self.parts.book.set_permissions(&params.agent, params.text).await?;
        self.rules_changed(Some(params.agent.clone())).await?;
        Ok(to_permissions(&self.parts.book.require_agent(&params.agent)?))
    }
}

fn to_permissions(entry: &Arc<AgentEntry>) -> Permissions {
    Permissions {
        agent: entry.agent.id.clone(),
        path: entry.folder.permissions().to_string_lossy().into_owned(),
        text: entry.permissions.text.clone(),
        problem: entry.permissions.problem(),
        dangers: entry.permissions.read.as_ref().map(dangers).unwrap_or_default(),
    }
}
