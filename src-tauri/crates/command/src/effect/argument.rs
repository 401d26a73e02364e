//! Effects of unsafe arguments, where no file says them better.

use super::grave::label_of;
use super::{CommandEffect, EffectScope, FoundEffect, Reversible, UnknownEffectReason};
use crate::programs::{family, family_of};
use crate::{ArgEffect, ArgFact, Step, UnsafeArg, Word};

/// Returns what an unsafe argument does.
#[expect(clippy::too_many_lines, reason = "one line for each kind of unsafe argument")]
pub(super) fn of_argument(unsafe_arg: &UnsafeArg, word: &str, step: &Step) -> FoundEffect {
    use Reversible::{No, Unknown};
    let value = || word.split_once('=').map(|(_, value)| value.to_owned()).or_else(|| Some(word.to_owned()));
    let path = || {
        let path = path_of(unsafe_arg, word, step).filter(|path| !is_web_address(path));
        path.map(str::to_owned).into_iter().collect::<Vec<_>>()
    };
    let label = || Some(label_of(&step.known_words())).filter(|label| !label.is_empty());
    let unknown = || {
        (
            CommandEffect::Unknown { why: UnknownEffectReason::Argument(unsafe_arg.fact().clone()) },
            Some(EffectScope::Machine),
            Unknown,
        )
    };
    match unsafe_arg.effect {
        ArgEffect::Writes | ArgEffect::Plants | ArgEffect::Outside => {
            (CommandEffect::Write { paths: path() }, None, Unknown)
        }
        ArgEffect::Deletes => {
            (CommandEffect::Delete { paths: path(), recursive: true, found: false }, None, No)
        }
        ArgEffect::Reads => (CommandEffect::Read { paths: path() }, None, Reversible::Yes),
        ArgEffect::NamedCode => {
            let named = matches!(unsafe_arg.fact(), ArgFact::Mark { .. });
            (
                CommandEffect::RunProjectCode {
                    what: "the module".into(),
                    name: value().filter(|_| named),
                    folder: None,
                },
                Some(EffectScope::Inside),
                Unknown,
            )
        }
        // No word of it is code: the program itself runs some.
        ArgEffect::Shell | ArgEffect::Code if unsafe_arg.argument == 0 => {
            let name = step.program().map(str::to_owned);
            let effect = CommandEffect::RunProjectCode { what: "code through".into(), name, folder: None };
            (effect, Some(EffectScope::Inside), Unknown)
        }
        ArgEffect::Shell | ArgEffect::Code => {
            let language = step.program().map(family).unwrap_or_default();
            (CommandEffect::RunInlineCode { language }, Some(EffectScope::Inside), Unknown)
        }
        ArgEffect::Fetches => (
            CommandEffect::RunDownloadedCode {
                package: value().filter(|_| names_package(unsafe_arg, word, step)),
                host: None,
            },
            Some(EffectScope::Remote),
            Unknown,
        ),
        ArgEffect::Remote => (
            CommandEffect::RunElsewhere { place: "through".into(), name: step.program().map(str::to_owned) },
            Some(EffectScope::Remote),
            Unknown,
        ),
        ArgEffect::Sends => (
            CommandEffect::Send { what: "send data".into(), to: Vec::new(), branch: None },
            Some(EffectScope::Remote),
            Unknown,
        ),
        ArgEffect::Secrets => (
            CommandEffect::UseSecret { how: "use passwords or keys through".into(), which: label() },
            Some(EffectScope::Inside),
            Unknown,
        ),
        ArgEffect::Serves => (
            CommandEffect::Serve { what: "open a port".into(), port: None },
            Some(EffectScope::Machine),
            Unknown,
        ),
        ArgEffect::Elevates => {
            let change = "let a file run with its owner’s rights:".into();
            let names = files_of_mode(step, unsafe_arg.argument);
            (CommandEffect::ChangeSystem { change, names }, Some(EffectScope::Machine), Unknown)
        }
        ArgEffect::Changes => {
            let names = label().into_iter().collect();
            (
                CommandEffect::ChangeSystem { change: "change settings through".into(), names },
                Some(EffectScope::Machine),
                Reversible::Yes,
            )
        }
        ArgEffect::Runs
        | ArgEffect::Loads
        | ArgEffect::Config
        | ArgEffect::Folder
        | ArgEffect::Opens
        | ArgEffect::Unlisted
        | ArgEffect::Pattern
        | ArgEffect::RunTime => unknown(),
    }
}

/// Returns the path that an unsafe argument names: the word itself, or the value of the option.
pub(super) fn path_of<'a>(unsafe_arg: &UnsafeArg, word: &'a str, step: &'a Step) -> Option<&'a str> {
    let next = step.argv.get(unsafe_arg.argument + 1).map(Word::text).filter(|next| !next.starts_with('-'));
    // `-C../other`
    let joined = word.get(2..).filter(|rest| !rest.is_empty() && !word.starts_with("--"));
    let inner = word.split_once('=').map(|(_, value)| value);
    let own = (!word.starts_with('-')).then_some(word);
    let own = if is_plain_verb(unsafe_arg, word) { object_of(step, unsafe_arg.argument) } else { own };
    own.or(inner).or(joined.filter(|rest| rest.contains(['/', '~']))).or(next)
}

/// Returns the files that get a mode. It stands before them, or behind them as an option of `install`.
fn files_of_mode(step: &Step, mode: usize) -> Vec<String> {
    let behind = step.argv.iter().skip(mode + 1).map(Word::text).filter(|word| !word.starts_with('-'));
    let files: Vec<String> = behind.map(str::to_owned).collect();
    let last = || step.argv.last().map(|file| file.text().to_owned()).into_iter().collect();
    if files.is_empty() { last() } else { files }
}

/// Returns true if an unsafe argument is the program or its verb, which is no file.
fn is_plain_verb(unsafe_arg: &UnsafeArg, word: &str) -> bool {
    let plain = word.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-') && !word.starts_with('-');
    unsafe_arg.argument == 0 || unsafe_arg.argument == 1 && plain
}

/// Returns the file that a verb is about: the value of an option for the output, or the last word.
fn object_of(step: &Step, verb: usize) -> Option<&str> {
    let mut words = step.argv.iter().skip(verb + 1).map(Word::text);
    let is_output = |word: &str| matches!(word, "-o" | "--output");
    let last = words.clone().rfind(|word| !word.starts_with('-'));
    words.by_ref().find(|word| is_output(word)).and_then(|_| words.next()).or(last)
}

/// Returns true for an address of the web, which is no file. A word that leads up may be one.
fn is_web_address(word: &str) -> bool {
    (word.starts_with("https://") || word.starts_with("http://")) && !word.contains("..")
}

/// Returns true if a word names a package: an option does only where it has the value.
fn names_package(unsafe_arg: &UnsafeArg, word: &str, step: &Step) -> bool {
    if word.starts_with('-') {
        return word.contains('=') && runs_its_operand(step);
    }
    !is_plain_verb(unsafe_arg, word) || runs_its_operand(step)
}

/// Returns true if the operand of a program names what it downloads and runs.
fn runs_its_operand(step: &Step) -> bool {
    const RUNNERS: [&str; 4] = ["npx", "pnpx", "bunx", "uvx"];
    step.program().is_some_and(|name| RUNNERS.contains(&&*family_of(name)))
}
