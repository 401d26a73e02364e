//! The formats of the record, oldest first. A format that was released is never edited: a change is a new entry.

use crate::tables::{
    agents, chat_messages, events, feed, outputs, questions, requests, rules, scripts, search, sessions,
    settings, skills, tally,
};
use rusqlite::Connection;

/// `PRAGMA application_id`: "Post".
pub(crate) const APPLICATION: i64 = 0x506f_7374;

/// The statements that lead from each format to the next, in order. The place in this list is the format's number - 1.
const FORMATS: &[&[&str]] = &[
    &[
        agents::SCHEMA,
        rules::SCHEMA,
        skills::SCHEMA,
        settings::SCHEMA,
        requests::SCHEMA,
        questions::SCHEMA,
        events::SCHEMA,
        outputs::SCHEMA,
    ],
    &[search::SCHEMA],
    &[search::SCHEMA_WITH_TAGS, tally::SCHEMA],
    &[requests::EDITED],
    &[requests::FACTS],
    &[sessions::SCHEMA],
    &[requests::TOLD],
    &[feed::SCHEMA],
    &[crate::audit::SCHEMA],
    &[rules::PLACES],
    &[chat_messages::SCHEMA],
    &[requests::ORIGIN, rules::ORIGIN],
    &[rules::BROAD],
    &[rules::LIMITS],
    // Rules about files, which an earlier version cannot read: it has to refuse the whole file.
    &[],
    &[rules::CONFINE],
    &[tally::BY_EFFECT, search::AGAIN],
    &[agents::ICON],
    &[requests::FOLDER, tally::BY_FOLDER, search::AGAIN],
    &[scripts::SCHEMA],
    // Surroundings in the limits of rules, which an earlier version cannot read.
    &[],
    &[requests::PACKED],
    // What each denied request takes, and what a start reads of the rules.
    &[
        requests::FEWER_INDEXES,
        requests::DIGEST,
        feed::BY_NUMBER,
        events::PACKED,
        search::AGAIN,
        tally::AGAIN,
        rules::TIMED,
    ],
];

/// Returns the newest format that is known here.
pub(crate) fn newest() -> i64 {
    FORMATS.len().try_into().unwrap_or(i64::MAX)
}

/// Returns the format of an open file; 0 is an empty one.
pub(crate) fn format_of(conn: &Connection) -> rusqlite::Result<i64> {
    conn.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// Brings the file to the newest format, one transaction for each step. Gives the format it had.
pub(crate) fn migrate(conn: &mut Connection) -> rusqlite::Result<i64> {
    let found = format_of(conn)?;
    for (number, statements) in (1..).zip(FORMATS).filter(|(number, _)| *number > found) {
        let tx = conn.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        for statement in *statements {
            tx.execute_batch(statement)?;
        }
        tx.pragma_update(None, "application_id", APPLICATION)?;
        tx.pragma_update(None, "user_version", number)?;
        tx.commit()?;
    }
    Ok(found)
}
