//! Binding a rule to the program (and the script) as it is now.

use super::{PolicyStore, PolicyStoreError};
use postern_command::escape;
use postern_exec::resolve::{AgentReach, Cwd, search_path};
use postern_policy::{AgentId, Lookup, Pattern, Pin, Script, ScriptPin, expand_home};

impl PolicyStore {
    /// Returns a pin on the program that a pattern names, as it is at this moment. Reads the disk.
    pub(super) fn pin_of(&self, pattern: &Pattern, agent: Option<&AgentId>) -> Result<Pin, PolicyStoreError> {
        match pattern {
            Pattern::Path(path) if path.contains(['*', '?', '[', '{']) => {
                cannot("a path with * names many programs: only one can be pinned")
            }
            Pattern::Path(path) => {
                let path = expand_home(path, &self.places().home);
                program(self.resolver().identify(&path), &path)
            }
            Pattern::Command(text) => {
                let words = postern_command::words_of(text)
                    .map_err(|error| PolicyStoreError::CannotPin(error.to_string()))?;
                self.pin_of_command(words.get(..1).unwrap_or_default(), agent)
            }
            Pattern::Exact(argv) => self.pin_of_command(argv, agent),
            Pattern::Identity(_) => cannot("a rule by identity is bound to its program already"),
            Pattern::Read(_) | Pattern::Write(_) => cannot("a rule about files names no program"),
        }
    }

    /// Returns the program that an argv would start, and its script where it is an interpreter with one.
    fn pin_of_command(&self, argv: &[String], agent: Option<&AgentId>) -> Result<Pin, PolicyStoreError> {
        let home = &self.places().home;
        let chosen = agent.and_then(|agent| self.find_agent(agent));
        let configured = chosen.as_ref().map_or(&[][..], |entry| &entry.agent.settings.search_path);
        let cwd = Cwd::open(home).map_err(|error| PolicyStoreError::CannotPin(format!("{home} {error}")))?;
        let reading = postern_command::read_argv(argv);
        let facts = self.resolver().resolve_command(&reading, &cwd, &search_path(configured, home));
        let name = argv.first().map_or("", String::as_str);
        let Some(step) = facts.steps.into_iter().next() else {
            return cannot(format!("{name:?} starts no program"));
        };
        let mut pin = program(step.program, name)?;
        pin.script = step
            .script
            .map(|script: Script| ScriptPin { path: script.real_path, sha256: script.identity.sha256 });
        Ok(pin)
    }

    /// Returns true if one of these agents (all, if the list is empty) can change the program or script that
    /// a pattern names.
    ///
    /// Then a pin on it does not hold. Reads the disk.
    pub(super) fn is_changeable(&self, pattern: &Pattern, agent: Option<&AgentId>) -> bool {
        let (home, agents) = (&self.places().home, self.agents());
        let words = |text: &str| postern_command::words_of(text).unwrap_or_default();
        let argv = match pattern {
            Pattern::Path(path) => vec![expand_home(path, home).into_owned()],
            Pattern::Command(text) => words(text).into_iter().take(1).collect(),
            Pattern::Exact(argv) => argv.clone(),
            Pattern::Identity(_) | Pattern::Read(_) | Pattern::Write(_) => return false,
        };
        let Ok(cwd) = Cwd::open(home) else { return false };
        let reading = postern_command::read_argv(&argv);
        let mut whose = agents.iter().filter(|entry| agent.is_none_or(|agent| entry.agent.id == *agent));
        whose.any(|entry| {
            let settings = &entry.agent.settings;
            let reach = AgentReach::of_agent(&settings.folders, home, home);
            let folders = search_path(&settings.search_path, home);
            let found = self.resolver().reached_by(reach).resolve_command(&reading, &cwd, &folders);
            found.steps.iter().any(|step| step.changeable().next().is_some())
        })
    }

    /// Returns whether the program that a pinned rule names is another one now; `None` if it cannot be told.
    pub(super) fn has_changed(&self, pattern: &Pattern, agent: Option<&AgentId>, pin: &Pin) -> Option<bool> {
        let now = self.pin_of(pattern, agent).ok()?;
        Some(!pin.holds(&now.program))
    }
}

fn program(found: Lookup, name: &str) -> Result<Pin, PolicyStoreError> {
    match found {
        Lookup::Found(program) => match program.identity {
            Some(identity) => Ok(Pin::new(identity)),
            None => cannot(format!("{} cannot be read", escape::visible_text(name))),
        },
        Lookup::NotFound => cannot(format!(
            "{} was not found: only a program that is there can be pinned",
            escape::visible_text(name)
        )),
        Lookup::Unusable { path, what } => {
            cannot(format!("{} {}", escape::visible_text(&path), escape::visible_text(&what)))
        }
        Lookup::Nothing => cannot(format!("{name:?} is no program")),
    }
}

fn cannot<T>(why: impl Into<String>) -> Result<T, PolicyStoreError> {
    Err(PolicyStoreError::CannotPin(why.into()))
}
