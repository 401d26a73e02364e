//! `postern mcp`: an MCP server on standard input and output, for one agent.

use super::agents::parse_agent_id;
use crate::failure::Failure;
use crate::link::channel_folder;
use postern_doors::mcp::{McpAgent, WAIT, serve_stdio};
use postern_exec::threads::start_runtime;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

/// Number of threads that carry messages.
const WORKERS: usize = 2;
/// Number of threads for its input and its output.
const RESERVE: usize = 2;

pub(crate) fn run(
    data: &Path,
    agent: &str,
    session: Option<String>,
    wait: Option<Duration>,
) -> Result<(), Failure> {
    let wait = wait.unwrap_or(WAIT);
    let folder = channel_folder(data, &parse_agent_id(agent)?);
    let key_file = folder.join("agent.key");
    if key_file.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound) {
        return Err(Failure::refused(format!(
            "{agent} is not an agent of this Postern: the user adds it with postern agents add {agent}"
        )));
    }
    let agent = McpAgent { socket: folder.join("agent.sock"), key_file, session, wait };
    let runtime = start_runtime("mcp", WORKERS, RESERVE).map_err(Failure::from_error)?;
    let served = runtime.block_on(serve_stdio(agent)).map_err(Failure::from_error);
    // A call that still waits for the host has nobody to answer to.
    runtime.shutdown_background();
    served
}
