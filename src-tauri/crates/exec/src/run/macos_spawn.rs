//! Starts a process on macOS suspended: it exists, but has not run its first instruction. While it is suspended we look
//! at what it is; then it is continued, or killed.
#![expect(unsafe_code, reason = "posix_spawn's attributes and csops have no safe form")]

use super::SpawnError;
use super::spawn_call::SpawnCall;
use crate::threads::name_limit;
use postern_protocol::encode_hex;
use postern_request::Drift;
use rustix::process::{Pid, Signal};
use std::ffi::{CStr, CString, OsStr, c_char, c_int, c_short, c_uint, c_void};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::ptr;

/// `POSIX_SPAWN_SETSID` of `<sys/spawn.h>`, which libc does not list.
const SETSID: c_int = 0x0400;
/// `CS_OPS_CDHASH` of `<sys/codesign.h>`: the hash of the code directory that the kernel enforces.
const CS_OPS_CDHASH: c_uint = 5;
const CDHASH_BYTES: usize = 20;
/// Program that confines what it executes.
const SANDBOX_EXEC: &CStr = c"/usr/bin/sandbox-exec";

unsafe extern "C" {
    fn csops(pid: libc::pid_t, operation: c_uint, into: *mut c_void, bytes: libc::size_t) -> c_int;
}

/// Starts the program held. Every program can be held here.
pub(super) fn spawn_held(call: &SpawnCall<'_>) -> Result<Option<Pid>, SpawnError> {
    let failed = |error: io::Error| {
        SpawnError::Failed(format!("{} could not be started: {error}", call.program.bound.path))
    };
    let attributes = Attributes::new(call.session).map_err(failed)?;
    let actions = Actions::new(call).map_err(failed)?;
    let confined =
        call.fence.as_ref().map(|fence| confined(call, &fence.profile)).transpose().map_err(failed)?;
    let (path, argv) = match &confined {
        Some(argv) => (SANDBOX_EXEC, pointers(argv)),
        None => (call.path.as_c_str(), pointers(&call.argv)),
    };
    let env = pointers(&call.env);
    let mut pid = 0;
    // SAFETY: all are initialised, the lists end with NULL, and everything outlives the call. The absolute path is
    // given: no search, and no shell for files without a format.
    let status = unsafe {
        libc::posix_spawn(
            &raw mut pid,
            path.as_ptr(),
            &raw const actions.0,
            &raw const attributes.0,
            argv.as_ptr(),
            env.as_ptr(),
        )
    };
    check_status(status).map_err(failed)?;
    Pid::from_raw(pid).map(Some).ok_or_else(|| failed(io::ErrorKind::NotFound.into()))
}

/// Fails: a process that could not be held is not started.
pub(super) fn spawn_free(call: &SpawnCall<'_>) -> Result<Pid, SpawnError> {
    Err(SpawnError::Failed(format!("{} cannot be started suspended", call.program.bound.path)))
}

/// Returns the words that start a program confined. The system's `sandbox-exec` takes the profile and executes it.
fn confined(call: &SpawnCall<'_>, profile: &str) -> io::Result<Vec<CString>> {
    let mut words =
        vec![c"sandbox-exec".to_owned(), c"-p".to_owned(), CString::new(profile)?, call.path.clone()];
    words.extend(call.argv.iter().skip(1).cloned());
    Ok(words)
}

/// Returns whether the suspended process is something else than the judged program; then what it is.
pub(super) fn imposter(pid: Pid, call: &SpawnCall<'_>) -> Option<Drift> {
    if call.fence.is_some() {
        // It executes the program itself, confined: one that is swapped until then gains nothing by it.
        let starter = OsStr::from_bytes(SANDBOX_EXEC.to_bytes());
        let other = path_of(pid).is_none_or(|path| path.as_os_str() != starter);
        return other.then(|| Drift::Replaced { path: SANDBOX_EXEC.to_string_lossy().into_owned() });
    }
    let image = call.program.interpreter.as_ref().unwrap_or(&call.program);
    let same_file = path_of(pid)
        .and_then(|path| std::fs::metadata(path).ok())
        .is_some_and(|meta| (meta.dev(), meta.ino()) == (image.state.device, image.state.inode));
    let signed = image.identity().signature.as_ref().map(|signature| signature.cdhash.as_str());
    // What is signed must be the code that was judged; what is not is compared by its content.
    let same_code = signed.is_none() || signed == cdhash_of(pid).as_deref();
    (!same_file || !same_code).then(|| Drift::Replaced { path: call.program.bound.path.clone() })
}

/// Lets a held process run.
pub(super) fn release(pid: Pid) -> Result<(), SpawnError> {
    rustix::process::kill_process(pid, Signal::CONT)
        .map_err(|error| SpawnError::Failed(format!("it was ended while it started: {error}")))
}

fn path_of(pid: Pid) -> Option<PathBuf> {
    let mut path = vec![0_u8; 4096];
    // SAFETY: the call writes at most the bytes it is told.
    let length = unsafe { libc::proc_pidpath(pid.as_raw_nonzero().get(), path.as_mut_ptr().cast(), 4096) };
    path.truncate(usize::try_from(length).ok().filter(|length| *length > 0)?);
    Some(PathBuf::from(OsStr::from_bytes(&path)))
}

fn cdhash_of(pid: Pid) -> Option<String> {
    let mut hash = [0_u8; CDHASH_BYTES];
    // SAFETY: the call writes exactly the bytes it is told.
    let status =
        unsafe { csops(pid.as_raw_nonzero().get(), CS_OPS_CDHASH, hash.as_mut_ptr().cast(), CDHASH_BYTES) };
    (status == 0).then(|| encode_hex(&hash))
}

/// Attributes of a start: suspended, in its own session, with no descriptor but those it is given, every
/// signal at its default and none blocked.
struct Attributes(libc::posix_spawnattr_t);

impl Attributes {
    fn new(session: bool) -> io::Result<Self> {
        let flags = libc::POSIX_SPAWN_START_SUSPENDED
            | libc::POSIX_SPAWN_CLOEXEC_DEFAULT
            | libc::POSIX_SPAWN_SETSIGDEF
            | libc::POSIX_SPAWN_SETSIGMASK
            | if session { SETSID } else { 0 };
        let flags = c_short::try_from(flags).map_err(io::Error::other)?;
        let mut attributes = MaybeUninit::uninit();
        // SAFETY: `init` makes the attributes; from then on `Self` destroys them. The sets are plain data.
        unsafe {
            check_status(libc::posix_spawnattr_init(attributes.as_mut_ptr()))?;
            let mut this = Self(attributes.assume_init());
            let mut all = std::mem::zeroed::<libc::sigset_t>();
            let mut none = std::mem::zeroed::<libc::sigset_t>();
            libc::sigfillset(&raw mut all);
            libc::sigemptyset(&raw mut none);
            check_status(libc::posix_spawnattr_setsigdefault(&raw mut this.0, &raw const all))?;
            check_status(libc::posix_spawnattr_setsigmask(&raw mut this.0, &raw const none))?;
            check_status(libc::posix_spawnattr_setflags(&raw mut this.0, flags))?;
            this.disclaim();
            Ok(this)
        }
    }

    /// Makes the process answer for itself when it asks for the person's data, instead of using what was granted to
    /// Postern. The call is not public: where it is gone, macOS goes on as it does by itself.
    fn disclaim(&mut self) {
        type SetDisclaim = unsafe extern "C" fn(*mut libc::posix_spawnattr_t, c_int) -> c_int;
        // SAFETY: the symbol has had this type since it exists (macOS 10.14); a missing one is NULL, which is no
        // `Some`.
        unsafe {
            let symbol = libc::dlsym(libc::RTLD_DEFAULT, c"responsibility_spawnattrs_setdisclaim".as_ptr());
            if let Some(set) = std::mem::transmute::<*mut c_void, Option<SetDisclaim>>(symbol) {
                set(&raw mut self.0, 1);
            }
        }
    }
}

impl Drop for Attributes {
    fn drop(&mut self) {
        // SAFETY: made by `new`, destroyed once.
        unsafe {
            libc::posix_spawnattr_destroy(&raw mut self.0);
        }
    }
}

/// Actions of a start: the working directory by its opened folder, and the three descriptors.
struct Actions(libc::posix_spawn_file_actions_t);

impl Actions {
    fn new(call: &SpawnCall<'_>) -> io::Result<Self> {
        let theirs = &call.theirs;
        let standard = [theirs.stdin.as_raw_fd(), theirs.stdout.as_raw_fd(), theirs.stderr.as_raw_fd()];
        let mut actions = MaybeUninit::uninit();
        // SAFETY: `init` makes the actions; from then on `Self` destroys them. The descriptors are open until the call.
        unsafe {
            check_status(libc::posix_spawn_file_actions_init(actions.as_mut_ptr()))?;
            let mut this = Self(actions.assume_init());
            let cwd = call.prepared.cwd.descriptor().as_raw_fd();
            check_status(libc::posix_spawn_file_actions_addfchdir_np(&raw mut this.0, cwd))?;
            for (to, from) in [0, 1, 2].into_iter().zip(standard) {
                check_status(libc::posix_spawn_file_actions_adddup2(&raw mut this.0, from, to))?;
            }
            Ok(this)
        }
    }
}

impl Drop for Actions {
    fn drop(&mut self) {
        // SAFETY: made by `new`, destroyed once.
        unsafe {
            libc::posix_spawn_file_actions_destroy(&raw mut self.0);
        }
    }
}

fn check_status(status: c_int) -> io::Result<()> {
    if status == 0 { Ok(()) } else { Err(name_limit(io::Error::from_raw_os_error(status))) }
}

/// Returns NULL-terminated pointers to strings that stay at their address. The call does not write through
/// them.
fn pointers(strings: &[CString]) -> Vec<*mut c_char> {
    strings.iter().map(|string| string.as_ptr().cast_mut()).chain([ptr::null_mut()]).collect()
}
