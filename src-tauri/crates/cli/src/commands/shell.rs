//! `postern completions`, `man` and `help`.

use crate::args::Cli;
use crate::failure::Failure;
use crate::{print, topics};
use clap::CommandFactory as _;
use std::path::Path;

pub(crate) fn completions(shell: clap_complete::Shell) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "postern", &mut text);
    print::raw(String::from_utf8_lossy(&text).trim_end())
}

/// Prints the page of a command, or writes the pages of all into a folder.
pub(crate) fn man(command: &[String], all: Option<&Path>) -> Result<(), Failure> {
    let mut root = Cli::command();
    root.build();
    if let Some(folder) = all {
        std::fs::create_dir_all(folder)
            .map_err(|error| Failure::usage(format!("{}: {error}", folder.display())))?;
        return pages(&root, "postern", folder);
    }
    let name =
        std::iter::once("postern").chain(command.iter().map(String::as_str)).collect::<Vec<_>>().join("-");
    print::raw(String::from_utf8_lossy(&page(found(root, command)?, &name)?).trim_end())
}

/// Renders a page under its whole name: `postern-rules-import`.
fn page(command: clap::Command, name: &str) -> Result<Vec<u8>, Failure> {
    let mut text = Vec::new();
    clap_mangen::Man::new(command).title(name.to_uppercase()).render(&mut text).map_err(Failure::own)?;
    Ok(text)
}

fn pages(command: &clap::Command, name: &str, folder: &Path) -> Result<(), Failure> {
    let path = folder.join(format!("{name}.1"));
    let write = |text: Vec<u8>| {
        std::fs::write(&path, text).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
    };
    write(page(command.clone(), name)?)?;
    let mut inner = command.get_subcommands().filter(|inner| inner.get_name() != "help");
    inner.try_for_each(|inner| pages(inner, &format!("{name}-{}", inner.get_name()), folder))
}

fn found(root: clap::Command, topic: &[String]) -> Result<clap::Command, Failure> {
    let mut command = root;
    for word in topic {
        command = match command.find_subcommand(word) {
            Some(found) => found.clone(),
            None => return Err(Failure::usage(format!("there is no command {word:?}: see postern help"))),
        };
    }
    Ok(command)
}

pub(crate) fn help(topic: &[String]) -> Result<(), Failure> {
    if let [word] = topic
        && let Some(text) = topics::text(word)
    {
        return print::raw(text.trim_end());
    }
    let mut root = Cli::command();
    root.build();
    print::raw(found(root, topic)?.render_long_help().to_string().trim_end())
}
