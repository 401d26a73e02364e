//! Classes: what an agent may do silently, by the effects of its steps.
//!
//! Effects come from words, which do not hold at run time. So what looks, changes files or builds is allowed only if the
//! run is confined: then a wrong effect costs a failed run and nothing else. A class whose effects no profile can hold
//! is allowed for a step of which everything is known.

use super::places::{self, StepPlaces};
use super::subject::StepSubject;
use crate::agent::AgentPolicy;
use crate::classes::{Access, Class};
use crate::facts::{Facts, Lookup};
use crate::needed::folders_of;
use crate::path;
use crate::protected::ProtectedPlaces;
use crate::risk::{RatedEffect, RiskLevel};
use postern_command::effect::InstallPlace;
use postern_command::{
    ArgEffect, ArgFact, CommandEffect, EffectScope, Power, Redirection, RedirectionKind, Reversible, Step,
    UnknownEffectReason, Unparsed, UnsafeArg,
};
use postern_protocol::Profile;
use std::cell::OnceCell;

/// Confinement that a step needs so that its classes allow it, from little to much.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Need {
    Look,
    Project,
    /// The profile `project` with the network.
    Network,
    /// No profile.
    Unconfined,
}

/// Result of an agent's classes for a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Classed {
    /// Not allowed: an effect belongs to no class, or to one that asks.
    Asks,
    /// This one denies it.
    Denied(Class),
    /// Allowed with the confinement that it needs.
    Allowed { classes: Vec<Class>, need: Need, serves: bool },
}

#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Debug)]
pub(super) struct StepClasses {
    classes: Vec<Class>,
    /// Need, apart from code of the project and the private temporary folder.
    need: Need,
    /// Code of the project that it runs: each profile holds it.
    code: ProjectCode,
    /// True if it reads in a temporary folder, of which only the profile `project` has one.
    private: bool,
    /// Some effect belongs to no class, or its program is not there, or has more rights.
    unclassed: bool,
    dangerous: bool,
    serves: bool,
    /// True if what it fetches with may tell a host what was read here.
    tells: bool,
}

impl StepClasses {
    fn new() -> Self {
        Self {
            classes: Vec::new(),
            need: Need::Look,
            code: ProjectCode::No,
            private: false,
            unclassed: false,
            dangerous: false,
            serves: false,
            tells: false,
        }
    }

    fn add_class(&mut self, class: Class, need: Need) {
        if !self.classes.contains(&class) {
            self.classes.push(class);
        }
        self.need = self.need.max(need);
    }

    fn add_code(&mut self) {
        self.add_class(Class::Build, Need::Look);
        self.code = ProjectCode::Runs;
    }

    /// Returns what it needs so that a profile holds all of it.
    fn whole_need(&self) -> Need {
        let project = self.code != ProjectCode::No || self.private;
        if project { self.need.max(Need::Project) } else { self.need }
    }

    /// Returns true if it may serve on loopback.
    pub(super) fn serves(&self) -> bool {
        self.serves
    }

    /// Returns what a run with this profile needs to hold the step, or `None` if it can't. `network` says that the profile has
    /// the network.
    pub(super) fn held_by(&self, profile: Profile, network: bool) -> Option<Need> {
        let need = match profile {
            // It holds any code; what is known to write or to serve would only fail.
            Profile::Look if self.private || self.serves => return None,
            Profile::Look => self.need,
            Profile::Project => self.need.max(Need::Project),
        };
        let most = match profile {
            Profile::Look => Need::Look,
            Profile::Project if network => Need::Network,
            Profile::Project => Need::Project,
        };
        (!self.unclassed && need <= most).then_some(need)
    }

    /// Returns true if some effect is dangerous, whatever holds it.
    pub(super) fn is_dangerous(&self) -> bool {
        self.dangerous
    }
}

/// Judges steps by classes.
pub(super) struct Classes<'f> {
    policy: &'f AgentPolicy,
    facts: &'f Facts<'f>,
    places: &'f OnceCell<StepPlaces<'f>>,
    protected: ProtectedPlaces,
}

impl<'f> Classes<'f> {
    pub(super) fn new(
        policy: &'f AgentPolicy,
        facts: &'f Facts<'f>,
        places: &'f OnceCell<StepPlaces<'f>>,
    ) -> Self {
        Self { policy, facts, places, protected: ProtectedPlaces::of_home(facts.home) }
    }

    pub(super) fn find_classes(&self, subject: &StepSubject<'_>, effects: &[RatedEffect]) -> StepClasses {
        let mut found = StepClasses { unclassed: effects.is_empty(), ..StepClasses::new() };
        let folders = folders_of(self.facts.cwd, &subject.step.dir);
        let ends_own = super::processes::ends_own_jobs(self.facts, subject.step);
        for rated in effects {
            if ends_own && matches!(rated.effect, CommandEffect::ChangeSystem { .. }) {
                // A confined run signals no other processes than its own.
                found.add_class(Class::Build, Need::Project);
            } else {
                self.add_effect(&mut found, rated, folders.as_deref().unwrap_or_default());
            }
        }
        if effects.iter().any(reaches_others) {
            add_transfer(&mut found, subject.step);
        }
        match folders {
            Some(folders) => {
                self.add_places(&mut found, subject, &folders);
                self.add_folder_arguments(&mut found, subject, &folders);
            }
            None => found.unclassed = true,
        }
        if found.code == ProjectCode::No && self.is_strange(subject) {
            found.code = ProjectCode::MayRun;
        }
        // What a rule opens for reading is for what only reads: code and changes belong into the agent's folders.
        let changes = found.code != ProjectCode::No || found.need > Need::Look;
        let here = folders_of(self.facts.cwd, &subject.step.dir).unwrap_or_default();
        if changes && here.iter().any(|folder| self.places().is_opened(folder)) {
            found.add_class(Class::System, Need::Unconfined);
        }
        found.dangerous = effects.iter().any(|rated| rated.level == RiskLevel::Dangerous);
        found.unclassed |= !self.can_start(subject);
        found
    }

    /// Returns the effect that keeps a profile from holding a step, if it is one effect.
    pub(super) fn beyond(
        &self,
        subject: &StepSubject<'_>,
        effects: &[RatedEffect],
        profile: Profile,
        network: bool,
    ) -> Option<RatedEffect> {
        let folders = folders_of(self.facts.cwd, &subject.step.dir).unwrap_or_default();
        let is_held = |rated: &&RatedEffect| {
            let mut found = StepClasses::new();
            self.add_effect(&mut found, rated, &folders);
            rated.level != RiskLevel::Dangerous && found.held_by(profile, network).is_some()
        };
        effects.iter().find(|rated| !is_held(rated)).cloned()
    }

    /// Returns what the classes say about a step.
    pub(super) fn of_step(&self, subject: &StepSubject<'_>, found: &StepClasses) -> Classed {
        let settings = &self.policy.settings;
        if let Some(class) = found.classes.iter().find(|class| settings.access(**class) == Access::Deny) {
            return Classed::Denied(*class);
        }
        let mut classes = found.classes.clone();
        if found.code != ProjectCode::No && !classes.contains(&Class::Build) {
            classes.push(Class::Build);
        }
        // Code that an agent may run with the network sends what it likes.
        if found.tells && !settings.allows(Class::Build) {
            classes.push(Class::Share);
        }
        let need = found.whole_need();
        let held = need < Need::Unconfined || self.is_known(subject) && obeys_no_folder(subject);
        let private = !found.private || settings.allows(Class::Files) || settings.allows(Class::Build);
        if found.unclassed
            || found.dangerous
            || !held
            || !private
            || !classes.iter().all(|class| settings.allows(*class))
        {
            return Classed::Asks;
        }
        // The profile with the network is for code that the agent may give it.
        let builds = classes.contains(&Class::Build);
        if need == Need::Network && builds && !settings.allows(Class::Network) {
            return Classed::Asks;
        }
        classes.sort_unstable();
        Classed::Allowed { classes, need, serves: found.serves }
    }

    fn add_effect(&self, found: &mut StepClasses, rated: &RatedEffect, folders: &[String]) {
        match &rated.effect {
            CommandEffect::Read { paths } => self.add_paths(found, Class::Look, paths, folders),
            CommandEffect::Write { paths } | CommandEffect::Delete { paths, .. } => {
                self.add_paths(found, Class::Files, paths, folders);
            }
            CommandEffect::ChangeRepository { .. } => {
                found.add_class(Class::Files, Need::Project);
                found.unclassed |= rated.reversible == Reversible::No;
            }
            CommandEffect::Serve { .. } => {
                found.add_class(Class::Build, Need::Project);
                found.serves = true;
                found.unclassed |= rated.scope == EffectScope::Remote;
            }
            CommandEffect::Fetch { .. } => found.add_class(Class::Network, Need::Network),
            CommandEffect::Send { .. } | CommandEffect::Publish { .. } => {
                found.add_class(Class::Share, Need::Unconfined);
            }
            // Without the network nothing is downloaded: what runs is in the project or a cache already.
            CommandEffect::RunDownloadedCode { .. } if self.runs_what_is_there() => found.add_code(),
            CommandEffect::Install { place: InstallPlace::Project, .. }
            | CommandEffect::RunDownloadedCode { .. } => {
                found.add_class(Class::Install, Need::Network);
            }
            CommandEffect::Install { .. } => found.add_class(Class::Install, Need::Unconfined),
            CommandEffect::RunElsewhere { .. }
            | CommandEffect::ChangeSystem { .. }
            | CommandEffect::ControlApp { .. } => {
                found.add_class(Class::System, Need::Unconfined);
            }
            CommandEffect::UseSecret { .. } if rated.scope == EffectScope::Inside => {
                found.add_class(Class::Secrets, Need::Look);
            }
            CommandEffect::UseSecret { .. } => found.add_class(Class::Secrets, Need::Unconfined),
            CommandEffect::Unknown {
                why: UnknownEffectReason::Argument(ArgFact::Mark { effect: ArgEffect::Folder, .. }),
            } => {}
            // The agent could put what is unknown into code of its project, which the profile holds as well.
            CommandEffect::RunProjectCode { .. }
            | CommandEffect::RunInlineCode { .. }
            | CommandEffect::Unknown {
                why:
                    UnknownEffectReason::Program(_)
                    | UnknownEffectReason::ProgramLater
                    | UnknownEffectReason::Unparsed(_)
                    | UnknownEffectReason::TooManyCommands
                    | UnknownEffectReason::Argument(_),
            } => found.add_code(),
            CommandEffect::Unknown { .. } => found.unclassed = true,
        }
    }

    /// Returns true if a program that downloads what is missing (`npx`) is held to what is there.
    fn runs_what_is_there(&self) -> bool {
        let settings = &self.policy.settings;
        !settings.allows(Class::Network) && settings.access(Class::Install) == Access::Ask
    }

    /// Adds the class of an effect on paths. A path that only the run tells is one that the profile holds to the folders.
    fn add_paths(&self, found: &mut StepClasses, class: Class, paths: &[String], folders: &[String]) {
        found.add_class(class, if class == Class::Look { Need::Look } else { Need::Project });
        for (path, folder) in paths.iter().flat_map(|path| folders.iter().map(move |of| (path, of))) {
            let reached = places::resolved(path, folder, self.facts);
            let known = !reached.contains(['$', '`']);
            if class == Class::Look && known {
                self.add_read(found, &reached);
            } else if class == Class::Look {
                found.private = true;
            } else if !self.protected.places_at(&reached).is_empty() || self.places().is_protected(&reached) {
                found.unclassed = true;
            } else if known && !self.is_private(&reached) && !self.is_own(&reached) {
                found.add_class(Class::System, Need::Unconfined);
            }
        }
    }

    /// Adds what reading a word needs that may be a path.
    fn add_read(&self, found: &mut StepClasses, path: &str) {
        if self.places().is_protected(path) || !self.places().may_be_read(path) {
            self.add_read_of_path(found, path);
        }
    }

    /// Adds what reading a path needs.
    fn add_read_of_path(&self, found: &mut StepClasses, path: &str) {
        if self.places().is_protected(path) {
            found.unclassed = true;
        } else if !self.places().is_inside(path) {
            if self.is_private(path) {
                found.private = true;
            } else {
                found.add_class(Class::System, Need::Unconfined);
            }
        }
    }

    /// Adds the step's own folders, and the paths that its words name.
    fn add_places(&self, found: &mut StepClasses, subject: &StepSubject<'_>, folders: &[String]) {
        let reads = |redirection: &&Redirection| redirection.kind == RedirectionKind::Read;
        for folder in folders {
            self.add_read_of_path(found, folder);
            let operands = places::operands(subject, self.facts, folder);
            let opened = operands
                .iter()
                .filter(|path| places::opens_files(subject) || self.places().is_protected(path));
            if super::look::goes_through(subject) {
                found.unclassed |= operands.iter().chain([folder]).any(|path| self.places().hold_keys(path));
            }
            let redirected = places::redirected(subject, self.facts, folder, reads);
            for path in opened {
                self.add_read(found, path);
            }
            for path in &redirected {
                self.add_read_of_path(found, path);
            }
        }
        if places::opens_files(subject) {
            for target in &subject.found.targets {
                self.add_read_of_path(found, &target.real);
            }
        }
    }

    /// Adds the folders that options name for the program to work in (`git -C`).
    fn add_folder_arguments(&self, found: &mut StepClasses, subject: &StepSubject<'_>, folders: &[String]) {
        let argv = &subject.step.argv;
        for way in subject.step.ways_out.iter().filter(|way| way.effect == ArgEffect::Folder) {
            let option = argv.get(way.argument).and_then(|word| word.value.as_deref()).unwrap_or_default();
            let next = || argv.get(way.argument + 1).and_then(|word| word.value.as_deref());
            let named = option.split_once('=').map(|(_, folder)| folder).or_else(next);
            let own = |path: &str| {
                folders.iter().all(|folder| self.is_own(&places::resolved(path, folder, self.facts)))
            };
            found.add_class(Class::Look, Need::Look);
            found.unclassed |= !named.is_some_and(own);
        }
    }

    /// Returns true if what runs may be more than its effects say, so that it counts as code of the project.
    fn is_strange(&self, subject: &StepSubject<'_>) -> bool {
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
    fn is_known(&self, subject: &StepSubject<'_>) -> bool {
        !self.is_strange(subject)
            && subject.step.opaque.is_none()
            && subject.obstacle(self.policy, self.facts).is_none()
    }

    /// Returns true if its program is there, and nothing gives it more rights.
    fn can_start(&self, subject: &StepSubject<'_>) -> bool {
        let there = match &subject.found.program {
            Lookup::Found(_) => true,
            // A builtin, or a text that was not understood.
            Lookup::Nothing => subject.step.program().is_none_or(|name| !name.contains('/')),
            // The shell runs the text, or the file, itself (`eval`, `source`).
            Lookup::NotFound => {
                let part = subject.step.opaque.as_ref();
                part.is_some_and(|part| matches!(part.kind, Unparsed::Eval | Unparsed::Source))
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

    fn places(&self) -> &StepPlaces<'f> {
        self.places.get_or_init(|| StepPlaces::new(self.facts))
    }
}

/// Returns true for a fetch from another machine than this one.
fn reaches_others(rated: &RatedEffect) -> bool {
    matches!(rated.effect, CommandEffect::Fetch { .. }) && rated.scope != EffectScope::Machine
}

/// Adds what a step that fetches does besides: what it tells the host, and the file that it makes of what it gets.
///
/// Words that the run makes may hold what a command has read, and so may its input.
fn add_transfer(found: &mut StepClasses, step: &Step) {
    let feeds = |one: &Redirection| {
        matches!(one.kind, RedirectionKind::Read | RedirectionKind::ReadWrite | RedirectionKind::Here)
            && one.target.value.as_deref() != Some("/dev/null")
    };
    let has = |effect: ArgEffect| step.ways_out.iter().any(|way| way.effect == effect);
    let fed = step.piped || step.redirections.iter().any(feeds);
    found.tells = step.computed || fed || has(ArgEffect::Sends);
    // What is installed, or checked out to be run, is written, too.
    if has(ArgEffect::Writes) || has(ArgEffect::Plants) || has(ArgEffect::Fetches) {
        found.add_class(Class::Files, Need::Project);
    }
}

/// Programs that do the same in every folder: they read no configuration there, and start nothing of it. Git, npm, gh, docker and
/// most others obey files that the agent can change, so with the person's rights they could run its code.
const OBEY_NO_FOLDER: [&str; 5] = ["curl", "scp", "sftp", "ssh", "wget"];

fn obeys_no_folder(subject: &StepSubject<'_>) -> bool {
    subject.step.program().is_some_and(|name| OBEY_NO_FOLDER.contains(&name))
}

/// Returns true for an unsafe argument of which the step's effects may tell too little. A verb has effects of its own.
fn is_strange_argument(subject: &StepSubject<'_>, way: &UnsafeArg) -> bool {
    use ArgEffect::{Code, Folder, Loads, NamedCode, Pattern, RunTime, Runs, Sends, Shell, Unlisted};
    let is_option = subject.step.argv.get(way.argument).is_none_or(|word| word.raw.starts_with('-'));
    match way.effect {
        Folder | Sends => false,
        // What an operand starts (`git fetch ext::./x`, `tar cIf ./x a b`) is told by no verb.
        Code | Loads | NamedCode | Pattern | RunTime | Runs | Shell | Unlisted => true,
        _ => is_option,
    }
}

/// Code that a step runs and that its agent can change, or that nobody knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProjectCode {
    No,
    /// Perhaps: its words, variables or input may make it run some.
    MayRun,
    Runs,
}

/// Facts about a step that say whether to confine it.
pub(crate) struct StepInProject {
    pub(crate) code: ProjectCode,
    /// True if it changes what its agent may change, and the profile `project` holds all that it does.
    pub(crate) changes_own: bool,
}

/// Returns what the step at `at` runs of the project, and whether it changes nothing else.
pub(crate) fn step_in_project(policy: &AgentPolicy, facts: &Facts<'_>, at: usize) -> StepInProject {
    let subject = StepSubject::at(facts, at);
    let places = OnceCell::new();
    let effects = crate::risk::of_step(facts, subject.step, subject.found);
    let found = Classes::new(policy, facts, &places).find_classes(&subject, &effects);
    let held = |profile| found.held_by(profile, false).is_some() && !found.dangerous;
    StepInProject { code: found.code, changes_own: held(Profile::Project) && !held(Profile::Look) }
}
