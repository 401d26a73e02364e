//! What the gate is told.

use crate::ask::FaceId;
use postern_contract::methods::{Arming, Presented};
use postern_contract::{AnswerParams, Answered, Question};
use postern_policy::{AgentId, Millis};
use tokio::sync::oneshot;

/// Everything that can happen to the gate, in the order in which it happens.
#[derive(Debug)]
pub(crate) enum Message {
    /// A face lists what waits.
    Questions(oneshot::Sender<Vec<Question>>),
    /// A face looks at one question.
    Question { id: String, reply: oneshot::Sender<Option<Box<Question>>> },
    /// A person answered.
    Answer { params: Box<AnswerParams>, face: FaceId, reply: oneshot::Sender<Answered> },
    /// A face says what it shows.
    Presented { face: FaceId, seen: Presented, reply: oneshot::Sender<Arming> },
    /// A face could not show a question.
    CannotPresent { face: FaceId, question: String, why: String },
    /// The person ends a run.
    Kill { request: String, reply: oneshot::Sender<Killed> },
    /// Deny everything.
    Pause { until: Option<Millis>, reply: oneshot::Sender<()> },
    /// Back to work.
    Resume(oneshot::Sender<()>),
    /// The policy changed.
    Rejudge { agent: Option<AgentId> },
    /// How much waits and runs.
    Counts(oneshot::Sender<Counts>),
}

/// What became of the person's wish to end a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Killed {
    /// It was running: it is being stopped.
    Stopping,
    /// It waited: it is denied.
    Denied,
    /// It has ended already, or never was.
    Unknown,
}

/// How much waits and runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Questions that wait.
    pub waiting: u32,
    /// Commands that run.
    pub running: u32,
    /// Whether everything is denied for now.
    pub paused: bool,
    /// When the pause ends.
    pub paused_until: Option<Millis>,
}
