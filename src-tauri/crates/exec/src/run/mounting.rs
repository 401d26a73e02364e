//! The system calls that mount: copies of trees, new file systems, attributes, and what is put where.
#![expect(unsafe_code, reason = "the newer system calls for mounts have no safe form")]

use std::ffi::{CStr, CString, c_int, c_long, c_void};
use std::io;
use std::ptr;

/// Attribute of a mount: nothing in it can be written.
pub(super) const READ_ONLY: u64 = 1;

/// A folder or file of the host on top of the read-only system, with what is mounted in it. Missing folders on the way to
/// its target are created.
#[derive(Debug)]
pub(crate) struct Mount {
    pub(crate) target: CString,
    /// Real path of what is mounted.
    pub(crate) source: CString,
    pub(crate) read_only: bool,
}

/// A file system of the kernel's own.
#[derive(Debug)]
pub(crate) struct FileSystem {
    pub(crate) target: &'static CStr,
    pub(crate) kind: &'static CStr,
    pub(crate) options: &'static [(&'static CStr, &'static CStr)],
    pub(crate) read_only: bool,
    pub(crate) executable: bool,
}

/// Error number of the system.
pub(super) struct Errno(pub(super) c_int);

/// Returns a copy of what lies at a path. No link leads there: an agent could have made it.
///
/// SAFETY: only in a process with mounts of its own.
pub(super) unsafe fn tree(path: &CStr, read_only: bool) -> Result<c_int, Errno> {
    const CLONE: c_int = 1;
    // SAFETY: system calls with valid arguments.
    unsafe {
        let there = open(path)?;
        let flags = CLONE | libc::O_CLOEXEC | libc::AT_EMPTY_PATH | libc::AT_RECURSIVE;
        let copy = libc::syscall(libc::SYS_open_tree, there, c"".as_ptr(), flags);
        let copy = checked(copy)?;
        libc::close(there);
        let set = if read_only { READ_ONLY } else { 0 };
        attributes(copy, c"", libc::AT_EMPTY_PATH | libc::AT_RECURSIVE, [set, 0])?;
        Ok(copy)
    }
}

/// Returns a new file system, without setuid programs and device files.
///
/// SAFETY: only in a process with mounts of its own.
pub(super) unsafe fn new(system: &FileSystem) -> Result<c_int, Errno> {
    const CLOEXEC: c_int = 1;
    const SET_STRING: c_int = 1;
    const CREATE: c_int = 6;
    const NO_SETUID_NO_DEVICES: u64 = 2 | 4;
    const NOT_EXECUTABLE: u64 = 8;
    let nothing = ptr::null::<c_void>();
    // SAFETY: system calls with valid arguments.
    unsafe {
        let made = checked(libc::syscall(libc::SYS_fsopen, system.kind.as_ptr(), CLOEXEC))?;
        for (name, value) in system.options {
            let set = libc::syscall(libc::SYS_fsconfig, made, SET_STRING, name.as_ptr(), value.as_ptr(), 0);
            checked(set)?;
        }
        checked(libc::syscall(libc::SYS_fsconfig, made, CREATE, nothing, nothing, 0))?;
        let read_only = if system.read_only { READ_ONLY } else { 0 };
        let executable = if system.executable { 0 } else { NOT_EXECUTABLE };
        let with = read_only | NO_SETUID_NO_DEVICES | executable;
        let mount = checked(libc::syscall(libc::SYS_fsmount, made, CLOEXEC, with))?;
        libc::close(made);
        Ok(mount)
    }
}

/// Cuts mounts off from the host's later ones, and sets and clears attributes of them.
///
/// SAFETY: only in a process with mounts of its own.
pub(super) unsafe fn attributes(
    folder: c_int,
    path: &CStr,
    flags: c_int,
    [set, clear]: [u64; 2],
) -> Result<(), Errno> {
    // The propagation and a user namespace come last.
    let attributes = [set, clear, libc::MS_PRIVATE, 0];
    // SAFETY: a system call with valid arguments.
    unsafe {
        let (pointer, size) = (attributes.as_ptr(), size_of_val(&attributes));
        let set = libc::syscall(libc::SYS_mount_setattr, folder, path.as_ptr(), flags, pointer, size);
        checked(set).map(drop)
    }
}

/// Mounts onto a path, without following links.
///
/// SAFETY: only in a process with mounts of its own.
pub(super) unsafe fn attach(mount: c_int, target: &CStr) -> Result<(), Errno> {
    const BOTH_EMPTY_PATH: c_int = 0x4 | 0x40;
    // SAFETY: system calls with valid arguments.
    unsafe {
        let there = match open(target) {
            Err(Errno(libc::ENOENT)) => {
                create(mount, target);
                open(target)?
            }
            there => there?,
        };
        let empty = c"".as_ptr();
        let moved = libc::syscall(libc::SYS_move_mount, mount, empty, there, empty, BOTH_EMPTY_PATH);
        checked(moved)?;
        libc::close(there);
        Ok(())
    }
}

/// Creates a target of the mount's kind with its parents, if these can be written.
///
/// Only new file systems and the run's own temporary folder can.
///
/// SAFETY: only in a process with mounts of its own.
unsafe fn create(mount: c_int, target: &CStr) {
    // The longest path that the system opens.
    let mut path = [0_u8; 4096];
    // SAFETY: system calls with valid arguments; `path` ends with NUL because it is longer than what is put into it.
    unsafe {
        let mut found = std::mem::zeroed::<libc::stat>();
        let folder = libc::fstat(mount, &raw mut found) == 0 && found.st_mode & libc::S_IFMT == libc::S_IFDIR;
        for (at, byte) in target.to_bytes().iter().enumerate().take(path.len() - 1) {
            if *byte == b'/' && at > 0 {
                libc::mkdir(path.as_ptr().cast(), 0o755);
            }
            if let Some(place) = path.get_mut(at) {
                *place = *byte;
            }
        }
        if folder {
            libc::mkdir(path.as_ptr().cast(), 0o755);
        } else {
            libc::mknod(path.as_ptr().cast(), libc::S_IFREG | 0o444, 0);
        }
    }
}

/// Opens a path that has no link in it.
///
/// SAFETY: only in a process with mounts of its own.
unsafe fn open(path: &CStr) -> Result<c_int, Errno> {
    const NO_LINKS: u64 = 4;
    let flags = libc::O_PATH | libc::O_NOFOLLOW | libc::O_CLOEXEC;
    let how = [u64::from(flags.cast_unsigned()), 0, NO_LINKS];
    // SAFETY: a system call with valid arguments.
    unsafe {
        let (pointer, size) = (how.as_ptr(), size_of_val(&how));
        checked(libc::syscall(libc::SYS_openat2, libc::AT_FDCWD, path.as_ptr(), pointer, size))
    }
}

pub(super) fn checked(returned: c_long) -> Result<c_int, Errno> {
    c_int::try_from(returned).ok().filter(|value| *value >= 0).ok_or_else(|| Errno(errno()))
}

/// Returns this thread's last error; in a child it is the parent's, which sleeps.
pub(super) fn errno() -> c_int {
    // SAFETY: its address is always valid.
    unsafe { *libc::__errno_location() }
}

pub(super) fn error_about(what: &dyn std::fmt::Display, error: &io::Error) -> String {
    format!("{what}: {error}")
}
