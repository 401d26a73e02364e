//! `settings.*`.

use super::{Handle, HostControl, MethodResult};
use crate::ask::ApproverId;
use postern_contract::methods::{GetSettings, HostSettings, Nothing, SetSettings};

impl Handle<GetSettings> for HostControl {
    async fn handle(&self, _: ApproverId, _: Nothing) -> MethodResult<GetSettings> {
        Ok(self.parts.book.snapshot().settings.clone())
    }
}

impl Handle<SetSettings> for HostControl {
    async fn handle(&self, _: ApproverId, params: HostSettings) -> MethodResult<SetSettings> {
        self.parts.book.set_settings(params).await?;
        Ok(self.parts.book.snapshot().settings.clone())
    }
}
