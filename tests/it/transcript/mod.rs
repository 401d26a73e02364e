//! The transcript in docs/PROTOCOL.md: a real host and a client that writes down every line of both. `scripts/wire` writes
//! it, this test holds it, and every line keeps to docs/wire.schema.json.

mod recorded;
mod stories;

use jsonschema::Validator;
use postern_tests::repository;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

const START: &str = "<!-- transcript: written by scripts/wire -->\n";
const END: &str = "<!-- end of transcript -->";

#[test]
fn the_page_tells_what_is_really_said() {
    let page = page();
    let told = stories::all();
    assert_eq!(section(&page), told, "the wire changed: run scripts/wire and commit what it writes");
    Schema::read().check(&told);
}

#[test]
#[ignore = "writes docs/PROTOCOL.md: run by scripts/wire"]
fn write_the_page() {
    let page = page();
    let (head, rest) = page.split_once(START).unwrap();
    let tail = rest.split_once(END).unwrap().1;
    let fresh = format!("{head}{START}{}{END}{tail}", stories::all());
    fs::write(repository().join("docs/PROTOCOL.md"), fresh).unwrap();
}

fn page() -> String {
    fs::read_to_string(repository().join("docs/PROTOCOL.md")).unwrap()
}

fn section(page: &str) -> &str {
    let rest = page.split_once(START).expect("docs/PROTOCOL.md has a transcript").1;
    rest.split_once(END).expect("and says where it ends").0
}

/// The published schema, a validator for each of its messages.
struct Schema {
    defs: Value,
    validators: BTreeMap<String, Validator>,
}

impl Schema {
    fn read() -> Self {
        let text = fs::read_to_string(repository().join("docs/wire.schema.json")).unwrap();
        let whole: Value = serde_json::from_str(&text).unwrap();
        Self { defs: whole["$defs"].clone(), validators: BTreeMap::new() }
    }

    /// Checks that every line is a message of its kind, every kind is there, and the two sides' messages are
    /// not taken for each other.
    fn check(mut self, transcript: &str) {
        let mut asked: BTreeMap<String, String> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        for line in transcript.lines() {
            let Some((who, message)) =
                line.split_once("  ").filter(|(who, _)| ["agent", "host"].contains(who))
            else {
                continue;
            };
            let message: Value = serde_json::from_str(message.trim()).unwrap();
            let kind = match (message["method"].as_str(), message.get("error")) {
                (_, Some(_)) => "error".to_owned(),
                (Some(method), None) => method.to_owned(),
                (None, None) => format!("{}.result", asked[&message["id"].to_string()]),
            };
            if who == "agent" {
                asked.insert(message["id"].to_string(), kind.clone());
            }
            if who == "agent" && self.defs.get(&kind).is_none() {
                assert!(!self.validator("AgentMessage").is_valid(&message), "{kind} is no method");
                continue;
            }
            self.holds(&kind, &message);
            self.holds(if who == "agent" { "AgentMessage" } else { "HostMessage" }, &message);
            seen.insert(kind);
        }
        let missing: Vec<&String> = self
            .defs
            .as_object()
            .unwrap()
            .keys()
            .filter(|name| is_message(name) && !seen.contains(*name))
            .collect();
        assert!(missing.is_empty(), "the transcript shows everything that can be said, but for {missing:?}");
        let odd = json!({"jsonrpc": "2.0", "id": 1, "method": "system.run", "params": {"requestId": "x", "approved": true}});
        assert!(!self.validator("AgentMessage").is_valid(&odd), "the schema refuses something");
    }

    fn holds(&mut self, kind: &str, message: &Value) {
        let errors: Vec<String> =
            self.validator(kind).iter_errors(message).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{kind} {message}: {errors:?}");
    }

    fn validator(&mut self, kind: &str) -> &Validator {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$ref": format!("#/$defs/{kind}"),
            "$defs": self.defs,
        });
        self.validators
            .entry(kind.to_owned())
            .or_insert_with(|| jsonschema::validator_for(&schema).expect("docs/wire.schema.json is a schema"))
    }
}

/// Messages have small letters, types have not.
fn is_message(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_lowercase())
}
