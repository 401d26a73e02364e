//! `data.*`: what is kept on this machine.

use super::{Handle, HostControl, MethodResult};
use crate::ask::ApproverId;
use postern_contract::methods::{ControlError, DataUse, EraseHistory, GetDataUse, Nothing};
use postern_store::{history_bytes, requests};

impl HostControl {
    async fn data_use(&self) -> Result<DataUse, ControlError> {
        let folder = self.parts.book.places().data.to_string_lossy().into_owned();
        let (bytes, oldest) =
            self.read_record(|conn| Ok((history_bytes(conn)?, requests::oldest(conn)?))).await?;
        Ok(DataUse { folder, bytes, oldest })
    }
}

impl Handle<GetDataUse> for HostControl {
    async fn handle(&self, _: ApproverId, _: Nothing) -> MethodResult<GetDataUse> {
        self.data_use().await
    }
}

impl Handle<EraseHistory> for HostControl {
    async fn handle(&self, _: ApproverId, _: Nothing) -> MethodResult<EraseHistory> {
        tracing::info!("the person erases the history");
        self.parts.book.erase_history().await?;
        self.data_use().await
    }
}
