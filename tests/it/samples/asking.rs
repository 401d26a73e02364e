//! A request that is about to be made.

use postern_tests::{postern_run, start};
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A request that is about to be made, and what it reads.
pub(super) struct Asking(pub(super) Command, pub(super) Option<String>);

impl Asking {
    /// Returns a request on this channel, made in this folder.
    pub(super) fn on(channel: &Path, folder: &Path, options: &[&str]) -> Self {
        let mut run = start(postern_run());
        run.args(options)
            .env_clear()
            .env("POSTERN_SOCKET", channel.join("agent.sock"))
            .env("POSTERN_KEY_FILE", channel.join("agent.key"))
            .current_dir(folder)
            .stdin(Stdio::null());
        Self(run, None)
    }

    pub(super) fn args<'a>(mut self, words: impl IntoIterator<Item = &'a str>) -> Self {
        self.0.args(words);
        self
    }

    pub(super) fn shell(self, line: &str) -> Self {
        self.args(["--shell", line])
    }

    pub(super) fn words(self, program: &str, words: &[&str]) -> Self {
        self.args(["--", program]).args(words.iter().copied())
    }

    pub(super) fn told(self, input: &str) -> Self {
        Self(self.0, Some(input.to_owned()))
    }

    pub(super) fn start(mut self) -> Child {
        if self.1.is_some() {
            self.0.stdin(Stdio::piped());
        }
        let mut child = self.0.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
        if let (Some(input), Some(mut stdin)) = (self.1, child.stdin.take()) {
            stdin.write_all(input.as_bytes()).unwrap();
        }
        child
    }
}
