//! Mistakes on the command line that are better explained by what was meant than by what is missing.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use postern_command::{quote_argv, quote_word};

/// Options of `explain` that stand before its command and take no value; the others take one.
const SWITCHES: [&str; 1] = ["--json"];

/// Returns what is wrong with a command line in words, if there are better ones than the parser's.
pub(crate) fn explain(error: &clap::Error, words: &[String]) -> Option<String> {
    let at = |path: &[&str]| words.windows(path.len()).position(|found| found == path);
    let rest = |path: &[&str]| at(path).map(|at| &words[at + path.len()..]);
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let of_rule =
                ["allow", "deny"].into_iter().find_map(|verb| Some((verb, rest(&["rules", verb])?)));
            match of_rule {
                Some((verb, rest)) => unquoted_rule(verb, rest),
                None => rest(&["explain"]).and_then(without_dashes),
            }
        }
        ErrorKind::MissingRequiredArgument => {
            let missing = missing(error);
            let lacks = |option: &str| missing.iter().any(|name| name.starts_with(option));
            if rest(&["explain"]).is_some() && lacks("--shell") {
                let agent = if lacks("--agent") { "--agent ID, then " } else { "" };
                return Some(format!(
                    "no command: add {agent}-- and a command, --shell TEXT, or --tool NAME"
                ));
            }
            let is_rule = rest(&["rules", "allow"]).or_else(|| rest(&["rules", "deny"])).is_some();
            (is_rule && missing.iter().any(|name| name.contains("PATTERN"))).then(|| {
                "which command? Name it in quotes, such as 'git status *', or files with --read".to_owned()
            })
        }
        ErrorKind::MissingSubcommand => {
            let Some(ContextValue::String(parent)) = error.get(ContextKind::InvalidSubcommand) else {
                return None;
            };
            let path = parent.strip_prefix("postern").unwrap_or_default();
            Some(format!("which command? postern help{path} lists them"))
        }
        _ => None,
    }
}

/// Returns the names of what is missing, as the usage has them.
fn missing(error: &clap::Error) -> Vec<String> {
    match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::Strings(names)) => names.clone(),
        Some(ContextValue::String(name)) => vec![name.clone()],
        _ => Vec::new(),
    }
}

/// Puts the words of a rule's command in quotes; `None` if they are in quotes, so that something else is wrong.
fn unquoted_rule(verb: &str, rest: &[String]) -> Option<String> {
    let root = crate::help::command();
    let rules = root.find_subcommand("rules")?;
    // An option of the other one is a mistake of its own.
    let known: Vec<&str> = ["allow", "deny"]
        .into_iter()
        .filter_map(|verb| rules.find_subcommand(verb))
        .flat_map(clap::Command::get_arguments)
        .filter_map(clap::Arg::get_long)
        .collect();
    let is_option = |word: &str| {
        let name = word.strip_prefix("--").map(|name| name.split('=').next().unwrap_or_default());
        name.is_some_and(|name| known.contains(&name))
    };
    let command: Vec<&String> = rest.iter().take_while(|word| !is_option(word)).collect();
    let options: Vec<&String> = rest.iter().skip(command.len()).collect();
    if command.len() < 2 || command[0].starts_with('-') || command[0].contains(' ') {
        return None;
    }
    let pattern = quote_word(&quote_argv(&command));
    let options = if options.is_empty() { String::new() } else { format!(" {}", quote_argv(&options)) };
    Some(format!("put the command in quotes: postern rules {verb} {pattern}{options}"))
}

/// Puts `--` before the command of `explain`; `None` if it has none.
fn without_dashes(rest: &[String]) -> Option<String> {
    if rest.iter().any(|word| word == "--") {
        return None;
    }
    let mut begins = 0;
    while let Some(word) = rest.get(begins).filter(|word| word.starts_with("--")) {
        let has_value = !word.contains('=') && !SWITCHES.contains(&word.as_str());
        begins += if has_value { 2 } else { 1 };
    }
    let (options, command) = rest.split_at_checked(begins)?;
    if command.is_empty() {
        return None;
    }
    let options = if options.is_empty() { String::new() } else { format!(" {}", quote_argv(options)) };
    Some(format!("put -- before the command: postern explain{options} -- {}", quote_argv(command)))
}

#[cfg(test)]
mod tests {
    use super::explain;

    fn said(line: &str) -> Option<String> {
        let words = postern_command::words_of(line).unwrap();
        let error = crate::help::command().try_get_matches_from(&words).unwrap_err();
        explain(&error, &words)
    }

    #[test]
    fn a_command_without_quotes_is_put_into_them() {
        for row in include_str!("mistakes.jsonl").lines() {
            let (line, expected): (&str, &str) = serde_json::from_str(row).unwrap();
            assert_eq!(said(line).as_deref(), Some(expected), "{line}");
        }
    }

    #[test]
    fn a_missing_command_is_asked_for_by_the_help_that_lists_it() {
        let expected = "which command? postern help lists them";
        assert_eq!(said("postern --data /tmp/x").as_deref(), Some(expected));
    }

    #[test]
    fn other_mistakes_are_the_parsers() {
        for line in [
            "postern rules allow 'git status' --agnet wk", "postern rules alow x",
            "postern rules deny ls --in /tmp --everyone", "postern explain -- ls",
            "postern explain --agent wk --jsn -- ls", "postern status --x",
        ] {
            assert_eq!(said(line), None, "{line}");
        }
    }
}
