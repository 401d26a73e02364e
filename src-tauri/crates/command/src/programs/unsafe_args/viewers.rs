//! Programs that show what a file holds, and the arguments by which they do more.

use super::FoundArg;
use crate::ArgEffect;
use crate::invocation::{GivenOption, Invocation};

/// Finds `plutil -convert` and `-extract`, which write into the file, unless `-o -` makes them print; a raw
/// value is printed. plutil(1)
pub(super) fn converts_in_place(read: &Invocation<'_>) -> FoundArg {
    let raw = |at: usize| read.word_at(at + 2) == Some("raw");
    let writes =
        |given: &&GivenOption<'_>| given.name == "-convert" || given.name == "-extract" && !raw(given.at);
    let converts = read.options.iter().find(writes)?;
    let mut targets = read.options.iter().filter(|given| given.name == "-o");
    let prints = targets.next().is_some_and(|given| given.value == Some("-"));
    (!prints).then_some((converts.at, ArgEffect::Writes, "writes into the file"))
}

/// Finds `codesign -d -r FILE`, which writes there what a signature demands; `-r-` prints it. codesign(1)
pub(super) fn writes_requirements(read: &Invocation<'_>) -> FoundArg {
    let names = |name: &str| name == "-r" || name.starts_with("--req");
    let to = read.options.iter().find(|given| names(&given.name) && given.value != Some("-"))?;
    Some((to.at, ArgEffect::Writes, "writes a file"))
}

/// Finds `openssl x509` that does more than show the certificate of a file: it also signs.
///
/// The address of a key may load an engine. openssl-x509(1)
pub(super) fn more_than_shows_a_certificate(read: &Invocation<'_>) -> FoundArg {
    const SHOWS: [&str; 20] = [
        "-noout", "-text", "-subject", "-issuer", "-dates", "-startdate", "-enddate", "-serial",
        "-fingerprint", "-sha1", "-sha256", "-email", "-purpose", "-pubkey", "-modulus", "-hash",
        "-subject_hash", "-issuer_hash", "-alias", "-ocsp_uri",
    ];
    const TAKE: [&str; 6] = ["-in", "-inform", "-nameopt", "-certopt", "-ext", "-checkend"];
    let plain = |word: &str| {
        word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_./~,-".contains(&byte))
            && !word.starts_with('-')
    };
    let what = "does more than show a certificate";
    let mut at = read.find_verb("x509")?.0 + 1;
    while at < read.args.len() {
        at += match read.word_at(at) {
            Some(word) if SHOWS.contains(&word) => 1,
            Some(word) if TAKE.contains(&word) && read.word_at(at + 1).is_some_and(plain) => 2,
            _ => return Some((at, ArgEffect::Loads, what)),
        };
    }
    None
}

/// Returns true if a program of jq's holds `env` or `$ENV`, which are the environment, or reads a module; `.env` is a field.
pub(super) fn names_environment(program: &str) -> bool {
    const READ: [&str; 4] = ["env", "ENV", "include", "import"];
    let is_field = |at: usize| {
        let before = program.get(..at).unwrap_or_default();
        before.strip_suffix('.').is_some_and(|rest| !rest.ends_with(|c: char| c == '.' || c.is_ascii_digit()))
    };
    let mut at = 0;
    program.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| {
        let start = at;
        // What parts words is one character of its own length.
        at += word.len()
            + program.get(at + word.len()..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        READ.contains(&word) && !is_field(start)
    })
}

/// Finds programs of jq(1) that tell of the environment.
pub(super) fn reads_environment(read: &Invocation<'_>) -> FoundArg {
    // The program is the first word that is no value of these; the others are files.
    let names_value = |given: &GivenOption<'_>, at: usize| {
        matches!(&*given.name, "--arg" | "--argjson" | "--rawfile" | "--slurpfile")
            && (given.at + 1..=given.at + 2).contains(&at)
    };
    let is_value = |at: usize| read.options.iter().any(|given| names_value(given, at));
    let program = read.operands.iter().copied().find(|at| !is_value(*at));
    let is_path = |text: &str| {
        text.contains('/')
            && !text.contains("//")
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-/".contains(&byte))
    };
    let reads = read.operands.iter().copied().find(|at| {
        let is_program = program == Some(*at);
        read.word_at(*at).is_some_and(|text| (is_program || !is_path(text)) && names_environment(text))
    });
    reads.map(|at| (at, ArgEffect::Secrets, "reads the environment"))
}
