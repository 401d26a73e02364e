//! Strangers, owners who are none any more, routes, and a network that fails.

use super::super::{Asked, approve_at_a_terminal};
use super::{ANNA, Chat, EVE, enable};
use postern_tests::telegram::Fault;

#[test]
fn strangers_are_ignored_and_noted() {
    let chat = Chat::new();
    let (asked, question) = chat.ask(&["uname"]);
    // A reaction that overtakes the end of posting waits for it, behind what is said meanwhile: here it shall come first.
    chat.settled();
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
    assert!(chat.reply().starts_with("Write it as /approve ID"), "the first words since the question");
    assert_eq!(chat.host.json(&["questions"]).as_array().unwrap().len(), 1, "it waits still");
    let notes = chat.door()["notes"].to_string();
    assert!(notes.contains("Eve (666)") && notes.contains("ignored"), "{notes}");
    chat.denies(asked, &question);
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
fn a_right_code_is_heard_however_much_strangers_say() {
    let chat = Chat::new();
    let setup = chat.host.json(&["doors", "setup", "telegram"]);
    for _ in 0..100 {
        chat.bot.says(EVE, EVE.id, "/pair abcdefghjk");
    }
    chat.bot.says(EVE, EVE.id, &format!("/pair {}", setup["pairingCode"].as_str().unwrap()));
    assert!(chat.reply().starts_with("Paired."));
}

#[test]
fn what_was_heard_before_a_crash_is_not_heard_again() {
    let mut chat = Chat::new();
    chat.settled();
    // The poll that would confirm what Anna says is never answered.
    chat.bot.fails("getUpdates", Fault::Silence);
    chat.anna("/approve");
    assert!(chat.reply().starts_with("Write it as /approve ID"));
    chat.bot.failed();
    chat.host.crash();
    chat.host.start_again();
    chat.anna("/deny");
    assert!(chat.reply().starts_with("Write it as /deny ID"), "what she said before is not answered again");
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
fn questions_go_where_they_are_routed() {
    let chat = Chat::new();
    let other = chat.host.enrol("other");
    chat.set(&["agents=main"]);
    let unseen = Asked::new(&other, &["id"]);
    chat.host.until(&["questions"], "id");
    let (asked, question) = chat.ask(&["uname"]);
    assert!(question.text.contains("Agent: main"), "{}", question.text);
    chat.denies(asked, &question);
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
    chat.host.refuses(&["doors", "enable", "telegram", "server=http://192.0.2.1"], "https");
    chat.host.ok(&["doors", "enable", "telegram", "token="]);
    assert_eq!(chat.door()["state"], "off", "without a token it is closed");
    assert!(!chat.host.data().join("telegram.secret").exists());
    chat.host.refuses(&["doors", "enable", "telegram"], "BotFather");
}
