//! What a file is: sha256 of its content, its metadata, its version and (macOS) its signature. Read through the opened
//! file (the signature by path, with proof that it is the same file), and remembered for as long as the file cannot have changed unseen.

#[cfg(target_os = "macos")]
mod macos_signature;
mod signature;
mod state;
mod version;

pub use state::FileState;
pub use version::version_of;

use postern_policy::{Identity, Signature};
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// The largest file that is identified, in bytes. What is larger is not run.
pub const MAX_FILE_BYTES: u64 = 512 * 1024 * 1024;
/// How many files are remembered; reaching it forgets them all, which costs one more hash each.
const MAX_REMEMBERED: usize = 4096;
/// A file that changed this recently can change again without its times showing it.
const UNSETTLED: Duration = Duration::from_secs(2);
/// How often a file that changes while it is read is read again.
const ATTEMPTS: usize = 3;
/// Bytes read at a time.
const BLOCK: usize = 128 * 1024;

/// Why a file has no identity.
#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    /// It cannot be read.
    #[error("cannot be read: {0}")]
    Unreadable(#[from] std::io::Error),
    /// It is larger than [`MAX_FILE_BYTES`].
    #[error("is larger than 512 MiB")]
    TooLarge,
    /// It changed each time while it was read.
    #[error("is being written to")]
    Changing,
}

/// A file, identified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identified {
    /// Which file it is and when it had last changed.
    pub state: FileState,
    /// What it is.
    pub identity: Identity,
    /// Whether its last change was so long ago that another one cannot hide behind the same time.
    pub settled: bool,
}

/// What the content of a file says; the same for every path to it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Content {
    sha256: String,
    signature: Option<Signature>,
}

/// Remembers what files are, keyed by everything that changes when a file does (device, inode, size, mtime, ctime).
#[derive(Debug, Default)]
pub struct Identities {
    known: Mutex<HashMap<FileState, Arc<Content>>>,
}

impl Identities {
    /// An empty memory.
    pub fn new() -> Self {
        Self::default()
    }

    /// What `file` is. `real_path` only helps to tell its version and, on macOS, to find its signature.
    ///
    /// # Errors
    /// [`IdentityError`]: unreadable, too large, or written to while it is read.
    pub fn of(&self, file: &File, real_path: &Path) -> Result<Identified, IdentityError> {
        for _ in 0..ATTEMPTS {
            let state = FileState::of(file)?;
            if let Some(content) = self.remembered(&state) {
                let identity = identity(&state, &content, real_path);
                return Ok(Identified { state, identity, settled: true });
            }
            let settled = state.settled(SystemTime::now(), UNSETTLED);
            let sha256 = sha256(file, state.size)?;
            if FileState::of(file)? != state {
                continue;
            }
            let content = Arc::new(Content { sha256, signature: signature::of(file, real_path) });
            if settled {
                self.remember(state, &content);
            }
            return Ok(Identified { state, identity: identity(&state, &content, real_path), settled });
        }
        Err(IdentityError::Changing)
    }

    fn remembered(&self, state: &FileState) -> Option<Arc<Content>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).get(state).cloned()
    }

    fn remember(&self, state: FileState, content: &Arc<Content>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_REMEMBERED {
            known.clear();
        }
        known.insert(state, Arc::clone(content));
    }
}

fn identity(state: &FileState, content: &Content, real_path: &Path) -> Identity {
    Identity {
        sha256: content.sha256.clone(),
        size: state.size,
        mtime_ns: state.mtime_ns.to_string(),
        ctime_ns: state.ctime_ns.to_string(),
        device: state.device,
        inode: state.inode.to_string(),
        version: version_of(real_path),
        signature: content.signature.clone(),
    }
}

/// sha256 of the first `size` bytes of an opened file, 64 hex digits. Its read position stays where it is.
///
/// # Errors
/// [`IdentityError`]: unreadable, too large, or shorter than `size`.
pub fn sha256(file: &File, size: u64) -> Result<String, IdentityError> {
    if size > MAX_FILE_BYTES {
        return Err(IdentityError::TooLarge);
    }
    let mut hash = Sha256::new();
    let mut block = vec![0; BLOCK];
    let mut offset = 0;
    while offset < size {
        let read = file.read_at(&mut block, offset)?;
        if read == 0 {
            return Err(IdentityError::Changing);
        }
        hash.update(&block[..read]);
        offset += read as u64;
    }
    Ok(hex(&hash.finalize()))
}

/// Bytes as lower-case hex digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

#[cfg(test)]
mod tests;
