//! Real shells in a sandbox in which every program only writes down that it was started.

pub mod grammar;
pub mod mutate;
mod ran;
mod trace;

pub use ran::unreported;

use crate::programs::{copy_program, program, start, works};
use postern_command::Dialect;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use tempfile::TempDir;

/// A program that ran: its name, then its arguments.
pub type Ran = Vec<String>;

/// A shell of this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shell {
    /// `bash --noprofile --norc -c`: how Postern runs shell text.
    Bash,
    /// `dash -c`: POSIX `sh`.
    Dash,
    /// `zsh -f -c`: what people on macOS type into.
    Zsh,
}

impl Shell {
    /// Returns the shell's program.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Dash => "dash",
            Self::Zsh => "zsh",
        }
    }

    /// Returns the grammar that a text for it is read by.
    pub fn dialect(self) -> Dialect {
        match self {
            Self::Bash => Dialect::Bash,
            Self::Dash => Dialect::Posix,
            Self::Zsh => Dialect::Zsh,
        }
    }

    fn options(self) -> &'static [&'static str] {
        match self {
            Self::Bash => &["--noprofile", "--norc", "-c"],
            Self::Dash => &["-c"],
            Self::Zsh => &["-f", "-c"],
        }
    }

    /// Returns true if this machine has it; said in so many words where not.
    pub fn is_here(self) -> bool {
        let here = Path::new("/usr/bin").join(self.name()).exists();
        if !here {
            eprintln!("skipped: {} is not installed", self.name());
        }
        here
    }
}

/// A folder of recorders, one for each program that a line may name.
pub struct Sandbox {
    bin: TempDir,
}

impl Sandbox {
    /// Makes one in which these programs exist, and no others.
    pub fn with(names: impl IntoIterator<Item = String>) -> Self {
        let bin = tempfile::tempdir().expect("a temporary folder");
        let first = bin.path().join("postern-recorder");
        copy_program(recorder(), &first);
        for name in names.into_iter().filter(|name| !name.is_empty() && !name.contains('/')) {
            let link = bin.path().join(name);
            if !link.exists() {
                fs::hard_link(&first, link).expect("a link beside it");
            }
        }
        Self { bin }
    }

    pub fn run(&self, shell: Shell, lines: &[String]) -> Vec<Vec<Ran>> {
        let log = tempfile::tempdir().expect("a temporary folder");
        let bwrap = self.bwrap(shell, lines, log.path(), start("bwrap"));
        finished(bwrap, shell, lines, log.path())
    }

    /// Returns the programs that each line started, and those that the kernel was asked to start meanwhile
    /// and did.
    pub fn trace(&self, shell: Shell, lines: &[String]) -> (Vec<Vec<Ran>>, Vec<Vec<String>>) {
        let log = tempfile::tempdir().expect("a temporary folder");
        let file = log.path().join("trace");
        let mut strace = start("strace");
        strace.args(["-f", "-qq", "-e", "trace=execve,execveat", "-e", "signal=none", "-s", "4096", "-o"]);
        strace.arg(&file).arg("bwrap");
        let traced = self.bwrap(shell, lines, log.path(), strace);
        let ran = finished(traced, shell, lines, log.path());
        let text = String::from_utf8_lossy(&fs::read(&file).expect("strace wrote")).into_owned();
        (ran, trace::executed(&text, lines.len()))
    }

    fn bwrap(&self, shell: Shell, lines: &[String], log: &Path, mut bwrap: Command) -> Command {
        let text = lines.join("\0") + "\0";
        fs::write(log.join("lines"), text).expect("the lines are written");
        bwrap.args(["--unshare-all", "--die-with-parent", "--new-session", "--as-pid-1", "--clearenv"]);
        bwrap.args(["--ro-bind", "/usr/lib", "/usr/lib", "--ro-bind-try", "/usr/lib64", "/usr/lib64"]);
        bwrap.args([
            "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64", "--ro-bind", "/usr/bin",
            "/real",
        ]);
        bwrap.arg("--ro-bind").arg(self.bin.path()).args(["/usr/bin", "--symlink", "usr/bin", "/bin"]);
        bwrap.args(["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/w"]);
        bwrap.arg("--bind").arg(log).arg("/log");
        bwrap.args(["--setenv", "PATH", "/usr/bin:/bin", "--setenv", "HOME", "/w", "--chdir", "/w"]);
        bwrap.args(["/usr/bin/postern-recorder", &format!("/real/{}", shell.name())]).args(shell.options());
        bwrap.stdin(Stdio::null()).stdout(Stdio::null());
        bwrap
    }
}

/// Returns true if strace can trace here; said in so many words where not.
pub fn strace_works() -> bool {
    let arguments = ["-qq", "-o", "/dev/null", "true"];
    works("strace", &arguments, "strace is missing, or may not trace here")
}

fn finished(mut bwrap: Command, shell: Shell, lines: &[String], log: &Path) -> Vec<Vec<Ran>> {
    let status = bwrap.status().expect("bwrap starts");
    assert!(status.success(), "the sandbox of {} ended with {status}", shell.name());
    let text = fs::read_to_string(log.join("results")).expect("the driver wrote what ran");
    let ran: Vec<Vec<Ran>> =
        text.lines().map(|line| serde_json::from_str(line).expect("one JSON document a line")).collect();
    assert_eq!(ran.len(), lines.len(), "every line was run in {}", shell.name());
    ran
}

fn recorder() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| program("postern-recorder"))
}
