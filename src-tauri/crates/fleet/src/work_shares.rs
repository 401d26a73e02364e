//! Shares of the members in what a host works for them: nobody keeps a host busy, or others from its work.

use crate::id::FleetId;
use crate::job::Work;
use crate::refusal::FleetRefusal;
use std::collections::BTreeMap;
use std::time::Duration;

/// Time over which work is counted.
const MINUTE: Duration = Duration::from_mins(1);
/// Jobs of a member that may be under way.
const AT_ONCE: u32 = 4;
/// Jobs of a member that begin in a minute, and the time that these may take.
const BEGUN: u32 = 1200;
const SPENT: Duration = Duration::from_secs(20);
/// Blocks of a member, and ends of them, in a minute. Nothing else that it asks for counts against them.
const BLOCKS: u32 = 120;
/// Messages of a member that are read in a minute, and of all those that no member signed: those beyond are not answered.
const READ: u32 = 2 * BEGUN;

#[derive(Debug, Default)]
struct MemberWork {
    since: Duration,
    read: u32,
    begun: u32,
    blocks: u32,
    spent: Duration,
    running: u32,
}

/// Work of each member in this minute; of `None` the messages that no member signed.
#[derive(Debug, Default)]
pub struct WorkShares {
    members: BTreeMap<Option<FleetId>, MemberWork>,
    refused: u64,
}

/// Numbers of what a host works for other members.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct WorkCounts {
    /// Jobs that are under way.
    pub running: u32,
    /// Jobs that began in this minute.
    pub begun: u32,
    /// Jobs that were refused because of their number or time, since the host started.
    pub refused: u64,
}

impl WorkShares {
    /// Returns true if a message is to be read, by the member that signed it. Nothing of it counts yet.
    pub fn note_message(&mut self, signer: Option<FleetId>, now: Duration) -> bool {
        let work = self.work_of(signer, now);
        work.read = work.read.saturating_add(1);
        let is_read = work.read <= READ;
        self.refused = self.refused.saturating_add(u64::from(!is_read));
        is_read
    }

    /// Begins a job of a member, or refuses it. One that began is to be ended.
    pub fn begin_work(&mut self, member: &FleetId, job: &Work, now: Duration) -> Result<(), FleetRefusal> {
        let work = self.work_of(Some(member.clone()), now);
        let refused = if job.is_block() {
            (work.blocks >= BLOCKS).then_some(FleetRefusal::MuchInAMinute)
        } else if work.running >= AT_ONCE {
            Some(FleetRefusal::MuchAtOnce(work.running))
        } else {
            (work.begun >= BEGUN || work.spent >= SPENT).then_some(FleetRefusal::MuchInAMinute)
        };
        if let Some(refusal) = refused {
            self.refused = self.refused.saturating_add(1);
            return Err(refusal);
        }
        if job.is_block() {
            work.blocks += 1;
        } else {
            work.begun += 1;
            work.running += 1;
        }
        Ok(())
    }

    /// Ends a job that began and is no block, after so long.
    pub fn end_work(&mut self, member: &FleetId, spent: Duration, now: Duration) {
        let work = self.work_of(Some(member.clone()), now);
        work.running = work.running.saturating_sub(1);
        work.spent = work.spent.saturating_add(spent);
    }

    /// Counts the work of all members.
    pub fn count_work(&mut self, now: Duration) -> WorkCounts {
        self.forget_idle(now);
        let of_minute = self.members.values().filter(|work| !is_over(work, now));
        WorkCounts {
            running: self.members.values().map(|work| work.running).sum(),
            begun: of_minute.map(|work| work.begun + work.blocks).sum(),
            refused: self.refused,
        }
    }

    fn work_of(&mut self, member: Option<FleetId>, now: Duration) -> &mut MemberWork {
        if !self.members.contains_key(&member) {
            self.forget_idle(now);
        }
        let work =
            self.members.entry(member).or_insert_with(|| MemberWork { since: now, ..MemberWork::default() });
        if is_over(work, now) {
            *work = MemberWork { since: now, running: work.running, ..MemberWork::default() };
        }
        work
    }

    fn forget_idle(&mut self, now: Duration) {
        self.members.retain(|_, work| work.running > 0 || !is_over(work, now));
    }
}

/// Returns true if the minute of a member's work has ended.
fn is_over(work: &MemberWork, now: Duration) -> bool {
    now.saturating_sub(work.since) >= MINUTE
}
