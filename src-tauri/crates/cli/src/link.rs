//! The way to the host: paths in its data folder, and typed calls over the control socket.

use crate::failure::Failure;
use crate::print;
use postern_client::Control;
use postern_contract::methods::{ApproverKind, Method};
use postern_contract::{ApproverNotification, Question};
use postern_policy::AgentId;
use postern_protocol::channels_folder;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Returns the real path of the data folder, by which a host knows it; the path as it is if there is none.
pub(crate) fn real_data(data: &Path) -> PathBuf {
    data.canonicalize().unwrap_or_else(|_| data.to_owned())
}

pub(crate) fn channel_folder(data: &Path, agent: &AgentId) -> PathBuf {
    channels_folder(&real_data(data)).join(agent.as_str())
}

/// A connection to the running host.
pub(crate) struct HostLink {
    control: Control,
    data: PathBuf,
}

/// Between two tries to reach a host that went away: first, and at the most.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(3));

impl HostLink {
    /// Connects and proves who we are.
    pub(crate) fn open(data: &Path) -> Result<Self, Failure> {
        let control = Control::connect(data).map_err(Failure::from_connect)?;
        Ok(Self { control, data: data.to_owned() })
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
