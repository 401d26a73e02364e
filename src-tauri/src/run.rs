//! Puts the app together: host, windows, menu-bar item; then passes on what the host tells.

use crate::backend::{Backend, Heard};
use crate::window::approval::{self, Approval};
use crate::window::settings;
use crate::{Options, commands, menu, notify};
use anyhow::Context;
use postern_contract::Told;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use tauri::ipc::Channel;
use tauri::{AppHandle, Manager, RunEvent};
use tokio::sync::mpsc;

/// What every part of the app holds on to.
#[derive(Clone)]
pub(crate) struct Parts {
    /// The host.
    pub(crate) backend: Arc<Backend>,
    /// The approval window.
    pub(crate) approval: Approval,
    /// The settings page that listens, if one is open.
    pub(crate) listener: Arc<Mutex<Option<Channel<String>>>>,
}

/// Runs the app until it quits.
#[expect(clippy::exit, reason = "it is in what Tauri's macro writes")]
pub fn run(options: &Options) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    tauri::async_runtime::set(runtime.handle().clone());
    let app = tauri::Builder::default()
        .plugin(single_instance(options))
        .plugin(tauri_plugin_autostart::init(tauri_plugin_autostart::MacosLauncher::LaunchAgent, None))
        .invoke_handler(commands::handler())
        .on_window_event(on_window_event)
        .build(tauri::generate_context!())
        .context("cannot start the window system")?;
    let (backend, heard) = runtime.block_on(Backend::open(options))?;
    start(app.handle(), Arc::new(backend), heard, options)?;
    writeln!(std::io::stdout(), "ready {}", options.data.display())?;
    app.run(|app, event| match event {
        RunEvent::ExitRequested { code: None, api, .. } => api.prevent_exit(),
        RunEvent::Exit => {
            if let Some(parts) = app.try_state::<Parts>() {
                tauri::async_runtime::block_on(parts.backend.close());
            }
        }
        _ => {}
    });
    Ok(())
}

/// Makes the windows and the menu-bar item, and starts to listen.
fn start(
    app: &AppHandle,
    backend: Arc<Backend>,
    heard: mpsc::Receiver<Heard>,
    options: &Options,
) -> anyhow::Result<()> {
    #[cfg(target_os = "macos")]
    app.set_activation_policy(tauri::ActivationPolicy::Accessory)?;
    let approval = approval::open(app, Arc::clone(&backend))?;
    let parts = Parts { backend, approval, listener: Arc::default() };
    app.manage(parts.clone());
    let menu = menu::open(app)?;
    tauri::async_runtime::spawn(listen(app.clone(), parts, menu, heard));
    tauri::async_runtime::spawn(quit_when_told(app.clone()));
    if options.settings {
        settings::open(app)?;
    }
    Ok(())
}

/// Passes on what the host tells, until it is gone; then the app ends too: it shows nothing that is not so.
async fn listen(app: AppHandle, parts: Parts, menu: menu::Menu, mut heard: mpsc::Receiver<Heard>) {
    parts.approval.look();
    menu.refresh(&parts.backend).await;
    loop {
        match heard.recv().await {
            Some(Heard::Told(told)) => pass_on(&parts, &menu, &told).await,
            Some(Heard::Missed) => {
                parts.approval.look();
                menu.refresh(&parts.backend).await;
            }
            Some(Heard::Lost) | None => break,
        }
    }
    tracing::error!("the host is gone");
    app.exit(1);
}

async fn pass_on(parts: &Parts, menu: &menu::Menu, told: &Told) {
    match told {
        Told::QuestionOpened(question) => {
            parts.approval.look();
            notify::asked(question);
            menu.refresh(&parts.backend).await;
        }
        Told::QuestionChanged(_) | Told::QuestionClosed(_) => {
            parts.approval.look();
            menu.refresh(&parts.backend).await;
        }
        Told::Attention(words) => {
            notify::attention(words);
            menu.refresh(&parts.backend).await;
        }
        Told::StatusChanged(_) | Told::RequestChanged(_) => menu.refresh(&parts.backend).await,
        Told::AgentsChanged | Told::RulesChanged | Told::SkillsChanged => {}
    }
    let listener = parts.listener.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if let (Some(listener), Some(name)) = (listener, name_of(told)) {
        // A page that was closed hears nothing; the next one brings its own channel.
        listener.send(name).ok();
    }
}

/// The name of what was told, as on the control socket.
fn name_of(told: &Told) -> Option<String> {
    serde_json::to_value(told).ok()?.get("method")?.as_str().map(str::to_owned)
}

/// A second start on the same data folder shows the first one's settings.
fn single_instance(options: &Options) -> tauri::plugin::TauriPlugin<tauri::Wry> {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    options.data.hash(&mut hasher);
    tauri_plugin_single_instance::Builder::new()
        .dbus_id(format!("dev.postern.desktop.d{:016x}", hasher.finish()))
        .callback(|app, _args, _folder| {
            if let Err(error) = settings::open(app) {
                tracing::warn!(%error, "cannot open the settings");
            }
        })
        .build()
}

async fn quit_when_told(app: AppHandle) {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut interrupt), Ok(mut terminate)) =
        (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        return;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    app.exit(0);
}

fn on_window_event(window: &tauri::Window, event: &tauri::WindowEvent) {
    if window.label() == approval::LABEL {
        approval::on_event(window, event);
    } else if window.label() == settings::LABEL {
        settings::on_event(window, event);
    }
}
