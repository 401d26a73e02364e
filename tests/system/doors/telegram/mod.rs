//! Approval in a chat with a Telegram bot, against a stand-in for the Bot API.

mod answers;
mod network;

use super::{Asked, with_secret};
use postern_tests::telegram::{Telegram, User};
use postern_tests::{Answer, Postern};
use serde_json::Value;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;

const ANNA: User = User { id: 4242, name: "Anna" };
const EVE: User = User { id: 666, name: "Eve" };

/// A host with the agent `main`, and a bot that Anna owns.
struct Chat {
    host: Postern,
    channel: PathBuf,
    bot: Telegram,
}

impl Chat {
    fn new() -> Self {
        let chat = Self::unpaired();
        let code =
            chat.host.json(&["doors", "setup", "telegram"])["pairingCode"].as_str().unwrap().to_owned();
        chat.bot.says(ANNA, ANNA.id, &format!("/start {code}"));
        assert!(chat.bot.next("sendMessage").text().starts_with("Paired"));
        chat
    }

    fn unpaired() -> Self {
        let host = Postern::start();
        let channel = host.enrol("main");
        let bot = Telegram::start();
        let opened = enable(&host, Telegram::TOKEN, &bot.url);
        assert_eq!(opened.code, 0, "{opened:?}");
        Self { host, channel, bot }
    }

    fn set(&self, values: &[&str]) {
        let mut args = vec!["doors", "enable", "telegram"];
        args.extend(values);
        self.host.ok(&args);
    }

    fn ask(&self, command: &[&str]) -> (Asked, Question) {
        self.ask_as(&self.channel, command)
    }

    fn ask_as(&self, channel: &Path, command: &[&str]) -> (Asked, Question) {
        let asked = Asked::new(channel, command);
        let shown = self.bot.next("sendMessage");
        assert_eq!(shown.params["chat_id"], ANNA.id);
        let code =
            shown.text().lines().nth(1).and_then(|line| line.strip_prefix("ID: ")).expect("an ID").to_owned();
        let (message, text) = (shown.message(), shown.text().to_owned());
        (asked, Question { code, message, text, params: shown.params })
    }

    fn anna(&self, text: &str) {
        self.bot.says(ANNA, ANNA.id, text);
    }

    /// Denies a question by its code, which ends the request.
    fn denies(&self, asked: Asked, question: &Question) {
        self.anna(&format!("/deny {}", question.code));
        assert_eq!(asked.end().code, 126);
    }

    fn reply(&self) -> String {
        self.bot.next("sendMessage").text().to_owned()
    }

    fn outcome(&self, question: &Question) -> String {
        let edit = self.bot.next("editMessageText");
        assert_eq!(edit.params["message_id"], question.message, "its own message: {edit:?}");
        assert!(edit.params.get("reply_markup").is_none(), "its buttons are gone");
        edit.text().lines().next().unwrap().to_owned()
    }

    /// Waits until everything so far is written down: what is said next comes after it.
    fn settled(&self) {
        self.anna("/approve");
        assert!(self.reply().starts_with("Write it as"));
        self.bot.taken();
    }

    /// Returns the first stranger in the history.
    fn stranger(&self) -> Value {
        let mut feed = self.host.command(&["history", "--watch", "--json", "--since", "1h"]);
        let mut feed = feed.stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(feed.stdout.take().unwrap()).lines();
        let mut events = lines.map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
        let stranger = events.find(|event| event["event"] == "door.stranger").unwrap();
        feed.kill().unwrap();
        feed.wait().unwrap();
        stranger
    }

    fn door(&self) -> Value {
        self.host.door("telegram")
    }
}

/// Way in which Anna answers.
type Say<'a> = &'a dyn Fn(&Question);

struct Question {
    code: String,
    message: i64,
    text: String,
    params: Value,
}

fn enable(host: &Postern, token: &str, url: &str) -> Answer {
    // What is told of a wider policy has a test of its own.
    let server = format!("server={url}");
    with_secret(host, &["doors", "enable", "telegram", "token=-", "changes=off", &server], token)
}
