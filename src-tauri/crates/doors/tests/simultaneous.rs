//! One question, answered at the same instant at three faces: on the control socket, as windows and terminals do, over
//! WebSocket, and by a button in a chat. One wins, the others are told who, and nothing runs twice.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on fails here, and the line says why"
)]

use futures_util::{SinkExt as _, StreamExt as _};
use postern_client::{Channel, Control, read_key};
use postern_contract::methods::{AnswerQuestion, FaceKind as Face};
use postern_contract::{Answer, AnswerParams, Answered, Question, Scope, Told};
use postern_doors::Doors;
use postern_host::session::{Presence, Session};
use postern_host::user::User;
use postern_host::{FaceGuard, FaceKind, Host, HostConfig};
use postern_protocol::{RunParams, RunResult, Wait, What};
use postern_tests::telegram::{Telegram, User as Person};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio::sync::{Barrier, broadcast};
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::{WebSocketStream, client_async};
use uuid::Uuid;

/// A guard against hanging, never an expectation.
const PATIENCE: Duration = Duration::from_mins(1);

/// After how many answers the phone comes anew: the door takes thirty messages a second from one connection.
const ANSWERS: usize = 25;

/// How many agents ask in turn, each with an owner of its own in the chat: none of them may ask, and nobody answer, as often as
/// all of this.
const PAIRS: usize = 20;

fn agent(at: usize) -> String {
    format!("agent-{}", at % PAIRS)
}

fn owner(at: usize) -> Person {
    Person { id: 4241 + i64::try_from(at % PAIRS).unwrap(), name: "Anna" }
}

/// The faces by the names under which they are told as the one who answered.
fn names(owner: Person) -> [String; 3] {
    ["terminal".to_owned(), "websocket, test phone".to_owned(), format!("telegram, {}", owner.id)]
}

#[tokio::test(flavor = "multi_thread")]
async fn one_answer_wins_and_nothing_runs_twice() {
    play(150).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes a while: run by hand after a change to questions, answers or doors"]
async fn one_answer_wins_and_nothing_runs_twice_in_a_thousand_rounds() {
    play(1000).await;
}

#[derive(Debug)]
struct Present;

impl Session for Present {
    fn presence(&self) -> Presence {
        Presence::Present
    }
}

/// A host, and everybody who answers there.
struct Stage {
    _folder: TempDir,
    host: Host,
    told: broadcast::Receiver<Told>,
    control: Option<Control>,
    phone: Phone,
    bot: Arc<Telegram>,
    _admin: FaceGuard,
    agents: Vec<Option<Channel>>,
    file: PathBuf,
}

async fn play(rounds: usize) {
    let mut stage = Stage::set().await;
    for round in 0..rounds {
        timeout(PATIENCE, stage.round(round)).await.expect("a round ends");
    }
    let written = std::fs::read_to_string(&stage.file).unwrap();
    let expected: Vec<String> = (0..rounds).map(|round| round.to_string()).collect();
    assert_eq!(written.lines().collect::<Vec<_>>(), expected, "each ran, once");
    stage.host.shutdown().await;
}

impl Stage {
    async fn set() -> Self {
        let folder = tempfile::Builder::new().prefix("pst").tempdir_in("/tmp").unwrap();
        std::fs::create_dir(folder.path().join("home")).unwrap();
        let home = folder.path().join("home").to_str().unwrap().to_owned();
        let user = User { home, ..User::current(Vec::new()).unwrap() };
        let data = folder.path().join("data");
        let host =
            Host::start(HostConfig { data: data.clone(), user, session: Arc::new(Present) }).await.unwrap();
        Doors::open(&host).await;
        let told = host.watch();
        let admin = host.face(FaceKind::Terminal);
        let ask = async |method: &str, params: Value| host.call(&admin.id(), method, params).await.unwrap();
        for agent in (0..PAIRS).map(agent) {
            ask("agents.add", json!({"agent": agent})).await;
            let values = json!({"questionsPerMinute": "600", "requestsPerSecond": "1000"});
            ask("agents.set", json!({"agent": agent, "values": values})).await;
        }
        ask("doors.enable", json!({"door": "websocket", "values": {"listen": "127.0.0.1:0"}})).await;
        let phone = Phone::pair(&ask("doors.setup", json!({"door": "websocket"})).await["values"]).await;
        let bot = Arc::new(Telegram::start());
        ask("doors.enable", json!({"door": "telegram", "values": in_the_chat(&bot)})).await;
        let (control, agents) = spawn_blocking(move || connect(&data)).await.unwrap();
        let file = folder.path().join("ran");
        Self { _folder: folder, host, told, control: Some(control), phone, bot, _admin: admin, agents, file }
    }

    /// One question and three answers.
    async fn round(&mut self, round: usize) {
        if round > 0 && round.is_multiple_of(ANSWERS) {
            self.phone.come_anew().await;
        }
        let mut agent = self.agents[round % PAIRS].take().unwrap();
        let script = format!("echo {round} >> {}", self.file.display());
        let run = RunParams {
            cwd: Some("/".to_owned()),
            wait: Wait::Finished,
            ..RunParams::new(Uuid::new_v4(), What::Shell(script))
        };
        let asked = spawn_blocking(move || (agent.run(run), agent));
        let question = self.question().await;
        // One that was told again because it changed, and closed meanwhile, may come first.
        while self.phone.hear("exec-approval-request").await["approvalId"] != question.id.as_str() {}
        let owner = owner(round);
        let shown = self.in_chat("sendMessage").await;
        assert_eq!(shown.params["chat_id"], owner.id, "each agent's go to its own owner");
        let approval = question.id.clone();
        let applied = self.answer_at_once(&question, owner, shown.message()).await;
        let winners: Vec<usize> = (0..3).filter(|face| applied[*face]).collect();
        assert_eq!(winners.len(), 1, "exactly one wins: {applied:?}");
        let winner = winners[0];
        self.all_are_told(&approval, winner, &names(owner)[winner]).await;
        let (ended, agent) = asked.await.unwrap();
        self.agents[round % PAIRS] = Some(agent);
        assert!(matches!(ended.unwrap(), RunResult::Ended(_)), "it ran to its end");
    }

    /// The bot's next call of a method.
    async fn in_chat(&self, method: &'static str) -> postern_tests::telegram::Call {
        let bot = Arc::clone(&self.bot);
        spawn_blocking(move || bot.next(method)).await.unwrap()
    }

    async fn question(&mut self) -> Question {
        loop {
            if let Told::QuestionOpened(question) = self.told.recv().await.unwrap() {
                return *question;
            }
        }
    }

    /// Each face answers when all three are ready to. Gives whose answer was applied.
    async fn answer_at_once(&mut self, question: &Question, owner: Person, message: i64) -> [bool; 3] {
        let (together, mut control) = (Arc::new(Barrier::new(3)), self.control.take().unwrap());
        let (params, wait, runtime) =
            (params(question), Arc::clone(&together), tokio::runtime::Handle::current());
        let at_the_terminal = spawn_blocking(move || {
            runtime.block_on(wait.wait());
            let answered: Answered = control.ask::<AnswerQuestion>(&params).unwrap();
            (answered.applied, control)
        });
        let chat = async {
            // Its way is the longest, so it sets out first.
            self.bot.presses(owner, owner.id, message, "once");
            together.wait().await;
            let bot = Arc::clone(&self.bot);
            let answered = spawn_blocking(move || bot.next("answerCallbackQuery")).await.unwrap();
            answered.text().starts_with("Approved once")
        };
        let phone = async {
            together.wait().await;
            self.phone.allow(&question.id).await
        };
        let (terminal, phone, chat) = tokio::join!(at_the_terminal, phone, chat);
        let (terminal, control) = terminal.unwrap();
        self.control = Some(control);
        [terminal, phone, chat]
    }

    /// The host's own watchers, the control socket's, the chat, and the phone where it lost.
    async fn all_are_told(&mut self, approval: &str, winner: usize, name: &str) {
        loop {
            if let Told::QuestionClosed(closed) = self.told.recv().await.unwrap()
                && closed.id == approval
            {
                assert_eq!(closed.face.as_deref(), Some(name));
                break;
            }
        }
        let (mut control, id) = (self.control.take().unwrap(), approval.to_owned());
        let heard = spawn_blocking(move || {
            loop {
                if let Some(Told::QuestionClosed(closed)) = control.next_told(Some(PATIENCE)).unwrap()
                    && closed.id == id
                {
                    return (closed.face, control);
                }
            }
        });
        let (face, control) = heard.await.unwrap();
        self.control = Some(control);
        assert_eq!(face.as_deref(), Some(name), "on the control socket");
        let changed = self.in_chat("editMessageText").await;
        assert!(
            changed.text().lines().next().unwrap().ends_with(&format!(" by {name}")),
            "{}",
            changed.text()
        );
        if winner != 1 {
            let told = self.phone.hear("exec-approval-resolved").await;
            assert_eq!((&told["approvalId"], &told["by"]), (&json!(approval), &json!(name)));
        }
    }
}

/// The person's tools and the agents, each on a socket of its own.
fn connect(data: &Path) -> (Control, Vec<Option<Channel>>) {
    let mut control = Control::connect(data).unwrap();
    control.watch(Face::Terminal).unwrap();
    let channel = |at| {
        let folder = data.join("agents").join(agent(at));
        let key = read_key(&folder.join("agent.key")).unwrap();
        Some(Channel::connect(&folder.join("agent.sock"), &key).unwrap())
    };
    (control, (0..PAIRS).map(channel).collect())
}

fn params(question: &Question) -> AnswerParams {
    AnswerParams {
        question_id: question.id.clone(),
        digest: question.digest.clone(),
        answer: Answer::Once,
        scope: Scope::Agent,
        proposal: None,
        edited: None,
        lifetime: None,
        feedback: None,
    }
}

/// The chat's settings: who answers for which agent. A request that writes is of high risk.
fn in_the_chat(bot: &Telegram) -> Value {
    let owners: Vec<String> = (0..PAIRS).map(|at| owner(at).id.to_string()).collect();
    let routes: Vec<String> = (0..PAIRS).map(|at| format!("{}:{}", agent(at), owner(at).id)).collect();
    json!({"token": Telegram::TOKEN, "server": bot.url, "owners": owners.join(","), "routes": routes.join(","),
        "high-risk": "once"})
}

async fn connected(url: &str, token: &str) -> WebSocketStream<TcpStream> {
    let mut request = url.into_client_request().unwrap();
    request.headers_mut().insert("Authorization", format!("Bearer {token}").parse().unwrap());
    request.headers_mut().insert("User-Agent", "test phone".parse().unwrap());
    let address = url.trim_start_matches("ws://").trim_end_matches('/');
    client_async(request, TcpStream::connect(address).await.unwrap()).await.unwrap().0
}

/// An approver client.
struct Phone {
    socket: WebSocketStream<TcpStream>,
    url: String,
    id: String,
    key: String,
    hub: String,
    /// What came while an answer was waited for.
    heard: Vec<Value>,
}

impl Phone {
    async fn pair(setup: &Value) -> Self {
        let word = |value: &Value| value.as_str().unwrap().to_owned();
        let url = word(&setup["url"]);
        let socket = connected(&url, &word(&setup["pairingCode"])).await;
        let (id, key, hub) = (String::new(), String::new(), String::new());
        let mut phone = Self { socket, url, id, key, hub, heard: Vec::new() };
        let paired = phone.next().await;
        let (id, key) = (word(&paired["payload"]["deviceId"]), word(&paired["payload"]["deviceKey"]));
        Self { id, key, hub: word(&paired["from"]), ..phone }
    }

    /// The same device on a new connection.
    async fn come_anew(&mut self) {
        self.socket = connected(&self.url, &self.key).await;
        self.heard.clear();
    }

    async fn next(&mut self) -> Value {
        loop {
            if let Message::Text(text) = self.socket.next().await.unwrap().unwrap() {
                return serde_json::from_str(text.as_str()).unwrap();
            }
        }
    }

    /// The next payload of this action; others are passed over: a question is sent again where it changed.
    async fn hear(&mut self, action: &str) -> Value {
        loop {
            let envelope = if self.heard.is_empty() { self.next().await } else { self.heard.remove(0) };
            if envelope["action"] == action {
                return envelope["payload"].clone();
            }
        }
    }

    /// Allows it; whether that decided.
    async fn allow(&mut self, approval: &str) -> bool {
        let envelope = json!({"id": Uuid::now_v7(), "from": self.id, "to": self.hub, "action": "request",
            "payload": {"requestId": approval, "method": "resolveExecApproval",
                "params": {"approvalId": approval, "decision": "allow-once"}}});
        self.socket.send(Message::Text(envelope.to_string().into())).await.unwrap();
        loop {
            let envelope = self.next().await;
            if envelope["action"] == "response" && envelope["payload"]["requestId"] == approval {
                let payload = &envelope["payload"];
                assert!(payload["ok"] == true || payload["error"]["code"] == "NOT_FOUND", "{payload}");
                return payload["ok"] == true;
            }
            self.heard.push(envelope);
        }
    }
}
