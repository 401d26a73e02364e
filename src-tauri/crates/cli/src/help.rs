//! Help of `postern`: its commands by what people want to do, each with examples.

use crate::args::Cli;
use clap::builder::StyledStr;
use clap::builder::styling::Styles;
use clap::{Command, CommandFactory as _};
use std::fmt::Write as _;

/// Commands of `postern help`, by what people want to do.
const GROUPS: [(&str, &[&str]); 7] = [
    ("Answer", &["questions", "approve", "deny", "tui", "pause", "resume"]),
    ("Rules", &["rules", "import", "suggest", "explain", "policy", "skills", "programs"]),
    ("Agents", &["agents", "hook", "mcp", "sessions", "confine"]),
    ("Look Back", &["history", "show", "kill", "audit"]),
    ("Set Up", &["setup", "status", "doctor", "doors", "serve", "uninstall"]),
    ("Fleet", &["fleet"]),
    ("Help", &["help", "man", "completions"]),
];

/// Lines to type, in the order of [`GROUPS`]; a command shows those that begin with its name.
const EXAMPLES: &str = include_str!("examples.txt");

/// Most examples of a command that has commands of its own.
const MOST: usize = 8;

/// Text below the list of commands.
const BELOW: &str = "\
`postern help COMMAND` shows a command with examples. More topics: exit-codes,
patterns, exec-approval, managed. Every command takes --data DIR, or
POSTERN_DATA, for another data folder than the app's own.";

/// Returns the command line with its groups and examples.
pub(crate) fn command() -> Command {
    let command = with_examples(Cli::command(), "postern");
    let groups = groups_text(&command);
    command.help_template(groups).after_help(BELOW)
}

/// Returns the template of the main help, with the commands in groups.
fn groups_text(command: &Command) -> StyledStr {
    let about = |name: &str| {
        command
            .find_subcommand(name)
            .and_then(Command::get_about)
            .map(ToString::to_string)
            .unwrap_or_default()
    };
    let styles = Styles::styled();
    let (heading, name_style) = (styles.get_header(), styles.get_literal());
    let mut text = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    let mut line = |part: std::fmt::Arguments<'_>| {
        // Writing to a String cannot fail.
        let _ = text.write_fmt(part);
    };
    for (group, names) in GROUPS {
        line(format_args!("\n{heading}{group}:{heading:#}\n"));
        for name in names {
            line(format_args!("  {name_style}{name:<11}{name_style:#}  {}\n", about(name)));
        }
    }
    line(format_args!("\n{heading}Options:{heading:#}\n{{options}}{{after-help}}"));
    text.into()
}

/// Adds the examples of a command, and of those below it, to its help.
fn with_examples(command: Command, path: &str) -> Command {
    let mut lines: Vec<&str> = examples_of(path).collect();
    if command.has_subcommands() {
        lines.truncate(MOST);
    }
    let more = command.get_after_help().map(|more| format!("\n\n{more}")).unwrap_or_default();
    let styles = Styles::styled();
    let heading = styles.get_header();
    let text = format!("{heading}Examples:{heading:#}\n  {}{more}", lines.join("\n  "));
    let command = if lines.is_empty() { command } else { command.after_help(text) };
    command.mut_subcommands(|inner| {
        let path = format!("{path} {}", inner.get_name());
        with_examples(inner, &path)
    })
}

/// Returns the examples of a command and of those below it.
fn examples_of(path: &str) -> impl Iterator<Item = &'static str> {
    let is_its = move |line: &&str| {
        line.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    EXAMPLES.lines().filter(|line| !line.is_empty()).filter(is_its)
}

#[cfg(test)]
mod tests {
    use super::{EXAMPLES, GROUPS, command, examples_of};
    use clap::Command;
    use clap::error::ErrorKind;
    use std::collections::BTreeSet;

    /// Columns of a terminal that is not made larger.
    const COLUMNS: usize = 80;

    fn help_of(path: &[&str]) -> String {
        let mut command = command().term_width(COLUMNS);
        command.build();
        let found = path.iter().fold(&mut command, |command, name| {
            command.find_subcommand_mut(name).unwrap_or_else(|| panic!("{name}"))
        });
        found.render_long_help().to_string()
    }

    /// Calls `each` with every command and its path.
    fn walk(command: &Command, path: &str, each: &mut impl FnMut(&Command, &str)) {
        each(command, path);
        for inner in command.get_subcommands() {
            walk(inner, &format!("{path} {}", inner.get_name()), each);
        }
    }

    #[test]
    fn every_command_is_in_one_group_and_has_a_line_of_its_own() {
        let known: BTreeSet<String> =
            command().get_subcommands().map(|inner| inner.get_name().to_owned()).collect();
        let grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        assert_eq!(grouped.len(), known.len(), "none is in two groups");
        assert_eq!(grouped.into_iter().map(str::to_owned).collect::<BTreeSet<_>>(), known);
        let help = help_of(&[]);
        for (group, names) in GROUPS {
            assert!(help.contains(&format!("\n{group}:\n  {}", names[0])), "{group}: {help}");
        }
        let long = help.lines().find(|line| line.chars().count() > COLUMNS);
        assert_eq!(long, None, "every line fits, and none of the list is wrapped");
    }

    #[test]
    fn the_data_folder_is_named_once_and_taken_everywhere() {
        assert_eq!(help_of(&[]).matches("--data").count(), 1, "{}", help_of(&[]));
        for path in [&["status"][..], &["rules"], &["rules", "allow"], &["fleet", "policy", "publish"]] {
            assert!(!help_of(path).contains("--data"), "{path:?}");
        }
        for line in ["--data /tmp status", "status --data /tmp", "rules list --data /tmp"] {
            let argv = std::iter::once("postern").chain(line.split(' '));
            assert!(command().try_get_matches_from(argv).is_ok(), "{line}");
        }
    }

    #[test]
    fn every_command_has_examples_that_it_takes() {
        walk(&command(), "postern", &mut |command, path| {
            if command.is_hide_set() {
                return;
            }
            assert!(examples_of(path).next().is_some(), "{path} has no example");
            let help = command.clone().render_long_help().to_string();
            let got = help.matches("\nExamples:\n").count();
            assert_eq!(got, usize::from(path != "postern"), "{path}: {help}");
        });
        for line in EXAMPLES.lines().filter(|line| !line.is_empty()) {
            let typed = line.split(" > ").next().and_then(|line| line.split(" | ").next());
            let typed = typed.unwrap_or_default();
            let argv = postern_command::words_of(typed).unwrap();
            let error = command().try_get_matches_from(argv).err();
            let wrong = error.filter(|error| error.kind() != ErrorKind::DisplayHelp);
            assert!(wrong.is_none(), "{line}: {}", wrong.unwrap());
        }
    }

    #[test]
    fn what_a_command_adds_to_its_help_stays_below_the_examples() {
        let help = help_of(&["confine"]);
        let places =
            ["Options:", "Examples:\n  postern confine look", "Ends with the command's own exit code"]
                .map(|part| help.find(part).unwrap_or_else(|| panic!("{part}: {help}")));
        assert!(places.is_sorted(), "{help}");
    }
}
