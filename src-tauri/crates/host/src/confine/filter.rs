//! seccomp filter of a confined run. It refuses what Landlock and mounts do not cover: sockets, `io_uring` (which
//! opens sockets itself), access to other processes, new namespaces, and input put into a terminal.

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch,
};
use std::collections::BTreeMap;
use std::sync::OnceLock;

#[cfg(target_arch = "x86_64")]
const ARCH: TargetArch = TargetArch::x86_64;
#[cfg(target_arch = "aarch64")]
const ARCH: TargetArch = TargetArch::aarch64;

/// Sockets that a run may open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sockets {
    /// None.
    None,
    /// Internet sockets, and the kernel's list of network interfaces. Never a socket with a path: no rule tells
    /// another program's socket from its own.
    Internet,
}

/// System calls that are refused with any argument.
const REFUSED: &[libc::c_long] = &[
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    libc::SYS_setpriority,
    libc::SYS_ioprio_set,
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    // Other views of the file system.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsmount,
    libc::SYS_fsconfig,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    // The kernel and the machine.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_quotactl,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_reboot,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_acct,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
];

/// Changes of a file besides its content, which Landlock does not cover: refused unless mounts cover them.
const CHANGES: &[libc::c_long] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
];

/// Older calls with the same effect.
#[cfg(target_arch = "x86_64")]
const CHANGES_HERE: &[libc::c_long] = &[
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];
#[cfg(target_arch = "aarch64")]
const CHANGES_HERE: &[libc::c_long] = &[];

/// Ports of the machine.
#[cfg(target_arch = "x86_64")]
const REFUSED_HERE: &[libc::c_long] = &[libc::SYS_iopl, libc::SYS_ioperm];
#[cfg(target_arch = "aarch64")]
const REFUSED_HERE: &[libc::c_long] = &[];

/// Calls whose first argument is a process: refused for every process but the caller (0).
const OWN_ONLY: &[libc::c_long] = &[
    libc::SYS_prlimit64,
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setscheduler,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setattr,
];

/// Terminal requests that type for the user.
const TYPING: &[u64] = &[libc::TIOCSTI, 0x541C];

/// Flags of `clone` that make a namespace.
const NAMESPACES: &[libc::c_int] = &[
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];

/// Protocol of netlink sockets that lists network interfaces.
const NETLINK_ROUTE: u64 = 0;

/// First system call number of x32, which repeats the same calls.
const X32: u32 = 0x4000_0000;

/// Returns the filter of a run that writes nothing.
pub(super) fn of_look() -> Result<Vec<libc::sock_filter>, String> {
    static COMPILED: OnceLock<Result<Vec<libc::sock_filter>, String>> = OnceLock::new();
    COMPILED.get_or_init(|| program(Sockets::None, true)).clone()
}

/// Returns the filter of a run whose writing is limited by mounts.
pub(super) fn of_project(sockets: Sockets) -> Result<Vec<libc::sock_filter>, String> {
    static COMPILED: [OnceLock<Result<Vec<libc::sock_filter>, String>>; 2] =
        [OnceLock::new(), OnceLock::new()];
    let [none, internet] = &COMPILED;
    let compiled = if sockets == Sockets::None { none } else { internet };
    compiled.get_or_init(|| program(sockets, false)).clone()
}

/// Compiles a filter. `files` is true if changes of modes, owners and times are refused as well.
fn program(sockets: Sockets, files: bool) -> Result<Vec<libc::sock_filter>, String> {
    let told = |error: seccompiler::BackendError| format!("the filter of system calls: {error}");
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    let changes = CHANGES.iter().chain(CHANGES_HERE).filter(|_| files);
    for call in REFUSED.iter().chain(REFUSED_HERE).chain(changes) {
        rules.insert(*call, Vec::new());
    }
    for call in OWN_ONLY {
        rules.insert(*call, vec![when(&[(0, SeccompCmpOp::Ne, 0)]).map_err(told)?]);
    }
    let typing = TYPING.iter().map(|request| when(&[(1, SeccompCmpOp::Eq, *request)]));
    rules.insert(libc::SYS_ioctl, typing.collect::<Result<_, _>>().map_err(told)?);
    let new = NAMESPACES.iter().map(|flag| u64::from(flag.cast_unsigned()));
    let new = new.map(|flag| when(&[(0, SeccompCmpOp::MaskedEq(flag), flag)]));
    rules.insert(libc::SYS_clone, new.collect::<Result<_, _>>().map_err(told)?);
    rules.insert(libc::SYS_socket, refused_sockets(sockets).map_err(told)?);
    let refuse = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, ARCH).map_err(told)?;
    let compiled: BpfProgram = filter.try_into().map_err(told)?;
    let own = compiled.into_iter().map(|one| statement(one.code, one.jt, one.jf, one.k));
    Ok(by_number()?.into_iter().chain(own).collect())
}

/// Returns the rules for `socket`; without any, every call is refused.
fn refused_sockets(sockets: Sockets) -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    if sockets == Sockets::None {
        return Ok(Vec::new());
    }
    let family = |family: libc::c_int| u64::from(family.cast_unsigned());
    let [four, six, netlink] = [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK].map(family);
    let other =
        when(&[(0, SeccompCmpOp::Ne, four), (0, SeccompCmpOp::Ne, six), (0, SeccompCmpOp::Ne, netlink)])?;
    let other_protocol = when(&[(0, SeccompCmpOp::Eq, netlink), (2, SeccompCmpOp::Ne, NETLINK_ROUTE)])?;
    Ok(vec![other, other_protocol])
}

/// Returns the rule for a call whose arguments all compare like this.
fn when(conditions: &[(u8, SeccompCmpOp, u64)]) -> Result<SeccompRule, seccompiler::BackendError> {
    let conditions = conditions.iter().map(|(argument, operator, value)| {
        SeccompCondition::new(*argument, SeccompCmpArgLen::Dword, operator.clone(), *value)
    });
    SeccompRule::new(conditions.collect::<Result<_, _>>()?)
}

/// Refuses every x32 call, and denies that `clone3` exists: no filter sees its flags, and the C library then uses
/// `clone`. The jumps after it are relative, so it may be put in front.
fn by_number() -> Result<[libc::sock_filter; 5], String> {
    const LOAD_WORD: u16 = 0x20;
    const JUMP_IF_EQUAL: u16 = 0x15;
    const JUMP_IF_NOT_LESS: u16 = 0x35;
    const RETURN: u16 = 0x06;
    let clone3 = u32::try_from(libc::SYS_clone3).map_err(|error| error.to_string())?;
    Ok([
        statement(LOAD_WORD, 0, 0, 0),
        statement(JUMP_IF_EQUAL, 0, 1, clone3),
        statement(RETURN, 0, 0, libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs()),
        statement(JUMP_IF_NOT_LESS, 0, 1, X32),
        statement(RETURN, 0, 0, libc::SECCOMP_RET_ERRNO | libc::EPERM.unsigned_abs()),
    ])
}

fn statement(code: u16, jt: u8, jf: u8, k: u32) -> libc::sock_filter {
    libc::sock_filter { code, jt, jf, k }
}
