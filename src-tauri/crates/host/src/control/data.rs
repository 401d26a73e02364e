//! `data.*`: what is kept on this machine.

use super::{Answer, Control, Handle};
use crate::ask::FaceId;
use postern_contract::methods::{ControlError, DataUse, EraseHistory, GetDataUse, Nothing};
use postern_store::{history_bytes, requests};

impl Control {
    async fn data_use(&self) -> Result<DataUse, ControlError> {
        let folder = self.parts.book.places().data.to_string_lossy().into_owned();
        let (bytes, oldest) = self.read(|conn| Ok((history_bytes(conn)?, requests::oldest(conn)?))).await?;
        Ok(DataUse { folder, bytes, oldest })
    }
}

impl Handle<GetDataUse> for Control {
    async fn handle(&self, _: FaceId, _: Nothing) -> Answer<GetDataUse> {
        self.data_use().await
    }
}

impl Handle<EraseHistory> for Control {
    async fn handle(&self, _: FaceId, _: Nothing) -> Answer<EraseHistory> {
        tracing::info!("the person erases the history");
        self.parts.book.erase_history().await?;
        self.data_use().await
    }
}
