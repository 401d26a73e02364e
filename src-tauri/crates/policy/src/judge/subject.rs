//! A step with what was found for it, and what stands in the way of every rule.

use crate::agent::AgentPolicy;
use crate::cause::Obstacle;
use crate::environment::{Standing, standing};
use crate::facts::{Facts, FoundProgram, Lookup, StepFacts};
use crate::needed::folders_of;
use crate::path;
use crate::rule::Rule;
use postern_command::environment::{is_harmless_value, is_plain_value};
use postern_command::{Assignment, Dir, Power, ProgramClass, Redirection, Role, Step, class_of};

/// Folders in which only the system installs programs.
const SYSTEM_FOLDERS: [&str; 4] = ["/bin", "/usr/bin", "/sbin", "/usr/sbin"];

/// The step with what was found for it.
pub(super) struct StepSubject<'a> {
    pub(super) step: &'a Step,
    pub(super) found: &'a StepFacts,
    pub(super) words: Vec<Option<&'a str>>,
    /// All words, wrappers included, if a wrapper gives it more rights.
    pub(super) elevated: Option<Vec<Option<&'a str>>>,
}

impl<'a> StepSubject<'a> {
    pub(super) fn new(step: &'a Step, found: &'a StepFacts) -> Self {
        let value = |word: &'a postern_command::Word| word.value.as_deref();
        let elevated =
            step.via.iter().any(|via| via.power == Power::Elevated).then(|| {
                step.via.iter().flat_map(|via| via.argv.iter()).chain(&step.argv).map(value).collect()
            });
        Self { step, found, words: step.known_words(), elevated }
    }

    /// Returns the step at this place of a request.
    pub(super) fn at(facts: &Facts<'a>, at: usize) -> Self {
        Self::new(&facts.reading.steps[at], &facts.steps[at])
    }

    pub(super) fn program(&self) -> Option<&'a FoundProgram> {
        match &self.found.program {
            Lookup::Found(program) => Some(program),
            Lookup::NotFound | Lookup::Unusable { .. } | Lookup::Nothing => None,
        }
    }

    /// Returns true for a builtin, a function or a step that starts nothing, unless a wrapper that is a program would run it.
    pub(super) fn is_of_shell(&self) -> bool {
        let is_word = |via: &postern_command::Via| {
            via.argv.first().and_then(|word| word.value.as_deref()).is_some_and(crate::needed::is_shell_word)
        };
        match self.step.role {
            Role::Program => false,
            Role::HarmlessBuiltin => self.step.via.iter().all(is_word),
            Role::Function | Role::Nothing => true,
        }
    }

    /// Returns true for one of those that does nothing more than the shell's reading of a file for it.
    pub(super) fn only_opens(&self) -> bool {
        let redirections = &self.step.redirections;
        self.is_of_shell()
            && self.step.opaque.is_none()
            && self.step.ways_out.is_empty()
            && redirections.iter().any(Redirection::reads)
            && !redirections.iter().any(Redirection::writes)
    }

    pub(super) fn own_words(&self) -> &[Option<&'a str>] {
        &self.words
    }

    /// Returns true if the program is a shell, an interpreter, a wrapper or many programs in one.
    ///
    /// By its name as invoked, as found, and as it is really called.
    pub(super) fn carries_others(&self) -> bool {
        let own = self.step.program().map(path::base_name);
        // Nearly every program is called as it is found.
        let others = self.program_names().map(path::base_name).filter(|name| Some(*name) != own);
        own.into_iter().chain(others).any(|name| class_of(name) != ProgramClass::Ordinary)
    }

    /// Returns true if it is one of those all the same that only read because of how they are called (`awk '{
    /// print $1 }'`).
    pub(super) fn carries_nothing(&self) -> bool {
        let names: Vec<&str> = self.program_names().collect();
        self.step.program().is_some_and(|name| postern_command::is_reading_carrier(name, &names))
    }

    /// Returns true if standard input cannot give it commands, also through its wrappers.
    pub(super) fn reads_input_as_data(&self) -> bool {
        const HAND_THROUGH: [&str; 6] = ["command", "env", "nice", "nohup", "time", "timeout"];
        let handed = self.step.via.iter().all(|via| {
            let name = via.argv.first().and_then(|word| word.value.as_deref()).unwrap_or_default();
            HAND_THROUGH.contains(&path::base_name(name))
        });
        handed && postern_command::treats_input_as_data(&self.words)
    }

    /// Returns the program's name as invoked, as found, and as it is really called.
    fn program_names(&self) -> impl Iterator<Item = &str> {
        let names =
            self.program().map(|program| [program.invoked.as_str(), &program.path, &program.real_path]);
        self.step.program().into_iter().chain(names.into_iter().flatten())
    }

    /// Returns the obstacle to every rule; `None` if a rule can cover the step.
    pub(super) fn obstacle(&self, policy: &AgentPolicy, facts: &Facts<'_>) -> Option<Obstacle> {
        if self.step.via.iter().any(|via| via.power == Power::Elsewhere) {
            return Some(Obstacle::Elsewhere);
        }
        match &self.found.program {
            Lookup::Found(_) => {}
            Lookup::NotFound => return Some(Obstacle::NotFound),
            Lookup::Unusable { path, what } => {
                return Some(Obstacle::Unusable { path: path.clone(), what: what.clone() });
            }
            Lookup::Nothing => return Some(Obstacle::ProgramUnknown),
        }
        let assignment =
            self.step.assignments.iter().find(|assignment| !is_harmless(assignment, &policy.settings));
        if let Some(assignment) = assignment {
            return Some(Obstacle::Sets { name: assignment.name.clone() });
        }
        self.strange_folder(policy, facts).or_else(|| self.strange_wrapper(policy, facts))
    }

    /// Returns true for `ls`, `cat`, `wc` and similar programs, which do the same in every folder.
    ///
    /// Only the data they read differ. A program with subcommands mostly reads a folder's own configuration.
    fn finds_nothing_there(&self) -> bool {
        let argv: Option<Vec<&str>> = self.words.iter().copied().collect();
        argv.is_some_and(|argv| !argv[0].contains('/') && postern_command::reads_alike_everywhere(&argv))
    }

    /// Returns the obstacle of work in another folder than the request's.
    ///
    /// What a program finds there (a repository's hooks, a project's scripts) can make it run something else.
    /// The agent names the folder as the request's own instead.
    pub(super) fn strange_folder(&self, policy: &AgentPolicy, facts: &Facts<'_>) -> Option<Obstacle> {
        if self.step.dir == Dir::Same || self.finds_nothing_there() {
            return None;
        }
        let Some(folders) = folders_of(facts.cwd, &self.step.dir) else {
            return Some(Obstacle::FolderUnknown);
        };
        let named = |folder: &str| {
            policy.settings.folders.iter().any(|allowed| {
                path::is_within(folder, &path::normal(&path::expand_home(allowed, facts.home)))
            })
        };
        let inside = |folder: &str| named(folder) || path::is_within(folder, &path::normal(facts.cwd));
        folders.into_iter().find(|folder| !inside(folder)).map(|folder| Obstacle::Leaves { folder })
    }

    /// Returns true for a builtin of a shell that is started by its own name, through nothing that gives it more
    /// rights (`bash -c 'cd x'`).
    pub(super) fn is_builtin_of_known_shell(&self, policy: &AgentPolicy, facts: &Facts<'_>) -> bool {
        let words = |via: &&postern_command::Via| {
            let name = via.argv.first().and_then(|word| word.value.as_deref());
            !name.is_some_and(crate::needed::is_shell_word)
        };
        self.step.role == postern_command::Role::HarmlessBuiltin
            && self.step.via.iter().all(|via| via.power == Power::Transparent)
            && self.step.via.iter().rfind(words).is_some_and(crate::needed::is_shell)
            && self.strange_wrapper(policy, facts).is_none()
    }

    /// Returns the obstacle of a wrapper whose file is not what its name says: a wrapper is peeled off by its
    /// name.
    pub(super) fn strange_wrapper(&self, policy: &AgentPolicy, facts: &Facts<'_>) -> Option<Obstacle> {
        for (at, (via, lookup)) in self.step.via.iter().zip(&self.found.via).enumerate() {
            let in_shell = facts.shell || crate::needed::follows_shell(self.step, at);
            let shell_words = |name: &str| in_shell && crate::needed::is_shell_word(name);
            let name = via.argv.first().and_then(|word| word.value.as_deref()).unwrap_or_default();
            let trusted = match lookup {
                Lookup::Found(program) => {
                    let stays = !program.agent_can_change;
                    stays && (!name.contains('/') || in_system(&program.real_path))
                        || named_by_rule(policy, program, facts)
                }
                Lookup::Nothing => shell_words(name),
                Lookup::NotFound | Lookup::Unusable { .. } => false,
            };
            if !trusted {
                return Some(Obstacle::StrangeWrapper { name: name.to_owned() });
            }
        }
        (self.found.via.len() < self.step.via.len()).then_some(Obstacle::WrapperUnknown)
    }
}

fn in_system(path: &str) -> bool {
    SYSTEM_FOLDERS.iter().any(|folder| path::is_within(path, folder))
}

fn named_by_rule(policy: &AgentPolicy, program: &FoundProgram, facts: &Facts<'_>) -> bool {
    policy.rules.compiled_parts().any(|part| {
        let mut found = Vec::new();
        part.allow_index().by_path(&part.allow_key(&program.path), &mut found);
        found
            .into_iter()
            .map(|at| part.get(at))
            .filter(|rule| rule.rule.confine.is_none() && rule.is_in_force(facts))
            .filter(|rule| !rule.is_glob && rule.args.is_none())
            .any(|rule| is_pinned_to(&rule.rule, program))
    })
}

/// Returns true if a rule has no pin, or its pin matches this program.
pub(super) fn is_pinned_to(rule: &Rule, program: &FoundProgram) -> bool {
    let Some(pin) = &rule.pin else { return true };
    let now = program.identity.as_ref().filter(|_| !program.agent_can_change);
    now.is_some_and(|now| pin.holds(now))
}

/// Returns true if a variable that a step sets can change what runs.
pub(crate) fn is_harmless(assignment: &Assignment, settings: &crate::settings::Settings) -> bool {
    let value = assignment.value.value.as_deref();
    if value.is_some_and(|value| is_harmless_value(&assignment.name, value)) {
        return true;
    }
    let plain = value.is_some_and(is_plain_value);
    match standing(&assignment.name, settings) {
        Standing::Named => assignment.value.value.is_some(),
        Standing::Plain => plain,
        Standing::Asks | Standing::Refused(_) => false,
    }
}
