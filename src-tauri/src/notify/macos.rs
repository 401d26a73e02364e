//! Notifications by the Mac's notification center.
//!
//! The first asks the person whether Postern may show any; if they refuse, the floating window and the number
//! in the menu bar say it.

use block2::RcBlock;
use objc2::runtime::Bool;
use objc2_foundation::{NSArray, NSBundle, NSError, NSString};
use objc2_user_notifications::{
    UNAuthorizationOptions, UNMutableNotificationContent, UNNotificationRequest, UNUserNotificationCenter,
};

/// Shows a notification; one of the same id is replaced. It makes no sound: a question has its own (`sound`).
pub(super) fn show_notification(id: &str, title: String, text: &str, _heard: bool) {
    let Some(center) = center() else {
        tracing::info!(title, text, "no notification: this program is in no app bundle");
        return;
    };
    let (id, text) = (id.to_owned(), text.to_owned());
    let allowed = RcBlock::new(move |granted: Bool, _: *mut NSError| {
        if granted.as_bool() {
            post_notification(&id, &title, &text);
        } else {
            tracing::debug!(title, "no notification: the person wants none");
        }
    });
    center.requestAuthorizationWithOptions_completionHandler(UNAuthorizationOptions::Alert, &allowed);
}

/// Takes back what is still in the notification centre.
pub(super) fn remove(id: &str) {
    if let Some(center) = center() {
        let ids = NSArray::from_retained_slice(&[NSString::from_str(id)]);
        center.removeDeliveredNotificationsWithIdentifiers(&ids);
    }
}

/// Returns the centre of this app. A program outside a bundle has none, and asking for it would end the
/// program.
fn center() -> Option<objc2::rc::Retained<UNUserNotificationCenter>> {
    NSBundle::mainBundle().bundleIdentifier()?;
    Some(UNUserNotificationCenter::currentNotificationCenter())
}

/// Hands a notification over. It carries no button, so nothing can be answered by one.
fn post_notification(id: &str, title: &str, text: &str) {
    let content = UNMutableNotificationContent::new();
    content.setTitle(&NSString::from_str(title));
    content.setBody(&NSString::from_str(text));
    let request =
        UNNotificationRequest::requestWithIdentifier_content_trigger(&NSString::from_str(id), &content, None);
    let added = RcBlock::new(|error: *mut NSError| {
        if !error.is_null() {
            tracing::debug!("the notification centre did not take a notification");
        }
    });
    UNUserNotificationCenter::currentNotificationCenter()
        .addNotificationRequest_withCompletionHandler(&request, Some(&added));
}
