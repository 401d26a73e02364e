//! Tests of the inbox in the real main window.
//!
//! It answers what it shows, armed as the panel is, and neither window answers what the other one shows.

use postern_protocol::{NoticeEvent, RunParams, What};
use postern_tests::window::{self, Window, ask, ending};
use uuid::Uuid;

fn touch(window: &Window, name: &str) -> RunParams {
    let command = ["touch", name].map(str::to_owned).to_vec();
    RunParams {
        cwd: Some(window.work.display().to_string()),
        ..RunParams::new(Uuid::new_v4(), What::Command(command))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_inbox_answers_what_it_shows_and_no_window_answers_for_the_other() {
    if let Some(missing) = window::missing() {
        eprintln!("skipped: the window test needs {missing}");
        return;
    }
    let window = Window::open_settings("inbox").await;
    // Who has no agent is shown around first.
    window.click("//main//button[normalize-space()='Not Now']").await;
    window.click("//nav//button[contains(., 'Inbox')]").await;
    let mut agent = window.enrol("builder");
    let mut other = window.enrol("research");
    ask(&mut agent, touch(&window, "first"));
    assert!(window.text("question").await.contains("touch first"), "the inbox shows it");
    ask(&mut other, touch(&window, "second"));
    // The second one is chosen: it was not seen before, so that arming starts over.
    window.armed().await;
    window.click("//*[@data-testid='waiting'][contains(., 'touch second')]").await;
    window.says("question", "touch second").await;
    assert!(!window.force_allow().await.starts_with("applied"), "another question is on show");

    // The panel's page, taken over, answers nothing meanwhile.
    window.turn_to("approval.html").await;
    let forced = window.force_allow().await;
    assert!(forced.contains("isn’t shown in this window"), "{forced}");
    window.turn_to("settings.html").await;

    window.armed().await;
    window.answer_by_click(&window.find("once").await).await;
    assert!(matches!(ending(&mut other).event, NoticeEvent::Finished(_)), "what was chosen is allowed");
    assert!(window.work.join("second").exists() && !window.work.join("first").exists());

    // Another page of the main window: the panel has the question, and the main window answers nothing.
    window.says("question", "touch first").await;
    window.click("//nav//button[contains(., 'Activity')]").await;
    window.turn_to("approval.html").await;
    window.says("question", "touch first").await;
    window.turn_to("settings.html").await;
    let forced = window.force_allow().await;
    assert!(forced.contains("isn’t shown in this window"), "{forced}");
    window.turn_to("approval.html").await;
    window.armed().await;
    window.answer_by_click(&window.find("once").await).await;
    assert!(matches!(ending(&mut agent).event, NoticeEvent::Finished(_)), "the panel allows");
    window.close().await;
}
