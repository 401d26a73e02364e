//! Interface of the doors: they can be listed, opened and closed.
//!
//! The crate `doors` implements it, which the host does not know.

use crate::ask::ApproverId;
use async_trait::async_trait;
use parking_lot::Mutex;
use postern_contract::methods::{
    ChangeReplay, ControlCode, ControlError, DoorEnable, DoorKind, DoorRow, DoorSetup, FleetBlock,
    FleetBlocked, FleetHosts, FleetInvite, FleetJoin, FleetMemberChange, FleetMemberRef, FleetOverview,
    FleetPair, FleetPlan, FleetPlanRef, FleetStart, Imported, PairedClientRef, ProposedChangeRef,
    SettingsChange, SetupConnect, SetupConnected, SetupDisconnect, SetupDisconnected, SetupFound,
    SetupImport, SetupPreview, SetupScope, SetupTest, SetupTestRef, SetupTested, ShellPath,
};
use postern_contract::{Concern, ConcernKind, Moment, RequestRow};
use postern_policy::Millis;
use serde_json::Value;
use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Words for a change of the fleet that waits for the person's signature.
pub const UNSIGNED_CHANGE: &str =
    "a change of the fleet waits for your signature: Settings › Integrations › Fleet";

/// The doors, as the control methods `doors.*` reach them.
#[async_trait]
pub trait DoorMethods: Debug + Send + Sync {
    async fn list_doors(&self) -> Result<Vec<DoorRow>, ControlError>;
    /// Opens a door, or changes an open one.
    async fn enable(&self, params: DoorEnable) -> Result<DoorRow, ControlError>;
    async fn disable(&self, door: DoorKind) -> Result<DoorRow, ControlError>;
    /// Returns the settings for the other side.
    async fn set_up(&self, door: DoorKind) -> Result<DoorSetup, ControlError>;
    async fn revoke(&self, client: PairedClientRef) -> Result<DoorRow, ControlError>;
    /// Returns the messages in chats that showed the question of a request, with their status.
    ///
    /// As moments of its life, whether the door is open now or not.
    async fn chat_moments(&self, request: &RequestRow) -> Vec<Moment>;
    /// Returns the methods that connect the agents of this computer.
    fn setup_methods(&self) -> &dyn SetupMethods;
    /// Returns the methods of the fleet; an error if this program was built without them.
    fn fleet_methods(&self) -> Result<&dyn FleetMethods, ControlError>;
    /// Closes every door, because the host ends.
    async fn close_all(&self) -> Result<(), ControlError>;
}

/// The fleet, as the control methods `fleet.*` reach it.
#[async_trait]
pub trait FleetMethods: Send + Sync {
    /// Returns the other Macs of the fleet that can be read; none while its door is closed.
    async fn list_hosts(&self) -> Result<FleetHosts, ControlError>;
    /// Calls a method that only reads on another Mac of the fleet, and returns what that Mac sent.
    async fn read_host(
        &self,
        host: String,
        method: &'static str,
        filter: Value,
    ) -> Result<Value, ControlError>;
    /// Returns the fleet, and a device that joins.
    async fn overview(&self) -> Result<FleetOverview, ControlError>;
    async fn plan_fleet(&self, asked: FleetStart) -> Result<FleetPlan, ControlError>;
    /// Writes the plan that was shown.
    async fn start_fleet(&self, plan: FleetPlanRef) -> Result<FleetOverview, ControlError>;
    async fn invite_member(&self, asked: FleetInvite) -> Result<FleetOverview, ControlError>;
    async fn join_fleet(&self, asked: FleetJoin) -> Result<FleetOverview, ControlError>;
    /// Accepts a Mac, or ends an invitation or a joining.
    async fn pair_member(&self, asked: FleetPair) -> Result<FleetOverview, ControlError>;
    async fn change_member(&self, asked: FleetMemberChange) -> Result<FleetOverview, ControlError>;
    async fn revoke_member(&self, asked: FleetMemberRef) -> Result<FleetOverview, ControlError>;
    /// Reads the changes that wait for signatures from the broker.
    async fn read_proposals(&self) -> Result<FleetOverview, ControlError>;
    /// Judges the history of a group's hosts by a policy that waits.
    async fn replay_proposal(&self, change: ProposedChangeRef) -> Result<ChangeReplay, ControlError>;
    async fn sign_proposal(&self, change: ProposedChangeRef) -> Result<FleetOverview, ControlError>;
    async fn withdraw_proposal(&self, change: ProposedChangeRef) -> Result<FleetOverview, ControlError>;
    async fn leave_fleet(&self) -> Result<FleetOverview, ControlError>;
    /// Blocks all agents of hosts, or lets them work again.
    async fn block_hosts(&self, asked: FleetBlock) -> Result<FleetBlocked, ControlError>;
}

/// Methods that connect the agents of this computer, as the control methods `setup.*` reach them. Each works
/// for the approver that asks.
#[async_trait]
pub trait SetupMethods: Debug + Send + Sync {
    async fn find_agents(&self, face: ApproverId, asked: SetupScope) -> Result<SetupFound, ControlError>;
    /// Says what connecting or disconnecting an agent would change.
    async fn preview(&self, face: ApproverId, asked: SetupPreview) -> Result<SettingsChange, ControlError>;
    /// Reads where the user's shell finds programs, and remembers it.
    async fn read_shell_path(&self, face: ApproverId, asked: SetupScope) -> Result<ShellPath, ControlError>;
    async fn connect(&self, face: ApproverId, asked: SetupConnect) -> Result<SetupConnected, ControlError>;
    /// Takes back what connecting an agent did.
    async fn disconnect(
        &self,
        face: ApproverId,
        asked: SetupDisconnect,
    ) -> Result<SetupDisconnected, ControlError>;
    /// Imports rules, or says what an import would do.
    async fn import(&self, face: ApproverId, asked: SetupImport) -> Result<Imported, ControlError>;
    async fn start_test(&self, face: ApproverId, asked: SetupTest) -> Result<SetupTestRef, ControlError>;
    /// Says how a test stands.
    async fn tested(&self, face: ApproverId, asked: SetupTestRef) -> Result<SetupTested, ControlError>;
}

/// The doors of a host, once it has some.
#[derive(Debug, Default)]
pub(crate) struct DoorSlot {
    doors: Mutex<Option<Arc<dyn DoorMethods>>>,
    strangers: Mutex<Strangers>,
    /// Changes of the fleet that wait for the person's signature.
    unsigned: AtomicUsize,
}

/// Most strangers at doors that are noted in a minute.
const STRANGERS: u32 = 30;
const MINUTE: u64 = 60_000;

/// Number of strangers that were noted recently.
#[derive(Debug, Default)]
struct Strangers {
    since: Millis,
    noted: u32,
}

impl DoorSlot {
    pub(crate) fn set_doors(&self, doors: Arc<dyn DoorMethods>) {
        *self.doors.lock() = Some(doors);
    }

    /// Returns the doors; an error where this host has none.
    pub(crate) fn get(&self) -> Result<Arc<dyn DoorMethods>, ControlError> {
        let missing = || ControlError::new(ControlCode::Refused, "this host was started without doors");
        self.doors.lock().clone().ok_or_else(missing)
    }

    /// Returns true if one more stranger may be noted at this time.
    pub(crate) fn may_note(&self, now: Millis) -> bool {
        let mut strangers = self.strangers.lock();
        if now.abs_diff(strangers.since) >= MINUTE {
            *strangers = Strangers { since: now, noted: 0 };
        }
        strangers.noted += 1;
        strangers.noted <= STRANGERS
    }

    /// Notes how many changes of the fleet wait for the person's signature. Returns false if that is known.
    pub(crate) fn note_unsigned(&self, changes: usize) -> bool {
        self.unsigned.swap(changes, Ordering::Relaxed) != changes
    }

    /// Returns what needs the person's signature, if anything does.
    pub(crate) fn unsigned_changes(&self) -> Option<Concern> {
        let message = match self.unsigned.load(Ordering::Relaxed) {
            0 => return None,
            1 => UNSIGNED_CHANGE.to_owned(),
            many => {
                format!(
                    "{many} changes of the fleet wait for your signature: Settings › Integrations › Fleet"
                )
            }
        };
        Some(Concern::new(ConcernKind::Signatures, message))
    }

    /// Takes them away: doors hold the host, which must not hold them when it ends.
    pub(crate) fn take_doors(&self) -> Option<Arc<dyn DoorMethods>> {
        self.doors.lock().take()
    }
}
