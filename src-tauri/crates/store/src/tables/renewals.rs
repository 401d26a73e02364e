//! Rules bound to a program that changed, bound to it again as it is now: one entry in the audit, undone as one.

use crate::audit;
use crate::error::Error;
use crate::tables::rules;
use postern_policy::{Identity, Pin, RuleId};
use rusqlite::Connection;
use serde::{Deserialize, Serialize};

/// The subject of the entries in the audit.
pub const SUBJECT: &str = "renewals";

/// A program, and rules that are bound to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Bound {
    /// Absolute path of the program.
    pub path: String,
    /// Identity that the rules are bound to.
    pub program: Identity,
    /// The rules.
    pub rules: Vec<RuleId>,
}

/// A program that changed, and the rules to be bound to it as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renewal {
    /// Earlier identity, with the rules that are bound to it.
    pub was: Bound,
    pub now: Identity,
}

/// Binds rules to programs as they are now, each that is still bound to what its program was.
///
/// Returns the number of the entry in the audit with those rules, or `None` if there are none; a rule that is
/// gone or bound to something else is skipped. To be called before anything else is written in its
/// transaction.
pub fn renew(conn: &Connection, renewals: &[Renewal]) -> Result<Option<(i64, Vec<RuleId>)>, Error> {
    let (mut before, mut after, mut pins) = (Vec::new(), Vec::new(), Vec::new());
    for Renewal { was, now } in renewals {
        let mut ids = Vec::new();
        for id in &was.rules {
            let pin = rules::get(conn, *id)?.and_then(|rule| rule.pin);
            let Some(pin) = pin.filter(|pin| pin.program.sha256 == was.program.sha256) else { continue };
            pins.push((*id, Pin { program: now.clone(), script: pin.script }));
            ids.push(*id);
        }
        if !ids.is_empty() {
            before.push(Bound { rules: ids.clone(), ..was.clone() });
            after.push(Bound { path: was.path.clone(), program: now.clone(), rules: ids });
        }
    }
    if pins.is_empty() {
        return Ok(None);
    }
    let key: Vec<&str> = before.iter().map(|bound| bound.path.as_str()).collect();
    let [was, is] = [&before, &after].map(serde_json::to_value);
    let refused = |error: serde_json::Error| Error::Refused(error.to_string());
    let (was, is) = (was.map_err(refused)?, is.map_err(refused)?);
    // The changes of a transaction are sealed in their order, and this is its first.
    let entry = audit::newest(conn)?.map_or(1, |last| last.number + 1);
    audit::note(conn, SUBJECT, &key.join(", "), (Some(&was), Some(&is)), true)?;
    for (id, pin) in &pins {
        rules::repin(conn, *id, Some(pin))?;
    }
    // The entry says that more may run; the rows of its rules are parts of it.
    let ids: Vec<RuleId> = pins.into_iter().map(|(id, _)| id).collect();
    for id in &ids {
        audit::part(conn, "rules", &id.to_string())?;
    }
    Ok(Some((entry, ids)))
}

/// Returns the newest renewal's entry up to this one.
pub fn before(conn: &Connection, entry: i64) -> Result<Option<audit::Entry>, Error> {
    let mut query =
        conn.prepare_cached("SELECT max(number) FROM audit WHERE subject = ?1 AND number <= ?2")?;
    let number: Option<i64> = query.query_row(rusqlite::params![SUBJECT, entry], |row| row.get(0))?;
    Ok(number.map(|number| audit::get(conn, number)).transpose()?.flatten())
}

/// Binds the rules of an entry to what they were bound to before it. Returns those that were still as it left them.
pub fn undo(conn: &Connection, entry: i64) -> Result<Vec<RuleId>, Error> {
    let missing = || Error::Missing(format!("renewal {entry} in the audit"));
    let found = audit::get(conn, entry)?.filter(|row| row.subject == SUBJECT).ok_or_else(missing)?;
    let (before, after) = (read(found.before.as_deref()), read(found.after.as_deref()));
    let pairs = after.into_iter().zip(before);
    let back: Vec<Renewal> = pairs.map(|(was, before)| Renewal { was, now: before.program }).collect();
    Ok(renew(conn, &back)?.map(|(_, rules)| rules).unwrap_or_default())
}

/// Reads one side of an entry.
pub fn read(text: Option<&str>) -> Vec<Bound> {
    text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Bound, Renewal, renew, undo};
    use crate::testing::{agent, allow, identity, open};
    use crate::{Store, agents, audit, rules};
    use postern_policy::{Pin, Rule, ScriptPin};

    fn bound(command: &str, sha256: &str) -> Rule {
        let script = (command == "tool x.sh")
            .then(|| ScriptPin { path: "/p/x.sh".to_owned(), sha256: "s".to_owned() });
        let pin = Some(Box::new(Pin { program: identity(sha256), script }));
        Rule { pin, ..allow(Some("main"), command) }
    }

    fn pins(store: &Store) -> Vec<(String, bool)> {
        let all = store.read(rules::all).unwrap().into_iter();
        all.filter_map(|rule| rule.pin).map(|pin| (pin.program.sha256, pin.script.is_some())).collect()
    }

    #[test]
    fn rules_are_renewed_and_put_back_as_one_entry() {
        let (_folder, store) = open();
        let made = store.write_durable(|conn| {
            agents::add(conn, &agent("main"))?;
            let texts = [("tool a", "old"), ("tool b", "older"), ("tool x.sh", "old")];
            texts.iter().map(|(text, sha)| rules::add(conn, &bound(text, sha))).collect::<Result<Vec<_>, _>>()
        });
        let made = made.wait().unwrap();
        let before = store.read(audit::newest).unwrap().unwrap().number;
        let was = Bound { path: "/bin/tool".into(), program: identity("old"), rules: made.clone() };
        let renewal = Renewal { was, now: identity("new") };
        let renewed = store.write_durable(move |conn| renew(conn, &[renewal, gone()])).wait().unwrap();
        let (entry, renewed) = renewed.unwrap();
        assert_eq!(renewed, [made[0], made[2]], "the second was never bound to that");
        let now = |sha: &str, script| (sha.to_owned(), script);
        assert_eq!(pins(&store), [now("new", false), now("older", false), now("new", true)]);
        let entries = store.read(|conn| audit::after(conn, before, 0, 100)).unwrap();
        let told: Vec<_> = entries.iter().map(|row| (row.subject.as_str(), row.widens)).collect();
        assert_eq!(told, [("renewals", true), ("rules", false), ("rules", false)]);
        assert_eq!(store.verify_audit().unwrap().strayed, []);

        assert_eq!(entry, entries[0].number);
        let back = store.write_durable(move |conn| undo(conn, entry)).wait().unwrap();
        assert_eq!(back, renewed);
        assert_eq!(pins(&store), [now("old", false), now("older", false), now("old", true)]);
        let again = store.write_durable(move |conn| undo(conn, entry)).wait().unwrap();
        assert!(again.is_empty(), "they are not as it left them");
        let none = store.write_durable(|conn| renew(conn, &[gone()])).wait().unwrap();
        assert_eq!(none, None);
        let other = store.write_durable(|conn| undo(conn, 1)).wait();
        assert!(other.unwrap_err().to_string().contains("no renewal 1"), "an entry of another kind");
    }

    /// Returns a program none of whose rules is there any more.
    fn gone() -> Renewal {
        let was = Bound { path: "/bin/gone".into(), program: identity("old"), rules: vec![99] };
        Renewal { was, now: identity("new") }
    }
}
