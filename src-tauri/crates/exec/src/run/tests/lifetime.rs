use super::*;
use rustix::process::Pid;

/// Short, where a test waits for it to pass.
const SHORT: Duration = Duration::from_millis(100);

#[expect(clippy::disallowed_methods, reason = "the system's own list of processes, on both systems")]
fn alive(pid: i32) -> bool {
    // A zombie of somebody else counts as gone.
    let state =
        std::process::Command::new("ps").args(["-o", "stat=", "-p", &pid.to_string()]).output().unwrap();
    state.stdout.first().is_some_and(|state| *state != b'Z')
}

/// Returns true if there is no such process, not even a zombie.
fn gone(pid: u32) -> bool {
    let pid = Pid::from_raw(pid.cast_signed()).unwrap();
    rustix::process::test_kill_process(pid) == Err(rustix::io::Errno::SRCH)
}

/// Waits until the run has written a line to a file: process ids, separated by spaces.
async fn pids(path: &Path) -> Vec<i32> {
    loop {
        if let Ok(line) = std::fs::read_to_string(path)
            && line.ends_with('\n')
        {
            return line.split_whitespace().map(|pid| pid.parse().unwrap()).collect();
        }
        tokio::task::yield_now().await;
    }
}

/// Redirects what `echo` prints into a file, which then has all of it or is not there.
const TELL: &str = "> told.new; mv told.new told";

/// Starts a shell line that tells process ids, and waits for them.
async fn telling(line: &str, grace: Duration) -> (Place, Running, mpsc::Receiver<RunEvent>, Vec<i32>) {
    let place = Place::new();
    let (running, events) = begin(Prepared { grace, ..place.prepare(&["sh", "-c", line]) }).await.unwrap();
    let pids = pids(&place.path("told")).await;
    (place, running, events, pids)
}

#[tokio::test]
async fn a_run_that_takes_too_long_is_ended_and_says_so() {
    let place = Place::new();
    let mut prepared = place.prepare(&["sleep", "1000"]);
    prepared.plan.timeout_ms = Some(50);
    let (_running, mut events) = begin(prepared).await.unwrap();
    assert_eq!(events.recv().await, Some(RunEvent::TimedOut));
    let finished = end(&mut events).await;
    let got = (finished.end.outcome, finished.end.exit);
    assert_eq!(got, (Outcome::Timeout, Some(Exit::Signal(15))), "TERM was enough");
}

#[tokio::test]
async fn term_that_is_ignored_becomes_kill() {
    let line = format!("trap '' TERM; echo $$ {TELL}; while :; do sleep 1000; done");
    let (_place, running, mut events, pids) = telling(&line, SHORT).await;
    assert_eq!(pids[0].cast_unsigned(), running.pid());
    running.stop(Stop::Killed);
    let finished = end(&mut events).await;
    let got = (finished.end.outcome, finished.end.exit, finished.escaped);
    assert_eq!(got, (Outcome::Killed, Some(Exit::Signal(9)), 0));
}

#[cfg(target_os = "linux")] // setsid
#[tokio::test]
async fn a_grandchild_that_left_the_session_is_ended_too() {
    // In its own session, with its parent gone, and deaf to TERM: what a daemon does.
    let daemon =
        format!("(setsid sh -c 'trap \"\" TERM; echo $$ {TELL}; exec sleep 1000' &) ; wait; sleep 1000");
    let (_place, running, mut events, pids) = telling(&daemon, SHORT).await;
    let other = Pid::from_raw(pids[0]);
    assert_ne!(
        rustix::process::getsid(other).unwrap().as_raw_nonzero().get().cast_unsigned(),
        running.pid(),
        "another session"
    );
    running.stop(Stop::TimedOut);
    let finished = end(&mut events).await;
    assert_eq!((finished.end.outcome, finished.escaped), (Outcome::Timeout, 0));
    assert!(!alive(pids[0]), "nothing of the tree is left");
}

#[tokio::test]
async fn everything_in_a_deep_tree_is_ended() {
    let line = format!(
        "sleep 1001 & a=$!; sh -c 'trap \"\" TERM; sleep 1002 & sleep 1003; sleep 1004' & b=$!; echo $a $b {TELL}; wait"
    );
    let (_place, running, mut events, pids) = telling(&line, SHORT).await;
    running.stop(Stop::Shutdown);
    let finished = end(&mut events).await;
    assert_eq!(finished.end.outcome, Outcome::Killed);
    assert!(pids.iter().all(|pid| !alive(*pid)), "{pids:?}");
}

#[tokio::test]
async fn what_is_stopped_is_ended_as_well() {
    let line = format!("echo $$ {TELL}; kill -STOP $$; sleep 1000");
    let (_place, running, mut events, _) = telling(&line, GRACE).await;
    running.stop(Stop::Killed);
    assert_eq!(
        end(&mut events).await.end.exit,
        Some(Exit::Signal(15)),
        "TERM reaches it, because it is continued"
    );
}

#[cfg(target_os = "linux")] // setsid
#[tokio::test]
async fn output_that_something_else_still_holds_is_cut_off() {
    let place = Place::new();
    let line = format!("setsid sleep 1000 & echo $! {TELL}; echo said");
    let finished = place.finish(&["sh", "-c", &line]).await;
    assert_eq!((finished.end.exit_code(), text(&finished.stdout).as_str()), (Some(0), "said\n"));
    assert!(finished.leaked_pipes, "it is told that the output may not be whole");
    let left = Pid::from_raw(pids(&place.path("told")).await[0]).unwrap();
    rustix::process::kill_process(left, rustix::process::Signal::KILL).unwrap();
}

#[tokio::test]
async fn a_flood_on_held_output_does_not_keep_a_run_open() {
    let finished = Place::new().finish(&["sh", "-c", "yes &"]).await;
    assert!(finished.leaked_pipes && finished.end.exit_code() == Some(0));
}

#[tokio::test]
async fn a_signal_is_passed_on_to_the_group() {
    let line = format!("trap 'echo heard; exit 5' INT; echo $$ {TELL}; while :; do read x < /dev/null; done");
    let (_place, running, mut events, _) = telling(&line, GRACE).await;
    running.signal(2);
    let finished = end(&mut events).await;
    assert_eq!((finished.end.exit_code(), text(&finished.stdout).as_str()), (Some(5), "heard\n"));
}

#[tokio::test]
async fn a_stuck_listener_does_not_keep_a_run_from_being_ended() {
    let place = Place::new();
    let mut prepared = place.prepare(&["yes"]);
    prepared.stream = true;
    prepared.grace = SHORT;
    let (sink, mut events) = mpsc::channel(1);
    let running = spawn_approved(approved(&prepared.plan), prepared, may_always_start(), sink).await.unwrap();
    // One piece waits in the channel, the next one for it, and the pipe fills up behind them.
    while running.output(OutputStream::Stdout).bytes == 0 {
        tokio::task::yield_now().await;
    }
    running.stop(Stop::Killed);
    let pid = i32::try_from(running.pid()).unwrap();
    while alive(pid) {
        tokio::task::yield_now().await;
    }
    assert_eq!(end(&mut events).await.end.outcome, Outcome::Killed);
}

#[cfg(target_os = "linux")]
fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn signals_and_an_end_that_takes_its_time_cost_no_threads() {
    let line = format!("trap '' TERM URG; echo $$ {TELL}; while :; do sleep 1000; done");
    let (_place, running, mut events, _) = telling(&line, Duration::from_secs(1)).await;
    let before = threads();
    for _ in 0..600 {
        running.signal(rustix::process::Signal::URG.as_raw());
        tokio::task::yield_now().await;
    }
    let during = threads();
    running.stop(Stop::Killed);
    assert_eq!(
        end(&mut events).await.end.exit,
        Some(Exit::Signal(9)),
        "it was looked at all the time of its grace"
    );
    let after = threads();
    // Other tests of this process start and end threads at the same time.
    assert!(during < before + 100 && after < before + 100, "{before}, {during}, {after} threads");
}

#[tokio::test]
async fn descriptors_and_zombies_do_not_grow() {
    let place = Place::new();
    let count = || std::fs::read_dir("/dev/fd").unwrap().count();
    let mut children = Vec::new();
    let mut counts = Vec::new();
    for round in 0..30 {
        let mut prepared = place.prepare(&["sh", "-c", "cat; exit 1"]);
        prepared.input = ProcessInput::Inline(b"x".to_vec());
        let (running, mut events) = begin(prepared).await.unwrap();
        children.push(running.pid());
        end(&mut events).await;
        if round >= 10 {
            counts.push(count());
        }
    }
    assert!(children.iter().all(|pid| gone(*pid)), "every child was reaped");
    // Other tests of this process open and close files at the same time: growth would show as twenty times four.
    assert!(counts[19] < counts[0] + 40, "{counts:?}");
}

#[cfg(target_os = "linux")] // a copy of a signed program of the system does not run elsewhere
#[tokio::test]
async fn a_setuid_program_keeps_its_rights() {
    let place = Place::new();
    let tool = place.copy("tool", "/usr/bin/id");
    std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o4755)).unwrap();
    let prepared = place.prepare(&[tool.to_str().unwrap(), "-u"]);
    assert!(prepared.held.started.as_ref().unwrap().setuid, "it is known as one");
    let finished = finish(prepared).await.unwrap();
    let owner = rustix::process::geteuid().as_raw();
    assert_eq!(
        text(&finished.stdout).trim(),
        owner.to_string(),
        "it is executed by its descriptor, untraced"
    );
}
