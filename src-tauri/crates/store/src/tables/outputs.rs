//! Output of a run: the head and the tail of each stream.

use crate::column::UuidColumn;
use crate::error::Error;
use postern_protocol::OutputStream;
use rusqlite::{Connection, OptionalExtension, params};
use uuid::Uuid;

pub(crate) const SCHEMA: &str = "
CREATE TABLE outputs (
    request BLOB NOT NULL REFERENCES requests (id) ON DELETE CASCADE,
    stream  TEXT NOT NULL CHECK (stream IN ('stdout', 'stderr')),
    bytes   INTEGER NOT NULL,
    head    BLOB NOT NULL,
    tail    BLOB NOT NULL,
    PRIMARY KEY (request, stream)
) STRICT;
";

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
        let done = store.write(move |conn| {
            requests::record_request(conn, &request)?;
            save_output(conn, key, OutputStream::Stdout, &one)?;
            save_output(conn, key, OutputStream::Stdout, &two)?;
            save_output(conn, key, OutputStream::Stderr, &one)
        });
        done.wait().unwrap();
        let read = |stream| store.read(|conn| get_output(conn, key, stream)).unwrap();
        assert_eq!(read(OutputStream::Stdout), Some(last.clone()));
        assert_eq!(read(OutputStream::Stderr), Some(first));
        assert_eq!(last.left_out(), 5);
        assert_eq!(store.read(|conn| get_output(conn, Uuid::nil(), OutputStream::Stdout)).unwrap(), None);
    }
}
