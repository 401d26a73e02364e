//! Forwarder: an agent's channel over TCP, for sandboxes in a virtual machine.
//!
//! No socket of the host can be mounted into these (Docker Desktop, Colima, Lima, Podman machine).
//!
//! It relays bytes between a TCP connection and the agent's own socket and reads none of them. Both ends prove on every
//! connection that they hold the channel's key, which never crosses; a side without it is cut off by the channel
//! after two seconds, as on the socket itself. Each agent has an address of its own.
//!
//! What crosses is not encrypted, so it listens on loopback, and elsewhere only where the person said so.

use crate::door::Door;
use crate::listen::DoorTasks;
use crate::values::{self, DoorValues};
use async_trait::async_trait;
use postern_contract::MultilineText;
use postern_contract::methods::{AgentRef, ControlError, DoorKind, DoorSetup, GetAgent};
use postern_host::{ConnectedApproverKind, Host};
use postern_policy::AgentId;
use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio_util::sync::CancellationToken;

/// Connections at a time to one agent: half of what its channel takes, so that a flood here leaves the socket its half.
const CONNECTIONS: usize = 32;
/// Time that a connection may be silent before the other side is probed. A machine that was stopped says no
/// goodbye.
const SILENT: Duration = Duration::from_secs(30);
/// The setting that lets it listen beyond loopback.
const UNENCRYPTED: &str = "unencrypted-network";

/// The open door.
#[derive(Debug)]
pub(crate) struct Forwarder {
    places: BTreeMap<AgentId, SocketAddr>,
    listening: DoorTasks,
}

impl Forwarder {
    /// Listens at each agent's address.
    pub(crate) async fn open(host: &Host, values: &DoorValues) -> Result<Self, ControlError> {
        let channels = values.get("channels").ok_or_else(|| {
            ControlError::invalid(
                "say whose channel is carried and where it is reached: channels=AGENT@127.0.0.1:7719",
            )
        })?;
        let beyond_loopback = values::switch(values, UNENCRYPTED)?;
        let mut wanted = Vec::new();
        for channel in channels.split(',').map(str::trim) {
            let (agent, address) = channel.split_once('@').ok_or_else(|| {
                let channel = postern_command::escape::visible_text(channel);
                ControlError::invalid(format!(
                    "{channel} is not AGENT@ADDRESS:PORT, as in main@127.0.0.1:7719"
                ))
            })?;
            wanted.push((agent_of(host, agent).await?, address_of(agent, address, beyond_loopback)?));
        }
        let (mut places, mut listeners) = (BTreeMap::new(), Vec::new());
        for ((agent, socket), address) in wanted {
            let listener = TcpListener::bind(address).await.map_err(|error| {
                ControlError::refused(format!("cannot listen on {address} for {agent}: {error}"))
            })?;
            let bound = listener.local_addr().map_err(ControlError::internal)?;
            places.insert(agent, bound);
            listeners.push((listener, Arc::new(socket)));
        }
        let listening = DoorTasks::default();
        for (listener, socket) in listeners {
            listening.serve_connections(DoorKind::Forwarder, listener, CONNECTIONS, move |stream, closed| {
                relay_bytes(stream, Arc::clone(&socket), closed)
            });
        }
        Ok(Self { places, listening })
    }
}

#[async_trait]
impl Door for Forwarder {
    fn set_up(&self) -> Result<DoorSetup, ControlError> {
        let values: BTreeMap<String, String> =
            self.places.iter().map(|(agent, address)| (agent.to_string(), address.to_string())).collect();
        let mut text = "In the container, POSTERN_SOCKET says where, and POSTERN_KEY_FILE names a file\n\
                        with the agent's key (agent.key, mounted read-only). The key proves both sides;\n\
                        it does not cross, and nothing is encrypted.\n"
            .to_owned();
        for (agent, address) in &self.places {
            let port = address.port();
            let names = format!(
                "{agent}: POSTERN_SOCKET=tcp://host.docker.internal:{port}   Docker Desktop\n\
                 {agent}: POSTERN_SOCKET=tcp://host.lima.internal:{port}   Colima, Lima\n\
                 {agent}: POSTERN_SOCKET=tcp://host.containers.internal:{port}   Podman machine\n"
            );
            text.push_str(&names);
        }
        Ok(DoorSetup { door: DoorKind::Forwarder, values, text: MultilineText::new(text) })
    }

    async fn revoke(&self, _: &str) -> Result<(), ControlError> {
        Err(ControlError::not_found(
            "every client of the forwarder has the agent's key; a new key cuts them off: postern agents rotate-key ID",
        ))
    }

    async fn close(self: Box<Self>) {
        self.listening.close().await;
    }
}

async fn agent_of(host: &Host, name: &str) -> Result<(AgentId, PathBuf), ControlError> {
    let agent = AgentId::new(name)
        .map_err(|error| ControlError::invalid(format!("channels is AGENT@ADDRESS:PORT: {error}")))?;
    let face = host.named_face(ConnectedApproverKind::Remote, "forwarder").id();
    let row = host.call_method::<GetAgent>(face, &AgentRef { agent: agent.clone() }).await?;
    Ok((agent, row.socket.into()))
}

/// Returns an address that only this machine can reach; where the person said so, one of a private network as
/// well.
fn address_of(agent: &str, text: &str, beyond_loopback: bool) -> Result<SocketAddr, ControlError> {
    let address: SocketAddr = text.parse().map_err(|_| {
        ControlError::invalid(format!("{agent} is reached at an address and a port: {agent}@127.0.0.1:7719"))
    })?;
    let private = match address.ip() {
        IpAddr::V4(ip) => ip.is_private() || ip.is_link_local(),
        IpAddr::V6(ip) => ip.is_unique_local() || ip.is_unicast_link_local(),
    };
    match (address.ip().is_loopback(), private) {
        (true, _) => Ok(address),
        (false, true) if beyond_loopback => Ok(address),
        (false, true) => Err(ControlError::refused(format!(
            "nothing is encrypted here: who can listen on the network of {address} reads what {agent} asks and hears, and can \
             ask in its place. Use {agent}@127.0.0.1:7719; for a bridge that only virtual machines of yours are on, say \
             {UNENCRYPTED}=on as well"
        ))),
        (false, false) => Err(ControlError::refused(format!(
            "{address} can be reached from anywhere, and nothing is encrypted here: use {agent}@127.0.0.1:7719"
        ))),
    }
}

async fn relay_bytes(mut stream: TcpStream, socket: Arc<PathBuf>, closed: CancellationToken) {
    let alive = rustix::net::sockopt::set_socket_keepalive(&stream, true)
        .and_then(|()| rustix::net::sockopt::set_tcp_keepidle(&stream, SILENT));
    if let Err(error) = alive {
        tracing::debug!(%error, "a connection that is lost silently is noticed late");
    }
    // The agent may be gone: then so is the connection.
    let Ok(mut channel) = UnixStream::connect(socket.as_path()).await else { return };
    tokio::select! {
        // However it ends: either side went, and the other is told by the end.
        _ = copy_bidirectional(&mut stream, &mut channel) => {}
        () = closed.cancelled() => {}
    }
}

#[cfg(test)]
mod tests {
    use super::address_of;

    #[test]
    fn it_listens_on_loopback_and_elsewhere_only_where_that_was_said() {
        for good in ["127.0.0.1:7719", "[::1]:7719"] {
            assert!(address_of("main", good, false).is_ok(), "{good}");
        }
        for private in ["192.168.64.1:7719", "10.0.2.2:0", "169.254.1.1:1", "[fd00::1]:9", "[fe80::1]:9"] {
            assert!(address_of("main", private, true).is_ok(), "{private}");
            let refused = address_of("main", private, false).unwrap_err().message;
            assert!(refused.contains("unencrypted-network=on"), "{private}: {refused}");
        }
        for bad in
            ["0.0.0.0:7719", "[::]:7719", "8.8.8.8:7719", "[2001:db8::1]:7719", "[::ffff:192.168.1.2]:7719"]
        {
            for said in [false, true] {
                let refused = address_of("main", bad, said).unwrap_err().message;
                assert!(refused.contains("main@127.0.0.1:7719"), "{bad}: {refused}");
            }
        }
        assert!(address_of("main", "7719", true).unwrap_err().message.contains("127.0.0.1:7719"));
    }
}
