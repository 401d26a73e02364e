//! Updates of the app: finds a release when the person wants that, and installs it once nothing waits and nothing runs.
//!
//! `guard` what may be installed, and when · `source` where releases come from.

mod guard;
#[cfg_attr(target_os = "macos", path = "macos.rs")]
#[cfg_attr(not(target_os = "macos"), path = "other.rs")]
mod source;

use crate::notify;
use crate::preferences::StoredPreferences;
use guard::{can_check, is_due, is_pending, judge_release, when_to_install};
use parking_lot::Mutex;
use postern_contract::{AppRelease, Status, UpdateState};
pub(crate) use source::source_of_this_build;
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::sync::watch;

/// Version of this app.
const RUNNING: &str = env!("CARGO_PKG_VERSION");
/// File in the data folder whose time is that of the last daily check.
const LAST_CHECK: &str = "last-update-check";
/// Time between two looks at whether the daily check is due: timers stop while a Mac sleeps.
const BETWEEN_LOOKS: Duration = Duration::from_hours(1);

/// Work of a source that is on its way.
type SourceWork<'a, T> = Pin<Box<dyn Future<Output = Result<T, String>> + Send + 'a>>;

/// Source of the app's releases.
pub(crate) trait ReleaseSource: Send + Sync {
    /// Returns the newest release, or `None` if there is none. Downloads nothing of it.
    fn newest_release(&self) -> SourceWork<'_, Option<AppRelease>>;
    /// Downloads the release that was returned last, and checks its signature.
    fn download_release(&self) -> SourceWork<'_, ()>;
    /// Puts what was downloaded in place of this app, and starts it again.
    fn install_release(&self) -> SourceWork<'_, ()>;
}

/// Activity of the host, as far as updates depend on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HostActivity {
    version: String,
    questions: u32,
    commands: u32,
}

impl From<&Status> for HostActivity {
    fn from(status: &Status) -> Self {
        let Status { version, waiting, running, .. } = status;
        Self { version: version.clone(), questions: *waiting, commands: *running }
    }
}

/// Updates of a build that has a source of releases.
pub(crate) struct Updates {
    source: Arc<dyn ReleaseSource>,
    state: Mutex<UpdateState>,
    /// Activity that was noted last; `None` until the host's state was read, and while the host is gone.
    host: watch::Sender<Option<HostActivity>>,
    /// Held while a release is downloaded and installed.
    installing: tokio::sync::Mutex<()>,
    on_change: Box<dyn Fn() + Send + Sync>,
}

impl Updates {
    pub(crate) fn new(source: Arc<dyn ReleaseSource>, on_change: impl Fn() + Send + Sync + 'static) -> Self {
        Self {
            source,
            state: Mutex::new(UpdateState::Unknown),
            host: watch::Sender::new(None),
            installing: tokio::sync::Mutex::default(),
            on_change: Box::new(on_change),
        }
    }

    pub(crate) fn current_state(&self) -> UpdateState {
        self.state.lock().clone()
    }

    /// Notes what the host does now; `None` if there is none.
    pub(crate) fn note_activity(&self, activity: Option<HostActivity>) {
        self.host.send_replace(activity);
    }

    /// Reads the manifest and judges its release. Returns the new state, or the present one while a release is installed.
    pub(crate) async fn check_releases(&self) -> UpdateState {
        if let Some(busy) = self.change_if(can_check, UpdateState::Checking) {
            return busy;
        }
        let state = match self.source.newest_release().await {
            Ok(found) => self.judge_found(found),
            Err(reason) => UpdateState::Failed { reason },
        };
        self.set_state(state.clone());
        state
    }

    fn judge_found(&self, found: Option<AppRelease>) -> UpdateState {
        let host = self.host.borrow();
        judge_release(found, RUNNING, host.as_ref().map(|host| host.version.as_str()))
    }

    /// Installs the release that was found, once nothing waits and nothing runs.
    pub(crate) async fn install(&self) {
        let (Ok(_alone), UpdateState::Available { release }) =
            (self.installing.try_lock(), self.current_state())
        else {
            return;
        };
        // The host may be another one by now.
        let judged = self.judge_found(Some(release.clone()));
        if !matches!(judged, UpdateState::Available { .. }) {
            return self.set_state(judged);
        }
        self.set_state(UpdateState::Downloading { release: release.clone() });
        if let Err(reason) = self.download_and_install(&release).await {
            tracing::warn!(version = release.version, reason, "no update");
            self.set_state(UpdateState::Failed { reason });
        }
    }

    async fn download_and_install(&self, release: &AppRelease) -> Result<(), String> {
        self.source.download_release().await?;
        let mut host = self.host.subscribe();
        loop {
            let next = when_to_install(release, host.borrow_and_update().as_ref());
            let now = matches!(next, UpdateState::Installing { .. });
            if self.change_if(is_pending, next).is_some() {
                return Ok(()); // The person has put it off.
            }
            if now {
                return self.source.install_release().await;
            }
            host.changed().await.map_err(|error| error.to_string())?;
        }
    }

    /// Puts off a release that waits to be installed.
    pub(crate) fn put_off(&self) {
        let UpdateState::Waiting { release, .. } = self.current_state() else { return };
        if self.change_if(is_pending, UpdateState::Available { release }).is_none() {
            self.host.send_modify(|_| {});
        }
    }

    /// Sets a state if the present one allows it, or else returns the present one.
    fn change_if(&self, allows: impl Fn(&UpdateState) -> bool, next: UpdateState) -> Option<UpdateState> {
        let mut state = self.state.lock();
        if !allows(&state) {
            return Some(state.clone());
        }
        *state = next;
        drop(state);
        (self.on_change)();
        None
    }

    fn set_state(&self, state: UpdateState) {
        *self.state.lock() = state;
        (self.on_change)();
    }

    /// Checks once a day while the person wants that, and notifies of each release once.
    pub(crate) async fn check_daily(&self, preferences: &StoredPreferences, data: &Path) {
        let (file, mut notified) = (data.join(LAST_CHECK), None);
        loop {
            if preferences.get().check_updates && take_turn(&file, SystemTime::now()) {
                let found = self.check_releases().await;
                if let UpdateState::Available { release } = found
                    && notified.as_ref() != Some(&release.version)
                {
                    notify::attention(&format!(
                        "Postern {} is available. Install it in Settings > General.",
                        release.version
                    ));
                    notified = Some(release.version);
                }
            }
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
    }
}

/// Returns true if the daily check is due, and notes that it is made. One that cannot be noted is not due.
fn take_turn(file: &Path, now: SystemTime) -> bool {
    let last = std::fs::metadata(file).and_then(|about| about.modified());
    let last = match last {
        Ok(last) => Some(last),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(_) => return false,
    };
    is_due(last, now) && postern_host::write_whole(file, b"").is_ok()
}

#[cfg(test)]
mod tests;
