//! The effects of a step, from everything that is known about it.

use postern_programs::{EffectKind, Of};

use super::checks::{self, FoundEffect};
use super::command::{self, ExaminedCommand, ProgramWords, word_text};
use super::host::{is_plain, machine_of, registry_of_image};
use super::{CommandEffect, EffectScope, Reversible, StepEffect, UnknownEffectReason};
use crate::programs::table;
use crate::programs::{
    ProgramClass, asks_others, class_of, command_words, family, family_of, is_read_only, is_read_only_anyway,
};
use crate::{ArgEffect, ArgFact, ParsedCommand, Power, RedirectionKind, Role, Step, Unparsed, UnsafeArg};

/// Returns the effects of every step of a reading, in order.
pub fn effects_of_command(reading: &ParsedCommand) -> Vec<Vec<StepEffect>> {
    let mut all: Vec<Vec<StepEffect>> = reading.steps.iter().map(effects_of).collect();
    if let Some((at, source)) = runs_what_it_fetched(&reading.steps) {
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
    all.of_redirections(step);
    all.of_arguments(step);
    all.of_rest(step, reads);
    let found =
        |(effect, scope, reversible)| StepEffect { effect, scope, reversible, span: step.span.clone() };
    all.0.into_iter().map(found).collect()
}

/// Returns the effects of a command that a part which was not understood may run: those that files and checks know.
pub fn effects_of_words(argv: &[String]) -> Vec<StepEffect> {
    let mut all = StepEffects::default();
    if let Some(words) = ProgramWords::from_argv(argv) {
        words.for_each_reading(|command| all.of_command(command, false));
    }
    let found = |(effect, scope, reversible)| StepEffect { effect, scope, reversible, span: 0..0 };
    all.0.into_iter().map(found).collect()
}

#[derive(Default)]
struct StepEffects(Vec<FoundEffect>);

impl StepEffects {
    fn add_effect(
        &mut self,
        effect: CommandEffect,
        scope: impl Into<Option<EffectScope>>,
        reversible: Reversible,
    ) {
        let found = (effect, scope.into(), reversible);
        if !self.0.contains(&found) {
            self.0.push(found);
        }
    }

    fn has_kind(&self, kind: &str) -> bool {
        self.0.iter().any(|(effect, ..)| effect.kind() == kind)
    }

    /// Adds what files and checks tell. A command that only reads has no other effects, with any name and words.
    fn of_command(&mut self, command: &ExaminedCommand<'_>, reads: bool) {
        let known = command.program.effects.iter().filter_map(|effect| of_table(effect, command));
        for (effect, scope, reversible) in known.chain(checks::checked_effects(command)) {
            let counts = matches!(
                effect,
                CommandEffect::Read { .. } | CommandEffect::Fetch { .. } | CommandEffect::UseSecret { .. }
            );
            if !reads || counts {
                self.add_effect(effect, scope, reversible);
            }
        }
    }

    fn of_wrappers(&mut self, step: &Step) {
        for via in step.via.iter().filter(|via| via.power == Power::Elsewhere) {
            let name = via.argv.first().map(word_text).unwrap_or_default();
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

    fn of_redirections(&mut self, step: &Step) {
        let written: Vec<String> = command::writes(step).map(str::to_owned).collect();
        if !written.is_empty() {
            self.add_effect(CommandEffect::Write { paths: written }, None, Reversible::Unknown);
        }
        let read = step.redirections.iter().filter(|redirection| redirection.kind == RedirectionKind::Read);
        let read: Vec<String> = read.map(|redirection| word_text(&redirection.target).to_owned()).collect();
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

    /// Adds what unsafe arguments do, where no file says it better.
    fn of_arguments(&mut self, step: &Step) {
        let known = !self.0.is_empty();
        for unsafe_arg in &step.ways_out {
            let word = step.argv.get(unsafe_arg.argument).map(word_text).unwrap_or_default();
            let (effect, scope, reversible) = of_argument(unsafe_arg, word, step);
            let is_verb = !word.starts_with('-');
            if self.has_kind(effect.kind())
                || known && is_verb
                || known && matches!(effect, CommandEffect::Unknown { .. })
            {
                continue;
            }
            self.add_effect(effect, scope, reversible);
        }
    }

    /// Adds what the program itself is, where nothing else is known.
    fn of_rest(&mut self, step: &Step, reads: bool) {
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
            let name = Some(word_text(script).to_owned());
            return self.add_effect(
                CommandEffect::RunProjectCode { what: "the script".into(), name },
                EffectScope::Inside,
                Reversible::Unknown,
            );
        }
        if self.0.iter().any(|(effect, ..)| !matches!(effect, CommandEffect::Read { .. })) {
            return;
        }
        let words: Vec<Option<&str>> = step.argv.iter().map(|word| word.value.as_deref()).collect();
        let plain = step.ways_out.is_empty() && step.via.iter().all(|via| via.power == Power::Transparent);
        if reads || plain && is_read_only_anyway(&words) {
            if asks_others(&words) {
                self.add_effect(
                    CommandEffect::Fetch { from: Vec::new() },
                    EffectScope::Remote,
                    Reversible::Yes,
                );
            } else if !self.has_kind("read") {
                self.add_effect(
                    CommandEffect::Read { paths: Vec::new() },
                    EffectScope::Inside,
                    Reversible::Yes,
                );
            }
        } else {
            self.of_program(name, words);
        }
    }

    /// Adds what running a program means of which nothing else is known.
    fn of_program(&mut self, name: &str, words: Vec<Option<&str>>) {
        if name.contains('/') && class_of(name) == ProgramClass::Ordinary {
            let name = Some(name.to_owned());
            self.add_effect(
                CommandEffect::RunProjectCode { what: "the program".into(), name },
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
            let known: Vec<&str> = words.into_iter().map_while(|word| word).collect();
            let label = command_words(&known).join(" ");
            self.add_effect(
                CommandEffect::Unknown { why: UnknownEffectReason::Program(label) },
                EffectScope::Machine,
                Reversible::Unknown,
            );
        }
    }

    fn of_unparsed(&mut self, step: &Step, kind: Unparsed, note: crate::Note) {
        let language = step.program().filter(|name| class_of(name) != ProgramClass::Ordinary).map(family);
        match (kind, language) {
            (Unparsed::InlineCode | Unparsed::InputCode | Unparsed::ShellInput, Some(language)) => {
                self.add_effect(
                    CommandEffect::RunInlineCode { language },
                    EffectScope::Inside,
                    Reversible::Unknown,
                );
            }
            _ => self.add_effect(
                CommandEffect::Unknown { why: UnknownEffectReason::Unparsed(note) },
                EffectScope::Machine,
                Reversible::Unknown,
            ),
        }
    }
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

/// Returns an effect of the tables, if a command has it.
fn of_table(effect: &table::TableEffect, command: &ExaminedCommand<'_>) -> Option<FoundEffect> {
    let behind = command.meets_effect(effect)?;
    let table::TableEffect { scope, reversible, .. } = *effect;
    Some((typed_effect(effect, command, behind), scope, reversible))
}

fn typed_effect(effect: &table::TableEffect, command: &ExaminedCommand<'_>, behind: usize) -> CommandEffect {
    let says = || effect.says.into();
    let all = || effect_words(effect.of, command, behind);
    let first = || all().into_iter().next();
    match effect.does {
        EffectKind::Read => CommandEffect::Read { paths: all() },
        EffectKind::Write => CommandEffect::Write { paths: outputs(command).unwrap_or_else(all) },
        EffectKind::Delete => CommandEffect::Delete {
            paths: all(),
            recursive: command.matches_any("-r -R --recursive =-delete"),
        },
        EffectKind::RunProjectCode => {
            let module = || {
                command.is_one_of(&["python"]).then(|| command.value_of(&["-m"])).flatten().map(str::to_owned)
            };
            CommandEffect::RunProjectCode { what: says(), name: first().or_else(module) }
        }
        EffectKind::RunInlineCode => CommandEffect::RunInlineCode { language: effect.says.to_owned() },
        EffectKind::RunDownloadedCode => CommandEffect::RunDownloadedCode { package: first(), host: None },
        EffectKind::Install => {
            CommandEffect::Install { packages: packages(command, behind), place: effect.place }
        }
        EffectKind::Fetch => CommandEffect::Fetch { from: machines(all()) },
        EffectKind::Send => CommandEffect::Send { what: says(), to: machines(all()) },
        EffectKind::Publish => {
            let what = all();
            let host = registry(command, &what);
            CommandEffect::Publish { what, place: says(), host }
        }
        EffectKind::ChangeRepository => CommandEffect::ChangeRepository { change: says(), names: all() },
        EffectKind::RunElsewhere => CommandEffect::RunElsewhere { place: says(), name: first() },
        EffectKind::ChangeSystem => CommandEffect::ChangeSystem { change: says(), names: all() },
        EffectKind::ControlApp => CommandEffect::ControlApp { how: says(), app: first() },
        EffectKind::UseSecret => CommandEffect::UseSecret { how: says(), which: first() },
        EffectKind::Serve => CommandEffect::Serve { what: says(), port: None },
    }
}

/// Returns the registry that the words of a command name.
fn registry(command: &ExaminedCommand<'_>, what: &[String]) -> Option<String> {
    let options = ["--registry", "--index-url", "--repository-url", "--publish-url"];
    let named = command.value_of(&options);
    let named = named.or_else(|| command.value_of(&["--host"]).filter(|_| command.is_one_of(&["gem"])));
    if let Some(word) = named {
        return Some(machine_of(word).unwrap_or(word).to_owned());
    }
    let last = what.last()?;
    if command.is_one_of(&["docker"]) {
        // What names no host is in the registry that docker has built in; podman has settings for it.
        return Some(registry_of_image(last).unwrap_or("docker.io").to_owned());
    }
    let image =
        command.is_one_of(&["podman", "nerdctl", "buildah"]).then(|| registry_of_image(last)).flatten();
    let place = || machine_of(last).filter(|_| last.contains("://"));
    image.or_else(place).map(str::to_owned)
}

/// Programs of which every operand is an address, whatever it looks like.
const FETCHERS: [&str; 2] = ["curl", "wget"];

fn effect_words(of: Of, command: &ExaminedCommand<'_>, behind: usize) -> Vec<String> {
    let operands = command.operands(behind);
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
        Of::Hosts if command.is_one_of(&FETCHERS) => {
            operands.into_iter().chain(command.values_of("--url")).collect()
        }
        Of::Hosts => operands.into_iter().filter(|word| machine_of(word).is_some()).collect(),
        Of::Verb => command.verb_before(behind).into_iter().collect(),
    };
    some.into_iter().filter(|word| !word.is_empty() && *word != "/dev/null").map(str::to_owned).collect()
}

/// Returns the hosts of addresses among the words; other words are names of remotes. An address whose host is more than plain
/// characters stands for itself.
fn machines(words: Vec<String>) -> Vec<String> {
    let host = |word: &String| machine_of(word).filter(|host| is_plain(host)).map(str::to_owned);
    words.into_iter().map(|word| host(&word).unwrap_or(word)).collect()
}

/// Returns the file that a program is told to write by an option.
fn outputs(command: &ExaminedCommand<'_>) -> Option<Vec<String>> {
    let options: &[&str] = match command.name {
        "dd" => {
            return command
                .args
                .iter()
                .find_map(|word| word.strip_prefix("of="))
                .map(|path| vec![path.to_owned()]);
        }
        "curl" => &["--output", "-o"],
        "wget" => &["-O"],
        _ => return None,
    };
    let path = command.value_of(options)?;
    Some(Some(path).filter(|path| *path != "-").map(str::to_owned).into_iter().collect())
}

/// Returns the packages that an installation names, without the files of their lists.
fn packages(command: &ExaminedCommand<'_>, behind: usize) -> Vec<String> {
    let of_list = command.value_of(&["-r", "--requirement"]);
    let named = command.operands(behind).into_iter().filter(|word| Some(*word) != of_list && *word != ".");
    named.map(str::to_owned).collect()
}

/// Returns what an unsafe argument does.
#[expect(clippy::too_many_lines, reason = "one line for each kind of unsafe argument")]
fn of_argument(unsafe_arg: &UnsafeArg, word: &str, step: &Step) -> FoundEffect {
    use Reversible::{No, Unknown};
    let value = || word.split_once('=').map(|(_, value)| value.to_owned()).or_else(|| Some(word.to_owned()));
    let path = || {
        let next =
            step.argv.get(unsafe_arg.argument + 1).map(word_text).filter(|next| !next.starts_with('-'));
        let inner = word.split_once('=').map(|(_, value)| value);
        let own = (!word.starts_with('-')).then_some(word);
        own.or(inner).or(next).map(str::to_owned).into_iter().collect::<Vec<_>>()
    };
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
        ArgEffect::Deletes => (CommandEffect::Delete { paths: path(), recursive: true }, None, No),
        ArgEffect::Reads => (CommandEffect::Read { paths: path() }, None, Reversible::Yes),
        ArgEffect::NamedCode => {
            let named = matches!(unsafe_arg.fact(), ArgFact::Mark { .. });
            (
                CommandEffect::RunProjectCode { what: "the module".into(), name: value().filter(|_| named) },
                Some(EffectScope::Inside),
                Unknown,
            )
        }
        ArgEffect::Shell | ArgEffect::Code => {
            let language = step.program().map(family).unwrap_or_default();
            (CommandEffect::RunInlineCode { language }, Some(EffectScope::Inside), Unknown)
        }
        ArgEffect::Fetches => (
            CommandEffect::RunDownloadedCode { package: value(), host: None },
            Some(EffectScope::Remote),
            Unknown,
        ),
        ArgEffect::Remote => (
            CommandEffect::RunElsewhere { place: "through".into(), name: step.program().map(str::to_owned) },
            Some(EffectScope::Remote),
            Unknown,
        ),
        ArgEffect::Sends => (
            CommandEffect::Send { what: "send data".into(), to: Vec::new() },
            Some(EffectScope::Remote),
            Unknown,
        ),
        ArgEffect::Secrets => {
            let which = step.program().map(str::to_owned);
            (
                CommandEffect::UseSecret { how: "use passwords or keys through".into(), which },
                Some(EffectScope::Inside),
                Unknown,
            )
        }
        ArgEffect::Serves => (
            CommandEffect::Serve { what: "open a port".into(), port: None },
            Some(EffectScope::Machine),
            Unknown,
        ),
        ArgEffect::Elevates => {
            let change = "let a file run with its owner’s rights:".into();
            (CommandEffect::ChangeSystem { change, names: path() }, Some(EffectScope::Machine), No)
        }
        ArgEffect::Changes => {
            let names = step.program().map(str::to_owned).into_iter().collect();
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

/// Returns the step that runs a download or a decoded text, and the source.
///
/// That is a fetch before a shell or an interpreter that takes its code from its input, or within a text that
/// a shell runs.
fn runs_what_it_fetched(steps: &[Step]) -> Option<(usize, Option<String>)> {
    const FETCHES: [&str; 8] = ["curl", "wget", "fetch", "nc", "ncat", "base64", "xxd", "openssl"];
    const CODE: &str = "-c -e -E -p -r -m --eval --print";
    let fetches = |step: &&Step| step.program().is_some_and(|name| FETCHES.contains(&&*family_of(name)));
    let by_input = |step: &Step| {
        let class = step.program().map_or(ProgramClass::Ordinary, class_of);
        let given = || {
            class == ProgramClass::Interpreter
                && ProgramWords::of_step(step).last().is_some_and(|words| {
                    let mut is_given = false;
                    words.for_each_reading(|command| is_given |= command.matches_any(CODE));
                    is_given
                })
        };
        matches!(class, ProgramClass::Shell | ProgramClass::Interpreter) && step.script.is_none() && !given()
    };
    let by_text = |step: &Step| {
        let is_shell = |name: Option<&str>| {
            name.is_none_or(|name| class_of(name) == ProgramClass::Shell || name == "eval")
        };
        step.opaque.is_some() && is_shell(step.program())
    };
    let (from, fetch) = steps.iter().enumerate().find(|(_, step)| fetches(step))?;
    let holds = |step: &Step| step.span.start <= fetch.span.start && fetch.span.end <= step.span.end;
    let runs = |(at, step): (usize, &Step)| {
        at > from && by_input(step) || at != from && by_text(step) && holds(step)
    };
    let at = steps.iter().enumerate().position(runs)?;
    let source = fetch.argv.iter().skip(1).map(word_text).find_map(machine_of).map(str::to_owned);
    Some((at, source))
}
