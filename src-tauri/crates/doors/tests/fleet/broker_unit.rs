//! The unit of systemd that starts a broker.

use crate::stage::{choices, own_broker};
use postern_doors::fleet::{FleetSetup, Folder};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the unit of a broker whose folder is in this one.
fn planned_unit(home: &Path) -> (PathBuf, String) {
    let wanted = choices(own_broker(7720));
    let path = std::env::var("PATH").unwrap();
    let folder = Folder::from_data_folder(&home.join("data"));
    let setup = FleetSetup::prepare(&folder, (home, Some(&path)), &wanted).unwrap();
    let files = setup.shown_files();
    let (path, text) = files.iter().find(|(path, _)| path.ends_with("postern-broker.service")).unwrap();
    (path.clone(), (*text).to_owned())
}

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
