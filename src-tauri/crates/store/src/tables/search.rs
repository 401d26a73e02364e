//! Index of the history: full text search over the command lines, and tags for what else a list is filtered
//! by.
//!
//! The tags are agent, phase, decision, rule, effects and folder, so that every combination is found in order without
//! a look at what does not fit. The writer indexes requests when nobody writes, once they have ended, so that
//! none waits for it; those that are not indexed yet are looked through.

use super::requests::{Filter, SUMMARY, Summary, pack_ended, summary};
use super::tally;
use super::wanted::SearchWord;
use crate::error::Error;
use postern_policy::{AgentId, RuleId};
use postern_protocol::{Decided, RunState, encode_hex};
use rusqlite::{Connection, Params, params};
use sha2::{Digest as _, Sha256};

pub(crate) const SCHEMA: &str = include_str!("schema/search.sql");

/// Schema with tags, and with short beginnings of words as quick to find as long ones.
///
/// `late` are the requests that still lived when the index went past them. Everything is indexed again.
pub(crate) const SCHEMA_WITH_TAGS: &str = include_str!("schema/search_with_tags.sql");

/// Statements that empty the index: everything is indexed and counted again.
pub(crate) const AGAIN: &str = "INSERT INTO search (search) VALUES ('delete-all'); DELETE FROM late; UPDATE search_state SET indexed = 0;";

/// Beginning of every tag: the index keeps beginnings of words up to three letters, and tags share theirs. No word of a
/// line begins so.
const MARK: &str = "\u{a66e}\u{a66e}\u{a66e}";

/// Returns the words of a text: what stands between spaces, where it holds a letter or a digit.
pub(crate) fn split_words(text: &str) -> Vec<String> {
    let words = text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric));
    words.map(str::to_owned).collect()
}

/// Returns the words that a filter looks for.
pub(crate) fn wanted(filter: &Filter) -> Vec<SearchWord> {
    split_words(filter.search.as_deref().unwrap_or_default())
        .iter()
        .map(|word| SearchWord::new(word))
        .collect()
}

/// Returns the query of the index for a filter and its words; `None` if it names nothing that the index has.
pub(crate) fn index_query(filter: &Filter, words: &[SearchWord]) -> Option<String> {
    let tags = [
        filter.agent.as_ref().map(agent_tag),
        filter.phase.map(phase_tag),
        filter.decided.map(decided_tag),
        filter.rule.map(rule_tag),
        filter.effect.map(effect_tag),
        filter.folder.as_deref().map(folder_tag),
    ];
    let tags = tags.into_iter().flatten().map(|tag| format!("tags:{MARK}{tag}"));
    let terms: Vec<String> = words.iter().map(SearchWord::index_query).chain(tags).collect();
    (!terms.is_empty()).then(|| terms.join(" "))
}

/// Tags are single words of letters and digits: an agent's name may hold what parts words.
fn agent_tag(agent: &AgentId) -> String {
    format!("agent{}", encode_hex(agent.as_str().as_bytes()))
}

fn phase_tag(phase: RunState) -> String {
    format!("phase{}", phase.name())
}

fn decided_tag(decided: Decided) -> String {
    format!("decided{}", decided.name().replace('-', ""))
}

fn rule_tag(rule: RuleId) -> String {
    let sign = if rule < 0 { "file" } else { "" };
    format!("rule{sign}{}", rule.unsigned_abs())
}

fn effect_tag(kind: &str) -> String {
    format!("effect{}", kind.replace('-', ""))
}

/// Returns the tag of a folder: its hash, because a path may be long and holds what parts words.
fn folder_tag(folder: &str) -> String {
    format!("folder{}", encode_hex(&Sha256::digest(folder)))
}

fn index_tags(summary: &Summary) -> String {
    let mut tags = vec![agent_tag(&summary.agent), phase_tag(summary.phase)];
    tags.extend(summary.decided().map(decided_tag));
    tags.extend(summary.rule_id().map(rule_tag));
    tags.extend(summary.effects().map(effect_tag));
    tags.extend(summary.folder.as_deref().map(folder_tag));
    tags.iter().map(|tag| format!("{MARK}{tag}")).collect::<Vec<_>>().join(" ")
}

/// Returns the last request that the index went past.
pub(crate) fn indexed(conn: &Connection) -> rusqlite::Result<i64> {
    conn.prepare_cached("SELECT indexed FROM search_state")?.query_row([], |row| row.get(0))
}

/// Indexes the next `most` requests, and those that have ended since the index went past them. Gives whether there are
/// more.
pub(crate) fn index_some(conn: &Connection, most: usize) -> Result<bool, Error> {
    let ended = query_summaries(
        conn,
        &format!(
            "SELECT {SUMMARY} FROM late CROSS JOIN requests USING (number)
             WHERE ended_at IS NOT NULL ORDER BY number LIMIT ?1"
        ),
        params![most],
    )?;
    for summary in &ended {
        conn.prepare_cached("DELETE FROM late WHERE number = ?1")?.execute([summary.number])?;
        index_request(conn, summary)?;
    }
    let next = query_summaries(
        conn,
        &format!("SELECT {SUMMARY} FROM requests WHERE number > ?1 ORDER BY number LIMIT ?2"),
        params![indexed(conn)?, most],
    )?;
    for summary in &next {
        if summary.phase.has_ended() {
            index_request(conn, summary)?;
        } else {
            conn.prepare_cached("INSERT INTO late (number) VALUES (?1)")?.execute([summary.number])?;
        }
    }
    if let Some(last) = next.last() {
        conn.prepare_cached("UPDATE search_state SET indexed = ?1")?.execute([last.number])?;
    }
    Ok(next.len() == most || ended.len() == most)
}

fn query_summaries(conn: &Connection, sql: &str, values: impl Params) -> rusqlite::Result<Vec<Summary>> {
    conn.prepare_cached(sql)?.query_map(values, summary)?.collect()
}

/// Indexes and counts a request that has ended, and packs what is long of it.
fn index_request(conn: &Connection, summary: &Summary) -> Result<(), Error> {
    conn.prepare_cached("INSERT INTO search (rowid, words, tags) VALUES (?1, ?2, ?3)")?.execute(params![
        summary.number,
        summary.line,
        index_tags(summary)
    ])?;
    tally::count_request(conn, summary)?;
    pack_ended(conn, summary.number)
}

/// Indexes every request that waits for it, for a history that is filled in one go.
pub fn index_all(conn: &Connection) -> Result<(), Error> {
    while index_some(conn, 10_000)? {}
    Ok(())
}

/// Lets requests be indexed whose numbers come after this one, also where the index went past those numbers before.
pub(crate) fn go_back(conn: &Connection, number: i64) -> rusqlite::Result<()> {
    conn.prepare_cached("UPDATE search_state SET indexed = min(indexed, ?1)")?.execute([number]).map(drop)
}

/// Forgets a request that is about to be deleted.
pub(crate) fn forget(conn: &Connection, number: i64) -> rusqlite::Result<()> {
    conn.prepare_cached("DELETE FROM late WHERE number = ?1")?.execute([number])?;
    conn.prepare_cached("DELETE FROM search WHERE rowid = ?1")?.execute([number]).map(drop)
}

#[cfg(test)]
mod tests {
    use crate::tables::history;
    use crate::tables::requests::{self, Filter};
    use crate::testing::{new_request, open_temp_store};

    #[test]
    fn words_find_lines_indexed_or_not_and_are_never_operators() {
        let (_folder, store) = open_temp_store();
        let lines = ["git push origin main", "git status", "npm run \"build\" -- --watch", "ls node_modules"];
        let found = |words: &str| {
            let filter = Filter { search: Some(words.into()), ..Filter::default() };
            let found = store.read(|conn| history::list_newest(conn, &filter, 10)).unwrap();
            found.into_iter().map(|row| row.line).collect::<Vec<_>>()
        };
        store.write_now(move |conn| {
            for (nth, line) in (1..).zip(lines) {
                requests::record_request(
                    conn,
                    &requests::NewRequest {
                        line: line.into(),
                        ..new_request("main", &format!("r{nth}"), nth)
                    },
                )?;
            }
            Ok(())
        });
        let table: [(&str, &[&str]); 8] = [
            ("git", &[lines[1], lines[0]]),
            ("GIT pu", &[lines[0]]),
            ("\"build\"", &[lines[2]]),
            ("build --watch", &[lines[2]]),
            ("node_modules", &[lines[3]]),
            ("git OR npm", &[]),
            ("git NOT push", &[]),
            ("--", &[lines[3], lines[2], lines[1], lines[0]]),
        ];
        for (words, expected) in table {
            assert_eq!(found(words), expected, "{words}, perhaps not indexed yet");
        }
        store.write_now(super::index_all);
        for (words, expected) in table {
            assert_eq!(found(words), expected, "{words}, indexed");
        }
    }
}
