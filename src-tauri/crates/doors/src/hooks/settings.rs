//! An agent's settings on the disk: what would change is planned, shown, written, and undone to the letter.

use super::{BadSettings, HookAgent, holds_ours, install, is_script, mcp_entry, uninstall};
use postern_command::escape;
use postern_contract::{DiffLine, LineChange, to_pieces};
use sha2::{Digest as _, Sha256};
use similar::{ChangeTag, TextDiff};
use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Suffix of the copy of settings as they were.
const KEPT: &str = ".before-postern";
/// Suffix of settings that are not in place yet.
const NEW: &str = ".new-postern";

/// Entry that is put into settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookSettingsEntry {
    Hook(HookAgent),
    /// Postern as an MCP server, in the file of VS Code.
    McpServer,
}

impl HookSettingsEntry {
    fn install(self, before: &str, command: &[String]) -> Result<String, BadSettings> {
        match self {
            Self::Hook(kind) => install(kind, before, &postern_command::quote_argv(command)),
            Self::McpServer => mcp_entry::install(before, command),
        }
    }

    fn uninstall(self, before: &str) -> Result<String, BadSettings> {
        match self {
            Self::Hook(kind) => uninstall(kind, before),
            Self::McpServer => mcp_entry::uninstall(before),
        }
    }

    fn is_in(self, settings: &str) -> bool {
        match self {
            Self::Hook(kind) => holds_ours(kind, settings),
            Self::McpServer => mcp_entry::command(settings).is_some(),
        }
    }

    fn is_script(self) -> bool {
        matches!(self, Self::Hook(kind) if is_script(kind))
    }
}

/// Settings that cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The system refused.
    #[error("{}: {error}", escape::visible_text(&file.to_string_lossy()))]
    Io { file: PathBuf, error: io::Error },
    /// Content that the agent does not read.
    #[error("{} cannot be used ({error}): nothing was changed", escape::visible_text(&file.to_string_lossy()))]
    Content { file: PathBuf, error: BadSettings },
}

/// Returns JSON without what only lays it out; other text as it is.
fn without_layout(text: &str) -> String {
    serde_json::from_str::<serde_json::Value>(text)
        .map_or_else(|_| text.to_owned(), |value| value.to_string())
}

/// A change of settings that is planned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookSettingsChange {
    entry: HookSettingsEntry,
    pub file: PathBuf,
    /// Content before; `None` if there is no file.
    before: Option<String>,
    /// Content after; `None` if there will be none.
    after: Option<String>,
    /// True if the copy of the settings as they were is removed.
    undoes: bool,
}

impl HookSettingsChange {
    /// Plans to put an entry with this command into settings, once.
    pub fn install(entry: HookSettingsEntry, file: &Path, command: &[String]) -> Result<Self, SettingsError> {
        let before = read_settings(file)?;
        let after = entry.install(before.as_deref().unwrap_or_default(), command);
        let after = after.map_err(|error| unusable(file, error))?;
        Ok(Self { entry, file: file.to_owned(), before, after: Some(after), undoes: false })
    }

    /// Plans to take the entry out. If nobody else changed the settings meanwhile, they become what they were, to the letter.
    pub fn uninstall(entry: HookSettingsEntry, file: &Path) -> Result<Self, SettingsError> {
        let before = read_settings(file)?;
        let left = entry.uninstall(before.as_deref().unwrap_or_default());
        let left = left.map_err(|error| unusable(file, error))?;
        // With the entry in them they come out the same: nobody else changed anything.
        let with = |text: &str| entry.install(text, &[]).ok().map(|text| without_layout(&text));
        let same = |was: &String| {
            before.as_ref().is_some_and(|now| with(was).is_some_and(|was| with(now) == Some(was)))
        };
        let as_it_was = read_settings(&beside(file, KEPT))?.filter(same);
        let ours = before.as_ref().is_some_and(|before| entry.is_in(before));
        let after = match as_it_was {
            _ if !ours => before.clone(),
            Some(text) => Some(text),
            None if left.is_empty() => None,
            None => Some(left),
        };
        Ok(Self { entry, file: file.to_owned(), before, after, undoes: true })
    }

    /// Returns true if the settings would be others.
    pub fn changes(&self) -> bool {
        self.after != self.before && !(self.before.is_none() && self.after.as_deref() == Some(""))
    }

    /// Returns true if the file would be removed.
    pub fn removes_file(&self) -> bool {
        self.before.is_some() && self.after.is_none()
    }

    /// Returns the lines of the settings with what becomes of each; none if nothing changes.
    pub fn diff_lines(&self) -> Vec<DiffLine> {
        if !self.changes() {
            return Vec::new();
        }
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let (before, after) = (text(&self.before), text(&self.after));
        let diff = TextDiff::from_lines(&before, &after);
        let line = |change: similar::Change<&str>| DiffLine {
            change: match change.tag() {
                ChangeTag::Delete => LineChange::Removed,
                ChangeTag::Insert => LineChange::Added,
                ChangeTag::Equal => LineChange::Same,
            },
            text: to_pieces(change.value().trim_end_matches('\n')),
        };
        diff.iter_all_changes().map(line).collect()
    }

    /// Returns the hash of the file, of what is in it and of what would be.
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        let file = self.file.to_string_lossy();
        for part in [Some(file.as_ref()), self.before.as_deref(), self.after.as_deref()] {
            let part = part.map(str::as_bytes);
            hash.update([u8::from(part.is_some())]);
            hash.update(part.map_or(0, <[u8]>::len).to_le_bytes());
            hash.update(part.unwrap_or_default());
        }
        postern_protocol::encode_hex(&hash.finalize())
    }

    /// Writes the settings. Does nothing if nothing changes.
    pub fn write(&self) -> Result<(), SettingsError> {
        let kept = beside(&self.file, KEPT);
        if self.changes() {
            // What is kept is the file as it was without the entry, however often that is put in.
            if let Some(before) =
                self.before.as_ref().filter(|before| !self.undoes && !self.entry.is_in(before))
            {
                write_new(&kept, before, None).map_err(|error| failed(&kept, error))?;
            }
            self.replace().map_err(|error| failed(&self.file, error))?;
        }
        if !self.undoes {
            return Ok(());
        }
        match std::fs::remove_file(&kept) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(&kept, error)),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Replaces the old file by the new one as a whole.
    fn replace(&self) -> io::Result<()> {
        // A file that links elsewhere stays a link.
        let file = std::fs::canonicalize(&self.file).unwrap_or_else(|_| self.file.clone());
        let Some(after) = &self.after else { return std::fs::remove_file(&file) };
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let new = beside(&file, NEW);
        let mode = match std::fs::metadata(&file) {
            Ok(old) => Some(old.permissions()),
            Err(_) => self.entry.is_script().then(|| std::fs::Permissions::from_mode(0o755)),
        };
        write_new(&new, after, mode)?;
        std::fs::rename(&new, &file)
    }
}

/// Writes a new file. What has its name is removed and not written: in a project's folder it may be a link to any file.
fn write_new(file: &Path, text: &str, mode: Option<std::fs::Permissions>) -> io::Result<()> {
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let mut new = File::create_new(file)?;
    new.write_all(text.as_bytes())?;
    mode.map_or(Ok(()), |mode| new.set_permissions(mode))
}

/// Returns the text of settings, or `None` if there is no file.
pub(crate) fn read_settings(file: &Path) -> Result<Option<String>, SettingsError> {
    match std::fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(file, error)),
    }
}

fn beside(file: &Path, ending: &str) -> PathBuf {
    let file = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let mut name = file.into_os_string();
    name.push(ending);
    PathBuf::from(name)
}

fn failed(file: &Path, error: io::Error) -> SettingsError {
    SettingsError::Io { file: file.to_owned(), error }
}

fn unusable(file: &Path, error: BadSettings) -> SettingsError {
    SettingsError::Content { file: file.to_owned(), error }
}
