//! Risk levels of the host and of the fleet's messages.

use postern_fleet::FleetRisk;
use postern_policy::RiskLevel;

pub(crate) fn fleet_risk(level: RiskLevel) -> FleetRisk {
    match level {
        RiskLevel::Safe => FleetRisk::Safe,
        RiskLevel::NeedsReview => FleetRisk::NeedsReview,
        RiskLevel::Dangerous => FleetRisk::Dangerous,
    }
}

pub(super) fn host_risk(risk: FleetRisk) -> RiskLevel {
    match risk {
        FleetRisk::Safe => RiskLevel::Safe,
        FleetRisk::NeedsReview => RiskLevel::NeedsReview,
        FleetRisk::Dangerous => RiskLevel::Dangerous,
    }
}
