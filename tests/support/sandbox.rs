//! A real sandbox: bubblewrap, no network, nothing of the host but its programs and one agent's channel.

use crate::asked::Asked;
use crate::host::Postern;
use crate::programs::{postern_run, start, works};
use std::path::Path;
use std::process::{Command, Stdio};

/// Returns true if bubblewrap can make a sandbox here (some containers forbid user namespaces).
pub fn bubblewrap_works() -> bool {
    let arguments = ["--ro-bind", "/", "/", "--unshare-all", "true"];
    works("bwrap", &arguments, "bubblewrap cannot make a sandbox here")
}

/// Starts a host for agents in sandboxes, or skips the test with `None` if bubblewrap cannot make one.
pub fn host_for_sandbox() -> Option<Postern> {
    bubblewrap_works().then(Postern::start)
}

/// Runs shell text in a sandbox that is given the channel in `folder` and nothing else.
pub fn in_sandbox(folder: &Path, script: &str) -> Asked {
    let child = bwrap(folder)
        .args(["/bin/sh", "-c", script])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("bwrap starts");
    Asked(child)
}

/// Arguments of bubblewrap for a sandbox with nothing of the person's: no network, no variables, and a
/// read-only system.
pub const SEALED: &str = "\
    --unshare-all --die-with-parent --clearenv --ro-bind /usr /usr --symlink usr/bin /bin --symlink \
    usr/lib /lib --symlink usr/lib64 /lib64 --proc /proc --dev /dev";

fn bwrap(folder: &Path) -> Command {
    let mut bwrap = start("bwrap");
    bwrap
        .arg("--new-session")
        .args(SEALED.split(' '))
        .args(["--tmpfs", "/tmp", "--dir", "/work", "--chdir", "/work"])
        .arg("--bind")
        .arg(folder)
        .arg("/run/postern")
        .arg("--ro-bind")
        .arg(postern_run())
        .arg("/run/bin/postern-run")
        .args(["--setenv", "PATH", "/run/bin:/usr/bin:/bin"])
        .args(["--setenv", "POSTERN_SOCKET", "/run/postern/agent.sock"])
        .args(["--setenv", "POSTERN_KEY_FILE", "/run/postern/agent.key"]);
    bwrap
}
