//! The webhook: every step of the feed, one signed POST each, in order, until it was taken.
//!
//! Its form is that of Standard Webhooks: `webhook-id`, `webhook-timestamp` and `webhook-signature` over id, time and body.
//! At least once: the id of an event is the same however often it is sent. What waits is the feed itself, which is
//! bounded and outlives a restart; nothing of a request waits for it.

mod deliver;
mod signature;

use super::commands::Commands;
use super::endpoint;
use super::follow::{Follower, REST};
use crate::door::Door;
use crate::kept_running::{AFTER_A_CRASH, keep_running};
use crate::listen::DoorTasks;
use crate::token::DoorToken;
use crate::values::DoorValues;
use async_trait::async_trait;
use deliver::Delivery;
use parking_lot::Mutex;
use postern_contract::MultilineText;
use postern_contract::methods::{ControlError, DoorKind, DoorSetup, PairedClient};
use postern_host::Host;
use signature::Secret;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Under what name the host keeps how far it came.
const KEPT: &str = "webhook";
/// Under what name the host keeps the secret.
const SECRET: &str = "webhook-secret";
/// The one client that this door has: its other side.
const ENDPOINT: &str = "endpoint";

/// The open door.
#[derive(Debug)]
pub(crate) struct Webhook {
    host: Host,
    url: String,
    token: Arc<DoorToken>,
    state: Arc<Mutex<WebhookState>>,
    sending: DoorTasks,
}

#[derive(Debug, Default)]
struct WebhookState {
    /// Time at which an event was last taken.
    taken_at: Option<i64>,
    /// Reason why the last one was not.
    problem: Option<String>,
}

impl Webhook {
    /// Begins to send, from where it left off.
    pub(crate) async fn open(host: &Host, values: &DoorValues) -> Result<Self, ControlError> {
        let text = values.get("url").ok_or_else(|| {
            ControlError::invalid("say where what happens is sent: url=https://example.com/postern")
        })?;
        let url = endpoint::address("url", text)?;
        let commands = Commands::from_values(values)?;
        let client = endpoint::client(&url, values.get("ca"))?;
        let token = Arc::new(DoorToken::load_current(host, SECRET, ENDPOINT).await?);
        // Tried now, so that its opener learns what is wrong.
        Follower::open(host, KEPT).await?;
        let (sending, state) = (DoorTasks::default(), Arc::<Mutex<WebhookState>>::default());
        let delivery =
            Delivery { client, url, token: Arc::clone(&token), commands, state: Arc::clone(&state) };
        let (until, delivery, of) = (sending.closed(), Arc::new(delivery), host.clone());
        let work = move || {
            let (until, delivery, host) = (until.clone(), Arc::clone(&delivery), of.clone());
            async move {
                tokio::select! {
                    () = send_events(host, delivery) => {}
                    () = until.cancelled() => {}
                }
            }
        };
        sending.beside(keep_running(DoorKind::Webhook, sending.closed(), AFTER_A_CRASH, work));
        Ok(Self { host: host.clone(), url: text.clone(), token, state, sending })
    }
}

#[async_trait]
impl Door for Webhook {
    fn clients(&self) -> Vec<PairedClient> {
        let state = self.state.lock();
        vec![PairedClient {
            id: ENDPOINT.to_owned(),
            name: postern_command::escape::visible_text(&self.url),
            paired_at: None,
            seen_at: state.taken_at,
            connected: state.problem.is_none() && state.taken_at.is_some(),
        }]
    }

    fn trouble(&self) -> Option<String> {
        self.state.lock().problem.clone()
    }

    fn set_up(&self) -> Result<DoorSetup, ControlError> {
        let secret = Secret::from_token(&self.token.to_base64url())
            .map(|secret| secret.secret_text())
            .unwrap_or_default();
        let text = format!(
            "Events are sent to {}\n\
             as POST requests in the form of Standard Webhooks (standardwebhooks.com), whose\n\
             libraries check them. Give the endpoint this secret:\n\
             {secret}\n\
             A signature is v1,BASE64 of\n\
             HMAC-SHA256(secret, webhook-id.webhook-timestamp.body).\n\
             Answer with 2xx; the same webhook-id may come twice.\n\
             A new secret: postern doors revoke webhook {ENDPOINT}\n",
            self.url
        );
        let values = BTreeMap::from([("url".to_owned(), self.url.clone()), ("secret".to_owned(), secret)]);
        Ok(DoorSetup { door: DoorKind::Webhook, values, text: MultilineText::new(text) })
    }

    /// Makes a new secret: what is sent from now on is signed with it.
    async fn revoke(&self, client: &str) -> Result<(), ControlError> {
        if client != ENDPOINT {
            return Err(ControlError::not_found(format!(
                "this integration has one secret: postern doors revoke webhook {ENDPOINT}"
            )));
        }
        self.token.rotate(&self.host).await
    }

    async fn close(self: Box<Self>) {
        self.sending.close().await;
    }
}

/// Sends what comes, one after the other.
async fn send_events(host: Host, delivery: Arc<Delivery>) {
    let mut follower = Follower::open_again(&host, KEPT).await;
    loop {
        let page = match follower.next_page().await {
            Ok(page) => page,
            Err(error) => {
                tracing::warn!(%error, "the webhook cannot read what happened");
                tokio::time::sleep(REST).await;
                continue;
            }
        };
        for event in page.events {
            let sequence = event.sequence;
            delivery.deliver(event).await;
            // Not kept: it is sent again after a restart, which its id tells.
            if let Err(error) = follower.reached(sequence).await {
                tracing::warn!(%error, "how far the webhook came could not be kept");
            }
        }
    }
}
