//! An agent's settings: what would change is shown, changed after a yes, and undone to the letter.

use crate::failure::Failure;
use crate::hook_args::HookSettings;
use crate::print;
use crate::typed::typed;
use postern_doors::hooks::{self, BadSettings, Place};
use similar::{ChangeTag, TextDiff};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Settings before and after.
struct Change {
    file: PathBuf,
    /// None where there is no file.
    before: Option<String>,
    /// None where there is none any more.
    after: Option<String>,
}

/// Adds the hook. `ready` runs after the confirmation, or if nothing has to change.
pub(super) fn change(
    home: &Path,
    wanted: &HookSettings,
    make: impl FnOnce(&str) -> Result<String, BadSettings>,
    ready: impl FnOnce() -> Result<(), Failure>,
) -> Result<(), Failure> {
    let kind = wanted.kind;
    let file = file_of(home, wanted)?;
    let before = text_of(&file)?;
    let after = make(before.as_deref().unwrap_or_default()).map_err(|error| unusable(&file, &error))?;
    let change = Change { file, before, after: Some(after) };
    let changes = change.confirmed(wanted)?;
    ready()?;
    if !changes {
        return Ok(());
    }
    let kept = beside(&change.file, KEPT);
    // What is kept is the file as it was without the hook, however often that is put in.
    if let Some(before) = change.before.as_ref().filter(|before| !hooks::holds_ours(kind, before)) {
        std::fs::write(&kept, before).map_err(|error| failed(&kept, &error))?;
    }
    change.write(hooks::is_script(kind))?;
    print::line("changed; postern hook uninstall makes it as it was")
}

/// Takes the hook out. Where nobody else changed the settings meanwhile they are what they were, to the letter.
pub(super) fn undo(home: &Path, wanted: &HookSettings) -> Result<(), Failure> {
    let kind = wanted.kind;
    let file = file_of(home, wanted)?;
    let before = text_of(&file)?;
    let left = hooks::uninstall(kind, before.as_deref().unwrap_or_default());
    let left = left.map_err(|error| unusable(&file, &error))?;
    let kept = beside(&file, KEPT);
    // With the hook in them they come out the same: nobody else changed anything.
    let with = |text: &str| hooks::install(kind, text, "").ok();
    let same =
        |was: &String| before.as_ref().is_some_and(|now| with(was).is_some_and(|was| with(now) == Some(was)));
    let as_it_was = text_of(&kept)?.filter(same);
    let ours = before.as_ref().is_some_and(|before| hooks::holds_ours(kind, before));
    let after = match as_it_was {
        _ if !ours => before.clone(),
        Some(text) => Some(text),
        None if left.is_empty() => None,
        None => Some(left),
    };
    let change = Change { file, before, after };
    if !change.confirmed(wanted)? {
        return Ok(());
    }
    change.write(false)?;
    match std::fs::remove_file(&kept) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(&kept, &error)),
        Ok(()) | Err(_) => {}
    }
    print::line("changed")
}

/// How the copy of settings as they were is called.
const KEPT: &str = ".before-postern";

impl Change {
    /// Shows it, and asks. False where there is nothing to change.
    fn confirmed(&self, wanted: &HookSettings) -> Result<bool, Failure> {
        let shown = postern_command::escape::text(&self.file.to_string_lossy());
        if self.after == self.before || (self.before.is_none() && self.after.as_deref() == Some("")) {
            print::line(format!("{shown}: nothing to change"))?;
            return Ok(false);
        }
        print::line(format!("{shown}:"))?;
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        for change in TextDiff::from_lines(&text(&self.before), &text(&self.after)).iter_all_changes() {
            let mark = match change.tag() {
                ChangeTag::Delete => "-",
                ChangeTag::Insert => "+",
                ChangeTag::Equal => " ",
            };
            print::line(format!("  {mark} {}", change.value().trim_end_matches('\n')))?;
        }
        if self.after.is_none() {
            print::line("the file goes: nothing else is in it")?;
        }
        if wanted.yes || asked()? { Ok(true) } else { Err(Failure::no("nothing was changed")) }
    }

    /// The new file takes the place of the old one whole.
    fn write(&self, runs: bool) -> Result<(), Failure> {
        // A file that links elsewhere stays a link.
        let file = std::fs::canonicalize(&self.file).unwrap_or_else(|_| self.file.clone());
        let write = || {
            let Some(after) = &self.after else { return std::fs::remove_file(&file) };
            if let Some(folder) = file.parent() {
                std::fs::create_dir_all(folder)?;
            }
            let new = beside(&file, ".new-postern");
            std::fs::write(&new, after)?;
            match std::fs::metadata(&file) {
                Ok(old) => std::fs::set_permissions(&new, old.permissions())?,
                Err(_) if runs => std::fs::set_permissions(&new, std::fs::Permissions::from_mode(0o755))?,
                Err(_) => {}
            }
            std::fs::rename(&new, &file)
        };
        write().map_err(|error| failed(&file, &error))
    }
}

/// Returns the settings that are meant.
pub(super) fn file_of(home: &Path, wanted: &HookSettings) -> Result<PathBuf, Failure> {
    let absolute = |file: &Path| std::path::absolute(file).map_err(Failure::own);
    match (&wanted.file, hooks::place(wanted.kind, wanted.project)) {
        (Some(file), _) => absolute(file),
        (None, Place::Home(file)) => Ok(home.join(file)),
        (None, Place::Here(file)) => absolute(Path::new(file)),
        (None, Place::Named(how)) => Err(Failure::usage(how)),
    }
}

fn text_of(file: &Path) -> Result<Option<String>, Failure> {
    match std::fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(file, &error)),
    }
}

fn beside(file: &Path, ending: &str) -> PathBuf {
    let file = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let mut name = file.into_os_string();
    name.push(ending);
    PathBuf::from(name)
}

fn failed(file: &Path, error: &io::Error) -> Failure {
    Failure::own(format!("{}: {error}", postern_command::escape::text(&file.to_string_lossy())))
}

fn unusable(file: &Path, error: &BadSettings) -> Failure {
    let shown = postern_command::escape::text(&file.to_string_lossy());
    Failure::refused(format!("{shown} cannot be used ({error}): nothing was changed"))
}

fn asked() -> Result<bool, Failure> {
    let said = typed("Change it? [y/N]", "say --yes to change it without being asked")?;
    Ok(["y", "yes"].contains(&said.to_lowercase().as_str()))
}
