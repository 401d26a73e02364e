//! A user with a home, a project that is a repository, services that listen, and a process to attack.

use std::fs;
use std::io::Read as _;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Ordinary user that root becomes for an attack.
const USER: u32 = 65534;
pub(crate) const SECRET: &str = "THE-USERS-SECRET";

pub(crate) struct World {
    folder: tempfile::TempDir,
    postern: PathBuf,
    victim: Child,
    port: u16,
    datagrams: UdpSocket,
    letters: UnixDatagram,
    reached: Arc<AtomicUsize>,
}

pub(crate) enum How {
    Free,
    Look,
    Project,
    Loopback,
}

/// Copies a program, by another process.
///
/// A file that is open for writing does not run, and children of other tests may still hold what this process wrote.
pub(crate) fn copy_program(of: &str, to: &Path) {
    assert!(Command::new("cp").arg(of).arg(to).status().unwrap().success(), "{of} is copied");
}

fn is_root() -> bool {
    rustix::process::getuid().is_root()
}

/// Starts a program as the ordinary user.
fn as_user(program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args([format!("--reuid={USER}"), format!("--regid={USER}"), "--clear-groups".to_owned()]);
    command.arg(program);
    command
}

impl World {
    pub(crate) fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("pst").tempdir_in("/var/tmp").unwrap();
        let top = folder.path();
        fs::set_permissions(top, fs::Permissions::from_mode(0o755)).unwrap();
        let postern = top.join("postern");
        let built = env!("CARGO_BIN_EXE_postern");
        if fs::hard_link(built, &postern).is_err() {
            copy_program(built, &postern);
        }
        for name in ["home/.ssh", "home/.config", "data", "outside/folder", "project/src", "run", "plain"] {
            fs::create_dir_all(top.join(name)).unwrap();
        }
        for name in ["home/.ssh/id_rsa", "data/control.key", "outside/secret"] {
            fs::write(top.join(name), SECRET).unwrap();
        }
        let git = "git init -q -b main . && git config user.name a && git config user.email a@b && echo one > notes.txt \
                   && git add . && git commit -qm one && mkdir -p vendor/x && git init -q vendor/x \
                   && git worktree add -q ../tree 2>/dev/null";
        let done = Command::new("sh")
            .args(["-c", git])
            .current_dir(top.join("project"))
            .env("HOME", top.join("home"))
            .status()
            .unwrap();
        assert!(done.success(), "the project is made");
        if is_root() {
            let done =
                Command::new("chown").args(["-R", &format!("{USER}:{USER}")]).arg(top).status().unwrap();
            assert!(done.success());
        }
        let reached = Arc::new(AtomicUsize::new(0));
        let port = Self::listen(top, &reached);
        let victim = as_user(Path::new("/usr/bin/sleep")).arg("1000").stdin(Stdio::null()).spawn().unwrap();
        let datagrams = UdpSocket::bind("127.0.0.1:0").unwrap();
        datagrams.set_nonblocking(true).unwrap();
        let letters = Self::take_letters(top);
        Self { folder, postern, victim, port, datagrams, letters, reached }
    }

    /// Opens a socket of the user that takes datagrams at a path.
    fn take_letters(top: &Path) -> UnixDatagram {
        let path = top.join("run/letters.sock");
        let letters = UnixDatagram::bind(&path).unwrap();
        letters.set_nonblocking(true).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
        letters
    }

    /// Services of the user: one with a port, one with a path, one with a path in the project, one with a name.
    fn listen(top: &Path, reached: &Arc<AtomicUsize>) -> u16 {
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = tcp.local_addr().unwrap().port();
        let name = SocketAddr::from_abstract_name(top.as_os_str().as_encoded_bytes()).unwrap();
        let paths =
            ["run/daemon.sock", "project/dev.sock"].map(|path| UnixListener::bind(top.join(path)).unwrap());
        for path in ["run/daemon.sock", "project/dev.sock"] {
            fs::set_permissions(top.join(path), fs::Permissions::from_mode(0o777)).unwrap();
        }
        for unix in paths.into_iter().chain([UnixListener::bind_addr(&name).unwrap()]) {
            let reached = Arc::clone(reached);
            std::thread::spawn(move || {
                for _ in unix.incoming() {
                    reached.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        let reached = Arc::clone(reached);
        std::thread::spawn(move || {
            for mut stream in tcp.incoming().flatten() {
                reached.fetch_add(1, Ordering::SeqCst);
                _ = stream.read(&mut [0; 16]);
            }
        });
        port
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns a shell line in the project, or in another folder.
    pub(crate) fn command(&self, how: &How, folder: &str, text: &str) -> Command {
        let confine = |words: &[&str]| {
            let mut command = as_user(&self.postern);
            command.arg("confine").args(words).args(["--", "/bin/bash", "-c", text]);
            command
        };
        let mut command = match how {
            How::Free => {
                let mut command = as_user(Path::new("/bin/bash"));
                command.args(["-c", text]);
                command
            }
            How::Look => confine(&["look"]),
            How::Project => confine(&["project"]),
            How::Loopback => confine(&["project", "--loopback"]),
        };
        command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin").env("HOME", self.path("home"));
        command.env("POSTERN_DATA", self.path("data")).env("W", self.folder.path());
        command
            .env("PORT", self.port.to_string())
            .env("UDP", self.datagrams.local_addr().unwrap().port().to_string());
        command
            .env("VICTIM", self.victim.id().to_string())
            .current_dir(self.path(folder))
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, how: &How, text: &str) -> Output {
        self.command(how, "project", text).output().unwrap()
    }

    /// Connections and datagrams that arrived.
    pub(crate) fn reached(&self) -> usize {
        let datagrams = [self.datagrams.recv(&mut [0; 16]), self.letters.recv(&mut [0; 16])];
        self.reached.load(Ordering::SeqCst) + datagrams.iter().filter(|came| came.is_ok()).count()
    }

    pub(crate) fn victim_lives(&mut self) -> bool {
        self.victim.try_wait().unwrap().is_none()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        drop(self.victim.kill());
        drop(self.victim.wait());
    }
}

pub(crate) fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}
