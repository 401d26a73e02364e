//! Storage of the broker after many questions: nothing that anybody wrote. And a Mac without a fleet, which has no socket and
//! no task of one.

use crate::stage::{Mac, Stage, found_fleet, until_async, waits};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use postern_contract::{Answer, AnswerParams, ApproverNotification};
use postern_doors::DoorRegistry;
use postern_host::{ApproverGuard, ConnectedApproverKind};
use postern_protocol::{RunParams, Wait, What};
use serde_json::json;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use uuid::Uuid;

/// A guard against hanging, shorter than that of a single question.
const SOON: Duration = Duration::from_secs(30);
/// Beginnings of commands as agents write them, and what they are about.
const BEGINNINGS: [&str; 20] = [
    "git push --force-with-lease origin", "git commit --amend --message", "npm install --save-dev",
    "cargo publish --allow-dirty --package", "kubectl rollout undo deployment",
    "docker run --privileged --volume /var/run/docker.sock", "terraform destroy -auto-approve -target",
    "rm -r ./node_modules/.cache/", "ssh deploy@bastion.example.net systemctl restart",
    "curl --request POST https://hooks.example.com/services/", "aws s3 sync ./build s3://",
    "psql --host database.example.net --command", "ansible-playbook --inventory production",
    "gh release create --repo acme/", "helm upgrade --install --namespace payments",
    "brew uninstall --ignore-dependencies", "xattr -d com.apple.quarantine",
    "python3 -m pytest --maxfail=1 tests/", "rsync --archive --delete photographs/ backup:",
    "defaults write com.apple.screensaver",
];
const OBJECTS: [&str; 10] = [
    "hummingbird-checkout", "marmalade-ledger", "tangerine-invoices", "lighthouse-scheduler",
    "quicksilver-gateway", "saltmarsh-telemetry", "periwinkle-frontend", "drawbridge-identity",
    "snowdrop-migrations", "nightjar-reporting",
];

fn commands() -> Vec<String> {
    let joined = |begin: &str, about: &str| {
        let between = if begin.ends_with(['/', ':']) { "" } else { " " };
        format!("{begin}{between}{about}")
    };
    let all = OBJECTS.iter().flat_map(|about| BEGINNINGS.iter().map(move |begin| joined(begin, about)));
    all.collect()
}

/// Puts a program of each name where the agent finds it. Nothing of it runs.
fn install_programs(folder: &Path) {
    fs::create_dir(folder).unwrap();
    for name in BEGINNINGS.iter().filter_map(|line| line.split(' ').next()) {
        let file = folder.join(name);
        fs::write(&file, "#!/bin/sh\nexit 1\n").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// Returns words of commands that stand for themselves: nothing else that is stored has them.
fn words(commands: &[String]) -> BTreeSet<&str> {
    let parts = commands.iter().flat_map(|line| line.split([' ', '/', '=', ':', '.']));
    parts.filter(|word| word.len() >= 6).collect()
}

/// Returns everything that is stored as it is, and what it says in base64, of which envelopes are made.
fn readable(stored: &[u8]) -> String {
    let mut all = stored.to_vec();
    let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=".contains(byte);
    for run in stored.split(|byte| !is_base64(byte)).filter(|run| run.len() >= 24) {
        // What is cut where a block ends says less than the whole.
        all.extend(STANDARD.decode(&run[..run.len() / 4 * 4]).unwrap_or_default());
    }
    String::from_utf8_lossy(&all).into_owned()
}

/// Denies each question as it opens.
fn deny(stage: &Stage, face: ApproverGuard) {
    let mut told = stage.mini.host.subscribe();
    let gate = stage.mini.host.gate().clone();
    tokio::spawn(async move {
        while let Ok(one) = told.recv().await {
            if let ApproverNotification::QuestionOpened(question) = one {
                let params = AnswerParams::for_question(&question, Answer::Deny);
                assert!(gate.answer(params, face.id()).await.unwrap().applied);
            }
        }
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn the_broker_stores_no_word_of_two_hundred_commands() {
    let mut stage = Stage::set().await;
    let programs = stage.mini.file("bin");
    install_programs(&programs);
    let path = format!("{}:/usr/bin:/bin", programs.display());
    let values = json!({"requestsPerSecond": "1000", "questionsPerMinute": "600", "ask": "always", "searchPath": path});
    stage.mini.call("agents.set", json!({"agent": "main", "values": values})).await;
    let mut news = stage.watch().await;
    deny(&stage, stage.mini.host.add_approver(ConnectedApproverKind::Terminal));
    let commands = commands();
    assert_eq!(commands.len(), 200);
    let words = words(&commands);
    assert!(words.len() > 60, "{words:?}");
    // The broker keeps the newest 128 of a host: it is searched while it has them.
    for some in commands.chunks(100) {
        let (lines, mut channel) = (some.to_vec(), stage.channel.take().unwrap());
        let asking = spawn_blocking(move || {
            for line in lines {
                let run = RunParams {
                    cwd: Some("/".to_owned()),
                    wait: Wait::Finished,
                    ..RunParams::new(Uuid::new_v4(), What::Shell(line))
                };
                channel.run(run).unwrap();
            }
            channel
        });
        let mut left: BTreeSet<&String> = some.iter().collect();
        while !left.is_empty() {
            let one = timeout(SOON, waits(&mut news)).await;
            let line = one.unwrap_or_else(|_| panic!("an approver does not read {left:#?}")).question.line;
            left.remove(&line);
        }
        stage.channel = Some(timeout(SOON, asking).await.unwrap().unwrap());
        // That word is the broker's own, in its configuration of a stream.
        let stored = readable(&stage.broker.stored()).replace("\"republish\"", "");
        assert!(stored.contains("vnd.postern.fleet.question+json"), "it stores questions");
        let found: Vec<_> = words.iter().filter(|word| stored.contains(**word)).collect();
        assert!(found.is_empty(), "the broker stores {found:?}");
    }
}

#[cfg(target_os = "linux")] // it looks into /proc
#[test]
fn without_a_fleet_there_is_no_socket_of_one() {
    let host = postern_tests::Postern::start();
    host.enrol("main");
    let sockets = |pid: u32| -> BTreeSet<String> {
        let links = fs::read_dir(format!("/proc/{pid}/fd")).unwrap().flatten();
        let links = links.filter_map(|entry| fs::read_link(entry.path()).ok());
        links
            .filter_map(|link| {
                Some(link.to_str()?.strip_prefix("socket:[")?.trim_end_matches(']').to_owned())
            })
            .collect()
    };
    let own = sockets(host.pid());
    assert!(!own.is_empty(), "it listens on its own sockets");
    for table in ["tcp", "tcp6", "udp", "udp6"] {
        let open = fs::read_to_string(format!("/proc/{}/net/{table}", host.pid())).unwrap_or_default();
        let inodes = open.lines().skip(1).filter_map(|line| line.split_whitespace().nth(9));
        let of_it: Vec<&str> = inodes.filter(|inode| own.contains(*inode)).collect();
        assert!(of_it.is_empty(), "{table}: {of_it:?}");
    }
    assert!(!host.data().join("fleet").exists(), "nothing of a fleet is kept");
    let status = host.run(&["fleet", "status"]);
    assert!(status.code != 0 && status.stderr.contains("in no fleet"), "{status:?}");
}

/// Returns the number of tasks of this test's runtime, to which doors that a start opens add theirs.
fn alive_tasks() -> usize {
    Handle::current().metrics().num_alive_tasks()
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_fleet_no_task_of_one_begins() {
    let alone = Mac::start_without_doors().await;
    let before = alive_tasks();
    DoorRegistry::restore(&alone.host).await;
    until_async(async || alive_tasks() <= before).await;
    let member = Mac::start_without_doors().await;
    found_fleet(&member.folder(), "all");
    let before = alive_tasks();
    // Nobody starts its broker: the door tries again and again.
    DoorRegistry::restore(&member.host).await;
    assert!(alive_tasks() > before, "a door that is opened has tasks of its own");
    member.call("doors.disable", json!({"door": "fleet"})).await;
    until_async(async || alive_tasks() <= before).await;
}

/// Returns the number of connections from this process to the broker.
#[cfg(target_os = "linux")] // it looks into /proc
fn connections(stage: &Stage) -> usize {
    let server = stage.laptop.folder().membership().unwrap().server;
    let port: u16 = server.rsplit_once(':').unwrap().1.parse().unwrap();
    let (to_broker, established) = (format!(":{port:04X}"), "01");
    let table = fs::read_to_string("/proc/self/net/tcp").unwrap();
    let rows = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    rows.filter(|row| row[2].ends_with(&to_broker) && row[3] == established).count()
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_closed_door_of_the_fleet_leaves_no_connection() {
    let stage = Stage::set().await;
    stage.mini.call("doors.disable", json!({"door": "fleet"})).await;
    // The owner's own.
    until_async(async || connections(&stage) == 1).await;
    for _ in 0..3 {
        stage.mini.call("doors.enable", json!({"door": "fleet"})).await;
        until_async(async || connections(&stage) == 2).await;
        stage.mini.call("doors.disable", json!({"door": "fleet"})).await;
        until_async(async || connections(&stage) == 1).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_frozen_broker_and_with_none_a_mac_asks_answers_and_runs_as_before() {
    let mut stage = Stage::set().await;
    let local = stage.mini.host.add_approver(ConnectedApproverKind::Terminal);
    let file = stage.mini.file("file");
    for round in 1..=2 {
        if round == 1 {
            stage.broker.freeze();
        } else {
            stage.broker.kill();
        }
        let run = stage.ask(&file);
        stage.mini.asked().await;
        stage.mini.answer_all("once").await;
        stage.end(run).await;
        assert_eq!(fs::read_to_string(&file).unwrap(), "ran\n".repeat(round));
    }
    drop(local);
}
