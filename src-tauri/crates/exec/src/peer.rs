//! The process at the other end of the control socket, held so that its id cannot be reused meanwhile.
#![cfg_attr(
    any(target_os = "linux", target_os = "macos"),
    expect(unsafe_code, reason = "these two socket options have no safe form")
)]

use rustix::process::Pid;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::PathBuf;
use tokio::net::UnixStream;

/// A process and its user, as the system reported them at the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer {
    pub uid: u32,
    pub pid: u32,
}

/// A peer, with a way to tell if it is still the same process.
#[derive(Debug)]
pub struct PinnedPeer {
    pub peer: Peer,
    #[cfg(target_os = "linux")]
    held: OwnedFd,
    #[cfg(target_os = "macos")]
    token: [u32; 8],
    #[cfg(target_os = "macos")]
    socket: OwnedFd,
}

impl Peer {
    fn from_stream(stream: &UnixStream) -> Option<Self> {
        let peer = stream.peer_cred().ok()?;
        // 0 means a process that this one cannot see.
        let pid = u32::try_from(peer.pid()?).ok().filter(|pid| *pid > 0)?;
        Some(Self { uid: peer.uid(), pid })
    }
}

impl PinnedPeer {
    /// Returns the path of the program that the process runs, where the system tells it.
    #[must_use]
    pub fn program(&self) -> Option<PathBuf> {
        #[cfg(target_os = "linux")]
        return std::fs::read_link(format!("/proc/{}/exe", self.peer.pid)).ok();
        #[cfg(not(target_os = "linux"))]
        None
    }
}

#[cfg(not(target_os = "macos"))]
impl PinnedPeer {
    /// Returns true: other systems have no code signatures.
    pub fn is_of_this_release(&self) -> bool {
        true
    }

    /// Returns true: other systems do not say which process wrote a message.
    pub fn is_same(&self) -> bool {
        true
    }
}

#[cfg(target_os = "linux")]
impl PinnedPeer {
    /// Holds the process that connected. Before Linux 6.5 it holds the process that has its id now.
    pub fn from_stream(stream: &UnixStream) -> Option<Self> {
        let peer = Peer::from_stream(stream)?;
        let pid = Pid::from_raw(peer.pid.cast_signed())?;
        let by_number = || rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok();
        Some(Self { peer, held: connected(stream).or_else(by_number)? })
    }

    /// Returns true until the process ends; until then its id is not reused.
    pub fn is_there(&self) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let mut ended = [PollFd::new(&self.held, PollFlags::IN)];
        poll(&mut ended, Some(&Timespec::default())) == Ok(0)
    }
}

/// Returns a descriptor of the process that connected: `SO_PEERPIDFD`.
#[cfg(target_os = "linux")]
fn connected(stream: &UnixStream) -> Option<OwnedFd> {
    use std::os::fd::FromRawFd as _;
    let mut descriptor: libc::c_int = -1;
    let mut length = libc::socklen_t::try_from(size_of_val(&descriptor)).ok()?;
    // SAFETY: the kernel writes one descriptor, at most of the given length; on success it is new and ours
    // alone.
    unsafe {
        let told = libc::getsockopt(
            stream.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_PEERPIDFD,
            (&raw mut descriptor).cast(),
            &raw mut length,
        );
        (told == 0 && descriptor >= 0).then(|| OwnedFd::from_raw_fd(descriptor))
    }
}

#[cfg(target_os = "macos")]
impl PinnedPeer {
    /// Stores the audit token of the process that connected; its last word is the version of the id.
    pub fn from_stream(stream: &UnixStream) -> Option<Self> {
        use std::os::fd::AsFd as _;
        let socket = stream.as_fd().try_clone_to_owned().ok()?;
        let token = token_of(&socket)?;
        let peer = Peer::from_stream(stream)?;
        // The token and the id have to name the same process.
        (token[5] == peer.pid).then_some(Self { peer, token, socket })
    }

    #[cfg(test)]
    pub fn audit_token(&self) -> [u32; 8] {
        self.token
    }

    /// Returns true if the process runs code that this release may be controlled by.
    pub fn is_of_this_release(&self) -> bool {
        crate::code::is_ours(&self.token)
    }

    /// Returns true while the process that used the connection last is the one that was admitted.
    pub fn is_same(&self) -> bool {
        token_of(&self.socket) == Some(self.token)
    }

    /// Returns true while the connection still belongs to that process and it has not ended.
    pub fn is_there(&self) -> bool {
        let pid = Pid::from_raw(self.peer.pid.cast_signed());
        self.is_same() && pid.is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok())
    }
}

/// Reads `LOCAL_PEERTOKEN` of `<sys/un.h>`, which libc does not list.
#[cfg(target_os = "macos")]
fn token_of(socket: &OwnedFd) -> Option<[u32; 8]> {
    const SOL_LOCAL: libc::c_int = 0;
    const LOCAL_PEERTOKEN: libc::c_int = 0x006;
    let mut token = [0_u32; 8];
    let bytes = libc::socklen_t::try_from(size_of_val(&token)).ok()?;
    let mut length = bytes;
    // SAFETY: an audit token is eight words, and the kernel writes at most the given length.
    let told = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            SOL_LOCAL,
            LOCAL_PEERTOKEN,
            token.as_mut_ptr().cast(),
            &raw mut length,
        )
    };
    (told == 0 && length == bytes).then_some(token)
}
