//! The host in this process.

use super::IncomingBackendEvent;
use postern_doors::DoorRegistry;
use postern_host::HostUser;
use postern_host::session::SystemSession;
use postern_host::{ApproverGuard, ConnectedApproverKind, Host, HostConfig, StartError};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;

/// A host of our own, and our place among its faces.
#[derive(Debug)]
pub(crate) struct Embedded {
    pub(super) host: Host,
    pub(super) face: ApproverGuard,
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
}
