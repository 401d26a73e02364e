//! Findings of `postern doctor` about a broker.

use crate::between::Fate;
use crate::stage::Stage;
use crate::withheld::led;
use jiff::{Span, Timestamp};
use postern_doors::fleet::{BrokerFact, examine_broker};
use postern_fleet::MAX_PAYLOAD;
use serde_json::{Value, json};
use std::fs;

/// Moves the time at which a broker says that it made a consumer.
fn moved(answer: &[u8], minutes: i64) -> Vec<u8> {
    let mut answer: Value = serde_json::from_slice(answer).unwrap();
    let at: Timestamp = answer["created"].as_str().unwrap().parse().unwrap();
    answer["created"] = json!(at.checked_add(Span::new().minutes(minutes)).unwrap().to_string());
    serde_json::to_vec(&answer).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_whose_clock_is_minutes_off_is_named_with_the_difference() {
    let stage = Stage::set().await;
    let between = led(&stage).await;
    for (minutes, named) in [(0, false), (1, false), (-1, false), (7, true), (-7, true)] {
        between.play(move |passing| {
            if passing.to_member && passing.says("consumer_create_response") {
                return Fate::Alter(Box::new(move |answer| moved(answer, minutes)));
            }
            Fate::Pass
        });
        let facts = examine_broker(&stage.mini.folder()).await.unwrap();
        assert!(facts.iter().any(|fact| matches!(fact, BrokerFact::Reached { .. })), "{facts:?}");
        let clocks: Vec<i64> = facts
            .iter()
            .filter_map(|fact| if let BrokerFact::Clock(ahead) = fact { Some(*ahead) } else { None })
            .collect();
        assert_eq!(clocks.len(), usize::from(named), "{minutes} minutes: {facts:?}");
        // Half a minute for a slow computer.
        assert!(
            clocks.iter().all(|ahead| (ahead - minutes * 60_000).abs() < 30_000),
            "{minutes}: {clocks:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_takes_small_messages_alone_is_named() {
    let mut stage = Stage::set().await;
    let file = stage.laptop.folder().broker().join("broker.conf");
    let text = fs::read_to_string(&file).unwrap();
    let small = text.replace(&format!("max_payload: {MAX_PAYLOAD}"), "max_payload: 65536");
    assert_ne!(small, text);
    fs::write(&file, small).unwrap();
    stage.broker.restart();
    let facts = examine_broker(&stage.mini.folder()).await.unwrap();
    assert!(facts.contains(&BrokerFact::SmallMessages(65_536)), "{facts:?}");
}
