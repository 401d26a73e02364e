//! A data folder with agents, 10,000 rules and a long history, made through the store itself.

use crate::Effort;
use crate::processes::Host;
use anyhow::Context as _;
use postern_client::{Channel, read_key};
use postern_policy::permissions::DEFAULT_FILE;
use postern_policy::{AgentId, Ask, Effect, Pattern, Rule, Security, Settings};
use postern_protocol::{AllowedBy, DenyReason, RunState};
use postern_protocol::{RunParams, Wait, What};
use postern_request::{Denial, Exit, Refusal, RequestEnding};
use postern_store::requests::{NewRequest, RequestChange, StoredRequest};
use postern_store::{Connection, Error, FILE_NAME, Store, agents, requests, rules};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use uuid::{NoContext, Timestamp, Uuid};

pub(crate) const RULES: usize = 10_000;
/// Number of rules in the large rule set.
pub(crate) const MANY_RULES: usize = 100_000;
/// Agents whose every command is denied, one for each connection.
pub(crate) const DENIED: usize = 16;
/// The agent that may run everything.
pub(crate) const FREE: &str = "free";
/// Agents that may run everything, among which a load is shared: one may not record all of it.
pub(crate) const ALL_FREE: [&str; 4] = [FREE, "free-1", "free-2", "free-3"];
/// The agent whose person is asked about everything.
pub(crate) const ASKED: &str = "asked";
/// History is written in pieces of this many rows.
const PIECE: usize = 10_000;
/// Start of the history: milliseconds since 1970.
const EPOCH: i64 = 1_700_000_000_000;

/// The folder; it goes when this does.
#[derive(Debug)]
pub(crate) struct Data {
    folder: tempfile::TempDir,
}

impl Data {
    /// Makes it, with a history of rows as this host leaves them.
    pub(crate) fn prepare(postern: &Path, effort: Effort) -> anyhow::Result<Self> {
        let data = Self::with(RULES)?;
        let real = Arc::new(data.real_rows(postern)?);
        let store = data.open()?;
        let mut at = 0;
        while at < effort.history {
            let end = effort.history.min(at + PIECE);
            let real = Arc::clone(&real);
            store.write(move |conn| (at..end).try_for_each(|nth| history(conn, nth, &real))).wait()?;
            at = end;
        }
        store.write(postern_store::search::index_all).wait()?;
        store.close();
        Ok(data)
    }

    /// Makes it with so many rules and no history. On a disk: where flushing costs nothing, nothing would be measured.
    pub(crate) fn with(rules: usize) -> anyhow::Result<Self> {
        let folder = tempfile::Builder::new().prefix("postern-bench-").tempdir_in("/var/tmp")?;
        let data = Self { folder };
        let store = data.open()?;
        store.write(move |conn| people(conn, rules)).wait()?;
        let agents = store.read(agents::list_agents)?;
        store.close();
        for agent in agents {
            // As it is seeded when an agent is enrolled; one that is gone denies everything.
            let folder = data.folder().join("policy").join(agent.id.as_str());
            std::fs::create_dir_all(&folder)?;
            std::fs::write(folder.join("permissions.jsonc"), DEFAULT_FILE)?;
        }
        Ok(data)
    }

    fn open(&self) -> anyhow::Result<Store> {
        Ok(Store::open(&self.folder().join(FILE_NAME))?)
    }

    /// Reads the rows that a host records for a request that is denied, and for one that runs.
    fn real_rows(&self, postern: &Path) -> anyhow::Result<Real> {
        let host = Host::start(postern, self.folder())?;
        let mut ids = Vec::new();
        for (agent, argv) in
            [(denied(0), ["rm", "-r", "build"]), (FREE.to_owned(), ["/usr/bin/true", "-r", "build"])]
        {
            let request = request(&argv);
            ids.push((agent.clone(), request.request_id.to_string()));
            self.connect(&agent)?.run(request)?;
        }
        host.stop()?;
        let store = self.open()?;
        let rows = ids.into_iter().map(|(agent, id)| {
            let agent = AgentId::new(agent)?;
            let row = store.read(|conn| requests::get_by_key(conn, &agent, &id))?;
            row.context("a request that was answered is not on the record")
        });
        let mut rows = rows.collect::<anyhow::Result<Vec<_>>>()?;
        store.close();
        let (ran, denied) = (rows.pop().context("two rows")?, rows.pop().context("two rows")?);
        Ok(Real { ran, denied })
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn socket(&self, agent: &str) -> PathBuf {
        self.folder().join("agents").join(agent).join("agent.sock")
    }

    /// Returns a connection to an agent's channel.
    pub(crate) fn connect(&self, agent: &str) -> anyhow::Result<Channel> {
        let socket = self.socket(agent);
        let key = read_key(&socket.with_file_name("agent.key"))?;
        Channel::connect(&socket, &key).with_context(|| format!("no connection as {agent}"))
    }
}

/// Rows as a host leaves them.
#[derive(Debug)]
struct Real {
    ran: StoredRequest,
    denied: StoredRequest,
}

/// Returns the name of the agent of the nth connection.
pub(crate) fn denied(nth: usize) -> String {
    format!("denied-{nth}")
}

/// Returns a request that waits for its end.
pub(crate) fn request(argv: &[&str]) -> RunParams {
    let what = What::Command(argv.iter().map(|&word| word.to_owned()).collect());
    RunParams { cwd: Some("/".to_owned()), wait: Wait::Finished, ..RunParams::new(Uuid::new_v4(), what) }
}

fn people(conn: &Connection, rules: usize) -> Result<(), Error> {
    let unlimited = Settings { requests_per_second: 1_000_000_000, max_running: 64, ..Settings::default() };
    let free = Settings { security: Security::Full, ask: Ask::Off, ..unlimited.clone() };
    ALL_FREE.iter().try_for_each(|name| add(conn, name, free.clone()))?;
    add(conn, ASKED, Settings { questions_per_minute: u32::MAX, ask: Ask::Always, ..unlimited.clone() })?;
    // Each connection has two: one alone may not record a million requests.
    for nth in 0..2 * DENIED {
        add(conn, &denied(nth), unlimited.clone())?;
    }
    rules::insert_rule(conn, &rule(0, Effect::Deny, Pattern::Command("rm *".to_owned())))?;
    for nth in 1..rules {
        rules::insert_rule(conn, &numbered_rule(nth))?;
    }
    Ok(())
}

fn add(conn: &Connection, name: &str, settings: Settings) -> Result<(), Error> {
    let id = AgentId::new(name).map_err(|bad| Error::Refused(bad.to_string()))?;
    let agent = agents::Agent {
        id,
        name: name.to_owned(),
        color: "#3366cc".to_owned(),
        icon: postern_policy::AgentIcon::Letter,
        settings,
        uids: Vec::new(),
        created_at: EPOCH,
        last_seen_at: None,
        denied_until: None,
    };
    agents::insert_agent(conn, &agent)
}

/// Rules as people have them: half of them paths, half of them commands, one in ten denies.
pub(crate) fn numbered_rule(nth: usize) -> Rule {
    let effect = if nth.is_multiple_of(10) { Effect::Deny } else { Effect::Allow };
    let pattern = if nth.is_multiple_of(2) {
        Pattern::Path(format!("/opt/tools/{}/bin/tool-{nth}", nth % 97))
    } else {
        Pattern::Command(format!("tool-{nth} sub-{} *", nth % 13))
    };
    rule(nth, effect, pattern)
}

/// Returns a rule of everybody's.
pub(crate) fn rule(nth: usize, effect: Effect, pattern: Pattern) -> Rule {
    Rule { id: i64::try_from(nth).unwrap_or(i64::MAX), created_at: EPOCH, ..Rule::new(effect, pattern) }
}

/// Writes the rows of an old request that has ended.
fn history(conn: &Connection, nth: usize, real: &Real) -> Result<(), Error> {
    let at = EPOCH + i64::try_from(nth).unwrap_or(i64::MAX);
    let agent = if nth.is_multiple_of(3) { FREE.to_owned() } else { denied(nth % DENIED) };
    let id = id_at(at);
    let new = NewRequest {
        id,
        agent: AgentId::new(agent).map_err(|bad| Error::Refused(bad.to_string()))?,
        request_id: Uuid::new_v4().to_string(),
        content: [0; 32],
        origin: postern_policy::Origin::Host,
        session: None,
        line: format!("git -C project-{} log --oneline --max-count {nth}", nth % 1000),
        asked: real.ran.asked.clone(),
        at,
    };
    requests::record_request(conn, &new)?;
    let ran = RequestEnding::Finished { end: Exit::Code(0).into() };
    // As it is in an ordinary life: rules decide nearly all, a person some, and few are denied.
    let by = match nth % 100 {
        0..80 => AllowedBy::Rule(i64::try_from(nth % 97 + 1).unwrap_or(1)),
        80..90 => AllowedBy::Policy,
        _ => AllowedBy::Person,
    };
    let ending = match nth % 1000 {
        993..997 => denied_by(DenyReason::Denylist),
        997..999 => denied_by(DenyReason::User),
        999 => denied_by(DenyReason::Expired),
        _ => ran,
    };
    let row = if matches!(ending, RequestEnding::Denied(_)) { &real.denied } else { &real.ran };
    let mut change = RequestChange::to_phase(RunState::Starting, at).with_allowed_by(&by)?;
    if let Some(verdict) = &row.verdict {
        change = change.judged(verdict)?;
    }
    if let (Some(plan), Some(digest)) = (&row.plan, &row.digest) {
        change = change.planned(plan, digest)?;
    }
    if let Some(facts) = &row.facts {
        change = change.with_facts(facts.clone());
    }
    requests::change(conn, id, &change)?;
    requests::change(conn, id, &RequestChange::from_ending(&ending, at + 5)?)?;
    Ok(())
}

fn denied_by(reason: DenyReason) -> RequestEnding {
    let rule = (reason == DenyReason::Denylist).then_some(10);
    RequestEnding::Denied(Denial { reason, rule, ..Refusal::Person.into() })
}

fn id_at(millis: i64) -> Uuid {
    let millis = u64::try_from(millis).unwrap_or_default();
    let nanos = u32::try_from(millis % 1000 * 1_000_000).unwrap_or_default();
    Uuid::new_v7(Timestamp::from_unix(NoContext, millis / 1000, nanos))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_prepared_is_a_record_that_a_host_can_open() {
        let data = Data::with(300).unwrap();
        let store = data.open().unwrap();
        assert_eq!(store.read(rules::list_rules).unwrap().len(), 300);
        assert_eq!(store.read(agents::list_agents).unwrap().len(), 2 * DENIED + ALL_FREE.len() + 1);
    }
}
