//! Windows that show the output of one request each: made when they are asked for, gone when they are closed. Each reads its own
//! request, and answers nothing.

use super::recording;
use tauri::{AppHandle, Manager, WebviewUrl, WebviewWindow, WebviewWindowBuilder};

/// Beginning of the labels, which their capability names; the request's number follows.
const LABEL: &str = "output-";
/// Size of a new window, in points.
const SIZE: (f64, f64) = (760.0, 520.0);
/// Smallest size, in points.
const LEAST: (f64, f64) = (460.0, 260.0);
/// Characters of a request's number.
const NUMBER: usize = 36;

/// Returns the label of the window of a request, if that is a number.
fn label_of(request: &str) -> Option<String> {
    let digits = request.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit());
    (digits && request.len() == NUMBER).then(|| format!("{LABEL}{request}"))
}

/// Returns the request that a window may read.
pub(crate) fn request_of(window: &str) -> Option<&str> {
    window.strip_prefix(LABEL)
}

/// Opens the window of a request's output, or brings the open one to the front. On the main thread, as for every window.
pub(crate) fn open_output(app: &AppHandle, request: &str) -> Result<(), String> {
    let label = label_of(request).ok_or_else(|| format!("{request:?} is no number of a request"))?;
    let handle = app.clone();
    let shown = move || {
        if let Err(error) = show_window(&handle, &label) {
            tracing::warn!(%error, "cannot open the window of an output");
        }
    };
    app.run_on_main_thread(shown).map_err(|error| error.to_string())
}

fn show_window(app: &AppHandle, label: &str) -> tauri::Result<()> {
    if let Some(window) = app.get_webview_window(label) {
        window.show()?;
        return window.set_focus();
    }
    let window = WebviewWindowBuilder::new(app, label, WebviewUrl::App("output.html".into()))
        .title("Postern Output")
        .inner_size(SIZE.0, SIZE.1)
        .min_inner_size(LEAST.0, LEAST.1)
        .build()?;
    recording::hide_if_wanted(&window)?;
    window.set_focus()
}

/// Lets the menu bar's *Find…* search the output that has the keyboard. Returns false if none has it.
pub(crate) fn find_in_focused(app: &AppHandle) -> bool {
    let has_keyboard =
        |window: &WebviewWindow| request_of(window.label()).is_some() && window.is_focused().unwrap_or(false);
    let Some(window) = app.webview_windows().into_values().find(has_keyboard) else { return false };
    let found = window.url().and_then(|mut url| {
        url.set_fragment(Some("find"));
        window.navigate(url)
    });
    if let Err(error) = found {
        tracing::warn!(%error, "cannot search an output");
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{label_of, request_of};

    #[test]
    fn a_window_is_named_after_its_request_and_reads_no_other() {
        let number = "0199a1c0-7f3e-7d2a-9000-000000000001";
        let label = label_of(number).unwrap();
        assert_eq!(request_of(&label), Some(number));
        for other in ["", "settings", "last", "0199", "../settings", &format!("{number}/")] {
            assert_eq!(label_of(other), None, "{other}");
        }
        for label in ["settings", "approval", "popover"] {
            assert_eq!(request_of(label), None, "{label}");
        }
    }
}
