//! Starts an app again once this process is gone: macOS opens no second instance of it, and the data folder has one host.

use std::ffi::OsStr;
use std::io;
use std::os::unix::process::CommandExt as _;
#[cfg(target_os = "macos")]
use std::path::Path;
use std::process::{Child, Stdio};

/// Waits for the process that the first word names, and starts the program of the others, again where that fails.
/// `open` fails (-600) while LaunchServices still counts the app that has quit.
const WAIT: &str =
    r#"while kill -0 "$0" 2>/dev/null; do /bin/sleep 0.2; done; "$@" || { /bin/sleep 1; exec "$@"; }"#;

/// Opens an app once this process has quit, with the arguments that this one was started with.
#[cfg(target_os = "macos")]
pub fn open_app_after_exit(app: &Path) -> io::Result<()> {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let mut words = vec![OsStr::new("/usr/bin/open"), app.as_os_str(), OsStr::new("--args")];
    words.extend(arguments.iter().map(std::ffi::OsString::as_os_str));
    start_after(std::process::id(), &words).map(drop)
}

/// Starts a program once a process is gone, in a group of its own, which is not ended with ours.
fn start_after(pid: u32, words: &[&OsStr]) -> io::Result<Child> {
    #[expect(clippy::disallowed_methods, reason = "this is the room that starts processes")]
    let mut command = std::process::Command::new("/bin/sh");
    command.args(["-c", WAIT, &pid.to_string()]).args(words).current_dir("/").process_group(0);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn()
}

#[cfg(test)]
mod tests {
    use super::start_after;
    use std::process::{Command, Stdio};

    #[test]
    fn a_program_starts_once_the_process_is_gone() {
        #[expect(clippy::disallowed_methods, reason = "a test has children")]
        let mut first = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let made = folder.path().join("made by the second");
        let mut second = start_after(first.id(), &["/usr/bin/touch".as_ref(), made.as_os_str()]).unwrap();
        assert!(second.try_wait().unwrap().is_none() && !made.exists(), "the first one still runs");
        drop(first.stdin.take());
        first.wait().unwrap();
        assert!(second.wait().unwrap().success());
        assert!(made.exists());
    }
}
