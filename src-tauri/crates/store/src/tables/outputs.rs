//! Output of a run: the head and the tail of each stream.

use super::requests::{SUMMARY, Summary, summary};
use crate::column::UuidColumn;
use crate::error::Error;
use postern_protocol::OutputStream;
use rusqlite::{Connection, OptionalExtension, params};
use uuid::Uuid;

pub(crate) const SCHEMA: &str = include_str!("schema/outputs.sql");

/// Most streams that a search looks through, the newest first.
const MOST_SEARCHED: u32 = 1000;
/// Most bytes that a search looks through.
const MOST_SEARCHED_BYTES: usize = 16 * 1024 * 1024;

/// Kept part of a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutputExcerpt {
    /// Number of bytes in all.
    pub bytes: u64,
    /// The first of them.
    pub head: Vec<u8>,
    /// The last of them that are not part of the head.
    pub tail: Vec<u8>,
}

impl OutputExcerpt {
    /// Returns the number of bytes between head and tail.
    pub fn left_out(&self) -> u64 {
        let kept = self.head.len().saturating_add(self.tail.len());
        self.bytes.saturating_sub(u64::try_from(kept).unwrap_or(u64::MAX))
    }

    /// Returns true if what is kept has these bytes, in any case of ASCII letters. `wanted` in lower case.
    fn contains(self, wanted: &[u8]) -> bool {
        let holds = |mut part: Vec<u8>| {
            part.make_ascii_lowercase();
            memchr::memmem::find(&part, wanted).is_some()
        };
        match self.left_out() {
            0 => holds([self.head, self.tail].concat()),
            _ => holds(self.head) || holds(self.tail),
        }
    }
}

/// Writes what is kept of a stream; what was there before is replaced.
pub fn save_output(
    conn: &Connection,
    request: Uuid,
    stream: OutputStream,
    output: &OutputExcerpt,
) -> Result<(), Error> {
    let mut upsert = conn.prepare_cached(
        "INSERT INTO outputs (request, stream, bytes, head, tail) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (request, stream) DO UPDATE SET bytes = excluded.bytes, head = excluded.head, tail = excluded.tail",
    )?;
    upsert.execute(params![UuidColumn(request), stream.name(), output.bytes, output.head, output.tail])?;
    Ok(())
}

/// Returns the kept part of a stream.
pub fn get_output(
    conn: &Connection,
    request: Uuid,
    stream: OutputStream,
) -> Result<Option<OutputExcerpt>, Error> {
    let mut query =
        conn.prepare_cached("SELECT bytes, head, tail FROM outputs WHERE request = ?1 AND stream = ?2")?;
    let output = query.query_row(params![UuidColumn(request), stream.name()], |row| {
        Ok(OutputExcerpt { bytes: row.get(0)?, head: row.get(1)?, tail: row.get(2)? })
    });
    Ok(output.optional()?)
}

/// Finds the newest requests whose kept output has this text, in any case of its ASCII letters; at most `limit`.
///
/// Output has no index: it may be large, and is seldom searched. So only the newest is looked through, at most 1,000 streams
/// or 16 MiB of them.
pub fn find_in_output(conn: &Connection, text: &str, limit: usize) -> Result<Vec<Summary>, Error> {
    let wanted = text.trim().to_ascii_lowercase();
    let mut found: Vec<Uuid> = Vec::new();
    if wanted.is_empty() || limit == 0 {
        return Ok(Vec::new());
    }
    let mut query =
        conn.prepare_cached("SELECT request, bytes, head, tail FROM outputs ORDER BY rowid DESC LIMIT ?1")?;
    let mut rows = query.query([MOST_SEARCHED])?;
    let mut looked = 0_usize;
    while let Some(row) = rows.next()? {
        let id = row.get::<_, UuidColumn>(0)?.0;
        let output = OutputExcerpt { bytes: row.get(1)?, head: row.get(2)?, tail: row.get(3)? };
        looked = looked.saturating_add(output.head.len()).saturating_add(output.tail.len());
        if !found.contains(&id) && output.contains(wanted.as_bytes()) {
            found.push(id);
        }
        if found.len() == limit || looked > MOST_SEARCHED_BYTES {
            break;
        }
    }
    let mut query = conn.prepare_cached(&format!("SELECT {SUMMARY} FROM requests WHERE id = ?1"))?;
    found.into_iter().map(|id| Ok(query.query_row([UuidColumn(id)], summary)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::requests;
    use crate::testing::{new_request, open_temp_store};

    #[test]
    fn head_and_tail_of_each_stream_are_kept() {
        let (_folder, store) = open_temp_store();
        let request = new_request("main", "r1", 1);
        let key = request.id;
        let first = OutputExcerpt { bytes: 3, head: b"abc".to_vec(), tail: Vec::new() };
        let last = OutputExcerpt { bytes: 10, head: b"abc".to_vec(), tail: vec![0, 255] };
        let (one, two) = (first.clone(), last.clone());
        store.write_now(move |conn| {
            requests::record_request(conn, &request)?;
            save_output(conn, key, OutputStream::Stdout, &one)?;
            save_output(conn, key, OutputStream::Stdout, &two)?;
            save_output(conn, key, OutputStream::Stderr, &one)
        });
        let read = |stream| store.read(|conn| get_output(conn, key, stream)).unwrap();
        assert_eq!(read(OutputStream::Stdout), Some(last.clone()));
        assert_eq!(read(OutputStream::Stderr), Some(first));
        assert_eq!(last.left_out(), 5);
        assert_eq!(store.read(|conn| get_output(conn, Uuid::nil(), OutputStream::Stdout)).unwrap(), None);
    }

    #[test]
    fn a_request_is_found_by_what_it_printed() {
        let (_folder, store) = open_temp_store();
        let requests = [("r1", 1), ("r2", 2), ("r3", 3)].map(|(name, at)| new_request("main", name, at));
        let ids = requests.clone().map(|request| request.id);
        let outputs = [
            OutputExcerpt { bytes: 12, head: b"error: no fi".to_vec(), tail: Vec::new() },
            OutputExcerpt { bytes: 14, head: b"Error: ".to_vec(), tail: b"No File".to_vec() },
            OutputExcerpt { bytes: 99, head: b"error: no".to_vec(), tail: b" file".to_vec() },
        ];
        store.write_now(move |conn| {
            for (request, output) in requests.iter().zip(&outputs) {
                requests::record_request(conn, request)?;
                save_output(conn, request.id, OutputStream::Stdout, output)?;
                save_output(conn, request.id, OutputStream::Stderr, output)?;
            }
            Ok(())
        });
        let found = |text: &str, limit| {
            let found = store.read(|conn| find_in_output(conn, text, limit)).unwrap();
            found.into_iter().map(|summary| summary.id).collect::<Vec<_>>()
        };
        let got = found("error: NO FILE", 9);
        assert_eq!(got, [ids[1]], "across head and tail, and not across what is left out");
        assert_eq!(found(" Error: ", 9), [ids[2], ids[1], ids[0]], "each once, the newest first");
        assert_eq!(found("error", 2), [ids[2], ids[1]]);
        assert_eq!((found("warning", 9), found(" ", 9)), (vec![], vec![]));
    }
}
