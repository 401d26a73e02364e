//! Approvals: questions shown in chats, their messages and outcomes. Each message is a row of the record.

use super::subject::ChatSubject;
use postern_contract::{ChatStatus, Moment, MomentKind, Question, RequestRow, render};
use postern_host::{ChatMessage, QuestionRow};
use postern_policy::{AgentId, Millis};
use postern_protocol::{DenyReason, EndReason, RunState};
use std::collections::BTreeSet;

/// Number of decided approvals in memory, so that an answer to an old message is understood.
const OLD: usize = 200;

/// Returns what became of a question by its request's record, and in words; `None` while it waits, or if the record does not say.
pub(super) fn outcome(request: &RequestRow) -> Option<(ChatStatus, String)> {
    let by = render::decided_by(request).map(|by| format!(" by {by}")).unwrap_or_default();
    match request.state {
        RunState::Denied => Some(match request.ending {
            Some(EndReason::Denied(DenyReason::Expired)) => expired(),
            Some(EndReason::Denied(DenyReason::Restarted)) => restarted(),
            Some(EndReason::Denied(_) | EndReason::Ran(_)) | None => {
                (ChatStatus::Denied, format!("Denied{by}"))
            }
        }),
        RunState::Starting
        | RunState::Running
        | RunState::Stopping
        | RunState::Finished
        | RunState::Failed
        | RunState::Allowed => Some((ChatStatus::Approved, format!("Approved{by}"))),
        RunState::Received | RunState::Resolving | RunState::Asking => None,
    }
}

/// Reads the outcome from the question's row; `None` while it waits or if a rule decided, which the request's row describes.
pub(super) fn outcome_of_question(question: &QuestionRow) -> Option<(ChatStatus, String)> {
    let closed = question.closed.as_ref()?;
    let by = closed.face.as_ref().map(|face| format!(" by {face}")).unwrap_or_default();
    match closed.answer.as_str() {
        "once" | "always" => Some((ChatStatus::Approved, format!("Approved{by}"))),
        "deny" | "deny-always" | "deny-all" | "paused" => Some((ChatStatus::Denied, format!("Denied{by}"))),
        "expired" => Some(expired()),
        "withdrawn" => Some((ChatStatus::Denied, WITHDRAWN.to_owned())),
        "restarted" => Some(restarted()),
        _ => None,
    }
}

fn expired() -> (ChatStatus, String) {
    (ChatStatus::Expired, "Expired: nobody answered in time".to_owned())
}

fn restarted() -> (ChatStatus, String) {
    (ChatStatus::Denied, "Denied: Postern was restarted before it was answered".to_owned())
}

/// Outcome of a request that the agent took back.
pub(super) const WITHDRAWN: &str = "Withdrawn: the agent no longer asks for it";

/// Reason why a question cannot be approved from a chat, though it can be denied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Withheld {
    HighRisk,
    /// Too long to be shown here in full.
    TooLong,
}

impl Withheld {
    fn as_word(self) -> &'static str {
        match self {
            Self::HighRisk => "high-risk",
            Self::TooLong => "too-long",
        }
    }

    /// Parses a word of the record. An unknown one withholds as well.
    fn of_word(word: &str) -> Self {
        if word == Self::HighRisk.as_word() { Self::HighRisk } else { Self::TooLong }
    }
}

/// Question as it was shown in chats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ChatApproval {
    /// The question's number.
    pub(super) question: String,
    /// Code of four hex digits.
    pub(super) code: String,
    pub(super) agent: AgentId,
    /// The request that asked first, by the host's number.
    pub(super) request: Option<String>,
    /// The command as one line of escaped text.
    pub(super) line: String,
    pub(super) digest: String,
    /// Reason why it cannot be approved here, if it cannot.
    pub(super) withheld: Option<Withheld>,
    pub(super) status: ChatStatus,
    /// Result, in words.
    pub(super) outcome: Option<String>,
    /// Result if nobody answers, in words.
    pub(super) at_zero: String,
    pub(super) shown: Vec<ShownMessage>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ShownMessage {
    pub(super) place: String,
    pub(super) external_message_id: String,
    /// Second id that the network has for it.
    pub(super) alias: Option<String>,
    pub(super) digest: String,
    /// Time by the network's clock.
    pub(super) at: Millis,
    /// True once the message shows the outcome.
    pub(super) told: bool,
}

impl ChatApproval {
    pub(super) fn new(question: &Question, withheld: Option<Withheld>) -> Self {
        Self {
            question: question.id.clone(),
            code: question.code.clone(),
            agent: question.asker.agent.clone(),
            request: question.requests.first().cloned(),
            line: ChatSubject::one_line(question),
            digest: question.digest.clone(),
            withheld,
            status: ChatStatus::Pending,
            outcome: None,
            at_zero: postern_contract::pieces_to_text(&question.at_zero),
            shown: Vec::new(),
        }
    }

    /// Restores an approval from the record.
    fn from_record(message: &ChatMessage, question: QuestionRow) -> Self {
        // The row of another version may not parse: then its line is not shown.
        let shown = serde_json::from_str::<Question>(&question.shown).ok();
        Self {
            question: question.id.to_string(),
            request: question.requests.first().map(ToString::to_string),
            line: shown.as_ref().map(ChatSubject::one_line).unwrap_or_default(),
            at_zero: shown.map(|shown| postern_contract::pieces_to_text(&shown.at_zero)).unwrap_or_default(),
            code: question.code,
            agent: question.agent,
            digest: message.digest.clone(),
            withheld: message.withheld.as_deref().map(Withheld::of_word),
            status: ChatStatus::of_record(&message.status),
            outcome: message.outcome.clone(),
            shown: Vec::new(),
        }
    }

    fn message_rows<'a>(&'a self, door: &'a str) -> impl Iterator<Item = ChatMessage> + 'a {
        let question = self.question.parse().ok();
        self.shown.iter().filter_map(move |shown| {
            Some(ChatMessage {
                door: door.to_owned(),
                place: shown.place.clone(),
                message: shown.external_message_id.clone(),
                alias: shown.alias.clone(),
                question: question?,
                digest: shown.digest.clone(),
                shown_at: shown.at,
                withheld: self.withheld.map(|why| why.as_word().to_owned()),
                status: self.status.name().to_owned(),
                outcome: self.outcome.clone(),
                told: shown.told,
            })
        })
    }

    /// Returns the messages that show the newest version.
    pub(super) fn current(&self) -> impl Iterator<Item = &ShownMessage> {
        self.shown.iter().filter(|shown| shown.digest == self.digest)
    }

    pub(super) fn shown_in(&self, place: &str) -> Option<&ShownMessage> {
        self.shown.iter().rev().find(|shown| shown.place == place)
    }
}

/// All of them, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Approvals {
    list: Vec<ChatApproval>,
    changed: BTreeSet<String>,
}

impl Approvals {
    /// Restores all approvals of a door from messages and their questions.
    pub(super) fn of_record(rows: Vec<(ChatMessage, QuestionRow)>) -> Self {
        let mut all = Self::default();
        for (message, question) in rows {
            let id = question.id.to_string();
            if all.find_by_question(&id).is_none() {
                all.add_approval(ChatApproval::from_record(&message, question));
            }
            let shown = ShownMessage {
                place: message.place,
                external_message_id: message.message,
                alias: message.alias,
                digest: message.digest,
                at: message.shown_at,
                told: message.told,
            };
            all.list.iter_mut().filter(|one| one.question == id).for_each(|one| {
                one.digest.clone_from(&shown.digest);
                one.shown.push(shown.clone());
            });
        }
        all
    }

    /// Adds an approval; the oldest of those that were decided make room.
    pub(super) fn add_approval(&mut self, approval: ChatApproval) {
        self.list.push(approval);
        let decided = |one: &ChatApproval| one.status != ChatStatus::Pending;
        let mut surplus = self.list.iter().filter(|one| decided(one)).count().saturating_sub(OLD);
        self.list.retain(|one| {
            let goes = surplus > 0 && decided(one);
            surplus -= usize::from(goes);
            !goes
        });
    }

    pub(super) fn find_by_question(&self, question: &str) -> Option<&ChatApproval> {
        self.list.iter().find(|one| one.question == question)
    }

    /// Returns an approval to change, and marks it unsaved.
    pub(super) fn change(&mut self, question: &str) -> Option<&mut ChatApproval> {
        let approval = self.list.iter_mut().find(|one| one.question == question)?;
        self.changed.insert(question.to_owned());
        Some(approval)
    }

    /// Takes the questions with unsaved changes; [`Self::not_kept`] puts them back.
    pub(super) fn take_changed(&mut self) -> BTreeSet<String> {
        std::mem::take(&mut self.changed)
    }

    /// Marks questions as unsaved again.
    pub(super) fn not_kept(&mut self, questions: BTreeSet<String>) {
        self.changed.extend(questions);
    }

    pub(super) fn message_rows(&self, door: &str, questions: &BTreeSet<String>) -> Vec<ChatMessage> {
        let those = self.list.iter().filter(|one| questions.contains(&one.question));
        those.flat_map(|one| one.message_rows(door)).collect()
    }

    pub(super) fn mark_outcome_shown(&mut self, place: &str, message: &str) {
        let ended = |one: &&mut ChatApproval| one.status != ChatStatus::Pending;
        for one in self.list.iter_mut().filter(ended) {
            let those = one.shown.iter_mut();
            for shown in those.filter(|shown| shown.place == place && shown.external_message_id == message) {
                shown.told = true;
                self.changed.insert(one.question.clone());
            }
        }
    }

    /// Returns the ended approvals with a message that does not show the outcome.
    pub(super) fn with_unshown_outcome(&self) -> impl Iterator<Item = &ChatApproval> {
        let ended = self.list.iter().filter(|one| one.status != ChatStatus::Pending);
        ended.filter(|one| one.current().any(|shown| !shown.told))
    }

    pub(super) fn pending(&self) -> impl Iterator<Item = &ChatApproval> {
        self.list.iter().filter(|one| one.status == ChatStatus::Pending)
    }

    pub(super) fn shown_by(&self, place: &str, message: &str) -> Option<(&ChatApproval, &ShownMessage)> {
        let is = |shown: &&ShownMessage| {
            let vouched = shown.alias.as_ref().unwrap_or(&shown.external_message_id);
            shown.place == place && vouched == message
        };
        self.list.iter().rev().find_map(|one| Some((one, one.shown.iter().find(is)?)))
    }

    /// Returns the one that these four digits mean in a place: what waits there, else what was shown there
    /// last.
    pub(super) fn by_code(&self, place: &str, code: &str) -> Option<(&ChatApproval, &ShownMessage)> {
        let mut those =
            self.list.iter().rev().filter(|one| one.code == code && one.shown_in(place).is_some()).peekable();
        let last = those.peek().copied();
        let one = those.find(|one| one.status == ChatStatus::Pending).or(last)?;
        Some((one, one.shown_in(place)?))
    }
}

/// Describes a message as a moment in the request's life. The request's row decides the status of one that still counts as
/// pending.
pub(super) fn moment(message: &ChatMessage, request: &RequestRow) -> Moment {
    let escaped = postern_command::escape::visible_text;
    let status = match ChatStatus::of_record(&message.status) {
        ChatStatus::Pending => outcome(request).map_or(ChatStatus::Pending, |(status, _)| status),
        decided => decided,
    };
    let (id, place) = (escaped(&message.message), escaped(&message.place));
    Moment {
        at: message.shown_at,
        what: MomentKind::ShownInChat { door: message.door.clone(), place, message: id, status },
    }
}

#[cfg(test)]
mod tests;
