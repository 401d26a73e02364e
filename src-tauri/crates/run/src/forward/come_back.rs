//! A host that went away: it may come back, and knows the request by its number.

use super::ForwardedRun;
use crate::ending::ProgramEnding;
use postern_client::ConnectionLoss;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::time::{Duration, Instant};

/// Time that a host that went away has to come back.
const PATIENCE: Duration = Duration::from_secs(30);
/// Between two tries to reach it.
const PAUSE: Timespec = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };

impl ForwardedRun {
    /// Connects again and asks again. The error is how this program ends where that cannot be.
    pub(super) fn come_back(&mut self, gone: &ConnectionLoss) -> Result<(), ProgramEnding> {
        if matches!(gone, ConnectionLoss::Unreadable(_)) {
            return Err(ProgramEnding::trouble(&gone.to_string()));
        }
        self.print_status("the connection to Postern is lost; trying again");
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.channel.reconnect() {
                Ok(()) => {
                    if self.send_request().is_ok() {
                        return Ok(());
                    }
                }
                Err(error) if error.may_pass() && Instant::now() < deadline => {}
                Err(error) => return Err(ProgramEnding::trouble(&error.to_string())),
            }
            self.pause_for_retry()?;
        }
    }

    /// Waits a little. A signal now cannot be passed on: it ends this program as it would any other.
    fn pause_for_retry(&mut self) -> Result<(), ProgramEnding> {
        let mut fds = [PollFd::new(&self.signals, PollFlags::IN)];
        let signalled = poll(&mut fds, Some(&PAUSE)).unwrap_or(0) > 0;
        let signal = if signalled { self.signals.take_pending().first().copied() } else { None };
        signal.map_or(Ok(()), |signal| Err(ProgramEnding::signal(signal)))
    }
}
