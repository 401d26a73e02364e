//! The scripts, as a user calls them.

use postern_tests::{Answer, copy_program, postern, postern_run, put_program, repository, start};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// Runs a line of bash with the functions of `scripts/lib.sh`.
fn with_functions(line: &str, words: &[&Path]) -> Answer {
    let script = format!("set -euo pipefail; . scripts/lib.sh; {line}");
    let mut bash = start("bash");
    bash.current_dir(repository()).args(["-c", &script, "bash"]).args(words).stdin(Stdio::null());
    bash.output().expect("bash runs").into()
}

#[test]
fn a_program_is_replaced_while_an_agent_runs_it() {
    let folder = tempfile::tempdir().unwrap();
    let (place, newer) = (folder.path().join("postern-run"), folder.path().join("newer"));
    copy_program("/bin/cat", &place);
    fs::write(&newer, "the newer one").unwrap();
    let mut running = start(&place).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let put = with_functions("put_program \"$1\" \"$2\"", &[&newer, &place]);
    assert_eq!(put.code, 0, "{put:?}");
    assert_eq!(fs::read_to_string(&place).unwrap(), "the newer one");
    assert!(running.try_wait().unwrap().is_none(), "who runs the older one goes on");
    drop(running.stdin.take());
    assert!(running.wait().unwrap().success());
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|one| one.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "nothing is left beside it: {left:?}");
}

#[test]
fn a_lane_that_fails_fails_the_script_and_every_lane_is_heard() {
    let logs = tempfile::tempdir().unwrap();
    let lanes = "logs=$1; lane first false; lane second echo heard; status=0; end_lanes || status=$?; exit $((status + 40))";
    let said = with_functions(lanes, &[logs.path()]);
    assert_eq!(said.code, 41, "{said:?}");
    assert!(said.stdout.contains("heard"), "{said:?}");
}

/// Stand-in for cargo: the first run prints a file and fails, and each test passes when it runs by itself.
const CARGO: &str = r#"case " $* " in
  *" --exact "*) echo "$*" >>"$logs/again"; echo 'test result: ok. 1 passed; 0 failed'; exit 0 ;;
esac
cat "$logs/first"; exit 101"#;

/// Runs a lane of tests whose first run prints this, and says how it ended and what ran once more.
fn after_a_first_run(printed: &str) -> (Answer, String) {
    let logs = tempfile::tempdir().unwrap();
    fs::write(logs.path().join("first"), printed).unwrap();
    stand_in(logs.path(), "cargo", CARGO);
    let lane = "export logs=$1 PATH=$1:$PATH; rust_tests --test it --test typescript -- --skip slow::";
    let answer = with_functions(lane, &[logs.path()]);
    (answer, fs::read_to_string(logs.path().join("again")).unwrap_or_default())
}

#[test]
fn up_to_three_tests_that_fail_run_once_more_by_themselves() {
    let failed = |names: &[&str]| {
        let lines: Vec<String> = names.iter().map(|name| format!("test {name} ... FAILED")).collect();
        let lines = lines.join("\n");
        format!(
            "{lines}\ntest result: FAILED. 9 passed; {} failed\n\nerror: test failed, to rerun pass `--test it`\n",
            names.len()
        )
    };
    let (answer, again) = after_a_first_run(&failed(&["tools::late", "feed::torn"]));
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(answer.stdout.ends_with("flaky: tools::late\nflaky: feed::torn\n"), "{answer:?}");
    let wanted = "test --workspace --no-fail-fast --test it --test typescript -- --exact --test-threads 1 tools::late feed::torn\n";
    assert_eq!(again, wanted);
    let (answer, again) = after_a_first_run(&failed(&["a", "b", "c", "d"]));
    assert_ne!(answer.code, 0, "four are no accident: {answer:?}");
    assert_eq!(again, "");
    let crashed = failed(&["a"]) + "error: test failed, to rerun pass `--test typescript`\n";
    let (answer, again) = after_a_first_run(&crashed);
    assert_ne!(answer.code, 0, "one program of tests ended without a result: {answer:?}");
    assert_eq!(again, "");
}

/// Writes a shell program into a folder of stand-ins.
fn stand_in(folder: &Path, name: &str, text: &str) {
    put_program(&folder.join(name), format!("#!/bin/bash\n{text}\n"));
}

/// Stand-in for Apple's `sandbox-exec`: takes a profile whose parameters are all given and exist, and logs its
/// arguments.
const SANDBOX_EXEC: &str = include_str!("sandbox-exec.sh");

#[test]
fn the_demo_plays_its_story_on_a_mac() {
    let temp = tempfile::tempdir_in("/tmp").unwrap();
    let (bin, home) = (temp.path().join("bin"), temp.path().join("home"));
    // As long as a Mac's temporary folder.
    let temporary = temp.path().join("var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T");
    for folder in [&bin, &home, &temporary] {
        fs::create_dir_all(folder).unwrap();
    }
    stand_in(&bin, "uname", r#"if [ "$*" = -s ]; then echo Darwin; else exec /usr/bin/uname "$@"; fi"#);
    stand_in(&bin, "sandbox-exec", SANDBOX_EXEC);
    let (built, path) = (postern().parent().unwrap(), std::env::split_paths("/usr/local/bin:/usr/bin:/bin"));
    let _ = postern_run();
    let said: Answer = start("bash")
        .current_dir(repository())
        .args(["scripts/run", "--demo"])
        .env_clear()
        .env("PATH", std::env::join_paths(std::iter::once(bin.clone()).chain(node()).chain(path)).unwrap())
        .env("HOME", &home)
        .env("TMPDIR", &temporary)
        .env("POSTERN_BUILT", built)
        .stdin(Stdio::null())
        .output()
        .unwrap()
        .into();
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stdout.contains("git version"), "what was approved ran: {}", said.stdout);
    assert!(said.stdout.contains("exit code 126: denied"), "{}", said.stdout);
    let told = fs::read_to_string(bin.join("told")).unwrap();
    assert_eq!(told.lines().count(), 2, "both were asked from the sandbox: {told}");
}

/// Returns the folder of Node.js, which the script uses to read JSON.
fn node() -> Option<PathBuf> {
    let found = start("bash").args(["-c", "command -v node"]).output().ok()?;
    let path = PathBuf::from(String::from_utf8(found.stdout).ok()?.trim());
    path.parent().map(Path::to_owned)
}

/// Returns every page and script that shows how to mount a channel.
fn pages() -> Vec<PathBuf> {
    let mut pages = vec![repository().join("README.md"), repository().join("CONTRIBUTING.md")];
    for folder in ["docs", "scripts", "containers/devcontainer-feature"] {
        pages.extend(fs::read_dir(repository().join(folder)).unwrap().map(|entry| entry.unwrap().path()));
    }
    pages.retain(|path| path.is_file());
    pages
}

#[test]
fn no_page_and_no_script_mounts_a_channel_writable() {
    let mut mounts = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap_or_default();
        for line in text.lines() {
            let volume = line.split(":/run/postern").skip(1).all(|rest| rest.starts_with(":ro"));
            let mount = !line.contains("target=/run/postern") || line.contains("readonly");
            let bind = !line.split("/run/postern").any(|before| {
                before.rsplit_once("bind ").is_some_and(|(kind, source)| {
                    kind.ends_with("--") && source.split_whitespace().count() == 1 && source.ends_with(' ')
                })
            });
            assert!(volume && mount && bind, "{}: {line}", page.display());
            mounts += usize::from(line.contains("/run/postern"));
        }
    }
    assert!(mounts > 3, "the pages and scripts show how a channel is mounted");
}

/// Checks that the script names existing tests only: a name without a test runs nothing, without an error.
#[test]
fn every_test_of_faults_is_there() {
    let script = fs::read_to_string(repository().join("scripts/faults")).unwrap();
    let places = [
        "tests/system", "tests/it", "src-tauri/crates/host/tests/it", "src-tauri/crates/host/src",
        "src-tauri/crates/store/src", "src-tauri/src/window/presenter",
    ];
    let names: Vec<&str> = script.split_whitespace().filter_map(|word| word.strip_suffix("::")).collect();
    assert!(names.len() > 10, "{names:?}");
    for name in names {
        let is_there = places.iter().any(|place| {
            let place = repository().join(place);
            place.join(name).is_dir() || place.join(format!("{name}.rs")).is_file()
        });
        assert!(is_there, "no tests are called {name}::");
    }
}

#[test]
fn every_story_of_the_page_about_faults_is_there_and_run() {
    let page = fs::read_to_string(repository().join("docs/FAULTS.md")).unwrap();
    let script = fs::read_to_string(repository().join("scripts/faults")).unwrap();
    let code = page.split('`').skip(1).step_by(2);
    let stories: Vec<&str> = code
        .filter(|word| {
            Path::new(word).extension().is_some_and(|end| end == "rs") || word.starts_with("tests/")
        })
        .collect();
    assert!(stories.len() > 20, "{stories:?}");
    for story in stories {
        let is_there =
            ["", "src-tauri/crates"].iter().any(|root| repository().join(root).join(story).exists());
        assert!(is_there, "there is no {story}");
        let mut modules = story.trim_end_matches(".rs").split('/');
        assert!(
            modules.any(|name| script.contains(&format!(" {name}::"))),
            "scripts/faults does not run {story}"
        );
    }
}
