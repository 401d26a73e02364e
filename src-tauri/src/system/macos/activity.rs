//! App Nap: macOS puts off the timers of an app without windows, unless the app says that it is at work.
#![expect(unsafe_code, reason = "an activity is ended by the object that began it")]

use objc2::rc::{Retained, autoreleasepool};
use objc2::runtime::{NSObjectProtocol, ProtocolObject};
use objc2_foundation::{NSActivityOptions, NSProcessInfo, NSString};
use parking_lot::Mutex;

struct Activity(Retained<ProtocolObject<dyn NSObjectProtocol>>);

// SAFETY: the object is opaque; it is only kept, and handed back to `NSProcessInfo`, which any thread may do.
unsafe impl Send for Activity {}

/// Begins or ends the one activity. The Mac may sleep all the same.
pub(crate) fn keep_on_time(on: bool) {
    autoreleasepool(|_| set_activity(on));
}

fn set_activity(on: bool) {
    static NOW: Mutex<Option<Activity>> = Mutex::new(None);
    let mut now = NOW.lock();
    let info = NSProcessInfo::processInfo();
    if !on {
        if let Some(activity) = now.take() {
            // SAFETY: `activity` came from the call below, and is ended once.
            unsafe { info.endActivity(&activity.0) };
        }
    } else if now.is_none() {
        let why = NSString::from_str("A request waits or runs");
        let options = NSActivityOptions::UserInitiatedAllowingIdleSystemSleep;
        *now = Some(Activity(info.beginActivityWithOptions_reason(options, &why)));
    }
}

#[cfg(test)]
mod tests {
    use super::keep_on_time;

    #[test]
    #[ignore = "needs a Mac"]
    fn mac_an_activity_begins_once_and_ends_once() {
        for on in [true, true, false, false, true, false] {
            keep_on_time(on);
        }
    }
}
