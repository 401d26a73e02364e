//! Named checks: what a file cannot say of programs that only read: which of their arguments make them do more.

use postern_programs::ReadCheck;

use super::super::awk;

/// Returns true if a reading program writes because of a second operand or an option.
pub(super) fn writes(check: ReadCheck, argv: &[&str]) -> bool {
    let operands = argv.iter().skip(1).filter(|word| !word.starts_with('-')).count();
    match check {
        ReadCheck::Uniq => operands > 1,
        ReadCheck::Hostname => operands > 0,
        ReadCheck::Date => sets_clock(argv),
        ReadCheck::Devices => argv.iter().any(|word| word.starts_with("/dev/")),
        // mdls(1): a property list is written also inside of the project.
        ReadCheck::Mdls => argv.iter().any(|word| word.starts_with('-') && word.contains("plist")),
        ReadCheck::Codesign => !shows_signature(argv),
        ReadCheck::Plutil => !shows_properties(argv),
        _ => false,
    }
}

/// Returns true if date(1) sets the clock: words that are no format, and no value of an option for the time
/// to show.
fn sets_clock(argv: &[&str]) -> bool {
    let mut words = argv.iter().skip(1);
    let asks_only = argv.contains(&"-j");
    while let Some(word) = words.next() {
        match *word {
            "-d" | "--date" | "-r" | "-v" => drop(words.next()),
            "-f" if asks_only => drop(words.next()),
            word if word.starts_with("-s") => return true,
            word if word.starts_with(['+', '-']) || asks_only => {}
            _ => return true,
        }
    }
    false
}

/// Returns true if codesign(1) displays or verifies. `-r FILE` writes there what it would display.
fn shows_signature(argv: &[&str]) -> bool {
    const SHOWS: [&str; 11] =
        ["-d", "-dv", "-dvv", "-dvvv", "-dvvvv", "-v", "-vv", "-vvv", "-vvvv", "--display", "--verify"];
    let how = |word: &str| matches!(word, "--deep" | "--strict" | "-r-") || word.starts_with("--verbose");
    let plain = |word: &str| SHOWS.contains(&word) || how(word);
    argv.get(1).is_some_and(|word| SHOWS.contains(word))
        && argv.iter().skip(1).all(|word| !word.starts_with('-') || plain(word))
}

/// Returns true if plutil(1) prints, checks, or converts to the output (which is unsafe without `-o -`).
fn shows_properties(argv: &[&str]) -> bool {
    match argv.get(1..).unwrap_or_default() {
        ["-p" | "-lint", files @ ..] => files.iter().all(|word| !word.starts_with('-')) && !files.is_empty(),
        ["-convert", _, "-o", "-", files @ ..] => files.iter().all(|word| !word.starts_with('-')),
        ["-extract", _, "raw", file] | ["-type", _, file] => !file.starts_with('-'),
        _ => false,
    }
}

/// Returns true if the program only reads when it is called so.
pub(super) fn only_reads(check: ReadCheck, argv: &[&str]) -> bool {
    let words = argv.get(1..).unwrap_or_default();
    match check {
        ReadCheck::Awk => awk_prints(words),
        ReadCheck::Tar => lists_archive(words),
        ReadCheck::Yq => yq_prints(words),
        ReadCheck::Openssl => words.first() == Some(&"x509") && words.contains(&"-noout"),
        ReadCheck::Man => !words.is_empty() && words.iter().all(|word| is_page(word)),
        _ => false,
    }
}

/// Returns true for awk with a program that only prints, of the files that it is given.
///
/// gawk connects to those below `/inet`. Some read options also after the program.
fn awk_prints(words: &[&str]) -> bool {
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| word.starts_with('-')) {
        at += match *word {
            "-F" | "-v" if words.get(at + 1).is_some_and(|value| !value.starts_with('-')) => 2,
            _ if word.len() > 2 && (word.starts_with("-F") || word.starts_with("-v")) => 1,
            _ => return false,
        };
    }
    let more = |word: &&str| word.contains("/inet") || word.contains("ARGV");
    let mut files = words.iter().skip(at + 1);
    words.get(at).is_some_and(|program| awk::only_prints(program))
        && !words.iter().any(more)
        && files.all(|file| *file == "-" || !file.starts_with('-'))
}

/// Returns true if jq(1) is given its program in a word that is known, behind options of one letter.
///
/// Any word behind it, a file or an option, makes jq only read.
pub(super) fn names_program(words: &[Option<&str>]) -> bool {
    let letters = |word: &str| word.starts_with('-') && !word.starts_with("--");
    let program = words.iter().skip(1).find(|word| !word.is_some_and(letters)).copied().flatten();
    program.is_some_and(|program| !program.starts_with('-'))
}

/// Returns true for tar(1) with `-t`, of an archive on this computer (another is unsafe).
fn lists_archive(words: &[&str]) -> bool {
    let Some((mode, rest)) = words.split_first() else { return false };
    let letters = mode.strip_prefix('-').unwrap_or(mode);
    letters.starts_with('t')
        && letters.ends_with('f')
        && letters.chars().all(|letter| "tvzjJf".contains(letter))
        && rest.iter().all(|word| !word.starts_with('-'))
}

/// Returns true if the expression of yq names no operator that reads the environment or other files, and evaluates no text.
fn yq_prints(words: &[&str]) -> bool {
    const HOW: [&str; 14] = [
        "-r", "-e", "-P", "-M", "-C", "-j", "-N", "-o=json", "-o=yaml", "-oj", "-oy", "-p=json", "-p=yaml",
        "--raw-output",
    ];
    const MORE: [&str; 8] = ["load", "env", "ENV", "system", "input", "include", "import", "split"];
    let evaluates = |word: &str| word.contains("eval") && word.contains('(');
    let plain = |word: &&str| {
        if word.starts_with('-') {
            HOW.contains(word)
        } else {
            !MORE.iter().any(|more| word.contains(more)) && !evaluates(word)
        }
    };
    !words.is_empty() && words.iter().all(plain)
}

/// Returns true for a page by its name or section: what holds a slash would be a file.
fn is_page(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphanumeric())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._+-".contains(&byte))
}

/// pip(1): options that say what is listed, and how.
const PIP: [&str; 14] = [
    "--outdated", "--uptodate", "--local", "-l", "--user", "--not-required", "--all", "--files", "--verbose",
    "-v", "--format=json", "--format=freeze", "--format=columns", "--no-color",
];

/// Returns true if a reading subcommand has words by which it shows secrets, fetches from elsewhere, or opens
/// something.
pub(super) fn does_more(check: ReadCheck, verb: Option<usize>, argv: &[&str]) -> bool {
    let any = |test: &dyn Fn(&str) -> bool| argv.iter().skip(1).any(|word| test(word));
    match check {
        // `kubectl get secret,configmap -o yaml` prints passwords; a path or a file may name a secret in another spelling.
        ReadCheck::Kubectl => {
            let follows = verb.is_some_and(|at| argv.get(at) == Some(&"logs"));
            any(&|word| {
                word.to_ascii_lowercase().contains("secret")
                    || ["-k", "--raw", "--filename", "--kustomize"].iter().any(|one| word.starts_with(one))
                    || word.starts_with("-f") && !follows
            })
        }
        // A browser. Letters may stand in one word.
        ReadCheck::Gh => any(&|word| {
            word.starts_with("--web")
                || word.starts_with('-') && !word.starts_with("--") && word.contains('w')
        }),
        ReadCheck::Brew => {
            any(&|word| word.starts_with("--github") || word == "--analytics" || word.contains(['.', '~']))
        }
        // Another index or cluster is another machine.
        ReadCheck::Pip => any(&|word| word.starts_with('-') && !PIP.contains(&word)),
        ReadCheck::Gem => any(&|word| word.starts_with('-') && !["-l", "--local"].contains(&word)),
        ReadCheck::Helm => any(&|word| word.starts_with("--kube-") && !word.starts_with("--kube-context")),
        // Packages from elsewhere than the registry are fetched; a password is asked for by its name.
        ReadCheck::Npm => any(&|word| {
            let scoped = word.starts_with('@') && word.matches('/').count() == 1;
            word.contains(':')
                || word.starts_with(['.', '/', '~', '_'])
                || word.contains('/') && !scoped && !word.starts_with('-')
        }),
        _ => false,
    }
}
