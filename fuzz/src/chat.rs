//! Fuzz target of chat messages: nothing is read as an answer but what is plainly written as one.

use postern_contract::chat::{ChatCommand, ChatVerdict, parse_command};

/// Checks the text of a message; its words are somebody's reactions as well.
pub fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let words: Vec<&str> = text.split_whitespace().collect();
    match parse_command(text, Some("postern_bot")) {
        Some(ChatCommand::Answer { code, verdict }) => {
            assert!(as_plainly_read(&words) == Some((code.clone(), verdict)), "{text:?} is no {verdict:?}");
            let plain = format!("/approve {code} {}", verdict.name());
            assert_eq!(
                parse_command(&plain, None),
                Some(ChatCommand::Answer { code, verdict }),
                "{plain:?} says the same"
            );
        }
        Some(ChatCommand::Pair(code)) => {
            assert_eq!(words.get(1..), Some([code.as_str()].as_slice()), "{text:?} brings another code");
        }
        Some(ChatCommand::Miswritten(_)) | None => {
            assert!(text.trim().len() > 200 || as_plainly_read(&words).is_none(), "{text:?} is an answer");
        }
    }
    reactions(&words);
}

/// Returns the commands as `docs/CHAT.md` has them.
fn as_plainly_read(words: &[&str]) -> Option<(String, ChatVerdict)> {
    let lower: Vec<String> = words.iter().map(|word| word.to_ascii_lowercase()).collect();
    let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
    let first = lower.first()?;
    let name = first.strip_suffix("@postern_bot").unwrap_or(first);
    let (code, verdict) = match (name, &lower[1..]) {
        ("/approve", [code] | [code, "once"]) => (code, ChatVerdict::Once),
        ("/approve", [code, "always"]) => (code, ChatVerdict::Always),
        ("/approve", [code, "deny"]) | ("/deny", [code]) => (code, ChatVerdict::Deny),
        _ => return None,
    };
    let is_code = code.len() == 4 && code.chars().all(|c| "0123456789abcdef".contains(c));
    is_code.then(|| ((*code).to_owned(), verdict))
}

/// Checks that one more reaction never makes a verdict wider, and that their order says nothing.
fn reactions(words: &[&str]) {
    let signs: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let verdict = ChatVerdict::of_reactions(&signs);
    let turned: Vec<String> = signs.iter().rev().cloned().collect();
    assert_eq!(verdict, ChatVerdict::of_reactions(&turned), "{signs:?} in another order");
    let denied = [signs.as_slice(), &["❌".to_owned()]].concat();
    assert_eq!(ChatVerdict::of_reactions(&denied), Some(ChatVerdict::Deny), "{denied:?}");
    let once = [signs.as_slice(), &["👍".to_owned()]].concat();
    assert_ne!(ChatVerdict::of_reactions(&once), Some(ChatVerdict::Always), "{once:?}");
}
