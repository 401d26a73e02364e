//! Things that count, and the moment at which it came.

use crate::WallMillis;
use crate::bundle::{Bundle, RolloutStage};
use crate::id::{FleetId, Hash};
use crate::job::Job;
use crate::message::{FleetAnswer, FleetReceipt};
use crate::roster::{Fresh, PinnedRoster};
use std::time::Duration;

/// The moment at which something came.
#[derive(Debug, Clone, Copy)]
pub struct Now {
    /// By the wall clock, which may be wrong.
    pub wall: WallMillis,
    /// By a timer that only runs forward, from the host's start.
    pub timer: Duration,
}

/// Something that counts.
#[derive(Debug, Clone, PartialEq)]
pub enum AdmittedMessage {
    /// An answer: it decides, or others have to approve as well.
    Answer(AdmittedAnswer),
    /// An answer that counted before and came again: it changes nothing.
    Repeated(FleetReceipt),
    Roster(Box<PinnedRoster>),
    /// Word that a roster is the newest.
    Fresh(Fresh),
    /// The next policy of a group.
    Bundle {
        bundle: Box<Bundle>,
        /// Hash of its signed bytes.
        hash: Hash,
    },
    /// The hosts that a policy is for.
    Stage(RolloutStage),
    /// Work for this host.
    Job {
        id: FleetId,
        member: FleetId,
        /// The work, with its time.
        job: Box<Job>,
    },
}

/// An answer that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdmittedAnswer {
    pub id: FleetId,
    pub member: FleetId,
    /// The person whose device that is.
    pub person: String,
    pub device: String,
    pub answer: FleetAnswer,
    /// Number of further people whose approval is needed; 0 if it decides.
    pub missing: u8,
}
