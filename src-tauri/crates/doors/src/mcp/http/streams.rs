//! Sessions with a listening client. A client that is gone takes its requests with it.
//!
//! HTTP does not say that it went: a stream of its session broke, and no other is open or opened soon.

use hyper::body::{Body, Bytes, Frame, SizeHint};
use parking_lot::Mutex;
use rmcp::transport::streamable_http_server::session::SessionManager as _;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

/// Time that a client whose stream broke has to come again: the SDKs' clients do so after one to three
/// seconds.
const AGAIN: Duration = Duration::from_secs(10);
/// Time that a session without any stream is kept for a client that asks now and then.
const QUIET: Duration = Duration::from_mins(30);
/// Interval at which sessions are checked.
const LOOK: Duration = Duration::from_secs(2);

/// Returns the SDK's sessions. How long each is kept is decided here, because the SDK would also close one
/// that waits for a person.
pub(super) fn manager() -> LocalSessionManager {
    let mut manager = LocalSessionManager::default();
    manager.session_config.keep_alive = None;
    manager
}

#[derive(Debug, Default)]
pub(super) struct Streams {
    sessions: Mutex<HashMap<String, StreamState>>,
}

#[derive(Debug)]
struct StreamState {
    open: u32,
    /// The last one broke off.
    broken: bool,
    since: Instant,
}

impl StreamState {
    fn is_gone(&self, now: Instant) -> bool {
        let patience = if self.broken { AGAIN } else { QUIET };
        self.open == 0 && now.duration_since(self.since) >= patience
    }
}

impl Streams {
    /// Watches a stream of `session` until it ends or breaks off.
    pub(super) fn watch_stream<B>(self: &Arc<Self>, session: String, body: B) -> WatchedStream<B> {
        let mut sessions = self.sessions.lock();
        let seen = sessions.entry(session.clone());
        let seen = seen.or_insert_with(|| StreamState { open: 0, broken: false, since: Instant::now() });
        seen.open += 1;
        seen.broken = false;
        WatchedStream { body, ended: false, session, streams: Arc::clone(self) }
    }

    pub(super) fn forget(&self, session: &str) {
        self.sessions.lock().remove(session);
    }

    /// Closes sessions whose clients are gone, for as long as it is polled.
    pub(super) async fn close_gone(&self, manager: &LocalSessionManager) {
        let mut looks = tokio::time::interval(LOOK);
        loop {
            looks.tick().await;
            self.close_sessions(manager, StreamState::is_gone).await;
        }
    }

    pub(super) async fn close_all(&self, manager: &LocalSessionManager) {
        self.close_sessions(manager, |_, _| true).await;
    }

    async fn close_sessions(
        &self,
        manager: &LocalSessionManager,
        which: impl Fn(&StreamState, Instant) -> bool,
    ) {
        let now = Instant::now();
        let gone: Vec<_> = self.sessions.lock().extract_if(|_, seen| which(seen, now)).collect();
        for (session, _) in gone {
            if let Err(error) = manager.close_session(&session.into()).await {
                tracing::warn!(%error, "an MCP session could not be closed");
            }
        }
    }

    fn note_stream_end(&self, session: &str, ended: bool) {
        if let Some(seen) = self.sessions.lock().get_mut(session) {
            seen.open = seen.open.saturating_sub(1);
            seen.broken |= !ended;
            seen.since = Instant::now();
        }
    }
}

pub(super) struct WatchedStream<B> {
    body: B,
    ended: bool,
    session: String,
    streams: Arc<Streams>,
}

impl<B: Body<Data = Bytes> + Unpin> Body for WatchedStream<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        self.ended |= matches!(frame, Poll::Ready(None));
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl<B> Drop for WatchedStream<B> {
    fn drop(&mut self) {
        self.streams.note_stream_end(&self.session, self.ended);
    }
}

#[cfg(test)]
mod tests {
    use super::{AGAIN, QUIET, Streams};
    use http_body_util::{BodyExt as _, Full};
    use hyper::body::Bytes;
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    fn is_gone(streams: &Streams, after: Duration) -> bool {
        streams.sessions.lock()["s"].is_gone(Instant::now() + after)
    }

    #[tokio::test]
    async fn a_session_whose_streams_all_broke_is_gone_soon_and_a_quiet_one_late() {
        let streams = Arc::new(Streams::default());
        let stream = || streams.watch_stream("s".to_owned(), Full::new(Bytes::from_static(b"x")));
        let (one, other) = (stream(), stream());
        drop(one);
        assert!(!is_gone(&streams, QUIET), "another is open, however long");
        drop(other);
        assert!(is_gone(&streams, AGAIN) && !is_gone(&streams, AGAIN / 2), "it may come again");
        let again = stream();
        assert!(!is_gone(&streams, QUIET));
        again.collect().await.unwrap();
        assert!(
            is_gone(&streams, QUIET) && !is_gone(&streams, AGAIN),
            "it got its answer: it may ask another time"
        );
    }
}
