//! The rival of everything that goes over a channel: a bare echo of lines over the same kind of socket.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

/// Returns an echo that answers each line with the same line, one thread a connection, until this program
/// ends.
pub(crate) fn serve(folder: &Path) -> anyhow::Result<PathBuf> {
    let path = folder.join("echo.sock");
    if path.exists() {
        return Ok(path);
    }
    let listener = UnixListener::bind(&path)?;
    std::thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            std::thread::spawn(move || answer(&connection));
        }
    });
    Ok(path)
}

fn answer(connection: &UnixStream) {
    let mut lines = BufReader::new(connection);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        let mut connection = connection;
        if connection.write_all(&line).is_err() {
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
