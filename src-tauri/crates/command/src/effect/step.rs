//! The effects of a step, from everything that is known about it.

use super::checks::{self, Told};
use super::host::machine_of;
use super::seen::{self, Seen, text};
use super::verbs::{self, Does, Of, Row};
use super::{Effect, Reversible, Scope, StepEffect, Why};
use crate::programs::{Class, arity, asks_others, class_of, family, is_read_only, is_read_only_anyway};
use crate::{ArgEffect, ArgFact, Power, Reading, RedirectionKind, Role, Step, Unparsed, UnsafeArg};

/// Returns the effects of every step of a reading, in order.
pub fn effects_of_reading(reading: &Reading) -> Vec<Vec<StepEffect>> {
    let mut all: Vec<Vec<StepEffect>> = reading.steps.iter().map(effects_of).collect();
    if let Some((at, source)) = runs_what_it_fetched(&reading.steps) {
        all[at].retain(|found| {
            !matches!(found.effect, Effect::RunInlineCode { .. } | Effect::RunProjectCode { .. })
        });
        all[at].insert(
            0,
            StepEffect {
                effect: Effect::RunDownloadedCode { package: None, host: source },
                scope: Some(Scope::Remote),
                reversible: Reversible::No,
                span: reading.steps[at].span.clone(),
            },
        );
    }
    all
}

/// Returns the effects of a step.
pub fn effects_of(step: &Step) -> Vec<StepEffect> {
    let mut all = Effects::default();
    let reads = only_reads(step);
    for seen in seen::of_step(step) {
        all.of_words(&seen, reads);
    }
    all.of_wrappers(step);
    all.of_redirections(step);
    all.of_arguments(step);
    all.of_rest(step, reads);
    let found =
        |(effect, scope, reversible)| StepEffect { effect, scope, reversible, span: step.span.clone() };
    all.0.into_iter().map(found).collect()
}

/// Returns the effects of a command that a part which was not understood may run: those that rows and checks know.
pub fn effects_of_words(argv: &[String]) -> Vec<StepEffect> {
    let mut all = Effects::default();
    if let Some(seen) = Seen::of_words(argv) {
        all.of_words(&seen, false);
    }
    let found = |(effect, scope, reversible)| StepEffect { effect, scope, reversible, span: 0..0 };
    all.0.into_iter().map(found).collect()
}

#[derive(Default)]
struct Effects(Vec<Told>);

impl Effects {
    fn add(&mut self, effect: Effect, scope: impl Into<Option<Scope>>, reversible: Reversible) {
        let found = (effect, scope.into(), reversible);
        if !self.0.contains(&found) {
            self.0.push(found);
        }
    }

    fn has(&self, kind: &str) -> bool {
        self.0.iter().any(|(effect, ..)| effect.kind() == kind)
    }

    /// Adds what rows and checks tell. A command that only reads has no other effects, with any name and words.
    fn of_words(&mut self, seen: &Seen<'_>, reads: bool) {
        let known = verbs::of(&seen.name).iter().filter_map(|row| of_row(row, seen));
        for (effect, scope, reversible) in known.chain(checks::all(seen)) {
            let counts =
                matches!(effect, Effect::Read { .. } | Effect::Fetch { .. } | Effect::UseSecret { .. });
            if !reads || counts {
                self.add(effect, scope, reversible);
            }
        }
    }

    fn of_wrappers(&mut self, step: &Step) {
        for via in step.via.iter().filter(|via| via.power == Power::Elsewhere) {
            let name = via.argv.first().map(text).unwrap_or_default();
            // They only choose which program of this machine runs.
            let local =
                ["xcrun", "busybox", "toybox", "uutils", "coreutils", "env"].contains(&family(name).as_str());
            if !local && !self.has("run-elsewhere") {
                let (place, name) = ("through".into(), Some(name.to_owned()));
                self.add(Effect::RunElsewhere { place, name }, Scope::Remote, Reversible::Unknown);
            }
        }
    }

    fn of_redirections(&mut self, step: &Step) {
        let written: Vec<String> = seen::writes(step).map(str::to_owned).collect();
        if !written.is_empty() {
            self.add(Effect::Write { paths: written }, None, Reversible::Unknown);
        }
        let read = step.redirections.iter().filter(|redirection| redirection.kind == RedirectionKind::Read);
        let read: Vec<String> = read.map(|redirection| text(&redirection.target).to_owned()).collect();
        if !read.is_empty() {
            self.add_secrets_of(&read);
            self.add(Effect::Read { paths: read }, None, Reversible::Yes);
        }
    }

    fn add_secrets_of(&mut self, paths: &[String]) {
        if let Some(path) = paths.iter().find(|path| super::is_secret(path)) {
            let (how, which) = ("use keys or passwords from".into(), Some(path.clone()));
            self.add(Effect::UseSecret { how, which }, Scope::Machine, Reversible::No);
        }
    }

    /// Adds what unsafe arguments do, where no row says it better.
    fn of_arguments(&mut self, step: &Step) {
        let known = !self.0.is_empty();
        for unsafe_arg in &step.ways_out {
            let word = step.argv.get(unsafe_arg.argument).map(text).unwrap_or_default();
            let (effect, scope, reversible) = of_argument(unsafe_arg, word, step);
            let is_verb = !word.starts_with('-');
            if self.has(effect.kind())
                || known && is_verb
                || known && matches!(effect, Effect::Unknown { .. })
            {
                continue;
            }
            self.add(effect, scope, reversible);
        }
    }

    /// Adds what the program itself is, where nothing else is known.
    fn of_rest(&mut self, step: &Step, reads: bool) {
        if let Some(opaque) = &step.opaque {
            self.of_opaque(step, opaque.kind, opaque.note().clone());
            return;
        }
        if step.role != Role::Program {
            return;
        }
        let Some(name) = step.program() else {
            return self.add(Effect::Unknown { why: Why::ProgramLater }, Scope::Machine, Reversible::Unknown);
        };
        if let Some(script) = step.script.and_then(|at| step.argv.get(at)) {
            let name = Some(text(script).to_owned());
            return self.add(
                Effect::RunProjectCode { what: "the script".into(), name },
                Scope::Inside,
                Reversible::Unknown,
            );
        }
        if self.0.iter().any(|(effect, ..)| !matches!(effect, Effect::Read { .. })) {
            return;
        }
        let words: Vec<Option<&str>> = step.argv.iter().map(|word| word.value.as_deref()).collect();
        let plain = step.ways_out.is_empty() && step.via.iter().all(|via| via.power == Power::Transparent);
        if reads || plain && is_read_only_anyway(&words) {
            if asks_others(&words) {
                self.add(Effect::Fetch { from: Vec::new() }, Scope::Remote, Reversible::Yes);
            } else if !self.has("read") {
                self.add(Effect::Read { paths: Vec::new() }, Scope::Inside, Reversible::Yes);
            }
        } else if name.contains('/') && class_of(name) == Class::Ordinary {
            let name = Some(name.to_owned());
            self.add(
                Effect::RunProjectCode { what: "the program".into(), name },
                Scope::Inside,
                Reversible::Unknown,
            );
        } else if class_of(name) == Class::Shell {
            self.add(Effect::RunInlineCode { language: family(name) }, Scope::Inside, Reversible::Unknown);
        } else {
            let known: Vec<&str> = words.into_iter().map_while(|word| word).collect();
            let label = known.get(..arity(&known).clamp(1, known.len().max(1))).unwrap_or(&known).join(" ");
            self.add(Effect::Unknown { why: Why::Program(label) }, Scope::Machine, Reversible::Unknown);
        }
    }

    fn of_opaque(&mut self, step: &Step, kind: Unparsed, note: crate::Note) {
        let language = step.program().filter(|name| class_of(name) != Class::Ordinary).map(family);
        match (kind, language) {
            (Unparsed::InlineCode | Unparsed::InputCode | Unparsed::ShellInput, Some(language)) => {
                self.add(Effect::RunInlineCode { language }, Scope::Inside, Reversible::Unknown);
            }
            _ => self.add(Effect::Unknown { why: Why::Unparsed(note) }, Scope::Machine, Reversible::Unknown),
        }
    }
}

/// Returns true if a step only reads by its words, and writes nothing.
fn only_reads(step: &Step) -> bool {
    step.ways_out.iter().all(|unsafe_arg| unsafe_arg.effect == ArgEffect::Folder)
        && step.via.iter().all(|via| via.power == Power::Transparent)
        && seen::writes(step).next().is_none()
        && step.literal_argv().is_some_and(|argv| is_read_only(&argv))
}

fn of_row(row: &Row, seen: &Seen<'_>) -> Option<Told> {
    let behind = seen.behind_verb(row.verb)?;
    let met = (row.when.is_empty() || seen.meets(row.when)) && !seen.meets(row.unless);
    met.then(|| (effect(row.does, seen, behind), row.scope, row.reversible))
}

fn effect(does: Does, seen: &Seen<'_>, behind: usize) -> Effect {
    let all = |of: Of| words(of, seen, behind);
    let first = |of: Of| words(of, seen, behind).into_iter().next();
    match does {
        Does::Reads(of) => Effect::Read { paths: all(of) },
        Does::Writes(of) => Effect::Write { paths: outputs(seen).unwrap_or_else(|| all(of)) },
        Does::Deletes(of) => {
            let recursive = seen.meets("-r -R --recursive -delete");
            Effect::Delete { paths: all(of), recursive }
        }
        Does::Project(what, of) => {
            let module = || seen.is(&["python"]).then(|| seen.value_of(&["-m"])).flatten().map(str::to_owned);
            Effect::RunProjectCode { what: what.into(), name: first(of).or_else(module) }
        }
        Does::Inline(language) => Effect::RunInlineCode { language: language.to_owned() },
        Does::Downloaded(of) => Effect::RunDownloadedCode { package: first(of), host: None },
        Does::Installs(place) => Effect::Install { packages: packages(seen, behind), place },
        Does::Fetches(of) => Effect::Fetch { from: machines(all(of)) },
        Does::Sends(what, of) => Effect::Send { what: what.into(), to: machines(all(of)) },
        Does::Publishes(place, of) => {
            let named = seen.value_of(&["--registry", "--index-url", "--repository-url", "--publish-url"]);
            let host = named.map(|word| machine_of(word).unwrap_or(word).to_owned());
            Effect::Publish { what: all(of), place: place.into(), host }
        }
        Does::Repository(change, of) => Effect::ChangeRepository { change: change.into(), names: all(of) },
        Does::Elsewhere(place, of) => Effect::RunElsewhere { place: place.into(), name: first(of) },
        Does::System(change, of) => Effect::ChangeSystem { change: change.into(), names: all(of) },
        Does::App(how, of) => Effect::ControlApp { how: how.into(), app: first(of) },
        Does::Secret(how, of) => Effect::UseSecret { how: how.into(), which: first(of) },
        Does::Serves(what) => Effect::Serve { what: what.into(), port: None },
    }
}

fn words(of: Of, seen: &Seen<'_>, behind: usize) -> Vec<String> {
    let operands = seen.operands(behind);
    if of == Of::Found {
        let folder = seen.args.first().filter(|word| !word.starts_with('-')).unwrap_or(&".");
        let name = seen.value_of(&["-name", "-iname"]).map(|name| format!("/{name}")).unwrap_or_default();
        return vec![format!("{folder}/**{name}")];
    }
    let some: Vec<&str> = match of {
        Of::No | Of::Found => Vec::new(),
        Of::All => operands,
        Of::First => operands.into_iter().take(1).collect(),
        Of::Rest => operands.into_iter().skip(1).collect(),
        Of::Last => operands.last().copied().into_iter().collect(),
        Of::Hosts => operands.into_iter().filter(|word| machine_of(word).is_some()).collect(),
        Of::Verb => behind
            .checked_sub(1)
            .and_then(|at| seen.args.get(at))
            .or(seen.args.first())
            .copied()
            .into_iter()
            .collect(),
    };
    some.into_iter().filter(|word| !word.is_empty() && *word != "/dev/null").map(str::to_owned).collect()
}

/// Returns the hosts of addresses among the words; other words are names of remotes.
fn machines(words: Vec<String>) -> Vec<String> {
    words.into_iter().map(|word| machine_of(&word).map_or(word.clone(), str::to_owned)).collect()
}

/// Returns the file that a program is told to write by an option.
fn outputs(seen: &Seen<'_>) -> Option<Vec<String>> {
    let options: &[&str] = match seen.name.as_str() {
        "dd" => {
            return seen
                .args
                .iter()
                .find_map(|word| word.strip_prefix("of="))
                .map(|path| vec![path.to_owned()]);
        }
        "curl" => &["--output", "-o"],
        "wget" => &["-O"],
        _ => return None,
    };
    seen.value_of(options).map(|path| vec![path.to_owned()])
}

/// Returns the packages that an installation names, without the files of their lists.
fn packages(seen: &Seen<'_>, behind: usize) -> Vec<String> {
    let of_list = seen.value_of(&["-r", "--requirement"]);
    let named = seen.operands(behind).into_iter().filter(|word| Some(*word) != of_list && *word != ".");
    named.map(str::to_owned).collect()
}

/// Returns what an unsafe argument does.
#[expect(clippy::too_many_lines, reason = "one line for each kind of unsafe argument")]
fn of_argument(unsafe_arg: &UnsafeArg, word: &str, step: &Step) -> Told {
    use Reversible::{No, Unknown};
    let value = || word.split_once('=').map(|(_, value)| value.to_owned()).or_else(|| Some(word.to_owned()));
    let path = || {
        let next = step.argv.get(unsafe_arg.argument + 1).map(text).filter(|next| !next.starts_with('-'));
        let inner = word.split_once('=').map(|(_, value)| value);
        let own = (!word.starts_with('-')).then_some(word);
        own.or(inner).or(next).map(str::to_owned).into_iter().collect::<Vec<_>>()
    };
    let unknown =
        || (Effect::Unknown { why: Why::Argument(unsafe_arg.fact().clone()) }, Some(Scope::Machine), Unknown);
    match unsafe_arg.effect {
        ArgEffect::Writes | ArgEffect::Plants | ArgEffect::Outside => {
            (Effect::Write { paths: path() }, None, Unknown)
        }
        ArgEffect::Deletes => (Effect::Delete { paths: path(), recursive: true }, None, No),
        ArgEffect::Reads => (Effect::Read { paths: path() }, None, Reversible::Yes),
        ArgEffect::NamedCode => {
            let named = matches!(unsafe_arg.fact(), ArgFact::Mark { .. });
            (
                Effect::RunProjectCode { what: "the module".into(), name: value().filter(|_| named) },
                Some(Scope::Inside),
                Unknown,
            )
        }
        ArgEffect::Shell | ArgEffect::Code => {
            let language = step.program().map(family).unwrap_or_default();
            (Effect::RunInlineCode { language }, Some(Scope::Inside), Unknown)
        }
        ArgEffect::Fetches => {
            (Effect::RunDownloadedCode { package: value(), host: None }, Some(Scope::Remote), Unknown)
        }
        ArgEffect::Remote => (
            Effect::RunElsewhere { place: "through".into(), name: step.program().map(str::to_owned) },
            Some(Scope::Remote),
            Unknown,
        ),
        ArgEffect::Sends => {
            (Effect::Send { what: "send data".into(), to: Vec::new() }, Some(Scope::Remote), Unknown)
        }
        ArgEffect::Secrets => {
            let which = step.program().map(str::to_owned);
            (
                Effect::UseSecret { how: "use passwords or keys through".into(), which },
                Some(Scope::Inside),
                Unknown,
            )
        }
        ArgEffect::Serves => {
            (Effect::Serve { what: "open a port".into(), port: None }, Some(Scope::Machine), Unknown)
        }
        ArgEffect::Elevates => {
            let change = "let a file run with its owner's rights:".into();
            (Effect::ChangeSystem { change, names: path() }, Some(Scope::Machine), No)
        }
        ArgEffect::Changes => {
            let names = step.program().map(str::to_owned).into_iter().collect();
            (
                Effect::ChangeSystem { change: "change settings through".into(), names },
                Some(Scope::Machine),
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

/// Returns the step that runs a download or a decoded text, and the source: a fetch before a shell or an interpreter
/// that takes its code from its input, or within a text that a shell runs.
fn runs_what_it_fetched(steps: &[Step]) -> Option<(usize, Option<String>)> {
    const FETCHES: [&str; 8] = ["curl", "wget", "fetch", "nc", "ncat", "base64", "xxd", "openssl"];
    const CODE: &str = "-c -e -E -p -r -m --eval --print";
    let fetches = |step: &&Step| step.program().is_some_and(|name| FETCHES.contains(&family(name).as_str()));
    let by_input = |step: &Step| {
        let class = step.program().map_or(Class::Ordinary, class_of);
        let given =
            || seen::of_step(step).last().is_some_and(|seen| class == Class::Interpreter && seen.meets(CODE));
        matches!(class, Class::Shell | Class::Interpreter) && step.script.is_none() && !given()
    };
    let by_text = |step: &Step| {
        let is_shell =
            |name: Option<&str>| name.is_none_or(|name| class_of(name) == Class::Shell || name == "eval");
        step.opaque.is_some() && is_shell(step.program())
    };
    let (from, fetch) = steps.iter().enumerate().find(|(_, step)| fetches(step))?;
    let holds = |step: &Step| step.span.start <= fetch.span.start && fetch.span.end <= step.span.end;
    let runs = |(at, step): (usize, &Step)| {
        at > from && by_input(step) || at != from && by_text(step) && holds(step)
    };
    let at = steps.iter().enumerate().position(runs)?;
    let source = fetch.argv.iter().skip(1).map(text).find_map(machine_of).map(str::to_owned);
    Some((at, source))
}

/// Returns true if a row has effects of this kind.
#[cfg(test)]
pub(super) fn is_of(row: &Row, of: &Effect) -> bool {
    let none = Seen { name: String::new(), args: Vec::new(), writes: Vec::new() };
    effect(row.does, &none, 0).kind() == of.kind()
}
