//! Types of what waits on other Macs.

use crate::ask::questions::OpenQuestions;
use postern_contract::{AnswerParams, Answered, ClosedBy, Part, Question};
use std::collections::{BTreeSet, HashMap};
use tokio::sync::{mpsc, oneshot};

/// An answer to a question of another Mac, as it was given here.
#[derive(Debug)]
pub struct AnswerElsewhere {
    /// The answer.
    pub params: AnswerParams,
    /// Parts of the question that its approver shows.
    pub shows: BTreeSet<Part>,
    /// Receives what the other Mac says.
    pub reply: oneshot::Sender<Answered>,
}

/// News of a question of another Mac.
#[derive(Debug)]
pub(crate) enum NewsElsewhere {
    /// Question that waits, or shows something else. Answers go to the door.
    Waits { question: Box<Question>, answers: mpsc::Sender<AnswerElsewhere> },
    /// End of a question: how, and who answered where.
    Closed { id: String, how: ClosedBy, by: Option<String> },
    /// The door is not connected: nothing of them is known any more.
    Cleared,
}

/// Questions of other Macs, and the doors that brought them.
#[derive(Debug, Default)]
pub(super) struct Elsewhere {
    pub(super) questions: OpenQuestions,
    pub(super) doors: HashMap<String, mpsc::Sender<AnswerElsewhere>>,
}
