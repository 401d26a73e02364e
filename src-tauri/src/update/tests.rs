use super::{HostActivity, LAST_CHECK, ReleaseSource, SourceWork, Updates, take_turn};
use parking_lot::Mutex;
use postern_contract::{AppRelease, UpdateState};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::sync::Notify;

/// Source of one release, which notes what is wanted of it.
struct FakeSource {
    newest: Result<Option<AppRelease>, String>,
    download: Result<(), String>,
    calls: Mutex<Vec<&'static str>>,
}

impl FakeSource {
    fn note<T: Clone>(&self, call: &'static str, answer: &T) -> T {
        self.calls.lock().push(call);
        answer.clone()
    }
}

impl ReleaseSource for FakeSource {
    fn newest_release(&self) -> SourceWork<'_, Option<AppRelease>> {
        Box::pin(async move { self.note("read", &self.newest) })
    }
    fn download_release(&self) -> SourceWork<'_, ()> {
        Box::pin(async move { self.note("download", &self.download) })
    }
    fn install_release(&self) -> SourceWork<'_, ()> {
        Box::pin(async move { self.note("install", &Ok::<(), String>(())) })
    }
}

/// Updates from a source that offers a version, and what is notified of each change.
struct Fixture {
    source: Arc<FakeSource>,
    updates: Arc<Updates>,
    changed: Arc<Notify>,
}

impl Fixture {
    fn new(version: &str) -> Self {
        Self::of_source(Ok(Some(release(version))), Ok(()))
    }

    fn of_source(newest: Result<Option<AppRelease>, String>, download: Result<(), String>) -> Self {
        let source = Arc::new(FakeSource { newest, download, calls: Mutex::default() });
        let changed = Arc::new(Notify::new());
        let notified = Arc::clone(&changed);
        let updates = Updates::new(Arc::<FakeSource>::clone(&source), move || notified.notify_one());
        Self { source, updates: Arc::new(updates), changed }
    }

    /// Notes that so many questions wait and commands run.
    fn host_does(&self, questions: u32, commands: u32) {
        self.host_is("0.0.1", questions, commands);
    }

    fn host_is(&self, version: &str, questions: u32, commands: u32) {
        let activity = HostActivity { version: version.to_owned(), questions, commands };
        self.updates.note_activity(Some(activity));
    }

    /// Waits until a release waits for so many questions and commands.
    async fn waits_for(&self, questions: u32, commands: u32) {
        let wanted = UpdateState::Waiting { release: release(NEWER), questions, commands };
        while self.updates.current_state() != wanted {
            self.changed.notified().await;
        }
    }

    /// Begins to install what was found.
    fn begin_install(&self) -> tokio::task::JoinHandle<()> {
        let updates = Arc::clone(&self.updates);
        tokio::spawn(async move { updates.install().await })
    }

    fn calls(&self) -> Vec<&'static str> {
        self.source.calls.lock().clone()
    }
}

const NEWER: &str = "99.0.0";

fn release(version: &str) -> AppRelease {
    AppRelease { version: version.to_owned(), size: Some(42_000_000) }
}

#[tokio::test]
async fn a_release_that_was_found_is_installed_only_when_the_person_wants_it() {
    let fixture = Fixture::new(NEWER);
    fixture.host_does(0, 0);
    assert_eq!(fixture.updates.current_state(), UpdateState::Unknown);
    fixture.updates.install().await;
    assert!(fixture.calls().is_empty(), "nothing was found yet");
    let found = fixture.updates.check_releases().await;
    assert_eq!(found, UpdateState::Available { release: release(NEWER) });
    assert_eq!(fixture.calls(), ["read"], "nothing is downloaded by itself");
    fixture.updates.install().await;
    assert_eq!(fixture.calls(), ["read", "download", "install"]);
    assert_eq!(fixture.updates.current_state(), UpdateState::Installing { release: release(NEWER) });
}

#[tokio::test]
async fn an_installation_waits_until_nothing_waits_and_nothing_runs() {
    let fixture = Fixture::new(NEWER);
    fixture.updates.check_releases().await;
    let installed = fixture.begin_install();
    fixture.waits_for(0, 0).await;
    for (questions, commands) in [(1, 2), (0, 2), (1, 0)] {
        fixture.host_does(questions, commands);
        fixture.waits_for(questions, commands).await;
        assert_eq!(fixture.calls(), ["read", "download"]);
    }
    fixture.updates.note_activity(None);
    fixture.waits_for(0, 0).await;
    assert_eq!(fixture.calls(), ["read", "download"], "nothing is known of a host that is gone");
    fixture.host_does(0, 0);
    installed.await.unwrap();
    assert_eq!(fixture.calls(), ["read", "download", "install"]);
}

#[tokio::test]
async fn an_installation_that_is_put_off_can_be_wanted_again() {
    let fixture = Fixture::new(NEWER);
    fixture.host_does(1, 0);
    fixture.updates.check_releases().await;
    let installed = fixture.begin_install();
    fixture.waits_for(1, 0).await;
    fixture.updates.install().await;
    fixture.updates.check_releases().await;
    assert_eq!(fixture.calls(), ["read", "download"], "one installation at a time, and no check meanwhile");
    fixture.updates.put_off();
    installed.await.unwrap();
    fixture.host_does(0, 0);
    assert_eq!(fixture.updates.current_state(), UpdateState::Available { release: release(NEWER) });
    assert_eq!(fixture.calls(), ["read", "download"]);
    fixture.updates.install().await;
    assert_eq!(fixture.calls(), ["read", "download", "download", "install"]);
}

#[tokio::test]
async fn an_older_release_is_neither_downloaded_nor_installed() {
    let fixture = Fixture::new("0.0.1");
    fixture.host_does(0, 0);
    assert!(matches!(fixture.updates.check_releases().await, UpdateState::Refused { .. }));
    fixture.updates.install().await;
    assert_eq!(fixture.calls(), ["read"]);
    let fixture = Fixture::new(NEWER);
    fixture.updates.check_releases().await;
    fixture.host_is("99.1.0", 0, 0);
    fixture.updates.install().await;
    assert!(
        matches!(fixture.updates.current_state(), UpdateState::Refused { .. }),
        "the host is newer by now"
    );
    assert_eq!(fixture.calls(), ["read"]);
}

#[tokio::test]
async fn what_goes_wrong_is_the_state_and_installs_nothing() {
    let fixture = Fixture::of_source(Err("no network".to_owned()), Ok(()));
    let failed = UpdateState::Failed { reason: "no network".to_owned() };
    assert_eq!(fixture.updates.check_releases().await, failed);
    let fixture = Fixture::of_source(Ok(Some(release(NEWER))), Err("the signature is wrong".to_owned()));
    fixture.host_does(0, 0);
    fixture.updates.check_releases().await;
    fixture.updates.install().await;
    let failed = UpdateState::Failed { reason: "the signature is wrong".to_owned() };
    assert_eq!(fixture.updates.current_state(), failed);
    assert_eq!(fixture.calls(), ["read", "download"]);
}

#[test]
fn the_daily_check_is_noted_before_it_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(LAST_CHECK);
    let now = SystemTime::now();
    assert!(take_turn(&file, now));
    assert!(!take_turn(&file, now + Duration::from_mins(1)));
    assert!(take_turn(&file, now + Duration::from_hours(25)));
    assert!(!take_turn(&folder.path().join("missing").join(LAST_CHECK), now), "it could not be noted");
}
