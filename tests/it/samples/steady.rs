//! Answers of a host with everything that differs from run to run and from computer to computer put in stable words.

use super::{ASKED, HOME};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};
use uuid::Uuid;

const MINUTE: i64 = 60_000;
/// Smallest number that is a time: all others are smaller.
const TIMES: i64 = 1_500_000_000_000;

/// Words and numbers that stand for those of one run.
pub(super) struct Steady {
    words: Vec<(String, String)>,
    ids: HashMap<Uuid, String>,
    start: i64,
}

impl Steady {
    /// Makes the replacements of this run.
    ///
    /// `words` are texts of this run, each with its replacement; `start` is the beginning of the run: all
    /// later times were just now.
    pub(super) fn new(words: Vec<(String, String)>, start: i64) -> Self {
        Self { words, ids: HashMap::new(), start }
    }

    /// Puts stable words into a value. The host's ids sort by time as they did; others are counted as they come.
    pub(super) fn steady(&mut self, mut value: Value) -> Value {
        replaced(&mut value, &self.words);
        let mut ids = BTreeSet::new();
        own_ids(&value, &mut ids);
        let named = |(nth, id)| (id, format!("0199a1c0-0000-7000-8000-9{nth:011}"));
        self.ids.extend((1..).zip(ids).map(named));
        self.walk("", &mut value);
        value
    }

    fn walk(&mut self, key: &str, value: &mut Value) {
        match (key, &mut *value) {
            (_, Value::Null) => {}
            // The host knows the home folder of who runs it, which is not the samples' person's.
            ("place" | "places", _) => replaced(value, &[(HOME.to_owned(), "~".to_owned())]),
            ("sha256", _) => *value = json!("9f3ac41e".repeat(8)),
            ("shortHash", _) => *value = json!("9f3ac41e"),
            ("digest" | "hash", _) => *value = json!("a".repeat(64)),
            ("code", _) => *value = json!("9f3a"),
            ("size", _) => *value = json!(5_242_880),
            ("mtimeNs" | "ctimeNs", _) => *value = json!("1760000000000000000"),
            ("device", _) => *value = json!(1),
            ("inode" | "pid", Value::Number(_)) => *value = json!(4242),
            ("inode", _) => *value = json!("4242"),
            ("bytes", _) => *value = json!(23_400_000),
            ("durationMs", _) => *value = json!(41),
            ("timeline", Value::Array(moments)) => {
                for (nth, moment) in (0..).zip(moments) {
                    moment["at"] = json!(ASKED + 3 * nth);
                }
            }
            (_, Value::String(text)) => {
                if let Ok(id) = Uuid::parse_str(text) {
                    let nth = self.ids.len() + 1;
                    let name = || format!("0199a1c0-0000-7000-8000-{nth:012}");
                    text.clone_from(self.ids.entry(id).or_insert_with(name));
                }
            }
            (_, Value::Number(number)) => {
                if let Some(at) = number.as_i64().filter(|at| *at > TIMES) {
                    *value = json!(self.time(at));
                }
            }
            (_, Value::Array(items)) => items.iter_mut().for_each(|item| self.walk(key, item)),
            (_, Value::Object(members)) => {
                members.iter_mut().for_each(|(key, member)| self.walk(key, member));
            }
            (_, Value::Bool(_)) => {}
        }
    }

    /// Returns the time as far from [`ASKED`] as it was from the start, to the minute.
    fn time(&self, at: i64) -> i64 {
        let gone = at - self.start;
        let just_now = (0..15 * MINUTE).contains(&gone);
        ASKED + if just_now { 0 } else { (gone + MINUTE / 2).div_euclid(MINUTE) * MINUTE }
    }
}

/// Collects the host's own ids.
fn own_ids(value: &Value, ids: &mut BTreeSet<Uuid>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| own_ids(item, ids)),
        Value::Object(members) => {
            ids.extend(members.get("id").and_then(Value::as_str).and_then(|id| Uuid::parse_str(id).ok()));
            members.values().for_each(|member| own_ids(member, ids));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Puts these names in the place of those words, in every text.
pub(super) fn replaced(value: &mut Value, words: &[(String, String)]) {
    match value {
        Value::String(text) => {
            for (chosen, name) in words {
                *text = text.replace(chosen.as_str(), name);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| replaced(item, words)),
        Value::Object(members) => members.values_mut().for_each(|member| replaced(member, words)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
