//! Releases by Tauri's updater: read and downloaded over HTTPS, and signed by a key that this build knows.

use super::{ReleaseSource, SourceWork};
use crate::system::place;
use parking_lot::Mutex;
use postern_contract::AppRelease;
use std::fmt::Display;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tauri::{AppHandle, Url};
use tauri_plugin_updater::{Update, UpdaterExt as _, extract_path_from_executable};

/// Public key of releases, as `tauri signer generate` writes it. A build without one has no updater.
const KEY: Option<&str> = option_env!("POSTERN_UPDATE_KEY");
/// Address of the manifest, which names the newest release.
const ADDRESS: Option<&str> = option_env!("POSTERN_UPDATE_MANIFEST");
/// Time that the manifest may take.
const READ: Duration = Duration::from_secs(30);
/// Time that a download may take.
const DOWNLOAD: Duration = Duration::from_mins(30);

/// Source of this build's releases.
struct PluginSource {
    app: AppHandle,
    /// Folder of this app, which a release takes the place of.
    bundle: PathBuf,
    address: Url,
    found: Mutex<Option<Update>>,
    downloaded: Mutex<Option<Vec<u8>>>,
}

/// Returns the source that this build was given, or `None`. What is not started from an app has none.
pub(crate) fn source_of_this_build(app: &AppHandle) -> Option<Arc<dyn ReleaseSource>> {
    let (Some(key), Some(address)) = (from_build(KEY), from_build(ADDRESS)) else { return None };
    let bundle = extract_path_from_executable(&std::env::current_exe().ok()?).ok()?;
    if bundle.extension().is_none_or(|kind| kind != "app") {
        return None;
    }
    let plugin = tauri_plugin_updater::Builder::new().pubkey(key).build();
    let made = Url::parse(address).map_err(to_text).and_then(|address| {
        app.plugin(plugin).map_err(to_text)?;
        Ok(address)
    });
    match made {
        Ok(address) => Some(Arc::new(PluginSource {
            app: app.clone(),
            bundle,
            address,
            found: Mutex::default(),
            downloaded: Mutex::default(),
        })),
        Err(error) => {
            tracing::warn!(error, "no updates");
            None
        }
    }
}

/// Returns what a build was given: an empty variable gives nothing.
fn from_build(variable: Option<&'static str>) -> Option<&'static str> {
    variable.filter(|value| !value.is_empty())
}

fn to_text(error: impl Display) -> String {
    error.to_string()
}

impl ReleaseSource for PluginSource {
    fn newest_release(&self) -> SourceWork<'_, Option<AppRelease>> {
        Box::pin(async move {
            let updater = self
                .app
                .updater_builder()
                .endpoints(vec![self.address.clone()])
                .map_err(to_text)?
                .timeout(READ)
                .configure_client(|client| client.https_only(true))
                // The guard judges the version, and reports one that it refuses.
                .version_comparator(|_, _| true)
                .build()
                .map_err(to_text)?;
            let found = updater.check().await.map_err(to_text)?;
            let release = found.as_ref().map(|update| AppRelease {
                version: update.version.clone(),
                size: update.raw_json["size"].as_u64(),
            });
            *self.found.lock() = found;
            Ok(release)
        })
    }

    fn download_release(&self) -> SourceWork<'_, ()> {
        Box::pin(async move {
            if let Some(problem) = place::problem() {
                return Err(problem.to_owned());
            }
            let mut update = self.found.lock().clone().ok_or("no release was found")?;
            update.timeout = Some(DOWNLOAD);
            let bytes = update.download(|_, _| {}, || {}).await.map_err(to_text)?;
            *self.downloaded.lock() = Some(bytes);
            Ok(())
        })
    }

    fn install_release(&self) -> SourceWork<'_, ()> {
        Box::pin(async move {
            let (update, bytes) = (self.found.lock().clone(), self.downloaded.lock().take());
            let (Some(update), Some(bytes)) = (update, bytes) else {
                return Err("no release was downloaded".to_owned());
            };
            // It may ask for an administrator, and waits for that.
            let installed = tauri::async_runtime::spawn_blocking(move || update.install(bytes)).await;
            installed.map_err(to_text)?.map_err(to_text)?;
            postern_host::open_app_after_exit(&self.bundle).map_err(|error| {
                format!("the new version is installed; quit Postern and open it again ({error})")
            })?;
            self.app.exit(0);
            Ok(())
        })
    }
}
