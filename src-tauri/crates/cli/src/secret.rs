//! A secret that the person types, without showing it, or pipes in.

use crate::failure::Failure;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use std::io::{BufRead as _, IsTerminal as _, Read as _, Write as _};

/// The longest secret, in bytes.
const LONGEST: u64 = 4096;

/// Reads a line of standard input, without its end. At a terminal it is asked for by its name, and it is not shown.
pub(crate) fn read_secret(name: &str, owner: &str) -> Result<String, Failure> {
    let stdin = std::io::stdin();
    let hidden = if stdin.is_terminal() {
        let mut stderr = std::io::stderr();
        write!(stderr, "{name} for {owner}: ").and_then(|()| stderr.flush()).map_err(Failure::from_error)?;
        Some(Hidden::new()?)
    } else {
        None
    };
    let mut line = String::new();
    stdin.lock().take(LONGEST).read_line(&mut line).map_err(Failure::from_error)?;
    drop(hidden);
    let secret = line.trim();
    if secret.is_empty() {
        return Err(Failure::usage_error(format!("no {name} was given")));
    }
    Ok(secret.to_owned())
}

/// The terminal shows nothing that is typed while this lives.
struct Hidden(Termios);

impl Hidden {
    fn new() -> Result<Self, Failure> {
        let before = tcgetattr(std::io::stdin()).map_err(Failure::from_error)?;
        let mut quiet = before.clone();
        quiet.local_modes.remove(LocalModes::ECHO);
        quiet.local_modes.insert(LocalModes::ECHONL);
        tcsetattr(std::io::stdin(), OptionalActions::Flush, &quiet).map_err(Failure::from_error)?;
        Ok(Self(before))
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        // The terminal may be gone.
        _ = tcsetattr(std::io::stdin(), OptionalActions::Now, &self.0);
    }
}
