//! Long parts of a request, packed into one column: of a new one before it is stored, of others once they have ended.
//!
//! What was asked, its plan, its verdict and the facts say much of the same, and every row has the same members. So they are
//! compressed together (RFC 1951), beginning with a dictionary of what rows are made of.

use crate::column::UuidColumn;
use crate::error::Error;
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row, params};
use uuid::Uuid;

/// Dictionary of the first form. Never edited: what was packed with it could not be read any more.
const DICTIONARY: &[u8] = include_bytes!("packed-1.txt");
/// First byte of a packed value: its form.
const FORM: u8 = 1;
/// Bytes before the compressed ones: the form, and the length of what was packed.
const HEAD: usize = 5;
/// Most bytes that are unpacked. A request, its plan and its facts have limits of their own far below.
const MOST: usize = 256 << 20;
/// Level of compression: what is saved beyond costs more time than it is worth.
const LEVEL: u32 = 6;
/// Between two parts. JSON text holds none.
const BETWEEN: &str = "\0";
/// Bytes of a window that holds the dictionary and a row of the usual length, as a power of two.
const WINDOW_BITS: u8 = 14;

/// Columns of the long parts: all of them packed, and each that is not. What came after the packing stands beside it.
pub(super) const COLUMNS: &str = "packed, asked, plan, verdict, facts, ended";

/// Long parts of a request, as JSON texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LongParts {
    /// Request as it was sent.
    pub(super) asked: String,
    pub(super) plan: Option<String>,
    pub(super) verdict: Option<String>,
    pub(super) facts: Option<String>,
    /// Ending, as it is told.
    pub(super) ended: Option<String>,
}

impl LongParts {
    /// Packs them.
    fn to_packed(&self) -> Result<Vec<u8>, Error> {
        let [facts, plan, verdict, ended] = [&self.facts, &self.plan, &self.verdict, &self.ended]
            .map(|part| part.as_deref().unwrap_or_default());
        pack_parts([&self.asked, facts, plan, verdict, ended])
    }

    /// Unpacks them.
    pub(super) fn unpack(packed: &[u8]) -> Result<Self, PackedError> {
        let (head, compressed) = packed.split_first_chunk::<HEAD>().ok_or(PackedError::Cut)?;
        let [FORM, length @ ..] = *head else { return Err(PackedError::Form(head[0])) };
        let length = usize::try_from(u32::from_le_bytes(length)).ok().filter(|length| *length <= MOST);
        let mut unpacker = Decompress::new_with_window_bits(false, WINDOW_BITS);
        unpacker.set_dictionary(DICTIONARY)?;
        // One byte more tells a text that is longer than it says.
        let mut text = Vec::with_capacity(length.ok_or(PackedError::Cut)? + 1);
        let status = unpacker.decompress_vec(compressed, &mut text, FlushDecompress::Finish)?;
        if status != Status::StreamEnd || Some(text.len()) != length {
            return Err(PackedError::Cut);
        }
        let text = String::from_utf8(text).map_err(|_| PackedError::Cut)?;
        let mut parts = text.split(BETWEEN).map(str::to_owned);
        let mut next = || parts.next().ok_or(PackedError::Cut);
        let some = |part: String| Some(part).filter(|part| !part.is_empty());
        let asked = next()?;
        let [facts, plan, verdict, ended] = [some(next()?), some(next()?), some(next()?), some(next()?)];
        Ok(Self { asked, plan, verdict, facts, ended })
    }

    /// Reads them of a request, if it is there.
    pub(super) fn of_request(conn: &Connection, id: Uuid) -> Result<Option<Self>, Error> {
        let mut query = conn.prepare_cached(&format!("SELECT {COLUMNS} FROM requests WHERE id = ?1"))?;
        Ok(query.query_row([UuidColumn(id)], |row| Self::from_row(row, 0)).optional()?)
    }

    /// Reads them from [`COLUMNS`], the first of which has this index.
    pub(super) fn from_row(row: &Row<'_>, first: usize) -> rusqlite::Result<Self> {
        let columns = Self {
            asked: row.get(first + 1)?,
            plan: row.get(first + 2)?,
            verdict: row.get(first + 3)?,
            facts: row.get(first + 4)?,
            ended: row.get(first + 5)?,
        };
        let Some(packed) = row.get::<_, Option<Vec<u8>>>(first)? else { return Ok(columns) };
        let packed = Self::unpack(&packed)
            .map_err(|error| rusqlite::Error::FromSqlConversionFailure(first, Type::Blob, Box::new(error)))?;
        Ok(Self {
            asked: if columns.asked.is_empty() { packed.asked } else { columns.asked },
            plan: columns.plan.or(packed.plan),
            verdict: columns.verdict.or(packed.verdict),
            facts: columns.facts.or(packed.facts),
            ended: columns.ended.or(packed.ended),
        })
    }
}

/// Packs long parts: what was asked, the facts, the plan, the verdict and the ending. One that is not there is empty.
pub(super) fn pack_parts(parts: [&str; 5]) -> Result<Vec<u8>, Error> {
    let text = parts.join(BETWEEN);
    let length = u32::try_from(text.len()).ok().filter(|_| text.len() <= MOST);
    let length =
        length.ok_or_else(|| Error::Refused(format!("{} bytes are too many for a row", text.len())))?;
    let failed = |error: &dyn std::fmt::Display| Error::Refused(format!("a row cannot be packed: {error}"));
    let mut packer = Compress::new_with_window_bits(Compression::new(LEVEL), false, WINDOW_BITS);
    packer.set_dictionary(DICTIONARY).map_err(|error| failed(&error))?;
    // What cannot be compressed grows by a few bytes for each block.
    let mut packed = Vec::with_capacity(HEAD + text.len() + text.len() / 8 + 64);
    packed.push(FORM);
    packed.extend_from_slice(&length.to_le_bytes());
    match packer.compress_vec(text.as_bytes(), &mut packed, FlushCompress::Finish) {
        Ok(Status::StreamEnd) => Ok(packed),
        Ok(_) => Err(failed(&"it grew")),
        Err(error) => Err(failed(&error)),
    }
}

/// Packed parts that are not what was written.
#[derive(Debug, thiserror::Error)]
pub(super) enum PackedError {
    #[error("the long parts of a request are cut or damaged")]
    Cut,
    #[error("the long parts of a request have a form that is not known here: {0}")]
    Form(u8),
    #[error("the long parts of a request are damaged: {0}")]
    Damaged(#[from] flate2::DecompressError),
}

/// Packs the long parts of a request that has ended, if some are not packed yet.
pub(crate) fn pack_ended(conn: &Connection, number: i64) -> Result<(), Error> {
    let mut query = conn.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM requests WHERE number = ?1 AND ended_at IS NOT NULL
            AND (packed IS NULL OR coalesce(plan, verdict, facts, ended) IS NOT NULL)"
    ))?;
    let Some(parts) = query.query_row([number], |row| LongParts::from_row(row, 0)).optional()? else {
        return Ok(());
    };
    let packed = match parts.to_packed() {
        Ok(packed) => packed,
        Err(error) => {
            tracing::debug!(%error, "the long parts of a request stay as they are");
            return Ok(());
        }
    };
    // What lists show of them has columns of its own.
    let mut update = conn.prepare_cached(
        "UPDATE requests SET folder = coalesce(folder, json_extract(plan, '$.cwd.path')),
            denied_by = coalesce(denied_by, json_extract(ended, '$.rule')), packed = ?2, asked = '', plan = NULL, verdict = NULL,
            facts = NULL, ended = NULL
         WHERE number = ?1",
    )?;
    update.execute(params![number, packed])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    impl LongParts {
        fn of_asked(asked: &str) -> Self {
            Self { asked: asked.to_owned(), plan: None, verdict: None, facts: None, ended: None }
        }
    }

    fn parts() -> impl Strategy<Value = LongParts> {
        let text = || prop::option::of("[^\0]{1,200}");
        ("[^\0]{1,200}", [text(), text(), text(), text()]).prop_map(
            |(asked, [plan, verdict, facts, ended])| LongParts { asked, plan, verdict, facts, ended },
        )
    }

    proptest! {
        #[test]
        fn parts_are_unpacked_as_they_were(parts in parts()) {
            prop_assert_eq!(LongParts::unpack(&parts.to_packed().unwrap()).unwrap(), parts);
        }

        /// A damaged record holds anything.
        #[test]
        fn nothing_that_is_unpacked_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            _ = LongParts::unpack(&bytes);
            _ = LongParts::unpack(&[&[FORM, 9, 0, 0, 0], &bytes[..]].concat());
        }
    }

    #[test]
    fn what_was_changed_is_not_unpacked() {
        let parts = LongParts { facts: Some("x".repeat(99)), ..LongParts::of_asked("{\"a\":1}") };
        let packed = parts.to_packed().unwrap();
        let changed = |at: usize, to: u8| {
            let mut packed = packed.clone();
            packed[at] = to;
            LongParts::unpack(&packed)
        };
        assert!(matches!(changed(0, 2), Err(PackedError::Form(2))));
        assert!(changed(1, packed[1] - 1).is_err(), "it is longer than it says");
        assert!(changed(1, packed[1] + 1).is_err(), "it is shorter than it says");
        assert!(changed(4, 0xff).is_err(), "it says that it is longer than any");
        for length in 0..packed.len() {
            assert!(LongParts::unpack(&packed[..length]).is_err(), "cut after {length} bytes");
        }
    }

    #[test]
    fn what_cannot_be_compressed_is_packed_too() {
        let noise: String = (0_u32..60_000)
            .filter_map(|nth| char::from_u32(0x2_0000 + nth.wrapping_mul(2_654_435_761) % 0xa000))
            .collect();
        let parts = LongParts::of_asked(&noise);
        assert_eq!(LongParts::unpack(&parts.to_packed().unwrap()).unwrap(), parts);
    }
}
