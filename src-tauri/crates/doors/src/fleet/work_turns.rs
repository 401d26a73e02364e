//! Turns of what other members have this host work: a few pieces at a time, and of each member its share.

use parking_lot::Mutex;
use postern_fleet::{FleetId, FleetRefusal, Work, WorkCounts, WorkShares};
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::Semaphore;

/// Pieces of work that are done at a time. The others wait in their order: what this Mac's agents ask goes on beside them.
const AT_ONCE: usize = 2;

/// Work for other members. It outlives a connection, as what began does.
#[derive(Debug)]
pub(super) struct HostTurns {
    shares: Mutex<WorkShares>,
    turns: Semaphore,
    started: Instant,
}

impl HostTurns {
    pub(super) fn new() -> Self {
        Self { shares: Mutex::default(), turns: Semaphore::new(AT_ONCE), started: Instant::now() }
    }

    /// Returns true if a message of the member that signed it is to be read.
    pub(super) fn note_message(&self, signer: Option<FleetId>) -> bool {
        self.shares.lock().note_message(signer, self.started.elapsed())
    }

    /// Begins a job of a member within its share. A block of all agents waits for no turn.
    pub(super) fn begin_work(
        self: &Arc<Self>,
        member: &FleetId,
        work: &Work,
    ) -> Result<Option<WorkTurn>, FleetRefusal> {
        self.shares.lock().begin_work(member, work, self.started.elapsed())?;
        // Dropped, it would end what did not begin.
        let begin = || WorkTurn { turns: Arc::clone(self), member: member.clone(), began: None };
        Ok((!work.is_block()).then(begin))
    }

    pub(super) fn count_work(&self) -> WorkCounts {
        self.shares.lock().count_work(self.started.elapsed())
    }
}

/// Job that began within its member's share. The share has room again once this is dropped.
#[derive(Debug)]
pub(super) struct WorkTurn {
    turns: Arc<HostTurns>,
    member: FleetId,
    began: Option<Instant>,
}

impl WorkTurn {
    pub(super) async fn take_turn<T>(mut self, work: impl Future<Output = T>) -> T {
        let turns = Arc::clone(&self.turns);
        // Nobody closes the turns.
        let _turn = turns.turns.acquire().await.ok();
        self.began = Some(Instant::now());
        work.await
    }
}

impl Drop for WorkTurn {
    fn drop(&mut self) {
        let spent = self.began.map(|began| began.elapsed()).unwrap_or_default();
        self.turns.shares.lock().end_work(&self.member, spent, self.turns.started.elapsed());
    }
}
