//! Telegram: the Bot API by long polling.
//!
//! Messages go out without a parse mode, what an agent chose as `code`, so that nothing in it is a link, a
//! name or a command; answers come as commands, as presses of inline buttons, or as reactions.

mod api;
mod update;

use super::messenger::{
    ChatMessagePiece, ChatSendError, IncomingChatEvent, Messenger, OutgoingChatMessage, Position, Posted,
};
use super::settings::ChatSettings;
use super::{Chat, Guide};
use crate::values::{DoorValues, absolute};
use api::{Api, Fault};
use parking_lot::Mutex as Lock;
use postern_contract::chat::ChatVerdict;
use postern_contract::methods::{ControlError, DoorKind};
use postern_host::Host;
use postern_policy::Millis;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::time::Duration;
use tokio::sync::Mutex;

const SERVER: &str = "https://api.telegram.org";
/// Time that one poll waits for news, in seconds; and the time that the answer to it may take.
const POLL: u64 = 50;
const POLL_PATIENCE: Duration = Duration::from_secs(POLL + 20);
/// Time that any other call may take.
const CALL: Duration = Duration::from_secs(20);
/// Time that Telegram keeps updates that were not fetched, in milliseconds, with a margin.
///
/// Numbers go on only while there are some every week, so an older one is forgotten.
const KEPT: Millis = 25 * 60 * 60 * 1000;
/// Pause after the first failure: twice as long each time, up to a minute.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_mins(1);

#[derive(Debug)]
pub(crate) struct Telegram {
    api: Api,
    polling: Mutex<Polling>,
    /// After the last update that was given.
    given: Lock<Option<Position>>,
}

#[derive(Debug, Default)]
struct Polling {
    /// Events that were received and not yet returned, with the position after each.
    heard: VecDeque<(Option<Position>, IncomingChatEvent)>,
    /// After the last update that was received.
    received: Option<Position>,
    online: bool,
    /// The trouble that was told last.
    told: Option<String>,
    wait: Option<Duration>,
}

#[derive(Debug, Deserialize)]
struct Me {
    username: Option<String>,
    first_name: String,
}

#[derive(Debug, Deserialize)]
struct SentTelegramMessage {
    message_id: i64,
    date: i64,
}

impl Telegram {
    pub(crate) async fn open(host: &Host, values: &DoorValues) -> Result<Chat<Self>, ControlError> {
        let settings = ChatSettings::from_values(values, parse_owner)?;
        let token = host.given_secret(DoorKind::Telegram.name()).await;
        let token =
            token.map_err(|error| ControlError::refused(format!("the token cannot be read: {error}")))?;
        let token = token.ok_or_else(|| {
            ControlError::invalid(
                "a bot is needed: in Telegram open a chat with @BotFather, send /newbot, answer its two questions, and give \
                 the token that it sends you: postern doors enable telegram token=-",
            )
        })?;
        let ca = values.get("ca").map(|file| absolute("ca", file)).transpose()?;
        let api = Api::new(values.get("server").map_or(SERVER, String::as_str), &token, ca.as_deref())?;
        let messenger = Self { api, polling: Mutex::default(), given: Lock::default() };
        Chat::start(host, DoorKind::Telegram, settings, messenger).await
    }

    /// Polls once: all events are in `heard` then.
    async fn poll_once(&self, polling: &mut Polling) -> Result<(), Fault> {
        if !polling.online {
            let me: Me = self.api.call_method("getMe", &json!({}), CALL).await?;
            polling.online = true;
            polling.heard.push_back((None, IncomingChatEvent::Online(me.username.unwrap_or(me.first_name))));
            return Ok(());
        }
        let after = polling.received.or_else(|| self.position());
        let offset = offset(after, crate::now_millis());
        let asked = json!({
            "offset": offset,
            "timeout": POLL,
            "allowed_updates": ["message", "callback_query", "message_reaction"],
        });
        let updates: Vec<Value> = self.api.call_method("getUpdates", &asked, POLL_PATIENCE).await?;
        let mut next = offset;
        for update in updates {
            // One that cannot be read must not come again for ever.
            next = next.max(update["update_id"].as_i64().unwrap_or(next).saturating_add(1));
            polling.received = Some(Position { next, at: crate::now_millis() });
            let position = polling.received;
            polling.heard.extend(update::parse_update(update).map(|heard| (position, heard)));
        }
        Ok(())
    }
}

impl Messenger for Telegram {
    async fn post_message(
        &self,
        place: &str,
        message: &OutgoingChatMessage,
    ) -> Result<Posted, ChatSendError> {
        let mut shown = message.clone();
        if !message.buttons.is_empty() {
            shown.add_own_text(&update::reactions(&message.buttons));
        }
        let mut body = message_body(place, &shown)?;
        if !message.buttons.is_empty() {
            let button = |verdict: &ChatVerdict| json!({"text": format!("{} {}", verdict.reaction(), verdict.name()), "callback_data": verdict.name()});
            let row: Vec<Value> = message.buttons.iter().map(button).collect();
            body["reply_markup"] = json!({"inline_keyboard": [row]});
        }
        let sent: SentTelegramMessage =
            self.api.call_method("sendMessage", &body, CALL).await.map_err(ChatSendError::from)?;
        Ok(Posted { id: sent.message_id.to_string(), alias: None, at: sent.date.saturating_mul(1000) })
    }

    async fn change(
        &self,
        place: &str,
        id: &str,
        message: &OutgoingChatMessage,
    ) -> Result<(), ChatSendError> {
        let mut body = message_body(place, message)?;
        body["message_id"] = json!(number(id)?);
        // Without a reply_markup the buttons go.
        match self.api.call_method::<Value>("editMessageText", &body, CALL).await {
            // It says so already.
            Err(Fault::Refused(why)) if why.contains("message is not modified") => Ok(()),
            other => other.map(drop).map_err(ChatSendError::from),
        }
    }

    async fn acknowledge(&self, press: &str, text: &str) -> Result<(), ChatSendError> {
        // Its limit.
        let text: String = text.chars().take(190).collect();
        let body = json!({"callback_query_id": press, "text": text});
        self.api
            .call_method::<Value>("answerCallbackQuery", &body, CALL)
            .await
            .map(drop)
            .map_err(ChatSendError::from)
    }

    async fn next_event(&self) -> IncomingChatEvent {
        let mut polling = self.polling.lock().await;
        loop {
            if let Some((position, heard)) = polling.heard.pop_front() {
                if let Some(position) = position {
                    self.resume(position);
                }
                return heard;
            }
            if let Some(wait) = polling.wait {
                tokio::time::sleep(wait).await;
            }
            let fault = match self.poll_once(&mut polling).await {
                Ok(()) => {
                    (polling.wait, polling.told) = (None, None);
                    continue;
                }
                Err(fault) => fault,
            };
            polling.online = false;
            polling.wait = Some(match &fault {
                Fault::Later(wait) => *wait,
                _ => polling.wait.map_or(FIRST_WAIT, |wait| (wait * 2).min(LONGEST_WAIT)),
            });
            let (why, hopeless) = describe_fault(fault);
            if polling.told.as_ref() != Some(&why) {
                polling.told = Some(why.clone());
                return IncomingChatEvent::Offline { why, hopeless };
            }
        }
    }

    fn position(&self) -> Option<Position> {
        *self.given.lock()
    }

    fn resume(&self, after: Position) {
        *self.given.lock() = Some(after);
    }
}

/// Returns the first update to ask for: the first one that was not returned, for as long as its number means
/// something.
fn offset(after: Option<Position>, now: Millis) -> i64 {
    after.filter(|after| now - after.at < KEPT).map_or(0, |after| after.next)
}

impl Guide for Telegram {
    fn setup_steps(&self, code: &str, name: Option<&str>) -> String {
        let name = name.unwrap_or("your_bot");
        format!(
            "1. In Telegram open a chat with your bot: https://t.me/{name}\n\
             2. Send it: /pair {code}\n\
             \x20  (or open https://t.me/{name}?start={code} and press Start)\n\
             The code works once, and for ten minutes. Questions are shown in the chat where\n\
             you send it. For a group, add the bot to it, make it an administrator so that it\n\
             gets reactions, and send the code there.\n\
             Every owner needs a code of their own: postern doors setup telegram\n"
        )
    }
}

/// Reads an owner: a user's number, which stays the same when they change their name.
fn parse_owner(text: &str) -> Result<String, String> {
    match text.parse::<i64>() {
        Ok(id) if id > 0 => Ok(id.to_string()),
        _ => Err("an owner on Telegram is the number of a user; pair instead: postern doors setup telegram"
            .to_owned()),
    }
}

fn number(text: &str) -> Result<i64, ChatSendError> {
    text.parse().map_err(|_| ChatSendError::Refused("this is not a Telegram user number".to_owned()))
}

/// Returns a text with what an agent chose as `code`: positions are counted in UTF-16 units.
fn message_body(place: &str, message: &OutgoingChatMessage) -> Result<Value, ChatSendError> {
    let (mut offset, mut entities, mut text) = (0, Vec::new(), String::new());
    for piece in &message.pieces {
        let said = piece.styled();
        let length = said.encode_utf16().count();
        text.push_str(&said);
        if matches!(piece, ChatMessagePiece::Quoted(_) | ChatMessagePiece::Code(_)) && length > 0 {
            entities.push(json!({"type": "code", "offset": offset, "length": length}));
        }
        offset += length;
    }
    Ok(json!({
        "chat_id": number(place)?,
        "text": text,
        "entities": entities,
        "link_preview_options": {"is_disabled": true},
    }))
}

fn describe_fault(fault: Fault) -> (String, bool) {
    match fault {
        Fault::Unauthorized => (
            "Telegram does not know this token: ask @BotFather for it, then: postern doors enable telegram token=-"
                .to_owned(),
            true,
        ),
        Fault::Later(_) => ("Telegram limits how often Postern may ask; it tries again later".to_owned(), false),
        Fault::Lost(why) => (format!("Telegram cannot be reached: {why}"), false),
        Fault::Refused(why) => (format!("Telegram refuses: {why}"), false),
    }
}

impl From<Fault> for ChatSendError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Later(wait) => Self::Later(wait),
            Fault::Lost(why) => Self::Lost(why),
            Fault::Unauthorized => Self::Lost(describe_fault(fault).0),
            Fault::Refused(why) => Self::Refused(why),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{KEPT, message_body, offset};
    use crate::chat::messenger::{ChatMessagePiece, OutgoingChatMessage, Position};

    #[test]
    fn numbers_of_updates_are_forgotten_before_telegram_begins_with_others() {
        let after = Some(Position { next: 7, at: 1_000 });
        assert_eq!(offset(None, 5), 0);
        assert_eq!(offset(after, 1_000 + KEPT - 1), 7);
        assert_eq!(offset(after, 1_000 + KEPT), 0);
        assert_eq!(offset(after, 0), 7, "the clock was set back");
    }

    #[test]
    fn what_an_agent_chose_is_code_counted_as_telegram_counts() {
        let pieces = ["🔒 Command: ", "*x* @me 🙂", "\nExpires", ""];
        let message = OutgoingChatMessage {
            pieces: vec![
                ChatMessagePiece::Own(pieces[0].to_owned()),
                ChatMessagePiece::Quoted(pieces[1].to_owned()),
                ChatMessagePiece::Own(pieces[2].to_owned()),
                ChatMessagePiece::Quoted(pieces[3].to_owned()),
            ],
            buttons: Vec::new(),
        };
        let body = message_body("42", &message).unwrap();
        assert_eq!(body["chat_id"], 42);
        let text: Vec<u16> = body["text"].as_str().unwrap().encode_utf16().collect();
        let entities = body["entities"].as_array().unwrap();
        assert_eq!(entities.len(), 1, "an empty stretch is none");
        let at = |key: &str| usize::try_from(entities[0][key].as_u64().unwrap()).unwrap();
        let quoted = &text[at("offset")..at("offset") + at("length")];
        assert_eq!(String::from_utf16(quoted).unwrap(), pieces[1]);
        assert_eq!(entities[0]["type"], "code");
        assert!(body.get("parse_mode").is_none());
    }
}
