//! `setup.*`: the doors connect agents; the host hands over.

use super::{Answer, Control, Handle};
use crate::ask::FaceId;
use postern_contract::methods::{
    ConnectAgent, DisconnectAgent, FindAgents, GetTest, ImportAgentRules, PreviewSetup, ReadShellPath,
    SetupConnect, SetupDisconnect, SetupImport, SetupPreview, SetupScope, SetupTest, SetupTestRef, StartTest,
};

impl Handle<FindAgents> for Control {
    async fn handle(&self, face: FaceId, params: SetupScope) -> Answer<FindAgents> {
        self.parts.doors.get()?.setup().find(face, params).await
    }
}

impl Handle<PreviewSetup> for Control {
    async fn handle(&self, face: FaceId, params: SetupPreview) -> Answer<PreviewSetup> {
        self.parts.doors.get()?.setup().preview(face, params).await
    }
}

impl Handle<ConnectAgent> for Control {
    async fn handle(&self, face: FaceId, params: SetupConnect) -> Answer<ConnectAgent> {
        self.parts.doors.get()?.setup().connect(face, params).await
    }
}

impl Handle<DisconnectAgent> for Control {
    async fn handle(&self, face: FaceId, params: SetupDisconnect) -> Answer<DisconnectAgent> {
        self.parts.doors.get()?.setup().disconnect(face, params).await
    }
}

impl Handle<ImportAgentRules> for Control {
    async fn handle(&self, face: FaceId, params: SetupImport) -> Answer<ImportAgentRules> {
        self.parts.doors.get()?.setup().import(face, params).await
    }
}

impl Handle<ReadShellPath> for Control {
    async fn handle(&self, face: FaceId, params: SetupScope) -> Answer<ReadShellPath> {
        self.parts.doors.get()?.setup().path(face, params).await
    }
}

impl Handle<StartTest> for Control {
    async fn handle(&self, face: FaceId, params: SetupTest) -> Answer<StartTest> {
        self.parts.doors.get()?.setup().test(face, params).await
    }
}

impl Handle<GetTest> for Control {
    async fn handle(&self, face: FaceId, params: SetupTestRef) -> Answer<GetTest> {
        self.parts.doors.get()?.setup().tested(face, params).await
    }
}
