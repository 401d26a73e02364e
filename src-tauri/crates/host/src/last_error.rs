//! Error of the last start: a file in the data folder, for a person who finds no host there.

use crate::clock::now_millis;
use postern_exec::small_file;
use postern_policy::Millis;
use serde::{Deserialize, Serialize};
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

const FILE: &str = "last-error";
const MOST: u64 = 16 * 1024;

/// A start that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastError {
    pub at: Millis,
    pub message: String,
}

/// Keeps why a start failed.
pub(crate) fn save_error(data: &Path, message: &str) {
    let error = LastError { at: now_millis(), message: message.to_owned() };
    if let Err(problem) = write_file(data, &error) {
        // A full or read-only disk, which `doctor` sees by itself.
        tracing::debug!(%problem, "why the start failed cannot be kept");
    }
}

fn write_file(data: &Path, error: &LastError) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600).custom_flags(libc::O_NOFOLLOW);
    options.open(data.join(FILE))?.write_all(&serde_json::to_vec(error)?)
}

/// Removes the error, as a host has started.
pub(crate) fn forget(data: &Path) {
    // Mostly there is none.
    _ = std::fs::remove_file(data.join(FILE));
}

/// Returns why the last start failed; `None` where it did not, or could not say it.
pub(crate) fn read_error(data: &Path) -> Option<LastError> {
    let file = small_file::open_no_link(&data.join(FILE)).ok()?;
    serde_json::from_slice(&small_file::read_bytes(&file, MOST).ok()?).ok()
}
