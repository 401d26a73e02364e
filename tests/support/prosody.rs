//! A real XMPP server for a test (Prosody, as Debian has it), and people with clients written by hand.

use crate::programs::{OwnedChild, free_port, start};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use xmpp_parsers::minidom::Element;

/// Time that a test waits for what must happen.
const PATIENCE: Duration = Duration::from_mins(1);
/// Number of other ports that are tried if somebody took the free one first.
const TRIES: usize = 10;

/// A running server for the host `localhost`, with rooms that show accounts at `rooms.localhost` and rooms that do not at
/// `veiled.localhost`. Ends with the test.
pub struct Prosody {
    child: OwnedChild,
    folder: TempDir,
    /// Port for clients, on 127.0.0.1.
    pub port: u16,
}

impl Prosody {
    /// Returns true if this machine has Prosody.
    pub fn is_installed() -> bool {
        // Whatever it is asked, it starts: its program is only looked for.
        let found = start("sh").args(["-c", "command -v prosody"]).stdout(Stdio::null()).status();
        found.is_ok_and(|status| status.success())
    }

    /// Starts one with these accounts; the password of each is its name.
    pub fn start(accounts: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path();
        let kept = path.join("data/localhost/accounts");
        std::fs::create_dir_all(&kept).expect("a folder");
        for name in accounts {
            let account = format!("return {{ [\"password\"] = \"{name}\"; }};\n");
            std::fs::write(kept.join(format!("{name}.dat")), account).expect("an account");
        }
        let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).expect("a certificate");
        std::fs::write(path.join("localhost.crt"), made.cert.pem()).expect("a certificate");
        std::fs::write(path.join("localhost.key"), made.signing_key.serialize_pem()).expect("a key");
        for _ in 0..TRIES {
            let free = free_port();
            if let Some(child) = run(path, free) {
                return Self { folder, child, port: free };
            }
        }
        panic!("Prosody found no port");
    }

    /// Returns its certificate, for a client that is to trust it.
    pub fn certificate(&self) -> PathBuf {
        self.folder.path().join("localhost.crt")
    }

    /// Ends it at once.
    pub fn crash(&mut self) {
        self.child.0.kill().expect("kill");
        self.child.0.wait().expect("wait");
    }

    /// Starts it again on the same port, with what it knew.
    pub fn start_again(&mut self) {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(child) = run(self.folder.path(), self.port) {
                self.child = child;
                return;
            }
            assert!(Instant::now() < end, "Prosody does not get its port back");
        }
    }

    pub fn login(&self, name: &'static str) -> Person {
        Person::login(self.port, name)
    }
}

/// Starts it, and waits until it listens; `None` if the port is taken.
fn run(folder: &Path, port: u16) -> Option<OwnedChild> {
    let config = folder.join("prosody.cfg.lua");
    std::fs::write(&config, settings(folder, port)).expect("settings");
    let child = start("prosody")
        .arg("-F")
        .arg("--config")
        .arg(&config)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("prosody starts");
    let mut child = OwnedChild(child);
    let stdout = child.0.stdout.take().expect("piped");
    let (send, told) = channel();
    // Drained for as long as it runs, so that it never waits for a reader; shown with a failing test.
    std::thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            eprintln!("prosody: {line}");
            let listens = line.contains("Activated service 'c2s' on [127.0.0.1]");
            if listens || line.contains("Failed to open server port") {
                // Nobody waits for it any more where it listened before.
                _ = send.send(listens);
            }
        }
    });
    match told.recv_timeout(PATIENCE) {
        Ok(listens) => listens.then_some(child),
        Err(error) => panic!("Prosody does not start: {error}"),
    }
}

fn settings(folder: &Path, port: u16) -> String {
    let text = include_str!("prosody.cfg.lua").replace("PORT", &port.to_string());
    text.replace("FOLDER", &folder.display().to_string())
}

/// Somebody with a client.
pub struct Person {
    stream: TcpStream,
    /// Received text that was not read yet.
    buffer: String,
    numbers: u32,
}

impl Person {
    fn login(port: u16, name: &str) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).expect("the server listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        let mut person = Self { stream, buffer: String::new(), numbers: 0 };
        let header = "<stream:stream to='localhost' xmlns='jabber:client' \
                      xmlns:stream='http://etherx.jabber.org/streams' version='1.0'>";
        person.send(header);
        person.skip("</stream:features>");
        let secret = STANDARD.encode(format!("\0{name}\0{name}"));
        person.send(&format!(
            "<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>{secret}</auth>"
        ));
        person.skip("<success");
        person.skip(">");
        person.send(header);
        person.skip("</stream:features>");
        person.send("<iq type='set' id='bind'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><resource>phone</resource></bind></iq>");
        person.skip("</iq>");
        person.send("<presence/>");
        person
    }

    pub fn send(&mut self, stanza: &str) {
        self.stream.write_all(stanza.as_bytes()).expect("connected");
    }

    pub fn says(&mut self, to: &str, text: &str) {
        self.message(to, "chat", &format!("<body>{text}</body>"));
    }

    /// Reacts to a message of an account, or in a room.
    pub fn reacts(&mut self, to: &str, kind: &str, message: &str, emoji: &str) {
        let reactions = format!(
            "<reactions xmlns='urn:xmpp:reactions:0' id='{message}'><reaction>{emoji}</reaction></reactions>"
        );
        self.message(to, kind, &reactions);
    }

    /// Sends a message of a kind (`chat`, `groupchat`) with this inside.
    pub fn message(&mut self, to: &str, kind: &str, inside: &str) {
        self.numbers += 1;
        let id = self.numbers;
        self.send(&format!("<message to='{to}' type='{kind}' id='m{id}'>{inside}</message>"));
    }

    /// Comes into a room under a name, and waits until that is so. Also: takes another name there.
    pub fn enters(&mut self, room: &str, nick: &str) {
        self.send(&format!(
            "<presence to='{room}/{nick}'><x xmlns='http://jabber.org/protocol/muc'/></presence>"
        ));
        let from = format!("{room}/{nick}");
        self.until(|stanza| stanza.name() == "presence" && stanza.attr("from") == Some(&from));
    }

    /// Waits for the next message with a text that holds this.
    pub fn hears(&mut self, part: &str) -> Element {
        self.until(|stanza| body(stanza).contains(part))
    }

    /// Waits for a stanza.
    pub fn until(&mut self, right: impl Fn(&Element) -> bool) -> Element {
        loop {
            let stanza = self.stanza();
            if right(&stanza) {
                return stanza;
            }
        }
    }

    fn stanza(&mut self) -> Element {
        loop {
            if let Some(end) = end_of_first(&self.buffer) {
                let rest = self.buffer.split_off(end);
                let text = std::mem::replace(&mut self.buffer, rest);
                let element = Element::from_reader_with_prefixes(text.as_bytes(), "jabber:client".to_owned());
                return element.unwrap_or_else(|error| panic!("{text}: {error}"));
            }
            self.receive();
        }
    }

    fn skip(&mut self, what: &str) {
        loop {
            if let Some(start) = self.buffer.find(what) {
                self.buffer.drain(..start + what.len());
                return;
            }
            self.receive();
        }
    }

    fn receive(&mut self) {
        // A letter may be cut in two: what is received is put together as bytes.
        let mut bytes = std::mem::take(&mut self.buffer).into_bytes();
        loop {
            let mut more = [0; 4096];
            let read = self.stream.read(&mut more).expect("something in time");
            assert!(read > 0, "the server closed the connection");
            bytes.extend_from_slice(&more[..read]);
            match String::from_utf8(bytes) {
                Ok(text) => {
                    self.buffer = text;
                    return;
                }
                Err(cut) => bytes = cut.into_bytes(),
            }
        }
    }
}

/// Returns the text of a message; empty where it has none.
pub fn body(stanza: &Element) -> String {
    stanza.get_child("body", "jabber:client").map(Element::text).unwrap_or_default()
}

/// Returns the end of the first whole element.
fn end_of_first(text: &str) -> Option<usize> {
    let (mut depth, mut at) = (0, 0);
    while let Some(start) = text[at..].find('<').map(|found| at + found) {
        let end = start + text[start..].find('>')? + 1;
        let tag = &text[start..end];
        at = end;
        if tag.starts_with("</") {
            depth -= 1;
        } else if !tag.ends_with("/>") && !tag.starts_with("<?") {
            depth += 1;
        }
        if depth == 0 && !tag.starts_with("<?") {
            return Some(end);
        }
    }
    None
}
