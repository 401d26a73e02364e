//! The approval window's place among the windows of all apps: shown without taking the keyboard, and given it on request.

#[cfg_attr(target_os = "macos", path = "macos.rs")]
#[cfg_attr(not(target_os = "macos"), path = "other.rs")]
mod system;

pub(super) use system::{
    float_above_all, give_keyboard_back, is_made_by_program, make_panel, show_without_focus, take_keyboard,
    watch_presses,
};
