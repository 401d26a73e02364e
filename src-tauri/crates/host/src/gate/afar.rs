//! Types of what waits on other Macs.

use crate::ask::questions::OpenQuestions;
use postern_contract::{AnswerParams, Answered, ClosedBy, ConfineChoice, Edited, Part, Question};
use std::collections::{BTreeSet, HashMap};
use tokio::sync::{mpsc, oneshot};

/// An answer to a question of another Mac, as it was given here.
#[derive(Debug)]
pub struct AnswerElsewhere {
    pub params: AnswerParams,
    /// Parts of the question that its approver shows.
    pub shows: BTreeSet<Part>,
    /// Receives what the other Mac says.
    pub reply: oneshot::Sender<Answered>,
}

/// Other rights for a run of another Mac, as they were chosen here.
#[derive(Debug)]
pub struct RightsElsewhere {
    pub question_id: String,
    /// The digest of what was shown.
    pub digest: String,
    pub confine: ConfineChoice,
    /// Receives what the other Mac says.
    pub reply: oneshot::Sender<Edited>,
}

/// Something that a person here decided about a question of another Mac.
#[derive(Debug)]
pub enum DecidedElsewhere {
    Answer(AnswerElsewhere),
    /// Other rights. The question stays, and shows them once the other Mac judged it again.
    Rights(RightsElsewhere),
}

/// News of a question of another Mac.
#[derive(Debug)]
pub(crate) enum NewsElsewhere {
    /// Question that waits, or shows something else. What is decided goes to the door.
    Waits { question: Box<Question>, door: mpsc::Sender<DecidedElsewhere> },
    /// End of a question: how, and who answered where.
    Closed { id: String, how: ClosedBy, by: Option<String> },
    /// The door is not connected: nothing of them is known any more.
    Cleared,
}

/// Questions of other Macs, and the doors that brought them.
#[derive(Debug, Default)]
pub(super) struct Elsewhere {
    pub(super) questions: OpenQuestions,
    pub(super) doors: HashMap<String, mpsc::Sender<DecidedElsewhere>>,
}
