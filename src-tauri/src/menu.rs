//! The menu-bar item: state, how many wait, what ran last, pause and resume.

use crate::Page;
use crate::backend::Backend;
use crate::run::Parts;
use crate::window::settings;
use postern_contract::methods::{
    GetStatus, ListRequests, Nothing, Pause, PauseAll, RequestFilter, ResumeAll,
};
use postern_contract::{Mode, RequestRow, Status};
use postern_protocol::RunState;
use tauri::image::Image;
use tauri::menu::{MenuBuilder, MenuEvent, MenuItem, MenuItemBuilder};
use tauri::tray::{TrayIcon, TrayIconBuilder};
use tauri::{AppHandle, Manager, Wry};

/// Requests that the menu lists.
const LAST: u32 = 5;
/// Characters of a command that fit into a menu.
const LONGEST: usize = 56;
const STOPPED: &str = "Postern has stopped";
const HOUR_MS: u64 = 60 * 60 * 1000;

/// The menu-bar item.
#[derive(Clone)]
pub(crate) struct Menu {
    app: AppHandle,
    /// None where the system has no place for one.
    tray: Option<TrayIcon>,
}

/// Puts the item into the menu bar.
pub(crate) fn open(app: &AppHandle) -> Menu {
    let tray = TrayIconBuilder::with_id("postern")
        .icon(face(Mode::Listening, false))
        .icon_as_template(true)
        .tooltip("Postern")
        .on_menu_event(on_menu_event)
        .build(app);
    if let Err(error) = &tray {
        tracing::warn!(%error, "no menu-bar item");
    }
    Menu { app: app.clone(), tray: tray.ok() }
}

impl Menu {
    /// Reads the state anew and shows it.
    pub(crate) async fn refresh(&self, backend: &Backend) {
        let filter = RequestFilter { limit: Some(LAST), ..RequestFilter::default() };
        let last = backend.ask::<ListRequests>(&filter).await.map(|page| page.requests).unwrap_or_default();
        match backend.ask::<GetStatus>(&Nothing {}).await {
            Ok(status) => {
                if let Err(error) = self.show(&status, &last) {
                    tracing::warn!(%error, "the menu-bar item");
                }
            }
            Err(error) => tracing::warn!(%error, "no state for the menu-bar item"),
        }
    }

    /// The host is gone: says so until `refresh` finds one.
    pub(crate) fn stopped(&self) {
        if let Err(error) = self.show_stopped() {
            tracing::warn!(%error, "the menu-bar item");
        }
    }

    fn show_stopped(&self) -> tauri::Result<()> {
        let Some(tray) = &self.tray else { return Ok(()) };
        tray.set_icon(Some(face(Mode::DenyAll, true)))?;
        tray.set_icon_as_template(true)?;
        tray.set_title(None::<&str>)?;
        tray.set_tooltip(Some(STOPPED))?;
        let menu = MenuBuilder::new(&self.app)
            .item(&self.plain(STOPPED)?)
            .item(&self.plain("Nothing runs until it is back")?)
            .separator()
            .item(&self.item("quit", "Quit Postern")?)
            .build()?;
        tray.set_menu(Some(menu))
    }

    fn show(&self, status: &Status, last: &[RequestRow]) -> tauri::Result<()> {
        let Some(tray) = &self.tray else { return Ok(()) };
        let attention = !status.attention.is_empty() || status.faces.is_empty();
        tray.set_icon(Some(face(status.mode, attention)))?;
        tray.set_icon_as_template(true)?;
        tray.set_title((status.waiting > 0).then(|| status.waiting.to_string()))?;
        tray.set_tooltip(Some(summary(status)))?;
        tray.set_menu(Some(self.menu(status, last)?))
    }

    fn menu(&self, status: &Status, last: &[RequestRow]) -> tauri::Result<tauri::menu::Menu<Wry>> {
        let mut menu = MenuBuilder::new(&self.app).item(&self.plain(mode(status.mode))?);
        if status.waiting > 0 {
            menu = menu.item(&self.item("question", &format!("Show {}", waiting(status.waiting)))?);
        }
        if status.faces.is_empty() {
            menu = menu.item(&self.plain("No screen to ask on: questions are denied")?);
        }
        for line in &status.attention {
            menu = menu.item(&self.item("settings:settings", &shortened(&line.message))?);
        }
        if !last.is_empty() {
            menu = menu.separator().item(&self.plain("Last commands")?);
            for row in last {
                let line = format!("{}   {}", shortened(&row.line), outcome(row));
                menu = menu.item(&self.item("settings:activity", &line)?);
            }
        }
        menu = menu.separator();
        menu = match status.mode {
            Mode::Listening => menu
                .item(&self.item("pause-hour", "Pause for an Hour")?)
                .item(&self.item("pause", "Deny Everything until Resumed")?),
            Mode::Paused | Mode::DenyAll => menu.item(&self.item("resume", "Resume")?),
        };
        menu.separator()
            .item(&self.item("settings", "Open Postern…")?)
            .item(&self.item("settings:add", "Add Agent…")?)
            .item(&self.item("settings:settings", "Settings…")?)
            .separator()
            .item(&self.item("quit", "Quit Postern")?)
            .build()
    }

    /// A line that only tells.
    fn plain(&self, text: &str) -> tauri::Result<MenuItem<Wry>> {
        MenuItemBuilder::new(text).enabled(false).build(&self.app)
    }

    fn item(&self, id: &str, text: &str) -> tauri::Result<MenuItem<Wry>> {
        MenuItemBuilder::with_id(id, text).build(&self.app)
    }
}

fn on_menu_event(app: &AppHandle, event: MenuEvent) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let Some(parts) = app.try_state::<Parts>().map(|parts| parts.inner().clone()) else { return };
        if let Err(error) = act(&app, &parts, event.id().as_ref()).await {
            tracing::warn!(%error, "the menu");
        }
    });
}

/// Does what an item of the menu is for.
async fn act(app: &AppHandle, parts: &Parts, item: &str) -> anyhow::Result<()> {
    match item {
        "pause-hour" => drop(parts.backend.ask::<PauseAll>(&Pause { for_ms: Some(HOUR_MS) }).await?),
        "pause" => drop(parts.backend.ask::<PauseAll>(&Pause { for_ms: None }).await?),
        "resume" => drop(parts.backend.ask::<ResumeAll>(&Nothing {}).await?),
        // The person asks for it, so that it may take the keyboard.
        "question" => parts.approval.to_front(app)?,
        "settings" => settings::open(app, Page::default()),
        "quit" => app.exit(0),
        other => {
            if let Some(page) = other.strip_prefix("settings:") {
                settings::open(app, Page::named(page));
            }
        }
    }
    Ok(())
}

/// The state in one line.
fn summary(status: &Status) -> String {
    match status.waiting {
        0 => mode(status.mode).to_owned(),
        some => format!("{} · {}", mode(status.mode), waiting(some)),
    }
}

fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Listening => "Listening",
        Mode::Paused => "Paused: everything is denied",
        Mode::DenyAll => "Records in doubt: everything is denied",
    }
}

fn waiting(questions: u32) -> String {
    match questions {
        1 => "1 waiting question".to_owned(),
        more => format!("{more} waiting questions"),
    }
}

/// What became of a command, in a word or two.
fn outcome(row: &RequestRow) -> String {
    match (row.state, row.exit_code) {
        (_, Some(code)) => format!("exit {code}"),
        (RunState::Asking, None) => "waits for you".to_owned(),
        (RunState::Starting | RunState::Running | RunState::Stopping, None) => "runs".to_owned(),
        (RunState::Failed, None) => "could not start".to_owned(),
        (state, None) => state.name().to_owned(),
    }
}

/// A line that fits into a menu. Cut at its end only, and visibly.
fn shortened(line: &str) -> String {
    if line.chars().count() <= LONGEST {
        return line.to_owned();
    }
    line.chars().take(LONGEST).chain(['…']).collect()
}

/// The picture of a state; a template, which the menu bar colours. Decoded when this is built.
const fn face(mode: Mode, attention: bool) -> Image<'static> {
    match (mode, attention) {
        (Mode::DenyAll, _) => tauri::include_image!("icons/menu/deny-all.png"),
        (Mode::Paused, _) => tauri::include_image!("icons/menu/paused.png"),
        (Mode::Listening, true) => tauri::include_image!("icons/menu/attention.png"),
        (Mode::Listening, false) => tauri::include_image!("icons/menu/listening.png"),
    }
}

#[cfg(test)]
mod tests {
    use super::{face, shortened};
    use postern_contract::Mode;
    use std::collections::HashSet;

    #[test]
    fn a_long_line_is_cut_at_its_end_and_says_so() {
        assert_eq!(shortened("git push"), "git push");
        let cut = shortened(&"é".repeat(100));
        assert!(cut.ends_with('…') && cut.chars().count() == 57, "{cut}");
    }

    #[test]
    fn every_state_has_its_own_picture() {
        let states = [
            (Mode::Listening, false),
            (Mode::Listening, true),
            (Mode::Paused, false),
            (Mode::DenyAll, false),
        ];
        let pictures: HashSet<Vec<u8>> =
            states.iter().map(|(mode, attention)| face(*mode, *attention).rgba().to_vec()).collect();
        assert_eq!(pictures.len(), states.len());
    }
}
