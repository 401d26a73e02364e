//! Watches a run from its release until it and its output are gone.

use super::capture::Capture;
use super::exit::WatchedChild;
use super::pin_watch::{PinWatch, hold_pins};
use super::pipes::Ours;
use super::pump::{OutputPump, feed_stdin};
use super::start::{Piped, StartedProcess};
use super::tree::Tree;
use super::{Captured, FinishedRun, Order, RunEvent, Running};
use crate::confine::{Lasting, SetAside};
use parking_lot::Mutex;
use postern_protocol::{Outcome, OutputStream};
use postern_request::{Exit, RunEnd, Stop};
use rustix::process::{Pid, Signal};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::{sleep, sleep_until, timeout};

#[cfg(target_os = "linux")]
use super::steps::reported;

/// Returns `None`: there are no steps here, every line goes to the shell.
#[cfg(not(target_os = "linux"))]
fn reported(_: OwnedFd) -> Option<postern_request::Drift> {
    None
}

/// Time that output is waited for that something else still holds open when the process is gone.
const HELD_PIPES: Duration = Duration::from_secs(2);
/// Interval at which the tree is checked while it is being ended.
const LOOK: Duration = Duration::from_millis(20);
/// The grace of a run while Postern ends, which has five seconds in all.
const QUITTING: Duration = Duration::from_secs(2);
/// Time that a process is waited for after KILL. Only one that is stuck in the system takes any time.
const AFTER_KILL: Duration = Duration::from_secs(5);

pub(super) struct SupervisionTerms {
    pub(super) timeout: Option<Duration>,
    pub(super) grace: Duration,
    pub(super) stream: bool,
    pub(super) output_cap: u64,
}

/// Takes over a released process. On an error it was ended: nothing runs unwatched.
pub(super) fn supervise(
    piped: Piped,
    terms: &SupervisionTerms,
    sink: mpsc::Sender<RunEvent>,
) -> std::io::Result<Running> {
    let Piped { started, ours, input: given } = piped;
    let StartedProcess { lasting, orders: steps, .. } = started;
    let pid = started.child.pid();
    let child = WatchedChild::watch_exit(pid, started.exit)?;
    let pins = PinWatch::of_run(lasting.as_ref())?;
    started.child.watched();
    let capture = || Arc::new(Mutex::new(Capture::new(terms.output_cap)));
    let (orders, ordered) = mpsc::unbounded_channel();
    let (input, pieces) = mpsc::channel(1);
    let running = Running {
        pid: pid.as_raw_nonzero().get().cast_unsigned(),
        start_time: started.start_time,
        orders,
        input,
        stdout: capture(),
        stderr: capture(),
    };
    let Ours { stdin, stdout, stderr } = ours;
    let feeder = stdin.map(|pipe| tokio::spawn(feed_stdin(pipe, given, pieces)));
    let (cut, cutting) = watch::channel(false);
    let pump = |stream, pipe, capture: &Arc<Mutex<Capture>>| {
        let sink = terms.stream.then(|| sink.clone());
        tokio::spawn(
            OutputPump { stream, capture: Arc::clone(capture), sink }.pump_to_end(pipe, cutting.clone()),
        )
    };
    let pumps = [
        pump(OutputStream::Stdout, stdout, &running.stdout),
        pump(OutputStream::Stderr, stderr, &running.stderr),
    ];
    let watched = SupervisedRun {
        tree: Tree::from_leader(pid),
        deadline: terms.timeout.map(|limit| started.at + limit),
        grace: terms.grace,
        stop: None,
        child,
        ordered,
        sink,
        lasting,
        pins,
        unpinned: None,
        steps,
    };
    let captures = [Arc::clone(&running.stdout), Arc::clone(&running.stderr)];
    tokio::spawn(watched.follow(started.at, pumps, feeder, cut, captures));
    Ok(running)
}

struct SupervisedRun {
    child: WatchedChild,
    tree: Tree,
    deadline: Option<Instant>,
    grace: Duration,
    stop: Option<Stop>,
    ordered: mpsc::UnboundedReceiver<Order>,
    sink: mpsc::Sender<RunEvent>,
    lasting: Option<Lasting>,
    pins: PinWatch,
    /// Protected place whose pin was taken away, which ended the run.
    unpinned: Option<String>,
    /// Orders of its steps.
    steps: Option<OwnedFd>,
}

type Pump = JoinHandle<std::io::Result<bool>>;

impl SupervisedRun {
    async fn follow(
        mut self,
        started: Instant,
        pumps: [Pump; 2],
        feeder: Option<JoinHandle<()>>,
        cut: watch::Sender<bool>,
        captures: [Arc<Mutex<Capture>>; 2],
    ) {
        let escaped = self.until_gone().await;
        let duration = started.elapsed();
        let exit = self.child.reap_exit();
        #[cfg(target_os = "linux")]
        super::orphans::look_after();
        if let Some(feeder) = feeder {
            feeder.abort();
        }
        // It keeps the mounts, which take the system milliseconds to take down.
        drop(self.pins);
        let set_aside = finish_confinement(self.lasting.take()).await;
        let leaked_pipes = !drained(pumps, &cut).await;
        let [stdout, stderr] = captures.map(|capture| so_far(&capture));
        let drift = self.steps.take().and_then(reported);
        let finished = FinishedRun {
            end: run_end(exit, self.stop, drift.is_some(), self.unpinned.is_some()),
            duration,
            stdout,
            stderr,
            leaked_pipes,
            escaped,
            set_aside,
            drift,
            unpinned: self.unpinned,
        };
        // Nobody may be listening: then nobody is told.
        drop(self.sink.send(RunEvent::Exited(Box::new(finished))).await);
    }

    /// Waits until the leader has exited, and after an order to stop everything it started; returns how many
    /// are left.
    async fn until_gone(&mut self) -> usize {
        while self.stop.is_none() {
            tokio::select! {
                biased;
                () = self.child.exited() => return 0,
                () = wait_for_deadline(self.deadline) => {
                    self.stop = Some(Stop::TimedOut);
                    // A sink that is full or gone must not keep the run alive.
                    drop(self.sink.try_send(RunEvent::TimedOut));
                }
                () = self.pins.changed() => {
                    self.unpinned = hold_pins(&mut self.lasting).await.or(self.unpinned.take());
                    // A program that takes pins away without end must not keep the run from being stopped.
                    while self.stop.is_none() && let Ok(order) = self.ordered.try_recv() {
                        self.follow_order(order);
                    }
                }
                order = next_order(&mut self.ordered) => self.follow_order(order),
            }
        }
        self.end_tree().await
    }

    fn follow_order(&mut self, order: Order) {
        match order {
            Order::Stop(stop) => self.stop = Some(stop),
            Order::Signal(signal) => signal_group(self.child.pid(), signal),
        }
    }

    /// Sends TERM, and KILL after the grace.
    async fn end_tree(&mut self) -> usize {
        self.tree.refresh();
        self.tree.signal(Signal::TERM);
        // A stopped process could not obey.
        self.tree.signal(Signal::CONT);
        let quits = self.stop == Some(Stop::Shutdown);
        let grace = Instant::now() + if quits { self.grace.min(QUITTING) } else { self.grace };
        let mut leader_gone = false;
        while Instant::now() < grace {
            tokio::select! {
                () = self.child.exited(), if !leader_gone => leader_gone = true,
                // It was to end anyway.
                () = self.pins.changed() => return self.kill_tree().await,
                () = sleep(LOOK) => {}
            }
            if self.tree.refresh() == 0 && leader_gone {
                return 0;
            }
        }
        self.kill_tree().await
    }

    async fn kill_tree(&mut self) -> usize {
        let mut left = self.tree.kill_descendants();
        self.tree.kill_leader();
        let patience = Instant::now() + AFTER_KILL;
        drop(timeout(AFTER_KILL, self.child.exited()).await);
        while left > 0 && Instant::now() < patience {
            left = self.tree.kill_descendants();
            sleep(LOOK).await;
        }
        left
    }
}

/// Ends what a confinement kept, off the threads that carry messages; returns what was set aside.
async fn finish_confinement(lasting: Option<Lasting>) -> Vec<SetAside> {
    let Some(lasting) = lasting else { return Vec::new() };
    tokio::task::spawn_blocking(move || lasting.finish()).await.unwrap_or_default()
}

/// Returns the next order; for ever where no more can come.
async fn next_order(ordered: &mut mpsc::UnboundedReceiver<Order>) -> Order {
    match ordered.recv().await {
        Some(order) => order,
        None => std::future::pending().await,
    }
}

async fn wait_for_deadline(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline.into()).await,
        None => std::future::pending().await,
    }
}

fn signal_group(pid: Pid, signal: i32) {
    if let Some(signal) = Signal::from_named_raw(signal) {
        // It may have exited just now.
        _ = rustix::process::kill_process_group(pid, signal);
    }
}

/// Waits for the end of both outputs, but not long for one that something else still holds; whether both ended.
async fn drained(pumps: [Pump; 2], cut: &watch::Sender<bool>) -> bool {
    let patience = Instant::now() + HELD_PIPES;
    let mut whole = true;
    for mut pump in pumps {
        let ended = if let Ok(ended) = tokio::time::timeout_at(patience.into(), &mut pump).await {
            ended
        } else {
            cut.send_replace(true);
            pump.await
        };
        whole &= matches!(ended, Ok(Ok(true)));
    }
    whole
}

fn so_far(capture: &Mutex<Capture>) -> Captured {
    capture.lock().so_far()
}

fn run_end(exit: Exit, stop: Option<Stop>, drifted: bool, unpinned: bool) -> RunEnd {
    match stop {
        _ if unpinned => RunEnd { outcome: Outcome::Killed, exit: Some(exit) },
        None if drifted => RunEnd { outcome: Outcome::Drifted, exit: Some(exit) },
        Some(Stop::TimedOut) => RunEnd { outcome: Outcome::Timeout, exit: Some(exit) },
        Some(Stop::Killed | Stop::Shutdown) => RunEnd { outcome: Outcome::Killed, exit: Some(exit) },
        None => RunEnd::from(exit),
    }
}
