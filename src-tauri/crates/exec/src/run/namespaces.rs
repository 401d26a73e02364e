//! Makes the namespaces of a `project` run, and the first process in them.
//!
//! A child that shares our memory joins the user namespace of the base, takes a copy of its mounts, and makes the first
//! process. That one puts the run's own file systems in place, gives up its rights and executes. Nothing of this depends on the
//! run, so it can be made before. Its mounts come later: another such child opens them among the host's, joins the mounts of the
//! first process, puts them there and exits. No program of the run is inside until then.
#![expect(unsafe_code, reason = "namespaces, mounts and what a child may do before exec have no safe form")]

use super::base::{FIRST, NamespaceBase};
use super::mounting::{
    Errno, FileSystem, Mount, READ_ONLY, attach, attributes, checked, errno, error_about, new, tree,
};
use super::vfork::{self, Stack};
use crate::threads::name_limit;
use postern_request::Exit;
use rustix::process::Pid;
use std::ffi::{CString, c_char, c_int, c_long, c_void};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::ptr;

/// Inputs of the two processes; on the parent's stack.
struct First {
    owner: c_int,
    base: c_int,
    inner: c_int,
    kinds: c_int,
    own: &'static [FileSystem],
    program: *const c_char,
    standard: [c_int; 3],
    inner_stack: *mut c_void,
    /// The first process in the namespaces.
    inside: c_int,
    failed: Option<(NamespaceStep, c_int)>,
}

#[derive(Clone, Copy)]
enum NamespaceStep {
    Namespaces,
    Network,
    Mount(&'static FileSystem),
    Execute,
}

impl std::fmt::Display for NamespaceStep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Namespaces => f.write_str("its namespaces"),
            Self::Network => f.write_str("its network"),
            Self::Mount(system) => write!(f, "{} in it", system.target.to_string_lossy()),
            Self::Execute => f.write_str(FIRST),
        }
    }
}

/// Makes namespaces of these kinds with these file systems, and the first process in them, a child of ours that reads `input`.
pub(super) fn start_first(
    base: &NamespaceBase,
    own: &'static [FileSystem],
    kinds: c_int,
    input: &OwnedFd,
) -> Result<Pid, String> {
    let null = File::options().read(true).write(true).open("/dev/null");
    let null = null.map_err(|error| error_about(&"/dev/null", &error))?;
    let program = CString::new(FIRST).map_err(|error| error.to_string())?;
    let mut inner_stack = Stack::new();
    let mut first = First {
        owner: base.owner.as_raw_fd(),
        base: base.mounts.as_raw_fd(),
        inner: base.inner.as_ref().map_or(-1, std::os::fd::AsRawFd::as_raw_fd),
        kinds,
        own,
        program: program.as_ptr(),
        standard: [input.as_raw_fd(), null.as_raw_fd(), null.as_raw_fd()],
        inner_stack: inner_stack.end(),
        inside: 0,
        failed: None,
    };
    // SAFETY: `outside` and `inside` make system calls only: they allocate nothing, take no lock and never panic.
    let started = unsafe { vfork::vfork_child(&mut first, outside, Some(|first: &First| first.inside)) };
    let started = started.map_err(|error| error_about(&NamespaceStep::Namespaces, &error))?;
    let Some((step, error)) = first.failed else {
        return started.ok_or_else(|| "its first process was ended".to_owned());
    };
    if let Some(pid) = started {
        super::exit::reap_child(pid);
    }
    Err(error_about(&step, &name_limit(io::Error::from_raw_os_error(error))))
}

/// Joins the base, takes namespaces below it, and makes the first process in them.
///
/// Only a new process is in a process namespace that was taken. It is a sibling, so that the host waits for
/// it.
extern "C" fn outside(argument: *mut c_void) -> c_int {
    // SAFETY: `vfork::vfork_child` passes the parent's `First`, which lives until both processes have executed or exited.
    let first = unsafe { &mut *argument.cast::<First>() };
    // SAFETY: system calls with valid arguments. The first process runs on a stack of its own, which the host keeps;
    // CLONE_VFORK keeps this process asleep until it has executed or exited.
    unsafe {
        if libc::setns(first.owner, libc::CLONE_NEWUSER) < 0
            || libc::setns(first.base, libc::CLONE_NEWNS) < 0
            || libc::unshare(first.kinds) < 0
        {
            first.failed = Some((NamespaceStep::Namespaces, errno()));
            libc::_exit(127)
        }
        let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PARENT | libc::SIGCHLD;
        let pid = libc::clone(inside, first.inner_stack, flags, argument);
        if pid < 0 {
            first.failed = Some((NamespaceStep::Namespaces, errno()));
        } else {
            first.inside = pid;
        }
        libc::_exit(127)
    }
}

/// Prepares the namespaces and executes, in the first process.
extern "C" fn inside(argument: *mut c_void) -> c_int {
    // SAFETY: as in `outside`, which sleeps meanwhile.
    let first = unsafe { &mut *argument.cast::<First>() };
    // SAFETY: as in `outside`.
    unsafe {
        let done =
            furnish(first).and_then(|()| execute(first).map_err(|errno| (NamespaceStep::Execute, errno)));
        if let Err((step, Errno(error))) = done {
            first.failed = Some((step, error));
        }
        libc::_exit(127)
    }
}

/// Puts the run's own file systems and network in place.
///
/// SAFETY: only in the first process: its mounts are its own.
unsafe fn furnish(first: &First) -> Result<(), (NamespaceStep, Errno)> {
    // SAFETY: system calls on values that the parent prepared.
    unsafe {
        for system in first.own {
            let put = new(system).and_then(|mount| attach(mount, system.target));
            put.map_err(|errno| (NamespaceStep::Mount(system), errno))?;
        }
        if first.kinds & libc::CLONE_NEWNET != 0 {
            loopback().map_err(|errno| (NamespaceStep::Network, errno))?;
        }
        Ok(())
    }
}

/// Inputs of the child; on the parent's stack.
struct Arrangement<'a> {
    owner: c_int,
    base: c_int,
    /// Process whose mounts are arranged, by descriptor.
    first: c_int,
    /// The run's own file systems, which stay as they are when the system becomes read-only; `None` if it is already.
    own: Option<&'static [FileSystem]>,
    mounts: Vec<(&'a Mount, c_int)>,
    failed: Option<(MountStep<'a>, c_int)>,
}

#[derive(Clone, Copy)]
enum MountStep<'a> {
    Namespaces,
    Mount(&'a Mount),
    ReadOnly,
}

impl std::fmt::Display for MountStep<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Namespaces => f.write_str("its namespaces"),
            Self::Mount(mount) => write!(f, "{} in it", mount.target.to_string_lossy()),
            Self::ReadOnly => f.write_str("its read-only system"),
        }
    }
}

/// Mounts these in the namespaces of a first process. With its own file systems, makes everything else of the system read-only
/// before.
pub(super) fn arrange(
    base: &NamespaceBase,
    first: &OwnedFd,
    own: Option<&'static [FileSystem]>,
    mounts: &[Mount],
) -> Result<(), String> {
    let mut arrangement = Arrangement {
        owner: base.owner.as_raw_fd(),
        base: base.mounts.as_raw_fd(),
        first: first.as_raw_fd(),
        own,
        mounts: mounts.iter().map(|mount| (mount, -1)).collect(),
        failed: None,
    };
    // SAFETY: `arrange_inside` makes system calls only: it allocates nothing, takes no lock and never panics.
    let started = unsafe {
        vfork::vfork_child(&mut arrangement, arrange_inside, None::<fn(&Arrangement<'_>) -> c_int>)
    };
    let started = started.map_err(|error| error_about(&MountStep::Namespaces, &error))?;
    let pid = started.ok_or("its mounts were not arranged")?;
    let exit = super::exit::reap_child(pid);
    if let Some((step, error)) = arrangement.failed {
        return Err(error_about(&step, &io::Error::from_raw_os_error(error)));
    }
    // Killed on the way, it said nothing.
    if exit == Exit::Code(0) { Ok(()) } else { Err(format!("its mounts were not arranged: {exit:?}")) }
}

/// Arranges the mounts, in the child.
extern "C" fn arrange_inside(argument: *mut c_void) -> c_int {
    // SAFETY: `vfork::vfork_child` passes the parent's `Arrangement`, which lives until this process has exited.
    let arrangement = unsafe { &mut *argument.cast::<Arrangement<'_>>() };
    // SAFETY: system calls on values that the parent prepared.
    unsafe {
        if let Err((step, Errno(error))) = put_mounts(arrangement) {
            arrangement.failed = Some((step, error));
            libc::_exit(127)
        }
        libc::_exit(0)
    }
}

/// Puts the mounts in place. Everything of the host is opened before anything is covered.
///
/// SAFETY: only in the child: its namespaces are its own.
unsafe fn put_mounts<'a>(arrangement: &mut Arrangement<'a>) -> Result<(), (MountStep<'a>, Errno)> {
    let namespaces = |errno| (MountStep::Namespaces, errno);
    // SAFETY: system calls on values that the parent prepared.
    unsafe {
        join_namespace(arrangement.owner, libc::CLONE_NEWUSER).map_err(namespaces)?;
        join_namespace(arrangement.base, libc::CLONE_NEWNS).map_err(namespaces)?;
        for (mount, opened) in &mut arrangement.mounts {
            let made = tree(&mount.source, mount.read_only);
            *opened = made.map_err(|errno| (MountStep::Mount(mount), errno))?;
        }
        join_namespace(arrangement.first, libc::CLONE_NEWNS).map_err(namespaces)?;
        if let Some(own) = arrangement.own {
            make_read_only(own).map_err(|errno| (MountStep::ReadOnly, errno))?;
        }
        for (mount, opened) in &arrangement.mounts {
            attach(*opened, &mount.target).map_err(|errno| (MountStep::Mount(mount), errno))?;
        }
        Ok(())
    }
}

/// Makes everything read-only except these file systems.
///
/// SAFETY: only in the child, among the mounts of the first process.
unsafe fn make_read_only(own: &[FileSystem]) -> Result<(), Errno> {
    let all = libc::AT_RECURSIVE | libc::AT_NO_AUTOMOUNT;
    // SAFETY: system calls on values that the parent prepared.
    unsafe {
        attributes(libc::AT_FDCWD, c"/", all, [READ_ONLY, 0])?;
        for system in own.iter().filter(|system| !system.read_only) {
            attributes(libc::AT_FDCWD, system.target, libc::AT_SYMLINK_NOFOLLOW, [0, READ_ONLY])?;
        }
        Ok(())
    }
}

/// Joins a namespace.
///
/// SAFETY: only in the child.
unsafe fn join_namespace(namespace: c_int, kind: c_int) -> Result<(), Errno> {
    // SAFETY: a system call with valid arguments.
    unsafe { checked(c_long::from(libc::setns(namespace, kind))).map(drop) }
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
/// SAFETY: only in the first process, after [`furnish`].
unsafe fn execute(first: &First) -> Result<(), Errno> {
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
