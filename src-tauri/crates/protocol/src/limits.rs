//! Limits of the wire, all in one place.

use serde::{Deserialize, Serialize};

/// Bytes in one line that a client sends, its `\n` included.
pub const FRAME_IN: usize = 256 * 1024;
/// Bytes in one line that the host sends, its `\n` included.
pub const FRAME_OUT: usize = 4 * 1024 * 1024;
/// Bytes in one line that the host sends on the control socket. A list there may be long, and its reader is
/// the person's own.
pub const CONTROL_OUT: usize = 15 * 1024 * 1024;
/// Limit of a socket path's length in bytes: `sun_path` with its terminating zero has 104 on macOS and 108 on Linux. Linux
/// gets the same limit, so that a data folder can move.
pub const SOCKET_PATH: usize = 104;
/// Depth of nested objects and lists; the message itself is the first level.
pub const DEPTH: usize = 32;
/// Arguments of a command, the program included.
pub const ARGUMENTS: usize = 1024;
/// Bytes in one argument.
pub const ARGUMENT: usize = 64 * 1024;
/// Bytes in all arguments together.
pub const ARGUMENTS_TOTAL: usize = 128 * 1024;
/// Bytes in a line of shell text. What can be understood is shorter still; that is the reader's business.
pub const SHELL: usize = 128 * 1024;
/// Environment overrides of one request.
pub const ENV: usize = 64;
/// Bytes in one environment name.
pub const ENV_NAME: usize = 128;
/// Bytes in all environment names and values together.
pub const ENV_TOTAL: usize = 64 * 1024;
/// Bytes of standard input in the request itself, and in one `system.input`.
pub const STDIN: usize = 128 * 1024;
/// Bytes that fit into one line of [`FRAME_IN`] whatever they are: JSON may need six for one.
pub const INPUT: usize = 32 * 1024;
/// Bytes in a working directory's path.
pub const CWD: usize = 4096;
/// Bytes in an agent's own reason.
pub const REASON: usize = 4096;
/// Bytes in a session's name.
pub const SESSION: usize = 128;
/// Bytes in a tool's name.
pub const TOOL: usize = 256;
/// Names in one `system.which`.
pub const NAMES: usize = 64;
/// Bytes of output in one `system.output`, both streams together.
pub const OUTPUT: usize = 1024 * 1024;
/// Bytes in a JSON-RPC id given as text.
pub const ID: usize = 128;
/// Milliseconds from accept to a right `authenticate`.
pub const AUTHENTICATE_MS: u64 = 2_000;
/// Milliseconds a connection may be silent while nothing of it runs or waits.
pub const IDLE_MS: u64 = 60_000;
/// Unsent bytes at which a slow reader's time begins to run.
pub const UNSENT: usize = 1024 * 1024;
/// Milliseconds after which a slow reader is dropped; its events wait to be replayed.
pub const SLOW_MS: u64 = 10_000;

/// The limits that a client is told when it has authenticated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WireLimits {
    /// Bytes in one line that it may send.
    pub frame_bytes: usize,
    /// Nesting of objects and lists.
    pub depth: usize,
    /// Arguments of a command.
    pub arguments: usize,
    /// Bytes in one argument.
    pub argument_bytes: usize,
    /// Bytes in all arguments together.
    pub arguments_bytes: usize,
    /// Environment overrides.
    pub env: usize,
    /// Bytes of standard input in the request itself, and in one `system.input`.
    pub stdin_bytes: usize,
    /// Longest run time that a request may name, in milliseconds; none is no limit.
    pub timeout_ms: Option<u64>,
}

impl WireLimits {
    /// Returns the wire's own limits, with the longest run time that the person set for this agent.
    pub fn of_agent(timeout_ms: Option<u64>) -> Self {
        Self {
            frame_bytes: FRAME_IN,
            depth: DEPTH,
            arguments: ARGUMENTS,
            argument_bytes: ARGUMENT,
            arguments_bytes: ARGUMENTS_TOTAL,
            env: ENV,
            stdin_bytes: STDIN,
            timeout_ms,
        }
    }
}
