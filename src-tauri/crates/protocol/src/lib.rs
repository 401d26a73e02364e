//! Messages on the agents' socket, and the framing and opening of the approvers' socket. Pure.
//!
//! Bytes come in through [`LineBuffer`], a line becomes a [`Frame`] by [`decode`], a frame becomes an [`AgentCall`] (on the
//! host) or a [`Notice`] (at the client). Whatever is wrong has its own name: [`ProtocolError`]. See `docs/PROTOCOL.md`.

mod answer;
mod call;
mod check;
mod data;
mod decided;
mod decode;
mod error;
mod frame;
mod hello;
mod id;
mod json;
pub mod limits;
mod line;
mod mistake;
mod names;
mod notice;
mod params;
mod place;
mod proof;
mod run;
mod signal;
#[cfg(test)]
mod tests;
mod words;

pub use answer::{
    Accepted, EventsAfterResult, InputResult, KillResult, OutputResult, RunResult, SessionResult,
    StatusResult, ToolCheckResult, VerdictNote, WhichProgram, WhichResult,
};
pub use call::AgentCall;
pub use data::{Encoding, decode_hex, encode_hex};
pub use decided::{Decided, EndReason};
pub use decode::decode;
pub use error::{ErrorCode, ErrorData, ErrorObject};
pub use frame::{
    Frame, Notification, Request, Response, error_line, notification_line, request_line, result_line,
};
pub use hello::{AuthenticateParams, Client, ControlWelcome, Hello, PROTOCOL, PolicyNote, Welcome};
pub use id::CallId;
pub use limits::WireLimits;
pub use line::LineBuffer;
pub use mistake::{ProtocolError, RefusedMessage};
pub use notice::{
    ExecDenied, ExecFinished, ExecOutput, ExecStarted, Notice, NoticeEvent, Pending, ToolError, ToolResolved,
};
pub use params::{
    Defaults, EventsAfterParams, InputParams, KillParams, OutputParams, SessionCloseParams,
    SessionOpenParams, StatusParams, ToolCheckParams, WhichParams,
};
pub use place::{SHORT_FOLDER, channels_folder, default_data_folder, short_folder};
pub use proof::{
    BadKey, BadNonce, CONTROL_KEY_SERVICE, CONTROL_SOCKET, Handshake, HandshakeSide, Nonce, Socket, SocketKey,
};
pub use run::{RunParams, RunStdin, Wait, What};
pub use signal::{BadSignal, Signal};
pub use words::{
    AllowedBy, Confined, Decision, DenyReason, Outcome, OutputStream, Profile, RequestedConfinement,
    RunState, SessionKind,
};
