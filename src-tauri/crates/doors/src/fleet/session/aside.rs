//! Work of a connected host that waits for the broker's disk: the host answers others meanwhile.

use super::super::FleetError;
use super::FleetHostSession;
use super::audit::AuditSender;
use async_nats::{Client, HeaderMap, jetstream};
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use postern_fleet::FleetId;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::timeout;

/// Longest time for the broker to confirm a message.
const CONFIRM: Duration = Duration::from_secs(5);

/// Work that is under way, polled by its session alone.
///
/// Nobody waits for the lock: it lets a session be shared between threads.
#[derive(Default)]
pub(super) struct UnderWay(Mutex<FuturesUnordered<Pin<Box<dyn Future<Output = Aside> + Send>>>>);

impl UnderWay {
    /// Begins further work.
    pub(super) fn push(&mut self, work: impl Future<Output = Aside> + Send + 'static) {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner).push(Box::pin(work));
    }

    /// Waits for the next that ends; `None` if there is none.
    pub(super) async fn next(&mut self) -> Option<Aside> {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner).next().await
    }
}

/// Work that ended.
pub(super) enum Aside {
    /// The end of a question reached the broker, or did not.
    Closed(FleetId, Result<(), FleetError>),
    /// The audit left this host, as far as the broker took it.
    Audited(Box<AuditSender>),
}

impl FleetHostSession {
    /// Takes the result of work that ended.
    pub(super) fn finish_aside(&mut self, ended: Aside) -> Result<(), FleetError> {
        match ended {
            Aside::Closed(question, confirmed) => {
                confirmed?;
                self.shown.remove(&question);
                self.folder.keep_shown(&self.shown)
            }
            Aside::Audited(sender) => {
                self.audit = Some(*sender);
                Ok(())
            }
        }
    }
}

/// Publishes a message to a stream, and waits until the broker has it. One that it has already changes nothing.
pub(super) async fn publish_confirmed(
    client: &Client,
    subject: String,
    message: &str,
    bytes: Vec<u8>,
) -> Result<(), FleetError> {
    let context = jetstream::new(client.clone());
    let confirmed = async {
        let sent = context.publish_with_headers(subject, message_id(message), bytes.into()).await;
        sent.map_err(FleetError::broker)?.await.map_err(FleetError::broker)
    };
    let late = |_| FleetError::Unreachable("it confirms nothing".to_owned());
    timeout(CONFIRM, confirmed).await.map_err(late)?.map(drop)
}

/// Returns the header by which the broker recognizes a message that comes again.
pub(super) fn message_id(message: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert("Nats-Msg-Id", message);
    headers
}
