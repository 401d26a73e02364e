//! Limit of work for MCP clients at a time. Each call takes a thread that waits; the host has others to
//! serve.

use super::Trouble;
use tokio::sync::{Semaphore, SemaphorePermit};

/// Calls at a time that may wait for a person or for a command's end.
const LONG: usize = 32;
/// Calls at a time that the host answers at once.
const QUICK: usize = 8;

/// Turns of the callers.
#[derive(Debug)]
pub(super) struct Turns {
    long: Semaphore,
    quick: Semaphore,
}

impl Turns {
    pub(super) fn new() -> Self {
        Self { long: Semaphore::new(LONG), quick: Semaphore::new(QUICK) }
    }

    /// Returns a turn for a call that may take as long as a person does. Where there are too many it is
    /// refused, not kept waiting: nobody would know why.
    pub(super) fn long(&self) -> Result<SemaphorePermit<'_>, Trouble> {
        self.long.try_acquire().map_err(|_| Trouble::Crowded(LONG))
    }

    /// Returns a turn for a call that is answered at once.
    pub(super) async fn quick(&self) -> Result<SemaphorePermit<'_>, Trouble> {
        self.quick.acquire().await.map_err(|_| Trouble::Interrupted)
    }
}

#[cfg(test)]
mod tests {
    use super::{LONG, Turns};

    #[tokio::test]
    async fn too_many_long_calls_are_refused_and_hold_up_no_quick_one() {
        let turns = Turns::new();
        let taken: Vec<_> = (0..LONG).map(|_| turns.long().unwrap()).collect();
        let refused = turns.long().unwrap_err().to_string();
        assert!(refused.contains("32 calls"), "{refused}");
        drop(turns.quick().await.unwrap());
        drop(taken);
        assert!(turns.long().is_ok());
    }
}
