//! Changes on disk: permissions files, skill folders, people's own programs, managed rules.
//!
//! Folders are watched, because editors replace files; an event only says *look again*, and looking compares
//! contents. A slow look now and then is the net.

use crate::book::{FOLDERS_ANSWER, PolicyStore, PolicyStoreError, permissions_folder};
use crate::clock::{detect_jump, time_asleep};
use crate::clock_mark::leave_mark;
use crate::control::HostControl;
use crate::own_programs::{OwnPrograms, programs_folder};
use notify::event::ModifyKind;
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use parking_lot::Mutex;
use postern_contract::methods::ControlError;
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Time without a change before files are read again: editors write in several steps.
const QUIET: Duration = Duration::from_millis(100);
/// Interval at which everything is checked although nothing was reported.
pub(crate) const NET: Duration = Duration::from_secs(30);
/// Interval at which rules whose time is over and old history are deleted. Neither matters to a verdict.
const CLEARING: Duration = Duration::from_mins(10);
/// The files that matter. Writes to others in a folder of skills are passed over.
const NAMES: [&str; 2] = ["permissions.jsonc", "SKILL.md"];

/// Watches until `closed`.
pub(crate) async fn watch_folders(
    control: HostControl,
    book: PolicyStore,
    mut programs: OwnPrograms,
    home: String,
    closed: CancellationToken,
) {
    let heard = Arc::new(Notify::new());
    let watch = Arc::new(Mutex::new(FolderWatch {
        watcher: start_watcher(Arc::clone(&heard), Shipped::from_policy_store(&book)),
        watched: WatchedFolders::new(),
    }));
    let mut cleared = Instant::now();
    let (mut jumped, mut late) = (detect_jump(), book.skills_late());
    let mut known = time_asleep();
    loop {
        match watched_roots(&book).await {
            Ok(roots) => follow_aside(&watch, roots, book.managed_folders()).await,
            Err(error) => tracing::warn!(%error, "the folders to watch cannot be read"),
        }
        let clear = cleared.elapsed() >= CLEARING;
        if clear {
            cleared = Instant::now();
        }
        if let Err(error) = reread_all(&control, &book, &mut programs, clear).await {
            tracing::warn!(%error, "what changed on disk could not be taken over");
        }
        if std::mem::replace(&mut known, time_asleep()) != known {
            control.wake_up().await;
        }
        let news = std::mem::replace(&mut jumped, detect_jump()) != jumped;
        if std::mem::replace(&mut late, book.skills_late()) != late || news {
            // Who asks for the status hears of it as well.
            drop(control.status_changed().await);
        }
        let home = home.clone();
        // Beside the rest: a folder may hold much.
        tokio::task::spawn_blocking(move || postern_exec::confine::recover(&home));
        tokio::select! {
            () = heard.notified() => {}
            () = book.roots_changed() => {}
            () = tokio::time::sleep(NET) => {}
            () = closed.cancelled() => return,
        }
        tokio::select! {
            () = tokio::time::sleep(QUIET) => {}
            () = closed.cancelled() => return,
        }
    }
}

/// Starts the watcher. Without one (no descriptors left), only the net is left.
fn start_watcher(heard: Arc<Notify>, shipped: Shipped) -> Option<RecommendedWatcher> {
    let told = move |event: notify::Result<Event>| {
        if event.as_ref().map_or(true, |event| matters(event, &shipped)) {
            heard.notify_one();
        }
    };
    notify::recommended_watcher(told)
        .inspect_err(
            |error| tracing::warn!(%error, "folders cannot be watched; they are looked at now and then"),
        )
        .ok()
}

/// The files of an organization. Their folders may hold much else (`/etc`), which says nothing.
struct Shipped {
    files: Vec<PathBuf>,
    folders: Vec<PathBuf>,
}

impl Shipped {
    fn from_policy_store(book: &PolicyStore) -> Self {
        let files = book.places().managed.iter().map(|place| place.path.clone()).collect();
        Self { files, folders: book.managed_folders() }
    }

    /// Returns true if a path lies beside such a file and is none.
    fn is_beside(&self, path: &Path) -> bool {
        !self.files.iter().any(|file| file == path)
            && path.parent().is_some_and(|folder| self.folders.iter().any(|known| known == folder))
    }
}

fn matters(event: &Event, shipped: &Shipped) -> bool {
    if !event.paths.is_empty() && event.paths.iter().all(|path| shipped.is_beside(path)) {
        return false;
    }
    let named = |path: &PathBuf| {
        shipped.files.contains(path)
            || path.file_name().is_some_and(|name| NAMES.iter().any(|known| name == *known))
            || path.extension().is_some_and(|kind| kind == "toml")
    };
    match event.kind {
        EventKind::Access(_) => false,
        EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Metadata(_)) => event.paths.iter().any(named),
        EventKind::Any
        | EventKind::Create(_)
        | EventKind::Modify(_)
        | EventKind::Remove(_)
        | EventKind::Other => true,
    }
}

/// Returns the folders of skills, the one that holds every agent's `permissions.jsonc`, people's own
/// programs, and those of an organization's files.
async fn watched_roots(book: &PolicyStore) -> Result<BTreeSet<PathBuf>, PolicyStoreError> {
    let folders = book.skill_folders().await?;
    let data = &book.places().data;
    let own = [permissions_folder(data), programs_folder(data)];
    Ok(folders.into_iter().map(PathBuf::from).chain(own).chain(book.managed_folders()).collect())
}

/// Watcher of folders, with those that it watches.
struct FolderWatch {
    watcher: Option<RecommendedWatcher>,
    watched: WatchedFolders,
}

/// Watches these folders and no others, on a thread that may hang in one of them. Until that goes on, nothing else is watched,
/// and the net is left.
async fn follow_aside(watch: &Arc<Mutex<FolderWatch>>, roots: BTreeSet<PathBuf>, flat: Vec<PathBuf>) {
    let watch = Arc::clone(watch);
    let following = tokio::task::spawn_blocking(move || {
        if let Some(mut watch) = watch.try_lock() {
            let FolderWatch { watcher, watched } = &mut *watch;
            follow(watcher.as_mut(), watched, &roots, &flat);
        }
    });
    drop(tokio::time::timeout(FOLDERS_ANSWER, following).await);
}

/// Watches these folders and no others. One that was removed and made again is another folder: it is watched from the start.
fn follow(
    watcher: Option<&mut RecommendedWatcher>,
    watched: &mut WatchedFolders,
    roots: &BTreeSet<PathBuf>,
    flat: &[PathBuf],
) {
    let Some(watcher) = watcher else { return };
    watched.retain(|root, folder| {
        let stays = roots.contains(root) && folder_id(root) == Some(*folder);
        if !stays {
            // A folder that is gone is watched no more by itself.
            drop(watcher.unwatch(root));
        }
        stays
    });
    for root in roots {
        // Of an organization's folder only the files right in it: it may be /etc.
        let mode = if flat.contains(root) { RecursiveMode::NonRecursive } else { RecursiveMode::Recursive };
        let Some(folder) = folder_id(root).filter(|_| !watched.contains_key(root)) else { continue };
        if watch_root(watcher, root, mode) {
            watched.insert(root.clone(), folder);
        }
    }
}

type WatchedFolders = BTreeMap<PathBuf, FolderId>;
/// A folder's device and inode, and when it was made where the file system says so: an inode is given out again.
type FolderId = (u64, u64, Option<SystemTime>);

fn folder_id(path: &Path) -> Option<FolderId> {
    let status = std::fs::metadata(path).ok()?;
    Some((status.dev(), status.ino(), status.created().ok()))
}

fn watch_root(watcher: &mut RecommendedWatcher, root: &Path, mode: RecursiveMode) -> bool {
    let begun = watcher.watch(root, mode);
    begun
        .inspect_err(|error| tracing::debug!(root = %root.display(), %error, "cannot be watched yet"))
        .is_ok()
}

/// Reads everything again and tells the gate what is different.
async fn reread_all(
    control: &HostControl,
    book: &PolicyStore,
    programs: &mut OwnPrograms,
    clear: bool,
) -> Result<(), ControlError> {
    if programs.reload(&book.places().data) {
        control.rules_changed(None).await?;
    }
    for agent in book.reread_permissions().await? {
        control.rules_changed(Some(agent)).await?;
    }
    if book.find_skills().await? {
        control.skills_changed().await?;
    }
    let shipped = book.reread_managed().await?;
    let expired = clear && book.remove_expired().await?;
    if clear {
        leave_mark(book.store());
        book.clear_history().await?;
        book.check_record().await?;
    }
    if shipped || expired {
        control.rules_changed(None).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Shipped, WatchedFolders, follow, start_watcher};
    use std::collections::BTreeSet;
    use std::sync::Arc;
    use std::time::Duration;
    use tokio::sync::Notify;

    #[tokio::test]
    async fn a_folder_that_was_removed_and_made_again_is_watched_again() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("programs");
        let (roots, mut watched) = (BTreeSet::from([root.clone()]), WatchedFolders::new());
        let heard = Arc::new(Notify::new());
        let shipped = Shipped { files: Vec::new(), folders: Vec::new() };
        let mut watcher = start_watcher(Arc::clone(&heard), shipped);
        for turn in ["first", "again"] {
            std::fs::create_dir(&root).unwrap();
            follow(watcher.as_mut(), &mut watched, &roots, &[]);
            std::fs::write(root.join("tool.toml"), turn).unwrap();
            let told = tokio::time::timeout(Duration::from_mins(1), heard.notified()).await;
            assert!(told.is_ok(), "nothing is heard of {}", root.display());
            std::fs::remove_dir_all(&root).unwrap();
            // What the removal itself told is not what the next turn waits for.
            while tokio::time::timeout(Duration::from_millis(200), heard.notified()).await.is_ok() {}
        }
    }
}
