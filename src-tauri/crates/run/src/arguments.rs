//! Parser of the arguments: a command for the host, or a question about this program. Pure.

use postern_protocol::RequestedConfinement;
use std::collections::BTreeMap;
use std::ffi::OsString;

pub(crate) const HELP: &str = include_str!("help.txt");

/// Parsed arguments.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Typed {
    Help,
    Version,
    /// Something to run.
    Run(RunArguments),
}

/// A command for the host.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct RunArguments {
    pub(crate) command: Vec<String>,
    pub(crate) shell: Option<String>,
    pub(crate) cwd: Option<String>,
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) timeout_ms: Option<u64>,
    pub(crate) reason: Option<String>,
    pub(crate) confine: Option<RequestedConfinement>,
    pub(crate) session: Option<String>,
    pub(crate) cancel_on_disconnect: bool,
    pub(crate) wait_ms: Option<u64>,
    pub(crate) quiet: bool,
}

/// This program's own name: called by any other it runs that one on the host.
const OWN: &str = "postern-run";

/// Reads the whole argument list, the program's name first. The error is one sentence.
pub(crate) fn parse_arguments(arguments: impl IntoIterator<Item = OsString>) -> Result<Typed, String> {
    let mut words = Vec::new();
    for argument in arguments {
        words.push(
            argument.into_string().map_err(|odd| format!("the argument {} is not UTF-8", odd.display()))?,
        );
    }
    let called = words.first().map_or(OWN, |path| path.rsplit('/').next().unwrap_or(path)).to_owned();
    if called.starts_with(OWN) {
        return options(words.into_iter().skip(1));
    }
    let command = std::iter::once(called).chain(words.into_iter().skip(1)).collect();
    Ok(Typed::Run(RunArguments { command, ..RunArguments::default() }))
}

fn options(mut words: impl Iterator<Item = String>) -> Result<Typed, String> {
    let mut wanted = RunArguments::default();
    while let Some(word) = words.next() {
        let (name, inline) = match word.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value.to_owned())),
            _ => (word.as_str(), None),
        };
        let mut value =
            || inline.clone().or_else(|| words.next()).ok_or_else(|| format!("{name} needs a value"));
        match name {
            "-h" | "--help" => return Ok(Typed::Help),
            "-V" | "--version" => return Ok(Typed::Version),
            "--shell" => wanted.shell = Some(value()?),
            "--cwd" => wanted.cwd = Some(value()?),
            "--env" => variable(&mut wanted.env, &value()?)?,
            "--timeout" => wanted.timeout_ms = Some(milliseconds(&value()?)?),
            "--reason" => wanted.reason = Some(value()?),
            "--confine" => wanted.confine = Some(profile(&value()?)?),
            "--wait" => wanted.wait_ms = Some(milliseconds(&value()?)?),
            "-q" | "--quiet" => wanted.quiet = true,
            "--session" => wanted.session = Some(value()?),
            "--cancel-on-disconnect" => wanted.cancel_on_disconnect = true,
            "--" => wanted.command = words.by_ref().collect(),
            unknown if unknown.starts_with('-') => return Err(format!("there is no option {unknown}")),
            _ => wanted.command = std::iter::once(word).chain(words.by_ref()).collect(),
        }
    }
    if wanted.wait_ms.is_some() && wanted.cancel_on_disconnect {
        return Err(
            "give --wait or --cancel-on-disconnect, not both: what is waited for later goes on".to_owned()
        );
    }
    match (wanted.command.is_empty(), &wanted.shell) {
        (true, None) => Err("nothing to run: give a command after --, or --shell TEXT".to_owned()),
        (false, Some(_)) => Err("give a command or --shell, not both".to_owned()),
        (true, Some(_)) | (false, None) => Ok(Typed::Run(wanted)),
    }
}

fn profile(text: &str) -> Result<RequestedConfinement, String> {
    match text {
        "look" => Ok(RequestedConfinement::Look),
        "project" => Ok(RequestedConfinement::Project),
        "none" => Ok(RequestedConfinement::None),
        _ => Err(format!("--confine is look, project or none, not {text:?}")),
    }
}

fn variable(env: &mut BTreeMap<String, String>, text: &str) -> Result<(), String> {
    let (name, value) =
        text.split_once('=').ok_or_else(|| format!("--env needs NAME=VALUE, not {text:?}"))?;
    env.insert(name.to_owned(), value.to_owned());
    Ok(())
}

/// Returns a time as it is typed.
pub(crate) fn milliseconds(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let factor = match &text[digits.len()..] {
        "ms" => 1,
        "" | "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => 0,
    };
    let time = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
    time.filter(|time| *time > 0).ok_or_else(|| format!("{text:?} is no time: 500ms, 30s, 5m and 1h are"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(line: &[&str]) -> Result<Typed, String> {
        parse_arguments(line.iter().map(OsString::from))
    }

    fn wanted(line: &[&str]) -> RunArguments {
        match typed(line) {
            Ok(Typed::Run(wanted)) => wanted,
            other => panic!("{line:?} is something to run, not {other:?}"),
        }
    }

    #[test]
    fn everything_behind_the_dashes_is_the_command() {
        let run = wanted(&[
            "/bin/postern-run", "--cwd=/x", "--env", "A=b=c", "--timeout", "2m", "--", "git", "--help",
        ]);
        assert_eq!(run.command, ["git", "--help"]);
        assert_eq!((run.cwd.as_deref(), run.timeout_ms), (Some("/x"), Some(120_000)));
        assert_eq!(run.env["A"], "b=c");
        assert_eq!(wanted(&["postern-run", "git", "-v", "--", "x"]).command, ["git", "-v", "--", "x"]);
        assert_eq!(wanted(&["postern-run", "--shell", "a | b"]).shell.as_deref(), Some("a | b"));
        let run = wanted(&["postern-run", "-q", "--wait", "100s", "--", "x"]);
        assert_eq!((run.quiet, run.wait_ms), (true, Some(100_000)));
    }

    #[test]
    fn by_another_name_it_is_that_command_with_every_argument() {
        assert_eq!(wanted(&["/sandbox/bin/brew", "--help"]).command, ["brew", "--help"]);
        assert_eq!(wanted(&["git"]).command, ["git"]);
    }

    #[test]
    fn what_cannot_be_meant_is_said() {
        let cases: [(&[&str], &str); 10] = [
            (&["postern-run"], "nothing to run"),
            (&["postern-run", "--"], "nothing to run"),
            (&["postern-run", "--shell", "a", "--", "b"], "not both"),
            (&["postern-run", "--nope", "--", "b"], "no option --nope"),
            (&["postern-run", "--cwd"], "needs a value"),
            (&["postern-run", "--env", "A", "--", "b"], "NAME=VALUE"),
            (&["postern-run", "--timeout", "0", "--", "b"], "no time"),
            (&["postern-run", "--timeout", "9x", "--", "b"], "no time"),
            (&["postern-run", "--wait", "soon", "--", "b"], "no time"),
            (&["postern-run", "--wait", "9", "--cancel-on-disconnect", "--", "b"], "not both"),
        ];
        for (line, expected) in cases {
            let said = typed(line).expect_err("not something to run");
            assert!(said.contains(expected), "{line:?}: {said}");
        }
    }

    #[test]
    fn help_and_version_are_asked_for_before_the_command_only() {
        assert_eq!(typed(&["postern-run", "-h"]), Ok(Typed::Help));
        assert_eq!(typed(&["postern-run", "--version"]), Ok(Typed::Version));
    }
}
