//! `settings.*`.

use super::{Answer, Control, Handle};
use crate::ask::FaceId;
use postern_contract::methods::{GetSettings, HostSettings, Nothing, SetSettings};

impl Handle<GetSettings> for Control {
    async fn handle(&self, _: FaceId, _: Nothing) -> Answer<GetSettings> {
        Ok(self.parts.book.snapshot().settings.clone())
    }
}

impl Handle<SetSettings> for Control {
    async fn handle(&self, _: FaceId, params: HostSettings) -> Answer<SetSettings> {
        self.parts.book.set_settings(params).await?;
        Ok(self.parts.book.snapshot().settings.clone())
    }
}
