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
pub struct BoundRules {
    /// Absolute path of the program.
    pub path: String,
    pub program: Identity,
    pub rules: Vec<RuleId>,
}

/// A program that changed, and the rules to be bound to it as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleRenewal {
    /// Earlier identity, with the rules that are bound to it.
    pub was: BoundRules,
    pub now: Identity,
}

/// Binds rules to programs as they are now, each that is still bound to what its program was.
///
/// Returns the number of the entry in the audit with those rules, or `None` if there are none; a rule that is
/// gone or bound to something else is skipped. To be called before anything else is written in its
/// transaction.
pub fn renew_rules(conn: &Connection, renewals: &[RuleRenewal]) -> Result<Option<(i64, Vec<RuleId>)>, Error> {
    let (mut before, mut after, mut pins) = (Vec::new(), Vec::new(), Vec::new());
    for RuleRenewal { was, now } in renewals {
        let mut ids = Vec::new();
        for id in &was.rules {
            let pin = rules::get_rule(conn, *id)?.and_then(|rule| rule.pin);
            let Some(pin) = pin.filter(|pin| pin.program.sha256 == was.program.sha256) else { continue };
            pins.push((*id, Pin { program: now.clone(), ..*pin }));
            ids.push(*id);
        }
        if !ids.is_empty() {
            before.push(BoundRules { rules: ids.clone(), ..was.clone() });
            after.push(BoundRules { path: was.path.clone(), program: now.clone(), rules: ids });
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
    audit::note_change(conn, SUBJECT, &key.join(", "), (Some(&was), Some(&is)), true)?;
    for (id, pin) in &pins {
        rules::set_pin(conn, *id, Some(pin))?;
    }
    // The entry says that more may run; the rows of its rules are parts of it.
    let ids: Vec<RuleId> = pins.into_iter().map(|(id, _)| id).collect();
    for id in &ids {
        audit::mark_as_part(conn, "rules", &id.to_string())?;
    }
    Ok(Some((entry, ids)))
}

/// Returns the newest renewal's entry up to this one.
pub fn before(conn: &Connection, entry: i64) -> Result<Option<audit::AuditEntry>, Error> {
    let mut query =
        conn.prepare_cached("SELECT max(number) FROM audit WHERE subject = ?1 AND number <= ?2")?;
    let number: Option<i64> = query.query_row(rusqlite::params![SUBJECT, entry], |row| row.get(0))?;
    Ok(number.map(|number| audit::get_entry(conn, number)).transpose()?.flatten())
}

/// Binds the rules of an entry to what they were bound to before it. Returns those that were still as it left them.
pub fn undo_renewal(conn: &Connection, entry: i64) -> Result<Vec<RuleId>, Error> {
    let missing = || Error::Missing(format!("renewal {entry} in the audit"));
    let found = audit::get_entry(conn, entry)?.filter(|row| row.subject == SUBJECT).ok_or_else(missing)?;
    let (before, after) = (parse_bound(found.before.as_deref()), parse_bound(found.after.as_deref()));
    let pairs = after.into_iter().zip(before);
    let back: Vec<RuleRenewal> =
        pairs.map(|(was, before)| RuleRenewal { was, now: before.program }).collect();
    Ok(renew_rules(conn, &back)?.map(|(_, rules)| rules).unwrap_or_default())
}

/// Reads one side of an entry.
pub fn parse_bound(text: Option<&str>) -> Vec<BoundRules> {
    text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{BoundRules, RuleRenewal, renew_rules, undo_renewal};
    use crate::testing::{allow_rule, identity, open_temp_store, sample_agent};
    use crate::{Store, agents, audit, rules};
    use postern_policy::{Pin, Rule, ScriptPin};

    fn bound(command: &str, sha256: &str) -> Rule {
        let script = (command == "tool x.sh")
            .then(|| ScriptPin { path: "/p/x.sh".to_owned(), sha256: "s".to_owned() });
        let pin = Some(Box::new(Pin { script, ..Pin::new(identity(sha256)) }));
        Rule { pin, ..allow_rule(Some("main"), command) }
    }

    fn pins(store: &Store) -> Vec<(String, bool)> {
        let all = store.read(rules::list_rules).unwrap().into_iter();
        all.filter_map(|rule| rule.pin).map(|pin| (pin.program.sha256, pin.script.is_some())).collect()
    }

    #[test]
    fn rules_are_renewed_and_put_back_as_one_entry() {
        let (_folder, store) = open_temp_store();
        let made = store.write_durable(|conn| {
            agents::insert_agent(conn, &sample_agent("main"))?;
            let texts = [("tool a", "old"), ("tool b", "older"), ("tool x.sh", "old")];
            texts
                .iter()
                .map(|(text, sha)| rules::insert_rule(conn, &bound(text, sha)))
                .collect::<Result<Vec<_>, _>>()
        });
        let made = made.wait().unwrap();
        let before = store.read(audit::newest).unwrap().unwrap().number;
        let was = BoundRules { path: "/bin/tool".into(), program: identity("old"), rules: made.clone() };
        let renewal = RuleRenewal { was, now: identity("new") };
        let renewed = store.write_durable(move |conn| renew_rules(conn, &[renewal, gone()])).wait().unwrap();
        let (entry, renewed) = renewed.unwrap();
        assert_eq!(renewed, [made[0], made[2]], "the second was never bound to that");
        let now = |sha: &str, script| (sha.to_owned(), script);
        assert_eq!(pins(&store), [now("new", false), now("older", false), now("new", true)]);
        let entries = store.read(|conn| audit::entries_after(conn, before, 0, 100)).unwrap();
        let told: Vec<_> = entries.iter().map(|row| (row.subject.as_str(), row.widens)).collect();
        assert_eq!(told, [("renewals", true), ("rules", false), ("rules", false)]);
        assert_eq!(store.verify_audit().unwrap().strayed, []);

        assert_eq!(entry, entries[0].number);
        let back = store.write_durable(move |conn| undo_renewal(conn, entry)).wait().unwrap();
        assert_eq!(back, renewed);
        assert_eq!(pins(&store), [now("old", false), now("older", false), now("old", true)]);
        let again = store.write_durable(move |conn| undo_renewal(conn, entry)).wait().unwrap();
        assert!(again.is_empty(), "they are not as it left them");
        let none = store.write_durable(|conn| renew_rules(conn, &[gone()])).wait().unwrap();
        assert_eq!(none, None);
        let other = store.write_durable(|conn| undo_renewal(conn, 1)).wait();
        assert!(other.unwrap_err().to_string().contains("no renewal 1"), "an entry of another kind");
    }

    /// Returns a program none of whose rules is there any more.
    fn gone() -> RuleRenewal {
        let was = BoundRules { path: "/bin/gone".into(), program: identity("old"), rules: vec![99] };
        RuleRenewal { was, now: identity("new") }
    }
}
