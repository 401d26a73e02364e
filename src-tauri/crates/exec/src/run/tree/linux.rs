//! The process table of Linux: `/proc`.

use super::{ProcessIdentity, ProcessRow};
use rustix::process::{Pid, PidfdFlags, Signal};
use std::str::SplitAsciiWhitespace;

pub(super) fn read_rows() -> Vec<ProcessRow> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    entries.filter_map(|entry| read_row(entry.ok()?.file_name().to_str()?.parse().ok()?)).collect()
}

pub(super) fn read_row(pid: i32) -> Option<ProcessRow> {
    let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    parse_stat(pid, &String::from_utf8_lossy(&stat))
}

pub(super) fn parent(pid: i32) -> Option<i32> {
    read_row(pid).map(|row| row.parent)
}

/// Returns the children of a process as the kernel lists them for each of its threads; `None` if it keeps no lists.
pub(super) fn listed_children(pid: i32) -> Option<Vec<i32>> {
    let tasks = format!("/proc/{pid}/task");
    std::fs::read_to_string(format!("{tasks}/{pid}/children")).ok()?;
    let lists = std::fs::read_dir(tasks).ok()?.flatten();
    let lists = lists.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    Some(
        lists
            .flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
            .collect(),
    )
}

/// Returns the fields of `pid (name) state ppid pgrp session … starttime …` from the state on; the name can hold anything,
/// parentheses and spaces too.
pub(in crate::run) fn stat_fields(stat: &str) -> Option<SplitAsciiWhitespace<'_>> {
    Some(stat.rsplit_once(')')?.1.split_ascii_whitespace())
}

fn parse_stat(pid: i32, stat: &str) -> Option<ProcessRow> {
    let fields: Vec<&str> = stat_fields(stat)?.collect();
    let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
    Some(ProcessRow {
        process: ProcessIdentity { pid, start_time: number(19)? },
        parent: i32::try_from(number(1)?).ok()?,
        session: fields.get(3)?.parse().ok()?,
        zombie: matches!(*fields.first()?, "Z" | "X"),
    })
}

/// Signals exactly this process, not another that got its id.
pub(super) fn signal(process: ProcessIdentity, signal: Signal) {
    let Some(pid) = Pid::from_raw(process.pid) else { return };
    let Ok(descriptor) = rustix::process::pidfd_open(pid, PidfdFlags::empty()) else { return };
    // The descriptor names one process always; whether it is the one that is meant is looked at after it is held.
    if read_row(process.pid).is_some_and(|row| row.process == process) {
        _ = rustix::process::pidfd_send_signal(&descriptor, signal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_and_spaces_does_not_shift_the_fields() {
        let stat = "7 (a) Z 1 (b) S 3 7 5 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4242 1 2";
        let row = parse_stat(7, stat).unwrap();
        assert_eq!((row.parent, row.session, row.process.start_time, row.zombie), (3, 5, 4242, false));
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test has children")]
    fn a_child_of_any_thread_is_listed() {
        let begin = || {
            std::process::Command::new("/usr/bin/cat").stdin(std::process::Stdio::piped()).spawn().unwrap()
        };
        let mut children = [begin(), std::thread::spawn(begin).join().unwrap()];
        let own = i32::try_from(std::process::id()).unwrap();
        let (listed, all) = (listed_children(own), super::super::all_children_of(own));
        for child in &mut children {
            let pid = i32::try_from(child.id()).unwrap();
            assert!(all.contains(&pid) && listed.as_ref().is_none_or(|listed| listed.contains(&pid)));
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    #[test]
    fn it_knows_this_process() {
        let own = i32::try_from(std::process::id()).unwrap();
        assert!(read_rows().iter().any(|row| row.process.pid == own && row.process.start_time > 0));
    }
}
