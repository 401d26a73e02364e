//! Seccomp filter of a confined run.
//!
//! It refuses what Landlock and mounts do not cover: sockets, `io_uring` (which opens sockets itself), access
//! to other processes, new namespaces, and input put into a terminal.

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
/// Architecture in the kernel's words.
#[cfg(target_arch = "x86_64")]
const AUDIT_ARCH: u32 = 0xC000_003E;
#[cfg(target_arch = "aarch64")]
const AUDIT_ARCH: u32 = 0xC000_00B7;

const LOAD_WORD: u16 = 0x20;
const JUMP: u16 = 0x05;
const JUMP_IF_EQUAL: u16 = 0x15;
const JUMP_IF_NOT_LESS: u16 = 0x35;
const RETURN: u16 = 0x06;

/// Sockets that a run may open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sockets {
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
    libc::SYS_shmctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
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
///
/// So are watches, which tell the names in folders that cannot be read. All users together have so much asynchronous input and output.
const CHANGES: &[libc::c_long] = &[
    libc::SYS_io_setup,
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
    libc::SYS_inotify_init1,
    libc::SYS_inotify_add_watch,
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
    libc::SYS_inotify_init,
];
#[cfg(target_arch = "aarch64")]
const CHANGES_HERE: &[libc::c_long] = &[];

/// Calls by which a file gets a mode, and the argument with it.
///
/// No file of a run may start programs as its owner or group.
const MODES: &[(libc::c_long, u8)] = &[
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (libc::SYS_fchmodat2, 2),
    (libc::SYS_mkdirat, 2),
    (libc::SYS_mknodat, 2),
];

/// Older calls with the same effect.
#[cfg(target_arch = "x86_64")]
const MODES_HERE: &[(libc::c_long, u8)] =
    &[(libc::SYS_chmod, 1), (libc::SYS_creat, 1), (libc::SYS_mkdir, 1), (libc::SYS_mknod, 1)];
#[cfg(target_arch = "aarch64")]
const MODES_HERE: &[(libc::c_long, u8)] = &[];

/// Calls that open a file, and may create it with the mode behind their flags; the argument with these.
#[cfg(target_arch = "x86_64")]
const OPENS: &[(libc::c_long, u8)] = &[(libc::SYS_openat, 2), (libc::SYS_open, 1)];
#[cfg(target_arch = "aarch64")]
const OPENS: &[(libc::c_long, u8)] = &[(libc::SYS_openat, 2)];

/// Bits of a mode that start a program as the file's owner, or group.
const AS_OWNER: [libc::mode_t; 2] = [libc::S_ISUID, libc::S_ISGID];

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

/// Flag of `clone` that makes a child of the caller's parent. With it, a run would leave its own tree, which is ended as a whole.
const SIBLING: libc::c_int = libc::CLONE_PARENT;

/// Protocol of netlink sockets that lists network interfaces.
const NETLINK_ROUTE: u64 = 0;

/// Bits of a socket's type that are its kind; the others are flags.
const SOCKET_KIND: u64 = 0xF;

/// Kinds of pairs of which each end can still send to any socket with a path. The kernel takes the second for the first.
const SENDING_PAIRS: [libc::c_int; 2] = [libc::SOCK_DGRAM, libc::SOCK_RAW];

/// Byte of a request that says what kind of file it is for.
const REQUEST_KIND: u64 = 0xFF00;

/// Kind of the requests for terminals, pipes and descriptors: the only ones of a run that writes nothing. File systems have requests
/// of their own that change a file through a descriptor for reading, unseen by mounts and by rules for files.
const TERMINALS: u64 = 0x5400;

/// Kinds of the requests of file systems that can make a snapshot: a copy of a folder in which nothing is hidden.
const SNAPSHOTS: [u64; 2] = [0x9400, 0xBC00];

/// Requests of the first of these kinds that all file systems know: they copy from one open file to another.
const COPIES: [u64; 3] = [0x4004_9409, 0x4020_940D, 0xC018_9436];

/// Requests of `fcntl` by which another program that opens a file waits, or is watched.
const HOLDS: [libc::c_int; 2] = [libc::F_SETLEASE, libc::F_NOTIFY];

/// First number of the calls that this list was made before: as if the kernel did not know them. Programs use older ones then.
const NEWER: u32 = 463;

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

/// Treatment of a call by its number alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Allowed,
    Refused,
    /// As if the kernel did not know it.
    Unknown,
    /// Decided by its arguments.
    Arguments,
}

/// Compiles a filter. `files` is true if changes of modes, owners and times are refused as well.
///
/// Numbers are decided by a binary search in front of the rules about arguments. The kernel tries every number when a filter is
/// installed, so a list that is gone through from its top would take it most of the start of a confined run.
fn program(sockets: Sockets, files: bool) -> Result<Vec<libc::sock_filter>, String> {
    let told = |error: seccompiler::BackendError| format!("the filter of system calls: {error}");
    let rules = about_arguments(sockets, files).map_err(told)?;
    let by_number = by_number(&call_fates(rules.keys().copied(), sockets, files)?)?;
    let refuse = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, ARCH).map_err(told)?;
    let compiled: BpfProgram = filter.try_into().map_err(told)?;
    let own = compiled.into_iter().map(|one| statement(one.code, one.jt, one.jf, one.k));
    Ok(by_number.into_iter().chain(own).collect())
}

/// Returns the calls that are refused with some arguments, with these.
fn about_arguments(
    sockets: Sockets,
    files: bool,
) -> Result<BTreeMap<libc::c_long, Vec<SeccompRule>>, seccompiler::BackendError> {
    let mut rules = BTreeMap::new();
    for call in OWN_ONLY {
        rules.insert(*call, vec![arguments_rule(&[(0, SeccompCmpOp::Ne, 0)])?]);
    }
    rules.insert(libc::SYS_ioctl, refused_requests(files)?);
    let holds = HOLDS.map(|request| u64::from(request.cast_unsigned()));
    let holds = holds.into_iter().map(|request| arguments_rule(&[(1, SeccompCmpOp::Eq, request)]));
    rules.insert(libc::SYS_fcntl, holds.collect::<Result<_, _>>()?);
    let new = NAMESPACES.iter().chain([&SIBLING]).map(|flag| u64::from(flag.cast_unsigned()));
    let new = new.map(|flag| arguments_rule(&[(0, SeccompCmpOp::MaskedEq(flag), flag)]));
    rules.insert(libc::SYS_clone, new.collect::<Result<_, _>>()?);
    rules.insert(libc::SYS_prctl, vec![given_up_orphans()?]);
    rules.insert(libc::SYS_socketpair, refused_pairs()?);
    if sockets == Sockets::Internet {
        rules.insert(libc::SYS_socket, refused_sockets()?);
    }
    if !files {
        rules.extend(refused_modes()?);
    }
    Ok(rules)
}

/// Returns the rules for `ioctl`: what types for the user, and what changes a file past its content or copies a folder.
fn refused_requests(files: bool) -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    let mut rules = Vec::new();
    for request in TYPING {
        rules.push(arguments_rule(&[(1, SeccompCmpOp::Eq, *request)])?);
    }
    if files {
        // Another kind differs in one of the bits at least.
        for bit in (0..u64::BITS).map(|at| 1_u64 << at).filter(|bit| bit & REQUEST_KIND != 0) {
            rules.push(arguments_rule(&[(1, SeccompCmpOp::MaskedEq(bit), !TERMINALS & bit)])?);
        }
        return Ok(rules);
    }
    for kind in SNAPSHOTS {
        let mut conditions = vec![(1, SeccompCmpOp::MaskedEq(REQUEST_KIND), kind)];
        conditions.extend(COPIES.map(|copy| (1, SeccompCmpOp::Ne, copy)));
        rules.push(arguments_rule(&conditions)?);
    }
    Ok(rules)
}

/// Returns the rule for `prctl`: what a run starts stays in its tree when the process between the two is gone.
fn given_up_orphans() -> Result<SeccompRule, seccompiler::BackendError> {
    let adopts = u64::from(libc::PR_SET_CHILD_SUBREAPER.cast_unsigned());
    arguments_rule(&[(0, SeccompCmpOp::Eq, adopts), (1, SeccompCmpOp::Eq, 0)])
}

/// Returns the rules for the calls that give a file a mode.
fn refused_modes() -> Result<BTreeMap<libc::c_long, Vec<SeccompRule>>, seccompiler::BackendError> {
    let has = |bits: u64| SeccompCmpOp::MaskedEq(bits);
    let bits = AS_OWNER.map(u64::from);
    let mut rules = BTreeMap::new();
    for (call, at) in MODES.iter().chain(MODES_HERE) {
        let of_call = bits.map(|bits| arguments_rule(&[(*at, has(bits), bits)]));
        rules.insert(*call, of_call.into_iter().collect::<Result<_, _>>()?);
    }
    let creating = [libc::O_CREAT, libc::O_TMPFILE].map(|flags| u64::from(flags.cast_unsigned()));
    for (call, at) in OPENS {
        let pairs = creating.iter().flat_map(|flags| bits.map(|bits| (*flags, bits)));
        let of_call =
            pairs.map(|(flags, bits)| arguments_rule(&[(*at, has(flags), flags), (at + 1, has(bits), bits)]));
        rules.insert(*call, of_call.collect::<Result<_, _>>()?);
    }
    Ok(rules)
}

/// Returns the fate of every number: each holds from its number to the next.
fn call_fates(
    with_arguments: impl Iterator<Item = libc::c_long>,
    sockets: Sockets,
    files: bool,
) -> Result<Vec<(u32, Fate)>, String> {
    let socket = [libc::SYS_socket];
    let refused = REFUSED.iter().chain(REFUSED_HERE).copied();
    let refused = refused.chain(CHANGES.iter().chain(CHANGES_HERE).copied().filter(|_| files));
    let refused = refused.chain(socket.into_iter().filter(|_| sockets == Sockets::None));
    let named = refused.map(|call| (call, Fate::Refused));
    let named = named.chain(with_arguments.map(|call| (call, Fate::Arguments)));
    // No filter sees the flags of `clone3`; without it the C library uses `clone`.
    let named = named.chain([(libc::SYS_clone3, Fate::Unknown)]);
    // The same for modes; programs use `openat` then.
    let named = named.chain([(libc::SYS_openat2, Fate::Unknown)].into_iter().filter(|_| !files));
    let number = |(call, fate)| u32::try_from(call).map(|number| (number, fate));
    let named: BTreeMap<u32, Fate> =
        named.map(number).collect::<Result<_, _>>().map_err(|error| error.to_string())?;
    let mut fates = vec![(0, Fate::Allowed)];
    for (number, fate) in &named {
        fates.push((*number, *fate));
        if !named.contains_key(&(number + 1)) {
            fates.push((number + 1, Fate::Allowed));
        }
    }
    fates.retain(|(number, _)| *number < NEWER);
    fates.push((NEWER, Fate::Unknown));
    fates.push((X32, Fate::Refused));
    fates.dedup_by_key(|(_, fate)| *fate);
    Ok(fates)
}

/// Returns the statements that decide by number, and that go on behind their end where arguments decide.
fn by_number(fates: &[(u32, Fate)]) -> Result<Vec<libc::sock_filter>, String> {
    let mut statements = vec![
        statement(LOAD_WORD, 0, 0, 4),
        statement(JUMP_IF_EQUAL, 1, 0, AUDIT_ARCH),
        statement(RETURN, 0, 0, libc::SECCOMP_RET_KILL_PROCESS),
        statement(LOAD_WORD, 0, 0, 0),
    ];
    statements.extend(search(fates)?);
    let length = statements.len();
    for (at, one) in statements.iter_mut().enumerate().filter(|(_, one)| one.code == JUMP) {
        one.k = u32::try_from(length - at - 1).map_err(|error| error.to_string())?;
    }
    Ok(statements)
}

/// Returns a binary search for the fate of the loaded number; a [`JUMP`] has no distance yet.
fn search(fates: &[(u32, Fate)]) -> Result<Vec<libc::sock_filter>, String> {
    let (below, from) = fates.split_at(fates.len() / 2);
    let (Some((first, _)), false) = (from.first(), below.is_empty()) else {
        let (code, k) = match fates.first().map_or(Fate::Refused, |(_, fate)| *fate) {
            Fate::Allowed => (RETURN, libc::SECCOMP_RET_ALLOW),
            Fate::Refused => (RETURN, libc::SECCOMP_RET_ERRNO | libc::EPERM.unsigned_abs()),
            Fate::Unknown => (RETURN, libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs()),
            Fate::Arguments => (JUMP, 0),
        };
        return Ok(vec![statement(code, 0, 0, k)]);
    };
    let (below, from) = (search(below)?, search(from)?);
    let over = u8::try_from(below.len()).map_err(|_| "the filter of system calls is too long".to_owned())?;
    Ok([vec![statement(JUMP_IF_NOT_LESS, over, 0, *first)], below, from].concat())
}

/// Returns the rules for `socket` of a run that may use the internet.
fn refused_sockets() -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    let family = |family: libc::c_int| u64::from(family.cast_unsigned());
    let [four, six, netlink] = [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK].map(family);
    let other = arguments_rule(&[
        (0, SeccompCmpOp::Ne, four),
        (0, SeccompCmpOp::Ne, six),
        (0, SeccompCmpOp::Ne, netlink),
    ])?;
    let other_protocol =
        arguments_rule(&[(0, SeccompCmpOp::Eq, netlink), (2, SeccompCmpOp::Ne, NETLINK_ROUTE)])?;
    Ok(vec![other, other_protocol])
}

/// Returns the rules for `socketpair`: other families than that of paths, and kinds that send elsewhere.
fn refused_pairs() -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    let of_paths = u64::from(libc::AF_UNIX.cast_unsigned());
    let mut rules = vec![arguments_rule(&[(0, SeccompCmpOp::Ne, of_paths)])?];
    for kind in SENDING_PAIRS {
        let kind = u64::from(kind.cast_unsigned());
        rules.push(arguments_rule(&[(1, SeccompCmpOp::MaskedEq(SOCKET_KIND), kind)])?);
    }
    Ok(rules)
}

/// Returns the rule for a call whose arguments all compare like this.
fn arguments_rule(conditions: &[(u8, SeccompCmpOp, u64)]) -> Result<SeccompRule, seccompiler::BackendError> {
    let conditions = conditions.iter().map(|(argument, operator, value)| {
        SeccompCondition::new(*argument, SeccompCmpArgLen::Dword, operator.clone(), *value)
    });
    SeccompRule::new(conditions.collect::<Result<_, _>>()?)
}

fn statement(code: u16, jt: u8, jf: u8, k: u32) -> libc::sock_filter {
    libc::sock_filter { code, jt, jf, k }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs the statements that decide by number; returns `None` where arguments decide.
    fn decided(statements: &[libc::sock_filter], arch: u32, number: u32) -> Option<u32> {
        let (mut at, mut loaded) = (0, 0);
        loop {
            let one = statements.get(at)?;
            let over = match one.code {
                LOAD_WORD => {
                    loaded = if one.k == 4 { arch } else { number };
                    0
                }
                JUMP => one.k as usize,
                JUMP_IF_EQUAL => usize::from(if loaded == one.k { one.jt } else { one.jf }),
                JUMP_IF_NOT_LESS => usize::from(if loaded >= one.k { one.jt } else { one.jf }),
                RETURN => return Some(one.k),
                other => panic!("statement {other:#x}"),
            };
            at += over + 1;
        }
    }

    #[test]
    fn every_number_meets_its_fate() {
        for (sockets, files) in [(Sockets::None, true), (Sockets::None, false), (Sockets::Internet, false)] {
            let rules = about_arguments(sockets, files).unwrap();
            let fates = call_fates(rules.keys().copied(), sockets, files).unwrap();
            let head = by_number(&fates).unwrap();
            for number in (0..1000).chain([X32 - 1, X32, X32 + 41, u32::MAX]) {
                let call = libc::c_long::from(number);
                let changes = CHANGES.contains(&call) || CHANGES_HERE.contains(&call);
                let refused = REFUSED.contains(&call) || REFUSED_HERE.contains(&call) || (files && changes);
                let no_socket = sockets == Sockets::None && call == libc::SYS_socket;
                let expected = if rules.contains_key(&call) {
                    None
                } else if call == libc::SYS_clone3
                    || !files && call == libc::SYS_openat2
                    || (NEWER..X32).contains(&number)
                {
                    Some(libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs())
                } else if refused || no_socket || number >= X32 {
                    Some(libc::SECCOMP_RET_ERRNO | libc::EPERM.unsigned_abs())
                } else {
                    Some(libc::SECCOMP_RET_ALLOW)
                };
                assert_eq!(decided(&head, AUDIT_ARCH, number), expected, "{number}");
                let foreign = decided(&head, 0x4000_0003, number);
                assert_eq!(foreign, Some(libc::SECCOMP_RET_KILL_PROCESS), "{number} of another system");
            }
        }
    }
}
