//! Triggers that note every change of the tables that decide what may run, by any SQL statement.

use super::hash::digest;
use crate::error::Error;
use postern_protocol::encode_hex;
use rusqlite::{Connection, params};
use serde_json::{Map, Value, json};

/// A table whose changes are recorded.
struct Table {
    name: &'static str,
    /// Columns that name a row.
    key: &'static [&'static str],
    /// Columns that decide nothing.
    passed_over: &'static [&'static str],
    /// SQL condition for the rows that decide something.
    only: &'static str,
}

const TABLES: [Table; 5] = [
    Table {
        name: "agents",
        key: &["id"],
        passed_over: &["last_seen_at", "next_sequence", "created_at"],
        only: "1",
    },
    Table {
        name: "rules",
        key: &["id"],
        passed_over: &["use_count", "last_used_at", "last_command", "last_path", "last_seen", "created_at"],
        only: "1",
    },
    Table {
        name: "settings",
        key: &["key"],
        passed_over: &[],
        // The positions of outgoing feeds, marks of the host and the time of the last check decide nothing.
        only: "ROW.key NOT IN ('door.webhook', 'door.otel', 'host.mark', 'host.clock', 'record.checked')",
    },
    Table { name: "skill_folders", key: &["path"], passed_over: &["added_at"], only: "1" },
    Table {
        name: "skill_clis",
        key: &["folder", "name"],
        passed_over: &["seen", "path", "approved_at", "rule"],
        only: "ROW.approved IS NOT NULL",
    },
];

/// Columns that hold plain text instead of JSON.
const WORDS: [&str; 8] = ["id", "name", "color", "agent", "why", "key", "folder", "path"];
/// Members of a door's setting that change by themselves, in this format or an older one.
const RESTLESS: [&str; 4] = ["seenAt", "strangers", "approvals", "position"];

/// Creates the triggers. Where the audit has not begun, the rows that exist are noted too.
pub(super) fn watch(conn: &Connection, begun: bool) -> Result<(), Error> {
    for table in &TABLES {
        table.create_triggers(conn)?;
        if !begun {
            table.note_existing(conn)?;
        }
    }
    Ok(())
}

impl Table {
    fn columns(&self, conn: &Connection) -> Result<Vec<String>, Error> {
        let mut query = conn.prepare("SELECT name FROM pragma_table_info(?1)")?;
        let all: Vec<String> = query.query_map([self.name], |row| row.get(0))?.collect::<Result<_, _>>()?;
        Ok(all.into_iter().filter(|name| !self.passed_over.contains(&name.as_str())).collect())
    }

    /// Returns the SQL for the row as a JSON object and for its key, read from `NEW`, `OLD` or the table
    /// itself.
    fn object(columns: &[String], row: &str) -> String {
        let pairs: Vec<String> = columns.iter().map(|name| format!("'{name}', {row}.{name}")).collect();
        format!("json_object({})", pairs.join(", "))
    }

    /// Returns the row's key as text, whatever the columns are.
    fn key_expression(&self, row: &str) -> String {
        let parts: Vec<String> = self.key.iter().map(|name| format!("CAST({row}.{name} AS TEXT)")).collect();
        parts.join(" || ' ' || ")
    }

    fn row_filter(&self, row: &str) -> String {
        self.only.replace("ROW", row)
    }

    fn create_triggers(&self, conn: &Connection) -> Result<(), Error> {
        let columns = self.columns(conn)?;
        let name = self.name;
        let [old, new] = ["OLD", "NEW"].map(|row| Self::object(&columns, row));
        let [old_key, new_key] = ["OLD", "NEW"].map(|row| self.key_expression(row));
        let [old_only, new_only] = ["OLD", "NEW"].map(|row| self.row_filter(row));
        let listed = columns.join(", ");
        conn.execute_batch(&format!(
            "CREATE TEMP TRIGGER audit_{name}_new AFTER INSERT ON main.{name} WHEN {new_only} BEGIN
                INSERT INTO unsealed (subject, key, after) VALUES ('{name}', {new_key}, {new});
            END;
            CREATE TEMP TRIGGER audit_{name}_set AFTER UPDATE OF {listed} ON main.{name}
            WHEN ({old_only} OR {new_only}) AND {old} IS NOT {new} BEGIN
                INSERT INTO unsealed (subject, key, before, after) VALUES ('{name}', {new_key}, {old}, {new});
            END;
            CREATE TEMP TRIGGER audit_{name}_gone AFTER DELETE ON main.{name} WHEN {old_only} BEGIN
                INSERT INTO unsealed (subject, key, before) VALUES ('{name}', {old_key}, {old});
            END;"
        ))?;
        Ok(())
    }

    fn note_existing(&self, conn: &Connection) -> Result<(), Error> {
        let columns = self.columns(conn)?;
        let name = self.name;
        let (object, key, only) =
            (Self::object(&columns, name), self.key_expression(name), self.row_filter(name));
        conn.execute(
            &format!(
                "INSERT INTO unsealed (subject, key, after, widens) SELECT ?1, {key}, {object}, 0 FROM {name} WHERE {only}"
            ),
            params![name],
        )?;
        Ok(())
    }
}

/// Returns the watched rows that differ from their last audit row, by subject and key: another program changed
/// them.
pub(super) fn strayed(conn: &Connection) -> Result<Vec<(String, String)>, Error> {
    let mut strayed = Vec::new();
    for table in &TABLES {
        let columns = table.columns(conn)?;
        let name = table.name;
        let (object, key, only) =
            (Table::object(&columns, name), table.key_expression(name), table.row_filter(name));
        let mut query = conn.prepare(&format!(
            "SELECT {key} AS it, {object}, (SELECT after FROM audit WHERE subject = ?1 AND audit.key = {key}
             ORDER BY number DESC LIMIT 1) FROM {name} WHERE {only}"
        ))?;
        let mut rows = query.query([name])?;
        while let Some(row) = rows.next()? {
            let (key, now, known): (String, String, Option<String>) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let now = recorded_row(name, &key, &now);
            let known = known.and_then(|text| serde_json::from_str::<Value>(&text).ok());
            if !known.is_some_and(|known| agrees(&known, &now)) {
                strayed.push((name.to_owned(), key));
            }
        }
        let mut gone = conn.prepare(&format!(
            "SELECT key FROM (SELECT key, after, max(number) FROM audit WHERE subject = ?1 GROUP BY key)
             WHERE after IS NOT NULL AND key NOT IN (SELECT {key} FROM {name} WHERE {only})"
        ))?;
        let gone = gone.query_map([name], |row| row.get::<_, String>(0))?;
        for key in gone {
            strayed.push((name.to_owned(), key?));
        }
    }
    Ok(strayed)
}

/// Compares the members that both values have; a newer format may have more of them.
fn agrees(known: &Value, now: &Value) -> bool {
    match (known, now) {
        (Value::Object(known), Value::Object(now)) => {
            known.iter().all(|(name, value)| now.get(name).is_none_or(|now| now == value))
        }
        (known, now) => known == now,
    }
}

/// Returns a row as it is recorded: JSON parsed, volatile members removed, secrets replaced by their hash.
pub(super) fn recorded_row(subject: &str, key: &str, text: &str) -> Value {
    let row = match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(row)) if TABLES.iter().any(|table| table.name == subject) => row,
        Ok(other) => return other,
        Err(_) => return Value::String(text.to_owned()),
    };
    let read = |(name, value): (String, Value)| {
        let nested = match &value {
            Value::String(text) if !WORDS.contains(&name.as_str()) => serde_json::from_str(text).ok(),
            _ => None,
        };
        (name, nested.unwrap_or(value))
    };
    let mut row: Map<String, Value> = row.into_iter().map(read).collect();
    if subject == "settings" && key.starts_with("door.") {
        for value in row.values_mut() {
            settle(value);
        }
    }
    Value::Object(row)
}

fn settle(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|name, _| !RESTLESS.contains(&name.as_str()));
            for (name, member) in members.iter_mut() {
                match member {
                    Value::String(text) if is_secret(name, text) => {
                        *member = json!(format!("sha256:{}", &encode_hex(&digest(text.as_bytes()))[..12]));
                    }
                    _ => settle(member),
                }
            }
        }
        Value::Array(members) => members.iter_mut().for_each(settle),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Recognizes a possible secret by its name, or an address that contains one.
fn is_secret(name: &str, text: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let named = ["secret", "token", "password", "key", "header", "auth", "credential"];
    let in_address = text.split_once("://").is_some_and(|(_, rest)| rest.contains(['@', '?', '#']));
    named.iter().any(|part| name.contains(part)) || in_address
}
