//! Programs that people describe in files of their own: `programs/*.toml` in the data folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use postern_command::{ProgramFile, set_own_programs};
use postern_exec::small_file;

/// No file about a program is longer.
const LONGEST: u64 = 256 * 1024;

/// Returns the folder of people's own files.
pub fn programs_folder(data: &Path) -> PathBuf {
    data.join("programs")
}

/// Reads every file of the folder, or says what is wrong with it.
pub fn own_programs(data: &Path) -> BTreeMap<PathBuf, Result<ProgramFile, String>> {
    let entries = std::fs::read_dir(programs_folder(data)).into_iter().flatten();
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let files = paths.filter(|path| path.extension().is_some_and(|kind| kind == "toml"));
    files.map(|path| (path.clone(), read_program_file(&path))).collect()
}

fn read_program_file(path: &Path) -> Result<ProgramFile, String> {
    let read = small_file::open_regular(path).and_then(|file| small_file::read_text(&file, LONGEST));
    let text = read.map_err(|error| format!("the file {error}"))?;
    ProgramFile::parse_own(&text).map_err(|error| error.to_string())
}

/// The files that are in force. A file that becomes wrong stays in force as it was: a slip of the pen takes no effect away.
#[derive(Debug, Default)]
pub(crate) struct OwnPrograms {
    good: BTreeMap<PathBuf, ProgramFile>,
}

impl OwnPrograms {
    /// Reads the folder again. Returns true if what is known changed.
    pub(crate) fn reload(&mut self, data: &Path) -> bool {
        let found = own_programs(data);
        self.good.retain(|path, _| found.contains_key(path));
        for (path, file) in found {
            match file {
                Ok(file) => drop(self.good.insert(path, file)),
                Err(error) => tracing::warn!(file = %path.display(), %error, "not a file about a program"),
            }
        }
        set_own_programs(self.good.values().cloned().collect())
    }
}

/// Keeps other programs of the user from looking into this process. Call it first.
///
/// They could take the host's keys, or a connection that was admitted, out of it. The children that a program starts are not kept
/// from anything. macOS does so for programs with the hardened runtime.
pub fn refuse_debuggers() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)
    {
        tracing::warn!(%error, "other programs of this user can look into this process");
    }
}

#[cfg(test)]
mod tests {
    use super::{OwnPrograms, own_programs, programs_folder};

    const FILE: &str =
        "names = [\"shippit\"]\n[[effect]]\nwhen = \"deploy\"\ndoes = \"sends\"\nsource = \"shippit(1)\"\n";

    #[test]
    fn a_file_that_becomes_wrong_stays_in_force_until_it_is_gone() {
        let data = tempfile::tempdir().unwrap();
        let mut own = OwnPrograms::default();
        assert!(!own.reload(data.path()), "there is no folder");
        std::fs::create_dir(programs_folder(data.path())).unwrap();
        let path = programs_folder(data.path()).join("shippit.toml");
        std::fs::write(&path, FILE).unwrap();
        assert!(own.reload(data.path()));
        std::fs::write(&path, FILE.replace("sends", "sendz")).unwrap();
        assert!(!own.reload(data.path()), "what is wrong changes nothing");
        let said = own_programs(data.path()).remove(&path).unwrap().unwrap_err();
        assert!(said.contains("unknown variant `sendz`"), "{said}");
        std::fs::remove_file(&path).unwrap();
        assert!(own.reload(data.path()));
    }
}
