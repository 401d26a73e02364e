//! Notifications of sleep, wake, lock and user switch.
#![expect(unsafe_code, reason = "observers are blocks that Objective-C calls")]

use super::super::SessionEvent;
use block2::RcBlock;
use objc2_app_kit::{
    NSWorkspace, NSWorkspaceDidWakeNotification, NSWorkspaceSessionDidBecomeActiveNotification,
    NSWorkspaceSessionDidResignActiveNotification, NSWorkspaceWillSleepNotification,
};
use objc2_foundation::{NSDistributedNotificationCenter, NSNotification, NSNotificationCenter, NSString};
use std::ptr::NonNull;

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
    // Apple documents no names for these two; loginwindow has posted them since 10.7. Without them the host still looks
    // at the screen each second.
    let everyone = NSDistributedNotificationCenter::defaultCenter();
    for name in ["com.apple.screenIsLocked", "com.apple.screenIsUnlocked"] {
        observe(&everyone, &NSString::from_str(name), SessionEvent::Changed, tell.clone());
    }
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
