//! Traces and logs, taken by a stand-in for a collector.

use super::Asked;
use postern_tests::{Endpoint, Postern};
use serde_json::{Value, json};

/// Spans and records, as they came.
#[derive(Default)]
struct Heard {
    spans: Vec<Value>,
    records: Vec<Value>,
}

impl Heard {
    /// Listens until this holds. Both signals come in their own time.
    fn until(&mut self, endpoint: &Endpoint, holds: impl Fn(&Self) -> bool) {
        while !holds(self) {
            let posted = endpoint.next();
            let all = posted.json();
            let (list, one, into) = match posted.path.as_str() {
                "/v1/traces" => ("scopeSpans", "spans", &mut self.spans),
                "/v1/logs" => ("scopeLogs", "logRecords", &mut self.records),
                other => panic!("nothing is said to {other}"),
            };
            let resources =
                all["resourceSpans"].as_array().or_else(|| all["resourceLogs"].as_array()).unwrap();
            for resource in resources {
                assert_eq!(attribute(&resource["resource"], "service.name"), json!("postern"));
                for scope in resource[list].as_array().unwrap() {
                    into.extend(scope[one].as_array().unwrap().iter().cloned());
                }
            }
        }
    }

    fn span(&self, name: &str) -> &Value {
        self.spans
            .iter()
            .find(|span| span["name"] == name)
            .unwrap_or_else(|| panic!("{name}: {:?}", self.spans))
    }

    fn told(&self, event: &str) -> bool {
        self.records.iter().any(|record| record["body"]["stringValue"] == event)
    }
}

fn attribute(of: &Value, key: &str) -> Value {
    let found = of["attributes"].as_array().unwrap().iter().find(|attribute| attribute["key"] == key);
    let value = found.map(|attribute| attribute["value"].clone()).unwrap_or_default();
    value.as_object().and_then(|kinds| kinds.values().next().cloned()).unwrap_or_default()
}

fn open(endpoint: &Endpoint, more: &[&str]) -> (Postern, std::path::PathBuf) {
    let (host, channel) = Postern::with_agent();
    let address = format!("endpoint={}", endpoint.url(""));
    host.ok(&[&["doors", "enable", "otel", &address], more].concat());
    (host, channel)
}

#[test]
fn a_request_is_one_trace_with_its_parts_and_without_its_arguments() {
    let collector = Endpoint::start(&[]);
    let (host, channel) = open(&collector, &[]);
    let watcher = host.watch();
    let asked = Asked::new(&channel, &["uname", "-s"]);
    let question = watcher.question();
    host.approve(&question);
    assert_eq!(asked.end().code, 0);
    let mut heard = Heard::default();
    heard.until(&collector, |heard| heard.spans.len() == 4 && heard.told("request.finished"));
    let root = heard.span("system.run").clone();
    for part in ["judge", "question", "run"] {
        let part = heard.span(part);
        assert_eq!((&part["parentSpanId"], &part["traceId"]), (&root["spanId"], &root["traceId"]), "{part}");
        let time = |name: &str| part[name].as_str().unwrap().parse::<u64>().unwrap();
        assert!(time("startTimeUnixNano") <= time("endTimeUnixNano"), "{part}");
    }
    let row = &host.json(&["history"])[0];
    let id = row["id"].as_str().unwrap();
    assert_eq!(attribute(&root, "postern.request.id"), json!(id));
    assert_eq!(root["traceId"], id.replace('-', ""), "whoever has the request finds the trace");
    assert_eq!(attribute(&root, "process.executable.name"), "uname");
    assert_eq!(attribute(&root, "postern.decided"), "you-allowed");
    let all = format!("{:?}{:?}", heard.spans, heard.records);
    assert!(!all.contains("uname -s"), "no arguments leave unless the person says so");
    for event in ["request.received", "request.asked", "request.started"] {
        assert!(heard.told(event), "{event}: {:?}", heard.records);
    }
    let of_request = |record: &&Value| record["body"]["stringValue"] == "request.received";
    let record = heard.records.iter().find(of_request).unwrap();
    assert_eq!((&record["traceId"], &record["spanId"]), (&root["traceId"], &root["spanId"]), "{record}");
}

#[test]
fn a_denial_is_no_error_and_a_failure_is_one() {
    let collector = Endpoint::start(&[]);
    let (host, channel) = open(&collector, &["commands=full"]);
    host.ok(&["agents", "set", "main", "preset=allow", "--yes"]);
    host.ok(&["rules", "deny", "uname", "--agent", "main"]);
    assert_eq!(Asked::new(&channel, &["uname", "-s"]).end().code, 126);
    assert_eq!(Asked::new(&channel, &["sh", "-c", "exit 3"]).end().code, 3);
    let roots = |heard: &Heard| {
        heard.spans.iter().filter(|span| span["name"] == "system.run").cloned().collect::<Vec<_>>()
    };
    let mut heard = Heard::default();
    heard.until(&collector, |heard| roots(heard).len() == 2);
    let roots = roots(&heard);
    let of = |state: &str| roots.iter().find(|root| attribute(root, "postern.state") == state).unwrap();
    let (denied, failed) = (of("denied"), of("finished"));
    assert_ne!(denied["status"]["code"], 2, "{denied}");
    assert_eq!(failed["status"]["code"], 2, "{failed}");
    assert_eq!(attribute(failed, "process.exit.code"), json!("3"), "{failed}");
    let got = attribute(denied, "process.command_line");
    assert_eq!(got, "uname -s", "the person said that all of it may leave");
}

#[test]
fn a_collector_that_is_stuck_holds_up_nobody_and_the_door_closes() {
    let collector = Endpoint::start(&["hang"; 50]);
    let (host, channel) = open(&collector, &[]);
    host.ok(&["agents", "set", "main", "preset=allow", "--yes"]);
    for _ in 0..3 {
        assert_eq!(Asked::new(&channel, &["uname"]).end().code, 0);
    }
    let posted = collector.next();
    assert!(posted.path.starts_with("/v1/"), "{posted:?}");
    assert_eq!(Asked::new(&channel, &["uname"]).end().code, 0, "while it is stuck");
    host.ok(&["doors", "disable", "otel"]);
    assert_eq!(Asked::new(&channel, &["uname"]).end().code, 0);
}

#[test]
fn a_confined_run_tells_its_profile() {
    let collector = Endpoint::start(&[]);
    let (host, channel) = open(&collector, &[]);
    host.ok(&["agents", "set", "main", "look=allow"]);
    assert_eq!(Asked::new(&channel, &["uname", "-s"]).end().code, 0);
    let mut heard = Heard::default();
    heard.until(&collector, |heard| heard.told("request.finished") && !heard.spans.is_empty());
    assert_eq!(attribute(heard.span("system.run"), "postern.profile"), "look");
}
