//! Inbox of one Mac: what waits on another Mac is shown by this one's own approvers, and answered as anything else.

use crate::stage::{Mac, PATIENCE, Stage, never_ran, ran_once, until_async};
use postern_client::Channel;
use postern_contract::{ApproverNotification, Question, join_pieces};
use postern_host::{ApproverGuard, ConnectedApproverKind, Host};
use postern_policy::Profile;
use postern_protocol::RunResult;
use postern_tests::telegram::{Telegram, User};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::broadcast::Receiver;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::timeout;

/// Somebody at a Mac, with an approver of it.
struct Person {
    host: Host,
    face: ApproverGuard,
    told: Receiver<ApproverNotification>,
}

impl Person {
    fn at(mac: &Mac, kind: ConnectedApproverKind) -> Self {
        let told = mac.host.subscribe();
        Self { host: mac.host.clone(), face: mac.host.add_approver(kind), told }
    }

    async fn call(&self, method: &str, params: Value) -> Value {
        self.host.call_by_name(&self.face.id(), method, params).await.unwrap()
    }

    async fn opened(&mut self) -> Question {
        loop {
            if let ApproverNotification::QuestionOpened(question) =
                timeout(PATIENCE, self.told.recv()).await.unwrap().unwrap()
            {
                return *question;
            }
        }
    }

    /// Waits until a question shows something else.
    async fn changed(&mut self, before: &Question) -> Question {
        loop {
            if let ApproverNotification::QuestionChanged(question) =
                timeout(PATIENCE, self.told.recv()).await.unwrap().unwrap()
                && question.id == before.id
                && question.digest != before.digest
            {
                return *question;
            }
        }
    }

    async fn closed(&mut self) -> (String, Option<String>) {
        loop {
            if let ApproverNotification::QuestionClosed(closed) =
                timeout(PATIENCE, self.told.recv()).await.unwrap().unwrap()
            {
                return (closed.how.name().to_owned(), closed.face);
            }
        }
    }

    async fn answer(&self, question: &Question, answer: &str) -> Value {
        let params = json!({"questionId": question.id, "digest": question.digest, "answer": answer});
        self.call("questions.answer", params).await
    }
}

/// Question of the mini in the inbox of the laptop.
struct InInbox {
    stage: Stage,
    /// File that the agent asks to write.
    file: PathBuf,
    run: JoinHandle<(RunResult, Channel)>,
    mara: Person,
    asked: Question,
}

/// Opens the laptop's door, and asks once Mara is there with an approver of this kind.
async fn asked_in_inbox(kind: ConnectedApproverKind) -> InInbox {
    let mut stage = Stage::set().await;
    stage.laptop.call("doors.enable", json!({"door": "fleet"})).await;
    let file = stage.mini.file("file");
    let (run, (face, told)) = stage.ask_once_attended(&file, kind).await;
    let mut mara = Person { host: stage.laptop.host.clone(), face, told };
    let asked = mara.opened().await;
    InInbox { stage, file, run, mara, asked }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_window_shows_arms_and_answers_what_waits_on_another_mac() {
    let InInbox { stage, file, run, mut mara, asked } = asked_in_inbox(ConnectedApproverKind::Window).await;
    assert_eq!(asked.host.as_deref(), Some("mini"));
    assert!(
        join_pieces(&asked.headline).starts_with("mini · "),
        "the headline names it: {:?}",
        asked.headline
    );
    let listed = mara.call("questions.list", json!({})).await;
    assert_eq!(listed["questions"][0]["id"], json!(asked.id));
    let door = stage.laptop.call("questions.list", json!({})).await;
    assert_eq!(door["questions"], json!([]), "what came through a door leaves through none");
    // As with any other: not before it was looked at.
    let blind = mara.answer(&asked, "once").await;
    assert_eq!(blind["applied"], json!(false), "{blind}");
    let seen = json!({"questionId": asked.id, "digest": asked.digest, "visible": true, "endSeen": true, "change": 1});
    let armed = async {
        while mara.call("questions.presented", seen.clone()).await["armed"] != json!(true) {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, armed).await.unwrap();
    assert!(!file.exists(), "nothing ran so far");
    for elsewhere in ["deny-all", "deny-always"] {
        let answered = mara.answer(&asked, elsewhere).await;
        assert_eq!(answered["applied"], json!(false), "{elsewhere} is answered on the Mac itself");
    }
    assert_eq!(mara.answer(&asked, "once").await["applied"], json!(true));
    ran_once(run, &file).await;
    assert_eq!(mara.closed().await.0, "allowed");
    let rows = stage.mini.call("requests.list", json!({})).await;
    let request = stage.mini.call("requests.get", json!({"id": rows["requests"][0]["id"]})).await;
    assert!(request.to_string().contains("Mara on MacBook"), "the Mac that asked knows who answered where");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tighter_profile_is_chosen_on_another_mac_and_shown_before_it_is_allowed() {
    let InInbox { stage, file, run, mut mara, asked } = asked_in_inbox(ConnectedApproverKind::Terminal).await;
    assert!(asked.tighter.contains(&Profile::Look), "{:?}", asked.tighter);
    let edit = |values: Value| {
        let mut params = json!({"questionId": asked.id, "digest": asked.digest});
        params.as_object_mut().unwrap().extend(values.as_object().unwrap().clone());
        mara.call("questions.edit", params)
    };
    let other = edit(json!({"text": "echo else"})).await;
    assert_eq!(other["applied"], json!(false), "another command is typed on the Mac itself");
    let edited = edit(json!({"confine": "look"})).await;
    assert_eq!(edited["applied"], json!(true), "{edited}");
    let shown = mara.changed(&asked).await;
    assert!(shown.confined_by_person, "{shown:?}");
    assert_eq!(mara.answer(&asked, "once").await["applied"], json!(false), "what was shown before");
    assert_eq!(mara.answer(&shown, "once").await["applied"], json!(true));
    timeout(PATIENCE, run).await.unwrap().unwrap();
    assert!(!file.exists(), "it ran, and could write nothing");
    let rows = stage.mini.call("requests.list", json!({})).await;
    assert_eq!(rows["requests"][0]["state"], json!("finished"), "{rows}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_on_the_mac_itself_empties_the_other_inbox_and_says_where() {
    let InInbox { stage, file, run, mut mara, asked } = asked_in_inbox(ConnectedApproverKind::Terminal).await;
    let local = Person::at(&stage.mini, ConnectedApproverKind::Terminal);
    assert_eq!(local.answer(&asked, "deny").await["applied"], json!(true));
    assert_eq!(mara.closed().await, ("denied".to_owned(), Some("mini (terminal)".to_owned())));
    let late = mara.answer(&asked, "once").await;
    assert_eq!(late["applied"], json!(false), "{late}");
    never_ran(run, &file).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mac_that_is_gone_is_offline_and_a_broker_that_is_gone_empties_the_inbox() {
    let InInbox { mut stage, file, run: _run, mut mara, asked } =
        asked_in_inbox(ConnectedApproverKind::Terminal).await;
    stage.mini.call("doors.disable", json!({"door": "fleet"})).await;
    // Until the broker has seen that its connection ended, what is sent to it is not confirmed.
    until_async(async || {
        let answered = mara.answer(&asked, "once").await;
        assert_eq!(answered["applied"], json!(false));
        answered["reason"] == json!("that Mac is offline: nothing was sent")
    })
    .await;
    stage.broker.kill();
    assert_eq!(
        mara.closed().await,
        ("resolved".to_owned(), None),
        "nothing is shown that is not known to wait"
    );
    assert!(!file.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chat_is_sent_nothing_that_waits_on_another_mac() {
    let InInbox { stage, file, run, mara, asked } = asked_in_inbox(ConnectedApproverKind::Terminal).await;
    let (bot, owner) = (Arc::new(Telegram::start()), User { id: 42, name: "Mara" });
    let values = json!({"token": Telegram::TOKEN, "server": bot.url, "owners": "42", "changes": "off"});
    stage.laptop.call("doors.enable", json!({"door": "telegram", "values": values})).await;
    bot.says(owner, owner.id, &format!("/deny {}", asked.code));
    let hears = Arc::clone(&bot);
    let said = spawn_blocking(move || hears.next("sendMessage")).await.unwrap();
    let expected = format!("Nothing with the ID {} was shown here.", asked.code);
    assert_eq!(said.text(), expected, "the first thing that is said there");
    assert_eq!(mara.answer(&asked, "deny").await["applied"], json!(true), "it waited at the Mac");
    never_ran(run, &file).await;
}

/// The broker's administrator may cut a host off whenever they like.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_host_reads_for_the_fleet_was_shown_to_nobody_and_silence_about_it_denies() {
    let mut stage = Stage::set().await;
    let values = json!({"fallback": "full", "confirm": "yes", "approvalTimeout": "10s"});
    stage.mini.call("agents.set", json!({"agent": "main", "values": values})).await;
    let mut told = stage.mini.host.subscribe();
    let file = stage.mini.file("file");
    let run = stage.ask(&file);
    let opened =
        async { while !matches!(told.recv().await.unwrap(), ApproverNotification::QuestionOpened(_)) {} };
    timeout(PATIENCE, opened).await.unwrap();
    stage.mini.call("doors.disable", json!({"door": "fleet"})).await;
    stage.mini.call("doors.enable", json!({"door": "fleet"})).await;
    never_ran(run, &file).await;
}
