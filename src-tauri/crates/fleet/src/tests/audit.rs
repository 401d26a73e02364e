//! Anchors: what an administrator of the broker took away or made up is found.

use super::{device, id};
use crate::{Anchor, AnchorFinding, AnchorHead, FleetMessageKind, Hash, LEAST_ANCHORS, SignedAnchor, verify};

/// Makes the anchors of a host over these numbers of records.
fn anchors(counts: &[u64]) -> Vec<Vec<u8>> {
    let mini = device("mini");
    let mut previous = Hash::NONE;
    let made = counts.iter().zip(1..).map(|(count, seq)| {
        let anchor = Anchor {
            seq,
            count: *count,
            head: head(*count),
            previous,
            policy: String::new(),
            roster: Hash::NONE,
        };
        let envelope = mini.header(&format!("anchor-{seq}")).sign_body(anchor, &[&mini.sign]);
        previous = Hash::of_bytes(&envelope.payload);
        envelope.encode()
    });
    made.collect()
}

fn head(count: u64) -> Hash {
    Hash::of_bytes(format!("row {count}").as_bytes())
}

fn findings(entries: &[Vec<u8>], kept: Option<AnchorHead>) -> (Vec<AnchorFinding>, Option<AnchorHead>) {
    let (fleet, mini, key) = (id("fleet-1"), id("mini"), device("mini").sign.verifier());
    let read = |entry: &Vec<u8>| SignedAnchor::from_entry(&fleet, (&mini, &key), entry);
    let report = verify(&entries.iter().map(read).collect::<Vec<_>>(), kept);
    (report.findings, report.last)
}

#[test]
fn a_whole_log_has_no_findings_and_its_end_is_kept() {
    let log = anchors(&[100, 200, 230]);
    let (none, last) = findings(&log, None);
    assert_eq!(none, []);
    assert_eq!(last.map(|last| (last.seq, last.count)), Some((3, 230)));
    assert_eq!(findings(&log, last).0, [], "the same again");
    let longer = anchors(&[100, 200, 230, 231]);
    assert_eq!(findings(&longer, last).0, []);
    let doubled = [log[0].clone(), log[0].clone(), log[1].clone(), log[2].clone()];
    assert_eq!(findings(&doubled, last).0, [], "a repeated delivery");
}

#[test]
fn what_was_taken_away_is_found() {
    let log = anchors(&[1, 2, 3, 4]);
    let last = findings(&log, None).1;
    let without = |at: usize| [&log[..at], &log[at + 1..]].concat();
    assert_eq!(findings(&without(1), last).0, [AnchorFinding::Gap { from: 2, to: 2 }]);
    assert_eq!(findings(&without(0), last).0, [AnchorFinding::Gap { from: 1, to: 1 }]);
    assert_eq!(findings(&log[..3], last).0, [AnchorFinding::CutOff { kept: 4, last: 3 }]);
    assert_eq!(findings(&[], last).0, [AnchorFinding::CutOff { kept: 4, last: 0 }], "the whole stream");
}

#[test]
fn a_long_log_goes_on_from_what_was_seen_where_the_broker_keeps_the_newest() {
    let counts: Vec<u64> = (1..=90).collect();
    let log = anchors(&counts);
    let newest = &log[6..];
    let seen = |number: usize| findings(&log[..number], None).1;
    let (none, last) = findings(newest, None);
    assert_eq!((none, last), (vec![], seen(90)), "somebody who looks for the first time");
    for number in [6, 7, 8, 90] {
        assert_eq!(findings(newest, seen(number)).0, [], "seen until {number}");
    }
    assert_eq!(findings(newest, seen(4)).0, [AnchorFinding::Gap { from: 5, to: 6 }]);
    let forked = anchors(&[1, 2, 3, 4, 5, 7]);
    let other = findings(&forked, None).1;
    assert_eq!(findings(newest, other).0, [AnchorFinding::Broken(7)], "it follows another one than was seen");
    let short = &log[log.len() - (LEAST_ANCHORS - 1)..];
    let cut = AnchorFinding::Gap { from: 1, to: 90 - u64::try_from(short.len()).unwrap() };
    assert_eq!(findings(short, last).0, [cut], "no broker keeps so few");
}

#[test]
fn what_was_made_up_is_found() {
    let (log, other) = (anchors(&[1, 2, 3]), anchors(&[1, 5, 6]));
    let last = findings(&log, None).1;
    let forked = [&log[..2], &other[1..2], &log[2..]].concat();
    assert_eq!(findings(&forked, last).0, [AnchorFinding::Fork(2)]);
    assert_eq!(
        findings(&other, last).0,
        [AnchorFinding::Replaced(3)],
        "a whole other history, signed by the host"
    );
    let spliced = [&log[..1], &other[1..2], &log[2..]].concat();
    assert_eq!(findings(&spliced, last).0, [AnchorFinding::Broken(3), AnchorFinding::Fewer(3)]);
    let mara = device("mara");
    let anchor = Anchor {
        seq: 4,
        count: 9,
        head: Hash::NONE,
        previous: Hash::NONE,
        policy: String::new(),
        roster: Hash::NONE,
    };
    let foreign = mara.header("x").sign_body(anchor, &[&mara.sign]).encode();
    assert_eq!(findings(&[log.clone(), vec![foreign]].concat(), last).0, [AnchorFinding::Foreign(3)]);
    assert_eq!(findings(&[log, vec![b"{".to_vec()]].concat(), last).0, [AnchorFinding::Foreign(3)]);
}

#[test]
fn nothing_follows_the_last_number_of_all() {
    let mini = device("mini");
    let one = |count: u64| {
        let (head, previous) = (head(count), Hash::NONE);
        let anchor =
            Anchor { seq: u64::MAX, count, head, previous, policy: String::new(), roster: Hash::NONE };
        mini.header("anchor-last").sign_body(anchor, &[&mini.sign]).encode()
    };
    let found = findings(&[one(1), one(2)], None).0;
    assert_eq!(found, [AnchorFinding::Gap { from: 1, to: u64::MAX - 1 }, AnchorFinding::Broken(u64::MAX)]);
}

#[test]
fn little_is_held_of_an_entry_however_long_it_is() {
    let longest = FleetMessageKind::Anchor.max_bytes();
    let found = findings(&vec![vec![b'x'; longest]; LEAST_ANCHORS], None).0;
    assert_eq!(found.len(), LEAST_ANCHORS, "each is named");
    assert!(size_of::<Option<SignedAnchor>>() * 30 < longest);
}
