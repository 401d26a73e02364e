//! Managed rules: rules and settings of an organization in files, which are read-only here.
//!
//! Their denials are final, and as long as a file of it cannot be read or trusted, everything is denied: what
//! it would have denied is not known.

mod file;
mod settings;
#[cfg(test)]
mod tests;
mod trust;

pub(super) use settings::override_settings;

use super::{PolicyStore, PolicyStoreError};
use file::ManagedFile;
use parking_lot::Mutex;
use postern_policy::{RiskLevel, Rule, RuleId, Settings};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Managed rules are numbered down from here.
const FIRST: RuleId = -1_000_000_000;
/// The variable that names one more file. Read once, with the environment that Postern was started with.
pub(crate) const VARIABLE: &str = "POSTERN_MANAGED";

/// Path at which a file of an organization may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ManagedPlace {
    /// The file.
    pub(crate) path: PathBuf,
    /// True if only the system's own user can have put it there.
    pub(crate) by_root: bool,
}

impl ManagedPlace {
    /// Returns the place of a fleet's policy: a folder of its own, so that nothing else of the fleet is watched with it.
    pub(crate) fn fleet(data: &Path) -> Self {
        Self { path: data.join("fleet/policy/fleet.jsonc"), by_root: false }
    }

    /// Returns the places of this system, and one that the person named.
    ///
    /// On a Mac a profile is for everybody or for one `user`.
    pub(crate) fn known_places(named: Option<&str>, user: &str) -> Vec<Self> {
        let system = if cfg!(target_os = "macos") {
            profiles(user)
        } else {
            vec![PathBuf::from("/etc/postern/managed.jsonc")]
        };
        let system = system.into_iter().map(|path| Self { path, by_root: true });
        let named = named.filter(|path| !path.is_empty());
        system.chain(named.map(|path| Self { path: PathBuf::from(path), by_root: false })).collect()
    }
}

/// Returns the files that macOS makes of configuration profiles, for everybody first: the last one that sets a value counts.
fn profiles(user: &str) -> Vec<PathBuf> {
    let everybody = PathBuf::from("/Library/Managed Preferences");
    // A name that leads elsewhere is nobody's.
    let one = Some(everybody.join(user)).filter(|_| !user.is_empty() && !user.contains('/') && user != "..");
    let folders = std::iter::once(everybody).chain(one);
    let names = ["dev.postern.desktop.plist", "dev.postern.desktop.jsonc"];
    folders.flat_map(|folder| names.map(|name| folder.join(name))).collect()
}

/// Rules and settings of an organization.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Managed {
    /// The rules, in the order of the files.
    pub(crate) rules: Vec<Rule>,
    /// The settings that it decides for every agent, by their names.
    pub(crate) settings: serde_json::Map<String, serde_json::Value>,
    /// Number of people that have to approve, by risk; one where none is named.
    pub(crate) approvals: BTreeMap<RiskLevel, u8>,
    /// Names of its policies: what each file calls itself, or its path.
    pub(crate) names: Vec<String>,
    /// Files of it, with their organization.
    pub(crate) sources: Vec<String>,
}

/// Files that were parsed last: a large one that did not change is not parsed at each change of a rule.
///
/// A fleet's policy is checked, and read next where it was written.
#[derive(Debug, Default)]
pub(super) struct LastManaged(Mutex<Vec<ParsedFile>>);

/// A file that was parsed: the end of its name, a hash of its bytes and the number of its first rule, with its content.
#[derive(Debug)]
struct ParsedFile {
    of: (Option<OsString>, [u8; 32], RuleId),
    content: Arc<FileContent>,
}

#[derive(Debug)]
struct FileContent {
    organisation: Option<String>,
    settings: serde_json::Map<String, serde_json::Value>,
    approvals: BTreeMap<RiskLevel, u8>,
    rules: Vec<Rule>,
}

impl LastManaged {
    /// Reads every file that is there.
    pub(super) fn read(&self, places: &[ManagedPlace], home: &str) -> Result<Managed, String> {
        let (mut managed, mut used) = (Managed::default(), Vec::new());
        for (path, bytes) in read_files(places)? {
            let shown = path.display();
            let first = FIRST - RuleId::try_from(managed.rules.len()).unwrap_or(RuleId::MAX / 2);
            let read =
                self.parse(path, &bytes, first, home).map_err(|problem| format!("{shown}: {problem}"))?;
            managed.rules.extend_from_slice(&read.rules);
            managed.settings.extend(read.settings.clone());
            for (risk, people) in &read.approvals {
                let known = managed.approvals.entry(*risk).or_insert(1);
                *known = (*known).max(*people);
            }
            let whose = read.organisation.as_deref().map(postern_command::escape::visible_text);
            managed.names.push(whose.clone().unwrap_or_else(|| shown.to_string()));
            managed
                .sources
                .push(whose.map_or_else(|| shown.to_string(), |whose| format!("{whose} ({shown})")));
            used.push(read);
        }
        self.0.lock().retain(|known| used.iter().any(|content| Arc::ptr_eq(content, &known.content)));
        Ok(managed)
    }

    /// Parses a file, whose rules are numbered down from `first`.
    fn parse(
        &self,
        path: &Path,
        bytes: &[u8],
        first: RuleId,
        home: &str,
    ) -> Result<Arc<FileContent>, String> {
        let of = (path.extension().map(OsStr::to_owned), Sha256::digest(bytes).into(), first);
        let mut last = self.0.lock();
        if let Some(known) = last.iter().find(|known| known.of == of) {
            return Ok(Arc::clone(&known.content));
        }
        let file = file::parse(path, bytes)?;
        let rules = file.build_rules(first, home)?;
        let ManagedFile { organisation, settings, approvals, .. } = file;
        let content = Arc::new(FileContent { organisation, settings, approvals, rules });
        last.push(ParsedFile { of, content: Arc::clone(&content) });
        Ok(content)
    }
}

/// Returns the bytes of every file that is there and can be trusted.
fn read_files(places: &[ManagedPlace]) -> Result<Vec<(&Path, Vec<u8>)>, String> {
    let mut files = Vec::new();
    for place in places {
        match trust::read_trusted(place) {
            Ok(bytes) => files.push((place.path.as_path(), bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(format!("{}: {error}", place.path.display())),
        }
    }
    Ok(files)
}

impl Managed {
    /// Returns a line of words; `None` if nothing is decided.
    pub(crate) fn summary(&self) -> Option<String> {
        if self.sources.is_empty() {
            return None;
        }
        let rules = self.rules.len();
        let settings: Vec<&str> = self.settings.keys().map(String::as_str).collect();
        let decides =
            if settings.is_empty() { String::new() } else { format!(", decides {}", settings.join(", ")) };
        let plural = if rules == 1 { "rule" } else { "rules" };
        Some(format!("{rules} {plural} from {}{decides}", self.sources.join(" and ")))
    }

    /// Settings with what the organization decides put over them.
    pub(crate) fn override_settings(&self, settings: &Settings) -> Settings {
        settings::override_settings(settings, &self.settings).unwrap_or_else(|_| settings.clone())
    }

    /// Puts back what was the person's own where the organization decides, so that it is there again afterwards. The
    /// error names a setting that was to be changed.
    pub(crate) fn keep_own(
        &self,
        now: &Settings,
        wanted: &Settings,
        own: &Settings,
    ) -> Result<Settings, PolicyStoreError> {
        settings::keep_own(&self.settings, now, wanted, own)
            .map_err(|key| PolicyStoreError::Locked { key, by: self.sources.join(" and ") })
    }
}

impl PolicyStore {
    /// Checks the text of such a file: what is wrong with it, or how many rules it has.
    pub(crate) fn check_managed(&self, text: &str) -> Result<usize, String> {
        let (path, home) = (Path::new("policy.jsonc"), &self.places().home);
        let read = self.inner.managed.parse(path, text.as_bytes(), FIRST, home)?;
        Ok(read.rules.len())
    }

    pub(super) fn read_managed(&self) -> Result<Managed, String> {
        self.inner.managed.read(&self.places().managed, &self.places().home)
    }

    /// Reads the files again. Gives whether they say something else now.
    pub(crate) async fn reread_managed(&self) -> Result<bool, PolicyStoreError> {
        let now = self.blocking(|book| Ok(book.read_managed())).await?;
        if now == self.snapshot().managed {
            return Ok(false);
        }
        let _one = self.change().await;
        // The watch of a folder and who wrote there both come: one of them reads it into force.
        if now != self.snapshot().managed {
            self.reload(None).await?;
        }
        Ok(true)
    }

    /// Returns the folders in which such files may lie, to be watched.
    pub(crate) fn managed_folders(&self) -> Vec<PathBuf> {
        let parents = self.places().managed.iter().filter_map(|place| place.path.parent());
        parents.filter(|folder| folder.is_dir()).map(Path::to_path_buf).collect()
    }
}
