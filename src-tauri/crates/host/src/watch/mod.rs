//! What changes on disk: permissions files, skill folders, managed rules. Folders are watched, because editors replace
//! files; what is heard only says *look again*, and looking compares contents. A slow look now and then is the net.

use crate::book::{Book, BookError};
use crate::control::Control;
use notify::event::ModifyKind;
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use postern_contract::methods::ControlError;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How long it must be quiet before files are read again: editors write in several steps.
const QUIET: Duration = Duration::from_millis(100);
/// How often everything is looked at although nothing was heard.
const NET: Duration = Duration::from_secs(30);
/// How often rules whose time is over and old history are cleared away. Neither matters to a verdict.
const CLEARING: Duration = Duration::from_mins(10);
/// The files that matter. Writes to others in a folder of skills are passed over.
const NAMES: [&str; 2] = ["permissions.jsonc", "SKILL.md"];

/// Watches until `closed`.
pub(crate) async fn watch(control: Control, book: Book, closed: CancellationToken) {
    let heard = Arc::new(Notify::new());
    let mut watcher = start(Arc::clone(&heard));
    let mut watched = BTreeSet::new();
    let mut cleared = Instant::now();
    loop {
        match roots(&book).await {
            Ok(roots) => follow(watcher.as_mut(), &mut watched, &roots),
            Err(error) => tracing::warn!(%error, "the folders to watch cannot be read"),
        }
        let clear = cleared.elapsed() >= CLEARING;
        if clear {
            cleared = Instant::now();
        }
        if let Err(error) = look(&control, &book, clear).await {
            tracing::warn!(%error, "what changed on disk could not be taken over");
        }
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

/// Without a watcher (no descriptors left), only the net is left.
fn start(heard: Arc<Notify>) -> Option<RecommendedWatcher> {
    let told = move |event: notify::Result<Event>| {
        if event.as_ref().map_or(true, matters) {
            heard.notify_one();
        }
    };
    notify::recommended_watcher(told)
        .inspect_err(
            |error| tracing::warn!(%error, "folders cannot be watched; they are looked at now and then"),
        )
        .ok()
}

fn matters(event: &Event) -> bool {
    let named =
        |path: &PathBuf| path.file_name().is_some_and(|name| NAMES.iter().any(|known| name == *known));
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

/// The folders of skills, and the one that holds every agent's `permissions.jsonc`.
async fn roots(book: &Book) -> Result<BTreeSet<PathBuf>, BookError> {
    let folders = book.skill_folders().await?;
    Ok(folders.into_iter().map(PathBuf::from).chain([book.places().data.join("policy")]).collect())
}

fn follow(
    watcher: Option<&mut RecommendedWatcher>,
    watched: &mut BTreeSet<PathBuf>,
    roots: &BTreeSet<PathBuf>,
) {
    let Some(watcher) = watcher else { return };
    for gone in watched.difference(roots) {
        // A folder that is gone is watched no more by itself.
        drop(watcher.unwatch(gone));
    }
    watched.retain(|root| roots.contains(root));
    for root in roots {
        if !watched.contains(root) && begin(watcher, root) {
            watched.insert(root.clone());
        }
    }
}

fn begin(watcher: &mut RecommendedWatcher, root: &Path) -> bool {
    let begun = watcher.watch(root, RecursiveMode::Recursive);
    begun
        .inspect_err(|error| tracing::debug!(root = %root.display(), %error, "cannot be watched yet"))
        .is_ok()
}

/// Reads everything again and tells the gate what is different.
async fn look(control: &Control, book: &Book, clear: bool) -> Result<(), ControlError> {
    for agent in book.reread_permissions().await? {
        control.rules_changed(Some(agent)).await?;
    }
    if book.find_skills().await? {
        control.skills_changed().await?;
    }
    let shipped = book.reread_managed().await?;
    let expired = clear && book.remove_expired().await?;
    if clear {
        book.clear_history().await?;
    }
    if shipped || expired {
        control.rules_changed(None).await?;
    }
    Ok(())
}
