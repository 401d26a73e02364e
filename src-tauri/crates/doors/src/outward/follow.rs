//! Following the feed from where it was left, over restarts.

use postern_contract::methods::{ControlError, FeedAsk, FeedPage, NextEvents};
use postern_host::{ApproverId, ConnectedApproverKind, Host};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Time that one call waits for news, in milliseconds.
const WAIT: u64 = 20_000;

/// Pause if the feed cannot be read.
pub(super) const REST: Duration = Duration::from_secs(1);

/// Somebody who follows the feed.
#[derive(Debug)]
pub(super) struct Follower {
    pub(super) host: Host,
    face: ApproverId,
    /// Under what name its place is kept.
    kept: &'static str,
    after: i64,
}

#[derive(Debug, Serialize, Deserialize)]
struct FeedPosition {
    after: i64,
}

impl Follower {
    /// Opens the feed from where it left off; the first time, from now on.
    pub(super) async fn open(host: &Host, kept: &'static str) -> Result<Self, ControlError> {
        let face = host.named_face(ConnectedApproverKind::Remote, kept).id();
        let place = host.recall(kept).await.map_err(ControlError::store)?;
        let mut follower = Self { host: host.clone(), face, kept, after: 0 };
        if let Some(place) = place {
            let place: FeedPosition = serde_json::from_value(place).map_err(ControlError::store)?;
            follower.after = place.after;
        } else {
            let now = host.call_method::<NextEvents>(face, &FeedAsk::default()).await?;
            follower.reached(now.after).await?;
        }
        Ok(follower)
    }

    /// Opens the feed, tried until it works: for work that starts again after a crash.
    pub(super) async fn open_again(host: &Host, kept: &'static str) -> Self {
        loop {
            match Self::open(host, kept).await {
                Ok(follower) => return follower,
                Err(error) => {
                    tracing::warn!(%error, kept, "how far it came cannot be read");
                    tokio::time::sleep(REST).await;
                }
            }
        }
    }

    /// Returns the next page; waits a while, and may then be empty.
    pub(super) async fn next_page(&self) -> Result<FeedPage, ControlError> {
        let ask = FeedAsk { after: Some(self.after), wait_ms: Some(WAIT), ..FeedAsk::default() };
        self.host.call_method::<NextEvents>(self.face, &ask).await
    }

    /// Stores the position: what came before is not sent again.
    pub(super) async fn reached(&mut self, after: i64) -> Result<(), ControlError> {
        self.after = after;
        let place = serde_json::to_value(FeedPosition { after }).map_err(ControlError::store)?;
        self.host.remember_soon(self.kept, place).await.map_err(ControlError::store)
    }
}
