//! MCP: an agent that speaks the Model Context Protocol runs host commands through tools (`postern mcp --agent ID`).
//!
//! A client starts the server itself and speaks over standard input and output ([`serve_stdio`]), or comes over HTTP
//! through the door `mcp-http`. Either way the server is a client of one agent's channel: it decides nothing, and each call speaks on a connection of its own, so
//! that a call that waits for a person holds up no other. An agent on *Deny* is not shown the tools that run.

mod approve;
#[cfg(feature = "mcp-http")]
mod http;
mod jobs;
mod run;
mod tools;
mod turns;

#[cfg(feature = "mcp-http")]
pub(crate) use http::McpHttp;

use jobs::DetachedMcpRuns;
use postern_client::{CallError, Channel, ChannelOptions, ConnectError, ConnectionLoss, read_key};
use postern_host::start_thread;
use postern_protocol::{AgentCall, Client};
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, Implementation,
    JsonObject, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer, ServiceExt as _};
use serde_json::Value;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, oneshot};
use turns::McpTurns;

/// Agent that a server acts for.
#[derive(Debug, Clone)]
pub struct McpAgent {
    pub socket: PathBuf,
    pub key_file: PathBuf,
    /// The session that everything it asks for belongs to.
    pub session: Option<String>,
    /// Time that a call waits for a command's end before it is answered that this is still to come.
    pub wait: Duration,
}

/// Default time that a call waits: clients give up on one after a minute.
pub const WAIT: Duration = Duration::from_secs(50);

/// Reason why a server ended otherwise than its client wished.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct McpError(String);

/// Serves one client on standard input and output until it goes away.
pub async fn serve_stdio(agent: McpAgent) -> Result<(), McpError> {
    let (turns, jobs) = (Arc::new(McpTurns::new()), Arc::new(DetachedMcpRuns::default()));
    let server = Server { agent: Arc::new(agent), turns, jobs, _place: None };
    let broken =
        |error: &dyn std::fmt::Display| McpError(format!("the MCP client cannot be served: {error}"));
    let running = server.serve(rmcp::transport::stdio()).await.map_err(|error| broken(&error))?;
    running.waiting().await.map(drop).map_err(|error| broken(&error))
}

#[derive(Debug, Clone)]
struct Server {
    agent: Arc<McpAgent>,
    /// Shared by everybody who comes in the same way.
    turns: Arc<McpTurns>,
    /// The runs that this client left: they end with it.
    jobs: Arc<DetachedMcpRuns>,
    /// Permit of this client, for as long as it is served.
    _place: Option<Arc<OwnedSemaphorePermit>>,
}

/// A tool's call that came to nothing: told to the client as the tool's own error.
#[derive(Debug, thiserror::Error)]
enum McpCallError {
    #[error("Postern cannot be reached: {0}")]
    Connect(#[from] ConnectError),
    #[error("{0}")]
    Call(#[from] CallError),
    #[error("the connection to Postern ended: {0}")]
    Gone(#[from] ConnectionLoss),
    #[error("{0}")]
    Params(String),
    #[error("{0} calls are on their way already: wait until one of them ends")]
    Crowded(usize),
    #[error("{0}")]
    NoThread(#[from] io::Error),
    #[error("the work was interrupted")]
    Interrupted,
}

impl McpCallError {
    /// Returns true if the host may come back, to be asked again.
    fn may_come_back(&self) -> bool {
        match self {
            Self::Call(error) => error.may_come_back(),
            Self::Gone(gone) => gone.may_come_back(),
            Self::Connect(_) | Self::Params(_) | Self::Crowded(_) | Self::NoThread(_) | Self::Interrupted => {
                false
            }
        }
    }
}

impl McpAgent {
    fn connect(&self) -> Result<Channel, ConnectError> {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let options =
            ChannelOptions { client: Client { name: "postern mcp".to_owned(), version }, after: None };
        Channel::connect_with(&self.socket, &read_key(&self.key_file)?, options)
    }

    /// Makes a call on a connection of its own.
    fn call_host(&self, call: &AgentCall) -> Result<Value, McpCallError> {
        Ok(self.connect()?.call_host(call)?)
    }

    /// Returns whether the agent may run anything: asked again each time, because the person may change it.
    fn may_run(&self) -> Result<bool, McpCallError> {
        Ok(self.connect()?.welcome().policy.security != "deny")
    }
}

/// Runs work that waits for the host on a thread of its own: it takes none of those that the host works with.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, McpCallError> + Send + 'static,
) -> Result<T, McpCallError> {
    let (tell, told) = oneshot::channel();
    // The caller may have gone meanwhile.
    start_thread("mcp", move || _ = tell.send(work()))?;
    told.await.map_err(|_| McpCallError::Interrupted)?
}

impl Server {
    async fn may_run(&self) -> Result<bool, McpCallError> {
        let agent = Arc::clone(&self.agent);
        let _turn = self.turns.take_quick_turn().await?;
        blocking(move || agent.may_run()).await
    }

    async fn called(
        &self,
        name: &str,
        arguments: JsonObject,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, McpCallError> {
        if name == tools::APPROVE {
            let _turn = self.turns.take_long_turn()?;
            return approve::approve(&self.agent, arguments, context.ct).await;
        }
        if !self.may_run().await? {
            return Err(McpCallError::Params(
                "this agent may not run anything: the user set it to Deny".to_owned(),
            ));
        }
        if name == tools::RUN {
            let _turn = self.turns.take_long_turn()?;
            return run::run_command(self, arguments, context).await;
        }
        let method = name.replacen('_', ".", 1);
        let call = parse_call(&method, arguments)?;
        let agent = Arc::clone(&self.agent);
        let _turn = self.turns.take_quick_turn().await?;
        blocking(move || agent.call_host(&call)).await.map(CallToolResult::structured)
    }
}

/// Returns a call on the channel, with its parameters checked.
fn parse_call(method: &str, params: JsonObject) -> Result<AgentCall, McpCallError> {
    AgentCall::parse_params(method, &Value::Object(params))
        .map_err(|mistake| McpCallError::Params(mistake.to_string()))
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::new(ServerCapabilities::builder().enable_tools().build());
        info.server_info = Implementation::new("postern", env!("CARGO_PKG_VERSION"));
        info.instructions = Some(
            "Commands run on the user's own machine, by rules and, where none allows them, by the user's approval: \
             a call may wait for that. One that is answered \"pending\" goes on: call again with the same arguments. A denial \
             says why, and what to do instead."
                .to_owned(),
        );
        info
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let may_run =
            self.may_run().await.map_err(|trouble| ErrorData::internal_error(trouble.to_string(), None))?;
        Ok(ListToolsResult::with_all_items(tools::shown_tools(may_run)))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.as_ref();
        if !tools::NAMES.contains(&name) {
            let message = format!("there is no tool {}", postern_command::escape::visible_text(name));
            return Err(ErrorData::invalid_params(message, None));
        }
        let outcome = self.called(name, request.arguments.unwrap_or_default(), context).await;
        let result = outcome
            .unwrap_or_else(|trouble| CallToolResult::error(vec![ContentBlock::text(trouble.to_string())]));
        Ok(result.into())
    }
}
