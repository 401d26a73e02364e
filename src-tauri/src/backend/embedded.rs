//! The host in this process.

use super::Heard;
use postern_contract::methods::{ControlError, Method};
use postern_doors::Doors;
use postern_host::User;
use postern_host::session::SystemSession;
use postern_host::{ApproverGuard, Control, FaceKind, Handle, Host, HostConfig, StartError};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;

/// A host of our own, and our place among its faces.
#[derive(Debug)]
pub(crate) struct Embedded {
    host: Host,
    face: ApproverGuard,
}

impl Embedded {
    pub(super) async fn start(
        data: PathBuf,
        user: User,
    ) -> Result<(Self, mpsc::Receiver<Heard>), StartError> {
        let host = Host::start(HostConfig { data, user, session: Arc::new(SystemSession) }).await?;
        Doors::open(&host).await;
        let mut told = host.watch();
        let (hear, heard) = mpsc::channel(64);
        tokio::spawn(async move {
            loop {
                let news = match told.recv().await {
                    Ok(told) => Heard::Told(Box::new(told)),
                    Err(RecvError::Lagged(_)) => Heard::Missed,
                    Err(RecvError::Closed) => Heard::Lost,
                };
                let last = matches!(news, Heard::Lost);
                if hear.send(news).await.is_err() || last {
                    return;
                }
            }
        });
        let face = host.face(FaceKind::Window);
        Ok((Self { host, face }, heard))
    }

    pub(super) async fn call(&self, method: &str, params: Value) -> Result<Value, ControlError> {
        self.host.call(&self.face.id(), method, params).await
    }

    pub(super) async fn ask<M: Method>(&self, params: &M::Params) -> Result<M::Result, ControlError>
    where
        Control: Handle<M>,
    {
        self.host.ask::<M>(self.face.id(), params).await
    }

    pub(super) async fn fall_asleep(&self) {
        self.host.fall_asleep().await;
    }

    pub(super) async fn wake_up(&self) {
        self.host.wake_up().await;
    }

    pub(super) async fn shutdown(&self) {
        self.host.shutdown().await;
    }
}
