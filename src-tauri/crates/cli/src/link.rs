//! The way to the host: where its data folder is, and typed calls over the control socket.

use crate::failure::Failure;
use postern_client::Control;
use postern_contract::methods::{FaceKind, Method};
use postern_contract::{Question, Told};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where the app keeps its data when nothing else is said.
pub(crate) fn default_data(home: &Path, xdg_data_home: Option<PathBuf>) -> PathBuf {
    if cfg!(target_os = "macos") {
        home.join("Library/Application Support/Postern")
    } else {
        xdg_data_home
            .filter(|path| path.is_absolute())
            .unwrap_or_else(|| home.join(".local/share"))
            .join("postern")
    }
}

/// A connection to the running host.
pub(crate) struct Link {
    control: Control,
}

impl Link {
    /// Connects and proves who we are.
    pub(crate) fn open(data: &Path) -> Result<Self, Failure> {
        Ok(Self { control: Control::connect(data).map_err(Failure::from_connect)? })
    }

    /// Calls a method.
    pub(crate) fn call<M: Method>(&mut self, params: &M::Params) -> Result<M::Result, Failure> {
        self.control.ask::<M>(params).map_err(Failure::from_call)
    }

    /// Watches the questions; this terminal is on duty while the connection lives.
    pub(crate) fn watch_questions(&mut self) -> Result<Vec<Question>, Failure> {
        Ok(self.control.watch(FaceKind::Terminal).map_err(Failure::from_call)?.questions)
    }

    /// The next thing that is told without asking. Ends when the host does.
    pub(crate) fn next(&mut self) -> Result<Told, Failure> {
        loop {
            // What a newer host tells and this version does not know is passed over.
            if let Some(told) = self.control.next_told(None).map_err(Failure::from_gone)? {
                return Ok(told);
            }
        }
    }

    /// The next thing that is told, where something is within this time.
    pub(crate) fn next_within(&mut self, time: Duration) -> Result<Option<Told>, Failure> {
        self.control.next_told(Some(time)).map_err(Failure::from_gone)
    }
}
