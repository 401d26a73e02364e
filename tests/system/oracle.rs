//! Oracle test of random scripts made of the corpora's parts.
//!
//! What the judge allows is run in bash and in zsh while strace watches, and the kernel is asked to start
//! nothing but what the script's little policy lists.

use postern_command::{Dialect, Power, Role, read_shell};
use postern_policy::Decision;
use postern_policy::case::{Bins, Case};
use postern_tests::shells::{Ran, Sandbox, Shell, strace_works};
use postern_tests::{bubblewrap_works, cases};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Scripts that are made; those that are allowed are run.
const SCRIPTS: usize = 1_000;

/// Shells: their text is read, and what it starts is judged.
const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ksh"];

/// A line of a case, with what its policy allows.
#[derive(Debug, Clone)]
struct Part {
    line: String,
    allow: Vec<String>,
    /// True if it deserves to be allowed: scripts are mostly made of such, or hardly any would run.
    harmless: bool,
}

#[test]
fn whatever_is_allowed_starts_nothing_that_is_not_on_the_list() {
    if !bubblewrap_works() || !strace_works() {
        return;
    }
    let files = cases::files();
    // Our own map has all that the corpus's has.
    let own = files.last().expect("there are cases of our own");
    let bins = own.bins();
    let mut runner = TestRunner::deterministic();
    let scripts = script(parts(&files));
    let made = (0..SCRIPTS).map(|_| scripts.new_tree(&mut runner).expect("a script can be made").current());
    let allowed: Vec<Part> = made.filter(|part| verdict(part, &bins) == Decision::Allow).collect();
    assert!(allowed.len() > SCRIPTS / 10, "only {} of {SCRIPTS} scripts are allowed", allowed.len());
    let lines: Vec<String> = allowed.iter().map(|part| part.line.clone()).collect();
    let sandbox = Sandbox::with(own.names.keys().cloned().chain(["more", "drift"].map(str::to_owned)));
    let shells = [Shell::Bash, Shell::Zsh].into_iter().filter(|shell| shell.is_here());
    let found: Vec<String> = std::thread::scope(|scope| {
        let (sandbox, lines, allowed) = (&sandbox, &lines, &allowed);
        let running: Vec<_> = shells
            .map(|shell| {
                scope.spawn(move || {
                    let (ran, executed) = sandbox.trace(shell, lines);
                    unlisted(shell, allowed, &ran, &executed)
                })
            })
            .collect();
        running.into_iter().flat_map(|thread| thread.join().expect("a shell was tried")).collect()
    });
    assert!(found.is_empty(), "{} scripts start what is not listed:\n{}", found.len(), found.join("\n"));
}

/// Returns the programs that were started without being listed: seen by the kernel, and recorded by the
/// recorders themselves.
fn unlisted(shell: Shell, parts: &[Part], ran: &[Vec<Ran>], executed: &[Vec<String>]) -> Vec<String> {
    // Cases are judged as on a volume without case.
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let started: usize = executed.iter().map(Vec::len).sum();
    assert!(
        started > parts.len(),
        "{}: strace saw {started} programs of {} scripts",
        shell.name(),
        parts.len()
    );
    let mut found = Vec::new();
    for ((part, ran), executed) in parts.iter().zip(ran).zip(executed) {
        let mut told = transparent(&part.line);
        if shell == Shell::Zsh {
            told.extend(builtins(&part.line));
        }
        let listed: BTreeSet<String> = part
            .allow
            .iter()
            .map(|path| name(path))
            .chain(SHELLS.iter().map(|&name| name.to_owned()))
            .chain(told)
            .collect();
        let seen = executed.iter().filter(|path| !path.starts_with("/real/")).map(|path| name(path));
        let more: BTreeSet<String> = seen
            .chain(ran.iter().filter_map(|ran| ran.first().map(|path| name(path))))
            .filter(|name| !listed.contains(name))
            .collect();
        if !more.is_empty() {
            found.push(format!(
                "{} started {more:?} for {:?}, allowed {:?}",
                shell.name(),
                part.line,
                part.allow
            ));
        }
    }
    found
}

/// Wrappers that the reading of this script tells of and that change nothing about what they run: a rule for the inner
/// program covers them. A program that is not told of so needs a rule.
fn transparent(line: &str) -> Vec<String> {
    let steps = read_shell(line, Dialect::Bash).steps;
    let vias = steps.iter().flat_map(|step| &step.via).filter(|via| via.power == Power::Transparent);
    let names = vias.filter_map(|via| via.argv.first()?.value.clone());
    names.map(|path| path.rsplit('/').next().unwrap_or(&path).to_owned()).collect()
}

/// Builtins that the reading tells of. It is a reading for bash; zsh looks for a program where it has no builtin of the name
/// (`mapfile`, `shopt`).
fn builtins(line: &str) -> Vec<String> {
    let steps = read_shell(line, Dialect::Bash).steps;
    let builtins = steps.iter().filter(|step| step.role == Role::HarmlessBuiltin);
    builtins.filter_map(|step| step.program().map(str::to_owned)).collect()
}

const JOINTS: &[&str] = &[" && ", " || ", "; ", "\n", " | ", " & ", " |\n", " \\\n&& "];
const FORMS: &[&str] = &[
    "@", "( @\n)", "{ @\n}", "if @\nthen @\nfi", "for i in a b; do @\ndone",
    "while read -r l; do @\ndone < f", "echo \"$(@\n)\"", "x=$(@\n)", "! @", "case a in a) @\n;; esac",
    "cd src && @", "@ 2>&1", "f() { @\n}; f", "time @", "CI=1 @", "cat <<'E'\nx\nE\n@",
];

/// Returns one to four parts, put together in the ways that scripts are.
fn script(parts: Vec<Part>) -> impl Strategy<Value = Part> {
    let harmless: Vec<Part> = parts.iter().filter(|part| part.harmless).cloned().collect();
    let part = prop_oneof![9 => select(harmless), 1 => select(parts)];
    let rest = proptest::collection::vec((select(JOINTS), part.clone()), 0..3);
    (part, rest, select(FORMS)).prop_map(move |(mut made, rest, form)| {
        for (joint, next) in rest {
            made.line = format!("{}{joint}{}", made.line, next.line);
            made.allow.extend(next.allow);
        }
        made.line = form.replace('@', &made.line);
        made.allow.push("/bin/echo".to_owned());
        made.allow.push("/bin/cat".to_owned());
        made
    })
}

fn verdict(part: &Part, bins: &Bins) -> Decision {
    let case = json!({ "id": "script", "shell": part.line, "allow": part.allow, "expect": "ask" });
    let case = Case::parse(&case.to_string()).expect("a case");
    case.run(Some(bins)).map_or(Decision::Deny, |outcome| outcome.got)
}

/// Returns the lines of all cases that name what they allow.
fn parts(files: &[cases::File]) -> Vec<Part> {
    let words = |case: &Value| -> Vec<String> {
        case["allow"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|text| text.as_str().map(str::to_owned))
            .collect()
    };
    let part = |case: &Value| {
        let line = case["shell"].as_str()?.to_owned();
        Some(Part { line, allow: words(case), harmless: case["expect"] == "allow" })
    };
    let named = |part: &Part| {
        !part.line.contains('\0')
            && part.allow.iter().all(|text| text.starts_with('/') && !text.contains(['*', '?', '[', '{']))
    };
    files.iter().flat_map(|file| &file.written).filter_map(part).filter(named).collect()
}
