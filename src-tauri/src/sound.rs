//! A question is heard, where the person wants that: a sound of the system's own.

#[cfg(target_os = "macos")]
pub(crate) fn play_question_sound(app: &tauri::AppHandle) {
    let played = app.run_on_main_thread(|| {
        let name = objc2_foundation::NSString::from_str("Tink");
        if let Some(sound) = objc2_app_kit::NSSound::soundNamed(&name) {
            sound.play();
        }
    });
    if let Err(error) = played {
        tracing::debug!(%error, "no sound");
    }
}

/// Does nothing: elsewhere the notification brings its own.
#[cfg(not(target_os = "macos"))]
pub(crate) fn play_question_sound(_: &tauri::AppHandle) {}
