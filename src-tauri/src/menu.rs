//! The menu-bar item: the state in words, what waits, runs and ran last, and what blocks all agents.

use crate::backend::Backend;
use crate::dependencies::AppDependencies;
use crate::short_line::shorten_line;
use crate::update::{HostActivity, Updates};
use crate::window::popover::Popover;
use crate::window::{output, settings};
use crate::{SettingsPage, overview, system};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use postern_contract::methods::{KillRequest, Nothing, Pause, PauseAll, RequestKill, ResumeAll};
use postern_contract::{Mode, Overview, Question, RequestRow, Status};
use postern_policy::RiskLevel;
use postern_protocol::RunState;
use std::sync::Arc;
use tauri::image::Image;
use tauri::menu::{MenuBuilder, MenuEvent, MenuItem, MenuItemBuilder};
use tauri::tray::{MouseButton, MouseButtonState, TrayIcon, TrayIconBuilder, TrayIconEvent};
use tauri::{AppHandle, Manager, Wry};

/// Waiting requests that the menu lists.
const WAITING: usize = 3;
/// Characters of a command that fit into a menu.
const LONGEST: usize = 56;
const STOPPED: &str = "Postern has stopped";
const HOUR_MS: u64 = 60 * 60 * 1000;

/// The menu-bar item.
#[derive(Clone)]
pub(crate) struct Menu {
    app: AppHandle,
    /// Item in the tray; `None` if the system has no place for one.
    tray: Option<TrayIcon>,
    popover: Popover,
    updates: Option<Arc<Updates>>,
}

/// Puts the item into the menu bar.
///
/// On macOS a click opens the popover, and the other button the menu; elsewhere the system opens the menu,
/// and its first item opens the popover.
pub(crate) fn add_tray_item(app: &AppHandle, popover: Popover, updates: Option<Arc<Updates>>) -> Menu {
    let clicked = popover.clone();
    let tray = TrayIconBuilder::with_id("postern")
        .icon(state_icon(Mode::Listening, false, false))
        .icon_as_template(true)
        .tooltip("Postern")
        .show_menu_on_left_click(false)
        .on_menu_event(on_menu_event)
        .on_tray_icon_event(move |tray, event| {
            if let TrayIconEvent::Click {
                button: MouseButton::Left,
                button_state: MouseButtonState::Up,
                rect,
                ..
            } = event
            {
                clicked.toggle(tray.app_handle(), Some(rect));
            }
        })
        .build(app);
    if let Err(error) = &tray {
        tracing::warn!(%error, "no menu-bar item");
    }
    Menu { app: app.clone(), tray: tray.ok(), popover, updates }
}

impl Menu {
    /// Reads the state again and shows it.
    pub(crate) async fn refresh(&self, backend: &Backend) {
        match overview::read_overview(backend).await {
            Ok(overview) => {
                system::keep_on_time(overview.status.waiting > 0 || !overview.running.is_empty());
                if let Some(updates) = &self.updates {
                    updates.note_activity(Some(HostActivity::from(&overview.status)));
                }
                if let Err(error) = self.show_overview(&overview) {
                    tracing::warn!(%error, "the menu-bar item");
                }
                self.popover.show_overview(overview);
            }
            Err(error) => tracing::warn!(%error, "no state for the menu-bar item"),
        }
    }

    /// Shows that the host is gone, until `refresh` finds one.
    pub(crate) fn stopped(&self) {
        system::keep_on_time(false);
        if let Some(updates) = &self.updates {
            updates.note_activity(None);
        }
        self.popover.show_host_lost();
        if let Err(error) = self.show_stopped() {
            tracing::warn!(%error, "the menu-bar item");
        }
    }

    fn show_stopped(&self) -> tauri::Result<()> {
        let Some(tray) = &self.tray else { return Ok(()) };
        tray.set_icon_with_as_template(Some(state_icon(Mode::DenyAll, true, false)), true)?;
        tray.set_title(None::<&str>)?;
        tray.set_tooltip(Some(STOPPED))?;
        let menu = MenuBuilder::new(&self.app)
            .item(&self.disabled_item(STOPPED)?)
            .item(&self.disabled_item("Nothing runs until it is back")?)
            .separator()
            .item(&self.menu_item("quit", "Quit Postern")?)
            .build()?;
        tray.set_menu(Some(menu))
    }

    fn show_overview(&self, overview: &Overview) -> tauri::Result<()> {
        let Some(tray) = &self.tray else { return Ok(()) };
        let status = &overview.status;
        let attention = !status.attention.is_empty() || status.faces.is_empty();
        let icon = state_icon(status.mode, attention, status.waiting > 0);
        tray.set_icon_with_as_template(Some(icon), true)?;
        tray.set_title((status.waiting > 0).then(|| status.waiting.to_string()))?;
        tray.set_tooltip(Some(status_text(status, overview.agents.len())))?;
        tray.set_menu(Some(self.build_menu(overview)?))
    }

    fn build_menu(&self, overview: &Overview) -> tauri::Result<tauri::menu::Menu<Wry>> {
        let Overview { status, agents, questions, running, recent, .. } = overview;
        let mut menu = MenuBuilder::new(&self.app);
        if cfg!(not(target_os = "macos")) {
            menu = menu.item(&self.menu_item("overview", "Show Overview")?).separator();
        }
        menu = menu.item(&self.disabled_item(&status_text(status, agents.len()))?);
        for line in &status.attention {
            menu = menu.item(&self.menu_item("settings:settings", &shorten_line(&line.message, LONGEST))?);
        }
        if !questions.is_empty() {
            menu = menu.separator().item(&self.disabled_item("Waiting for You")?);
            for question in questions.iter().take(WAITING) {
                menu = menu
                    .item(&self.menu_item(&format!("question:{}", question.id), &question_line(question))?);
            }
            if questions.len() > WAITING {
                menu =
                    menu.item(&self.menu_item("settings:inbox", &format!("Show All {}", questions.len()))?);
            }
            menu = menu.item(&self.menu_item("ask-later", "Ask Later")?);
        }
        for (title, rows) in [("Running", running), ("Recent", recent)] {
            if rows.is_empty() {
                continue;
            }
            menu = menu.separator().item(&self.disabled_item(title)?);
            for row in rows {
                let line = format!("{}   {}", shorten_line(&row.line, LONGEST), outcome(row));
                menu = menu.item(&self.menu_item(&format!("settings:request.{}", row.id), &line)?);
            }
        }
        menu = menu.separator();
        menu = match status.mode {
            Mode::Listening => menu
                .item(&self.menu_item("block-hour", "Block All Agents for 1 Hour")?)
                .item(&self.menu_item("block", "Block All Agents Until I Unblock")?),
            Mode::Paused => menu.item(&self.menu_item("unblock", "Unblock All Agents")?),
            // No person ends this: the records have to be repaired first.
            Mode::DenyAll => menu,
        };
        menu.item(&self.menu_item("settings:search", "Search…")?)
            .separator()
            .item(&self.menu_item("settings", "Open Postern…")?)
            .item(&self.menu_item("settings:add", "Add Agent…")?)
            .item(&self.menu_item("settings:settings", "Settings…")?)
            .separator()
            .item(&self.menu_item("quit", "Quit Postern")?)
            .build()
    }

    /// Returns a line that only tells.
    fn disabled_item(&self, text: &str) -> tauri::Result<MenuItem<Wry>> {
        MenuItemBuilder::new(literal(text)).enabled(false).build(&self.app)
    }

    fn menu_item(&self, id: &str, text: &str) -> tauri::Result<MenuItem<Wry>> {
        MenuItemBuilder::with_id(id, literal(text)).build(&self.app)
    }
}

fn on_menu_event(app: &AppHandle, event: MenuEvent) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let Some(parts) = app.try_state::<AppDependencies>().map(|parts| parts.inner().clone()) else {
            return;
        };
        if let Err(error) = perform_action(&app, &parts, event.id().as_ref()).await {
            tracing::warn!(%error, "the menu");
        }
    });
}

/// Returns true if the popover has this item, too.
pub(crate) fn is_of_popover(item: &str) -> bool {
    matches!(
        item,
        "close" | "ask-later" | "settings" | "settings:inbox" | "settings:search" | "settings:settings"
    ) || keeps_popover_open(item)
        || ["question:", "settings:request."].iter().any(|kind| item.starts_with(kind))
}

/// Returns true if the popover shows what the item does, and stays open.
pub(crate) fn keeps_popover_open(item: &str) -> bool {
    matches!(item, "block-hour" | "unblock") || item.starts_with("stop:")
}

/// Does what an item of the menu is for.
pub(crate) async fn perform_action(
    app: &AppHandle,
    parts: &AppDependencies,
    item: &str,
) -> anyhow::Result<()> {
    match item {
        "block-hour" => drop(parts.backend.invoke::<PauseAll>(&Pause { for_ms: Some(HOUR_MS) }).await?),
        "block" => drop(parts.backend.invoke::<PauseAll>(&Pause { for_ms: None }).await?),
        "unblock" => drop(parts.backend.invoke::<ResumeAll>(&Nothing {}).await?),
        "overview" => parts.popover.toggle(app, None),
        "close" => {}
        "ask-later" => parts.approval.put_off_all(),
        "settings:find" if output::find_in_focused(app) => {}
        "settings" => settings::open_page(app, SettingsPage::default()),
        "check-updates" => {
            settings::open_page(app, SettingsPage::from_name("general"));
            if let Some(updates) = &parts.updates {
                updates.check_releases().await;
            }
        }
        "quit" => app.exit(0),
        other => {
            if let Some(page) = other.strip_prefix("settings:") {
                settings::open_page(app, SettingsPage::from_name(page));
            } else if let Some(id) = other.strip_prefix("question:") {
                parts.approval.to_front(id.to_owned());
            } else if let Some(id) = other.strip_prefix("stop:") {
                let id = id.to_owned();
                _ = parts.backend.invoke::<KillRequest>(&RequestKill { id, signal: None }).await?;
            }
        }
    }
    Ok(())
}

/// Returns the state in words.
fn status_text(status: &Status, agents: usize) -> String {
    match (status.mode, status.paused_until) {
        (Mode::DenyAll, _) => "The record can’t be trusted. All requests are denied.".to_owned(),
        (Mode::Paused, Some(until)) => {
            format!("All agents blocked until {}", format_clock(until, &Zoned::now()))
        }
        (Mode::Paused, None) => "All agents blocked".to_owned(),
        (Mode::Listening, _) if status.faces.is_empty() => {
            "Can’t show questions. Requests are being denied.".to_owned()
        }
        (Mode::Listening, _) => match agents {
            0 => "No agents yet".to_owned(),
            1 => "Guarding 1 agent".to_owned(),
            more => format!("Guarding {more} agents"),
        },
    }
}

/// Returns a time of day where `now` is, with the date where it is not today.
fn format_clock(millis: i64, now: &Zoned) -> String {
    let Ok(at) = Timestamp::from_millisecond(millis) else { return "?".to_owned() };
    let at = at.to_zoned(TimeZone::clone(now.time_zone()));
    let format = if at.date() == now.date() { "%-I:%M %p" } else { "%b %-d, %-I:%M %p" };
    at.strftime(format).to_string()
}

/// Returns a waiting request in one line. The command itself is shown as text, escaped.
fn question_line(question: &Question) -> String {
    let mark = if question.risk.level == RiskLevel::Dangerous { "■" } else { "●" };
    let place = question.host.as_ref().map_or_else(String::new, |host| format!(" on {host}"));
    format!("{mark} {}   {}{place}", shorten_line(&question.line, LONGEST), question.asker.agent)
}

/// Returns the result of a command, in a word or two.
fn outcome(row: &RequestRow) -> String {
    match (row.state, row.exit_code) {
        (_, Some(0)) => "passed".to_owned(),
        (_, Some(code)) => format!("failed ({code})"),
        (RunState::Failed, None) => "couldn’t start".to_owned(),
        (state, None) => state.name().to_owned(),
    }
}

/// Returns the text of an item that shows every `&`: a single one marks the letter of a shortcut.
fn literal(text: &str) -> String {
    text.replace('&', "&&")
}

/// Returns the picture of a state, decoded when this is built. It is a template, which the menu bar colors.
const fn state_icon(mode: Mode, attention: bool, waiting: bool) -> Image<'static> {
    match (mode, attention, waiting) {
        (Mode::DenyAll, ..) => tauri::include_image!("icons/menu/deny-all.png"),
        (Mode::Paused, ..) => tauri::include_image!("icons/menu/paused.png"),
        (Mode::Listening, true, _) => tauri::include_image!("icons/menu/attention.png"),
        (Mode::Listening, false, true) => tauri::include_image!("icons/menu/waiting.png"),
        (Mode::Listening, false, false) => tauri::include_image!("icons/menu/listening.png"),
    }
}

#[cfg(test)]
mod tests {
    use super::{format_clock, literal, state_icon};
    use jiff::Timestamp;
    use jiff::tz::TimeZone;
    use postern_contract::Mode;
    use std::collections::HashSet;

    #[test]
    fn an_ampersand_of_a_command_is_shown() {
        assert_eq!(literal("make && rm a & b"), "make &&&& rm a && b");
    }

    #[test]
    fn a_time_has_its_date_unless_it_is_today() {
        let now = Timestamp::UNIX_EPOCH.to_zoned(TimeZone::UTC);
        assert_eq!(format_clock(19 * 3_600_000 + 53 * 60_000, &now), "7:53 PM");
        assert_eq!(format_clock(25 * 3_600_000, &now), "Jan 2, 1:00 AM");
    }

    #[test]
    fn every_state_has_its_own_picture() {
        let states = [
            (Mode::Listening, false, false),
            (Mode::Listening, false, true),
            (Mode::Listening, true, false),
            (Mode::Paused, false, false),
            (Mode::DenyAll, false, false),
        ];
        let pictures: HashSet<Vec<u8>> = states
            .iter()
            .map(|(mode, attention, waiting)| state_icon(*mode, *attention, *waiting).rgba().to_vec())
            .collect();
        assert_eq!(pictures.len(), states.len());
    }
}
