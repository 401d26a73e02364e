//! Puts the app together: host, windows, menu-bar item; then passes on what the host tells.

use crate::backend::{Backend, IncomingBackendEvent};
use crate::dependencies::AppDependencies;
use crate::notify::NotificationChoice;
use crate::preferences::StoredPreferences;
use crate::update::{Updates, source_of_this_build};
use crate::window::approval;
use crate::window::popover::{self, Popover};
use crate::window::settings::{self, PageListeners};
use crate::{AppOptions, SettingsPage, commands, menu, notify, sound, system};
use anyhow::Context;
use postern_contract::methods::{ListAgents, Nothing};
use postern_contract::{ApproverNotification, Preferences, Question, RequestRow};
use std::io::Write;
use std::num::NonZero;
use std::sync::Arc;
use std::time::Duration;
use tauri::{AppHandle, Manager, RunEvent};
use tokio::sync::mpsc;

/// Between two tries to reach a host that is gone.
const BETWEEN_TRIES: Duration = Duration::from_secs(3);

/// Runs the app until it quits.
#[expect(clippy::exit, reason = "it is in what Tauri's macro writes")]
pub fn run_app(options: &AppOptions) -> anyhow::Result<()> {
    let workers = std::thread::available_parallelism().map_or(2, NonZero::get);
    let runtime = postern_host::start_host_runtime(&options.data, workers)?;
    tauri::async_runtime::set(runtime.handle().clone());
    let app = of_this_system(tauri::Builder::default(), options)
        .invoke_handler(commands::handler())
        .on_window_event(on_window_event)
        .build(tauri::generate_context!())
        .context("cannot start the window system")?;
    #[cfg(target_os = "macos")]
    let app = without_dock_icon(app);
    let (backend, heard) = runtime.block_on(Backend::open(options))?;
    start_app(app.handle(), Arc::new(backend), heard, options)?;
    writeln!(std::io::stdout(), "ready {}", options.data.display())?;
    #[cfg(target_os = "macos")]
    let background = options.background;
    app.run(move |app, event| match event {
        RunEvent::ExitRequested { code: None, api, .. } => api.prevent_exit(),
        #[cfg(target_os = "macos")]
        RunEvent::Ready => on_ready(app, background),
        // The app was opened again: its menu-bar item may be hidden behind the notch.
        #[cfg(target_os = "macos")]
        RunEvent::Reopen { .. } => {
            if let Some(parts) = app.try_state::<AppDependencies>() {
                parts.approval.reopen();
            }
        }
        RunEvent::Exit => {
            if let Some(parts) = app.try_state::<AppDependencies>() {
                tauri::async_runtime::block_on(async {
                    parts.approval.finish().await;
                    parts.backend.close().await;
                });
            }
        }
        _ => {}
    });
    Ok(())
}

/// Makes the windows and the menu-bar item, and starts to listen.
fn start_app(
    app: &AppHandle,
    backend: Arc<Backend>,
    heard: mpsc::Receiver<IncomingBackendEvent>,
    options: &AppOptions,
) -> anyhow::Result<()> {
    let preferences = Arc::new(StoredPreferences::read_file(&options.data));
    app.set_theme(crate::preferences::window_theme(preferences.get().appearance));
    app.manage(Arc::clone(&preferences));
    let approval =
        approval::open_window(app, Arc::clone(&backend), Arc::clone(&preferences), options.keep_page)?;
    let popover = Popover::default();
    let listeners = Arc::<PageListeners>::default();
    let updates = open_updates(app, &listeners, &preferences, options);
    let parts =
        AppDependencies { backend, approval, popover: popover.clone(), preferences, listeners, updates };
    app.manage(parts.clone());
    let watched = (parts.clone(), tauri::async_runtime::handle());
    system::watch_session(move |event| {
        let parts = watched.0.clone();
        watched.1.spawn(async move { parts.approval.session(event, &parts.backend).await });
    });
    parts.set_shortcut(app);
    let menu = menu::add_tray_item(app, popover, parts.updates.clone());
    // What its items do is done by the menu-bar item's handler, which hears of every menu.
    #[cfg(target_os = "macos")]
    crate::app_menu::set(app, parts.updates.is_some())?;
    // A Mac says when the app has launched whether it did so at login.
    #[cfg(not(target_os = "macos"))]
    if !options.background {
        tauri::async_runtime::spawn(welcome(app.clone(), Arc::clone(&parts.backend)));
    }
    tauri::async_runtime::spawn(quit_on_signal(app.clone()));
    if let Some(page) = &options.settings {
        settings::open_page(app, page.clone());
    }
    if options.overview {
        parts.popover.toggle(app, None);
    }
    tauri::async_runtime::spawn(listen(app.clone(), parts, menu, heard));
    Ok(())
}

/// Begins to look for updates, if this build has a source of them.
fn open_updates(
    app: &AppHandle,
    listeners: &Arc<PageListeners>,
    preferences: &Arc<StoredPreferences>,
    options: &AppOptions,
) -> Option<Arc<Updates>> {
    let source = source_of_this_build(app)?;
    let listeners = Arc::clone(listeners);
    let updates = Arc::new(Updates::new(source, move || tell_pages(&listeners, "updates.changed")));
    let (daily, preferences, data) = (Arc::clone(&updates), Arc::clone(preferences), options.data.clone());
    tauri::async_runtime::spawn(async move { daily.check_daily(&preferences, &data).await });
    Some(updates)
}

/// Guides a user who has no agent yet.
async fn welcome(app: AppHandle, backend: Arc<Backend>) {
    let agents = backend.invoke::<ListAgents>(&Nothing {}).await;
    if agents.is_ok_and(|agents| agents.agents.is_empty()) {
        settings::open_page(&app, SettingsPage::first_run());
    }
}

/// Passes on the notifications of the host.
///
/// A host in another process that goes away is waited for; one in this process that ends takes the app with
/// it: it shows nothing that is not so.
async fn listen(
    app: AppHandle,
    parts: AppDependencies,
    menu: menu::Menu,
    mut heard: mpsc::Receiver<IncomingBackendEvent>,
) {
    parts.approval.refresh_questions();
    menu.refresh(&parts.backend).await;
    loop {
        match heard.recv().await {
            Some(IncomingBackendEvent::Told(told)) => pass_on(&app, &parts, &menu, &told).await,
            Some(IncomingBackendEvent::Missed) => {
                parts.approval.refresh_questions();
                menu.refresh(&parts.backend).await;
            }
            Some(IncomingBackendEvent::Lost) | None if parts.backend.is_embedded() => break,
            Some(IncomingBackendEvent::Lost) | None => heard = come_back(&parts, &menu).await,
        }
    }
    tracing::error!("the host is gone");
    app.exit(1);
}

/// Says that the host has stopped, and tries until there is one again.
async fn come_back(parts: &AppDependencies, menu: &menu::Menu) -> mpsc::Receiver<IncomingBackendEvent> {
    tracing::warn!("the host is gone");
    parts.approval.refresh_questions();
    menu.stopped();
    tell_pages(&parts.listeners, "host.lost");
    let heard = loop {
        match parts.backend.reopen().await {
            Ok(heard) => break heard,
            Err(error) => tracing::debug!(%error, "no host yet"),
        }
        tokio::time::sleep(BETWEEN_TRIES).await;
    };
    parts.approval.refresh_questions();
    menu.refresh(&parts.backend).await;
    tell_pages(&parts.listeners, "host.back");
    heard
}

async fn pass_on(app: &AppHandle, parts: &AppDependencies, menu: &menu::Menu, told: &ApproverNotification) {
    match told {
        ApproverNotification::QuestionOpened(question) => {
            parts.approval.refresh_questions();
            let Preferences { sound: heard, inbox_only, .. } = parts.preferences.get();
            if !inbox_only {
                notify::show_question(question, heard, on_choice(parts, question));
            }
            if heard && !inbox_only {
                sound::play_question_sound(app);
            }
            menu.refresh(&parts.backend).await;
        }
        ApproverNotification::QuestionChanged(_) => {
            parts.approval.refresh_questions();
            menu.refresh(&parts.backend).await;
        }
        ApproverNotification::QuestionClosed(closed) => {
            parts.approval.refresh_questions();
            notify::remove_question(&closed.id);
            menu.refresh(&parts.backend).await;
        }
        ApproverNotification::Attention(told) => {
            notify::attention(&told.message);
            menu.refresh(&parts.backend).await;
        }
        // What the person does in a window, they see there.
        ApproverNotification::PolicyWidened(row) => {
            if row.by.face != "window" {
                notify::attention(&format!("More may run now: {}", row.summary));
            }
        }
        ApproverNotification::RequestChanged(row) => {
            parts.approval.changed(RequestRow::clone(row));
            menu.refresh(&parts.backend).await;
        }
        ApproverNotification::StatusChanged(_) => menu.refresh(&parts.backend).await,
        // A tool's call is a question too, which is told as one.
        ApproverNotification::ToolApprovalRequired(_)
        | ApproverNotification::ToolApprovalResolved(_)
        | ApproverNotification::AgentsChanged
        | ApproverNotification::RulesChanged
        | ApproverNotification::SkillsChanged => {}
    }
    if let Some(name) = name_of(told) {
        tell_pages(&parts.listeners, &name);
    }
}

/// Returns what a choice on the notification of a question does. A denial counts for what the question was when the notification
/// was shown; where it has changed, the question is shown.
fn on_choice(
    parts: &AppDependencies,
    question: &Question,
) -> impl FnOnce(NotificationChoice) + Send + 'static {
    let (approval, question) = (parts.approval.clone(), Box::new(question.clone()));
    move |choice| match choice {
        NotificationChoice::Show => approval.to_front(question.id),
        NotificationChoice::Deny => approval.deny(question),
    }
}

/// Tells the main window and that of the settings what happened, if they are open.
fn tell_pages(listeners: &PageListeners, name: &str) {
    let listeners = listeners.lock().clone();
    for listener in listeners.into_values() {
        // A page that was closed hears nothing; the next one brings its own channel.
        listener.send(name.to_owned()).ok();
    }
}

/// Returns the name of a notification, as on the control socket.
fn name_of(told: &ApproverNotification) -> Option<String> {
    serde_json::to_value(told).ok()?.get("method")?.as_str().map(str::to_owned)
}

/// Sets up what differs by system before the app is built.
///
/// On Linux a second start signals the first one, and the start at login is an entry of the desktop. macOS does both by
/// itself.
#[cfg(not(target_os = "macos"))]
fn of_this_system(builder: tauri::Builder<tauri::Wry>, options: &AppOptions) -> tauri::Builder<tauri::Wry> {
    let launcher = tauri_plugin_autostart::MacosLauncher::LaunchAgent;
    builder
        .plugin(single_instance(options))
        .plugin(tauri_plugin_autostart::init(launcher, Some(vec!["--background"])))
}

/// Loads a page again whose process is gone. Nothing that it showed is armed.
#[cfg(target_os = "macos")]
fn of_this_system(builder: tauri::Builder<tauri::Wry>, _: &AppOptions) -> tauri::Builder<tauri::Wry> {
    builder.activate_ignoring_other_apps(false).on_web_content_process_terminate(|webview| {
        tracing::warn!(page = webview.label(), "the process of a page is gone");
        if let Some(parts) = webview.try_state::<AppDependencies>() {
            parts.approval.page_gone(webview.label());
        }
        if let Err(error) = webview.reload() {
            tracing::warn!(%error, "cannot load a page again");
        }
    })
}

/// Sets what the app is once it has launched. Set on a handle it would hold at once, and only until then.
#[cfg(target_os = "macos")]
fn without_dock_icon(mut app: tauri::App) -> tauri::App {
    app.set_activation_policy(tauri::ActivationPolicy::Accessory);
    app
}

/// Says where to move an app that runs from its disk image, and guides a new user who started the app.
#[cfg(target_os = "macos")]
fn on_ready(app: &AppHandle, background: bool) {
    if let (false, Some(parts)) =
        (background || system::is_started_at_login(), app.try_state::<AppDependencies>())
    {
        tauri::async_runtime::spawn(welcome(app.clone(), Arc::clone(&parts.backend)));
    }
    if let Some(problem) = system::place::problem() {
        notify::attention(problem);
        tracing::warn!("{problem}");
    }
}

/// Shows the first instance's settings, or its overview, on a second start on the same data folder.
#[cfg(not(target_os = "macos"))]
fn single_instance(options: &AppOptions) -> tauri::plugin::TauriPlugin<tauri::Wry> {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    options.data.hash(&mut hasher);
    tauri_plugin_single_instance::Builder::new()
        .dbus_id(format!("dev.postern.desktop.d{:016x}", hasher.finish()))
        .callback(|app, args, _folder| {
            // The other one was started with arguments that it took always before it came here.
            let other = AppOptions::from_args(args.into_iter().skip(1).map(Into::into), |_| Some("/".into()));
            match (other, app.try_state::<AppDependencies>()) {
                (Ok(AppOptions { overview: true, .. }), Some(parts)) => parts.popover.toggle(app, None),
                (other, _) => {
                    settings::open_page(
                        app,
                        other.ok().and_then(|options| options.settings).unwrap_or_default(),
                    );
                }
            }
        })
        .build()
}

async fn quit_on_signal(app: AppHandle) {
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
    let Some(parts) = window.try_state::<AppDependencies>() else { return };
    if window.label() == approval::LABEL {
        approval::on_event(event, &parts.approval);
    } else if window.label() == settings::LABEL {
        settings::on_event(window, event, &parts.listeners);
        approval::on_main_window_event(event, &parts.approval);
    } else if window.label() == settings::PREFERENCES {
        settings::on_event(window, event, &parts.listeners);
    } else if window.label() == popover::LABEL {
        popover::on_event(window, event, &parts.popover, &parts.approval);
    }
}
