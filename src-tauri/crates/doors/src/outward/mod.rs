//! Outgoing events: a webhook, and OpenTelemetry.
//!
//! Both follow the feed, each from where it left off, in a task of its own: a listener that is slow, stuck or
//! gone holds up nobody but itself.

mod commands;
mod endpoint;
mod follow;
#[cfg(feature = "otel")]
mod otel;
#[cfg(feature = "webhook")]
mod webhook;

#[cfg(feature = "otel")]
pub(crate) use otel::Otel;
#[cfg(feature = "webhook")]
pub(crate) use webhook::Webhook;
