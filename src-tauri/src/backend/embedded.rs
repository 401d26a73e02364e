//! The host in this process.

use super::IncomingBackendEvent;
use postern_contract::methods::{ControlError, Method};
use postern_doors::DoorRegistry;
use postern_host::HostUser;
use postern_host::session::SystemSession;
use postern_host::{ApproverGuard, ConnectedApproverKind, Handle, Host, HostConfig, HostControl, StartError};
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
        user: HostUser,
    ) -> Result<(Self, mpsc::Receiver<IncomingBackendEvent>), StartError> {
        let host = Host::start(HostConfig { data, user, session: Arc::new(SystemSession) }).await?;
        DoorRegistry::restore(&host).await;
        let mut told = host.subscribe();
        let (hear, heard) = mpsc::channel(64);
        tokio::spawn(async move {
            loop {
                let news = match told.recv().await {
                    Ok(mut told) => {
                        told.hide_secrets();
                        IncomingBackendEvent::Told(Box::new(told))
                    }
                    Err(RecvError::Lagged(_)) => IncomingBackendEvent::Missed,
                    Err(RecvError::Closed) => IncomingBackendEvent::Lost,
                };
                let last = matches!(news, IncomingBackendEvent::Lost);
                if hear.send(news).await.is_err() || last {
                    return;
                }
            }
        });
        let face = host.add_approver(ConnectedApproverKind::Window);
        Ok((Self { host, face }, heard))
    }

    pub(super) async fn invoke_json(&self, method: &str, params: Value) -> Result<Value, ControlError> {
        self.host.call_by_name(&self.face.id(), method, params).await
    }

    pub(super) async fn invoke<M: Method>(&self, params: &M::Params) -> Result<M::Result, ControlError>
    where
        HostControl: Handle<M>,
    {
        self.host.call_method::<M>(self.face.id(), params).await
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
