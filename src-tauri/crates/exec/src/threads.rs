//! Threads, where the system may give no further one: a user, a service or a container has a limit.
//!
//! `std::thread::spawn` and tokio's `spawn_blocking` panic then. Here it is an error, or there is a reserve.

use parking_lot::Mutex;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, SystemTime};
use tokio::runtime::{self, Handle, Runtime};

/// Words for the error, which by itself says "try again".
const NO_FURTHER: &str = "the system gives no further thread or process: a limit is reached";
/// Idle time after which a thread for blocking work ends. The reserve is used more often.
const IDLE: Duration = Duration::from_mins(10);

/// Time since which the system gives no thread.
static REFUSED: Mutex<Option<SystemTime>> = Mutex::new(None);

/// Starts a thread that nobody waits for.
///
/// # Errors
/// Says that there is none; `work` is dropped then.
pub fn start_thread(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    start_joined(name, work).map(drop)
}

/// Runs `work` on a thread of its own, or here if there is none: it may then keep the caller waiting.
pub fn run_aside(name: &str, work: impl FnOnce() + Send + 'static) {
    let work = Arc::new(Mutex::new(Some(work)));
    let theirs = Arc::clone(&work);
    if start_thread(name, move || take_and_run(&theirs)).is_err() {
        take_and_run(&work);
    }
}

fn take_and_run(work: &Mutex<Option<impl FnOnce()>>) {
    let taken = work.lock().take();
    if let Some(work) = taken {
        work();
    }
}

fn start_joined(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    let started = Builder::new().name(name.to_owned()).spawn(work).map_err(name_limit);
    let mut refused = REFUSED.lock();
    *refused = if started.is_ok() { None } else { Some(refused.unwrap_or_else(SystemTime::now)) };
    started
}

/// Returns the time since which the system gives no thread, as far as it was asked for any; tries whether that is still so.
pub fn refused_since() -> Option<SystemTime> {
    // The time says how it went.
    _ = start_thread("trial", || {});
    *REFUSED.lock()
}

/// Names the limit in an error that says no more than "try again".
pub(crate) fn name_limit(error: io::Error) -> io::Error {
    if error.kind() == ErrorKind::WouldBlock { io::Error::new(error.kind(), NO_FURTHER) } else { error }
}

/// Starts a runtime with so many workers, and a reserve of threads for blocking work. The reserve stays, so that such work is
/// done, one after the other, also without a further thread.
///
/// # Errors
/// Says that the system gives fewer.
pub fn start_runtime(name: &str, workers: usize, reserve: usize) -> io::Result<Runtime> {
    try_threads(workers + reserve)?;
    let mut builder = runtime::Builder::new_multi_thread();
    builder.worker_threads(workers).thread_name(name).thread_keep_alive(IDLE).enable_all();
    let runtime = builder.build()?;
    use_at_once(runtime.handle(), reserve);
    runtime.spawn(keep_reserve(reserve));
    Ok(runtime)
}

/// Uses the reserve of this runtime again and again, before it has idled for too long.
async fn keep_reserve(threads: usize) {
    loop {
        tokio::time::sleep(IDLE / 2).await;
        use_at_once(&Handle::current(), threads);
    }
}

/// Uses so many threads for blocking work at once, which starts those that are missing and keeps the others.
fn use_at_once(runtime: &Handle, threads: usize) {
    let all_there = Arc::new(Mutex::new(()));
    let held = all_there.lock();
    for _ in 0..threads {
        let wait = Arc::clone(&all_there);
        // None is free again before the last one was asked for: each takes a thread of its own.
        drop(runtime.spawn_blocking(move || drop(wait.lock())));
    }
    drop(held);
}

/// Starts so many threads at once, and ends them.
fn try_threads(count: usize) -> io::Result<()> {
    let all_there = Arc::new(Mutex::new(()));
    let held = all_there.lock();
    let start = |_| {
        let wait = Arc::clone(&all_there);
        start_joined("trial", move || drop(wait.lock()))
    };
    let started: Vec<JoinHandle<()>> = (0..count).map(start).collect::<io::Result<_>>()?;
    drop(held);
    for thread in started {
        thread.join().map_err(|_| io::Error::other("a thread panicked"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #[cfg(target_os = "linux")]
    use super::start_runtime;
    use super::{NO_FURTHER, name_limit, refused_since, run_aside};
    use std::io::{Error, ErrorKind};
    use std::sync::mpsc::channel;
    #[cfg(target_os = "linux")]
    use std::time::{Duration, Instant};

    #[cfg(target_os = "linux")]
    #[test]
    fn a_runtime_has_its_reserve_before_any_work() {
        let runtime = start_runtime("reserved", 1, 3).unwrap();
        let is_ours = |task: &std::fs::DirEntry| {
            std::fs::read_to_string(task.path().join("comm")).is_ok_and(|name| name == "reserved\n")
        };
        let ours = || std::fs::read_dir("/proc/self/task").unwrap().flatten().filter(is_ours).count();
        let end = Instant::now() + Duration::from_mins(1);
        // A thread takes its name once it runs.
        while ours() != 4 {
            assert!(Instant::now() < end, "{} threads", ours());
            std::thread::yield_now();
        }
        drop(runtime);
    }

    #[test]
    fn what_the_system_refuses_is_named_and_what_it_gives_is_no_refusal() {
        assert_eq!(name_limit(Error::from_raw_os_error(libc::EAGAIN)).to_string(), NO_FURTHER);
        assert_eq!(name_limit(Error::from(ErrorKind::NotFound)).kind(), ErrorKind::NotFound);
        assert_eq!(refused_since(), None);
        let (tell, told) = channel();
        run_aside("test", move || tell.send(7).unwrap());
        assert_eq!(told.recv(), Ok(7));
    }
}
