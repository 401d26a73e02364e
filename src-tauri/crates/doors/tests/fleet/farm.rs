//! A farm: a thousand hosts and three approvers at one broker. Some hosts are whole, with gate and store; the others listen
//! as a host does, and judge by the pure crate.
//!
//! By hand, on a machine that does nothing else:
//! `cargo test --workspace --release --test fleet a_farm -- --ignored --nocapture`

use crate::stage::{Broker, Mac, PATIENCE, found_fleet, until_async};
use futures_util::StreamExt as _;
use futures_util::future::join_all;
use parking_lot::Mutex;
use postern_client::Channel;
use postern_doors::fleet::{
    self, ApproverLimits, Asked, Elsewhere, FleetApprover, FleetChoice, FleetId, FleetOwner, FleetRisk,
    Folder, Keys, Member, MemberRole, Membership, News, OwnMember, Publisher,
};
use postern_fleet::{
    AdmittedMessage, FleetMessageHeader, FleetPresence, FleetState, Hash, Now, PinnedRoster, Seed, SignKey,
    Subjects, admit_message, open_document,
};
use postern_protocol::{RunParams, Wait, What};
use serde_json::json;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;
use tokio::time::{interval, timeout};
use uuid::Uuid;

/// Hosts in all: a thousand, or as many as `FARM` says.
#[expect(clippy::disallowed_methods, reason = "who runs it by hand may want fewer")]
static HOSTS: LazyLock<usize> =
    LazyLock::new(|| std::env::var("FARM").ok().and_then(|number| number.parse().ok()).unwrap_or(1000));
/// Hosts that are whole.
const WHOLE: usize = 24;
/// Time between two words of a host that it is there, as the door has it.
const PRESENT: Duration = Duration::from_secs(30);
/// Questions, and how many of them in a second.
const QUESTIONS: usize = 300;
const A_SECOND: u32 = 10;

/// Draws keys from numbers: nothing here is secret.
fn keys(number: usize) -> Keys {
    let mut seed = Seed::new(*Hash::of_bytes(&number.to_be_bytes()).as_bytes());
    Keys::new(seed.draw_bytes()).unwrap()
}

fn member(number: usize, name: &str, host: bool) -> Member {
    let introduced = keys(number).introduce(name, host);
    let groups: Vec<FleetId> = vec!["minis".parse().unwrap()];
    let limits = ApproverLimits { groups: groups.clone(), risk: FleetRisk::Dangerous, once_only: false };
    let mut id = [0; 16];
    id[..8].copy_from_slice(&number.to_be_bytes());
    Member {
        id: FleetId::random(id),
        name: name.to_owned(),
        person: if host { String::new() } else { name.to_owned() },
        roles: vec![if host { MemberRole::Host } else { MemberRole::Approver }],
        groups: if host { groups } else { Vec::new() },
        approver: (!host).then_some(limits),
        sign: introduced.sign,
        seal: introduced.seal,
        nkey: introduced.nkey,
    }
}

/// The farm's broker and the Mac of its owner, with everybody in the roster already.
struct Farm {
    broker: Broker,
    laptop: Mac,
    owner: FleetOwner,
    hosts: Vec<Member>,
    approvers: Vec<Member>,
}

impl Farm {
    async fn set() -> Self {
        let laptop = Mac::start().await;
        let folder = laptop.folder();
        found_fleet(&folder, "minis");
        let hosts: Vec<Member> = (0..*HOSTS).map(|n| member(n, &format!("mini-{n:04}"), true)).collect();
        let approvers: Vec<Member> =
            (0..3).map(|n| member(*HOSTS + n, &format!("Approver {n}"), false)).collect();
        let gone = member(*HOSTS + 3, "Nobody", false);
        enlarge(&folder, hosts.iter().chain(&approvers).cloned().chain([gone]).collect());
        let broker = Broker::start(&folder.broker());
        let owner = FleetOwner::connect(&folder).await.unwrap();
        Self { broker, laptop, owner, hosts, approvers }
    }

    fn membership(&self, own: &Member) -> Membership {
        let host = own.has_role(MemberRole::Host);
        let members = vec![OwnMember { id: own.id.clone(), host }];
        Membership { members, broker: None, ..self.laptop.folder().membership().unwrap() }
    }

    /// Makes a folder that of a member, as if it had joined.
    fn join(&self, folder: &Folder, own: &Member, number: usize) {
        folder.create().unwrap();
        folder.keep_keys(&own.id, &keys(number)).unwrap();
        let ours = self.laptop.folder();
        folder.pin_roster(&ours.pinned().unwrap(), &ours.signed().unwrap()).unwrap();
        folder.keep_membership(&self.membership(own)).unwrap();
    }
}

/// Signs a roster with further members before anybody connects, and lets them in.
fn enlarge(folder: &Folder, members: Vec<Member>) {
    let (membership, pinned) = (folder.membership().unwrap(), folder.pinned().unwrap());
    let owner = membership.own_member_id(false).unwrap().clone();
    let mut roster = pinned.roster.clone();
    (roster.version, roster.previous) = (2, Some(pinned.hash));
    roster.members.extend(members);
    let header =
        FleetMessageHeader { fleet: membership.fleet.clone(), from: owner.clone(), id: owner.clone() };
    let envelope = header.sign_body(roster, &[&folder.read_keys(&owner).unwrap().sign]);
    let next = pinned.verify_next(&envelope, &membership.fleet).unwrap();
    folder.pin_roster(&next, &envelope).unwrap();
    let broker = membership.broker.as_ref().unwrap();
    let place = folder.broker();
    let configured = postern_fleet::Broker {
        fleet: &membership.fleet,
        roster: &next.roster,
        invited: &[],
        listen: &broker.listen,
        folder: &place.to_string_lossy(),
        before_2_10: broker.before_2_10,
        in_container: false,
    };
    folder.write_text("broker/broker.conf", configured.configuration().as_bytes()).unwrap();
}

/// Numbers of hosts that got somewhere.
#[derive(Debug, Default)]
struct Counts {
    connected: AtomicUsize,
    rosters: AtomicUsize,
    in_force: AtomicUsize,
}

/// Listens as a host does, again after each lost connection, and judges what comes.
async fn simulated(
    membership: Membership,
    own: Member,
    number: usize,
    pinned: PinnedRoster,
    counts: Arc<Counts>,
) {
    let Keys { sign, open, nkey } = keys(number);
    let names = Subjects::for_fleet(&membership.fleet);
    let mut state = FleetState::new(membership.fleet.clone(), own.id.clone(), open, pinned.clone());
    let (began, key) = (Instant::now(), nkey.nkey_seed());
    loop {
        let options = async_nats::ConnectOptions::with_nkey(key.clone())
            .require_tls(true)
            .custom_inbox_prefix(Subjects::inbox_prefix(own.id.as_str()))
            .add_root_certificates(CERTIFICATE.lock().clone().into())
            .max_reconnects(1);
        let Ok(client) = options.connect(&membership.server).await else {
            tokio::time::sleep(Duration::from_millis(500)).await;
            continue;
        };
        let mut kept = client.subscribe(names.stored(">")).await.unwrap();
        let mut quiet = Vec::new();
        for subject in [names.answers(&own.id), names.presence("*"), names.jobs(own.id.as_str())] {
            quiet.push(client.subscribe(subject).await.unwrap());
        }
        if client.flush().await.is_ok() {
            counts.connected.fetch_add(1, Ordering::Relaxed);
            let mut present = interval(PRESENT);
            loop {
                tokio::select! {
                    message = kept.next() => {
                        let Some(message) = message else { break };
                        let key = message.subject.strip_prefix(&names.stored("")).unwrap_or_default().to_owned();
                        let now = Now { wall: postern_host::now_millis(), timer: began.elapsed() };
                        judge(&mut state, &key, &message.payload, now, &counts);
                    }
                    _ = present.tick() => {
                        let subject = names.host_presence(own.id.as_str());
                        let word = presence(&membership.fleet, &own, &sign, &pinned);
                        if client.publish(subject, word.into()).await.is_err() {
                            break;
                        }
                    }
                }
                if client.connection_state() != async_nats::connection::State::Connected {
                    break;
                }
            }
            counts.connected.fetch_sub(1, Ordering::Relaxed);
        }
        drop(quiet);
    }
}

/// Returns the word of a host to its approvers that it is there.
fn presence(fleet: &FleetId, own: &Member, sign: &SignKey, pinned: &PinnedRoster) -> Vec<u8> {
    let header = FleetMessageHeader { fleet: fleet.clone(), from: own.id.clone(), id: own.id.clone() };
    let to: Vec<_> = pinned.roster.approvers_of(&own.groups).map(|member| member.seal).collect();
    let at = postern_host::now_millis();
    let body = FleetPresence { at, roster: pinned.hash, policy: None, blocked: None };
    header.seal_body(&body, &to, sign, &mut Seed::new([0; 32])).unwrap().encode()
}

/// File with the broker's certificate.
static CERTIFICATE: Mutex<String> = Mutex::new(String::new());

fn judge(state: &mut FleetState, key: &str, value: &[u8], now: Now, counts: &Counts) {
    let bytes = open_document((&state.id, key), value, &state.key).unwrap_or_else(|_| value.to_vec());
    let Ok(admitted) = admit_message(state, &bytes, now) else { return };
    state.apply_admitted(&admitted, now);
    match admitted {
        AdmittedMessage::Roster(_) => _ = counts.rosters.fetch_add(1, Ordering::Relaxed),
        AdmittedMessage::Stage(_)
            if state.policy().values().any(|group| group.good == Some(group.bundle)) =>
        {
            counts.in_force.fetch_add(1, Ordering::Relaxed);
        }
        _ => {}
    }
}

/// Waits for a number of hosts, and returns how long that took.
async fn until_all(what: &str, began: Instant, number: impl Fn() -> usize) -> Duration {
    while number() < *HOSTS {
        assert!(began.elapsed() < PATIENCE * 5, "{what}: {} of {}", number(), *HOSTS);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let took = began.elapsed();
    println!("{what}: {took:?}");
    took
}

/// Allows a share of what waits as soon as it is shown, as an approver that is present.
async fn approve(folder: Folder, number: usize, answered: mpsc::UnboundedSender<(String, Instant)>) {
    let approver = FleetApprover::connect(&folder).await.unwrap();
    let (tell, mut waits) = mpsc::unbounded_channel::<Elsewhere>();
    let watching = approver.watch_questions(move |news| match news {
        News::Waits(one) => tell.send(*one).is_ok(),
        News::Closed { .. } => true,
    });
    let answering = async {
        while let Some(one) = waits.recv().await {
            let share = one.question.id.bytes().fold(0_usize, |sum, byte| sum + usize::from(byte)) % 3;
            if share != number {
                continue;
            }
            let said = approver.answer(&one, FleetChoice::Once, None, None).await.unwrap();
            if said == fleet::AnswerReply::Applied(0) {
                _ = answered.send((one.question.line, Instant::now()));
            }
        }
    };
    // The connection ends with the broker.
    tokio::select! { _ = watching => {}, () = answering => {} }
}

/// Asks so many questions in a second of the whole hosts in turn, and returns how long each was unanswered.
async fn ask(
    channels: Vec<Channel>,
    mut answered: mpsc::UnboundedReceiver<(String, Instant)>,
) -> Vec<Duration> {
    let mut channels: Vec<_> = channels.into_iter().map(|channel| Arc::new(Mutex::new(channel))).collect();
    let mut asked = HashMap::new();
    let mut ticks = interval(Duration::from_secs(1) / A_SECOND);
    for number in 0..QUESTIONS {
        ticks.tick().await;
        channels.rotate_left(1);
        let line = format!("echo question-{number}");
        asked.insert(line.clone(), Instant::now());
        let run = RunParams {
            cwd: Some("/".to_owned()),
            wait: Wait::Finished,
            ..RunParams::new(Uuid::new_v4(), What::Shell(line))
        };
        let channel = Arc::clone(&channels[0]);
        spawn_blocking(move || channel.lock().run(run).unwrap());
    }
    let mut took = Vec::new();
    while took.len() < QUESTIONS {
        let (line, at) =
            timeout(PATIENCE, answered.recv()).await.expect("every question is answered").unwrap();
        took.push(at - asked[&line]);
    }
    took.sort_unstable();
    took
}

impl Farm {
    /// Connects every host, and returns those that are whole.
    async fn connect(&self, counts: &Arc<Counts>) -> Vec<Mac> {
        let began = Instant::now();
        let pinned = self.laptop.folder().pinned().unwrap();
        for (number, own) in self.hosts.iter().enumerate().skip(WHOLE) {
            let membership = self.membership(own);
            tokio::spawn(simulated(membership, own.clone(), number, pinned.clone(), Arc::clone(counts)));
        }
        let whole = join_all((0..WHOLE).map(|_| Mac::start())).await;
        for (number, mac) in whole.iter().enumerate() {
            self.join(&mac.folder(), &self.hosts[number], number);
            mac.call("doors.enable", json!({"door": "fleet"})).await;
        }
        until_all("all connected", began, || counts.connected.load(Ordering::Relaxed) + WHOLE).await;
        whole
    }

    /// Measures how long questions are unanswered, and returns what nineteen of twenty take at most.
    async fn measure_answers(&self, whole: &[Mac]) -> Duration {
        let approvers: Vec<Mac> = join_all((0..3).map(|_| Mac::start())).await;
        let (tell, answered) = mpsc::unbounded_channel();
        for (number, mac) in approvers.iter().enumerate() {
            self.join(&mac.folder(), &self.approvers[number], *HOSTS + number);
            tokio::spawn(approve(mac.folder(), number, tell.clone()));
        }
        let mut channels = Vec::new();
        for mac in whole {
            mac.attended().await;
            channels.push(mac.enrol().await);
        }
        let took = ask(channels, answered).await;
        let (middle, p95) = (took[took.len() / 2], took[took.len() * 95 / 100]);
        println!("answered: p50 {middle:?}, p95 {p95:?}, most {:?}", took[took.len() - 1]);
        p95
    }

    /// Connects a publisher, as soon as the broker has sent the roster to everybody.
    async fn publisher(&self) -> Publisher {
        let began = Instant::now();
        loop {
            match Publisher::connect(&self.laptop.folder()).await {
                Ok(publisher) => return publisher,
                Err(error) => assert!(began.elapsed() < PATIENCE, "{error}"),
            }
        }
    }

    /// Measures how long a roster and a large policy take to every host, and returns that of the policy.
    async fn measure_policy(&mut self, whole: &[Mac], counts: &Counts) -> Duration {
        // The connection of before ended with the broker.
        self.owner = FleetOwner::connect(&self.laptop.folder()).await.unwrap();
        let began = Instant::now();
        self.owner.revoke("Nobody").await.unwrap();
        let newest = self.owner.roster().version;
        let follows = |mac: &&Mac| mac.folder().pinned().unwrap().roster.version == newest;
        let followed = || whole.iter().filter(follows).count();
        until_all("roster followed", began, || counts.rosters.load(Ordering::Relaxed) + followed()).await;
        let publisher = self.publisher().await;
        let name = |n: i32| [n, -n].map(|n| Hash::of_bytes(&n.to_be_bytes()).to_string()).concat();
        let rules = (0..2048).map(|n| json!({"effect": "deny", "text": &name(n)[..104]})).collect();
        let asked = Asked { rules, ..Asked::default() };
        let all = self.hosts.iter().map(|host| host.id.clone()).collect();
        let began = Instant::now();
        publisher.publish(&"minis".parse().unwrap(), asked, all).await.unwrap();
        println!("256 KiB policy published: {:?}", began.elapsed());
        for mac in whole {
            until_async(async || mac.call("status", json!({})).await["managed"].is_string()).await;
        }
        until_all("256 KiB policy in force", began, || counts.in_force.load(Ordering::Relaxed) + WHOLE).await
    }
}

/// Returns true if the door of a whole host is connected.
async fn is_back(mac: &Mac) -> bool {
    let doors = mac.call("doors.list", json!({})).await;
    let doors = doors["doors"].as_array().unwrap();
    doors.iter().any(|door| door["door"] == "fleet" && door["problem"].is_null())
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a minute, on a machine that does nothing else; by hand: see above"]
async fn a_farm_of_a_thousand_hosts_is_answered_governed_and_back() {
    println!("load: {}", std::fs::read_to_string("/proc/loadavg").unwrap_or_default().trim());
    let mut farm = Farm::set().await;
    let certificate = farm.laptop.folder().broker().join("broker.crt");
    *CERTIFICATE.lock() = certificate.to_string_lossy().into_owned();
    let counts = Arc::new(Counts::default());
    let whole = farm.connect(&counts).await;
    let answered = farm.measure_answers(&whole).await;
    let began = Instant::now();
    farm.broker.kill();
    until_async(async || counts.connected.load(Ordering::Relaxed) == 0).await;
    farm.broker.restart();
    until_all("back after kill -9", began, || counts.connected.load(Ordering::Relaxed) + WHOLE).await;
    for mac in &whole {
        until_async(async || is_back(mac).await).await;
    }
    let back = began.elapsed();
    println!("all whole hosts back: {back:?}");
    let in_force = farm.measure_policy(&whole, &counts).await;
    let goals = [
        ("answered", answered, Duration::from_millis(150)),
        ("back", back, Duration::from_secs(10)),
        ("in force", in_force, Duration::from_secs(5)),
    ];
    let missed: Vec<_> = goals.into_iter().filter(|(_, took, goal)| took > goal).collect();
    assert!(missed.is_empty(), "not within the goal: {missed:?}");
}
