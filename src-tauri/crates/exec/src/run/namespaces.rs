//! Makes the namespaces and mounts of a `project` run, and the first process in them.
//!
//! A child that shares our memory joins the user namespace of the base, takes copies of its mounts, and makes the first
//! process. That one arranges the mounts, gives up its rights and executes. No program of the run is inside until then.
#![expect(unsafe_code, reason = "namespaces, mounts and what a child may do before exec have no safe form")]

use super::base::Base;
use super::keeper::FIRST;
use super::vfork::{self, STACK_BYTES, stack_end};
use rustix::process::Pid;
use std::ffi::{CStr, CString, c_char, c_int, c_long, c_void};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::ptr;

/// A mount on top of the system's. Missing folders on the way to its target are created.
#[derive(Debug)]
pub(crate) struct Mount {
    /// Real path of its target.
    pub(crate) target: CString,
    pub(crate) source: Source,
}

/// Source of a mount.
#[derive(Debug)]
pub(crate) enum Source {
    /// A folder or file of the host by its real path, with what is mounted in it.
    Tree { path: CString, read_only: bool },
    /// A new file system.
    New(&'static FileSystem),
}

/// A file system of the kernel's own.
#[derive(Debug)]
pub(crate) struct FileSystem {
    pub(crate) kind: &'static CStr,
    pub(crate) options: &'static [(&'static CStr, &'static CStr)],
    pub(crate) read_only: bool,
    pub(crate) executable: bool,
}

/// Inputs of the two processes; on the parent's stack.
struct First<'a> {
    owner: c_int,
    base: c_int,
    inner: c_int,
    kinds: c_int,
    /// Each mount, with the descriptor of what is mounted.
    mounts: Vec<(&'a Mount, c_int)>,
    program: *const c_char,
    standard: [c_int; 3],
    inner_stack: *mut c_void,
    /// The first process in the namespaces.
    inside: c_int,
    /// Step that failed, with its error.
    failed: Option<(Step<'a>, c_int)>,
}

/// A step, for the error.
#[derive(Clone, Copy)]
enum Step<'a> {
    Namespaces,
    Network,
    Mount(&'a Mount),
    ReadOnly,
    Execute,
}

impl std::fmt::Display for Step<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Namespaces => f.write_str("its namespaces"),
            Self::Network => f.write_str("its network"),
            Self::Mount(mount) => write!(f, "{} in it", mount.target.to_string_lossy()),
            Self::ReadOnly => f.write_str("its read-only system"),
            Self::Execute => f.write_str(FIRST),
        }
    }
}

/// Error number of the system.
struct Errno(c_int);

/// Makes namespaces of these kinds with these mounts, and the first process in them, a child of ours that reads `input`.
pub(super) fn start(base: &Base, mounts: &[Mount], kinds: c_int, input: &OwnedFd) -> Result<Pid, String> {
    let told = |what: &dyn std::fmt::Display, error: io::Error| format!("{what}: {error}");
    let null = File::options().read(true).write(true).open("/dev/null");
    let null = null.map_err(|error| told(&"/dev/null", error))?;
    let program = CString::new(FIRST).map_err(|error| error.to_string())?;
    let mut inner_stack = vec![0_u8; STACK_BYTES];
    let mut first = First {
        owner: base.owner.as_raw_fd(),
        base: base.mounts.as_raw_fd(),
        inner: base.inner.as_ref().map_or(-1, std::os::fd::AsRawFd::as_raw_fd),
        kinds,
        mounts: mounts.iter().map(|mount| (mount, -1)).collect(),
        program: program.as_ptr(),
        standard: [input.as_raw_fd(), null.as_raw_fd(), null.as_raw_fd()],
        inner_stack: stack_end(&mut inner_stack),
        inside: 0,
        failed: None,
    };
    // SAFETY: `outside` and `inside` make system calls only: they allocate nothing, take no lock and never panic.
    let started = unsafe { vfork::start(&mut first, outside, Some(|first: &First<'_>| first.inside)) };
    let started = started.map_err(|error| told(&Step::Namespaces, error))?;
    let Some((step, error)) = first.failed else {
        return started.ok_or_else(|| "its first process was ended".to_owned());
    };
    if let Some(pid) = started {
        super::exit::reap(pid);
    }
    Err(told(&step, io::Error::from_raw_os_error(error)))
}

/// Joins the base, takes namespaces below it, and makes the first process in them.
///
/// Only a new process is in a process namespace that was taken. It is a sibling, so that the host waits for
/// it.
extern "C" fn outside(argument: *mut c_void) -> c_int {
    // SAFETY: `vfork::start` passes the parent's `First`, which lives until both processes have executed or exited.
    let first = unsafe { &mut *argument.cast::<First<'_>>() };
    // SAFETY: system calls with valid arguments. The first process runs on a stack of its own, which the host keeps;
    // CLONE_VFORK keeps this process asleep until it has executed or exited.
    unsafe {
        if libc::setns(first.owner, libc::CLONE_NEWUSER) < 0
            || libc::setns(first.base, libc::CLONE_NEWNS) < 0
            || libc::unshare(first.kinds) < 0
        {
            first.failed = Some((Step::Namespaces, errno()));
            libc::_exit(127)
        }
        let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PARENT | libc::SIGCHLD;
        let pid = libc::clone(inside, first.inner_stack, flags, argument);
        if pid < 0 {
            first.failed = Some((Step::Namespaces, errno()));
        } else {
            first.inside = pid;
        }
        libc::_exit(127)
    }
}

/// Arranges the mounts and executes, in the first process.
extern "C" fn inside(argument: *mut c_void) -> c_int {
    // SAFETY: as in `outside`, which sleeps meanwhile.
    let first = unsafe { &mut *argument.cast::<First<'_>>() };
    // SAFETY: as in `outside`.
    unsafe {
        let done = arrange(first).and_then(|()| execute(first).map_err(|errno| (Step::Execute, errno)));
        if let Err((step, Errno(error))) = done {
            first.failed = Some((step, error));
        }
        libc::_exit(127)
    }
}

/// Puts the mounts in place. Everything of the host is opened before anything is covered.
///
/// SAFETY: only in the first process: its mounts are its own.
unsafe fn arrange<'a>(first: &mut First<'a>) -> Result<(), (Step<'a>, Errno)> {
    // SAFETY: system calls on values that the parent prepared.
    unsafe {
        for (mount, opened) in &mut first.mounts {
            let made = match &mount.source {
                Source::Tree { path, read_only } => tree(path, *read_only),
                Source::New(system) => new(system),
            };
            *opened = made.map_err(|errno| (Step::Mount(mount), errno))?;
        }
        let flags = libc::AT_RECURSIVE | libc::AT_NO_AUTOMOUNT;
        attributes(libc::AT_FDCWD, c"/", flags, true).map_err(|errno| (Step::ReadOnly, errno))?;
        for (mount, opened) in &first.mounts {
            attach(*opened, &mount.target).map_err(|errno| (Step::Mount(mount), errno))?;
        }
        if first.kinds & libc::CLONE_NEWNET != 0 {
            loopback().map_err(|errno| (Step::Network, errno))?;
        }
        Ok(())
    }
}

/// Returns a copy of what lies at a path. No link leads there: an agent could have made it.
///
/// SAFETY: only in the first process.
unsafe fn tree(path: &CStr, read_only: bool) -> Result<c_int, Errno> {
    const CLONE: c_int = 1;
    // SAFETY: system calls with valid arguments.
    unsafe {
        let there = open(path)?;
        let flags = CLONE | libc::O_CLOEXEC | libc::AT_EMPTY_PATH | libc::AT_RECURSIVE;
        let copy = libc::syscall(libc::SYS_open_tree, there, c"".as_ptr(), flags);
        let copy = checked(copy)?;
        libc::close(there);
        attributes(copy, c"", libc::AT_EMPTY_PATH | libc::AT_RECURSIVE, read_only)?;
        Ok(copy)
    }
}

/// Returns a new file system, without setuid programs and device files.
///
/// SAFETY: only in the first process.
unsafe fn new(system: &FileSystem) -> Result<c_int, Errno> {
    const CLOEXEC: c_int = 1;
    const SET_STRING: c_int = 1;
    const CREATE: c_int = 6;
    const READ_ONLY: u64 = 1;
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

/// Cuts mounts off from the host's later ones, and makes them read-only if asked to.
///
/// SAFETY: only in the first process.
unsafe fn attributes(folder: c_int, path: &CStr, flags: c_int, read_only: bool) -> Result<(), Errno> {
    // Attributes to set and to clear, the propagation, a user namespace.
    let attributes = [u64::from(read_only), 0, libc::MS_PRIVATE, 0];
    // SAFETY: a system call with valid arguments.
    unsafe {
        let (pointer, size) = (attributes.as_ptr(), size_of_val(&attributes));
        let set = libc::syscall(libc::SYS_mount_setattr, folder, path.as_ptr(), flags, pointer, size);
        checked(set).map(drop)
    }
}

/// Mounts onto a path, without following links.
///
/// SAFETY: only in the first process.
unsafe fn attach(mount: c_int, target: &CStr) -> Result<(), Errno> {
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
/// SAFETY: only in the first process.
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
/// SAFETY: only in the first process.
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

/// Turns the loopback of its network on.
///
/// SAFETY: only in the first process, in a network of its own.
unsafe fn loopback() -> Result<(), Errno> {
    const UP: libc::c_short = 1;
    // SAFETY: system calls with valid arguments; all zero is a valid request, and its name stays shorter than its room.
    unsafe {
        let socket = libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0);
        let socket = checked(c_long::from(socket))?;
        let mut request = std::mem::zeroed::<libc::ifreq>();
        ptr::copy_nonoverlapping(c"lo".as_ptr(), request.ifr_name.as_mut_ptr(), 2);
        request.ifr_ifru.ifru_flags = UP;
        let set = libc::ioctl(socket, libc::SIOCSIFFLAGS, &raw const request);
        checked(c_long::from(set))?;
        libc::close(socket);
        Ok(())
    }
}

/// Gives up every right and executes.
///
/// SAFETY: only in the first process, after [`arrange`].
unsafe fn execute(first: &First<'_>) -> Result<(), Errno> {
    const VERSION_3: u32 = 0x2008_0522;
    let (header, no_rights) = ([VERSION_3, 0], [0_u32; 6]);
    let (arguments, environment) = ([first.program, ptr::null()], [ptr::null()]);
    // SAFETY: system calls with valid arguments.
    unsafe {
        libc::setsid();
        for (to, from) in [0, 1, 2].into_iter().zip(first.standard) {
            checked(c_long::from(libc::dup2(from, to)))?;
        }
        if first.inner >= 0 {
            checked(c_long::from(libc::setns(first.inner, libc::CLONE_NEWUSER)))?;
        }
        let all = libc::CLOSE_RANGE_CLOEXEC.cast_signed();
        checked(c_long::from(libc::close_range(3, libc::c_uint::MAX, all)))?;
        // The kernel refuses the first number that is no right.
        let mut right = 0;
        while libc::prctl(libc::PR_CAPBSET_DROP, right, 0, 0, 0) == 0 {
            right += 1;
        }
        checked(c_long::from(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)))?;
        checked(libc::syscall(libc::SYS_capset, header.as_ptr(), no_rights.as_ptr()))?;
        checked(c_long::from(libc::execve(first.program, arguments.as_ptr(), environment.as_ptr()))).map(drop)
    }
}

fn checked(returned: c_long) -> Result<c_int, Errno> {
    c_int::try_from(returned).ok().filter(|value| *value >= 0).ok_or_else(|| Errno(errno()))
}

/// Returns this thread's last error; in a child it is the parent's, which sleeps.
fn errno() -> c_int {
    // SAFETY: its address is always valid.
    unsafe { *libc::__errno_location() }
}

/// Returns the user namespace that owns a namespace.
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
