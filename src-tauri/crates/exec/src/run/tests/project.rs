//! Real processes with the profile `project`: what the mounts and the kernel refuse them, and what they can still do.

use super::contract::{confined, folders, place, user};
use super::*;
use postern_policy::Confinement;
use std::fs;

fn in_project(place: &Place, text: &str) -> Prepared {
    confined(place, text, Confinement::project(folders(place), false, false))
}

/// Runs a line, like all but the first in namespaces that were made ahead.
async fn run(place: &Place, text: &str) -> (FinishedRun, String) {
    crate::run::keep_spare_namespaces();
    let finished = finish(in_project(place, text)).await.expect("it starts");
    let said = super::text(&finished.stdout) + &super::text(&finished.stderr);
    (finished, said)
}

#[tokio::test]
async fn it_works_in_its_folders() {
    let place = place();
    let (finished, said) = run(
        &place,
        "cat a && echo new > src/b && mv src/b src/c && rm a && mkdir -p x/y && ln -s c src/d && chmod 700 src/c \
         && touch -d 2000-01-01 src/c && printf '#!/bin/sh\\necho ran' > x/s && chmod +x x/s && x/s \
         && echo t > /tmp/t && cat /tmp/t && mktemp && echo x > /dev/null && cat <(echo sub) && echo $$ && id -u",
    )
    .await;
    assert_eq!(finished.end.exit, Some(Exit::Code(0)), "{said}");
    for part in ["content of project/a", "ran", "t", "/tmp/tmp", "sub"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(fs::read_to_string(place.path("project/src/c")).unwrap(), "new\n");
    assert!(
        !place.path("project/a").exists() && !Path::new("/tmp/t").exists(),
        "its temporary folder is its own"
    );
    let mut left: Vec<_> =
        fs::read_dir(place.path("project")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["src", "x"], "nothing of Postern's is left");
    assert_eq!(finished.set_aside, []);
}

#[tokio::test]
async fn it_writes_and_reads_nothing_else() {
    let place = place();
    for text in [
        "echo x > ../new", "echo x > ../home/new", "echo x >> ../other/b", "rm ../other/b",
        "mv ../other ../other2", "chmod 777 ../other/b", "touch ../other/b", "ln ../other/b link",
        "cat ../home/notes", "cat ../home/.ssh/id_rsa", "cat ../data/control.key", "cat ../other/b",
        "cat /proc/1/root/etc/passwd", "cat /proc/1/environ", "cat /proc/1/fd/0", "ls /proc/1/cwd/",
        "mount -t tmpfs x src", "mount --bind src x", "umount ..", "unshare -r true", "unshare -m true",
        "echo x > /etc/postern-test", "echo x > /usr/bin/postern-test", "echo 1 > /proc/sys/vm/drop_caches",
    ] {
        let (finished, said) = run(&place, text).await;
        assert_ne!(finished.end.exit, Some(Exit::Code(0)), "{text}: {said}");
        assert!(!said.contains("content of"), "{text}: {said}");
    }
    assert_eq!(fs::read_to_string(place.path("other/b")).unwrap(), "content of other/b");
    assert!(!place.path("new").exists() && !place.path("home/new").exists());
}

#[tokio::test]
async fn it_leaves_processes_for_the_user() {
    use rustix::process::{Resource, getrlimit};
    let expected =
        getrlimit(Resource::Nproc).current.map_or("unlimited".to_owned(), |all| (all / 2).to_string());
    let (_, said) = run(&place(), "ulimit -u; ulimit -Hu").await;
    assert_eq!(said, format!("{expected}\n{expected}\n"));
}

#[tokio::test]
async fn nothing_of_one_run_is_in_the_namespaces_of_the_next() {
    let place = place();
    let look =
        "ls -A /dev/shm /run /dev/pts; set -- /proc/[0-9]*; echo $# processes; grep -c : /proc/net/dev";
    let leave = "touch /dev/shm/left || exit 3; sleep 1000 >/dev/null 2>&1 </dev/null &";
    let (_, first) = run(&place, look).await;
    for _ in 0..3 {
        let (finished, said) = run(&place, &format!("{look}\n{leave}")).await;
        assert_eq!(finished.end.exit, Some(Exit::Code(0)), "{said}");
        assert!(said.starts_with(&first), "{first}\n{said}");
    }
}

#[tokio::test]
async fn links_lead_nowhere_else() {
    let place = place();
    std::os::unix::fs::symlink(place.path("other"), place.path("project/out")).unwrap();
    std::os::unix::fs::symlink(place.path("home/.ssh"), place.path("project/.vscode")).unwrap();
    let (_, said) = run(
        &place,
        "cat out/b .vscode/id_rsa; echo x > out/b; echo x > .vscode/x; echo x > src/../../other/b",
    )
    .await;
    assert!(!said.contains("content of"), "{said}");
    assert_eq!(fs::read_to_string(place.path("other/b")).unwrap(), "content of other/b");
    assert!(!place.path("home/.ssh/x").exists());
}

#[tokio::test]
async fn nothing_outlives_it() {
    let place = place();
    let (finished, said) =
        run(&place, "setsid sh -c 'sleep 1000' >/dev/null 2>&1 </dev/null & echo started").await;
    assert_eq!((finished.end.exit, said.trim()), (Some(Exit::Code(0)), "started"));
    let left = fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let cwd = fs::read_link(entry.path().join("cwd"));
        cwd.is_ok_and(|cwd| cwd.starts_with(place.path("project")))
    });
    assert!(!left, "its namespace is gone, and everything in it");
}

#[tokio::test]
async fn a_folder_that_became_a_link_is_not_followed() {
    let place = place();
    let prepared = in_project(&place, "cat a");
    fs::rename(place.path("project"), place.path("gone")).unwrap();
    std::os::unix::fs::symlink(place.path("home"), place.path("project")).unwrap();
    assert!(matches!(finish(prepared).await, Err(SpawnError::Failed(_) | SpawnError::Drifted(_))));
}

#[tokio::test]
async fn the_last_question_comes_when_its_folders_were_looked_through() {
    let place = place();
    let prepared = in_project(&place, "touch ran");
    let stand_in = place.path("project/.envrc");
    assert!(!stand_in.exists(), "it is there only while a run is confined");
    let may_start = Box::new(move || {
        assert!(stand_in.exists(), "everything is prepared");
        Err(Denial::from(Refusal::NotRecorded))
    });
    let (sink, _events) = mpsc::channel(16);
    let ended = spawn_approved(approved(&prepared.plan), prepared, may_start, sink).await;
    assert_eq!(ended.map(drop), Err(SpawnError::Refused(Box::new(Refusal::NotRecorded.into()))));
    for left in ["project/ran", "project/.envrc"] {
        assert!(!place.path(left).exists(), "{left}");
    }
}

#[tokio::test]
async fn folders_that_are_too_wide_are_refused() {
    let place = place();
    for folder in ["home", "data", ""] {
        let wide = vec![place.path(folder).to_str().unwrap().trim_end_matches('/').to_owned()];
        let Err(SpawnError::Failed(why)) =
            finish(confined(&place, "true", Confinement::project(wide, false, false))).await
        else {
            panic!("{folder} is refused")
        };
        assert!(why.contains("holds"), "{why}");
    }
    let root = Confinement::project(vec!["/".to_owned()], false, false);
    assert!(finish(confined(&place, "true", root)).await.is_err());
}

#[tokio::test]
async fn a_run_ends_by_its_signal_and_its_time() {
    let place = place();
    let (finished, _) = run(&place, "kill -USR1 $$").await;
    assert_eq!(finished.end.exit, Some(Exit::Signal(10)));
    let mut prepared = in_project(&place, "sleep 1000 & wait");
    prepared.plan.timeout_ms = Some(100);
    prepared.grace = Duration::from_millis(100);
    let finished = finish(prepared).await.unwrap();
    assert_eq!(finished.end.outcome, Outcome::Timeout);
}

#[tokio::test]
async fn two_runs_of_one_folder_share_its_stand_ins() {
    let place = place();
    let first = in_project(&place, "read x");
    let (running, mut events) = begin(Prepared { input: ProcessInput::Stream, ..first }).await.unwrap();
    let (_, said) =
        run(&place, "mkdir .claude/x; echo x > .cursor; rmdir .claude; mv .claude y; ls -A").await;
    assert!(place.path("project/.claude").is_dir(), "the first run still needs it: {said}");
    running.write_input(b"x\n".to_vec(), true).await.unwrap();
    end(&mut events).await;
    assert!(!place.path("project/.claude").exists(), "the last run removes it");
}

#[tokio::test]
async fn a_stand_in_that_somebody_filled_meanwhile_is_set_aside_and_not_kept() {
    let place = place();
    let first = in_project(&place, "read x");
    let (running, mut events) = begin(Prepared { input: ProcessInput::Stream, ..first }).await.unwrap();
    let theirs = place.path("project/.claude");
    fs::set_permissions(&theirs, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    fs::write(theirs.join("settings.json"), "mine").unwrap();
    running.write_input(b"x\n".to_vec(), true).await.unwrap();
    end(&mut events).await;
    let aside = place.path("project/.claude.set-aside-by-postern/settings.json");
    assert_eq!(fs::read_to_string(aside).unwrap(), "mine");
    let (_, said) = run(&place, "ls -A .claude .vscode; echo x > .claude/settings.json").await;
    assert!(!said.contains("settings.json\n"), "the next run has an empty one: {said}");
    assert!(!theirs.exists() && !place.path("project/.vscode").exists());
}

#[tokio::test]
async fn nothing_of_one_run_is_there_in_another() {
    let place = place();
    let text = "echo x > /dev/shm/mark; mkdir /run/mark 2>/dev/null; exec 3<>/dev/ptmx; echo ready; read x";
    let first = in_project(&place, text);
    let (running, mut events) =
        begin(Prepared { input: ProcessInput::Stream, stream: true, ..first }).await.unwrap();
    while !matches!(events.recv().await, Some(RunEvent::Output { bytes, .. }) if bytes.starts_with(b"ready"))
    {
    }
    let (_, said) =
        run(&place, "ls /dev/shm /run /dev/pts; ls -d /proc/[0-9]* | wc -l; cat /proc/net/dev").await;
    assert!(!said.contains("mark") && !said.lines().any(|line| line == "0"), "{said}");
    assert!(
        said.lines().any(|line| matches!(line.trim(), "2" | "3" | "4")),
        "it sees its own processes: {said}"
    );
    running.write_input(b"x\n".to_vec(), true).await.unwrap();
    end(&mut events).await;
}

#[test]
fn a_mount_follows_no_link() {
    use crate::run::{Keeper, Mount};
    let place = place();
    std::os::unix::fs::symlink(place.path("other"), place.path("project/way")).unwrap();
    fs::create_dir(place.path("other/in")).unwrap();
    let path = |name: &str| std::ffi::CString::new(place.path(name).to_str().unwrap()).unwrap();
    let start = |source: &str, target: &str| {
        let mount = Mount { target: path(target), source: path(source), read_only: false };
        Keeper::start(&[], &[mount], false).map(drop)
    };
    assert_eq!(start("project/src", "project/src"), Ok(()));
    for (source, target) in
        [("project/way", "project/src"), ("project/way/in", "project/src"), ("project/src", "project/way/in")]
    {
        assert!(start(source, target).is_err(), "{source} onto {target}");
    }
}

#[test]
fn this_system_can_confine() {
    let confines = crate::confine::Confines::try_profiles(&user(&place()));
    assert_eq!((confines.look, confines.project), (Ok(()), Ok(())));
}

/// Prints what a profile adds to the start of a program that does nothing.
#[tokio::test]
#[ignore = "a measurement: cargo test -p postern-host --lib -- --ignored --nocapture cost_of_a_profile"]
async fn cost_of_a_profile() {
    const ROUNDS: usize = 60;
    crate::run::keep_spare_namespaces();
    let place = place();
    let profiles = [
        Confinement::None,
        Confinement::look_only(folders(&place)),
        Confinement::project(folders(&place), false, false),
    ];
    let mut times: [Vec<Duration>; 3] = Default::default();
    // In turn, so that all have the same neighbors.
    for _ in 0..ROUNDS {
        for (confinement, times) in profiles.iter().zip(&mut times) {
            let mut prepared = place.prepare_reading(&reading(&["/usr/bin/true"]), &place.path("project"));
            prepared.plan.confinement = confinement.clone();
            prepared.user = user(&place);
            let begun = std::time::Instant::now();
            finish(prepared).await.unwrap();
            times.push(begun.elapsed());
        }
    }
    for (confinement, times) in profiles.iter().zip(&mut times) {
        times.sort();
        println!("{:8} {:?} (median of {ROUNDS})", confinement.name(), times[ROUNDS / 2]);
    }
}
