//! Rules, with how they were used.

use crate::column::{AgentIdColumn, JsonColumn, to_json_text};
use crate::error::Error;
use crate::tables::sessions;
use postern_policy::{
    AgentId, Effect, Identity, Lifetime, Millis, Pin, Rule, RuleId, RuleInput, RuleOrigin, Source, Usage,
};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Params, Row, params, params_from_iter};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::HashSet;

/// `AUTOINCREMENT`: the number of a removed rule is never another rule's, because the history names it.
pub(crate) const SCHEMA: &str = include_str!("schema/rules.sql");

/// Adds the folder and the input of a rule. Older rules keep holding in every folder; a skill's rule, which
/// allows any arguments, keeps any input.
pub(crate) const PLACES: &str = "
ALTER TABLE rules ADD COLUMN folder TEXT;
ALTER TABLE rules ADD COLUMN input TEXT NOT NULL DEFAULT '{\"kind\":\"nothing\"}';
UPDATE rules SET input = '{\"kind\":\"any\"}' WHERE json_extract(source, '$.kind') = 'skill';
";

/// Column for the origins that a rule is for. Earlier rules hold for the host and, since then, for the
/// agent's own shell.
pub(crate) const ORIGIN: &str = "ALTER TABLE rules ADD COLUMN origin TEXT NOT NULL DEFAULT '\"any\"';";

/// Rules that the person confirmed as broad: none of before was.
pub(crate) const BROAD: &str = "ALTER TABLE rules ADD COLUMN broad INTEGER NOT NULL DEFAULT 0;";

/// Limits of rules that answers saved: those of before have none.
pub(crate) const LIMITS: &str = "ALTER TABLE rules ADD COLUMN limits TEXT;";

/// Profiles that rules name: those of before run unconfined.
pub(crate) const CONFINE: &str = "ALTER TABLE rules ADD COLUMN confine TEXT;";

/// Index of the rules that end: they are looked for at each start, and are few.
pub(crate) const TIMED: &str =
    "CREATE INDEX rules_timed ON rules (id) WHERE lifetime <> '{\"kind\":\"forever\"}';";

const COLUMNS: &str =
    "id, effect, agent, pattern, args, pin, allow_writes, source, lifetime, why, matches, misses,
    created_at, use_count, last_used_at, last_command, last_path, last_seen, folder, input, origin, broad, limits,
    confine";

/// Columns that a person can edit, in the order of [`editable_values`].
const EDITABLE: &str =
    "effect, agent, pattern, args, pin, allow_writes, source, lifetime, why, matches, misses, folder, input, origin,
    broad, limits, confine";

/// Last value of a column of JSON texts that are mostly the same: it is parsed once for as long as it repeats.
struct Repeated<T> {
    text: String,
    value: Option<T>,
}

impl<T> Default for Repeated<T> {
    fn default() -> Self {
        Self { text: String::new(), value: None }
    }
}

impl<T: DeserializeOwned + Clone> Repeated<T> {
    fn read_value(&mut self, row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
        let text = row.get_ref(column)?.as_str().map_err(rusqlite::Error::from)?;
        if let Some(value) = self.value.as_ref().filter(|_| self.text == text) {
            return Ok(value.clone());
        }
        let value = row.get::<_, JsonColumn<T>>(column)?.0;
        text.clone_into(&mut self.text);
        self.value = Some(value.clone());
        Ok(value)
    }
}

/// Reader of rules, which knows the values of the row before.
#[derive(Default)]
struct RuleReader {
    effect: Repeated<Effect>,
    source: Repeated<Source>,
    lifetime: Repeated<Lifetime>,
    matches: Repeated<Vec<String>>,
    misses: Repeated<Vec<String>>,
    input: Repeated<RuleInput>,
    origin: Repeated<RuleOrigin>,
}

impl RuleReader {
    fn read_rule(&mut self, row: &Row<'_>) -> rusqlite::Result<Rule> {
        Ok(Rule {
            id: row.get(0)?,
            effect: self.effect.read_value(row, 1)?,
            agent: row.get::<_, Option<AgentIdColumn>>(2)?.map(|name| name.0),
            pattern: row.get::<_, JsonColumn<_>>(3)?.0,
            args: row.get::<_, Option<JsonColumn<_>>>(4)?.map(|json| json.0),
            pin: row.get::<_, Option<JsonColumn<_>>>(5)?.map(|json| json.0),
            allow_writes: row.get(6)?,
            broad: row.get(21)?,
            limits: row.get::<_, Option<JsonColumn<_>>>(22)?.map(|json| json.0),
            confine: row.get::<_, Option<JsonColumn<_>>>(23)?.map(|json| json.0),
            folder: row.get(18)?,
            input: self.input.read_value(row, 19)?,
            origin: self.origin.read_value(row, 20)?,
            source: self.source.read_value(row, 7)?,
            lifetime: self.lifetime.read_value(row, 8)?,
            why: row.get(9)?,
            matches: self.matches.read_value(row, 10)?,
            misses: self.misses.read_value(row, 11)?,
            created_at: row.get(12)?,
            usage: Usage {
                count: row.get(13)?,
                last_used_at: row.get(14)?,
                last_command: row.get(15)?,
                last_path: row.get(16)?,
                last_seen: row.get::<_, Option<JsonColumn<_>>>(17)?.map(|json| json.0),
            },
        })
    }
}

/// Returns every rule, in the order they were made.
pub fn list_rules(conn: &Connection) -> Result<Vec<Rule>, Error> {
    select_rules(conn, "TRUE", [])
}

/// Returns an agent's own rules, in the order they were made.
pub fn of_agent(conn: &Connection, agent: &AgentId) -> Result<Vec<Rule>, Error> {
    select_rules(conn, "agent = ?1", [agent.as_str()])
}

/// Returns a rule.
pub fn get_rule(conn: &Connection, id: RuleId) -> Result<Option<Rule>, Error> {
    Ok(select_rules(conn, "id = ?1", [id])?.pop())
}

fn select_rules(conn: &Connection, wanted: &str, values: impl Params) -> Result<Vec<Rule>, Error> {
    let mut query =
        conn.prepare_cached(&format!("SELECT {COLUMNS} FROM rules WHERE {wanted} ORDER BY id"))?;
    let mut reader = RuleReader::default();
    Ok(query.query_map(values, |row| reader.read_rule(row))?.collect::<Result<_, _>>()?)
}

/// Returns what a person can edit of a rule, as its columns hold it.
fn editable_values(rule: &Rule) -> rusqlite::Result<[Value; 17]> {
    fn json_value<T: Serialize>(value: Option<&T>) -> rusqlite::Result<Value> {
        Ok(value.map(to_json_text).transpose()?.into())
    }
    Ok([
        json_value(Some(&rule.effect))?,
        rule.agent.as_ref().map(ToString::to_string).into(),
        json_value(Some(&rule.pattern))?,
        json_value(rule.args.as_ref())?,
        json_value(rule.pin.as_ref())?,
        rule.allow_writes.into(),
        json_value(Some(&rule.source))?,
        json_value(Some(&rule.lifetime))?,
        rule.why.clone().into(),
        json_value(Some(&rule.matches))?,
        json_value(Some(&rule.misses))?,
        rule.folder.clone().into(),
        json_value(Some(&rule.input))?,
        json_value(Some(&rule.origin))?,
        rule.broad.into(),
        json_value(rule.limits.as_ref())?,
        json_value(rule.confine.as_ref())?,
    ])
}

/// Adds a rule; its `id` is ignored. Gives its number.
pub fn insert_rule(conn: &Connection, rule: &Rule) -> Result<RuleId, Error> {
    let mut insert = conn.prepare_cached(&format!(
        "INSERT INTO rules ({EDITABLE}, created_at, use_count, last_used_at, last_command, last_path, last_seen)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22,
            ?23)",
    ))?;
    let Usage { count, last_used_at, last_command, last_path, last_seen } = &rule.usage;
    let seen = last_seen.as_ref().map(to_json_text).transpose()?;
    let made: [Value; 6] = [
        rule.created_at.into(),
        i64::try_from(*count).unwrap_or(i64::MAX).into(),
        (*last_used_at).into(),
        last_command.clone().into(),
        last_path.clone().into(),
        seen.into(),
    ];
    insert.execute(params_from_iter(editable_values(rule)?.into_iter().chain(made)))?;
    Ok(conn.last_insert_rowid())
}

/// Writes what a person can edit of a rule; when it was made and how it was used stay.
pub fn update_rule(conn: &Connection, rule: &Rule) -> Result<(), Error> {
    let sql = format!(
        "UPDATE rules SET ({EDITABLE}) = (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)
         WHERE id = ?18"
    );
    let values = editable_values(rule)?.into_iter().chain([rule.id.into()]);
    expect_one_row(conn.execute(&sql, params_from_iter(values))?, rule.id)
}

/// Writes a rule whole, with its pin and its use, and returns its number.
///
/// If the rule that is there was used more often, that use stays. A rule is never put under a number that is
/// still to come.
pub fn put_rule(conn: &Connection, rule: &Rule) -> Result<RuleId, Error> {
    if rule.id == 0 {
        return insert_rule(conn, rule);
    }
    let given: i64 = conn.query_row(
        "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'rules'",
        [],
        |row| row.get(0),
    )?;
    if !(1..=given).contains(&rule.id) {
        return Err(Error::Missing(format!("rule {}, and never was", rule.id)));
    }
    let used =
        get_rule(conn, rule.id)?.map(|there| there.usage).filter(|usage| usage.count > rule.usage.count);
    discard(conn, rule.id)?;
    let new = insert_rule(conn, &Rule { usage: used.unwrap_or_else(|| rule.usage.clone()), ..rule.clone() })?;
    conn.execute("UPDATE rules SET id = ?2 WHERE id = ?1", params![new, rule.id])?;
    Ok(rule.id)
}

/// Removes a rule that may be gone already.
pub fn discard(conn: &Connection, id: RuleId) -> Result<(), Error> {
    conn.execute("DELETE FROM rules WHERE id = ?1", [id])?;
    Ok(())
}

/// Binds a rule to another identity; none unbinds it.
pub fn set_pin(conn: &Connection, id: RuleId, pin: Option<&Pin>) -> Result<(), Error> {
    expect_one_row(
        conn.execute("UPDATE rules SET pin = ?2 WHERE id = ?1", params![id, pin.map(JsonColumn)])?,
        id,
    )
}

/// Removes a rule.
pub fn remove(conn: &Connection, id: RuleId) -> Result<(), Error> {
    expect_one_row(conn.execute("DELETE FROM rules WHERE id = ?1", [id])?, id)
}

/// Use of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleUse {
    pub at: Millis,
    /// The command, escaped.
    pub command: String,
    /// The program's resolved absolute path.
    pub path: Option<String>,
    /// The program's identity; none keeps the one that is there.
    pub seen: Option<Identity>,
}

/// Notes a use. A rule that is gone, or that is from a file (a negative number), is passed over.
pub fn record_use(conn: &Connection, id: RuleId, used: &RuleUse) -> Result<(), Error> {
    let mut update = conn.prepare_cached(
        "UPDATE rules SET use_count = use_count + 1, last_used_at = ?2, last_command = ?3, last_path = ?4,
            last_seen = coalesce(?5, last_seen) WHERE id = ?1",
    )?;
    update.execute(params![id, used.at, used.command, used.path, used.seen.as_ref().map(JsonColumn)])?;
    Ok(())
}

/// Returns the time at which a rule was last used, or else was made; `None` for a rule that is gone.
pub fn last_allowed(conn: &Connection, id: RuleId) -> Result<Option<Millis>, Error> {
    let mut query =
        conn.prepare_cached("SELECT coalesce(last_used_at, created_at) FROM rules WHERE id = ?1")?;
    Ok(query.query_row([id], |row| row.get(0)).optional()?)
}

/// Removes the rules whose time is over, and returns their numbers.
///
/// Deny rules go only if they ended by `denies`, because a clock that was wrong for a while must not forget a
/// prohibition.
pub fn remove_expired(conn: &Connection, now: Millis, denies: Millis) -> Result<Vec<RuleId>, Error> {
    remove_where(conn, |_, effect, lifetime| {
        let over = if effect == Effect::Deny { now.min(denies) } else { now };
        matches!(lifetime, Lifetime::Until(end) if *end <= over)
    })
}

/// Removes the rules that last until a session of an agent closes. Gives their numbers.
pub fn remove_session(conn: &Connection, agent: &AgentId, session: &str) -> Result<Vec<RuleId>, Error> {
    remove_where(conn, |owner, _, lifetime| {
        owner == Some(agent) && matches!(lifetime, Lifetime::Session(name) if name == session)
    })
}

/// Removes the rules that do not outlive the host, and returns their numbers. For the start.
///
/// Those are the rules until Postern quits, and those that allow something in a session that was never
/// opened.
pub fn remove_volatile(conn: &Connection) -> Result<Vec<RuleId>, Error> {
    let open: HashSet<(AgentId, String)> =
        sessions::list_sessions(conn)?.into_iter().map(|open| (open.agent, open.session)).collect();
    remove_where(conn, |owner, effect, lifetime| match lifetime {
        Lifetime::Quit => true,
        // One that was only named has no end of its own: what it was allowed ends now, what it was denied never does.
        Lifetime::Session(session) => {
            let is_open = owner.is_some_and(|owner| open.contains(&(owner.clone(), session.clone())));
            effect == Effect::Allow && !is_open
        }
        Lifetime::Forever | Lifetime::Until(_) => false,
    })
}

fn remove_where(
    conn: &Connection,
    over: impl Fn(Option<&AgentId>, Effect, &Lifetime) -> bool,
) -> Result<Vec<RuleId>, Error> {
    let mut query = conn.prepare_cached(
        "SELECT id, agent, effect, lifetime FROM rules WHERE lifetime <> '{\"kind\":\"forever\"}'",
    )?;
    let timed = query.query_map([], |row| {
        let owner = row.get::<_, Option<AgentIdColumn>>(1)?.map(|name| name.0);
        Ok((row.get(0)?, owner, row.get::<_, JsonColumn<_>>(2)?.0, row.get::<_, JsonColumn<_>>(3)?.0))
    })?;
    let timed: Vec<(RuleId, Option<AgentId>, Effect, Lifetime)> = timed.collect::<Result<_, _>>()?;
    let gone: Vec<RuleId> = timed
        .into_iter()
        .filter(|(_, owner, effect, life)| over(owner.as_ref(), *effect, life))
        .map(|(id, ..)| id)
        .collect();
    for id in &gone {
        remove(conn, *id)?;
    }
    Ok(gone)
}

fn expect_one_row(rows: usize, id: RuleId) -> Result<(), Error> {
    if rows == 1 { Ok(()) } else { Err(Error::Missing(format!("rule {id}"))) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::agents;
    use crate::testing::{agent_id, allow_rule, identity, open_temp_store, sample_agent};
    use postern_command::EffectScope;
    use postern_policy::{CoveredEffect, IdentityPattern, Limits, Pattern, ScriptPin};

    fn full() -> Rule {
        Rule {
            effect: Effect::Deny,
            args: Some(vec!["-x".into(), "**".into()]),
            pin: Some(Box::new(Pin {
                program: identity("aa"),
                script: Some(ScriptPin { path: "/s".into(), sha256: "bb".into() }),
                by_signer: true,
            })),
            allow_writes: true,
            confine: Some(postern_policy::Profile::Project),
            limits: Some(Box::new(Limits {
                effects: vec![CoveredEffect {
                    kind: "write".into(),
                    scope: EffectScope::Inside,
                    names: vec!["x".into()],
                    says: Some("change it".into()),
                }],
                places: vec!["/tmp".into()],
                around: Some(postern_policy::Surroundings {
                    variables: vec!["CI=1".into()],
                    ..postern_policy::Surroundings::default()
                }),
                hooks: vec!["pre-push".into()],
            })),
            folder: Some("/Users/u/project".into()),
            input: RuleInput::Text("cc".into()),
            origin: postern_policy::RuleOrigin::AgentShell,
            source: Source::Skill("bird".into()),
            lifetime: Lifetime::Until(50),
            why: Some("because".into()),
            matches: vec!["git status".into()],
            misses: vec!["git push".into()],
            ..allow_rule(Some("main"), "git *")
        }
    }

    #[test]
    fn a_rule_is_kept_whole_and_use_is_counted() {
        let (_folder, store) = open_temp_store();
        store.write_now(|conn| agents::insert_agent(conn, &sample_agent("main")));
        let number = store.write_now(|conn| insert_rule(conn, &full()));
        let mut kept = Rule { id: number, ..full() };
        assert_eq!(store.read(|conn| get_rule(conn, number)).unwrap(), Some(kept.clone()));
        let made = store.read(|conn| last_allowed(conn, number)).unwrap();
        assert_eq!(made, Some(kept.created_at), "nothing used it yet");
        let use_of =
            |at, seen| RuleUse { at, command: "git status".into(), path: Some("/usr/bin/git".into()), seen };
        store.write_now(move |conn| {
            record_use(conn, number, &use_of(10, Some(identity("cc"))))?;
            record_use(conn, number, &use_of(11, None))?;
            record_use(conn, -3, &use_of(11, None))
        });
        kept.usage = Usage {
            count: 2,
            last_used_at: Some(11),
            last_command: Some("git status".into()),
            last_path: Some("/usr/bin/git".into()),
            last_seen: Some(Box::new(identity("cc"))),
        };
        assert_eq!(store.read(list_rules).unwrap(), [kept.clone()]);
        assert_eq!(store.read(|conn| last_allowed(conn, number)).unwrap(), Some(11));
        assert_eq!(store.read(|conn| last_allowed(conn, number + 1)).unwrap(), None, "there is none");
        kept.pattern = Pattern::Identity(IdentityPattern::TeamId("X".into()));
        kept.agent = None;
        kept.pin = None;
        store.write_now({
            let kept = kept.clone();
            move |conn| update_rule(conn, &kept)
        });
        assert_eq!(store.read(list_rules).unwrap(), [kept], "editing keeps the use");
    }

    #[test]
    fn a_number_is_never_given_twice() {
        let (_folder, store) = open_temp_store();
        let first = store.write_now(|conn| insert_rule(conn, &allow_rule(None, "ls")));
        store.write_now(move |conn| remove(conn, first));
        let second = store.write_now(|conn| insert_rule(conn, &allow_rule(None, "ls")));
        assert!(second > first, "the history may name rule {first}");
    }

    #[test]
    fn a_rule_comes_back_whole_under_its_own_number() {
        let (_folder, store) = open_temp_store();
        store.write_now(|conn| agents::insert_agent(conn, &sample_agent("main")));
        let number = store.write_now(|conn| insert_rule(conn, &full()));
        let usage = Usage { count: 3, last_used_at: Some(9), ..Usage::default() };
        let kept = Rule { id: number, usage, ..full() };
        let again = kept.clone();
        let done = store.write(move |conn| {
            remove(conn, number)?;
            discard(conn, number)?;
            put_rule(conn, &again)
        });
        assert_eq!(done.wait().unwrap(), number);
        assert_eq!(store.read(list_rules).unwrap(), std::slice::from_ref(&kept), "with its pin and its use");
        let changed = Rule { why: Some("another".into()), ..kept.clone() };
        let other = changed.clone();
        store.write_now(move |conn| put_rule(conn, &other));
        assert_eq!(store.read(list_rules).unwrap(), std::slice::from_ref(&changed), "written over");
        let before = Rule { usage: Usage::default(), ..changed.clone() };
        store.write_now(move |conn| put_rule(conn, &before));
        assert_eq!(store.read(list_rules).unwrap(), [changed], "an undo takes no use back");
        let new = store.write_now(|conn| put_rule(conn, &Rule { id: 0, ..full() }));
        assert!(new > number, "a new one");
        let invented = Rule { id: 99, ..full() };
        let refused = store.write(move |conn| put_rule(conn, &invented)).wait();
        assert!(matches!(refused, Err(Error::Missing(_))), "{refused:?}");
    }

    #[test]
    fn rules_end_with_their_time_their_session_and_the_host() {
        let (_folder, store) = open_temp_store();
        let lifetimes = [
            Lifetime::Forever,
            Lifetime::Until(100),
            Lifetime::Until(101),
            Lifetime::Session("s".into()),
            Lifetime::Session("t".into()),
            Lifetime::Quit,
        ];
        let left = |store: &crate::Store| {
            let rules = store.read(list_rules).unwrap();
            rules.into_iter().map(|rule| rule.lifetime).collect::<Vec<_>>()
        };
        let all = lifetimes.clone();
        store.write_now(move |conn| {
            agents::insert_agent(conn, &sample_agent("main"))?;
            for lifetime in all {
                insert_rule(conn, &Rule { lifetime, ..allow_rule(Some("main"), "ls") })?;
            }
            Ok(())
        });
        store.write_now(|conn| remove_expired(conn, 100, 100));
        store.write_now(|conn| remove_session(conn, &agent_id("other"), "s"));
        store.write_now(|conn| remove_session(conn, &agent_id("main"), "s"));
        let [forever, _, later, _, other, quit] = lifetimes;
        assert_eq!(left(&store), [forever.clone(), later.clone(), other, quit]);
        store.write_now(remove_volatile);
        assert_eq!(left(&store), [forever, later]);
    }

    #[test]
    fn what_holds_in_an_open_session_outlives_the_host_and_so_does_what_is_denied_in_any() {
        let (_folder, store) = open_temp_store();
        store.write_now(|conn| {
            agents::insert_agent(conn, &sample_agent("main"))?;
            let open = sessions::OpenSession {
                agent: agent_id("main"),
                session: "open".into(),
                confined: false,
                parents: Vec::new(),
                runtime: Vec::new(),
                opened_at: 1,
            };
            sessions::save_session(conn, &open)?;
            for session in ["open", "named"] {
                let lifetime = Lifetime::Session(session.into());
                insert_rule(conn, &Rule { lifetime: lifetime.clone(), ..allow_rule(Some("main"), "ls") })?;
                insert_rule(
                    conn,
                    &Rule { lifetime, effect: Effect::Deny, ..allow_rule(Some("main"), "rm") },
                )?;
            }
            remove_volatile(conn)
        });
        let kept = store.read(list_rules).unwrap().into_iter().map(|rule| (rule.effect, rule.lifetime));
        let session = |name: &str| Lifetime::Session(name.into());
        let expected = [
            (Effect::Allow, session("open")),
            (Effect::Deny, session("open")),
            (Effect::Deny, session("named")),
        ];
        assert_eq!(kept.collect::<Vec<_>>(), expected);
    }
}
