//! MCP over streamable HTTP, for clients that do not start their servers themselves: a door with a bearer token.
//!
//! It opens on loopback alone, with TLS where that is wanted: who comes through runs commands here, and from another
//! machine does so through a tunnel that proves who it is. The token is one agent's: pointed at another agent, the door has
//! another token. A page in a browser is kept out by the token, and besides by the `Host` and `Origin` that it cannot choose.

mod request;
mod streams;

use super::jobs::DetachedMcpRuns;
use super::{McpAgent, McpTurns, Server, WAIT};
use crate::door::Door;
use crate::listen::{self, DoorTasks, ListenSettings, Wrapping};
use crate::token::DoorToken;
use crate::values::{DoorValues, find_agent};
use async_trait::async_trait;
use postern_contract::MultilineText;
use postern_contract::methods::{ControlError, DoorKind, DoorSetup};
use postern_host::Host;
use postern_policy::AgentId;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use streams::Streams;
use tokio::sync::Semaphore;

/// Default address.
const LISTEN: &str = "127.0.0.1:7718";
/// Connections at a time, those that have not proved anything yet included. A client has two or three.
const CONNECTIONS: usize = 64;
/// Clients at a time.
const SESSIONS: usize = 32;
/// Under what name the host keeps the token's secret, and which token in the row is good.
const KEPT: &str = "mcp-http";
const PATH: &str = "/mcp";

type McpHttpService = StreamableHttpService<Server, LocalSessionManager>;

/// The open door.
#[derive(Debug)]
pub(crate) struct McpHttp {
    shared: Arc<McpHttpShared>,
    listening: DoorTasks,
}

/// State that every connection needs.
struct McpHttpShared {
    host: Host,
    agent: AgentId,
    address: SocketAddr,
    /// Under what name clients reach it: of the given ones the first.
    name: String,
    wrapping: Option<Wrapping>,
    token: DoorToken,
    service: McpHttpService,
    sessions: Arc<LocalSessionManager>,
    streams: Arc<Streams>,
}

impl std::fmt::Debug for McpHttpShared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared")
            .field("agent", &self.agent)
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

impl McpHttp {
    pub(crate) async fn open(host: &Host, values: &DoorValues) -> Result<Self, ControlError> {
        let settings = ListenSettings::from_values(values, LISTEN)?;
        if !settings.listen.ip().is_loopback() {
            return Err(ControlError::refused(format!(
                "this integration listens only on localhost: listen={LISTEN}. From another machine it is reached through a tunnel \
                 (ssh -L 7718:{LISTEN})"
            )));
        }
        let hosts = allowed_hosts(values, settings.listen)?;
        let row = find_agent(host, values, DoorKind::McpHttp).await?;
        let folder = crate::folder(host).map_err(ControlError::internal)?;
        let wrapping = listen::wrapping(DoorKind::McpHttp, &settings, &folder)?;
        let token = DoorToken::load_current(host, KEPT, row.id.as_str()).await?;
        let (listener, address) = listen::bind_tcp(settings.listen).await?;
        let listening = DoorTasks::default();
        let (socket, key_file) = (row.socket.into(), row.key_file.into());
        let agent = McpAgent { socket, key_file, session: None, wait: WAIT };
        let sessions = Arc::new(streams::manager());
        let streams = Arc::new(Streams::default());
        let name = hosts.first().map_or_else(|| address.ip().to_string(), Clone::clone);
        let allowed = hosts.iter().map(|host| authority(host, address.port()));
        let config = StreamableHttpServerConfig::default()
            .with_allowed_hosts(allowed)
            .enforce_origin_validation()
            .with_max_request_body_bytes(request::LONGEST)
            .with_cancellation_token(listening.closed());
        let service = StreamableHttpService::new(served(agent), Arc::clone(&sessions), config);
        let shared = Arc::new(McpHttpShared {
            host: host.clone(),
            agent: row.id,
            address,
            name,
            wrapping,
            token,
            service,
            sessions,
            streams,
        });
        let serving = Arc::clone(&shared);
        listening.serve_connections(DoorKind::McpHttp, listener, CONNECTIONS, move |stream, closed| {
            request::connection(Arc::clone(&serving), stream, closed)
        });
        let (looking, closed) = (Arc::clone(&shared), listening.closed());
        listening.beside(async move {
            tokio::select! {
                () = looking.streams.close_gone(&looking.sessions) => {}
                () = closed.cancelled() => {}
            }
        });
        Ok(Self { shared, listening })
    }
}

#[async_trait]
impl Door for McpHttp {
    fn set_up(&self) -> Result<DoorSetup, ControlError> {
        let (shared, token) = (&self.shared, self.shared.token.to_base64url());
        let scheme = if shared.wrapping.is_some() { "https" } else { "http" };
        let url = format!("{scheme}://{}{PATH}", authority(&shared.name, shared.address.port()));
        let bearer = format!("Bearer {token}");
        let server = serde_json::json!({"type": "http", "url": url, "headers": {"Authorization": bearer}});
        let registration = serde_json::json!({"mcpServers": {"postern": server}});
        let mut text = format!(
            "An MCP client reaches the tools of {} with this in its list of servers\n\
             (.mcp.json, mcp.json):\n\n\
             {registration:#}\n\n\
             Who has the token may ask what {} may ask: keep it as you keep a password.\n\
             A new one: postern doors revoke mcp-http token\n",
            shared.agent, shared.agent
        );
        let mut values = BTreeMap::from([
            ("url".to_owned(), url),
            ("token".to_owned(), token),
            ("registration".to_owned(), format!("{registration:#}")),
        ]);
        if let Some(wrapping) = &shared.wrapping {
            text.push_str("The certificate's fingerprint (sha256), where the client shows it:\n");
            text.push_str(&wrapping.fingerprint);
            text.push('\n');
            values.insert("fingerprint".to_owned(), wrapping.fingerprint.clone());
        }
        Ok(DoorSetup { door: DoorKind::McpHttp, values, text: MultilineText::new(text) })
    }

    /// Makes a new token and cuts off everybody who came with the one before.
    async fn revoke(&self, client: &str) -> Result<(), ControlError> {
        if client != "token" {
            return Err(ControlError::not_found(
                "this integration has one token for all: postern doors revoke mcp-http token",
            ));
        }
        self.shared.token.rotate(&self.shared.host).await?;
        self.shared.streams.close_all(&self.shared.sessions).await;
        Ok(())
    }

    async fn close(self: Box<Self>) {
        self.listening.close().await;
    }
}

/// Makes the server of one client, where there is room for one more.
fn served(agent: McpAgent) -> impl Fn() -> Result<Server, io::Error> + Send + Sync + 'static {
    let (agent, places) = (Arc::new(agent), Arc::new(Semaphore::new(SESSIONS)));
    let turns = Arc::new(McpTurns::new());
    move || {
        let place = Arc::clone(&places)
            .try_acquire_owned()
            .map_err(|_| io::Error::other("there are too many clients here"))?;
        let (agent, turns, jobs) =
            (Arc::clone(&agent), Arc::clone(&turns), Arc::new(DetachedMcpRuns::default()));
        Ok(Server { agent, turns, jobs, _place: Some(Arc::new(place)) })
    }
}

/// Returns the names under which clients may reach it: what else a browser was led here by is refused.
fn allowed_hosts(values: &DoorValues, listen: SocketAddr) -> Result<Vec<String>, ControlError> {
    let given = values.get("hosts").map(String::as_str).unwrap_or_default();
    let given = given.split(',').map(str::trim).filter(|host| !host.is_empty());
    let mut hosts: Vec<String> = given.map(str::to_owned).collect();
    hosts.extend([listen.ip().to_string(), "localhost".to_owned()]);
    if let Some(odd) = hosts.iter().find(|host| !is_name(host)) {
        let odd = postern_command::escape::visible_text(odd);
        return Err(ControlError::invalid(format!(
            "hosts are names or addresses without port, which {odd} is not"
        )));
    }
    Ok(hosts)
}

fn is_name(host: &str) -> bool {
    host.parse::<std::net::IpAddr>().is_ok()
        || host.chars().all(|c| c.is_ascii_alphanumeric() || ".-".contains(c))
}

/// Returns name and port as in a `Host` header.
fn authority(host: &str, port: u16) -> String {
    if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}

#[cfg(test)]
mod tests {
    use super::{allowed_hosts, authority};
    use crate::values::DoorValues;

    #[test]
    fn a_client_comes_by_a_name_that_the_person_knows() {
        let of = |listen: &str, given: &str| {
            let values = DoorValues::from([("hosts".to_owned(), given.to_owned())]);
            allowed_hosts(&values, listen.parse().unwrap()).map_err(|error| error.message)
        };
        assert_eq!(of("127.0.0.1:1", "").unwrap(), ["127.0.0.1", "localhost"]);
        let guests = of("[::1]:1", "host.docker.internal, 10.0.0.1").unwrap();
        assert_eq!(guests, ["host.docker.internal", "10.0.0.1", "::1", "localhost"]);
        assert!(of("127.0.0.1:1", "http://mac.local").unwrap_err().contains("http://mac.local"));
        assert!(of("127.0.0.1:1", "mac.local:80").unwrap_err().contains("mac.local:80"));
    }

    #[test]
    fn an_address_of_version_six_stands_in_brackets() {
        assert_eq!(
            (authority("::1", 7), authority("localhost", 7)),
            ("[::1]:7".into(), "localhost:7".into())
        );
    }
}
