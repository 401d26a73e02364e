//! `doors.*`.

use super::{Handle, HostControl, MethodResult};
use crate::ask::ApproverId;
use postern_contract::methods::{
    DisableDoor, DoorApprover, DoorEnable, DoorRef, Doors, EnableDoor, ListDoors, Nothing, PairedClientRef,
    RevokeClient, SetUpDoor,
};

impl Handle<ListDoors> for HostControl {
    async fn handle(&self, _: ApproverId, _: Nothing) -> MethodResult<ListDoors> {
        let on_duty = self.parts.faces.connected().into_iter();
        let approvers = on_duty.map(|(kind, since)| DoorApprover { kind: kind.name().to_owned(), since });
        // A host without doors has channels and faces all the same.
        let doors = match self.parts.doors.get() {
            Ok(doors) => doors.list_doors().await?,
            Err(_) => Vec::new(),
        };
        Ok(Doors {
            doors,
            clients: self.parts.channels.clients().all_clients(),
            approvers: approvers.collect(),
        })
    }
}

impl Handle<EnableDoor> for HostControl {
    async fn handle(&self, _: ApproverId, params: DoorEnable) -> MethodResult<EnableDoor> {
        self.parts.doors.get()?.enable(params).await
    }
}

impl Handle<DisableDoor> for HostControl {
    async fn handle(&self, _: ApproverId, params: DoorRef) -> MethodResult<DisableDoor> {
        self.parts.doors.get()?.disable(params.door).await
    }
}

impl Handle<SetUpDoor> for HostControl {
    async fn handle(&self, _: ApproverId, params: DoorRef) -> MethodResult<SetUpDoor> {
        self.parts.doors.get()?.set_up(params.door).await
    }
}

impl Handle<RevokeClient> for HostControl {
    async fn handle(&self, _: ApproverId, params: PairedClientRef) -> MethodResult<RevokeClient> {
        self.parts.doors.get()?.revoke(params).await
    }
}
