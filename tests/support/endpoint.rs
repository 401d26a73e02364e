//! A small HTTP server that stands in for an endpoint: takes POSTs, gives each to the test, and answers as it was told.

use parking_lot::Mutex;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// Time that a test waits for what must come.
const PATIENCE: Duration = Duration::from_mins(1);

#[derive(Debug, Clone)]
pub struct Posted {
    pub path: String,
    /// Headers by their names in small letters.
    pub headers: BTreeMap<String, String>,
    pub body: String,
}

impl Posted {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{}: {error}", self.body))
    }
}

/// The server. Ends with the test's process.
pub struct Endpoint {
    address: SocketAddr,
    posted: Receiver<Posted>,
    answers: Arc<Mutex<Vec<String>>>,
}

impl Endpoint {
    /// Listens on a port of its own. Each POST takes the first of these answers, and 200 when there are none
    /// left.
    ///
    /// An answer is `503`, or a whole head such as `302\r\nlocation: …`. `hang` is no answer at all.
    pub fn start(answers: &[&str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let (send, posted) = channel();
        let answers: Vec<String> = answers.iter().rev().map(|answer| (*answer).to_owned()).collect();
        let answers = Arc::new(Mutex::new(answers));
        let left = Arc::clone(&answers);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (send, left) = (send.clone(), Arc::clone(&left));
                std::thread::spawn(move || serve(stream, &send, &left));
            }
        });
        Self { address, posted, answers }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub fn next(&self) -> Posted {
        self.posted.recv_timeout(PATIENCE).expect("something is posted")
    }

    /// Returns the requests that were not looked at yet.
    pub fn rest(&self) -> Vec<Posted> {
        self.posted.try_iter().collect()
    }

    pub fn answers_left(&self) -> usize {
        self.answers.lock().len()
    }
}

fn serve(stream: TcpStream, send: &Sender<Posted>, answers: &Mutex<Vec<String>>) {
    let Ok(mut writer) = stream.try_clone() else { return };
    let mut reader = BufReader::new(stream);
    // Connections are kept open by the poster.
    while let Some(posted) = read(&mut reader) {
        let answer = answers.lock().pop().unwrap_or_else(|| "200".to_owned());
        // Nobody looks any more: the test is over.
        if send.send(posted).is_err() {
            return;
        }
        if answer == "hang" {
            // Nothing more is said; the other side's patience ends it.
            _ = reader.read(&mut [0]);
            return;
        }
        if write!(writer, "HTTP/1.1 {answer}\r\ncontent-length: 0\r\n\r\n").is_err() {
            return;
        }
    }
}

/// Reads a request over HTTP; `None` at the end of its connection.
pub(crate) fn read(reader: &mut BufReader<TcpStream>) -> Option<Posted> {
    let mut first = String::new();
    reader.read_line(&mut first).ok().filter(|bytes| *bytes > 0)?;
    let path = first.split(' ').nth(1)?.to_owned();
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    let length = headers.get("content-length").map_or(Some(0), |length| length.parse().ok())?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Posted { path, headers, body: String::from_utf8(body).ok()? })
}
