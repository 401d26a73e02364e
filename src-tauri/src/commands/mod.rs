//! Commands of the pages. Which window may call which is in `src-tauri/capabilities`.

mod approval;
mod choose;
mod output;
mod popover;
mod save;
mod settings;
mod update;

use tauri::Wry;
use tauri::ipc::Invoke;

/// Returns every command of the app.
pub(crate) fn handler() -> impl Fn(Invoke<Wry>) -> bool + Send + Sync + 'static {
    tauri::generate_handler![
        approval::question_watch,
        approval::question_presented,
        approval::question_seen_end,
        approval::question_answer,
        approval::question_edit,
        approval::question_preview,
        approval::question_script,
        approval::question_hold,
        approval::question_release,
        approval::question_press,
        approval::question_gather,
        approval::question_later,
        approval::question_details,
        approval::question_act,
        approval::question_drag,
        approval::question_inbox,
        approval::inbox_choose,
        approval::inbox_close,
        popover::popover_watch,
        popover::popover_laid_out,
        popover::popover_act,
        settings::settings_call,
        settings::settings_watch,
        settings::settings_open,
        settings::settings_launch_at_login,
        settings::settings_set_launch_at_login,
        settings::settings_preferences,
        settings::settings_command,
        settings::settings_presence,
        settings::settings_finish_first_run,
        settings::settings_set_preferences,
        update::settings_updates,
        update::settings_check_updates,
        update::settings_install_update,
        update::settings_put_off_update,
        output::output_open,
        output::output_read,
        output::output_close,
        choose::settings_choose_folder,
        save::settings_save,
    ]
}
