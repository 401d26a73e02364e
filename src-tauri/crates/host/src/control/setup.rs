//! `setup.*`: the doors connect agents; the host hands over.

use super::{Handle, HostControl, MethodResult};
use crate::ask::ApproverId;
use postern_contract::methods::{
    ConnectAgent, DisconnectAgent, FindAgents, GetTest, ImportAgentRules, PreviewSetup, ReadShellPath,
    SetupConnect, SetupDisconnect, SetupImport, SetupPreview, SetupScope, SetupTest, SetupTestRef, StartTest,
};

impl Handle<FindAgents> for HostControl {
    async fn handle(&self, face: ApproverId, params: SetupScope) -> MethodResult<FindAgents> {
        self.parts.doors.get()?.setup_methods().find_agents(face, params).await
    }
}

impl Handle<PreviewSetup> for HostControl {
    async fn handle(&self, face: ApproverId, params: SetupPreview) -> MethodResult<PreviewSetup> {
        self.parts.doors.get()?.setup_methods().preview(face, params).await
    }
}

impl Handle<ConnectAgent> for HostControl {
    async fn handle(&self, face: ApproverId, params: SetupConnect) -> MethodResult<ConnectAgent> {
        self.parts.doors.get()?.setup_methods().connect(face, params).await
    }
}

impl Handle<DisconnectAgent> for HostControl {
    async fn handle(&self, face: ApproverId, params: SetupDisconnect) -> MethodResult<DisconnectAgent> {
        self.parts.doors.get()?.setup_methods().disconnect(face, params).await
    }
}

impl Handle<ImportAgentRules> for HostControl {
    async fn handle(&self, face: ApproverId, params: SetupImport) -> MethodResult<ImportAgentRules> {
        self.parts.doors.get()?.setup_methods().import(face, params).await
    }
}

impl Handle<ReadShellPath> for HostControl {
    async fn handle(&self, face: ApproverId, params: SetupScope) -> MethodResult<ReadShellPath> {
        self.parts.doors.get()?.setup_methods().read_shell_path(face, params).await
    }
}

impl Handle<StartTest> for HostControl {
    async fn handle(&self, face: ApproverId, params: SetupTest) -> MethodResult<StartTest> {
        self.parts.doors.get()?.setup_methods().start_test(face, params).await
    }
}

impl Handle<GetTest> for HostControl {
    async fn handle(&self, face: ApproverId, params: SetupTestRef) -> MethodResult<GetTest> {
        self.parts.doors.get()?.setup_methods().tested(face, params).await
    }
}
