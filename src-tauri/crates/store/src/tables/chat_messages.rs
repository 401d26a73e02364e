//! Chat messages that showed questions: place, id and the question's status. Deleted with the question's row.

use crate::column::UuidColumn;
use crate::error::Error;
use postern_policy::Millis;
use rusqlite::{Connection, Row, params};
use uuid::Uuid;

/// Creates the table and fills it from the JSON value in which each chat kept its messages before.
pub(crate) const SCHEMA: &str = include_str!("schema/chat_messages.sql");

/// Message that showed a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatMessage {
    /// Name of the door: `telegram`, `xmpp`.
    pub door: String,
    /// Network's name of the chat.
    pub place: String,
    /// Network's id of the message.
    pub message: String,
    /// Second id that the network has for it.
    pub alias: Option<String>,
    pub question: Uuid,
    pub digest: String,
    /// Time by the network's clock.
    pub shown_at: Millis,
    /// Reason why the chat can't approve the question.
    pub withheld: Option<String>,
    /// `pending`, `approved`, `denied` or `expired`.
    pub status: String,
    /// Outcome in words, with who decided.
    pub outcome: Option<String>,
    /// True once the message itself shows the outcome.
    pub told: bool,
}

const COLUMNS: &str =
    "door, place, message, alias, question, digest, shown_at, withheld, status, outcome, told";

fn message_from_row(row: &Row<'_>) -> rusqlite::Result<ChatMessage> {
    Ok(ChatMessage {
        door: row.get(0)?,
        place: row.get(1)?,
        message: row.get(2)?,
        alias: row.get(3)?,
        question: row.get::<_, UuidColumn>(4)?.0,
        digest: row.get(5)?,
        shown_at: row.get(6)?,
        withheld: row.get(7)?,
        status: row.get(8)?,
        outcome: row.get(9)?,
        told: row.get(10)?,
    })
}

/// Inserts or updates a message. Skips one whose question was erased.
pub fn upsert_message(conn: &Connection, message: &ChatMessage) -> Result<(), Error> {
    let mut upsert = conn.prepare_cached(&format!(
        "INSERT INTO chat_messages ({COLUMNS})
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11 WHERE EXISTS (SELECT 1 FROM questions WHERE id = ?5)
         ON CONFLICT (door, place, message) DO UPDATE
         SET withheld = excluded.withheld, status = excluded.status, outcome = excluded.outcome, told = excluded.told"
    ))?;
    upsert.execute(params![
        message.door,
        message.place,
        message.message,
        message.alias,
        UuidColumn(message.question),
        message.digest,
        message.shown_at,
        message.withheld,
        message.status,
        message.outcome,
        message.told,
    ])?;
    Ok(())
}

/// Returns the newest messages of a door, at most `limit`, oldest first.
pub fn newest(conn: &Connection, door: &str, limit: u32) -> Result<Vec<ChatMessage>, Error> {
    let mut query = conn.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM
            (SELECT * FROM chat_messages WHERE door = ?1 ORDER BY question DESC, shown_at DESC LIMIT ?2)
         ORDER BY question, shown_at"
    ))?;
    Ok(query.query_map(params![door, limit], message_from_row)?.collect::<Result<_, _>>()?)
}

/// Returns the messages that showed a question of this request (by the host's number), oldest first.
pub fn of_request(conn: &Connection, request: Uuid) -> Result<Vec<ChatMessage>, Error> {
    let mut query = conn.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM chat_messages WHERE question IN
            (SELECT id FROM questions WHERE EXISTS (SELECT 1 FROM json_each(requests) WHERE value = ?1))
         ORDER BY shown_at, door, message"
    ))?;
    Ok(query.query_map([request.to_string()], message_from_row)?.collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::retain::{Keep, sweep_history};
    use crate::tables::questions::{self, QuestionEnd, QuestionRow};
    use crate::testing::open_temp_store;

    fn message(number: u128, id: &str) -> ChatMessage {
        ChatMessage {
            door: "telegram".into(),
            place: "42".into(),
            message: id.into(),
            alias: None,
            question: Uuid::from_u128(number),
            digest: "d".into(),
            shown_at: 7,
            withheld: None,
            status: "pending".into(),
            outcome: None,
            told: false,
        }
    }

    #[test]
    fn a_message_is_found_by_its_door_and_by_its_request_and_says_how_its_question_ended() {
        let (_folder, store) = open_temp_store();
        let ended = |number, id| ChatMessage {
            status: "denied".into(),
            outcome: Some("Denied by telegram, Anna".into()),
            told: true,
            ..message(number, id)
        };
        store.write_now(move |conn| {
            questions::upsert_question(conn, &QuestionRow::test(1))?;
            questions::upsert_question(conn, &QuestionRow { requests: vec![], ..QuestionRow::test(2) })?;
            for one in [message(1, "m1"), message(2, "m2"), message(3, "erased"), ended(1, "m1")] {
                upsert_message(conn, &one)?;
            }
            Ok(())
        });
        let all = store.read(|conn| newest(conn, "telegram", 9)).unwrap();
        assert_eq!(all, [ended(1, "m1"), message(2, "m2")], "one row a message, none of an erased question");
        assert_eq!(store.read(|conn| newest(conn, "telegram", 1)).unwrap(), [message(2, "m2")]);
        assert!(store.read(|conn| newest(conn, "xmpp", 9)).unwrap().is_empty());
        let of = |number| store.read(move |conn| of_request(conn, Uuid::from_u128(number))).unwrap();
        assert_eq!((of(9), of(10)), (vec![ended(1, "m1")], vec![]));
    }

    #[test]
    fn it_goes_with_its_question() {
        let (_folder, store) = open_temp_store();
        store.write_now(|conn| {
            questions::upsert_question(conn, &QuestionRow::test(1))?;
            upsert_message(conn, &message(1, "m1"))?;
            let closed = QuestionEnd { at: 5, answer: "deny".into(), face: None, feedback: None };
            questions::close_question(conn, Uuid::from_u128(1), &closed)?;
            sweep_history(conn, Keep { since: 6, bytes: u64::MAX }, 9)
        });
        assert!(store.read(|conn| newest(conn, "telegram", 9)).unwrap().is_empty());
    }

    #[test]
    fn what_a_chat_kept_for_itself_becomes_rows() {
        let (_folder, store) = open_temp_store();
        let question = QuestionRow::test(1);
        let kept = serde_json::json!({"owners": [{"id": "7"}], "approvals": [{"question": question.id, "code": "a1b2",
            "status": "denied", "outcome": "Denied", "withheld": "high-risk", "shown": [{"place": "42",
            "externalMessageId": "m1", "digest": "d", "at": 7}]}]});
        store.write_now(move |conn| {
            questions::upsert_question(conn, &question)?;
            crate::settings::set_value(conn, "door.xmpp", &kept)?;
            conn.execute_batch("DROP TABLE chat_messages")?;
            Ok(conn.execute_batch(SCHEMA)?)
        });
        let expected = ChatMessage {
            door: "xmpp".into(),
            status: "denied".into(),
            outcome: Some("Denied".into()),
            withheld: Some("high-risk".into()),
            told: true,
            ..message(1, "m1")
        };
        assert_eq!(store.read(|conn| newest(conn, "xmpp", 9)).unwrap(), [expected]);
        let left: serde_json::Value =
            store.read(|conn| crate::settings::get_value(conn, "door.xmpp")).unwrap().unwrap();
        assert_eq!(left, serde_json::json!({"owners": [{"id": "7"}]}));
    }
}
