//! Questions: what was shown, what was answered, by whom.

use crate::column::{AgentIdColumn, JsonColumn, UuidColumn, to_json_text};
use crate::error::Error;
use postern_policy::{AgentId, Millis};
use postern_request::Digest;
use rusqlite::{Connection, OptionalExtension, Row, params};
use uuid::Uuid;

pub(crate) const SCHEMA: &str = include_str!("schema/questions.sql");

/// A question as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionRow {
    /// UUID (v7).
    pub id: Uuid,
    /// Four hex digits, unique among what waits.
    pub code: String,
    pub agent: AgentId,
    /// The plan on show.
    pub digest: Digest,
    /// The requests that wait for it: the host's own numbers.
    pub requests: Vec<Uuid>,
    pub asked_at: Millis,
    /// Time at which it ends by itself.
    pub expires_at: Millis,
    /// Question as it was shown, as JSON text.
    pub shown: String,
    /// End of the question; `None` while it waits.
    pub closed: Option<QuestionEnd>,
}

/// End of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionEnd {
    pub at: Millis,
    /// `once`, `always`, `deny`, …, or why it closed without an answer: `expired`, `withdrawn`, `restarted`.
    pub answer: String,
    /// Approver that answered: "window", "terminal"; `None` if none did.
    pub face: Option<String>,
    /// Words for the agent.
    pub feedback: Option<String>,
}

const COLUMNS: &str =
    "id, code, agent, digest, requests, asked_at, expires_at, shown, closed_at, answer, face, feedback";

fn question_from_row(row: &Row<'_>) -> rusqlite::Result<QuestionRow> {
    let closed = match row.get(8)? {
        Some(at) => Some(QuestionEnd {
            at,
            answer: row.get::<_, Option<String>>(9)?.unwrap_or_default(),
            face: row.get(10)?,
            feedback: row.get(11)?,
        }),
        None => None,
    };
    Ok(QuestionRow {
        id: row.get::<_, UuidColumn>(0)?.0,
        code: row.get(1)?,
        agent: row.get::<_, AgentIdColumn>(2)?.0,
        digest: Digest(row.get(3)?),
        requests: row.get::<_, JsonColumn<_>>(4)?.0,
        asked_at: row.get(5)?,
        expires_at: row.get(6)?,
        shown: row.get(7)?,
        closed,
    })
}

/// Writes a question down as it is on show: when it opens, when another request joins it, when it shows something else. One
/// that is closed stays as it was.
pub fn upsert_question(conn: &Connection, question: &QuestionRow) -> Result<(), Error> {
    let mut insert = conn.prepare_cached(
        "INSERT INTO questions (id, code, agent, digest, requests, asked_at, expires_at, shown)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
         ON CONFLICT (id) DO UPDATE SET digest = excluded.digest, requests = excluded.requests,
            expires_at = excluded.expires_at, shown = excluded.shown
         WHERE closed_at IS NULL",
    )?;
    insert.execute(params![
        UuidColumn(question.id),
        question.code,
        question.agent.as_str(),
        question.digest.0,
        to_json_text(&question.requests)?,
        question.asked_at,
        question.expires_at,
        question.shown,
    ])?;
    Ok(())
}

/// Closes a question. False where it was closed already: the first answer counts.
pub fn close_question(conn: &Connection, id: Uuid, closed: &QuestionEnd) -> Result<bool, Error> {
    let mut update = conn.prepare_cached(
        "UPDATE questions SET closed_at = ?2, answer = ?3, face = ?4, feedback = ?5
         WHERE id = ?1 AND closed_at IS NULL",
    )?;
    let done =
        update.execute(params![UuidColumn(id), closed.at, closed.answer, closed.face, closed.feedback])?;
    Ok(done == 1)
}

/// Returns a question.
pub fn get_question(conn: &Connection, id: Uuid) -> Result<Option<QuestionRow>, Error> {
    let mut query = conn.prepare_cached(&format!("SELECT {COLUMNS} FROM questions WHERE id = ?1"))?;
    Ok(query.query_row([UuidColumn(id)], question_from_row).optional()?)
}

/// Returns the waiting questions, oldest first.
pub fn waiting(conn: &Connection) -> Result<Vec<QuestionRow>, Error> {
    let mut query = conn.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM questions WHERE closed_at IS NULL ORDER BY asked_at, id"
    ))?;
    Ok(query.query_map([], question_from_row)?.collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{agent_id, open_temp_store as opened};

    impl QuestionRow {
        pub(crate) fn test(number: u128) -> Self {
            Self {
                id: Uuid::from_u128(number),
                code: "0a1b".into(),
                agent: agent_id("main"),
                digest: Digest("d".into()),
                requests: vec![Uuid::from_u128(9)],
                asked_at: 5,
                expires_at: 50,
                shown: "{}".into(),
                closed: None,
            }
        }
    }

    fn question(number: u128) -> QuestionRow {
        QuestionRow::test(number)
    }

    #[test]
    fn a_question_waits_until_it_is_closed_and_the_first_answer_counts() {
        let (_folder, store) = opened();
        let answer = |answer: &str| QuestionEnd {
            at: 8,
            answer: answer.into(),
            face: Some("window".into()),
            feedback: None,
        };
        let (deny, once) = (answer("deny"), answer("once"));
        let two = vec![Uuid::from_u128(9), Uuid::from_u128(10)];
        let joined = QuestionRow { requests: two.clone(), ..question(1) };
        let late = QuestionRow { requests: two.clone(), ..question(2) };
        let done = store.write(move |conn| {
            upsert_question(conn, &question(1))?;
            upsert_question(conn, &question(2))?;
            upsert_question(conn, &joined)?;
            let first = close_question(conn, Uuid::from_u128(2), &deny)?;
            let second = close_question(conn, Uuid::from_u128(2), &once)?;
            upsert_question(conn, &late)?;
            Ok((first, second))
        });
        assert_eq!(done.wait().unwrap(), (true, false));
        assert_eq!(store.read(waiting).unwrap(), [QuestionRow { requests: two, ..question(1) }]);
        let closed = store.read(|conn| get_question(conn, Uuid::from_u128(2))).unwrap().unwrap();
        assert_eq!(closed, QuestionRow { closed: Some(answer("deny")), ..question(2) });
    }
}
