//! The settings in their real window: a person is shown around, enrols an agent, writes a rule, finds what happened, and
//! opens a door.

use fantoccini::key::Key;
use postern_client::Control;
use postern_contract::methods::{DoorState, ListDoors, ListRules, Nothing, RuleFilter};
use postern_protocol::NoticeEvent;
use postern_tests::window::{Window, ask, ending};

/// Tests the whole story in one session: starting the app costs more than everything that it does here.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_finds_their_way_in_the_real_settings() {
    let Some(window) = Window::open_settings("activity").await else { return };
    the_first_run_enrols_an_agent_and_tries_it(&window).await;
    assert_eq!(window.windows_of("settings.html").await, 1, "the first run opens no second one");
    a_rule_is_written_changed_and_holds(&window).await;
    the_activity_tells_what_happened(&window).await;
    the_output_has_a_window_of_its_own(&window).await;
    a_door_opens_and_closes(&window).await;
    window.close().await;
}

fn button(text: &str) -> String {
    format!("//main//button[normalize-space()='{text}']")
}

/// Returns the XPath of the field of a label in the page.
fn labelled(text: &str) -> String {
    format!("//main//*[@id=//main//label[normalize-space()='{text}']/@for]")
}

fn pressed(key: Key) -> String {
    char::from(key).to_string()
}

async fn the_first_run_enrols_an_agent_and_tries_it(window: &Window) {
    window.click(&button("Continue")).await;
    window.click(&button("Add Agent…")).await;
    window.fill(&labelled("Name"), "builder").await;
    window.click(&button("Add Agent")).await;
    window.says("enrolment", "/agents/builder").await;
    window.click("//main//label[normalize-space()='MCP']").await;
    window.says("enrolment", "mcpServers").await;
    window.click(&button("Continue")).await;
    window.click(&button("Test")).await;
    window.says("channel-test", "Waits for your answer").await;
    window.answer("once").await;
    window.says("channel-test", "It works").await;
    window.click(&button("Done")).await;
    window.element("//main//h1[normalize-space()='builder']").await;
}

async fn a_rule_is_written_changed_and_holds(window: &Window) {
    window.click("//main//label[normalize-space()='Rules']").await;
    window.click(&button("Add Rule…")).await;
    window.fill("//form[@data-testid='rule-editor']//input[@id='pattern']", "touch made").await;
    window.click("//form[@data-testid='rule-editor']//button[normalize-space()='Save']").await;
    window.says("rule", "touch made").await;
    // The row has the keys: Return edits its pattern in place.
    window.click("//*[@data-testid='rule']").await;
    window.press(&pressed(Key::Return)).await;
    let typing = "document.activeElement?.matches('[data-testid=rule-inline] input')";
    window.holds(typing, "Return does not edit the rule").await;
    // What is there is selected: what is typed takes its place.
    window.press("touch made *").await;
    window.press(&pressed(Key::Return)).await;
    window.says("rule", "touch made *").await;
    let filter = RuleFilter { agent: None, own: true, skip: None, limit: None };
    let rules = Control::connect(&window.data).unwrap().call_method::<ListRules>(&filter).unwrap().rules;
    let texts: Vec<&str> = rules.iter().map(|row| row.text.as_str()).collect();
    let ours: Vec<&&str> = texts.iter().filter(|text| text.starts_with("touch")).collect();
    assert_eq!(ours, [&"touch made *"], "what the page shows is what is kept");

    let mut agent = window.channel("builder");
    ask(&mut agent, window.running(&["touch", "made", "too"]));
    let NoticeEvent::Finished(finished) = ending(&mut agent).event else {
        panic!("the rule lets it through")
    };
    assert_eq!(finished.exit_code, Some(0));
    assert!(window.work.join("too").exists(), "it really ran");
}

async fn the_activity_tells_what_happened(window: &Window) {
    window.click("//nav//button[contains(., 'Activity')]").await;
    window.fill("//main//input[@type='search']", "touch made").await;
    window.click("//*[@data-testid='request'][contains(., 'touch made too')]").await;
    window.element("//aside//button//code[contains(., 'touch made *')]").await;
    window.fill("//main//input[@type='search']", "uname").await;
    window.click("//*[@data-testid='request'][contains(., 'uname -s')]").await;
    window.element("//aside[contains(., 'Linux') or contains(., 'Darwin')]").await;
}

/// Opens the output of a run in a window of its own, which reads nothing else and closes by keyboard.
async fn the_output_has_a_window_of_its_own(window: &Window) {
    let own_window = "//main//*[@data-testid='output']//button[@aria-label='Open in Own Window']";
    // The first Esc empties the search.
    for close in [format!("{}w", char::from(Key::Control)), pressed(Key::Escape).repeat(2)] {
        window.turn_to("settings.html").await;
        window.click(own_window).await;
        window.turn_to("output.html").await;
        window.element("//header[contains(., 'uname -s')]").await;
        window.element("//pre[contains(., 'Linux') or contains(., 'Darwin')]").await;
        window.fill("//input[@type='search']", "in").await;
        window.element("//*[@role='status'][normalize-space()='1 of 1']").await;
        window.element("//pre//mark[normalize-space()='in']").await;
        let other = window.invoke("settings_call", r#"{"method": "requests.list", "params": {}}"#).await;
        assert!(other.starts_with("refused: "), "it reads its own request only: {other}");
        window.press_to_close(&close).await;
        window.has_closed("output.html").await;
    }
    window.turn_to("settings.html").await;
}

async fn a_door_opens_and_closes(window: &Window) {
    window.click("//button[@aria-label='Settings']").await;
    window.turn_to("preferences.html").await;
    window.click("//main//label[normalize-space()='Integrations']").await;
    window.click("//main//button[@aria-label='Turn On: Approvers over WebSocket']").await;
    // Port 0 is whichever is free.
    window.fill(&labelled("Address"), "127.0.0.1:0").await;
    window.click("//dialog//button[normalize-space()='Turn On']").await;
    window.says("setup-url", "ws://127.0.0.1:").await;
    window.find("setup-pairingCode").await;
    window.click_away("//dialog//button[normalize-space()='Done']").await;
    let state = || {
        let doors =
            Control::connect(&window.data).unwrap().call_method::<ListDoors>(&Nothing {}).unwrap().doors;
        doors.iter().find(|row| row.door.name() == "websocket").map(|row| row.state)
    };
    assert_eq!(state(), Some(DoorState::Open));
    window.click("//main//button[@aria-label='More: Approvers over WebSocket']").await;
    window.click("//main//*[@role='menuitem'][normalize-space()='Turn Off']").await;
    window.element("//main//button[@aria-label='Turn On: Approvers over WebSocket']").await;
    assert_eq!(state(), Some(DoorState::Off));
}
