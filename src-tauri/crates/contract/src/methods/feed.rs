//! The feed: what happened, step by step, for whoever tells it outwards.

use crate::RequestRow;
use postern_policy::{AgentId, Millis, Profile};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Asks for what comes behind a place in the feed. With none of `after`, `since` and `newest`: what comes from now on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct FeedAsk {
    /// Behind this one: [`FeedPage::after`] of the page before.
    #[serde(default)]
    pub after: Option<i64>,
    /// What happened then or later.
    #[serde(default)]
    pub since: Option<Millis>,
    /// The newest so many.
    #[serde(default)]
    pub newest: Option<u32>,
    /// Of this agent alone.
    #[serde(default)]
    pub agent: Option<AgentId>,
    /// How long to wait where nothing is there yet, in milliseconds: at most 25,000; 0 where left out.
    #[serde(default)]
    pub wait_ms: Option<u64>,
}

/// What happened, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FeedPage {
    /// The steps; none where nothing happened in the time that was waited.
    pub events: Vec<FeedEvent>,
    /// Where to go on.
    pub after: i64,
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FeedEvent {
    /// Its place in the feed: grows, and is never used twice.
    pub sequence: i64,
    /// Its kind.
    pub event: FeedKind,
    /// When, in milliseconds since 1970.
    pub event_at: Millis,
    /// The request as it was after this step.
    pub request: Option<RequestRow>,
    /// When each step of it was, as far as it came.
    pub times: Option<FeedTimes>,
    /// The program it names first, without arguments, ready to be shown; none for shell text.
    pub program: Option<String>,
    /// Profile that it runs or ran with; none with the user's rights.
    pub profile: Option<Profile>,
    /// Approver that answered, or that widened what may run.
    pub face: Option<String>,
    /// At a door: which.
    pub door: Option<String>,
    /// At a door: the sender's own name, escaped. Of a change: its author.
    pub who: Option<String>,
    /// Further text: the reason of a denial, a stranger's message, or the change.
    pub message: Option<String>,
}

/// The kind of a thing that happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub enum FeedKind {
    /// A request came in.
    #[serde(rename = "request.received")]
    Received,
    /// A question about it opened.
    #[serde(rename = "request.asked")]
    Asked,
    /// It was let through.
    #[serde(rename = "request.allowed")]
    Allowed,
    /// It started.
    #[serde(rename = "request.started")]
    Started,
    /// It was denied.
    #[serde(rename = "request.denied")]
    Denied,
    /// It ended.
    #[serde(rename = "request.finished")]
    Finished,
    /// It could not be started.
    #[serde(rename = "request.failed")]
    Failed,
    /// A stranger was at a door.
    #[serde(rename = "door.stranger")]
    Stranger,
    /// A change lets more run: [`AuditRow`](super::AuditRow).
    #[serde(rename = "policy.widened")]
    Widened,
}

impl FeedKind {
    /// Returns the name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Received => "request.received",
            Self::Asked => "request.asked",
            Self::Allowed => "request.allowed",
            Self::Started => "request.started",
            Self::Denied => "request.denied",
            Self::Finished => "request.finished",
            Self::Failed => "request.failed",
            Self::Stranger => "door.stranger",
            Self::Widened => "policy.widened",
        }
    }
}

/// When each step of a request was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FeedTimes {
    /// It came in.
    pub received: Millis,
    /// Its question opened.
    pub asked: Option<Millis>,
    /// It was let through.
    pub allowed: Option<Millis>,
    /// It started.
    pub started: Option<Millis>,
    /// It ended.
    pub ended: Option<Millis>,
}
