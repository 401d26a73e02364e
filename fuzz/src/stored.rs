//! Texts of a request in the record: verdict, plan and ending, as an older or a damaged record may hold them.

use postern_policy::{Risk, Rule, Settings, Verdict};
use postern_request::{Plan, RequestEnding};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Reads a column's text as each type that is stored.
pub fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    reads_as_it_writes::<Verdict>(text);
    reads_as_it_writes::<Risk>(text);
    reads_as_it_writes::<RequestEnding>(text);
    reads_as_it_writes::<Settings>(text);
    reads_as_it_writes::<Rule>(text);
    reads_as_it_writes::<Plan>(text);
    if let Ok(plan) = serde_json::from_str::<Plan>(text) {
        let again: Plan = serde_json::from_str(&serde_json::to_string(&plan).unwrap()).unwrap();
        assert_eq!(again.digest(), plan.digest(), "{text}");
    }
}

fn reads_as_it_writes<T: Serialize + DeserializeOwned>(text: &str) {
    let Ok(read) = serde_json::from_str::<T>(text) else { return };
    let written = serde_json::to_string(&read).unwrap();
    let again: T = serde_json::from_str(&written).unwrap_or_else(|error| panic!("{written}: {error}"));
    assert_eq!(serde_json::to_string(&again).unwrap(), written);
}
