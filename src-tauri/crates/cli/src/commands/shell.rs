//! `postern completions`, `man` and `help`.

use crate::failure::Failure;
use crate::{help, print, topics};
use std::path::Path;

pub(crate) fn completions(shell: clap_complete::Shell) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut help::command(), "postern", &mut text);
    print::write_raw(String::from_utf8_lossy(&text).trim_end())
}

/// Prints the page of a command, or writes the pages of all into a folder.
pub(crate) fn print_manual(command: &[String], all: Option<&Path>) -> Result<(), Failure> {
    let mut root = help::command();
    root.build();
    if let Some(folder) = all {
        std::fs::create_dir_all(folder).map_err(|error| Failure::from_path(folder, &error))?;
        return write_pages(&root, "postern", folder);
    }
    let name =
        std::iter::once("postern").chain(command.iter().map(String::as_str)).collect::<Vec<_>>().join("-");
    print::write_raw(String::from_utf8_lossy(&render_page(find_command(root, command)?, &name)?).trim_end())
}

/// Renders a page under its whole name: `postern-rules-import`.
fn render_page(command: clap::Command, name: &str) -> Result<Vec<u8>, Failure> {
    let mut text = Vec::new();
    clap_mangen::Man::new(command)
        .title(name.to_uppercase())
        .source(format!("postern {}", env!("CARGO_PKG_VERSION")))
        .render(&mut text)
        .map_err(Failure::from_error)?;
    Ok(text)
}

fn write_pages(command: &clap::Command, name: &str, folder: &Path) -> Result<(), Failure> {
    let path = folder.join(format!("{name}.1"));
    std::fs::write(&path, render_page(command.clone(), name)?)
        .map_err(|error| Failure::from_path(&path, &error))?;
    let mut inner = command.get_subcommands().filter(|inner| inner.get_name() != "help");
    inner.try_for_each(|inner| write_pages(inner, &format!("{name}-{}", inner.get_name()), folder))
}

fn find_command(root: clap::Command, topic: &[String]) -> Result<clap::Command, Failure> {
    let mut command = root;
    for (at, word) in topic.iter().enumerate() {
        command = match command.find_subcommand(word) {
            Some(found) => found.clone(),
            None => return Err(unknown_command(&command, topic, at)),
        };
    }
    Ok(command)
}

/// Says that there is no such command below this one, and which was probably meant.
fn unknown_command(command: &clap::Command, topic: &[String], at: usize) -> Failure {
    if topics::TOPICS.contains(&&*topic[0]) {
        return Failure::usage_error(format!("{} is a topic: postern help {0}", topic[0]));
    }
    let typed = topic[..=at].join(" ");
    let names: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
    let near = names.into_iter().min_by_key(|name| distance(name, &topic[at]));
    let meant = near.filter(|name| distance(name, &topic[at]) <= 2).map_or_else(
        || "postern help lists them".to_owned(),
        |name| format!("did you mean {:?}?", [&topic[..at], &[name.to_owned()]].concat().join(" ")),
    );
    Failure::usage_error(format!("there is no command {typed:?}; {meant}"))
}

/// Returns the number of letters that have to be put in, left out or changed to make one word of the other.
fn distance(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.chars().count()).collect();
    for (at, letter) in one.chars().enumerate() {
        let mut before = std::mem::replace(&mut row[0], at + 1);
        for (place, its) in other.chars().enumerate() {
            let changed = before + usize::from(letter != its);
            before = row[place + 1];
            row[place + 1] = changed.min(row[place] + 1).min(before + 1);
        }
    }
    row[other.chars().count()]
}

pub(crate) fn print_help(topic: &[String]) -> Result<(), Failure> {
    if let [word] = topic
        && let Some(text) = topics::topic_text(word)
    {
        return print::write_raw(text.trim_end());
    }
    let mut root = help::command();
    root.build();
    print::write_raw(find_command(root, topic)?.render_long_help().to_string().trim_end())
}

#[cfg(test)]
mod tests {
    use super::{distance, find_command};

    fn said(topic: &[&str]) -> String {
        let topic: Vec<String> = topic.iter().map(|word| (*word).to_owned()).collect();
        let mut root = crate::help::command();
        root.build();
        find_command(root, &topic).unwrap_err().message
    }

    #[test]
    fn a_command_that_is_not_there_is_named_with_the_one_that_was_meant() {
        let got = said(&["rules", "alow"]);
        assert_eq!(got, "there is no command \"rules alow\"; did you mean \"rules allow\"?");
        assert_eq!(said(&["zzzzzz"]), "there is no command \"zzzzzz\"; postern help lists them");
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!((distance("", "ab"), distance("ab", "ab")), (2, 0));
    }

    #[test]
    fn a_topic_has_nothing_below_it() {
        assert_eq!(said(&["patterns", "x"]), "patterns is a topic: postern help patterns");
    }
}
