//! Tests of what is shown in the chat, and of each answer there.

use super::super::{Asked, approve_at_a_terminal};
use super::{ANNA, Chat, Say};
use postern_tests::telegram::Fault;

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
    for (command, sign) in [(["id", "-u"], "💯"), (["uname", "-s"], "✅")] {
        let (asked, question) = chat.ask(&command);
        assert!(question.text.ends_with(": 👍 once | 💯 always | 👎 deny"), "{}", question.text);
        chat.bot.reacts(ANNA, ANNA.id, question.message, sign);
        assert_eq!(chat.outcome(&question), "✅ Approved always by telegram, Anna");
        assert_eq!(asked.end().code, 0);
        assert_eq!(Asked::new(&chat.channel, &command).end().code, 0, "exactly this is not asked again");
    }
    let (asked, question) = chat.ask(&["nproc", "--all"]);
    chat.anna(&format!("/approve {} always", question.code));
    assert_eq!(asked.end().code, 0);
    assert_eq!(Asked::new(&chat.channel, &["nproc", "--all"]).end().code, 0);
    assert_eq!(chat.bot.unseen("sendMessage"), 0, "nothing else was asked or said");
}

#[test]
fn what_always_saved_is_told_or_why_it_saved_nothing() {
    let chat = Chat::new();
    let (asked, question) = chat.ask(&["id", "-u"]);
    let saves = "\nAlways saves: id … with any arguments, doing no more than this, in / and below";
    assert!(question.text.contains(saves), "{}", question.text);
    chat.anna(&format!("/approve {} always", question.code));
    assert_eq!(asked.end().code, 0);
    let edit = chat.bot.next("editMessageText");
    let saved = "\nSaved: id *, in / and below; asks again if the program is updated\n";
    assert!(edit.text().contains(saved), "{}", edit.text());
    let out = chat.host.scratch("work").join("out");
    let (asked, question) = chat.ask(&["sh", "-c", &format!("uname > {}$(id -u)", out.display())]);
    let saves = "\nAlways saves nothing: a part of it is only known when it runs";
    assert!(question.text.contains(saves), "{}", question.text);
    chat.bot.presses(ANNA, ANNA.id, question.message, "always");
    drop(asked.end());
    let why = "; nothing was saved because a part of it is only known when it runs";
    assert_eq!(chat.outcome(&question), format!("✅ Approved once by telegram, Anna{why}"));
    assert!(chat.bot.next("answerCallbackQuery").text().ends_with(why), "who pressed is told");
}

#[test]
fn a_wider_policy_is_told_to_the_owners_until_that_is_turned_off() {
    let chat = Chat::new();
    chat.set(&["changes=on"]);
    chat.host.ok(&["agents", "set", "main", "ask=off"]);
    // That the setting of the door changed is told before it, or with it.
    let told = std::iter::repeat_with(|| chat.reply()).find(|told| told.contains("agent main")).unwrap();
    assert!(told.starts_with("🔓 More may run now\n") && told.contains("ask on-miss → off"), "what: {told}");
    assert!(told.contains("\nBy: terminal, "), "who, and through which approver: {told}");
    chat.set(&["changes=off"]);
    chat.host.ok(&["agents", "set", "main", "fallback=full", "--yes"]);
    chat.anna("/approve");
    let said = std::iter::repeat_with(|| chat.reply()).take_while(|said| !said.starts_with("Write it as"));
    assert!(said.into_iter().all(|said| !said.contains("agent main")), "nothing was said of the last change");
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
    assert!(reply.contains("is no longer open") && reply.contains("Expired"), "{reply}");
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
    let over = format!("{} is no longer open: Denied: Postern was restarted", question.code);
    assert!(reply.starts_with(&over), "{reply}");
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
    assert!(told.text().contains("is no longer open: Approved by terminal"), "{told:?}");
    chat.anna("/approve ffff0");
    assert!(chat.reply().contains("/approve ID"));
}

#[test]
fn what_is_decided_while_the_door_is_closed_is_told_when_it_opens() {
    let mut chat = Chat::new();
    let (asked, question) = chat.ask(&["uname"]);
    chat.settled();
    chat.host.ok(&["doors", "disable", "telegram"]);
    approve_at_a_terminal(&chat.host);
    assert_eq!(asked.end().code, 0);
    chat.set(&[]);
    assert_eq!(chat.outcome(&question), "✅ Approved by terminal");
    // What the network did not take before a crash is said after it.
    let (asked, question) = chat.ask(&["uname"]);
    chat.bot.fails("editMessageText", Fault::Silence);
    chat.denies(asked, &question);
    chat.bot.failed();
    chat.host.crash();
    chat.host.start_again();
    assert_eq!(chat.outcome(&question), "❌ Denied by telegram, Anna");
}

#[test]
fn four_digits_mean_what_was_shown_when_they_were_said() {
    let chat = Chat::new();
    let (asked, question) = chat.ask(&["uname"]);
    chat.bot.says_at(ANNA, ANNA.id, &format!("/approve {}", question.code), 1_700_000_000);
    let reply = chat.reply();
    assert!(reply.contains("came before the question"), "{reply}");
    let unknown = if question.code == "0000" { "0001" } else { "0000" };
    chat.anna(&format!("/approve {unknown}"));
    assert_eq!(chat.reply(), format!("Nothing with the ID {unknown} was shown here."));
    // The code is known, but not in that chat.
    chat.bot.says(ANNA, -77, &format!("/approve {}", question.code));
    assert_eq!(chat.reply(), format!("Nothing with the ID {} was shown here.", question.code));
    chat.denies(asked, &question);
}

#[test]
fn high_risk_is_announced_and_not_approved_unless_that_is_allowed() {
    let chat = Chat::new();
    let folder = chat.host.scratch("work");
    let command = ["chmod", "-R", "777", folder.to_str().unwrap()];
    let (asked, question) = chat.ask(&command);
    let shown = question.text.contains("Risk: DANGEROUS") && !question.text.contains("/approve");
    assert!(shown, "{}", question.text);
    let answers = format!("Reply: /deny {}\nOr react: ❌ deny", question.code);
    assert!(question.text.contains(&answers), "{}", question.text);
    for answer in ["/approve", "/approve@postern_test_bot"] {
        chat.anna(&format!("{answer} {}", question.code));
        let reply = chat.reply();
        assert!(reply.contains("cannot be approved from here: it is dangerous"), "{reply}");
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
    // That approved it once: no rule was saved.
    chat.denies(asked, &question);
    let (asked, question) = chat.ask(&command);
    chat.set(&["high-risk=announce"]);
    chat.anna(&format!("/approve {}", question.code));
    let reply = chat.reply();
    assert!(
        reply.contains("changed nothing") && reply.contains("it is dangerous"),
        "allowed no more: {reply}"
    );
    chat.denies(asked, &question);
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
    chat.denies(asked, &question);
}

#[test]
fn what_does_not_fit_a_message_is_not_approved_by_one() {
    let chat = Chat::new();
    let long = "🙂".repeat(3000);
    let (asked, question) = chat.ask(&["echo", &long]);
    assert!(question.text.contains("too long to be shown here in full"), "{}", question.text);
    chat.anna(&format!("/approve {}", question.code));
    assert!(chat.reply().contains("too long"));
    chat.denies(asked, &question);
}
