//! Tests of the inbox in the real main window.
//!
//! It answers what it shows, armed as the panel is, and neither window answers what the other one shows.

use postern_client::Control;
use postern_contract::ApproverNotification;
use postern_contract::methods::ApproverKind;
use postern_protocol::NoticeEvent;
use postern_tests::window::{Window, ask, ending};
use std::collections::BTreeSet;
use std::time::Duration;

/// The longest wait for a notification.
const PATIENCE: Duration = Duration::from_secs(30);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_inbox_answers_what_it_shows_and_no_window_answers_for_the_other() {
    let Some(window) = Window::open_settings("inbox").await else { return };
    // Who has no agent is shown around first.
    window.click("//main//button[normalize-space()='Not Now']").await;
    window.click("//nav//button[contains(., 'Inbox')]").await;
    let mut agent = window.enrol("builder");
    let mut other = window.enrol("research");
    ask(&mut agent, window.touching("first"));
    assert!(window.text("question").await.contains("touch first"), "the inbox shows it");
    ask(&mut other, window.touching("second"));
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
    window.answer_by_click("once").await;
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
    window.armed_in_panel().await;
    window.answer_by_click("once").await;
    assert!(matches!(ending(&mut agent).event, NoticeEvent::Finished(_)), "the panel allows");
    window.close().await;
}

fn waits_half_an_hour(told: &ApproverNotification) -> bool {
    let ApproverNotification::QuestionChanged(question) = told else { return false };
    question.expires_at - question.asked_at == 30 * 60 * 1000
}

/// Somebody presents: a question opens no panel, and waits as long as one that is kept for later. When others have gone, it is asked.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_others_see_the_screen_a_question_waits_in_the_inbox_alone() {
    const SWITCH: &str = "//main//label[contains(., 'Keep questions in the inbox')]";
    let Some(window) = Window::open_settings("activity").await else { return };
    window.click("//main//button[normalize-space()='Not Now']").await;
    window.click("//button[@aria-label='Settings']").await;
    window.turn_to("preferences.html").await;
    window.click("//main//label[normalize-space()='Questions']").await;
    window.click(SWITCH).await;
    let mut agent = window.enrol("builder");
    let mut control = Control::connect(&window.data).unwrap();
    let questions = control.watch_questions(ApproverKind::Terminal).unwrap().questions;
    assert!(questions.is_empty());
    ask(&mut agent, window.touching("quiet"));
    // As long as what is kept for later.
    while !waits_half_an_hour(&control.next_known_notification(Some(PATIENCE)).unwrap().expect("it waits")) {}
    assert!(window.panels().is_empty(), "and nothing shows it");
    window.click(SWITCH).await;
    window.another_panel(&BTreeSet::new()).await;
    window.armed_in_panel().await;
    window.answer_by_click("once").await;
    assert!(matches!(ending(&mut agent).event, NoticeEvent::Finished(_)), "it is asked and answered as ever");
    window.close().await;
}
