//! Clients of the channels: each connection that proved itself, for as long as it lasts.

use crate::clock::now_millis;
use parking_lot::Mutex;
use postern_command::escape;
use postern_contract::methods::DoorClient;
use postern_policy::AgentId;
use postern_protocol::Client;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The connections. Clones are the same.
#[derive(Debug, Clone, Default)]
pub(crate) struct Clients(Arc<Mutex<ClientRoster>>);

#[derive(Debug, Default)]
struct ClientRoster {
    next: u64,
    there: BTreeMap<u64, DoorClient>,
}

/// A connection is listed while this is held.
#[derive(Debug)]
pub(super) struct ClientListing {
    number: u64,
    clients: Clients,
}

impl Clients {
    /// Lists a connection. What the client calls itself is its own word.
    pub(super) fn add_client(&self, agent: &AgentId, client: &Client) -> ClientListing {
        let row = DoorClient {
            agent: agent.clone(),
            name: escape::visible_text(&client.name),
            version: escape::visible_text(&client.version),
            since: now_millis(),
        };
        let mut roster = self.0.lock();
        roster.next += 1;
        let number = roster.next;
        roster.there.insert(number, row);
        drop(roster);
        ClientListing { number, clients: self.clone() }
    }

    /// Returns those that are there, oldest first.
    pub(crate) fn all_clients(&self) -> Vec<DoorClient> {
        self.0.lock().there.values().cloned().collect()
    }
}

impl Drop for ClientListing {
    fn drop(&mut self) {
        self.clients.0.lock().there.remove(&self.number);
    }
}
