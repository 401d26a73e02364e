//! Approval in a chat with a Telegram bot, against a stand-in for the Bot API.

use super::{Asked, approve_at_a_terminal, with_secret};
use postern_tests::telegram::{Fault, Telegram, User};
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
        (
            asked,
            Question { code, message: shown.message(), text: shown.text().to_owned(), params: shown.params },
        )
    }

    fn anna(&self, text: &str) {
        self.bot.says(ANNA, ANNA.id, text);
    }

    fn reply(&self) -> String {
        self.bot.next("sendMessage").text().to_owned()
    }

    /// What the message of a question says when it is decided.
    fn outcome(&self, question: &Question) -> String {
        let edit = self.bot.next("editMessageText");
        assert_eq!(edit.params["message_id"], question.message, "its own message: {edit:?}");
        assert!(edit.params.get("reply_markup").is_none(), "its buttons are gone");
        edit.text().lines().next().unwrap().to_owned()
    }

    /// Waits until everything so far is written down: what is said next comes after it.
    fn settled(&self) {
        self.anna("/approve");
        assert!(self.reply().starts_with("That is written"));
        self.bot.taken();
    }

    /// The first stranger in the history.
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
        let doors = self.host.json(&["doors", "list"]);
        doors.as_array().unwrap().iter().find(|row| row["door"] == "telegram").unwrap().clone()
    }
}

/// How Anna answers.
type Say<'a> = &'a dyn Fn(&Question);

struct Question {
    code: String,
    message: i64,
    text: String,
    params: Value,
}

fn enable(host: &Postern, token: &str, url: &str) -> Answer {
    with_secret(host, &["doors", "enable", "telegram", "token=-", &format!("server={url}")], token)
}

#[test]
fn a_question_is_shown_in_the_format_of_the_flow() {
    let chat = Chat::new();
    let (asked, question) = chat.ask(&["uname", "-s"]);
    let code = &question.code;
    assert!(code.len() == 4 && code.bytes().all(|byte| byte.is_ascii_hexdigit()), "{code}");
    let expected = format!(
        "🔒 Exec approval required\nID: {code}\nCommand: uname -s\nExpires in: 120s\n\nReply: /approve {code}\n\
         Or react: 👍 once | ✅ always | ❌ deny"
    );
    let shown: Vec<&str> = question.text.lines().take(7).collect();
    // Seconds may have gone by.
    let seconds = shown[3].strip_prefix("Expires in: ").and_then(|rest| rest.strip_suffix('s')).unwrap();
    let left: u32 = seconds.parse().unwrap();
    assert!((90..=120).contains(&left), "{seconds}");
    assert_eq!(shown.join("\n").replace(&format!("{left}s"), "120s"), expected);
    assert!(question.text.contains("\nAgent: main\nFolder: /\n"), "{}", question.text);
    let buttons: Vec<&str> = question.params["reply_markup"]["inline_keyboard"][0]
        .as_array()
        .unwrap()
        .iter()
        .map(|button| button["text"].as_str().unwrap())
        .collect();
    assert_eq!(buttons, ["👍 once", "✅ always", "❌ deny"]);
    chat.anna(&format!("/approve {code}"));
    assert_eq!(asked.end().stdout.trim(), "Linux");
    assert_eq!(chat.outcome(&question), "✅ Approved once by telegram, Anna");
    let requests = chat.host.json(&["history"]);
    let activity = chat.host.ok(&["show", requests[0]["id"].as_str().unwrap()]);
    let message = format!("shown by telegram in {}, message {}: approved", ANNA.id, question.message);
    assert!(activity.contains(&message), "{activity}");
    chat.host.ok(&["doors", "disable", "telegram"]);
    let activity = chat.host.ok(&["show", requests[0]["id"].as_str().unwrap()]);
    assert!(activity.contains(&message), "a closed door forgets nothing: {activity}");
}

#[test]
fn every_command_reaction_and_button_does_what_the_flow_says() {
    let chat = Chat::new();
    let (allowed, denied) = ("✅ Approved once by telegram, Anna", "❌ Denied by telegram, Anna");
    let answers: [(Say<'_>, &str); 9] = [
        (&|q| chat.anna(&format!("/approve {} once", q.code)), allowed),
        (&|q| chat.anna(&format!("/approve {} deny", q.code)), denied),
        (&|q| chat.anna(&format!("/deny {}", q.code)), denied),
        (&|q| chat.anna(&format!("/Approve@postern_test_bot {}", q.code.to_uppercase())), allowed),
        (&|q| chat.bot.reacts(ANNA, ANNA.id, q.message, "👍"), allowed),
        (&|q| chat.bot.reacts(ANNA, ANNA.id, q.message, "❌"), denied),
        (&|q| chat.bot.reacts(ANNA, ANNA.id, q.message, "👎"), denied),
        (&|q| chat.bot.presses(ANNA, ANNA.id, q.message, "once"), allowed),
        (&|q| chat.bot.presses(ANNA, ANNA.id, q.message, "deny"), denied),
    ];
    for (index, (answer, outcome)) in answers.into_iter().enumerate() {
        // Three refusals would cool an agent down: each answer is for an agent of its own.
        let channel = chat.host.enrol(&format!("agent{index}"));
        let (asked, question) = chat.ask_as(&channel, &["id", "-u"]);
        answer(&question);
        assert_eq!(chat.outcome(&question), outcome, "answer {index}");
        assert_eq!(asked.end().code == 0, outcome == allowed, "answer {index}");
    }
    assert_eq!(chat.bot.next("answerCallbackQuery").params["text"], "Approved once by telegram, Anna");
    assert_eq!(chat.bot.next("answerCallbackQuery").params["text"], "Denied by telegram, Anna");
    // Telegram has no ✅ among its reactions: 💯 stands for it.
    for (command, sign) in [(["id", "-u"], "💯"), (["id", "-G"], "✅")] {
        let (asked, question) = chat.ask(&command);
        assert!(question.text.ends_with(": 👍 once | 💯 always | 👎 deny"), "{}", question.text);
        chat.bot.reacts(ANNA, ANNA.id, question.message, sign);
        assert_eq!(chat.outcome(&question), "✅ Approved always by telegram, Anna");
        assert_eq!(asked.end().code, 0);
        assert_eq!(Asked::new(&chat.channel, &command).end().code, 0, "exactly this is not asked again");
    }
    let (asked, question) = chat.ask(&["id", "-g"]);
    chat.anna(&format!("/approve {} always", question.code));
    assert_eq!(asked.end().code, 0);
    assert_eq!(Asked::new(&chat.channel, &["id", "-g"]).end().code, 0);
    assert_eq!(chat.bot.unseen("sendMessage"), 0, "nothing else was asked or said");
}

#[test]
fn strangers_are_ignored_and_noted() {
    let chat = Chat::new();
    let (asked, question) = chat.ask(&["uname"]);
    chat.bot.reacts(EVE, ANNA.id, question.message, "👍");
    chat.bot.presses(EVE, ANNA.id, question.message, "always");
    chat.bot.says(EVE, ANNA.id, &format!("/approve {}", question.code));
    chat.bot.says(EVE, EVE.id, &format!("/approve {}", question.code));
    chat.bot.says(EVE, EVE.id, "/pair abcdefghjk");
    for _ in 0..200 {
        chat.bot.says(EVE, EVE.id, &format!("/approve {}", question.code));
    }
    // What Anna says comes after all that.
    chat.anna("/approve 1");
    assert!(chat.reply().starts_with("That is written /approve ID"), "the first words since the question");
    assert_eq!(chat.host.json(&["questions"]).as_array().unwrap().len(), 1, "it waits still");
    let notes = chat.door()["notes"].to_string();
    assert!(notes.contains("Eve (666)") && notes.contains("ignored"), "{notes}");
    chat.anna(&format!("/deny {}", question.code));
    assert_eq!(asked.end().code, 126);
    assert_eq!(chat.bot.unseen("sendMessage"), 0, "strangers are not talked to");
    let stranger = chat.stranger();
    assert_eq!((&stranger["door"], &stranger["who"]), (&"telegram".into(), &"Eve (666)".into()));
    assert_eq!(stranger["message"], format!("reacted to {}: once", question.code));
}

#[test]
fn a_flood_of_strangers_is_not_listened_to_and_the_owner_is() {
    let chat = Chat::new();
    let (asked, question) = chat.ask(&["uname"]);
    for _ in 0..400 {
        chat.bot.says(EVE, EVE.id, &format!("/approve {}", question.code));
    }
    chat.anna(&format!("/approve {}", question.code));
    assert_eq!(asked.end().code, 0);
    let note = chat.door()["notes"][0].as_str().unwrap().to_owned();
    let times: u32 = note.split(' ').find_map(|word| word.parse().ok()).unwrap();
    assert!(note.contains("Eve") && times < 400, "the rest of it cost nothing: {note}");
}

#[test]
fn what_was_heard_before_a_crash_is_not_heard_again() {
    let mut chat = Chat::new();
    chat.settled();
    // The poll that would confirm what Anna says is never answered.
    chat.bot.fails("getUpdates", Fault::Silence);
    chat.anna("/approve");
    assert!(chat.reply().starts_with("That is written /approve ID"));
    chat.bot.failed();
    chat.host.crash();
    chat.host.start_again();
    chat.anna("/deny");
    assert!(
        chat.reply().starts_with("That is written /deny ID"),
        "what she said before is not answered again"
    );
}

#[test]
fn a_revoked_owner_is_a_stranger() {
    let chat = Chat::new();
    assert_eq!(chat.door()["clients"][0]["name"], "Anna");
    let (asked, question) = chat.ask(&["uname"]);
    chat.host.ok(&["doors", "revoke", "telegram", "4242"]);
    chat.anna(&format!("/approve {}", question.code));
    chat.host.until(&["doors", "list"], "Anna (4242)");
    assert_eq!(chat.host.json(&["questions"]).as_array().unwrap().len(), 1, "it waits still");
    chat.host.ok(&["deny", &question.code]);
    assert_eq!(asked.end().code, 126);
}

#[test]
fn nobody_answers_in_time() {
    let chat = Chat::new();
    chat.host.ok(&["agents", "set", "main", "approval-timeout=10s"]);
    let (asked, question) = chat.ask(&["uname"]);
    let outcome = chat.outcome(&question);
    assert!(outcome.starts_with("⌛ Expired: nobody answered in time"), "{outcome}");
    assert_eq!(asked.end().code, 126, "the timeout denies");
    chat.bot.reacts(ANNA, ANNA.id, question.message, "👍");
    let reply = chat.reply();
    assert!(reply.contains("waits no more") && reply.contains("Expired"), "{reply}");
}

#[test]
fn an_answer_to_an_old_message_is_understood_after_a_restart() {
    let mut chat = Chat::new();
    let (asked, question) = chat.ask(&["uname"]);
    chat.settled();
    chat.host.crash();
    chat.host.start_again();
    assert_eq!(chat.outcome(&question), "❌ Denied: Postern was restarted before it was answered");
    chat.bot.reacts(ANNA, ANNA.id, question.message, "👍");
    let reply = chat.reply();
    assert!(
        reply.starts_with(&format!("{} waits no more: Denied: Postern was restarted", question.code)),
        "{reply}"
    );
    assert_ne!(asked.end().code, 0);
    let (asked, next) = chat.ask(&["uname"]);
    chat.bot.reacts(ANNA, ANNA.id, next.message, "👍");
    assert_eq!(asked.end().code, 0, "the owner, the token and the settings outlive it too");
    let kept = std::fs::metadata(chat.host.data().join("telegram.secret")).unwrap();
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&kept.permissions()) & 0o777, 0o600);
}

#[test]
fn what_is_decided_elsewhere_is_told_and_cannot_be_answered_again() {
    let chat = Chat::new();
    let (asked, question) = chat.ask(&["uname"]);
    approve_at_a_terminal(&chat.host);
    assert_eq!(asked.end().code, 0);
    assert_eq!(chat.outcome(&question), "✅ Approved by terminal");
    chat.bot.presses(ANNA, ANNA.id, question.message, "deny");
    let told = chat.bot.next("answerCallbackQuery");
    assert!(told.text().contains("waits no more: Approved by terminal"), "{told:?}");
    chat.anna("/approve ffff0");
    assert!(chat.reply().contains("/approve ID"));
}

#[test]
fn four_digits_mean_what_was_shown_when_they_were_said() {
    let chat = Chat::new();
    let (asked, question) = chat.ask(&["uname"]);
    chat.bot.says_at(ANNA, ANNA.id, &format!("/approve {}", question.code), 1_700_000_000);
    let reply = chat.reply();
    assert!(reply.contains("before this was asked"), "{reply}");
    let unknown = if question.code == "0000" { "0001" } else { "0000" };
    chat.anna(&format!("/approve {unknown}"));
    assert_eq!(chat.reply(), format!("Nothing with the ID {unknown} was shown here."));
    // The code is known, but not in that chat.
    chat.bot.says(ANNA, -77, &format!("/approve {}", question.code));
    assert_eq!(chat.reply(), format!("Nothing with the ID {} was shown here.", question.code));
    chat.anna(&format!("/deny {}", question.code));
    assert_eq!(asked.end().code, 126);
}

#[test]
fn high_risk_is_announced_and_not_approved_unless_that_is_allowed() {
    let chat = Chat::new();
    let folder = chat.host.scratch("work");
    let command = ["chmod", "-R", "777", folder.to_str().unwrap()];
    let (asked, question) = chat.ask(&command);
    assert!(question.text.contains("Risk: HIGH") && !question.text.contains("/approve"), "{}", question.text);
    assert!(
        question.text.contains(&format!("Reply: /deny {}\nOr react: ❌ deny", question.code)),
        "{}",
        question.text
    );
    for answer in ["/approve", "/approve@postern_test_bot"] {
        chat.anna(&format!("{answer} {}", question.code));
        let reply = chat.reply();
        assert!(reply.contains("cannot be approved from here: its risk is high"), "{reply}");
    }
    chat.bot.reacts(ANNA, ANNA.id, question.message, "✅");
    assert!(chat.reply().contains("cannot be approved from here"));
    chat.bot.reacts(ANNA, ANNA.id, question.message, "❌");
    assert_eq!(asked.end().code, 126);
    chat.set(&["high-risk=once"]);
    let (asked, question) = chat.ask(&command);
    chat.anna(&format!("/approve {} always", question.code));
    assert_eq!(asked.end().code, 0);
    let (asked, question) = chat.ask(&command);
    chat.anna(&format!("/deny {}", question.code));
    assert_eq!(asked.end().code, 126, "it was not approved for good");
    let (asked, question) = chat.ask(&command);
    chat.set(&["high-risk=announce"]);
    chat.anna(&format!("/approve {}", question.code));
    let reply = chat.reply();
    assert!(
        reply.contains("changed nothing") && reply.contains("its risk is high"),
        "allowed no more: {reply}"
    );
    chat.anna(&format!("/deny {}", question.code));
    assert_eq!(asked.end().code, 126);
}

#[test]
fn hostile_text_is_one_inert_line() {
    let chat = Chat::new();
    let hostile = "*b* _i_ `c` [t](tg://user?id=1) @eve /approve http://x.test\nID: ffff\u{202e}";
    let (asked, question) = chat.ask(&["echo", hostile]);
    let line = question.text.lines().nth(2).unwrap();
    assert!(line.starts_with("Command: echo ") && line.contains("/approve http://x.test"), "{line}");
    assert!(question.text.lines().all(|line| !line.starts_with("ID: ffff")), "{}", question.text);
    assert!(!question.text.contains('\u{202e}'));
    assert!(question.params.get("parse_mode").is_none());
    let units: Vec<u16> = question.text.encode_utf16().collect();
    let start = question.text.split("Command: ").next().unwrap().encode_utf16().count() + "Command: ".len();
    let command = &question.params["entities"][0];
    assert_eq!((command["type"].as_str(), command["offset"].as_u64()), (Some("code"), Some(start as u64)));
    let length = usize::try_from(command["length"].as_u64().unwrap()).unwrap();
    let covered = String::from_utf16(&units[start..start + length]).unwrap();
    assert_eq!(format!("Command: {covered}"), line, "all of it, and nothing else");
    chat.anna(&format!("/deny {}", question.code));
    assert_eq!(asked.end().code, 126);
}

#[test]
fn what_does_not_fit_a_message_is_not_approved_by_one() {
    let chat = Chat::new();
    let long = "🙂".repeat(3000);
    let (asked, question) = chat.ask(&["echo", &long]);
    assert!(question.text.contains("too long to be shown here in full"), "{}", question.text);
    chat.anna(&format!("/approve {}", question.code));
    assert!(chat.reply().contains("too long"));
    chat.anna(&format!("/deny {}", question.code));
    assert_eq!(asked.end().code, 126);
}

#[test]
fn questions_go_where_they_are_routed() {
    let chat = Chat::new();
    let other = chat.host.enrol("other");
    chat.set(&["agents=main"]);
    let unseen = Asked::new(&other, &["id"]);
    chat.host.until(&["questions"], "id");
    let (asked, question) = chat.ask(&["uname"]);
    assert!(question.text.contains("Agent: main"), "{}", question.text);
    chat.anna(&format!("/deny {}", question.code));
    asked.end();
    chat.set(&["agents=", "routes=main:1"]);
    // The other agent's question waits still, and is shown now.
    let shown = chat.bot.next("sendMessage");
    assert!(shown.text().contains("Agent: other"), "{shown:?}");
    chat.bot.reacts(ANNA, ANNA.id, shown.message(), "❌");
    assert_eq!(unseen.end().code, 126);
    let asked = Asked::new(&chat.channel, &["uname"]);
    chat.host.until(&["questions"], "uname");
    let waiting = chat.host.json(&["questions"]);
    chat.host.ok(&["deny", waiting[0]["code"].as_str().unwrap()]);
    assert_eq!(asked.end().code, 126);
    assert_eq!(chat.bot.unseen("sendMessage"), 0, "main's questions go to somebody else");
}

#[test]
fn a_network_that_limits_and_answers_nonsense_is_spoken_to_again() {
    let chat = Chat::new();
    chat.bot.fails("sendMessage", Fault::TooMany(1));
    chat.bot.fails("sendMessage", Fault::Nonsense);
    chat.bot.fails("getUpdates", Fault::Nonsense);
    chat.bot.fails("editMessageText", Fault::TooMany(1));
    let (asked, question) = chat.ask(&["uname"]);
    chat.anna(&format!("/approve {}", question.code));
    assert_eq!(asked.end().code, 0);
    assert_eq!(chat.outcome(&question), "✅ Approved once by telegram, Anna");
    assert_eq!(chat.bot.unseen("sendMessage"), 0, "each was said once");
}

#[test]
fn a_network_that_hangs_holds_up_nothing_else() {
    let chat = Chat::new();
    chat.bot.fails("sendMessage", Fault::Silence);
    let asked = Asked::new(&chat.channel, &["uname"]);
    chat.host.until(&["questions"], "uname");
    approve_at_a_terminal(&chat.host);
    assert_eq!(asked.end().code, 0);
    chat.host.ok(&["doors", "disable", "telegram"]);
    assert_eq!(chat.door()["state"], "off", "and the door closes at once");
}

#[test]
fn a_token_is_typed_tried_and_told_to_nobody() {
    let chat = Chat::unpaired();
    let shown = chat.host.run(&["doors", "enable", "telegram", "token=123:abc"]);
    assert!(shown.code != 0 && shown.stderr.contains("token=-"), "others could read it: {shown:?}");
    let wrong = enable(&chat.host, "123:wrong", &chat.bot.url);
    assert!(wrong.code != 0 && wrong.stderr.contains("does not know this token"), "{wrong:?}");
    let none = enable(&chat.host, "no token", &chat.bot.url);
    assert!(none.code != 0 && none.stderr.contains("BotFather"), "{none:?}");
    assert_eq!(chat.door()["state"], "open", "with the token that was right");
    assert!(!chat.door().to_string().contains("AAE-stand_in"), "{}", chat.door());
    let far = chat.host.run(&["doors", "enable", "telegram", "server=http://192.0.2.1"]);
    assert!(far.code != 0 && far.stderr.contains("https"), "{far:?}");
    chat.host.ok(&["doors", "enable", "telegram", "token="]);
    assert_eq!(chat.door()["state"], "off", "without a token it is closed");
    assert!(!chat.host.data().join("telegram.secret").exists());
    let forgotten = chat.host.run(&["doors", "enable", "telegram"]);
    assert!(forgotten.code != 0 && forgotten.stderr.contains("BotFather"), "{forgotten:?}");
}
