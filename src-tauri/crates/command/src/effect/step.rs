//! The effects of a step, from everything that is known about it.

use std::ops::Range;

use postern_programs::{EffectKind, Of};

use super::argument::{of_argument, path_of};
use super::checks;
use super::command::{self, ExaminedCommand, ProgramWords};
use super::downloaded::runs_what_it_fetched;
use super::grave::label_of;
use super::host::{
    branches_there, is_away, is_plain, is_this_machine, machine_of, own_address, registry_of_image,
    repositories_of, source_of_image,
};
use super::initializer::package_of;
use super::inner::{effects_of_inner, fed_statements};
use super::listed::listed_secrets;
use super::scripts::shown_by_script;
use super::{CommandEffect, EffectScope, FoundEffect, Reversible, StepEffect, UnknownEffectReason};
use crate::programs::table;
use crate::programs::{
    ProgramClass, asks_others, class_of, family, family_of, is_read_only, is_read_only_anyway, known_name,
};
use crate::{ArgEffect, Note, ParsedCommand, Power, RedirectionKind, Role, Step, Unparsed, Via, Word};

/// Returns the effects of every step of a reading, in order.
pub fn effects_of_command(reading: &ParsedCommand) -> Vec<Vec<StepEffect>> {
    let mut all: Vec<Vec<StepEffect>> = reading.steps.iter().map(effects_of).collect();
    for (at, found) in fed_statements(reading).into_iter().chain(listed_secrets(reading)) {
        all[at].insert(0, found);
    }
    for (at, source) in runs_what_it_fetched(&reading.steps, &all) {
        all[at].retain(|found| {
            !matches!(
                found.effect,
                CommandEffect::RunInlineCode { .. } | CommandEffect::RunProjectCode { .. }
            )
        });
        all[at].insert(
            0,
            StepEffect {
                effect: CommandEffect::RunDownloadedCode { package: None, host: source },
                scope: Some(EffectScope::Remote),
                reversible: Reversible::No,
                span: reading.steps[at].span.clone(),
            },
        );
    }
    all
}

/// Returns the effects of a step.
pub fn effects_of(step: &Step) -> Vec<StepEffect> {
    let mut all = StepEffects::default();
    let reads = only_reads(step);
    for words in ProgramWords::of_step(step) {
        words.for_each_reading(|command| all.of_command(command, reads));
    }
    all.of_wrappers(step);
    all.name_what_is_elevated(step);
    let own = all.all.len();
    all.of_redirections(step);
    let redirected = own..all.all.len();
    all.of_arguments(step, own > 0);
    all.of_rest(step, reads, redirected);
    let found =
        |(effect, scope, reversible)| StepEffect { effect, scope, reversible, span: step.span.clone() };
    all.all.into_iter().map(found).collect()
}

/// Returns the effects of a command that a part which was not understood may run: those that files and checks know.
pub fn effects_of_words(argv: &[String]) -> Vec<StepEffect> {
    let mut all = StepEffects::default();
    if let Some(words) = ProgramWords::from_argv(argv) {
        words.for_each_reading(|command| all.of_command(command, false));
    }
    let found = |(effect, scope, reversible)| StepEffect { effect, scope, reversible, span: 0..0 };
    all.all.into_iter().map(found).collect()
}

#[derive(Default)]
struct StepEffects {
    all: Vec<FoundEffect>,
    /// True if arguments keep it from deleting what it otherwise would.
    spares: bool,
}

impl StepEffects {
    fn add_effect(
        &mut self,
        effect: CommandEffect,
        scope: impl Into<Option<EffectScope>>,
        reversible: Reversible,
    ) {
        let found = (effect, scope.into(), reversible);
        if !self.all.contains(&found) {
            self.all.push(found);
        }
    }

    fn has_kind(&self, kind: &str) -> bool {
        self.all.iter().any(|(effect, ..)| effect.kind() == kind)
    }

    /// Adds what files and checks tell. A command that only reads has no other effects, with any name and words.
    fn of_command(&mut self, command: &ExaminedCommand<'_>, reads: bool) {
        let shown = shown_by_script(command);
        let only_shows = shown.is_some();
        let is_kept =
            |(effect, ..): &FoundEffect| !only_shows || !matches!(effect, CommandEffect::ControlApp { .. });
        let known = command.program.effects.iter().filter_map(|effect| of_table(effect, command));
        let found = known.filter(is_kept).chain(shown).chain(checks::checked_effects(command));
        for (effect, scope, reversible) in found {
            let counts = matches!(
                effect,
                CommandEffect::Read { .. } | CommandEffect::Fetch { .. } | CommandEffect::UseSecret { .. }
            );
            if !reads || counts {
                self.add_effect(effect, scope, reversible);
            }
        }
        self.spares |= command.program.effects.iter().any(|effect| {
            effect.does == EffectKind::Delete
                && command.matches_any(effect.when)
                && command.matches_any(effect.unless)
        });
        if let Some(words) = command.inner_words().filter(|_| !reads) {
            for (effect, scope, reversible) in effects_of_inner(words) {
                self.add_effect(effect, scope, reversible);
            }
        }
    }

    fn of_wrappers(&mut self, step: &Step) {
        for via in step.via.iter().filter(|via| via.power == Power::Elsewhere) {
            let name = via.argv.first().map(Word::text).unwrap_or_default();
            // They only choose which program of this machine runs.
            let local =
                ["xcrun", "busybox", "toybox", "uutils", "coreutils", "env"].contains(&&*family_of(name));
            if !local && !self.has_kind("run-elsewhere") {
                let (place, name) = ("through".into(), Some(name.to_owned()));
                self.add_effect(
                    CommandEffect::RunElsewhere { place, name },
                    EffectScope::Remote,
                    Reversible::Unknown,
                );
            }
        }
    }

    /// Names the command that a wrapper runs with another user's rights.
    fn name_what_is_elevated(&mut self, step: &Step) {
        let elevates = |via: &&Via| via.power == Power::Elevated;
        let wrappers = step.via.iter().filter(elevates).filter_map(|via| via.argv.first());
        let says: Vec<&str> = wrappers
            .filter_map(|name| known_name(name.text()))
            .flat_map(|known| known.program.effects.iter().map(|effect| effect.says))
            .collect();
        if says.is_empty() {
            return;
        }
        let label = label_of(&step.known_words());
        for (effect, ..) in &mut self.all {
            if let CommandEffect::ChangeSystem { change, names } = effect
                && names.is_empty()
                && !label.is_empty()
                && says.contains(&change.as_written())
            {
                names.push(label.clone());
            }
        }
    }

    fn of_redirections(&mut self, step: &Step) {
        let written: Vec<String> = command::writes(step).map(str::to_owned).collect();
        if !written.is_empty() {
            self.add_effect(CommandEffect::Write { paths: written }, None, Reversible::Unknown);
        }
        let read = step.redirections.iter().filter(|redirection| redirection.kind == RedirectionKind::Read);
        let read: Vec<String> = read.map(|redirection| redirection.target.text().to_owned()).collect();
        if !read.is_empty() {
            self.add_secrets_of(&read);
            self.add_effect(CommandEffect::Read { paths: read }, None, Reversible::Yes);
        }
    }

    fn add_secrets_of(&mut self, paths: &[String]) {
        if let Some(path) = paths.iter().find(|path| super::is_secret(path)) {
            let (how, which) = ("use keys or passwords from".into(), Some(path.clone()));
            self.add_effect(CommandEffect::UseSecret { how, which }, EffectScope::Machine, Reversible::No);
        }
    }

    /// Adds what unsafe arguments do, where no file says it better. `known` says that one tells of the command.
    fn of_arguments(&mut self, step: &Step, known: bool) {
        for unsafe_arg in &step.ways_out {
            let word = step.argv.get(unsafe_arg.argument).map(Word::text).unwrap_or_default();
            let (effect, scope, reversible) = of_argument(unsafe_arg, word, step);
            // A program of sed is a word like a command's name, and so is a mode: no table tells what it runs or allows.
            let is_verb = !word.starts_with('-')
                && !matches!(unsafe_arg.effect, ArgEffect::Shell | ArgEffect::Elevates);
            // A verb is no folder: `git submodule update`.
            let is_place = word.starts_with('-') || word.contains(['/', '.', '~', '$']);
            if unsafe_arg.effect == ArgEffect::Folder && is_place {
                self.set_folder(path_of(unsafe_arg, word, step));
            }
            // What a table says of an installation, or of the value of an option, is more.
            let told = unsafe_arg.effect == ArgEffect::Changes && self.has_kind("install")
                || is_told_by_table(step, word);
            if self.has_kind(effect.kind())
                || told
                || keeps_nothing(&effect)
                || self.spares && unsafe_arg.effect == ArgEffect::Deletes
                || known && is_verb
                || known && matches!(effect, CommandEffect::Unknown { .. })
            {
                continue;
            }
            self.add_effect(effect, scope, reversible);
        }
        self.say_code_once(step);
    }

    /// Leaves out that the program itself runs code, if an argument is that code.
    fn say_code_once(&mut self, step: &Step) {
        let has_code = self.has_kind("run-inline-code");
        for whole in step.ways_out.iter().filter(|way| way.argument == 0 && has_code) {
            let (effect, ..) = of_argument(whole, step.program().unwrap_or_default(), step);
            let is_code = matches!(effect, CommandEffect::RunProjectCode { .. });
            self.all.retain(|(other, ..)| !is_code || *other != effect);
        }
    }

    /// Sets the folder of the project whose code runs, and of the repository that is changed.
    fn set_folder(&mut self, path: Option<&str>) {
        let Some(path) = path else { return };
        for (effect, scope, _) in &mut self.all {
            if let CommandEffect::RunProjectCode { folder, .. }
            | CommandEffect::ChangeRepository { folder, .. } = effect
            {
                *folder = Some(path.to_owned());
                // What others share stays elsewhere.
                *scope = scope.filter(|scope| *scope == EffectScope::Remote);
            }
        }
    }

    /// Adds what the program itself is, where nothing else is known but its redirections: they say nothing of what runs.
    fn of_rest(&mut self, step: &Step, reads: bool, redirected: Range<usize>) {
        if let Some(opaque) = &step.opaque {
            self.of_unparsed(step, opaque.kind, opaque.note().clone());
            return;
        }
        if step.role != Role::Program {
            return;
        }
        let Some(name) = step.program() else {
            return self.add_effect(
                CommandEffect::Unknown { why: UnknownEffectReason::ProgramLater },
                EffectScope::Machine,
                Reversible::Unknown,
            );
        };
        if let Some(script) = step.script.and_then(|at| step.argv.get(at)) {
            let name = Some(script.text().to_owned());
            return self.add_effect(
                CommandEffect::RunProjectCode { what: "the script".into(), name, folder: None },
                EffectScope::Inside,
                Reversible::Unknown,
            );
        }
        let mut others = self.all.iter().enumerate().filter(|(at, _)| !redirected.contains(at));
        if others.any(|(_, (effect, ..))| !matches!(effect, CommandEffect::Read { .. })) {
            return;
        }
        let words = step.known_words();
        let plain = step.ways_out.is_empty() && step.via.iter().all(|via| via.power == Power::Transparent);
        if reads || plain && is_read_only_anyway(&words) {
            if asks_others(&words) {
                self.add_effect(
                    CommandEffect::Fetch { from: Vec::new() },
                    EffectScope::Remote,
                    Reversible::Yes,
                );
            } else if !self.has_kind("read") && redirected.is_empty() {
                self.add_effect(
                    CommandEffect::Read { paths: Vec::new() },
                    EffectScope::Inside,
                    Reversible::Yes,
                );
            }
        } else {
            self.of_program(name, &words);
        }
    }

    /// Adds what running a program means of which nothing else is known.
    fn of_program(&mut self, name: &str, words: &[Option<&str>]) {
        if name.contains('/') && class_of(name) == ProgramClass::Ordinary {
            let name = Some(name.to_owned());
            self.add_effect(
                CommandEffect::RunProjectCode { what: "the program".into(), name, folder: None },
                EffectScope::Inside,
                Reversible::Unknown,
            );
        } else if class_of(name) == ProgramClass::Shell {
            self.add_effect(
                CommandEffect::RunInlineCode { language: family(name) },
                EffectScope::Inside,
                Reversible::Unknown,
            );
        } else {
            self.add_effect(
                CommandEffect::Unknown { why: UnknownEffectReason::Program(label_of(words)) },
                EffectScope::Machine,
                Reversible::Unknown,
            );
        }
    }

    fn of_unparsed(&mut self, step: &Step, kind: Unparsed, note: Note) {
        let language = step.program().filter(|name| class_of(name) != ProgramClass::Ordinary).map(family);
        let is_code = matches!(kind, Unparsed::InlineCode | Unparsed::InputCode | Unparsed::ShellInput);
        let (effect, scope) = if let Some(language) = language.filter(|_| is_code) {
            (CommandEffect::RunInlineCode { language }, EffectScope::Inside)
        } else {
            let sourced = step.argv.get(1).filter(|_| kind == Unparsed::Source);
            let note = match sourced.and_then(|file| file.value.as_deref()) {
                Some(file) => Note::with_text("it runs the commands of ", file, ""),
                None => note,
            };
            (CommandEffect::Unknown { why: UnknownEffectReason::Unparsed(note) }, EffectScope::Machine)
        };
        self.add_effect(effect, scope, Reversible::Unknown);
    }
}

/// Returns true if the program's file has an effect that names the value of this option.
fn is_told_by_table(step: &Step, word: &str) -> bool {
    let option = word.split('=').next().unwrap_or(word);
    let names = |effect: &table::TableEffect| {
        !matches!(effect.does, EffectKind::Write) && effect.out.split_whitespace().any(|one| one == option)
    };
    let program = step.program().and_then(known_name);
    program.is_some_and(|known| known.program.effects.iter().any(names))
}

/// Returns true if a step only reads by its words, and writes nothing.
fn only_reads(step: &Step) -> bool {
    step.ways_out.iter().all(|unsafe_arg| unsafe_arg.effect == ArgEffect::Folder)
        && step.via.iter().all(|via| via.power == Power::Transparent)
        && command::writes(step).next().is_none()
        && step.literal_argv().is_some_and(|argv| is_read_only(&argv))
}

/// Returns true if a step or one of its wrappers is this program and has the effect.
pub(crate) fn has_effect(step: &Step, program: &table::Program, effect: &table::TableEffect) -> bool {
    let mut has = false;
    for words in ProgramWords::of_step(step) {
        words.for_each_reading(|command| {
            has |= program.names.contains(&command.name) && command.meets_effect(effect).is_some();
        });
    }
    has
}

pub(super) fn of_table(effect: &table::TableEffect, command: &ExaminedCommand<'_>) -> Option<FoundEffect> {
    let behind = command.meets_effect(effect)?;
    let table::TableEffect { scope, reversible, .. } = *effect;
    let typed = typed_effect(effect, command, behind);
    if keeps_nothing(&typed) {
        return None;
    }
    let is_local = effect.of == Of::Hosts && {
        let to = effect_words(effect.of, command, behind);
        !to.is_empty() && to.iter().all(|word| is_this_machine(word))
    };
    if is_local {
        return Some((typed, Some(EffectScope::Machine), Reversible::Yes));
    }
    if command.is_one_of(&COPIERS) && typed.affected_paths().iter().any(|path| is_away(path)) {
        // Another check says what is sent there.
        let deletes = matches!(typed, CommandEffect::Delete { .. });
        return deletes.then_some((typed, Some(EffectScope::Remote), Reversible::No));
    }
    Some((typed, scope, reversible))
}

/// Returns true for a write that leaves nothing behind (`curl -o /dev/null`).
fn keeps_nothing(effect: &CommandEffect) -> bool {
    let CommandEffect::Write { paths } = effect else { return false };
    !paths.is_empty() && paths.iter().all(|path| path == "/dev/null")
}

/// Programs of which `host:path` is a file elsewhere.
const COPIERS: [&str; 6] = ["scp", "rsync", "docker", "podman", "nerdctl", "kubectl"];

/// Programs that send mail to people: an address is not its host alone.
const MAILERS: [&str; 6] = ["mail", "mailx", "mutt", "sendmail", "msmtp", "swaks"];

/// Programs that publish under a name which others install by: `npm publish --tag next`.
const TAGGERS: [&str; 3] = ["npm", "pnpm", "yarn"];

/// Programs that fetch images, and nothing else.
const IMAGE_PROGRAMS: [&str; 4] = ["docker", "podman", "nerdctl", "buildah"];

fn typed_effect(effect: &table::TableEffect, command: &ExaminedCommand<'_>, behind: usize) -> CommandEffect {
    let says = || effect.says.into();
    let all = || outputs(effect.out, command).unwrap_or_else(|| effect_words(effect.of, command, behind));
    let first = || all().into_iter().next();
    // All targets of a build are one name: another list of targets is another command.
    let together = || Some(all().join(" ")).filter(|names| !names.is_empty());
    match effect.does {
        EffectKind::Read => CommandEffect::Read { paths: all() },
        EffectKind::Write => CommandEffect::Write { paths: all() },
        EffectKind::Delete => CommandEffect::Delete {
            paths: all(),
            recursive: command.name == "rimraf" || command.matches_any("-r -R --recursive =-delete"),
            found: effect.of == Of::Found,
        },
        EffectKind::RunProjectCode => {
            let option = match command.name {
                "python" => "-m",
                "cmake" => "--target",
                _ => "",
            };
            let by_option = || command.value_of(&[option]).map(str::to_owned);
            CommandEffect::RunProjectCode { what: says(), name: together().or_else(by_option), folder: None }
        }
        EffectKind::RunInlineCode => CommandEffect::RunInlineCode { language: effect.says.to_owned() },
        EffectKind::RunDownloadedCode => CommandEffect::RunDownloadedCode {
            package: first().map(|named| package_of(command, behind, named)),
            host: registry(command, &[]),
        },
        EffectKind::Install => {
            let packages = outputs(effect.out, command).unwrap_or_else(|| packages(command, behind));
            CommandEffect::Install { packages, place: effect.place }
        }
        EffectKind::Fetch => {
            let words = far_words(effect, command, behind);
            let from = if command.is_one_of(&IMAGE_PROGRAMS) {
                words.iter().map(|image| source_of_image(image, command.name)).collect()
            } else {
                reached(command, words)
            };
            CommandEffect::Fetch { from }
        }
        EffectKind::Send => CommandEffect::Send {
            what: says(),
            to: receivers(effect, command, behind),
            branch: branches_there(command, behind),
        },
        EffectKind::Publish => publication(effect, command, behind, all()),
        EffectKind::ChangeRepository => {
            CommandEffect::ChangeRepository { change: says(), names: all(), folder: None }
        }
        EffectKind::RunElsewhere => CommandEffect::RunElsewhere { place: says(), name: first() },
        EffectKind::ChangeSystem => CommandEffect::ChangeSystem { change: says(), names: all() },
        EffectKind::ControlApp => CommandEffect::ControlApp { how: says(), app: first() },
        EffectKind::UseSecret => CommandEffect::UseSecret { how: says(), which: first() },
        EffectKind::Serve => CommandEffect::Serve { what: says(), port: None },
    }
}

fn publication(
    effect: &table::TableEffect,
    command: &ExaminedCommand<'_>,
    behind: usize,
    what: Vec<String>,
) -> CommandEffect {
    let last = effect_words(if what.is_empty() { Of::None } else { Of::Last }, command, behind);
    let host = registry(command, &last);
    let tag = if command.is_one_of(&TAGGERS) { command.value_of(&["--tag"]) } else { None };
    CommandEffect::Publish { what, place: effect.says.into(), host, tag: tag.map(str::to_owned) }
}

/// Returns whom or what a command sends something to.
fn receivers(effect: &table::TableEffect, command: &ExaminedCommand<'_>, behind: usize) -> Vec<String> {
    if command.is_one_of(&MAILERS) {
        effect_words(effect.of, command, behind)
    } else {
        reached(command, far_words(effect, command, behind))
    }
}

/// Returns the registry that the words of a command name.
fn registry(command: &ExaminedCommand<'_>, what: &[String]) -> Option<String> {
    let options = ["--registry", "--index-url", "--repository-url", "--publish-url"];
    let named = command.value_of(&options);
    let named = named.or_else(|| command.value_of(&["--host"]).filter(|_| command.is_one_of(&["gem"])));
    let source = || command.value_of(&["-s", "--source"]).filter(|_| command.is_one_of(&["dotnet"]));
    let named = named.or_else(source);
    if let Some(word) = named {
        return Some(machine_of(word).unwrap_or(word).to_owned());
    }
    let last = what.last()?;
    let image = command.is_one_of(&IMAGE_PROGRAMS).then(|| registry_of_image(last, command.name)).flatten();
    let place = || machine_of(last).filter(|_| last.contains("://"));
    image.or_else(place).map(str::to_owned)
}

/// Programs of which every operand is an address, whatever it looks like.
const FETCHERS: [&str; 2] = ["curl", "wget"];

fn effect_words(of: Of, command: &ExaminedCommand<'_>, behind: usize) -> Vec<String> {
    let operands: Vec<&str> = command.operands(behind).into_iter().filter(|word| !word.is_empty()).collect();
    if of == Of::Found {
        let folder = command.args.first().filter(|word| !word.starts_with('-')).unwrap_or(&".");
        let name = command.value_of(&["-name", "-iname"]).map(|name| format!("/{name}")).unwrap_or_default();
        return vec![format!("{folder}/**{name}")];
    }
    let some: Vec<&str> = match of {
        Of::None | Of::Found => Vec::new(),
        Of::All => operands,
        Of::First => operands.into_iter().take(1).collect(),
        Of::Rest => operands.into_iter().skip(1).collect(),
        Of::Last => operands.last().copied().into_iter().collect(),
        Of::Paths => {
            let end = command.args.iter().position(|word| *word == "--");
            command.operands(end.map_or(behind, |at| behind.max(at + 1)))
        }
        Of::Hosts if command.is_one_of(&FETCHERS) => {
            operands.into_iter().chain(command.values_of("--url")).map(own_address).collect()
        }
        Of::Hosts => operands.into_iter().filter(|word| machine_of(word).is_some()).collect(),
        // An option before the command is none.
        Of::Verb => command.verb_before(behind).filter(|word| !word.starts_with('-')).into_iter().collect(),
    };
    some.into_iter().filter(|word| *word != "/dev/null").map(str::to_owned).collect()
}

/// Returns the hosts of addresses among the words; other words are names of remotes. An address whose host is more than plain
/// characters stands for itself.
fn machines(words: Vec<String>) -> Vec<String> {
    let host = |word: &String| machine_of(word).filter(|host| is_plain(host)).map(str::to_owned);
    words.into_iter().map(|word| host(&word).unwrap_or(word)).collect()
}

/// Returns the words that a transfer goes to. What may be the value of an option does not stand for the first of them.
fn far_words(effect: &table::TableEffect, command: &ExaminedCommand<'_>, behind: usize) -> Vec<String> {
    let first = || command.perhaps_first(behind).into_iter().map(str::to_owned).collect::<Vec<_>>();
    let words = || if effect.of == Of::First { first() } else { effect_words(effect.of, command, behind) };
    outputs(effect.out, command).unwrap_or_else(words)
}

/// Returns the hosts, remotes and repositories that a command reaches.
fn reached(command: &ExaminedCommand<'_>, words: Vec<String>) -> Vec<String> {
    let mut all = machines(words);
    all.extend(repositories_of(command).into_iter().map(str::to_owned));
    all
}

/// Returns the values of options that say what an effect is about: mostly the files that are written.
fn outputs(options: &str, command: &ExaminedCommand<'_>) -> Option<Vec<String>> {
    let by_word = command.args.iter().filter_map(|word| word.strip_prefix("of="));
    let mut all: Vec<&str> = by_word.filter(|_| command.is_one_of(&["dd"])).collect();
    all.extend(options.split_whitespace().flat_map(|option| command.values_of(option)));
    (!all.is_empty()).then(|| all.into_iter().filter(|path| *path != "-").map(str::to_owned).collect())
}

/// Programs that install from lists of packages.
const LISTERS: [&str; 8] = ["pip", "pip3", "pipx", "uv", "pipenv", "conda", "mamba", "micromamba"];

/// Returns the packages that an installation names. Lists of packages and the project alone name none.
///
/// Beside a named package they count, too: they may bring in any code. A folder is no package of its name.
fn packages(command: &ExaminedCommand<'_>, behind: usize) -> Vec<String> {
    let lists = values_of_lister(command, &["-r", "--requirement", "--requirements", "--file"]);
    let projects = values_of_lister(command, &["-e", "--editable", "--pip-args"]);
    let mut all = command.operands(behind);
    let more = lists.iter().copied().chain(projects);
    let attached: Vec<&str> = more.filter(|word| !all.contains(word)).collect();
    all.extend(attached);
    let names_none = |word: &&str| (*word == "." || lists.contains(word)) && !word.contains("://");
    let editable = values_of_lister(command, &["-e", "--editable"]);
    let named = |word: &str| {
        let is_folder = editable.contains(&word) && !word.starts_with(['.', '/', '~']) && !word.contains(':');
        if is_folder { format!("./{word}") } else { word.to_owned() }
    };
    if all.iter().all(names_none) { Vec::new() } else { all.into_iter().map(named).collect() }
}

/// Returns the values that such a program has for these options.
fn values_of_lister<'a>(command: &ExaminedCommand<'a>, options: &[&str]) -> Vec<&'a str> {
    let options = options.iter().filter(|_| command.is_one_of(&LISTERS));
    options.flat_map(|option| command.values_of(option)).collect()
}
