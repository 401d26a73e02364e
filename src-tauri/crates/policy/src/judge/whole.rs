//! What speaks against a request as a whole, and belongs to none of its steps: the layers in front of all rules, broken
//! rules, the agent's settings and folders, a program that is not there, the environment.

use super::outcome::Outcome;
use super::{Judgement, against, core, label};
use crate::agent::Elevation;
use crate::facts::Lookup;
use crate::path;
use crate::settings::{SEARCH_PATH, Security};
use crate::verdict::{Decision, Reason};
use postern_command::escape;

impl Judgement<'_> {
    /// Tool policy: may this session use host commands at all?
    pub(super) fn by_tool_policy(&mut self) -> Option<Outcome> {
        let found = against::tool_policy(self.policy, self.facts);
        let text =
            found.as_ref().map_or("this session may use system.run.", |outcome| outcome.message.as_str());
        self.note("tool policy", text);
        found.map(|outcome| self.unasked(outcome))
    }

    /// The elevated gate: may it ask for the host at all?
    pub(super) fn by_elevation(&mut self) -> Option<Outcome> {
        let found = self.policy.elevation(self.facts.session);
        let text = match found {
            Elevation::On => "on: it may ask for this machine.",
            Elevation::OffForAgent => "off: this agent may not ask for this machine.",
            Elevation::OffForSession => "off: this session was not given the right to ask for this machine.",
        };
        self.note("elevated", text);
        let advice = match found {
            Elevation::On => return None,
            Elevation::OffForAgent => "The person would have to switch elevated on for this agent.",
            Elevation::OffForSession => {
                "Let the session above do it, or open this one with elevated: true, which only one that has it can."
            }
        };
        let message = format!("The elevated gate is {text}");
        Some(Outcome::new(Decision::Deny, Reason::Policy, message).advise(advice))
    }

    /// Stages 2 to 4, for what belongs to no single step.
    pub(super) fn against_the_whole(&self) -> Vec<Outcome> {
        let (policy, facts) = (self.policy, self.facts);
        let mut whole = Vec::new();
        if let Some((at, entry)) = core::check_request(&self.line) {
            whole.push(against::of_core(entry, &label::of_step(&facts.reading.steps[at])));
        }
        for part in &facts.reading.opaque {
            whole.extend(against::candidates(policy, &self.line, &part.candidates));
        }
        if let Some(problem) = &policy.file_problem {
            let message =
                format!("permissions.jsonc cannot be read ({problem}); nothing runs until it is mended.");
            whole.push(
                Outcome::new(Decision::Deny, Reason::Denylist, message)
                    .advise("Ask the person to mend permissions.jsonc."),
            );
        }
        if let Some(problem) = &policy.managed_problem {
            let message =
                format!("Your organisation's rules cannot be read ({problem}); nothing runs until they can.");
            whole.push(
                Outcome::new(Decision::Deny, Reason::Managed, message)
                    .advise("The person has to have the organisation's file of rules mended."),
            );
        }
        for broken in policy.rules.broken_denies() {
            let message =
                format!("A deny rule cannot be read ({}): it may be meant for this.", broken.problem);
            whole.push(Outcome::new(Decision::Ask, Reason::AskAlways, message));
        }
        whole
    }

    /// Stage 5, and the folders that the agent may run in.
    pub(super) fn by_policy(&mut self) -> Vec<Outcome> {
        let settings = &self.policy.settings;
        let mut found = Vec::new();
        let word = match settings.security {
            Security::Deny => "deny",
            Security::Allowlist => "allowlist",
            Security::Full => "full",
        };
        if settings.security == Security::Deny {
            let advice =
                "This agent may not run host commands; the person would have to change its settings.";
            found.push(
                Outcome::new(Decision::Deny, Reason::Policy, "This agent may not run anything.")
                    .advise(advice),
            );
        }
        if let Some(folder) = self.folder_outside() {
            let allowed = escape::text(&settings.folders.join(", "));
            let message =
                format!("{} is not one of the folders it may run in ({allowed}).", escape::text(&folder));
            found.push(
                Outcome::new(Decision::Deny, Reason::CwdRefused, message)
                    .advise(format!("Run it in {allowed}.")),
            );
        }
        self.note("policy", format!("security: {word}."));
        found
    }

    /// A folder that a step would run in and that is not one of the agent's.
    fn folder_outside(&self) -> Option<String> {
        let folders = &self.policy.settings.folders;
        if folders.is_empty() {
            return None;
        }
        let inside = |folder: &str| {
            folders.iter().any(|allowed| {
                path::is_within(folder, &path::normal(&path::expand_home(allowed, self.facts.home)))
            })
        };
        let cwd = path::normal(self.facts.cwd).into_owned();
        let of_steps = self.facts.reading.steps.iter().flat_map(|step| {
            crate::needed::folders_of(self.facts.cwd, &step.dir)
                .unwrap_or_else(|| vec!["a folder that is not known before it runs".to_owned()])
        });
        std::iter::once(cwd).chain(of_steps).find(|folder| !inside(folder))
    }

    /// Stage 6, for a request that is one program.
    pub(super) fn not_found(&mut self) -> Option<Outcome> {
        let ([step], [found]) = (self.facts.reading.steps.as_slice(), self.facts.steps) else { return None };
        let name = escape::text(step.program().unwrap_or_default());
        let message = match &found.program {
            Lookup::Found(program) => {
                let path = escape::text(&program.path);
                self.note("programs", format!("{name} is {path}."));
                return None;
            }
            Lookup::Nothing => {
                self.note("programs", format!("{name} is not looked up."));
                return None;
            }
            Lookup::NotFound => format!("{name} was not found."),
            Lookup::Unusable { path, what } => format!("{} {}.", escape::text(path), escape::text(what)),
        };
        self.note("programs", &message);
        let searched = matches!(found.program, Lookup::NotFound) && !name.contains('/');
        let advice = if searched {
            self.search_path_advice()
        } else {
            "Check the name, or give the whole path; system.which tells what can be found.".to_owned()
        };
        Some(Outcome::new(Decision::Deny, Reason::NotFound, message).advise(advice))
    }

    /// Names the folders that were searched for a bare name, and the setting that changes them.
    fn search_path_advice(&self) -> String {
        let policy = self.policy;
        let own = &policy.settings.search_path;
        let looked: Vec<String> = if own.is_empty() {
            SEARCH_PATH.iter().map(|&folder| folder.to_owned()).collect()
        } else {
            own.iter().map(|folder| escape::text(folder)).collect()
        };
        let looked = looked.join(":");
        format!(
            "Programs are looked up in {looked}. Check the name or give the whole path; or the person adds its folder: \
             postern agents set {} search-path={looked}:FOLDER",
            policy.agent.as_str()
        )
    }

    pub(super) fn asked_environment(&mut self) -> Option<Outcome> {
        let names = self.facts.env_to_ask;
        if names.is_empty() {
            return None;
        }
        let message =
            format!("It sets {}, which this agent may not set unasked.", escape::text(&names.join(", ")));
        self.note("environment", &message);
        Some(self.unasked(Outcome::new(Decision::Ask, Reason::AllowlistMiss, message)))
    }
}
