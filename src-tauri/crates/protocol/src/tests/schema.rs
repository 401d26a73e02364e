//! Generator of `docs/wire.schema.json`, the JSON Schema of the channel, from the types of this crate.
//!
//! `scripts/wire` writes it, and a test holds it to the types. The product carries nothing of this.

use crate::answer::{
    Accepted, EventsAfterResult, InputResult, KillResult, OutputResult, SessionResult, StatusResult,
    ToolCheckResult, WhichResult,
};
use crate::notice::{ExecDenied, ExecFinished, ExecOutput, ExecStarted, NoticeHeader, Pending, ToolResolved};
use crate::params::{
    EventsAfterParams, InputParams, KillParams, OutputParams, SessionCloseParams, SessionOpenParams,
    StatusParams, ToolCheckParams, WhichParams,
};
use crate::run::Wire;
use crate::words::RunState;
use crate::{AgentCall, AuthenticateParams, CallId, ErrorObject, Hello, Nonce, Signal, Welcome, limits};
use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::{JsonSchema, Schema, json_schema};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::BTreeSet;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/wire.schema.json");
const WRITTEN: &str = include_str!("../../../../../docs/wire.schema.json");

/// `stdin` of `system.run`: a text, or `{"stream": true}`.
pub(crate) struct StdinOnTheWire;

impl JsonSchema for StdinOnTheWire {
    fn schema_name() -> Cow<'static, str> {
        "Stdin".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Standard input: a text, or sent with system.input while it runs.",
            "oneOf": [
                {"type": "string", "maxLength": limits::STDIN},
                {"type": "object", "properties": {"stream": {"const": true}}, "required": ["stream"],
                 "additionalProperties": false},
            ],
        })
    }
}

impl JsonSchema for Signal {
    fn schema_name() -> Cow<'static, str> {
        "Signal".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"description": "A signal by its name, with or without SIG.", "type": "string", "pattern": "^(SIG)?[A-Z0-9]+$"})
    }
}

impl JsonSchema for Nonce {
    fn schema_name() -> Cow<'static, str> {
        "Nonce".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"description": "A number used once: 32 hex digits.", "type": "string", "pattern": "^[0-9a-fA-F]{32}$"})
    }
}

#[test]
fn the_published_schema_is_what_the_types_say() {
    let published: Value = serde_json::from_str(WRITTEN).expect("docs/wire.schema.json is JSON");
    assert!(published == schema(), "the wire's types changed: run scripts/wire and commit what it writes");
}

#[test]
#[ignore = "writes docs/wire.schema.json: run by scripts/wire"]
fn write_the_schema() {
    #[expect(clippy::disallowed_methods, reason = "what this test is for")]
    std::fs::write(FILE, format!("{:#}\n", schema())).expect("docs can be written to");
}

/// Returns the whole of it. `$defs` has each request and each event by its method's name, and each answer as
/// `METHOD.result`.
fn schema() -> Value {
    let mut types = SchemaSettings::draft2020_12().into_generator();
    let mut defs = Map::new();
    let agent = requests(&mut types, &mut defs);
    let mut host = vec![reference("hello")];
    defs.insert("hello".to_owned(), notification("hello", &types.subschema_for::<Hello>().to_value()));
    host.extend(events(&mut types, &mut defs));
    host.extend(answers(&mut types, &mut defs));
    let id = types.subschema_for::<CallId>();
    let error = types.subschema_for::<ErrorObject>();
    let failure = object(
        &json!({"jsonrpc": {"const": "2.0"}, "id": {"anyOf": [id, {"type": "null"}]}, "error": error}),
    );
    defs.insert("error".to_owned(), failure);
    host.push(reference("error"));
    defs.insert("AgentMessage".to_owned(), json!({"description": "Message of an agent.", "oneOf": agent}));
    defs.insert("HostMessage".to_owned(), json!({"description": "Message of the host.", "anyOf": host}));
    defs.extend(types.take_definitions(true));
    one_of_both(&mut defs);
    let mut all = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Postern, an agent's channel, version 1",
        "description": "One JSON-RPC 2.0 message a line. docs/PROTOCOL.md says what each means. A host may say members that are not listed.",
        "anyOf": [reference("AgentMessage"), reference("HostMessage")],
        "$defs": defs,
    });
    plain_words(&mut all);
    all
}

fn requests(types: &mut SchemaGenerator, defs: &mut Map<String, Value>) -> Vec<Value> {
    let params: [(&str, Schema); 11] = [
        (AuthenticateParams::METHOD, types.subschema_for::<AuthenticateParams>()),
        ("system.run", types.subschema_for::<Wire>()),
        ("system.status", types.subschema_for::<StatusParams>()),
        ("system.output", types.subschema_for::<OutputParams>()),
        ("system.input", types.subschema_for::<InputParams>()),
        ("system.kill", types.subschema_for::<KillParams>()),
        ("system.which", types.subschema_for::<WhichParams>()),
        ("session.open", types.subschema_for::<SessionOpenParams>()),
        ("session.close", types.subschema_for::<SessionCloseParams>()),
        ("tool.check", types.subschema_for::<ToolCheckParams>()),
        ("events.after", types.subschema_for::<EventsAfterParams>()),
    ];
    assert!(
        AgentCall::METHODS.iter().all(|name| params.iter().any(|(known, _)| known == name)),
        "every method"
    );
    let id = types.subschema_for::<CallId>();
    let request = |method: &str, params: &Schema| {
        let mut request = object(&json!({
            "jsonrpc": {"const": "2.0"}, "id": id, "method": {"const": method}, "params": params,
        }));
        request["additionalProperties"] = Value::Bool(false);
        request
    };
    defs.extend(params.iter().map(|(method, params)| ((*method).to_owned(), request(method, params))));
    params.iter().map(|(method, _)| reference(method)).collect()
}

fn events(types: &mut SchemaGenerator, defs: &mut Map<String, Value>) -> Vec<Value> {
    let head = types.subschema_for::<NoticeHeader>();
    let bodies: [(&str, Schema); 6] = [
        ("exec.pending", types.subschema_for::<Pending>()),
        ("exec.started", types.subschema_for::<ExecStarted>()),
        ("exec.output", types.subschema_for::<ExecOutput>()),
        ("exec.finished", types.subschema_for::<ExecFinished>()),
        ("exec.denied", types.subschema_for::<ExecDenied>()),
        ("tool.resolved", types.subschema_for::<ToolResolved>()),
    ];
    assert!(bodies.iter().all(|(name, _)| crate::Notice::is_known_method(name)));
    let event =
        |name: &str, body: &Schema| (name.to_owned(), notification(name, &json!({"allOf": [head, body]})));
    defs.extend(bodies.iter().map(|(name, body)| event(name, body)));
    bodies.iter().map(|(name, _)| reference(name)).collect()
}

fn answers(types: &mut SchemaGenerator, defs: &mut Map<String, Value>) -> Vec<Value> {
    let head = types.subschema_for::<NoticeHeader>();
    let state = json!({"type": "object", "properties": {"state": types.subschema_for::<RunState>()}, "required": ["state"]});
    let ended = |body: Schema| json!({"allOf": [state, head, body]});
    let run = json!({"anyOf": [
        types.subschema_for::<Accepted>(),
        ended(types.subschema_for::<ExecFinished>()),
        ended(types.subschema_for::<ExecDenied>()),
    ]});
    let results: [(&str, Value); 11] = [
        ("authenticate", types.subschema_for::<Welcome>().to_value()),
        ("system.run", run),
        ("system.status", types.subschema_for::<StatusResult>().to_value()),
        ("system.output", types.subschema_for::<OutputResult>().to_value()),
        ("system.input", types.subschema_for::<InputResult>().to_value()),
        ("system.kill", types.subschema_for::<KillResult>().to_value()),
        ("system.which", types.subschema_for::<WhichResult>().to_value()),
        ("session.open", types.subschema_for::<SessionResult>().to_value()),
        ("session.close", types.subschema_for::<SessionResult>().to_value()),
        ("tool.check", types.subschema_for::<ToolCheckResult>().to_value()),
        ("events.after", types.subschema_for::<EventsAfterResult>().to_value()),
    ];
    let id = types.subschema_for::<CallId>();
    results
        .into_iter()
        .map(|(method, result)| {
            let name = format!("{method}.result");
            let answer = object(&json!({"jsonrpc": {"const": "2.0"}, "id": id, "result": result}));
            defs.insert(name.clone(), answer);
            reference(&name)
        })
        .collect()
}

fn notification(method: &str, params: &Value) -> Value {
    object(&json!({"jsonrpc": {"const": "2.0"}, "method": {"const": method}, "params": params}))
}

/// Returns an object that has all of these members.
fn object(properties: &Value) -> Value {
    // In a fixed order, whichever order of members serde_json was built to keep.
    let names: BTreeSet<&str> =
        properties.as_object().into_iter().flatten().map(|(name, _)| &**name).collect();
    json!({"type": "object", "properties": properties, "required": names})
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/$defs/{name}")})
}

/// Adds what a type cannot express: `system.run` has one of two members.
fn one_of_both(defs: &mut Map<String, Value>) {
    let run = defs.get_mut("Wire").expect("the type of system.run's parameters");
    run["oneOf"] = json!([{"required": ["command"]}, {"required": ["shell"]}]);
}

/// Descriptions are the types' own comments, without the links that only Rust's pages follow.
fn plain_words(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    Value::String(text) if name == "description" => {
                        *text = text.replace("[`", "`").replace("`]", "`").replace('\n', " ");
                    }
                    other => plain_words(other),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(plain_words),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
