//! Lines whose steps Postern starts itself, compared with what bash makes of them.

use postern_command::Sequence;
use postern_tests::{Postern, postern_run, put_program, start};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::Stdio;

const MADE: usize = 100;

/// Name of the folder of a line.
const PROJECT: &str = "project";
/// Programs in the folder of a line.
const SCRIPTS: [(&str, &str); 5] = [
    ("say", "#!/bin/sh\necho \"$*\"\necho \"e$1\" >&2\nexit $1\n"),
    ("parent", "#!/bin/sh\ncat /proc/$PPID/comm\n"),
    ("die", "#!/bin/sh\nkill -\"$1\" $$\nsleep 60\n"),
    ("show", "#!/bin/sh\necho \"$X|$Y|${PWD##*/}|${OLDPWD##*/}|${0##*/}\"\n"),
    ("sub/here", "#!/bin/sh\necho here\n"),
];

/// Result of a line: exit code, output, what its programs wrote to standard error, and the files that it
/// left.
#[derive(Debug, PartialEq, Eq)]
struct Did {
    code: i32,
    stdout: String,
    stderr: Vec<String>,
    files: BTreeMap<String, String>,
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::Builder::new().prefix("pst").tempdir_in("/var/tmp").unwrap();
    let project = folder.path().join(PROJECT);
    std::fs::create_dir_all(project.join("sub")).unwrap();
    for (name, text) in SCRIPTS {
        put_program(&project.join(name), text);
    }
    folder
}

fn did(folder: &Path, mut command: std::process::Command) -> Did {
    let folder = &folder.join(PROJECT);
    let output = command.current_dir(folder).stdin(Stdio::null()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let own = |line: &&str| line.len() < 5 && line.starts_with('e');
    let stderr = text(&output.stderr).lines().filter(own).map(str::to_owned).collect();
    let files = std::fs::read_dir(folder).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_file());
    let file = |entry: std::fs::DirEntry| {
        (entry.file_name().to_string_lossy().into_owned(), std::fs::read_to_string(entry.path()).unwrap())
    };
    Did {
        code: output.status.code().or_else(|| Some(128 + output.status.signal()?)).unwrap_or(-1),
        stdout: text(&output.stdout),
        stderr,
        files: files.map(file).collect(),
    }
}

/// A host with an agent that may run anything.
struct Both {
    _host: Postern,
    channel: std::path::PathBuf,
}

impl Both {
    fn new() -> Self {
        let host = Postern::start();
        let channel = host.enrol("main");
        host.ok(&["agents", "set", "main", "preset=allow", "requests-per-second=10000", "--yes"]);
        Self { _host: host, channel }
    }

    fn by_postern(&self, line: &str) -> Did {
        self.confined("--shell", line)
    }

    /// Runs the line in a profile: `how` is the last option, or two of them.
    fn confined(&self, how: &str, line: &str) -> Did {
        let folder = folder();
        let mut command = start(postern_run());
        command.args(how.split(' ')).arg(line);
        command.env("POSTERN_SOCKET", self.channel.join("agent.sock"));
        command.env("POSTERN_KEY_FILE", self.channel.join("agent.key"));
        did(folder.path(), command)
    }

    fn compare(&self, line: &str) {
        let folder = folder();
        // Postern starts commands with the default signals, however the tests were started (`nohup` ignores SIGHUP).
        let mut bash = start("/usr/bin/env");
        bash.args(["--default-signal", "/bin/bash", "--noprofile", "--norc", "-c", line])
            .env_remove("OLDPWD");
        assert_eq!(self.by_postern(line), did(folder.path(), bash), "{line}");
    }
}

#[test]
fn lines_do_what_they_do_in_bash() {
    let both = Both::new();
    for line in [
        "true && ./say 0 a || ./say 1 b; ./say 3 c", "false && ./say 0 a || ./say 1 b",
        "./say 1 a | cat; ./say 0 b | cat | false", "false | true && echo yes", "true | false || echo no",
        "echo a b  'c  d' \"e\" > out; cat out", "./say 0 x > out 2>&1; ./say 1 y 2>&1 >> out; cat < out",
        "./say 0 x &> out && ./say 0 y &>> out", "./say 0 x 2>/dev/null 1>&2; echo end",
        "cat < none; echo went on", "cat < none && echo not", "echo x > none/out || ./say 0 other",
        "true > made; false 2> made2; : > made3", "X=1 Y='a b' ./show; ./show",
        "X=1 Y=2 ./show | cat && ./show", "cd sub && ./here && ../show", "cd sub; ls",
        "cd none || echo stayed; ls say", "cd none; ls say", "cd sub && cd . && ls > list",
        "./die TERM; echo after", "./die KILL || echo failed", "./die PIPE | cat; ./die HUP",
        "./die INT; echo after", "yes | head -n 2 && echo done",
        "head -c 300000 /dev/zero | tr '\\0' a | wc -c", "echo x | cat | cat | cat | tr x y",
        "cat /etc/passwd | head -n 1 > first; wc -l < first", "sort <first 2>/dev/null || echo none",
        "env | grep ^X=; X=5 env | grep ^X=", "echo one\necho two &&\n echo three",
        "sub/here; ./sub/here && sub/../say 0 up", "./sub; echo cannot",
    ] {
        both.compare(line);
    }
}

#[test]
fn lines_that_are_made_up_do_what_they_do_in_bash() {
    let word = prop::sample::select(vec!["a", "'b c'", "\"d\"", "e\\ f", "x=y", "{}", "!"]);
    let program = prop_oneof![
        (0..4_u8, word.clone()).prop_map(|(code, word)| format!("./say {code} {word}")),
        word.prop_map(|word| format!("echo {word}")),
        prop::sample::select(vec!["true", "false", ":", "cat", "X=1 ./show"]).prop_map(str::to_owned),
    ];
    let of = |files: &[&'static str]| prop::sample::select(files.to_vec());
    let any_file =
        of(&["", "", " > f", " >> f", " < f", " 2>&1", " 2>g", " >&2", " > f 2>&1", " 2>&1 > g", " &> f"]);
    let alone = (program.clone(), any_file).prop_map(|(program, file)| program + file);
    // What reads all of its input, and writes to nothing that another one writes to: else their order is the system's.
    let filters = prop::collection::vec(of(&["cat", "tr a b", "wc -c", "sort -r"]), 1..3);
    let joined = (program, of(&["", " 2>&1", " 2>/dev/null"]), filters, of(&["", " > f", " >> f", " 2>&1"]));
    let joined = joined.prop_map(|(program, file, filters, last)| {
        format!("{program}{file} | {}{last}", filters.join(" | "))
    });
    let pipeline = prop_oneof![alone, joined];
    let connector = prop::sample::select(vec![" && ", " || ", "; ", "\n"]);
    let line = prop::collection::vec((pipeline, connector), 2..5).prop_map(|all| {
        let text: String =
            all.iter().flat_map(|(pipeline, connector)| [pipeline.as_str(), connector]).collect();
        text.trim_end_matches([' ', '&', '|', ';', '\n']).to_owned()
    });
    let (both, mut runner) = (Both::new(), TestRunner::deterministic());
    for _ in 0..MADE {
        let line = line.new_tree(&mut runner).unwrap().current();
        assert!(Sequence::parse_text(&line).is_some(), "{line}");
        both.compare(&line);
    }
}

#[test]
fn a_shell_is_started_only_where_one_is_needed() {
    let both = Both::new();
    for (line, parent) in [
        ("true && ./parent && true", "postern-steps\n"),
        ("./parent | cat; echo", "postern-steps\n\n"),
        ("true && ./parent $NOTHING; true", "bash\n"),
    ] {
        assert_eq!(both.by_postern(line).stdout, parent, "{line}");
    }
}

#[test]
fn a_profile_holds_the_steps_as_it_holds_a_shell() {
    if !postern_tests::bubblewrap_works() {
        return;
    }
    let both = Both::new();
    for (how, line, code, stdout) in [
        ("--confine project --shell", "./parent && ./say 0 x > f; cat f | tr x y", 0, "postern-steps\n0 y\n"),
        ("--confine project --shell", "true && touch ../outside", 1, ""),
        ("--confine look --shell", "head -n 1 say | cat && wc -l < parent", 0, "#!/bin/sh\n2\n"),
        ("--confine look --shell", "true && touch inside", 1, ""),
        ("--confine look --shell", "true > inside; ls inside", 2, ""),
    ] {
        let did = both.confined(how, line);
        assert_eq!((did.code, did.stdout.as_str()), (code, stdout), "{how} {line}: {did:?}");
        assert!(!did.files.contains_key("inside"), "{how} {line}");
    }
}
