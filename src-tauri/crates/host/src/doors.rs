//! Interface of the doors: they can be listed, opened and closed.
//!
//! The crate `doors` implements it, which the host does not know.

use crate::ask::FaceId;
use postern_contract::methods::{
    ControlCode, ControlError, DoorEnable, DoorKind, DoorRow, DoorSetup, Imported, PairedClientRef,
    SettingsChange, SetupConnect, SetupConnected, SetupDisconnect, SetupDisconnected, SetupFound,
    SetupImport, SetupPreview, SetupScope, SetupTest, SetupTestRef, SetupTested, ShellPath,
};
use postern_contract::{Moment, RequestRow};
use postern_policy::Millis;
use std::fmt::Debug;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

/// Result that is still to come.
pub type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Result of a door's method.
pub type Answer<'a, T> = Later<'a, Result<T, ControlError>>;

/// The doors, as the control methods `doors.*` reach them.
pub trait Doors: Debug + Send + Sync {
    /// Returns every door.
    fn list(&self) -> Answer<'_, Vec<DoorRow>>;
    /// Opens a door, or changes an open one.
    fn enable(&self, params: DoorEnable) -> Answer<'_, DoorRow>;
    /// Closes a door.
    fn disable(&self, door: DoorKind) -> Answer<'_, DoorRow>;
    /// Returns the settings for the other side.
    fn set_up(&self, door: DoorKind) -> Answer<'_, DoorSetup>;
    /// Forgets a client.
    fn revoke(&self, client: PairedClientRef) -> Answer<'_, DoorRow>;
    /// Returns the messages in chats that showed the question of a request, with their status.
    ///
    /// As moments of its life, whether the door is open now or not.
    fn shown<'a>(&'a self, request: &'a RequestRow) -> Later<'a, Vec<Moment>>;
    /// Returns the methods that connect the agents of this computer.
    fn setup(&self) -> &dyn Setup;
    /// Closes every door, because the host ends.
    fn close(&self) -> Answer<'_, ()>;
}

/// Methods that connect the agents of this computer, as the control methods `setup.*` reach them. Each works
/// for the approver that asks.
pub trait Setup: Debug + Send + Sync {
    /// Finds every known agent.
    fn find(&self, face: FaceId, asked: SetupScope) -> Answer<'_, SetupFound>;
    /// Says what connecting or disconnecting an agent would change.
    fn preview(&self, face: FaceId, asked: SetupPreview) -> Answer<'_, SettingsChange>;
    /// Reads where the user's shell finds programs, and remembers it.
    fn path(&self, face: FaceId, asked: SetupScope) -> Answer<'_, ShellPath>;
    /// Connects an agent as it was shown.
    fn connect(&self, face: FaceId, asked: SetupConnect) -> Answer<'_, SetupConnected>;
    /// Takes back what connecting an agent did.
    fn disconnect(&self, face: FaceId, asked: SetupDisconnect) -> Answer<'_, SetupDisconnected>;
    /// Imports rules, or says what an import would do.
    fn import(&self, face: FaceId, asked: SetupImport) -> Answer<'_, Imported>;
    /// Starts a test.
    fn test(&self, face: FaceId, asked: SetupTest) -> Answer<'_, SetupTestRef>;
    /// Says how a test stands.
    fn tested(&self, face: FaceId, asked: SetupTestRef) -> Answer<'_, SetupTested>;
}

/// The doors of a host, once it has some.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    doors: Mutex<Option<Arc<dyn Doors>>>,
    strangers: Mutex<Strangers>,
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

impl Kept {
    pub(crate) fn keep(&self, doors: Arc<dyn Doors>) {
        *self.lock() = Some(doors);
    }

    /// Returns the doors; an error where this host has none.
    pub(crate) fn get(&self) -> Result<Arc<dyn Doors>, ControlError> {
        let missing = || ControlError::new(ControlCode::Refused, "this host was started without doors");
        self.lock().clone().ok_or_else(missing)
    }

    /// Returns true if one more stranger may be noted at this time.
    pub(crate) fn may_note(&self, now: Millis) -> bool {
        let mut strangers = self.strangers.lock().unwrap_or_else(PoisonError::into_inner);
        if now.abs_diff(strangers.since) >= MINUTE {
            *strangers = Strangers { since: now, noted: 0 };
        }
        strangers.noted += 1;
        strangers.noted <= STRANGERS
    }

    /// Takes them away: doors hold the host, which must not hold them when it ends.
    pub(crate) fn take(&self) -> Option<Arc<dyn Doors>> {
        self.lock().take()
    }

    /// Locks the state. A panic elsewhere leaves it as it was: every change is one assignment.
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Arc<dyn Doors>>> {
        self.doors.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
