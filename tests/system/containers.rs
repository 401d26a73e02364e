//! Tests of the development container's feature, in a sandbox that stands for a new container.

use postern_tests::{
    Answer, Postern, SEALED, bubblewrap_works, copy_program, postern_run, repository, start,
};
use std::fs;
use std::path::Path;

/// Returns the feature as the engine unpacks it, with or without the program in it.
fn unpacked(with_program: bool) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in ["devcontainer-feature.json", "install.sh"] {
        let from = repository().join("containers/devcontainer-feature").join(file);
        fs::copy(from, folder.path().join(file)).unwrap();
    }
    if with_program {
        copy_program(postern_run(), &folder.path().join("postern-run"));
    }
    folder
}

fn install(feature: &Path, prefix: &Path, commands: &str) -> Answer {
    let installed = start("/bin/sh")
        .arg(feature.join("install.sh"))
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("PREFIX", prefix)
        .env("COMMANDS", commands)
        .output();
    installed.unwrap().into()
}

#[test]
fn the_feature_installs_the_program_and_the_commands_that_run_on_the_host() {
    if !bubblewrap_works() {
        return;
    }
    let (feature, prefix) = (unpacked(true), tempfile::tempdir().unwrap());
    let said = install(feature.path(), prefix.path(), "uname, sw_vers");
    assert_eq!(said.code, 0, "{said:?}");
    let again = install(feature.path(), prefix.path(), "uname, sw_vers");
    assert_eq!(again.code, 0, "an image that is built again: {again:?}");
    let (host, channel) = Postern::with_allowed_agent();
    // A container: no network, a system of its own, what was installed, and the channel's folder read-only.
    let in_container = start("bwrap")
        .args(SEALED.split(' '))
        .args(["--tmpfs", "/work", "--chdir", "/"])
        .arg("--ro-bind")
        .arg(prefix.path().join("bin"))
        .arg("/opt/bin")
        .arg("--ro-bind")
        .arg(&channel)
        .arg("/run/postern")
        .args(["--setenv", "PATH", "/opt/bin:/bin"])
        .args(["--setenv", "POSTERN_SOCKET", "/run/postern/agent.sock"])
        .args(["--setenv", "POSTERN_KEY_FILE", "/run/postern/agent.key"])
        .args(["/bin/sh", "-c", "uname -s && postern-run --shell 'exit 3'"])
        .output();
    let said = Answer::from(in_container.unwrap());
    assert_eq!((said.code, said.stdout.as_str()), (3, "Linux\n"), "{said:?}");
    let lines: Vec<String> = host
        .json(&["history"])
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["line"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(lines, ["exit 3", "uname -s"], "both ran on the host");
}

#[test]
fn what_is_wrong_with_it_is_said_when_the_image_is_built() {
    let prefix = tempfile::tempdir().unwrap();
    let bare = install(unpacked(false).path(), prefix.path(), "");
    assert!(bare.code == 1 && bare.stderr.contains("copy postern-run"), "{bare:?}");
    let broken = unpacked(false);
    fs::write(broken.path().join("postern-run"), "not a program").unwrap();
    let broken = install(broken.path(), prefix.path(), "");
    assert!(broken.code == 1 && broken.stderr.contains("does not run"), "{broken:?}");
    let whole = unpacked(true);
    for name in ["../../etc/cron.d/x", "a;b", "postern-run", "-x", "$(id)"] {
        let odd = install(whole.path(), prefix.path(), name);
        assert!(odd.code == 1 && odd.stderr.contains("not the name"), "{name}: {odd:?}");
    }
    fs::write(prefix.path().join("bin/brew"), "somebody's own").unwrap();
    let taken = install(whole.path(), prefix.path(), "brew");
    assert!(taken.code == 1 && taken.stderr.contains("not ours"), "{taken:?}");
    assert_eq!(fs::read_to_string(prefix.path().join("bin/brew")).unwrap(), "somebody's own");
}
