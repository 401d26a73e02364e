//! Watches the mounts of a confined run until it has exited. Where one is taken away, its pin is put back or the run is ended.
//!
//! The profiles of macOS go by names, so nothing takes a pin away there.

use crate::confine::Lasting;
use std::io;
use std::os::fd::OwnedFd;

#[cfg(target_os = "linux")]
use tokio::io::unix::AsyncFd;

/// Table of a run's mounts, on which the system reports a change.
#[derive(Debug)]
pub(super) struct PinWatch {
    #[cfg(target_os = "linux")]
    table: Option<AsyncFd<OwnedFd>>,
}

#[cfg(target_os = "linux")]
impl PinWatch {
    /// Watches the mounts of a run, if it has any. Needs a running tokio runtime.
    pub(super) fn of_run(lasting: Option<&Lasting>) -> io::Result<Self> {
        let table = lasting.map(Lasting::mount_table).transpose()?;
        Ok(Self { table: table.map(super::exit::reports_change).transpose()? })
    }

    /// Waits until a mount was put or taken away; forever if there is none.
    pub(super) async fn changed(&self) {
        if let Some(table) = &self.table
            && let Ok(mut change) = table.ready(tokio::io::Interest::PRIORITY).await
        {
            change.clear_ready();
            return;
        }
        std::future::pending::<()>().await;
    }
}

#[cfg(not(target_os = "linux"))]
impl PinWatch {
    /// Watches nothing.
    #[expect(clippy::unnecessary_wraps, reason = "it can fail where there is something to watch")]
    pub(super) fn of_run(_: Option<&Lasting>) -> io::Result<Self> {
        Ok(Self {})
    }

    /// Waits forever.
    #[expect(clippy::unused_self, reason = "it is watched where there is something to watch")]
    pub(super) async fn changed(&self) {
        std::future::pending::<()>().await;
    }
}

/// Puts back the pins of a run, off the threads that carry messages. Returns the place of one that cannot be put back; the run
/// has been ended then.
pub(super) async fn hold_pins(lasting: &mut Option<Lasting>) -> Option<String> {
    let taken = lasting.take()?;
    let (held, taken) = tokio::task::spawn_blocking(move || (taken.hold_pins(), taken)).await.ok()?;
    *lasting = Some(taken);
    held.err()
}

/// Waits on this thread until a child has exited, and holds its pins meanwhile. Returns the place of a pin that could not be put
/// back; the child has been ended then.
#[cfg(target_os = "linux")]
pub(super) fn hold_until_exit(
    exit: Option<&OwnedFd>,
    lasting: Option<&Lasting>,
) -> io::Result<Option<String>> {
    use rustix::event::{PollFd, PollFlags, poll};
    let (Some(exit), Some(lasting)) = (exit, lasting) else { return Ok(None) };
    let table = lasting.mount_table()?;
    loop {
        let mut both = [PollFd::new(exit, PollFlags::IN), PollFd::new(&table, PollFlags::PRI)];
        match poll(&mut both, None) {
            Err(rustix::io::Errno::INTR) => continue,
            polled => polled?,
        };
        let [exited, changed] = both.map(|one| !one.revents().is_empty());
        if exited {
            return Ok(None);
        }
        if changed && let Err(place) = lasting.hold_pins() {
            return Ok(Some(place));
        }
    }
}

#[cfg(not(target_os = "linux"))]
#[expect(clippy::unnecessary_wraps, reason = "it can fail where there is something to watch")]
pub(super) fn hold_until_exit(_: Option<&OwnedFd>, _: Option<&Lasting>) -> io::Result<Option<String>> {
    Ok(None)
}
