//! An agent's channel over TCP, as a container in a virtual machine reaches it.

use parking_lot::Mutex;
use postern_tests::{Answer, Postern, postern_run, repository, start};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

/// Returns a host whose agent `main` may run anything and is reached over TCP: where.
fn open() -> (Postern, std::path::PathBuf, String) {
    let (host, channel) = Postern::with_allowed_agent();
    host.ok(&["doors", "enable", "forwarder", "channels=main@127.0.0.1:0"]);
    let address = host.json(&["doors", "setup", "forwarder"])["main"].as_str().unwrap().to_owned();
    (host, channel, address)
}

/// Returns `postern-run` as it runs in the container: a key file, an address, and no socket.
fn run(address: &str, key: &Path, command: &[&str]) -> Command {
    let mut run = start(postern_run());
    run.env_clear()
        .env("POSTERN_SOCKET", format!("tcp://{address}"))
        .env("POSTERN_KEY_FILE", key)
        .args(["--cwd", "/"])
        .args(command)
        .stdin(Stdio::null());
    run
}

fn end(mut run: Command) -> Answer {
    run.output().unwrap().into()
}

/// Returns a relay between the two that remembers everything that crosses.
fn listen_in(to: String) -> (String, Arc<Mutex<Vec<u8>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let heard = Arc::<Mutex<Vec<u8>>>::default();
    let all = Arc::clone(&heard);
    std::thread::spawn(move || {
        for near in listener.incoming().map_while(Result::ok) {
            let far = TcpStream::connect(&to).unwrap();
            copy(near.try_clone().unwrap(), far.try_clone().unwrap(), Arc::clone(&all));
            copy(far, near, Arc::clone(&all));
        }
    });
    (address, heard)
}

fn copy(mut from: TcpStream, mut to: TcpStream, heard: Arc<Mutex<Vec<u8>>>) {
    std::thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(length @ 1..) = from.read(&mut bytes) {
            heard.lock().extend_from_slice(&bytes[..length]);
            if to.write_all(&bytes[..length]).is_err() {
                break;
            }
        }
        // The other side may have gone first.
        drop(to.shutdown(std::net::Shutdown::Write));
    });
}

#[test]
fn a_command_runs_over_tcp_and_the_key_does_not_cross() {
    let (_host, channel, address) = open();
    let (address, heard) = listen_in(address);
    let key = channel.join("agent.key");
    let answer = end(run(&address, &key, &["--", "uname", "-s"]));
    assert_eq!((answer.code, answer.stdout.trim()), (0, "Linux"), "{answer:?}");
    let shell = end(run(&address, &key, &["--shell", "echo out; echo err >&2; exit 7"]));
    assert_eq!((shell.code, shell.stdout.as_str()), (7, "out\n"), "{shell:?}");
    let mut fed =
        run(&address, &key, &["--", "cat"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = fed.stdin.take().unwrap();
    // Fed and read at the same time: the pipes between hold less than this.
    let feeding = std::thread::spawn(move || stdin.write_all(&vec![b'x'; 300_000]).unwrap());
    let echoed = fed.wait_with_output().unwrap().stdout.len();
    assert_eq!(echoed, 300_000, "both ways, and more than a buffer holds");
    feeding.join().unwrap();
    let text = std::fs::read_to_string(&key).unwrap();
    let crossed = String::from_utf8_lossy(&heard.lock()).into_owned();
    assert!(crossed.contains("authenticate") && !crossed.contains(text.trim()), "the key stays where it is");
}

#[test]
fn whoever_has_no_key_gets_nothing_and_takes_nothing_from_the_agent() {
    let (host, channel, address) = open();
    let wrong = host.scratch("wrong").join("agent.key");
    std::fs::write(&wrong, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA").unwrap();
    let answer = end(run(&address, &wrong, &["--", "uname"]));
    assert_eq!(answer.code, 125, "{answer:?}");
    assert!(answer.stderr.contains("key"), "{answer:?}");
    let keyless = start(postern_run())
        .env_clear()
        .env("POSTERN_SOCKET", format!("tcp://{address}"))
        .args(["--", "uname"])
        .output();
    let keyless = Answer::from(keyless.unwrap());
    assert!(keyless.code == 125 && keyless.stderr.contains("POSTERN_KEY_FILE"), "{keyless:?}");
    // More than the door takes at a time, and none of them says a word.
    let silent: Vec<TcpStream> = (0..80).map(|_| TcpStream::connect(&address).unwrap()).collect();
    let own = super::Asked::new(&channel, &["uname"]).end();
    assert_eq!(own.code, 0, "the agent's own socket goes on: {own:?}");
    drop(silent);
}

#[test]
fn a_client_in_another_language_speaks_over_it_too() {
    let (_host, channel, address) = open();
    let asked = start("python3")
        .arg(repository().join("docs/clients/postern.py"))
        .args(["uname", "-s"])
        .env("POSTERN_SOCKET", format!("tcp://{address}"))
        .env("POSTERN_KEY_FILE", channel.join("agent.key"))
        .current_dir("/")
        .output();
    let answer = Answer::from(asked.unwrap());
    assert!(answer.code == 0 && answer.stdout.contains("exec.finished"), "{answer:?}");
}

#[test]
fn it_is_off_until_it_is_opened_and_cuts_off_when_it_is_closed() {
    let (host, channel, address) = open();
    host.refuses(&["doors", "enable", "forwarder", "channels=main@0.0.0.0:7719"], "127.0.0.1:7719");
    // Nothing is encrypted: a network is not joined by the way.
    host.refuses(&["doors", "enable", "forwarder", "channels=main@192.168.64.1:0"], "unencrypted-network=on");
    host.refuses(&["doors", "enable", "forwarder", "channels=nobody@127.0.0.1:0"], "nobody");
    let address = host.json(&["doors", "setup", "forwarder"])["main"].as_str().map_or(address, str::to_owned);
    host.ok(&["doors", "disable", "forwarder"]);
    let answer = end(run(&address, &channel.join("agent.key"), &["--", "uname"]));
    assert!(answer.code == 125 && answer.stderr.contains("nothing listens"), "{answer:?}");
    let lines = host.ok(&["agents", "channel", "main", "--for", "forwarder"]);
    assert!(lines.contains("tcp://host.docker.internal") && lines.contains("agent.key"), "{lines}");
}
