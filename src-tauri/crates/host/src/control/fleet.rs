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

hand_over! { |doors, _face, _params|
    GetFleet => doors.fleet_methods()?.overview();
    ReadProposals => doors.fleet_methods()?.read_proposals();
    LeaveFleet => doors.fleet_methods()?.leave_fleet();
}

hand_over! { |doors, _face, params|
    PlanFleet => doors.fleet_methods()?.plan_fleet(params);
    StartFleet => doors.fleet_methods()?.start_fleet(params);
    InviteMember => doors.fleet_methods()?.invite_member(params);
    JoinFleet => doors.fleet_methods()?.join_fleet(params);
    PairMember => doors.fleet_methods()?.pair_member(params);
    ChangeMember => doors.fleet_methods()?.change_member(params);
    RevokeMember => doors.fleet_methods()?.revoke_member(params);
    ReplayProposal => doors.fleet_methods()?.replay_proposal(params);
    SignProposal => doors.fleet_methods()?.sign_proposal(params);
    WithdrawProposal => doors.fleet_methods()?.withdraw_proposal(params);
    BlockHosts => doors.fleet_methods()?.block_hosts(params);
}
