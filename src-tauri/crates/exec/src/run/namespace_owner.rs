//! The user namespace that owns a namespace.
#![expect(unsafe_code, reason = "the request of the kernel has no safe form")]

use std::io;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};

pub(super) fn owner_of(namespace: &OwnedFd) -> io::Result<OwnedFd> {
    const NS_GET_USERNS: libc::Ioctl = 0xb701;
    // SAFETY: the call takes no argument, and returns a new descriptor that nobody else owns.
    unsafe {
        let owner = libc::ioctl(namespace.as_raw_fd(), NS_GET_USERNS);
        if owner < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(OwnedFd::from_raw_fd(owner))
    }
}
