//! Files that the settings page writes for the person: into Downloads, under a name that is free, never over another one.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use tauri::{AppHandle, Manager as _};

/// The longest text that is written, in bytes.
const MOST: usize = 64 * 1024 * 1024;
/// Number of names that are tried.
const NAMES: u32 = 1000;

#[tauri::command]
pub(super) async fn settings_save(app: AppHandle, name: String, text: String) -> Result<String, String> {
    let folder = app.path().download_dir().or_else(|_| app.path().home_dir());
    let folder = folder.map_err(|error| error.to_string())?;
    let saved = tauri::async_runtime::spawn_blocking(move || write_new_file(&folder, &name, &text)).await;
    saved.map_err(|error| error.to_string())?.map(|path| path.to_string_lossy().into_owned())
}

fn write_new_file(folder: &Path, name: &str, text: &str) -> Result<PathBuf, String> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    if name.is_empty() || name.len() > 100 || name.starts_with('.') || !name.chars().all(plain) {
        return Err(format!("{name:?} is no file name of letters, digits, dots and dashes"));
    }
    if text.len() > MOST {
        return Err("that is too much for one file".to_owned());
    }
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, "txt"));
    for nth in 1..NAMES {
        let name = if nth == 1 { format!("{stem}.{ending}") } else { format!("{stem} {nth}.{ending}") };
        let path = folder.join(name);
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
            Ok(mut file) => {
                file.write_all(text.as_bytes()).map_err(|error| format!("{}: {error}", path.display()))?;
                return Ok(path);
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(format!("{}: {error}", path.display())),
        }
    }
    Err(format!("{} holds too many files of that name", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::write_new_file;

    #[test]
    fn nothing_is_written_over_or_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        let first = write_new_file(folder.path(), "rules.json", "one").unwrap();
        let second = write_new_file(folder.path(), "rules.json", "two").unwrap();
        assert_ne!(first, second);
        assert_eq!(std::fs::read_to_string(first).unwrap(), "one", "what was there stays");
        for bad in ["", "../x.json", "/etc/x", ".profile", "a b.json", "x\0.json"] {
            assert!(write_new_file(folder.path(), bad, "x").is_err(), "{bad:?}");
        }
    }
}
