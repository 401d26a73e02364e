//! Tests with a record that refuses writes for a while.
//!
//! Every request has one end, nothing runs twice, nothing hangs, and a person sees what is true meanwhile.

use crate::support::{Lab, Wire};
use postern_contract::Question;
use serde_json::{Value, json};
use std::path::PathBuf;

/// A program that leaves a line in a file each time it runs, and then waits for the end of its standard input.
struct Marker(PathBuf);

impl Marker {
    fn new(lab: &Lab) -> Self {
        Self(lab.home().join("marks"))
    }

    fn argv(&self) -> [String; 3] {
        ["sh".to_owned(), "-c".to_owned(), format!("echo x >> '{}'; cat", self.0.display())]
    }

    fn runs(&self) -> usize {
        std::fs::read_to_string(&self.0).map_or(0, |marks| marks.lines().count())
    }

    /// Asks for it; gives the request's id and the call's.
    async fn ask(&self, wire: &mut Wire) -> (String, i64) {
        let argv = self.argv();
        let argv: Vec<&str> = argv.iter().map(String::as_str).collect();
        wire.post_run(&argv, json!({"stdin": {"stream": true}})).await
    }

    /// Sends the same request again.
    async fn ask_again(&self, wire: &mut Wire, id: &str) -> i64 {
        let params = json!({
            "requestId": id, "command": self.argv(), "wait": "finished", "stdin": {"stream": true},
        });
        wire.post("system.run", params).await
    }
}

/// Returns a host whose agent may run anything.
async fn allowed() -> (Lab, Wire, Marker) {
    let lab = Lab::start().await;
    lab.set("main", &[("preset", "allow")]).await;
    let (wire, marker) = (lab.connect("main").await, Marker::new(&lab));
    (lab, wire, marker)
}

async fn end_of_input(wire: &mut Wire, id: &str) {
    let input = json!({"requestId": id, "data": "out", "eof": true});
    wire.call("system.input", input).await.unwrap();
}

fn owes(wanted: &'static str) -> impl Fn(&Value) -> bool {
    move |status| status["attention"].to_string().contains(wanted)
}

fn owes_nothing(status: &Value) -> bool {
    !status["attention"].to_string().contains("to be written")
}

/// Returns every end that the agent was told of, and what the record says.
async fn ends(lab: &Lab, wire: &mut Wire, id: &str) -> (Vec<String>, String) {
    wire.call("system.status", json!({"requestId": id})).await.unwrap();
    let mut replay = lab.connect_after("main", Some(0)).await;
    // The answer to this call comes behind what was missed.
    let newest = wire.call("system.status", json!({"requestId": id})).await.unwrap();
    let mut told = Vec::new();
    let last = replay.welcome["sequence"].as_u64().unwrap();
    let mut heard = 0;
    while heard < last {
        let notice = match replay.notices.pop_front() {
            Some(kept) => kept,
            None => replay.read().await.unwrap(),
        };
        heard = notice["params"]["sequence"].as_u64().unwrap();
        let method = notice["method"].as_str().unwrap();
        if notice["params"]["requestId"] == id && matches!(method, "exec.finished" | "exec.denied") {
            told.push(method.to_owned());
        }
    }
    (told, newest["state"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn an_ending_waits_for_the_record_and_then_comes_once() {
    let (mut lab, mut wire, marker) = allowed().await;
    let (id, call) = marker.ask(&mut wire).await;
    wire.event("exec.started").await;
    let full = lab.full_disk();
    end_of_input(&mut wire, &id).await;
    let status = lab.status(owes("1 ending waits to be written")).await;
    assert!(status["attention"].to_string().contains("database or disk is full"), "{status}");
    assert_eq!(status["running"], 0, "it runs no more: {status}");
    let theirs = wire.call("system.status", json!({"requestId": id})).await.unwrap();
    assert_eq!(theirs["state"], "finished", "{theirs}");
    let again = marker.ask_again(&mut wire, &id).await;
    let row = lab.control("requests.list", json!({})).await.unwrap()["requests"][0]["id"].clone();
    let killed = lab.control("requests.kill", json!({"id": row})).await.unwrap();
    assert_eq!(killed["applied"], false, "there is nothing to be ended any more");
    drop(full);
    for call in [call, again] {
        let done = wire.answer(call).await.unwrap();
        assert_eq!((&done["exitCode"], &done["stdout"]), (&json!(0), &json!("out")), "{done}");
    }
    lab.status(owes_nothing).await;
    assert_eq!(ends(&lab, &mut wire, &id).await, (vec!["exec.finished".to_owned()], "finished".to_owned()));
    assert_eq!(marker.runs(), 1);
}

#[tokio::test]
async fn a_run_that_is_killed_meanwhile_ends_as_killed() {
    let (mut lab, mut wire, marker) = allowed().await;
    let (id, call) = marker.ask(&mut wire).await;
    wire.event("exec.started").await;
    let full = lab.full_disk();
    let row = lab.control("requests.list", json!({})).await.unwrap()["requests"][0]["id"].clone();
    lab.control("requests.kill", json!({"id": row})).await.unwrap();
    lab.status(owes("1 ending waits")).await;
    drop(full);
    assert_eq!(wire.answer(call).await.unwrap()["outcome"], "killed");
    assert_eq!(ends(&lab, &mut wire, &id).await, (vec!["exec.finished".to_owned()], "finished".to_owned()));
}

#[tokio::test]
async fn what_was_never_on_record_did_not_happen() {
    let (mut lab, mut wire, marker) = allowed().await;
    let full = lab.full_disk();
    let (id, call) = marker.ask(&mut wire).await;
    let refused = wire.answer(call).await.unwrap_err();
    assert!(refused["message"].as_str().unwrap().contains("nothing was run"), "{refused}");
    assert_eq!(marker.runs(), 0);
    drop(full);
    let again = marker.ask_again(&mut wire, &id).await;
    end_of_input(&mut wire, &id).await;
    assert_eq!(wire.answer(again).await.unwrap()["exitCode"], 0, "the same request may be asked again");
    assert_eq!(marker.runs(), 1);
    lab.status(owes_nothing).await;
}

/// Returns a request that waits for the person, while nothing can be written.
async fn asked(lab: &mut Lab, wire: &mut Wire, marker: &Marker) -> (String, i64, Question) {
    let (id, call) = marker.ask(wire).await;
    let question = lab.question().await;
    wire.event("exec.pending").await;
    (id, call, question)
}

#[tokio::test]
async fn a_no_holds_and_says_that_it_is_not_written_down() {
    let mut lab = Lab::start().await;
    let (mut wire, marker) = (lab.connect("main").await, Marker::new(&lab));
    let (id, call, question) = asked(&mut lab, &mut wire, &marker).await;
    let full = lab.full_disk();
    let answered = lab.answer_to(&question, "deny", json!({})).await;
    assert_eq!(answered["applied"], true, "{answered}");
    assert!(answered["reason"].as_str().unwrap().contains("not written down yet"), "{answered}");
    lab.status(owes("1 ending waits")).await;
    drop(full);
    assert_eq!(wire.answer(call).await.unwrap()["reason"], "user");
    assert_eq!(ends(&lab, &mut wire, &id).await, (vec!["exec.denied".to_owned()], "denied".to_owned()));
    assert_eq!(marker.runs(), 0);
}

#[tokio::test]
async fn a_yes_that_cannot_be_written_down_starts_nothing_and_says_so() {
    let (mut lab, mut wire) = Lab::connected().await;
    let touched = lab.home().join("touched");
    let rules = lab.control("rules.list", json!({"agent": "main"})).await.unwrap();
    for answer in ["once", "always"] {
        let (id, call) = wire.post_run(&["touch", touched.to_str().unwrap()], json!({})).await;
        let question = lab.question().await;
        wire.event("exec.pending").await;
        let full = lab.full_disk();
        let answered = lab.answer_to(&question, answer, json!({"anywhere": true, "broad": true})).await;
        assert_eq!(answered["applied"], false, "{answered}");
        assert!(answered["reason"].as_str().unwrap().contains("nothing ran"), "{answered}");
        lab.status(owes("1 ending waits")).await;
        drop(full);
        let denied = wire.answer(call).await.unwrap();
        assert!(denied["message"].as_str().unwrap().contains("could not write it down"), "{denied}");
        let ends = ends(&lab, &mut wire, &id).await;
        assert_eq!(ends, (vec!["exec.denied".to_owned()], "denied".to_owned()));
        lab.status(owes_nothing).await;
    }
    assert!(!touched.exists());
    assert_eq!(lab.control("rules.list", json!({"agent": "main"})).await.unwrap(), rules, "none was saved");
}

#[tokio::test]
async fn what_is_withdrawn_or_expires_meanwhile_is_told_once() {
    let mut lab = Lab::start().await;
    let (mut wire, marker) = (lab.connect("main").await, Marker::new(&lab));
    let (id, call, _) = asked(&mut lab, &mut wire, &marker).await;
    let full = lab.full_disk();
    wire.call("system.kill", json!({"requestId": id})).await.unwrap();
    lab.status(|status| owes("1 ending waits")(status) && status["waiting"] == 0).await;
    drop(full);
    assert_eq!(wire.answer(call).await.unwrap()["reason"], "cancelled");
    assert_eq!(ends(&lab, &mut wire, &id).await, (vec!["exec.denied".to_owned()], "denied".to_owned()));
}

#[tokio::test]
async fn a_pause_holds_says_that_it_is_not_written_down_and_is_written_later() {
    let mut lab = Lab::start().await;
    let full = lab.full_disk();
    let problem = lab.control("pause", json!({})).await.unwrap_err();
    assert!(problem.contains("not written down yet"), "{problem}");
    let status = lab.status(owes("1 other entry of the record waits")).await;
    assert_eq!(status["mode"], "paused", "it holds at once");
    drop(full);
    lab.status(owes_nothing).await;
    let mut lab = lab.restart().await;
    assert_eq!(lab.control("status", json!({})).await.unwrap()["mode"], "paused", "it outlives a restart");
    let full = lab.full_disk();
    let problem = lab.control("resume", json!({})).await.unwrap_err();
    assert!(problem.contains("not written down yet"), "{problem}");
    let status = lab.status(owes("1 other entry of the record waits")).await;
    assert_eq!(status["mode"], "listening", "its end holds at once as well");
    drop(full);
    lab.status(owes_nothing).await;
    let lab = lab.restart().await;
    assert_eq!(lab.control("status", json!({})).await.unwrap()["mode"], "listening");
}

#[tokio::test]
async fn the_stop_of_an_agent_holds_and_is_written_later() {
    let mut lab = Lab::start().await;
    let (mut wire, marker) = (lab.connect("main").await, Marker::new(&lab));
    let (_, call, question) = asked(&mut lab, &mut wire, &marker).await;
    let full = lab.full_tables(&["agents"]);
    let answered = lab.answer_to(&question, "deny-all", json!({})).await;
    assert_eq!(answered["applied"], true, "{answered}");
    assert!(answered["reason"].is_string(), "it says that it is not saved: {answered}");
    lab.status(owes("1 other entry of the record")).await;
    drop(full);
    assert_eq!(wire.answer(call).await.unwrap()["reason"], "user");
    assert_eq!(wire.run(&["uname"]).await["reason"], "user", "it holds from the answer on");
    lab.status(owes_nothing).await;
    let lab = lab.restart().await;
    let mut wire = lab.connect("main").await;
    assert_eq!(wire.run(&["uname"]).await["reason"], "user", "it outlives a restart");
    assert_eq!(marker.runs(), 0);
}

#[tokio::test]
async fn one_that_waits_for_its_place_gets_it_when_the_end_before_it_is_written() {
    let (mut lab, mut wire, marker) = allowed().await;
    lab.set("main", &[("maxRunning", "1")]).await;
    let (first, first_call) = marker.ask(&mut wire).await;
    wire.event("exec.started").await;
    let (second, second_call) = marker.ask(&mut wire).await;
    // This is answered when it is on record.
    let taken = json!({"requestId": second, "command": marker.argv(), "stdin": {"stream": true}});
    assert_eq!(wire.call("system.run", taken).await.unwrap()["state"], "starting");
    let full = lab.full_disk();
    end_of_input(&mut wire, &first).await;
    let input = json!({"requestId": second, "data": "out", "eof": true});
    let fed = wire.post("system.input", input).await;
    lab.status(owes("1 ending waits")).await;
    assert_eq!(marker.runs(), 1, "nothing new runs");
    drop(full);
    for call in [first_call, second_call] {
        assert_eq!(wire.answer(call).await.unwrap()["exitCode"], 0);
    }
    wire.answer(fed).await.unwrap();
    assert_eq!(marker.runs(), 2);
}

/// Cause of the end of a request, while the record refuses something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EndedBy {
    Exit,
    Kill,
    Denial,
    Approval,
    Withdrawal,
    Expiry,
}

impl EndedBy {
    const ALL: [Self; 6] =
        [Self::Exit, Self::Kill, Self::Denial, Self::Approval, Self::Withdrawal, Self::Expiry];

    fn ends_a_run(self) -> bool {
        matches!(self, Self::Exit | Self::Kill)
    }

    /// Ends the request, and returns true if it ran.
    async fn bring_about(self, lab: &Lab, wire: &mut Wire, id: &str, question: Option<&Question>) -> bool {
        match (self, question) {
            (Self::Exit, _) => end_of_input(wire, id).await,
            (Self::Kill | Self::Withdrawal, _) => {
                wire.call("system.kill", json!({"requestId": id})).await.unwrap();
            }
            (Self::Denial, Some(question)) => {
                lab.answer_to(question, "deny", json!({})).await;
            }
            (Self::Approval, Some(question)) => {
                let answered = lab.answer_to(question, "once", json!({})).await;
                if answered["applied"] == true {
                    // Answered once it runs.
                    wire.post("system.input", json!({"requestId": id, "data": "out", "eof": true})).await;
                    return true;
                }
            }
            (Self::Expiry, _) => lab.host.fall_asleep().await,
            (Self::Denial | Self::Approval, None) => panic!("nobody was asked"),
        }
        self.ends_a_run()
    }
}

/// Waits until the only request has its end, or owes it.
async fn until_ended_or_owed(lab: &Lab) {
    loop {
        let row = lab.control("requests.list", json!({})).await.unwrap()["requests"][0].clone();
        let ended = ["finished", "denied", "failed"].iter().any(|state| row["state"] == *state);
        if ended || owes("1 ending waits")(&lab.control("status", json!({})).await.unwrap()) {
            return;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn whichever_write_is_refused_each_state_comes_to_one_end_later() {
    const REFUSED: [&[&str]; 3] = [&["requests"], &["events"], &["questions"]];
    for tables in REFUSED {
        for way in EndedBy::ALL {
            let at = format!("{way:?} while {tables:?} cannot be written");
            let mut lab = Lab::start().await;
            if way.ends_a_run() {
                lab.set("main", &[("preset", "allow")]).await;
            }
            let (mut wire, marker) = (lab.connect("main").await, Marker::new(&lab));
            let (id, call, question) = if way.ends_a_run() {
                let (id, call) = marker.ask(&mut wire).await;
                wire.event("exec.started").await;
                (id, call, None)
            } else {
                let (id, call, question) = asked(&mut lab, &mut wire, &marker).await;
                (id, call, Some(question))
            };
            let full = lab.full_tables(tables);
            let ran = way.bring_about(&lab, &mut wire, &id, question.as_ref()).await;
            until_ended_or_owed(&lab).await;
            drop(full);
            wire.answer(call).await.unwrap();
            lab.status(owes_nothing).await;
            let (told, state) = ends(&lab, &mut wire, &id).await;
            assert_eq!(told.len(), 1, "{at}: {told:?}");
            assert_eq!(state, if ran { "finished" } else { "denied" }, "{at}");
            assert_eq!(marker.runs(), usize::from(ran), "{at}");
        }
    }
}
