//! A rise in denials or questions after a policy.

use crate::{Rise, RiseLimits, VerdictCounts};
use serde_json::{Map, json};

fn counts(judged: u32, denied: u32, asked: u32) -> VerdictCounts {
    VerdictCounts { judged, denied, asked }
}

fn usual() -> RiseLimits {
    RiseLimits::read(&Map::new()).unwrap()
}

#[test]
fn a_share_that_rises_above_its_limit_is_named() {
    let before = counts(200, 4, 20);
    assert_eq!(counts(100, 12, 20).risen_since(&before, usual()), None, "ten more of a hundred is the limit");
    let denials = counts(100, 13, 20).risen_since(&before, usual());
    assert_eq!(denials, Some(Rise { what: "denials", before: 2, since: 13 }));
    let questions = counts(100, 0, 21).risen_since(&before, usual());
    assert_eq!(questions, Some(Rise { what: "questions", before: 10, since: 21 }));
    assert_eq!(counts(100, 0, 0).risen_since(&before, usual()), None, "fewer is no rise");
}

#[test]
fn too_few_requests_say_nothing_and_a_host_without_a_past_is_compared_with_none() {
    assert_eq!(counts(19, 19, 0).risen_since(&counts(0, 0, 0), usual()), None);
    let risen = counts(20, 20, 0).risen_since(&counts(0, 0, 0), usual());
    assert_eq!(risen, Some(Rise { what: "denials", before: 0, since: 100 }));
}

#[test]
fn a_policy_sets_its_own_limits_and_no_others() {
    let read = |limits: serde_json::Value| RiseLimits::read(limits.as_object().unwrap());
    assert_eq!(read(json!({"denials": 50})), Ok(RiseLimits { denials: 50, questions: 10 }));
    for wrong in
        [json!({"denials": 101}), json!({"denials": -1}), json!({"questions": "5"}), json!({"runs": 5})]
    {
        assert!(read(wrong.clone()).is_err(), "{wrong}");
    }
}
