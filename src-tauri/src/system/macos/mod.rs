//! macOS, through AppKit and Foundation.

mod activity;
mod launch;
mod login_item;
mod shortcut;
mod unified_log;
mod workspace;

pub(crate) use activity::keep_on_time;
pub(crate) use launch::is_started_at_login;
pub(super) use login_item::LoginItem;
pub(crate) use shortcut::set_shortcut;
pub(super) use unified_log::write as write_log;
pub(crate) use workspace::watch_session;
