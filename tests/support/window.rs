//! The desktop app in a display of its own, driven by WebDriver: Xvfb, a session bus, tauri-driver, WebKitWebDriver.

use fantoccini::elements::Element;
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use postern_client::{Channel, Control, read_key};
use postern_contract::methods::{ListQuestions, Nothing};
use postern_contract::{AgentRow, Answered};
use postern_protocol::{Event, Notice, RunParams};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// How long anything may take before the test fails. Generous: what is tested is what happens, not how fast.
const PATIENCE: Duration = Duration::from_mins(1);

/// Between two tries to reach the drivers, which say nothing when they are up. Everything else tells.
const BETWEEN: Duration = Duration::from_millis(50);

/// What the window test needs and this machine lacks, in words.
pub fn missing() -> Option<String> {
    let needed: [(&str, Option<PathBuf>); 5] = [
        ("Xvfb (Debian: xvfb)", in_path("Xvfb")),
        ("dbus-run-session (Debian: dbus)", in_path("dbus-run-session")),
        ("WebKitWebDriver (Debian: webkit2gtk-driver)", in_path("WebKitWebDriver")),
        ("tauri-driver (scripts/test installs it below .cache/tools)", tauri_driver()),
        ("postern-desktop (cargo build -p postern-desktop)", desktop()),
    ];
    let lacking: Vec<&str> =
        needed.iter().filter(|(_, found)| found.is_none()).map(|(what, _)| *what).collect();
    (!lacking.is_empty()).then(|| lacking.join(", "))
}

/// A running desktop app with an empty data folder.
pub struct Window {
    /// Speaks WebDriver to the approval page.
    pub page: Client,
    /// The app's data folder.
    pub data: PathBuf,
    /// A folder that agents may use.
    pub work: PathBuf,
    _folder: TempDir,
    _driver: Group,
    _display: Group,
}

impl Window {
    /// Starts the app in the background: it opens its window only to ask.
    pub async fn open() -> Self {
        Self::start(&["--background"]).await
    }

    /// Starts the app with the settings open at a page (`doors`, an agent's name, …), and drives that window.
    pub async fn open_settings(page: &str) -> Self {
        let window = Self::start(&["--settings", page]).await;
        let found = async {
            loop {
                for handle in window.page.windows().await.unwrap() {
                    window.page.switch_to_window(handle).await.unwrap();
                    if window.page.current_url().await.unwrap().path().ends_with("settings.html") {
                        return;
                    }
                }
                tokio::time::sleep(BETWEEN).await;
            }
        };
        tokio::time::timeout(PATIENCE, found).await.expect("the settings do not open");
        window
    }

    async fn start(args: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (data, work, home) =
            (folder.path().join("data"), folder.path().join("work"), folder.path().join("home"));
        for made in [&work, &home] {
            std::fs::create_dir(made).unwrap();
        }
        let (display, number) = display();
        let (port, native) = (free_port(), free_port());
        let mut driver = command("dbus-run-session");
        driver
            .arg("--")
            .arg(tauri_driver().unwrap())
            .args(["--port", &port.to_string(), "--native-port", &native.to_string()])
            .env("DISPLAY", format!(":{number}"))
            .env("HOME", &home)
            .env("XDG_RUNTIME_DIR", &home)
            .env("GDK_BACKEND", "x11")
            .env("NO_AT_BRIDGE", "1")
            .env("WEBKIT_DISABLE_COMPOSITING_MODE", "1")
            .env_remove("POSTERN_DATA");
        let driver = Group::start(&mut driver);
        let page = connect(port, &data, args).await;
        Self { page, data, work, _folder: folder, _driver: driver, _display: display }
    }

    /// Enrols an agent and gives its channel.
    pub fn enrol(&self, id: &str) -> Channel {
        let mut control = Control::connect(&self.data).unwrap();
        let row = control.call("agents.add", &json!({ "agent": id })).unwrap();
        let row: AgentRow = serde_json::from_value(row).unwrap();
        let key = read_key(Path::new(&row.key_file)).unwrap();
        Channel::connect(Path::new(&row.socket), &key).unwrap()
    }

    /// The element that the page marks with `data-testid`, once it is there.
    pub async fn find(&self, id: &str) -> Element {
        self.page
            .wait()
            .at_most(PATIENCE)
            .for_element(Locator::Css(&format!("[data-testid={id}]")))
            .await
            .unwrap_or_else(|error| panic!("{id} does not appear: {error}"))
    }

    /// The text that a person reads there.
    pub async fn text(&self, id: &str) -> String {
        self.find(id).await.text().await.unwrap()
    }

    /// Clicks what an XPath names, once it is there.
    pub async fn click(&self, xpath: &str) {
        let there = self.page.wait().at_most(PATIENCE).for_element(Locator::XPath(xpath)).await;
        there.unwrap_or_else(|error| panic!("{xpath} does not appear: {error}")).click().await.unwrap();
    }

    /// Waits until the element that the page marks with `data-testid` says this.
    pub async fn says(&self, id: &str, text: &str) {
        let said = async {
            loop {
                let shown = self.page.find(Locator::Css(&format!("[data-testid={id}]"))).await;
                if let Ok(shown) = shown
                    && shown.text().await.is_ok_and(|shown| shown.contains(text))
                {
                    return;
                }
                tokio::time::sleep(BETWEEN).await;
            }
        };
        let waited = tokio::time::timeout(PATIENCE, said).await;
        waited.unwrap_or_else(|_| panic!("{id} never says {text:?}"));
    }

    /// Answers the oldest question as a person at a terminal would, once there is one.
    pub async fn answer(&self, answer: &str) {
        let mut control = Control::connect(&self.data).unwrap();
        let waiting = async {
            loop {
                let questions = control.ask::<ListQuestions>(&Nothing {}).unwrap().questions;
                if let Some(question) = questions.into_iter().next() {
                    return question;
                }
                tokio::time::sleep(BETWEEN).await;
            }
        };
        let question = tokio::time::timeout(PATIENCE, waiting).await.expect("nothing is asked");
        let params = json!({ "questionId": question.id, "digest": question.digest, "answer": answer });
        control.call("questions.answer", &params).unwrap();
    }

    /// Where arming stands: `unseen`, `counting` or `armed`.
    pub async fn arming(&self) -> String {
        self.find("arming").await.attr("data-state").await.unwrap().unwrap_or_default()
    }

    /// Waits until *Allow* works.
    pub async fn armed(&self) {
        let armed = "document.querySelector('[data-testid=arming][data-state=armed]')";
        self.holds(armed, "the question is never armed").await;
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
        let told = tokio::time::timeout(PATIENCE, self.page.execute_async(&script, Vec::new())).await;
        assert!(matches!(told, Ok(Ok(_))), "{otherwise}: {told:?}");
    }

    /// Presses keys wherever the focus is.
    pub async fn press(&self, keys: &str) {
        self.page.active_element().await.unwrap().send_keys(keys).await.unwrap();
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
        let questions = Control::connect(&self.data).unwrap().ask::<ListQuestions>(&Nothing {}).unwrap();
        let question = &questions.questions[0];
        let params = json!({ "questionId": question.id, "digest": question.digest, "answer": "once" });
        let answer = self.invoke("question_answer", &json!({ "params": params }).to_string()).await;
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

/// Sends a request without waiting for its end.
pub fn ask(channel: &mut Channel, params: RunParams) {
    channel.run(params).unwrap();
}

/// The event that ends a request: finished or denied.
pub fn ending(channel: &mut Channel) -> Notice {
    loop {
        let notice = channel.next_event(Some(PATIENCE)).unwrap().expect("the request never ends");
        if matches!(notice.event, Event::Finished(_) | Event::Denied(_)) {
            return notice;
        }
    }
}

async fn connect(port: u16, data: &Path, args: &[&str]) -> Client {
    let data = data.display().to_string();
    let args: Vec<&str> = ["--data", &data].into_iter().chain(args.iter().copied()).collect();
    let capabilities = json!({
        "tauri:options": {
            "application": desktop().unwrap(),
            "args": args,
        }
    });
    let serde_json::Value::Object(capabilities) = capabilities else { unreachable!("it is an object") };
    let mut last = None;
    let started = async {
        loop {
            let mut builder = ClientBuilder::new(HttpConnector::new());
            let url = format!("http://127.0.0.1:{port}");
            match builder.capabilities(capabilities.clone()).connect(&url).await {
                Ok(client) => return client,
                // The drivers are not up yet: they say nothing when they are.
                Err(error) => last = Some(error),
            }
            tokio::time::sleep(BETWEEN).await;
        }
    };
    let started = tokio::time::timeout(PATIENCE, started).await;
    started.unwrap_or_else(|_| panic!("the app does not start: {last:?}"))
}

/// A display that nobody else uses, and its number.
fn display() -> (Group, String) {
    let mut xvfb = command("Xvfb");
    xvfb.args(["-displayfd", "1", "-screen", "0", "1400x1000x24", "-nolisten", "tcp"]).stdout(Stdio::piped());
    let mut group = Group::start(&mut xvfb);
    let mut number = String::new();
    BufReader::new(group.0.stdout.take().unwrap()).read_line(&mut number).unwrap();
    (group, number.trim().to_owned())
}

fn free_port() -> u16 {
    TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

/// A process and all that it started; ended with the test.
struct Group(Child);

impl Group {
    fn start(command: &mut Command) -> Self {
        Self(command.process_group(0).stdin(Stdio::null()).spawn().unwrap())
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let pid = i32::try_from(self.0.id()).ok().and_then(Pid::from_raw);
        if let Some(pid) = pid {
            kill_process_group(pid, Signal::KILL).ok();
        }
        self.0.wait().ok();
    }
}

#[expect(clippy::disallowed_methods, reason = "a test starts the program as its users do")]
fn command(program: &str) -> Command {
    Command::new(program)
}

fn tauri_driver() -> Option<PathBuf> {
    let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.cache/tools/bin/tauri-driver");
    if ours.is_file() { Some(ours) } else { in_path("tauri-driver") }
}

/// The app beside this test's own binary: `target/<profile>/postern-desktop`.
fn desktop() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?.parent()?.parent()?.join("postern-desktop");
    program.is_file().then_some(program)
}

#[expect(clippy::disallowed_methods, reason = "a test looks where its programs are")]
fn in_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}
