//! `postern programs …`: what is known about programs. Needs no host.

use std::path::Path;

use postern_command::escape::visible_text as escaped;
use postern_command::{
    KnownProgram, ProgramFile, check_examples, known_program, known_programs, set_own_programs,
};
use postern_host::programs_folder;
use serde::Serialize;

use crate::failure::Failure;
use crate::print;
use crate::rule_args::Programs;
use crate::shared_args::JsonOutput;

/// The document of `programs check --json`.
#[derive(Debug, Serialize)]
struct CheckReport {
    ok: bool,
    problems: Vec<String>,
}

pub(crate) fn run(data: &Path, command: Programs) -> Result<(), Failure> {
    match command {
        Programs::Check { file, json } => check_file(data, &file, json),
        Programs::Show { name, json } => {
            load_own_programs(data);
            show_program(&name, json)
        }
        Programs::List { json } => {
            load_own_programs(data);
            list_programs(json)
        }
    }
}

/// Takes over what the person's own files say.
fn load_own_programs(data: &Path) {
    set_own_programs(postern_host::own_programs(data).into_values().filter_map(Result::ok).collect());
}

/// Checks a file; one in the folder of people's own files may say less.
fn check_file(data: &Path, path: &Path, json: JsonOutput) -> Result<(), Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| Failure::from_path(path, &error))?;
    let real = |folder: &Path| std::fs::canonicalize(folder).ok();
    let own = path.parent().and_then(real).is_some_and(|folder| real(&programs_folder(data)) == Some(folder));
    let read = if own { ProgramFile::parse_own(&text) } else { ProgramFile::parse(&text) };
    let problems: Vec<String> = match read {
        Err(error) => vec![error.to_string()],
        Ok(file) => {
            let (file, relatives) = file.with_relatives(&files_in(path.parent()));
            set_own_programs(vec![file.clone()]);
            check_examples(&file, &relatives).iter().map(ToString::to_string).collect()
        }
    };
    let report = CheckReport { ok: problems.is_empty(), problems };
    if json.json {
        print::write_json(&report)?;
    } else {
        for line in report.problems.iter().flat_map(|problem| problem.lines()) {
            print::write_line(escaped(line))?;
        }
        if report.ok {
            print::write_line("The file is right, and its examples show what they say.")?;
        }
    }
    if report.ok { Ok(()) } else { Err(Failure::negative("")) }
}

/// Returns the files about programs in a folder, without those that are none.
fn files_in(folder: Option<&Path>) -> Vec<ProgramFile> {
    let entries = folder.and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten();
    let texts = entries.filter_map(|entry| std::fs::read_to_string(entry.ok()?.path()).ok());
    texts.filter_map(|text| ProgramFile::parse(&text).ok()).collect()
}

fn show_program(name: &str, json: JsonOutput) -> Result<(), Failure> {
    let known = known_program(name);
    if known.is_empty() {
        let hint = "describe it in a file: docs/PROGRAMS.md";
        return Err(Failure::negative(format!("nothing is known about {}; {hint}", escaped(name))));
    }
    if json.json {
        return print::write_json(&known);
    }
    known.iter().flat_map(program_lines).try_for_each(print::write_line)
}

fn program_lines(known: &KnownProgram) -> Vec<String> {
    let from = if known.own { "described by you" } else { "built in" };
    let mut lines = vec![format!("{}: {}{from}", known.names.join(", "), kind_words(known))];
    let mut say = |what: &str, text: String| {
        if !text.is_empty() {
            lines.push(format!("  {what}: {text}"));
        }
    };
    say("options before the command", known.options_before.unwrap_or_default().to_owned());
    say("options", known.options.to_owned());
    let words = known.words.iter().map(|(word, words)| format!("{word} {words}"));
    say("words that name the action", words.collect::<Vec<_>>().join(", "));
    let aliases =
        known.aliases.iter().map(|(plain, others)| format!("{plain} is {}", others.replace(' ', ", ")));
    say("other names", aliases.collect::<Vec<_>>().join("; "));
    say(
        "only reads",
        if known.reads.always { "always, unless an effect is listed".to_owned() } else { String::new() },
    );
    say("commands that read", known.reads.commands.join(" "));
    say("lines that read", known.reads.forms.join("; "));
    say("checked in code", known.check.map(|check| print::json_word(&check)).unwrap_or_default());
    say("documented in", known.source.unwrap_or_default().to_owned());
    for effect in &known.effects {
        let unless =
            if effect.unless.is_empty() { String::new() } else { format!(", not {}", effect.unless) };
        lines.push(format!("  {:<18} {}{unless}", print::json_word(&effect.does), effect.when));
        let about = [effect.says, effect.source].into_iter().filter(|text| !text.is_empty());
        lines.extend(about.map(|text| format!("                     {text}")));
    }
    lines.iter().map(|line| escaped(line)).collect()
}

fn list_programs(json: JsonOutput) -> Result<(), Failure> {
    let mut all = known_programs();
    all.sort_by(|one, other| one.names.first().cmp(&other.names.first()));
    if json.json {
        return print::write_json(&all);
    }
    for known in &all {
        let from = if known.own { ", described by you" } else { "" };
        let effects = print::counted(known.effects.len(), "effect", "effects");
        let names = escaped(&known.names.join(" "));
        print::write_hanging(&format!("{names}: {}{effects}{from}", kind_words(known)), 2)?;
    }
    Ok(())
}

/// Returns the kind of a program that runs others, in front of what follows.
fn kind_words(known: &KnownProgram) -> String {
    match print::json_word(&known.kind) {
        kind if kind == "ordinary" => String::new(),
        kind => format!("{kind}, "),
    }
}
