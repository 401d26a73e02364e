//! Drivers of the desktop app in a display of its own: Xvfb, a session bus, WebKitWebDriver.
//!
//! They know which ports are free and which programs are there, and end with the test.

use super::window::BETWEEN;
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Returns the programs that the window test needs and this machine lacks, in words.
pub(crate) fn missing() -> Option<String> {
    let needed: [(&str, Option<PathBuf>); 5] = [
        ("xdotool (Debian: xdotool)", in_path("xdotool")),
        ("Xvfb (Debian: xvfb)", in_path("Xvfb")),
        ("dbus-run-session (Debian: dbus)", in_path("dbus-run-session")),
        ("WebKitWebDriver (Debian: webkit2gtk-driver)", in_path("WebKitWebDriver")),
        ("postern-desktop (cargo build -p postern-desktop)", desktop()),
    ];
    let lacking: Vec<&str> =
        needed.iter().filter(|(_, found)| found.is_none()).map(|(what, _)| *what).collect();
    (!lacking.is_empty()).then(|| lacking.join(", "))
}

/// Returns the app once the driver on this port has started it.
pub(crate) async fn connect(port: u16, data: &Path, args: &[&str]) -> Client {
    let data = data.display().to_string();
    let args: Vec<&str> = ["--data", &data].into_iter().chain(args.iter().copied()).collect();
    let capabilities = json!({
        "browserName": "wry",
        "webkitgtk:browserOptions": {
            "binary": desktop().unwrap(),
            "args": args,
        }
    });
    let serde_json::Value::Object(capabilities) = capabilities else { unreachable!("it is an object") };
    let url = format!("http://127.0.0.1:{port}");
    loop {
        let mut builder = ClientBuilder::new(HttpConnector::new());
        if let Ok(client) = builder.capabilities(capabilities.clone()).connect(&url).await {
            return client;
        }
        // The driver is not up yet: it says nothing when it is.
        tokio::time::sleep(BETWEEN).await;
    }
}

/// Starts the driver on this port, and with it the app, on a session bus and in a home of their own.
pub(crate) fn driver(home: &Path, display: &str, port: u16) -> Command {
    let mut driver = command("dbus-run-session");
    driver
        .args(["--", "WebKitWebDriver", &format!("--port={port}")])
        // Tauri lets its pages be driven by this, as tauri-driver sets it.
        .env("TAURI_WEBVIEW_AUTOMATION", "true")
        .env("DISPLAY", format!(":{display}"))
        .env("HOME", home)
        .env("XDG_RUNTIME_DIR", home)
        .env("GDK_BACKEND", "x11")
        .env("NO_AT_BRIDGE", "1")
        .env("WEBKIT_DISABLE_COMPOSITING_MODE", "1")
        .env_remove("POSTERN_DATA");
    driver
}

/// Returns a display that nobody else uses, and its number.
pub(crate) fn display() -> (Group, String) {
    let mut xvfb = command("Xvfb");
    xvfb.args(["-displayfd", "1", "-screen", "0", "1400x1000x24", "-nolisten", "tcp"]).stdout(Stdio::piped());
    let mut group = Group::start(&mut xvfb);
    let mut number = String::new();
    BufReader::new(group.0.stdout.take().unwrap()).read_line(&mut number).unwrap();
    (group, number.trim().to_owned())
}

/// Looks for the windows of a title that can be seen on a display.
pub(crate) fn search(display: &str, title: &str) -> Command {
    let mut xdotool = command("xdotool");
    xdotool.args(["search", "--onlyvisible", "--name", title]).env("DISPLAY", format!(":{display}"));
    xdotool
}

/// A process and all that it started; ended with the test.
pub(crate) struct Group(Child);

impl Group {
    pub(crate) fn start(command: &mut Command) -> Self {
        Self(command.process_group(0).stdin(Stdio::null()).spawn().unwrap())
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let pid = i32::try_from(self.0.id()).ok().and_then(Pid::from_raw);
        if let Some(pid) = pid {
            kill_process_group(pid, Signal::KILL).ok();
        }
        self.0.wait().ok();
    }
}

#[expect(clippy::disallowed_methods, reason = "a test starts the program as its users do")]
fn command(program: &str) -> Command {
    Command::new(program)
}

/// Returns the app beside this test's own binary: `target/<profile>/postern-desktop`.
fn desktop() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?.parent()?.parent()?.join("postern-desktop");
    program.is_file().then_some(program)
}

#[expect(clippy::disallowed_methods, reason = "a test looks where its programs are")]
fn in_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}
