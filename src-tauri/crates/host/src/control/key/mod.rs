//! Storage of keys: the control key in a file, the secrets of doors in the system's vault.
//!
//! A system without a vault, or whose vault refuses this program, has those secrets in files too.

mod given;
#[cfg(target_os = "macos")]
mod macos_keychain;

pub(crate) use given::{given_secret, keep_given};

use crate::book::{FolderError, new_key, read_or_make_key};
use postern_protocol::SocketKey;
use std::io;
use std::path::Path;

/// A place of the system's for secrets, away from the data folder.
pub(super) trait Vault {
    fn secret(&self, account: &str) -> Result<Option<Vec<u8>>, NoVault>;
    /// Keeps `secret` for `account`, in place of what was kept before.
    fn keep_secret(&self, account: &str, secret: &[u8]) -> Result<(), NoVault>;
    /// Forgets what is kept for `account`, if anything is.
    fn forget(&self, account: &str) -> Result<(), NoVault>;
}

/// The vault is not for this program: a build that is not signed, a session without one.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct NoVault(pub(super) String);

pub(super) fn system_vault() -> Option<Box<dyn Vault>> {
    #[cfg(target_os = "macos")]
    let vault: Option<Box<dyn Vault>> = Some(Box::new(macos_keychain::Keychain));
    #[cfg(not(target_os = "macos"))]
    let vault = None;
    vault
}

/// Returns the control key of the data folder, or a new one if there is none.
///
/// It is in a file, because `postern` outside of the app's bundle cannot open the app's vault. A key that a vault still has is
/// not used any more.
pub(super) fn control_key(data: &Path) -> Result<SocketKey, FolderError> {
    read_or_make_key(&data.join("control.key"))
}

/// Returns a secret of a door's own: as the control key, under an account of its own.
pub(crate) fn door_secret(data: &Path, name: &str) -> io::Result<SocketKey> {
    let file = data.join(format!("{name}.key"));
    let kept = kept_key(&file, &file.to_string_lossy(), system_vault().as_deref());
    kept.map_err(io::Error::other)
}

fn kept_key(file: &Path, account: &str, vault: Option<&dyn Vault>) -> Result<SocketKey, FolderError> {
    let Some(vault) = vault else { return read_or_make_key(file) };
    match in_vault(vault, account) {
        Ok(key) => {
            match std::fs::remove_file(file) {
                Err(source) if source.kind() != io::ErrorKind::NotFound => {
                    return Err(FolderError::Io { path: file.to_owned(), source });
                }
                Ok(()) | Err(_) => {}
            }
            Ok(key)
        }
        Err(Unkept::Vault(refused)) => {
            tracing::info!(%refused, file = %file.display(), "a key is kept in a file");
            read_or_make_key(file)
        }
        Err(Unkept::NoKey(source)) => Err(FolderError::Io { path: file.to_owned(), source }),
    }
}

/// Reason why the vault does not have the key.
enum Unkept {
    Vault(NoVault),
    NoKey(io::Error),
}

fn in_vault(vault: &dyn Vault, account: &str) -> Result<SocketKey, Unkept> {
    let kept = vault.secret(account).map_err(Unkept::Vault)?;
    let kept = kept.and_then(|secret| SocketKey::from_text(std::str::from_utf8(&secret).ok()?).ok());
    if let Some(key) = kept {
        return Ok(key);
    }
    let key = new_key().map_err(Unkept::NoKey)?;
    vault.keep_secret(account, key.to_text().as_bytes()).map_err(Unkept::Vault)?;
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::{NoVault, Vault, control_key, kept_key};
    use std::cell::{Cell, RefCell};
    use std::collections::BTreeMap;

    /// A vault that lets this program in, or does not.
    #[derive(Default)]
    struct Scripted {
        kept: RefCell<BTreeMap<String, Vec<u8>>>,
        closed: Cell<bool>,
    }

    impl Scripted {
        fn open(&self) -> Result<(), NoVault> {
            if self.closed.get() { Err(NoVault("not for you".to_owned())) } else { Ok(()) }
        }
    }

    impl Vault for Scripted {
        fn secret(&self, account: &str) -> Result<Option<Vec<u8>>, NoVault> {
            self.open()?;
            Ok(self.kept.borrow().get(account).cloned())
        }
        fn keep_secret(&self, account: &str, secret: &[u8]) -> Result<(), NoVault> {
            self.open()?;
            self.kept.borrow_mut().insert(account.to_owned(), secret.to_owned());
            Ok(())
        }
        fn forget(&self, account: &str) -> Result<(), NoVault> {
            self.open()?;
            self.kept.borrow_mut().remove(account);
            Ok(())
        }
    }

    fn door_key(data: &std::path::Path, vault: Option<&dyn Vault>) -> String {
        let file = data.join("door.key");
        kept_key(&file, &file.to_string_lossy(), vault).unwrap().to_text()
    }

    fn in_file(data: &std::path::Path, name: &str) -> String {
        std::fs::read_to_string(data.join(name)).unwrap().trim().to_owned()
    }

    #[test]
    fn the_control_key_is_a_file_that_lasts() {
        let data = tempfile::tempdir().unwrap();
        let key = control_key(data.path()).unwrap().to_text();
        assert_eq!(in_file(data.path(), "control.key"), key, "the user's own tools read it there");
        assert_eq!(control_key(data.path()).unwrap().to_text(), key, "it lasts");
    }

    #[test]
    fn a_vault_that_is_open_keeps_a_doors_key_for_each_folder_and_no_file_does() {
        let (vault, data, other) =
            (Scripted::default(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        door_key(data.path(), None);
        let key = door_key(data.path(), Some(&vault));
        assert!(!data.path().join("door.key").exists(), "a file would be read instead");
        assert_eq!(door_key(data.path(), Some(&vault)), key, "it lasts");
        assert_ne!(door_key(other.path(), Some(&vault)), key, "each folder has its own");
    }

    #[test]
    fn a_vault_that_is_closed_leaves_a_doors_key_to_the_file() {
        let (vault, data) = (Scripted::default(), tempfile::tempdir().unwrap());
        let in_vault = door_key(data.path(), Some(&vault));
        vault.closed.set(true);
        let key = door_key(data.path(), Some(&vault));
        assert_ne!(key, in_vault, "what the vault has cannot be had");
        assert_eq!(in_file(data.path(), "door.key"), key);
    }

    #[test]
    fn what_is_no_key_is_replaced_in_a_vault() {
        let (vault, data) = (Scripted::default(), tempfile::tempdir().unwrap());
        vault.keep_secret(&data.path().join("door.key").to_string_lossy(), b"short").unwrap();
        let key = door_key(data.path(), Some(&vault));
        assert_eq!(door_key(data.path(), Some(&vault)), key, "nobody holds an old one");
    }
}
