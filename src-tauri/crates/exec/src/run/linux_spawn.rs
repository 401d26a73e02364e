//! Starts a process on Linux so that it stops before its first instruction.
//!
//! The child shares our memory until it executes (as `posix_spawn` does it), so nothing is copied, however large we
//! are; it asks to be traced, and a traced process stops when it has executed. While it is stopped we look at what it
//! is; then it is let go, or killed.
#![expect(unsafe_code, reason = "clone, ptrace and what a child may do before exec have no safe form")]

use super::spawn_call::SpawnCall;
use super::vfork::{self, Stack};
use super::{SpawnError, mark};
use crate::threads::name_limit;
use postern_request::Drift;
use rustix::process::{Pid, WaitOptions};
use std::ffi::{CString, c_char, c_int, c_void};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::ptr;

/// Inputs of the child; on the parent's stack, and the parent sleeps until the child has executed or exited.
struct ChildInputs {
    path: *const c_char,
    argv: *const *const c_char,
    env: *const *const c_char,
    standard: [c_int; 3],
    cwd: c_int,
    /// Path of the working directory, and its device and inode: it is opened again inside other mounts.
    cwd_path: *const c_char,
    cwd_is: (u64, u64),
    /// Process whose namespaces it joins, by descriptor; -1 if it joins none.
    keeper: c_int,
    namespaces: c_int,
    /// End of the stack for the process inside them.
    inner_stack: *mut c_void,
    /// Process inside them.
    inside: c_int,
    /// True if it leads its own session. Without one it dies with its parent.
    session: bool,
    /// The judged file, to be executed by descriptor where it cannot be held.
    program: c_int,
    /// Descriptor that it inherits; -1 if there is none.
    inherited: c_int,
    /// Landlock ruleset as a descriptor; -1 if the run is not confined.
    ruleset: c_int,
    filter: libc::sock_fprog,
    /// True if it is to be held.
    hold: bool,
    /// Process that holds it.
    host: c_int,
    /// Limit of open files: the host's own before it was raised.
    files: Option<libc::rlimit>,
    /// Limit of processes: in namespaces of its own those there are counted, else all of the user.
    processes: Option<libc::rlimit>,
    /// Hard limit that marks it and its descendants.
    mark: u64,
    /// True if that failed.
    not_held: bool,
    /// Error of executing; 0 if there is none.
    error: c_int,
}

/// Starts the program held; `None` if that is not possible: tracing is forbidden here, or would take a setuid
/// program its rights.
pub(super) fn spawn_held(call: &SpawnCall<'_>) -> Result<Option<Pid>, SpawnError> {
    // Confined it gets no rights by its file.
    if call.program.setuid && call.fence.is_none() {
        return Ok(None);
    }
    let Some(pid) = spawn_child(call, true)? else { return Ok(None) };
    if stopped(pid) {
        return Ok(Some(pid));
    }
    super::exit::reap_child(pid);
    Err(SpawnError::Failed(format!("{} was ended while it started", call.program.bound.path)))
}

/// Starts the program, which runs at once.
pub(super) fn spawn_free(call: &SpawnCall<'_>) -> Result<Pid, SpawnError> {
    let failed = || SpawnError::Failed(format!("{} could not be started", call.program.bound.path));
    spawn_child(call, false)?.ok_or_else(failed)
}

/// Starts a process. Returns `None` if it was to be held and cannot be; then nothing was executed.
fn spawn_child(call: &SpawnCall<'_>, hold: bool) -> Result<Option<Pid>, SpawnError> {
    let argv = pointers(&call.argv);
    let env = pointers(&call.env);
    let theirs = &call.theirs;
    let fence = call.fence.as_ref();
    let filter = fence.map_or(&[][..], |fence| &fence.filter);
    let keeper = fence.and_then(|fence| fence.keeper());
    if keeper.is_some() && !hold {
        return Err(SpawnError::Failed(
            "it cannot be held while it starts, so it is not confined".to_owned(),
        ));
    }
    let bound = &call.prepared.cwd.bound;
    let cwd_path = CString::new(bound.path.as_str())
        .map_err(|_| SpawnError::Failed("its folder's path holds NUL".to_owned()))?;
    let mut inner_stack = keeper.map(|_| Stack::new());
    let mut child = ChildInputs {
        path: call.path.as_ptr(),
        argv: argv.as_ptr(),
        env: env.as_ptr(),
        standard: [theirs.stdin.as_raw_fd(), theirs.stdout.as_raw_fd(), theirs.stderr.as_raw_fd()],
        cwd: call.prepared.cwd.descriptor().as_raw_fd(),
        cwd_path: cwd_path.as_ptr(),
        cwd_is: (bound.device, bound.inode),
        keeper: keeper.map_or(-1, |keeper| keeper.descriptor().as_raw_fd()),
        namespaces: keeper.map_or(0, super::Keeper::namespaces),
        inner_stack: inner_stack.as_mut().map_or(ptr::null_mut(), Stack::end),
        inside: 0,
        session: call.session,
        // By descriptor only machine code can be executed: a script's interpreter could not open it again.
        program: if call.program.shebang.is_none() { call.program.descriptor().as_raw_fd() } else { -1 },
        inherited: call.orders.as_ref().map_or(-1, std::os::fd::AsRawFd::as_raw_fd),
        ruleset: fence.map_or(-1, |fence| fence.ruleset.as_raw_fd()),
        filter: libc::sock_fprog {
            len: u16::try_from(filter.len())
                .map_err(|_| SpawnError::Failed("its filter is too long".to_owned()))?,
            // The kernel only reads it.
            filter: filter.as_ptr().cast_mut(),
        },
        hold,
        host: rustix::process::getpid().as_raw_nonzero().get(),
        files: crate::descriptors::given_to_children(),
        processes: fence.and_then(|_| process_limit(keeper.is_some())),
        mark: mark::of_runs().ok_or_else(unmarked)?,
        not_held: false,
        error: 0,
    };
    // The process inside the namespaces is a sibling of the one that joins them.
    let inside = (child.keeper >= 0).then_some(|child: &ChildInputs| child.inside);
    // SAFETY: `child_main` and `inside_main` make system calls only: they allocate nothing, take no lock and never panic.
    let pid = unsafe { vfork::vfork_child(&mut child, child_main, inside) };
    let pid = pid.map_err(|error| SpawnError::Failed(format!("could not be started: {error}")))?;
    if child.error == 0 {
        let ended = || SpawnError::Failed("it was ended while it entered its namespaces".to_owned());
        return pid.ok_or_else(ended).map(Some);
    }
    if let Some(pid) = pid {
        super::exit::reap_child(pid);
    }
    if child.not_held {
        return Ok(None);
    }
    let error = name_limit(std::io::Error::from_raw_os_error(child.error));
    Err(SpawnError::Failed(format!("{} could not be started: {error}", call.program.bound.path)))
}

/// Returns the limit of processes of a confined run: the rest is there for the user while a run takes all it gets.
///
/// In namespaces of its own that is half of what the user may have. Outside of them the user's processes count, too, so an eighth is
/// left: half would be too little where the user has many.
fn process_limit(own_namespaces: bool) -> Option<libc::rlimit> {
    let all = rustix::process::getrlimit(rustix::process::Resource::Nproc).current?;
    let most = if own_namespaces { all / 2 } else { all - all / 8 };
    Some(libc::rlimit { rlim_cur: most, rlim_max: most })
}

/// Returns the error for a host without room for the mark: an unmarked run could control Postern once orphaned.
fn unmarked() -> SpawnError {
    let why = "could not be started: Postern's own hard limit on file locks (ulimit -Hx) is 0, and a command needs a lower one";
    SpawnError::Failed(why.to_owned())
}

/// Runs in the new process: only system calls, in an order that leaves the visible ones for last.
extern "C" fn child_main(argument: *mut c_void) -> c_int {
    // SAFETY: `vfork::vfork_child` passes the parent's `ChildInputs`, which lives until this process has executed or exited.
    let child = unsafe { &mut *argument.cast::<ChildInputs>() };
    // SAFETY: every call below is a plain system call on values that the parent prepared.
    unsafe {
        if child.keeper >= 0 {
            enter_namespaces(child);
            libc::_exit(127)
        }
        inside_main(argument)
    }
}

/// Joins the keeper's namespaces and makes the process that is to run there.
///
/// It is a sibling, so that the host holds it and waits for it like any other run; only a new process is in a
/// process namespace that was joined.
///
/// SAFETY: only in the new process; its memory is ours, but no program of the run is inside the namespaces yet.
unsafe fn enter_namespaces(child: &mut ChildInputs) {
    let argument = ptr::from_mut(child).cast::<c_void>();
    // SAFETY: system calls with valid arguments. The process inside runs on a stack of its own, which the parent's
    // parent keeps; CLONE_VFORK keeps this process asleep until it has executed or exited.
    unsafe {
        if libc::setns(child.keeper, child.namespaces) < 0 {
            return save_errno(child);
        }
        let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PARENT | libc::SIGCHLD;
        let pid = libc::clone(inside_main, child.inner_stack, flags, argument);
        if pid < 0 {
            return save_errno(child);
        }
        child.inside = pid;
    }
}

/// Prepares and executes the program, in the new process.
extern "C" fn inside_main(argument: *mut c_void) -> c_int {
    // SAFETY: as in `child_main`.
    let child = unsafe { &mut *argument.cast::<ChildInputs>() };
    // SAFETY: as in `child_main`.
    unsafe {
        prepare(child);
        if child.error == 0 {
            execute(child);
        }
        libc::_exit(127)
    }
}

/// Prepares the new process. SAFETY: only in the new process, before exec.
unsafe fn prepare(child: &mut ChildInputs) {
    // SAFETY: system calls with valid arguments; a failure of those that matter is told to the parent.
    unsafe {
        if child.session {
            libc::setsid();
        } else {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0);
        }
        // An ignored signal would stay ignored through exec. Asked of the kernel itself: the library keeps two signals
        // from its callers. All zero is the default action, no flags and an empty mask.
        let default = [0_u64; 4];
        for signal in 1..=64_i64 {
            libc::syscall(libc::SYS_rt_sigaction, signal, default.as_ptr(), ptr::null_mut::<u64>(), 8_usize);
        }
        for (to, from) in [0, 1, 2].into_iter().zip(child.standard) {
            if libc::dup2(from, to) < 0 {
                return save_errno(child);
            }
        }
        if !go_to_folder(child) {
            return save_errno(child);
        }
        if libc::close_range(3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC.cast_signed()) < 0 {
            return save_errno(child);
        }
        if child.inherited >= 0 && libc::fcntl(child.inherited, libc::F_SETFD, 0) < 0 {
            return save_errno(child);
        }
        libc::umask(0o022);
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        libc::setrlimit(libc::RLIMIT_CORE, &raw const none);
        if let Some(files) = &child.files {
            libc::setrlimit(libc::RLIMIT_NOFILE, ptr::from_ref(files));
        }
        if let Some(processes) = &child.processes {
            libc::setrlimit(libc::RLIMIT_NPROC, ptr::from_ref(processes));
        }
        let mark = libc::rlimit { rlim_cur: child.mark, rlim_max: child.mark };
        if libc::setrlimit(libc::RLIMIT_LOCKS, &raw const mark) < 0 {
            return save_errno(child);
        }
        // What it starts stays in its tree, also when the process between the two is gone.
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
        let mut empty = std::mem::zeroed::<libc::sigset_t>();
        libc::sigemptyset(&raw mut empty);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const empty, ptr::null_mut());
    }
}

/// Changes to the working directory; returns false on failure. Inside other mounts the descriptor would lead out of
/// them: there it is opened by its path, and must be the same folder.
///
/// SAFETY: only in the new process, before exec.
unsafe fn go_to_folder(child: &ChildInputs) -> bool {
    // SAFETY: system calls with valid arguments; the path ends with NUL and outlives the call.
    unsafe {
        if child.keeper < 0 {
            return libc::fchdir(child.cwd) == 0;
        }
        let flags = libc::O_PATH | libc::O_DIRECTORY | libc::O_NOFOLLOW | libc::O_CLOEXEC;
        let folder = libc::open(child.cwd_path, flags);
        let mut found = std::mem::zeroed::<libc::stat>();
        if folder < 0 || libc::fstat(folder, &raw mut found) < 0 {
            return false;
        }
        if (found.st_dev, found.st_ino) != child.cwd_is {
            *libc::__errno_location() = libc::ESTALE;
            return false;
        }
        libc::fchdir(folder) == 0
    }
}

/// Executes the program. SAFETY: only in the new process, after [`prepare`].
unsafe fn execute(child: &mut ChildInputs) {
    // SAFETY: `path`, `argv` and `env` are NUL-terminated and outlive the call.
    unsafe {
        if child.hold {
            let nothing = ptr::null_mut::<c_void>();
            if libc::ptrace(libc::PTRACE_TRACEME, 0, nothing, nothing) < 0 {
                child.not_held = true;
                return save_errno(child);
            }
            // Were we killed meanwhile, it would be held by the process that took our children over, and stay so always.
            // The keeper's namespaces end with us, and nothing has a parent in them.
            if child.keeper < 0 && libc::getppid() != child.host {
                libc::_exit(127);
            }
        }
        if child.ruleset >= 0 && !confine(child) {
            return save_errno(child);
        }
        if child.hold || child.program < 0 {
            libc::execve(child.path, child.argv, child.env);
        } else {
            libc::execveat(
                child.program,
                c"".as_ptr(),
                child.argv.cast(),
                child.env.cast(),
                libc::AT_EMPTY_PATH,
            );
        }
        save_errno(child);
    }
}

/// Confines this process permanently; returns false on failure.
///
/// SAFETY: only in the new process, right before exec: the remaining steps are allowed by the profile.
unsafe fn confine(child: &ChildInputs) -> bool {
    // A host of root has rights that bypass Landlock (CAP_PERFMON at `/proc/PID/environ`).
    const VERSION_3: u32 = 0x2008_0522;
    let (header, no_rights) = ([VERSION_3, 0], [0_u32; 6]);
    // SAFETY: system calls on values of this frame, and on a descriptor and a filter that the parent prepared
    // and that outlive them.
    unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
            && libc::syscall(libc::SYS_capset, header.as_ptr(), no_rights.as_ptr()) == 0
            && libc::syscall(libc::SYS_landlock_restrict_self, child.ruleset, 0) == 0
            && libc::syscall(
                libc::SYS_seccomp,
                libc::SECCOMP_SET_MODE_FILTER,
                0,
                ptr::from_ref(&child.filter),
            ) == 0
    }
}

/// Tells the parent the last error.
fn save_errno(child: &mut ChildInputs) {
    // SAFETY: the address of this thread's errno is always valid; it is the parent's, which sleeps.
    child.error = unsafe { *libc::__errno_location() };
}

/// Waits for the stop that follows exec. From then on it dies with us.
fn stopped(pid: Pid) -> bool {
    loop {
        match rustix::process::waitpid(Some(pid), WaitOptions::empty()) {
            Ok(Some((_, status))) => return status.stopped() && die_with_us(pid),
            Ok(None) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return false,
        }
    }
}

fn die_with_us(pid: Pid) -> bool {
    ptrace_request(libc::PTRACE_SETOPTIONS, pid, libc::PTRACE_O_EXITKILL as usize)
}

/// Returns whether the held process is something else than the judged program; then what it is.
pub(super) fn imposter(pid: Pid, call: &SpawnCall<'_>) -> Option<Drift> {
    let image = call.program.interpreter.as_ref().unwrap_or(&call.program);
    let id = pid.as_raw_nonzero();
    let runs = std::fs::metadata(format!("/proc/{id}/exe")).map(|meta| (meta.dev(), meta.ino())).ok();
    if runs != Some((image.state.device, image.state.inode)) {
        return Some(Drift::Replaced { path: call.program.bound.path.clone() });
    }
    // The `#!` line that the system obeyed may have been another one than was read.
    let line = call.program.shebang.as_ref()?;
    let expected: Vec<u8> = line
        .iter()
        .map(String::as_bytes)
        .chain([call.path.as_bytes()])
        .chain(call.argv.iter().skip(1).map(CString::as_bytes))
        .flat_map(|word| [word, b"\0"].concat())
        .collect();
    let told = std::fs::read(format!("/proc/{id}/cmdline")).ok();
    (told.as_deref() != Some(&expected)).then(|| Drift::FirstLine { path: call.program.bound.path.clone() })
}

/// Lets a held process run.
pub(super) fn release(pid: Pid) -> Result<(), SpawnError> {
    if ptrace_request(libc::PTRACE_DETACH, pid, 0) {
        return Ok(());
    }
    Err(SpawnError::Failed("it was ended while it started".to_owned()))
}

fn ptrace_request(request: libc::c_uint, pid: Pid, data: usize) -> bool {
    // SAFETY: neither request reads or writes memory of ours; the process is our own stopped child.
    unsafe {
        libc::ptrace(
            request,
            pid.as_raw_nonzero().get(),
            ptr::null_mut::<c_void>(),
            ptr::without_provenance_mut::<c_void>(data),
        ) == 0
    }
}

/// Returns NULL-terminated pointers to strings that stay at their address.
fn pointers(strings: &[CString]) -> Vec<*const c_char> {
    strings.iter().map(|string| string.as_c_str().as_ptr()).chain([ptr::null()]).collect()
}
