//! Delivery of an event to the endpoint: sent until it is taken, with pauses that grow.

use super::WebhookState;
use super::signature::Secret;
use crate::outward::commands::Commands;
use crate::token::DoorToken;
use parking_lot::Mutex;
use postern_contract::methods::{FeedEvent, FeedKind};
use reqwest::{Client, StatusCode, Url};
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;

/// The first pause; each one after it is twice as long.
const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_mins(5);
/// Number of times that an event is sent that the endpoint does not want (4xx): it would hold up the next
/// ones always.
const REFUSALS: u32 = 5;

/// Event with all that is needed to send it.
#[derive(Debug)]
pub(super) struct Delivery {
    pub(super) client: Client,
    pub(super) url: Url,
    pub(super) token: Arc<DoorToken>,
    pub(super) commands: Commands,
    pub(super) state: Arc<Mutex<WebhookState>>,
}

#[derive(Serialize)]
struct EventBody<'a> {
    #[serde(rename = "type")]
    kind: FeedKind,
    timestamp: String,
    data: &'a FeedEvent,
}

/// Result of a try.
#[derive(Debug, PartialEq, Eq)]
enum Attempt {
    Taken,
    /// The endpoint says that the message is wrong.
    Refused(String),
    /// Failed, but may succeed next time.
    Failed(String),
}

impl Delivery {
    /// Sends an event until it is taken, or refused always.
    pub(super) async fn deliver(&self, event: FeedEvent) {
        let event = self.commands.redact_event(event);
        let id = format!("evt_{}_{}", event.event_at, event.sequence);
        let timestamp = postern_host::format_time(event.event_at);
        let body = EventBody { kind: event.event, timestamp, data: &event };
        let Ok(body) = serde_json::to_string(&body) else { return };
        let (mut tries, mut refusals) = (0, 0);
        loop {
            let problem = match self.send_once(&id, &body).await {
                Attempt::Taken => {
                    self.record_outcome(None);
                    return;
                }
                Attempt::Refused(problem) => {
                    refusals += 1;
                    if refusals >= REFUSALS {
                        tracing::warn!(
                            id, problem, "the webhook's endpoint refuses an event: it is passed over"
                        );
                        self.record_outcome(Some(problem));
                        return;
                    }
                    problem
                }
                Attempt::Failed(problem) => problem,
            };
            self.record_outcome(Some(problem));
            tokio::time::sleep(retry_pause(tries, crate::random())).await;
            tries += 1;
        }
    }

    async fn send_once(&self, id: &str, body: &str) -> Attempt {
        let timestamp = u64::try_from(crate::now_millis() / 1000).unwrap_or(0);
        let Some(secret) = Secret::from_token(&self.token.to_base64url()) else {
            return Attempt::Failed("there is nothing to sign it with".to_owned());
        };
        let request = self
            .client
            .post(self.url.clone())
            .header("content-type", "application/json")
            .header("webhook-id", id)
            .header("webhook-timestamp", timestamp.to_string())
            .header("webhook-signature", secret.sign(id, timestamp, body))
            .body(body.to_owned());
        match request.send().await {
            // The body of the answer is not read: nothing in it changes anything.
            Ok(answer) => judged(answer.status()),
            Err(error) => Attempt::Failed(crate::error_chain(&error.without_url())),
        }
    }

    fn record_outcome(&self, problem: Option<String>) {
        let mut state = self.state.lock();
        if problem.is_none() {
            state.taken_at = Some(crate::now_millis());
        }
        state.problem = problem;
    }
}

fn judged(status: StatusCode) -> Attempt {
    let said = || format!("the endpoint answered {status}");
    match status {
        status if status.is_success() => Attempt::Taken,
        StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_EARLY | StatusCode::TOO_MANY_REQUESTS => {
            Attempt::Failed(said())
        }
        status if status.is_client_error() => Attempt::Refused(said()),
        // A redirect too: what is signed for one address is not taken to another.
        _ => Attempt::Failed(said()),
    }
}

/// Returns the pause: twice as long each time, of which a random half to all, so that many senders do not
/// come at once.
fn retry_pause(tries: u32, random: u32) -> Duration {
    let whole = FIRST.saturating_mul(2_u32.saturating_pow(tries.min(16))).min(LONGEST);
    whole.mul_f64(0.5 + 0.5 * f64::from(random) / f64::from(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::{Attempt, LONGEST, judged, retry_pause};
    use reqwest::StatusCode;
    use std::time::Duration;

    #[test]
    fn pauses_grow_to_a_bound_and_differ() {
        assert_eq!(
            (retry_pause(0, 0), retry_pause(0, u32::MAX)),
            (Duration::from_millis(500), Duration::from_secs(1))
        );
        assert_eq!(
            (retry_pause(3, 0), retry_pause(3, u32::MAX)),
            (Duration::from_secs(4), Duration::from_secs(8))
        );
        assert_eq!(retry_pause(u32::MAX, u32::MAX), LONGEST);
    }

    #[test]
    fn only_2xx_takes_an_event_and_only_4xx_refuses_it() {
        assert_eq!(judged(StatusCode::NO_CONTENT), Attempt::Taken);
        for status in [400, 401, 404, 410, 422] {
            assert!(matches!(judged(StatusCode::from_u16(status).unwrap()), Attempt::Refused(_)), "{status}");
        }
        for status in [301, 307, 408, 425, 429, 500, 503] {
            assert!(matches!(judged(StatusCode::from_u16(status).unwrap()), Attempt::Failed(_)), "{status}");
        }
    }
}
