//! The way to the host: paths in its data folder, and typed calls over the control socket.

use crate::failure::Failure;
use crate::print;
use postern_client::Control;
use postern_contract::methods::{ApproverKind, Method};
use postern_contract::{ApproverNotification, Question};
use postern_exec::threads::run_aside;
use postern_policy::AgentId;
use postern_protocol::channels_folder;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// Returns the real path of the data folder, by which a host knows it; the path as it is if there is none.
pub(crate) fn real_data(data: &Path) -> PathBuf {
    data.canonicalize().unwrap_or_else(|_| data.to_owned())
}

pub(crate) fn channel_folder(data: &Path, agent: &AgentId) -> PathBuf {
    channels_folder(&real_data(data)).join(agent.as_str())
}

/// Runs `work` on a thread of its own, or here if there is none. It is left behind where nobody waits for it any more.
pub(crate) fn run_on_thread<T: Send + 'static>(work: impl FnOnce(Sender<T>) + Send + 'static) -> Receiver<T> {
    let (say, hear) = channel();
    run_aside("look", move || work(say));
    hear
}

/// A connection to the running host.
pub(crate) struct HostLink {
    control: Control,
    data: PathBuf,
}

/// Time in which the host and the disk of its data folder answer.
const CONNECT: Duration = Duration::from_secs(10);

/// Between two tries to reach a host that went away: first, and at the most.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(3));

impl HostLink {
    /// Connects and proves who we are.
    ///
    /// # Errors
    /// Returns an error also where the host, or the disk of its data folder, does not answer in ten seconds.
    pub(crate) fn open(data: &Path) -> Result<Self, Failure> {
        let folder = data.to_owned();
        let connected = run_on_thread(move |say| drop(say.send(Control::connect(&folder))));
        let connected = connected.recv_timeout(CONNECT).map_err(|_| Failure::from_silence(CONNECT))?;
        Ok(Self { control: connected.map_err(Failure::from_connect)?, data: data.to_owned() })
    }

    /// Connects again to a host that went away: tries, ever more seldom, until it is back or `waited` says that nobody wants
    /// it any more. `waited` is given how long to wait, and does so.
    pub(crate) fn come_back(
        &mut self,
        mut waited: impl FnMut(Duration) -> Result<bool, Failure>,
    ) -> Result<bool, Failure> {
        let (mut pause, longest) = PAUSES;
        while waited(pause)? {
            if let Ok(again) = Self::open(&self.data) {
                *self = again;
                return Ok(true);
            }
            pause = (pause * 2).min(longest);
        }
        Ok(false)
    }

    /// Does `work`, and again whenever the host went away and is back. Tells of both in one line on standard error.
    pub(crate) fn whenever_it_runs(
        &mut self,
        mut work: impl FnMut(&mut Self) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        loop {
            match work(self) {
                Err(failure) if failure.is_gone() => {
                    print::remark(format!("{}: waiting until it runs again", failure.message));
                }
                ended => return ended,
            }
            self.come_back(|pause| {
                std::thread::sleep(pause);
                Ok(true)
            })?;
            print::remark("Postern runs again");
        }
    }

    pub(crate) fn call_method<M: Method>(&mut self, params: &M::Params) -> Result<M::Result, Failure> {
        self.control.call_method::<M>(params).map_err(Failure::from_call)
    }

    /// Watches the questions; this terminal is connected while the connection lives.
    pub(crate) fn watch_questions(&mut self) -> Result<Vec<Question>, Failure> {
        Ok(self.control.watch_questions(ApproverKind::Terminal).map_err(Failure::from_call)?.questions)
    }

    /// Returns the next thing that is told without asking. Ends when the host does.
    pub(crate) fn next_notification(&mut self) -> Result<ApproverNotification, Failure> {
        loop {
            // What a newer host tells and this version does not know is passed over.
            if let Some(told) = self.control.next_known_notification(None).map_err(Failure::from_gone)? {
                return Ok(told);
            }
        }
    }

    /// Returns the next thing that is told, where something is within this time.
    pub(crate) fn next_within(&mut self, time: Duration) -> Result<Option<ApproverNotification>, Failure> {
        self.control.next_known_notification(Some(time)).map_err(Failure::from_gone)
    }
}
