//! Named checks: what the patterns of a file cannot say about arguments.

use postern_programs::ArgumentCheck;

use super::super::table;
use super::{FoundArg, cloud, files, noted_arg, transfers, viewers};
use crate::call::CommandCall;
use crate::environment::decides_what_runs;
use crate::invocation::{GivenOption, Invocation};
use crate::peel::guess;
use crate::programs::patterns::leads_outside;
use crate::{ArgEffect, UnsafeArg};

/// Returns the unsafe arguments of a call that a named check finds.
pub(super) fn find_by_check(
    check: ArgumentCheck,
    name: &str,
    call: &CommandCall,
    read: &Invocation<'_>,
) -> Vec<UnsafeArg> {
    let found = match check {
        ArgumentCheck::Git => return check_git(call, read),
        ArgumentCheck::Files => return files::find_file_args(name, call, read),
        ArgumentCheck::Pnpm => return runs_any_program(call, read).into_iter().collect(),
        ArgumentCheck::None => None,
        ArgumentCheck::Sed => return files::find_sed_args(read),
        ArgumentCheck::Variables => variables(read),
        ArgumentCheck::Cmake => chooses_programs(read),
        ArgumentCheck::Plutil => viewers::converts_in_place(read),
        ArgumentCheck::Codesign => viewers::writes_requirements(read),
        ArgumentCheck::Openssl => viewers::more_than_shows_a_certificate(read),
        ArgumentCheck::Npm => for_all_projects(read),
        ArgumentCheck::Date => sets_clock(read),
        ArgumentCheck::Jq => viewers::reads_environment(read),
        ArgumentCheck::Tree => writes_by_a_letter(read),
        ArgumentCheck::Network => changes_network(name, read),
        ArgumentCheck::Brew => other_formula(read),
        ArgumentCheck::Protoc => generator(read),
        ArgumentCheck::Xcodebuild => build_settings(read),
        ArgumentCheck::Curl => transfers::by_curl(read).or_else(|| transfers::plants_download(read)),
        ArgumentCheck::Wget => return transfers::by_wget(read).into_iter().map(noted_arg).collect(),
        ArgumentCheck::Lookup => transfers::sends_output_of_command(read),
        ArgumentCheck::Tar => packs_elsewhere(call, read).or_else(|| {
            files::plants(read, &["-C", "--directory", "--cd", "--one-top-level", "-f", "--file"])
        }),
        ArgumentCheck::Ps => other_environments(read),
        ArgumentCheck::Cloud => cloud::find_cloud_arg(name, read),
        ArgumentCheck::Script => script(name, read),
        ArgumentCheck::Gh => changes_by_api(call, read),
    };
    found.map(noted_arg).into_iter().collect()
}

/// Finds variables of `make` whose values can name a program or hold a command.
///
/// The use that a makefile makes of a variable is not known, so only other values are left alone.
fn variables(read: &Invocation<'_>) -> FoundArg {
    const PROGRAMS: [&str; 22] = [
        "CC", "CXX", "CPP", "LD", "AR", "AS", "NM", "RANLIB", "RM", "INSTALL", "MAKE", "YACC", "LEX", "M4",
        "CARGO", "GO", "PYTHON", "NODE", "NPM", "CMAKE", "SUDO", "PERL",
    ];
    let harmless = |word: &str| {
        let Some((name, value)) = word.split_once('=') else { return true };
        // `FOO!=id` runs `id`.
        if name.ends_with('!') {
            return false;
        }
        let name = name.trim_end_matches([':', '+', '?']);
        let plain = value.chars().all(|c| c.is_ascii_alphanumeric() || "_.,:+-".contains(c));
        plain && !PROGRAMS.contains(&name) && !decides_what_runs(name, None) && !name.ends_with("FLAGS")
    };
    let known = |at: usize| {
        let arg = &read.args[at];
        read.word_at(at).map_or_else(|| !arg.free && !arg.start.contains('='), harmless)
    };
    let at = read.operands.iter().find(|at| !known(**at))?;
    Some((*at, ArgEffect::Config, "sets a variable that a makefile may run"))
}

/// Finds cmake's `-D` and `-G`, which name compilers, launchers and files to include, but for switches and
/// the usual settings. cmake(1), cmake-variables(7)
fn chooses_programs(read: &Invocation<'_>) -> FoundArg {
    const GENERATORS: [&str; 4] = ["Ninja", "Ninja Multi-Config", "Unix Makefiles", "Xcode"];
    let harmless = |at: usize| {
        let Some(start) = read.beginning(at) else { return true };
        let (setting, value) = match (start.strip_prefix("-D"), start.strip_prefix("-G")) {
            (Some(value), _) => (true, value),
            (_, Some(value)) => (false, value),
            (None, None) => return true,
        };
        let attached = (!value.is_empty()).then_some(value).filter(|_| read.word_at(at).is_some());
        let next = || read.word_at(at + 1).filter(|_| value.is_empty());
        let given = attached.or_else(next);
        given.is_some_and(|given| if setting { is_switch(given) } else { GENERATORS.contains(&given) })
    };
    let at = (1..read.args.len()).find(|at| !harmless(*at))?;
    Some((at, ArgEffect::Config, "decides which programs are run"))
}

/// Returns true for a value that cannot name a program or a file: `BUILD_TESTS=ON`,
/// `CMAKE_BUILD_TYPE=Release`.
fn is_switch(given: &str) -> bool {
    const USUAL: [&str; 12] = [
        "CMAKE_BUILD_TYPE", "CMAKE_COLOR_DIAGNOSTICS", "CMAKE_CONFIGURATION_TYPES",
        "CMAKE_CUDA_ARCHITECTURES", "CMAKE_CXX_STANDARD", "CMAKE_C_STANDARD",
        "CMAKE_EXPORT_COMPILE_COMMANDS", "CMAKE_INTERPROCEDURAL_OPTIMIZATION", "CMAKE_OSX_ARCHITECTURES",
        "CMAKE_OSX_DEPLOYMENT_TARGET", "CMAKE_POSITION_INDEPENDENT_CODE", "CMAKE_VERBOSE_MAKEFILE",
    ];
    const SAYS_WHICH: [&str; 15] = [
        "CMAKE_", "COMPILER", "LAUNCHER", "LINKER", "PROGRAM", "EXECUTABLE", "COMMAND", "TOOLCHAIN",
        "INCLUDE", "GENERATOR", "PATH", "PREFIX", "DIR", "ROOT", "FILE",
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

fn sets_clock(read: &Invocation<'_>) -> FoundArg {
    // `-j` is macOS's: nothing is set, and `-f` says how the date is written. GNU's date knows no `-j`.
    if read.options.iter().any(|given| given.name == "-j") {
        return None;
    }
    if let Some(file) = read.options.iter().find(|given| given.name == "-f") {
        return Some((file.at, ArgEffect::Reads, "reads another file"));
    }
    let of_option =
        |at: usize| read.word_at(at - 1).is_some_and(|word| ["-d", "-r", "-v", "--date"].contains(&word));
    let digit = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let sets = |at: &&usize| {
        !of_option(**at) && read.beginning(**at).is_some_and(|word| word.is_empty() || digit(word))
    };
    read.operands.iter().find(sets).map(|at| (*at, ArgEffect::Changes, "sets the clock"))
}

/// Finds `npm -g` that does more than list what is there. npm-install(1)
fn for_all_projects(read: &Invocation<'_>) -> FoundArg {
    const LISTS: [&str; 9] = ["ls", "list", "la", "ll", "root", "prefix", "outdated", "view", "bin"];
    let everywhere = |name: &str| {
        name == "-g" || name.len() > 3 && ["--global", "--location"].iter().any(|long| long.starts_with(name))
    };
    let given = read.options.iter().find(|given| everywhere(&given.name))?;
    let lists = read.verbs.first().and_then(|at| read.word_at(*at)).is_some_and(|sub| LISTS.contains(&sub));
    (!lists).then_some((given.at, ArgEffect::Changes, "changes what all projects have"))
}

/// Finds letters by which tree writes.
///
/// tree takes the values of its letters from the words after them, so that none of them hides another: `-aLo
/// 2 x` writes to `x`. tree(1)
fn writes_by_a_letter(read: &Invocation<'_>) -> FoundArg {
    let letters = |at: &usize| {
        let word = read.beginning(*at).and_then(|word| word.strip_prefix('-'));
        word.is_some_and(|word| !word.starts_with('-') && word.contains(['o', 'R']) && word != "noreport")
    };
    (1..read.args.len())
        .find(letters)
        .map(|at| (at, ArgEffect::Writes, "`-o` or `-R` among these letters writes a file"))
}

/// Finds a verb that does not only show, in its short forms too: `ip OBJECT VERB`, `nft VERB`. ip(8), tc(8),
/// nft(8), bpftool(8), route(8)
fn changes_network(name: &str, read: &Invocation<'_>) -> FoundArg {
    const SHOWING: [&str; 7] = ["show", "list", "lst", "ls", "get", "help", "describe"];
    let place = usize::from(!matches!(name, "nft" | "route"));
    let at = *read.operands.get(place)?;
    let word = read.word_at(at);
    // `ip link s` is set, and not show.
    let shows = word.is_some_and(|word| {
        SHOWING.iter().any(|verb| verb.starts_with(word) && (word.len() > 1 || *verb == "list"))
    });
    (!shows).then_some((at, ArgEffect::Changes, "changes the network, or what is loaded into the kernel"))
}

/// Returns a formula in a file, at an address or in a tap that is not Homebrew's.
///
/// Its code runs when it is looked at. brew(1)
fn other_formula(read: &Invocation<'_>) -> FoundArg {
    let sub = read.verbs.first().copied()?;
    let other = |at: &usize| {
        let word = read.beginning(*at).unwrap_or_default();
        *at > sub
            && (word.contains('/') && !word.starts_with("homebrew/")
                || word.to_ascii_lowercase().contains(".rb"))
    };
    let found = (1..read.args.len()).filter(|at| read.operands.contains(at)).find(other)?;
    Some((found, ArgEffect::Code, "a formula from elsewhere, whose code runs when it is looked at"))
}

/// Finds `protoc --NAME_out=.`, which runs protoc-gen-NAME, unless the language is protoc's own.
fn generator(read: &Invocation<'_>) -> FoundArg {
    const OWN: [&str; 12] = [
        "cpp", "java", "python", "pyi", "ruby", "php", "objc", "csharp", "kotlin", "rust", "descriptor_set",
        "dependency",
    ];
    let runs = |name: &str| {
        name.strip_suffix("_out").is_some_and(|name| !OWN.contains(&name.trim_start_matches('-')))
    };
    read.options
        .iter()
        .find(|given| runs(&given.name))
        .map(|given| (given.at, ArgEffect::Runs, "runs the generator of that name"))
}

/// Finds `NAME=value` of xcodebuild: settings name programs and folders; YES and NO name nothing.
fn build_settings(read: &Invocation<'_>) -> FoundArg {
    let names = |at: &&usize| {
        read.beginning(**at)
            .and_then(|word| word.split_once('='))
            .is_some_and(|(_, value)| !matches!(value, "YES" | "NO" | "-" | "" | "Debug" | "Release"))
    };
    read.operands
        .iter()
        .find(names)
        .map(|at| (*at, ArgEffect::Config, "a build setting, which may name a program or a folder"))
}

/// Finds `pnpm NAME`, which runs the script of that name, or else any program. pnpm-run(1)
fn runs_any_program(call: &CommandCall, read: &Invocation<'_>) -> Option<UnsafeArg> {
    const SYSTEM: [&str; 20] = [
        "mv", "cp", "dd", "git", "curl", "wget", "ssh", "scp", "rsync", "tar", "chmod", "chown", "docker",
        "kubectl", "npm", "npx", "yarn", "bunx", "make", "open",
    ];
    const OWN: [&str; 3] = ["exec", "env", "start"];
    let at = *read.verbs.first()?;
    let name = read.word_at(at)?;
    let other = crate::class_of(name) != crate::ProgramClass::Ordinary || SYSTEM.contains(&name);
    let note = "runs a program that is no script of the project";
    (other && !OWN.contains(&name))
        .then(|| UnsafeArg::from_note(at, ArgEffect::Runs, note).with_candidates(guess::behind(call, at)))
}

/// Runtimes that run the file that they are given, or what they read from their input.
fn script(name: &str, read: &Invocation<'_>) -> FoundArg {
    let behind_run = name == "bun" && read.verbs.first().is_some_and(|at| read.word_at(*at) == Some("run"));
    let Some(at) = read.operands.get(usize::from(behind_run)).copied() else {
        // Without a command deno's prompt takes the input for code, whatever options come before. deno(1)
        let tells = |name: &str| matches!(name, "--version" | "-V" | "--help" | "-h");
        let reads = name == "swift" && read.options.is_empty()
            || name == "deno" && !read.options.iter().any(|given| tells(&given.name));
        return reads.then_some((0, ArgEffect::Code, "runs code from its input"));
    };
    let file = |word: &str| word.contains(['/', '.']) || word == "-";
    read.word_at(at).is_none_or(file).then_some((at, ArgEffect::Code, "runs a script"))
}

/// Returns the option of `gh` that sends a file as text, or that lets `gh api` change something. Methods that
/// read are harmless.
fn changes_by_api(call: &CommandCall, read: &Invocation<'_>) -> FoundArg {
    let file = read.options.iter().find(|given| {
        let path = given.value.unwrap_or_default();
        matches!(&*given.name, "-F" | "--body-file" | "--notes-file")
            && leads_outside(path, &call.dir)
            && !files::is_temporary(path)
    });
    if let Some(file) = file {
        return Some((file.at, ArgEffect::Sends, "sends a file from outside of the working directory"));
    }
    let tells = |given: &&GivenOption<'_>| {
        matches!(&*given.name, "-q" | "--jq")
            && read.value_or_start(given).is_some_and(viewers::names_environment)
    };
    if let Some(program) = read.options.iter().find(tells) {
        return Some((program.at, ArgEffect::Secrets, "reads the environment"));
    }
    let start = read.find_verb("api")?.0;
    let given = read.options.iter().find(|given| {
        let method = matches!(&*given.name, "-X" | "--method");
        method && given.at > start && !given.value.is_some_and(|value| ["GET", "HEAD"].contains(&value))
    })?;
    Some((given.at, ArgEffect::Sends, "chooses the method of a call"))
}

/// Finds `ps auxe`, `ps x eo args` and `ps -o environ`, which show the environments of other programs. With a
/// dash, `-e` only means all of them.
fn other_environments(read: &Invocation<'_>) -> FoundArg {
    let what = "shows the environments of other programs";
    let letters = |(place, at): &(usize, &usize)| {
        let word = read.word_at(**at).unwrap_or_default();
        let known = |c: char| {
            if *place == 0 { c.is_ascii_alphabetic() } else { "acefghHjklLmnNoOpqrsStTuUvVwWxXZ".contains(c) }
        };
        // macOS reads the first word as letters of options, with or without a dash.
        (word.contains('e') || *place == 0 && word.contains('E')) && word.chars().all(known)
    };
    let column = |given: &&GivenOption<'_>| {
        let output = matches!(&*given.name, "-o" | "-O" | "--format");
        output && given.value.is_some_and(|value| value.to_ascii_lowercase().contains("environ"))
    };
    let shown = read.operands.iter().enumerate().find(letters).map(|(_, at)| *at);
    let shown = shown.or_else(|| read.options.iter().find(column).map(|given| given.at));
    shown.map(|at| (at, ArgEffect::Secrets, what))
}

/// Finds `tar -f host:file` and `-f !program`, which start another program, and archives that are made
/// anywhere.
fn packs_elsewhere(call: &CommandCall, read: &Invocation<'_>) -> FoundArg {
    const MAKES: [&str; 10] = [
        "-c", "-r", "-u", "-A", "--create", "--append", "--update", "--catenate", "--concatenate", "--delete",
    ];
    let file = read.options.iter().find(|given| matches!(&*given.name, "-f" | "--file"))?;
    let makes = MAKES.iter().any(|name| read.options_named(name).next().is_some());
    // `out-$(date +%F).tgz`: what is not known leads nowhere else.
    let own = read.args.get(file.value_at).filter(|arg| file.value_at > file.at && !arg.free);
    let begins = own.and_then(|_| read.value_or_start(file));
    if makes && file.value.or(begins).is_none_or(|path| leads_outside(path, &call.dir)) {
        return Some((file.at, ArgEffect::Writes, "writes outside of the working directory"));
    }
    let remote = file.value.is_some_and(|value| value.contains(':') || value.starts_with(['!', '|']));
    let forced = read.options.iter().any(|given| given.name == "--force-local");
    (remote && !forced).then_some((
        file.at,
        ArgEffect::Runs,
        "packs to another machine, by a program that is started for it",
    ))
}

fn check_git(call: &CommandCall, read: &Invocation<'_>) -> Vec<UnsafeArg> {
    const STRATEGIES: [&str; 6] = ["ours", "recursive", "resolve", "octopus", "subtree", "ort"];
    let mut found = Vec::new();
    let Some(sub) = read.verbs.first().copied() else { return found };
    let Some(name) = read.word_at(sub) else { return found };
    if !table::program("git").is_some_and(|git| git.has_own(name)) {
        found.push(UnsafeArg::from_note(
            sub,
            ArgEffect::Runs,
            "an alias of git, or a program that git runs by this name",
        ));
    }
    if name == "config" {
        found.extend(changes_configuration(call, read, sub));
    }
    let strategy = read.options.iter().find(|given| {
        let merges = ["merge", "rebase", "pull", "cherry-pick", "revert"].contains(&name);
        let chosen =
            given.name == "--strategy" || given.name == "-s" && name != "cherry-pick" && name != "revert";
        merges && chosen && given.at > sub && !given.value.is_some_and(|value| STRATEGIES.contains(&value))
    });
    found.extend(strategy.map(|given| {
        UnsafeArg::from_note(given.at, ArgEffect::Runs, "runs the program of a merge strategy")
    }));
    found
}

/// Finds `git config` that does more than read.
fn changes_configuration(call: &CommandCall, read: &Invocation<'_>, sub: usize) -> Option<UnsafeArg> {
    const READS: [&str; 12] = [
        "--get", "--get-all", "--list", "-l", "--get-regexp", "get", "list", "--get-urlmatch", "--get-color",
        "--get-colorbool", "--type", "--name-only",
    ];
    let words = || (sub + 1..read.args.len()).filter_map(|at| read.word_at(at));
    let reads = words().next().is_some_and(|word| ["get", "list"].contains(&word))
        || words().any(|word| word.starts_with('-') && READS.contains(&word) && word != "--type");
    let changes = words().any(|word| {
        [
            "--add", "--unset", "--unset-all", "--replace-all", "--rename-section", "--remove-section",
            "set", "unset",
        ]
        .contains(&word)
    });
    let values = read.operands.iter().filter(|at| **at > sub).count();
    let writes = changes || !reads && values > 1;
    let note = "changes git’s configuration, which can run programs";
    writes.then(|| {
        UnsafeArg::from_note(sub, ArgEffect::Config, note).with_candidates(guess::behind(call, sub + 1))
    })
}
