//! Secrets that a person gave a door: the token of a bot, a password. In the system's vault where there is one, else in a
//! file (0600) of the data folder.

use super::{Vault, system_vault};
use crate::book::write_whole;
use postern_exec::small_file;
use std::io;
use std::path::{Path, PathBuf};

const LONGEST: u64 = 4096;

/// Returns the secret that was given under `name`; `None` if there is none.
pub(crate) fn given_secret(data: &Path, name: &str) -> io::Result<Option<String>> {
    read_secret(&secret_path(data, name), system_vault().as_deref())
}

/// Keeps `secret` under `name` in place of what was given before; none forgets it.
pub(crate) fn keep_given(data: &Path, name: &str, secret: Option<&str>) -> io::Result<()> {
    write_secret(&secret_path(data, name), secret, system_vault().as_deref())
}

fn secret_path(data: &Path, name: &str) -> PathBuf {
    data.join(format!("{name}.secret"))
}

fn read_secret(file: &Path, vault: Option<&dyn Vault>) -> io::Result<Option<String>> {
    // A file is there where the vault was closed when it was given, which was later than what the vault has.
    match small_file::open_no_link(file) {
        Ok(file) => return small_file::read_text(&file, LONGEST).map(Some),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Err(_) => {}
    }
    let Some(vault) = vault else { return Ok(None) };
    let kept = vault.secret(&file.to_string_lossy()).map_err(io::Error::other)?;
    kept.map(|secret| String::from_utf8(secret).map_err(io::Error::other)).transpose()
}

fn write_secret(file: &Path, secret: Option<&str>, vault: Option<&dyn Vault>) -> io::Result<()> {
    let account = file.to_string_lossy();
    let in_vault = vault.is_some_and(|vault| {
        let done = match secret {
            Some(secret) => vault.keep_secret(&account, secret.as_bytes()),
            None => vault.forget(&account),
        };
        done.inspect_err(|refused| tracing::info!(%refused, "a secret is kept in a file")).is_ok()
    });
    match secret {
        Some(secret) if !in_vault => write_whole(file, secret.as_bytes()),
        Some(_) | None => match std::fs::remove_file(file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::{read_secret, write_secret};
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn without_a_vault_a_secret_is_a_private_file_until_it_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("telegram.secret");
        assert_eq!(read_secret(&file, None).unwrap(), None);
        write_secret(&file, Some("123:abc"), None).unwrap();
        assert_eq!(read_secret(&file, None).unwrap().as_deref(), Some("123:abc"));
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        write_secret(&file, Some("124:abd"), None).unwrap();
        assert_eq!(
            read_secret(&file, None).unwrap().as_deref(),
            Some("124:abd"),
            "a new one takes its place"
        );
        write_secret(&file, None, None).unwrap();
        write_secret(&file, None, None).unwrap();
        assert_eq!(read_secret(&file, None).unwrap(), None);
        assert!(!file.exists());
    }
}
