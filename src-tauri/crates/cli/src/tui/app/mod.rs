//! State of the terminal view, and the meaning of keys. Nothing here reads a terminal, a socket or a clock.

mod pressed;

pub(super) use pressed::{Act, TuiKey};

use super::choice::RuleChoice;
use super::denial::HeldDenial;
use postern_contract::methods::Arming;
use postern_contract::{
    AlsoCovers, AnswerParams, ApproverNotification, Question, RequestRow, SETTLE, Status, UNDO, find_alike,
};
use postern_policy::AgentId;
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::time::Duration;

/// Number of requests in the activity.
const REQUESTS: usize = 200;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum View {
    /// The chosen question, or the oldest.
    #[default]
    Questions,
    /// All that waits, by agent.
    Inbox,
    /// Recent requests.
    Activity,
    Keys,
}

/// Field that is typed into.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum InputMode {
    /// Keys are commands.
    #[default]
    Keys,
    /// Words for the agent, with a no.
    Words(String),
    /// The command, to be judged and shown again.
    Command(String),
    /// The words of an offer: its number, and what is typed.
    Rule(usize, String),
    /// Words typed about a question that is not on show any more: the next letters must not answer another one.
    Interrupted(String),
}

/// Everything that is shown.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own about what is on show")]
pub(super) struct App {
    pub(super) questions: Vec<Question>,
    pub(super) requests: VecDeque<RequestRow>,
    pub(super) status: Option<Status>,
    /// Other Macs whose questions alone are shown; `None` shows all that waits.
    hosts: Option<BTreeSet<String>>,
    pub(super) view: View,
    pub(super) mode: InputMode,
    /// Words for the agent that were left, or whose denial may be undone, with the id of their question.
    pub(super) draft: Option<(String, String)>,
    /// Choice for *Always*.
    pub(super) choice: RuleChoice,
    /// True if the details are open.
    pub(super) details: bool,
    /// True if what is folded of the question on show is open.
    pub(super) unfolded: bool,
    /// Number of lines of it that are folded. The view sets it when it draws.
    pub(super) folded: usize,
    /// True if nothing has a color.
    pub(super) plain: bool,
    /// The first line of the question on show.
    pub(super) scroll: usize,
    /// Lines of the question, and how many of them fit; set by whoever draws.
    pub(super) lines: usize,
    pub(super) room: usize,
    /// True if its last line was on show.
    pub(super) end_seen: bool,
    /// True if the terminal is large enough and has the focus.
    pub(super) visible: bool,
    /// Raised whenever what is on show moved or became something else: waiting starts over.
    pub(super) change: u64,
    /// State of arming that the host reported for an approval.
    pub(super) arming: Option<Arming>,
    /// Message in the last line.
    pub(super) message: String,
    /// The first line of the inbox; set where it is drawn.
    pub(super) list: usize,
    /// The question that the user chose, by its id.
    chosen: Option<String>,
    /// Questions on show, by id and digest: the first, and those of its shape that are shown as one with it.
    shown: Vec<(String, String)>,
    /// The questions that the user wants to see one at a time, by their ids.
    singly: HashSet<String>,
    /// The current time, since the view was started.
    clock: Duration,
    /// Time since which keys could answer what is on show.
    settles: Option<Duration>,
    /// The last denial, which the host does not know yet.
    pub(super) denial: Option<HeldDenial>,
}

impl App {
    /// Returns the question on show: the one that the user chose, or the oldest.
    pub(super) fn question(&self) -> Option<&Question> {
        let chosen = self.questions.iter().find(|question| Some(&question.id) == self.chosen.as_ref());
        chosen.or(self.questions.first())
    }

    /// Shows the questions of these Macs alone, or all that waits; without colors if it is `plain`.
    pub(super) fn for_hosts(hosts: Option<BTreeSet<String>>, plain: bool) -> Self {
        Self { hosts, plain, ..Self::default() }
    }

    /// Returns true if a question is of a Mac whose questions are shown.
    pub(super) fn is_wanted(&self, question: &Question) -> bool {
        self.hosts
            .as_ref()
            .is_none_or(|hosts| question.host.as_ref().is_some_and(|host| hosts.contains(host)))
    }

    /// Takes all that waits. A denial that is held is about questions that may have ended.
    pub(super) fn set_questions(&mut self, questions: Vec<Question>) {
        self.questions = questions.into_iter().filter(|question| self.is_wanted(question)).collect();
        self.denial = None;
        self.refresh_shown();
    }

    /// Returns those of the same shape that are shown as one with the question on show.
    pub(super) fn others(&self) -> Vec<&Question> {
        let shown = |question: &&Question| self.shown.iter().skip(1).any(|name| *name == name_of(question));
        self.questions.iter().filter(shown).collect()
    }

    /// Returns the names of what is to be on show.
    ///
    /// Nobody joins what is armed: an agent could keep an approval dead by asking on.
    fn to_show(&self) -> Vec<(String, String)> {
        let Some(question) = self.question() else { return Vec::new() };
        let is_same = self.shown.first() == Some(&name_of(question));
        let mut names = vec![name_of(question)];
        if !self.singly.contains(&question.id) {
            let others = find_alike(question, &self.questions)
                .into_iter()
                .filter(|other| !self.singly.contains(&other.id));
            let stays = |name: &(String, String)| !(is_same && self.is_armed()) || self.shown.contains(name);
            names.extend(others.map(name_of).filter(stays));
        }
        names
    }

    /// Shows those that are alike one at a time, or together again.
    fn turn_batch(&mut self) {
        if self.shown.len() > 1 {
            self.singly.extend(self.shown.iter().map(|(id, _)| id.clone()));
        } else {
            self.singly.clear();
            self.arming = None;
        }
        self.refresh_shown();
    }

    /// Returns what waits, by agent: the one that has waited longest first.
    pub(super) fn by_agent(&self) -> Vec<(&AgentId, Vec<&Question>)> {
        let mut groups: Vec<(&AgentId, Vec<&Question>)> = Vec::new();
        for question in &self.questions {
            let agent = &question.asker.agent;
            // An agent of another Mac is another agent.
            let is_its = |group: &[&Question]| group.first().is_some_and(|first| first.host == question.host);
            match groups.iter_mut().find(|(known, group)| *known == agent && is_its(group)) {
                Some((_, group)) => group.push(question),
                None => groups.push((agent, vec![question])),
            }
        }
        groups
    }

    /// Chooses the question that stands this far from the one on show, in the order of the inbox.
    fn choose(&mut self, step: isize) {
        let all: Vec<&Question> = self.by_agent().into_iter().flat_map(|(_, group)| group).collect();
        let on_show = self.question().map(|question| &question.id);
        let at = all.iter().position(|question| Some(&question.id) == on_show).unwrap_or_default();
        let next = at.saturating_add_signed(step).min(all.len().saturating_sub(1));
        self.chosen = all.get(next).map(|question| question.id.clone());
        self.refresh_shown();
    }

    /// Takes what the host tells.
    pub(super) fn on_notification(&mut self, told: ApproverNotification) {
        match told {
            ApproverNotification::QuestionOpened(question)
            | ApproverNotification::QuestionChanged(question)
                if self.is_wanted(&question) =>
            {
                if self.denial.as_mut().is_some_and(|denial| denial.keep_question(&question)) {
                    return;
                }
                match self.questions.iter_mut().find(|known| known.id == question.id) {
                    Some(known) => *known = *question,
                    None => self.questions.push(*question),
                }
            }
            ApproverNotification::QuestionClosed(closed) => {
                self.questions.retain(|known| known.id != closed.id);
                if let Some(denial) = &mut self.denial {
                    denial.drop_question(&closed.id);
                }
            }
            ApproverNotification::RequestChanged(request) => {
                self.requests.retain(|known| known.id != request.id);
                self.requests.push_front(*request);
                self.requests.truncate(REQUESTS);
            }
            ApproverNotification::StatusChanged(status) => self.status = Some(*status),
            ApproverNotification::Attention(attention) => self.message = attention.message,
            ApproverNotification::PolicyWidened(row) => {
                self.message = format!("more may run now: {}", row.summary);
            }
            ApproverNotification::AgentsChanged
            | ApproverNotification::RulesChanged
            | ApproverNotification::SkillsChanged
            | ApproverNotification::QuestionOpened(_)
            | ApproverNotification::QuestionChanged(_)
            | ApproverNotification::ToolApprovalRequired(_)
            | ApproverNotification::ToolApprovalResolved(_) => {}
        }
        self.refresh_shown();
    }

    /// Notes that the host is gone: nothing that it said holds, and nothing can be answered.
    pub(super) fn on_host_lost(&mut self, why: &str) {
        self.questions.clear();
        self.denial = None;
        self.status = None;
        self.message = format!("{why}: waiting until it runs again (q quits)");
        self.refresh_shown();
    }

    /// Starts over where another question, or another digest of it, is on show.
    pub(super) fn refresh_shown(&mut self) {
        self.singly.retain(|id| self.questions.iter().any(|question| question.id == *id));
        let now = self.to_show();
        if now != self.shown {
            if now.first() != self.shown.first() {
                self.interrupt_typing();
            }
            self.shown = now;
            self.scroll = 0;
            self.end_seen = false;
            self.unfolded = false;
            self.settles = None;
            self.choice = RuleChoice::default();
            self.reset_arming();
        }
    }

    /// Keeps what is being typed on the screen while another question comes on show.
    fn interrupt_typing(&mut self) {
        if let (InputMode::Words(words), Some((id, _))) = (&self.mode, self.shown.first()) {
            self.draft = Some((id.clone(), words.clone()));
        }
        self.mode = std::mem::take(&mut self.mode).interrupted();
    }

    /// Notes that the view was moved, resized or hidden, or lost the focus.
    pub(super) fn reset_arming(&mut self) {
        self.change += 1;
        self.arming = None;
    }

    /// Notes whether the terminal can show a question.
    pub(super) fn set_visible(&mut self, visible: bool) {
        if self.visible != visible {
            self.visible = visible;
            self.settles = None;
            self.reset_arming();
        }
    }

    /// Takes the time, since the view was started, once what is on show has been drawn.
    pub(super) fn set_clock(&mut self, clock: Duration) {
        self.clock = clock;
        if self.visible && self.question().is_some() {
            self.settles.get_or_insert(clock + SETTLE);
        }
    }

    /// Notes that an answer was given: the next keys may still be meant for it.
    pub(super) fn on_answered(&mut self) {
        self.settles = None;
    }

    /// Returns true if a key answers what is on show.
    fn is_settled(&self) -> bool {
        self.settles.is_some_and(|settles| settles <= self.clock)
    }

    /// Holds a denial for a while, in which it can be undone. Its questions are off the screen meanwhile.
    pub(super) fn hold_denial(&mut self, answers: Vec<AnswerParams>) {
        let is_denied = |question: &mut Question| {
            answers.iter().any(|answer| answer.question_id == question.id && answer.digest == question.digest)
        };
        let questions: Vec<Question> = self.questions.extract_if(.., is_denied).collect();
        self.denial = Some(HeldDenial { answers, questions, until: self.clock + UNDO });
        self.refresh_shown();
    }

    /// Returns the answers of a denial that can be undone no longer.
    pub(super) fn due_denial(&mut self) -> Vec<AnswerParams> {
        let due = self.denial.as_ref().is_some_and(|denial| denial.is_due(self.clock));
        if due { self.take_denial() } else { Vec::new() }
    }

    /// Returns the answers of the denial that is held, which is then given.
    pub(super) fn take_denial(&mut self) -> Vec<AnswerParams> {
        self.denial.take().map(|denial| denial.answers).unwrap_or_default()
    }

    /// Describes the denial that can be undone.
    pub(super) fn denial_words(&self) -> Option<String> {
        self.denial.as_ref().and_then(HeldDenial::to_words)
    }

    /// Shows what was denied again. It has to be looked at as any other question.
    fn undo_denial(&mut self) {
        let Some(denial) = self.denial.take() else { return };
        self.chosen = denial.questions.first().map(|question| question.id.clone());
        self.questions.splice(0..0, denial.questions);
        self.message.clear();
        self.refresh_shown();
    }

    /// Returns true if an approval would count.
    pub(super) fn is_armed(&self) -> bool {
        self.visible && self.end_seen && self.arming.as_ref().is_some_and(|arming| arming.armed)
    }

    /// Says what an offer would add to what is shown: its number saves that when it is pressed again, once it is armed again.
    pub(super) fn confirm_broad(&mut self, offer: Option<String>, added: &[AlsoCovers]) {
        let added: Vec<&str> = added.iter().map(|one| one.text.as_str()).collect();
        self.message = format!("also: {}; press the number again to save a broad rule", added.join("; "));
        self.choice.broad = offer;
        self.reset_arming();
    }
}

fn name_of(question: &Question) -> (String, String) {
    (question.id.clone(), question.digest.clone())
}
