//! Vectors for each kind of message, made of the seeds of the tests.
//!
//! They hold the form on the wire: a host of today must read what one of yesterday said.

use super::policies::bundle;
use super::{START, answer, at, device, fresh, host, id, open, question, roster, signed};
use crate::message::payload;
use crate::{
    AdmittedMessage, Anchor, AuditRows, Bundle, BundleRules, FleetChoice, FleetClosing, FleetMessageKind,
    FleetPresence, FleetQuestion, FleetReceipt, FleetRisk, Hash, Job, JobReport, Reported, RolloutReach,
    RolloutStage, Sealed, Seed, SentAuditRow, SignedEnvelope, Work, admit_message,
};
use serde_json::{Map, json};

fn stored(kind: FleetMessageKind) -> &'static str {
    match kind {
        FleetMessageKind::Question => include_str!("../../vectors/question.json"),
        FleetMessageKind::Closing => include_str!("../../vectors/closing.json"),
        FleetMessageKind::Answer => include_str!("../../vectors/answer.json"),
        FleetMessageKind::Receipt => include_str!("../../vectors/receipt.json"),
        FleetMessageKind::Presence => include_str!("../../vectors/presence.json"),
        FleetMessageKind::Roster => include_str!("../../vectors/roster.json"),
        FleetMessageKind::Fresh => include_str!("../../vectors/fresh.json"),
        FleetMessageKind::Bundle => include_str!("../../vectors/bundle.json"),
        FleetMessageKind::Stage => include_str!("../../vectors/stage.json"),
        FleetMessageKind::Anchor => include_str!("../../vectors/anchor.json"),
        FleetMessageKind::AuditRows => include_str!("../../vectors/audit-rows.json"),
        FleetMessageKind::Job => include_str!("../../vectors/job.json"),
        FleetMessageKind::JobReport => include_str!("../../vectors/report.json"),
    }
}

#[expect(clippy::too_many_lines, reason = "one arm for each kind of message")]
fn made(kind: FleetMessageKind) -> SignedEnvelope {
    let (fleet, mut seed) = (host(), Seed::new([7; 32]));
    let (mini, mara, pat) = (device("mini"), device("mara"), device("pat"));
    let (at_host, at_mara) = (mini.open.sealer(), mara.open.sealer());
    match kind {
        FleetMessageKind::Question => {
            mini.header("q1").seal_body(&question(&fleet.pinned), &[at_mara], &mini.sign, &mut seed).unwrap()
        }
        FleetMessageKind::Closing => {
            let (by, place) = (Some("Mara".to_owned()), Some("MacBook".to_owned()));
            let closing = FleetClosing { question: id("q1"), outcome: "answered".to_owned(), by, place };
            mini.header("c1").seal_body(&closing, &[at_mara], &mini.sign, &mut seed).unwrap()
        }
        FleetMessageKind::Answer => mara
            .header("a1")
            .seal_body(&answer(&fleet, FleetChoice::Once), &[at_host], &mara.sign, &mut seed)
            .unwrap(),
        FleetMessageKind::Receipt => {
            let receipt = FleetReceipt::Applied { answer: id("a1"), missing: 0 };
            mini.header("r1").seal_body(&receipt, &[at_mara], &mini.sign, &mut seed).unwrap()
        }
        FleetMessageKind::Presence => {
            let presence = FleetPresence {
                at: START,
                roster: fleet.roster(),
                policy: Some("builds/42#3fa9".to_owned()),
                blocked: None,
            };
            mini.header("p1").sign_body(presence, &[&mini.sign])
        }
        FleetMessageKind::Roster => signed(roster(), &["mara", "ines"]),
        FleetMessageKind::Fresh => SignedEnvelope::decode(&fresh(&fleet.pinned, 1), 4096).unwrap(),
        FleetMessageKind::Bundle => {
            let rules = BundleRules::from_values(&[json!({"allow": "git status"})]);
            let bundle = Bundle { not_before: START, rules, ..bundle(1, None) };
            pat.header("bundle-1").sign_body(bundle, &[&pat.sign])
        }
        FleetMessageKind::Stage => {
            let bundle = Hash::of_bytes(&made(FleetMessageKind::Bundle).payload);
            let stage =
                RolloutStage { group: id("builds"), number: 1, bundle, reach: RolloutReach::Percent(10) };
            pat.header("stage-1").sign_body(stage, &[&pat.sign])
        }
        FleetMessageKind::Anchor => {
            let parts: [&[u8]; 3] = [&[0; 32], &1_u64.to_be_bytes(), b"record"];
            let head = Hash::of_parts("postern-fleet record 1", &parts);
            let (policy, roster) = (String::new(), fleet.roster());
            let anchor = Anchor { seq: 1, count: 1, head, previous: Hash::NONE, policy, roster };
            mini.header("anchor-1").sign_body(anchor, &[&mini.sign])
        }
        FleetMessageKind::AuditRows => {
            let rows =
                vec![SentAuditRow::Content("[1]".to_owned()), SentAuditRow::Hash(Hash::of_bytes(b"2"))];
            let rows = AuditRows { first: 1, previous: None, rows };
            mini.header("rows-1-2")
                .seal_body(&rows, &[device("ada").open.sealer()], &mini.sign, &mut seed)
                .unwrap()
        }
        FleetMessageKind::Job => {
            let rules = vec![json!({"effect": "deny", "text": "git push *"})];
            let work = Work::Replay { rules, settings: Map::new(), days: 7 };
            let job = Job { at: START, roster: fleet.roster(), work };
            pat.header("j1").seal_body(&job, &[at_host], &pat.sign, &mut seed).unwrap()
        }
        FleetMessageKind::JobReport => {
            let outcome = Reported::Replayed { judged: 10, changed: 0, examples: Vec::new() };
            let report = JobReport { job: id("j1"), outcome };
            mini.header("j2").seal_body(&report, &[pat.open.sealer()], &mini.sign, &mut seed).unwrap()
        }
    }
}

#[test]
fn every_kind_is_written_as_its_vector() {
    for kind in FleetMessageKind::ALL {
        let text = String::from_utf8(made(kind).encode()).unwrap();
        assert_eq!(text, stored(kind).trim_end(), "{kind:?}");
        assert!(text.len() <= kind.max_bytes());
    }
}

#[test]
fn a_host_admits_the_vectors_that_are_for_it() {
    let mut fleet = host();
    fleet.open_question(id("q1"), open(FleetRisk::NeedsReview, 1));
    let mut admitted = |kind: FleetMessageKind| {
        let admitted = admit_message(&fleet, stored(kind).trim_end().as_bytes(), at(1)).unwrap();
        fleet.apply_admitted(&admitted, at(1));
        admitted
    };
    assert!(
        matches!(admitted(FleetMessageKind::Answer), AdmittedMessage::Answer(decided) if decided.missing == 0)
    );
    assert!(matches!(admitted(FleetMessageKind::Fresh), AdmittedMessage::Fresh(_)));
    assert!(matches!(admitted(FleetMessageKind::Bundle), AdmittedMessage::Bundle { .. }));
    assert!(matches!(admitted(FleetMessageKind::Stage), AdmittedMessage::Stage(_)));
    assert!(matches!(admitted(FleetMessageKind::Job), AdmittedMessage::Job { .. }));
}

#[test]
fn an_approver_opens_the_vectors_that_are_for_it() {
    let mara = device("mara");
    let opened = |kind: FleetMessageKind| {
        let envelope = SignedEnvelope::decode(stored(kind).trim_end().as_bytes(), kind.max_bytes()).unwrap();
        assert_eq!(envelope.signers([(1, &device("mini").sign.verifier())]), [1].into());
        payload::<Sealed>(&envelope, kind, &id("fleet-1")).unwrap()
    };
    assert_eq!(
        opened(FleetMessageKind::Question).open_body::<FleetQuestion>(&mara.open).unwrap().digest,
        "d1"
    );
    assert_eq!(
        opened(FleetMessageKind::Closing).open_body::<FleetClosing>(&mara.open).unwrap().question,
        id("q1")
    );
    let receipt = opened(FleetMessageKind::Receipt).open_body::<FleetReceipt>(&mara.open).unwrap();
    assert_eq!(receipt, FleetReceipt::Applied { answer: id("a1"), missing: 0 });
}

/// `cargo test -p postern-fleet print_the_vectors -- --ignored --nocapture` after a change of the form.
#[test]
#[ignore = "prints the vectors, to be stored"]
fn print_the_vectors() {
    for kind in FleetMessageKind::ALL {
        println!("{kind:?} {}", String::from_utf8(made(kind).encode()).unwrap());
    }
}
