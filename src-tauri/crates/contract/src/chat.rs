//! Parser of what a person says in a chat: commands and reactions, one reading of hostile text for every
//! network.

use serde::Serialize;

/// The longest text that is read as a command, in bytes.
const LONGEST: usize = 200;

postern_protocol::named_values! {
    /// Decision of an owner, by its word in a command and on a button.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
    pub enum ChatVerdict {
        /// Run it now.
        Once = "once",
        /// Save a rule and run it now.
        Always = "always",
        /// Do not run it.
        Deny = "deny",
    }
}

impl ChatVerdict {
    /// Returns the verdict of a word, in any case.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| word.eq_ignore_ascii_case(one.name()))
    }

    /// Returns the sign that stands for it.
    pub fn reaction(self) -> &'static str {
        match self {
            Self::Once => "👍",
            Self::Always => "✅",
            Self::Deny => "❌",
        }
    }

    /// Returns the verdict of a person's reactions, the narrowest of several: deny, then once, then always.
    /// `None` if no reaction means one.
    ///
    /// Skin tones and variation selectors change nothing; a thumb down denies as well.
    pub fn of_reactions(signs: &[String]) -> Option<Self> {
        let plain = |sign: &String| {
            sign.chars()
                .filter(|c| !matches!(c, '\u{fe0e}' | '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}'))
                .collect()
        };
        let given: Vec<String> = signs.iter().map(plain).collect();
        let has = |sign: &str| given.iter().any(|one| one == sign);
        if has(Self::Deny.reaction()) || has("👎") {
            return Some(Self::Deny);
        }
        [Self::Once, Self::Always].into_iter().find(|one| has(one.reaction()))
    }
}

/// A command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChatCommand {
    /// `/approve ID [once|always|deny]` and `/deny ID`.
    Answer {
        /// The four hex digits, in lower case.
        code: String,
        verdict: ChatVerdict,
    },
    /// `/pair CODE`, and `/start CODE` as Telegram says it.
    Pair(String),
    /// A known command that is written wrong, with its right form.
    Miswritten(&'static str),
}

const APPROVE: &str = "/approve ID [once|always|deny]";
const DENY: &str = "/deny ID";
const PAIR: &str = "/pair CODE";

/// Reads a message. `None` if it is no command of ours: people talk, and other bots have commands of their own.
///
/// `me`: our name in the chat; a command that names another is for that one.
pub fn parse_command(text: &str, me: Option<&str>) -> Option<ChatCommand> {
    let text = text.trim();
    if text.len() > LONGEST {
        return None;
    }
    let mut words = text.split_whitespace();
    // In a group Telegram says for which bot: /approve@name.
    let word = words.next()?;
    let (name, meant) = word.split_once('@').map_or((word, None), |(name, meant)| (name, Some(meant)));
    if meant.is_some_and(|meant| !me.is_some_and(|me| me.eq_ignore_ascii_case(meant))) {
        return None;
    }
    let name = name.to_ascii_lowercase();
    let words: Vec<&str> = words.collect();
    match (name.as_str(), words.as_slice()) {
        ("/approve", [id]) => Some(answer(id, Some(ChatVerdict::Once), APPROVE)),
        ("/approve", [id, word]) => Some(answer(id, ChatVerdict::of_word(word), APPROVE)),
        ("/approve", _) => Some(ChatCommand::Miswritten(APPROVE)),
        ("/deny", [id]) => Some(answer(id, Some(ChatVerdict::Deny), DENY)),
        ("/deny", _) => Some(ChatCommand::Miswritten(DENY)),
        ("/pair" | "/start", [code]) => Some(ChatCommand::Pair((*code).to_owned())),
        ("/pair", _) => Some(ChatCommand::Miswritten(PAIR)),
        _ => None,
    }
}

fn answer(id: &str, verdict: Option<ChatVerdict>, usage: &'static str) -> ChatCommand {
    let is_code = id.len() == 4 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    match verdict.filter(|_| is_code) {
        Some(verdict) => ChatCommand::Answer { code: id.to_ascii_lowercase(), verdict },
        None => ChatCommand::Miswritten(usage),
    }
}

#[cfg(test)]
mod tests {
    use super::{ChatCommand, ChatVerdict};
    use proptest::prelude::*;

    fn parse_command(text: &str) -> Option<ChatCommand> {
        super::parse_command(text, Some("postern_bot"))
    }

    fn says(text: &str, verdict: ChatVerdict) {
        let expected = ChatCommand::Answer { code: "a1b2".to_owned(), verdict };
        assert_eq!(parse_command(text), Some(expected), "{text}");
    }

    #[test]
    fn every_command_of_the_flow_is_read() {
        says("/approve a1b2", ChatVerdict::Once);
        says("/approve a1b2 once", ChatVerdict::Once);
        says("/approve a1b2 always", ChatVerdict::Always);
        says("/approve a1b2 deny", ChatVerdict::Deny);
        says("/deny a1b2", ChatVerdict::Deny);
        says("  /Approve@postern_bot  A1B2   ALWAYS ", ChatVerdict::Always);
        assert_eq!(parse_command("/pair k3x"), Some(ChatCommand::Pair("k3x".to_owned())));
        assert_eq!(parse_command("/start k3x"), Some(ChatCommand::Pair("k3x".to_owned())));
    }

    #[test]
    fn a_command_for_another_bot_is_none_of_ours() {
        for text in ["/approve@other_bot a1b2", "/deny@ a1b2", "/approve@postern_bot@x a1b2"] {
            assert_eq!(parse_command(text), None, "{text}");
        }
        assert_eq!(
            super::parse_command("/approve@postern_bot a1b2", None),
            None,
            "nobody knows our name yet"
        );
    }

    #[test]
    fn what_is_nearly_a_command_decides_nothing() {
        for text in
            ["/approve", "/approve a1b", "/approve a1b2c", "/approve g1b2", "/approve a1b2 yes", "/deny"]
        {
            assert!(matches!(parse_command(text), Some(ChatCommand::Miswritten(_))), "{text}");
        }
        for text in ["/approve a1b2 once more", "/deny a1b2 always", "/approve a1b2\u{202e}", "/pair"] {
            assert!(matches!(parse_command(text), Some(ChatCommand::Miswritten(_))), "{text}");
        }
        for text in ["", "approve a1b2", "I say /approve a1b2", "/approved a1b2", "/start", "//approve a1b2"]
        {
            assert_eq!(parse_command(text), None, "{text}");
        }
        assert_eq!(
            parse_command(&format!("/approve a1b2 {}", " ".repeat(300))),
            parse_command("/approve a1b2"),
            "trimmed"
        );
        assert_eq!(parse_command(&format!("/approve {} a1b2", " ".repeat(300))), None);
    }

    #[test]
    fn of_several_reactions_the_narrowest_counts() {
        let of = |signs: &[&str]| {
            ChatVerdict::of_reactions(&signs.iter().map(|sign| (*sign).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(of(&["👍"]), Some(ChatVerdict::Once));
        assert_eq!(of(&["✅"]), Some(ChatVerdict::Always));
        assert_eq!(of(&["❌"]), Some(ChatVerdict::Deny));
        assert_eq!(of(&["👎"]), Some(ChatVerdict::Deny), "Telegram has no ❌ among its reactions");
        assert_eq!(of(&["👍🏽"]), Some(ChatVerdict::Once));
        assert_eq!(of(&["✅\u{fe0f}"]), Some(ChatVerdict::Always));
        assert_eq!(of(&["✅", "👍"]), Some(ChatVerdict::Once));
        assert_eq!(of(&["👍", "✅", "❌"]), Some(ChatVerdict::Deny));
        assert_eq!(of(&["🎉", "👀"]), None);
        assert_eq!(of(&["👍👍"]), None);
        assert_eq!(of(&[]), None);
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_harm_and_answers_name_four_hex_digits(text in any::<String>()) {
            if let Some(ChatCommand::Answer { code, .. }) = parse_command(&text) {
                prop_assert!(code.len() == 4 && code.bytes().all(|byte| byte.is_ascii_hexdigit()));
                prop_assert!(text.trim_start().starts_with('/'));
            }
        }

        #[test]
        fn what_is_written_as_it_should_be_is_what_is_read(
            code in "[0-9a-f]{4}",
            word in prop::sample::select(vec!["once", "always", "deny"]),
            space in "[ \t]{1,3}",
        ) {
            let read = parse_command(&format!("/approve{space}{code}{space}{word}"));
            let verdict = ChatVerdict::of_word(word).unwrap();
            prop_assert_eq!(read, Some(ChatCommand::Answer { code, verdict }));
        }

        #[test]
        fn words_that_are_no_verdict_decide_nothing(code in "[0-9a-f]{4}", word in "[a-zA-Z]{1,8}") {
            prop_assume!(ChatVerdict::of_word(&word).is_none());
            let line = format!("/approve {code} {word}");
            prop_assert!(matches!(parse_command(&line), Some(ChatCommand::Miswritten(_))));
        }
    }
}
