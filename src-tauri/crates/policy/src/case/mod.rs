//! Case of `postern policy test`: a command, a little policy of its own, and the verdict it deserves.

use crate::agent::AgentPolicy;
use crate::cause::StageFinding;
use crate::decision::{Decision, Reason};
use crate::environment::{BaseEnvironment, build_environment};
use crate::judge::judge_request;
use crate::path;
use crate::permissions::FileLayer;
pub use crate::pretend::Bins;
use crate::pretend::{CWD, Contents, HOME, Pretended};
use crate::rule::{Effect, Millis, Source};
use crate::ruleset::RuleSet;
use crate::settings::{AgentId, Settings};
use postern_command::{Dialect, ParsedCommand, read_argv_at, read_shell_at};
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};

mod written;

pub use written::CaseRule;

/// Case of a policy test. Unknown fields are ignored.
#[derive(Debug, Clone, Deserialize)]
pub struct Case {
    pub id: String,
    /// Shell text; or `argv`.
    pub shell: Option<String>,
    /// An argv; or `shell`.
    pub argv: Option<Vec<String>>,
    /// The text that a client claims the argv stands for.
    pub raw: Option<String>,
    pub cwd: Option<String>,
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    #[serde(default)]
    pub allow: Vec<CaseRule>,
    #[serde(default)]
    pub deny: Vec<CaseRule>,
    /// Rules of an organization that deny.
    #[serde(default)]
    pub managed: Vec<CaseRule>,
    /// The text of the agent's `permissions.jsonc`; `None` if left out.
    pub permissions: Option<String>,
    /// The time it is, in milliseconds since 1970.
    #[serde(default)]
    pub now: Millis,
    /// sha256 of programs by their paths; of others nothing is known.
    #[serde(default)]
    pub sha256: HashMap<String, String>,
    /// Settings that differ from a new agent's.
    #[serde(default)]
    pub settings: Settings,
    pub expect: Expect,
}

/// Expected verdict, or any of several.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum Expect {
    One(Decision),
    Any(Vec<Decision>),
}

/// Result of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseOutcome {
    pub id: String,
    pub got: Decision,
    /// True if that is one it deserves.
    pub ok: bool,
    pub reason: Reason,
    /// Finding, with its data.
    pub found: StageFinding,
}

/// Reason why a case cannot be tried.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CaseError {
    /// Line that is not a case.
    #[error("not a case: {0}")]
    Malformed(String),
    #[error("{0}: a case has either \"shell\" or \"argv\"")]
    NoCommand(String),
    /// A pattern is not one.
    #[error("{0}: {1}")]
    Pattern(String, String),
}

impl Case {
    /// Reads one line of a file of cases.
    pub fn parse(line: &str) -> Result<Self, CaseError> {
        serde_json::from_str(line).map_err(|error| CaseError::Malformed(error.to_string()))
    }

    /// Judges it. Without `bins` every program exists, in `/usr/bin` where it is called by its bare name.
    pub fn run(&self, bins: Option<&Bins>) -> Result<CaseOutcome, CaseError> {
        let reading = self.parse_command()?;
        let policy = self.policy()?;
        let cwd = path::normal(self.cwd.as_deref().unwrap_or(CWD)).into_owned();
        let told = |got, reason, found| CaseOutcome {
            id: self.id.clone(),
            got,
            ok: self.expects(got),
            reason,
            found,
        };
        if !self.raw_is_argv() {
            return Ok(told(
                Decision::Deny,
                Reason::Invalid,
                StageFinding::Said("The raw text is not what the argv says.".to_owned()),
            ));
        }
        let env_to_ask = match self.asked_environment(&cwd, &reading) {
            Ok(names) => names,
            Err(message) => return Ok(told(Decision::Deny, Reason::EnvRefused, StageFinding::Said(message))),
        };
        let pretended = Pretended {
            bins,
            contents: Contents::Of(&self.sha256),
            origin: crate::Origin::Host,
            cwd: &cwd,
            home: HOME,
            shell: self.shell.is_some(),
            env_to_ask: &env_to_ask,
            now: self.now,
        };
        let verdict = pretended.with_facts(&reading, &self.settings, |facts| judge_request(&policy, facts));
        Ok(told(verdict.decision, verdict.reason, verdict.cause.into()))
    }

    fn expects(&self, got: Decision) -> bool {
        match &self.expect {
            Expect::One(one) => *one == got,
            Expect::Any(any) => any.contains(&got),
        }
    }

    fn parse_command(&self) -> Result<ParsedCommand, CaseError> {
        match (&self.shell, &self.argv) {
            (Some(text), None) => Ok(read_shell_at(text, Dialect::Bash, HOME)),
            (None, Some(argv)) => Ok(read_argv_at(argv, HOME)),
            (Some(_), Some(_)) | (None, None) => Err(CaseError::NoCommand(self.id.clone())),
        }
    }

    /// Returns true if the command that a client names is its argv, or the text that the argv hands to a
    /// shell.
    fn raw_is_argv(&self) -> bool {
        let (Some(raw), Some(argv)) = (&self.raw, &self.argv) else { return true };
        postern_command::stands_for(raw, argv)
    }

    fn policy(&self) -> Result<AgentPolicy, CaseError> {
        let wrong = |error: String| CaseError::Pattern(self.id.clone(), error);
        let agent = AgentId::new("case").map_err(|error| CaseError::Malformed(error.to_string()))?;
        let all = [
            (Effect::Allow, Source::Person, &self.allow),
            (Effect::Deny, Source::Person, &self.deny),
            (Effect::Deny, Source::Managed, &self.managed),
        ];
        let mut rules = Vec::new();
        for (effect, source, all) in all {
            for written in all {
                let number = i64::try_from(rules.len()).unwrap_or(i64::MAX - 1) + 1;
                let rule = written.to_rule(number, effect, source.clone()).map_err(wrong)?;
                rules.push(rule);
            }
        }
        let file = self.permissions.as_deref().map(|text| FileLayer::parse(text, HOME)).transpose();
        let file = file.map_err(|error| wrong(format!("permissions, {error}")))?;
        let rules = RuleSet::compile(&rules, HOME, true);
        Ok(AgentPolicy { rules, file, ..AgentPolicy::new(agent, self.settings.clone()) })
    }

    /// Returns the names that are asked about, or why the environment is refused.
    fn asked_environment(&self, cwd: &str, reading: &ParsedCommand) -> Result<Vec<String>, String> {
        let base = BaseEnvironment {
            user: "u".to_owned(),
            home: HOME.to_owned(),
            shell: "/bin/zsh".to_owned(),
            path: "/usr/bin:/bin".to_owned(),
            tmpdir: "/tmp".to_owned(),
            lang: "en_US.UTF-8".to_owned(),
            pwd: cwd.to_owned(),
            text_encoding: None,
            inherited: Vec::new(),
        };
        let overrides: Vec<(String, String)> = self.env.clone().into_iter().collect();
        let built = build_environment(&base, &overrides, &self.settings, reading.plain.is_none())
            .map_err(|refused| format!("the environment is refused: {refused:?}"))?;
        Ok(built.changes.into_iter().filter(|change| change.asks).map(|change| change.name).collect())
    }
}

#[cfg(test)]
mod tests;
