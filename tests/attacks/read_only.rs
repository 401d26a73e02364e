//! Commands that are allowed because they only read: they start none of the agent's programs harmfully, read no
//! key, and send nothing.

use crate::runs::{output, tried};
use postern_tests::{Agent, Arena, postern, start};
use serde_json::{Value, json};
use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};

const SECRET: &str = "THE-PERSONS-KEY";

/// Opens an arena with an agent that may look around in its own folder.
fn reader() -> Option<(Arena, Agent)> {
    let arena = Arena::open()?;
    let folders = format!("folders={}", arena.outside().join("project-main").display());
    let agent = arena.agent("main", &["look=allow", &folders]);
    Some((arena, agent))
}

/// Returns the path of the user's key, as everybody has one.
fn key(arena: &Arena) -> std::path::PathBuf {
    let folder = arena.home().join(".ssh");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("id_rsa"), SECRET).unwrap();
    folder.join("id_rsa")
}

fn repository(agent: &mut Agent) {
    agent.sh("git init -q . && git config user.name a && git config user.email a@b && echo one > notes.txt && git add . && git commit -qm one");
}

fn status(agent: &mut Agent) -> Value {
    let end = agent.request(json!({ "command": ["git", "status", "--short"] }));
    assert_eq!(end["params"]["exitCode"], 0, "git still reads: {end}");
    end
}

#[test]
fn a_monitor_named_by_a_repository_changes_no_setting() {
    let Some((arena, mut agent)) = reader() else { return };
    repository(&mut agent);
    let (data, program, id) = (arena.data().display(), postern().display(), agent.id().to_owned());
    let script = format!(
        "#!/bin/sh\nexport POSTERN_DATA={data}\ntouch {0}/ran\n\
         setsid sh -c '{program} agents set {id} security=full ask=off --yes' >/dev/null 2>&1 </dev/null &\n",
        agent.project().display()
    );
    agent.write("m.sh", &script, 0o755);
    let inline = format!("sh {}/m.sh #", agent.project().display());
    for monitor in [agent.path("m.sh"), inline] {
        agent.sh(&format!("git config core.fsmonitor '{monitor}'"));
        status(&mut agent);
        assert!(!agent.project().join("ran").exists(), "{monitor} wrote");
    }
    let policy = agent.policy();
    assert_eq!(policy, json!({ "security": "allowlist", "ask": "on-miss" }), "nothing of it changed");
    let end = tried(&mut agent, json!({ "command": ["touch", "anything"] }));
    assert_eq!(end["method"], "exec.denied", "{end}");
}

#[test]
fn programs_that_a_project_names_do_no_harm() {
    let Some((arena, mut agent)) = reader() else { return };
    repository(&mut agent);
    let mark = arena.home().join("mark");
    let control = fs::read_to_string(arena.data().join("control.key")).unwrap();
    let (key, project) = (key(&arena), agent.project().display().to_string());
    let evil = format!(
        "#!/bin/sh\ntouch {0} {project}/mark\ncat {1} {2}/control.key {2}/agents/*/agent.key\necho evil ran\n",
        mark.display(),
        key.display(),
        arena.data().display()
    );
    agent.write("evil.sh", &evil, 0o755);
    let by_shell = format!("sh {project}/evil.sh");
    agent.sh(&format!(
        "echo '*.txt diff=evil filter=evil' > .gitattributes
         git config diff.evil.textconv '{by_shell}'
         git config filter.evil.clean '{by_shell}'
         git config diff.external '{by_shell}'
         git config gpg.program {project}/evil.sh
         git config log.showSignature true
         echo two >> notes.txt
         mkdir .cargo && printf '[build]\\nrustc=\"{project}/evil.sh\"\\n' > .cargo/config.toml
         mkdir -p tc/bin && cp evil.sh tc/bin/rustc && cp evil.sh tc/bin/cargo
         printf '[toolchain]\\npath=\"{project}/tc\"\\n' > rust-toolchain.toml
         printf '[package]\\nname=\"x\"\\nversion=\"0.1.0\"\\n' > Cargo.toml"
    ));
    for line in [
        "git diff", "git log -p", "git status", "git show", "git blame notes.txt", "cargo metadata",
        "cargo tree", "cargo --version", "rustc --version", "cargo locate-project",
    ] {
        let end = tried(&mut agent, json!({ "shell": line }));
        let text = output(&end);
        assert!(!mark.exists() && !agent.project().join("mark").exists(), "{line} wrote: {end}");
        assert!(!text.contains(SECRET) && !text.contains(control.trim()), "{line} told a key: {end}");
    }
}

/// Returns every spelling of reading the user's key, Postern's and another agent's, also by links of the
/// project.
fn spellings(key: &str, data: &str, other: &str) -> Vec<String> {
    let mut lines = vec![
        format!("cat {key}"),
        "cat ~/.ssh/id_rsa".to_owned(),
        "cat < ~/.ssh/id_rsa".to_owned(),
        "cat ~/.ssh/*".to_owned(),
        "cat $HOME/.ssh/id_rsa".to_owned(),
        "cat k".to_owned(),
        "cat < k".to_owned(),
        "cat h/.ssh/id_rsa".to_owned(),
        "cat h/.*/id_rsa".to_owned(),
        "cat r/*/*/.ssh/id_rsa; cat */.ssh/id_rsa".to_owned(),
        "grep -r . ~".to_owned(),
        "grep -R . .".to_owned(),
        "grep -R . h/".to_owned(),
        "rg --hidden -L . .".to_owned(),
        "find -L . -name 'id_rsa'; grep . $(find -L . -name 'id_rsa')".to_owned(),
        "for f in */.ssh/*; do cat \"$f\"; done".to_owned(),
        "x=~/.ssh/id_rsa; cat $x".to_owned(),
        "cd ~ && cat .ssh/id_rsa".to_owned(),
        "cat own.txt ../../../..$HOME/.ssh/id_rsa".to_owned(),
        "cat /proc/self/root$HOME/.ssh/id_rsa".to_owned(),
        "sort ~/.ssh/id_rsa".to_owned(),
        "awk '{print}' ~/.ssh/id_rsa".to_owned(),
        "sed -n p k".to_owned(),
        "git diff --no-index /dev/null k".to_owned(),
        "diff own.txt k".to_owned(),
    ];
    for place in ["control.key".to_owned(), format!("agents/{other}/agent.key"), "postern.db".to_owned()] {
        for start in
            [data.to_owned(), "d".to_owned(), "./d/../d".to_owned(), format!("/proc/self/root{data}")]
        {
            lines.push(format!("cat {start}/{place}"));
            lines.push(format!("cat < {start}/{place}"));
            lines.push(format!("base64 {start}/{}*", &place[..place.len() - 2]));
        }
    }
    lines.extend(["cat c", "cat < c", "cat d/*", "cat d/*/*/agent.key", "strings -a d/*"].map(str::to_owned));
    lines
}

#[test]
fn keys_are_read_by_no_spelling() {
    let Some((arena, mut agent)) = reader() else { return };
    let other = arena.agent("other", &[]);
    let (key, data, home) =
        (key(&arena), arena.data().display().to_string(), arena.home().display().to_string());
    agent.sh(&format!(
        "ln -s {data} d; ln -s {home} h; ln -s {0} k; ln -s {data}/control.key c; ln -s / r; echo fine > own.txt",
        key.display()
    ));
    let control = fs::read_to_string(arena.data().join("control.key")).unwrap();
    let agents = fs::read_to_string(arena.data().join(format!("agents/{}/agent.key", other.id()))).unwrap();
    let lines = spellings(key.to_str().unwrap(), &data, other.id());
    for line in lines {
        let end = tried(&mut agent, json!({ "shell": line }));
        let text = output(&end);
        for secret in [SECRET, control.trim(), agents.trim()] {
            assert!(!text.contains(secret), "{line} told a key: {end}");
        }
    }
    for named in [format!("{data}/control.key"), "d/control.key".to_owned(), "c".to_owned()] {
        let end = agent.request(json!({ "command": ["cat", named] }));
        assert_eq!(end["params"]["reason"], "core", "whatever the settings: {end}");
    }
    let end = agent.request(json!({ "command": ["cat", "own.txt"] }));
    assert_eq!(output(&end), "fine\n", "and its own files it reads: {end}");
}

#[test]
fn a_secret_of_the_project_is_told_by_no_program_that_finds_it() {
    let Some((arena, mut agent)) = reader() else { return };
    repository(&mut agent);
    agent.sh(&format!(
        "mkdir -p a/b none && echo fine > a/notes.txt && ln -s ../.env a/link
         : > old-key.pem; git add -f old-key.pem; echo fine >> notes.txt
         for f in .env a/b/.env.local id_rsa a/server-key.pem terraform.tfstate old-key.pem; do echo {SECRET} > $f; done"
    ));
    let lines = [
        "grep -r '' .", "grep -rh '' a . 2>/dev/null", "rg -uu 'fine|KEY' .", "rg '' . a",
        "ls -A | xargs cat; cat a/notes.txt", "find . -type f | xargs grep -h ''",
        "find . -path ./.git -prune -o -type f -exec cat {} +", "cat * a/*",
        "for f in * a/* a/b/*; do cat \"$f\"; done", "git ls-files -o | xargs head -n 5; cat a/notes.txt",
        "git grep --no-index '' ", "diff -urN a none", "diff -uN a none", "grep -hd recurse '' a",
        "git diff", "git diff-files -p", "git status -vv; cat a/notes.txt", "git grep ''; cat a/notes.txt",
    ];
    let told = |agent: &mut Agent, line: &str| {
        let end = tried(agent, json!({ "shell": line }));
        assert_eq!(end["method"], "exec.finished", "{line} is not asked about: {end}");
        assert!(!output(&end).contains(SECRET), "{line} told a secret: {end}");
        end
    };
    for line in lines {
        let end = told(&mut agent, line);
        assert!(output(&end).contains("fine"), "{line} reads the rest: {end}");
    }
    for named in ["cat .env", "grep -r '' .env", "cat a/b/.env*", "head a/*key.pem"] {
        assert_eq!(
            tried(&mut agent, json!({ "shell": named }))["method"],
            "exec.denied",
            "{named} is asked about"
        );
    }
    let end = agent.request(json!({ "shell": "grep -rc fine a" }));
    let why = end["params"]["message"].as_str().unwrap_or_default();
    assert!(
        end["params"]["exitCode"] == 2 && why.contains("were kept from it"),
        "the agent is told why: {end}"
    );
    arena.ok(&["agents", "set", agent.id(), "files=allow", "--yes"]);
    for line in ["grep -rh '' . > all", "cat * a/* > all", "diff -uN a none > all", "git diff > all"] {
        told(&mut agent, &format!("{line}; cat all; cat a/notes.txt"));
    }
}

#[test]
fn data_of_postern_are_read_by_no_setting() {
    let Some((arena, mut agent)) = Arena::with_agent("full", &["security=full", "ask=off"]) else { return };
    let data = arena.data().display().to_string();
    agent.sh(&format!("ln -s {data} d"));
    for line in [
        format!("cat {data}/control.key"),
        "cat d/control.key".to_owned(),
        format!("cp {data}/control.key x"),
        format!("cat < {data}/postern.db"),
        format!("cd {data} && cat control.key"),
        format!("cat {data}/contr*"),
        format!("head -c 100 {data}/agents/*/agent.key"),
        format!("python3 -c 'print(open(\"{data}/control.key\").read())'"),
    ] {
        let end = agent.request(json!({ "shell": line }));
        assert_eq!(end["params"]["reason"], "core", "{line}: {end}");
    }
    let end = agent.request(json!({ "command": ["cat", "control.key"], "cwd": data }));
    assert_eq!(end["method"], "exec.denied", "{end}");
}

#[test]
fn a_tool_reads_no_key_of_posterns() {
    let Some((arena, mut agent)) = Arena::with_agent("main", &[]) else { return };
    let data = arena.data().display().to_string();
    let key = format!("{data}/control.key");
    for (tool, arguments) in [
        ("read_file", json!({ "path": key })),
        ("grep", json!({ "path": data, "pattern": "." })),
        ("grep", json!({ "path": Path::new(&data).parent(), "pattern": "." })),
        ("glob", json!({ "pattern": format!("{data}/*") })),
        ("edit_file", json!({ "path": key })),
        ("notes_open", json!({ "doc": [{ "which": key }] })),
    ] {
        let said = agent.call("tool.check", &json!({ "tool": tool, "arguments": arguments }));
        assert_eq!(said["decision"], "deny", "{tool} {arguments}: {said}");
        assert!(said["message"].as_str().unwrap().contains("postern-"), "by the core: {said}");
    }
}

#[test]
fn what_only_reads_reaches_no_listener() {
    let Some((_arena, mut agent)) = reader() else { return };
    repository(&mut agent);
    let (address, heard) = listener();
    agent.sh(&format!(
        "printf 'registry=http://{address}/\\nfetch-retries=0\\n' > .npmrc
         printf '{{\"name\":\"x\",\"version\":\"1.0.0\"}}' > package.json
         git remote add origin http://{address}/x.git
         git config remote.origin.promisor true
         git config core.fsmonitor 'curl -s http://{address}/fsmonitor; true'
         git config diff.x.textconv 'curl -s http://{address}/textconv; cat'
         echo '*.txt diff=x' > .gitattributes; echo two >> notes.txt"
    ));
    for line in [
        "npm view 5345435245".to_owned(),
        "npm info x".to_owned(),
        "npm outdated".to_owned(),
        "npm ls".to_owned(),
        "git status".to_owned(),
        "git diff".to_owned(),
        "git log -p".to_owned(),
        format!("go list -m {address}/x@latest"),
        format!("gh search issues --hostname {address} x"),
        format!("cat < /dev/tcp/{}", address.replace(':', "/")),
    ] {
        tried(&mut agent, json!({ "shell": line }));
        assert_eq!(heard.load(Ordering::SeqCst), 0, "{line} sent something");
    }
    // Proves that the listener counts a connection.
    drop(std::net::TcpStream::connect(&address));
    while heard.load(Ordering::SeqCst) == 0 {
        std::thread::yield_now();
    }
}

/// Counts connections.
fn listener() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let heard = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&heard);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            drop(stream);
            count.fetch_add(1, Ordering::SeqCst);
        }
    });
    (address, heard)
}

#[test]
fn a_file_swapped_for_a_key_is_never_read() {
    const ROUNDS: usize = 10_000;
    let Some((arena, mut agent)) = reader() else { return };
    agent.sh(&format!("echo fine > notes.txt; ln -s {} link", key(&arena).display()));
    let (notes, link) = (agent.path("notes.txt"), agent.path("link"));
    // The reader opens the name repeatedly while it is exchanged: each round is one chance.
    let (stop, stopped) = mpsc::channel::<()>();
    let swapping = std::thread::spawn(move || {
        let mut swaps = 0_usize;
        while stopped.try_recv() == Err(mpsc::TryRecvError::Empty) {
            let exchange = rustix::fs::RenameFlags::EXCHANGE;
            rustix::fs::renameat_with(rustix::fs::CWD, &notes, rustix::fs::CWD, &link, exchange).unwrap();
            swaps += 1;
        }
        swaps
    });
    let (mut rounds, mut read) = (0, 0);
    while rounds < ROUNDS {
        let text = "for i in 0 1 2 3 4 5 6 7 8 9; do cat notes.txt notes.txt notes.txt notes.txt notes.txt notes.txt notes.txt notes.txt notes.txt notes.txt; done";
        let end = tried(&mut agent, json!({ "shell": text }));
        assert!(!output(&end).contains(SECRET), "the key was read: {end}");
        rounds += 1;
        if end["method"] == "exec.finished" {
            read += output(&end).matches("fine").count();
            rounds += 99;
        }
    }
    drop(stop);
    assert!(swapping.join().unwrap() > ROUNDS / 10 && read > 0, "both sides had their chance");
}

#[test]
fn a_stolen_key_was_never_told() {
    let Some((arena, mut agent)) = reader() else { return };
    let other = arena.agent("other", &["security=full", "ask=off"]);
    let stolen = arena.data().join(format!("agents/{}/agent.key", other.id()));
    let end = agent.request(json!({ "command": ["cat", stolen] }));
    assert_eq!(end["params"]["reason"], "core", "{end}");
    assert_eq!(output(&end), "");
}

#[test]
fn ordinary_readers_work_confined() {
    let Some((_arena, mut agent)) = reader() else { return };
    repository(&mut agent);
    agent.sh("mkdir -p src/a && echo 'fn main() {}' > src/a/main.rs && echo three >> notes.txt");
    for (line, expected) in [
        ("git status --short", "M notes.txt"),
        ("git log --oneline", "one"),
        ("git diff", "+three"),
        ("git show --stat HEAD", "notes.txt"),
        ("git blame notes.txt | head -1", "one"),
        ("git branch -a; git rev-parse --show-toplevel", "project-main"),
        ("ls -la src", "a"),
        ("cat notes.txt | sort | uniq -c", "1 one"),
        ("find . -name '*.rs' | head", "main.rs"),
        ("grep -rn main src | wc -l", "1"),
        ("cat <<X | tr a-z A-Z\nhere\nX\n", "HERE"),
        ("head -1 /etc/passwd", "root"),
        ("awk '{ print $1 }' notes.txt", "three"),
        ("cd src && ls a", "main.rs"),
        ("ps -e | head -1", "PID"),
        ("id -u; uname; date +%Y; nproc; df -h / | tail -1", "Linux"),
        ("for f in src/a/*; do wc -l \"$f\"; done", "main.rs"),
    ] {
        let end = tried(&mut agent, json!({ "shell": line }));
        assert_eq!(end["params"]["exitCode"], 0, "{line}: {end}");
        assert!(output(&end).contains(expected), "{line}: {end}");
    }
    assert!(git_has(&agent, "fsck"), "the repository is as it was");
}

/// A line with a step that a rule allows unconfined runs as a whole without confinement: only the reading of the filter's
/// program holds it.
#[test]
fn a_filter_behind_an_unconfined_step_runs_and_writes_nothing() {
    let Some((arena, mut agent)) = reader() else { return };
    agent.sh("echo one > own.txt");
    arena.ok(&["rules", "allow", "cp -v own.txt copy.txt", "--agent", agent.id()]);
    let mark = arena.home().join("mark");
    let (touch, written) = (format!("touch {}", mark.display()), mark.display());
    for filter in [
        format!("awk '{{ x = 1system(\"{touch}\") }}'"),
        format!("awk '{{ x = y.5system(\"{touch}\") }}'"),
        format!("awk '{{ print $1,\n $2 > \"{written}\" }}'"),
        format!("awk '{{ x = length /\"/; system(\"{touch}\") }} #\"/'"),
        format!("awk '{{ x = i++ /\"/; system(\"{touch}\") }} #\"/'"),
        format!("awk '/[[:alpha:]/\"]/; {{ system(\"{touch}\") }} #\"'"),
        format!("sed -n ':x e {touch}'"),
        format!("sed ':x w {written}'"),
    ] {
        let end = tried(&mut agent, json!({ "shell": format!("cp -v own.txt copy.txt | {filter}") }));
        assert!(!mark.exists(), "{filter} left something: {end}");
        assert_eq!(end["method"], "exec.denied", "{filter}: {end}");
    }
    for filter in ["awk '{ print $1 }'", "sed -n 's/^/is /p'"] {
        let end = tried(&mut agent, json!({ "shell": format!("cp -v own.txt copy.txt | {filter}") }));
        assert!(output(&end).contains("own.txt"), "{filter}: {end}");
    }
}

/// A pattern in place of an option's value becomes several words: `head -n *` reads a link of the agent's choice.
#[test]
fn a_filter_behind_an_unconfined_step_is_given_no_file_by_a_pattern() {
    let Some((arena, mut agent)) = reader() else { return };
    agent.sh(&format!("echo one > own.txt; echo > 9; echo > '9 k'; ln -s {} k", key(&arena).display()));
    arena.ok(&["rules", "allow", "cp -v own.txt copy.txt", "--agent", agent.id()]);
    for filter in ["head -n *", "head -c [9k]", "for n in *; do head -n $n; done", "tail -n ?"] {
        let end = tried(&mut agent, json!({ "shell": format!("cp -v own.txt copy.txt; {filter}") }));
        assert!(!output(&end).contains(SECRET), "{filter} told a key: {end}");
        assert_eq!(end["method"], "exec.denied", "{filter}: {end}");
    }
    let end = tried(&mut agent, json!({ "shell": "cp -v own.txt copy.txt | head -n 1" }));
    assert!(output(&end).contains("own.txt"), "{end}");
}

fn git_has(agent: &Agent, what: &str) -> bool {
    let done = start("git").args([what]).current_dir(agent.project()).output().unwrap();
    done.status.success()
}

#[test]
fn a_confined_run_is_told_as_one() {
    let Some((arena, mut agent)) = reader() else { return };
    agent.sh("echo fine > own.txt");
    let told =
        arena.ok(&["explain", "--agent", agent.id(), "--cwd", &agent.path(""), "--", "cat", "own.txt"]);
    assert!(told.contains("Confined: it reads"), "{told}");
    let end = agent.request(json!({ "shell": "cat own.txt > /dev/null; cat own.txt" }));
    assert_eq!(output(&end), "fine\n", "{end}");
}
