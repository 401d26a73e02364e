//! `fleet.*`: the doors ask the other Mac; the host shows nothing of it that is not fit to be shown.

use super::{Handle, HostControl, MethodResult};
use crate::ask::ApproverId;
use postern_contract::methods::{
    BlockHosts, ChangeMember, ControlError, FleetBlock, FleetInvite, FleetJoin, FleetMemberChange,
    FleetMemberRef, FleetPair, FleetPlanRef, FleetStart, GetFleet, GetHostInsights, GetInsights,
    HostInsights, HostRequests, HostRules, InviteMember, JoinFleet, LeaveFleet, ListFleetHosts,
    ListHostRequests, ListHostRules, ListRequests, ListRules, Method, Nothing, PairMember, PlanFleet,
    ProposedChangeRef, ReadProposals, ReplayProposal, RevokeMember, SignProposal, StartFleet,
    WithdrawProposal,
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

impl Handle<PlanFleet> for HostControl {
    async fn handle(&self, _: ApproverId, params: FleetStart) -> MethodResult<PlanFleet> {
        self.parts.doors.get()?.fleet_methods()?.plan_fleet(params).await
    }
}

impl Handle<StartFleet> for HostControl {
    async fn handle(&self, _: ApproverId, params: FleetPlanRef) -> MethodResult<StartFleet> {
        self.parts.doors.get()?.fleet_methods()?.start_fleet(params).await
    }
}

impl Handle<InviteMember> for HostControl {
    async fn handle(&self, _: ApproverId, params: FleetInvite) -> MethodResult<InviteMember> {
        self.parts.doors.get()?.fleet_methods()?.invite_member(params).await
    }
}

impl Handle<JoinFleet> for HostControl {
    async fn handle(&self, _: ApproverId, params: FleetJoin) -> MethodResult<JoinFleet> {
        self.parts.doors.get()?.fleet_methods()?.join_fleet(params).await
    }
}

impl Handle<PairMember> for HostControl {
    async fn handle(&self, _: ApproverId, params: FleetPair) -> MethodResult<PairMember> {
        self.parts.doors.get()?.fleet_methods()?.pair_member(params).await
    }
}

impl Handle<ChangeMember> for HostControl {
    async fn handle(&self, _: ApproverId, params: FleetMemberChange) -> MethodResult<ChangeMember> {
        self.parts.doors.get()?.fleet_methods()?.change_member(params).await
    }
}

impl Handle<RevokeMember> for HostControl {
    async fn handle(&self, _: ApproverId, params: FleetMemberRef) -> MethodResult<RevokeMember> {
        self.parts.doors.get()?.fleet_methods()?.revoke_member(params).await
    }
}

impl Handle<ReadProposals> for HostControl {
    async fn handle(&self, _: ApproverId, _: Nothing) -> MethodResult<ReadProposals> {
        self.parts.doors.get()?.fleet_methods()?.read_proposals().await
    }
}

impl Handle<ReplayProposal> for HostControl {
    async fn handle(&self, _: ApproverId, params: ProposedChangeRef) -> MethodResult<ReplayProposal> {
        self.parts.doors.get()?.fleet_methods()?.replay_proposal(params).await
    }
}

impl Handle<SignProposal> for HostControl {
    async fn handle(&self, _: ApproverId, params: ProposedChangeRef) -> MethodResult<SignProposal> {
        self.parts.doors.get()?.fleet_methods()?.sign_proposal(params).await
    }
}

impl Handle<WithdrawProposal> for HostControl {
    async fn handle(&self, _: ApproverId, params: ProposedChangeRef) -> MethodResult<WithdrawProposal> {
        self.parts.doors.get()?.fleet_methods()?.withdraw_proposal(params).await
    }
}

impl Handle<LeaveFleet> for HostControl {
    async fn handle(&self, _: ApproverId, _: Nothing) -> MethodResult<LeaveFleet> {
        self.parts.doors.get()?.fleet_methods()?.leave_fleet().await
    }
}

impl Handle<BlockHosts> for HostControl {
    async fn handle(&self, _: ApproverId, params: FleetBlock) -> MethodResult<BlockHosts> {
        self.parts.doors.get()?.fleet_methods()?.block_hosts(params).await
    }
}
