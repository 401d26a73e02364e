//! A door's own work, which starts again where it crashes.

use postern_contract::methods::DoorKind;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Pause after a crash before the work starts again.
pub(crate) const AFTER_A_CRASH: Duration = Duration::from_secs(5);

/// Does the work until it ends by itself, as it does once `closed` is cancelled. A panic ends this one try of it alone: after
/// `rest` it starts again.
pub(crate) async fn keep_running<F: Future<Output = ()> + Send + 'static>(
    door: DoorKind,
    closed: CancellationToken,
    rest: Duration,
    work: impl Fn() -> F,
) {
    loop {
        match tokio::spawn(work()).await {
            Ok(()) => return,
            Err(error) => {
                tracing::error!(door = door.name(), %error, "a door's work crashed: it starts again");
            }
        }
        tokio::select! {
            () = tokio::time::sleep(rest) => {}
            () = closed.cancelled() => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::keep_running;
    use postern_contract::methods::DoorKind;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;
    use tokio_util::sync::CancellationToken;

    #[tokio::test]
    async fn what_crashes_starts_again_until_it_ends_by_itself() {
        let tries = Arc::new(AtomicUsize::new(0));
        let work = || {
            let tries = Arc::clone(&tries);
            async move { assert!(tries.fetch_add(1, Ordering::Relaxed) >= 3, "it crashes three times") }
        };
        keep_running(DoorKind::Telegram, CancellationToken::new(), Duration::ZERO, work).await;
        assert_eq!(tries.load(Ordering::Relaxed), 4);
    }

    #[tokio::test]
    async fn a_door_that_is_closed_does_not_wait_for_the_next_try() {
        let closed = CancellationToken::new();
        closed.cancel();
        let crash = || async { panic!("it always crashes") };
        keep_running(DoorKind::Webhook, closed, Duration::MAX, crash).await;
    }
}
