//! Tests of starts without tracing, which some containers forbid.
#![expect(unsafe_code, reason = "a seccomp filter that forbids ptrace to one thread")]

use super::super::exit::reap_child;
use super::super::start::start_piped;
use super::*;
use std::io::Read as _;

/// Runs it on a thread of its own that may not trace, nor what it starts.
fn without_ptrace(prepared: Prepared) -> Result<(String, Exit), SpawnError> {
    let thread = std::thread::spawn(move || {
        forbid_ptrace();
        let started = start_piped(prepared, may_always_start())?;
        let mut text = String::new();
        std::fs::File::from(started.ours.stdout).read_to_string(&mut text).unwrap();
        let pid = started.started.child.pid();
        started.started.child.watched();
        Ok((text, reap_child(pid)))
    });
    thread.join().unwrap()
}

fn forbid_ptrace() {
    let step = |code: u32, jump_true, jump_false, value: u32| libc::sock_filter {
        code: u16::try_from(code).unwrap(),
        jt: jump_true,
        jf: jump_false,
        k: value,
    };
    let ptrace = u32::try_from(libc::SYS_ptrace).unwrap();
    let refuse = libc::SECCOMP_RET_ERRNO | libc::EPERM.cast_unsigned();
    let mut steps = [
        step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
        step(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, 1, ptrace),
        step(libc::BPF_RET | libc::BPF_K, 0, 0, refuse),
        step(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let program = libc::sock_fprog { len: 4, filter: steps.as_mut_ptr() };
    // SAFETY: the filter and its steps live through the call, which copies them; it binds this thread only.
    let done = unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program)
    };
    assert_eq!(done, 0, "the filter is in place");
}

#[test]
fn a_program_runs_through_its_own_descriptor() {
    let place = Place::new();
    let tool = place.copy("tool", "/bin/echo");
    let (text, exit) = without_ptrace(place.prepare(&[tool.to_str().unwrap(), "hi"])).unwrap();
    assert_eq!((text.as_str(), exit), ("hi\n", Exit::Code(0)));
}

#[test]
fn a_script_runs_by_its_path() {
    let place = Place::new();
    place.program("script", b"#!/bin/sh\necho $0\n");
    let (text, _) = without_ptrace(place.prepare(&["./script"])).unwrap();
    assert_eq!(text, format!("{}\n", place.path("script").display()));
}

#[test]
fn a_difference_is_found_before_anything_runs() {
    let place = Place::new();
    let script = place.program("script", b"#!/bin/sh\necho ran > \"$0.out\"\n");
    let prepared = place.prepare(&["./script"]);
    std::fs::write(&script, b"#!/bin/sh\necho bad > \"$0.out\"\n").unwrap();
    assert!(matches!(without_ptrace(prepared), Err(SpawnError::Drifted(_))));
    assert!(!place.path("script.out").exists(), "not even for a moment");
}

#[test]
fn a_start_that_nobody_takes_over_is_ended() {
    let place = Place::new();
    let started = start_piped(place.prepare(&["sleep", "1000"]), may_always_start()).unwrap();
    let pid = started.started.child.pid().as_raw_nonzero();
    assert!(Path::new(&format!("/proc/{pid}")).exists(), "it runs");
    drop(started);
    assert!(!Path::new(&format!("/proc/{pid}")).exists(), "ended and reaped");
}
