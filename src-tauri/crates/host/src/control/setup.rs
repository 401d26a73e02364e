//! `setup.*`: the doors connect agents; the host hands over.

use super::{Handle, HostControl, MethodResult};
use crate::ask::ApproverId;
use postern_contract::methods::{
    ConnectAgent, DisconnectAgent, FindAgents, GetTest, ImportAgentRules, Method, PreviewSetup,
    ReadShellPath, StartTest,
};

hand_over! { |doors, face, params|
    FindAgents => doors.setup_methods().find_agents(face, params);
    PreviewSetup => doors.setup_methods().preview(face, params);
    ConnectAgent => doors.setup_methods().connect(face, params);
    DisconnectAgent => doors.setup_methods().disconnect(face, params);
    ImportAgentRules => doors.setup_methods().import(face, params);
    ReadShellPath => doors.setup_methods().read_shell_path(face, params);
    StartTest => doors.setup_methods().start_test(face, params);
    GetTest => doors.setup_methods().tested(face, params);
}
