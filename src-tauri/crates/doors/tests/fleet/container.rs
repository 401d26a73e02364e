//! A broker in a container, as its service starts it. What runs the container is a stand-in with the installed nats-server,
//! because no image can be had here.

use crate::stage::{Mac, PATIENCE, choices, invitation, until_async};
use postern_doors::fleet::{
    BrokerChoice, FleetOwner, FleetSetup, HostConsent, InvitationCode, Joined, Joining, NewFleetChoices,
    invite_device,
};
use postern_tests::{free_port, put_program};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// Runs the installed nats-server in place of a container's, and notes how it was asked to.
const DOCKER: &str =
    "#!/bin/sh\nprintf '%s\\n' \"$@\" >\"$0.asked\"\nfor last; do :; done\nexec nats-server -c \"$last\"\n";

/// Process that the service starts; it ends with the test.
struct Service(Child);

impl Drop for Service {
    fn drop(&mut self) {
        // It may have ended by itself.
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

/// Starts what the unit says, as systemd reads it.
fn started(unit: &str) -> Service {
    let line = unit.lines().find_map(|line| line.strip_prefix("ExecStart=")).unwrap();
    let words = line.trim_matches('"').split("\" \"");
    let words = words.map(|word| word.replace("\\\"", "\"").replace("\\\\", "\\").replace("$$", "$"));
    let words: Vec<String> = words.map(|word| word.replace("%%", "%")).collect();
    Service(Command::new(&words[0]).args(&words[1..]).stderr(Stdio::null()).spawn().unwrap())
}

fn in_container(port: u16) -> NewFleetChoices {
    let listen = ([127, 0, 0, 1], port).into();
    choices(BrokerChoice::Own { listen, before_2_10: true, in_container: true })
}

fn put_docker(folder: &Path) {
    put_program(&folder.join("docker"), DOCKER);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_in_a_container_lets_an_invited_mac_in_and_sees_its_own_folder_alone() {
    let (laptop, mini, place) = (Mac::start().await, Mac::start().await, TempDir::new().unwrap());
    let folder = laptop.folder();
    let port = free_port();
    put_docker(place.path());
    let setup =
        FleetSetup::prepare(&folder, (place.path(), place.path().to_str()), &in_container(port)).unwrap();
    let (path, unit) =
        setup.shown_files().into_iter().nth(1).map(|(path, text)| (path, text.to_owned())).unwrap();
    setup.write_files().await.unwrap();
    assert_eq!(fs::read_to_string(path).unwrap(), unit, "the unit is the one that was shown");
    let _service = started(&unit);
    until_async(async || FleetOwner::connect(&folder).await.is_ok()).await;

    let asked = fs::read_to_string(place.path().join("docker.asked")).unwrap();
    let own = folder.broker().display().to_string();
    let after = |option: &str| asked.lines().skip_while(|line| *line != option).nth(1).unwrap_or_default();
    assert_eq!(after("--publish"), format!("127.0.0.1:{port}:{port}"));
    assert_eq!(after("--volume"), format!("{own}:{own}"));
    assert!(!folder.broker().join("keys").exists() && folder.path().join("keys").exists(), "no key is in it");

    let (tell, told) = tokio::sync::oneshot::channel();
    let there = mini.folder();
    let joining = tokio::spawn(async move {
        let code: String = told.await.unwrap();
        let joining =
            Joining::meet_owner(InvitationCode::parse(&code).unwrap(), None, &[true]).await.unwrap();
        joining.welcomed(&there, HostConsent::default()).await.unwrap()
    });
    let stop = CancellationToken::new();
    let (show, same) = (move |code| tell.send(code).is_ok(), async |_: Joined| true);
    let invitation = invitation("mini", "");
    let invited = Box::pin(invite_device(&folder, &invitation, &stop, (show, same, |_| {})));
    assert!(timeout(PATIENCE, invited).await.unwrap().unwrap(), "the broker was told to let it in");
    timeout(PATIENCE, joining).await.unwrap().unwrap();
    // It was told of the new member, too, by the same signal.
    mini.call("doors.enable", serde_json::json!({"door": "fleet"})).await;
    until_async(async || {
        mini.call("fleet.get", serde_json::json!({})).await["fleet"]["connected"] == serde_json::json!(true)
    })
    .await;
}
