//! How the desktop app looks and sounds: `desktop.json` in the data folder. Nothing in it decides anything.

use serde::{Deserialize, Serialize};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tauri::Theme;

const FILE: &str = "desktop.json";

/// What a person chose. `ui/src/backend/backend.ts` has the same type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct Preferences {
    /// Light, dark, or as the system is.
    pub(crate) appearance: Appearance,
    /// Whether a question is heard.
    pub(crate) sound: bool,
}

impl Default for Preferences {
    fn default() -> Self {
        Self { appearance: Appearance::System, sound: true }
    }
}

/// Light or dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Appearance {
    /// As the system is.
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Appearance {
    /// What windows are told; none follows the system.
    pub(crate) fn theme(self) -> Option<Theme> {
        match self {
            Self::System => None,
            Self::Light => Some(Theme::Light),
            Self::Dark => Some(Theme::Dark),
        }
    }
}

/// The preferences and where they are kept.
#[derive(Debug)]
pub(crate) struct Kept {
    file: PathBuf,
    now: Mutex<Preferences>,
}

impl Kept {
    /// Reads them. What is not there, or cannot be read, is as it is for everybody.
    pub(crate) fn read(data: &Path) -> Self {
        let file = data.join(FILE);
        let now = match std::fs::read(&file) {
            Ok(bytes) => serde_json::from_slice(&bytes).unwrap_or_else(|error| {
                tracing::warn!(%error, file = %file.display(), "the preferences cannot be read");
                Preferences::default()
            }),
            Err(error) => {
                if error.kind() != ErrorKind::NotFound {
                    tracing::warn!(%error, file = %file.display(), "the preferences cannot be read");
                }
                Preferences::default()
            }
        };
        Self { file, now: Mutex::new(now) }
    }

    /// As they are.
    pub(crate) fn get(&self) -> Preferences {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps others. They hold, even where they could not be written.
    pub(crate) fn set(&self, preferences: Preferences) -> std::io::Result<()> {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) = preferences;
        let new = self.file.with_extension("json.new");
        let bytes = serde_json::to_vec_pretty(&preferences)?;
        let mut options = std::fs::OpenOptions::new();
        let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&new)?;
        file.write_all(&bytes)?;
        drop(file);
        std::fs::rename(new, &self.file)
    }
}

#[cfg(test)]
mod tests {
    use super::{Appearance, FILE, Kept, Preferences};

    #[test]
    fn what_was_chosen_is_there_the_next_time() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Kept::read(folder.path()).get(), Preferences::default(), "nothing was chosen yet");
        let dark = Preferences { appearance: Appearance::Dark, sound: false };
        Kept::read(folder.path()).set(dark).unwrap();
        assert_eq!(Kept::read(folder.path()).get(), dark);
        std::fs::write(folder.path().join(FILE), "{").unwrap();
        assert_eq!(Kept::read(folder.path()).get(), Preferences::default(), "a damaged file stops nothing");
    }
}
