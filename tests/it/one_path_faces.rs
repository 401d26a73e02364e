//! Tests that every approver shows the same question, by any door.
//!
//! In a terminal (printed, and in the terminal view), in a chat and over WebSocket.

use super::one_path::{Door, Scene};
use futures_util::StreamExt as _;
use postern_tests::screen::Terminal;
use postern_tests::telegram::{Telegram, User};
use postern_tests::{Postern, joined};
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::Stdio;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

/// Time that a test waits for what must happen.
const PATIENCE: Duration = Duration::from_mins(1);

const ANNA: User = User { id: 4242, name: "Anna" };

/// A door of each kind.
const DOORS: [Door; 4] = [Door::Channel, Door::Approve, Door::Hook("claude-code"), Door::Claw];

/// A chat, and an approver over WebSocket, beside the terminal.
struct Faces {
    bot: Telegram,
    runtime: Runtime,
    approver: WebSocketStream<MaybeTlsStream<TcpStream>>,
}

impl Faces {
    fn open(scene: &Scene) -> Self {
        let host = &scene.host;
        let bot = Telegram::start();
        let server = format!("server={}", bot.url);
        let mut command = host.command(&["doors", "enable", "telegram", "token=-", "changes=off", &server]);
        let mut enable = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        writeln!(enable.stdin.take().unwrap(), "{}", Telegram::TOKEN).unwrap();
        assert!(enable.wait().unwrap().success());
        let code = host.json(&["doors", "setup", "telegram"])["pairingCode"].as_str().unwrap().to_owned();
        bot.says(ANNA, ANNA.id, &format!("/start {code}"));
        assert!(bot.next("sendMessage").text().starts_with("Paired"));

        host.ok(&["doors", "enable", "websocket", "listen=127.0.0.1:0"]);
        let setup = host.json(&["doors", "setup", "websocket"]);
        let (url, code) = (setup["url"].as_str().unwrap(), setup["pairingCode"].as_str().unwrap());
        let mut request = url.into_client_request().unwrap();
        request.headers_mut().insert("Authorization", format!("Bearer {code}").parse().unwrap());
        let runtime = Runtime::new().unwrap();
        let (approver, _) = runtime.block_on(connect_async(request)).expect("a pairing code lets in");
        Self { bot, runtime, approver }
    }

    /// Returns the approver's message about the question with this code.
    fn payload(&mut self, code: &str) -> Value {
        let told = async {
            loop {
                let message = self.approver.next().await.expect("connected").expect("a message");
                let Message::Text(text) = message else { continue };
                let envelope: Value = serde_json::from_str(text.as_str()).unwrap();
                if envelope["action"] == "exec-approval-request" && envelope["payload"]["code"] == code {
                    return envelope["payload"].clone();
                }
            }
        };
        self.runtime.block_on(async { timeout(PATIENCE, told).await.expect("the approver is told") })
    }

    /// Returns a question as each approver shows it, without what tells one request from another.
    ///
    /// And whether all of them say that the agent would run it itself.
    fn shown(&mut self, scene: &Scene, agent: &str, question: &Value) -> ([String; 4], bool) {
        let code = question["code"].as_str().unwrap();
        let terminal = scene.host.ok(&["questions"]);
        let view = terminal_view(&scene.host, question);
        let chat = self.bot.next("sendMessage").text().to_owned();
        let mut payload = self.payload(code);
        for name in ["approvalId", "askedAtMs", "expiresAtMs", "recent"] {
            payload.as_object_mut().unwrap().remove(name);
        }
        let own = payload.as_object_mut().unwrap().remove("origin").unwrap() == "agent-shell";
        let says = "own shell";
        let told = [&terminal, &view, &chat].map(|text| text.contains(says));
        assert_eq!(told, [own; 3], "{terminal}{view}{chat}");
        // Where it would run, and how long it waits.
        let other = [says, "on this ", "expires", "Expires in", "Runs with your full access"];
        let shown = [terminal, view, chat, payload.to_string()].map(|text| {
            let digest = question["digest"].as_str().unwrap();
            let text = text.replace(digest, "DIGEST").replace(short(digest), "DIGEST");
            let text = text.replace(code, "CODE").replace(agent, "AGENT");
            text.lines()
                .filter(|line| !other.iter().any(|part| line.contains(part)))
                .collect::<Vec<_>>()
                .join("\n")
        });
        (shown, own)
    }
}

/// Returns a question in the terminal view, with its details: what stands between its first line and its digest.
fn terminal_view(host: &Postern, question: &Value) -> String {
    let digest = short(question["digest"].as_str().unwrap());
    let mut terminal = Terminal::start(&host.command(&["tui"]));
    if !terminal.shows(" Details", PATIENCE).contains(digest) {
        terminal.types("v");
    }
    let screen = terminal.shows(digest, PATIENCE);
    terminal.end();
    let lines = screen.lines().skip(1).map(str::trim_start);
    let end = lines.clone().position(|line| line.contains(digest)).unwrap();
    let view: Vec<&str> = lines.take(end + 1).collect();
    let whole = view.join("\n");
    let steps = question["steps"].as_array().unwrap();
    let reasons = question["risk"]["reasons"].as_array().unwrap();
    let offers = question["proposals"].as_array().unwrap();
    assert!(steps.len() > 1 && !offers.is_empty(), "{question}");
    assert!(screen.lines().any(|line| line.contains(&joined(&question["headline"]))), "{question}");
    for step in steps {
        let mark = |line: &str| ["✓ ", "● ", "■ ", "✕ "].iter().any(|mark| line.starts_with(mark));
        let mut lines =
            view.iter().filter(|line| mark(line) && line.contains(step["text"].as_str().unwrap()));
        assert!(lines.any(|line| line.contains(&joined(&step["why"]))), "{step}: {whole}");
    }
    for shown in reasons.iter().chain(offers.iter().map(|offer| &offer["label"])) {
        assert!(whole.contains(&joined(shown)), "{shown}: {whole}");
    }
    // How often an offer would have helped is counted beside the question.
    let uncounted = view.iter().map(|line| match line.split_once(" of the last ") {
        Some((label, _)) => label.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end(),
        None => line,
    });
    uncounted.collect::<Vec<_>>().join("\n")
}

/// Returns as much of a digest as the terminal view shows.
fn short(digest: &str) -> &str {
    &digest[..12]
}

#[test]
fn the_same_command_is_the_same_question_on_every_face() {
    let mut scene = Scene::new();
    let agents = scene.enrol_for(&DOORS);
    let mut faces = Faces::open(&scene);
    let command = "git push origin main && uname";
    let mut first = None;
    for (door, agent, folder) in &agents {
        let asking = scene.ask(*door, agent, folder, command);
        let question = scene.watcher.question();
        let (shown, own) = faces.shown(&scene, agent, &question);
        assert_eq!(own, !matches!(door, Door::Channel), "{door:?}: {shown:?}");
        let answer = json!({"questionId": question["id"], "digest": question["digest"], "answer": "deny"});
        assert_eq!(scene.control.call_by_name("questions.answer", &answer).unwrap()["applied"], true);
        drop(asking);
        let expected = first.get_or_insert_with(|| shown.clone());
        assert_eq!(shown, *expected, "by {door:?} it is another question");
    }
}
