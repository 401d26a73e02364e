//! A process that Postern itself started is refused, whatever it knows.

use super::Running;
use super::socket::{Client, key};
use serde_json::json;
use std::path::Path;

/// Names the data folder to the copy of this test that is started as a child.
const DATA: &str = "POSTERN_TEST_CHILD_DATA";

#[tokio::test]
async fn a_child_of_the_host_is_refused_whatever_it_knows() {
    if let Some(data) = child_data() {
        return connect_as_child(Path::new(&data)).await;
    }
    let running = Running::start().await;
    let data = running.data().to_owned();
    let (mut own, _) = Client::open(&data, &key(&data)).await;
    assert!(own.call("status", json!({})).await["result"].is_object(), "the host's own process is let in");
    let output = tokio::task::spawn_blocking(move || start_child(&data)).await.unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("forbidden"), "a child was let in: {said}");
}

#[expect(clippy::disallowed_methods, reason = "how a test tells its child what to do")]
fn child_data() -> Option<String> {
    std::env::var(DATA).ok()
}

#[expect(clippy::disallowed_methods, reason = "the child must be a real process")]
fn start_child(data: &Path) -> std::process::Output {
    let this = std::env::current_exe().unwrap();
    let name = "control::tests::descent::a_child_of_the_host_is_refused_whatever_it_knows";
    std::process::Command::new(this).args(["--exact", name, "--nocapture"]).env(DATA, data).output().unwrap()
}

async fn connect_as_child(data: &Path) {
    println!("{}", Client::first_line(data).await);
}
