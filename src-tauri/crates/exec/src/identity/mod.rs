//! Identity of a file: sha256 of its content, its metadata, its version and (macOS) its signature.
//!
//! Read through the opened file (the signature by path, with proof that it is the same file), and remembered
//! for as long as the file cannot have changed unseen.

mod allowance;
#[cfg(any(target_os = "macos", test))]
mod code_directory;
#[cfg(target_os = "macos")]
mod macos_signature;
mod memory;
mod signature;
mod state;
#[cfg(any(test, target_os = "macos"))]
mod unproven;
mod version;

pub use allowance::{Allowance, FILES, Meter, Overrun};
#[cfg(target_os = "macos")]
pub(crate) use macos_signature::{requirement as code_requirement, team_id as signing_team};
pub use state::FileState;
pub use version::version_of;

use memory::Memory;
use parking_lot::Mutex;
use postern_policy::{Identity, Signature};
use postern_protocol::encode_hex;
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// The largest file that is identified, in bytes. What is larger is not run.
pub const MAX_FILE_BYTES: u64 = 512 * 1024 * 1024;
/// A file that changed this recently can change again without its times showing it.
const UNSETTLED: Duration = Duration::from_secs(2);
/// Number of times that a file that changes while it is read is read again.
const ATTEMPTS: usize = 3;
/// Bytes read at a time.
const BLOCK: usize = 128 * 1024;

/// Reason why a file has no identity.
#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    #[error("cannot be read: {0}")]
    Unreadable(#[from] std::io::Error),
    /// Larger than [`MAX_FILE_BYTES`].
    #[error("is larger than 512 MiB")]
    TooLarge,
    /// Changed each time while it was read.
    #[error("is being written to")]
    Changing,
    /// The allowance is used up, or nobody waits for it.
    #[error("was not looked at: {0}")]
    Overrun(#[from] Overrun),
}

/// A file, identified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identified {
    /// Inode and times when it was identified.
    pub state: FileState,
    pub identity: Identity,
    /// True if its last change was so long ago that another one cannot hide behind the same time.
    pub settled: bool,
}

/// Facts from the content of a file; the same for every path to it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Content {
    sha256: String,
    signature: Option<Signature>,
}

/// Cache of file identities, keyed by everything that changes with a file (device, inode, size, mtime, ctime).
/// Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Identities {
    known: Arc<Mutex<Memory>>,
    /// Read allowance; `None` if the user asks.
    allowance: Option<Allowance>,
}

impl Identities {
    /// Returns an empty memory.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the same cache with a read allowance.
    #[must_use]
    pub fn within(&self, allowance: Allowance) -> Self {
        Self { known: Arc::clone(&self.known), allowance: Some(allowance) }
    }

    /// Returns why the look-up stopped, or `None` if everything was read.
    pub fn overrun(&self) -> Option<Overrun> {
        self.allowance.as_ref().and_then(Allowance::overrun)
    }

    /// Returns the identity of `file`. `real_path` only helps to tell its version and, on macOS, to find its
    /// signature.
    ///
    /// # Errors
    /// [`IdentityError`]: unreadable, too large, or written to while it is read.
    pub fn identify(&self, file: &File, real_path: &Path) -> Result<Identified, IdentityError> {
        for _ in 0..ATTEMPTS {
            let state = FileState::from_file(file)?;
            if let Some(allowance) = &self.allowance {
                allowance.count_file(state.device, state.inode)?;
            }
            if let Some(content) = self.remembered(&state) {
                let identity = identity(&state, &content, real_path);
                return Ok(Identified { state, identity, settled: true });
            }
            let settled = state.settled(SystemTime::now(), UNSETTLED);
            let sha256 = hash_file(file, state.size, self.allowance.as_ref())?;
            if FileState::from_file(file)? != state {
                continue;
            }
            let content = Arc::new(Content { sha256, signature: signature::read_signature(file, real_path) });
            if settled {
                self.remember(state, &content);
            }
            return Ok(Identified { state, identity: identity(&state, &content, real_path), settled });
        }
        Err(IdentityError::Changing)
    }

    fn remembered(&self, state: &FileState) -> Option<Arc<Content>> {
        self.known.lock().get(state)
    }

    fn remember(&self, state: FileState, content: &Arc<Content>) {
        let meter = self.allowance.as_ref().map(Allowance::meter);
        self.known.lock().insert(state, content, meter);
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

/// Returns sha256 of the first `size` bytes of an opened file, as 64 hex digits. Its read position does not
/// move.
///
/// # Errors
/// [`IdentityError`]: unreadable, too large, or shorter than `size`.
pub fn sha256(file: &File, size: u64) -> Result<String, IdentityError> {
    hash_file(file, size, None)
}

/// Reads block by block, as the allowance permits.
fn hash_file(file: &File, size: u64, allowance: Option<&Allowance>) -> Result<String, IdentityError> {
    if size > MAX_FILE_BYTES {
        return Err(IdentityError::TooLarge);
    }
    let mut hash = Sha256::new();
    let mut block = vec![0; BLOCK];
    let mut offset = 0;
    while offset < size {
        if let Some(allowance) = allowance {
            allowance.wait_to_read((size - offset).min(BLOCK as u64))?;
        }
        let read = file.read_at(&mut block, offset)?;
        if read == 0 {
            return Err(IdentityError::Changing);
        }
        hash.update(&block[..read]);
        offset += read as u64;
    }
    Ok(encode_hex(&hash.finalize()))
}

#[cfg(test)]
mod tests;
