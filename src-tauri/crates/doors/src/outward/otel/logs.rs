//! Each step of the feed as a log record.

use super::ids::OfRequest;
use super::spans::{attributes, instant};
use opentelemetry::TraceFlags;
use opentelemetry::logs::{LogRecord as _, Logger as _, LoggerProvider as _, Severity};
use opentelemetry_sdk::logs::{SdkLogger, SdkLoggerProvider};
use postern_contract::methods::{FeedEvent, FeedKind};

/// Makes records.
pub(super) struct Logs {
    logger: SdkLogger,
}

impl Logs {
    pub(super) fn new(provider: &SdkLoggerProvider) -> Self {
        Self { logger: provider.logger("postern") }
    }

    pub(super) fn log_step(&self, event: &FeedEvent) {
        let mut record = self.logger.create_log_record();
        record.set_timestamp(instant(event.event_at));
        let (severity, word) = match event.event {
            FeedKind::Denied | FeedKind::Failed | FeedKind::Stranger | FeedKind::Widened => {
                (Severity::Warn, "WARN")
            }
            FeedKind::Received
            | FeedKind::Asked
            | FeedKind::Allowed
            | FeedKind::Started
            | FeedKind::Finished => (Severity::Info, "INFO"),
        };
        record.set_severity_number(severity);
        record.set_severity_text(word);
        record.set_body(event.event.name().into());
        record.add_attribute("postern.sequence", event.sequence);
        if let Some(request) = &event.request {
            for attribute in attributes(event, request) {
                record.add_attribute(attribute.key, attribute.value.to_string());
            }
        }
        for (name, value) in
            [("postern.door", &event.door), ("postern.who", &event.who), ("postern.message", &event.message)]
        {
            if let Some(value) = value {
                record.add_attribute(name, value.clone());
            }
        }
        if let Some(of) = OfRequest::from_event(event) {
            record.set_trace_context(of.trace, of.span, Some(TraceFlags::SAMPLED));
        }
        self.logger.emit(record);
    }
}
