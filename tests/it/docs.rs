//! Examples of the pages: the lines of each are typed into a new host, in their order.

use postern_tests::{Answer, Postern, postern, postern_run, repository, start};
use std::fs;

struct Block {
    kind: String,
    file: Option<String>,
    lines: Vec<String>,
}

fn blocks(page: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open = false;
    for line in page.lines() {
        match (line.strip_prefix("```"), open) {
            (Some(info), false) => {
                let mut words = info.split(' ').map(str::to_owned);
                let kind = words.next().unwrap_or_default();
                blocks.push(Block { kind, file: words.next(), lines: Vec::new() });
                open = true;
            }
            (Some(_), true) => open = false,
            (None, true) => blocks.last_mut().unwrap().lines.push(line.to_owned()),
            (None, false) => {}
        }
    }
    blocks
}

/// Returns a line behind `$`, run as it is typed.
fn typed(host: &Postern, line: &str) -> Answer {
    let mut words = postern_command::words_of(line).unwrap();
    // The reader's project. A host takes the home folder from the system, where it is not the test's.
    for word in words.iter_mut().filter(|word| *word == "~/Projects/site") {
        *word = host.home().join("Projects/site").display().to_string();
    }
    let (program, rest) = words.split_first().unwrap();
    let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
    let mut command = match program.as_str() {
        "postern" => host.command(&rest),
        "postern-run" => {
            let channel = host.data().join("agents/main");
            let mut command = start(postern_run());
            command
                .args(&rest)
                .env_clear()
                .env("POSTERN_SOCKET", channel.join("agent.sock"))
                .env("POSTERN_KEY_FILE", channel.join("agent.key"));
            command
        }
        other => panic!("the page types {other}, which is nothing of ours"),
    };
    command.current_dir(host.home()).output().unwrap().into()
}

/// Types the lines of a page into a new host, and returns how many there are.
fn type_page(name: &str) -> usize {
    let page = fs::read_to_string(repository().join("docs").join(name)).unwrap();
    let managed = tempfile::tempdir().unwrap();
    let managed = managed.path().canonicalize().unwrap().join("managed.jsonc");
    let host = Postern::start_with(&[("POSTERN_MANAGED", managed.to_str().unwrap())]);
    fs::create_dir_all(host.home().join("Projects/site")).unwrap();
    let mut typed_lines = 0;
    for block in blocks(&page) {
        if let Some(file) = &block.file {
            let path = if file == "managed.jsonc" { managed.clone() } else { host.home().join(file) };
            fs::write(&path, block.lines.join("\n")).unwrap();
            if path == managed {
                host.until(&["status"], "managed ");
            }
        }
        if block.kind != "console" {
            continue;
        }
        let mut answer: Option<(String, String)> = None;
        for line in &block.lines {
            if let Some(command) = line.strip_prefix("$ ") {
                let Answer { stdout, stderr, .. } = typed(&host, command);
                answer = Some((command.to_owned(), format!("{stdout}{stderr}")));
                typed_lines += 1;
            } else {
                let (command, said) = answer.as_ref().expect("an answer follows a command");
                assert!(said.contains(line.as_str()), "{name}: {command} did not say {line:?}, but:\n{said}");
            }
        }
    }
    typed_lines
}

#[test]
fn what_the_policy_page_types_comes_out_as_it_says() {
    assert!(type_page("POLICY.md") > 20, "the page has lost its examples");
}

#[test]
fn what_the_other_pages_type_comes_out_as_they_say() {
    for page in ["RULES.md", "PERMISSIONS.md", "DOORS.md", "CONTAINERS.md", "PROGRAMS.md"] {
        assert!(type_page(page) > 1, "{page} has lost its examples");
    }
}

#[test]
fn the_cases_of_the_pages_pass_as_a_person_would_try_them() {
    let page = |name: &str| fs::read_to_string(repository().join("docs").join(name)).unwrap();
    let cases: Vec<String> = ["POLICY.md", "RULES.md"]
        .into_iter()
        .flat_map(|name| blocks(&page(name)))
        .filter(|block| block.kind == "jsonl")
        .flat_map(|block| block.lines)
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cases.jsonl");
    fs::write(&file, cases.join("\n")).unwrap();
    let bins = repository().join("tests/fixtures/shell-bins.json");
    let tried =
        start(postern()).args(["policy", "test", "--bins"]).arg(bins).arg(&file).env("HOME", "/").output();
    let said = Answer::from(tried.unwrap());
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stdout.contains(&format!("{} passed, 0 failed", cases.len())), "{said:?}");
}
