//! Findings of `postern doctor` about a broker, and the service that starts it.

use crate::between::Fate;
use crate::stage::{Stage, own_broker};
use crate::withheld::led;
use jiff::{Span, Timestamp};
use postern_doors::fleet::{BrokerFact, FleetSetup, Folder, HostConsent, NewFleetChoices, examine_broker};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

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

/// Returns the unit of a broker whose folder is in this one.
#[cfg(target_os = "linux")]
fn planned_unit(home: &Path) -> (std::path::PathBuf, String) {
    let wanted = NewFleetChoices {
        broker: own_broker(7720),
        name: "MacBook".to_owned(),
        person: "Mara".to_owned(),
        group: "all".parse().unwrap(),
        consent: HostConsent::default(),
    };
    let path = std::env::var("PATH").unwrap();
    let folder = Folder::from_data_folder(&home.join("data"));
    let setup = FleetSetup::prepare(&folder, (home, Some(&path)), &wanted).unwrap();
    let files = setup.shown_files();
    let (path, text) = files.iter().find(|(path, _)| path.ends_with("postern-broker.service")).unwrap();
    (path.clone(), (*text).to_owned())
}

#[cfg(target_os = "linux")]
#[test]
fn the_broker_s_unit_is_one_that_systemd_takes_wherever_the_home_is() {
    let tool = ["/usr/bin/systemd-analyze", "/bin/systemd-analyze"]
        .into_iter()
        .find(|tool| Path::new(tool).exists());
    let scratch = tempfile::tempdir().unwrap();
    for name in ["home", "a home", "50% of $HOME", "a \"quoted\" \\home", "home; reboot"] {
        let home = scratch.path().join(name);
        let (path, text) = planned_unit(&home);
        let starts: Vec<&str> = text.lines().filter(|line| line.starts_with("ExecStart=")).collect();
        assert_eq!(starts.len(), 1, "{name}: {text}");
        assert_eq!(
            words(starts[0].strip_prefix("ExecStart=").unwrap())[1..],
            ["-c".to_owned(), home.join("data/fleet/broker/broker.conf").display().to_string()]
        );
        assert!(path.starts_with(&home), "{name}");
        let Some(tool) = tool else { continue };
        let file = scratch.path().join("postern-broker.service");
        fs::write(&file, &text).unwrap();
        let checked = Command::new(tool)
            .args(["verify", "--user", "--man=no"])
            .arg(&file)
            .env("XDG_RUNTIME_DIR", scratch.path())
            .env("HOME", scratch.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&checked.stderr).into_owned();
        assert!(checked.status.success() && !said.contains("postern-broker"), "{name}: {said}\n{text}");
    }
}

/// Reads the words of a command line as systemd does: quoted ones, with `\\`, `%%` and `$$` for one of each.
#[cfg(target_os = "linux")]
fn words(line: &str) -> Vec<String> {
    let (mut all, mut word, mut quoted) = (Vec::new(), String::new(), false);
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted => {
                all.push(std::mem::take(&mut word));
                quoted = false;
            }
            '"' => quoted = true,
            '\\' | '%' | '$' => {
                let next = letters.next().unwrap();
                assert!(
                    next == letter || letter == '\\' && next == '"',
                    "{letter}{next} means something else"
                );
                word.push(next);
            }
            ' ' if !quoted => {}
            other => {
                assert!(quoted, "{other} is outside of quotes");
                word.push(other);
            }
        }
    }
    all
}
