//! Preferences for the look and sound of the desktop app, and for Touch ID: `desktop.json` in the data
//! folder. Nothing in it allows anything.

use parking_lot::Mutex;
use postern_contract::{Appearance, Preferences};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use tauri::Theme;

const FILE: &str = "desktop.json";

/// Returns the preferences for a file that cannot be read: it may have said that the owner confirms, and a
/// Mac can ask.
fn in_doubt() -> Preferences {
    Preferences { confirm: cfg!(target_os = "macos"), ..Preferences::default() }
}

/// Returns the theme of the windows; `None` follows the system.
pub(crate) fn window_theme(appearance: Appearance) -> Option<Theme> {
    match appearance {
        Appearance::System => None,
        Appearance::Light => Some(Theme::Light),
        Appearance::Dark => Some(Theme::Dark),
    }
}

/// The preferences and where they are kept.
#[derive(Debug)]
pub(crate) struct StoredPreferences {
    file: PathBuf,
    now: Mutex<Preferences>,
}

impl StoredPreferences {
    /// Reads them. What is not there is as it is for everybody.
    pub(crate) fn read_file(data: &Path) -> Self {
        let file = data.join(FILE);
        let now = match std::fs::read(&file) {
            Ok(bytes) => serde_json::from_slice(&bytes).unwrap_or_else(|error| {
                tracing::warn!(%error, file = %file.display(), "the preferences cannot be read");
                in_doubt()
            }),
            Err(error) if error.kind() == ErrorKind::NotFound => Preferences::default(),
            Err(error) => {
                tracing::warn!(%error, file = %file.display(), "the preferences cannot be read");
                in_doubt()
            }
        };
        Self { file, now: Mutex::new(now) }
    }

    pub(crate) fn get(&self) -> Preferences {
        *self.now.lock()
    }

    /// Keeps others. They hold, even where they could not be written.
    pub(crate) fn update(&self, preferences: Preferences) -> std::io::Result<()> {
        *self.now.lock() = preferences;
        postern_host::write_whole(&self.file, &serde_json::to_vec_pretty(&preferences)?)
    }
}

#[cfg(test)]
mod tests {
    use super::{Appearance, FILE, Preferences, StoredPreferences, in_doubt};
    use postern_contract::Shortcut;

    #[test]
    fn what_was_chosen_is_there_the_next_time() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(
            StoredPreferences::read_file(folder.path()).get(),
            Preferences::default(),
            "nothing was chosen yet"
        );
        let dark = Preferences {
            appearance: Appearance::Dark,
            sound: false,
            confirm: true,
            details: true,
            shortcut: Shortcut::Off,
            unrecorded: true,
            inbox_only: true,
            check_updates: true,
        };
        StoredPreferences::read_file(folder.path()).update(dark).unwrap();
        assert_eq!(StoredPreferences::read_file(folder.path()).get(), dark);
        std::fs::write(folder.path().join(FILE), r#"{"sound":false}"#).unwrap();
        let older = Preferences { sound: false, ..Preferences::default() };
        assert_eq!(
            StoredPreferences::read_file(folder.path()).get(),
            older,
            "what an older version wrote is still read"
        );
        std::fs::write(folder.path().join(FILE), "{").unwrap();
        let damaged = StoredPreferences::read_file(folder.path()).get();
        assert_eq!(damaged, in_doubt(), "a damaged file stops nothing");
        assert_eq!(damaged.confirm, cfg!(target_os = "macos"), "and does not turn off what the owner wanted");
    }
}
