//! Speaks both sockets: an agent's [`Channel`], and with the feature `control` the approvers' socket. Blocking, no
//! async runtime, no threads of its own.

mod channel;
#[cfg(feature = "control")]
mod control;
mod error;
mod opening;
#[cfg(feature = "scripted-host")]
pub mod scripted;
mod stream;
mod transport;

#[cfg(test)]
mod tests;

pub use channel::{Channel, ChannelMessage, ChannelOptions, Events};
#[cfg(feature = "control")]
pub use control::Control;
pub use error::{CallError, ConnectError, ConnectionLoss};
pub use opening::read_key;
pub use stream::tcp_address;
