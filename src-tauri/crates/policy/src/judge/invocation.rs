//! Everything that a step would start, one by one: deny rules and the core look at each.

use crate::facts::{Facts, FoundProgram, Lookup, StepFacts, TargetPath};
use crate::needed::folder_of;
use crate::path;
use postern_command::{Step, Word};
use std::borrow::Cow;

/// Program with its arguments, as far as both are known.
#[derive(Debug)]
pub(crate) struct JudgedInvocation<'a> {
    /// The program as it was written.
    pub(crate) name: &'a str,
    pub(crate) program: Option<&'a FoundProgram>,
    /// The path that it has by its spelling, where it was written as one or was found unusable.
    pub(crate) spelled: Option<Cow<'a, str>>,
    /// Arguments; `None` for a word that is not known before the run.
    pub(crate) args: Vec<Option<&'a str>>,
    /// The arguments as written, where they were written as words.
    pub(crate) raw: Vec<&'a str>,
    /// Real paths of the step's paths.
    pub(crate) targets: &'a [TargetPath],
    /// The folder it runs in, where that is known.
    pub(crate) folder: Option<Cow<'a, str>>,
}

impl JudgedInvocation<'_> {
    /// Returns the name without its folder, in lower case.
    pub(crate) fn folded_base_name(&self) -> Cow<'_, str> {
        path::fold_case(path::base_name(self.name))
    }

    /// Returns the name as written, then the paths it was found at.
    pub(crate) fn all_names(&self) -> Vec<&str> {
        self.each_name().collect()
    }

    /// Returns true if it is one of these programs by any of its names, without folder and case.
    pub(crate) fn is_one_of(&self, programs: &[&str]) -> bool {
        let own = path::base_name(self.name);
        let mut others = self.each_name().map(path::base_name).filter(|name| *name != own);
        path::is_one_of(own, programs) || others.any(|name| path::is_one_of(name, programs))
    }

    fn each_name(&self) -> impl Iterator<Item = &str> {
        let found = self.program.into_iter().flat_map(|program| [&*program.path, &*program.real_path]);
        std::iter::once(self.name).chain(found)
    }
}

fn values(words: &[Word]) -> impl Iterator<Item = Option<&str>> {
    words.iter().map(|word| word.value.as_deref())
}

/// Returns the step's wrappers, outermost first, then its own program, then the interpreter of its `#!` line
/// and its script.
pub(crate) fn of_step<'a>(
    step: &'a Step,
    found: &'a StepFacts,
    facts: &Facts<'a>,
) -> Vec<JudgedInvocation<'a>> {
    let folder = folder_of(facts.cwd, &step.dir);
    let mut all = Vec::with_capacity(step.via.len() + 1);
    for (at, via) in step.via.iter().enumerate() {
        let rest = step.via[at + 1..].iter().flat_map(|inner| inner.argv.iter());
        let words = || via.argv.iter().chain(rest.clone()).chain(&step.argv);
        all.extend(invocation(words, found.via.get(at), found, folder.clone()));
        // A shell that is given a text: `bash -c 'ls x'` is three words, and a rule may name just these.
        if let Some(last) = (at..step.via.len()).find(|&inner| holds_its_text(step, inner)) {
            let own = || step.via[at..=last].iter().flat_map(|wrapper| wrapper.argv.iter());
            all.extend(invocation(own, found.via.get(at), found, folder.clone()));
        }
    }
    if let Some(own) = invocation(|| step.argv.iter(), Some(&found.program), found, folder.clone()) {
        let argv = argv(own.name, &own.args);
        let others = in_other_words(&own, &argv);
        all.extend(extended(&own, &argv));
        all.push(own);
        all.extend(others);
    }
    if let Lookup::Found(program) = &found.program
        && let Some(line) = &program.shebang
    {
        all.extend(of_shebang(line, &values(&step.argv).skip(1).collect::<Vec<_>>()));
    }
    if let Some(script) = &found.script {
        let args = values(&step.argv).skip(step.script.unwrap_or(0) + 1).collect();
        let spelled = Some(Cow::Borrowed(script.real_path.as_str()));
        let targets = &found.targets;
        all.push(JudgedInvocation {
            name: &script.written,
            program: None,
            spelled,
            args,
            raw: Vec::new(),
            targets,
            folder,
        });
    }
    all
}

/// Returns true if the text that a wrapper runs is inside a word of its own, as far as can be told.
///
/// A wrong yes denies, never allows.
fn holds_its_text(step: &Step, at: usize) -> bool {
    let inner = step.via.get(at + 1).map_or(step.argv.as_slice(), |via| &via.argv);
    let name = inner.first().and_then(|word| word.value.as_deref());
    let mut own = values(&step.via[at].argv).skip(1);
    own.any(|word| word.zip(name).is_none_or(|(word, name)| word.contains(name)))
}

/// Returns equivalent invocations of the same program: a rule that denies one of them is about all.
fn in_other_words<'a>(call: &JudgedInvocation<'a>, argv: &[Option<&'a str>]) -> Vec<JudgedInvocation<'a>> {
    let form = |words: Vec<Option<&'a str>>| {
        let (name, args) = words.split_first()?;
        Some(JudgedInvocation {
            name: (*name)?,
            program: call.program,
            spelled: call.spelled.clone(),
            args: args.to_vec(),
            raw: Vec::new(),
            targets: call.targets,
            folder: call.folder.clone(),
        })
    };
    postern_command::otherwise(argv).into_iter().filter_map(form).collect()
}

/// Returns the invocation with unknown arguments: a subcommand that the program lacks does what its
/// configuration says.
fn extended<'a>(call: &JudgedInvocation<'a>, argv: &[Option<&'a str>]) -> Option<JudgedInvocation<'a>> {
    let args = without_extensions(argv)?;
    Some(JudgedInvocation {
        name: call.name,
        program: call.program,
        spelled: call.spelled.clone(),
        args,
        raw: Vec::new(),
        targets: &[],
        folder: call.folder.clone(),
    })
}

/// Returns a program and its arguments as one list.
pub(super) fn argv<'a>(program: &'a str, args: &[Option<&'a str>]) -> Vec<Option<&'a str>> {
    std::iter::once(Some(program)).chain(args.iter().copied()).collect()
}

/// Returns the arguments without possible configured commands, or `None` if the program has them all itself.
pub(super) fn without_extensions<'a>(argv: &[Option<&'a str>]) -> Option<Vec<Option<&'a str>>> {
    let places = postern_command::extensions(argv);
    let known = |(at, word): (usize, Option<&'a str>)| word.filter(|_| !places.contains(&at));
    (!places.is_empty()).then(|| argv.iter().copied().enumerate().skip(1).map(known).collect())
}

/// Returns the step as if its program, which is not known before the run, were called so.
pub(crate) fn invocation_by_name<'a>(
    name: &'a str,
    step: &'a Step,
    found: &'a StepFacts,
    facts: &Facts<'a>,
) -> Option<JudgedInvocation<'a>> {
    let words = step.argv.get(1..)?;
    Some(JudgedInvocation {
        name,
        program: None,
        spelled: None,
        args: values(words).collect(),
        raw: words.iter().map(|word| word.raw.as_str()).collect(),
        targets: &found.targets,
        folder: folder_of(facts.cwd, &step.dir),
    })
}

fn invocation<'a, I: Iterator<Item = &'a Word>>(
    words: impl Fn() -> I,
    lookup: Option<&'a Lookup>,
    found: &'a StepFacts,
    folder: Option<Cow<'a, str>>,
) -> Option<JudgedInvocation<'a>> {
    let name = words().next()?.value.as_deref()?;
    let (program, unusable) = match lookup {
        Some(Lookup::Found(program)) => (Some(program.as_ref()), None),
        Some(Lookup::Unusable { path, .. }) => (None, Some(path.as_str())),
        Some(Lookup::NotFound | Lookup::Nothing) | None => (None, None),
    };
    let spelled = if name.contains('/') {
        if name.starts_with('/') {
            Some(path::normal(name))
        } else {
            folder.as_deref().map(|folder| Cow::Owned(path::join_path(folder, name)))
        }
    } else {
        unusable.map(Cow::Borrowed)
    };
    let args = words().skip(1).map(|word| word.value.as_deref()).collect();
    let raw = words().skip(1).map(|word| word.raw.as_str()).collect();
    Some(JudgedInvocation { name, program, spelled, args, raw, targets: &found.targets, folder })
}

/// Returns a script's interpreter; behind `env` the program that it starts.
fn of_shebang<'a>(line: &'a [String], args: &[Option<&'a str>]) -> Vec<JudgedInvocation<'a>> {
    let by_env = line.first().is_some_and(|first| path::base_name(first) == "env");
    let mut names: Vec<&str> = line.first().map(String::as_str).into_iter().collect();
    if by_env {
        names.extend(
            line.iter()
                .skip(1)
                .map(String::as_str)
                .find(|word| !word.starts_with('-') && !word.contains('=')),
        );
    }
    let of_name = |name: &'a str| JudgedInvocation {
        name,
        program: None,
        spelled: name.starts_with('/').then(|| path::normal(name)),
        args: args.to_vec(),
        raw: Vec::new(),
        targets: &[],
        folder: None,
    };
    names.into_iter().map(of_name).collect()
}

/// Returns a command that a part which was not understood may run.
pub(crate) fn of_candidate<'a>(argv: &'a [String], facts: &Facts<'a>) -> Option<JudgedInvocation<'a>> {
    let (name, args) = argv.split_first()?;
    Some(JudgedInvocation {
        name,
        program: None,
        spelled: name
            .contains('/')
            .then(|| Cow::Owned(path::join_path(facts.cwd, &path::expand_home(name, facts.home)))),
        args: args.iter().map(|word| Some(word.as_str())).collect(),
        raw: args.iter().map(String::as_str).collect(),
        targets: &[],
        folder: Some(path::normal(facts.cwd)),
    })
}
