//! Full text search over the command lines. Lines are indexed by the writer when nobody writes, so that no request
//! waits for it; the few that are not indexed yet are looked through.

use crate::error::Error;
use rusqlite::{Connection, params};

pub(crate) const SCHEMA: &str = "
CREATE VIRTUAL TABLE search USING fts5 (words, content = '', contentless_delete = 1, tokenize = 'unicode61');
CREATE TABLE search_state (
    one     INTEGER PRIMARY KEY CHECK (one = 1),
    indexed INTEGER NOT NULL
) STRICT;
INSERT INTO search_state (one, indexed) VALUES (1, 0);
";

/// Words that are looked for.
pub(crate) struct Words {
    /// For the index.
    pub(crate) query: String,
    /// As a JSON list, for looking through lines.
    pub(crate) json: String,
}

/// The words of a text: what stands between spaces. Each is looked for as it is, from its beginning; nothing in them
/// is an operator. None where there is nothing to look for.
pub(crate) fn words(text: &str) -> Option<Words> {
    let words = text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric));
    let words: Vec<&str> = words.collect();
    if words.is_empty() {
        return None;
    }
    let quoted: Vec<String> =
        words.iter().map(|word| format!("\"{}\"*", word.replace('"', "\"\""))).collect();
    Some(Words { query: quoted.join(" "), json: serde_json::json!(words).to_string() })
}

/// Up to which request lines are indexed.
pub(crate) fn indexed(conn: &Connection) -> rusqlite::Result<i64> {
    conn.prepare_cached("SELECT indexed FROM search_state")?.query_row([], |row| row.get(0))
}

/// Indexes the next `lines` lines. Gives whether there are more.
pub(crate) fn index_some(conn: &Connection, lines: usize) -> rusqlite::Result<bool> {
    let from = indexed(conn)?;
    let mut query =
        conn.prepare_cached("SELECT number, line FROM requests WHERE number > ?1 ORDER BY number LIMIT ?2")?;
    let mut insert = conn.prepare_cached("INSERT INTO search (rowid, words) VALUES (?1, ?2)")?;
    let (mut done, mut last) = (0, from);
    let mut rows = query.query(params![from, lines])?;
    while let Some(row) = rows.next()? {
        last = row.get(0)?;
        insert.execute(params![last, row.get_ref(1)?.as_str()?])?;
        done += 1;
    }
    if done > 0 {
        conn.prepare_cached("UPDATE search_state SET indexed = ?1")?.execute([last])?;
    }
    Ok(done == lines)
}

/// Indexes every line that waits for it: for whoever fills a history in one go.
pub fn index_all(conn: &Connection) -> Result<(), Error> {
    while index_some(conn, 10_000)? {}
    Ok(())
}

/// Forgets a line that is about to be deleted.
pub(crate) fn forget(conn: &Connection, number: i64) -> rusqlite::Result<()> {
    conn.prepare_cached("DELETE FROM search WHERE rowid = ?1")?.execute([number]).map(drop)
}

#[cfg(test)]
mod tests {
    use crate::tables::requests::{self, Filter};
    use crate::testing::{asked, open};

    #[test]
    fn words_find_lines_indexed_or_not_and_are_never_operators() {
        let (_folder, store) = open();
        let lines = ["git push origin main", "git status", "npm run \"build\" -- --watch", "ls node_modules"];
        let found = |words: &str| {
            let filter = Filter { search: Some(words.into()), ..Filter::default() };
            let found = store.read(|conn| requests::list(conn, &filter, 10)).unwrap();
            found.into_iter().map(|row| row.line).collect::<Vec<_>>()
        };
        let done = store.write(move |conn| {
            for (nth, line) in (1..).zip(lines) {
                requests::open(
                    conn,
                    &requests::NewRequest { line: line.into(), ..asked("main", &format!("r{nth}"), nth) },
                )?;
            }
            Ok(())
        });
        done.wait().unwrap();
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
        store.write(super::index_all).wait().unwrap();
        for (words, expected) in table {
            assert_eq!(found(words), expected, "{words}, indexed");
        }
    }
}
