//! Open doors, and the settings of each.

use crate::door::Door;
#[cfg(feature = "fleet")]
use crate::door::{HostStates, Proposals};
use crate::open::open_door;
use crate::setup::AgentSetup;
use crate::values::{self, DoorValues};
use async_trait::async_trait;
#[cfg(feature = "fleet")]
use postern_contract::methods::FleetWorkCounts;
use postern_contract::methods::{
    ControlError, DoorEnable, DoorKind, DoorRow, DoorSettingKind, DoorSetup, DoorState, PairedClientRef,
};
use postern_contract::{Moment, RequestRow};
use postern_host::Host;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::Mutex;

/// Under what name the host keeps which doors are open.
const KEPT: &str = "doors";

/// The doors of a host. One call at a time opens, changes or closes one.
#[derive(Debug)]
pub struct DoorRegistry {
    pub(crate) host: Host,
    setup: AgentSetup,
    slots: Mutex<BTreeMap<DoorKind, Slot>>,
    /// Work on other Macs: one at a time, for a host takes what a member asks in the order of its clock.
    #[cfg(feature = "fleet")]
    pub(crate) reading: Mutex<()>,
    #[cfg(feature = "fleet")]
    pub(crate) desk: crate::fleet::FleetDesk,
    /// The registry itself, for what goes on after a call.
    #[cfg(feature = "fleet")]
    pub(crate) me: std::sync::Weak<Self>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredDoor {
    enabled: bool,
    values: DoorValues,
    /// True if its secret was given: the secret itself is kept elsewhere.
    #[serde(default)]
    secret: bool,
}

#[derive(Debug, Default)]
struct Slot {
    kept: StoredDoor,
    /// Open door, or the reason why it is not; `None` if it is not enabled.
    door: Option<Result<Box<dyn Door>, String>>,
}

impl DoorRegistry {
    /// Opens the doors that were open when the host last ended, and gives them to it. One that cannot be opened is broken
    /// and says why; the others open all the same.
    pub async fn restore(host: &Host) {
        let kept = match host.recall(KEPT).await {
            Ok(Some(value)) => serde_json::from_value::<BTreeMap<DoorKind, StoredDoor>>(value)
                .unwrap_or_else(|error| {
                    tracing::error!(%error, "which doors are open cannot be read: they stay closed");
                    BTreeMap::new()
                }),
            Ok(None) => BTreeMap::new(),
            Err(error) => {
                tracing::error!(%error, "which doors are open cannot be read: they stay closed");
                BTreeMap::new()
            }
        };
        let setup = AgentSetup::new(host);
        setup.recall_path().await;
        let mut slots = BTreeMap::new();
        for kind in DoorKind::ALL {
            let mut kept = kept.get(&kind).cloned().unwrap_or_default();
            kept.enabled |= is_unopened(kind, host);
            let door = if kept.enabled { Some(opened(kind, host, &kept.values).await) } else { None };
            slots.insert(kind, Slot { kept, door });
        }
        let doors = Arc::new_cyclic(|me| Self {
            host: host.clone(),
            setup,
            slots: Mutex::new(slots),
            #[cfg(feature = "fleet")]
            reading: Mutex::default(),
            #[cfg(feature = "fleet")]
            desk: crate::fleet::FleetDesk::default(),
            #[cfg(feature = "fleet")]
            me: me.clone(),
        });
        host.keep_doors(doors);
    }

    #[cfg(feature = "fleet")]
    pub(crate) async fn is_open(&self, kind: DoorKind) -> bool {
        self.slots.lock().await.get(&kind).is_some_and(|slot| slot.door.is_some())
    }

    /// Returns a door as it is listed, with the time of its last contact, and the state of other hosts.
    #[cfg(feature = "fleet")]
    pub(crate) async fn row_with_contact(&self, kind: DoorKind) -> (DoorRow, Option<i64>, HostStates) {
        let mut slots = self.slots.lock().await;
        let slot = slots.entry(kind).or_default();
        let open = slot.door.as_ref().and_then(|door| door.as_ref().ok());
        let hosts = open.map(|door| door.host_states()).unwrap_or_default();
        (door_row(kind, slot), open.and_then(|door| door.last_contact()), hosts)
    }

    /// Returns the counts of what this Mac works for other members of the fleet: of nothing while its door is closed.
    #[cfg(feature = "fleet")]
    pub(crate) async fn fleet_work(&self) -> FleetWorkCounts {
        let slots = self.slots.lock().await;
        let door = slots.get(&DoorKind::Fleet).and_then(|slot| slot.door.as_ref()?.as_ref().ok());
        door.map(|door| door.fleet_work()).unwrap_or_default()
    }

    /// Returns the changes of the fleet that wait for signatures; `None` while its door is closed.
    #[cfg(feature = "fleet")]
    pub(crate) async fn proposals(&self) -> Option<Arc<dyn Proposals>> {
        let slots = self.slots.lock().await;
        slots.get(&DoorKind::Fleet)?.door.as_ref()?.as_ref().ok()?.proposals()
    }

    async fn remember(&self, slots: &BTreeMap<DoorKind, Slot>) -> Result<(), ControlError> {
        let kept: BTreeMap<_, _> = slots.iter().map(|(kind, slot)| (*kind, &slot.kept)).collect();
        let value = serde_json::to_value(kept).map_err(ControlError::store)?;
        self.host.remember(KEPT, value).await.map_err(ControlError::store)
    }

    pub(crate) async fn enable(&self, mut params: DoorEnable) -> Result<DoorRow, ControlError> {
        let mut slots = self.slots.lock().await;
        let slot = slots.entry(params.door).or_default();
        let before = slot.kept.clone();
        let mut values = before.values.clone();
        let secret = params.door.secret().and_then(|key| params.values.remove(&key));
        values.extend(params.values);
        // What is left empty is forgotten.
        values.retain(|_, value| !value.is_empty());
        if let Some(Ok(open)) = slot.door.take() {
            open.close().await;
        }
        if secret.as_deref() == Some("") {
            // Without its secret it cannot be open.
            self.keep_secret(params.door, None).await?;
            slot.kept = StoredDoor { enabled: false, values, secret: false };
            let row = door_row(params.door, slot);
            self.remember(&slots).await?;
            return Ok(row);
        }
        let replaced = self.host.given_secret(params.door.name()).await.map_err(|error| unkept(&error))?;
        let given = secret.is_some();
        if given {
            self.keep_secret(params.door, secret).await?;
        }
        match opened_well(params.door, &self.host, &values).await {
            Ok(door) => slot.door = Some(Ok(door)),
            Err(error) => {
                // As it was: a mistyped setting closes nothing.
                if given {
                    self.keep_secret(params.door, replaced).await?;
                }
                if before.enabled {
                    slot.door = Some(opened(params.door, &self.host, &before.values).await);
                }
                return Err(error);
            }
        }
        slot.kept = StoredDoor { enabled: true, values, secret: before.secret || given };
        let row = door_row(params.door, slot);
        self.remember(&slots).await?;
        note_opened(params.door, &self.host)?;
        Ok(row)
    }

    async fn keep_secret(&self, kind: DoorKind, secret: Option<String>) -> Result<(), ControlError> {
        self.host.keep_given(kind.name(), secret).await.map_err(|error| unkept(&error))
    }

    pub(crate) async fn disable(&self, kind: DoorKind) -> Result<DoorRow, ControlError> {
        let mut slots = self.slots.lock().await;
        let slot = slots.entry(kind).or_default();
        if let Some(Ok(door)) = slot.door.take() {
            door.close().await;
        }
        slot.kept.enabled = false;
        let row = door_row(kind, slot);
        self.remember(&slots).await?;
        note_opened(kind, &self.host)?;
        Ok(row)
    }
}

/// Returns true if a host joined a fleet and ended before it opened the door.
fn is_unopened(kind: DoorKind, host: &Host) -> bool {
    #[cfg(feature = "fleet")]
    if kind == DoorKind::Fleet {
        return crate::fleet::Folder::from_data_folder(host.data_folder()).is_unopened();
    }
    _ = (kind, host);
    false
}

/// Notes that it is remembered whether a door is open.
fn note_opened(kind: DoorKind, host: &Host) -> Result<(), ControlError> {
    #[cfg(feature = "fleet")]
    if kind == DoorKind::Fleet {
        crate::fleet::Folder::from_data_folder(host.data_folder()).forget_unopened()?;
    }
    _ = (kind, host);
    Ok(())
}

#[async_trait]
impl postern_host::doors::DoorMethods for DoorRegistry {
    async fn list_doors(&self) -> Result<Vec<DoorRow>, ControlError> {
        let slots = self.slots.lock().await;
        Ok(slots.iter().map(|(kind, slot)| door_row(*kind, slot)).collect())
    }

    async fn enable(&self, params: DoorEnable) -> Result<DoorRow, ControlError> {
        Self::enable(self, params).await
    }

    async fn disable(&self, door: DoorKind) -> Result<DoorRow, ControlError> {
        Self::disable(self, door).await
    }

    async fn set_up(&self, door: DoorKind) -> Result<DoorSetup, ControlError> {
        open_one(&*self.slots.lock().await, door)?.set_up()
    }

    async fn revoke(&self, client: PairedClientRef) -> Result<DoorRow, ControlError> {
        let slots = self.slots.lock().await;
        open_one(&slots, client.door)?.revoke(&client.client).await?;
        slots.get(&client.door).map(|slot| door_row(client.door, slot)).ok_or_else(|| closed(client.door))
    }

    #[cfg(feature = "chat")]
    async fn chat_moments(&self, request: &RequestRow) -> Vec<Moment> {
        crate::chat::chat_moments(&self.host, request).await
    }

    #[cfg(not(feature = "chat"))]
    async fn chat_moments(&self, _: &RequestRow) -> Vec<Moment> {
        Vec::new()
    }

    fn setup_methods(&self) -> &dyn postern_host::doors::SetupMethods {
        &self.setup
    }

    fn fleet_methods(&self) -> Result<&dyn postern_host::doors::FleetMethods, ControlError> {
        #[cfg(feature = "fleet")]
        return Ok(self);
        #[cfg(not(feature = "fleet"))]
        return Err(closed(DoorKind::Fleet));
    }

    async fn close_all(&self) -> Result<(), ControlError> {
        #[cfg(feature = "fleet")]
        self.desk.close_desk().await;
        let slots = std::mem::take(&mut *self.slots.lock().await);
        for door in slots.into_values().filter_map(|slot| slot.door?.ok()) {
            door.close().await;
        }
        Ok(())
    }
}

fn unkept(error: &std::io::Error) -> ControlError {
    ControlError::store(format!("the secret cannot be kept: {error}"))
}

/// Opens a door for the person who asked for it, and waits until it is known whether it works.
async fn opened_well(
    kind: DoorKind,
    host: &Host,
    values: &DoorValues,
) -> Result<Box<dyn Door>, ControlError> {
    let door = open_door(kind, host, values).await?;
    match door.settle().await {
        Ok(()) => Ok(door),
        Err(error) => {
            door.close().await;
            Err(error)
        }
    }
}

async fn opened(kind: DoorKind, host: &Host, values: &DoorValues) -> Result<Box<dyn Door>, String> {
    open_door(kind, host, values).await.map_err(|error| {
        tracing::error!(door = kind.name(), %error, "a door cannot be opened");
        error.message
    })
}

fn open_one(slots: &BTreeMap<DoorKind, Slot>, kind: DoorKind) -> Result<&dyn Door, ControlError> {
    match slots.get(&kind).and_then(|slot| slot.door.as_ref()) {
        Some(Ok(door)) => Ok(&**door),
        Some(Err(problem)) => {
            Err(ControlError::refused(format!("the integration {} is broken: {problem}", kind.name())))
        }
        None => Err(closed(kind)),
    }
}

/// Says that an integration is off, and what enables it: each setting that it needs.
pub(crate) fn closed(kind: DoorKind) -> ControlError {
    let needed = kind.settings().into_iter().filter(|setting| setting.required);
    let typed: Vec<String> = needed
        .map(|setting| {
            let value = match (setting.kind, setting.key.as_str()) {
                (DoorSettingKind::Secret, _) => "-",
                (DoorSettingKind::Agent, _) => "AGENT",
                (_, "channels") => "AGENT@127.0.0.1:7719",
                (_, "jid") => "NAME@HOST",
                _ => "https://example.com/hook",
            };
            format!("{}={value}", setting.key)
        })
        .collect();
    let (name, typed) = (kind.name(), typed.join(" "));
    let message = format!("the integration {name} is off: postern doors enable {name} {typed}");
    ControlError::refused(message.trim_end())
}

fn door_row(door: DoorKind, slot: &Slot) -> DoorRow {
    let (state, problem) = match &slot.door {
        None => (DoorState::Off, None),
        Some(Ok(open)) => match open.trouble() {
            None => (DoorState::Open, None),
            Some(trouble) => (DoorState::Broken, Some(trouble)),
        },
        Some(Err(problem)) => (DoorState::Broken, Some(problem.clone())),
    };
    let (clients, notes) = match &slot.door {
        Some(Ok(open)) => (open.clients(), open.user_notes()),
        Some(Err(_)) | None => (Vec::new(), Vec::new()),
    };
    let (values, mut secrets) = values::split_secrets(&slot.kept.values, door);
    secrets.extend(door.secret().filter(|_| slot.kept.secret));
    DoorRow {
        door,
        title: door.display_name().to_owned(),
        about: door.description().to_owned(),
        state,
        problem,
        values,
        secrets,
        settings: door.settings(),
        clients,
        notes,
    }
}
