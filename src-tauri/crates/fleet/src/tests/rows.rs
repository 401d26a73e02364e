//! Rows of an audit, sealed for auditors: what was taken away, made up or moved is found, and nobody else reads one.

use super::{device, id};
use crate::{
    AnchorHead, AuditRows, Hash, LEAST_ROW_MESSAGES, RowFinding, RowHead, RowReport, SealKey, Seed,
    SentAuditRow, SentRows, follow_rows, rows_id,
};

fn content(number: u64) -> String {
    format!("[{number},\"rule added\"]")
}

/// Returns the messages of a host: `to` so many rows each, beginning where the one before ended.
fn messages(sizes: &[u64], change: impl Fn(u64) -> String, to: &[&str]) -> Vec<Vec<u8>> {
    let mini = device("mini");
    let keys: Vec<SealKey> = to.iter().map(|name| device(name).open.sealer()).collect();
    let (mut first, mut previous) = (1, None);
    let made = sizes.iter().map(|size| {
        let rows: Vec<SentAuditRow> =
            (first..first + size).map(|number| SentAuditRow::Content(change(number))).collect();
        let id = rows_id(first, rows.len()).unwrap();
        let hashes = rows.iter().fold(previous, |before, row| match row {
            SentAuditRow::Content(content) => Some(chained(before, content)),
            SentAuditRow::Hash(hash) => Some(*hash),
        });
        let body = AuditRows { first, previous, rows };
        (first, previous) = (first + size, hashes);
        let header = mini.header(id.as_str());
        header.seal_body(&body, &keys, &mini.sign, &mut Seed::new([3; 32])).unwrap().encode()
    });
    made.collect()
}

/// Returns the hash of a row as `docs/AUDIT.md` has it.
fn chained(before: Option<Hash>, content: &str) -> Hash {
    let before = before.map_or(b"postern audit 1".to_vec(), |before| before.as_bytes().to_vec());
    Hash::of_bytes(&[before.as_slice(), content.as_bytes()].concat())
}

fn head(count: u64, change: impl Fn(u64) -> String) -> Hash {
    (1..=count).fold(None, |before, number| Some(chained(before, &change(number)))).unwrap()
}

fn anchor(count: u64) -> AnchorHead {
    AnchorHead { seq: 1, hash: Hash::NONE, count, records: head(count, content) }
}

fn followed(by: &str, entries: &[Vec<u8>], anchors: &[AnchorHead], kept: Option<RowHead>) -> RowReport {
    let (fleet, mini, key) = (id("fleet-1"), id("mini"), device("mini").sign.verifier());
    let read = |entry: &Vec<u8>| SentRows::from_entry(&fleet, (&mini, &key), &device(by).open, entry);
    follow_rows(entries.iter().map(read).collect(), (anchors, kept))
}

#[test]
fn an_auditor_opens_every_row_and_they_are_those_that_were_anchored() {
    let log = messages(&[2, 3, 1], content, &["ada", "bo"]);
    let report = followed("ada", &log, &[anchor(4), anchor(6)], None);
    assert_eq!(report.findings, []);
    let rows: Vec<u64> = report.rows.keys().copied().collect();
    assert_eq!(rows, [1, 2, 3, 4, 5, 6]);
    assert_eq!(report.rows[&5].1, SentAuditRow::Content(content(5)));
    assert_eq!(report.head(), Some(RowHead { number: 6, hash: head(6, content) }));
    let twice = [log.clone(), messages(&[6], content, &["ada"])].concat();
    assert_eq!(followed("ada", &twice, &[], report.head()).findings, [], "sent again after a crash");
    let mara = followed("mara", &log, &[anchor(6)], None);
    assert_eq!((mara.rows.len(), mara.for_others, mara.findings), (0, 6, Vec::new()), "none of hers");
}

#[test]
fn what_was_taken_away_is_found_also_under_what_is_for_others() {
    let log = messages(&[2, 2, 2], content, &["ada"]);
    let gap = |from, to| vec![RowFinding::Gap { from, to }];
    assert_eq!(followed("ada", &[log[0].clone(), log[2].clone()], &[], None).findings, gap(3, 4));
    assert_eq!(followed("ada", &log[..2], &[anchor(6)], None).findings, gap(5, 6), "anchored, and not there");
    let kept = Some(RowHead { number: 6, hash: head(6, content) });
    assert_eq!(followed("ada", &[], &[anchor(6)], kept).findings, gap(1, 6), "all that was seen");
    assert_eq!(followed("ada", &[], &[anchor(6)], None).findings, [], "a host need not send its rows");
    let others = messages(&[2, 2], content, &["bo"]);
    let mixed = [others[0].clone(), log[1].clone(), log[2].clone()];
    let report = followed("ada", &mixed, &[anchor(6)], None);
    let got = (report.findings, report.for_others, report.rows.len());
    assert_eq!(got, (Vec::new(), 2, 4), "before she came");
    let hidden = [others[0].clone(), log[2].clone()];
    assert_eq!(followed("ada", &hidden, &[], None).findings, gap(3, 4));
}

#[test]
fn a_long_log_goes_on_from_what_was_seen_where_the_broker_keeps_the_newest() {
    let log = messages(&[1; LEAST_ROW_MESSAGES + 3], content, &["ada"]);
    let (newest, all) = (&log[3..], u64::try_from(log.len()).unwrap());
    let seen = |number| Some(RowHead { number, hash: head(number, content) });
    for kept in [None, seen(3), seen(5), seen(all)] {
        let report = followed("ada", newest, &[anchor(2), anchor(all)], kept);
        assert_eq!((report.findings, report.rows.len()), (Vec::new(), LEAST_ROW_MESSAGES), "{kept:?}");
    }
    let gap = |from, to| vec![RowFinding::Gap { from, to }];
    assert_eq!(followed("ada", newest, &[], seen(1)).findings, gap(2, 3), "it begins after what was seen");
    let short = &log[4..];
    assert_eq!(followed("ada", short, &[], None).findings, gap(1, 4), "the broker keeps more than that");
    let other = Some(RowHead { number: 3, hash: Hash::NONE });
    assert_eq!(followed("ada", newest, &[], other).findings, [RowFinding::Broken(4)], "after another row");
    let others = [messages(&[1; 4], content, &["bo"])[3..].to_vec(), log[4..].to_vec()].concat();
    let report = followed("ada", &others, &[anchor(all)], seen(3));
    assert_eq!((report.findings, report.for_others), (Vec::new(), 1), "the first of them for others");
}

#[test]
fn what_was_made_up_or_moved_is_found() {
    let log = messages(&[2, 2], content, &["ada"]);
    let other = messages(&[2, 2], |number| format!("[{number},\"nothing\"]"), &["ada"]);
    let report = followed("ada", &[log[0].clone(), other[1].clone()], &[anchor(4)], None);
    assert_eq!(report.findings, [RowFinding::Broken(3), RowFinding::NotAnchored(4)]);
    let forked = [log[0].clone(), other[0].clone(), log[1].clone()];
    assert_eq!(followed("ada", &forked, &[], None).findings, [RowFinding::Fork(1), RowFinding::Fork(2)]);
    let kept = Some(RowHead { number: 2, hash: head(2, content) });
    assert_eq!(followed("ada", &other, &[], kept).findings, [RowFinding::Replaced(2)]);
    let mara = device("mara");
    let body = AuditRows { first: 5, previous: None, rows: vec![SentAuditRow::Content("[]".to_owned())] };
    let to = [device("ada").open.sealer()];
    let seal = |id: &str, by: &super::Device| {
        by.header(id).seal_body(&body, &to, &by.sign, &mut Seed::new([3; 32])).unwrap().encode()
    };
    for foreign in [seal("rows-5-5", mara), seal("rows-6-6", device("mini")), b"{".to_vec()] {
        let entries = [log.clone(), vec![foreign]].concat();
        assert_eq!(followed("ada", &entries, &[], None).findings, [RowFinding::Foreign(2)]);
    }
}

#[test]
fn a_row_that_is_too_long_leaves_its_hash() {
    let mini = device("mini");
    let long = chained(None, &content(1));
    let rows = vec![SentAuditRow::Hash(long), SentAuditRow::Content(content(2))];
    let body = AuditRows { first: 1, previous: None, rows };
    let to = [device("ada").open.sealer()];
    let header = mini.header("rows-1-2");
    let entry = header.seal_body(&body, &to, &mini.sign, &mut Seed::new([3; 32])).unwrap().encode();
    assert_eq!(followed("ada", &[entry], &[anchor(2)], None).findings, []);
}

#[test]
fn the_last_number_of_all_is_no_row() {
    let (mini, ada) = (device("mini"), device("ada").open.sealer());
    let last = |rows: Vec<SentAuditRow>| {
        let (header, body) = (
            mini.header(&format!("rows-{0}-{0}", u64::MAX)),
            AuditRows { first: u64::MAX, previous: None, rows },
        );
        header.seal_body(&body, &[ada], &mini.sign, &mut Seed::new([3; 32])).unwrap().encode()
    };
    let log = [last(vec![SentAuditRow::Content(content(1))]), messages(&[1], content, &["ada"]).remove(0)];
    for who in ["ada", "bo"] {
        let report = followed(who, &log, &[], None);
        assert_eq!(report.findings, [RowFinding::Foreign(0)], "{who}");
    }
}
