//! Each attack is seen to work unconfined, and then fails in both profiles.

use super::world::{How, SECRET, World, copy_program, said};
use std::fs;

/// Evidence that an attack worked.
#[derive(serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Sign {
    /// This file of the world exists.
    Exists(String),
    /// This file holds the word `evil`.
    Evil(String),
    /// The output holds the secret.
    Tells,
    /// The output holds the word `worked`.
    Says,
    /// Somebody was connected to.
    Reaches,
    /// The victim is gone.
    Kills,
}

use Sign::{Evil, Exists, Kills, Reaches, Says, Tells};

const PYTHON: &str = "/usr/bin/python3 -c";

/// An attack: a shell line in the project, and what shows that it worked.
#[derive(serde::Deserialize)]
struct Attack {
    name: String,
    shell: String,
    sign: Sign,
}

fn text_of(attack: &str) -> String {
    let connect = format!(
        "{PYTHON} 'import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1].replace(\"\\\\0\", chr(0)))'"
    );
    let send = format!(
        "{PYTHON} 'import socket, sys; socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b\"x\", sys.argv[1])'"
    );
    attack.replace("$CONNECT", &connect).replace("$SEND", &send)
}

fn worked(world: &mut World, sign: &Sign, printed: &str) -> bool {
    match sign {
        Exists(path) => world.path(path).symlink_metadata().is_ok(),
        Evil(path) => fs::read_to_string(world.path(path)).is_ok_and(|text| text.contains("evil")),
        Tells => printed.contains(SECRET),
        Says => printed.lines().any(|line| line == "worked"),
        Reaches => world.reached() > 0,
        Kills => !world.victim_lives(),
    }
}

#[test]
fn no_attack_works_confined() {
    let mut wrong = Vec::new();
    for line in include_str!("attacks.jsonl").lines() {
        let Attack { name, shell, sign } = serde_json::from_str(line).unwrap();
        for how in [How::Free, How::Look, How::Project, How::Loopback] {
            let mut world = World::new();
            let free = matches!(how, How::Free);
            if free && name == "signal" {
                // Unconfined it would end everything of this user.
                assert!(world.run(&how, "kill -9 $VICTIM").status.success());
                while world.victim_lives() {}
                continue;
            }
            let mut command = world.command(&how, "project", &format!("exec 9<\"$N\"; {}", text_of(&shell)));
            command.env("N", "/dev/null");
            if name == "read by an inherited descriptor" {
                command = inherited(&world, &how, &shell);
            }
            let output = command.output().unwrap();
            assert_ne!(output.status.code(), Some(125), "{name}: it is confined, and runs");
            let printed = said(&output);
            // A connection is counted by another thread; that of an attack that worked comes.
            let until = std::time::Instant::now() + std::time::Duration::from_mins(1);
            let mut got = worked(&mut world, &sign, &printed);
            while free && !got && std::time::Instant::now() < until {
                got = worked(&mut world, &sign, &printed);
            }
            if got != free {
                let how = if free { "did not work unconfined" } else { "worked confined" };
                wrong.push(format!("{name} {how}: {printed}"));
            }
            if let How::Project = how {
                let left = stand_ins(&world);
                if !left.is_empty() {
                    wrong.push(format!("{name} left {left:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn git_writes_and_copies_nothing_elsewhere_after_a_run() {
    let index = "h=$(git hash-object -w notes.txt); \
                 git update-index --add --cacheinfo 100755,$h,xgit/hooks/post-checkout --cacheinfo 100644,$h,xx/outside/new; \
                 LC_ALL=C sed -i 's#xgit/hooks#.git/hooks#; s#xx/outside#../outside#' .git/index";
    let message = "ln -sf $W/outside/new .git/COMMIT_EDITMSG; echo two >> notes.txt";
    let conflict = "mkdir -p .git/rr-cache/$(printf %040d 1); ln -s ~/.ssh/id_rsa l; echo two >> notes.txt; \
                    printf '%040d\\tl\\0' 1 > .git/MERGE_RR";
    let commit = "git commit -qam two";
    let solution = format!("project/.git/rr-cache/{}1/postimage", "0".repeat(39));
    for (attack, then, sign) in [
        (index, "git checkout -q .", "outside/new"),
        (index, "git checkout -q .", "project/.git/hooks/post-checkout"),
        (message, commit, "outside/new"),
        (conflict, commit, solution.as_str()),
    ] {
        for (how, works) in [(How::Free, true), (How::Project, false)] {
            let world = World::new();
            let attacked = said(&world.run(&how, attack));
            let printed = said(&world.run(&How::Free, then));
            assert_eq!(world.path(sign).exists(), works, "{attack}: {attacked}{printed}");
        }
    }
}

#[test]
fn what_a_shells_prompt_reads_for_a_folder_is_pinned() {
    let world = World::new();
    let made = "printf 'use flake\\ndotenv\\n' > .envrc; echo one | tee .env > flake.nix; mkdir -p .jj/repo; \
                echo one > .jj/repo/config.toml; echo one > shell.nix; mkdir .direnv; \
                echo one | tee .direnv/flake-profile.rc .tool-versions > site.code-workspace";
    assert_eq!(world.run(&How::Free, made).status.code(), Some(0));
    let evil = "for file in .envrc .env flake.nix .jj/repo/config.toml shell.nix .direnv/flake-profile.rc \
                .tool-versions site.code-workspace; do echo evil >> $file; done; mkdir .direnv/bin; \
                echo evil > src/x.code-workspace; mkdir -p .config/mise/conf.d; \
                echo evil > .config/mise/conf.d/x.toml; echo evil > flake.lock";
    let printed = said(&world.run(&How::Project, evil));
    let kept = [".envrc", ".env", "flake.nix", ".jj/repo/config.toml", ".direnv/flake-profile.rc"];
    for file in kept.into_iter().chain([".tool-versions", "site.code-workspace"]) {
        let text = fs::read_to_string(world.path("project").join(file)).unwrap();
        assert!(!text.contains("evil"), "{file}: {printed}");
    }
    for file in ["flake.lock", ".config/mise/conf.d", "src/x.code-workspace", ".direnv/bin"] {
        assert!(!world.path("project").join(file).exists(), "{file} is set aside, or not made: {printed}");
    }
    let other = fs::read_to_string(world.path("project/shell.nix")).unwrap();
    assert!(other.contains("evil"), "no line of the .envrc reads it: {printed}");
}

#[test]
fn places_hold_in_a_folder_with_many_files() {
    let world = World::new();
    let filled = world.run(&How::Project, &format!("touch {{1..21000}}; {PLANT}"));
    assert_eq!(filled.status.code(), Some(0), "{}", said(&filled));
    assert!(!world.path("project/s/.claude").exists(), "{}", said(&filled));
    world.run(&How::Project, "git config core.fsmonitor evil; echo evil > vendor/x/.git/config");
    for config in ["project/.git/config", "project/vendor/x/.git/config"] {
        let text = fs::read_to_string(world.path(config)).unwrap();
        assert!(!text.contains("evil"), "{config}: {text}");
    }
}

#[test]
fn a_folder_that_cannot_be_listed_is_pinned_as_a_whole() {
    let world = World::new();
    assert_eq!(world.run(&How::Free, "chmod 311 vendor").status.code(), Some(0));
    let printed = said(&world.run(&How::Project, "chmod 755 vendor; echo evil > vendor/x/.git/config"));
    assert!(
        !fs::read_to_string(world.path("project/vendor/x/.git/config")).unwrap().contains("evil"),
        "{printed}"
    );
    assert!(world.path("project/vendor/x").exists(), "it stays where it is: {printed}");
    assert_eq!(world.run(&How::Free, "chmod 311 .").status.code(), Some(0));
    let refused = world.run(&How::Project, "echo ran");
    assert_eq!((refused.status.code(), refused.stdout.is_empty()), (Some(125), true), "{}", said(&refused));
}

/// Starts a line in the profile `project`, and returns when it has made a file of this name.
pub(super) fn started(world: &World, text: &str, ready: &str) -> std::process::Child {
    let mut command = world.command(&How::Project, "project", text);
    let command = command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    let mut child = command.spawn().unwrap();
    while !world.path("project").join(ready).exists() {
        assert!(child.try_wait().unwrap().is_none(), "{text} ended early");
    }
    child
}

const PLANT: &str = "mkdir -p s/.claude && echo evil > s/.claude/settings.json";

#[test]
fn what_one_run_plants_another_one_cannot_plant_again() {
    let world = World::new();
    let text = format!("{PLANT}; touch first; until [ -e second ]; do :; done");
    let mut first = started(&world, &text, "first");
    let text = format!("touch second; until [ ! -e s/.claude ]; do :; done; {PLANT}");
    let mut second = started(&world, &text, "second");
    assert!(first.wait().unwrap().success() && second.wait().unwrap().success());
    assert!(!world.path("project/s/.claude").exists(), "the second run's is set aside, too");
}

/// Returns the number of processes that have this text in their arguments.
fn count_with(text: &str) -> usize {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let arguments = processes.filter_map(|process| fs::read_to_string(process.path().join("cmdline")).ok());
    arguments.filter(|all| all.contains(text)).count()
}

#[test]
fn what_a_command_leaves_in_the_background_ends_with_it() {
    let world = World::new();
    // In namespaces of their own they have other numbers out here, but the same words.
    let word = format!("1000.{}", std::process::id());
    let leaves = format!(
        "for at in 1 2; do (setsid sleep {word} >/dev/null 2>&1 </dev/null &); done\n\
         trap '' HUP TERM; setsid sleep {word} >/dev/null 2>&1 </dev/null & echo started"
    );
    for how in [How::Look, How::Project] {
        let output = world.run(&how, &leaves);
        assert!(output.status.success() && output.stdout == b"started\n", "{}", said(&output));
        assert_eq!(count_with(&word), 0, "one of them would have the user's terminal");
    }
    // A stream that it would hold open ends as well.
    let output = world.run(&How::Look, "sleep 1000 & echo started");
    assert_eq!((output.status.code(), said(&output).as_str()), (Some(0), "started\n"));
}

#[test]
fn what_a_killed_run_planted_does_not_stay() {
    let world = World::new();
    let mut killed = started(&world, &format!("{PLANT}; touch ready; sleep 1000"), "ready");
    killed.kill().unwrap();
    killed.wait().unwrap();
    let next = said(&world.run(&How::Project, "cat s/.claude/settings.json"));
    assert!(!world.path("project/s/.claude").exists(), "{next}");
    assert!(
        next.contains("s/.claude is protected") && !next.contains("evil\n"),
        "the next run tells it: {next}"
    );
}

#[test]
fn a_lock_on_the_folder_takes_no_stand_in_from_a_run() {
    use std::io::{BufRead as _, BufReader};
    let world = World::new();
    let mut holder = world.command(&How::Look, "project", "exec 9<.; flock -x 9 && echo locked; read end");
    let piped = std::process::Stdio::piped;
    let mut holder = holder.stdin(piped()).stdout(piped()).spawn().unwrap();
    let mut said_first = String::new();
    BufReader::new(holder.stdout.take().unwrap()).read_line(&mut said_first).unwrap();
    assert_eq!(said_first, "locked\n");
    let text = "touch ready; until [ -e go ]; do :; done; ! echo evil > .mcp.json";
    let mut run = started(&world, text, "ready");
    drop(holder.stdin.take());
    holder.wait().unwrap();
    // Its end finds nobody who holds the lock.
    assert!(world.run(&How::Project, "true").status.success());
    fs::write(world.path("project/go"), "").unwrap();
    assert!(run.wait().unwrap().success(), "the stand-in is still there");
    assert!(!world.path("project/.mcp.json").exists());
}

/// Another program's terminal, and what was typed into it at its end.
const TERMINAL: &str = "import os, pty, select, sys\nm, s = pty.openpty()\nprint(os.ttyname(s), flush=True)\n\
    sys.stdin.readline()\nprint(os.read(m, 99) if select.select([m], [], [], 0)[0] else 'nothing')\n";

#[test]
fn no_terminal_of_another_program_is_written() {
    use std::io::{BufRead as _, BufReader, Write as _};
    let world = World::new();
    for (how, works) in [(How::Free, true), (How::Look, false), (How::Project, false), (How::Loopback, false)]
    {
        let mut owner = world.command(&How::Free, "project", "exec /usr/bin/python3 -c \"$TERMINAL\"");
        owner
            .env("TERMINAL", TERMINAL)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped());
        let mut owner = owner.spawn().unwrap();
        let mut lines = BufReader::new(owner.stdout.take().unwrap()).lines();
        let terminal = lines.next().unwrap().unwrap();
        let printed = said(&world.run(&how, &format!("echo evil > {terminal}")));
        owner.stdin.take().unwrap().write_all(b"\n").unwrap();
        let typed = lines.next().unwrap().unwrap();
        owner.wait().unwrap();
        assert_eq!(typed.contains("evil"), works, "{typed}: {printed}");
    }
}

#[test]
fn a_setuid_program_gets_no_more_rights() {
    if !rustix::process::getuid().is_root() {
        eprintln!("skipped: only root makes a program that runs as root");
        return;
    }
    let world = World::new();
    let (program, roots) = (world.path("project/cat"), world.path("project/roots"));
    copy_program("/usr/bin/cat", &program);
    fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o4755)).unwrap();
    fs::write(&roots, SECRET).unwrap();
    fs::set_permissions(&roots, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    if !said(&world.run(&How::Free, "./cat roots")).contains(SECRET) {
        eprintln!("skipped: this file system has no setuid programs");
        return;
    }
    for how in [How::Look, How::Project, How::Loopback] {
        let printed =
            said(&world.run(&how, "./cat roots; cp cat c; chmod 4755 c; ./c roots; su -c 'cat roots'"));
        assert!(!printed.contains(SECRET), "{printed}");
    }
}

/// Prepares the attack by a shell that has a folder open.
fn inherited(world: &World, how: &How, attack: &str) -> std::process::Command {
    let confine = match how {
        How::Free => "bash -c",
        How::Look => "$W/postern confine look -- bash -c",
        How::Project => "$W/postern confine project -- bash -c",
        How::Loopback => "$W/postern confine project --loopback -- bash -c",
    };
    world.command(&How::Free, "project", &format!("exec 9<$W/outside; {confine} '{attack}'"))
}

/// Stand-ins that a run left.
fn stand_ins(world: &World) -> Vec<String> {
    let names = [".cursor", ".codex", ".vscode", ".git/config.worktree"];
    names
        .iter()
        .filter(|name| world.path("project").join(name).exists())
        .map(|name| (*name).to_owned())
        .collect()
}

/// Tries system calls one by one, and prints the name of each that worked.
const HOSTILE: &str = include_str!("hostile.c");

/// Compiles it in the project of a world.
fn compile_hostile(world: &World) {
    fs::write(world.path("project/h.c"), HOSTILE).unwrap();
    let mut compiler = std::process::Command::new("cc");
    let built = compiler.args(["-w", "-o", "h", "h.c"]).current_dir(world.path("project")).status().unwrap();
    assert!(built.success());
}

#[test]
fn a_compiled_program_gets_nothing_outside() {
    let compiler = std::process::Command::new("cc").arg("--version").output();
    if !compiler.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: there is no C compiler");
        return;
    }
    let world = World::new();
    compile_hostile(&world);
    let free = said(&world.run(&How::Free, "./h"));
    for name in
        ["open", "memory", "socket unix", "pair", "semaphores", "process", "limits", "unshare", "typing"]
    {
        assert!(free.lines().any(|line| line == name), "{name} works unconfined: {free}");
    }
    for how in [How::Look, How::Project, How::Loopback] {
        let world = World::new();
        fs::copy(world.path("project/notes.txt"), world.path("project/copy")).unwrap();
        compile_hostile(&world);
        // `look` starts no file of the folder; the system's loader starts it all the same.
        let printed = world.run(&how, "./h 2>/dev/null || /lib64/ld-linux-x86-64.so.2 ./h");
        let text = String::from_utf8_lossy(&printed.stdout).into_owned();
        assert_eq!(printed.status.code(), Some(0), "it ran to its end: {}", said(&printed));
        let allowed: Vec<&str> = text.lines().filter(|line| *line != "process").collect();
        assert_eq!(allowed, [""; 0], "{text}");
        assert!(!world.path("outside/by-c").exists());
    }
}
