//! Facts about an answer, or a change of the command, that does not count or could not be carried out in full.

use crate::closed_by::ClosedBy;
use crate::part::Part;
use postern_policy::{PatternError, Widening};
use postern_request::{NotShown, Refusal};

/// Reason why an answer to a question, or a change of its command, does not count, or counts only in part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotApplied {
    /// Answered before, or out of time.
    Over,
    /// The digest is not the one on show.
    NotOnShow,
    /// Another question is on show in this window.
    OtherQuestion,
    /// Nothing waits for it any more.
    WaitsNoMore,
    /// The request ended before the answer counted.
    Ended,
    /// Invisible where the answer came from.
    Unseen(NotShown),
    /// The approver has not shown it for long enough.
    NotArmed(Missing),
    /// The question was on show too briefly for the answer to be about it.
    TooSoon,
    /// A dangerous command's *Allow* was not held.
    NotHeld,
    /// The owner of the Mac did not confirm it.
    NotConfirmed(&'static str),
    /// The approver does not show parts that the answer is about.
    Unshown(Vec<Part>),
    /// Naming no request that waits.
    NotWaiting,
    /// The words for the agent are too long.
    FeedbackTooLong { most: usize },

    /// No rule is saved for a tool.
    ToolRule,
    /// The request was not judged.
    NotJudged,
    /// The rule would hold in every folder, and the answer does not say that this is meant.
    EveryFolder,
    /// There is no such offer.
    NoOffer { wanted: String },
    /// An offer of several rules can't be edited.
    SeveralRules,
    /// The rule would allow more than was shown, and the answer does not say that this is meant.
    Broad(Vec<Widening>),
    /// A broad rule is saved only at the second press.
    BroadOnce,
    /// The rule would not cover the request.
    OtherRequest,
    /// The folder is none.
    NoFolder(String),
    /// No known developer signed the program.
    NoSigner,
    /// The request belongs to no session.
    NoSession,
    /// The pattern is none.
    Pattern(PatternError),
    /// A renewal can't deny.
    RenewalDenies,
    /// A renewal leaves its rules as they are.
    RenewalChanges,

    /// The host could not do it, in its own words.
    Failed(String),
    /// Denied, but a rule could not be saved.
    DeniedUnsaved(Box<NotApplied>),
    /// Denied, but not recorded yet.
    DeniedUnwritten(String),
    /// Allowed, but a line could not be saved.
    AllowedUnsaved(String),
    /// Not recorded, so nothing ran.
    Unwritten(String),
    /// The rule could not be saved, so nothing ran.
    Unsaved(Box<NotApplied>),
    /// Lost choice of a rule.
    ChoiceLost,

    /// Another Mac's question, and an answer that is given there.
    AnswerThere,
    /// The Mac where it waits is not connected: nothing was sent.
    Offline,
    /// The Mac where it waits did not tell whether the answer counts.
    Unconfirmed,
    /// Somebody was first: how it ended, the person, and the place.
    AnsweredElsewhere { how: ClosedBy, by: Option<String>, place: Option<String> },
    /// Counted, and this many further people have to approve.
    MorePeople(u8),
    /// Second approval of one person.
    SamePerson(String),
    /// Several people have to approve it, and the approver is not known as one of the fleet.
    NoPerson,
    /// Several people have to approve each run.
    OnceTogether,

    /// The changed command is empty.
    NoCommand,
    /// The agent does it itself.
    AgentDoes,
    /// The agent is not enrolled any more.
    NotEnrolled,
    /// Everything is denied.
    Paused,
    /// Others wait for it by now.
    OthersWait,
    /// Unchanged command.
    SameCommand,
    /// Too long to be shown.
    TooLong,
    /// The changed command would be denied.
    Denied(Box<Refusal>),
}

/// Condition that an approval still lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// The question waits no more.
    Question,
    /// The approver did not show it.
    NotShown,
    /// The approver shows something else.
    OtherDigest,
    NotVisible,
    /// The end of the question was not seen.
    End,
    /// The question was not visible and unchanged for long enough.
    Time,
}
