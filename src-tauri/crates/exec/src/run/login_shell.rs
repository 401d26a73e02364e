//! Search path of the user's login shell. Only the shell can read its own files, so it is started and asked.
#![expect(unsafe_code, reason = "a session of its own is made between fork and exec")]

use super::own_program::spawn_own;
use crate::threads::start_thread;
use crate::user::HostUser;
use rustix::process::{Pid, Signal};
use std::io::{self, Read};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Time that a shell may take to read its files.
const LIMIT: Duration = Duration::from_secs(10);
/// The most that is read of what its files print.
const LONGEST: usize = 1024 * 1024;
const MARK: &str = "__postern_path__";
/// Prints the path between marks, as bash, zsh, sh and fish read it.
const ASK: &str = r#"printf '%s%s%s\n' __postern_path__ "$PATH" __postern_path__"#;

/// Returns the `PATH` of the user's login shell, read as for a new terminal.
pub async fn login_path(user: HostUser) -> io::Result<String> {
    tokio::task::spawn_blocking(move || ask_shell(&user, LIMIT)).await.map_err(io::Error::other)?
}

fn ask_shell(user: &HostUser, limit: Duration) -> io::Result<String> {
    #[expect(clippy::disallowed_methods, reason = "this is the room that starts processes")]
    let mut command = Command::new(&user.shell);
    command.args(["-l", "-i", "-c", ASK]).env_clear().current_dir("/");
    for (name, value) in
        [("HOME", &user.home), ("USER", &user.name), ("LOGNAME", &user.name), ("SHELL", &user.shell)]
    {
        command.env(name, value);
    }
    // Some read different files in an editor's terminal; a simple one draws no prompt.
    command.env("LANG", &user.locale).env("TERM", "dumb");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    // SAFETY: setsid is async-signal-safe, allocates nothing and touches no memory of the parent's. Without a session of its
    // own an interactive shell would stop itself, waiting for the terminal that Postern was started in.
    unsafe {
        command.pre_exec(|| rustix::process::setsid().map(drop).map_err(io::Error::from));
    }
    let mut child = spawn_own(&mut command)?;
    let told = listen(&mut child);
    let path = told.map(|told| told.recv_timeout(limit).ok().flatten());
    end_shell(child);
    path?.ok_or_else(|| {
        io::Error::other(format!("{} reported no PATH within {} s", user.shell, limit.as_secs()))
    })
}

/// Reads on a thread of its own: what a shell's files leave running may hold the pipe open.
fn listen(child: &mut Child) -> io::Result<Receiver<Option<String>>> {
    let (tell, told) = channel();
    let output = child.stdout.take();
    // Nobody waits any more where it took too long.
    start_thread("login shell", move || _ = tell.send(output.and_then(between_marks)))?;
    Ok(told)
}

/// Returns what stands between the marks; `None` if the output ends before.
fn between_marks(output: impl Read) -> Option<String> {
    let (mut text, mut part) = (Vec::new(), [0; 4096]);
    let mut output = output.take(LONGEST as u64);
    loop {
        let read = output.read(&mut part).ok().filter(|read| *read > 0)?;
        text.extend_from_slice(&part[..read]);
        let parts: Vec<&[u8]> = split_at_marks(&text);
        if let [_, path, _, ..] = parts[..] {
            return String::from_utf8(path.to_vec()).ok();
        }
    }
}

fn split_at_marks(text: &[u8]) -> Vec<&[u8]> {
    let (mut parts, mut rest) = (Vec::new(), text);
    while let Some(at) = rest.windows(MARK.len()).position(|window| window == MARK.as_bytes()) {
        parts.push(&rest[..at]);
        rest = &rest[at + MARK.len()..];
    }
    parts.push(rest);
    parts
}

/// Ends the shell and what is still in its session's first group.
fn end_shell(mut child: Child) {
    let pid = Pid::from_child(&child);
    // It may have ended by itself; what its files daemonized is the user's own.
    _ = rustix::process::kill_process_group(pid, Signal::KILL);
    drop(child.wait());
    #[cfg(target_os = "linux")]
    super::own_children::reaped(pid);
}

#[cfg(test)]
mod tests {
    use super::{ask_shell, between_marks};
    use crate::user::HostUser;
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::time::Duration;

    /// Makes a user whose shell is this script, and says where its home is.
    ///
    /// Another process writes the shell: what a test beside this one starts could still hold a file that this process wrote, and
    /// a file that is open for writing does not run.
    #[expect(clippy::disallowed_methods, reason = "a test makes its own program")]
    fn user(script: &str) -> (tempfile::TempDir, HostUser) {
        let home = tempfile::tempdir().unwrap();
        let [written, shell] = ["written", "shell"].map(|name| home.path().join(name));
        fs::write(&written, script).unwrap();
        fs::set_permissions(&written, fs::Permissions::from_mode(0o755)).unwrap();
        let copied = std::process::Command::new("cp").arg("-p").args([&written, &shell]).status().unwrap();
        assert!(copied.success());
        let current = HostUser::current(Vec::new()).unwrap();
        let text = |path: &std::path::Path| path.to_str().unwrap().to_owned();
        let user = HostUser { home: text(home.path()), shell: text(&shell), ..current };
        (home, user)
    }

    #[test]
    fn the_path_of_a_login_shell_is_what_its_files_make_it() {
        let (home, user) = user("");
        fs::write(home.path().join(".bash_profile"), "echo welcome\nPATH=/from/profile:/bin\n. ~/.bashrc\n")
            .unwrap();
        fs::write(home.path().join(".bashrc"), "PATH=$HOME/mine:$PATH\n").unwrap();
        let user = HostUser { shell: "/bin/bash".to_owned(), ..user };
        let path = ask_shell(&user, Duration::from_mins(1)).unwrap();
        assert!(path.starts_with(&format!("{}/mine:/from/profile", user.home)), "{path}");
    }

    #[test]
    fn a_shell_that_leaves_something_running_is_not_waited_for() {
        let (_home, user) = user("#!/bin/sh\nsleep 600 &\nshift 3\nPATH=/a:/b eval \"$1\"\nwait\n");
        assert_eq!(ask_shell(&user, Duration::from_mins(1)).unwrap(), "/a:/b");
    }

    #[test]
    fn a_shell_that_tells_nothing_is_an_error_that_names_it() {
        let (_home, user) = user("#!/bin/sh\nexit 0\n");
        let error = ask_shell(&user, Duration::from_mins(1)).unwrap_err().to_string();
        assert!(error.contains("/shell reported no PATH"), "{error}");
    }

    #[test]
    fn only_what_stands_between_two_marks_is_the_path() {
        let mark = super::MARK;
        assert_eq!(between_marks(format!("x{mark}/bin{mark}\n").as_bytes()).as_deref(), Some("/bin"));
        assert_eq!(between_marks(format!("x{mark}/bin\n").as_bytes()), None);
    }
}
