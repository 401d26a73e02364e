//! Outgoing events: a webhook, and OpenTelemetry.
//!
//! Both follow the feed, each from where it left off, in a task of its own: a listener that is slow, stuck or
//! gone holds up nobody but itself.

mod commands;
mod endpoint;
mod follow;
mod otel;
mod webhook;

pub(crate) use otel::Otel;
pub(crate) use webhook::Webhook;
