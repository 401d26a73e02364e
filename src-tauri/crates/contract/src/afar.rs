//! A question of another Mac, as approvers on this one show it.

use crate::piece::{Piece, PieceKind, to_pieces};
use crate::question::{Question, Unsaved};
use postern_command::escape;
use serde_json::Value;

/// Reads a question that another Mac sent, and lets the Mac's name lead.
///
/// That Mac is believed about what it asks, not about what is fit to be shown: each text is escaped again. What
/// can be answered there alone is left out.
pub fn from_afar(mut facts: Value, host: &str) -> Option<Question> {
    show_all(&mut facts);
    let mut question: Question = serde_json::from_value(facts).ok()?;
    let offers: Vec<_> = match question.placed() {
        Ok(offers) => offers.into_iter().filter(|offer| offer.renews == 0).cloned().collect(),
        Err(why) => {
            question.nothing_to_save = Some(Unsaved::from(why));
            Vec::new()
        }
    };
    let hex = |text: &str| text.bytes().all(|c| c.is_ascii_hexdigit());
    let is_color = |color: &str| color.len() == 7 && color.strip_prefix('#').is_some_and(hex);
    if !is_color(&question.asker.color) {
        "#808080".clone_into(&mut question.asker.color);
    }
    let is_code = |text: &str| text.len() == 4 && hex(text);
    // An id that is a code could name a question of this Mac, or of a third one.
    if !is_code(&question.code) || is_code(&question.id) {
        return None;
    }
    let name = to_pieces(host).into_iter().map(|piece| match piece.kind {
        PieceKind::Plain => Piece { kind: PieceKind::Code, ..piece },
        PieceKind::Code | PieceKind::Escaped | PieceKind::Secret => piece,
    });
    let apart = Piece { text: " · ".to_owned(), kind: PieceKind::Plain };
    question.headline = name.chain([apart]).chain(question.headline).collect();
    question.host = Some(escape::visible_text(host));
    question.proposals = offers;
    question.renews = Vec::new();
    question.editable = None;
    // How to set up an agent is said where it runs.
    question.env_setting = None;
    Some(question)
}

/// Reason why a value of another Mac is not shown: the two Macs have different versions.
pub const ODD_FROM_AFAR: &str = "it sent what this Postern cannot read: update one of them";

/// Reads a value of the contract from another Mac. Each of its texts is escaped again.
pub fn value_from_afar<T: serde::de::DeserializeOwned>(mut value: Value) -> Option<T> {
    show_all(&mut value);
    serde_json::from_value(value).ok()
}

/// Replaces in every text what cannot be seen by its escape. What is escaped already stays as it is.
fn show_all(value: &mut Value) {
    match value {
        Value::String(text) => *text = escape::pieces(text).into_iter().map(|piece| piece.text).collect(),
        Value::Array(values) => values.iter_mut().for_each(show_all),
        Value::Object(members) => members.values_mut().for_each(show_all),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::from_afar;
    use crate::piece::join_pieces;
    use serde_json::{Value, json};

    fn facts(members: &Value) -> Value {
        let mut whole = json!({
            "id": "q1", "code": "a1b2", "digest": "d", "requests": [],
            "asker": {"agent": "main", "name": [], "color": "#102030", "knownBy": [], "session": null, "says": null},
            "command": [], "line": "ls", "argv": null, "shell": false, "steps": [], "programs": [], "cwd": [], "env": [],
            "stdin": null, "headline": [{"text": "main wants to read files", "kind": "plain"}], "why": [], "rule": null,
            "policy": [], "risk": {"level": "safe", "reasons": []}, "proposals": [], "askedAt": 0, "expiresAt": 1,
            "atZero": [], "armingMs": 0, "waiting": 0, "editable": "ls"
        });
        for (name, value) in members.as_object().unwrap() {
            whole[name] = value.clone();
        }
        whole
    }

    #[test]
    fn the_other_mac_is_named_first_and_what_is_answered_there_alone_is_left_out() {
        let anywhere = json!([{"id": "exact", "label": [], "folder": null, "rules": [], "wouldMatch": null}]);
        let question = from_afar(facts(&json!({"proposals": anywhere})), "mini").unwrap();
        assert_eq!(join_pieces(&question.headline), "mini · main wants to read files");
        assert_eq!(question.host.as_deref(), Some("mini"));
        assert!(question.editable.is_none() && question.proposals.is_empty());
        assert!(question.nothing_to_save.is_some(), "it says why nothing can be saved");
    }

    #[test]
    fn what_another_mac_calls_fit_to_be_shown_is_escaped_again() {
        let hostile = "a\u{1b}[2J\u{202e}b\nc";
        let piece = json!([{"text": hostile, "kind": "plain"}]);
        let members = json!({"headline": piece, "line": hostile, "cwd": piece});
        let question = from_afar(facts(&members), "mi\u{202e}ni").unwrap();
        let all = serde_json::to_value(&question).unwrap();
        let mut open = vec![&all];
        while let Some(value) = open.pop() {
            match value {
                Value::String(text) => {
                    assert!(
                        !text.contains(['\u{1b}', '\u{202e}', '\n']),
                        "{text:?} would reach the terminal"
                    );
                }
                Value::Array(values) => open.extend(values),
                Value::Object(members) => open.extend(members.values()),
                _ => {}
            }
        }
        let escaped = from_afar(facts(&json!({"line": "a\\u{202e}b"})), "mini").unwrap();
        assert_eq!(escaped.line, "a\\u{202e}b", "what that Mac escaped already is not escaped twice");
        assert!(from_afar(facts(&json!({"code": "--all"})), "mini").is_none(), "no code that is typed");
        assert!(from_afar(facts(&json!({"id": "c0de"})), "mini").is_none(), "another question's code");
    }
}
