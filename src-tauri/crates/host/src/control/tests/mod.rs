//! The control methods on a whole host in a folder of its own, in process and over the real socket.

mod after;
mod descent;
mod explain;
mod methods;
mod socket;
mod watching;

use crate::host::{Host, HostConfig};
use crate::session::SystemSession;
use crate::{ApproverGuard, ConnectedApproverKind};
use postern_contract::methods::{ControlError, Method};
use postern_exec::user::HostUser;
use postern_store::Store;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

pub(super) struct Running {
    pub(super) host: Host,
    pub(super) face: ApproverGuard,
    folder: TempDir,
}

impl Running {
    pub(super) async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home");
        std::fs::create_dir_all(&home).unwrap();
        let user = HostUser {
            name: "tester".into(),
            home: home.to_str().unwrap().to_owned(),
            shell: "/bin/sh".into(),
            locale: "C.UTF-8".into(),
            tmpdir: folder.path().to_str().unwrap().to_owned(),
            text_encoding: None,
            inherited: Vec::new(),
        };
        let config = HostConfig { data: folder.path().join("data"), user, session: Arc::new(SystemSession) };
        let host = Host::start(config).await.unwrap();
        let face = host.add_approver(ConnectedApproverKind::Terminal);
        Self { host, face, folder }
    }

    pub(super) async fn with_agent() -> Self {
        let running = Self::start().await;
        running.raw("agents.add", json!({"agent": "main"})).await.unwrap();
        running
    }

    pub(super) fn data(&self) -> &Path {
        self.host.data_folder()
    }

    pub(super) fn home(&self) -> PathBuf {
        self.folder.path().join("home").canonicalize().unwrap()
    }

    /// Returns the host's record, opened beside it.
    pub(super) fn record(&self) -> Store {
        Store::open(&self.data().join("postern.db")).unwrap()
    }

    pub(super) async fn raw(&self, method: &str, params: Value) -> Result<Value, ControlError> {
        self.host.call_by_name(&self.face.id(), method, params).await
    }

    pub(super) async fn call<M: Method>(&self, params: Value) -> Result<M::Result, ControlError> {
        let answer = self.raw(M::NAME, params).await?;
        Ok(serde_json::from_value(answer).expect("the answer is of the method's type"))
    }
}
