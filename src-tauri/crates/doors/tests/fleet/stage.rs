//! Two Macs with a fleet, and its broker.

use postern_client::{Channel, read_key};
use postern_doors::DoorRegistry;
use postern_doors::fleet::{
    self, ApproverLimits, BrokerChoice, Elsewhere, FleetApprover, FleetOwner, FleetRisk, Folder, HostConsent,
    Invitation, Joining, Membership, NewFleetChoices, News, PolicyScope,
};
use postern_fleet::SignKey;
use postern_host::HostUser;
use postern_host::session::{ScreenPresence, ScreenSession};
use postern_host::{ApproverGuard, ConnectedApproverKind, Host, HostConfig};
use postern_protocol::{RunParams, RunResult, Wait, What};
use postern_tests::free_port;
use serde_json::json;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, mpsc};
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::broadcast::Receiver;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::timeout;
use uuid::Uuid;

/// A guard against hanging, never an expectation.
pub(super) const PATIENCE: Duration = Duration::from_mins(1);

/// A nats-server, with what it says.
pub(super) struct Broker {
    child: Child,
    said: mpsc::Receiver<String>,
    folder: PathBuf,
}

impl Broker {
    pub(super) fn start(folder: &Path) -> Self {
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

    pub(super) fn until(&self, words: &str) {
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
    pub(super) fn reload(&self) {
        let id = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(id, rustix::process::Signal::HUP).unwrap();
        self.until("Reloaded server configuration");
    }

    pub(super) fn stored(&self) -> Vec<u8> {
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

impl Broker {
    /// Ends it, and starts it again with an empty store.
    pub(super) fn forget_all(&mut self) {
        self.kill();
        fs::remove_dir_all(self.folder.join("jetstream")).unwrap();
        let folder = self.folder.clone();
        *self = Self::start(&folder);
    }

    /// Kills it, and starts it again with what it stored.
    pub(super) fn restart(&mut self) {
        self.kill();
        let folder = self.folder.clone();
        *self = Self::start(&folder);
    }

    pub(super) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Stops it as it is: connections stay, and nothing answers.
    pub(super) fn freeze(&self) {
        let id = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(id, rustix::process::Signal::STOP).unwrap();
    }

    /// Ends it at once, as kill -9 does.
    pub(super) fn kill(&mut self) {
        // It may have ended by itself.
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        self.kill();
    }
}

#[derive(Debug)]
pub(super) struct Present;

impl ScreenSession for Present {
    fn presence(&self) -> ScreenPresence {
        ScreenPresence::Present
    }
}

pub(super) struct Mac {
    pub(super) home: TempDir,
    pub(super) data: PathBuf,
    pub(super) host: Host,
}

impl Mac {
    pub(super) async fn start() -> Self {
        let mac = Self::start_without_doors().await;
        DoorRegistry::restore(&mac.host).await;
        mac
    }

    pub(super) async fn start_without_doors() -> Self {
        let folder = tempfile::Builder::new().prefix("pst").tempdir_in("/tmp").unwrap();
        fs::create_dir(folder.path().join("home")).unwrap();
        let home = folder.path().join("home").to_str().unwrap().to_owned();
        let user = HostUser { home, ..HostUser::current(Vec::new()).unwrap() };
        let data = folder.path().join("data");
        let host =
            Host::start(HostConfig { data: data.clone(), user, session: Arc::new(Present) }).await.unwrap();
        Self { home: folder, data, host }
    }

    /// Returns a path that no rule protects.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    pub(super) fn folder(&self) -> Folder {
        Folder::from_data_folder(&self.data)
    }

    pub(super) async fn call(&self, method: &str, params: serde_json::Value) -> serde_json::Value {
        let face = self.host.named_face(ConnectedApproverKind::Remote, "test");
        self.host.call_by_name(&face.id(), method, params).await.unwrap()
    }

    pub(super) async fn enrol(&self) -> Channel {
        self.call("agents.add", json!({"agent": "main"})).await;
        let folder = self.data.join("agents/main");
        spawn_blocking(move || {
            let key = read_key(&folder.join("agent.key")).unwrap();
            Channel::connect(&folder.join("agent.sock"), &key).unwrap()
        })
        .await
        .unwrap()
    }

    /// Waits until a question waits here.
    pub(super) async fn asked(&self) {
        let face = self.host.add_approver(ConnectedApproverKind::Terminal);
        let mut told = self.host.subscribe();
        let asked = async {
            loop {
                let listed = self.host.call_by_name(&face.id(), "questions.list", json!({})).await.unwrap();
                if listed["questions"] != json!([]) {
                    return;
                }
                told.recv().await.unwrap();
            }
        };
        timeout(PATIENCE, asked).await.unwrap();
    }

    /// Denies everything that waits here.
    pub(super) async fn deny_all(&self) {
        self.answer_all("deny").await;
    }

    /// Gives this answer to everything that waits here.
    pub(super) async fn answer_all(&self, answer: &str) {
        let face = self.host.add_approver(ConnectedApproverKind::Terminal);
        let listed = self.host.call_by_name(&face.id(), "questions.list", json!({})).await.unwrap();
        for question in listed["questions"].as_array().unwrap() {
            let params =
                json!({"questionId": question["id"], "digest": question["digest"], "answer": answer});
            self.host.call_by_name(&face.id(), "questions.answer", params).await.unwrap();
        }
    }

    /// Waits until an approver from the fleet is present.
    pub(super) async fn attended(&self) {
        let mut told = self.host.subscribe();
        let present = async {
            while !self.host.approver_names().iter().any(|face| face == "remote") {
                // Who comes and goes is told.
                drop(told.recv().await);
            }
        };
        timeout(PATIENCE, present).await.expect("an approver is present");
    }
}

/// A fleet of a laptop, whose person owns it, and a mini that only asks.
pub(super) struct Stage {
    pub(super) broker: Broker,
    pub(super) laptop: Mac,
    pub(super) mini: Mac,
    pub(super) owner: FleetOwner,
    pub(super) channel: Option<Channel>,
}

/// A question of the mini that the laptop watches.
pub(super) struct AskedFromAfar {
    pub(super) news: UnboundedReceiver<News>,
    /// File that the agent asks to write.
    pub(super) file: PathBuf,
    pub(super) run: JoinHandle<(RunResult, Channel)>,
    pub(super) asked: Elsewhere,
}

pub(super) fn invitation(name: &str, person: &str) -> Invitation {
    let groups = vec!["all".parse().unwrap()];
    let approver = ApproverLimits { groups: groups.clone(), risk: FleetRisk::Dangerous, once_only: false };
    let (name, person, approver) = (name.to_owned(), person.to_owned(), Some(approver));
    Invitation { name, person, groups, approver, publisher: false, auditor: false }
}

/// Joins one Mac, and checks that both sides see the same digits.
pub(super) async fn joined(
    owner: &mut FleetOwner,
    broker: &Broker,
    folder: &Folder,
    hosts: &'static [bool],
    invitation: Invitation,
) {
    joined_with(owner, Some(broker), folder, hosts, (invitation, None)).await;
}

/// Joins one Mac with credentials, if the broker is not ours to configure.
pub(super) async fn joined_with(
    owner: &mut FleetOwner,
    broker: Option<&Broker>,
    folder: &Folder,
    hosts: &'static [bool],
    (invitation, credentials): (Invitation, Option<String>),
) {
    let code = owner.invite().unwrap();
    let reload = || broker.into_iter().for_each(Broker::reload);
    reload();
    let waiting = owner.await_device(code.clone()).await.unwrap();
    let folder = folder.clone();
    let (tell, digits) = tokio::sync::oneshot::channel();
    let joining = tokio::spawn(async move {
        let joining = Joining::meet_owner(code, credentials, hosts).await.unwrap();
        tell.send(joining.joined.digits.clone()).unwrap();
        joining.welcomed(&folder, HostConsent::default()).await.unwrap()
    });
    let met = timeout(PATIENCE, waiting.meet_device()).await.unwrap().unwrap();
    assert_eq!(digits.await.unwrap(), met.joined.digits);
    owner.welcome(met, &invitation).await.unwrap();
    timeout(PATIENCE, joining).await.unwrap().unwrap();
    reload();
}

/// Chooses a broker of Debian's version on this computer.
pub(super) fn own_broker(port: u16) -> BrokerChoice {
    let listen = ([127, 0, 0, 1], port).into();
    BrokerChoice::Own { listen, before_2_10: true, in_container: false }
}

/// Returns the choices by which Mara starts a fleet at this broker.
pub(super) fn choices(broker: BrokerChoice) -> NewFleetChoices {
    NewFleetChoices {
        broker,
        name: "MacBook".to_owned(),
        person: "Mara".to_owned(),
        group: "all".parse().unwrap(),
        consent: HostConsent::default(),
    }
}

/// Makes a fleet of one Mac in this group, which Mara owns. Its broker is to be started.
pub(super) fn found_fleet(folder: &Folder, group: &str) {
    let port = free_port();
    let wanted = NewFleetChoices { group: group.parse().unwrap(), ..choices(own_broker(port)) };
    fleet::prepare_fleet(folder, &wanted).unwrap().save_files(folder).unwrap();
}

impl Stage {
    pub(super) async fn set() -> Self {
        let (laptop, mini) = (Mac::start().await, Mac::start().await);
        found_fleet(&laptop.folder(), "all");
        let broker = Broker::start(&laptop.folder().broker());
        let mut owner = FleetOwner::connect(&laptop.folder()).await.unwrap();
        joined(&mut owner, &broker, &mini.folder(), &[true], invitation("mini", "")).await;
        mini.call("doors.enable", json!({"door": "fleet"})).await;
        let channel = Some(mini.enrol().await);
        Self { broker, laptop, mini, owner, channel }
    }

    /// Lets the fleet's policy decide on the mini as well, as its person may have chosen at joining.
    pub(super) async fn let_policy_allow(&self) {
        self.rejoin(|membership| membership.policy = PolicyScope::Allow).await;
    }

    /// Takes that back.
    pub(super) async fn let_policy_deny(&self) {
        self.rejoin(|membership| membership.policy = PolicyScope::Deny).await;
    }

    /// Connects the mini again, with other facts about its membership.
    pub(super) async fn rejoin(&self, change: impl FnOnce(&mut Membership)) {
        self.mini.call("doors.disable", json!({"door": "fleet"})).await;
        let mut membership = self.mini.folder().membership().unwrap();
        change(&mut membership);
        self.mini.folder().keep_membership(&membership).unwrap();
        self.mini.call("doors.enable", json!({"door": "fleet"})).await;
    }

    /// Watches on the laptop, with the person present.
    pub(super) async fn watch(&self) -> UnboundedReceiver<News> {
        let (tell, news) = tokio::sync::mpsc::unbounded_channel();
        let approver = FleetApprover::connect(&self.laptop.folder()).await.unwrap();
        tokio::spawn(async move { approver.watch_questions(|one| tell.send(one).is_ok()).await });
        timeout(PATIENCE, self.mini.attended()).await.unwrap();
        news
    }

    /// Watches on the laptop, and asks from the agent on the mini to write a file of this name.
    pub(super) async fn watch_and_ask(&mut self, name: &str) -> AskedFromAfar {
        let mut news = self.watch().await;
        let file = self.mini.file(name);
        let run = self.ask(&file);
        let asked = waits(&mut news).await;
        AskedFromAfar { news, file, run, asked }
    }

    /// Asks once somebody is at the laptop and the mini knows it. Returns an approver of the laptop, and its notifications.
    pub(super) async fn ask_once_attended(
        &mut self,
        file: &Path,
        kind: ConnectedApproverKind,
    ) -> (JoinHandle<(RunResult, Channel)>, (ApproverGuard, Receiver<postern_contract::ApproverNotification>))
    {
        let told = self.laptop.host.subscribe();
        let face = self.laptop.host.add_approver(kind);
        timeout(PATIENCE, self.mini.attended()).await.unwrap();
        (self.ask(file), (face, told))
    }

    /// Waits for the end of what the agent on the mini asked for; then it can ask again.
    pub(super) async fn end(&mut self, run: JoinHandle<(RunResult, Channel)>) -> RunResult {
        let (ended, channel) = timeout(PATIENCE, run).await.unwrap().unwrap();
        self.channel = Some(channel);
        ended
    }

    /// Asks from the agent on the mini to write a file.
    pub(super) fn ask(&mut self, file: &Path) -> JoinHandle<(RunResult, Channel)> {
        let mut channel = self.channel.take().unwrap();
        let run = RunParams {
            cwd: Some("/".to_owned()),
            wait: Wait::Finished,
            ..RunParams::new(Uuid::new_v4(), What::Shell(format!("echo ran >> {}", file.display())))
        };
        spawn_blocking(move || (channel.run(run).unwrap(), channel))
    }
}

/// Waits for the end of a run, which wrote its file once.
pub(super) async fn ran_once(run: JoinHandle<(RunResult, Channel)>, file: &Path) {
    timeout(PATIENCE, run).await.unwrap().unwrap();
    assert_eq!(fs::read_to_string(file).unwrap(), "ran\n");
}

/// Waits for the end of a request, which wrote no file.
pub(super) async fn never_ran(run: JoinHandle<(RunResult, Channel)>, file: &Path) {
    timeout(PATIENCE, run).await.unwrap().unwrap();
    assert!(!file.exists());
}

pub(super) async fn waits(news: &mut UnboundedReceiver<News>) -> Elsewhere {
    loop {
        if let News::Waits(one) = timeout(PATIENCE, news.recv()).await.unwrap().unwrap() {
            return *one;
        }
    }
}

pub(super) async fn closed(news: &mut UnboundedReceiver<News>) -> String {
    loop {
        if let News::Closed { outcome, by, .. } = timeout(PATIENCE, news.recv()).await.unwrap().unwrap() {
            return format!("{outcome} by {}", by.unwrap_or_default());
        }
    }
}

pub(super) async fn until_waiting(approver: &FleetApprover, asked: &Elsewhere) -> Elsewhere {
    let found = async {
        loop {
            // A busy broker may be late once.
            let Ok(waiting) = approver.waiting().await else { continue };
            if let Some(one) = waiting.into_iter().find(|one| one.question.id == asked.question.id) {
                return one;
            }
        }
    };
    timeout(PATIENCE, found).await.expect("it waits there as well")
}

/// Waits for something that has no event of its own.
pub(super) async fn until_async(mut there: impl AsyncFnMut() -> bool) {
    let seen = async {
        while !there().await {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, seen).await.expect("it happens");
}

/// Lets the administrator of the broker in, with every right.
pub(super) async fn admin(stage: &Stage) -> async_nats::Client {
    let folder = stage.laptop.folder();
    let admin = SignKey::from_seed([9; 32]).unwrap();
    let config = fs::read_to_string(folder.broker().join("broker.conf")).unwrap();
    let user = format!(
        "  users: [\n    {{ nkey: {}, permissions: {{ publish: \">\", subscribe: \">\" }} }}\n",
        admin.verifier().public_nkey()
    );
    fs::write(folder.broker().join("broker.conf"), config.replace("  users: [\n", &user)).unwrap();
    stage.broker.reload();
    let membership = folder.membership().unwrap();
    let connected = async {
        loop {
            let options = async_nats::ConnectOptions::with_nkey(admin.nkey_seed())
                .add_root_certificates(folder.broker().join("broker.crt"))
                .require_tls(true);
            // What the broker said of an earlier reading may have been taken for this one.
            if let Ok(client) = options.connect(&membership.server).await {
                return client;
            }
        }
    };
    timeout(PATIENCE, connected).await.expect("the broker lets its administrator in")
}
