//! Heuristics for options without an entry in a file, by the words of their name.
//!
//! Programs have more options than a file can hold, and new ones every year.

use super::has_word;
use crate::call::CommandCall;
use crate::invocation::{GivenOption, Invocation};
use crate::peel::guess;
use crate::programs::patterns::{NO_FILE, leads_outside};
use crate::{ArgEffect, UnsafeArg};

/// A part of a name that says: this is where something is written, or which folder is worked in.
const PLACES: &str = "out output outfile outdir outputs dest destination dir directory dirs folder path \
    logfile root prefix target cwd chdir workdir workspace project config conf home tmpdir tempdir results \
    basetemp outputdir rootdir cachedir installdir builddir tempfile manifest settings rcfile toolset \
    toolchain untardir yaml";

/// Parts of a name that may also be meant literally: only a value in the same word counts (`--trace=/x`).
const FORMS: &str = "log logs report reports save dump export trace profile cache store json xml html \
    sarif junit coverage graph write download backup snapshot record header tables compile emit fdump";

/// A part of a name that says: this is a program, or code.
const PROGRAMS: &str = "exec execute command cmd hook hooks wrapper runner launcher executable interpreter \
    preload load loader plugin plugins extension extensions middleware middlewares pipe script scripts trust \
    eval evaluate helper compiler pager";

/// Beginnings of a name that switch the rest of it off, or only print.
const HARMLESS: &str = "no ignore skip disable without list show print dry";

/// Returns the unsafe arguments that the options of a call are by their names.
pub(super) fn find_by_name(call: &CommandCall, read: &Invocation<'_>) -> Vec<UnsafeArg> {
    // `-o json=/x` is told by what stands behind `=`, also where the table has a row for `-o`.
    let listed = |given: &&GivenOption<'_>| {
        !given.is_listed() && (given.name == "-o" || !read.program.has_effect_of(&given.name))
    };
    read.options.iter().filter(listed).filter_map(|given| check_option(call, read, given)).collect()
}

fn check_option(call: &CommandCall, read: &Invocation<'_>, given: &GivenOption<'_>) -> Option<UnsafeArg> {
    let value = read.value_or_start(given);
    if given.name == "-o" {
        let own = read.beginning(given.at).is_some_and(|word| word.starts_with("-o"));
        return (own && value.is_some_and(|value| outside(value, call))).then(|| outside_arg(given.at));
    }
    if given.name.chars().count() < 4 {
        return None;
    }
    let parts = name_parts(&given.name);
    if parts.first().is_some_and(|first| has_word(HARMLESS, first)) {
        return None;
    }
    let says = |words: &str| parts.iter().any(|part| has_word(words, part));
    if says(PROGRAMS) {
        let note = "an option that names a program or code, by its name";
        let behind = guess::behind(call, given.at.max(1));
        return Some(UnsafeArg::from_note(given.at, ArgEffect::Runs, note).with_candidates(behind));
    }
    let value = value?;
    let leads = (says(PLACES) || given.value_at == given.at && says(FORMS)) && outside(value, call)
        || says("file") && outside(value, call) && !super::files::is_temporary(value);
    leads.then(|| outside_arg(given.at))
}

fn outside_arg(argument: usize) -> UnsafeArg {
    let note = "an option that leads out of the working directory, by its name";
    UnsafeArg::from_note(argument, ArgEffect::Outside, note)
}

/// Returns true if a part of the value leads out of the working directory: `/x`, `json=/x`, `html:../x`. An
/// address does not.
fn outside(value: &str, call: &CommandCall) -> bool {
    !value.contains("://")
        && value
            .split(['=', ':', ',', '@'])
            .any(|part| !NO_FILE.contains(&part) && leads_outside(part, &call.dir))
}

/// Returns the words of a name: `--json-report-file`, `-derivedDataPath`, `--output_user_root`.
fn name_parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    for letter in name.chars() {
        let begins = letter.is_ascii_uppercase()
            && parts.last().is_some_and(|part| part.ends_with(|c: char| c.is_ascii_lowercase()));
        if matches!(letter, '-' | '_' | '.' | ':') || begins {
            parts.push(String::new());
        }
        if letter.is_ascii_alphanumeric()
            && let Some(last) = parts.last_mut()
        {
            last.push(letter.to_ascii_lowercase());
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::name_parts;

    #[test]
    fn a_name_is_split_into_its_words() {
        assert_eq!(name_parts("--json-report-file"), ["json", "report", "file"]);
        assert_eq!(name_parts("-derivedDataPath"), ["derived", "data", "path"]);
        assert_eq!(name_parts("--output_user_root"), ["output", "user", "root"]);
        assert_eq!(name_parts("--outputFile.json"), ["output", "file", "json"]);
    }
}
