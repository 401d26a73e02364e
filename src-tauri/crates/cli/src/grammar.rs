//! Parses every command line of `postern` in the pages and scripts with the program's own parser.

use crate::args::Cli;
use clap::CommandFactory as _;
use clap::error::ErrorKind;
use std::fs;
use std::path::{Path, PathBuf};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

fn list_files(folder: &str, kind: Option<&str>) -> Vec<PathBuf> {
    let entries = fs::read_dir(repository().join(folder)).unwrap().map(|entry| entry.unwrap().path());
    entries
        .filter(|path| {
            path.is_file() && path.extension().is_none_or(|ext| kind.is_some_and(|kind| kind == ext))
        })
        .collect()
}

/// Returns the commands in a page's code blocks, without remarks.
fn of_page(text: &str) -> Vec<String> {
    let blocks = text.split("\n```").skip(1).step_by(2);
    let lines = blocks.flat_map(str::lines).map(|line| line.trim().trim_start_matches("$ "));
    let typed = lines.filter_map(|line| line.strip_prefix("postern "));
    typed.map(|line| cut_line(line, &["  ", " #", " >"])).collect()
}

/// Returns the commands that a script runs or prints, without further shell syntax.
fn of_script(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    let typed = |line: &str| {
        let parts: Vec<String> = line.split("postern ").skip(1).map(str::to_owned).collect();
        let before: Vec<char> =
            line.split("postern ").map(|part| part.chars().next_back().unwrap_or(' ')).collect();
        parts
            .into_iter()
            .zip(before)
            .filter(|(_, before)| " /(".contains(*before))
            .map(|(part, _)| part)
            .collect()
    };
    let all = lines.flat_map(|line: &str| -> Vec<String> { typed(line) });
    let word =
        |line: &String| line.starts_with(|c: char| c.is_ascii_lowercase()) && !line.starts_with("and ");
    let commands = all.filter(word);
    commands.map(|line| cut_line(&line, &["  ", " >", " 2>", " |", " ||", ";", ")"])).collect()
}

fn cut_line(line: &str, ends: &[&str]) -> String {
    let end = ends.iter().filter_map(|end| line.find(end)).min().unwrap_or(line.len());
    line[..end].trim().to_owned()
}

/// Returns the words of a line, with values for variables and doors, and with optional parts.
fn line_words(line: &str) -> Vec<String> {
    let quoted = line.matches('"').count() % 2 == 1;
    let whole = if quoted { line.trim_end_matches('"') } else { line };
    let plain = whole.replace(['$', '[', ']'], "").replace(" DOOR", " websocket");
    postern_command::words_of(&plain).unwrap_or_else(|_| panic!("{line} has no words"))
}

#[test]
fn every_line_of_the_pages_and_scripts_is_one_that_postern_takes() {
    let mut typed = Vec::new();
    for page in [
        list_files("docs", Some("md")),
        vec![repository().join("README.md"), repository().join("CONTRIBUTING.md")],
    ]
    .concat()
    {
        let lines = of_page(&fs::read_to_string(&page).unwrap());
        typed.extend(lines.into_iter().map(|line| (page.clone(), line)));
    }
    for script in list_files("scripts", Some("sh")) {
        let lines = of_script(&fs::read_to_string(&script).unwrap());
        typed.extend(lines.into_iter().map(|line| (script.clone(), line)));
    }
    assert!(typed.len() > 70, "only {} lines were found", typed.len());
    let profile = typed.iter().any(|(path, line)| path.ends_with("run") && line.contains("--profile"));
    assert!(profile, "what the script needs on a Mac is looked at");
    let wrong = |(path, line): &(PathBuf, String)| {
        let argv = std::iter::once("postern".to_owned()).chain(line_words(line));
        let error = Cli::command().try_get_matches_from(argv).err()?;
        let fine = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
        (!fine).then(|| format!("{}: postern {line}\n{error}", path.display()))
    };
    let wrong: Vec<String> = typed.iter().filter_map(wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
