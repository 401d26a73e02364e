//! The popover of the menu-bar item in its real window: it shows what waits, leads to the panel, and answers nothing.

use postern_protocol::NoticeEvent;
use postern_tests::window::{Window, ask, ending};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_popover_leads_to_the_panel_and_answers_nothing() {
    let Some(window) = Window::open_overview().await else { return };
    window.says("popover", "No agents yet").await;
    let mut agent = window.enrol("builder");
    ask(&mut agent, window.touching("first"));
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
    window.answer_by_click("waits").await;
    window.turn_to("approval.html").await;
    window.says("question", "touch first").await;
    window.has_windows(1).await;
    window.armed().await;
    window.answer_by_click("once").await;
    assert!(matches!(ending(&mut agent).event, NoticeEvent::Finished(_)), "the panel allows");
    assert!(window.work.join("first").exists());
    window.close().await;
}
