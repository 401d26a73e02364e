//! The popover of the menu-bar item in its real window: it shows what waits, leads to the panel, and answers nothing.

use postern_protocol::{NoticeEvent, RunParams, What};
use postern_tests::window::{self, Window, ask, ending};
use uuid::Uuid;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_popover_leads_to_the_panel_and_answers_nothing() {
    if let Some(missing) = window::missing() {
        eprintln!("skipped: the window test needs {missing}");
        return;
    }
    let window = Window::open_overview().await;
    window.says("popover", "No agents yet").await;
    let mut agent = window.enrol("builder");
    let command = ["touch", "first"].map(str::to_owned).to_vec();
    ask(
        &mut agent,
        RunParams {
            cwd: Some(window.work.display().to_string()),
            ..RunParams::new(Uuid::new_v4(), What::Command(command))
        },
    );
    window.says("popover", "Guarding 1 agent").await;
    window.says("waits", "touch first").await;
    // Its page, taken over, has no command that answers, nor one of the main window.
    for forced in [window.force_allow().await, window.invoke("settings_preferences", "{}").await] {
        assert!(forced.starts_with("refused"), "{forced}");
    }
    let forced = window.invoke("popover_act", r#"{ "item": "quit" }"#).await;
    assert!(forced.contains("has no"), "the menu alone quits: {forced}");
    assert!(!window.work.join("first").exists());

    // The click closes the popover, and the panel has the question.
    window.answer_by_click(&window.find("waits").await).await;
    window.turn_to("approval.html").await;
    window.says("question", "touch first").await;
    window.has_windows(1).await;
    window.armed().await;
    window.answer_by_click(&window.find("once").await).await;
    assert!(matches!(ending(&mut agent).event, NoticeEvent::Finished(_)), "the panel allows");
    assert!(window.work.join("first").exists());
    window.close().await;
}
