//! Folders that the person chooses in the system's own dialog.

use std::path::PathBuf;
use tauri::WebviewWindow;
use tokio::sync::oneshot;

/// Asks the person for a folder, in a sheet of the window; `None` if they cancel.
#[tauri::command]
pub(super) async fn settings_choose_folder(window: WebviewWindow) -> Result<Option<String>, String> {
    let (reply, chosen) = oneshot::channel();
    let parent = window.clone();
    // The dialog belongs to the main thread, and is awaited beside it: the window goes on living.
    let open = move || {
        let dialog = rfd::AsyncFileDialog::new().set_parent(&parent).pick_folder();
        tauri::async_runtime::spawn(async move { reply.send(dialog.await) });
    };
    window.run_on_main_thread(open).map_err(|error| error.to_string())?;
    let folder = chosen.await.map_err(|_| "the window was closed".to_owned())?;
    folder.map(|folder| path_text(folder.path().to_owned())).transpose()
}

/// Returns a path as text; one that is no text would name another folder.
fn path_text(path: PathBuf) -> Result<String, String> {
    path.into_os_string().into_string().map_err(|path| format!("{} is not valid UTF-8", path.display()))
}

#[cfg(test)]
mod tests {
    use super::path_text;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    #[test]
    fn a_path_that_is_no_text_is_refused() {
        assert_eq!(path_text("/Users/kim/skills".into()), Ok("/Users/kim/skills".to_owned()));
        assert!(path_text(OsStr::from_bytes(b"/skills\xff").into()).is_err());
    }
}
