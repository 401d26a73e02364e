//! Position and size of the approval window.
//!
//! The panel is at the screen's upper right or where it was dragged, and the result in its upper right
//! corner.

use super::{display, panel};
use tauri::{LogicalPosition, LogicalSize, WebviewWindow};

/// The part of the screen's height that a question may take; the rest of it scrolls.
const MOST_OF_SCREEN: f64 = 0.8;
/// Width, in logical pixels: the page counts on it, so that its height is known before it is shown.
pub(super) const WIDTH: f64 = 460.0;
/// Between the window and the screen's edges, in logical pixels.
const MARGIN: f64 = 12.0;
/// The size of a result.
const PILL: LogicalSize<f64> = LogicalSize::new(260.0, 36.0);

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum WindowContent {
    /// Nothing.
    Hidden,
    /// A question of this height.
    Panel(f64),
    /// Result of the last answer.
    Pill,
}

/// The window's place, from question to question.
#[derive(Debug)]
pub(super) struct WindowPlacement {
    stage: WindowContent,
    /// Position that the person dragged the panel to.
    dragged: Option<LogicalPosition<f64>>,
    /// True if the person drags it, so that its place is to be read.
    dragging: bool,
}

impl Default for WindowPlacement {
    fn default() -> Self {
        Self { stage: WindowContent::Hidden, dragged: None, dragging: false }
    }
}

impl WindowPlacement {
    pub(super) fn current_content(&self) -> WindowContent {
        self.stage
    }

    /// Notes that the window is another one, or none.
    pub(super) fn reset_content(&mut self) {
        self.stage = WindowContent::Hidden;
    }

    pub(super) fn begin_drag(&mut self, window: &WebviewWindow) -> tauri::Result<()> {
        self.dragging = true;
        window.start_dragging()
    }

    /// Shows something else: size, place and whether it is visible at all. Never takes the keyboard.
    pub(super) fn show_content(&mut self, window: &WebviewWindow, next: WindowContent) -> tauri::Result<()> {
        let before = std::mem::replace(&mut self.stage, next);
        if before == next {
            return Ok(());
        }
        let scale = window.scale_factor()?;
        if std::mem::take(&mut self.dragging) && matches!(before, WindowContent::Panel(_)) {
            self.dragged = Some(window.outer_position()?.to_logical(scale));
        }
        // It opens where the user looks, and stays on its display from then on.
        let monitor = if before == WindowContent::Hidden {
            display::with_pointer(window)?
        } else {
            window.current_monitor()?.or(window.primary_monitor()?)
        };
        let area = monitor.as_ref().map(display::work_area);
        let corner =
            area.map(|(at, size)| LogicalPosition::new(at.x + size.width - WIDTH - MARGIN, at.y + MARGIN));
        let dragged = self.dragged.filter(|at| {
            let head = LogicalPosition::new(at.x + WIDTH / 2.0, at.y);
            area.is_none_or(|area| display::area_contains(area, head))
        });
        let place = dragged.or(corner);
        let (size, at) = match next {
            WindowContent::Hidden => return window.hide(),
            WindowContent::Panel(height) => {
                let most = area.map_or(f64::MAX, |(_, size)| size.height * MOST_OF_SCREEN);
                let stays = matches!(before, WindowContent::Panel(_));
                (LogicalSize::new(WIDTH, height.min(most)), place.filter(|_| !stays))
            }
            WindowContent::Pill => {
                (PILL, place.map(|at| LogicalPosition::new(at.x + WIDTH - PILL.width, at.y)))
            }
        };
        window.set_size(size)?;
        if let Some(at) = at {
            window.set_position(at)?;
        }
        if before == WindowContent::Hidden {
            panel::show_without_focus(window)?;
            // Without a window manager, a window comes back where it was hidden.
            if let Some(at) = at {
                window.set_position(at)?;
            }
        }
        Ok(())
    }
}
