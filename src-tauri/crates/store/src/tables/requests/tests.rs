//! A request's row, its key, its changes and the lists it is in.

use super::*;
use crate::Store;
use crate::tables::history;
use crate::tally::Wanted;
use crate::testing::{agent_id, new_request, open_temp_store as opened};
use postern_command::{CommandEffect, EffectScope, Reversible};
use postern_policy::{Cause, Decision, RatedEffect, Reason, Risk, RiskLevel, Verdict};
use postern_protocol::{AllowedBy, Decided, DenyReason, EndReason, Outcome, RunState};
use postern_request::{
    BoundDir, Denial, Exit, Launch, Plan, PlanStdin, Refusal, RequestEnding, RequestState, RunEnd,
};

fn verdict() -> Verdict {
    Verdict {
        decision: Decision::Ask,
        reason: Reason::AllowlistMiss,
        cause: Cause::NoRule { command: Some("ls".to_owned()) },
        advice: None,
        rule: None,
        risk: Risk {
            level: RiskLevel::NeedsReview,
            effects: vec![RatedEffect {
                effect: CommandEffect::Write { paths: vec!["x".to_owned()] },
                scope: EffectScope::Inside,
                reversible: Reversible::Unknown,
                level: RiskLevel::NeedsReview,
                step: Some(0),
                span: (0, 1),
                guessed: false,
                measured: None,
                named: None,
            }],
        },
        confinement: postern_policy::Confinement::None,
        steps: Vec::new(),
        used: vec![3],
        trace: Vec::new(),
    }
}

fn plan() -> Plan {
    Plan {
        agent: agent_id("main"),
        session: Some("s".into()),
        origin: postern_policy::Origin::Host,
        call: None,
        launch: Launch::Argv { argv: vec!["git".into()] },
        programs: Vec::new(),
        scripts: Vec::new(),
        cwd: BoundDir { path: "/".into(), device: 1, inode: u64::MAX },
        confinement: postern_policy::Confinement::None,
        env: vec![("A".into(), "b".into())],
        git: postern_request::BoundGit::default(),
        stdin: PlanStdin::Nothing,
        timeout_ms: None,
        policy: 3,
    }
}

fn denied(reason: DenyReason) -> RequestEnding {
    let feedback = Some("not today".into());
    RequestEnding::Denied(Denial { reason, feedback, rule: Some(4), ..Refusal::Person.into() })
}

fn put(store: &Store, new: &NewRequest) -> NewRequestOutcome {
    let new = new.clone();
    store.write_now(move |conn| record_request(conn, &new))
}

fn put_change(store: &Store, id: uuid::Uuid, to: RequestChange) -> bool {
    store.write_now(move |conn| change(conn, id, &to))
}

#[test]
fn the_same_number_again_gives_the_stored_request_and_other_content_is_a_conflict() {
    let (_folder, store) = opened();
    let first = new_request("main", "r1", 1);
    assert_eq!(put(&store, &first), NewRequestOutcome::New);
    let again = NewRequest { id: new_request("main", "r1", 2).id, ..first.clone() };
    match put(&store, &again) {
        NewRequestOutcome::Same(row) => assert_eq!(row.summary.id, first.id, "the first one's"),
        other => panic!("{other:?}"),
    }
    assert_eq!(put(&store, &NewRequest { content: [8; 32], ..again.clone() }), NewRequestOutcome::Conflict);
    let other = NewRequest { agent: agent_id("other"), ..again };
    assert_eq!(put(&store, &other), NewRequestOutcome::New, "numbers of agents are their own");
}

fn live_through(store: &Store, key: uuid::Uuid, process: &RecordedProcess, ending: &RequestEnding) {
    let judged = RequestChange::to_phase(RunState::Asking, 2)
        .judged(&verdict())
        .unwrap()
        .planned(&plan(), &plan().digest())
        .unwrap();
    let judged = judged.with_facts("{\"steps\":[]}".into());
    assert!(put_change(store, key, judged));
    let yes = RequestChange::to_phase(RunState::Starting, 3)
        .with_allowed_by(&AllowedBy::Person)
        .unwrap()
        .answered_by("window");
    assert!(put_change(store, key, yes));
    assert!(store.write_now(move |conn| intend(conn, key, 4)));
    assert!(!store.write_now(move |conn| intend(conn, key, 4)), "at most once");
    assert!(put_change(store, key, RequestChange::to_phase(RunState::Running, 5).process(process.clone())));
    assert!(put_change(store, key, RequestChange::to_phase(RunState::Stopping, 6)));
    assert!(put_change(store, key, RequestChange::from_ending(ending, 7).unwrap()));
}

#[test]
fn a_whole_life_is_written_down() {
    let (_folder, store) = opened();
    let new = new_request("main", "r1", 1);
    put(&store, &new);
    let process = RecordedProcess { pid: 7, start_time: 1234, boot: "boot".into() };
    let ending = RequestEnding::Finished { end: Exit::Code(3).into() };
    live_through(&store, new.id, &process, &ending);
    let row = store.read(|conn| get_request(conn, new.id)).unwrap().unwrap();
    let summary = Summary {
        number: row.summary.number,
        id: new.id,
        agent: agent_id("main"),
        request_id: "r1".into(),
        origin: postern_policy::Origin::Host,
        session: None,
        folder: Some("/".into()),
        phase: RunState::Finished,
        line: "git show r1".into(),
        risk: Some(verdict().risk),
        ending: Some(EndReason::Ran(Outcome::Exited)),
        exit_code: Some(3),
        by: Some(AllowedBy::Person),
        answered_by: Some("window".into()),
        denied_by: None,
        received_at: 1,
        started_at: Some(5),
        ended_at: Some(7),
    };
    let expected = StoredRequest {
        summary,
        content: [7; 32],
        asked_at: Some(2),
        decided_at: Some(3),
        intended_at: Some(4),
        process: Some(process),
        digest: Some(plan().digest()),
        feedback: None,
        ending: Some(ending),
        asked: "{}".into(),
        plan: Some(plan()),
        verdict: Some(verdict()),
        asked_line: None,
        facts: Some("{\"steps\":[]}".into()),
        told: None,
    };
    assert_eq!(row, expected);
    let whole = store.read(|conn| history::list_whole(conn, &Filter::default(), 10)).unwrap();
    assert_eq!(whole, std::slice::from_ref(&expected), "a page of whole requests is the same");
    let read = || store.read(|conn| get_by_key(conn, &agent_id("main"), "r1")).unwrap();
    assert_eq!(read(), Some(expected.clone()));
    assert!(plain_bytes(&store, "r1") > 0);
    store.write_now(crate::search::index_all);
    assert_eq!(read(), Some(expected.clone()), "packed, it says the same");
    assert_eq!(plain_bytes(&store, "r1"), 0, "and nothing is kept twice");
    let listed = store.read(|conn| history::list_newest(conn, &Filter::default(), 10)).unwrap();
    assert_eq!(listed, [expected.summary], "a list says so too");
}

/// Returns how long the long parts of a request and its risk are that are not packed.
fn plain_bytes(store: &Store, request_id: &'static str) -> usize {
    let sql = "SELECT length(asked) + coalesce(length(plan), 0) + coalesce(length(verdict), 0)
            + coalesce(length(facts), 0) + coalesce(length(ended), 0) + coalesce(length(risk), 0)
        FROM requests WHERE request_id = ?1";
    store.read(|conn| Ok(conn.query_row(sql, [request_id], |row| row.get(0))?)).unwrap()
}

#[test]
fn a_forgotten_body_is_in_no_column_packed_or_not() {
    let (_folder, store) = opened();
    let secret = NewRequest { asked: "{\"secret\":1}".into(), ..new_request("main", "r1", 1) };
    let id = secret.id;
    let ended = RequestChange::from_ending(&denied(DenyReason::Core), 5).unwrap();
    let ended = ended.judged(&verdict()).unwrap().planned(&plan(), &plan().digest()).unwrap();
    let ended = ended.packed_with(&secret).unwrap();
    store.write_now(move |conn| super::open_as(conn, &secret, &ended));
    assert_eq!(plain_bytes(&store, "r1"), 0, "it is packed before it is stored");
    let read = || store.read(|conn| get_request(conn, id)).unwrap().unwrap();
    let row = read();
    let got = (row.asked.as_str(), row.plan, row.verdict);
    assert_eq!(got, ("{\"secret\":1}", Some(plan()), Some(verdict())));
    assert_eq!((row.summary.folder.as_deref(), row.summary.denied_by), (Some("/"), Some(4)));
    assert_eq!(row.summary.risk, Some(verdict().risk));
    store.write_now(move |conn| super::forget_body(conn, id, "it", "{}"));
    let row = read();
    assert_eq!(row.summary.risk, Some(verdict().risk), "it is still known");
    assert_eq!((row.asked.as_str(), row.plan, row.verdict, row.facts), ("{}", None, None, None));
    assert_eq!(row.ending, Some(denied(DenyReason::Core)), "what became of it is still known");
}

#[test]
fn what_comes_after_the_packing_stands_beside_it_until_the_end_is_packed_too() {
    let (_folder, store) = opened();
    let new = NewRequest { asked: "{\"it\":1}".into(), ..new_request("main", "r1", 1) };
    let id = new.id;
    let starting = RequestChange::to_phase(RunState::Starting, 2).judged(&verdict()).unwrap();
    let starting = starting.with_facts("{}".into()).packed_with(&new).unwrap();
    store.write_now(move |conn| super::open_as(conn, &new, &starting));
    let later = RequestChange::to_phase(RunState::Starting, 3).planned(&plan(), &plan().digest()).unwrap();
    assert!(put_change(&store, id, later));
    assert!(put_change(&store, id, RequestChange::from_ending(&denied(DenyReason::Core), 5).unwrap()));
    let read = || store.read(|conn| get_request(conn, id)).unwrap().unwrap();
    let before = read();
    assert_eq!((before.asked.as_str(), before.facts.as_deref()), ("{\"it\":1}", Some("{}")));
    assert_eq!((&before.plan, &before.verdict), (&Some(plan()), &Some(verdict())));
    assert_eq!((&before.ending, before.summary.denied_by), (&Some(denied(DenyReason::Core)), Some(4)));
    assert!(plain_bytes(&store, "r1") > 0);
    store.write_now(crate::search::index_all);
    assert_eq!(plain_bytes(&store, "r1"), 0);
    assert_eq!(read(), before);
}

#[test]
fn nothing_changes_what_has_ended() {
    let (_folder, store) = opened();
    let new = new_request("main", "r1", 1);
    put(&store, &new);
    assert!(put_change(&store, new.id, RequestChange::from_ending(&denied(DenyReason::User), 2).unwrap()));
    let before = store.read(|conn| get_request(conn, new.id)).unwrap().unwrap();
    assert_eq!(before.summary.ending, Some(EndReason::Denied(DenyReason::User)));
    assert_eq!(before.feedback.as_deref(), Some("not today"));
    assert!(!put_change(
        &store,
        new.id,
        RequestChange::to_phase(RunState::Starting, 3).with_allowed_by(&AllowedBy::Person).unwrap()
    ));
    assert!(!put_change(&store, new.id, RequestChange::from_ending(&denied(DenyReason::Core), 3).unwrap()));
    assert!(!store.write_now({
        let id = new.id;
        move |conn| intend(conn, id, 4)
    }));
    assert_eq!(store.read(|conn| get_request(conn, new.id)).unwrap(), Some(before));
    assert_eq!(store.read(list_live).unwrap(), []);
}

#[test]
fn every_ending_has_its_name() {
    let ends = [
        (RunEnd::from(Exit::Code(0)), "exited"),
        (RunEnd::from(Exit::Signal(9)), "signalled"),
        (RunEnd::from(Outcome::Timeout), "timeout"),
        (RunEnd::from(Outcome::Killed), "killed"),
        (RunEnd::from(Outcome::Lost), "lost"),
        (RunEnd::from(Outcome::Unknown), "unknown"),
    ];
    let mut table: Vec<_> =
        ends.into_iter().map(|(end, name)| (RequestEnding::Finished { end }, name)).collect();
    table.push((denied(DenyReason::AllowlistMiss), "allowlist-miss"));
    table.push((RequestEnding::Failed { message: "no".into() }, "failed"));
    let (_folder, store) = opened();
    for (nth, (ending, name)) in (1..).zip(table) {
        let new = new_request("main", name, nth);
        put(&store, &new);
        put_change(&store, new.id, RequestChange::from_ending(&ending, nth).unwrap());
        let row = store.read(|conn| get_request(conn, new.id)).unwrap().unwrap();
        assert_eq!(row.summary.ending.map(EndReason::name), Some(name));
        assert_eq!(row.summary.phase, RunState::from(&RequestState::Ended(ending.clone())), "{name}");
        assert_eq!(row.ending, Some(ending));
    }
}

#[test]
fn who_let_it_through_is_kept_under_the_names_of_the_first_format() {
    let (_folder, store) = opened();
    let rows = [
        (AllowedBy::Rule(7), r#"{"kind":"rule","rule":7}"#),
        (AllowedBy::Skill(8), r#"{"kind":"skill","rule":8}"#),
        (AllowedBy::Policy, r#"{"kind":"policy"}"#),
        (AllowedBy::Person, r#"{"kind":"person"}"#),
        (AllowedBy::Fallback, r#"{"kind":"fallback"}"#),
    ];
    for (nth, (by, kept)) in (1..).zip(rows) {
        let new = new_request("main", kept, nth);
        put(&store, &new);
        assert!(put_change(
            &store,
            new.id,
            RequestChange::to_phase(RunState::Starting, 9).with_allowed_by(&by).unwrap()
        ));
        let actor = "SELECT actor FROM requests WHERE request_id = ?1";
        let text: String = store.read(|conn| Ok(conn.query_row(actor, [kept], |row| row.get(0))?)).unwrap();
        assert_eq!(text, kept);
        let row = store.read(|conn| get_request(conn, new.id)).unwrap().unwrap();
        assert_eq!(row.summary.by, Some(by));
    }
}

fn page(store: &Store, filter: &Filter, limit: u32) -> Vec<String> {
    let rows = store.read(|conn| history::list_newest(conn, filter, limit)).unwrap();
    rows.into_iter().map(|row| row.request_id).collect()
}

/// Requests r1 to r9, one a second; every third is the other agent's, r4 and r5 are denied, r6 runs.
fn history(store: &Store) -> Vec<NewRequest> {
    let all: Vec<_> = (1..=9)
        .map(|nth| new_request(if nth % 3 == 0 { "other" } else { "main" }, &format!("r{nth}"), nth * 1000))
        .collect();
    for new in &all {
        put(store, new);
    }
    for nth in [3, 4] {
        put_change(store, all[nth].id, RequestChange::from_ending(&denied(DenyReason::Core), 1).unwrap());
    }
    put_change(store, all[5].id, RequestChange::to_phase(RunState::Running, 1));
    all
}

#[test]
fn lists_are_filtered_and_newest_first() {
    let (_folder, store) = opened();
    history(&store);
    let all = Filter::default();
    let main = Filter { agent: Some(agent_id("main")), ..all.clone() };
    let table: [(Filter, &[&str]); 6] = [
        (all.clone(), &["r9", "r8", "r7", "r6"]),
        (main.clone(), &["r8", "r7", "r5", "r4"]),
        (Filter { phase: Some(RunState::Denied), ..main }, &["r5", "r4"]),
        (Filter { phase: Some(RunState::Running), ..all.clone() }, &["r6"]),
        (Filter { since: Some(7500), ..all.clone() }, &["r9", "r8"]),
        (Filter { since: Some(9001), ..all }, &[]),
    ];
    for (filter, expected) in table {
        assert_eq!(page(&store, &filter, 4), expected, "{filter:?}");
    }
}

#[test]
fn pages_follow_each_other_without_gap_or_repeat() {
    let (_folder, store) = opened();
    let all = history(&store);
    let mut filter = Filter { search: Some("git".into()), ..Filter::default() };
    let mut seen = Vec::new();
    loop {
        let rows = store.read(|conn| history::list_newest(conn, &filter, 2)).unwrap();
        let Some(last) = rows.last() else { break };
        filter.before = Some(last.id);
        seen.extend(rows.into_iter().map(|row| row.id));
    }
    assert_eq!(seen, all.iter().rev().map(|new| new.id).collect::<Vec<_>>());
    filter.before = Some(uuid::Uuid::nil());
    assert_eq!(page(&store, &filter, 2), [] as [&str; 0], "behind what is not there lies nothing");
}

/// Makes a request for each way to be decided, r1 to r7 in the order of [`Decided::ALL`], and r8 that runs.
fn decided_each_way(store: &Store) -> Vec<NewRequest> {
    let all: Vec<_> = (1..=8).map(|nth| new_request("main", &format!("r{nth}"), nth * 1000)).collect();
    for new in &all {
        put(store, new);
    }
    let ran =
        || RequestChange::from_ending(&RequestEnding::Finished { end: Exit::Code(0).into() }, 9).unwrap();
    let ends = [
        ran().with_allowed_by(&AllowedBy::Person).unwrap(),
        ran().with_allowed_by(&AllowedBy::Rule(4)).unwrap(),
        ran().with_allowed_by(&AllowedBy::Policy).unwrap(),
        RequestChange::from_ending(&denied(DenyReason::User), 9).unwrap(),
        RequestChange::from_ending(&denied(DenyReason::Denylist), 9).unwrap(),
        RequestChange::from_ending(&denied(DenyReason::Paused), 9).unwrap(),
        RequestChange::from_ending(&denied(DenyReason::Expired), 9).unwrap(),
    ];
    for (new, end) in all.iter().zip(ends) {
        assert!(put_change(store, new.id, end.judged(&verdict()).unwrap()));
    }
    put_change(
        store,
        all[7].id,
        RequestChange::to_phase(RunState::Running, 9)
            .with_allowed_by(&AllowedBy::Rule(4))
            .and_then(|change| change.judged(&verdict()))
            .unwrap(),
    );
    all
}

#[test]
fn how_it_was_decided_and_by_which_rule_finds_a_request_whether_it_is_indexed_or_lives() {
    let (_folder, store) = opened();
    let all = decided_each_way(&store);
    let check = |when: &str| {
        for (nth, decided) in (1..).zip(Decided::ALL) {
            let filter =
                Filter { decided: Some(decided), agent: Some(agent_id("main")), ..Filter::default() };
            let mut expected = vec![format!("r{nth}")];
            if decided == Decided::RuleAllowed {
                expected.insert(0, "r8".into());
            }
            assert_eq!(page(&store, &filter, 9), expected, "{decided:?}, {when}");
            assert_eq!(Decided::from_name(decided.name()), Some(decided));
        }
        let by_rule = Filter { rule: Some(4), ..Filter::default() };
        // The sample denials name rule 4 too.
        assert_eq!(page(&store, &by_rule, 9), ["r8", "r7", "r6", "r5", "r4", "r2"], "{when}");
        let until = Filter { until: Some(6000), since: Some(4000), ..by_rule };
        assert_eq!(page(&store, &until, 9), ["r5", "r4"], "{when}");
    };
    check("not indexed");
    store.write_now(crate::search::index_all);
    check("indexed while one runs");
    let ended =
        RequestChange::from_ending(&RequestEnding::Finished { end: Exit::Code(0).into() }, 9).unwrap();
    assert!(put_change(&store, all[7].id, ended));
    store.write_now(crate::search::index_all);
    check("indexed when it had ended");
    let (main, other) = (agent_id("main"), agent_id("other"));
    let of_main = Wanted { agent: Some(&main), ..Wanted::default() };
    let counts = store.read(|conn| crate::tally::by_rule(conn, of_main)).unwrap();
    let allowed = counts.iter().find(|count| count.decided == Decided::RuleAllowed).unwrap();
    assert_eq!((allowed.key, allowed.count), (4, 2), "each is counted once");
    let by_agent = store.read(|conn| crate::tally::by_agent(conn, of_main)).unwrap();
    assert!(by_agent.iter().all(|count| count.key == main), "{by_agent:?}");
    assert_eq!(by_agent.iter().map(|count| count.count).sum::<u64>(), 8);
    let by_time = |wanted| store.read(|conn| crate::tally::by_time(conn, wanted)).unwrap();
    let sum = |wanted| by_time(wanted).iter().map(|count| count.count).sum::<u64>();
    assert_eq!(sum(Wanted::default()), 8);
    assert_eq!(sum(Wanted { agent: Some(&other), ..Wanted::default() }), 0);
    let effects = store.read(|conn| crate::tally::by_effect(conn, of_main)).unwrap();
    for (kind, count) in &effects {
        let effect = postern_command::CommandEffect::kind_named(kind);
        assert_eq!(sum(Wanted { effect, ..of_main }), *count, "{kind} is counted as it is filtered");
    }
    let written = Filter { effect: Some("write"), ..Filter::default() };
    let written = u64::try_from(page(&store, &written, 9).len()).unwrap();
    assert!(written > 0);
    assert_eq!(effects, [("write".to_owned(), written)]);
    assert_eq!(sum(Wanted { effect: Some("delete"), ..of_main }), 0);
}

#[test]
fn requests_are_found_and_counted_by_the_folder_they_would_run_in() {
    let (_folder, store) = opened();
    let site = |path: &str| Plan { cwd: BoundDir { path: path.into(), device: 1, inode: 2 }, ..plan() };
    let folders = [(1, "/work/site"), (2, "/work/site"), (3, "/work/site/sub"), (4, ""), (5, "/work/Site")];
    for (nth, path) in folders {
        let new = new_request("main", &format!("r{nth}"), nth);
        put(&store, &new);
        let plan = site(path);
        let ended = RequestChange::from_ending(&denied(DenyReason::Core), nth).unwrap();
        let ended = ended.weighed(&verdict().risk, &plan, &plan.digest()).unwrap();
        assert!(put_change(&store, new.id, ended));
    }
    // What was recorded before there was a column says it in its plan.
    let before = "UPDATE requests SET folder = NULL, plan = '{\"cwd\":{\"path\":\"/work/site\"}}'
         WHERE request_id = 'r2'";
    store.write_now(move |conn| Ok(conn.execute(before, [])?));
    for indexed in [false, true] {
        if indexed {
            store.write_now(crate::search::index_all);
        }
        let in_folder =
            |path: &str| page(&store, &Filter { folder: Some(path.into()), ..Filter::default() }, 9);
        assert_eq!(in_folder("/work/site"), ["r2", "r1"], "indexed: {indexed}");
        assert_eq!(in_folder("/work/site/sub"), ["r3"], "indexed: {indexed}");
        assert_eq!(in_folder("/work"), [] as [&str; 0], "indexed: {indexed}");
    }
    let counted = |effect| {
        let wanted = Wanted { effect, ..Wanted::default() };
        let counts = store.read(|conn| crate::tally::by_folder(conn, wanted)).unwrap();
        counts.into_iter().map(|count| (count.key, count.count)).collect::<Vec<_>>()
    };
    let expected = [("/work/Site", 1), ("/work/site", 2), ("/work/site/sub", 1)];
    assert_eq!(counted(None), expected.map(|(folder, count)| (folder.to_owned(), count)));
    assert_eq!(counted(Some("write")), [], "folders are not counted by effect");
}

#[test]
fn what_is_not_indexed_yet_is_looked_through_a_piece_at_a_time() {
    let (_folder, store) = opened();
    // Within one write: what indexes runs after it.
    let read = store.write(|conn| {
        for nth in 0..4500 {
            let line = if nth == 7 { "needle".into() } else { format!("hay {nth}") };
            record_request(
                conn,
                &NewRequest { line, ..new_request("main", &format!("r{nth}"), 1000 + nth) },
            )?;
        }
        let mut filter = Filter { search: Some("needle".into()), ..Filter::default() };
        let (mut found, mut pages) = (Vec::new(), 0);
        loop {
            let next = history::read_page(conn, &filter, 10)?;
            found.extend(next.requests.into_iter().map(|row| row.request_id));
            pages += 1;
            filter.before = next.next;
            if filter.before.is_none() {
                return Ok((found, pages));
            }
        }
    });
    let (found, pages) = read.wait().unwrap();
    assert_eq!(found, ["r7"]);
    assert!(pages > 1, "no reading looks through everything: {pages}");
}

#[test]
fn a_command_that_a_person_changed_is_found_by_what_it_became() {
    let (_folder, store) = opened();
    let new = new_request("main", "r1", 1);
    put(&store, &new);
    store.write_now(crate::search::index_all);
    for line in ["git show --stat", "git log"] {
        assert!(put_change(&store, new.id, RequestChange::to_phase(RunState::Asking, 2).edited(line)));
    }
    let row = store.read(|conn| get_request(conn, new.id)).unwrap().unwrap();
    assert_eq!((row.summary.line.as_str(), row.asked_line.as_deref()), ("git log", Some("git show r1")));
    let found = |words: &str| {
        let filter = Filter { search: Some(words.into()), ..Filter::default() };
        store.read(|conn| history::list_newest(conn, &filter, 10)).unwrap().len()
    };
    assert_eq!((found("log"), found("show"), found("stat")), (1, 0, 0));
}

#[test]
fn a_request_is_written_down_with_what_became_of_it() {
    let (_folder, store) = opened();
    let new = new_request("main", "r", 1);
    let (id, same) = (new.id, new.clone());
    let ending = denied(DenyReason::Core);
    let change =
        RequestChange::from_ending(&ending, 5).unwrap().judged(&verdict()).unwrap().with_end_event(Some(9));
    let first = store.write_now(move |conn| super::open_as(conn, &new, &change));
    assert_eq!(first, NewRequestOutcome::New);
    let kept = store.read(|conn| get_request(conn, id)).unwrap().unwrap();
    assert_eq!((kept.summary.phase, kept.summary.ended_at, kept.told), (RunState::Denied, Some(5), Some(9)));
    assert_eq!((kept.ending, kept.verdict), (Some(ending), Some(verdict())));
    assert!(store.read(super::list_live).unwrap().is_empty(), "it has ended");
    let again = NewRequest { id: new_request("main", "x", 2).id, ..same.clone() };
    let starting = RequestChange::to_phase(RunState::Starting, 6);
    let second = store.write_now(move |conn| super::open_as(conn, &again, &starting));
    assert!(matches!(second, NewRequestOutcome::Same(row) if row.summary.id == id), "it never starts");
    let other = NewRequest { content: [8; 32], ..same.clone() };
    let of = |new: &NewRequest| {
        store.look_up(|conn| super::find_known(conn, &new.agent, &new.request_id, &new.content)).unwrap()
    };
    assert!(matches!(of(&same), Some(NewRequestOutcome::Same(_))));
    assert_eq!(of(&other), Some(NewRequestOutcome::Conflict));
    assert_eq!(of(&new_request("main", "y", 3)), None, "never used");
}
