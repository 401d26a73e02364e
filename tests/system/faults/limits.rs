//! The system gives a host few open files or few threads, and an agent takes what it can.

use super::tools::{PATIENCE, agent, all_work, ended, until, wrong};
use postern_client::{Channel, read_key};
use postern_protocol::{
    Handshake, HandshakeSide, Nonce, NoticeEvent, RunParams, RunResult, Socket, Wait, What,
};
use postern_tests::Postern;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;
use uuid::Uuid;

/// As an app on a Mac is started, and no more can be had.
const FEW_FILES: &[&str] = &["prlimit", "--nofile=256:256"];

/// Connections of one agent, as many as it is given.
fn connections(folder: &Path, most: usize) -> Vec<Channel> {
    let key = read_key(&folder.join("agent.key")).unwrap();
    (0..most).map_while(|_| Channel::connect(&folder.join("agent.sock"), &key).ok()).collect()
}

/// Returns the resident memory of a process, in KiB.
fn resident(pid: u32) -> u64 {
    kibibytes(&format!("/proc/{pid}/status"), "VmRSS:")
}

/// Returns the private memory of a process, in KiB.
fn private(pid: u32) -> u64 {
    kibibytes(&format!("/proc/{pid}/smaps_rollup"), "Private_Dirty:")
}

/// Returns the size behind a name in a file of `/proc`.
fn kibibytes(file: &str, name: &str) -> u64 {
    let text = std::fs::read_to_string(file).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// Asks for something that a rule denies, so many times.
fn denied(folder: &Path, times: usize) {
    let key = read_key(&folder.join("agent.key")).unwrap();
    let mut channel = Channel::connect(&folder.join("agent.sock"), &key).unwrap();
    for _ in 0..times {
        let what = What::Command(["rm", "-r", "build"].map(str::to_owned).into());
        let cwd = Some("/".to_owned());
        let params = RunParams { cwd, wait: Wait::Finished, ..RunParams::new(Uuid::new_v4(), what) };
        let ended = channel.run(params).unwrap();
        let RunResult::Ended(notice) = ended else { panic!("not ended: {ended:?}") };
        assert!(matches!(notice.event, NoticeEvent::Denied(_)), "not denied: {notice:?}");
        while channel.next_event(Some(Duration::ZERO)).unwrap().is_some() {}
    }
}

/// Reads a line of the host's.
fn told(lines: &mut impl BufRead) -> Value {
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    serde_json::from_str(&line).unwrap()
}

/// Opens a proven connection to a socket, and sends nothing over it yet.
fn proven(path: &Path, key: &Path, socket: Socket) -> UnixStream {
    let mut stream = UnixStream::connect(path).unwrap();
    let mut lines = BufReader::new(stream.try_clone().unwrap());
    let nonce = told(&mut lines)["params"]["nonce"].as_str().unwrap().to_owned();
    let client = Nonce::from_bytes(*uuid::Uuid::new_v4().as_bytes());
    let server_nonce = Nonce::try_from(nonce).unwrap();
    let both = Handshake { socket, server_nonce, client_nonce: client.clone() };
    let proof = both.make_proof(&read_key(key).unwrap(), HandshakeSide::Client);
    let params = json!({
        "protocol": 1, "nonce": client.as_str(), "proof": proof, "client": {"name": "test", "version": "1"},
    });
    let call = json!({"jsonrpc": "2.0", "id": 0, "method": "authenticate", "params": params});
    writeln!(stream, "{call}").unwrap();
    assert!(told(&mut lines)["result"].is_object(), "it is let in");
    stream
}

/// Sends so many lines of garbage over a connection; the other end may hang up on it.
fn garbage(stream: &UnixStream, lines: usize) {
    let mut writer = stream;
    let answers = stream.try_clone().unwrap();
    let reader = std::thread::spawn(move || std::io::copy(&mut { answers }, &mut std::io::sink()));
    let kinds = [
        "[".repeat(2_000),
        json!({"jsonrpc": "2.0", "id": 1, "method": "x".repeat(500)}).to_string(),
        "\u{202e}".repeat(300),
        format!("{{\"a\":{}1{}}}", "[".repeat(60), "]".repeat(60)),
    ];
    for line in 0..lines {
        if writeln!(writer, "{}", kinds[line % kinds.len()]).is_err() {
            break;
        }
    }
    stream.shutdown(std::net::Shutdown::Both).ok();
    drop(reader.join());
}

#[test]
fn a_hundred_thousand_frames_of_garbage_leave_no_memory_behind() {
    let (host, main) = Postern::with_agent();
    let data = host.data();
    let round = |connections: usize| {
        for _ in 0..connections {
            garbage(&proven(&main.join("agent.sock"), &main.join("agent.key"), Socket::Channel), 500);
            garbage(&proven(&data.join("control.sock"), &data.join("control.key"), Socket::Control), 500);
        }
        host.ok(&["status"]);
    };
    // What is used once is kept: threads, buffers, the record's pages.
    round(10);
    let before = resident(host.pid());
    round(100);
    until("memory stays with what sent nothing but garbage", || resident(host.pid()) <= before + 10 * 1024);
    assert_eq!(wrong(&host), [] as [String; 0]);
}

#[test]
fn a_load_gives_back_the_memory_that_it_took() {
    let host = Postern::start();
    host.ok(&["rules", "deny", "rm *", "--everyone"]);
    let enrolled = |name: &str| {
        let folder = host.enrol(name);
        host.ok(&["agents", "set", name, "requests-per-second=10000", "--yes"]);
        folder
    };
    let agents: Vec<PathBuf> = (0..8).map(|nth| enrolled(&format!("agent-{nth}"))).collect();
    let load = |each: usize| {
        std::thread::scope(|scope| {
            for folder in &agents {
                scope.spawn(move || denied(folder, each));
            }
        });
    };
    // What is used once is kept.
    load(100);
    let before = private(host.pid());
    load(1_000);
    until("memory goes back when requests have ended", || private(host.pid()) <= before + 2 * 1024);
    assert_eq!(wrong(&host), [] as [String; 0]);
}

#[test]
fn agents_that_take_every_open_file_leave_enough_for_the_others() {
    let host = Postern::start_by(FEW_FILES, &[]);
    let good = host.enrol_allowed("good");
    let bad: Vec<_> = (0..4).map(|at| host.enrol(&format!("bad-{at}"))).collect();
    let held: Vec<Vec<Channel>> = bad.iter().map(|folder| connections(folder, 80)).collect();
    assert!(held.iter().all(|own| !own.is_empty()), "each has some");
    // The person, and another agent on a connection of its own.
    let soon = Duration::from_secs(20);
    all_work(&host, soon, &[&["status"][..], &["agents", "list"], &["history"]]);
    assert_eq!(ended(agent(&good, &["--", "true"]), soon).code, 0);
    drop(held);
    assert_eq!(ended(agent(&good, &["--", "true"]), PATIENCE).code, 0);
    assert_eq!(wrong(&host), [] as [String; 0], "nothing stays taken");
}
