//! A small world for tests: programs that exist, a policy, and a request judged by it.

use crate::TargetPath;
use crate::{
    AgentId, AgentPolicy, AlwaysOffer, Effect, Facts, FoundProgram, Identity, Lookup, Millis, NothingToSave,
    Pattern, Rule, RuleSet, Script, Settings, StepFacts, Verdict, WantedProgram, folder_of, judge_request,
    judge_unanswered, lookups, parse_pattern, propose,
};
use postern_command::effect::hooked_step;
use postern_command::{Dialect, ParsedCommand, Step, read_argv, read_shell_at};
use serde::Deserialize;
use std::collections::HashMap;

pub(crate) const HOME: &str = "/Users/u";
pub(crate) const CWD: &str = "/Users/u/project";
/// The number of Postern's process.
pub(crate) const OWN_PID: u32 = 4711;

pub(crate) const DATA: &str = "/Users/u/Library/Application Support/Postern";

/// Returns the rows of a table of cases, each a line of JSON.
pub(crate) fn rows<T: Deserialize<'static>>(table: &'static str) -> impl Iterator<Item = T> {
    table.lines().map(|row| serde_json::from_str(row).unwrap_or_else(|error| panic!("{row}: {error}")))
}

/// Returns a file's identity by its content.
pub(crate) fn identity(content: &str) -> Identity {
    let hex = format!(
        "{:064x}",
        u128::from_be_bytes(std::array::from_fn(|at| content.as_bytes().get(at).copied().unwrap_or(0)))
    );
    Identity {
        sha256: hex,
        size: 1,
        mtime_ns: "1".to_owned(),
        ctime_ns: "1".to_owned(),
        device: 1,
        inode: content.to_owned(),
        version: None,
        signature: None,
    }
}

pub(crate) fn person_rule(id: i64, effect: Effect, text: &str) -> Rule {
    Rule {
        id,
        ..Rule::new(effect, parse_pattern(text, None).unwrap_or_else(|_| Pattern::Command(text.to_owned())))
    }
}

/// Programs by path, and a request.
pub(crate) struct Scene {
    pub(crate) programs: HashMap<String, FoundProgram>,
    pub(crate) scripts: HashMap<String, Identity>,
    pub(crate) policy: AgentPolicy,
    pub(crate) rules: Vec<Rule>,
    pub(crate) cwd: String,
    pub(crate) session: Option<String>,
    pub(crate) now: Millis,
    pub(crate) confinable: crate::Confinable,
    pub(crate) confine: Option<postern_protocol::RequestedConfinement>,
    pub(crate) env_to_ask: Vec<String>,
    pub(crate) shell: bool,
    pub(crate) origin: crate::Origin,
    pub(crate) targets: Vec<TargetPath>,
    /// Hooks of the repository.
    pub(crate) hooks: Vec<String>,
    pub(crate) root_entries: Vec<String>,
    pub(crate) input: crate::Input,
    /// Paths that the agent can change.
    pub(crate) changeable: Vec<String>,
    reading: ParsedCommand,
}

impl Scene {
    pub(crate) fn new() -> Self {
        let names = [
            "ls", "cat", "git", "rm", "mv", "echo", "npm", "bash", "sh", "python3", "env", "nohup", "sudo",
            "kill", "pkill", "killall", "postern", "find", "tee", "touch", "xargs", "grep", "pgrep", "sort",
            "wc", "cp", "dd", "launchctl", "busybox", "curl", "printf",
        ];
        let mut scene = Self {
            programs: HashMap::new(),
            scripts: HashMap::new(),
            policy: AgentPolicy::new(AgentId::new("main").unwrap(), Settings::default()),
            rules: Vec::new(),
            cwd: CWD.to_owned(),
            session: None,
            now: 1000,
            confinable: crate::Confinable::ALL,
            confine: None,
            env_to_ask: Vec::new(),
            shell: true,
            origin: crate::Origin::Host,
            targets: Vec::new(),
            hooks: Vec::new(),
            root_entries: vec!["checkout".to_owned()],
            input: crate::Input::Nothing,
            changeable: Vec::new(),
            reading: read_argv(&[]),
        };
        for name in names {
            scene = scene.program(&format!("/usr/bin/{name}"), name);
        }
        scene
    }

    pub(crate) fn program(mut self, path: &str, content: &str) -> Self {
        let identity = Some(identity(content));
        let program = FoundProgram { identity, ..FoundProgram::at_path(path.to_owned()) };
        self.programs.insert(path.to_owned(), program);
        self
    }

    /// Makes this program one that only the user's shell finds.
    pub(crate) fn only_of_shell(mut self, path: &str) -> Self {
        self.programs.get_mut(path).unwrap().shell_only = true;
        self
    }

    /// Gives the repository these hooks, and settings as `key=value`.
    pub(crate) fn with_hooks(mut self, hooks: &[&str]) -> Self {
        self.hooks.extend(hooks.iter().map(|hook| (*hook).to_owned()));
        self
    }

    /// Makes this path changeable by the agent.
    pub(crate) fn changeable(mut self, path: &str) -> Self {
        self.changeable.push(path.to_owned());
        self
    }

    pub(crate) fn with_allow_rule(self, text: &str) -> Self {
        self.with_rule_text(Effect::Allow, text)
    }

    pub(crate) fn with_deny_rule(self, text: &str) -> Self {
        self.with_rule_text(Effect::Deny, text)
    }

    fn with_rule_text(mut self, effect: Effect, text: &str) -> Self {
        let id = i64::try_from(self.rules.len()).unwrap() + 1;
        self.rules.push(person_rule(id, effect, text));
        self
    }

    pub(crate) fn with_rule(mut self, rule: Rule) -> Self {
        self.rules.push(rule);
        self
    }

    pub(crate) fn with_settings(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(&mut self.policy.settings);
        self
    }

    pub(crate) fn with_shell_text(mut self, text: &str) -> Self {
        self.reading = read_shell_at(text, Dialect::Bash, HOME);
        self.shell = true;
        self
    }

    pub(crate) fn with_argv(mut self, argv: &[&str]) -> Self {
        self.reading = read_argv(&argv.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        self.shell = false;
        self
    }

    fn lookup(&self, wanted: &WantedProgram<'_>, folder: Option<&str>) -> Lookup {
        let (name, path) = match wanted {
            WantedProgram::Nothing => return Lookup::Nothing,
            WantedProgram::Name(name) => (*name, format!("/usr/bin/{name}")),
            WantedProgram::Path(path) => match folder {
                Some(folder) => (*path, crate::path::join_path(folder, path)),
                None => return Lookup::Nothing,
            },
        };
        match self.programs.get(&path) {
            Some(program) => Lookup::Found(Box::new(FoundProgram {
                invoked: name.to_owned(),
                agent_can_change: self.changeable.contains(&path),
                ..program.clone()
            })),
            None => Lookup::NotFound,
        }
    }

    fn step_facts(&self) -> Vec<StepFacts> {
        let of_step = |(needed, step): (&crate::Needed<'_>, &Step)| {
            let folder = folder_of(&self.cwd, needed.dir);
            let script = needed.script.and_then(|written| {
                let path = crate::path::join_path(folder.as_deref()?, written);
                let identity = self.scripts.get(&path)?.clone();
                Some(Script {
                    written: written.to_owned(),
                    agent_can_change: self.changeable.contains(&path),
                    real_path: path,
                    identity,
                })
            });
            StepFacts {
                program: self.lookup(&needed.program, folder.as_deref()),
                via: needed.via.iter().map(|wanted| self.lookup(wanted, folder.as_deref())).collect(),
                script,
                targets: self.targets.clone(),
                hooks: self.hooks_of(step),
            }
        };
        lookups(&self.reading).iter().zip(&self.reading.steps).map(of_step).collect()
    }

    fn hooks_of(&self, step: &Step) -> Vec<String> {
        let Some(found) = hooked_step(step, HOME) else { return Vec::new() };
        let obeys = |named: &&String| match named.split_once('=') {
            Some((key, value)) => found.is_started_by(key, value),
            None => found.hooks.contains(&named.as_str()),
        };
        self.hooks.iter().filter(obeys).cloned().collect()
    }

    /// Calls `use_them` with the policy and the facts.
    pub(crate) fn with_facts<T>(&self, use_them: impl FnOnce(&AgentPolicy, &Facts<'_>) -> T) -> T {
        let steps = self.step_facts();
        let rules = RuleSet::compile(&self.rules, HOME, true);
        let policy = AgentPolicy { rules, ..self.policy.clone() };
        let named = &policy.settings.folders;
        let folders: Vec<String> = if named.is_empty() { vec![self.cwd.clone()] } else { named.clone() };
        use_them(
            &policy,
            &Facts {
                origin: self.origin,
                reading: &self.reading,
                steps: &steps,
                cwd: &self.cwd,
                home: HOME,
                data: DATA,
                own_pid: Some(OWN_PID),
                session: self.session.as_deref(),
                now: self.now,
                case_insensitive: true,
                shell: self.shell,
                folders: &folders,
                root_entries: &self.root_entries,
                confinable: self.confinable,
                confine: self.confine,
                env_to_ask: &self.env_to_ask,
                input: &self.input,
            },
        )
    }

    pub(crate) fn judge_request(&self) -> Verdict {
        self.with_facts(judge_request)
    }

    /// Judges with more rules, compiled by themselves, as everybody's are.
    pub(crate) fn judged_with(&self, shared: &[Rule]) -> Verdict {
        let shared = RuleSet::compile(shared, HOME, true);
        self.with_facts(|policy, facts| {
            let rules = policy.rules.clone().join_with(&shared);
            judge_request(&AgentPolicy { rules, ..policy.clone() }, facts)
        })
    }

    pub(crate) fn judge_unanswered(&self) -> Verdict {
        self.with_facts(judge_unanswered)
    }

    pub(crate) fn offers(&self) -> Vec<AlwaysOffer> {
        self.proposed().unwrap_or_default()
    }

    pub(crate) fn proposed(&self) -> Result<Vec<AlwaysOffer>, NothingToSave> {
        self.with_facts(|policy, facts| propose(policy, facts, &judge_request(policy, facts)))
    }
}
