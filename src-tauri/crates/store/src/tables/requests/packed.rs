//! Long parts of a request, packed into one column: of a new one before it is stored, of others once they have ended.
//!
//! What was asked, its plan, its verdict and the facts say much of the same, and every row has the same members. So they are
//! compressed together (RFC 1951), beginning with a dictionary of what rows are made of.

use crate::column::{UuidColumn, to_json_text};
use crate::error::Error;
use crate::packed_text::{PackedError, PackedForm};
use postern_policy::Risk;
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::Deserialize;
use uuid::Uuid;

/// Form of the long parts of a request.
const FORM: PackedForm = PackedForm { number: 1, dictionary: include_bytes!("packed-1.txt") };
/// Between two parts. JSON text holds none.
const BETWEEN: &str = "\0";
/// Place of the verdict among the parts.
const VERDICT: usize = 3;

/// Columns of the long parts: all of them packed, and each that is not. What came after the packing stands beside it.
pub(super) const COLUMNS: &str = "packed, asked, plan, verdict, facts, ended";
/// Index of a column behind them.
const RISK: usize = 6;

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
    fn to_packed(&self) -> Result<Vec<u8>, Error> {
        let [facts, plan, verdict, ended] = [&self.facts, &self.plan, &self.verdict, &self.ended]
            .map(|part| part.as_deref().unwrap_or_default());
        pack_parts([&self.asked, facts, plan, verdict, ended])
    }

    pub(super) fn unpack(packed: &[u8]) -> Result<Self, PackedError> {
        let text = FORM.unpack_text(packed)?;
        let mut parts = text.split(BETWEEN).map(str::to_owned);
        let mut next = || parts.next().ok_or(PackedError::Cut);
        let some = |part: String| Some(part).filter(|part| !part.is_empty());
        let asked = next()?;
        let [facts, plan, verdict, ended] = [some(next()?), some(next()?), some(next()?), some(next()?)];
        Ok(Self { asked, plan, verdict, facts, ended })
    }

    /// Returns the risk that the verdict names, as JSON text.
    pub(super) fn risk_text(&self) -> Result<Option<String>, Error> {
        let risk = self.verdict.as_deref().and_then(risk_in);
        Ok(risk.as_ref().map(to_json_text).transpose()?)
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
    FORM.pack_text(&parts.join(BETWEEN))
}

/// Returns the risk of a packed verdict; `None` where none is packed, or it is damaged: a list goes on without it.
pub(super) fn packed_risk(packed: &[u8]) -> Option<Risk> {
    risk_in(FORM.unpack_text(packed).ok()?.split(BETWEEN).nth(VERDICT)?)
}

/// Reads the risk alone of a verdict's JSON text.
fn risk_in(verdict: &str) -> Option<Risk> {
    #[derive(Deserialize)]
    struct WithRisk {
        risk: Risk,
    }
    serde_json::from_str::<WithRisk>(verdict).ok().map(|verdict| verdict.risk)
}

/// Packs the long parts of a request that has ended, if some are not packed yet.
pub(crate) fn pack_ended(conn: &Connection, number: i64) -> Result<(), Error> {
    let mut query = conn.prepare_cached(&format!(
        "SELECT {COLUMNS}, risk FROM requests WHERE number = ?1 AND ended_at IS NOT NULL
            AND (packed IS NULL OR coalesce(plan, verdict, facts, ended) IS NOT NULL)"
    ))?;
    let read = |row: &Row<'_>| Ok((LongParts::from_row(row, 0)?, row.get::<_, Option<String>>(RISK)?));
    let Some((parts, risk)) = query.query_row([number], read).optional()? else { return Ok(()) };
    let packed = match parts.to_packed() {
        Ok(packed) => packed,
        Err(error) => {
            tracing::debug!(%error, "the long parts of a request stay as they are");
            return Ok(());
        }
    };
    let is_packed_too = parts.risk_text()? == risk;
    // What lists show of them has columns of its own, but for the risk.
    let mut update = conn.prepare_cached(
        "UPDATE requests SET folder = coalesce(folder, json_extract(plan, '$.cwd.path')),
            denied_by = coalesce(denied_by, json_extract(ended, '$.rule')), packed = ?2, asked = '', plan = NULL, verdict = NULL,
            facts = NULL, ended = NULL, risk = CASE WHEN ?3 THEN NULL ELSE risk END
         WHERE number = ?1",
    )?;
    update.execute(params![number, packed, is_packed_too])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
            _ = LongParts::unpack(&FORM.pack_text(&String::from_utf8_lossy(&bytes)).unwrap());
            prop_assert_eq!(packed_risk(&bytes), None);
        }
    }
}
