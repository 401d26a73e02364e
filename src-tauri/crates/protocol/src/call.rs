//! Everything that an agent can say.

use crate::frame::{self, Frame, Request};
use crate::id::CallId;
use crate::mistake::{ProtocolError, RefusedMessage};
use crate::params::{
    CheckLimits, EventsAfterParams, InputParams, KillParams, OutputParams, SessionCloseParams,
    SessionOpenParams, StatusParams, ToolCheckParams, WhichParams,
};
use crate::run::RunParams;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A call on an agent's channel, with its parameters checked.
#[derive(Debug, Clone, PartialEq)]
pub enum AgentCall {
    /// `system.run`: answered with [`crate::RunResult`].
    Run(Box<RunParams>),
    /// `system.status`: answered with [`crate::StatusResult`].
    Status(StatusParams),
    /// `system.output`: answered with [`crate::OutputResult`].
    Output(OutputParams),
    /// `system.input`: answered with [`crate::InputResult`] when it was written.
    Input(InputParams),
    /// `system.kill`: answered with [`crate::KillResult`].
    Kill(KillParams),
    /// `system.which`: answered with [`crate::WhichResult`].
    Which(WhichParams),
    /// `session.open`: answered with [`crate::SessionResult`].
    SessionOpen(SessionOpenParams),
    /// `session.close`: answered with [`crate::SessionResult`].
    SessionClose(SessionCloseParams),
    /// `tool.check`: answered with [`crate::ToolCheckResult`].
    ToolCheck(ToolCheckParams),
    /// `events.after`: answered with [`crate::EventsAfterResult`]; the events follow as notifications.
    EventsAfter(EventsAfterParams),
}

impl AgentCall {
    /// The names of all methods.
    pub const METHODS: [&'static str; 10] = [
        "system.run", "system.status", "system.output", "system.input", "system.kill", "system.which",
        "session.open", "session.close", "tool.check", "events.after",
    ];

    /// Returns the method's name.
    pub fn method(&self) -> &'static str {
        match self {
            Self::Run(_) => "system.run",
            Self::Status(_) => "system.status",
            Self::Output(_) => "system.output",
            Self::Input(_) => "system.input",
            Self::Kill(_) => "system.kill",
            Self::Which(_) => "system.which",
            Self::SessionOpen(_) => "session.open",
            Self::SessionClose(_) => "session.close",
            Self::ToolCheck(_) => "tool.check",
            Self::EventsAfter(_) => "events.after",
        }
    }

    /// Reads and checks the parameters of a method.
    pub fn parse_params(method: &str, params: &Value) -> Result<Self, ProtocolError> {
        match method {
            "system.run" => RunParams::from_value(params).map(|run| Self::Run(Box::new(run))),
            "system.status" => checked(params).map(Self::Status),
            "system.output" => checked(params).map(Self::Output),
            "system.input" => checked(params).map(Self::Input),
            "system.kill" => checked(params).map(Self::Kill),
            "system.which" => checked(params).map(Self::Which),
            "session.open" => checked(params).map(Self::SessionOpen),
            "session.close" => checked(params).map(Self::SessionClose),
            "tool.check" => checked(params).map(Self::ToolCheck),
            "events.after" => checked(params).map(Self::EventsAfter),
            other => Err(ProtocolError::UnknownMethod(other.to_owned())),
        }
    }

    /// Reads a request.
    pub fn of_request(request: Request) -> Result<(CallId, Self), RefusedMessage> {
        let Request { id, method, params } = request;
        match Self::parse_params(&method, &params) {
            Ok(call) => Ok((id, call)),
            Err(mistake) => Err(RefusedMessage { id: Some(id), mistake }),
        }
    }

    /// Reads a message that an agent sent: only calls are taken.
    pub fn of_frame(frame: Frame) -> Result<(CallId, Self), RefusedMessage> {
        Self::of_request(frame.into_request()?)
    }

    /// Returns the call as a line, `\n` included.
    pub fn to_line(&self, id: &CallId) -> Vec<u8> {
        match self {
            Self::Run(params) => self.encode_params(id, params),
            Self::Status(params) => self.encode_params(id, params),
            Self::Output(params) => self.encode_params(id, params),
            Self::Input(params) => self.encode_params(id, params),
            Self::Kill(params) => self.encode_params(id, params),
            Self::Which(params) => self.encode_params(id, params),
            Self::SessionOpen(params) => self.encode_params(id, params),
            Self::SessionClose(params) => self.encode_params(id, params),
            Self::ToolCheck(params) => self.encode_params(id, params),
            Self::EventsAfter(params) => self.encode_params(id, params),
        }
    }

    fn encode_params<P: Serialize>(&self, id: &CallId, params: &P) -> Vec<u8> {
        frame::request_line(id, self.method(), params)
    }
}

impl Frame {
    /// Returns the call that a client's message must be.
    pub fn into_request(self) -> Result<Request, RefusedMessage> {
        match self {
            Self::Request(request) => Ok(request),
            Self::Notification(_) => Err(RefusedMessage { id: None, mistake: ProtocolError::NoId }),
            Self::Response(answer) => {
                Err(RefusedMessage { id: answer.id, mistake: ProtocolError::NotAMessage })
            }
        }
    }
}

fn checked<P: CheckLimits + DeserializeOwned>(params: &Value) -> Result<P, ProtocolError> {
    let params: P = crate::params::read_params(params)?;
    params.check_limits().map(|()| params)
}
