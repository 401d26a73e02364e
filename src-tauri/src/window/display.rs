//! Displays in points. Each has its own scale, so places are compared in points, which all displays share.

use tauri::{LogicalPosition, LogicalSize, Monitor, WebviewWindow};

type DisplayPoint = LogicalPosition<f64>;
type DisplaySize = LogicalSize<f64>;
/// A part of the space that all displays share.
pub(super) type Area = (DisplayPoint, DisplaySize);

/// Returns the display with the pointer, or the primary one.
pub(super) fn with_pointer(window: &WebviewWindow) -> tauri::Result<Option<Monitor>> {
    // Some systems do not say where the pointer is.
    pointer(window).map_or_else(|_| window.primary_monitor(), |pointer| display_at(window, pointer))
}

/// Returns the display with a place, or the primary one.
fn display_at(window: &WebviewWindow, place: DisplayPoint) -> tauri::Result<Option<Monitor>> {
    let found =
        window.available_monitors()?.into_iter().find(|monitor| area_contains(full_area(monitor), place));
    found.map_or_else(|| window.primary_monitor(), |found| Ok(Some(found)))
}

/// Returns the place of the pointer.
pub(super) fn pointer(window: &WebviewWindow) -> tauri::Result<DisplayPoint> {
    // macOS gives it in pixels of the primary display, other systems in those of the window's.
    let primary = if cfg!(target_os = "macos") { window.primary_monitor()? } else { None };
    let scale = primary.map_or_else(|| window.scale_factor(), |primary| Ok(primary.scale_factor()))?;
    Ok(window.cursor_position()?.to_logical(scale))
}

/// Returns the part of a display that windows may take.
pub(super) fn work_area(monitor: &Monitor) -> Area {
    let (area, scale) = (monitor.work_area(), monitor.scale_factor());
    (area.position.to_logical(scale), area.size.to_logical(scale))
}

pub(super) fn area_contains((from, size): Area, at: DisplayPoint) -> bool {
    let (x, y) = (at.x - from.x, at.y - from.y);
    (0.0..size.width).contains(&x) && (0.0..size.height).contains(&y)
}

fn full_area(monitor: &Monitor) -> Area {
    let scale = monitor.scale_factor();
    (monitor.position().to_logical(scale), monitor.size().to_logical(scale))
}

#[cfg(test)]
mod tests {
    use super::{DisplayPoint, DisplaySize, area_contains};

    #[test]
    fn a_place_is_on_one_of_two_displays_side_by_side() {
        let left = (DisplayPoint::new(-1440.0, 100.0), DisplaySize::new(1440.0, 900.0));
        let right = (DisplayPoint::new(0.0, 0.0), DisplaySize::new(2560.0, 1440.0));
        for (at, on_left, on_right) in [
            ((-1.0, 100.0), true, false),
            ((0.0, 100.0), false, true),
            ((-1440.0, 999.0), true, false),
            ((-1441.0, 500.0), false, false),
            ((100.0, 1440.0), false, false),
        ] {
            let at = DisplayPoint::new(at.0, at.1);
            assert_eq!((area_contains(left, at), area_contains(right, at)), (on_left, on_right), "{at:?}");
        }
    }
}
