//! Vectors for each kind of message, made of the seeds of the tests.
//!
//! They hold the form on the wire: a host of today must read what one of yesterday said.

use super::{START, answer, at, device, fresh, host, id, open, question, roster, signed};
use crate::message::payload;
use crate::{
    Admitted, Anchor, Bundle, Choice, Closing, Envelope, Hash, Job, JobReport, Kind, Presence, Question,
    Reach, Receipt, Reported, Risk, Sealed, Seed, Stage, Work, admit,
};
use serde_json::{Map, json};

fn stored(kind: Kind) -> &'static str {
    match kind {
        Kind::Question => include_str!("../../vectors/question.json"),
        Kind::Closing => include_str!("../../vectors/closing.json"),
        Kind::Answer => include_str!("../../vectors/answer.json"),
        Kind::Receipt => include_str!("../../vectors/receipt.json"),
        Kind::Presence => include_str!("../../vectors/presence.json"),
        Kind::Roster => include_str!("../../vectors/roster.json"),
        Kind::Fresh => include_str!("../../vectors/fresh.json"),
        Kind::Bundle => include_str!("../../vectors/bundle.json"),
        Kind::Stage => include_str!("../../vectors/stage.json"),
        Kind::Anchor => include_str!("../../vectors/anchor.json"),
        Kind::Job => include_str!("../../vectors/job.json"),
        Kind::JobReport => include_str!("../../vectors/report.json"),
    }
}

fn made(kind: Kind) -> Envelope {
    let (fleet, mut seed) = (host(), Seed::new([7; 32]));
    let (mini, mara, pat) = (device("mini"), device("mara"), device("pat"));
    let (at_host, at_mara) = (mini.open.sealer(), mara.open.sealer());
    match kind {
        Kind::Question => {
            mini.header("q1").seal(&question(&fleet.pinned), &[at_mara], &mini.sign, &mut seed).unwrap()
        }
        Kind::Closing => {
            let (by, place) = (Some("Mara".to_owned()), Some("MacBook".to_owned()));
            let closing = Closing { question: id("q1"), outcome: "answered".to_owned(), by, place };
            mini.header("c1").seal(&closing, &[at_mara], &mini.sign, &mut seed).unwrap()
        }
        Kind::Answer => {
            mara.header("a1").seal(&answer(&fleet, Choice::Once), &[at_host], &mara.sign, &mut seed).unwrap()
        }
        Kind::Receipt => {
            let receipt = Receipt::Applied { answer: id("a1"), missing: 0 };
            mini.header("r1").seal(&receipt, &[at_mara], &mini.sign, &mut seed).unwrap()
        }
        Kind::Presence => {
            let presence =
                Presence { at: START, roster: fleet.roster(), policy: Some("builds/42#3fa9".to_owned()) };
            mini.header("p1").sign(presence, &[&mini.sign])
        }
        Kind::Roster => signed(roster(), &["mara", "ines"]),
        Kind::Fresh => Envelope::decode(&fresh(&fleet.pinned, 1), 4096).unwrap(),
        Kind::Bundle => {
            let rules = vec![json!({"allow": "git status"})];
            let empty = Map::new;
            let (group, version, previous) = (id("builds"), 1, None);
            let bundle = Bundle {
                group,
                version,
                previous,
                not_before: START,
                rules,
                classes: empty(),
                limits: empty(),
                approvals: empty(),
            };
            pat.header("bundle-1").sign(bundle, &[&pat.sign])
        }
        Kind::Stage => {
            let bundle = Hash::of(&made(Kind::Bundle).payload);
            let stage = Stage { group: id("builds"), number: 1, bundle, reach: Reach::Percent(10) };
            pat.header("stage-1").sign(stage, &[&pat.sign])
        }
        Kind::Anchor => {
            let head = crate::chained(Hash::NONE, 1, b"record");
            let (policy, roster) = (String::new(), fleet.roster());
            let anchor = Anchor { seq: 1, count: 1, head, previous: Hash::NONE, policy, roster };
            mini.header("anchor-1").sign(anchor, &[&mini.sign])
        }
        Kind::Job => {
            let rules = vec![json!({"effect": "deny", "text": "git push *"})];
            let job = Job { at: START, roster: fleet.roster(), work: Work::Replay { rules, days: 7 } };
            pat.header("j1").seal(&job, &[at_host], &pat.sign, &mut seed).unwrap()
        }
        Kind::JobReport => {
            let outcome = Reported::Replayed { judged: 10, changed: 0, examples: Vec::new() };
            let report = JobReport { job: id("j1"), outcome };
            mini.header("j2").seal(&report, &[pat.open.sealer()], &mini.sign, &mut seed).unwrap()
        }
    }
}

#[test]
fn every_kind_is_written_as_its_vector() {
    for kind in Kind::ALL {
        let text = String::from_utf8(made(kind).encode()).unwrap();
        assert_eq!(text, stored(kind).trim_end(), "{kind:?}");
        assert!(text.len() <= kind.limit());
    }
}

#[test]
fn a_host_admits_the_vectors_that_are_for_it() {
    let mut fleet = host();
    fleet.ask(id("q1"), open(Risk::NeedsReview, 1));
    let mut admitted = |kind: Kind| {
        let admitted = admit(&fleet, stored(kind).trim_end().as_bytes(), at(1)).unwrap();
        fleet.apply(&admitted, at(1));
        admitted
    };
    assert!(matches!(admitted(Kind::Answer), Admitted::Answer(decided) if decided.missing == 0));
    assert!(matches!(admitted(Kind::Fresh), Admitted::Fresh(_)));
    assert!(matches!(admitted(Kind::Bundle), Admitted::Bundle { .. }));
    assert!(matches!(admitted(Kind::Stage), Admitted::Stage(_)));
    assert!(matches!(admitted(Kind::Job), Admitted::Job { .. }));
}

#[test]
fn an_approver_opens_the_vectors_that_are_for_it() {
    let mara = device("mara");
    let opened = |kind: Kind| {
        let envelope = Envelope::decode(stored(kind).trim_end().as_bytes(), kind.limit()).unwrap();
        assert_eq!(envelope.signers([(1, &device("mini").sign.verifier())]), [1].into());
        payload::<Sealed>(&envelope, kind, &id("fleet-1")).unwrap()
    };
    assert_eq!(opened(Kind::Question).open::<Question>(&mara.open).unwrap().digest, "d1");
    assert_eq!(opened(Kind::Closing).open::<Closing>(&mara.open).unwrap().question, id("q1"));
    let receipt = opened(Kind::Receipt).open::<Receipt>(&mara.open).unwrap();
    assert_eq!(receipt, Receipt::Applied { answer: id("a1"), missing: 0 });
}

/// `cargo test -p postern-fleet print_the_vectors -- --ignored --nocapture` after a change of the form.
#[test]
#[ignore = "prints the vectors, to be stored"]
fn print_the_vectors() {
    for kind in Kind::ALL {
        println!("{kind:?} {}", String::from_utf8(made(kind).encode()).unwrap());
    }
}
