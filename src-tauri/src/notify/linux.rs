//! Notifications of the freedesktop kind.

use super::{BUTTONS, OnChoice, choice_of};
use notify_rust::{Notification, NotificationResponse};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use tokio::sync::oneshot;

/// Name of a click on a notification beside its buttons.
const CLICKED: &str = "default";

/// Questions whose notifications are on show; one is closed when its sender goes.
static SHOWN: Mutex<BTreeMap<String, oneshot::Sender<()>>> = Mutex::new(BTreeMap::new());

/// Shows a notification. With `on_choice` it has buttons; [`remove`] closes it then.
pub(super) fn show_notification(id: &str, title: &str, text: &str, heard: bool, on_choice: Option<OnChoice>) {
    // Bodies may be read as markup on Linux.
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    let mut notification = Notification::new();
    notification.appname("Postern").summary(title).body(&text);
    if heard {
        notification.sound_name("message-new-instant");
    }
    let Some(on_choice) = on_choice else {
        tauri::async_runtime::spawn(async move { tell_error(notification.show_async().await.map(drop)) });
        return;
    };
    notification.action(CLICKED, "Show");
    for (name, words, _) in BUTTONS {
        notification.action(name, words);
    }
    let (closing, closed) = oneshot::channel();
    SHOWN.lock().insert(id.to_owned(), closing);
    tauri::async_runtime::spawn(
        async move { tell_error(offer_buttons(notification, on_choice, closed).await) },
    );
}

/// Closes the notification of a question.
pub(super) fn remove(id: &str) {
    SHOWN.lock().remove(id);
}

/// Shows a notification with buttons until one is pressed, or until it is closed.
async fn offer_buttons(
    notification: Notification,
    on_choice: OnChoice,
    closed: oneshot::Receiver<()>,
) -> Result<(), notify_rust::error::Error> {
    let shown = notification.show_async().await?;
    let chosen = shown.wait_for_action_async(|response| {
        let name = match response {
            NotificationResponse::Default => CLICKED,
            NotificationResponse::Action(name) => name.as_str(),
            NotificationResponse::Reply(_) | NotificationResponse::Closed(_) => return,
        };
        if let Some(choice) = choice_of(name, CLICKED) {
            on_choice(choice);
        }
    });
    tokio::select! {
        () = chosen => {}
        // Its sender is gone.
        _ = closed => shown.close_async().await,
    }
    Ok(())
}

fn tell_error(shown: Result<(), notify_rust::error::Error>) {
    if let Err(error) = shown {
        tracing::debug!(%error, "no notification");
    }
}
