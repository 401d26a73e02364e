//! The three descriptors of a child, and our ends of them.

use super::ProcessInput;
use rustix::fs::{Mode, OFlags};
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};

/// The child's ends: closed on our side as soon as it has them.
#[derive(Debug)]
pub(super) struct Theirs {
    pub(super) stdin: OwnedFd,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
}

#[derive(Debug)]
pub(super) struct Ours {
    /// Writing end; `None` if the child reads `/dev/null`.
    pub(super) stdin: Option<OwnedFd>,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
}

pub(super) fn open_pipes(input: &ProcessInput) -> io::Result<(Theirs, Ours)> {
    let (stdin, our_stdin) = match input {
        ProcessInput::Nothing => (
            above_standard(rustix::fs::open("/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?)?,
            None,
        ),
        ProcessInput::Inline(_) | ProcessInput::Stream => {
            let (read, write) = new_pipe()?;
            (read, Some(write))
        }
    };
    let (our_stdout, stdout) = new_pipe()?;
    let (our_stderr, stderr) = new_pipe()?;
    Ok((Theirs { stdin, stdout, stderr }, Ours { stdin: our_stdin, stdout: our_stdout, stderr: our_stderr }))
}

fn new_pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    #[cfg(target_os = "linux")]
    let (read, write) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    #[cfg(not(target_os = "linux"))]
    let (read, write) = rustix::pipe::pipe()?;
    Ok((above_standard(read)?, above_standard(write)?))
}

/// Returns a descriptor above 2 that is closed on exec: copying to 0, 1 and 2 in the child must not run over
/// another end.
fn above_standard(fd: OwnedFd) -> io::Result<OwnedFd> {
    if cfg!(target_os = "linux") && fd.as_raw_fd() > 2 {
        return Ok(fd);
    }
    Ok(rustix::io::fcntl_dupfd_cloexec(&fd, 3)?)
}
