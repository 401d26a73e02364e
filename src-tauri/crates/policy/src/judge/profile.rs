//! The profile of a whole request, from what the read-only list, the agent's classes and its rules say about each step.
//!
//! A run is one process tree with one profile: the widest that a step needs. Beside a step that runs unconfined, the list
//! allows only steps that name no file and read no configuration.

use super::builtin::starts_nothing;
use super::caches::needed_caches;
use super::classes::{Classed, Classes, Need, StepClasses};
use super::confined::{self, Ruled};
use super::covering::is_allowed_as_it_is;
use super::files::{opens_named, opens_unnamed};
use super::look::{Vouched, vouched};
use super::opened::{self, OpenedFolder};
use super::own_shell::{self, Rewriting};
use super::places::StepPlaces;
use super::subject::StepSubject;
use crate::agent::AgentPolicy;
use crate::cause::ClassGap;
use crate::classes::Class;
use crate::confinement::{Confinement, Denied};
use crate::facts::{Confinable, Facts};
use crate::path;
use crate::risk::Weighed;
use crate::rule::FileAccess;
use crate::settings::Security;
use postern_command::{Role, Step};
use postern_protocol::{Profile, RequestedConfinement, short_folder};
use std::cell::OnceCell;

/// The verdicts of the list, of the classes and of rules that name a profile on each step, and the confinement of the whole
/// request.
#[derive(Debug)]
pub(super) struct Profiles<'a> {
    pub(super) steps: Vec<Vouched>,
    pub(super) classed: Vec<Classed>,
    pub(super) ruled: Vec<Ruled<'a>>,
    pub(super) confinement: Confinement,
    rewriting: Rewriting,
    /// True if the shell alone carries the line out, and may tell names of files that it expands.
    pub(super) expands: bool,
    /// Rules for reading a folder that the profile rests on.
    pub(super) opened: Vec<OpenedFolder>,
}

impl<'a> Profiles<'a> {
    /// Makes the profiles of a request. `by_line` says that a rule covers the whole line.
    pub(super) fn new(
        policy: &'a AgentPolicy,
        facts: &'a Facts<'a>,
        weighed: &OnceCell<Weighed>,
        by_line: bool,
    ) -> Self {
        let opened = opened::folders(policy, facts);
        let any = !opened.is_empty();
        let mut profiles = Self::of_policy(policy, facts, weighed, by_line, opened);
        // A confined shell of the agent's own gets folders that it reads, or folders that it writes, and not both.
        if any && !facts.origin.is_host() && matches!(profiles.confinement, Confinement::Project { .. }) {
            profiles = Self::of_policy(policy, facts, weighed, by_line, Vec::new());
        }
        let confinement = match asked_profile(policy, facts, weighed, &profiles.opened) {
            Some(asked) if !profiles.confinement.is_within(&asked) => asked,
            Some(_) | None => std::mem::take(&mut profiles.confinement),
        };
        let secrets = profiles.keep_secrets(policy, &confinement, facts, weighed);
        let denied = Denied { secrets, ..denied(policy, facts) };
        Self { confinement: confinement.without(denied), ..profiles }
    }

    /// Returns true if files that hold secrets are kept from a run: it only reads or changes files, perhaps some that no word
    /// names.
    ///
    /// With a word that names one a step is dangerous, and the person decides. Code of the project may need them.
    fn keep_secrets(
        &self,
        policy: &AgentPolicy,
        confinement: &Confinement,
        facts: &Facts<'_>,
        weighed: &OnceCell<Weighed>,
    ) -> bool {
        let steps = || facts.reading.steps.iter().enumerate();
        let is_plain = |(at, step): (usize, &Step)| {
            step.role != Role::Program
                || matches!(self.steps.get(at), Some(Vouched::Confined | Vouched::Anywhere))
                || matches!(self.classed.get(at), Some(Classed::Allowed { classes, .. }) if !classes.contains(&Class::Build))
        };
        let holds = match confinement {
            Confinement::None => false,
            Confinement::Look { .. } => true,
            Confinement::Project { .. } => facts.reading.opaque.is_empty() && steps().all(is_plain),
        };
        // Who runs code of the project reads them anyway, and git stages what it has to read.
        let strict = confinement.profile() == Some(Profile::Look) || !policy.settings.allows(Class::Build);
        let opens = |(at, step): (usize, &Step)| {
            opens_unnamed(step) || strict && is_plain((at, step)) && !opens_named(step)
        };
        holds && steps().any(opens) && !weighed.get_or_init(|| Weighed::new(facts)).dangerous.contains(&true)
    }

    fn of_policy(
        policy: &'a AgentPolicy,
        facts: &'a Facts<'a>,
        weighed: &OnceCell<Weighed>,
        by_line: bool,
        opened: Vec<OpenedFolder>,
    ) -> Self {
        if policy.settings.security == Security::Full || facts.reading.steps.len() != facts.steps.len() {
            let (confinement, rewriting) = (Confinement::None, Rewriting::Fits);
            let (steps, classed, ruled) = (Vec::new(), Vec::new(), Vec::new());
            let (expands, opened) = (false, Vec::new());
            return Self { steps, classed, ruled, confinement, rewriting, expands, opened };
        }
        let subjects: Vec<StepSubject<'_>> = facts
            .reading
            .steps
            .iter()
            .zip(facts.steps)
            .map(|(step, found)| StepSubject::new(step, found))
            .collect();
        let folders: Vec<String> = opened.iter().map(|one| one.folder.clone()).collect();
        let places = if folders.is_empty() {
            OnceCell::new()
        } else {
            StepPlaces::with_opened(facts, folders.clone()).into()
        };
        let of_step = |(at, subject): (usize, &StepSubject<'_>)| {
            let is_dangerous = || weighed.get_or_init(|| Weighed::new(facts)).dangerous[at];
            vouched(policy, &places, facts, subject, is_dangerous)
        };
        let steps: Vec<Vouched> = subjects.iter().enumerate().map(of_step).collect();
        let Effects { found, classed, ruled } = effects(policy, facts, &places, weighed, &subjects);
        let whole = WholeRequest {
            policy,
            facts,
            weighed,
            subjects: &subjects,
            steps: &steps,
            found: &found,
            classed: &classed,
            ruled: &ruled,
            opened: &folders,
        };
        let rewriting = own_shell::rewriting(policy, facts, &subjects);
        let clear = facts.reading.opaque.is_empty();
        let expands = subjects.iter().all(|one| starts_nothing(policy, facts, one)) && expands_names(facts);
        let open = facts.confine == Some(RequestedConfinement::None) || rewriting != Rewriting::Fits;
        let confinement = if open || !clear && !facts.origin.is_host() {
            Confinement::None
        } else if clear && (expands && facts.confinable.look || whole.only_looks()) {
            looking(facts, folders)
        } else if by_line {
            Confinement::None
        } else {
            whole.by_effects().unwrap_or_default()
        };
        Self { steps, classed, ruled, confinement, rewriting, expands, opened }
    }

    /// Returns why a step does not run in the profile that it needs; `None` stands for the user's rights.
    pub(super) fn class_gap(&self, facts: &Facts<'_>, needs: Option<Profile>) -> ClassGap {
        let confinable = match needs {
            None => true,
            Some(Profile::Look) => facts.confinable.look,
            Some(Profile::Project) => facts.confinable.project,
        };
        if facts.confine == Some(RequestedConfinement::None) {
            ClassGap::Unconfined
        } else if !facts.origin.is_host() && facts.confinable == Confinable::NONE {
            ClassGap::OwnShell
        } else if self.rewriting == Rewriting::ChangesShell {
            ClassGap::ChangesShell
        } else if !confinable {
            ClassGap::CannotConfine
        } else if let Some(folder) = too_wide(facts).filter(|_| needs == Some(Profile::Project)) {
            ClassGap::TooWide { folder: folder.to_owned() }
        } else {
            ClassGap::NotConfined
        }
    }

    /// Returns true if the run is one of code that the agent may run confined, so that what was not understood may be any.
    pub(super) fn hold_any_code(&self, settings: &crate::Settings) -> bool {
        settings.allows(Class::Build) && matches!(self.confinement, Confinement::Project { .. })
    }

    /// Returns true if the run has what a rule that names a profile needs to allow the step at `at`.
    pub(super) fn hold_rule(&self, at: usize) -> bool {
        let Some(Ruled::Allowed(_, _, need)) = self.ruled.get(at) else { return false };
        match self.confinement {
            Confinement::None => false,
            Confinement::Look { .. } => {
                *need == Need::Look
                    || matches!(self.steps.get(at), Some(Vouched::Confined | Vouched::Anywhere))
            }
            Confinement::Project { network, .. } => *need <= Need::Project || network,
        }
    }

    /// Returns true if the run has what classes need to allow the step at `at`.
    pub(super) fn holds_step(&self, at: usize) -> bool {
        let Some(Classed::Allowed { need, .. }) = self.classed.get(at) else { return false };
        match self.confinement {
            Confinement::None => *need == Need::Unconfined,
            Confinement::Look { .. } => *need == Need::Look,
            Confinement::Project { network, .. } => {
                *need <= Need::Project || *need == Need::Network && network
            }
        }
    }
}

/// Effects of each step; empty, if no class and no rule with a profile decides anything.
#[derive(Default)]
struct Effects<'a> {
    found: Vec<StepClasses>,
    classed: Vec<Classed>,
    ruled: Vec<Ruled<'a>>,
}

fn effects<'a: 'f, 'f>(
    policy: &'a AgentPolicy,
    facts: &'f Facts<'f>,
    places: &'f OnceCell<StepPlaces<'f>>,
    weighed: &OnceCell<Weighed>,
    subjects: &[StepSubject<'_>],
) -> Effects<'a> {
    let by_class = policy.settings.has_classes();
    let by_rule = policy.rules.has_confined(facts);
    if !by_class && !by_rule {
        return Effects::default();
    }
    let classes = Classes::new(policy, facts, places);
    let mut all = Effects::default();
    for (subject, effects) in subjects.iter().zip(&weighed.get_or_init(|| Weighed::new(facts)).steps) {
        let found = classes.find_classes(subject, effects);
        all.classed.push(if by_class { classes.of_step(subject, &found) } else { Classed::Asks });
        all.ruled.push(if by_rule {
            confined::of_step(policy, facts, &classes, subject, effects, &found)
        } else {
            Ruled::Not
        });
        all.found.push(found);
    }
    all
}

/// Returns true if every shell carries a step out itself, though there is a program of that name: it looks for no file.
fn is_shells_own(subject: &StepSubject<'_>) -> bool {
    matches!(subject.step.program(), Some("[" | "echo" | "false" | "printf" | "pwd" | "test" | "true"))
}

/// A request, to find the profile for all of it.
struct WholeRequest<'w> {
    policy: &'w AgentPolicy,
    facts: &'w Facts<'w>,
    weighed: &'w OnceCell<Weighed>,
    subjects: &'w [StepSubject<'w>],
    steps: &'w [Vouched],
    found: &'w [StepClasses],
    classed: &'w [Classed],
    ruled: &'w [Ruled<'w>],
    /// Folders that rules open for reading.
    opened: &'w [String],
}

impl WholeRequest<'_> {
    /// Returns true if the list allows every step in the profile `look`.
    ///
    /// In the agent's own shell a program that names no file counts, too: that shell may find another one under its name, in a
    /// folder of the project.
    fn only_looks(&self) -> bool {
        let listed = |(subject, one): (&StepSubject<'_>, &Vouched)| match one {
            Vouched::Not | Vouched::But(_) => false,
            Vouched::Confined => true,
            Vouched::Anywhere => self.facts.origin.is_host() || !is_shells_own(subject),
            Vouched::Open => self.facts.origin.is_host(),
        };
        self.facts.confinable.look
            && self.subjects.iter().zip(self.steps).any(listed)
            && self.subjects.iter().zip(self.steps).all(|(subject, one)| match one {
                Vouched::Confined | Vouched::Anywhere => true,
                Vouched::Not => starts_nothing(self.policy, self.facts, subject),
                Vouched::But(_) | Vouched::Open => false,
            })
    }

    /// Returns the profile in which classes, rules that name a profile and the list allow every step.
    ///
    /// `None` if there is none, or if other rules allow the steps anyway. What another rule allows joins a
    /// run that holds it: so it has fewer rights.
    fn by_effects(&self) -> Option<Confinement> {
        let settings = &self.policy.settings;
        let network = settings.allows(Class::Network);
        let (mut need, mut serves, mut builds, mut only_confined) = (Need::Look, false, false, false);
        // Steps that only the list allows, and steps that only a rule without a profile does.
        let (mut listed, mut as_ruled) = (false, false);
        if !self.facts.reading.opaque.is_empty() {
            (need, builds, only_confined) = (Need::Project, settings.allows(Class::Build), true);
            if !builds {
                return None;
            }
        }
        for (at, found) in self.found.iter().enumerate() {
            let (subject, classed) = (&self.subjects[at], &self.classed[at]);
            let as_it_is = || is_allowed_as_it_is(self.policy, self.facts, at);
            match (&self.ruled[at], &self.steps[at], classed) {
                (Ruled::Allowed(_, _, own), ..) => {
                    need = need.max(*own);
                    serves |= found.serves();
                    builds = true;
                    only_confined = only_confined || !as_it_is();
                }
                (_, Vouched::Anywhere | Vouched::Confined, _) if settings.allows(Class::Look) => {
                    listed |= matches!(self.steps[at], Vouched::Confined) && !as_it_is();
                }
                (.., Classed::Allowed { need: Need::Unconfined, .. }) => return None,
                (.., Classed::Allowed { classes, need: own, serves: port }) => {
                    need = need.max(*own);
                    serves |= port;
                    builds |= classes.contains(&Class::Build);
                    only_confined = only_confined || !as_it_is();
                }
                (..) if starts_nothing(self.policy, self.facts, subject) => {}
                (..) if as_it_is() => {
                    need = need.max(found.held_by(Profile::Project, network)?);
                    serves |= found.serves();
                    (builds, as_ruled) = (true, true);
                }
                (..) => return None,
            }
        }
        // What classes allow runs with fewer rights than a rule gives it, so that what is listed runs beside it.
        if !(only_confined || listed && !as_ruled)
            || need == Need::Network && builds && !network
            || !self.weighed.get_or_init(|| Weighed::new(self.facts)).guessed.is_empty()
        {
            return None;
        }
        if need == Need::Look {
            return self.facts.confinable.look.then(|| looking(self.facts, self.opened.to_vec()));
        }
        let folders = self.facts.folders.to_vec();
        let held = self.facts.confinable.project && too_wide(self.facts).is_none();
        held.then(|| {
            let network = network || need == Need::Network;
            let weighed = self.weighed.get_or_init(|| Weighed::new(self.facts));
            let (loopback, caches) = (serves || settings.loopback, needed_caches(self.facts, weighed));
            let (reads, denied) = (self.opened.to_vec(), Denied::default());
            Confinement::Project { folders, network, loopback, caches, reads, denied }
        })
    }
}

/// Returns true if a line of the host may hold patterns, which its shell replaces by names of files: builtins tell them
/// (`type ~/.ssh/*`).
fn expands_names(facts: &Facts<'_>) -> bool {
    let text = facts.reading.text.replace("$?", "");
    let brackets = || text.as_bytes().windows(2).any(|pair| pair[0] == b'[' && !b" \t\n[".contains(&pair[1]));
    facts.origin.is_host() && facts.shell && (text.contains(['*', '?']) || brackets())
}

/// Returns the profile of what only reads, with these folders of rules besides the agent's own.
fn looking(facts: &Facts<'_>, reads: Vec<String>) -> Confinement {
    Confinement::Look { folders: facts.folders.to_vec(), reads, denied: Denied::default() }
}

/// Returns the profiles that a person can choose for a run of the host, and that give it fewer rights than `now`.
pub fn tighter_profiles(facts: &Facts<'_>, now: Option<Profile>) -> Vec<Profile> {
    let can = |profile: &Profile| match profile {
        Profile::Look => facts.confinable.look,
        Profile::Project => {
            facts.confinable.project && !facts.folders.is_empty() && too_wide(facts).is_none()
        }
    };
    let fewer = |profile: &Profile| now.is_none_or(|now| *profile < now);
    let all = [Profile::Look, Profile::Project].into_iter().filter(|_| facts.origin.is_host());
    all.filter(fewer).filter(can).collect()
}

/// Returns a folder of the agent that holds the home folder or Postern's own: no profile can hold writing to it.
fn too_wide<'a>(facts: &Facts<'a>) -> Option<&'a str> {
    let channels = short_folder(facts.data);
    let kept = [facts.home, facts.data].into_iter().chain(channels.as_deref());
    let whole = |folder: &str| kept.clone().any(|kept| path::is_within(kept, folder));
    facts.folders.iter().map(String::as_str).find(|folder| whole(folder))
}

/// Returns the files that deny rules name: no verdict can say what a confined program opens.
fn denied(policy: &AgentPolicy, facts: &Facts<'_>) -> Denied {
    let mut denied = Denied::default();
    let rules = policy.rules.of_files(facts.now, facts.session);
    for (access, text) in rules.filter_map(|rule| rule.rule.pattern.file_access()) {
        let texts = if access == FileAccess::Read { &mut denied.read } else { &mut denied.write };
        texts.push(text.to_owned());
    }
    for texts in [&mut denied.read, &mut denied.write] {
        texts.sort();
        texts.dedup();
    }
    denied
}

fn asked_profile(
    policy: &AgentPolicy,
    facts: &Facts<'_>,
    weighed: &OnceCell<Weighed>,
    opened: &[OpenedFolder],
) -> Option<Confinement> {
    let reads: Vec<String> = opened.iter().map(|one| one.folder.clone()).collect();
    let settings = &policy.settings;
    match facts.confine? {
        RequestedConfinement::Look => Some(looking(facts, reads)),
        RequestedConfinement::Project => {
            let (network, loopback) = (settings.allows(Class::Network), settings.loopback);
            let caches = needed_caches(facts, weighed.get_or_init(|| Weighed::new(facts)));
            Some(Confinement::Project {
                folders: facts.folders.to_vec(),
                network,
                loopback,
                caches,
                reads,
                denied: Denied::default(),
            })
        }
        RequestedConfinement::None => None,
    }
}
