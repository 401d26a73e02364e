//! Tests of `kill -9` at any moment of a busy host, again and again over one record.
//!
//! Nothing runs twice, nothing that was acknowledged is lost, and every request has an end once the host is
//! back.

use super::busy::{Busy, Known};
use postern_client::Control;
use postern_contract::RequestRow;
use postern_contract::methods::{ListRequests, ListRules, RequestFilter, RuleFilter};
use postern_protocol::{Decided, RunState};
use postern_tests::Postern;
use std::collections::{HashMap, HashSet};

#[test]
fn a_host_that_is_killed_at_any_moment_keeps_what_it_promised() {
    rounds(6);
}

#[test]
#[ignore = "half an hour; by hand: cargo test --workspace --test system a_thousand_kills -- --ignored"]
fn a_thousand_kills() {
    rounds(1000);
}

fn rounds(count: usize) {
    let mut host = Postern::start();
    let busy = Busy::prepare(&host);
    let mut gone = HashSet::new();
    for round in 0..count {
        // How far it gets is different each time; a moment is an event, an answer or a rule that was acknowledged.
        let dice = uuid::Uuid::new_v4().as_u128();
        let (moments, yields) = (dice % 60 + 1, (dice >> 64) % 400);
        let known = busy.until(moments, || {
            for _ in 0..yields {
                std::thread::yield_now();
            }
            host.crash();
        });
        host.start_again();
        gone.extend(known.removed.iter().cloned());
        let at = format!("round {round}, killed after {moments} moments and {yields} yields");
        check(&host, &busy.ran(), &known, &gone, &at);
    }
    busy.until_none_is_left();
}

fn check(host: &Postern, ran: &[String], known: &Known, gone: &HashSet<String>, at: &str) {
    let mut control = Control::connect(&host.data()).unwrap();
    let filter = RequestFilter { limit: Some(1000), ..RequestFilter::default() };
    let rows = control.call_method::<ListRequests>(&filter).unwrap().requests;
    for row in &rows {
        let ended = row.state.has_ended() && row.state != RunState::Allowed;
        assert!(ended, "{at}: every request has an end: {row:?}");
    }
    let rows: HashMap<&str, &RequestRow> = rows.iter().map(|row| (row.request_id.as_str(), row)).collect();
    check_runs(ran, known, &rows, at);
    check_answers(known, &rows, at);
    let rules = control.call_method::<ListRules>(&RuleFilter::default()).unwrap().rules;
    let there: HashSet<&str> = rules.iter().map(|row| row.text.as_str()).collect();
    for rule in &known.added {
        assert!(there.contains(rule.as_str()), "{at}: the rule {rule} was acknowledged and is lost");
    }
    for rule in gone {
        assert!(!there.contains(rule.as_str()), "{at}: the rule {rule} was removed and is back");
    }
}

fn check_runs(ran: &[String], known: &Known, rows: &HashMap<&str, &RequestRow>, at: &str) {
    let mut once = HashSet::new();
    for request in ran {
        assert!(once.insert(request.as_str()), "{at}: {request} ran twice");
        let denied = rows.get(request.as_str()).is_some_and(|row| row.state == RunState::Denied);
        assert!(!denied, "{at}: {request} ran and is on the record as denied");
    }
    let row = |request: &str| {
        *rows.get(request).unwrap_or_else(|| panic!("{at}: {request} was told of and is not on the record"))
    };
    for request in &known.started {
        let state = row(request).state;
        assert_eq!(state, RunState::Finished, "{at}: {request} was told to have started");
    }
    for request in &known.finished {
        let row = row(request);
        assert_eq!(row.exit_code, Some(0), "{at}: its agent was told that it ended well: {row:?}");
        assert!(once.contains(request.as_str()), "{at}: its agent was told that {request} ran");
    }
    for request in &known.denied {
        assert_eq!(row(request).state, RunState::Denied, "{at}: {request} was told to be denied");
        assert!(!once.contains(request.as_str()), "{at}: {request} was told to be denied and ran");
    }
}

/// Checks that an answer that was acknowledged is on the record, with anything after it.
fn check_answers(known: &Known, rows: &HashMap<&str, &RequestRow>, at: &str) {
    let by_number: HashMap<&str, &RequestRow> = rows.values().map(|row| (row.id.as_str(), *row)).collect();
    for (request, allowed) in &known.answered {
        let row = by_number[request.as_str()];
        let expected = if *allowed { Decided::YouAllowed } else { Decided::YouDenied };
        assert_eq!(row.decided, Some(expected), "{at}: the person's answer is lost: {row:?}");
    }
}
