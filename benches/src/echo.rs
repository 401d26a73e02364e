//! The rival of everything that goes over a channel: a bare echo of lines over the same kind of socket.

use crate::cpu::pin_this;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

/// Answers each line with the same line, one thread a connection, on these processors, until this program ends.
/// `before` is done for each line before it is answered; false hangs up.
pub(crate) fn serve(
    folder: &Path,
    name: &str,
    cpus: &[usize],
    before: impl FnMut() -> bool + Clone + Send + 'static,
) -> anyhow::Result<PathBuf> {
    let path = folder.join(format!("{name}.sock"));
    let listener = UnixListener::bind(&path)?;
    let cpus = cpus.to_owned();
    std::thread::spawn(move || {
        // A client that connects then gets no answer, and fails.
        if pin_this(&cpus).is_err() {
            return;
        }
        for connection in listener.incoming().flatten() {
            let before = before.clone();
            std::thread::spawn(move || answer(&connection, before));
        }
    });
    Ok(path)
}

fn answer(connection: &UnixStream, mut before: impl FnMut() -> bool) {
    let mut lines = BufReader::new(connection);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        let mut connection = connection;
        if !before() || connection.write_all(&line).is_err() {
            return;
        }
        line.clear();
    }
}

/// A client of the echo.
#[derive(Debug)]
pub(crate) struct Echo {
    lines: BufReader<UnixStream>,
    line: Vec<u8>,
}

impl Echo {
    pub(crate) fn connect(path: &Path) -> anyhow::Result<Self> {
        Ok(Self { lines: BufReader::new(UnixStream::connect(path)?), line: Vec::new() })
    }

    /// Sends a line and waits for it to come back.
    pub(crate) fn call(&mut self, line: &[u8]) -> anyhow::Result<()> {
        self.lines.get_mut().write_all(line)?;
        self.line.clear();
        self.lines.read_until(b'\n', &mut self.line)?;
        anyhow::ensure!(self.line == line, "the echo did not answer");
        Ok(())
    }
}
