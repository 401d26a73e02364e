//! The real settings window under a real display: an agent's channel is tested, its rules are edited, what it did is
//! looked at and run again. What the window says happened is what the host says.

use fantoccini::Locator;
use fantoccini::key::Key;
use postern_client::Control;
use postern_contract::methods::{ListRequests, ListRules, RequestFilter, RuleFilter};
use postern_contract::{RequestRow, RuleRow};
use postern_tests::window::{self, Window};

/// One session for the whole story: starting the app costs more than everything that it does here.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_keeps_house_in_the_real_window() {
    if let Some(missing) = window::missing() {
        eprintln!("skipped: the window test needs {missing}");
        return;
    }
    let window = Window::open_settings("doors").await;
    drop(window.enrol("builder"));
    the_channel_is_tested_and_asks(&window).await;
    a_rule_is_added_and_edited_in_its_row(&window).await;
    what_happened_is_shown_and_run_again(&window).await;
    window.close().await;
}

async fn the_channel_is_tested_and_asks(window: &Window) {
    window.find("door").await;
    window.click("//*[@data-testid='channel-test']//button").await;
    window.says("channel-test", "Waits for your answer").await;
    window.answer("once").await;
    window.says("channel-test", "It works").await;
    let rows = requests(window);
    assert_eq!(rows.len(), 1, "one command ran: {rows:?}");
    assert_eq!(rows[0].decided.as_deref(), Some("you-allowed"), "and it was asked about, like any other");
}

async fn a_rule_is_added_and_edited_in_its_row(window: &Window) {
    window.click("//nav//button[.//span[text()='builder']]").await;
    window.click("//button[text()='Add rule…']").await;
    let field = window.page.wait().for_element(Locator::Css("#pattern")).await.unwrap();
    field.send_keys("sh *").await.unwrap();
    window.says("rule-editor", "would allow whatever").await;
    field.clear().await.unwrap();
    field.send_keys("uname -s").await.unwrap();
    window.says("rule-editor", "Would match 1 of the last 1 request").await;
    window.click("//*[@data-testid='rule-editor']//button[text()='Save']").await;
    window.says("rule", "uname -s").await;
    assert_eq!(patterns(window), ["uname -s"], "what the window shows is what the host keeps");

    window.find("rule").await.click().await.unwrap();
    window.press(&String::from(char::from(Key::Enter))).await;
    let field =
        window.page.wait().for_element(Locator::Css("[data-testid=rule-inline] input")).await.unwrap();
    field.clear().await.unwrap();
    field.send_keys(&format!("uname *{}", char::from(Key::Enter))).await.unwrap();
    window.says("rule", "uname *").await;
    assert_eq!(patterns(window), ["uname *"]);
}

async fn what_happened_is_shown_and_run_again(window: &Window) {
    window.click("//nav//button[.//span[text()='Activity']]").await;
    window.find("request").await.click().await.unwrap();
    window.find("output").await;
    window.click("//aside//button[text()='Run again']").await;
    // The rule lets it through now: nobody is asked.
    window.says("request", "exit 0").await;
    let rows = requests(window);
    assert_eq!(rows.len(), 2, "it is a request of its own: {rows:?}");
    assert_eq!(rows[0].decided.as_deref(), Some("rule-allowed"), "judged anew, by the rules as they are");
}

/// What the host keeps, newest first.
fn requests(window: &Window) -> Vec<RequestRow> {
    let mut control = Control::connect(&window.data).unwrap();
    control.ask::<ListRequests>(&RequestFilter::default()).unwrap().requests
}

fn patterns(window: &Window) -> Vec<String> {
    let mut control = Control::connect(&window.data).unwrap();
    let rows: Vec<RuleRow> = control.ask::<ListRules>(&RuleFilter::default()).unwrap().rules;
    rows.into_iter().filter(|row| row.rule.id > 0).map(|row| row.text).collect()
}
