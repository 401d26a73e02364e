//! Limits of the rules that offers save: such a rule covers no step that does more than the one on show.

use super::addresses;
use super::look;
use super::places::{self, StepPlaces, TEMPORARY};
use super::sent::{sends_to_own_server, sends_written_text};
use super::shell_values::{is_listed, is_number};
use super::subject::StepSubject;
use super::wild_path::may_be_kept;
use crate::cause::Gap;
use crate::facts::{Facts, TargetPath};
use crate::given;
use crate::needed::folders_of;
use crate::operands::put_files;
use crate::path;
use crate::protected::ProtectedPlaces;
use crate::risk::{self, RatedEffect, RiskLevel};
use crate::rule::{CoveredEffect, Limits};
use postern_command::effect::{UnknownEffectReason, is_grave};
use postern_command::{ArgEffect, ArgFact, CommandEffect, EffectScope, Step, UnsafeArg, Word};

/// Kinds of effects that no rule covers beyond the very step on show.
const NEVER: [&str; 4] = ["use-secret", "run-inline-code", "publish", "control-app"];

/// Returns the limits of a rule that is given for the step at `at`, or `None` if a rule can cover only that very step.
/// An exact one may have any effects.
pub(crate) fn of_step(facts: &Facts<'_>, at: usize, exact: bool) -> Option<Limits> {
    let subject = StepSubject::at(facts, at);
    let mut limits = Limits { effects: Vec::new(), places: Vec::new(), around: None, hooks: Vec::new() };
    let effects = risk::of_step(facts, subject.step, subject.found);
    for rated in &effects {
        let covered = CoveredEffect {
            kind: rated.effect.kind().to_owned(),
            scope: rated.scope,
            names: reached_names(&rated.effect, exact),
            says: words_of(&rated.effect).map(str::to_owned),
        };
        if !limits.effects.contains(&covered) {
            limits.effects.push(covered);
        }
    }
    let besides = addresses::besides(&limits, &subject, &effects);
    limits.effects.extend(besides.filter(|_| !exact));
    let places = StepPlaces::new(facts);
    let own = folders_of(facts.cwd, &subject.step.dir).unwrap_or_default();
    let own = own.iter().filter(|folder| !places.is_inside(folder)).map(String::as_str);
    let paths = paths_outside(&places, exact, facts, &subject);
    let around: Option<Vec<&str>> = paths.iter().map(|path| around(path, facts.home)).collect();
    for folder in own.chain(around?) {
        if places.hold_keys(folder) || !is_plain(folder) {
            return None;
        }
        if !limits.places.iter().any(|place| path::is_within(folder, place)) {
            limits.places.push(folder.to_owned());
        }
    }
    beyond(&limits, exact, facts, &subject).is_none().then_some(limits)
}

/// Returns the folders outside the agent's own and the system's in which the step at `at` works or names
/// something.
///
/// Of a path, the project or store that holds it. `None` if one of them stands for nothing.
pub(crate) fn folders_outside(facts: &Facts<'_>, at: usize) -> Option<Vec<String>> {
    let subject = StepSubject::at(facts, at);
    let places = StepPlaces::new(facts);
    let own = folders_of(facts.cwd, &subject.step.dir)?;
    let outside = own.into_iter().filter(|folder| !places.is_inside(folder));
    let named = paths_outside(&places, false, facts, &subject);
    let all = outside.chain(named);
    { all }
        .map(|path| around(&path, facts.home).filter(|folder| is_plain(folder)).map(str::to_owned))
        .collect()
}

/// Returns true if the step at `at` names only places of the agent and of the system.
pub(crate) fn names_own_places(facts: &Facts<'_>, at: usize) -> bool {
    let subject = StepSubject::at(facts, at);
    paths_outside(&StepPlaces::new(facts), false, facts, &subject).is_empty()
}

/// Returns why limits keep a rule, perhaps one for an exact command, from covering a step.
pub(super) fn beyond(
    limits: &Limits,
    exact: bool,
    facts: &Facts<'_>,
    subject: &StepSubject<'_>,
) -> Option<Gap> {
    let places = StepPlaces::new(facts);
    let protected = ProtectedPlaces::of_home(facts.home);
    let Some(folders) = folders_of(facts.cwd, &subject.step.dir) else { return Some(Gap::RunTimePath) };
    let within = |path: &str| limits.places.iter().any(|place| path::is_within(path, place));
    let effects = risk::of_step(facts, subject.step, subject.found);
    for rated in &effects {
        let is_covered = || limits.effects.iter().any(|covered| covers(covered, rated, exact));
        if !exact && is_never_covered(rated) || !is_covered() {
            return Some(Gap::Beyond(Box::new(rated.clone())));
        }
        if !matches!(rated.effect, CommandEffect::Write { .. } | CommandEffect::Delete { .. }) {
            continue;
        }
        for (path, folder) in
            rated.effect.affected_paths().iter().flat_map(|path| folders.iter().map(move |of| (path, of)))
        {
            let reached = places::resolved(path, folder, facts);
            let allowed =
                rated.scope == EffectScope::Inside || within(&reached) && !reached.contains(['$', '`']);
            // Much of a home folder decides what other programs do.
            let whole =
                facts.folders.iter().any(|own| path::is_within(&reached, own) && places.hold_keys(own));
            let allowed = allowed && (exact || !whole);
            if !allowed || !protected.places_at(&reached).is_empty() {
                return Some(Gap::Outside { path: path.clone() });
            }
        }
    }
    if !exact && let Some(gap) = changes_unbound(facts, subject, &effects, &folders, &protected) {
        return Some(gap);
    }
    let sends = subject.step.ways_out.iter().any(|way| way.effect == ArgEffect::Sends);
    if sends && !exact && !sends_written_text(subject.step) && !sends_to_own_server(subject.step) {
        return Some(Gap::RunTimePath);
    }
    let led = subject.found.targets.iter().map(|target| target.real.as_str());
    if led.clone().any(|path| places.is_protected(path)) || !exact && is_open(facts, subject, &effects) {
        return Some(Gap::RunTimePath);
    }
    let address = || addresses::unnamed(limits, subject, &effects).first().map(|&path| path.to_owned());
    if !exact && let Some(path) = goes_over_keys(&places, facts, subject, &folders).or_else(address) {
        return Some(Gap::Outside { path });
    }
    let outside = paths_outside(&places, exact, facts, subject);
    let folders = folders.iter().filter(|folder| !places.is_inside(folder));
    let path = outside.iter().chain(folders).find(|path| !within(path) || places.is_protected(path))?;
    Some(Gap::Outside { path: path.clone() })
}

/// Returns why limits without effects keep a rule from covering the hooks of a step.
pub(super) fn gap_of_hooks(limits: &Limits, facts: &Facts<'_>, subject: &StepSubject<'_>) -> Option<Gap> {
    let hook = limits.unnamed_hook(&subject.found.hooks)?;
    let is_it = |rated: &RatedEffect| match &rated.effect {
        CommandEffect::RunProjectCode { name, .. } => name.as_deref() == Some(hook),
        _ => false,
    };
    let effects = risk::of_step(facts, subject.step, subject.found);
    effects.into_iter().find(is_it).map(|rated| Gap::Beyond(Box::new(rated)))
}

/// Returns why limits keep a rule that is not for an exact command from covering the step at `at`.
pub(crate) fn gap_of_step(limits: &Limits, facts: &Facts<'_>, at: usize) -> Option<Gap> {
    beyond(limits, false, facts, &StepSubject::at(facts, at))
}

/// Returns true for an unsafe argument that changes files: limits bound it by its places, so that no rule has to name it.
///
/// Of some programs a script, an archive or a text of their own says what is written: limits bound nothing there
/// (`uudecode f`, `convert a '|x'`).
pub(crate) fn is_bound_by_limits(way: &UnsafeArg) -> bool {
    let whole = way.argument == 0 && matches!(way.fact(), ArgFact::Mark { .. });
    !whole && changes_by_argument(way)
}

fn changes_by_argument(way: &UnsafeArg) -> bool {
    matches!(way.effect, ArgEffect::Writes | ArgEffect::Deletes | ArgEffect::Outside)
}

/// Returns why the text that the line feeds a step may name a file outside.
pub(super) fn named_on_input(subject: &StepSubject<'_>, facts: &Facts<'_>) -> Option<Gap> {
    let places = StepPlaces::new(facts);
    let Some(folders) = folders_of(facts.cwd, &subject.step.dir) else { return Some(Gap::RunTimePath) };
    if given::here_redirections(subject.step).any(|redirection| redirection.text.is_none()) {
        return Some(Gap::NoInput);
    }
    let texts = given::here_texts(subject.step);
    let mut named = texts.iter().flat_map(|text| folders.iter().map(|of| places::resolved(text, of, facts)));
    named.find(|path| !places.may_be_read(path)).map(|path| Gap::Outside { path })
}

/// Returns the folder with key material that a step names, or goes through without a name.
fn goes_over_keys(
    places: &StepPlaces<'_>,
    facts: &Facts<'_>,
    subject: &StepSubject<'_>,
    folders: &[String],
) -> Option<String> {
    let through = look::goes_through(subject);
    let named = folders.iter().flat_map(|folder| places::operands(subject, facts, folder));
    let mut all = named.chain(folders.iter().filter(|_| through).cloned());
    all.find(|path| places.hold_keys(path)).filter(|_| places::opens_files(subject))
}

/// Returns the protected place that a step may change, or that only the run tells which.
fn changes_unbound(
    facts: &Facts<'_>,
    subject: &StepSubject<'_>,
    effects: &[RatedEffect],
    folders: &[String],
    protected: &ProtectedPlaces,
) -> Option<Gap> {
    let temporary = |raw: &str| {
        let plain = raw.trim_start_matches('"');
        ["$TMPDIR/", "${TMPDIR}/"].iter().any(|start| plain.starts_with(start)) && !plain.contains("..")
    };
    let open = |word: &Word| is_unknown(word) && !temporary(&word.raw);
    let words = || subject.step.argv.iter().skip(1);
    let changes = changes_files(subject, effects);
    if changes && !prints_text(subject.step) && words().any(open) {
        return Some(Gap::RunTimePath);
    }
    let only_reads = effects.iter().all(|rated| matches!(rated.effect, CommandEffect::Read { .. }));
    if (changes || !only_reads) && words().any(may_be_kept) {
        return Some(Gap::RunTimePath);
    }
    if only_reads {
        return None;
    }
    let of_git = |path: &str| path.split('/').any(|name| name.eq_ignore_ascii_case(".git"));
    let is_kept = |path: &String| of_git(path) || !protected.places_at(path).is_empty();
    let put = put_files(subject.step);
    let mut named = folders.iter().flat_map(|folder| {
        let put = put.iter().map(|path| places::resolved(path, folder, facts));
        places::operands(subject, facts, folder).into_iter().chain(put)
    });
    named.find(is_kept).map(|path| Gap::Outside { path })
}

/// Returns true if a step prints its words, so that none of them names a file. The first word of `printf` could set a variable.
fn prints_text(step: &Step) -> bool {
    match step.program() {
        Some("echo") => true,
        Some("printf") => step.argv.get(1).is_some_and(|word| word.value.is_some()),
        _ => false,
    }
}

fn changes_files(subject: &StepSubject<'_>, effects: &[RatedEffect]) -> bool {
    let changes = |rated: &RatedEffect| {
        matches!(rated.effect, CommandEffect::Write { .. } | CommandEffect::Delete { .. })
    };
    effects.iter().any(changes) || subject.step.ways_out.iter().any(changes_by_argument)
}

/// Returns true for a word of which nothing is known before the run.
fn is_unknown(word: &Word) -> bool {
    word.value.is_none() && places::known_start(&word.raw).is_empty()
}

fn is_never_covered(rated: &RatedEffect) -> bool {
    rated.level == RiskLevel::Dangerous
        || NEVER.contains(&rated.effect.kind())
        || matches!(rated.effect, CommandEffect::Delete { recursive: true, .. })
}

/// Returns true if an effect does no more than what is covered. The places bound what is read and written.
///
/// One that names nothing may reach anything: it is more than one of which the names are known.
fn covers(covered: &CoveredEffect, rated: &RatedEffect, exact: bool) -> bool {
    let names = reached_names(&rated.effect, exact);
    let open = covered.says.is_none() && (exact || !matches!(rated.effect, CommandEffect::Unknown { .. }));
    covered.kind == rated.effect.kind()
        && (open || covered.says.as_deref() == words_of(&rated.effect))
        && (!rated.effect.affected_paths().is_empty() || rated.scope <= covered.scope)
        && (!names.is_empty() || covered.names.is_empty())
        && names.iter().all(|name| covered.names.contains(name))
}

/// Returns the hosts, remotes, packages and targets that an effect reaches: another one is another effect. Of an exact command so is
/// another file that it writes.
fn reached_names(effect: &CommandEffect, exact: bool) -> Vec<String> {
    match effect {
        CommandEffect::Write { paths } if exact => paths.clone(),
        CommandEffect::Fetch { from: names } => names.clone(),
        CommandEffect::Send { to, branch, .. } => to.iter().chain(branch).cloned().collect(),
        CommandEffect::Install { packages, .. } => packages.clone(),
        CommandEffect::RunDownloadedCode { package, host } => package.iter().chain(host).cloned().collect(),
        CommandEffect::RunElsewhere { name, .. } => name.iter().cloned().collect(),
        CommandEffect::RunProjectCode { name, folder, .. } => name.iter().chain(folder).cloned().collect(),
        CommandEffect::ChangeRepository { names, folder, .. } => {
            names.iter().filter(|name| is_address(name)).chain(folder).cloned().collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the words of an effect that tell it from others of its kind: committing from rewriting what is committed.
fn words_of(effect: &CommandEffect) -> Option<&str> {
    match effect {
        CommandEffect::ChangeRepository { change: words, .. }
        | CommandEffect::ChangeSystem { change: words, .. }
        | CommandEffect::Send { what: words, .. }
        | CommandEffect::Serve { what: words, .. }
        | CommandEffect::RunElsewhere { place: words, .. } => Some(words.as_written()),
        CommandEffect::Unknown {
            why: UnknownEffectReason::Argument(ArgFact::Mark { mark, effect: way }),
        } if starts_more(*way) => Some(mark.as_str()),
        CommandEffect::Unknown { why: UnknownEffectReason::Program(name) } => {
            let rests =
                std::iter::once(name.as_str()).chain(name.match_indices(' ').map(|(at, _)| &name[at + 1..]));
            rests.into_iter().find(|rest| rest.split(' ').next().is_some_and(is_grave))
        }
        _ => None,
    }
}

/// Returns true for an argument by which a program starts, loads or opens something else: no place bounds what that does.
fn starts_more(way: ArgEffect) -> bool {
    matches!(way, ArgEffect::Runs | ArgEffect::Loads | ArgEffect::Config | ArgEffect::Opens)
}

/// Returns true for the address of a repository: `https://host/x`, `user@host:x`, `host.example:x`.
fn is_address(name: &str) -> bool {
    let host = name.split_once(':').map(|(host, _)| host);
    name.contains("://") || host.is_some_and(|host| host.contains(['@', '.']) && !host.contains('/'))
}

/// Returns the paths that a step names and that are neither the agent's nor the system's. The words of an exact command are named
/// by its rule.
fn paths_outside(
    places: &StepPlaces<'_>,
    exact: bool,
    facts: &Facts<'_>,
    subject: &StepSubject<'_>,
) -> Vec<String> {
    let here = folders_of(facts.cwd, &subject.step.dir).and_then(|folders| folders.into_iter().next());
    let here = here.as_deref().unwrap_or(facts.cwd);
    let mut all = places::redirected(subject, facts, here, |one| one.names_file());
    let opened = subject.step.redirections.iter().filter(|one| one.names_file());
    let opened: Vec<_> = opened.filter_map(|one| one.target.value.as_deref()).collect();
    let is_opened =
        |led: &&TargetPath| opened.iter().any(|text| path::expand_home(text, facts.home) == led.written);
    all.extend(subject.found.targets.iter().filter(is_opened).map(|led| led.real.clone()));
    all.retain(|path| !places.is_inside(path));
    if !exact && places::opens_files(subject) {
        let changes = changes_files(subject, &risk::of_step(facts, subject.step, subject.found));
        let own = |path: &str| if changes { places.may_be_changed(path) } else { places.may_be_read(path) };
        let led = subject.found.targets.iter().map(|target| target.real.clone());
        all.extend(led.filter(|path| !places.is_inside(path) || changes && !places.may_be_changed(path)));
        all.extend(places::operands(subject, facts, here).into_iter().filter(|path| !own(path)));
    }
    all
}

/// Names below the home folder, or below the root, by which a project or a store is known: `~/go/pkg/mod`.
const NAMES_OF_A_PLACE: usize = 3;

/// Returns the folder that stands for a path outside: a temporary folder, or the project or store that holds the path.
fn around<'p>(path: &'p str, home: &str) -> Option<&'p str> {
    if let Some(root) = TEMPORARY.iter().find(|root| path::is_within(path, root)) {
        return path.get(..root.len());
    }
    let base = if path::is_within(path, home) { home.trim_end_matches('/').len() } else { 0 };
    let least = if base > 0 { 1 } else { 2 };
    let ends: Vec<usize> = path.match_indices('/').map(|(at, _)| at).chain([path.len()]).collect();
    let ends: Vec<usize> = ends.into_iter().filter(|end| *end > base).collect();
    // The last one is the path itself, which may be a file.
    let folders = ends.len().saturating_sub(1).clamp(least, NAMES_OF_A_PLACE);
    path.get(..*ends.get(folders.checked_sub(1)?)?)
}

/// Returns true if a folder can be shown and saved as it is.
fn is_plain(folder: &str) -> bool {
    postern_command::escape::is_visible(folder) && !folder.contains(['$', '`', '*', '?', '[', '{'])
}

/// Options that take a text to show or to save, and their programs: no file.
const TEXTS: [(&str, &[&str]); 3] = [
    ("git", &["-m", "--message"]),
    ("gh", &["-b", "--body", "-t", "--title", "-n", "--notes"]),
    ("glab", &["-d", "--description", "-m", "--message", "-t", "--title"]),
];

/// Returns true if a program that opens files is given one that is known only at run time, so that it may lie anywhere.
///
/// Code of the project opens what it likes, whatever its words are, and git takes names of commits and branches.
fn is_open(facts: &Facts<'_>, subject: &StepSubject<'_>, effects: &[RatedEffect]) -> bool {
    let name = subject.step.program().unwrap_or_default();
    let texts = TEXTS.iter().find(|(program, _)| *program == name).map_or(&[][..], |(_, options)| options);
    let argv = &subject.step.argv;
    let open = |at: usize| {
        let word = &argv[at];
        let pattern = word.raw.starts_with(['*', '?', '[']);
        let text = argv[at - 1].value.as_deref().is_some_and(|option| texts.contains(&option));
        is_unknown(word) && !pattern && !text && !is_number(facts, &word.raw) && !is_listed(facts, &word.raw)
    };
    name != "git"
        && places::opens_files(subject)
        && !effects.iter().any(RatedEffect::runs_any_code)
        && (1..argv.len()).any(open)
}

#[cfg(test)]
mod tests {
    use super::around;

    #[test]
    fn a_place_is_a_project_or_a_store() {
        for (path, expected) in [
            ("/Users/u/code/lib/src/a/b.rs", Some("/Users/u/code/lib/src")),
            ("/Users/u/code/lib/a.txt", Some("/Users/u/code/lib")),
            ("/Users/u/go/pkg/mod/x@1/y.go", Some("/Users/u/go/pkg/mod")),
            ("/Users/u/code", Some("/Users/u/code")),
            ("/Users/u/a.txt", Some("/Users/u/a.txt")),
            ("/Users/u", None),
            ("/srv/x/y", Some("/srv/x")),
            ("/srv/x", Some("/srv/x")),
            ("/srv", None),
            ("/", None),
            ("/tmp/x/y", Some("/tmp")),
        ] {
            assert_eq!(around(path, "/Users/u"), expected, "{path}");
        }
    }
}
