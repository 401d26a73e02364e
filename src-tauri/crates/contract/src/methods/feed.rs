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
    pub after: Option<i64>,
    /// Earliest time of events.
    pub since: Option<Millis>,
    /// The newest so many.
    pub newest: Option<u32>,
    /// Of this agent alone.
    pub agent: Option<AgentId>,
    /// Time to wait if there is no event yet, in milliseconds: at most 25,000; 0 if left out.
    pub wait_ms: Option<u64>,
    /// True to show the secrets in them too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<_>", optional)]
    pub secrets: bool,
}

/// Page of events, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FeedPage {
    /// The steps; `None` if nothing happened in the time that was waited.
    pub events: Vec<FeedEvent>,
    /// Position for the next call.
    pub after: i64,
}

/// Event in the feed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FeedEvent {
    /// Position in the feed: grows, and is never used twice.
    pub sequence: i64,
    pub event: FeedKind,
    /// Time of the event, in milliseconds since 1970.
    pub event_at: Millis,
    /// The request as it was after this step.
    pub request: Option<RequestRow>,
    /// Times of the request's steps, as far as it came.
    pub times: Option<FeedTimes>,
    /// The program it begins with, without arguments, ready to be shown; none for shell text, and where none was found.
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

postern_protocol::named_values! {
    /// The kind of a thing that happened.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
    pub enum FeedKind {
        /// A request came in.
        Received = "request.received",
        /// A question about it opened.
        Asked = "request.asked",
        Allowed = "request.allowed",
        Started = "request.started",
        Denied = "request.denied",
        Finished = "request.finished",
        /// Let through, but not started.
        Failed = "request.failed",
        /// A stranger was at a door.
        Stranger = "door.stranger",
        /// A change lets more run: [`AuditRow`](super::AuditRow).
        Widened = "policy.widened",
    }
}

/// Times of a request's steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FeedTimes {
    pub received: Millis,
    /// Time at which its question opened.
    pub asked: Option<Millis>,
    pub allowed: Option<Millis>,
    pub started: Option<Millis>,
    pub ended: Option<Millis>,
}
