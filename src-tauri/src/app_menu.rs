//! The menu bar of the app, on a Mac: what the main window has, with its keys. Its items do what those of the menu-bar item do.

use tauri::menu::{MenuBuilder, MenuItem, MenuItemBuilder, SubmenuBuilder, WINDOW_SUBMENU_ID};
use tauri::{AppHandle, Wry};

/// Pages of the main window, with their keys.
const PAGES: [(&str, &str, &str); 4] = [
    ("settings:inbox", "Inbox", "Cmd+1"),
    ("settings:activity", "Activity", "Cmd+2"),
    ("settings:rules", "Rules", "Cmd+3"),
    ("settings:insights", "Insights", "Cmd+4"),
];

/// Puts the menu into the menu bar. It checks for updates where the build has an updater.
pub(crate) fn set(app: &AppHandle, has_updater: bool) -> tauri::Result<()> {
    let item = |id, text, keys| command(app, id, text, keys);
    let mut postern =
        SubmenuBuilder::new(app, "Postern").item(&item("settings:about", "About Postern", None)?);
    if has_updater {
        postern = postern.item(&item("check-updates", "Check for Updates…", None)?);
    }
    let postern = postern
        .separator()
        .item(&item("settings:settings", "Settings…", Some("Cmd+,"))?)
        .separator()
        .services()
        .separator()
        .hide()
        .hide_others()
        .show_all()
        .separator()
        .quit()
        .build()?;
    let file = SubmenuBuilder::new(app, "File")
        .item(&item("settings:add", "Add Agent…", Some("Cmd+N"))?)
        .item(&item("settings:again", "Run Again", Some("Cmd+R"))?)
        .separator()
        .close_window()
        .build()?;
    let edit = SubmenuBuilder::new(app, "Edit")
        .undo()
        .redo()
        .separator()
        .cut()
        .copy()
        .paste()
        .select_all()
        .separator()
        .item(&item("settings:find", "Find…", Some("Cmd+F"))?)
        .item(&item("settings:search", "Search Everything…", Some("Cmd+K"))?)
        .build()?;
    let mut view = SubmenuBuilder::new(app, "View");
    for (id, text, keys) in PAGES {
        view = view.item(&item(id, text, Some(keys))?);
    }
    let view = view.separator().fullscreen().build()?;
    let agents = SubmenuBuilder::new(app, "Agents")
        .item(&item("block-hour", "Block All Agents for 1 Hour", None)?)
        .item(&item("block", "Block All Agents Until I Unblock", None)?)
        .item(&item("unblock", "Unblock All Agents", None)?)
        .separator()
        .item(&item("ask-later", "Ask Later", None)?)
        .build()?;
    let window = SubmenuBuilder::with_id(app, WINDOW_SUBMENU_ID, "Window")
        .minimize()
        .maximize()
        .separator()
        .bring_all_to_front()
        .build()?;
    let menu = MenuBuilder::new(app).items(&[&postern, &file, &edit, &view, &agents, &window]).build()?;
    app.set_menu(menu).map(drop)
}

/// Makes an item that [`crate::menu::perform_action`] knows.
fn command(app: &AppHandle, id: &str, text: &str, keys: Option<&str>) -> tauri::Result<MenuItem<Wry>> {
    let item = MenuItemBuilder::with_id(id, text);
    match keys {
        Some(keys) => item.accelerator(keys),
        None => item,
    }
    .build(app)
}
