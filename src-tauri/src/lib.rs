//! The desktop app: windows, menu-bar item, notifications. It shows and passes on; every decision is the host's.
//!
//! `app_menu` the menu bar of a Mac · `options` what it was started with · `backend` the host, embedded or attached to ·
//! `desk` the question on show and what was seen of it · `overview` what the menu-bar item shows · `window` the windows ·
//! `commands` what each page may call · `dependencies` what all of them use · `menu` the menu-bar item · `notify`
//! notifications that tell · `presence` is it the owner who answers · `preferences` how it looks and sounds · `short_line`
//! lines that are cut to their room · `sound` what is heard · `system` what is wanted of the system around it · `update`
//! newer releases of the app.

#[cfg(target_os = "macos")]
mod app_menu;
mod backend;
mod commands;
mod dependencies;
mod desk;
mod menu;
mod notify;
mod options;
mod overview;
mod preferences;
mod presence;
mod run;
mod short_line;
mod sound;
mod system;
mod update;
mod window;

pub use options::{AppOptions, BadOptions, SettingsPage};
pub use run::run_app;
pub use system::log::init_logging;
