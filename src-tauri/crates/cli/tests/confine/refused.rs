//! Commands that `postern confine` refuses, and its messages.

use super::world::{How, SECRET, World, said};
use std::fs;

#[test]
fn the_home_folder_is_no_project() {
    let world = World::new();
    for folder in ["home", "data"] {
        let output = world.command(&How::Project, folder, "echo ran").output().unwrap();
        assert_eq!(output.status.code(), Some(125), "{}", said(&output));
        assert!(said(&output).contains("holds") && output.stdout.is_empty(), "{}", said(&output));
    }
    let output = world.command(&How::Project, "..", "echo ran").output().unwrap();
    assert_eq!((output.status.code(), output.stdout.is_empty()), (Some(125), true), "{}", said(&output));
}

#[test]
fn without_bubblewrap_nothing_runs() {
    let world = World::new();
    for hidden in ["--ro-bind /dev/null /usr/bin/bwrap", "--unshare-user --disable-userns"] {
        let text =
            format!("/usr/bin/bwrap --dev-bind / / {hidden} -- $W/postern confine project -- touch ran");
        let output = world.run(&How::Free, &text);
        assert_eq!(output.status.code(), Some(125), "{hidden}: {}", said(&output));
        assert!(said(&output).contains("postern: could not be confined: "), "{hidden}: {}", said(&output));
        assert!(!world.path("project/ran").exists(), "{hidden}: it is not run otherwise");
    }
}

#[test]
fn a_folder_as_a_stream_is_refused() {
    let world = World::new();
    let output = world.run(&How::Free, "$W/postern confine project -- cat < $W/outside");
    assert_eq!(output.status.code(), Some(125));
    assert!(said(&output).contains("standard input is a folder"), "{}", said(&output));
}

#[test]
fn a_protected_file_as_a_stream_is_refused() {
    let world = World::new();
    let plant =
        "$W/postern confine project -- sh -c 'echo \"[core] fsmonitor = x\" >> /proc/self/fd/0; echo ran'";
    let output = world.run(&How::Free, &format!("git init -q . && {plant} < .git/config"));
    assert_eq!(output.status.code(), Some(125), "{}", said(&output));
    assert!(said(&output).contains(".git/config, which it may not change"), "{}", said(&output));
    let config = fs::read_to_string(world.path("project/.git/config")).unwrap();
    assert!(!config.contains("fsmonitor"), "{config}");
    for input in ["cat .git/config | ", "echo x > file; < file "] {
        let output = world.run(&How::Free, &format!("{input}$W/postern confine project -- cat"));
        assert_eq!(output.status.code(), Some(0), "{input}: {}", said(&output));
    }
}

#[test]
fn a_cache_that_became_a_link_is_refused() {
    let world = World::new();
    assert_eq!(world.run(&How::Project, "true").status.code(), Some(0));
    for ending in ["", ".tmp"] {
        let moved =
            "for c in ~/.cache/postern/*.tmp; do c=${c%.tmp}$E; rm -rf \"$c\"; ln -s $W/outside \"$c\"; done";
        let done = world.run(&How::Free, &format!("E={ending}; {moved}"));
        assert_eq!(done.status.code(), Some(0), "{}", said(&done));
        let output = world.run(&How::Project, "echo ran; echo x > /tmp/new");
        assert_eq!(output.status.code(), Some(125), "{}", said(&output));
        assert!(said(&output).contains("is a link") && output.stdout.is_empty(), "{}", said(&output));
        assert!(!world.path("outside/new").exists(), "nothing is written there");
        let back = world.run(&How::Free, "find ~/.cache/postern -maxdepth 1 -type l -delete");
        assert_eq!(back.status.code(), Some(0), "{}", said(&back));
    }
}

#[test]
fn the_exit_status_is_the_commands_own() {
    let world = World::new();
    for how in [How::Look, How::Project] {
        for (text, code) in [("exit 0", 0), ("exit 7", 7), ("kill -TERM $$", 143)] {
            assert_eq!(world.run(&how, text).status.code(), Some(code), "{text}");
        }
    }
    let output = world.run(&How::Free, "$W/postern confine project -- no-such-program");
    assert_eq!(output.status.code(), Some(127), "{}", said(&output));
    let output = world.run(&How::Free, "$W/postern confine none -- true");
    assert_eq!(output.status.code(), Some(2), "a run cannot release itself: {}", said(&output));
    let output = world.run(&How::Free, "$W/postern confine look --network -- true");
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
}

#[test]
fn what_a_run_leaves_in_a_protected_place_is_reported() {
    let world = World::new();
    let output =
        world.run(&How::Project, "mkdir -p src/.claude && echo x > src/.claude/settings.json && echo done");
    assert_eq!(output.status.code(), Some(0));
    let text = said(&output);
    assert!(text.starts_with("done\n") && text.contains("src/.claude is protected"), "{text}");
    assert!(!world.path("project/src/.claude").exists());
    let aside = world.path("project/src/.claude.set-aside-by-postern/settings.json");
    assert_eq!(fs::read_to_string(aside).unwrap(), "x\n", "nothing is lost");
}

#[test]
fn the_profile_in_effect_is_printed() {
    let world = World::new();
    let output = world.run(&How::Free, "$W/postern confine project --print --loopback");
    let text = said(&output);
    let project = world.path("project");
    for part in [
        format!("writes    {}", project.display()),
        "network   loopback of its own".to_owned(),
        format!("pinned    {}/.git/hooks", project.display()),
        "sets      CARGO_NET_OFFLINE=true".to_owned(),
    ] {
        assert!(text.contains(&part), "{part}: {text}");
    }
    assert!(!project.join(".claude").exists(), "it only prints");
}

#[test]
fn files_that_are_denied_are_not_there_for_it() {
    let world = World::new();
    let text = "echo $SECRET > .env; mkdir -p a; echo $SECRET > a/.env; echo one > a.lock";
    let mut made = world.command(&How::Free, "project", text);
    assert!(made.env("SECRET", SECRET).status().unwrap().success());
    for profile in ["look", "project"] {
        let deny = "--deny-read '**/.env' --deny-write '**/*.lock'";
        let attack =
            "cat .env a/.env a/../.env; grep -r USERS .; echo two > a.lock; mv a b; cat b/.env; echo ran";
        let output =
            world.run(&How::Free, &format!("$W/postern confine {profile} {deny} -- bash -c '{attack}'"));
        let printed = said(&output);
        assert!(printed.contains("ran") && !printed.contains(SECRET), "{profile}: {printed}");
        let shown = said(&world.run(&How::Free, &format!("$W/postern confine {profile} {deny} --print")));
        assert!(shown.contains(&format!("hidden    {}", world.path("project/a/.env").display())), "{shown}");
    }
    assert_eq!(fs::read_to_string(world.path("project/a.lock")).unwrap(), "one\n");
    let wrong = world.run(&How::Free, "$W/postern confine project --deny-read '[' -- echo ran");
    assert!(wrong.status.code() == Some(125) && !said(&wrong).contains("ran\n"), "{}", said(&wrong));
}
