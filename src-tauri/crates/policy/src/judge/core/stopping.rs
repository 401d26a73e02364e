//! Stopping Postern, and driving it: an agent asks, it never answers.

use super::super::invocation::JudgedInvocation;
use super::place::mentions;
use super::spelling;
use crate::given;
use crate::judge::line::JudgmentContext;
use crate::path;
use crate::words::is_wild_match;

/// Postern's own programs, without `postern-run`, which can only ask.
const OWN: [&str; 3] = ["postern", "postern-desktop", "postern-steps"];

/// Texts in the command lines of Postern's processes, which `pkill -f` looks at.
const LINES: [&str; 3] = ["postern serve", "postern-desktop", "postern-steps"];

/// Means by which a program could stop Postern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Means {
    /// Postern itself.
    Own,
    Pattern,
    Name,
    Number,
    Service,
    Session,
    /// Program that clicks, or holds another program still.
    Remote,
}

/// Returns the means of a program by its name, without folder and in lower case.
fn means_of_program(base: &str) -> Option<Means> {
    match base {
        _ if OWN.contains(&base) => Some(Means::Own),
        "pkill" => Some(Means::Pattern),
        "killall" | "killall5" => Some(Means::Name),
        "kill" => Some(Means::Number),
        "launchctl" | "systemctl" | "service" => Some(Means::Service),
        "loginctl" => Some(Means::Session),
        "osascript" | "lldb" | "gdb" => Some(Means::Remote),
        _ => None,
    }
}

/// Returns true if programs of this name are looked at.
pub(super) fn is_about(base: &str) -> bool {
    means_of_program(base).is_some()
}

pub(super) fn matches(call: &JudgedInvocation<'_>, line: &JudgmentContext<'_>) -> bool {
    if call.is_one_of(&OWN) {
        return true;
    }
    let base = call.folded_base_name();
    let words = || call.args.iter().flatten().copied();
    match means_of_program(&base) {
        Some(Means::Own) => true,
        Some(Means::Pattern) => by_pattern(&call.args),
        Some(Means::Name) => base == "killall5" || by_name(&call.args),
        Some(Means::Number) => {
            let all = || words().filter(|word| *word == "-1").count() >= kill_all(&call.args);
            words().any(|word| is_own(word, line))
                || signals_parent(call, line)
                || words().any(|word| word == "-1") && all()
        }
        Some(Means::Service) if words().any(names_postern) && words().any(is_stop_word) => true,
        // Of a whole session, with everything that runs in it.
        Some(Means::Service) if base == "launchctl" && words().any(|word| word == "bootout") => {
            call.args.iter().flatten().skip(1).all(|domain| domain.matches('/').count() < 2)
        }
        Some(Means::Session) => words().any(|word| word.starts_with("terminate") || word.starts_with("kill")),
        // An agent neither ends it nor clicks in it.
        Some(Means::Remote) => words().any(names_postern),
        Some(Means::Service) | None => false,
    }
}

/// Returns true if a command signals its parent, or Postern by its number in a variable. A line's shell is Postern's child: `$PPID` is Postern.
fn signals_parent(call: &JudgedInvocation<'_>, line: &JudgmentContext<'_>) -> bool {
    let here = call.folder.as_deref().unwrap_or(line.cwd);
    let unknown = call.args.iter().zip(&call.raw).filter(|(known, _)| known.is_none()).map(|(_, raw)| raw);
    let mut texts = unknown.flat_map(|raw| spelling::all_spellings(raw, here, line));
    let names = |text: &str| text.contains("PPID") || text.contains("ppid");
    let given = |text: &str| {
        let name = given::variable(text.trim_start_matches(['-', '$', '{']));
        line.values_given_to(name).any(|value| names(value))
    };
    texts.any(|text| names(&text) || given(&text) || is_own(&text, line))
}

/// Returns true for Postern's process number, or the group of that number (`-123`, `+123` and `0123` are the
/// same to `kill`).
fn is_own(word: &str, line: &JudgmentContext<'_>) -> bool {
    let number = word.trim().trim_start_matches(['-', '+']);
    line.own_pid.is_some_and(|own| number.parse() == Ok(own))
}

fn names_postern(word: &str) -> bool {
    mentions("postern", word)
}

fn is_stop_word(word: &str) -> bool {
    ["stop", "kill", "disable", "mask", "bootout", "unload", "remove", "restart", "kickstart"].contains(&word)
}

/// Returns the number of `-1` that it takes until one of them is every process rather than a signal.
///
/// `kill -1 5` sends a signal to 5, `kill -9 -1` and `kill -- -1` send one to all.
fn kill_all(args: &[Option<&str>]) -> usize {
    match args.first() {
        Some(Some("-1")) => 2,
        _ => 1,
    }
}

/// Returns true if `pkill` with these words finds Postern. Its regular expression may match anywhere in the
/// name (with `-f`, in the whole line).
fn by_pattern(args: &[Option<&str>]) -> bool {
    let operands: Vec<&str> =
        operands(args, &["-u", "-U", "-g", "-G", "-P", "-s", "-t", "-F", "-signal", "--signal"]);
    if operands.is_empty() {
        // By user, group or parent alone: all of the person's programs, Postern among them.
        return args.iter().flatten().any(|word| word.starts_with("-u") || word.starts_with("-U"));
    }
    let letters = |word: &str| word.starts_with('-') && !word.starts_with("--") && word.contains('f');
    let whole = args.iter().flatten().any(|word| *word == "--full" || letters(word));
    let own = if whole { &LINES } else { &OWN };
    operands.iter().any(|operand| {
        let bare = operand.to_ascii_lowercase();
        bare.split(['|', '(', ')']).filter(|part| !part.is_empty()).any(|part| {
            names_postern(part) || own.iter().any(|own| is_wild_match(&format!("*{}*", as_glob(part)), own))
        })
    })
}

/// Returns true if a regular expression may match the command line of one of Postern's processes.
pub(in crate::judge) fn finds_postern(pattern: &str) -> bool {
    by_pattern(&[Some("-f"), Some(pattern)])
}

/// Returns a regular expression as a glob that matches at least as much.
fn as_glob(expression: &str) -> String {
    let expression = expression.trim_start_matches('^').trim_end_matches('$');
    let plain = |c: char| c.is_alphanumeric() || "_-/ :=@,".contains(c);
    let mut glob = String::new();
    let mut rest = expression.chars().peekable();
    while let Some(c) = rest.next() {
        if matches!(c, '*' | '?' | '{') {
            glob.pop();
        }
        glob.push(if plain(c) { c } else { '*' });
        // What these hold stands for other letters.
        match c {
            '{' => _ = rest.find(|c| *c == '}'),
            '\\' => _ = rest.next(),
            '[' => {
                _ = rest.next_if_eq(&'^');
                _ = rest.next();
                _ = rest.find(|c| *c == ']');
            }
            _ => {}
        }
    }
    glob
}

/// Returns true if `killall` names Postern. It takes whole names.
fn by_name(args: &[Option<&str>]) -> bool {
    let operands = operands(args, &["-u", "-t", "-s", "-y", "-o"]);
    let by_user = operands.is_empty() && args.iter().flatten().any(|word| word.starts_with("-u"));
    by_user || operands.iter().any(|operand| names_postern(path::base_name(operand)))
}

fn operands<'a>(args: &[Option<&'a str>], with_value: &[&str]) -> Vec<&'a str> {
    let mut all = Vec::new();
    let mut words = args.iter().flatten();
    while let Some(word) = words.next() {
        if with_value.contains(word) {
            words.next();
        } else if !word.starts_with('-') {
            all.push(*word);
        }
    }
    all
}

/// Finds a step that kills what another one looked up: `kill $(pgrep postern)`.
pub(super) fn kills_what_it_looked_up(line: &JudgmentContext<'_>) -> Option<usize> {
    let steps = &line.reading.steps;
    let is = |at: usize, names: &[&str]| {
        steps[at].program().is_some_and(|name| path::is_one_of(path::base_name(name), names))
    };
    let looks = (0..steps.len()).any(|at| {
        let words = || steps[at].argv.iter().skip(1).filter_map(|word| word.value.as_deref());
        is(at, &["pgrep", "pidof", "lsof", "grep", "egrep", "rg", "awk", "cat"]) && words().any(names_postern)
    });
    // As `pkill` with these words would.
    let finds_own = (0..steps.len()).any(|at| {
        let words: Vec<Option<&str>> =
            steps[at].argv.iter().skip(1).map(|word| word.value.as_deref()).collect();
        is(at, &["pgrep"]) && by_pattern(&words)
    });
    let by_xargs = |at: usize| {
        steps[at].via.iter().any(|via| via.argv.first().is_some_and(|word| word.raw.ends_with("xargs")))
    };
    let unknown = |at: usize| steps[at].argv.iter().filter(|word| word.value.is_none());
    let found = |at: usize| by_xargs(at) || unknown(at).next().is_some();
    let found_by_pattern = |at: usize| by_xargs(at) || unknown(at).any(|word| word.raw.contains("pgrep"));
    let takes = |at: &usize| looks && found(*at) || finds_own && found_by_pattern(*at);
    (0..steps.len()).find(|at| is(*at, &["kill"]) && takes(at))
}
