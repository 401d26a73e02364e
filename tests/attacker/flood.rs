//! Floods: many connections at once that ask, hold their places or never read, until their time is over.

use postern_client::{Channel, read_key};
use postern_protocol::{Call, RunParams};
use serde_json::{Value, json};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};
use uuid::Uuid;

/// Between two tries where there is no room.
const PAUSE: Duration = Duration::from_millis(5);

/// Starts a flood and comes back at once. `requests` are sent in turn, each under a fresh id (`{n}` in their text is counted);
/// `touch` are files that change meanwhile; `reads: false` never reads an answer; `silent` connections prove nothing.
pub(crate) fn start(order: &Value, socket: &Path, key: &Path) -> Value {
    let number = |name: &str, or: u64| order[name].as_u64().unwrap_or(or);
    let until = Instant::now() + Duration::from_millis(number("milliseconds", 1000));
    let texts: Vec<String> =
        order["requests"].as_array().into_iter().flatten().map(Value::to_string).collect();
    let reads = order["reads"].as_bool().unwrap_or(true);
    for at in 0..number("connections", 1) {
        let (socket, key, texts) = (socket.to_owned(), key.to_owned(), texts.clone());
        std::thread::spawn(move || ask(at, &socket, &key, &texts, reads, until));
    }
    for _ in 0..number("silent", 0) {
        let socket = socket.to_owned();
        std::thread::spawn(move || hold(&socket, until));
    }
    let touched: Vec<PathBuf> = order["touch"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(PathBuf::from)
        .collect();
    if !touched.is_empty() {
        std::thread::spawn(move || touch(&touched, until));
    }
    json!(texts.len())
}

/// Asks on one connection after the other.
fn ask(at: u64, socket: &Path, key: &Path, texts: &[String], reads: bool, until: Instant) {
    let key = read_key(key).unwrap();
    let mut count = at * 1_000_000;
    while Instant::now() < until {
        let Ok(mut channel) = Channel::connect(socket, &key) else {
            std::thread::sleep(PAUSE);
            continue;
        };
        if texts.is_empty() {
            std::thread::sleep(until.saturating_duration_since(Instant::now()));
            return;
        }
        let mut owed = 0;
        for text in texts.iter().cycle() {
            if Instant::now() >= until {
                return;
            }
            count += 1;
            let mut params: Value = serde_json::from_str(&text.replace("{n}", &count.to_string())).unwrap();
            params["requestId"] = json!(Uuid::new_v4().to_string());
            params["wait"] = json!("none");
            let call = Call::Run(Box::new(RunParams::from_value(params).unwrap()));
            if reads {
                // Whatever it says.
                if let Err(postern_client::CallError::Gone(_)) = channel.call(&call) {
                    break;
                }
            } else if owed < 200 {
                owed += 1;
                if channel.send(&call).is_err() {
                    break;
                }
            } else {
                // The host reads no more until it is read: there is nothing to do but stay.
                std::thread::sleep(
                    until.saturating_duration_since(Instant::now()).min(Duration::from_secs(5)),
                );
                break;
            }
        }
    }
}

/// Connects and says nothing, again and again.
fn hold(socket: &Path, until: Instant) {
    while Instant::now() < until {
        let Ok(stream) = UnixStream::connect(socket) else {
            std::thread::sleep(PAUSE);
            continue;
        };
        let patience = Some(Duration::from_secs(3));
        // Until the host has had enough of it.
        drop(stream.set_read_timeout(patience));
        let mut said = [0; 4096];
        while std::io::Read::read(&mut &stream, &mut said).is_ok_and(|read| read > 0) {}
    }
}

/// Changes files, so that nothing that was read of them counts any more.
fn touch(files: &[PathBuf], until: Instant) {
    while Instant::now() < until {
        for file in files {
            if let Ok(file) = std::fs::File::options().append(true).open(file) {
                drop(file.set_modified(SystemTime::now()));
            }
        }
        std::thread::sleep(Duration::from_millis(200));
    }
}
