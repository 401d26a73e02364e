//! The host: embedded in this process, or attached to where `postern serve` already owns the data folder. Both speak
//! the same methods; nothing above knows which it is.

mod attached;
mod embedded;

use crate::Options;
use attached::Attached;
use embedded::Embedded;
use postern_contract::Told;
use postern_contract::methods::{ControlError, Method};
use postern_host::User;
use postern_host::{Control, Handle, StartError};
use serde_json::Value;
use std::sync::{Arc, PoisonError, RwLock};
use tokio::sync::mpsc;

/// Message from the host.
#[derive(Debug)]
pub(crate) enum Heard {
    /// Something happened.
    Told(Box<Told>),
    /// Some of what happened was missed: read the lists again.
    Missed,
    /// The host is gone.
    Lost,
}

/// The host, wherever it runs. This app is a face connected for as long as it is held.
#[derive(Debug)]
pub(crate) struct Backend {
    options: Options,
    link: RwLock<Arc<Link>>,
}

#[derive(Debug)]
enum Link {
    /// In this process.
    Embedded(Embedded),
    /// In another one.
    Attached(Attached),
}

impl Link {
    async fn open(options: &Options) -> anyhow::Result<(Self, mpsc::Receiver<Heard>)> {
        let user = User::current(options.inherited.clone())?;
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
    pub(crate) async fn open(options: &Options) -> anyhow::Result<(Self, mpsc::Receiver<Heard>)> {
        let (link, heard) = Link::open(options).await?;
        Ok((Self { options: options.clone(), link: RwLock::new(Arc::new(link)) }, heard))
    }

    /// Attaches to a new host, or becomes the host, after the old one was lost. Fails while the old one is
    /// still ending.
    pub(crate) async fn reopen(&self) -> anyhow::Result<mpsc::Receiver<Heard>> {
        let (link, heard) = Link::open(&self.options).await?;
        *self.link.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(link);
        Ok(heard)
    }

    /// Returns true if the host lives in this process.
    pub(crate) fn is_embedded(&self) -> bool {
        matches!(*self.link(), Link::Embedded(_))
    }

    fn link(&self) -> Arc<Link> {
        Arc::clone(&self.link.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Calls a control method.
    pub(crate) async fn call(&self, method: &str, params: Value) -> Result<Value, ControlError> {
        match &*self.link() {
            Link::Embedded(embedded) => embedded.call(method, params).await,
            Link::Attached(attached) => attached.call(method, params).await,
        }
    }

    /// Calls a method of the contract's list.
    pub(crate) async fn ask<M: Method>(&self, params: &M::Params) -> Result<M::Result, ControlError>
    where
        Control: Handle<M>,
    {
        match &*self.link() {
            Link::Embedded(embedded) => embedded.ask::<M>(params).await,
            Link::Attached(attached) => attached.ask::<M>(params).await,
        }
    }

    /// Ends what waits before the computer sleeps: it is not answered tomorrow.
    ///
    /// A host in another process sees the sleep by its clock.
    pub(crate) async fn fall_asleep(&self) {
        if let Link::Embedded(embedded) = &*self.link() {
            embedded.fall_asleep().await;
        }
    }

    /// Ends what ran out while the computer slept.
    pub(crate) async fn wake_up(&self) {
        if let Link::Embedded(embedded) = &*self.link() {
            embedded.wake_up().await;
        }
    }

    /// Ends what this process started: an embedded host is shut down, an attached one is left alone.
    pub(crate) async fn close(&self) {
        match &*self.link() {
            Link::Embedded(embedded) => embedded.shutdown().await,
            Link::Attached(_) => {}
        }
    }
}

#[cfg(test)]
mod tests;
