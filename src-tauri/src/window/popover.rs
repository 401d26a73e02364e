//! The popover of the menu-bar item: made when it is asked for, gone when it loses the keyboard. It answers no question; it
//! leads to the panel, which shows all of one.

use super::approval::{self, ApprovalHandle};
use super::{display, panel, recording};
use parking_lot::Mutex;
use postern_contract::Overview;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tauri::ipc::Channel;
use tauri::{
    AppHandle, LogicalPosition, LogicalSize, Manager, Rect, WebviewUrl, WebviewWindow, WebviewWindowBuilder,
    WindowEvent,
};

/// Label, which its capability names.
pub(crate) const LABEL: &str = "popover";
/// Width, in points.
const WIDTH: f64 = 330.0;
/// Height before its page says how much room it needs, in points.
const HEIGHT: f64 = 200.0;
/// The part of the screen's height that it may take; the rest of it scrolls.
const MOST_OF_SCREEN: f64 = 0.8;
/// Between the popover and the icon, or the screen's edges, in points.
const MARGIN: f64 = 8.0;
/// A click on the icon takes the keyboard from the popover, and so closes it, before it is told as a click.
const SAME_CLICK: Duration = Duration::from_millis(300);
/// Time after which the keyboard is where it stays.
const FOCUS_SETTLES: Duration = Duration::from_millis(150);

type PopoverPoint = LogicalPosition<f64>;
type PopoverSize = LogicalSize<f64>;

/// Content and position of the popover.
#[derive(Clone, Default)]
pub(crate) struct Popover(Arc<Mutex<PopoverState>>);

#[derive(Default)]
struct PopoverState {
    /// The page that listens.
    page: Option<Channel<Overview>>,
    /// Overview that was read last.
    overview: Option<Overview>,
    /// The menu-bar item's icon, where the system says where it is.
    icon: Option<Rect>,
    /// True if the popover had the keyboard.
    focused: bool,
    /// The time at which it was closed.
    closed: Option<Instant>,
}

impl Popover {
    /// Opens the popover beside the icon, or in the pointer's corner of the screen; closes an open one.
    pub(crate) fn toggle(&self, app: &AppHandle, icon: Option<Rect>) {
        let (this, handle) = (self.clone(), app.clone());
        let shown = move || {
            if let Err(error) = this.open_or_close(&handle, icon) {
                tracing::warn!(%error, "cannot open the popover");
            }
        };
        if let Err(error) = app.run_on_main_thread(shown) {
            tracing::warn!(%error, "cannot open the popover");
        }
    }

    fn open_or_close(&self, app: &AppHandle, icon: Option<Rect>) -> tauri::Result<()> {
        if let Some(window) = app.get_webview_window(LABEL) {
            return window.destroy();
        }
        {
            let mut state = self.0.lock();
            if icon.is_some() && state.closed.is_some_and(|closed| closed.elapsed() < SAME_CLICK) {
                return Ok(());
            }
            (state.icon, state.focused) = (icon, false);
        }
        build_window(app).map(drop)
    }

    /// Closes an open popover.
    pub(crate) fn close(app: &AppHandle) -> tauri::Result<()> {
        app.get_webview_window(LABEL).map_or(Ok(()), |window| window.destroy())
    }

    /// Notes that a page is there and listens.
    pub(crate) fn attach_page(&self, page: Channel<Overview>) {
        let overview = {
            let mut state = self.0.lock();
            state.page = Some(page);
            state.overview.clone()
        };
        if let Some(overview) = overview {
            self.show_overview(overview);
        }
    }

    /// Shows what was read.
    pub(crate) fn show_overview(&self, overview: Overview) {
        let page = {
            let mut state = self.0.lock();
            state.overview = Some(overview.clone());
            state.page.clone()
        };
        // A page that is gone hears nothing; the next one brings its own channel.
        if let Some(Err(error)) = page.map(|page| page.send(overview)) {
            tracing::debug!(%error, "the popover is gone");
        }
    }

    /// Says that the host has stopped.
    pub(crate) fn show_host_lost(&self) {
        let overview = self.0.lock().overview.clone();
        if let Some(overview) = overview {
            self.show_overview(Overview { lost: true, ..overview });
        }
    }

    /// Sizes the window for its page, which is laid out and this high, and shows it with the keyboard.
    pub(crate) fn laid_out(&self, window: &WebviewWindow, height: f64) -> tauri::Result<()> {
        let icon = self.0.lock().icon;
        // The pointer has clicked the icon.
        let monitor = display::with_pointer(window)?;
        let area = monitor.as_ref().map(display::work_area);
        let most = area.map_or(f64::MAX, |(_, size)| size.height * MOST_OF_SCREEN);
        let size = PopoverSize::new(WIDTH, height.clamp(1.0, most));
        window.set_size(size)?;
        let Some(area) = area else { return window.show() };
        // The icon's place is in pixels of its display, and the window may be on another one.
        let scale = monitor.map_or_else(|| window.scale_factor(), |monitor| Ok(monitor.scale_factor()))?;
        let at = match icon {
            Some(icon) => {
                position_below(icon.position.to_logical(scale), icon.size.to_logical(scale), area, size)
            }
            None => corner(display::pointer(window)?, area, size),
        };
        // Once it is open it stays where it is, whatever its height becomes.
        if !window.is_visible()? {
            window.set_position(at)?;
            window.show()?;
            // Without a window manager, a window comes back where it was hidden.
            window.set_position(at)?;
            panel::take_keyboard(window)?;
        }
        Ok(())
    }
}

/// Handles events of the window itself. If it covers the panel the person sees no question there: arming
/// starts over.
pub(crate) fn on_event(
    window: &tauri::Window,
    event: &WindowEvent,
    popover: &Popover,
    approval: &ApprovalHandle,
) {
    match event {
        WindowEvent::Focused(true) => popover.0.lock().focused = true,
        WindowEvent::Focused(false) if popover.0.lock().focused => {
            tauri::async_runtime::spawn(close_unless_focused(window.app_handle().clone()));
        }
        WindowEvent::Destroyed => {
            let mut state = popover.0.lock();
            (state.page, state.closed) = (None, Some(Instant::now()));
        }
        _ => return,
    }
    approval.surface_handle(approval::LABEL).shaken();
}

/// Closes the popover if the keyboard is still elsewhere in a moment: some systems take it away and give it back at once.
async fn close_unless_focused(app: AppHandle) {
    tokio::time::sleep(FOCUS_SETTLES).await;
    let Some(window) = app.get_webview_window(LABEL) else { return };
    if window.is_focused().unwrap_or(false) {
        return;
    }
    if let Err(error) = window.destroy() {
        tracing::warn!(%error, "cannot close the popover");
    }
}

/// Builds the window hidden, until its page says how high it is.
fn build_window(app: &AppHandle) -> tauri::Result<WebviewWindow> {
    let window = WebviewWindowBuilder::new(app, LABEL, WebviewUrl::App("popover.html".into()))
        .title("Postern Overview")
        .inner_size(WIDTH, HEIGHT)
        .max_inner_size(WIDTH, f64::from(u16::MAX))
        .decorations(false)
        .visible(false)
        // On a Mac the page would activate the app as soon as it is made, and so lead to the space of the main window.
        .focused(!cfg!(target_os = "macos"))
        .always_on_top(true)
        .visible_on_all_workspaces(true)
        .skip_taskbar(true)
        .minimizable(false)
        .maximizable(false)
        .build()?;
    panel::float_above_all(&window)?;
    recording::hide_if_wanted(&window)?;
    Ok(window)
}

/// Returns the place below an icon of the menu bar, in the middle where the screen has room for it.
fn position_below(
    icon: PopoverPoint,
    icon_size: PopoverSize,
    (from, area): (PopoverPoint, PopoverSize),
    size: PopoverSize,
) -> PopoverPoint {
    let right = from.x + area.width - size.width - MARGIN;
    let middle = icon.x + (icon_size.width - size.width) / 2.0;
    PopoverPoint::new(middle.min(right).max(from.x + MARGIN), icon.y + icon_size.height + MARGIN)
}

/// Returns the place in the corner of the screen that is nearest to the pointer.
fn corner(
    pointer: PopoverPoint,
    (from, area): (PopoverPoint, PopoverSize),
    size: PopoverSize,
) -> PopoverPoint {
    let side = |pointer: f64, from: f64, length: f64, own: f64| {
        if pointer < from + length / 2.0 { from + MARGIN } else { from + length - own - MARGIN }
    };
    PopoverPoint::new(
        side(pointer.x, from.x, area.width, size.width),
        side(pointer.y, from.y, area.height, size.height),
    )
}

#[cfg(test)]
mod tests {
    use super::{PopoverPoint, PopoverSize, corner, position_below};

    const SCREEN: (PopoverPoint, PopoverSize) =
        (PopoverPoint::new(100.0, 24.0), PopoverSize::new(1000.0, 700.0));
    const POPOVER: PopoverSize = PopoverSize::new(330.0, 400.0);

    #[test]
    fn it_opens_in_the_corner_nearest_to_the_pointer() {
        for (pointer, at) in [
            ((1090.0, 10.0), (762.0, 32.0)),
            ((110.0, 30.0), (108.0, 32.0)),
            ((110.0, 720.0), (108.0, 316.0)),
            ((1090.0, 720.0), (762.0, 316.0)),
        ] {
            let found = corner(PopoverPoint::new(pointer.0, pointer.1), SCREEN, POPOVER);
            assert_eq!((found.x, found.y), at, "{pointer:?}");
        }
    }

    #[test]
    fn it_opens_below_its_icon_and_stays_on_the_screen() {
        for (icon, left) in [(600.0, 447.0), (1080.0, 762.0), (110.0, 108.0)] {
            let found =
                position_below(PopoverPoint::new(icon, 0.0), PopoverSize::new(24.0, 24.0), SCREEN, POPOVER);
            assert_eq!((found.x, found.y), (left, 32.0), "{icon}");
        }
    }
}
