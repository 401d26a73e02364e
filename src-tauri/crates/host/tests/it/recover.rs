//! A host that died without a word: nothing runs again, everything has an end, and its agent is told.

use crate::support::Lab;
use postern_policy::AgentId;
use postern_protocol::RunState;
use postern_store::Store;
use postern_store::requests::{self, NewRequest, RecordedProcess, RequestChange};
use serde_json::json;
use uuid::Uuid;

/// Returns a request that got as far as `phase` when the host died.
fn left(store: &Store, phase: RunState, intended: bool) -> Uuid {
    let (id, request_id) = (Uuid::now_v7(), Uuid::new_v4());
    let written = store.write(move |conn| {
        let new = NewRequest {
            id,
            agent: AgentId::new("main").unwrap(),
            request_id: request_id.to_string(),
            content: [0; 32],
            origin: postern_policy::Origin::Host,
            session: None,
            line: "true".to_owned(),
            asked: "{}".to_owned(),
            at: 1,
        };
        requests::record_request(conn, &new)?;
        requests::change(conn, id, &RequestChange::to_phase(phase, 2))?;
        if intended {
            requests::intend(conn, id, 3)?;
        }
        if phase == RunState::Running {
            // No process has this number: Linux counts to 4194304 at most, macOS to 99999.
            let process = RecordedProcess { pid: 4_999_999, start_time: 1, boot: "another".to_owned() };
            requests::change(conn, id, &RequestChange::to_phase(phase, 4).process(process))?;
        }
        Ok(())
    });
    written.wait().unwrap();
    request_id
}

#[tokio::test]
async fn what_a_dead_host_left_behind_has_an_end_and_is_told() {
    let lab = Lab::start().await;
    let record = std::fs::read_dir(lab.folder.path().join("data"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|extension| extension == "db"))
        .unwrap();
    let folder = lab.end().await;
    let ids = tokio::task::spawn_blocking(move || {
        let store = Store::open(&record).unwrap();
        let ids = [
            (left(&store, RunState::Received, false), "restarted"),
            (left(&store, RunState::Asking, false), "restarted"),
            (left(&store, RunState::Starting, false), "restarted"),
            (left(&store, RunState::Starting, true), "unknown"),
            (left(&store, RunState::Running, false), "lost"),
        ];
        store.close();
        ids
    });
    let ids = ids.await.unwrap();
    let lab = Lab::in_folder(folder).await;
    let mut wire = lab.connect_after("main", Some(0)).await;
    for (id, expected) in ids {
        let told = wire.read().await.unwrap();
        let params = &told["params"];
        assert_eq!(params["requestId"], id.to_string(), "told in order: {told}");
        let got = params.get("outcome").or_else(|| params.get("reason")).unwrap();
        assert_eq!(got, expected, "{told}");
    }
    let live = lab.control("status", json!({})).await.unwrap();
    assert_eq!((&live["running"], &live["waiting"]), (&json!(0), &json!(0)), "nothing goes on: {live}");
}
