//! The way in which macOS started the app.
#![expect(unsafe_code, reason = "the parameters of an Apple event are asked for by their codes")]

use objc2::msg_send;
use objc2::rc::Retained;
use objc2_foundation::{NSAppleEventDescriptor, NSAppleEventManager};

/// `keyAEPropData`, by which the event of a start says more about it.
const MORE: u32 = u32::from_be_bytes(*b"prdt");
/// `keyAELaunchedAsLogInItem`.
const AT_LOGIN: u32 = u32::from_be_bytes(*b"lgit");

/// Returns true if macOS started the app as a login item. Call it on the main thread, when the app has launched.
pub(crate) fn is_started_at_login() -> bool {
    let Some(event) = NSAppleEventManager::sharedAppleEventManager().currentAppleEvent() else {
        return false;
    };
    // SAFETY: the method takes a code of four letters and returns an object, or none.
    let more: Option<Retained<NSAppleEventDescriptor>> =
        unsafe { msg_send![&*event, paramDescriptorForKeyword: MORE] };
    more.is_some_and(|more| more.enumCodeValue() == AT_LOGIN)
}
