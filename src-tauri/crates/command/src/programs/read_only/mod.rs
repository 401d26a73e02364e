//! Commands that only read: what *auto-allow read-only commands* lets through, where no argument is unsafe.

mod git;
mod shapes;

use std::borrow::Cow;

use postern_programs::{ArgumentCheck, ReadCheck};

use super::table::{self, Name, Trait};
use super::{ProgramClass, class_of, family_of, known_name};
use crate::call::{Arg, CommandCall};
use crate::invocation::verb_indexes;

/// Returns true if it is a program that reads with any arguments.
pub(super) fn is_program(known: &Name) -> bool {
    known.has_trait(Trait::ReadsAlways) || known.has_trait(Trait::ReadsAnyway)
}

/// Returns true if a command only reads, by its name and subcommand. The caller also looks at the step's
/// unsafe arguments: a command with one is not read-only.
pub fn is_read_only(argv: &[&str]) -> bool {
    let Some(program) = argv.first() else { return false };
    let Some(known) = known_name(program) else { return false };
    let check = known.program.reads.check;
    if is_program(known) && !check.is_some_and(|check| shapes::writes(check, argv)) {
        return true;
    }
    has_form(known, argv)
        || check.is_some_and(|check| shapes::only_reads(check, argv))
        || has_reading_subcommand(known, argv)
}

/// Returns true for a command that only reads with any values of its unknown words.
///
/// No word may be unsafe.
pub fn is_read_only_anyway(words: &[Option<&str>]) -> bool {
    let known: Option<Vec<&str>> = words.iter().copied().collect();
    if let Some(argv) = known {
        return is_read_only(&argv);
    }
    let known = words.first().copied().flatten().and_then(known_name);
    let Some(known) = known else { return false };
    if known.has_trait(Trait::ReadsAnyway) {
        return true;
    }
    // What could be an option that does more would be unsafe: these are operands.
    let operands: Vec<&str> = words.iter().map(|word| word.unwrap_or("operand")).collect();
    // A program of jq's that is not known could print the environment.
    let tells = known.program.check != Some(ArgumentCheck::Jq) || shapes::names_program(words);
    known.has_trait(Trait::ReadsOperands) && tells && is_read_only(&operands)
        || known.program.reads.check == Some(ReadCheck::Git) && has_command(known, &operands)
}

/// Returns true if a call only reads, so that no script among its words runs (`bash -n x.sh`, `node --check x.js`).
pub(crate) fn runs_no_script(call: &CommandCall) -> bool {
    let words: Vec<Option<&str>> = call.args.iter().map(Arg::known_value).collect();
    is_read_only_anyway(&words)
}

/// Returns true if the program asks a network service or a socket, which sends its arguments.
pub fn asks_others(words: &[Option<&str>]) -> bool {
    let Some(name) = words.first().copied().flatten() else { return false };
    if let [_, Some("--version" | "-v")] = words {
        return false;
    }
    let asks = known_name(name).is_some_and(|known| {
        let by = known.program.reads.asks;
        let command = || {
            let argv: Vec<&str> = words.iter().map(|word| word.unwrap_or("operand")).collect();
            verb_index(known, &argv).and_then(|at| argv.get(at).copied())
        };
        by == ["*"] || !by.is_empty() && command().is_some_and(|command| by.contains(&command))
    });
    asks || words.iter().flatten().any(|word| ASKING_OPTIONS.contains(word))
}

/// Returns true if it does the same in every folder, but for what it is given to read: it has no
/// configuration there.
pub fn reads_alike_everywhere(argv: &[&str]) -> bool {
    let known = argv.first().and_then(|name| known_name(name));
    known.is_some_and(|known| is_program(known) || is_awk(known)) && is_read_only(argv)
}

/// Returns true if this program, which may run others, only reads because of how it is called.
///
/// `awk '{ print $1 }'`, `node --version`, under any names it was found by.
pub fn is_reading_carrier(invoked: &str, found: &[&str]) -> bool {
    fn kind(name: &str) -> Cow<'_, str> {
        let name = family_of(name);
        if table::find_name(&name).is_some_and(is_awk) { "awk".into() } else { name }
    }
    let invoked = kind(invoked);
    found.iter().all(|name| class_of(name) == ProgramClass::Ordinary || kind(name) == invoked)
}

/// Returns true if each further operand of the program is one more file that it reads, wherever its options
/// end: awk.
pub fn reads_any_files(program: &str) -> bool {
    known_name(program).is_some_and(is_awk)
}

fn is_awk(known: &Name) -> bool {
    known.program.reads.check == Some(ReadCheck::Awk)
}

/// Options that make a listing ask a registry.
const ASKING_OPTIONS: [&str; 2] = ["--outdated", "--uptodate"];

fn has_reading_subcommand(known: &Name, argv: &[&str]) -> bool {
    let check = known.program.reads.check;
    let own = || {
        let at = verb_index(known, argv);
        check == Some(ReadCheck::Git) && at.is_some_and(|at| git::only_lists(argv, at))
    };
    (has_command(known, argv) || own())
        && !check.is_some_and(|check| shapes::does_more(check, verb_index(known, argv), argv))
}

/// Returns true if the command is one that reads, alone or with the word behind it (`config.get`).
fn has_command(known: &Name, argv: &[&str]) -> bool {
    let commands = known.program.reads.commands;
    if commands.is_empty() {
        return false;
    }
    let Some(at) = verb_index(known, argv) else { return false };
    let (Some(first), second) = (argv.get(at), argv.get(at + 1)) else { return false };
    commands.iter().any(|command| match command.split_once('.') {
        None => command == first,
        Some((noun, verb)) => noun == *first && second.is_some_and(|second| verb == *second),
    })
}

/// Returns true if the words are one of the forms, one by one.
fn has_form(known: &Name, argv: &[&str]) -> bool {
    known.program.reads.forms.iter().any(|form| {
        let (names, form) = form.split_once(' ').unwrap_or((form, ""));
        if !names.split('|').any(|name| name == known.word) {
            return false;
        }
        let mut words = argv.iter().skip(1);
        for part in form.split(' ').filter(|part| !part.is_empty()) {
            match part {
                "*" => return words.all(|word| is_operand(word)),
                "_" if words.next().is_some_and(|word| is_operand(word)) => {}
                _ if words.next().is_some_and(|word| part.split('|').any(|one| one == *word)) => {}
                _ => return false,
            }
        }
        words.next().is_none()
    })
}

fn verb_index(known: &Name, argv: &[&str]) -> Option<usize> {
    verb_indexes(known.program, argv).first().copied()
}

fn is_operand(word: &str) -> bool {
    !word.is_empty() && !word.starts_with('-') && !word.contains("://")
}

#[cfg(test)]
mod tests {
    use super::{asks_others, is_read_only, is_read_only_anyway, is_reading_carrier};
    use crate::words_of;

    fn reads(line: &str) -> bool {
        let words = words_of(line).unwrap();
        is_read_only(&words.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn asks(line: &str) -> bool {
        let words = words_of(line).unwrap();
        asks_others(&words.iter().map(|word| Some(word.as_str())).collect::<Vec<_>>())
    }

    /// Reads `?` as a word that is only known when the command runs.
    fn reads_anyway(line: &str) -> bool {
        let words = line.split_whitespace().map(|word| (word != "?").then_some(word));
        is_read_only_anyway(&words.collect::<Vec<_>>())
    }

    #[test]
    fn reading() {
        for line in crate::tests::rows::<String>(include_str!("reading.jsonl")) {
            assert!(reads(&line), "{line}");
        }
    }

    #[test]
    fn writing() {
        for line in crate::tests::rows::<String>(include_str!("writing.jsonl")) {
            assert!(!reads(&line), "{line}");
        }
    }

    #[test]
    fn reading_only_by_whole_lines() {
        for line in [
            "eza -la --git src", "figlet -f slant a", "ip -br link show", "ip -brief addr show dev eth0",
            "lsusb -t", "lspci -nnk", "modinfo ext4", "pkg-config --libs zlib", "rospack find roscpp",
            "black --version", "bash -n x.sh", "node --check x.js", "php -l x.php", "brew --prefix",
            "pacman -Qs udev",
        ] {
            assert!(reads(line), "{line}");
        }
        for line in [
            "lsd", "ip -br link set x up", "lsusb -D /dev/bus/usb/001/001", "lspci -q", "lspci -H1",
            "modinfo -b x ext4", "arp -a", "pkgconf --log-file=x --libs zlib",
            "rospack plugins --attrib=plugin nav_core", "black --version -q", "pytest --version",
            "flake8 --version", "bash x.sh", "bash -n x.sh y", "bash -nc ls", "node --check -",
            "ruby -c x.rb", "ruby -v x.rb", "php -l -S", "brew --prefix x.rb", "pacman -Qp x.pkg.tar.zst",
            "pacman -Qs https://e.example/x",
        ] {
            assert!(!reads(line), "{line}");
        }
    }

    #[test]
    fn asking_others() {
        for line in [
            "npm view x", "npm outdated", "go list -m x@latest", "go mod why x", "gh pr view 1",
            "kubectl get pods", "docker ps", "pip list --outdated", "brew info jq",
        ] {
            assert!(asks(line), "{line}");
        }
        for line in ["npm ls", "go version", "gh --version", "pip list", "git log", ""] {
            assert!(!asks(line), "{line}");
        }
    }

    #[test]
    fn a_carrier_reads_only_under_names_of_its_own_kind() {
        assert!(is_reading_carrier("awk", &["awk", "/usr/bin/awk", "/usr/bin/mawk"]));
        assert!(is_reading_carrier("python3", &["python3", "/opt/bin/python3", "/opt/bin/python3.12"]));
        assert!(!is_reading_carrier("awk", &["awk", "/usr/bin/awk", "/bin/bash"]));
        assert!(!is_reading_carrier("ls", &["ls", "/bin/ls", "/bin/busybox"]));
    }

    #[test]
    fn what_is_only_known_when_it_runs_changes_nothing_about_a_few() {
        for line in
            ["wc -l ?", "ls ?", "sed -n 1,5p ?", "figlet -f ? x", "jq -r .a ?", "bash -n ?", "node --check ?"]
        {
            assert!(reads_anyway(line), "{line}");
        }
        for line in [
            "uniq ?", "date ?", "hostname ?", "git branch ?", "jq ?", "jq -r ? f", "jq --arg a 1 ?",
            "bash ?", "node ?", "? x", "",
        ] {
            assert!(!reads_anyway(line), "{line}");
        }
    }
}
