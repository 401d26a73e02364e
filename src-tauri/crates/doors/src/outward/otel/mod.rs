//! OpenTelemetry: a trace for each request that ended, and a log record for each step of the feed, over OTLP.
//!
//! The SDK collects in a queue of its own, which is bounded, and sends from a thread of its own: a collector that is slow,
//! stuck or gone costs what is told to it, and holds up nothing else.

mod client;
mod ids;
mod logs;
mod spans;

use super::commands::Commands;
use super::endpoint;
use super::follow::{Follower, REST};
use crate::door::Door;
use crate::kept_running::{AFTER_A_CRASH, keep_running};
use crate::listen::DoorTasks;
use crate::values::DoorValues;
use async_trait::async_trait;
use client::OtelHttpClient;
use ids::Ids;
use logs::Logs;
use opentelemetry::KeyValue;
use opentelemetry_otlp::{LogExporter, Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::logs::SdkLoggerProvider;
use opentelemetry_sdk::trace::SdkTracerProvider;
use postern_contract::MultilineText;
use postern_contract::methods::{ControlError, DoorKind, DoorSetup};
use postern_host::Host;
use reqwest::Url;
use spans::Spans;
use std::collections::BTreeMap;
use std::time::Duration;

/// Under what name the host keeps how far it came.
const KEPT: &str = "otel";
/// Default address of a collector: OTLP's own port for HTTP.
const ENDPOINT: &str = "http://127.0.0.1:4318";
/// Time that the rest may take to be sent when the door closes.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// The open door.
#[derive(Debug)]
pub(crate) struct Otel {
    endpoint: String,
    traces: SdkTracerProvider,
    logs: SdkLoggerProvider,
    telling: DoorTasks,
}

impl Otel {
    /// Begins to tell, from where it left off.
    pub(crate) async fn open(host: &Host, values: &DoorValues) -> Result<Self, ControlError> {
        let endpoint = values.get("endpoint").map_or(ENDPOINT, String::as_str);
        let url = endpoint::address("endpoint", endpoint)?;
        let commands = Commands::from_values(values)?;
        let sender = OtelHttpClient::new(endpoint::client(&url, values.get("ca"))?);
        let ids = Ids::default();
        let traces = traces(&url, sender.clone(), ids.clone())?;
        let logs = log_provider(&url, sender)?;
        // Tried now, so that its opener learns what is wrong.
        Follower::open(host, KEPT).await?;
        let telling = DoorTasks::default();
        let (until, of) = (telling.closed(), host.clone());
        let (to_traces, to_logs) = (traces.clone(), logs.clone());
        let work = move || {
            let (until, host) = (until.clone(), of.clone());
            let (spans, logs) = (Spans::new(&to_traces, ids.clone()), Logs::new(&to_logs));
            async move {
                let told = async {
                    let follower = Follower::open_again(&host, KEPT).await;
                    OtelExporter { follower, spans, logs, commands }.export_feed().await;
                };
                tokio::select! {
                    () = told => {}
                    () = until.cancelled() => {}
                }
            }
        };
        telling.beside(keep_running(DoorKind::Otel, telling.closed(), AFTER_A_CRASH, work));
        Ok(Self { endpoint: endpoint.to_owned(), traces, logs, telling })
    }
}

#[async_trait]
impl Door for Otel {
    fn set_up(&self) -> Result<DoorSetup, ControlError> {
        let text = format!(
            "Traces and logs are sent to {}\n\
             as OTLP over HTTP (JSON): let a collector listen there. Each request that ended\n\
             is a trace system.run with its parts judge, question and run; each step is a\n\
             log record. service.name is postern.\n",
            self.endpoint
        );
        let values = BTreeMap::from([("endpoint".to_owned(), self.endpoint.clone())]);
        Ok(DoorSetup { door: DoorKind::Otel, values, text: MultilineText::new(text) })
    }

    async fn revoke(&self, _: &str) -> Result<(), ControlError> {
        Err(ControlError::not_found("this integration has one other side: postern doors disable otel"))
    }

    async fn close(self: Box<Self>) {
        let Self { traces, logs, telling, .. } = *self;
        telling.close().await;
        // It may wait for a collector that does not answer: on a thread that may be left behind.
        let last = tokio::task::spawn_blocking(move || {
            let traced = traces.shutdown_with_timeout(LAST_WORDS);
            let logged = logs.shutdown_with_timeout(LAST_WORDS);
            for error in [traced.err(), logged.err()].into_iter().flatten() {
                tracing::warn!(%error, "the last of what was sent to the collector may not have arrived");
            }
        });
        _ = tokio::time::timeout(LAST_WORDS * 3, last).await;
    }
}

fn resource() -> Resource {
    Resource::builder_empty()
        .with_attributes([
            KeyValue::new("service.name", "postern"),
            KeyValue::new("service.version", env!("CARGO_PKG_VERSION")),
        ])
        .build()
}

/// Returns the address of a signal below that of the collector.
fn signal_url(url: &Url, signal: &str) -> String {
    format!("{}/v1/{signal}", url.as_str().trim_end_matches('/'))
}

fn traces(url: &Url, sender: OtelHttpClient, ids: Ids) -> Result<SdkTracerProvider, ControlError> {
    let exporter = SpanExporter::builder()
        .with_http()
        .with_http_client(sender)
        .with_protocol(Protocol::HttpJson)
        .with_endpoint(signal_url(url, "traces"))
        .with_timeout(endpoint::PATIENCE)
        .build()
        .map_err(|error| ControlError::refused(format!("traces cannot be sent: {error}")))?;
    Ok(SdkTracerProvider::builder()
        .with_batch_exporter(exporter)
        .with_id_generator(ids)
        .with_resource(resource())
        .build())
}

fn log_provider(url: &Url, sender: OtelHttpClient) -> Result<SdkLoggerProvider, ControlError> {
    let exporter = LogExporter::builder()
        .with_http()
        .with_http_client(sender)
        .with_protocol(Protocol::HttpJson)
        .with_endpoint(signal_url(url, "logs"))
        .with_timeout(endpoint::PATIENCE)
        .build()
        .map_err(|error| ControlError::refused(format!("logs cannot be sent: {error}")))?;
    Ok(SdkLoggerProvider::builder().with_batch_exporter(exporter).with_resource(resource()).build())
}

/// Takes the feed apart into spans and records.
struct OtelExporter {
    follower: Follower,
    spans: Spans,
    logs: Logs,
    commands: Commands,
}

impl OtelExporter {
    async fn export_feed(mut self) {
        loop {
            let page = match self.follower.next_page().await {
                Ok(page) => page,
                Err(error) => {
                    tracing::warn!(%error, "what happened cannot be read, so it is not sent to the collector");
                    tokio::time::sleep(REST).await;
                    continue;
                }
            };
            if page.events.is_empty() {
                continue;
            }
            for event in page.events {
                let event = self.commands.redact_event(event);
                self.logs.log_step(&event);
                self.spans.export_ended(&event);
            }
            if let Err(error) = self.follower.reached(page.after).await {
                tracing::warn!(%error, "the position of the collector could not be kept");
            }
        }
    }
}
