//! `fleet.*`: the doors ask the other Mac; the host shows nothing of it that is not fit to be shown.

use super::{Handle, HostControl, MethodResult};
use crate::ask::ApproverId;
use postern_contract::methods::{
    ControlError, GetHostInsights, GetInsights, HostInsights, HostRequests, HostRules, ListFleetHosts,
    ListHostRequests, ListHostRules, ListRequests, ListRules, Method, Nothing,
};
use postern_contract::{ODD_FROM_AFAR, value_from_afar};

impl HostControl {
    /// Calls a method that only reads on another Mac.
    async fn read_elsewhere<M: Method>(&self, host: String, filter: &M::Params) -> MethodResult<M> {
        let filter =
            serde_json::to_value(filter).map_err(|error| ControlError::invalid(error.to_string()))?;
        let value = self.parts.doors.get()?.read_fleet_host(host, M::NAME, filter).await?;
        value_from_afar(value).ok_or_else(|| ControlError::refused(ODD_FROM_AFAR))
    }
}

impl Handle<ListFleetHosts> for HostControl {
    async fn handle(&self, _: ApproverId, _: Nothing) -> MethodResult<ListFleetHosts> {
        match self.parts.doors.get() {
            Ok(doors) => doors.fleet_hosts().await,
            // A host without doors is in no fleet.
            Err(_) => Ok(postern_contract::methods::FleetHosts::default()),
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
