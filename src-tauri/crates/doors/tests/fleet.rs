//! Two Macs and a real nats-server: a question of one is answered on the other.
//!
//! The broker reads nothing and starts nothing, no matter what its administrator does.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot go on fails here, and the line says why"
)]
#![expect(clippy::disallowed_methods, reason = "a test starts the broker")]

use futures_util::StreamExt as _;
use postern_client::{Channel, read_key};
use postern_doors::Doors;
use postern_doors::fleet::{
    self, Approver, Choice, Elsewhere, Folder, Invitation, Joining, May, News, Owner, Risk, Told, Wanted,
};
use postern_fleet::SignKey;
use postern_host::User;
use postern_host::session::{Presence, Session};
use postern_host::{FaceKind, Host, HostConfig};
use postern_protocol::{RunParams, RunResult, Wait, What};
use serde_json::json;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, mpsc};
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::timeout;
use uuid::Uuid;

/// A guard against hanging, never an expectation.
const PATIENCE: Duration = Duration::from_mins(1);

/// A nats-server, with what it says.
struct Broker {
    child: Child,
    said: mpsc::Receiver<String>,
    folder: PathBuf,
}

impl Broker {
    fn start(folder: &Path) -> Self {
        let mut child = Command::new("nats-server")
            .arg("-c")
            .arg(folder.join("broker.conf"))
            .stderr(Stdio::piped())
            .spawn()
            .expect("nats-server is on the search path: scripts/test brings it");
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let (tell, said) = mpsc::channel();
        std::thread::spawn(move || {
            // What it refuses helps to understand a test that fails.
            let shown = |line: &String| {
                if line.contains("Violation") {
                    println!("{line}");
                }
            };
            lines.map_while(Result::ok).inspect(shown).all(|line| tell.send(line).is_ok())
        });
        let broker = Self { child, said, folder: folder.to_owned() };
        broker.until("Server is ready");
        broker
    }

    fn until(&self, words: &str) {
        let mut all = Vec::new();
        loop {
            let line =
                self.said.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no {words:?} in {all:#?}"));
            if line.contains(words) {
                return;
            }
            all.push(line);
        }
    }

    /// Reads its configuration again, as `postern fleet` makes it do.
    fn reload(&self) {
        let id = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(id, rustix::process::Signal::HUP).unwrap();
        self.until("Reloaded server configuration");
    }

    /// Reads all bytes that the broker stores.
    fn stored(&self) -> Vec<u8> {
        let mut all = Vec::new();
        let mut open = vec![self.folder.join("jetstream")];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() { open.push(path) } else { all.extend(fs::read(path).unwrap()) }
            }
        }
        all
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        // It may have ended by itself.
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

#[derive(Debug)]
struct Present;

impl Session for Present {
    fn presence(&self) -> Presence {
        Presence::Present
    }
}

/// A Mac with its host.
struct Mac {
    home: TempDir,
    data: PathBuf,
    host: Host,
}

impl Mac {
    async fn start() -> Self {
        let folder = tempfile::Builder::new().prefix("pst").tempdir_in("/tmp").unwrap();
        fs::create_dir(folder.path().join("home")).unwrap();
        let home = folder.path().join("home").to_str().unwrap().to_owned();
        let user = User { home, ..User::current(Vec::new()).unwrap() };
        let data = folder.path().join("data");
        let host =
            Host::start(HostConfig { data: data.clone(), user, session: Arc::new(Present) }).await.unwrap();
        Doors::open(&host).await;
        Self { home: folder, data, host }
    }

    /// Returns a path that no rule protects.
    fn file(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn folder(&self) -> Folder {
        Folder::of(&self.data)
    }

    async fn call(&self, method: &str, params: serde_json::Value) -> serde_json::Value {
        let face = self.host.named_face(FaceKind::Remote, "test");
        self.host.call(&face.id(), method, params).await.unwrap()
    }

    async fn enrol(&self) -> Channel {
        self.call("agents.add", json!({"agent": "main"})).await;
        let folder = self.data.join("agents/main");
        spawn_blocking(move || {
            let key = read_key(&folder.join("agent.key")).unwrap();
            Channel::connect(&folder.join("agent.sock"), &key).unwrap()
        })
        .await
        .unwrap()
    }

    /// Waits until an approver from the fleet is present.
    async fn attended(&self) {
        until(|| self.host.faces().iter().any(|face| face == "remote")).await;
    }
}

/// Waits for something that has no event of its own.
async fn until(mut there: impl FnMut() -> bool) {
    let seen = async {
        while !there() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, seen).await.expect("it happens");
}

/// A fleet of a laptop, whose person owns it, and a mini that only asks.
struct Stage {
    broker: Broker,
    laptop: Mac,
    mini: Mac,
    owner: Owner,
    channel: Option<Channel>,
}

fn invitation(name: &str, person: &str) -> Invitation {
    let groups = vec!["all".parse().unwrap()];
    let approver = May { groups: groups.clone(), risk: Risk::Dangerous, once_only: false };
    Invitation { name: name.to_owned(), person: person.to_owned(), groups, approver }
}

/// Joins one Mac, and checks that both sides see the same digits.
async fn joined(
    owner: &mut Owner,
    broker: &Broker,
    mac: &Mac,
    hosts: &'static [bool],
    invitation: Invitation,
) {
    let code = owner.invite().unwrap();
    broker.reload();
    let waiting = owner.wait(code.clone()).await.unwrap();
    let folder = mac.folder();
    let (tell, digits) = tokio::sync::oneshot::channel();
    let joining = tokio::spawn(async move {
        let joining = Joining::meet(code, "", hosts).await.unwrap();
        tell.send(joining.joined.digits.clone()).unwrap();
        joining.welcomed(&folder).await.unwrap()
    });
    let met = timeout(PATIENCE, waiting.met()).await.unwrap().unwrap();
    assert_eq!(digits.await.unwrap(), met.joined.digits);
    owner.welcome(met, &invitation).await.unwrap();
    timeout(PATIENCE, joining).await.unwrap().unwrap();
    broker.reload();
}

impl Stage {
    async fn set() -> Self {
        let (laptop, mini) = (Mac::start().await, Mac::start().await);
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let wanted = Wanted {
            listen: ([127, 0, 0, 1], port).into(),
            name: "MacBook".to_owned(),
            person: "Mara".to_owned(),
            group: "all".parse().unwrap(),
            before_2_10: true,
        };
        fleet::start(&laptop.folder(), &wanted).unwrap().keep(&laptop.folder()).unwrap();
        let broker = Broker::start(laptop.folder().path());
        let mut owner = Owner::connect(&laptop.folder()).await.unwrap();
        joined(&mut owner, &broker, &mini, &[true], invitation("mini", "")).await;
        mini.call("doors.enable", json!({"door": "fleet"})).await;
        let channel = Some(mini.enrol().await);
        Self { broker, laptop, mini, owner, channel }
    }

    /// Watches on the laptop, with the person present.
    async fn watch(&self) -> UnboundedReceiver<News> {
        let (tell, news) = tokio::sync::mpsc::unbounded_channel();
        let mut approver = Approver::connect(&self.laptop.folder()).await.unwrap();
        tokio::spawn(async move { approver.watch(|one| tell.send(one).is_ok()).await });
        timeout(PATIENCE, self.mini.attended()).await.unwrap();
        news
    }

    /// Asks from the agent on the mini to write a file.
    fn ask(&mut self, file: &Path) -> JoinHandle<(RunResult, Channel)> {
        let mut channel = self.channel.take().unwrap();
        let run = RunParams {
            cwd: Some("/".to_owned()),
            wait: Wait::Finished,
            ..RunParams::new(Uuid::new_v4(), What::Shell(format!("echo ran >> {}", file.display())))
        };
        spawn_blocking(move || (channel.run(run).unwrap(), channel))
    }
}

async fn waits(news: &mut UnboundedReceiver<News>) -> Elsewhere {
    loop {
        if let News::Waits(one) = timeout(PATIENCE, news.recv()).await.unwrap().unwrap() {
            return *one;
        }
    }
}

async fn closed(news: &mut UnboundedReceiver<News>) -> String {
    loop {
        if let News::Closed { words, .. } = timeout(PATIENCE, news.recv()).await.unwrap().unwrap() {
            return words;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_of_one_mac_is_answered_on_another() {
    let mut stage = Stage::set().await;
    let mut news = stage.watch().await;
    let file = stage.mini.file("peculiarly-named-file");
    let run = stage.ask(&file);
    let asked = waits(&mut news).await;
    assert_eq!(asked.name, "mini", "the host's name is the roster's");
    assert!(asked.question.line.contains("peculiarly-named-file"));
    assert!(!file.exists());
    let approver = Approver::connect(&stage.laptop.folder()).await.unwrap();
    let told = approver.answer(&asked, Choice::Once, None, None).await.unwrap();
    assert_eq!(told, Told::Applied(0));
    let (ended, channel) = timeout(PATIENCE, run).await.unwrap().unwrap();
    assert!(matches!(ended, RunResult::Ended(_)), "{ended:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "ran\n");
    assert_eq!(closed(&mut news).await, "allowed by Mara on MacBook");
    // The same answer on another Mac comes too late, and learns whose it was.
    let late = approver.answer(&asked, Choice::Deny, None, None).await.unwrap();
    assert_eq!(late, Told::Closed(Some("Mara".to_owned()), Some("MacBook".to_owned())));
    let stored = stage.broker.stored();
    assert!(stored.windows(7).any(|words| words == b"payload"), "it stores envelopes");
    for word in ["peculiarly", "echo ran", "MacBook"] {
        assert!(
            !stored.windows(word.len()).any(|words| words == word.as_bytes()),
            "the broker stores {word:?}"
        );
    }
    // A denial, with words for the agent.
    stage.channel = Some(channel);
    let run = stage.ask(&file);
    let asked = waits(&mut news).await;
    let words = Some("not on this Mac".to_owned());
    assert_eq!(approver.answer(&asked, Choice::Deny, None, words).await.unwrap(), Told::Applied(0));
    let (ended, _) = timeout(PATIENCE, run).await.unwrap().unwrap();
    assert!(format!("{ended:?}").contains("not on this Mac"), "{ended:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "ran\n", "it ran once");
    stage.mini.host.shutdown().await;
    stage.laptop.host.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_is_gone_is_offline_and_one_that_comes_back_asks_again() {
    let mut stage = Stage::set().await;
    let mut news = stage.watch().await;
    let file = stage.mini.file("file");
    let run = stage.ask(&file);
    let asked = waits(&mut news).await;
    let approver = Approver::connect(&stage.laptop.folder()).await.unwrap();
    stage.mini.call("doors.disable", json!({"door": "fleet"})).await;
    assert_eq!(approver.answer(&asked, Choice::Once, None, None).await.unwrap(), Told::Offline);
    stage.mini.call("doors.enable", json!({"door": "fleet"})).await;
    let again = until_waiting(&approver, &asked).await;
    let answered = async {
        loop {
            match approver.answer(&again, Choice::Once, None, None).await.unwrap() {
                Told::Offline => tokio::time::sleep(Duration::from_millis(50)).await,
                told => return told,
            }
        }
    };
    assert_eq!(timeout(PATIENCE, answered).await.unwrap(), Told::Applied(0));
    timeout(PATIENCE, run).await.unwrap().unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "ran\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_approver_is_cut_off_and_its_answer_does_not_count() {
    let mut stage = Stage::set().await;
    let phone = Mac::start().await;
    joined(&mut stage.owner, &stage.broker, &phone, &[false], invitation("MacBook Air", "Noor")).await;
    let noor = Approver::connect(&phone.folder()).await.unwrap();
    let mut news = stage.watch().await;
    let file = stage.mini.file("file");
    let run = stage.ask(&file);
    let asked = waits(&mut news).await;
    until_waiting(&noor, &asked).await;
    assert_eq!(stage.owner.revoke("MacBook Air").await.unwrap(), 1);
    stage.broker.reload();
    let told = noor.answer(&asked, Choice::Once, None, None).await.unwrap();
    assert_eq!(told, Told::NotConfirmed);
    assert!(Approver::connect(&phone.folder()).await.is_err(), "the broker lets its key in no more");
    assert!(!file.exists());
    // The owner's own answer counts still.
    let owner = Approver::connect(&stage.laptop.folder()).await.unwrap();
    let again = until_waiting(&owner, &asked).await;
    assert_eq!(owner.answer(&again, Choice::Once, None, None).await.unwrap(), Told::Applied(0));
    timeout(PATIENCE, run).await.unwrap().unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "ran\n");
}

async fn until_waiting(approver: &Approver, asked: &Elsewhere) -> Elsewhere {
    let found = async {
        loop {
            let waiting = approver.waiting().await.unwrap();
            if let Some(one) = waiting.into_iter().find(|one| one.question.id == asked.question.id) {
                return one;
            }
        }
    };
    timeout(PATIENCE, found).await.expect("it waits there as well")
}

/// Returns an answer again, changed in a byte, as another kind, and two that are no messages.
fn forged(answer: &[u8]) -> [Vec<u8>; 5] {
    let mut changed = answer.to_vec();
    let middle = changed.len() / 2;
    changed[middle] = if changed[middle] == b'A' { b'B' } else { b'A' };
    let kind = String::from_utf8(answer.to_vec()).unwrap();
    let kind = kind.replace("fleet.answer+json", "fleet.roster+json").into_bytes();
    [answer.to_vec(), changed, kind, Vec::new(), vec![b'['; 9000]]
}

/// The administrator of the broker lets itself in with every right, reads everything and repeats, moves and forges what it likes.
#[tokio::test(flavor = "multi_thread")]
async fn whatever_the_broker_s_administrator_does_nothing_runs() {
    let mut stage = Stage::set().await;
    let mut news = stage.watch().await;
    let folder = stage.laptop.folder();
    let admin = SignKey::from_seed([9; 32]).unwrap();
    let config = fs::read_to_string(folder.path().join("broker.conf")).unwrap();
    let user = format!(
        "  users: [\n    {{ nkey: {}, permissions: {{ publish: \">\", subscribe: \">\" }} }}\n",
        admin.verifier().nkey()
    );
    fs::write(folder.path().join("broker.conf"), config.replace("  users: [\n", &user)).unwrap();
    stage.broker.reload();
    let membership = folder.membership().unwrap();
    let evil = async_nats::ConnectOptions::with_nkey(admin.nkey_seed())
        .add_root_certificates(folder.path().join("broker.crt"))
        .require_tls(true)
        .connect(&membership.server)
        .await
        .unwrap();
    let mut seen = evil.subscribe(format!("pf.{}.>", membership.fleet)).await.unwrap();
    evil.flush().await.unwrap();
    let file = stage.mini.file("file");
    let run = stage.ask(&file);
    let asked = waits(&mut news).await;
    let approver = Approver::connect(&folder).await.unwrap();
    assert_eq!(approver.answer(&asked, Choice::Once, None, None).await.unwrap(), Told::Applied(0));
    let (_, channel) = timeout(PATIENCE, run).await.unwrap().unwrap();
    let answers = format!("pf.{}.ans.", membership.fleet);
    let stolen = loop {
        let message = timeout(PATIENCE, seen.next()).await.unwrap().unwrap();
        if message.subject.starts_with(&answers) {
            break message;
        }
    };
    // The next question of the same words: the stolen answer is repeated, changed, and said as another kind.
    stage.channel = Some(channel);
    let run = stage.ask(&file);
    let first = asked.question.id;
    let asked = loop {
        // News of the first one may be on their way.
        let one = waits(&mut news).await;
        if one.question.id != first {
            break one;
        }
    };
    for bytes in forged(&stolen.payload) {
        // The answer to some of these is silence.
        _ = timeout(Duration::from_secs(2), evil.request(stolen.subject.clone(), bytes.into())).await;
    }
    // Rosters and word of what is current that nobody signed, and a rollback of both.
    for key in ["roster", "fresh"] {
        evil.publish(format!("$KV.pf-{}.{key}", membership.fleet), stolen.payload.clone()).await.unwrap();
    }
    evil.flush().await.unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "ran\n", "only what a person answered ran");
    assert_eq!(
        approver.answer(&asked, Choice::Deny, None, None).await.unwrap(),
        Told::Applied(0),
        "the host is well"
    );
    timeout(PATIENCE, run).await.unwrap().unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "ran\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stranger_in_the_broker_s_place_is_not_spoken_to() {
    let stage = Stage::set().await;
    let membership = stage.laptop.folder().membership().unwrap();
    let mut other = membership.clone();
    other.certificate = postern_fleet::Hash::of(b"another certificate");
    stage.laptop.folder().keep_membership(&other).unwrap();
    let error = Approver::connect(&stage.laptop.folder()).await.unwrap_err().to_string();
    assert!(error.contains("cannot be reached"), "{error}");
}
