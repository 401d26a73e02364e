//! A scripted face: `postern questions --watch --json`, read line by line.

use crate::programs::{OwnedChild, lines_of};
use serde_json::Value;
use std::process::{Command, Stdio};
use std::sync::mpsc::Receiver;
use std::time::Duration;

/// Time that a test waits for what must happen.
const PATIENCE: Duration = Duration::from_mins(1);

/// Sees questions as they come and go.
pub struct Watcher {
    _child: OwnedChild,
    lines: Receiver<String>,
}

impl Watcher {
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("postern questions --watch starts");
        let lines = lines_of(child.stdout.take().expect("piped"));
        let watcher = Self { _child: OwnedChild(child), lines };
        // What happens before it is connected is told to nobody.
        watcher.until(|seen| seen["event"] == "watching");
        watcher
    }

    pub fn question(&self) -> Value {
        self.until(|seen| seen["event"] == "opened")["question"].clone()
    }

    /// Returns how the next question that closes ended.
    pub fn closed(&self) -> String {
        self.until(|seen| seen["event"] == "closed")["how"].as_str().unwrap_or_default().to_owned()
    }

    /// Returns the next notification of this kind.
    pub fn until(&self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let seen = parsed(&self.lines.recv_timeout(PATIENCE).expect("it is told"));
            if is_it(&seen) {
                return seen;
            }
        }
    }

    /// Returns true if a question opened that nobody has looked at yet.
    pub fn saw_one(&self) -> bool {
        self.lines.try_iter().any(|line| parsed(&line)["event"] == "opened")
    }
}

fn parsed(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"))
}

/// Returns the command line that answers a question that was seen: `approve` or `deny`, and `how`.
pub fn answer_args<'a>(answer: &'a str, question: &'a Value, how: &[&'a str]) -> Vec<&'a str> {
    let part = |key: &str| question[key].as_str().unwrap_or_else(|| panic!("{question} has no {key}"));
    [&[answer, part("code"), "--digest", part("digest")], how].concat()
}
