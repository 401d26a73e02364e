//! The one answer of a hook, in the form of its agent: agents go on where a hook ends without one.

use crate::failure::Failure;
use crate::print;
use parking_lot::{Mutex, MutexGuard};
use postern_doors::hooks::{self, HookAgent, HookVerdict};
use postern_exec::threads::start_thread;
use std::ffi::OsString;
use std::time::Duration;

/// A hook that ends so keeps its agent from using the tool.
const BLOCKED: u8 = 2;

/// True once an answer was printed.
static ANSWERED: Mutex<bool> = Mutex::new(false);

/// Returns the agent whose hook these arguments run.
pub(crate) fn agent_of(arguments: impl IntoIterator<Item = OsString>) -> Option<HookAgent> {
    let mut rest = arguments.into_iter().skip_while(|word| word != "hook").skip(1);
    HookAgent::from_name(rest.next()?.to_str()?)
}

/// Prints the answer to an event.
pub(crate) fn answer(kind: HookAgent, event: &str, verdict: &HookVerdict) -> Result<(), Failure> {
    let mut answered = ANSWERED.lock();
    match hooks::answer(kind, event, verdict) {
        Ok(told) => {
            *answered = true;
            if told.is_empty() { Ok(()) } else { print::write_raw(told) }
        }
        Err(message) => Err(Failure { code: BLOCKED, message }),
    }
}

/// Denies whatever the agent asks about. Returns the exit code that this takes.
pub(crate) fn refuse(kind: HookAgent, reason: &str) -> u8 {
    refuse_once(&mut ANSWERED.lock(), kind, reason)
}

/// Denies when the time is over, or when a part of this program panics.
pub(crate) fn refuse_in_doubt(kind: HookAgent, limit: Duration) -> Result<(), Failure> {
    std::panic::set_hook(Box::new(move |panic| {
        match ANSWERED.try_lock() {
            Some(answered) => end(answered, kind, &format!("Postern failed: {panic}")),
            // It panicked while it answered: the code alone says no.
            None => exit(BLOCKED),
        }
    }));
    let watch = move || {
        std::thread::sleep(limit);
        let answered = ANSWERED.lock();
        if !*answered {
            end(answered, kind, "Nobody answered in time, and nobody said no. Ask the user, then try again.");
        }
    };
    start_thread("watch", watch).map_err(Failure::from_error)
}

fn refuse_once(answered: &mut bool, kind: HookAgent, reason: &str) -> u8 {
    let (told, code) = hooks::refusal(kind, reason);
    if !std::mem::replace(answered, true) && !told.is_empty() {
        // Without anybody who reads it the code is left to say no.
        drop(print::write_raw(told));
    }
    if !reason.is_empty() {
        print::remark(format!("postern: {reason}"));
    }
    code
}

/// Denies and ends, with the answer's lock held: no other answer follows.
fn end(mut answered: MutexGuard<'_, bool>, kind: HookAgent, reason: &str) -> ! {
    let code = refuse_once(&mut answered, kind, reason);
    exit(code)
}

#[expect(clippy::exit, reason = "another thread waits, and what it waits for must not become an answer")]
fn exit(code: u8) -> ! {
    std::process::exit(code.into())
}

#[cfg(test)]
mod tests {
    use super::agent_of;
    use postern_doors::hooks::HookAgent;

    #[test]
    fn a_hook_is_known_from_its_arguments_whatever_else_is_wrong_with_them() {
        let of = |line: &str| agent_of(line.split(' ').map(Into::into));
        assert_eq!(of("postern --data /d hook cline --agnet x"), Some(HookAgent::Cline));
        assert_eq!(of("postern hook claude-code"), Some(HookAgent::ClaudeCode));
        for line in ["postern hook install cline", "postern hook", "postern status"] {
            assert_eq!(of(line), None, "{line}");
        }
    }
}
