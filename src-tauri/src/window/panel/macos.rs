//! A non-activating panel of AppKit: above every space, full-screen app and display, without the keyboard until it is asked
//! for.
//!
//! tao makes a window of its own class, so its class is exchanged for one derived from `NSPanel`.
#![expect(unsafe_code, reason = "only the Objective-C runtime exchanges the class of a window")]

use block2::RcBlock;
use objc2::runtime::{AnyObject, NSObjectProtocol as _};
use objc2::{ClassType as _, define_class, msg_send, sel};
use objc2_app_kit::{
    NSColor, NSEvent, NSEventMask, NSPanel, NSResponder, NSStatusWindowLevel, NSWindow,
    NSWindowCollectionBehavior, NSWindowStyleMask,
};
use objc2_core_graphics::{CGEvent, CGEventField};
use objc2_foundation::NSObject;
use objc2_quartz_core::CALayer;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tauri::{Webview, WebviewWindow};

/// Time for which no *Allow* counts after a program made a click or pressed a key.
const DISTRUST: Duration = Duration::from_secs(2);

/// Radius of the corners, in points.
const CORNERS: f64 = 22.0;

/// Time of the last event that a program made, in milliseconds since [`start`], or 0.
static MADE_BY_PROGRAM: AtomicU64 = AtomicU64::new(0);

define_class!(
    // SAFETY: `NSPanel` may be subclassed. The class has no instance variables and no `Drop`.
    #[unsafe(super(NSPanel, NSWindow, NSResponder, NSObject))]
    #[name = "PosternQuestionPanel"]
    struct QuestionPanel;

    impl QuestionPanel {
        #[unsafe(method(canBecomeKeyWindow))]
        fn can_become_key_window(&self) -> bool {
            true
        }

        #[unsafe(method(canBecomeMainWindow))]
        fn can_become_main_window(&self) -> bool {
            false
        }
    }
);

/// Makes the window a panel with round corners. It stays hidden.
pub(in crate::window) fn make_panel(window: &WebviewWindow) -> tauri::Result<()> {
    float_above_all(window)?;
    on_main_thread(window, round_corners)
}

/// Makes the window a panel that is above full-screen apps, too. It stays hidden.
pub(in crate::window) fn float_above_all(window: &WebviewWindow) -> tauri::Result<()> {
    on_main_thread(window, float_window)?;
    // wry gives keys to a page only where it also activates the app. The click that makes a panel the key window does not reach it.
    AsRef::<Webview>::as_ref(window).set_focus()
}

fn float_window(window: &NSWindow) {
    let class = QuestionPanel::class();
    let object: &AnyObject = window;
    // Behind the variables of a window are those of tao's class, which a panel must not write to.
    if class.instance_size() > NSWindow::class().instance_size() {
        tracing::warn!("a window stays an ordinary one: a panel needs more room");
    } else {
        // SAFETY: the new class has no instance variables and fits into the object, which is a live `NSWindow`. Only the main
        // thread uses it. What tao's own class does is done by the panel, too. WebKit may observe its title bar by now, whose
        // changes are not told any more; it has none.
        unsafe { AnyObject::set_class(object, class) };
        // SAFETY: it is a panel since the line before.
        let panel: &NSPanel = unsafe { &*std::ptr::from_ref(object).cast() };
        panel.setFloatingPanel(true);
    }
    window.setStyleMask(window.styleMask() | NSWindowStyleMask::NonactivatingPanel);
    prevent_activation(window);
    window.setHidesOnDeactivate(false);
    window.setLevel(NSStatusWindowLevel);
    window.setCollectionBehavior(behavior());
}

/// Makes the window server not activate the app by a click. AppKit tells it so by this call, which is not public, while a panel is
/// made, and not when its style becomes `NonactivatingPanel` later.
fn prevent_activation(window: &NSWindow) {
    if window.respondsToSelector(sel!(_setPreventsActivation:)) {
        // SAFETY: the method takes a Boolean and returns nothing, as a setter does.
        let () = unsafe { msg_send![window, _setPreventsActivation: true] };
    } else {
        tracing::warn!("a click on the panel may activate the app");
    }
}

/// Rounds the corners: the page is cut by the layer of the view that holds it, and the shadow follows.
fn round_corners(window: &NSWindow) {
    let Some(view) = window.contentView() else { return };
    window.setOpaque(false);
    window.setBackgroundColor(Some(&NSColor::clearColor()));
    view.setWantsLayer(true);
    view.layer().as_deref().into_iter().for_each(cut_corners);
}

fn cut_corners(layer: &CALayer) {
    layer.setCornerRadius(CORNERS);
    layer.setMasksToBounds(true);
}

/// Shows the window on the active space without making it the key window, also while Postern is the active app.
pub(in crate::window) fn show_without_focus(window: &WebviewWindow) -> tauri::Result<()> {
    on_main_thread(window, NSWindow::orderFrontRegardless)
}

/// Makes it the key window. Postern does not become the active app by it.
pub(in crate::window) fn take_keyboard(window: &WebviewWindow) -> tauri::Result<()> {
    on_main_thread(window, |window| {
        window.orderFrontRegardless();
        window.makeKeyWindow();
    })
}

/// Gives the keyboard back to the active app: its window becomes the key window when this one is taken off the screen.
pub(in crate::window) fn give_keyboard_back(window: &WebviewWindow) -> tauri::Result<()> {
    on_main_thread(window, |window| {
        window.orderOut(None);
        window.orderFrontRegardless();
    })
}

/// Watches who makes the clicks and presses the keys in all windows of the app, as long as it runs. Call it on the main thread.
pub(in crate::window) fn watch_presses() {
    let watch = RcBlock::new(|event: NonNull<NSEvent>| -> *mut NSEvent {
        // SAFETY: AppKit hands over an event that lives until the call returns.
        let made = unsafe { event.as_ref() }.CGEvent();
        if made.is_some_and(|made| author(&made) != 0) {
            MADE_BY_PROGRAM.store(since_start(), Ordering::Relaxed);
        }
        event.as_ptr()
    });
    let presses = NSEventMask::LeftMouseDown | NSEventMask::LeftMouseUp | NSEventMask::KeyDown;
    // SAFETY: the block returns the event that it was given.
    let watched = unsafe { NSEvent::addLocalMonitorForEventsMatchingMask_handler(presses, &watch) };
    std::mem::forget(watched);
}

/// Returns true if a program made a click or pressed a key in a window of the app just now.
pub(in crate::window) fn is_made_by_program() -> bool {
    let last = MADE_BY_PROGRAM.load(Ordering::Relaxed);
    last != 0 && since_start().saturating_sub(last) <= u64::try_from(DISTRUST.as_millis()).unwrap_or(u64::MAX)
}

fn behavior() -> NSWindowCollectionBehavior {
    NSWindowCollectionBehavior::CanJoinAllSpaces
        | NSWindowCollectionBehavior::FullScreenAuxiliary
        | NSWindowCollectionBehavior::IgnoresCycle
}

/// Returns the id of the process that posted an event; 0 for what comes from a device.
fn author(event: &CGEvent) -> i64 {
    CGEvent::integer_value_field(Some(event), CGEventField::EventSourceUnixProcessID)
}

/// Returns the milliseconds since the first call, at least 1.
fn since_start() -> u64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    u64::try_from(START.get_or_init(Instant::now).elapsed().as_millis()).unwrap_or(u64::MAX).max(1)
}

/// Runs something with the window on the main thread, now or after what was asked of it before.
fn on_main_thread(
    window: &WebviewWindow,
    what: impl FnOnce(&NSWindow) + Send + 'static,
) -> tauri::Result<()> {
    let kept = window.clone();
    window.run_on_main_thread(move || match kept.ns_window() {
        // SAFETY: the window lives as long as `kept`, and this is the main thread.
        Ok(pointer) => {
            if let Some(window) = unsafe { pointer.cast::<NSWindow>().as_ref() } {
                what(window);
            } else {
                tracing::warn!("the window that asks is gone");
            }
        }
        Err(error) => tracing::warn!(%error, "the window that asks"),
    })
}

#[cfg(test)]
mod tests {
    use super::{QuestionPanel, author};
    use objc2::ClassType as _;
    use objc2_core_graphics::CGEvent;

    #[test]
    #[ignore = "needs a Mac"]
    fn mac_the_class_of_a_panel_needs_no_more_room_than_a_window() {
        assert!(QuestionPanel::class().instance_size() <= objc2_app_kit::NSWindow::class().instance_size());
    }

    #[test]
    #[ignore = "needs a Mac"]
    fn mac_an_event_names_the_process_that_made_it() {
        let event = CGEvent::new(None).expect("an event");
        assert_eq!(author(&event), 0, "it was not posted");
    }
}
