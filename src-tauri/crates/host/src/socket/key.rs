//! The secret that a channel is known by: 32 random bytes, base64url, in a file that only its owner reads.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// 32 random bytes. Never printed.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Key([u8; 32]);

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(..)")
    }
}

impl Key {
    /// The bytes that proofs are made with.
    pub(crate) fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// The key in `path`, made where there is none.
pub(crate) fn load_or_make(path: &Path) -> io::Result<Key> {
    match read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => make(path),
        read => read,
    }
}

/// A new key in `path`. The old one is no good from here on.
pub(crate) fn make(path: &Path) -> io::Result<Key> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    let fresh = path.with_extension("key.new");
    match std::fs::remove_file(&fresh) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&fresh)?;
    file.write_all(URL_SAFE_NO_PAD.encode(bytes).as_bytes())?;
    file.sync_all()?;
    std::fs::rename(&fresh, path)?;
    Ok(Key(bytes))
}

fn read(path: &Path) -> io::Result<Key> {
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path)?;
    refuse_shared(&file, path)?;
    let mut text = String::new();
    file.take(128).read_to_string(&mut text)?;
    let bytes = URL_SAFE_NO_PAD.decode(text.trim()).map_err(|_| not_a_key(path))?;
    bytes.try_into().map(Key).map_err(|_| not_a_key(path))
}

fn refuse_shared(file: &File, path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    if file.metadata()?.permissions().mode() & 0o077 == 0 {
        return Ok(());
    }
    let message = format!("others can read {}: make it 0600, or remove it to get a new key", path.display());
    Err(io::Error::new(io::ErrorKind::PermissionDenied, message))
}

fn not_a_key(path: &Path) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{} does not hold a key", path.display()))
}

#[cfg(test)]
mod tests {
    use super::{load_or_make, make};
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_key_is_made_once_private_and_can_be_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agent.key");
        let key = load_or_make(&path).unwrap();
        let mode = std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "nobody else may read it");
        assert_eq!(std::fs::read(&path).unwrap().len(), 43, "32 bytes in base64url");
        assert!(load_or_make(&path).unwrap() == key, "the second start finds the same key");
        assert!(make(&path).unwrap() != key, "a new key is another key");
        assert_eq!(format!("{key:?}"), "Key(..)", "a key is never printed");
    }

    #[test]
    fn a_doubtful_key_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agent.key");
        std::fs::write(&path, "short").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        assert!(load_or_make(&path).is_err(), "not 32 bytes");
        make(&path).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(load_or_make(&path).is_err(), "others could have read it");
    }
}
