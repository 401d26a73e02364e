//! The window that questions are shown in, with its page: made before it is needed, and let go where it is not needed for long.
//!
//! A page that waits costs the memory of a browser. The first question after a quiet time pays a fraction of a second for a new one.

use super::place::WIDTH;
use super::{panel, recording};
use std::time::Duration;
use tauri::utils::config::BackgroundThrottlingPolicy;
use tauri::{AppHandle, WebviewUrl, WebviewWindow, WebviewWindowBuilder};
use tokio::time::Instant;

/// Height before a question says how much room it needs, in logical pixels.
const HEIGHT: f64 = 260.0;

/// Window of questions, where there is one.
pub(super) struct Pane {
    app: AppHandle,
    /// Label of the window, which its capability names.
    label: &'static str,
    state: PaneState,
    /// Time that it is kept silently.
    keep: Duration,
    /// Time at which it is let go.
    until: Option<Instant>,
}

enum PaneState {
    None,
    There(Box<WebviewWindow>),
    /// Let go and not gone yet: there cannot be a second of its name.
    Going,
}

impl Pane {
    /// Returns a hidden window whose page loads at once.
    pub(super) fn open(app: AppHandle, label: &'static str, keep: Duration) -> tauri::Result<Self> {
        let mut pane = Self { app, label, state: PaneState::None, keep, until: None };
        pane.wanted()?;
        pane.unused();
        Ok(pane)
    }

    pub(super) fn window(&self) -> Option<&WebviewWindow> {
        match &self.state {
            PaneState::There(window) => Some(window),
            PaneState::None | PaneState::Going => None,
        }
    }

    pub(super) fn app_handle(&self) -> &AppHandle {
        &self.app
    }

    /// Keeps the window for a question, or makes it. One that is still going is made as soon as
    /// [`Pane::mark_gone`] was called.
    pub(super) fn wanted(&mut self) -> tauri::Result<()> {
        self.until = None;
        if matches!(self.state, PaneState::None) {
            self.state = PaneState::There(Box::new(build_window(&self.app, self.label)?));
        }
        Ok(())
    }

    /// Lets the window go if no question comes.
    pub(super) fn unused(&mut self) {
        if self.until.is_none() && self.window().is_some() {
            self.until = Some(Instant::now() + self.keep);
        }
    }

    /// Returns the time at which [`Pane::release`] is due.
    pub(super) fn release_due(&self) -> Option<Instant> {
        self.until
    }

    /// Lets the window and its page go.
    pub(super) fn release(&mut self) -> tauri::Result<()> {
        self.until = None;
        if let PaneState::There(window) = &self.state {
            window.destroy()?;
            self.state = PaneState::Going;
        }
        Ok(())
    }

    /// Notes that the window that was let go does not exist any more.
    pub(super) fn mark_gone(&mut self) {
        self.state = PaneState::None;
    }
}

/// Builds the window hidden. It is shown later without taking the keyboard.
fn build_window(app: &AppHandle, label: &str) -> tauri::Result<WebviewWindow> {
    let window = WebviewWindowBuilder::new(app, label, WebviewUrl::App("approval.html".into()))
        .title("Postern asks")
        .inner_size(WIDTH, HEIGHT)
        .max_inner_size(WIDTH, f64::from(u16::MAX))
        // The panel has its own head; it is moved by it.
        .decorations(false)
        .visible(false)
        .focused(false)
        .accept_first_mouse(false)
        .always_on_top(true)
        .visible_on_all_workspaces(true)
        .skip_taskbar(true)
        .minimizable(false)
        .maximizable(false)
        // A hidden page has to lay out the next question; WebKit would suspend it after minutes.
        .background_throttling(BackgroundThrottlingPolicy::Disabled)
        .build()?;
    panel::make_panel(&window)?;
    recording::hide_if_wanted(&window)?;
    Ok(window)
}
