//! Code that is a part of the request: a rule covers it where it names all of it.

use super::places::is_held_in_place;
use super::subject::StepSubject;
use crate::agent::AgentPolicy;
use crate::facts::{Facts, Input};
use crate::rule::Rule;
use crate::ruleset::Compiled;
use postern_command::{Power, RedirectionKind, Step, Unparsed, UnparsedSpan, Word};
use postern_protocol::encode_hex;
use sha2::{Digest as _, Sha256};

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

/// Returns the sha256 of a text.
pub(super) fn sha256_of(text: &str) -> String {
    encode_hex(&Sha256::digest(text))
}

/// Returns the argv of a line of shell text: a rule from an offer for a whole line has it.
pub(crate) fn argv_of_line(text: &str) -> [&str; 3] {
    ["bash", "-c", text]
}

/// Returns the rule from an offer for exactly this line in this folder.
pub(super) fn covering_line<'a>(policy: &'a AgentPolicy, facts: &Facts<'_>) -> Option<&'a Rule> {
    if !facts.shell || *facts.input != Input::Nothing {
        return None;
    }
    if !is_repeatable(facts) {
        return None;
    }
    let argv = argv_of_line(&facts.reading.text);
    let rules = policy.rules.compiled_parts().flat_map(|part| {
        let mut found = Vec::new();
        part.allow_index().by_argv(&argv, &mut found);
        found.into_iter().map(|at| part.get(at))
    });
    let holds = |rule: &&Compiled| {
        rule.rule.confine.is_none()
            && rule.rule.is_line()
            && rule.rule.folder.is_some()
            && rule.is_alive(facts.now, facts.session)
            && rule.rule.origin.holds_for(facts.origin)
            && rule.holds_in(facts.cwd, facts.case_insensitive)
    };
    { rules }.find(holds).map(|rule| &rule.rule)
}

/// Returns true if the same line does the same each time.
///
/// Every word, file and folder of it is known, and the agent cannot exchange the folders.
pub(crate) fn is_repeatable(facts: &Facts<'_>) -> bool {
    let step = |step: &Step| {
        let same = |raw: &str| stops_at_port(step, raw) || names_folder(facts, raw) || asks_server(step, raw);
        let known = |word: &Word| word.value.is_some() || same(&word.raw);
        step.opaque.as_ref().is_none_or(|part| is_constant(step, part))
            && step.via.iter().all(|via| via.power != Power::Elsewhere)
            && step
                .argv
                .iter()
                .chain(step.redirections.iter().map(|redirection| &redirection.target))
                .all(known)
            && is_held_in_place(facts, &step.dir)
    };
    facts.reading.opaque.is_empty() && facts.reading.steps.iter().all(step)
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

/// Returns true for what a server is asked, with a `?` without quotes: a file could only put one other letter in its place.
///
/// It has to be behind the host: `https://a.example?.b.example/` could become another one.
fn asks_server(step: &Step, raw: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/:._-?=%,+@".contains(c);
    let is = |at: usize, text: &str| step.argv.get(at).is_some_and(|word| word.raw == text);
    let asked = match step.program() {
        Some("curl") => raw.starts_with("http://") || raw.starts_with("https://"),
        Some("gh") => is(1, "api") && is(2, raw) && raw.starts_with(|c: char| c.is_ascii_alphanumeric()),
        _ => false,
    };
    let before = raw.split('?').next().unwrap_or_default();
    let names_path = before.split_once("://").is_some_and(|(_, address)| address.contains('/'));
    asked && raw.chars().all(plain) && (names_path || !raw.contains("://"))
}

/// Returns true for the programs at a port that is written out, as `kill` takes them: `kill $(lsof -ti:3000)`.
fn stops_at_port(step: &Step, raw: &str) -> bool {
    let looked_up = raw.trim_matches('"').strip_prefix("$(lsof ").and_then(|rest| rest.strip_suffix(')'));
    let words: Vec<&str> = looked_up.unwrap_or_default().split_whitespace().collect();
    let is_port = |word: &str| {
        let number = word.trim_start_matches("-ti").trim_start_matches("-i");
        let number = number.trim_start_matches("tcp").trim_start_matches("TCP").strip_prefix(':');
        number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let is_option = |word: &str| ["-t", "-i", "-ti", "-sTCP:LISTEN", "2>/dev/null"].contains(&word);
    step.program() == Some("kill")
        && words.iter().any(|word| is_port(word))
        && words.iter().any(|word| *word == "-t" || word.starts_with("-ti"))
        && words.iter().all(|word| is_port(word) || is_option(word))
}
