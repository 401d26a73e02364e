//! Tests of the messages for denials: what happened and what to do, in plain words, each thing once.

use super::{denial, denial_advice, refusal, refusal_text, set_aside, timed_out};
use crate::piece::pieces_to_text;
use postern_command::escape::{self, is_visible};
use postern_policy::environment::{NameRefusalReason, RefusedName};
use postern_policy::{Advice, AgentId, Cause, Reason};
use postern_protocol::DenyReason;
use postern_request::{Denial, Drift, FolderProblem, NotShown, Refusal, Withdrawal};
use std::collections::BTreeSet;

/// Text that a terminal would obey or a person cannot see.
const HOSTILE: &str = "x\u{1b}[2J\u{202e}y\n";

/// Returns a refusal of each kind, with `text` wherever a text of a request or of the system can be.
fn refusals(text: &str) -> Vec<Refusal> {
    let own = || text.to_owned();
    let verdict = |reason| Refusal::Verdict { reason, cause: Cause::NoRule { command: Some(own()) } };
    let verdicts = [Reason::Invalid, Reason::Core, Reason::Policy, Reason::NotFound, Reason::EnvRefused];
    let folder = |problem| Refusal::Folder { path: own(), problem };
    let drifts = [
        Drift::Folder { path: own() },
        Drift::Replaced { path: own() },
        Drift::Changed { path: own() },
        Drift::FirstLine { path: own() },
        Drift::Shadowed { path: own(), by: own() },
        Drift::OtherFiles,
        Drift::OtherFolder,
        Drift::OtherPlan,
        Drift::Gone,
        Drift::Facts,
        Drift::Policy,
        Drift::NotSaved,
    ];
    let withdrawn = [
        Withdrawal::TakenBack,
        Withdrawal::AgentGone,
        Withdrawal::SessionClosed,
        Withdrawal::Disconnected,
        Withdrawal::NotEnrolled,
        Withdrawal::Ended,
    ];
    let mut all = vec![
        verdict(Reason::AllowlistMiss),
        Refusal::Unreadable("It is empty.".into()),
        folder(FolderProblem::Missing),
        folder(FolderProblem::Outside),
        folder(FolderProblem::Other(own())),
        Refusal::Environment { names: vec![RefusedName { name: own(), why: NameRefusalReason::Computed }] },
        Refusal::Paused,
        Refusal::Stopped { left_ms: 1500 },
        Refusal::QueueFull { waiting: 64 },
        Refusal::TooManyFiles { most: 64 },
        Refusal::TooManyBytes,
        Refusal::LookUpsFull,
        Refusal::NoThread,
        Refusal::LookUpLate { seconds: 30 },
        Refusal::NotJudged,
        Refusal::TooManyRuns,
        Refusal::ConfinedRunUnderWay,
        Refusal::TooLongToShow,
        Refusal::Person,
        Refusal::Expired { presented: true },
        Refusal::Expired { presented: false },
        Refusal::TooFewPeople { approved: 1, needed: 2 },
        Refusal::NotShown(NotShown::Locked),
        Refusal::NotShown(NotShown::Approver(own())),
        Refusal::Nobody,
        Refusal::NotRecorded,
        Refusal::Quit,
        Refusal::Restarted,
    ];
    all.extend(verdicts.map(verdict));
    all.extend(drifts.map(Refusal::Drifted).into_iter().chain(withdrawn.map(Refusal::Withdrawn)));
    all
}

fn denials() -> impl Iterator<Item = Denial> {
    refusals("/w/x").into_iter().map(Denial::from).chain([Denial::by_person(Some("not now".to_owned()))])
}

#[test]
fn every_denial_says_what_and_what_to_do_in_plain_words() {
    for one in denials() {
        let told = denial(&one);
        let advice = told.advice.unwrap_or_default();
        for said in [&told.message, &advice] {
            assert!(said.len() > 2 && said.len() < 300, "{one:?}");
            for jargon in ["opaque", "SIG", "errno", "None", "null", "panic", "argv", "stdin", "{", "::"] {
                assert!(!said.contains(jargon), "{jargon:?} is no word for a user or agent: {said}");
            }
        }
        assert!(advice.ends_with(['.', '?']), "a whole sentence: {advice}");
    }
}

#[test]
fn no_denial_names_the_person_but_their_own() {
    for one in denials() {
        let told = denial(&one);
        let theirs = told.message.contains("user denied");
        assert_eq!(theirs, told.reason == DenyReason::User, "{told:?}");
    }
}

#[test]
fn a_denial_calls_the_user_by_its_audience() {
    for one in refusals("x") {
        let (to_user, to_agent) = (pieces_to_text(&refusal(&one)), refusal_text(&one));
        assert!(!to_user.to_lowercase().contains("the user"), "{to_user}");
        assert!(!to_agent.to_lowercase().contains("you"), "{to_agent}");
    }
}

#[test]
fn hostile_text_is_escaped_once() {
    for (one, other) in refusals(HOSTILE).iter().zip(&refusals("plain")) {
        let (said, usual) = (pieces_to_text(&refusal(one)), pieces_to_text(&refusal(other)));
        assert!(is_visible(&said), "{said}");
        let shown = escape::visible_text(HOSTILE);
        assert_eq!(said.matches(&shown).count(), usual.matches("plain").count(), "once, not twice: {said}");
    }
    let said = Denial::by_person(Some(HOSTILE.to_owned()));
    assert!(!denial(&said).message.contains('x'), "a person’s words are not among ours: {said:?}");
    assert_eq!(denial(&said).feedback.as_deref(), Some(HOSTILE), "the words themselves stay");
}

#[test]
fn an_agent_hears_each_thing_once() {
    let told = denial(&Denial::by_person(Some("not on a Friday".to_owned())));
    let expected =
        "The user denied it. They said: not on a Friday. Do not ask for the same again: do as they say.";
    assert_eq!(told.to_text(), expected);
    for one in denials() {
        let lines = denial(&one).to_lines();
        let once: BTreeSet<&String> = lines.iter().collect();
        assert_eq!(once.len(), lines.len(), "{lines:?}");
    }
}

#[test]
fn advice_of_a_verdict_comes_before_the_usual_one() {
    let refused =
        Refusal::Verdict { reason: Reason::NotFound, cause: Cause::NotFound { program: "x".into() } };
    let usual = Denial::from(refused);
    assert_eq!(denial_advice(&usual).as_deref(), Some("Check the name, or give the whole path."));
    let searched = vec!["~/.cargo/bin".to_owned(), "/x\u{202e}".to_owned()];
    let agent = AgentId::new("builder").unwrap();
    let given = Denial { advice: Some(Advice::SearchPath { agent, searched }), ..usual };
    let said = denial_advice(&given).unwrap();
    assert!(said.starts_with("Check the name or give the whole path; or the user adds"), "{said}");
    let setting = "postern agents set builder search-path=~/.cargo/bin:/x\\u{202e}:FOLDER";
    assert!(said.ends_with(setting), "{said}");
    let recorded = Denial::from(Refusal::Recorded("It was denied.".to_owned()));
    assert_eq!(denial_advice(&recorded), None, "nothing is added to what was recorded before");
}

#[test]
fn who_ran_out_of_time_is_told_how_to_ask_for_more() {
    let agent = AgentId::new("builder").unwrap();
    let below = timed_out(&agent, 30_000, Some(300_000));
    assert!(below.contains("after 30s. Ask for more with timeoutMs (postern-run --timeout 5m)"), "{below}");
    assert!(below.contains("`postern agents set builder run-timeout-cap=10m`"), "{below}");
    let at_cap = timed_out(&agent, 300_000, Some(300_000));
    assert!(at_cap.contains("the most that this agent may have"), "{at_cap}");
    assert!(!at_cap.contains("--timeout"), "more cannot be asked for: {at_cap}");
    assert!(timed_out(&agent, 30_000, None).contains("--timeout 5m"));
}

#[test]
fn of_any_number_of_places_that_were_set_aside_some_are_named() {
    let paths: Vec<String> = (0..20_000).map(|at| format!("/p/{at}.code-workspace")).collect();
    let moved: Vec<&str> = paths.iter().map(String::as_str).collect();
    let kept: Vec<(&str, &str)> = moved.iter().map(|path| (*path, "busy")).collect();
    let said = set_aside(&moved, &kept);
    assert!(said.len() < 4096 && said.contains("/p/9.code-workspace and 19990 more. "), "{said}");
    assert!(said.ends_with("Postern could not set aside 19990 more."), "{said}");
    let few = set_aside(&moved[..2], &[]);
    assert!(few.ends_with("Postern set them aside: /p/0.code-workspace, /p/1.code-workspace."), "{few}");
}
