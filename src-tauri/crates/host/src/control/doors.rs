//! `doors.list`.

use super::{Answer, Control, Handle};
use crate::ask::FaceId;
use postern_contract::methods::{DoorApprover, Doors, ListDoors, Nothing};

impl Handle<ListDoors> for Control {
    async fn handle(&self, _: FaceId, _: Nothing) -> Answer<ListDoors> {
        let on_duty = self.parts.faces.on_duty().into_iter();
        let approvers = on_duty.map(|(kind, since)| DoorApprover { kind: kind.name().to_owned(), since });
        Ok(Doors { clients: self.parts.channels.clients().list(), approvers: approvers.collect() })
    }
}
