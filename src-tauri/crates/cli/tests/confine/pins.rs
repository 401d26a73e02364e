//! Protected places that another program replaces or removes while a confined command runs.

use super::attacks::started;
use super::world::{How, World, said};
use std::fs;

#[test]
fn a_pin_that_another_program_takes_away_is_put_back() {
    // In doubt the run is ended, as on a machine that is so busy that its processes do not stop in time.
    let goes_on = (0..5).any(|_| goes_on_without_its_pin());
    assert!(goes_on, "it is kept from the new file as well, and goes on");
}

/// Takes a pin away from a run, which writes nothing there; returns true if it went on.
fn goes_on_without_its_pin() -> bool {
    let world = World::new();
    // One process, which stops at once.
    let text = "touch ready; until [ -e go ]; do :; done; \
                for ((i = 0; i < 1000000; i++)); do mapfile -t mounts </proc/self/mountinfo; \
                [[ ${mounts[*]} == *'/.git/config '* ]] && break; done; \
                ! echo '[core] fsmonitor = evil' >> .git/config";
    let mut run = started(&world, text, "ready");
    // Git renames a new file over the pinned one.
    let outside = world.run(&How::Free, "git config branch.main.remote origin; touch go");
    assert!(outside.status.success(), "{}", said(&outside));
    let ended = run.wait().unwrap();
    assert!(ended.success() || ended.code() == Some(128 + 9), "{ended:?}");
    let there = fs::read_to_string(world.path("project/.git/config")).unwrap();
    assert!(there.contains("origin") && !there.contains("evil"), "{there}");
    ended.success()
}

#[test]
fn a_run_that_gets_hold_of_a_file_before_its_pin_is_back_ends() {
    let world = World::new();
    // It never stops trying.
    let text = "touch ready; while :; do echo '[core] fsmonitor = evil' >> .git/config; done 2>/dev/null";
    let mut run = started(&world, text, "ready");
    world.run(&How::Free, "cp .git/config ../kept");
    while run.try_wait().unwrap().is_none() {
        // Each time it gets less than a millisecond. Git would read what the run wrote, and could write that after the end.
        world.run(&How::Free, "cp ../kept ../new && mv ../new .git/config");
    }
    assert_eq!(run.wait().unwrap().code(), Some(128 + 9));
    let there = fs::read_to_string(world.path("project/.git/config")).unwrap_or_default();
    assert!(!there.contains("evil"), "what it wrote is set aside: {there}");
}

#[test]
fn a_run_ends_when_another_program_removes_a_protected_place() {
    let world = World::new();
    for (change, place) in [("rm -r .idea", ".idea"), ("mv config.new .git/config", ".git/config")] {
        fs::create_dir_all(world.path("project/.idea")).unwrap();
        fs::write(world.path("project/config.new"), "[core]\n\tfsmonitor = ./other\n").unwrap();
        let mut command = world.command(&How::Project, "project", "touch ready; while :; do :; done");
        let run = command.stderr(std::process::Stdio::piped()).spawn().unwrap();
        while !world.path("project/ready").exists() {}
        let outside = world.run(&How::Free, change);
        assert!(outside.status.success(), "{}", said(&outside));
        let ended = run.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(128 + 9), "{place}");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(
            said.contains(&format!("replaced or removed {}", world.path("project").join(place).display())),
            "{said}"
        );
        fs::remove_file(world.path("project/ready")).unwrap();
    }
}

#[test]
fn configuration_that_another_program_writes_meanwhile_stays() {
    let world = World::new();
    let mut run = started(&world, "touch ready; until [ -e done ]; do :; done", "ready");
    let outside = world.run(&How::Free, "git config branch.main.merge refs/heads/main; touch done");
    assert!(outside.status.success(), "{}", said(&outside));
    assert!(run.wait().unwrap().success());
    let config = fs::read_to_string(world.path("project/.git/config")).unwrap();
    assert!(config.contains("refs/heads/main"), "{config}");
}
