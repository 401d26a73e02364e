//! The host: embedded in this process, or attached to where `postern serve` already owns the data folder. Both speak
//! the same methods; nothing above knows which it is.

mod attached;
mod embedded;

use crate::AppOptions;
use attached::Attached;
use embedded::Embedded;
use parking_lot::RwLock;
use postern_contract::ApproverNotification;
use postern_contract::methods::{ControlError, Method};
use postern_host::HostUser;
use postern_host::{Handle, HostControl, StartError};
use serde_json::Value;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Message from the host.
#[derive(Debug)]
pub(crate) enum IncomingBackendEvent {
    /// Something happened.
    Told(Box<ApproverNotification>),
    /// Some of what happened was missed: read the lists again.
    Missed,
    /// The host is gone.
    Lost,
}

/// The host, wherever it runs. This app is a face connected for as long as it is held.
#[derive(Debug)]
pub(crate) struct Backend {
    options: AppOptions,
    link: RwLock<Arc<BackendLink>>,
}

#[derive(Debug)]
enum BackendLink {
    Embedded(Embedded),
    /// In another one.
    Attached(Attached),
}

impl BackendLink {
    async fn open(options: &AppOptions) -> anyhow::Result<(Self, mpsc::Receiver<IncomingBackendEvent>)> {
        let user = HostUser::current(options.inherited.clone())?;
        match Embedded::start(options.data.clone(), user).await {
            Ok((embedded, heard)) => Ok((Self::Embedded(embedded), heard)),
            Err(StartError::AlreadyRunning(data)) => {
                let (attached, heard) = Attached::connect(data).await?;
                Ok((Self::Attached(attached), heard))
            }
            Err(error) => Err(error.into()),
        }
    }
}

impl Backend {
    /// Starts a host on the data folder, or attaches to the one that is there.
    pub(crate) async fn open(
        options: &AppOptions,
    ) -> anyhow::Result<(Self, mpsc::Receiver<IncomingBackendEvent>)> {
        let (link, heard) = BackendLink::open(options).await?;
        Ok((Self { options: options.clone(), link: RwLock::new(Arc::new(link)) }, heard))
    }

    /// Attaches to a new host, or becomes the host, after the old one was lost. Fails while the old one is
    /// still ending.
    pub(crate) async fn reopen(&self) -> anyhow::Result<mpsc::Receiver<IncomingBackendEvent>> {
        let (link, heard) = BackendLink::open(&self.options).await?;
        *self.link.write() = Arc::new(link);
        Ok(heard)
    }

    /// Returns true if the host lives in this process.
    pub(crate) fn is_embedded(&self) -> bool {
        matches!(*self.current_link(), BackendLink::Embedded(_))
    }

    fn current_link(&self) -> Arc<BackendLink> {
        Arc::clone(&self.link.read())
    }

    /// Calls a control method.
    pub(crate) async fn invoke_json(&self, method: &str, params: Value) -> Result<Value, ControlError> {
        match &*self.current_link() {
            BackendLink::Embedded(Embedded { host, face }) => {
                host.call_by_name(&face.id(), method, params).await
            }
            BackendLink::Attached(attached) => attached.invoke_json(method, params).await,
        }
    }

    /// Calls a method of the contract's list.
    pub(crate) async fn invoke<M: Method>(&self, params: &M::Params) -> Result<M::Result, ControlError>
    where
        HostControl: Handle<M>,
    {
        match &*self.current_link() {
            BackendLink::Embedded(Embedded { host, face }) => host.call_method::<M>(face.id(), params).await,
            BackendLink::Attached(attached) => attached.invoke::<M>(params).await,
        }
    }

    /// Ends what waits before the computer sleeps: it is not answered tomorrow.
    ///
    /// A host in another process sees the sleep by its clock.
    pub(crate) async fn fall_asleep(&self) {
        if let BackendLink::Embedded(embedded) = &*self.current_link() {
            embedded.host.fall_asleep().await;
        }
    }

    /// Ends what ran out while the computer slept.
    pub(crate) async fn wake_up(&self) {
        if let BackendLink::Embedded(embedded) = &*self.current_link() {
            embedded.host.wake_up().await;
        }
    }

    /// Ends what this process started: an embedded host is shut down, an attached one is left alone.
    pub(crate) async fn close(&self) {
        match &*self.current_link() {
            BackendLink::Embedded(embedded) => embedded.host.shutdown().await,
            BackendLink::Attached(_) => {}
        }
    }
}

#[cfg(test)]
mod tests;
