//! A data folder with agents, 10,000 rules and a long history, made through the store itself.

use crate::Effort;
use anyhow::Context as _;
use postern_client::{Channel, read_key};
use postern_policy::{
    AgentId, Ask, Cause, Decision, Effect, Found, Pattern, Reason, Risk, RiskLevel, Rule, Security, Settings,
    TraceLine, Verdict,
};
use postern_protocol::{By, DenyReason, RunState};
use postern_protocol::{RunParams, Wait, What};
use postern_request::{Denial, Ending, Exit, Refusal};
use postern_store::requests::{Change, NewRequest};
use postern_store::{Connection, Error, FILE_NAME, Store, agents, requests, rules};
use std::path::{Path, PathBuf};
use uuid::{NoContext, Timestamp, Uuid};

/// Number of rules.
pub(crate) const RULES: usize = 10_000;
/// Agents whose every command is denied, one for each connection.
pub(crate) const DENIED: usize = 16;
/// The agent that may run everything.
pub(crate) const FREE: &str = "free";
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
    /// Makes it. On a disk: where flushing costs nothing, nothing would be measured.
    pub(crate) fn prepare(effort: Effort) -> anyhow::Result<Self> {
        let folder = tempfile::Builder::new().prefix("postern-bench-").tempdir_in("/var/tmp")?;
        let store = Store::open(&folder.path().join(FILE_NAME))?;
        store.write(people).wait()?;
        let mut at = 0;
        while at < effort.history {
            let end = effort.history.min(at + PIECE);
            store.write(move |conn| (at..end).try_for_each(|nth| history(conn, nth))).wait()?;
            at = end;
        }
        store.write(postern_store::search::index_all).wait()?;
        store.close();
        Ok(Self { folder })
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns an agent's socket.
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

/// Returns the name of the agent of the nth connection.
pub(crate) fn denied(nth: usize) -> String {
    format!("denied-{nth}")
}

/// Returns a request that waits for its end.
pub(crate) fn request(argv: &[&str]) -> RunParams {
    let what = What::Command(argv.iter().map(|&word| word.to_owned()).collect());
    RunParams { cwd: Some("/".to_owned()), wait: Wait::Finished, ..RunParams::new(Uuid::new_v4(), what) }
}

fn people(conn: &Connection) -> Result<(), Error> {
    let unlimited = Settings { requests_per_second: 1_000_000_000, max_running: 64, ..Settings::default() };
    let free = Settings { security: Security::Full, ask: Ask::Off, ..unlimited.clone() };
    add(conn, FREE, free)?;
    add(conn, ASKED, Settings { questions_per_minute: u32::MAX, ask: Ask::Always, ..unlimited.clone() })?;
    for nth in 0..DENIED {
        add(conn, &denied(nth), unlimited.clone())?;
    }
    rules::add(conn, &rule(0, Effect::Deny, Pattern::Command("rm *".to_owned())))?;
    for nth in 1..RULES {
        rules::add(conn, &numbered_rule(nth))?;
    }
    Ok(())
}

fn add(conn: &Connection, name: &str, settings: Settings) -> Result<(), Error> {
    let id = AgentId::new(name).map_err(|bad| Error::Refused(bad.to_string()))?;
    let agent = agents::Agent {
        id,
        name: name.to_owned(),
        color: "#3366cc".to_owned(),
        settings,
        uids: Vec::new(),
        created_at: EPOCH,
        last_seen_at: None,
        denied_until: None,
    };
    agents::add(conn, &agent)
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

/// Writes a request of long ago, as it ended.
fn history(conn: &Connection, nth: usize) -> Result<(), Error> {
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
        asked: r#"{"command":["git","log"],"cwd":"/"}"#.to_owned(),
        at,
    };
    requests::open(conn, &new)?;
    let ran = Ending::Finished { end: Exit::Code(0).into() };
    // As it is in an ordinary life: rules decide nearly all, a person some, and few are denied.
    let by = match nth % 100 {
        0..80 => By::Rule(i64::try_from(nth % 97 + 1).unwrap_or(1)),
        80..90 => By::Policy,
        _ => By::Person,
    };
    let ending = match nth % 1000 {
        993..997 => denied_by(DenyReason::Denylist),
        997..999 => denied_by(DenyReason::User),
        999 => denied_by(DenyReason::Expired),
        _ => ran,
    };
    requests::change(conn, id, &Change::to(RunState::Starting, at).judged(&verdict())?.by(&by)?)?;
    requests::change(conn, id, &Change::ended(&ending, at + 5)?)?;
    Ok(())
}

fn denied_by(reason: DenyReason) -> Ending {
    let rule = (reason == DenyReason::Denylist).then_some(10);
    Ending::Denied(Denial { reason, rule, ..Refusal::Person.into() })
}

fn id_at(millis: i64) -> Uuid {
    let millis = u64::try_from(millis).unwrap_or_default();
    let nanos = u32::try_from(millis % 1000 * 1_000_000).unwrap_or_default();
    Uuid::new_v7(Timestamp::from_unix(NoContext, millis / 1000, nanos))
}

fn verdict() -> Verdict {
    let line = |stage: &str| TraceLine { stage: stage.to_owned(), found: Found::NoneDenies };
    Verdict {
        decision: Decision::Allow,
        reason: Reason::Policy,
        cause: Cause::RunsAnything,
        advice: None,
        rule: None,
        risk: Risk { level: RiskLevel::Safe, effects: Vec::new() },
        confinement: postern_policy::Confinement::None,
        steps: Vec::new(),
        used: Vec::new(),
        trace: ["read", "core", "deny rules", "policy"].map(line).to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postern_store::requests::Filter;

    #[test]
    fn what_is_prepared_is_a_record_that_a_host_can_open() {
        let data = Data::prepare(Effort { turns: 1, size: 1, history: 30 }).unwrap();
        let store = Store::open(&data.folder().join(FILE_NAME)).unwrap();
        assert_eq!(store.read(rules::all).unwrap().len(), RULES);
        assert_eq!(store.read(agents::all).unwrap().len(), DENIED + 2);
        let filter = Filter { search: Some("max-count 7".into()), ..Filter::default() };
        let found = store.read(|conn| requests::list(conn, &filter, 10)).unwrap();
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].phase, RunState::Finished);
    }
}
