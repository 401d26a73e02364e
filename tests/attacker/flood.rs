//! Floods: many connections that ask, hold their slots or never read, until their time is over.

use postern_client::{Channel, read_key};
use postern_protocol::{AgentCall, RunParams};
use serde_json::{Value, json};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};
use uuid::Uuid;

/// Pause between two tries while there is no room. No event announces room, and a busy loop would test the processor
/// instead of Postern's limits.
const PAUSE: Duration = Duration::from_millis(5);
/// Pause between two changes of the same files, during which requests about them arrive.
const BETWEEN_CHANGES: Duration = Duration::from_millis(200);
/// Time for which a connection that reads nothing is held. An event of its end could only be read.
const HELD: Duration = Duration::from_secs(5);

/// Starts a flood in the background.
///
/// `requests` are sent in turn, each with a new id (`{n}` in their text is a counter); `touch` names files to
/// modify; `reads: false` never reads a reply; `silent` connections never authenticate.
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

/// Sends requests on one connection after the other.
fn ask(at: u64, socket: &Path, key: &Path, texts: &[String], reads: bool, until: Instant) {
    let key = read_key(key).unwrap();
    let mut count = at * 1_000_000;
    while Instant::now() < until {
        let Ok(mut channel) = Channel::connect(socket, &key) else {
            std::thread::sleep(PAUSE);
            continue;
        };
        if texts.is_empty() {
            wait_for_its_end(&mut channel, until);
            continue;
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
            let call = AgentCall::Run(Box::new(RunParams::from_value(&params).unwrap()));
            if reads {
                // Any reply will do.
                if let Err(postern_client::CallError::Gone(_)) = channel.call_host(&call) {
                    break;
                }
            } else if owed < 200 {
                owed += 1;
                if channel.send(&call).is_err() {
                    break;
                }
            } else {
                // The host reads no more until its replies are read: hold the connection.
                std::thread::sleep(until.saturating_duration_since(Instant::now()).min(HELD));
                break;
            }
        }
    }
}

/// Waits until the host closes the connection, or the flood is over.
fn wait_for_its_end(channel: &mut Channel, until: Instant) {
    while let Some(left) = until.checked_duration_since(Instant::now()) {
        if channel.read_message(Some(left)).is_err() {
            return;
        }
    }
}

/// Connects and sends nothing, again and again.
fn hold(socket: &Path, until: Instant) {
    while Instant::now() < until {
        let Ok(stream) = UnixStream::connect(socket) else {
            std::thread::sleep(PAUSE);
            continue;
        };
        let patience = Some(Duration::from_secs(3));
        // Until the host closes the connection.
        drop(stream.set_read_timeout(patience));
        let mut said = [0; 4096];
        while std::io::Read::read(&mut &stream, &mut said).is_ok_and(|read| read > 0) {}
    }
}

/// Modifies files, so that cached results about them become invalid.
fn touch(files: &[PathBuf], until: Instant) {
    while Instant::now() < until {
        for file in files {
            if let Ok(file) = std::fs::File::options().append(true).open(file) {
                drop(file.set_modified(SystemTime::now()));
            }
        }
        std::thread::sleep(BETWEEN_CHANGES);
    }
}
