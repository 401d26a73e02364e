//! `setup.*`: the doors connect agents; the host hands over.

use super::{Handle, HostControl, MethodResult};
use crate::ask::ApproverId;
use postern_contract::methods::{
    ConnectAgent, DisconnectAgent, FindAgents, GetTest, ImportAgentRules, Method, PreviewSetup,
    ReadShellPath, StartTest,
};

macro_rules! hand_over {
    ($($method:ident => $call:ident;)+) => {$(
        impl Handle<$method> for HostControl {
            async fn handle(
                &self,
                face: ApproverId,
                params: <$method as Method>::Params,
            ) -> MethodResult<$method> {
                self.parts.doors.get()?.setup_methods().$call(face, params).await
            }
        }
    )+};
}
hand_over! {
    FindAgents => find_agents;
    PreviewSetup => preview;
    ConnectAgent => connect;
    DisconnectAgent => disconnect;
    ImportAgentRules => import;
    ReadShellPath => read_shell_path;
    StartTest => start_test;
    GetTest => tested;
}
