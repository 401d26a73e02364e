//! Touch ID and the password, by LocalAuthentication.
#![expect(unsafe_code, reason = "LocalAuthentication has no safe form")]

use block2::RcBlock;
use objc2::rc::Retained;
use objc2::runtime::Bool;
use objc2_foundation::{NSError, NSString};
use objc2_local_authentication::{LABiometryType, LAContext, LAPolicy};
use postern_contract::Presence;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Touch ID, and the password where there is none or it does not know the finger.
const POLICY: LAPolicy = LAPolicy::DeviceOwnerAuthentication;

pub(super) fn detect_presence() -> Presence {
    let context = context();
    // SAFETY: the context is a live one of our own, on this thread only; the policy is one of the system's. The kind of
    // biometry may be read once a policy was looked at, which the line before does.
    unsafe {
        if context.canEvaluatePolicy_error(POLICY).is_err() {
            Presence::None
        } else if context.biometryType() == LABiometryType::TouchID
            && context.canEvaluatePolicy_error(LAPolicy::DeviceOwnerAuthenticationWithBiometrics).is_ok()
        {
            Presence::TouchId
        } else {
            Presence::Password
        }
    }
}

pub(super) fn confirm(what: &str, patience: Duration) -> Result<(), &'static str> {
    let context = context();
    let (say, said) = channel();
    // Called once, on a thread of the system's: it only sends a word, which may come after we have stopped waiting.
    let reply = RcBlock::new(move |yes: Bool, _: *mut NSError| _ = say.send(yes.as_bool()));
    // SAFETY: the context is a live one of our own and is held until the answer is here or it was invalidated, as its
    // documentation wants; the reply is a block of the right shape that is copied by the call and sends over a channel.
    unsafe { context.evaluatePolicy_localizedReason_reply(POLICY, &NSString::from_str(what), &reply) };
    let answer = said.recv_timeout(patience);
    // SAFETY: a live context of our own; it takes its question off the screen, if that is still there.
    unsafe { context.invalidate() };
    match answer {
        Ok(true) => Ok(()),
        Ok(false) => Err("Touch ID or the password didn’t confirm it"),
        Err(RecvTimeoutError::Timeout) => Err("no one confirmed it in time"),
        Err(RecvTimeoutError::Disconnected) => Err("this Mac didn’t ask for Touch ID"),
    }
}

fn context() -> Retained<LAContext> {
    // SAFETY: `new` of a class without requirements.
    unsafe { LAContext::new() }
}
