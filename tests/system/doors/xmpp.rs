//! Approval over XMPP, against a real Prosody.

use super::{Asked, with_secret};
use postern_tests::prosody::{Person, Prosody, body};
use postern_tests::{Answer, Postern};
use serde_json::Value;
use std::path::PathBuf;
use xmpp_parsers::minidom::Element;

const POSTERN: &str = "postern@localhost";

/// A host with the agent `main`, and an account of its own on a server where Anna and Eve are.
struct Chat {
    host: Postern,
    channel: PathBuf,
    server: Prosody,
}

struct Question {
    code: String,
    message: String,
    stanza: Element,
}

/// Opens a chat; prints a plain word and returns `None` if this machine has no Prosody.
#[expect(clippy::print_stderr, reason = "whoever reads the tests' output must see what was not tried")]
fn chat(values: &[&str]) -> Option<Chat> {
    if !Prosody::is_installed() {
        eprintln!("SKIPPED: prosody is not installed (apt-get install prosody)");
        return None;
    }
    let server = Prosody::start(&["postern", "anna", "eve"]);
    let (host, channel) = Postern::with_agent();
    host.ok(&["agents", "set", "main", "questions-per-minute=60"]);
    let chat = Chat { host, channel, server };
    let opened = chat.enable("postern", values);
    assert_eq!(opened.code, 0, "{opened:?}");
    assert_eq!(chat.door()["state"], "open", "{}", chat.door());
    Some(chat)
}

impl Chat {
    fn enable(&self, password: &str, values: &[&str]) -> Answer {
        let server = format!("server=127.0.0.1:{}", self.server.port);
        let ca = format!("ca={}", self.server.certificate().display());
        let jid = format!("jid={POSTERN}");
        let args =
            [&["doors", "enable", "xmpp", "password=-", "changes=off", &jid, &server, &ca], values].concat();
        with_secret(&self.host, &args, password)
    }

    fn door(&self) -> Value {
        self.host.door("xmpp")
    }

    fn code(&self) -> String {
        self.host.json(&["doors", "setup", "xmpp"])["pairingCode"].as_str().unwrap().to_owned()
    }

    fn anna(&self) -> Person {
        let mut anna = self.server.login("anna");
        anna.says(POSTERN, &format!("/pair {}", self.code()));
        anna.hears("Paired");
        anna
    }

    fn ask(&self, person: &mut Person, command: &[&str]) -> (Asked, Question) {
        let asked = Asked::new(&self.channel, command);
        (asked, question(person))
    }
}

fn question(person: &mut Person) -> Question {
    let stanza = person.hears("Exec approval required");
    let code =
        body(&stanza).lines().nth(1).and_then(|line| line.strip_prefix("ID: ")).expect("an ID").to_owned();
    Question { code, message: stanza.attr("id").expect("an id").to_owned(), stanza }
}

const ROOM: &str = "ops@rooms.localhost";

/// Opens a room where Anna and Eve are, in which an owner, Anna, is asked.
fn in_a_room() -> Option<(Chat, Person, Person)> {
    let chat = chat(&["room=ops@rooms.localhost", "owners=anna@localhost"])?;
    let (mut anna, mut eve) = (chat.server.login("anna"), chat.server.login("eve"));
    anna.enters(ROOM, "anna");
    eve.enters(ROOM, "eve");
    Some((chat, anna, eve))
}

/// Returns the message of a question when it is decided: a correction of it.
fn outcome(person: &mut Person, question: &Question) -> String {
    let corrects = |stanza: &Element| {
        let replace = stanza.get_child("replace", "urn:xmpp:message-correct:0");
        replace.is_some_and(|replace| replace.attr("id") == Some(&question.message))
    };
    let stanza = person.until(corrects);
    body(&stanza).lines().next().unwrap().to_owned()
}

#[test]
fn a_second_account_approves_and_denies_by_commands_and_reactions() {
    let Some(chat) = chat(&[]) else { return };
    let mut anna = chat.anna();
    let (asked, question) = chat.ask(&mut anna, &["uname", "-s"]);
    let code = &question.code;
    let text = body(&question.stanza);
    let lines: Vec<&str> = text.lines().take(7).collect();
    assert_eq!(lines[0], "🔒 Exec approval required");
    assert_eq!(lines[2], "Command: uname -s");
    assert!(lines[3].starts_with("Expires in: ") && lines[3].ends_with('s'), "{text}");
    assert_eq!(lines[5], format!("Reply: /approve {code}"));
    assert_eq!(lines[6], "Or react: 👍 once | ✅ always | ❌ deny");
    assert!(question.stanza.has_child("unstyled", "urn:xmpp:styling:0"), "no styles in what an agent chose");
    anna.says(POSTERN, &format!("/approve {code}"));
    assert_eq!(asked.end().stdout.trim(), "Linux");
    assert_eq!(outcome(&mut anna, &question), "✅ Approved once by xmpp, anna@localhost");
    let (allowed, denied) = ("✅ Approved once by xmpp, anna@localhost", "❌ Denied by xmpp, anna@localhost");
    for (sign, expected) in [("👍", allowed), ("👍🏽", allowed), ("❌", denied)] {
        let (asked, question) = chat.ask(&mut anna, &["id", "-u"]);
        anna.reacts(POSTERN, "chat", &question.message, sign);
        assert_eq!(outcome(&mut anna, &question), expected, "{sign}");
        assert_eq!(asked.end().code == 0, expected == allowed, "{sign}");
    }
    // Three refusals would cool an agent down: these are another one's.
    let other = chat.host.enrol("other");
    for (command, expected) in
        [("/deny ID", denied), ("/approve ID deny", denied), ("/approve ID once", allowed)]
    {
        let asked = Asked::new(&other, &["id", "-u"]);
        let question = self::question(&mut anna);
        anna.says(POSTERN, &command.replace("ID", &question.code));
        assert_eq!(outcome(&mut anna, &question), expected, "{command}");
        assert_eq!(asked.end().code == 0, expected == allowed, "{command}");
    }
    let (asked, question) = chat.ask(&mut anna, &["id", "-u"]);
    anna.reacts(POSTERN, "chat", &question.message, "✅");
    assert_eq!(outcome(&mut anna, &question), "✅ Approved always by xmpp, anna@localhost");
    assert_eq!(asked.end().code, 0);
    assert_eq!(Asked::new(&chat.channel, &["id", "-u"]).end().code, 0, "exactly this is not asked again");
}

/// A stranger's message that nests deeply took the whole host with it.
#[test]
fn a_strangers_message_that_nests_deeply_is_left_out_and_nothing_else() {
    let Some(chat) = chat(&[]) else { return };
    let (mut anna, mut eve) = (chat.anna(), chat.server.login("eve"));
    for levels in [1_500, 5_000] {
        let nested = format!("{}{}", "<a>".repeat(levels), "</a>".repeat(levels));
        eve.message(POSTERN, "chat", &format!("<body>hello</body><x xmlns='urn:x'>{nested}</x>"));
    }
    let (asked, question) = chat.ask(&mut anna, &["uname", "-s"]);
    anna.says(POSTERN, &format!("/approve {}", question.code));
    assert_eq!(asked.end().stdout.trim(), "Linux");
    assert_eq!(chat.door()["state"], "open", "{}", chat.door());
}

#[test]
fn a_strangers_reaction_is_ignored_and_noted_and_the_timeout_denies() {
    let Some(chat) = chat(&[]) else { return };
    let (mut anna, mut eve) = (chat.anna(), chat.server.login("eve"));
    chat.host.ok(&["agents", "set", "main", "approval-timeout=10s"]);
    let (asked, question) = chat.ask(&mut anna, &["uname"]);
    eve.reacts(POSTERN, "chat", &question.message, "👍");
    eve.says(POSTERN, &format!("/approve {}", question.code));
    let forged = format!(
        "<received xmlns='urn:xmpp:carbons:2'><forwarded xmlns='urn:xmpp:forward:0'><message xmlns='jabber:client' \
         from='anna@localhost/phone' to='{POSTERN}' type='chat'><body>/approve {}</body></message></forwarded></received>",
        question.code
    );
    eve.message(POSTERN, "chat", &forged);
    chat.host.until(&["doors", "list"], "eve@localhost");
    let ended = outcome(&mut anna, &question);
    assert!(ended.starts_with("⌛ Expired: nobody answered in time"), "{ended}");
    assert_eq!(asked.end().code, 126);
    let notes = chat.door()["notes"].to_string();
    assert!(notes.contains("an unknown client was ignored") && notes.contains("eve@localhost"), "{notes}");
    anna.reacts(POSTERN, "chat", &question.message, "👍");
    let reply = body(&anna.hears("is no longer open"));
    assert!(reply.contains("Expired"), "{reply}");
}

#[test]
fn a_name_in_a_room_proves_nothing() {
    let Some((chat, mut anna, mut eve)) = in_a_room() else { return };
    let (asked, asks) = chat.ask(&mut anna, &["uname"]);
    assert_eq!(asks.stanza.attr("from"), Some("ops@rooms.localhost/postern"), "it is shown in the room");
    question(&mut eve);
    eve.reacts(ROOM, "groupchat", &asks.message, "👍");
    eve.message(ROOM, "groupchat", &format!("<body>/approve {}</body>", asks.code));
    chat.host.until(&["doors", "list"], "eve@localhost");
    // Anna takes another name, and Eve hers.
    anna.enters(ROOM, "anna-at-work");
    eve.enters(ROOM, "anna");
    eve.reacts(ROOM, "groupchat", &asks.message, "✅");
    eve.message("ops@rooms.localhost/postern", "chat", &format!("<body>/approve {}</body>", asks.code));
    eve.message(ROOM, "groupchat", "<body>that was all</body>");
    anna.hears("that was all");
    chat.host.until(&["doors", "list"], "anna (eve@localhost)");
    assert_eq!(chat.host.json(&["questions"]).as_array().unwrap().len(), 1, "it waits still");
    anna.reacts(ROOM, "groupchat", &asks.message, "👍");
    assert_eq!(outcome(&mut anna, &asks), "✅ Approved once by xmpp, anna@localhost");
    assert_eq!(asked.end().code, 0);
}

/// This room names no messages: their ids are their senders' own.
#[test]
fn a_reaction_to_somebody_elses_message_under_the_same_id_approves_nothing() {
    let Some((chat, mut anna, mut eve)) = in_a_room() else { return };
    let (asked, asks) = chat.ask(&mut anna, &["uname"]);
    let id = &asks.message;
    eve.send(&format!("<message to='{ROOM}' type='groupchat' id='{id}'><body>lunch at 12?</body></message>"));
    anna.hears("lunch at 12?");
    anna.reacts(ROOM, "groupchat", id, "👍");
    anna.message(ROOM, "groupchat", "<body>that was all</body>");
    eve.hears("that was all");
    assert_eq!(chat.host.json(&["questions"]).as_array().unwrap().len(), 1, "it waits still");
    anna.message(ROOM, "groupchat", &format!("<body>/approve {}</body>", asks.code));
    assert_eq!(asked.end().code, 0, "its digits name it");
}

/// Postern does not hear what is said in a room while it is away: somebody may use an id again then.
#[test]
fn a_reaction_to_what_was_posted_before_postern_came_into_the_room_approves_nothing() {
    let Some((chat, mut anna, mut eve)) = in_a_room() else { return };
    let (asked, asks) = chat.ask(&mut anna, &["uname"]);
    let settle = |person: &mut Person| {
        person.message(ROOM, "groupchat", "<body>/approve</body>");
        person.hears("Write it as");
    };
    settle(&mut anna);
    chat.host.ok(&["doors", "disable", "xmpp"]);
    let id = &asks.message;
    eve.send(&format!("<message to='{ROOM}' type='groupchat' id='{id}'><body>lunch at 12?</body></message>"));
    anna.hears("lunch at 12?");
    chat.host.ok(&["doors", "enable", "xmpp"]);
    anna.reacts(ROOM, "groupchat", id, "👍");
    settle(&mut anna);
    assert_eq!(chat.host.json(&["questions"]).as_array().unwrap().len(), 1, "it waits still");
    anna.message(ROOM, "groupchat", &format!("<body>/approve {}</body>", asks.code));
    assert_eq!(asked.end().code, 0, "its digits name it");
}

#[test]
fn in_a_room_without_accounts_the_occupant_id_of_the_service_counts() {
    const ROOM: &str = "ops@veiled.localhost";
    let Some(chat) = chat(&[]) else { return };
    let (mut anna, mut eve) = (chat.server.login("anna"), chat.server.login("eve"));
    // The first to come moderates the room, and is shown accounts: that is Anna, not Postern.
    anna.enters(ROOM, "anna");
    chat.host.ok(&["doors", "enable", "xmpp", "room=ops@veiled.localhost"]);
    anna.message(ROOM, "groupchat", &format!("<body>/pair {}</body>", chat.code()));
    anna.hears("Paired");
    let (asked, asks) = chat.ask(&mut anna, &["uname"]);
    eve.enters(ROOM, "eve");
    let id = chat.door()["clients"][0]["id"].as_str().unwrap().to_owned();
    let (room, occupant) = id.split_once('#').expect("an occupant of a room");
    assert_eq!(room, ROOM, "the room shows no account: {id}");
    let forged = format!(
        "<occupant-id xmlns='urn:xmpp:occupant-id:0' id='{occupant}'/><body>/approve {}</body>",
        asks.code
    );
    eve.message(ROOM, "groupchat", &forged);
    chat.host.until(&["doors", "list"], "an unknown client was ignored");
    assert_eq!(chat.host.json(&["questions"]).as_array().unwrap().len(), 1, "it waits still");
    anna.message(ROOM, "groupchat", &format!("<body>/approve {}</body>", asks.code));
    assert_eq!(outcome(&mut anna, &asks), "✅ Approved once by xmpp, anna");
    assert_eq!(asked.end().code, 0);
}

#[test]
fn it_comes_back_after_a_crash_of_either_side() {
    let Some(mut chat) = chat(&[]) else { return };
    let mut anna = chat.anna();
    let (asked, question) = chat.ask(&mut anna, &["uname"]);
    // What is said next comes after everything so far is written down.
    anna.says(POSTERN, "/approve");
    anna.hears("Write it as");
    chat.host.crash();
    chat.host.start_again();
    assert_ne!(asked.end().code, 0);
    assert_eq!(outcome(&mut anna, &question), "❌ Denied: Postern was restarted before it was answered");
    anna.reacts(POSTERN, "chat", &question.message, "👍");
    anna.hears("is no longer open: Denied: Postern was restarted");
    chat.server.crash();
    chat.host.until(&["doors", "list"], "xmpp: broken");
    let asked = Asked::new(&chat.channel, &["uname"]);
    chat.host.until(&["questions"], "uname");
    chat.server.start_again();
    let mut anna = chat.server.login("anna");
    let question = self::question(&mut anna);
    anna.reacts(POSTERN, "chat", &question.message, "👍");
    assert_eq!(asked.end().code, 0, "what waited is shown when the server is back");
}

#[test]
fn a_password_and_a_certificate_have_to_be_right() {
    let Some(chat) = chat(&[]) else { return };
    let wrong = chat.enable("another", &[]);
    assert!(wrong.code != 0 && wrong.stderr.contains("refuses this account"), "{wrong:?}");
    assert_eq!(chat.door()["state"], "open", "with the password that was right: {}", chat.door());
    let other = Prosody::start(&[]);
    let ca = format!("ca={}", other.certificate().display());
    chat.host.refuses(&["doors", "enable", "xmpp", &ca], "certificate is not trusted");
    chat.host.refuses(&["doors", "enable", "xmpp", "password=postern"], "password=-");
    chat.host.refuses(&["doors", "enable", "xmpp", "owners=anna"], "name@example.org");
}
