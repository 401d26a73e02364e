//! Disk: what the record grows by for each request that a rule denies, once the host has been idle for a while.

use crate::Effort;
use crate::data::{Data, denied};
use crate::figures::round_trip::{ask_denied, hear};
use crate::processes::Host;
use crate::table::{Row, Value};
use postern_store::{FILE_NAME, Store};
use std::path::Path;

/// Goal in bytes.
const GOAL: f64 = 1024.0;
/// Requests for each unit of effort.
const REQUESTS: u32 = 2_000;

pub(crate) fn measure(postern: &Path, data: &Data, effort: Effort) -> anyhow::Result<Row> {
    let before = used(data)?;
    let host = Host::start(postern, data.folder())?;
    let mut channel = data.connect(&denied(0))?;
    let requests = REQUESTS * u32::try_from(effort.size)?;
    for _ in 0..requests {
        ask_denied(&mut channel)?;
        hear(&mut channel)?;
    }
    host.stop()?;
    let each = (used(data)? - before) / f64::from(requests);
    Ok(Row::alone("disk, a denied request", Value::number(each, "bytes"), "<= 1 KiB", each <= GOAL))
}

/// Bytes of the record in use, when all was done with it that an idle host does.
fn used(data: &Data) -> anyhow::Result<f64> {
    let store = Store::open(&data.folder().join(FILE_NAME))?;
    store.write(postern_store::search::index_all).wait()?;
    let bytes = store.read(|conn| {
        let sql = "SELECT (SELECT page_count FROM pragma_page_count) - (SELECT freelist_count FROM pragma_freelist_count)";
        let pages: u32 = conn.query_row(sql, [], |row| row.get(0))?;
        Ok(f64::from(pages) * 4096.0)
    })?;
    store.close();
    Ok(bytes)
}
