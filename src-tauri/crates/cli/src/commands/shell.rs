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
        std::fs::create_dir_all(folder)
            .map_err(|error| Failure::usage_error(format!("{}: {error}", folder.display())))?;
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
        .render(&mut text)
        .map_err(Failure::from_error)?;
    Ok(text)
}

fn write_pages(command: &clap::Command, name: &str, folder: &Path) -> Result<(), Failure> {
    let path = folder.join(format!("{name}.1"));
    let write = |text: Vec<u8>| {
        std::fs::write(&path, text)
            .map_err(|error| Failure::usage_error(format!("{}: {error}", path.display())))
    };
    write(render_page(command.clone(), name)?)?;
    let mut inner = command.get_subcommands().filter(|inner| inner.get_name() != "help");
    inner.try_for_each(|inner| write_pages(inner, &format!("{name}-{}", inner.get_name()), folder))
}

fn find_command(root: clap::Command, topic: &[String]) -> Result<clap::Command, Failure> {
    let mut command = root;
    for word in topic {
        command = match command.find_subcommand(word) {
            Some(found) => found.clone(),
            None => {
                return Err(Failure::usage_error(format!("there is no command {word:?}: see postern help")));
            }
        };
    }
    Ok(command)
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
