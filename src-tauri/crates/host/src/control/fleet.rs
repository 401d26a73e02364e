//! `fleet.*`: the doors ask the other Mac; the host shows nothing of it that is not fit to be shown.

use super::{Handle, HostControl, MethodResult};
use crate::ask::ApproverId;
use postern_contract::methods::{
    BlockHosts, ChangeMember, ControlError, GetFleet, GetHostInsights, GetInsights, HostInsights,
    HostRequests, HostRules, InviteMember, JoinFleet, LeaveFleet, ListFleetHosts, ListHostRequests,
    ListHostRules, ListRequests, ListRules, Method, Nothing, PairMember, PlanFleet, ReadProposals,
    ReplayProposal, RevokeMember, SignProposal, StartFleet, WithdrawProposal,
};
use postern_contract::{ODD_FROM_AFAR, value_from_afar};

impl HostControl {
    /// Calls a method that only reads on another Mac.
    async fn read_elsewhere<M: Method>(&self, host: String, filter: &M::Params) -> MethodResult<M> {
        let filter =
            serde_json::to_value(filter).map_err(|error| ControlError::invalid(error.to_string()))?;
        let value = self.parts.doors.get()?.fleet_methods()?.read_host(host, M::NAME, filter).await?;
        value_from_afar(value).ok_or_else(|| ControlError::refused(ODD_FROM_AFAR))
    }
}

impl Handle<ListFleetHosts> for HostControl {
    async fn handle(&self, _: ApproverId, _: Nothing) -> MethodResult<ListFleetHosts> {
        // A host without doors is in no fleet.
        let none = postern_contract::methods::FleetHosts::default;
        let Ok(doors) = self.parts.doors.get() else { return Ok(none()) };
        match doors.fleet_methods() {
            Ok(fleet) => fleet.list_hosts().await,
            Err(_) => Ok(none()),
        }
    }
}

impl Handle<ListHostRequests> for HostControl {
    async fn handle(&self, _: ApproverId, params: HostRequests) -> MethodResult<ListHostRequests> {
        self.read_elsewhere::<ListRequests>(params.host, &params.filter).await
    }
}

impl Handle<ListHostRules> for HostControl {
    async fn handle(&self, _: ApproverId, params: HostRules) -> MethodResult<ListHostRules> {
        self.read_elsewhere::<ListRules>(params.host, &params.filter).await
    }
}

impl Handle<GetHostInsights> for HostControl {
    async fn handle(&self, _: ApproverId, params: HostInsights) -> MethodResult<GetHostInsights> {
        self.read_elsewhere::<GetInsights>(params.host, &params.filter).await
    }
}

impl Handle<GetFleet> for HostControl {
    async fn handle(&self, _: ApproverId, _: Nothing) -> MethodResult<GetFleet> {
        self.parts.doors.get()?.fleet_methods()?.overview().await
    }
}

impl Handle<ReadProposals> for HostControl {
    async fn handle(&self, _: ApproverId, _: Nothing) -> MethodResult<ReadProposals> {
        self.parts.doors.get()?.fleet_methods()?.read_proposals().await
    }
}

impl Handle<LeaveFleet> for HostControl {
    async fn handle(&self, _: ApproverId, _: Nothing) -> MethodResult<LeaveFleet> {
        self.parts.doors.get()?.fleet_methods()?.leave_fleet().await
    }
}

macro_rules! hand_over {
    ($($method:ident => $call:ident;)+) => {$(
        impl Handle<$method> for HostControl {
            async fn handle(
                &self,
                _: ApproverId,
                params: <$method as Method>::Params,
            ) -> MethodResult<$method> {
                self.parts.doors.get()?.fleet_methods()?.$call(params).await
            }
        }
    )+};
}
hand_over! {
    PlanFleet => plan_fleet;
    StartFleet => start_fleet;
    InviteMember => invite_member;
    JoinFleet => join_fleet;
    PairMember => pair_member;
    ChangeMember => change_member;
    RevokeMember => revoke_member;
    ReplayProposal => replay_proposal;
    SignProposal => sign_proposal;
    WithdrawProposal => withdraw_proposal;
    BlockHosts => block_hosts;
}
