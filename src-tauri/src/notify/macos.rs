//! Notifications by the Mac's notification center.
//!
//! The first asks the person whether Postern may show any; if they refuse, the floating window and the number
//! in the menu bar say it.
#![expect(unsafe_code, reason = "the center tells choices to an object of Objective-C")]

use super::{BUTTONS, NotificationChoice, OnChoice, choice_of};
use block2::{DynBlock, RcBlock};
use objc2::rc::{Retained, autoreleasepool};
use objc2::runtime::{Bool, NSObjectProtocol, ProtocolObject};
use objc2::{AnyThread as _, define_class, msg_send};
use objc2_foundation::{NSArray, NSBundle, NSError, NSObject, NSSet, NSString};
use objc2_user_notifications::{
    UNAuthorizationOptions, UNMutableNotificationContent, UNNotification, UNNotificationAction,
    UNNotificationActionOptions, UNNotificationCategory, UNNotificationCategoryOptions,
    UNNotificationPresentationOptions, UNNotificationRequest, UNNotificationResponse,
    UNUserNotificationCenter, UNUserNotificationCenterDelegate,
};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Once;

/// Category of notifications with buttons.
const QUESTION: &str = "question";
/// Apple's name of a click on a notification beside its buttons (`UNNotificationDefaultActionIdentifier`).
const CLICKED: &str = "com.apple.UNNotificationDefaultActionIdentifier";

/// Handlers of the choices on notifications that are on show, by the ids of their questions.
static HANDLERS: Mutex<BTreeMap<String, OnChoice>> = Mutex::new(BTreeMap::new());

define_class!(
    // SAFETY: `NSObject` may be subclassed. The class has no instance variables and no `Drop`.
    #[unsafe(super(NSObject))]
    #[name = "PosternNotificationChoices"]
    struct Choices;

    // SAFETY: `NSObjectProtocol` has no safety requirements.
    unsafe impl NSObjectProtocol for Choices {}

    // SAFETY: the signatures of the methods are those that the protocol has.
    unsafe impl UNUserNotificationCenterDelegate for Choices {
        // Of the active app, the center shows only what its delegate wants shown.
        #[unsafe(method(userNotificationCenter:willPresentNotification:withCompletionHandler:))]
        fn on_presentation(
            &self,
            _center: &UNUserNotificationCenter,
            _notification: &UNNotification,
            done: &DynBlock<dyn Fn(UNNotificationPresentationOptions)>,
        ) {
            done.call((UNNotificationPresentationOptions::Banner | UNNotificationPresentationOptions::List,));
        }

        #[unsafe(method(userNotificationCenter:didReceiveNotificationResponse:withCompletionHandler:))]
        fn on_response(
            &self,
            _center: &UNUserNotificationCenter,
            response: &UNNotificationResponse,
            done: &DynBlock<dyn Fn()>,
        ) {
            let id = response.notification().request().identifier().to_string();
            if let Some(choice) = choice_of(&response.actionIdentifier().to_string(), CLICKED)
                && let Some(on_choice) = HANDLERS.lock().remove(&id)
            {
                on_choice(choice);
            }
            done.call(());
        }
    }
);

/// Shows a notification; one of the same id is replaced. It makes no sound: a question has its own (`sound`).
pub(super) fn show_notification(
    id: &str,
    title: &str,
    text: &str,
    _heard: bool,
    on_choice: Option<OnChoice>,
) {
    // The threads of a runtime empty no pool of their own before they end.
    autoreleasepool(|_| ask_and_post(id, title, text, on_choice));
}

/// Asks whether Postern may show any, and shows it. The answer comes on a thread of the system's.
fn ask_and_post(id: &str, title: &str, text: &str, on_choice: Option<OnChoice>) {
    let Some(center) = center() else {
        tracing::info!(title, text, "no notification: this program is in no app bundle");
        return;
    };
    let asks = on_choice.is_some();
    offer_buttons(&center);
    if let Some(on_choice) = on_choice {
        HANDLERS.lock().insert(id.to_owned(), on_choice);
    }
    let (id, title, text) = (id.to_owned(), title.to_owned(), text.to_owned());
    let allowed = RcBlock::new(move |granted: Bool, error: *mut NSError| {
        if granted.as_bool() {
            // The question may have been answered meanwhile.
            if !asks || is_wanted(&id) {
                post_notification(&id, &title, &text, asks);
            }
        } else {
            tracing::info!(title, reason = reason(error), "no notification: the person wants none");
        }
    });
    center.requestAuthorizationWithOptions_completionHandler(UNAuthorizationOptions::Alert, &allowed);
}

/// Takes back what is still in the notification centre.
pub(super) fn remove(id: &str) {
    HANDLERS.lock().remove(id);
    autoreleasepool(|_| take_back(id));
}

fn take_back(id: &str) {
    if let Some(center) = center() {
        let ids = NSArray::from_retained_slice(&[NSString::from_str(id)]);
        center.removeDeliveredNotificationsWithIdentifiers(&ids);
    }
}

/// Returns true while the notification of a question has something to do.
fn is_wanted(id: &str) -> bool {
    HANDLERS.lock().contains_key(id)
}

/// Returns the words of an error, or nothing.
fn reason(error: *mut NSError) -> Option<String> {
    // SAFETY: a completion handler is given an error that lives until it returns, or NULL.
    unsafe { error.as_ref() }.map(|error| error.localizedDescription().to_string())
}

/// Returns the centre of this app. A program outside a bundle has none, and asking for it would end the
/// program.
fn center() -> Option<objc2::rc::Retained<UNUserNotificationCenter>> {
    NSBundle::mainBundle().bundleIdentifier()?;
    Some(UNUserNotificationCenter::currentNotificationCenter())
}

/// Tells the centre the buttons of a question, and who hears of them, once.
fn offer_buttons(center: &UNUserNotificationCenter) {
    static OFFERED: Once = Once::new();
    OFFERED.call_once(|| {
        let buttons = BUTTONS.map(|(name, words, choice)| {
            let options = match choice {
                NotificationChoice::Deny => UNNotificationActionOptions::Destructive,
                NotificationChoice::Show => UNNotificationActionOptions::Foreground,
            };
            UNNotificationAction::actionWithIdentifier_title_options(
                &NSString::from_str(name),
                &NSString::from_str(words),
                options,
            )
        });
        let category = UNNotificationCategory::categoryWithIdentifier_actions_intentIdentifiers_options(
            &NSString::from_str(QUESTION),
            &NSArray::from_retained_slice(&buttons),
            &NSArray::new(),
            UNNotificationCategoryOptions::empty(),
        );
        center.setNotificationCategories(&NSSet::from_retained_slice(&[category]));
        // SAFETY: `NSObject` is initialised by `init`, and the class adds nothing to it.
        let choices: Retained<Choices> = unsafe { msg_send![Choices::alloc(), init] };
        center.setDelegate(Some(ProtocolObject::from_ref(&*choices)));
        // The centre holds it weakly, and asks it as long as this app runs.
        std::mem::forget(choices);
    });
}

/// Hands a notification over. That of a question has the buttons of [`QUESTION`].
fn post_notification(id: &str, title: &str, text: &str, asks: bool) {
    let content = UNMutableNotificationContent::new();
    if asks {
        content.setCategoryIdentifier(&NSString::from_str(QUESTION));
    }
    content.setTitle(&NSString::from_str(title));
    content.setBody(&NSString::from_str(text));
    let request =
        UNNotificationRequest::requestWithIdentifier_content_trigger(&NSString::from_str(id), &content, None);
    let id = id.to_owned();
    let added = RcBlock::new(move |error: *mut NSError| {
        if let Some(reason) = reason(error) {
            tracing::info!(reason, "the notification centre did not take a notification");
        }
        // What was answered while it was handed over was not there yet to be taken back.
        if asks && !is_wanted(&id) {
            take_back(&id);
        }
    });
    UNUserNotificationCenter::currentNotificationCenter()
        .addNotificationRequest_withCompletionHandler(&request, Some(&added));
}
