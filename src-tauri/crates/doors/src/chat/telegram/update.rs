//! Updates of the Bot API: what people said, pressed and reacted.

use crate::chat::messenger::{ChatSender, IncomingChatEvent};
use postern_contract::chat::ChatVerdict;
use serde::Deserialize;
use serde_json::Value;

/// Telegram's reactions are a fixed list without ✅ and ❌: this one stands for ✅, and 👎 for ❌.
const ALWAYS: &str = "💯";

#[derive(Debug, Deserialize)]
struct Update {
    message: Option<TelegramMessage>,
    callback_query: Option<Pressed>,
    message_reaction: Option<Reacted>,
}

#[derive(Debug, Deserialize)]
struct TelegramMessage {
    from: Option<TelegramUser>,
    /// There where somebody speaks for a chat: nobody says who that is.
    sender_chat: Option<Value>,
    chat: ChatPlace,
    date: i64,
    text: Option<String>,
    /// There where it is somebody else's words, or a bot's.
    forward_origin: Option<Value>,
    via_bot: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct Pressed {
    id: String,
    from: TelegramUser,
    message: Option<PressedMessage>,
    data: Option<String>,
}

#[derive(Debug, Deserialize)]
struct PressedMessage {
    chat: ChatPlace,
    message_id: i64,
}

#[derive(Debug, Deserialize)]
struct Reacted {
    chat: ChatPlace,
    message_id: i64,
    /// User; `None` if somebody reacts for a chat.
    user: Option<TelegramUser>,
    old_reaction: Vec<Sign>,
    new_reaction: Vec<Sign>,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Sign {
    emoji: Option<String>,
}

#[derive(Debug, Deserialize)]
struct ChatPlace {
    id: i64,
}

#[derive(Debug, Deserialize)]
struct TelegramUser {
    id: i64,
    #[serde(default)]
    is_bot: bool,
    #[serde(default)]
    first_name: String,
    username: Option<String>,
}

/// Returns the event of an update; `None` if it is about something else.
pub(super) fn parse_update(update: Value) -> Option<IncomingChatEvent> {
    let update: Update = match serde_json::from_value(update) {
        Ok(update) => update,
        Err(error) => {
            tracing::warn!(%error, "an update of Telegram's cannot be read: it is left out");
            return None;
        }
    };
    let said = update.message.and_then(message_event);
    said.or_else(|| update.callback_query.and_then(pressed)).or_else(|| update.message_reaction.map(reacted))
}

fn message_event(said: TelegramMessage) -> Option<IncomingChatEvent> {
    if said.forward_origin.is_some() || said.via_bot.is_some() {
        return None;
    }
    let for_a_chat = said.sender_chat.is_some();
    let from = sender(said.from.filter(|_| !for_a_chat));
    let place = said.chat.id.to_string();
    Some(IncomingChatEvent::Said { from, place, text: said.text?, at: Some(said.date.saturating_mul(1000)) })
}

fn pressed(pressed: Pressed) -> Option<IncomingChatEvent> {
    let under = pressed.message?;
    Some(IncomingChatEvent::Pressed {
        from: sender(Some(pressed.from)),
        place: under.chat.id.to_string(),
        message: under.message_id.to_string(),
        verdict: ChatVerdict::of_word(&pressed.data?)?,
        press: pressed.id,
    })
}

fn reacted(reacted: Reacted) -> IncomingChatEvent {
    let (new, old) = (reacted.new_reaction, reacted.old_reaction);
    let new = new.into_iter().filter(|sign| !old.contains(sign)).filter_map(|sign| sign.emoji);
    let signs = new.map(|sign| if sign == ALWAYS { ChatVerdict::Always.reaction().to_owned() } else { sign });
    IncomingChatEvent::Reacted {
        from: sender(reacted.user),
        place: reacted.chat.id.to_string(),
        message: reacted.message_id.to_string(),
        signs: signs.collect(),
    }
}

/// Returns the words of a question about reactions here, beside the buttons.
pub(super) fn reactions(offered: &[ChatVerdict]) -> String {
    let sign = |verdict: &ChatVerdict| match verdict {
        ChatVerdict::Once => "👍 once",
        ChatVerdict::Always => "💯 always",
        ChatVerdict::Deny => "👎 deny",
    };
    let signs: Vec<&str> = offered.iter().map(sign).collect();
    format!("\n\nAs Telegram’s own reactions: {}", signs.join(" | "))
}

/// Returns the sender: Telegram vouches for the number of a user. A bot, or a user who speaks for a chat, has
/// no id.
fn sender(user: Option<TelegramUser>) -> ChatSender {
    let Some(user) = user else {
        return ChatSender { id: None, name: "somebody who speaks for a chat".to_owned() };
    };
    let name = match user.username {
        Some(username) => format!("{} @{username}", user.first_name),
        None => user.first_name,
    };
    ChatSender { id: (!user.is_bot).then(|| user.id.to_string()), name }
}

#[cfg(test)]
mod tests {
    use super::{parse_update, reactions};
    use crate::chat::messenger::IncomingChatEvent;
    use postern_contract::chat::ChatVerdict;
    use serde_json::{Value, json};

    fn message(extra: &Value) -> Value {
        let mut message = json!({"message_id": 5, "date": 1_700_000_000, "chat": {"id": -7, "type": "group"},
            "from": {"id": 42, "is_bot": false, "first_name": "Anna", "username": "anna"}, "text": "/deny a1b2"});
        for (key, value) in extra.as_object().unwrap() {
            message[key] = value.clone();
        }
        json!({"update_id": 1, "message": message})
    }

    #[test]
    fn only_reactions_that_telegram_has_are_offered() {
        let all = reactions(&[ChatVerdict::Once, ChatVerdict::Always, ChatVerdict::Deny]);
        assert_eq!(all, "\n\nAs Telegram’s own reactions: 👍 once | 💯 always | 👎 deny");
        assert_eq!(reactions(&[ChatVerdict::Deny]), "\n\nAs Telegram’s own reactions: 👎 deny");
    }

    #[test]
    fn a_message_is_its_senders_words() {
        let Some(IncomingChatEvent::Said { from, place, text, at }) = parse_update(message(&json!({})))
        else {
            panic!()
        };
        assert_eq!((from.id.as_deref(), from.name.as_str()), (Some("42"), "Anna @anna"));
        assert_eq!((place.as_str(), text.as_str(), at), ("-7", "/deny a1b2", Some(1_700_000_000_000)));
    }

    #[test]
    fn nobody_speaks_for_a_chat_or_with_the_words_of_others() {
        let anonymous = message(&json!({"sender_chat": {"id": -7}}));
        assert!(
            matches!(parse_update(anonymous), Some(IncomingChatEvent::Said { from, .. }) if from.id.is_none())
        );
        let bot = message(&json!({"from": {"id": 42, "is_bot": true, "first_name": "b"}}));
        assert!(matches!(parse_update(bot), Some(IncomingChatEvent::Said { from, .. }) if from.id.is_none()));
        assert_eq!(parse_update(message(&json!({"forward_origin": {"type": "user"}}))), None);
        assert_eq!(parse_update(message(&json!({"via_bot": {"id": 1}}))), None);
    }

    #[test]
    fn a_reaction_is_what_is_new_and_a_press_is_its_button() {
        let user = json!({"id": 42, "first_name": "Anna"});
        let sign = |emoji: &str| json!({"type": "emoji", "emoji": emoji});
        let update = json!({"update_id": 1, "message_reaction": {"chat": {"id": 42}, "message_id": 9, "date": 1,
            "user": user, "old_reaction": [sign("👍")], "new_reaction": [sign("👍"), sign("👎"),
            {"type": "custom_emoji", "custom_emoji_id": "1"}]}});
        assert!(
            matches!(parse_update(update), Some(IncomingChatEvent::Reacted { signs, message, .. }) if signs == ["👎"] && message == "9")
        );
        let update = json!({"update_id": 1, "message_reaction": {"chat": {"id": 42}, "message_id": 9, "date": 1,
            "user": user, "old_reaction": [], "new_reaction": [sign("💯")]}});
        assert!(
            matches!(parse_update(update), Some(IncomingChatEvent::Reacted { signs, .. }) if signs == ["✅"])
        );
        let press = |data: &str| {
            json!({"update_id": 1, "callback_query": {"id": "c1", "from": user, "data": data,
            "chat_instance": "x", "message": {"chat": {"id": 42}, "message_id": 9, "date": 0}}})
        };
        assert!(
            matches!(parse_update(press("always")), Some(IncomingChatEvent::Pressed { verdict: ChatVerdict::Always, press, .. }) if press == "c1")
        );
        assert_eq!(parse_update(press("something else")), None);
        assert_eq!(parse_update(json!({"update_id": 1, "poll": {}})), None);
        assert_eq!(parse_update(json!({"update_id": 1, "message": "?"})), None);
    }
}
