//! Helpers that the tests of the tables share.

use crate::tables::agents::Agent;
use crate::tables::requests::NewRequest;
use crate::{Error, Store};
use postern_policy::{AgentIcon, AgentId, Effect, Identity, Millis, Pattern, Rule, Settings};
use rusqlite::Connection;
use uuid::{NoContext, Timestamp, Uuid};

/// Returns a record in a folder of its own, which goes with the guard.
pub(crate) fn open_temp_store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("data/postern.db")).unwrap();
    (folder, store)
}

impl Store {
    /// Writes something down, and returns when it is there.
    pub(crate) fn write_now<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    ) -> T {
        self.write(work).wait().unwrap()
    }
}

pub(crate) fn agent_id(name: &str) -> AgentId {
    AgentId::new(name).unwrap()
}

pub(crate) fn sample_agent(name: &str) -> Agent {
    Agent {
        id: agent_id(name),
        name: format!("The {name}"),
        color: "#3366cc".into(),
        icon: AgentIcon::Rocket,
        settings: Settings::default(),
        uids: Vec::new(),
        created_at: 1,
        last_seen_at: None,
        denied_until: None,
    }
}

pub(crate) fn allow_rule(agent: Option<&str>, command: &str) -> Rule {
    Rule {
        agent: agent.map(agent_id),
        created_at: 1,
        ..Rule::new(Effect::Allow, Pattern::Command(command.into()))
    }
}

pub(crate) fn identity(sha256: &str) -> Identity {
    Identity {
        sha256: sha256.into(),
        size: 1,
        mtime_ns: "2".into(),
        ctime_ns: "3".into(),
        device: 4,
        inode: "18446744073709551615".into(),
        version: Some("1.0".into()),
        signature: None,
    }
}

pub(crate) fn new_request(agent: &str, request_id: &str, at: Millis) -> NewRequest {
    let millis = u64::try_from(at).unwrap();
    let nanos = u32::try_from(millis % 1000 * 1_000_000).unwrap();
    NewRequest {
        id: Uuid::new_v7(Timestamp::from_unix(NoContext, millis / 1000, nanos)),
        agent: agent_id(agent),
        request_id: request_id.into(),
        content: [7; 32],
        origin: postern_policy::Origin::Host,
        session: None,
        line: format!("git show {request_id}"),
        asked: "{}".into(),
        at,
    }
}
