//! The desktop app as a person uses it: its pages, read and clicked through WebDriver.

use crate::drivers::{Group, connect, display, driver, missing, search};
use crate::programs::free_port;
use fantoccini::elements::Element;
use fantoccini::error::CmdError;
use fantoccini::key::Key;
use fantoccini::{Client, Locator};
use postern_client::{Channel, Control, read_key};
use postern_contract::methods::{ApproverKind, ListQuestions, Nothing};
use postern_contract::{AgentRow, Answered, ApproverNotification};
use postern_protocol::{Notice, NoticeEvent, RunParams, What};
use serde_json::{Value, json};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use uuid::Uuid;

/// Time that anything may take before the test fails. Generous: what is tested is what happens, not how fast.
const PATIENCE: Duration = Duration::from_mins(3);

/// Time of one start of the driver and the app before it is tried again on another port.
///
/// Somebody may have taken those that were free a moment ago.
const START: Duration = Duration::from_mins(1);

/// Between two looks at what tells nobody when it is there: the driver, and the list of windows. Everything else tells.
pub(crate) const BETWEEN: Duration = Duration::from_millis(50);

/// Element of a page whose *Allow* works.
const ARMED: &str = "document.querySelector('[data-testid=arming][data-state=armed]')";

/// A running desktop app with an empty data folder.
pub struct Window {
    /// Speaks WebDriver to the approval page.
    pub page: Client,
    pub data: PathBuf,
    /// A folder that agents may use.
    pub work: PathBuf,
    home: PathBuf,
    display: String,
    port: u16,
    _folder: TempDir,
    _driver: Group,
    _display: Group,
}

impl Window {
    /// Starts the app in the background: it opens its window only to ask.
    ///
    /// Returns nothing where this machine lacks a program for it, and says which. So do the other starts.
    pub async fn open() -> Option<Self> {
        Self::start(&["--background"]).await
    }

    /// Starts the app with the settings open at a page (`doors`, an agent's name, …), and drives that window.
    pub async fn open_settings(page: &str) -> Option<Self> {
        let window = Self::start(&["--settings", page]).await?;
        window.turn_to("settings.html").await;
        Some(window)
    }

    /// Starts the app in the background with its overview open, and drives that window.
    pub async fn open_overview() -> Option<Self> {
        let window = Self::start(&["--background", "--overview"]).await?;
        window.turn_to("popover.html").await;
        Some(window)
    }

    /// Starts the app with the settings open, and with a page for questions that is let go after a second without one.
    pub async fn open_forgetful() -> Option<Self> {
        Self::start(&["--settings", "activity", "--keep-page", "1"]).await
    }

    /// Drives the window that shows this page of the app, once there is one.
    pub async fn turn_to(&self, page: &str) {
        until(async || self.is_turned_to(page).await, &format!("{page} does not open")).await;
    }

    /// Waits until no window shows this page of the app.
    pub async fn has_closed(&self, page: &str) {
        until(async || !self.is_turned_to(page).await, &format!("{page} stays open")).await;
    }

    /// Turns to the window that shows this page, if there is one. Windows come and go meanwhile.
    async fn is_turned_to(&self, page: &str) -> bool {
        for handle in self.page.windows().await.unwrap_or_default() {
            if self.page.switch_to_window(handle).await.is_ok()
                && self.page.current_url().await.is_ok_and(|url| url.path().ends_with(page))
            {
                return true;
            }
        }
        false
    }

    /// Waits until the app has only this many windows, hidden ones among them.
    pub async fn has_windows(&self, count: usize) {
        let gone = async || self.page.windows().await.is_ok_and(|windows| windows.len() == count);
        until(gone, "a window stays").await;
    }

    async fn start(args: &[&str]) -> Option<Self> {
        if let Some(missing) = missing() {
            eprintln!("skipped: the window test needs {missing}");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let (data, work, home) =
            (folder.path().join("data"), folder.path().join("work"), folder.path().join("home"));
        for made in [&work, &home] {
            std::fs::create_dir(made).unwrap();
        }
        let (display, number) = display();
        let mut patience = START;
        loop {
            let port = free_port();
            let mut driver = driver(&home, &number, port);
            let driver = Group::start(&mut driver);
            // The app's socket is where it was: one that was started and not reached is gone with its driver.
            if let Ok(page) = tokio::time::timeout(patience, connect(port, &data, args)).await {
                return Some(Self {
                    page,
                    data,
                    work,
                    home,
                    display: number,
                    port,
                    _folder: folder,
                    _driver: driver,
                    _display: display,
                });
            }
            assert!(patience < PATIENCE, "the app does not start");
            patience *= 2;
        }
    }

    pub fn page_processes(&self) -> BTreeSet<u32> {
        self.processes("WebKitWebProces").into_keys().collect()
    }

    /// Waits until one page has a process that is none of these, and returns it. That of a page that went ends a little later.
    pub async fn another_page_process(&self, before: &BTreeSet<u32>) -> u32 {
        let found = Cell::new(None);
        let is_alone = async || {
            let mut others = self.page_processes().into_iter().filter(|page| !before.contains(page));
            found.set(others.next().filter(|_| others.next().is_none()));
            found.get().is_some()
        };
        until(is_alone, "the question has no page of its own").await;
        found.get().unwrap()
    }

    /// Returns the address of the app's session bus.
    pub fn bus(&self) -> String {
        let mut environments = self.processes("postern-desktop").into_values().flatten();
        let address =
            environments.find_map(|one| Some(one.strip_prefix("DBUS_SESSION_BUS_ADDRESS=")?.to_owned()));
        address.expect("the app runs on a bus of its own")
    }

    /// Returns the processes of a program that have this test's home in their environment, each with its environment.
    fn processes(&self, program: &str) -> BTreeMap<u32, Vec<String>> {
        let home = format!("HOME={}", self.home.display());
        let part = |pid: u32, name: &str| {
            let read = std::fs::read(format!("/proc/{pid}/{name}")).unwrap_or_default();
            String::from_utf8_lossy(&read).into_owned()
        };
        let entries = std::fs::read_dir("/proc").unwrap().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let named = pids.filter(|pid| part(*pid, "comm").starts_with(program));
        named
            .map(|pid| (pid, part(pid, "environ").split('\0').map(str::to_owned).collect::<Vec<_>>()))
            .filter(|(_, environment)| environment.contains(&home))
            .collect()
    }

    /// Returns the panels that can be seen on the display.
    pub fn panels(&self) -> BTreeSet<String> {
        let found = search(&self.display, "Postern asks").output();
        let found = found.expect("xdotool looks at the display");
        String::from_utf8_lossy(&found.stdout).lines().map(str::to_owned).collect()
    }

    /// Waits until a panel is seen that is none of these, and none of these is.
    pub async fn another_panel(&self, before: &BTreeSet<String>) {
        let seen = async || {
            let now = self.panels();
            !now.is_empty() && now.is_disjoint(before)
        };
        until(seen, "no other panel shows the question").await;
    }

    pub fn waiting(&self) -> usize {
        Control::connect(&self.data)
            .unwrap()
            .call_method::<ListQuestions>(&Nothing {})
            .unwrap()
            .questions
            .len()
    }

    pub fn enrol(&self, id: &str) -> Channel {
        let mut control = Control::connect(&self.data).unwrap();
        control.call_by_name("agents.add", &json!({ "agent": id })).unwrap();
        self.channel(id)
    }

    pub fn channel(&self, id: &str) -> Channel {
        let mut control = Control::connect(&self.data).unwrap();
        let row = control.call_by_name("agents.get", &json!({ "agent": id })).unwrap();
        let row: AgentRow = serde_json::from_value(row).unwrap();
        let key = read_key(Path::new(&row.key_file)).unwrap();
        Channel::connect(Path::new(&row.socket), &key).unwrap()
    }

    /// Returns a request for a command in the folder that agents may use.
    pub fn running(&self, command: &[&str]) -> RunParams {
        let command = command.iter().map(|word| (*word).to_owned()).collect();
        let mut params = RunParams::new(Uuid::new_v4(), What::Command(command));
        params.cwd = Some(self.work.display().to_string());
        params.reason = Some("to show that it runs".to_owned());
        params
    }

    /// Returns a request that leaves a file behind when it really runs.
    pub fn touching(&self, name: &str) -> RunParams {
        self.running(&["touch", name])
    }

    /// Returns the element that the page marks with `data-testid`, once it is there.
    pub async fn find(&self, id: &str) -> Element {
        self.element(&format!("//*[@data-testid='{id}']")).await
    }

    /// Returns the element that an XPath names, once it is there.
    pub async fn element(&self, xpath: &str) -> Element {
        let found = async {
            loop {
                self.holds(&is_there(xpath), &format!("{xpath} does not appear")).await;
                // A page may put another element in its place between the two.
                match self.page.find(Locator::XPath(xpath)).await {
                    Ok(found) => return found,
                    Err(error) => assert!(!error.is_no_such_window(), "the window is gone: {error}"),
                }
                tokio::time::sleep(BETWEEN).await;
            }
        };
        let found = tokio::time::timeout(PATIENCE, found).await;
        found.unwrap_or_else(|_| panic!("{xpath} goes away again and again"))
    }

    /// Returns the text that a person reads there.
    pub async fn text(&self, id: &str) -> String {
        self.find(id).await.text().await.unwrap()
    }

    /// Clicks what an XPath names, once it is there and not dead.
    pub async fn click(&self, xpath: &str) {
        let alive = format!("({xpath})[not(@disabled)]");
        self.once_it_can(xpath, async || self.element(&alive).await.click().await).await;
    }

    /// Clicks what an XPath names until it is gone: while a sheet slides in, a click may fall beside its button.
    pub async fn click_away(&self, xpath: &str) {
        self.element(xpath).await;
        let gone = async {
            while let Ok(element) = self.page.find(Locator::XPath(xpath)).await {
                // It may be gone before it is clicked.
                _ = element.click().await;
                tokio::time::sleep(BETWEEN).await;
            }
        };
        tokio::time::timeout(PATIENCE, gone).await.unwrap_or_else(|_| panic!("{xpath} stays"));
    }

    /// Types into what an XPath names, in place of what is there.
    pub async fn fill(&self, xpath: &str, text: &str) {
        let typed = async || {
            let field = self.element(xpath).await;
            field.clear().await?;
            field.send_keys(text).await
        };
        self.once_it_can(xpath, typed).await;
    }

    /// Repeats an act until the page takes it: it may have put another element in its place, or not yet shown this one.
    async fn once_it_can(&self, xpath: &str, act: impl AsyncFn() -> Result<(), CmdError>) {
        let mut last = None;
        let done = async {
            while let Err(error) = act().await {
                assert!(!error.is_no_such_window(), "the window is gone: {error}");
                last = Some(error);
                tokio::time::sleep(BETWEEN).await;
            }
        };
        let did = tokio::time::timeout(PATIENCE, done).await.is_ok();
        assert!(did, "{xpath} can be neither clicked nor filled: {last:?}");
    }

    /// Returns the number of windows that show this page of the app.
    pub async fn windows_of(&self, page: &str) -> usize {
        let here = self.page.window().await.unwrap();
        let mut found = 0;
        for handle in self.page.windows().await.unwrap() {
            self.page.switch_to_window(handle).await.unwrap();
            found += usize::from(self.page.current_url().await.unwrap().path().ends_with(page));
        }
        self.page.switch_to_window(here).await.unwrap();
        found
    }

    /// Waits until the element that the page marks with `data-testid` says this.
    pub async fn says(&self, id: &str, text: &str) {
        let said = format!("//*[@data-testid='{id}'][contains(., '{text}')]");
        self.holds(&is_there(&said), &format!("{id} never says {text:?}")).await;
    }

    /// Answers the oldest question as a person at a terminal would, once there is one.
    pub async fn answer(&self, answer: &str) {
        let (data, answer) = (self.data.clone(), answer.to_owned());
        let answered = tokio::task::spawn_blocking(move || {
            let mut control = Control::connect(&data).unwrap();
            let mut waiting =
                control.watch_questions(ApproverKind::Terminal).unwrap().questions.into_iter().next();
            while waiting.is_none() {
                let told = control.next_known_notification(Some(PATIENCE)).unwrap();
                if let Some(ApproverNotification::QuestionOpened(question)) = told {
                    waiting = Some(*question);
                }
            }
            let question = waiting.unwrap();
            let params = json!({ "questionId": question.id, "digest": question.digest, "answer": answer });
            // As `postern approve` does: on a connection that shows nothing, so that nothing has to be armed there.
            let answered =
                Control::connect(&data).unwrap().call_by_name("questions.answer", &params).unwrap();
            let answered: Answered = serde_json::from_value(answered).unwrap();
            assert!(answered.applied, "{answered:?}");
        });
        let answered = tokio::time::timeout(PATIENCE, answered).await;
        answered.expect("nothing is asked").expect("the question is answered");
    }

    /// Returns the state of arming: `unseen`, `counting` or `armed`.
    pub async fn arming(&self) -> String {
        self.find("arming").await.attr("data-state").await.unwrap().unwrap_or_default()
    }

    /// Waits until *Allow* works.
    pub async fn armed(&self) {
        self.holds(ARMED, "the question is never armed").await;
    }

    /// Turns to the panel, and waits until *Allow* works there. On a busy computer its page may answer too late: then the app puts
    /// another one in its place.
    pub async fn armed_in_panel(&self) {
        let script = format!("return Boolean({ARMED})");
        let armed = async || {
            let page = &self.page;
            self.is_turned_to("approval.html").await
                && page.execute(&script, Vec::new()).await.is_ok_and(|armed| armed == Value::Bool(true))
        };
        until(armed, "the question is never armed").await;
    }

    /// Waits until no question is on show.
    pub async fn empty(&self) {
        self.holds("!document.querySelector('[data-testid=question]')", "the question stays on show").await;
    }

    /// Waits until a condition of the page holds: the page itself tells when, at the change that makes it so.
    pub async fn holds(&self, condition: &str, otherwise: &str) {
        let script = format!(
            "const done = arguments[arguments.length - 1];
             const holds = () => {condition};
             if (holds()) return done(true);
             const watch = new MutationObserver(() => {{
                 if (holds()) {{ watch.disconnect(); done(true); }}
             }});
             watch.observe(document, {{ attributes: true, characterData: true, childList: true, subtree: true }});"
        );
        let told = async {
            // A page that is still being loaded takes the script with it, and a script may run only so long: each is asked
            // again.
            while let Err(error) = self.page.execute_async(&script, Vec::new()).await {
                assert!(!error.is_no_such_window(), "the window is gone: {error}");
                tokio::time::sleep(BETWEEN).await;
            }
        };
        let told = tokio::time::timeout(PATIENCE, told).await;
        if told.is_err() {
            let source = self.page.source().await.unwrap_or_default();
            panic!("{otherwise}; the page is\n{source}");
        }
    }

    pub async fn press(&self, keys: &str) {
        self.page.active_element().await.unwrap().send_keys(keys).await.unwrap();
    }

    /// Presses keys of which the last closes the window.
    pub async fn press_to_close(&self, keys: &str) {
        if let Err(error) = self.page.active_element().await.unwrap().send_keys(keys).await {
            assert!(error.is_no_such_window(), "{error}");
        }
    }

    /// Clicks what the page marks with `data-testid`, which answers the question on show.
    pub async fn answer_by_click(&self, id: &str) {
        self.tell(&self.find(id).await, "click", &json!({})).await;
    }

    /// Presses a key that answers the question on show.
    pub async fn answer_by_key(&self, key: Key) {
        let focus = self.page.active_element().await.unwrap();
        self.tell(&focus, "value", &json!({ "text": char::from(key) })).await;
    }

    /// Tells the driver to do what ends the question, and does not wait for its word.
    ///
    /// The window hides with its question, and of a page that is hidden meanwhile WebKitWebDriver may never
    /// say that it was clicked; it goes on with what comes next.
    async fn tell(&self, element: &Element, action: &str, body: &Value) {
        let session = self.page.session_id().await.unwrap().expect("a session");
        let (element, body) = (element.element_id(), body.to_string());
        let request = format!(
            "POST /session/{session}/element/{element}/{action} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.port,
            body.len(),
        );
        let mut driver = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        driver.write_all(request.as_bytes()).await.unwrap();
        // The connection stays as long as the driver wants it.
        tokio::spawn(async move { driver.read_to_end(&mut Vec::new()).await });
    }

    /// Calls a command of the app as the page could, past everything that the page itself forbids.
    pub async fn invoke(&self, command: &str, arguments: &str) -> String {
        let script = format!(
            "const done = arguments[arguments.length - 1];
             window.__TAURI_INTERNALS__.invoke('{command}', {arguments})
                 .then((answer) => done(JSON.stringify(answer)), (error) => done('refused: ' + error));"
        );
        let answer = self.page.execute_async(&script, Vec::new()).await.unwrap();
        answer.as_str().unwrap_or_default().to_owned()
    }

    /// Allows the question on show as a page could that was taken over: `applied`, or why not.
    pub async fn force_allow(&self) -> String {
        let questions =
            Control::connect(&self.data).unwrap().call_method::<ListQuestions>(&Nothing {}).unwrap();
        let question = &questions.questions[0];
        let params = json!({ "questionId": question.id, "digest": question.digest, "answer": "once" });
        let answer =
            self.invoke("question_answer", &json!({ "params": params, "others": [] }).to_string()).await;
        match serde_json::from_str::<Answered>(&answer) {
            Ok(Answered { applied: true, .. }) => "applied".to_owned(),
            Ok(Answered { reason, .. }) => reason.unwrap_or_default(),
            Err(_) => answer,
        }
    }

    /// Ends the session, and with it the app.
    pub async fn close(self) {
        self.page.close().await.unwrap();
    }
}

/// Looks again and again until it is so.
async fn until(is_so: impl AsyncFn() -> bool, otherwise: &str) {
    let looked = async {
        while !is_so().await {
            tokio::time::sleep(BETWEEN).await;
        }
    };
    assert!(tokio::time::timeout(PATIENCE, looked).await.is_ok(), "{otherwise}");
}

/// Sends a request without waiting for its end.
pub fn ask(channel: &mut Channel, params: RunParams) {
    channel.run(params).unwrap();
}

/// Returns the event that ends a request: finished or denied.
pub fn ending(channel: &mut Channel) -> Notice {
    loop {
        let notice = channel.next_event(Some(PATIENCE)).unwrap().expect("the request never ends");
        if matches!(notice.event, NoticeEvent::Finished(_) | NoticeEvent::Denied(_)) {
            return notice;
        }
    }
}

/// Returns whether a page has what an XPath names, as a page says it.
fn is_there(xpath: &str) -> String {
    let xpath = serde_json::Value::from(xpath);
    format!("document.evaluate({xpath}, document, null, XPathResult.BOOLEAN_TYPE, null).booleanValue")
}
