//! A command of an agent that was started, in its sandbox or beside it.

use crate::host::Answer;
use crate::programs::agent_command;
use std::path::Path;
use std::process::Child;

/// A command of an agent, on its way.
pub struct Asked(pub(crate) Child);

impl Asked {
    /// Asks for a command on an agent's channel, without a sandbox.
    pub fn new(channel: &Path, command: &[&str]) -> Self {
        Self::with(channel, &[&["--"], command].concat())
    }

    /// Starts `postern-run` with these arguments.
    pub fn with(channel: &Path, arguments: &[&str]) -> Self {
        Self(agent_command(channel, arguments).spawn().expect("postern-run starts"))
    }

    /// Waits for its end.
    pub fn end(self) -> Answer {
        self.0.wait_with_output().expect("it ends").into()
    }
}
