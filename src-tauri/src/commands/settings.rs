//! Commands of the main window and of the settings: the control methods, without those that answer a question. Its inbox answers
//! through the commands of the approval.
#![expect(clippy::needless_pass_by_value, reason = "Tauri hands a command its arguments")]

use crate::SettingsPage;
use crate::dependencies::AppDependencies;
use crate::preferences::window_theme;
use crate::presence;
use crate::system::login;
use crate::window::{approval, output, popover};
use postern_contract::methods::METHODS;
use postern_contract::{Preferences, Presence};
use serde_json::Value;
use std::time::Duration;
use tauri::ipc::Channel;
use tauri::{AppHandle, Manager as _, State, WebviewWindow};

/// Time that the owner has to confirm a change of the settings.
const CONFIRM: Duration = Duration::from_mins(1);

/// Returns true if the main window may call `method`: no question is answered this way, and no tool call.
fn may_call(method: &str) -> bool {
    let elsewhere =
        method.starts_with("questions.") || method.starts_with("tool.") || method == "requests.watch";
    method == "questions.list" || METHODS.contains(&method) && !elsewhere
}

#[tauri::command]
pub(super) async fn settings_call(
    parts: State<'_, AppDependencies>,
    method: String,
    params: Value,
) -> Result<Value, String> {
    if !may_call(&method) {
        return Err(format!("the main window cannot call {method:?}"));
    }
    parts.backend.invoke_json(&method, params).await.map_err(|error| error.message)
}

#[tauri::command]
pub(super) fn settings_watch(
    window: WebviewWindow,
    parts: State<'_, AppDependencies>,
    channel: Channel<String>,
) {
    let mut listeners = parts.listeners.lock();
    listeners.insert(window.label().to_owned(), channel);
}

/// Opens a page in its own window: the settings, or the main one.
#[tauri::command]
pub(super) fn settings_open(app: AppHandle, page: String) {
    crate::window::settings::open_page(&app, SettingsPage::from_name(&page));
}

#[tauri::command]
pub(super) fn settings_launch_at_login(app: AppHandle) -> Result<bool, String> {
    login::is_on(&app)
}

#[tauri::command]
pub(super) fn settings_set_launch_at_login(app: AppHandle, on: bool) -> Result<(), String> {
    login::set_start_at_login(&app, on)
}

#[tauri::command]
pub(super) async fn settings_finish_first_run(app: AppHandle) -> Result<(), String> {
    crate::window::settings::finish_first_run(&app).map_err(|error| error.to_string())
}

#[tauri::command]
pub(super) fn settings_preferences(parts: State<'_, AppDependencies>) -> Preferences {
    parts.preferences.get()
}

/// Returns the path of the `postern` that came with the app, if one did.
#[tauri::command]
pub(super) fn settings_command() -> Option<String> {
    let beside = std::env::current_exe().ok()?.with_file_name("postern");
    beside.is_file().then(|| beside.to_string_lossy().into_owned())
}

/// Returns the ways in which this computer can identify its owner.
#[tauri::command]
pub(super) async fn settings_presence() -> Presence {
    presence::detect_presence().await
}

#[tauri::command]
pub(super) async fn settings_set_preferences(
    app: AppHandle,
    parts: State<'_, AppDependencies>,
    preferences: Preferences,
) -> Result<(), String> {
    // Only the owner turns off what asks for the owner, where this machine can tell at all.
    let less = parts.preferences.get().confirm && !preferences.confirm;
    if less && presence::detect_presence().await != Presence::None {
        presence::confirm("no longer ask for you".to_owned(), CONFIRM).await?;
    }
    app.set_theme(window_theme(preferences.appearance));
    hide_from_recordings(&app, preferences.unrecorded);
    let kept = parts.preferences.update(preferences);
    parts.set_shortcut(&app);
    parts.approval.refresh_questions();
    kept.map_err(|error| format!("the settings could not be saved: {error}"))
}

/// Hides the open windows from recordings and shared screens, or shows them there again.
fn hide_from_recordings(app: &AppHandle, hidden: bool) {
    for window in app.webview_windows().into_values().filter(|window| is_private(window.label())) {
        if let Err(error) = window.set_content_protected(hidden) {
            tracing::warn!(%error, window = window.label(), "cannot be hidden from recordings");
        }
    }
}

/// Returns true if the window of this label shows what an agent wants or wrote, and little else.
fn is_private(label: &str) -> bool {
    label == approval::LABEL || label == popover::LABEL || output::request_of(label).is_some()
}

#[cfg(test)]
mod tests {
    use super::{is_private, may_call};
    use crate::window::{approval, popover, settings};

    #[test]
    fn what_an_agent_asks_and_writes_is_private_and_the_settings_are_not() {
        for label in [approval::LABEL, popover::LABEL, "output-01a2049f-0995-7c11-8a0e-000000000001"] {
            assert!(is_private(label), "{label}");
        }
        assert!(!is_private(settings::LABEL) && !is_private(settings::PREFERENCES));
    }

    #[test]
    fn no_question_is_answered_from_the_settings() {
        for method in
            ["questions.answer", "questions.presented", "questions.watch", "tool.approve", "requests.watch"]
        {
            assert!(!may_call(method), "{method} belongs to the approval window");
        }
        assert!(!may_call("made.up"), "what is not on the list is not passed on");
        for method in ["status", "agents.set", "rules.add", "requests.list", "questions.list", "pause"] {
            assert!(may_call(method), "{method} is what the settings are for");
        }
    }
}
