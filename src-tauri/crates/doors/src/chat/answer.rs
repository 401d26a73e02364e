//! From the chat to the host: who says what, and whether it counts.

use super::approval::{ChatApproval, ShownMessage};
use super::hub::{ChatConnection, ChatDecision, ChatJob, Hub};
use super::messenger::{ChatSender, IncomingChatEvent, Messenger, OutgoingChatMessage};
use super::register::ChatOwner;
use super::settings::HighRisk;
use super::text;
use postern_contract::chat::{self, ChatCommand, ChatVerdict};
use postern_contract::methods::{AnswerQuestion, GetQuestion, QuestionRef};
use postern_contract::render::nothing_to_save;
use postern_contract::{Answer, AnswerParams, ChatStatus, Question};
use postern_host::ApproverGuard;
use postern_policy::{NothingToSave, RiskLevel};
use std::time::Duration;
use tokio::time::Instant;

/// Period in which the messages of one owner, and of all strangers together, are limited.
const STRETCH: Duration = Duration::from_secs(10);
const OWNER_SAYS: u32 = 60;
const STRANGERS_SAY: u32 = 30;
/// Number of answers that wait until their question is posted.
const EARLY: usize = 100;

type ChatAnswerTarget = Option<(ChatApproval, ShownMessage)>;

/// Destination of a reply to an answer.
enum Back {
    /// Into the place where it was given.
    Place(String),
    /// Reply to the person who pressed the button.
    Press(String),
}

impl<M: Messenger> Hub<M> {
    pub(super) async fn handle_event(&mut self, heard: IncomingChatEvent) {
        match heard {
            IncomingChatEvent::Online(name) => {
                self.line.send_replace(ChatConnection::Online(name));
                self.sync_approvers();
                self.catch_up().await;
            }
            IncomingChatEvent::Offline { why, hopeless } => {
                tracing::warn!(door = self.name, why, "a chat is not connected");
                self.line.send_replace(ChatConnection::Offline { why, hopeless });
                self.sync_approvers();
            }
            IncomingChatEvent::Said { from, place, text, at } => {
                if let Some(command) = chat::parse_command(&text, self.own_name().as_deref()) {
                    self.handle_command(&from, place, command, at).await;
                }
            }
            IncomingChatEvent::Reacted { from, place, message, signs } => {
                let target = self.shown_by(&place, &message);
                let (Some(verdict), Some(_)) = (ChatVerdict::of_reactions(&signs), &target) else { return };
                self.answered(&from, verdict, target, Back::Place(place), "reacted to").await;
            }
            IncomingChatEvent::Pressed { from, place, message, verdict, press } => {
                let target = self.shown_by(&place, &message);
                self.answered(&from, verdict, target, Back::Press(press), "pressed a button of").await;
            }
        }
    }

    /// Returns true if it may be about the question that is being posted: what it is about is known when that
    /// is done.
    pub(super) fn is_early(&self, heard: &IncomingChatEvent) -> bool {
        let Some((there, code)) = self.showing.as_ref().filter(|_| self.early.len() < EARLY) else {
            return false;
        };
        match heard {
            IncomingChatEvent::Online(_) | IncomingChatEvent::Offline { .. } => false,
            IncomingChatEvent::Said { place, text, .. } => {
                place == there
                    && matches!(chat::parse_command(text, self.own_name().as_deref()), Some(ChatCommand::Answer { code: of, .. }) if of == *code)
            }
            IncomingChatEvent::Reacted { place, message, .. }
            | IncomingChatEvent::Pressed { place, message, .. } => {
                place == there && self.shown_by(place, message).is_none()
            }
        }
    }

    fn shown_by(&self, place: &str, message: &str) -> ChatAnswerTarget {
        let register = self.register.lock();
        let (approval, shown) = register.approvals.shown_by(place, message)?;
        Some((approval.clone(), shown.clone()))
    }

    async fn handle_command(
        &mut self,
        from: &ChatSender,
        place: String,
        command: ChatCommand,
        at: Option<i64>,
    ) {
        let (code, verdict) = match command {
            ChatCommand::Pair(code) => return self.pair_owner(from, &place, &code).await,
            ChatCommand::Miswritten(usage) => {
                if self.identify_owner(from, "said a command").await.is_some() {
                    let message = OutgoingChatMessage::from_text("Write it as ").quoted(usage).clone();
                    self.enqueue(ChatJob::Say { place, message });
                }
                return;
            }
            ChatCommand::Answer { code, verdict } => (code, verdict),
        };
        let target = {
            let register = self.register.lock();
            let found = register.approvals.by_code(&place, &code);
            found.map(|(approval, shown)| (approval.clone(), shown.clone()))
        };
        // Four digits come again: what was said before they were shown was about something else.
        let asked = target.as_ref().map_or(0, |(_, shown)| shown.at);
        if at.is_none_or(|at| at < asked) {
            if self.identify_owner(from, "answered").await.is_some() {
                let words =
                    format!("{code}: your answer came before the question, or too late. Send it again.");
                self.enqueue(ChatJob::Say { place, message: OutgoingChatMessage::from_text(words) });
            }
            return;
        }
        if target.is_none() {
            if self.identify_owner(from, &format!("answered {code}")).await.is_some() {
                let message =
                    OutgoingChatMessage::from_text(format!("Nothing with the ID {code} was shown here."));
                self.enqueue(ChatJob::Say { place, message });
            }
            return;
        }
        self.answered(from, verdict, target, Back::Place(place), "answered").await;
    }

    async fn pair_owner(&mut self, from: &ChatSender, place: &str, code: &str) {
        // A right code is heard however much strangers say: its fifty bits are not guessed in ten minutes.
        let paired = self.register.lock().pair_owner(
            (from, place),
            code,
            (postern_host::lasting(), crate::now_millis()),
        );
        if !paired {
            if self.listens(from) {
                self.stranger(from, "brought a pairing code that is not right").await;
            }
            return;
        }
        tracing::info!(door = self.name, owner = from.id, "an owner paired");
        self.sync_approvers();
        let words = "Paired. Questions of your agents are shown here from now on, and you can answer them.";
        self.enqueue(ChatJob::Say {
            place: place.to_owned(),
            message: OutgoingChatMessage::from_text(words),
        });
        self.stir.notify_one();
    }

    /// Returns the owner that somebody is; one who is none is noted. None as well where too much is said.
    async fn identify_owner(&mut self, from: &ChatSender, did: &str) -> Option<ChatOwner> {
        if !self.listens(from) {
            return None;
        }
        let owner = self.register.lock().find_owner(from).cloned();
        match &owner {
            Some(owner) => self.register.lock().mark_seen(&owner.id, crate::now_millis()),
            None => self.stranger(from, did).await,
        }
        owner
    }

    /// Notes an attempt to answer by a stranger, at the door and in the history.
    async fn stranger(&self, from: &ChatSender, did: &str) {
        self.register.lock().note_stranger(from, did, crate::now_millis());
        let name = if from.name.trim().is_empty() { "somebody" } else { &from.name };
        let who = match &from.id {
            Some(id) => format!("{name} ({id})"),
            None => format!("{name} (identity not verified)"),
        };
        self.host.note_stranger(self.name, &who, did).await;
    }

    /// Returns true if somebody says little enough to be listened to. Strangers share what they may say.
    fn listens(&mut self, from: &ChatSender) -> bool {
        let owner = self.register.lock().find_owner(from).map(|owner| owner.id.clone());
        let most = if owner.is_some() { OWNER_SAYS } else { STRANGERS_SAY };
        let (since, times) = self.lately.entry(owner.unwrap_or_default()).or_insert((Instant::now(), 0));
        if since.elapsed() >= STRETCH {
            (*since, *times) = (Instant::now(), 0);
        }
        *times += 1;
        *times <= most
    }

    /// Applies an answer. It counts for an owner, about a question that waits, as it was shown.
    async fn answered(
        &mut self,
        from: &ChatSender,
        verdict: ChatVerdict,
        target: ChatAnswerTarget,
        back: Back,
        did: &str,
    ) {
        let about = target.as_ref().map_or("something", |(approval, _)| approval.code.as_str());
        let did = format!("{did} {about}: {}", verdict.name());
        let Some(owner) = self.identify_owner(from, &did).await else { return };
        let Some((approval, shown)) = target else {
            return self
                .reply_to(back, OutgoingChatMessage::from_text("Postern no longer knows this question."));
        };
        if approval.status != ChatStatus::Pending {
            return self.reply_to(back, text::too_late(&approval));
        }
        if let (Some(why), ChatVerdict::Once | ChatVerdict::Always) = (approval.withheld, verdict) {
            return self.reply_to(back, text::not_from_here(&approval.code, why));
        }
        let words = match self.decide(&owner, &approval, &shown, verdict).await {
            Ok(done) => done,
            Err(why) => format!("{}: your answer changed nothing: {why}.", approval.code),
        };
        // What was decided is told by the message itself; a button wants its answer.
        let told = self.ours.contains_key(&approval.question);
        if !told || matches!(back, Back::Press(_)) {
            self.reply_to(back, OutgoingChatMessage::from_text(words));
        }
    }

    fn reply_to(&mut self, back: Back, message: OutgoingChatMessage) {
        match back {
            Back::Place(place) => self.enqueue(ChatJob::Say { place, message }),
            Back::Press(press) => self.enqueue(ChatJob::Acknowledge { press, text: message.to_text() }),
        }
    }

    /// Gives the host an owner's answer to exactly what was shown. In words: what was done, or why nothing was.
    async fn decide(
        &mut self,
        owner: &ChatOwner,
        approval: &ChatApproval,
        shown: &ShownMessage,
        verdict: ChatVerdict,
    ) -> Result<String, String> {
        // The connection may be lost by now: what was said before counts all the same.
        let passing = self.approver_of(&owner.name);
        self.host.identify(&passing, &owner.id);
        let face = self.faces.get(&owner.id).map_or(passing.id(), ApproverGuard::id);
        let id = approval.question.clone();
        let waiting = QuestionRef { question_id: id.clone() };
        let question = self.host.call_method::<GetQuestion>(face, &waiting).await;
        let question = question.map_err(|_| "it is no longer open".to_owned())?;
        if question.digest != shown.digest {
            return Err("what would run has changed since it was shown".to_owned());
        }
        // The risk or the settings may be others than when it was shown.
        if let (Some(why), ChatVerdict::Once | ChatVerdict::Always) =
            (text::withheld(&question, self.settings.high_risk), verdict)
        {
            return Err(format!("approve it in Postern: {}", text::why_withheld(why)));
        }
        let Meant { answer, proposal, unsaved } = self.translate_verdict(&question, verdict);
        let params = AnswerParams { proposal, ..AnswerParams::new(&id, &shown.digest, answer) };
        let answered = self.host.call_method::<AnswerQuestion>(face, &params).await;
        let answered = answered.map_err(|error| error.message)?;
        if !answered.applied {
            return Err(answered.reason.unwrap_or_default());
        }
        let unsaved = answered.not_saved.or(unsaved);
        let done = match (answer, unsaved) {
            (Answer::Always, None) => "Approved always",
            (Answer::Always | Answer::Once, _) => "Approved once",
            (Answer::Deny | Answer::DenyAlways | Answer::DenyAll, _) => "Denied",
        };
        let mut words = format!("{done} by {}, {}", self.name, owner.name);
        if let Some(why) = unsaved {
            words.push_str("; nothing was saved because ");
            words.push_str(nothing_to_save(why));
        }
        self.ours.insert(id, ChatDecision { words: words.clone(), saved: answered.saved });
        Ok(words)
    }

    /// Translates a verdict. *Always* saves exactly this command if the chat may save it, and allows one run otherwise.
    fn translate_verdict(&self, question: &Question, verdict: ChatVerdict) -> Meant {
        let once = |unsaved| Meant { answer: Answer::Once, proposal: None, unsaved };
        let risky =
            question.risk.level == RiskLevel::Dangerous && self.settings.high_risk != HighRisk::Always;
        match verdict {
            ChatVerdict::Deny => Meant { answer: Answer::Deny, ..once(None) },
            ChatVerdict::Once => once(None),
            ChatVerdict::Always => match text::saved_offer(question) {
                Ok(_) if risky => once(Some(NothingToSave::HighRisk)),
                Ok(offer) => {
                    Meant { answer: Answer::Always, proposal: Some(offer.id.clone()), unsaved: None }
                }
                Err(why) => once(Some(why)),
            },
        }
    }
}

/// Answer to the host that an owner's verdict means.
struct Meant {
    answer: Answer,
    /// Offer that *always* saves.
    proposal: Option<String>,
    /// Reason why an *always* saves nothing.
    unsaved: Option<NothingToSave>,
}
