//! The built programs, as their users run them.

use postern_client::{Channel, read_key};
use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, channel};

pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ lies in the repository").to_owned()
}

/// Returns a command for a program. The one place of the tests that names the standard library's.
#[expect(clippy::disallowed_methods, reason = "tests run the programs as their users do")]
pub fn start(program: impl AsRef<OsStr>) -> Command {
    Command::new(program)
}

/// Returns a port that was free a moment ago, below those that a system gives to connections: nobody is given it meanwhile.
pub fn free_port() -> u16 {
    let random = std::iter::repeat_with(|| {
        let [first, second, ..] = *uuid::Uuid::new_v4().as_bytes();
        15_000 + u16::from_be_bytes([first, second]) % 17_000
    });
    random.take(1_000).find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok()).expect("a free port")
}

/// Writes a program, by another process.
///
/// A file that is open for writing does not run, and children of other tests may still hold what this process wrote.
pub fn put_program(path: &Path, content: impl AsRef<[u8]>) {
    let mut cat = start("/bin/sh");
    cat.args(["-c", "cat >\"$0\" && chmod 755 \"$0\""]).arg(path).stdin(Stdio::piped());
    let mut cat = cat.spawn().expect("a shell starts");
    let mut stdin = cat.stdin.take().expect("piped");
    stdin.write_all(content.as_ref()).expect("all of it is read");
    drop(stdin);
    assert!(cat.wait().expect("it ends").success(), "{} is written", path.display());
}

/// Copies a program, by another process as well.
pub fn copy_program(of: impl AsRef<Path>, to: &Path) {
    let copied = start("cp").arg(of.as_ref()).arg(to).status().expect("cp starts");
    assert!(copied.success(), "{} is copied", of.as_ref().display());
}

/// Returns true if a program ends well with these arguments. Prints what is missing here if it does not.
pub(crate) fn works(program: &str, arguments: &[&str], missing: &str) -> bool {
    let tried = start(program).args(arguments).stderr(Stdio::null()).status();
    let works = tried.is_ok_and(|status| status.success());
    if !works {
        eprintln!("skipped: {missing}");
    }
    works
}

/// Returns the lines of a program as they come.
pub fn lines_of(out: impl Read + Send + 'static) -> Receiver<String> {
    let (send, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(out).lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

/// A program that ends with this.
pub struct OwnedChild(pub Child);

impl Drop for OwnedChild {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// Returns the folder in which this test itself was built: `target/debug`.
fn folder() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows where it is");
    test.ancestors().nth(2).expect("target/debug/deps/test").to_owned()
}

/// Returns a program of the workspace, built once a run of the tests so that a lone `cargo test` never meets
/// an old one.
pub fn program(name: &str) -> PathBuf {
    let path = folder().join(name);
    #[expect(clippy::disallowed_methods, reason = "scripts/test says so, having built everything")]
    if std::env::var_os("POSTERN_TESTS_BUILT").is_some() {
        return path;
    }
    let mut build = start(env!("CARGO"));
    // The whole workspace's features: with those of one package alone everything would be built a second time.
    build.args(["build", "--quiet", "--workspace", "--bin", name]).current_dir(repository());
    if folder().ends_with("release") {
        build.arg("--release");
    }
    let built = build.status().expect("cargo runs");
    assert!(built.success(), "{name} does not build");
    path
}

pub fn postern() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        // The host finds it beside itself.
        program("postern-steps");
        program("postern")
    })
}

pub fn postern_run() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| program("postern-run"))
}

/// Returns an agent's `postern-run` with these arguments, as its shell starts it: no terminal, and no input.
pub fn agent_command(channel: &Path, arguments: &[&str]) -> Command {
    let mut agent = start(postern_run());
    agent.args(arguments).env("POSTERN_SOCKET", channel.join("agent.sock")).env_remove("POSTERN_KEY_FILE");
    agent.current_dir("/").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    agent
}

pub fn postern_desktop() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| program("postern-desktop"))
}

pub fn connect_agent(channel: &Path) -> Channel {
    let key = read_key(&channel.join("agent.key")).unwrap();
    Channel::connect(&channel.join("agent.sock"), &key).unwrap()
}
