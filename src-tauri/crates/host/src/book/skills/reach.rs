//! Folders in which an agent could write a skill, and so choose what is approved.

use super::super::PolicyStore;
use postern_command::escape;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Mode bit that lets everybody write in a folder.
const EVERYBODY_WRITES: u32 = 0o002;

impl PolicyStore {
    /// Returns why an agent could write into a folder, as a sentence, or `None` if none could. Reads the disk.
    pub(super) fn in_reach_of_an_agent(&self, folder: &Path) -> Option<String> {
        let real = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        let shown = escape::visible_text(&real.to_string_lossy());
        let home = &self.places().home;
        let snapshot = self.snapshot();
        for entry in snapshot.agents.values() {
            for theirs in &entry.policy.settings.folders {
                let theirs = PathBuf::from(postern_policy::expand_home(theirs, home).into_owned());
                let theirs = std::fs::canonicalize(&theirs).unwrap_or(theirs);
                if real.starts_with(&theirs) {
                    let agent = &entry.agent.id;
                    return Some(format!(
                        "the agent {agent} can write to {shown}: keep skills outside its folders"
                    ));
                }
            }
        }
        let home = std::fs::canonicalize(home).unwrap_or_else(|_| PathBuf::from(home));
        let is_temporary = |temporary: &Path| {
            let temporary = std::fs::canonicalize(temporary).unwrap_or_else(|_| temporary.to_owned());
            real.starts_with(&temporary) && !home.starts_with(&temporary)
        };
        if [Path::new("/tmp"), Path::new("/var/tmp"), &std::env::temp_dir()].into_iter().any(is_temporary) {
            return Some(format!("any agent can write to {shown}: it is a folder for temporary files"));
        }
        let open = |part: &&Path| {
            // A world-writable sticky folder keeps the entries of other users apart if it only is an ancestor.
            std::fs::metadata(part).is_ok_and(|found| {
                let sticky = found.mode() & 0o1000 != 0 && **part != real;
                found.mode() & EVERYBODY_WRITES != 0 && !sticky
            })
        };
        let part = real.ancestors().find(open)?;
        let part = escape::visible_text(&part.to_string_lossy());
        Some(format!("every user can write to {part}: keep skills where only you can"))
    }
}
