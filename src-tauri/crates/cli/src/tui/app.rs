//! State of the terminal view, and the meaning of keys. Nothing here reads a terminal, a socket or a clock.

use super::choice::{RuleChoice, editable};
use super::denial::HeldDenial;
use postern_contract::methods::Arming;
use postern_contract::{
    AlsoCovers, Answer, AnswerParams, ApproverNotification, Question, RequestRow, SETTLE, Status, find_alike,
};
use postern_policy::AgentId;
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::time::Duration;

/// Number of requests in the activity.
const REQUESTS: usize = 200;

/// View on show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum View {
    /// The chosen question, or the oldest.
    #[default]
    Questions,
    /// All that waits, by agent.
    Inbox,
    /// Recent requests.
    Activity,
    /// All keys.
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
}

/// A key, as far as it means anything here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TuiKey {
    Char(char),
    Enter,
    Escape,
    Backspace,
    Tab,
    Up,
    Down,
    PageUp,
    PageDown,
    Home,
    End,
}

/// Action for a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Act {
    /// Nothing beyond what is shown.
    Nothing,
    /// Answer the question on show.
    Answer { answer: Answer, proposal: Option<String>, feedback: Option<String> },
    /// Allow all of these identical requests once.
    AllowAll(Vec<String>),
    /// Show another command in place of the one that is asked for.
    Edit(String),
    /// End the view.
    Quit,
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
            self.shown = now;
            self.scroll = 0;
            self.end_seen = false;
            self.unfolded = false;
            self.settles = None;
            self.mode = InputMode::Keys;
            self.choice = RuleChoice::default();
            self.reset_arming();
        }
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
        self.denial = Some(HeldDenial::from_answers(answers, questions, self.clock));
        self.refresh_shown();
    }

    /// Returns the answers of a denial that can be undone no longer.
    pub(super) fn due_denial(&mut self) -> Vec<AnswerParams> {
        let due = self.denial.as_ref().is_some_and(|denial| denial.is_due(self.clock));
        if due { self.take_denial() } else { Vec::new() }
    }

    /// Returns the answers of the denial that is held, which is then given.
    pub(super) fn take_denial(&mut self) -> Vec<AnswerParams> {
        self.denial.take().map(HeldDenial::into_answers).unwrap_or_default()
    }

    /// Describes the denial that can be undone.
    pub(super) fn denial_words(&self) -> Option<String> {
        self.denial.as_ref().and_then(HeldDenial::to_words)
    }

    /// Shows what was denied again. It has to be looked at as any other question.
    fn undo_denial(&mut self) {
        let Some(denial) = self.denial.take() else { return };
        let questions = denial.into_questions();
        self.chosen = questions.first().map(|question| question.id.clone());
        self.questions.splice(0..0, questions);
        self.message.clear();
        self.refresh_shown();
    }

    /// Returns true if an approval would count.
    pub(super) fn is_armed(&self) -> bool {
        self.visible && self.end_seen && self.arming.as_ref().is_some_and(|arming| arming.armed)
    }

    /// Handles a key.
    pub(super) fn handle_key(&mut self, key: TuiKey) -> Act {
        if self.mode != InputMode::Keys {
            return self.handle_text_key(key);
        }
        match key {
            TuiKey::Char('q') => return Act::Quit,
            TuiKey::Tab => self.toggle_view(View::Activity),
            TuiKey::Char('i') => self.toggle_view(View::Inbox),
            TuiKey::Char('?') => self.toggle_view(View::Keys),
            TuiKey::Char('[') => self.choose(-1),
            TuiKey::Char(']') => self.choose(1),
            _ if self.view == View::Inbox => self.list_key(key),
            TuiKey::Up | TuiKey::Char('k') => self.scroll = self.scroll.saturating_sub(1),
            TuiKey::Down | TuiKey::Char('j') => self.scroll += 1,
            TuiKey::PageUp => self.scroll = self.scroll.saturating_sub(self.room.max(1)),
            TuiKey::PageDown | TuiKey::Char(' ') => self.scroll += self.room.max(1),
            TuiKey::Home => self.scroll = 0,
            TuiKey::End => self.scroll = self.lines,
            TuiKey::Char('v') if self.view == View::Questions => self.toggle_details(),
            TuiKey::Char('o') if self.view == View::Questions => self.toggle_folds(),
            TuiKey::Char('u') if self.view == View::Questions => self.undo_denial(),
            TuiKey::Char('b') if self.view == View::Questions => self.turn_batch(),
            _ if !self.is_settled() => {}
            _ => return self.answer(key),
        }
        Act::Nothing
    }

    /// Shows a view; again, the question.
    fn toggle_view(&mut self, view: View) {
        self.view = if self.view == view { View::Questions } else { view };
        self.reset_arming();
    }

    /// Opens or folds the details. What is on show moves: its end has to be seen again.
    fn toggle_details(&mut self) {
        self.details = !self.details;
        self.end_seen = false;
        self.reset_arming();
    }

    /// Opens or folds the long texts of the question on show. What is on show moves: its end has to be seen again.
    fn toggle_folds(&mut self) {
        self.unfolded = !self.unfolded;
        self.end_seen = false;
        self.reset_arming();
    }

    /// Handles a key in the inbox. Return shows the chosen question; nothing is answered here.
    fn list_key(&mut self, key: TuiKey) {
        match key {
            TuiKey::Up | TuiKey::Char('k') => self.choose(-1),
            TuiKey::Down | TuiKey::Char('j') => self.choose(1),
            TuiKey::Home => self.choose(isize::MIN),
            TuiKey::End => self.choose(isize::MAX),
            TuiKey::Enter => self.toggle_view(View::Inbox),
            _ => {}
        }
    }

    /// Handles a key while something is typed into. Return never allows: it sends a no, shows a changed
    /// command, or keeps changed words until a number says yes to them.
    fn handle_text_key(&mut self, key: TuiKey) -> Act {
        let mode = std::mem::take(&mut self.mode);
        match (key, mode) {
            (TuiKey::Char(c), mode) => self.mode = mode.edit_text(|text| text.push(c)),
            (TuiKey::Backspace, mode) => {
                self.mode = mode.edit_text(|text| text.truncate(text.len() - last_of(text)));
            }
            (TuiKey::Enter, InputMode::Words(words)) => {
                return denial_act(Answer::Deny, Some(words).filter(|words| !words.trim().is_empty()));
            }
            (TuiKey::Enter, InputMode::Command(text)) => return Act::Edit(text),
            (TuiKey::Enter, InputMode::Rule(nth, text)) => self.store_edited_offer(nth, text),
            (TuiKey::Tab, InputMode::Rule(nth, _)) => self.edit_rule(nth + 1),
            (TuiKey::Enter | TuiKey::Escape, _) => {}
            (_, mode) => self.mode = mode,
        }
        Act::Nothing
    }

    /// Types into the words of the nth offer that can be changed, counted around.
    fn edit_rule(&mut self, nth: usize) {
        let Some(question) = self.question() else { return };
        let many = editable(question).count().max(1);
        let offer = editable(question).nth(nth % many);
        let rule = offer.and_then(|offer| Some((offer, offer.rules.first()?)));
        match rule {
            Some((offer, rule)) => {
                let text = self.choice.edited(Some(&offer.id)).unwrap_or_else(|| rule.text.clone());
                self.mode = InputMode::Rule(nth % many, text);
            }
            None => "no offer here has words that can be changed".clone_into(&mut self.message),
        }
    }

    /// Keeps the words of an offer as they were changed, for when its number is pressed.
    fn store_edited_offer(&mut self, nth: usize, text: String) {
        let offer = self.question().and_then(|question| editable(question).nth(nth));
        let Some((id, same)) =
            offer.map(|offer| (offer.id.clone(), offer.rules.iter().any(|rule| rule.text == text)))
        else {
            return;
        };
        self.choice.broad = None;
        self.choice.edited = (!same && !text.trim().is_empty()).then_some((id, text));
    }

    /// Says what an offer would add to what is shown: its number saves that when it is pressed again, once it is armed again.
    pub(super) fn confirm_broad(&mut self, offer: Option<String>, added: &[AlsoCovers]) {
        let added: Vec<&str> = added.iter().map(|one| one.text.as_str()).collect();
        self.message = format!("also: {}; press the number again to save a broad rule", added.join("; "));
        self.choice.broad = offer;
        self.reset_arming();
    }

    /// Keys pressed by habit, Return and Esc, neither allow nor deny.
    fn answer(&mut self, key: TuiKey) -> Act {
        let Some(question) = self.question().filter(|_| self.view == View::Questions) else {
            return Act::Nothing;
        };
        let proposal = |nth: usize| question.proposals.get(nth).map(|proposal| proposal.id.clone());
        let yes = match key {
            TuiKey::Char('d') => return denial_act(Answer::Deny, None),
            TuiKey::Enter | TuiKey::Escape => {
                "Return and Esc do not answer; press d to deny".clone_into(&mut self.message);
                return Act::Nothing;
            }
            TuiKey::Char('x') => return denial_act(Answer::DenyAll, None),
            TuiKey::Char('w') => {
                self.mode = InputMode::Words(String::new());
                return Act::Nothing;
            }
            TuiKey::Char(key @ ('g' | 'f' | 'l' | 'r' | 'e')) => {
                self.change_answer(key);
                return Act::Nothing;
            }
            TuiKey::Char('M') if question.requests.len() > 1 => Act::AllowAll(question.requests.clone()),
            TuiKey::Char('A') => Act::Answer { answer: Answer::Once, proposal: None, feedback: None },
            TuiKey::Char(c @ '1'..='9') => match proposal(c as usize - '1' as usize) {
                None => return Act::Nothing,
                proposal => Act::Answer { answer: Answer::Always, proposal, feedback: None },
            },
            _ => return Act::Nothing,
        };
        if self.is_armed() {
            return yes;
        }
        self.message = match &self.arming {
            _ if self.folded > 0 => "not yet: open the folded lines first (o)".to_owned(),
            _ if !self.end_seen => "not yet: look at the end of the question first (PageDown)".to_owned(),
            Some(arming) if !arming.missing.is_empty() => format!("not yet: {}", arming.missing),
            Some(_) | None => "not yet: look at it for a moment".to_owned(),
        };
        Act::Nothing
    }

    /// Changes the answer's agent, lifetime or words, or edits the command. A tool's question has none of
    /// these.
    fn change_answer(&mut self, key: char) {
        let Some(question) = self.question().filter(|question| question.tool.is_none()).cloned() else {
            return;
        };
        self.choice.broad = None;
        match key {
            'g' => self.choice.turn_scope(),
            'f' => self.choice.anywhere = !self.choice.anywhere,
            'l' => self.choice.turn_span(&question),
            'r' => self.edit_rule(0),
            _ => match &question.editable {
                Some(text) => self.mode = InputMode::Command(text.clone()),
                None => "this command cannot be changed here".clone_into(&mut self.message),
            },
        }
    }
}

impl InputMode {
    /// Returns the state with its text changed.
    fn edit_text(mut self, change: impl FnOnce(&mut String)) -> Self {
        match &mut self {
            Self::Words(text) | Self::Command(text) | Self::Rule(_, text) => change(text),
            Self::Keys => {}
        }
        self
    }
}

fn name_of(question: &Question) -> (String, String) {
    (question.id.clone(), question.digest.clone())
}

/// Returns the length of the last letter in bytes.
fn last_of(text: &str) -> usize {
    text.chars().next_back().map_or(0, char::len_utf8)
}

fn denial_act(answer: Answer, feedback: Option<String>) -> Act {
    Act::Answer { answer, proposal: None, feedback }
}
