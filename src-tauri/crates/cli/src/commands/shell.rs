//! `postern completions`, `man` and `help`.

use crate::args::Cli;
use crate::failure::{EXIT_CODES, Failure};
use crate::print;
use clap::CommandFactory as _;

pub(crate) fn completions(shell: clap_complete::Shell) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "postern", &mut text);
    print::raw(String::from_utf8_lossy(&text).trim_end())
}

pub(crate) fn man() -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut text).map_err(Failure::own)?;
    print::raw(String::from_utf8_lossy(&text).trim_end())
}

pub(crate) fn help(topic: &[String]) -> Result<(), Failure> {
    if topic.first().is_some_and(|word| word == "exit-codes") {
        return print::raw(EXIT_CODES.trim_end());
    }
    let mut command = Cli::command();
    command.build();
    for word in topic {
        command = match command.find_subcommand(word) {
            Some(found) => found.clone(),
            None => return Err(Failure::usage(format!("there is no command {word:?}: see postern help"))),
        };
    }
    print::raw(command.render_long_help().to_string().trim_end())
}
