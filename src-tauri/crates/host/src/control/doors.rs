//! `doors.*`.

use super::{Answer, Control, Handle};
use crate::ask::FaceId;
use postern_contract::methods::{
    DisableDoor, DoorApprover, DoorEnable, DoorRef, Doors, EnableDoor, ListDoors, Nothing, PairedClientRef,
    RevokeClient, SetUpDoor,
};

impl Handle<ListDoors> for Control {
    async fn handle(&self, _: FaceId, _: Nothing) -> Answer<ListDoors> {
        let on_duty = self.parts.faces.on_duty().into_iter();
        let approvers = on_duty.map(|(kind, since)| DoorApprover { kind: kind.name().to_owned(), since });
        // A host without doors has channels and faces all the same.
        let doors = match self.parts.doors.get() {
            Ok(doors) => doors.list().await?,
            Err(_) => Vec::new(),
        };
        Ok(Doors { doors, clients: self.parts.channels.clients().list(), approvers: approvers.collect() })
    }
}

impl Handle<EnableDoor> for Control {
    async fn handle(&self, _: FaceId, params: DoorEnable) -> Answer<EnableDoor> {
        self.parts.doors.get()?.enable(params).await
    }
}

impl Handle<DisableDoor> for Control {
    async fn handle(&self, _: FaceId, params: DoorRef) -> Answer<DisableDoor> {
        self.parts.doors.get()?.disable(params.door).await
    }
}

impl Handle<SetUpDoor> for Control {
    async fn handle(&self, _: FaceId, params: DoorRef) -> Answer<SetUpDoor> {
        self.parts.doors.get()?.set_up(params.door).await
    }
}

impl Handle<RevokeClient> for Control {
    async fn handle(&self, _: FaceId, params: PairedClientRef) -> Answer<RevokeClient> {
        self.parts.doors.get()?.revoke(params).await
    }
}
