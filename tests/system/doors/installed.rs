//! Other people's clients, installed once for all runs of the tests. Where that cannot be, a test is skipped and says so.

use postern_tests::{repository, start};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Returns a Python that has the official MCP client.
pub(super) fn python() -> Option<PathBuf> {
    let (folder, _lock) = folder("python");
    let python = folder.join("bin/python");
    let has = || works(start(&python).args(["-c", "import mcp"]));
    let made = || {
        if !python.exists() {
            works(start("python3").args(["-m", "venv"]).arg(&folder))?;
        }
        works(
            start(&python).args(["-m", "pip", "install", "-q", "--disable-pip-version-check", "mcp>=2,<3"]),
        )?;
        has()
    };
    let there = python.exists() && has().is_ok();
    if there { Some(python) } else { or_skip("the MCP client for Python", made()).map(|()| python) }
}

/// Returns a folder whose `node_modules` has the official MCP client.
pub(super) fn node() -> Option<PathBuf> {
    let (folder, _lock) = folder("node");
    let has = || {
        works(
            start("node")
                .current_dir(&folder)
                .args(["-e", "require.resolve('@modelcontextprotocol/sdk/client/index.js')"]),
        )
    };
    let made = || {
        let mut npm = start("npm");
        npm.args(["install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"]);
        works(npm.arg(&folder).arg("@modelcontextprotocol/sdk@1"))?;
        has()
    };
    let there = has().is_ok();
    if there { Some(folder) } else { or_skip("the MCP client for TypeScript", made()).map(|()| folder) }
}

/// Returns the folder of a large package in this version, with the packages that it needs.
///
/// Installed where this variable of the environment says so, and used where it is.
#[expect(clippy::disallowed_methods, reason = "a test has no main to be told in")]
pub(super) fn large(name: &str, version: &str, variable: &str, more: &[&str]) -> Result<PathBuf, String> {
    let folder =
        repository().join("target/large-clients").join(format!("{}@{version}", name.replace('/', "+")));
    std::fs::create_dir_all(&folder).unwrap();
    let lock = File::create(folder.join("lock")).unwrap();
    lock.lock().unwrap();
    let package = folder.join("node_modules").join(name);
    if !package.join("package.json").exists() {
        if std::env::var_os(variable).is_none() {
            return Err(format!("it is not installed, and {variable}=1 does not say that it shall be"));
        }
        let mut npm = start("npm");
        npm.args(["install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund"]).args(more);
        works(npm.arg("--prefix").arg(&folder).arg(format!("{name}@{version}")))?;
    }
    Ok(package)
}

/// Returns the folder of that name, for as long as the lock is held ours alone: tests run side by side.
fn folder(name: &str) -> (PathBuf, File) {
    let folder = repository().join("target/mcp-clients").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let lock = File::create(folder.with_extension("lock")).unwrap();
    lock.lock().unwrap();
    (folder, lock)
}

#[expect(clippy::print_stderr, reason = "who reads the test's output shall know what it did not try")]
pub(super) fn or_skip<T>(what: &str, made: Result<T, String>) -> Option<T> {
    made.map_err(|why| eprintln!("SKIPPED: {what} is not there: {why}")).ok()
}

/// Returns whether a command worked; what it said otherwise.
pub(super) fn works(command: &mut Command) -> Result<(), String> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { Ok(()) } else { Err(said) }
}

/// Returns one of our own scripts that plays a client.
pub(super) fn script(path: &str) -> PathBuf {
    repository().join("tests/fixtures").join(Path::new(path))
}
