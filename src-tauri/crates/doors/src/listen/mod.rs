//! Common parts of every door that listens: its loop, and, over TCP, its address and its protection.

mod accept;
#[cfg(feature = "listen-over-tls")]
mod settings;
#[cfg(feature = "listen-over-tls")]
mod tls;

pub(crate) use accept::DoorTasks;
#[cfg(feature = "listen-over-tls")]
pub(crate) use settings::ListenSettings;
#[cfg(feature = "listen-over-tls")]
pub(crate) use tls::{Wrapping, wrapping};

use postern_contract::methods::ControlError;
use std::io::ErrorKind;
use std::net::SocketAddr;
use tokio::net::TcpListener;

pub(crate) async fn bind_tcp(address: SocketAddr) -> Result<(TcpListener, SocketAddr), ControlError> {
    let refused = |error: std::io::Error| {
        let problem = match error.kind() {
            ErrorKind::AddrNotAvailable => "this computer has no such address".to_owned(),
            ErrorKind::AddrInUse => "another program listens there".to_owned(),
            _ => error.to_string(),
        };
        ControlError::refused(format!("cannot listen on {address}: {problem}; say listen=ADDRESS:PORT"))
    };
    let listener = TcpListener::bind(address).await.map_err(refused)?;
    let bound = listener.local_addr().map_err(refused)?;
    Ok((listener, bound))
}
