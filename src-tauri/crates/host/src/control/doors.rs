//! `doors.*`.

use super::{Handle, HostControl, MethodResult};
use crate::ask::ApproverId;
use postern_contract::methods::{
    DisableDoor, DoorApprover, Doors, EnableDoor, ListDoors, Method, Nothing, RevokeClient, SetUpDoor,
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

hand_over! { |doors, _face, params|
    EnableDoor => doors.enable(params);
    DisableDoor => doors.disable(params.door);
    SetUpDoor => doors.set_up(params.door);
    RevokeClient => doors.revoke(params);
}
