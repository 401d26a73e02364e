use super::{Approvals, ChatApproval, OLD, ShownMessage, Withheld, moment};
use crate::chat::subject::tests::question;
use postern_contract::{ChatStatus, MomentKind, RequestRow, ShownSubject, to_pieces};
use postern_host::{ChatMessage, QuestionRow};
use postern_policy::AgentId;
use postern_protocol::{DenyReason, EndReason, Outcome, RunState};
use postern_request::Digest;

fn approval(question: &str, code: &str, status: ChatStatus) -> ChatApproval {
    let shown = ShownMessage {
        place: "p".to_owned(),
        external_message_id: format!("m-{question}"),
        alias: Some(format!("a-{question}")),
        digest: "d".to_owned(),
        at: 1,
        told: false,
    };
    ChatApproval {
        question: question.to_owned(),
        code: code.to_owned(),
        agent: AgentId::new("main").unwrap(),
        request: None,
        line: "ls".to_owned(),
        digest: "d".to_owned(),
        withheld: None,
        status,
        outcome: None,
        at_zero: "Denied".to_owned(),
        shown: vec![shown],
    }
}

#[test]
fn a_code_means_what_waits_and_else_what_was_shown_last() {
    let mut all = Approvals::default();
    all.add_approval(approval("1", "a1b2", ChatStatus::Denied));
    all.add_approval(approval("2", "a1b2", ChatStatus::Pending));
    all.add_approval(approval("3", "a1b2", ChatStatus::Expired));
    assert_eq!(all.by_code("p", "a1b2").unwrap().0.question, "2");
    all.change("2").unwrap().status = ChatStatus::Approved;
    assert_eq!(all.by_code("p", "a1b2").unwrap().0.question, "3");
    assert!(all.by_code("elsewhere", "a1b2").is_none(), "nothing was shown there");
    assert_eq!(all.shown_by("p", "a-3").unwrap().0.question, "3");
    assert!(all.shown_by("p", "m-3").is_none(), "the network gave it another id: its own is anybody's");
    assert!(all.shown_by("elsewhere", "a-3").is_none(), "an id counts in its own place");
    let mut direct = approval("5", "eeee", ChatStatus::Pending);
    direct.shown[0].alias = None;
    all.add_approval(direct);
    assert_eq!(all.shown_by("p", "m-5").unwrap().0.question, "5");
}

fn request(id: &str, state: RunState, ending: Option<EndReason>) -> RequestRow {
    RequestRow {
        id: id.to_owned(),
        request_id: "r".to_owned(),
        agent: AgentId::new("main").unwrap(),
        origin: postern_policy::Origin::Host,
        session: None,
        line: "ls".to_owned(),
        state,
        ending,
        exit_code: None,
        approver: None,
        at: 0,
        duration_ms: None,
        risk: None,
        decided: None,
        rule: None,
    }
}

fn message(status: ChatStatus) -> ChatMessage {
    approval("01890a5d-ac96-774b-bcce-b302099a8057", "a1b2", status).message_rows("telegram").next().unwrap()
}

#[test]
fn the_messages_of_a_request_are_moments_of_its_life() {
    let id = message(ChatStatus::Expired).message;
    let moment = moment(&message(ChatStatus::Expired), &request("r1", RunState::Finished, None));
    let MomentKind::ShownInChat { door, place, message, status } = moment.what else { panic!("{moment:?}") };
    assert_eq!((&*door, &*place, message, status), ("telegram", "p", id, ChatStatus::Expired));
}

#[test]
fn what_ended_while_the_door_was_closed_does_not_stand_as_pending() {
    for (state, ending, expected) in [
        (RunState::Asking, None, ChatStatus::Pending),
        (RunState::Running, None, ChatStatus::Approved),
        (RunState::Finished, Some(EndReason::Ran(Outcome::Exited)), ChatStatus::Approved),
        (RunState::Denied, Some(EndReason::Denied(DenyReason::User)), ChatStatus::Denied),
        (RunState::Denied, Some(EndReason::Denied(DenyReason::Expired)), ChatStatus::Expired),
        (RunState::Denied, Some(EndReason::Denied(DenyReason::Restarted)), ChatStatus::Denied),
    ] {
        let moment = moment(&message(ChatStatus::Pending), &request("r1", state, ending));
        assert!(
            matches!(moment.what, MomentKind::ShownInChat { status, .. } if status == expected),
            "{state:?}: {moment:?}"
        );
    }
}

#[test]
fn what_waits_is_never_forgotten() {
    let mut all = Approvals::default();
    all.add_approval(approval("waits", "0000", ChatStatus::Pending));
    for number in 0..OLD + 50 {
        all.add_approval(approval(&number.to_string(), "ffff", ChatStatus::Denied));
    }
    assert_eq!(all.list.len(), OLD + 1);
    assert_eq!(all.pending().count(), 1);
    assert!(all.find_by_question("0").is_none(), "the oldest went");
    assert!(all.find_by_question(&(OLD + 49).to_string()).is_some());
}

#[test]
fn what_is_written_down_is_what_was_known() {
    let id = "01890a5d-ac96-774b-bcce-b302099a8057";
    let mut command = question(ShownSubject::Command);
    (command.tool, command.line, command.at_zero) = (None, "ls".to_owned(), to_pieces("Denied"));
    let mut read = question(ShownSubject::FileRead { paths: vec![to_pieces("/etc/hosts")] });
    read.at_zero = to_pieces("Denied");
    for (status, withheld, question, line) in [
        (ChatStatus::Pending, None, &command, "ls"),
        (ChatStatus::Approved, Some(Withheld::HighRisk), &command, "ls"),
        (ChatStatus::Denied, Some(Withheld::TooLong), &command, "ls"),
        (ChatStatus::Expired, None, &read, "a_tool /etc/hosts"),
    ] {
        let outcome = Some("by whom".to_owned());
        let line = line.to_owned();
        let one = ChatApproval { line, withheld, outcome, ..approval(id, "a1b2", status) };
        let mut all = Approvals::default();
        all.add_approval(one.clone());
        assert!(all.take_changed().is_empty(), "it was shown nowhere when it came");
        all.change(id);
        let changed = all.take_changed();
        let rows = all.message_rows("xmpp", &changed);
        let question = QuestionRow {
            id: id.parse().unwrap(),
            code: "a1b2".to_owned(),
            agent: one.agent.clone(),
            digest: Digest("d".to_owned()),
            requests: Vec::new(),
            asked_at: 0,
            expires_at: 1,
            shown: serde_json::to_string(question).unwrap(),
            closed: None,
        };
        let back = Approvals::of_record(rows.into_iter().map(|row| (row, question.clone())).collect());
        assert_eq!(back.find_by_question(id), Some(&one));
    }
}
