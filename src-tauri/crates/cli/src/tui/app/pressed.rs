//! Meaning of keys: what each changes of what is shown, and what it does beyond.

use super::{App, InputMode, View};
use crate::tui::choice::editable;
use postern_contract::Answer;

/// A key, as far as it means anything here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tui) enum TuiKey {
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
pub(in crate::tui) enum Act {
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

impl App {
    pub(in crate::tui) fn handle_key(&mut self, key: TuiKey) -> Act {
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
                // A denial that is undone has its words again.
                self.keep_draft(&words);
                return denial_act(Answer::Deny, Some(words).filter(|words| !words.trim().is_empty()));
            }
            (TuiKey::Enter, InputMode::Command(text)) => return Act::Edit(text),
            (TuiKey::Enter, InputMode::Rule(nth, text)) => self.store_edited_offer(nth, text),
            (TuiKey::Tab, InputMode::Rule(nth, _)) => self.edit_rule(nth + 1),
            (TuiKey::Escape, InputMode::Words(words)) => self.keep_draft(&words),
            (TuiKey::Enter, mode @ InputMode::Interrupted(_)) => self.mode = mode,
            (TuiKey::Enter | TuiKey::Escape, _) => {}
            (_, mode) => self.mode = mode,
        }
        Act::Nothing
    }

    /// Keeps words for the agent, for when they are typed into again.
    fn keep_draft(&mut self, words: &str) {
        self.draft = self.question().map(|question| (question.id.clone(), words.to_owned()));
    }

    /// Types into the words for the agent: those that were left, or new ones.
    fn edit_words(&mut self) {
        let on_show = self.question().map(|question| question.id.as_str());
        let left = self.draft.as_ref().filter(|(id, _)| Some(id.as_str()) == on_show);
        self.mode = InputMode::Words(left.map(|(_, words)| words.clone()).unwrap_or_default());
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
                self.edit_words();
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
            Self::Words(text) | Self::Command(text) | Self::Rule(_, text) | Self::Interrupted(text) => {
                change(text);
            }
            Self::Keys => {}
        }
        self
    }

    /// Returns the state for another question on show.
    pub(super) fn interrupted(self) -> Self {
        match self {
            Self::Keys => Self::Keys,
            Self::Words(text) | Self::Command(text) | Self::Rule(_, text) | Self::Interrupted(text) => {
                Self::Interrupted(text)
            }
        }
    }
}

/// Returns the length of the last letter in bytes.
fn last_of(text: &str) -> usize {
    text.chars().next_back().map_or(0, char::len_utf8)
}

fn denial_act(answer: Answer, feedback: Option<String>) -> Act {
    Act::Answer { answer, proposal: None, feedback }
}
