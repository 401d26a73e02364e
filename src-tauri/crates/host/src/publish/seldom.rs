//! Telling seldom what happens often.

use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Time that changes are gathered before they are sent.
const GATHER: Duration = Duration::from_millis(100);

/// Coalesced updates: what may change thousands of times a second is noted here, and sent by [`seldom`].
/// Clones are the same.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stirred {
    /// Numbers of waiting and running requests, connected approvers, and whether everything is denied.
    pub(crate) status: Arc<Notify>,
    pub(crate) agents: Arc<Notify>,
}

/// Rate-limits updates: sends soon after something was noted, and then not again for a while.
///
/// What happens meanwhile is sent together. The last change is always sent. Runs until `closed`, or until
/// `tell` returns false.
pub(crate) async fn seldom(
    noted: Arc<Notify>,
    closed: CancellationToken,
    mut tell: impl AsyncFnMut() -> bool + Send,
) {
    let telling = async {
        loop {
            noted.notified().await;
            tokio::time::sleep(GATHER).await;
            if !tell().await {
                return;
            }
        }
    };
    closed.run_until_cancelled(telling).await;
}

#[cfg(test)]
mod tests {
    use super::{GATHER, seldom};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;
    use tokio::sync::Notify;
    use tokio_util::sync::CancellationToken;

    #[tokio::test(start_paused = true)]
    async fn ten_thousand_changes_a_second_are_ten_notices_and_the_last_is_told() {
        let (noted, closed) = (Arc::new(Notify::new()), CancellationToken::new());
        let (now, last, told) = (AtomicU32::new(0), AtomicU32::new(0), AtomicU32::new(0));
        let telling = seldom(Arc::clone(&noted), closed.clone(), async || {
            told.fetch_add(1, Ordering::Relaxed);
            last.store(now.load(Ordering::Relaxed), Ordering::Relaxed);
            true
        });
        let changing = async {
            for number in 1..=10_000 {
                now.store(number, Ordering::Relaxed);
                noted.notify_one();
                if number % 10 == 0 {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
            }
            tokio::time::sleep(GATHER * 3).await;
            let heard = told.load(Ordering::Relaxed);
            assert!((1..=12).contains(&heard), "{heard} notices in a second");
            assert_eq!(last.load(Ordering::Relaxed), 10_000, "the last change was told");
            tokio::time::sleep(GATHER * 30).await;
            assert_eq!(told.load(Ordering::Relaxed), heard, "where nothing changes nothing is told");
            closed.cancel();
        };
        tokio::join!(telling, changing);
    }
}
