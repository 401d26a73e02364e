//! `postern mcp`: an MCP server on standard input and output, for one agent.

use super::agents::parse_agent_id;
use crate::failure::Failure;
use crate::link::channel_folder;
use postern_doors::mcp::{McpAgent, WAIT, serve_stdio};
use std::path::Path;
use std::time::Duration;

pub(crate) fn run(
    data: &Path,
    agent: &str,
    session: Option<String>,
    wait: Option<Duration>,
) -> Result<(), Failure> {
    let wait = wait.unwrap_or(WAIT);
    let folder = channel_folder(data, &parse_agent_id(agent)?);
    let agent =
        McpAgent { socket: folder.join("agent.sock"), key_file: folder.join("agent.key"), session, wait };
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(Failure::from_error)?;
    let served = runtime.block_on(serve_stdio(agent)).map_err(Failure::from_error);
    // A call that still waits for the host has nobody to answer to.
    runtime.shutdown_background();
    served
}
