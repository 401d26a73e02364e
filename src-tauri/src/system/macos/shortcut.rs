//! The global shortcut: keys that reach Postern whichever app has the keyboard. macOS asks for no permission for it.

use global_hotkey::hotkey::HotKey;
use global_hotkey::{GlobalHotKeyEvent, GlobalHotKeyManager, HotKeyState};
use postern_contract::Shortcut;
use std::cell::RefCell;

thread_local! {
    /// The manager of the main thread, and what it listens for.
    static NOW: RefCell<Option<(GlobalHotKeyManager, HotKey)>> = const { RefCell::new(None) };
}

/// Listens for other keys from now on, or for none. Call it on the main thread.
///
/// The first `pressed` stays.
pub(crate) fn set_shortcut(shortcut: Shortcut, pressed: impl Fn() + Send + Sync + 'static) {
    GlobalHotKeyEvent::set_event_handler(Some(move |event: GlobalHotKeyEvent| {
        if event.state() == HotKeyState::Pressed {
            pressed();
        }
    }));
    NOW.with_borrow_mut(|now| {
        if let Some((manager, keys)) = now.take()
            && let Err(error) = manager.unregister(keys)
        {
            tracing::warn!(%error, "a shortcut could not be given up");
        }
        match keys_of(shortcut).map(listen).transpose() {
            Ok(listening) => *now = listening,
            Err(error) => tracing::warn!(%error, "no shortcut: another app has these keys"),
        }
    });
}

fn listen(keys: &str) -> Result<(GlobalHotKeyManager, HotKey), Box<dyn std::error::Error>> {
    let (manager, keys) = (GlobalHotKeyManager::new()?, keys.parse::<HotKey>()?);
    manager.register(keys)?;
    Ok((manager, keys))
}

fn keys_of(shortcut: Shortcut) -> Option<&'static str> {
    match shortcut {
        Shortcut::ControlOptionSpace => Some("control+alt+Space"),
        Shortcut::ControlOptionP => Some("control+alt+KeyP"),
        Shortcut::Off => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{HotKey, keys_of};
    use postern_contract::Shortcut;

    #[test]
    fn mac_every_shortcut_is_one_that_the_library_reads() {
        for shortcut in [Shortcut::ControlOptionSpace, Shortcut::ControlOptionP] {
            assert!(keys_of(shortcut).unwrap().parse::<HotKey>().is_ok(), "{shortcut:?}");
        }
        assert_eq!(keys_of(Shortcut::Off), None);
    }
}
