//! Ids of traces that are those of their requests.
//!
//! So one leads to the other, and a request that is sent twice is the same trace.

use opentelemetry::{SpanId, TraceId};
use opentelemetry_sdk::trace::{IdGenerator, RandomIdGenerator};
use parking_lot::Mutex;
use postern_contract::methods::FeedEvent;
use std::sync::Arc;
use uuid::Uuid;

/// The trace and the span that stand for a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OfRequest {
    pub(super) trace: TraceId,
    pub(super) span: SpanId,
}

impl OfRequest {
    /// Returns those of an event's request: its number, and the part of it that is random.
    pub(super) fn from_event(event: &FeedEvent) -> Option<Self> {
        let number = Uuid::parse_str(&event.request.as_ref()?.id).ok()?.into_bytes();
        let tail: [u8; 8] = number[8..].try_into().ok()?;
        Some(Self { trace: TraceId::from_bytes(number), span: SpanId::from_bytes(tail) })
    }
}

/// Gives the next root span the number that was set for it, everything else a random one.
#[derive(Debug, Clone, Default)]
pub(super) struct Ids {
    next: Arc<Mutex<(Option<TraceId>, Option<SpanId>)>>,
}

impl Ids {
    /// Sets the ids of the span that is built next.
    pub(super) fn next_is(&self, of: OfRequest) {
        *self.next.lock() = (Some(of.trace), Some(of.span));
    }
}

impl IdGenerator for Ids {
    fn new_trace_id(&self) -> TraceId {
        let set = self.next.lock().0.take();
        set.unwrap_or_else(|| RandomIdGenerator::default().new_trace_id())
    }

    fn new_span_id(&self) -> SpanId {
        let set = self.next.lock().1.take();
        set.unwrap_or_else(|| RandomIdGenerator::default().new_span_id())
    }
}
