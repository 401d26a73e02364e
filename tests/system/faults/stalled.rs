//! Faults of a folder that does not answer, as a network folder whose server is gone.
//!
//! A request that names it waits for its own deadline, and no other request waits.

use super::tools::{
    Mounted, PATIENCE, agent, all_work, doctor_says, ended, start_script, until, within, wrong,
};
use postern_client::Channel;
use postern_protocol::{AgentCall, NoticeEvent, RunParams, What};
use postern_tests::{OwnedChild, Postern, connect_agent, ends_in_time, start};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use uuid::Uuid;

/// A file system in user space whose top folder is there, and which answers nothing else. It stops to read requests, so
/// that who waits for one can be ended, as with network file systems.
const STALL: &str = include_str!("stall.py");

/// Returns a stalled folder; `None`, and why, where this machine does not let us mount one.
fn stalled(host: &Postern) -> Option<(OwnedChild, Mounted)> {
    stall(host.scratch("stalled"))
}

/// Makes a folder answer no more.
#[expect(clippy::print_stderr, reason = "the output of the tests says what was not tried")]
fn stall(folder: PathBuf) -> Option<(OwnedChild, Mounted)> {
    let Some(helper) = start_script(STALL, &[&folder]) else {
        eprintln!("skipped: only root, with /dev/fuse, can make a folder that does not answer");
        return None;
    };
    Some((helper, Mounted(folder)))
}

/// Requests that name what does not answer: as their folder, and as their program.
fn requests(stalled: &Path, count: usize) -> impl Iterator<Item = RunParams> {
    let inside = stalled.join("folder").display().to_string();
    (0..count).map(move |at| {
        let program = if at.is_multiple_of(2) { format!("{inside}/program") } else { "true".to_owned() };
        let cwd = if at.is_multiple_of(2) { "/".to_owned() } else { inside.clone() };
        RunParams { cwd: Some(cwd), ..RunParams::new(Uuid::new_v4(), What::Command(vec![program])) }
    })
}

/// Sends many such requests of an agent, over several connections.
fn ask_often(agent: &Path, stalled: &Path) -> Vec<Channel> {
    let mut channels: Vec<Channel> = (0..4).map(|_| connect_agent(agent)).collect();
    for one in &mut channels {
        for request in requests(stalled, 60) {
            one.send(&AgentCall::Run(Box::new(request))).unwrap();
        }
    }
    channels
}

#[test]
fn a_folder_that_does_not_answer_delays_nobody_else() {
    let mut host = Postern::start();
    let Some((helper, mounted)) = stalled(&host) else { return };
    let [bad, good] = ["bad", "good"].map(|name| host.enrol(name));
    for name in ["bad", "good"] {
        host.ok(&["agents", "set", name, "preset=allow", "--yes", "requestsPerSecond=10000"]);
    }
    let began = Instant::now();
    let mut channels = ask_often(&bad, &mounted.0);
    // Everybody else, meanwhile, each with a limit that a folder's own deadline is beyond.
    let soon = Duration::from_secs(20);
    for _ in 0..3 {
        assert_eq!(ended(agent(&good, &["--", "true"]), soon).code, 0, "another agent's command runs");
        all_work(
            &host,
            soon,
            &[&["status"][..], &["history"], &["rules", "list"], &["pause", "1h"], &["resume"]],
        );
    }
    assert_eq!(wrong(&host), [] as [String; 0], "and the person's tools say so");
    // Who names it hears why, at its deadline and not later.
    let first = channels[0].next_event(Some(PATIENCE)).unwrap().expect("it is answered");
    assert!(matches!(first.event, NoticeEvent::Denied(_)), "{first:?}");
    assert!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
    let there = mounted.0.join("folder").display().to_string();
    let explained = |host: &Postern| {
        within(host, PATIENCE, &["explain", "--agent", "good", "--cwd", &there, "--", "true"])
    };
    drop(explained(&host));
    // It ends in time, whatever hangs.
    let mut is_first = true;
    ends_in_time(|| {
        if !std::mem::take(&mut is_first) {
            host.start_again();
            channels.extend(ask_often(&bad, &mounted.0));
            // By then what was asked before it is stuck again.
            drop(explained(&host));
        }
        host.time_to_end()
    });
    drop((helper, mounted));
    host.start_again();
    assert_eq!(ended(agent(&good, &["--", "true"]), PATIENCE).code, 0);
    assert_eq!(wrong(&host), [] as [String; 0]);
}

/// The agent's own folder hangs: its next request is denied, and a command that does not need it is still judged.
#[test]
fn a_program_that_does_not_answer_is_told_from_one_that_is_missing() {
    let host = Postern::start();
    let Some((_helper, mounted)) = stalled(&host) else { return };
    let main = host.enrol_allowed("main");
    let program: PathBuf = mounted.0.join("program");
    let told = ended(agent(&main, &["--", program.to_str().unwrap()]), PATIENCE);
    assert_ne!(told.code, 0);
    assert!(told.stderr.contains("answer"), "the agent hears that it does not answer: {told:?}");
    let missing = host.scratch("home").join("missing");
    let told = ended(agent(&main, &["--", missing.to_str().unwrap()]), PATIENCE);
    assert!(!told.stderr.contains("does not answer"), "{told:?}");
    assert!(start("true").status().unwrap().success());
}

#[test]
fn a_data_folder_that_does_not_answer_keeps_nobody_waiting_and_doctor_names_it() {
    let host = Postern::start();
    let Some((_helper, mounted)) = stalled(&host) else { return };
    let data = mounted.0.join("folder").display().to_string();
    let said = within(&host, PATIENCE, &["doctor", "--data", &data]);
    assert!(said.code == 1 && said.stdout.contains("does not answer"), "{said:?}");
    let said = within(&host, PATIENCE, &["status", "--data", &data]);
    assert!(said.code == 3 && said.stderr.contains("did not answer within"), "{said:?}");
}

#[test]
fn a_folder_of_skills_that_does_not_answer_keeps_nobody_waiting() {
    let mut host = Postern::start();
    let main = host.enrol_allowed("main");
    // Where no agent can write a skill.
    let place = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let skills = place.path().join("skills");
    fs::create_dir_all(skills.join("notes")).unwrap();
    fs::write(skills.join("notes/SKILL.md"), "---\nname: notes\ndescription: takes notes\n---\n").unwrap();
    let folder = skills.to_str().unwrap().to_owned();
    host.ok(&["skills", "add-folder", &folder]);
    let Some((helper, mounted)) = stall(skills) else { return };
    let soon = Duration::from_secs(20);
    for turn in 0..2 {
        let listed = within(&host, soon, &["skills", "list"]);
        assert!(listed.code == 0 && listed.stdout.contains("notes"), "what is known stays: {listed:?}");
        let program = format!("/usr/bin/tool{turn}");
        all_work(
            &host,
            soon,
            &[
                &["rules", "deny", &program, "--everyone"][..],
                &["agents", "stop", "main"],
                &["agents", "allow-again", "main"],
                &["status"],
                &["pause", "1h"],
                &["resume"],
            ],
        );
        assert_eq!(ended(agent(&main, &["--", "true"]), soon).code, 0, "and agents go on");
        doctor_says(&host, "a folder of skills");
        // The next host starts all the same.
        host.end();
        host.start_again();
    }
    let named = within(&host, soon, &["agents", "set", "main", &format!("folders={folder}/notes")]);
    assert!(named.code != 0 && named.stderr.contains("does not answer"), "{named:?}");
    all_work(&host, soon, &[&["skills", "remove-folder", &folder][..]]);
    assert!(!host.ok(&["skills", "list"]).contains("notes"), "its skills go with it");
    drop((helper, mounted));
    until("doctor does not see that it answers", || wrong(&host).is_empty());
}
