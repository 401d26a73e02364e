//! Questions about arguments that a table cannot ask.

use super::super::sed;
use super::marks::{NO_FILE, leads_outside};
use super::reader::{Read, Seen};
use super::{plain, shown};
use crate::WayOut;
use crate::call::Call;
use crate::environment::decides_what_runs;
use crate::peel::guess;

/// The ways out of a call that are no rows of the table.
pub(super) fn of(name: &str, call: &Call, read: &Read<'_>) -> Vec<WayOut> {
    let found = match name {
        "git" => return git(call, read),
        "sed" => {
            sed::more_than_prints(read.args).map(|at| (at, "this sed script can run commands or write files"))
        }
        "make" | "bmake" | "remake" => variables(read),
        "mv" => takes_away(call, read).or_else(|| target(call, read)),
        "rm" | "rimraf" | "rmdir" => takes_away(call, read),
        "cp" | "ln" | "install" | "ditto" | "rsync" => target(call, read),
        "cmake" => chooses_programs(read),
        "plutil" => shown::converts_in_place(read),
        "date" => sets_clock(read),
        "codesign" => shown::writes_requirements(read),
        "openssl" => shown::more_than_shows_a_certificate(read),
        "npm" => for_all_projects(read),
        "jq" | "gojq" | "jaq" => shown::reads_environment(read),
        "curl" => writes_out(read),
        "wget" | "wget2" => keeps_what_it_fetches(read),
        "chmod" => borrows_rights(read),
        "tar" | "bsdtar" => packs_elsewhere(call, read),
        "ps" => other_environments(read),
        "bun" | "deno" | "swift" => script(name, read),
        "gh" => changes_by_api(read),
        _ => None,
    };
    found.map(|(at, what)| plain(at, what)).into_iter().collect()
}

/// The last operand of what copies: where it leads out of the working directory, or to a file that tools read by
/// themselves.
fn target(call: &Call, read: &Read<'_>) -> Option<(usize, &'static str)> {
    const READ_UNASKED: [&str; 6] = [".git", ".husky", ".vscode", ".envrc", ".npmrc", ".cargo"];
    let at = *read.operands.last().filter(|_| read.operands.len() > 1)?;
    let path = read.beginning(at)?;
    if NO_FILE.contains(&path) {
        return None;
    }
    let arg = &read.args[at];
    let unknown = arg.value().is_none();
    if unknown && (arg.climbs || arg.strays && (path.is_empty() || arg.free)) || path.is_empty() && !unknown {
        return Some((at, "writes to a place that is known only at run time"));
    }
    if leads_outside(path, &call.dir) {
        return Some((at, "writes outside of the working directory"));
    }
    // `.$x` may become the name of a hidden folder.
    if unknown && path.rsplit('/').next().is_some_and(|part| part.starts_with('.')) {
        return Some((at, "writes to a place that is known only at run time"));
    }
    let first = path.split('/').find(|part| !matches!(*part, "" | "."))?;
    READ_UNASKED.contains(&first).then_some((at, "writes what other programs run or read unasked"))
}

/// `make NAME=value`: what a makefile does with a variable is not known, so only values that cannot name a program or hold
/// a command are left alone.
fn variables(read: &Read<'_>) -> Option<(usize, &'static str)> {
    const PROGRAMS: [&str; 22] = [
        "CC", "CXX", "CPP", "LD", "AR", "AS", "NM", "RANLIB", "RM", "INSTALL", "MAKE", "YACC", "LEX", "M4",
        "CARGO", "GO", "PYTHON", "NODE", "NPM", "CMAKE", "SUDO", "PERL",
    ];
    let harmless = |word: &str| {
        let Some((name, value)) = word.split_once('=') else { return true };
        let name = name.trim_end_matches([':', '+', '?', '!']);
        let plain = value.chars().all(|c| c.is_ascii_alphanumeric() || "_.,:+-".contains(c));
        plain && !PROGRAMS.contains(&name) && !decides_what_runs(name, None) && !name.ends_with("FLAGS")
    };
    let known = |at: usize| {
        let arg = &read.args[at];
        read.word(at).map_or_else(|| !arg.free && !arg.start.contains('='), harmless)
    };
    let at = read.operands.iter().find(|at| !known(**at))?;
    Some((*at, "sets a variable that a makefile may run"))
}

/// What is removed or moved away: where it lies outside of the working directory, and is no file of the temporary folder.
fn takes_away(call: &Call, read: &Read<'_>) -> Option<(usize, &'static str)> {
    let kept = |at: &&usize| {
        let path = read.beginning(**at).unwrap_or_default();
        read.args[**at].climbs || leads_outside(path, &call.dir) && !is_temporary(path)
    };
    let at = read.operands.iter().find(kept)?;
    Some((*at, "takes away what lies outside of the working directory"))
}

/// A name in the temporary folder, or below one: never the folder itself, nor all that is in it.
fn is_temporary(path: &str) -> bool {
    let inside = ["/tmp/", "/private/tmp/"].iter().find_map(|folder| path.strip_prefix(folder));
    inside.is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_alphanumeric()) && rest.split('/').all(|part| part != "..")
    })
}

/// cmake's `-D` and `-G` name compilers, launchers and files to include, but for switches and the usual settings. cmake(1),
/// cmake-variables(7)
fn chooses_programs(read: &Read<'_>) -> Option<(usize, &'static str)> {
    const GENERATORS: [&str; 4] = ["Ninja", "Ninja Multi-Config", "Unix Makefiles", "Xcode"];
    let harmless = |at: usize| {
        let Some(start) = read.beginning(at) else { return true };
        let (setting, value) = match (start.strip_prefix("-D"), start.strip_prefix("-G")) {
            (Some(value), _) => (true, value),
            (_, Some(value)) => (false, value),
            (None, None) => return true,
        };
        let attached = (!value.is_empty()).then_some(value).filter(|_| read.word(at).is_some());
        let next = || read.word(at + 1).filter(|_| value.is_empty());
        let given = attached.or_else(next);
        given.is_some_and(|given| if setting { is_switch(given) } else { GENERATORS.contains(&given) })
    };
    let at = (1..read.args.len()).find(|at| !harmless(*at))?;
    Some((at, "decides which programs are run"))
}

/// `BUILD_TESTS=ON`, `CMAKE_BUILD_TYPE=Release`: what cannot name a program or a file.
fn is_switch(given: &str) -> bool {
    const USUAL: [&str; 12] = [
        "CMAKE_BUILD_TYPE",
        "CMAKE_COLOR_DIAGNOSTICS",
        "CMAKE_CONFIGURATION_TYPES",
        "CMAKE_CUDA_ARCHITECTURES",
        "CMAKE_CXX_STANDARD",
        "CMAKE_C_STANDARD",
        "CMAKE_EXPORT_COMPILE_COMMANDS",
        "CMAKE_INTERPROCEDURAL_OPTIMIZATION",
        "CMAKE_OSX_ARCHITECTURES",
        "CMAKE_OSX_DEPLOYMENT_TARGET",
        "CMAKE_POSITION_INDEPENDENT_CODE",
        "CMAKE_VERBOSE_MAKEFILE",
    ];
    const SAYS_WHICH: [&str; 15] = [
        "CMAKE_",
        "COMPILER",
        "LAUNCHER",
        "LINKER",
        "PROGRAM",
        "EXECUTABLE",
        "COMMAND",
        "TOOLCHAIN",
        "INCLUDE",
        "GENERATOR",
        "PATH",
        "PREFIX",
        "DIR",
        "ROOT",
        "FILE",
    ];
    let Some((name, value)) = given.split_once('=') else { return false };
    let name = name.split(':').next().unwrap_or_default();
    let upper = name.to_ascii_uppercase();
    let on_or_off =
        ["ON", "OFF", "TRUE", "FALSE", "YES", "NO", "1", "0"].contains(&value.to_ascii_uppercase().as_str());
    let plain = !value.is_empty() && value.chars().all(|c| c.is_ascii_alphanumeric() || "._".contains(c));
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name
        && (USUAL.contains(&name) && plain
            || on_or_off && !SAYS_WHICH.iter().any(|part| upper.contains(part)))
}

fn sets_clock(read: &Read<'_>) -> Option<(usize, &'static str)> {
    // `-j` is macOS's: nothing is set, and `-f` says how the date is written. GNU's date knows no `-j`.
    if read.options.iter().any(|seen| seen.name == "-j") {
        return None;
    }
    if let Some(file) = read.options.iter().find(|seen| seen.name == "-f") {
        return Some((file.at, "reads another file"));
    }
    let of_option =
        |at: usize| read.word(at - 1).is_some_and(|word| ["-d", "-r", "-v", "--date"].contains(&word));
    let digit = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let sets = |at: &&usize| {
        !of_option(**at) && read.beginning(**at).is_some_and(|word| word.is_empty() || digit(word))
    };
    read.operands.iter().find(sets).map(|at| (*at, "sets the clock"))
}

/// `npm -g` that does more than list what is there. npm-install(1)
fn for_all_projects(read: &Read<'_>) -> Option<(usize, &'static str)> {
    const LISTS: [&str; 9] = ["ls", "list", "la", "ll", "root", "prefix", "outdated", "view", "bin"];
    let everywhere = |name: &str| {
        name == "-g" || name.len() > 3 && ["--global", "--location"].iter().any(|long| long.starts_with(name))
    };
    let seen = read.options.iter().find(|seen| everywhere(&seen.name))?;
    let lists = read.subs.first().and_then(|at| read.word(*at)).is_some_and(|sub| LISTS.contains(&sub));
    (!lists).then_some((seen.at, "changes what all projects have"))
}

/// curl's `-w '%output{file}'`, `-w @file`, `-H @file`, and methods that change something.
fn writes_out(read: &Read<'_>) -> Option<(usize, &'static str)> {
    read.options.iter().find_map(|seen| {
        let value = read.value_or_start(seen);
        let file = value.is_none_or(|value| value.starts_with('@'));
        match seen.name.as_str() {
            "-w" | "--write-out" if file || value.is_some_and(|value| value.contains("%output")) => {
                Some((seen.at, "`-w` writes or reads a file"))
            }
            "-H" | "--header" | "-b" | "--cookie" if file => Some((seen.at, "reads another file")),
            "-X" | "--request" if !["GET", "HEAD", "OPTIONS"].contains(&seen.value.unwrap_or_default()) => {
                Some((seen.at, "chooses the method of a call"))
            }
            _ => None,
        }
    })
}

/// wget writes what it fetches, but for `-O -`, which prints it; options that are not known to be harmless beside that may
/// write as well (`-o`, `-p`, `--warc-file`). wget(1)
fn keeps_what_it_fetches(read: &Read<'_>) -> Option<(usize, &'static str)> {
    const HARMLESS: [&str; 14] = [
        "--spider",
        "-q",
        "-n",
        "-v",
        "-S",
        "-4",
        "-6",
        "-T",
        "-t",
        "-U",
        "--quiet",
        "--timeout",
        "--tries",
        "--user-agent",
    ];
    let to = |seen: &&Seen<'_>| matches!(seen.name.as_str(), "-O" | "--output-document");
    let (documents, others): (Vec<_>, Vec<_>) = read.options.iter().partition(to);
    // It only asks whether the page is there.
    let looks = documents.is_empty() && others.iter().any(|seen| seen.name == "--spider");
    let prints = looks || !documents.is_empty() && documents.iter().all(|seen| seen.value == Some("-"));
    // A word of several letters counts letter by letter.
    let mut single =
        others.iter().filter(|seen| seen.name.starts_with("--") || seen.name.chars().count() == 2);
    let plain = single.all(|seen| HARMLESS.contains(&seen.name.as_str()));
    (!(prints && plain)).then_some((0, "writes what it fetches"))
}

/// `chmod 4755`: with the rights of the file's owner.
fn borrows_rights(read: &Read<'_>) -> Option<(usize, &'static str)> {
    let at = *read.operands.first()?;
    let what = "lets the file run with its owner's rights";
    let Some(mode) = read.word(at) else { return Some((at, what)) };
    let borrowed = mode.len() == 4 && mode.chars().all(|c| c.is_digit(8)) && !mode.starts_with('0');
    borrowed.then_some((at, what))
}

/// Runtimes that run the file that they are given, or what they read from their input.
fn script(name: &str, read: &Read<'_>) -> Option<(usize, &'static str)> {
    let behind_run = name == "bun" && read.subs.first().is_some_and(|at| read.word(*at) == Some("run"));
    let Some(at) = read.operands.get(usize::from(behind_run)).copied() else {
        return (name == "swift" && read.options.is_empty()).then_some((0, "runs code from its input"));
    };
    let file = |word: &str| word.contains(['/', '.']) || word == "-";
    read.word(at).is_none_or(file).then_some((at, "runs a script"))
}

/// `gh api -X POST`; reading methods are harmless.
fn changes_by_api(read: &Read<'_>) -> Option<(usize, &'static str)> {
    let start = read.sub_path("api")?;
    let seen = read.options.iter().find(|seen| {
        let method = matches!(seen.name.as_str(), "-X" | "--method");
        method && seen.at > start && !seen.value.is_some_and(|value| ["GET", "HEAD"].contains(&value))
    })?;
    Some((seen.at, "chooses the method of a call"))
}

/// `ps auxe` and `ps eww` show the environments of other programs; with a dash `-e` only means all of them.
fn other_environments(read: &Read<'_>) -> Option<(usize, &'static str)> {
    let at = *read.operands.first()?;
    let letters = read.word(at)?;
    let shows = letters.contains('e') && letters.chars().all(|c| c.is_ascii_alphabetic());
    shows.then_some((at, "shows the environments of other programs"))
}

/// `tar -f host:file` and `-f !program` start another program; an archive that is made may lie anywhere.
fn packs_elsewhere(call: &Call, read: &Read<'_>) -> Option<(usize, &'static str)> {
    let file = read.options.iter().find(|seen| matches!(seen.name.as_str(), "-f" | "--file"))?;
    let makes = read.options.iter().any(|seen| {
        matches!(
            seen.name.as_str(),
            "-c" | "-r" | "-u" | "-A" | "--create" | "--append" | "--update" | "--catenate"
        )
    });
    // `out-$(date +%F).tgz`: what is not known leads nowhere else.
    let own = read.args.get(file.value_at).filter(|arg| file.value_at > file.at && !arg.free);
    let begins = own.and_then(|_| read.value_or_start(file));
    if makes && file.value.or(begins).is_none_or(|path| leads_outside(path, &call.dir)) {
        return Some((file.at, "writes outside of the working directory"));
    }
    let remote = file.value.is_some_and(|value| value.contains(':') || value.starts_with(['!', '|']));
    let forced = read.options.iter().any(|seen| seen.name == "--force-local");
    (remote && !forced).then_some((file.at, "packs to another machine, by a program that is started for it"))
}

fn git(call: &Call, read: &Read<'_>) -> Vec<WayOut> {
    const STRATEGIES: [&str; 6] = ["ours", "recursive", "resolve", "octopus", "subtree", "ort"];
    let mut ways = Vec::new();
    let Some(sub) = read.subs.first().copied() else { return ways };
    let Some(name) = read.word(sub) else { return ways };
    if !super::git::COMMANDS.contains(&name) {
        ways.push(plain(sub, "an alias or a program of its own behind git's name"));
    }
    if name == "config" {
        ways.extend(changes_configuration(call, read, sub));
    }
    let strategy = read.options.iter().find(|seen| {
        let merges = ["merge", "rebase", "pull", "cherry-pick", "revert"].contains(&name);
        let chosen =
            seen.name == "--strategy" || seen.name == "-s" && name != "cherry-pick" && name != "revert";
        merges && chosen && seen.at > sub && !seen.value.is_some_and(|value| STRATEGIES.contains(&value))
    });
    ways.extend(strategy.map(|seen| plain(seen.at, "runs the program of a merge strategy")));
    ways
}

/// `git config` that does more than read.
fn changes_configuration(call: &Call, read: &Read<'_>, sub: usize) -> Option<WayOut> {
    const READS: [&str; 12] = [
        "--get",
        "--get-all",
        "--list",
        "-l",
        "--get-regexp",
        "get",
        "list",
        "--get-urlmatch",
        "--get-color",
        "--get-colorbool",
        "--type",
        "--name-only",
    ];
    let words = || (sub + 1..read.args.len()).filter_map(|at| read.word(at));
    let reads = words().next().is_some_and(|word| ["get", "list"].contains(&word))
        || words().any(|word| word.starts_with('-') && READS.contains(&word) && word != "--type");
    let changes = words().any(|word| {
        [
            "--add",
            "--unset",
            "--unset-all",
            "--replace-all",
            "--rename-section",
            "--remove-section",
            "set",
            "unset",
        ]
        .contains(&word)
    });
    let values = read.operands.iter().filter(|at| **at > sub).count();
    let writes = changes || !reads && values > 1;
    writes.then(|| WayOut {
        candidates: guess::behind(call, sub + 1),
        ..plain(sub, "changes git's configuration, which can run programs")
    })
}
