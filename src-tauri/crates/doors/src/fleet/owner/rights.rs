//! Change of members' rights after they joined: the next roster, signed by an owner.

use super::super::{FleetError, policy};
use super::FleetOwner;
use postern_fleet::{MemberRole, RightsChange, SignaturesChange};

impl FleetOwner {
    /// Returns the names of newest policies that no publisher signs for any more: they stay in force until the next one.
    pub async fn policies_without_publisher(&self) -> Result<Vec<String>, FleetError> {
        policy::without_publisher(self.bucket(), &self.pinned).await
    }

    /// Changes how many people have to sign, and how often. Returns false if it is so already.
    pub async fn change_signatures(&mut self, change: SignaturesChange) -> Result<bool, FleetError> {
        self.follow().await?;
        let mut roster = self.next_roster();
        if !roster.change_signatures(change).map_err(FleetError::refused)? {
            return Ok(false);
        }
        self.publish(roster).await?;
        Ok(true)
    }

    /// Changes the rights of members by name or id. Returns false if they have them already.
    pub async fn change_rights(&mut self, named: &str, change: &RightsChange) -> Result<bool, FleetError> {
        self.follow().await?;
        let mut roster = self.next_roster();
        if !roster.change_rights(named, change).map_err(FleetError::refused)? {
            return Ok(false);
        }
        if !roster.member(&self.me).is_some_and(|me| me.has_role(MemberRole::Owner)) {
            // An owner's word that this roster is current has to come from this Mac.
            let kept = "you stay an owner here: another owner takes that role from you, on another Mac";
            return Err(FleetError::Refused(kept.to_owned()));
        }
        self.publish(roster).await?;
        Ok(true)
    }
}
