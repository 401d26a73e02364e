//! Limit of work for MCP clients at a time. Each call takes a thread that waits; the host has others to
//! serve.

use super::McpCallError;
use tokio::sync::{Semaphore, SemaphorePermit};

/// Calls at a time that may wait for a person or for a command's end.
const LONG: usize = 32;
/// Calls at a time that the host answers at once.
const QUICK: usize = 8;

#[derive(Debug)]
pub(super) struct McpTurns {
    long: Semaphore,
    quick: Semaphore,
}

impl McpTurns {
    pub(super) fn new() -> Self {
        Self { long: Semaphore::new(LONG), quick: Semaphore::new(QUICK) }
    }

    /// Returns a turn for a call that may take as long as a person does. Where there are too many it is
    /// refused, not kept waiting: nobody would know why.
    pub(super) fn take_long_turn(&self) -> Result<SemaphorePermit<'_>, McpCallError> {
        self.long.try_acquire().map_err(|_| McpCallError::Crowded(LONG))
    }

    /// Returns a turn for a call that is answered at once.
    pub(super) async fn take_quick_turn(&self) -> Result<SemaphorePermit<'_>, McpCallError> {
        self.quick.acquire().await.map_err(|_| McpCallError::Interrupted)
    }
}

#[cfg(test)]
mod tests {
    use super::{LONG, McpTurns};

    #[tokio::test]
    async fn too_many_long_calls_are_refused_and_hold_up_no_quick_one() {
        let turns = McpTurns::new();
        let taken: Vec<_> = (0..LONG).map(|_| turns.take_long_turn().unwrap()).collect();
        let refused = turns.take_long_turn().unwrap_err().to_string();
        assert!(refused.contains("32 calls"), "{refused}");
        drop(turns.take_quick_turn().await.unwrap());
        drop(taken);
        assert!(turns.take_long_turn().is_ok());
    }
}
