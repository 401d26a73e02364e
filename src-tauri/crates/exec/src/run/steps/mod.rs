//! Lists and pipelines of plain commands, started step by step.
//!
//! So a verdict that rests on what a program is holds when the program starts, not only when the line does.
//!
//! A small program of Postern's own stands in the shell's place and is held, confined, watched and ended as the shell would be. It
//! is given the steps over a descriptor, opens each program when its turn comes, compares the open file with the judged one, and
//! executes that descriptor.

mod process;
mod runner;

pub use runner::run_steps;

use super::drift::{HeldFileKind, must_hash};
use super::spawn_call::Runner;
use super::{Prepared, SpawnError};
use crate::identity::FileState;
use crate::resolve::HeldFile;
use postern_command::Sequence;
use postern_contract::LinesToShell;
use postern_request::Drift;
use serde::{Deserialize, Serialize};
use std::ffi::CString;
use std::fs::File;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

/// Name of the program.
const STEPS: &str = "postern-steps";
/// Version of [`Orders`]: the program of another Postern refuses them.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Variables that change how a shell reads a line, or where `cd` leads.
const OF_SHELL: &[&str] =
    &["CDPATH", "SHELLOPTS", "BASHOPTS", "POSIXLY_CORRECT", "IFS", "ENV", "GLOBIGNORE", "EXECIGNORE"];

/// Orders of the program in the shell's place.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Orders {
    /// Working directory, by its real path.
    folder: String,
    sequence: Sequence,
    programs: Vec<Option<Expected>>,
}

/// The program of a command.
#[derive(Debug, Serialize, Deserialize)]
enum Expected {
    /// The very file that was judged.
    Same(JudgedProgram),
    /// Program at this path when the step starts. The agent can change it, an earlier step may build it, and
    /// nobody was promised what it is.
    At(PathBuf),
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct JudgedProgram {
    path: PathBuf,
    state: FileState,
    /// Content hash, if a change of it could leave no trace in the state.
    sha256: Option<String>,
    /// Words of its `#!` line.
    shebang: Option<Vec<String>>,
    interpreter: Option<Box<JudgedProgram>>,
}

/// Reason why the steps ended before their end.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StepsReport {
    drift: Drift,
}

impl Expected {
    fn from_held(file: &HeldFile) -> Self {
        if file.agent_can_change {
            Self::At(file.path.clone())
        } else {
            Self::Same(JudgedProgram::from_held(file))
        }
    }
}

impl JudgedProgram {
    fn from_held(file: &HeldFile) -> Self {
        Self {
            path: file.path.clone(),
            state: file.state,
            sha256: must_hash(file, HeldFileKind::Program).then(|| file.identity().sha256.clone()),
            shebang: file.shebang.clone(),
            interpreter: file.interpreter.as_deref().map(|file| Box::new(Self::from_held(file))),
        }
    }
}

/// Returns how the steps of a line are started without a shell, or `None` if they need one.
pub(super) fn runner(prepared: &Prepared) -> Result<Option<Runner>, SpawnError> {
    let Some(steps) = &prepared.held.steps else { return Ok(None) };
    let of_shell = |name: &str| OF_SHELL.contains(&name) || name.starts_with("BASH");
    if prepared.plan.env.iter().any(|(name, _)| of_shell(name)) {
        return Ok(None);
    }
    let Ok(program) = own_program() else { return Ok(None) };
    let orders = Orders {
        folder: prepared.cwd.bound.path.clone(),
        sequence: steps.sequence.clone(),
        programs: steps.programs.iter().map(|file| file.as_deref().map(Expected::from_held)).collect(),
    };
    let failed = |error: &dyn std::fmt::Display| SpawnError::Failed(format!("its steps: {error}"));
    let text = serde_json::to_vec(&orders).map_err(|error| failed(&error))?;
    let orders = memory(&text).map_err(|error| failed(&error))?;
    let words = [STEPS.to_owned(), VERSION.to_owned(), orders.as_raw_fd().to_string()];
    let argv =
        words.into_iter().map(CString::new).collect::<Result<_, _>>().map_err(|error| failed(&error))?;
    Ok(Some(Runner { program, argv, orders }))
}

/// Returns what ended the steps of a run before their end.
pub(super) fn reported(orders: OwnedFd) -> Option<Drift> {
    let mut text = vec![0; 16 * 1024];
    let read = File::from(orders).read_at(&mut text, 0).ok()?;
    serde_json::from_slice(&text[..read]).ok().map(|StepsReport { drift }| drift)
}

/// Returns a file without a name that holds these bytes.
fn memory(bytes: &[u8]) -> std::io::Result<OwnedFd> {
    use std::io::Write as _;
    let memory = rustix::fs::memfd_create("steps", rustix::fs::MemfdFlags::CLOEXEC)?;
    let mut file = File::from(memory);
    file.write_all(bytes)?;
    Ok(file.into())
}

/// The program that runs steps, as it was found when the host started, or why there is none.
static OWN_PROGRAM: LazyLock<Result<Arc<HeldFile>, LinesToShell>> = LazyLock::new(|| {
    let own = std::env::current_exe().map_err(|_| LinesToShell::Missing)?;
    find_in(own.parent().ok_or(LinesToShell::Missing)?)
});

/// Finds the program that runs steps: call it when the host starts, before an update can put another one there.
pub fn find_own_program() {
    LazyLock::force(&OWN_PROGRAM);
}

/// Returns the program that runs steps, or why lines go to the shell as a whole.
pub(super) fn own_program() -> Result<Arc<HeldFile>, LinesToShell> {
    still_there(OWN_PROGRAM.as_ref().map_err(|why| *why)?)
}

fn find_in(folder: &Path) -> Result<Arc<HeldFile>, LinesToShell> {
    const HIDDEN: [&str; 4] = ["/tmp", "/run", "/dev", "/proc"];
    if HIDDEN.iter().any(|hidden| folder.starts_with(hidden)) {
        return Err(LinesToShell::Hidden);
    }
    HeldFile::of_postern(&folder.join(STEPS)).map(Arc::new).map_err(|_| LinesToShell::Missing)
}

fn still_there(found: &Arc<HeldFile>) -> Result<Arc<HeldFile>, LinesToShell> {
    let now = File::open(&found.path).and_then(|file| FileState::from_file(&file));
    let same = now.is_ok_and(|now| now == found.state);
    same.then(|| Arc::clone(found)).ok_or(LinesToShell::Replaced)
}

#[cfg(test)]
mod tests {
    use super::{STEPS, find_in, still_there};
    use postern_contract::LinesToShell;
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;

    #[test]
    fn only_the_program_that_was_there_at_the_start_runs_steps() {
        let folder = tempfile::tempdir_in("/var/tmp").unwrap();
        let program = folder.path().join(STEPS);
        assert_eq!(find_in(folder.path()).err(), Some(LinesToShell::Missing));
        assert_eq!(find_in(Path::new("/tmp")).err(), Some(LinesToShell::Hidden));
        fs::copy("/usr/bin/true", &program).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(find_in(folder.path()).err(), Some(LinesToShell::Missing), "it cannot be executed");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let found = find_in(folder.path()).unwrap();
        assert!(still_there(&found).is_ok());
        fs::copy("/usr/bin/true", folder.path().join("other")).unwrap();
        fs::rename(folder.path().join("other"), &program).unwrap();
        assert_eq!(
            still_there(&found).err(),
            Some(LinesToShell::Replaced),
            "the same content is another file"
        );
        fs::remove_file(&program).unwrap();
        assert_eq!(still_there(&found).err(), Some(LinesToShell::Replaced));
    }
}
