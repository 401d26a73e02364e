use super::{Backend, IncomingBackendEvent};
use crate::AppOptions;
use postern_contract::methods::{GetStatus, Nothing};
use postern_host::HostUser;
use postern_host::session::SystemSession;
use postern_host::{Host, HostConfig};
use std::sync::Arc;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_app_whose_host_goes_away_becomes_the_host() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let user = HostUser::current(Vec::new()).unwrap();
    let host =
        Host::start(HostConfig { data: data.clone(), user, session: Arc::new(SystemSession) }).await.unwrap();
    let keep_page = std::time::Duration::from_mins(1);
    let options = AppOptions {
        data,
        settings: None,
        overview: false,
        background: false,
        keep_page,
        inherited: Vec::new(),
    };
    let (backend, mut heard) = Backend::open(&options).await.unwrap();
    assert!(!backend.is_embedded(), "the data folder has a host already");
    backend.invoke::<GetStatus>(&Nothing {}).await.unwrap();

    host.shutdown().await;
    drop(host);
    while !matches!(heard.recv().await.expect("what ends is told"), IncomingBackendEvent::Lost) {}
    assert!(backend.invoke::<GetStatus>(&Nothing {}).await.is_err(), "nobody is there to answer");

    let _heard = backend.reopen().await.unwrap();
    assert!(backend.is_embedded(), "the data folder is free");
    backend.invoke::<GetStatus>(&Nothing {}).await.unwrap();
    backend.close().await;
}
