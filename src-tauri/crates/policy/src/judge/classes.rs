//! Classes: what an agent may do without a question, by the effects of its steps.
//!
//! Effects come from words, which do not hold at run time. So what looks, changes files or builds is allowed only if the
//! run is confined: then a wrong effect costs a failed run and nothing else. A class whose effects no profile can hold
//! is allowed for a step of which everything is known.

use super::label;
use super::outcome::Outcome;
use super::places::{self, Places};
use super::profile::Profiles;
use super::subject::Subject;
use crate::agent::AgentPolicy;
use crate::cause::Cause;
use crate::classes::{Access, Class};
use crate::facts::{Facts, Lookup};
use crate::needed::folders_of;
use crate::path;
use crate::protected::Protected;
use crate::risk::RatedEffect;
use crate::verdict::{Decision, Reason, RiskLevel};
use postern_command::effect::InstallPlace;
use postern_command::{
    ArgEffect, ArgFact, Effect, Power, Redirection, RedirectionKind, Reversible, Scope, Unparsed, UnsafeArg,
    Why,
};
use std::cell::OnceCell;

/// What a step needs so that its classes allow it, from little to much.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Need {
    /// The profile `look`.
    Look,
    /// The profile `project`.
    Project,
    /// The profile `project` with the network.
    Network,
    /// No profile.
    Unconfined,
}

/// What an agent's classes say about a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Classed {
    /// They do not allow it: an effect belongs to no class, or to one that asks.
    Asks,
    /// This one denies it.
    Denied(Class),
    /// They allow it with what it needs.
    Allowed { classes: Vec<Class>, need: Need, serves: bool },
}

/// Classes and needs of one step, while its effects are gone through.
struct Found {
    classes: Vec<Class>,
    need: Need,
    /// Some effect belongs to no class.
    unclassed: bool,
}

impl Found {
    fn add(&mut self, class: Class, need: Need) {
        if !self.classes.contains(&class) {
            self.classes.push(class);
        }
        self.need = self.need.max(need);
    }
}

/// Judges steps by classes.
pub(super) struct Classes<'f> {
    policy: &'f AgentPolicy,
    facts: &'f Facts<'f>,
    places: &'f OnceCell<Places<'f>>,
    protected: Protected,
}

impl<'f> Classes<'f> {
    pub(super) fn new(
        policy: &'f AgentPolicy,
        facts: &'f Facts<'f>,
        places: &'f OnceCell<Places<'f>>,
    ) -> Self {
        Self { policy, facts, places, protected: Protected::new(facts.home, |_| None) }
    }

    /// Returns what the classes say about a step with these effects.
    pub(super) fn of_step(&self, subject: &Subject<'_>, effects: &[RatedEffect]) -> Classed {
        let mut found = Found { classes: Vec::new(), need: Need::Look, unclassed: effects.is_empty() };
        let folders = folders_of(self.facts.cwd, &subject.step.dir);
        for rated in effects {
            self.add(&mut found, rated, folders.as_deref().unwrap_or_default());
        }
        match folders {
            Some(folders) => {
                self.add_places(&mut found, subject, &folders);
                self.add_folder_arguments(&mut found, subject, &folders);
            }
            None => found.unclassed = true,
        }
        let settings = &self.policy.settings;
        if let Some(class) = found.classes.iter().find(|class| settings.access(**class) == Access::Deny) {
            return Classed::Denied(*class);
        }
        if self.is_strange(subject) {
            found.add(Class::Build, Need::Project);
        }
        let dangerous = effects.iter().any(|rated| rated.level == RiskLevel::Dangerous);
        let held = found.need < Need::Unconfined || self.is_known(subject) && obeys_no_folder(subject);
        if found.unclassed
            || dangerous
            || !held
            || !self.can_start(subject)
            || !found.classes.iter().all(|class| settings.allows(*class))
        {
            return Classed::Asks;
        }
        // The profile with the network is for code that the agent may give it.
        let builds = found.classes.contains(&Class::Build);
        if found.need == Need::Network && builds && !settings.allows(Class::Network) {
            return Classed::Asks;
        }
        let serves = effects.iter().any(|rated| matches!(rated.effect, Effect::Serve { .. }));
        found.classes.sort_unstable();
        Classed::Allowed { classes: found.classes, need: found.need, serves }
    }

    /// Adds the class of an effect.
    fn add(&self, found: &mut Found, rated: &RatedEffect, folders: &[String]) {
        match &rated.effect {
            Effect::Read { paths } => self.add_paths(found, Class::Look, paths, folders),
            Effect::Write { paths } | Effect::Delete { paths, .. } => {
                self.add_paths(found, Class::Files, paths, folders);
            }
            Effect::ChangeRepository { .. } => {
                found.add(Class::Files, Need::Project);
                found.unclassed |= rated.reversible == Reversible::No;
            }
            Effect::RunProjectCode { .. } | Effect::RunInlineCode { .. } => {
                found.add(Class::Build, Need::Project);
            }
            Effect::Serve { .. } => {
                found.add(Class::Build, Need::Project);
                found.unclassed |= rated.scope == Scope::Remote;
            }
            Effect::Fetch { .. } => found.add(Class::Network, Need::Network),
            Effect::Send { .. } | Effect::Publish { .. } => found.add(Class::Share, Need::Unconfined),
            Effect::Install { place: InstallPlace::Project, .. } | Effect::RunDownloadedCode { .. } => {
                found.add(Class::Install, Need::Network);
            }
            Effect::Install { .. } => found.add(Class::Install, Need::Unconfined),
            Effect::RunElsewhere { .. } | Effect::ChangeSystem { .. } | Effect::ControlApp { .. } => {
                found.add(Class::System, Need::Unconfined);
            }
            Effect::UseSecret { .. } if rated.scope == Scope::Inside => found.add(Class::Secrets, Need::Look),
            Effect::UseSecret { .. } => found.add(Class::Secrets, Need::Unconfined),
            Effect::Unknown { why: Why::Argument(ArgFact::Mark { effect: ArgEffect::Folder, .. }) } => {}
            // The agent could put each of them into code of its project, which the profile holds as well.
            Effect::Unknown {
                why:
                    Why::Program(_)
                    | Why::ProgramLater
                    | Why::Unparsed(_)
                    | Why::TooManyCommands
                    | Why::Argument(_),
            } => found.add(Class::Build, Need::Project),
            Effect::Unknown { .. } => found.unclassed = true,
        }
    }

    /// Adds the class of an effect on paths. A path that only the run tells is one that the profile holds to the folders.
    fn add_paths(&self, found: &mut Found, class: Class, paths: &[String], folders: &[String]) {
        found.add(class, if class == Class::Look { Need::Look } else { Need::Project });
        for (path, folder) in paths.iter().flat_map(|path| folders.iter().map(move |of| (path, of))) {
            let reached = places::resolved(path, folder, self.facts);
            let known = !reached.contains(['$', '`']);
            if class == Class::Look && known {
                self.add_read(found, &reached);
            } else if class == Class::Look {
                self.add_private(found);
            } else if !self.protected.of(&reached).is_empty() || self.places().is_protected(&reached) {
                found.unclassed = true;
            } else if known && !self.is_private(&reached) && !self.is_own(&reached) {
                found.add(Class::System, Need::Unconfined);
            }
        }
    }

    /// Adds the profile `project`, which holds reading to the agent's folders and a temporary folder of its own.
    fn add_private(&self, found: &mut Found) {
        let settings = &self.policy.settings;
        found.need = found.need.max(Need::Project);
        found.unclassed |= !settings.allows(Class::Files) && !settings.allows(Class::Build);
    }

    /// Adds what reading a path needs.
    fn add_read(&self, found: &mut Found, path: &str) {
        if self.places().is_protected(path) {
            found.unclassed = true;
        } else if !self.places().may_be_read(path) {
            if self.is_private(path) {
                self.add_private(found);
            } else {
                found.add(Class::System, Need::Unconfined);
            }
        }
    }

    /// Adds the step's own folders, and the paths that its words name.
    fn add_places(&self, found: &mut Found, subject: &Subject<'_>, folders: &[String]) {
        let reads = |redirection: &&Redirection| redirection.kind == RedirectionKind::Read;
        for folder in folders {
            self.add_read(found, folder);
            let operands = places::operands(subject, self.facts, folder);
            let opened = operands
                .iter()
                .filter(|path| places::opens_files(subject) || self.places().is_protected(path));
            if super::look::goes_through(subject) {
                found.unclassed |= operands.iter().chain([folder]).any(|path| self.places().hold_keys(path));
            }
            let redirected = places::redirected(subject, self.facts, folder, reads);
            for path in opened.chain(&redirected) {
                self.add_read(found, path);
            }
        }
        if places::opens_files(subject) {
            for target in &subject.found.targets {
                self.add_read(found, &target.real);
            }
        }
    }

    /// Adds the folders that options name for the program to work in (`git -C`).
    fn add_folder_arguments(&self, found: &mut Found, subject: &Subject<'_>, folders: &[String]) {
        let argv = &subject.step.argv;
        for way in subject.step.ways_out.iter().filter(|way| way.effect == ArgEffect::Folder) {
            let option = argv.get(way.argument).and_then(|word| word.value.as_deref()).unwrap_or_default();
            let next = || argv.get(way.argument + 1).and_then(|word| word.value.as_deref());
            let named = option.split_once('=').map(|(_, folder)| folder).or_else(next);
            let own = |path: &str| {
                folders.iter().all(|folder| self.is_own(&places::resolved(path, folder, self.facts)))
            };
            found.add(Class::Look, Need::Look);
            found.unclassed |= !named.is_some_and(own);
        }
    }

    /// Returns true if what runs may be more than its effects say, so that it counts as code of the project.
    fn is_strange(&self, subject: &Subject<'_>) -> bool {
        let of_agent = || match &subject.found.program {
            Lookup::Found(program) => self.places().is_of_agent(&program.real_path),
            Lookup::NotFound | Lookup::Unusable { .. } | Lookup::Nothing => false,
        };
        let harmless = |assignment| super::subject::is_harmless(assignment, &self.policy.settings);
        subject.step.ways_out.iter().any(|way| is_strange_argument(subject, way))
            || subject.found.changeable().next().is_some()
            || of_agent()
            || !subject.step.assignments.iter().all(harmless)
            || *self.facts.input != crate::facts::Input::Nothing && !subject.reads_input_as_data()
    }

    /// Returns true if everything that runs is known, as it has to be without a profile.
    fn is_known(&self, subject: &Subject<'_>) -> bool {
        !self.is_strange(subject)
            && subject.step.opaque.is_none()
            && subject.obstacle(self.policy, self.facts).is_none()
    }

    /// Returns true if its program is there, and nothing gives it more rights.
    fn can_start(&self, subject: &Subject<'_>) -> bool {
        let there = match &subject.found.program {
            Lookup::Found(_) => true,
            // A builtin, or a text that was not understood.
            Lookup::Nothing => subject.step.program().is_none_or(|name| !name.contains('/')),
            // The shell runs the text itself (`eval`).
            Lookup::NotFound => {
                subject.step.opaque.as_ref().is_some_and(|part| part.kind == Unparsed::Eval)
                    && self.facts.shell
            }
            Lookup::Unusable { .. } => false,
        };
        let plain = subject.step.via.iter().all(|via| via.power == Power::Transparent);
        there && plain && subject.strange_wrapper(self.policy, self.facts).is_none()
    }

    /// Returns true if a path lies in the agent's folders.
    fn is_own(&self, path: &str) -> bool {
        self.facts.folders.iter().any(|folder| path::is_within(path, folder))
            || crate::confinement::DEVICES.contains(&path)
            || places::STREAMS.contains(&path)
    }

    /// Returns true for a path in the temporary folder, of which a confined run has its own. Tools of an agent that has a shell
    /// use the real one: there such a path is like every other.
    fn is_private(&self, path: &str) -> bool {
        let temporary = ["/tmp", "/private/tmp"];
        self.facts.origin.is_host() && temporary.iter().any(|folder| path::is_within(path, folder))
    }

    fn places(&self) -> &Places<'f> {
        self.places.get_or_init(|| Places::new(self.facts))
    }
}

/// Programs that do the same in every folder: they read no configuration there, and start nothing of it. Git, npm, gh, docker and
/// most others obey files that the agent can change, so with the person's rights they could run its code.
const OBEY_NO_FOLDER: [&str; 5] = ["curl", "scp", "sftp", "ssh", "wget"];

fn obeys_no_folder(subject: &Subject<'_>) -> bool {
    subject.step.program().is_some_and(|name| OBEY_NO_FOLDER.contains(&name))
}

/// Returns true for an unsafe argument of which the step's effects may tell too little. A verb has effects of its own.
fn is_strange_argument(subject: &Subject<'_>, way: &UnsafeArg) -> bool {
    use ArgEffect::{Code, Folder, NamedCode, Pattern, RunTime, Sends, Shell, Unlisted};
    let is_option = subject.step.argv.get(way.argument).is_none_or(|word| word.raw.starts_with('-'));
    match way.effect {
        Folder | Sends => false,
        Code | NamedCode | Pattern | RunTime | Shell | Unlisted => true,
        _ => is_option,
    }
}

/// Returns the outcome for a text that was not understood, in a run that holds it as code of the project.
pub(super) fn any_code() -> Outcome {
    let cause = Cause::Classes { classes: vec![Class::Build], confined: true };
    Outcome::new(Decision::Allow, Reason::Class, cause)
}

/// Returns the outcome of the classes for the step at `at`, which no rule covers.
pub(super) fn outcome(facts: &Facts<'_>, profiles: &Profiles, at: usize) -> Option<Outcome> {
    let command = label::of_step(&facts.reading.steps[at]);
    match profiles.classed.get(at)? {
        Classed::Asks => None,
        Classed::Denied(class) => {
            let cause = Cause::ClassDenied { command, class: *class };
            Some(Outcome::new(Decision::Deny, Reason::Policy, cause))
        }
        Classed::Allowed { classes, need, .. } => {
            let gap = (!profiles.hold(at))
                .then(|| profiles.gap(facts, *need == Need::Unconfined || facts.confinable.project));
            let classes = classes.clone();
            Some(match gap {
                None => {
                    let confined = *need < Need::Unconfined;
                    Outcome::new(Decision::Allow, Reason::Class, Cause::Classes { classes, confined })
                }
                Some(gap) => {
                    Outcome::new(Decision::Ask, gap.reason(), Cause::ClassesBut { command, classes, gap })
                }
            })
        }
    }
}
