//! Code that is a part of the request: a rule covers it where it names all of it.

use super::places::{StepPlaces, TEMPORARY, is_held_in_place};
use super::processes::is_found_process;
use super::sent::quoted;
use super::shell_values::{is_temporary, keeps_printers, variable_name};
use super::subject::StepSubject;
use crate::agent::AgentPolicy;
use crate::classes::{Access, Class};
use crate::facts::{Facts, Input, StepFacts, TargetPath};
use crate::needed::folders_of;
use crate::path;
use crate::protected::ProtectedPlaces;
use crate::rule::{Limits, Rule};
use crate::ruleset::Compiled;
use postern_command::{
    Power, ProgramClass, RedirectionKind, Step, Unparsed, UnparsedSpan, Via, Word, class_of,
};
use postern_protocol::{Profile, encode_hex};
use sha2::{Digest as _, Sha256};
use std::borrow::Cow;

/// Returns true if something prevents every rule from covering the step. A file of commands is read by the shell: it is no program.
pub(super) fn is_obstructed(
    policy: &AgentPolicy,
    facts: &Facts<'_>,
    subject: &StepSubject<'_>,
    part: &UnparsedSpan,
) -> bool {
    if part.kind != Unparsed::Source {
        return subject.obstacle(policy, facts).is_some();
    }
    subject.strange_folder(policy, facts).is_some()
        || !subject.step.assignments.is_empty()
        || subject.strange_wrapper(policy, facts).is_some()
}

/// Returns true if the words of a step, with the text on its input, or a file, are all the code that was not understood.
pub(crate) fn is_constant(step: &Step, part: &UnparsedSpan) -> bool {
    let known = step.argv.iter().all(|word| word.value.is_some());
    known
        && match part.kind {
            Unparsed::InlineCode | Unparsed::Interpreter | Unparsed::UnknownFlag | Unparsed::Wrapper => true,
            Unparsed::InputCode | Unparsed::ShellInput => on_input(step).is_some(),
            Unparsed::Source => sourced(step).is_some(),
            _ => false,
        }
}

/// Returns the file whose commands the shell reads for a step.
pub(crate) fn sourced(step: &Step) -> Option<&str> {
    let [_, file] = &step.argv[..] else { return None };
    let file = file.value.as_deref()?;
    let own = step.opaque.as_ref().is_some_and(|part| part.kind == Unparsed::Source);
    (own && !["-", "/dev/", "/proc/"].iter().any(|start| file.starts_with(start))).then_some(file)
}

/// Returns the sha256 of the code that a step reads from its input, where the request holds that code.
pub(crate) fn on_input(step: &Step) -> Option<String> {
    let part = step.opaque.as_ref()?;
    matches!(part.kind, Unparsed::InputCode | Unparsed::ShellInput).then(|| text_on_input(step)).flatten()
}

/// Returns the sha256 of the text that a step has on its input, where the request holds that text.
pub(crate) fn text_on_input(step: &Step) -> Option<String> {
    let reads =
        |kind| matches!(kind, RedirectionKind::Here | RedirectionKind::Read | RedirectionKind::ReadWrite);
    let mut inputs = step.redirections.iter().filter(|redirection| reads(redirection.kind));
    let (Some(only), None) = (inputs.next(), inputs.next()) else { return None };
    only.text.as_deref().map(sha256_of)
}

pub(super) fn sha256_of(text: &str) -> String {
    encode_hex(&Sha256::digest(text))
}

/// Returns the argv of a line of shell text: a rule from an offer for a whole line has it.
pub(crate) fn argv_of_line(text: &str) -> [&str; 3] {
    ["bash", "-c", text]
}

/// Returns the rule from an offer for exactly this line in this folder, with the user's rights.
pub(super) fn covering_line<'a>(policy: &'a AgentPolicy, facts: &Facts<'_>) -> Option<&'a Rule> {
    if !facts.shell || *facts.input != Input::Nothing || !is_repeatable(facts) {
        return None;
    }
    line_rule(policy, facts, None)
}

/// Returns the rule from an offer for exactly this line in this folder, confined.
///
/// What its words become need not be known: the profile holds the run.
pub(super) fn confining_line<'a>(policy: &'a AgentPolicy, facts: &Facts<'_>) -> Option<&'a Rule> {
    let plain = facts.shell && *facts.input == Input::Nothing && policy.rules.has_confined(facts);
    plain.then(|| line_rule(policy, facts, Some(Profile::Project))).flatten()
}

/// Returns the rule that confines exactly this line, if there is one, and the policy for the line.
///
/// With the rule the classes which the profile `project` holds are allowed where they would ask. What no class covers is asked
/// about as before.
pub(super) fn policy_of_line<'a>(
    policy: &'a AgentPolicy,
    facts: &Facts<'_>,
) -> (Cow<'a, AgentPolicy>, Option<&'a Rule>) {
    let confining = confining_line(policy, facts);
    if confining.is_none() {
        return (Cow::Borrowed(policy), None);
    }
    let mut widened = policy.clone();
    for class in [Class::Look, Class::Files, Class::Build] {
        if widened.settings.access(class) == Access::Ask {
            widened.settings.set_access(class, Access::Allow);
        }
    }
    (Cow::Owned(widened), confining)
}

/// Returns the rule from an offer for exactly this line in this folder that names this profile, or none.
fn line_rule<'a>(policy: &'a AgentPolicy, facts: &Facts<'_>, profile: Option<Profile>) -> Option<&'a Rule> {
    let argv = argv_of_line(&facts.reading.text);
    let rules = policy.rules.compiled_parts().flat_map(|part| {
        let mut found = Vec::new();
        part.allow_index().by_argv(&argv.map(Some), &mut found);
        found.into_iter().map(|at| part.get(at))
    });
    let names_hooks =
        |limits: &Limits| facts.steps.iter().all(|found| limits.unnamed_hook(&found.hooks).is_none());
    let holds = |rule: &&Compiled| {
        rule.rule.confine == profile
            && rule.rule.is_line()
            && rule.rule.limits.as_deref().is_some_and(names_hooks)
            && rule.rule.folder.is_some()
            && rule.is_in_force(facts)
            && rule.holds_in(facts.cwd, facts.case_insensitive)
    };
    { rules }.find(holds).map(|rule| &rule.rule)
}

/// Returns true if the same line does the same each time.
///
/// Every word, file and folder of it is known, none leads elsewhere over a link, and the agent cannot exchange the folders.
pub(crate) fn is_repeatable(facts: &Facts<'_>) -> bool {
    let same = |(step, found): (&Step, &StepFacts)| {
        let known = |word: &Word| word.value.is_some() || means_the_same(facts, step, &word.raw);
        step.opaque.as_ref().is_none_or(|part| is_constant(step, part))
            && step.via.iter().all(|via| via.power != Power::Elsewhere)
            && step
                .argv
                .iter()
                .chain(step.redirections.iter().map(|redirection| &redirection.target))
                .all(known)
            && is_held_in_place(facts, &step.dir)
            && !leads_elsewhere(facts, step, found)
    };
    facts.reading.opaque.iter().all(|part| is_known_target(facts, part))
        && facts.reading.steps.iter().zip(facts.steps).all(same)
}

/// Returns true for a word that means the same each time, although only the run tells its value.
fn means_the_same(facts: &Facts<'_>, step: &Step, raw: &str) -> bool {
    // What runs the file's content does more than the line says.
    let runs = || step.program().is_none_or(|name| class_of(name) != ProgramClass::Ordinary);
    let is_written = || step.redirections.iter().any(|one| one.writes() && one.target.raw == raw);
    let temporary = || is_temporary(facts, raw) && (is_written() || !runs());
    let printed = || temporary() || holds_printed_name(raw);
    is_found_process(facts, step, raw)
        || names_folder(facts, raw)
        || asks_server(step, raw)
        || names_found(step, raw)
        || names_extras(step, raw)
        || removes_kind(step, raw)
        || names_database(facts, step, raw)
        || names_route(facts, step, raw)
        || printed() && keeps_printers(&facts.reading.text)
}

/// Returns true for the target of a redirection that was not understood, and that the steps' words say all about.
fn is_known_target(facts: &Facts<'_>, part: &UnparsedSpan) -> bool {
    let text = facts.reading.text.get(part.span.clone()).unwrap_or_default();
    let target = text.trim_start_matches(|c: char| c.is_ascii_digit() || "<>&| ".contains(c));
    part.kind == Unparsed::RedirectTarget && (is_temporary(facts, target) || is_route(target))
}

/// Returns true if a link leads a step to a file that is not the agent's, the system's or a temporary one.
///
/// The agent can make one after an answer, so that the same line would write or send another file.
fn leads_elsewhere(facts: &Facts<'_>, step: &Step, found: &StepFacts) -> bool {
    let folders = folders_of(facts.cwd, &step.dir).unwrap_or_default();
    let as_written = |target: &TargetPath| {
        let real = target.real.strip_prefix("/private").unwrap_or(&target.real);
        let paths = folders.iter().map(|folder| path::join_path(folder, &target.written));
        { paths }.any(|path| path == target.real || path == real)
    };
    let redirected = |written: &str| {
        step.redirections.iter().any(|redirection| redirection.target.value.as_deref() == Some(written))
    };
    // Its program is known by other means, and of git the places of its repository are named too.
    let counts = |target: &&TargetPath| match step.program() {
        Some("git") => redirected(&target.written),
        name => name != Some(target.written.as_str()),
    };
    let led: Vec<&TargetPath> =
        found.targets.iter().filter(|target| counts(target) && !as_written(target)).collect();
    if led.is_empty() {
        return false;
    }
    let (places, protected) = (StepPlaces::new(facts), ProtectedPlaces::of_home(facts.home));
    let stays = |real: &str| {
        let temporary = TEMPORARY.iter().any(|place| path::is_within(real, place));
        let own = places.is_inside(real) && places.may_be_changed(real);
        (temporary || own) && protected.places_at(real).is_empty()
    };
    led.iter().any(|target| !stays(&target.real))
}

/// Returns true for a file below folders whose names are parameters of routes: `app/[slug]/page.tsx`. As a pattern a name in brackets
/// is one letter, so that the file could only be the same one of a folder beside it.
fn names_route(facts: &Facts<'_>, step: &Step, raw: &str) -> bool {
    let stays = |folder: &String| {
        let (path, protected) = (path::join_path(folder, raw), ProtectedPlaces::of_home(facts.home));
        facts.folders.iter().any(|own| path::is_within(&path, own)) && protected.places_at(&path).is_empty()
    };
    // These remove nothing, and what they write over a link counts.
    let makes = match step.program() {
        Some("mkdir" | "touch") => true,
        Some("git") => step.argv.get(1).is_some_and(|word| word.raw == "add"),
        _ => false,
    };
    let is_target = step.redirections.iter().any(|redirection| redirection.target.raw == raw);
    is_route(raw)
        && (makes || is_target)
        && folders_of(facts.cwd, &step.dir).is_some_and(|folders| folders.iter().all(stays))
}

fn is_route(raw: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
    let parameter = |part: &str| {
        let name = part.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        name.is_some_and(|name| {
            name.len() > 1 && name.starts_with(|c: char| c != '-') && name.chars().all(plain)
        })
    };
    let named = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphanumeric() || "_+@".contains(c))
            && part.chars().all(|c| plain(c) || "+@.".contains(c))
    };
    raw.split('/').all(|part| parameter(part) || named(part)) && raw.split('/').any(parameter)
}

/// Words for the folder of the run, with the quote that they begin with.
const OWN_FOLDER: [&str; 3] = ["\"$PWD", "\"${PWD}", "\"$(pwd)"];

/// Returns true for a word that begins with the folder of the run, in quotes, and is written out behind it: `"$PWD":/app`.
fn names_folder(facts: &Facts<'_>, raw: &str) -> bool {
    let behind = OWN_FOLDER.iter().find_map(|begin| raw.strip_prefix(*begin));
    let plain = |c: char| c.is_ascii_alphanumeric() || "/.:_-,=\"".contains(c);
    let ends = |rest: &str| rest.starts_with(['"', '/', ':']) && rest.chars().all(plain);
    behind.is_some_and(ends) && keeps_folder(&facts.reading.text)
}

/// Returns true if nothing in the text may give `PWD` another value, or `pwd` another meaning (`read PWD < file`).
fn keeps_folder(text: &str) -> bool {
    let rest = OWN_FOLDER.iter().fold(text.to_owned(), |rest, own| rest.replace(*own, ""));
    let rest = rest.replace(['"', '\'', '\\'], "");
    !["PWD", "pwd(", "pwd (", "function pwd"].iter().any(|change| rest.contains(change))
}

/// Returns true for `rm` of files and folders that the line made for itself, and of nothing else.
pub(crate) fn removes_temporary(facts: &Facts<'_>, step: &Step) -> bool {
    let is_own = |word: &Word| {
        word.value.as_ref().map_or_else(|| is_temporary(facts, &word.raw), |word| word.starts_with('-'))
    };
    step.program() == Some("rm")
        && step.argv.iter().skip(1).all(is_own)
        && keeps_printers(&facts.reading.text)
}

/// Returns true for what a server is asked, with a `?` without quotes: a file could only put one other letter in its place.
///
/// It has to be behind the host: `https://a.example?.b.example/` could become another one.
fn asks_server(step: &Step, raw: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/:._-?=%,+@".contains(c);
    let is = |at: usize, text: &str| step.argv.get(at).is_some_and(|word| word.raw == text);
    let asked = match step.program() {
        Some("curl" | "yt-dlp") => raw.starts_with("http://") || raw.starts_with("https://"),
        Some("gh") => is(1, "api") && is(2, raw) && raw.starts_with(|c: char| c.is_ascii_alphanumeric()),
        _ => false,
    };
    let before = raw.split('?').next().unwrap_or_default();
    let names_path = before.split_once("://").is_some_and(|(_, address)| address.contains('/'));
    asked && raw.chars().all(plain) && (names_path || !raw.contains("://"))
}

/// Returns true for the files that `find` hands to a program, where each of its words is written out: `find . -name x -exec rm {} +`.
fn names_found(step: &Step, raw: &str) -> bool {
    let by_find = |via: &Via| {
        let first = via.argv.first().and_then(|word| word.value.as_deref());
        first == Some("find") && via.argv.iter().all(|word| word.value.is_some())
    };
    raw.trim_matches(['"', '\'']) == "{}" && step.program().is_some() && step.via.last().is_some_and(by_find)
}

/// Returns true for the project with its extras, as pip takes them without quotes: `.[dev]`. A file could only put another one of the
/// same folder in its place.
fn names_extras(step: &Step, raw: &str) -> bool {
    let extras = raw.strip_prefix(".[").and_then(|rest| rest.strip_suffix(']'));
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-,".contains(c);
    let installs = step.program().is_some_and(|name| ["pip", "pip3", "uv"].contains(&name));
    installs && extras.is_some_and(|extras| extras.chars().all(plain))
}

/// Returns true for the files of one kind that `rm` removes in its folder: `*.egg-info`. No name with such an end is an option of it,
/// and of a link it removes the link.
fn removes_kind(step: &Step, raw: &str) -> bool {
    let kind = raw.strip_prefix("*.").unwrap_or_default();
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
    step.program() == Some("rm") && !kind.is_empty() && kind.chars().all(plain)
}

/// Returns true for a word that holds what a written command prints: a commit, containers or things of a cluster. None of them is an
/// option.
fn holds_printed_name(raw: &str) -> bool {
    let text = quoted(raw).unwrap_or(raw);
    let plain = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "/.:_-=,".contains(c));
    let parts = text.split_once("$(").and_then(|(before, rest)| Some((before, rest.split_once(')')?)));
    let Some((_, (command, _))) = parts.filter(|(before, (_, behind))| plain(before) && plain(behind)) else {
        return false;
    };
    let words: Vec<&str> = command.strip_suffix(" | head -1").unwrap_or(command).split(' ').collect();
    let named = |word: &&str| !word.starts_with('-') && plain(word);
    match words.as_slice() {
        ["git", "rev-parse", "HEAD"] | ["git", "rev-parse", "--short", "HEAD"] => true,
        ["docker", "ps", options @ ..] => {
            let numbers = ["-q", "-aq", "-qa", "-lq", "-ql", "-qf", "-aqf", "-qaf"];
            options.iter().any(|word| numbers.contains(word))
                && options.iter().all(|word| {
                    numbers.contains(word) || ["-a", "-l", "-f", "--filter"].contains(word) || named(word)
                })
        }
        ["docker", "compose", "ps", "-q", service] => named(service),
        ["kubectl", "get", options @ .., "-o", "name"] => {
            options.iter().all(|word| ["-l", "-n", "--namespace", "--selector"].contains(word) || named(word))
        }
        _ => false,
    }
}

/// Clients of databases, which take an address as their first operand.
const CLIENTS: [&str; 5] = ["dbmate", "migrate", "mongosh", "pg_dump", "psql"];

/// Returns true for a database that a variable of the user names, and that nothing in the line changes: `psql "$DATABASE_URL"`.
fn names_database(facts: &Facts<'_>, step: &Step, raw: &str) -> bool {
    let text = facts.reading.text.as_str();
    let name = variable_name(raw).filter(|_| raw.starts_with('"')).unwrap_or_default();
    let uses = [format!("\"${name}\""), format!("\"${{{name}}}\"")];
    let used: usize = uses.iter().map(|one| text.matches(one.as_str()).count()).sum();
    ["_URL", "_URI", "_DSN"].iter().any(|end| name.ends_with(end))
        && step.program().is_some_and(|name| CLIENTS.contains(&name))
        && facts.origin.is_host()
        && text.matches(name).count() == used
        && facts.reading.steps.iter().all(sets_nothing)
}

/// Returns true for a step that gives no variable a value under a name which the text does not hold.
fn sets_nothing(step: &Step) -> bool {
    const SETTERS: &str =
        ". declare eval export getopts let local mapfile printf read readarray set source typeset unset";
    step.program().is_some_and(|name| !SETTERS.split(' ').any(|setter| setter == name))
}
