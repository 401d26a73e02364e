//! Notifications of sleep, wake, lock and user switch.
#![expect(unsafe_code, reason = "observers are blocks that Objective-C calls")]

use super::super::SessionEvent;
use block2::RcBlock;
use objc2::rc::Retained;
use objc2::{AnyThread as _, define_class, msg_send, sel};
use objc2_app_kit::{
    NSWorkspace, NSWorkspaceDidWakeNotification, NSWorkspaceSessionDidBecomeActiveNotification,
    NSWorkspaceSessionDidResignActiveNotification, NSWorkspaceWillSleepNotification,
};
use objc2_foundation::{
    NSDistributedNotificationCenter, NSNotification, NSNotificationCenter, NSNotificationSuspensionBehavior,
    NSObject, NSString,
};
use std::ptr::NonNull;
use std::sync::OnceLock;

/// Receiver of locks and unlocks of the screen.
static ON_LOCK: OnceLock<Box<dyn Fn() + Send + Sync>> = OnceLock::new();

define_class!(
    // SAFETY: `NSObject` may be subclassed. The class has no instance variables and no `Drop`.
    #[unsafe(super(NSObject))]
    #[name = "PosternLockObserver"]
    struct LockObserver;

    impl LockObserver {
        #[unsafe(method(screenChanged:))]
        fn screen_changed(&self, _notification: &NSNotification) {
            if let Some(tell) = ON_LOCK.get() {
                tell();
            }
        }
    }
);

/// Tells of the session for as long as the app runs. Call it on the main thread.
pub(crate) fn watch_session(tell: impl Fn(SessionEvent) + Send + Sync + Clone + 'static) {
    let workspace = NSWorkspace::sharedWorkspace().notificationCenter();
    // SAFETY: the names are constants of AppKit.
    let names = unsafe {
        [
            (NSWorkspaceWillSleepNotification, SessionEvent::WillSleep),
            (NSWorkspaceDidWakeNotification, SessionEvent::Awoke),
            (NSWorkspaceSessionDidBecomeActiveNotification, SessionEvent::Changed),
            (NSWorkspaceSessionDidResignActiveNotification, SessionEvent::Changed),
        ]
    };
    for (name, event) in names {
        observe(&workspace, name, event, tell.clone());
    }
    if ON_LOCK.set(Box::new(move || tell(SessionEvent::Changed))).is_ok() {
        observe_lock();
    }
}

/// Observes locks and unlocks of the screen. AppKit holds back distributed notifications while the app is not active, except from
/// observers that want them at once.
fn observe_lock() {
    // SAFETY: `NSObject` is initialised by `init`, and the class adds nothing to it.
    let observer: Retained<LockObserver> = unsafe { msg_send![LockObserver::alloc(), init] };
    let everyone = NSDistributedNotificationCenter::defaultCenter();
    // Apple documents no names for these two; loginwindow has posted them since 10.7. Without them the host still looks
    // at the screen each second.
    for name in ["com.apple.screenIsLocked", "com.apple.screenIsUnlocked"] {
        // SAFETY: the observer has that method, and is never released.
        unsafe {
            everyone.addObserver_selector_name_object_suspensionBehavior(
                &observer,
                sel!(screenChanged:),
                Some(&NSString::from_str(name)),
                None,
                NSNotificationSuspensionBehavior::DeliverImmediately,
            );
        }
    }
    std::mem::forget(observer);
}

fn observe(
    center: &NSNotificationCenter,
    name: &NSString,
    event: SessionEvent,
    tell: impl Fn(SessionEvent) + Send + Sync + 'static,
) {
    let block = RcBlock::new(move |_: NonNull<NSNotification>| tell(event));
    // SAFETY: the block has the right shape and may be called on any thread. The center keeps the observer.
    let observer =
        unsafe { center.addObserverForName_object_queue_usingBlock(Some(name), None, None, &block) };
    std::mem::forget(observer);
}

#[cfg(test)]
mod tests {
    use super::{SessionEvent, observe};
    use objc2_foundation::{NSNotificationCenter, NSString};
    use std::sync::mpsc::channel;

    #[test]
    #[ignore = "needs a Mac"]
    fn mac_a_notification_is_told_as_its_event() {
        let center = NSNotificationCenter::defaultCenter();
        let name = NSString::from_str("dev.postern.test");
        let (tell, told) = channel();
        let tell = parking_lot::Mutex::new(tell);
        observe(&center, &name, SessionEvent::WillSleep, move |event| {
            tell.lock().send(event).unwrap();
        });
        // SAFETY: the notification has no object.
        #[expect(unsafe_code, reason = "the object of a notification has any type")]
        unsafe {
            center.postNotificationName_object(&name, None);
        }
        assert_eq!(told.recv(), Ok(SessionEvent::WillSleep));
    }
}
