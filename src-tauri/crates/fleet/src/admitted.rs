//! Things that count, and the moment at which it came.

use crate::Millis;
use crate::bundle::{Bundle, Stage};
use crate::id::{Hash, Id};
use crate::job::Job;
use crate::message::{Answer, Receipt};
use crate::roster::{Fresh, Pinned};
use std::time::Duration;

/// The moment at which something came.
#[derive(Debug, Clone, Copy)]
pub struct Now {
    /// By the wall clock, which may be wrong.
    pub wall: Millis,
    /// By a timer that only runs forward, from the host's start.
    pub timer: Duration,
}

/// Something that counts.
#[derive(Debug, Clone, PartialEq)]
pub enum Admitted {
    /// An answer: it decides, or others have to approve as well.
    Answer(Decided),
    /// An answer that counted before and came again: it changes nothing.
    Repeated(Receipt),
    /// The next roster.
    Roster(Box<Pinned>),
    /// Word that a roster is the newest.
    Fresh(Fresh),
    /// The next policy of a group.
    Bundle {
        /// The policy.
        bundle: Box<Bundle>,
        /// Hash of its signed bytes.
        hash: Hash,
    },
    /// The hosts that a policy is for.
    Stage(Stage),
    /// Work for this host.
    Job {
        /// Id of the job.
        id: Id,
        /// The member that asks.
        member: Id,
        /// The work, with its time.
        job: Box<Job>,
    },
}

/// An answer that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    /// Id of the answer.
    pub id: Id,
    /// The member that answered.
    pub member: Id,
    /// The person whose device that is.
    pub person: String,
    /// Name of the device.
    pub device: String,
    /// The answer itself.
    pub answer: Answer,
    /// Number of further people whose approval is needed; 0 if it decides.
    pub missing: u8,
}
