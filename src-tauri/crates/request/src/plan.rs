//! The immutable plan of a run: what is shown, approved and executed carry its digest.

use postern_policy::{AgentId, Confinement, Identity, Origin};
use postern_protocol::encode_hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// sha256 over a plan, 64 hex digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Digest(pub String);

impl std::fmt::Display for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Way in which a plan is started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum Launch {
    /// This argv, without a shell. The program is the first of [`Plan::programs`].
    Argv {
        /// Program as invoked, and arguments.
        argv: Vec<String>,
    },
    /// `/bin/bash --noprofile --norc -c TEXT`. The shell is the first of [`Plan::programs`].
    Shell { text: String },
    /// Not started: the subject is in the call ([`Plan::call`]).
    Nothing,
}

/// A tool of the agent's own, by everything that it is called with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BoundCall {
    pub tool: String,
    /// The MCP server that it is a tool of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// sha256 over its arguments as JSON, hex.
    pub arguments: String,
    /// The folder that relative paths among them start in.
    pub cwd: Option<String>,
}

/// A file that the run depends on: checked again right before it starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BoundFile {
    /// Absolute path as resolved, links not followed.
    pub path: String,
    pub real_path: String,
    /// Identity at the time of judging.
    pub identity: Identity,
}

/// The working directory, by what it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BoundDir {
    /// Real path.
    pub path: String,
    pub device: u64,
    pub inode: u64,
}

/// Source of standard input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum PlanStdin {
    /// `/dev/null`.
    Nothing,
    /// These bytes (base64 in the digest's JSON), at most 128 KiB.
    Inline {
        /// sha256 of the bytes, hex.
        sha256: String,
        bytes: u64,
    },
    /// Sent by the agent while it runs.
    Stream,
}

/// Repositories that a run's gits obey, as they were when it was judged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BoundGit {
    /// Hooks that they would run, and settings of a repository by which they would start a program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub obeys: Vec<String>,
    /// Settings that an unconfined one is given, because no file set them: none that comes later does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<(String, String)>,
}

impl BoundGit {
    fn is_empty(&self) -> bool {
        self.obeys.is_empty() && self.given.is_empty()
    }
}

/// Everything that is fixed before a run. Built once, never changed; a digest names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    pub agent: AgentId,
    /// Session, if it named one.
    pub session: Option<String>,
    /// Actor that carries it out.
    #[serde(default, skip_serializing_if = "Origin::is_host")]
    pub origin: Origin,
    /// The tool of the agent's own by which it does it itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<BoundCall>,
    /// Way in which it is started.
    pub launch: Launch,
    /// Every program that was looked up, the started one first.
    pub programs: Vec<BoundFile>,
    pub scripts: Vec<BoundFile>,
    pub cwd: BoundDir,
    #[serde(default, skip_serializing_if = "Confinement::is_none")]
    pub confinement: Confinement,
    /// The whole environment of the child, sorted by name, but for what its gits are given.
    pub env: Vec<(String, String)>,
    #[serde(default, skip_serializing_if = "BoundGit::is_empty")]
    pub git: BoundGit,
    pub stdin: PlanStdin,
    /// Time limit in milliseconds; `None` is no limit.
    pub timeout_ms: Option<u64>,
    /// The version of the policy snapshot it was judged by.
    pub policy: u64,
}

impl Plan {
    /// Returns the digest: sha256 over the plan's JSON, whose field order is the order of declaration.
    ///
    /// The policy version is part of a plan but not of its digest: a change of policy means judging again, which
    /// may come out the same, while a change of anything else means that another thing would run.
    pub fn digest(&self) -> Digest {
        let mut hash = Sha256::new();
        hash.update(b"postern-plan-v1\0");
        let same = Self { policy: 0, ..self.clone() };
        // A plan holds only strings, numbers and lists of them: it cannot fail to serialise.
        hash.update(serde_json::to_vec(&same).unwrap_or_default());
        Digest(encode_hex(&hash.finalize()))
    }

    /// Returns the whole environment of the child. What is confined has what its profile gives it.
    pub fn environment(&self) -> Vec<(String, String)> {
        let mut all = self.env.clone();
        if !self.confinement.is_none() || self.git.given.is_empty() {
            return all;
        }
        for (at, (key, value)) in self.git.given.iter().enumerate() {
            all.push((format!("GIT_CONFIG_KEY_{at}"), key.clone()));
            all.push((format!("GIT_CONFIG_VALUE_{at}"), value.clone()));
        }
        all.push(("GIT_CONFIG_COUNT".to_owned(), self.git.given.len().to_string()));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan {
        Plan {
            agent: AgentId::new("main").unwrap(),
            session: None,
            origin: Origin::Host,
            call: None,
            launch: Launch::Argv { argv: vec!["git".into(), "push".into()] },
            programs: Vec::new(),
            scripts: Vec::new(),
            cwd: BoundDir { path: "/home/ann".into(), device: 1, inode: 2 },
            confinement: Confinement::None,
            env: vec![("LANG".into(), "C".into())],
            git: BoundGit::default(),
            stdin: PlanStdin::Nothing,
            timeout_ms: Some(30_000),
            policy: 4,
        }
    }

    fn call(arguments: &str) -> BoundCall {
        BoundCall { tool: "shell_exec".into(), server: None, arguments: arguments.into(), cwd: None }
    }

    #[test]
    fn the_policy_version_is_not_part_of_the_digest() {
        assert_eq!(
            plan().digest(),
            Plan { policy: 5, ..plan() }.digest(),
            "judged again, the same would run"
        );
        assert_eq!(plan().digest().0.len(), 64, "sha256 in hex");
    }

    fn given() -> Vec<(String, String)> {
        vec![("core.fsmonitor".into(), "false".into())]
    }

    #[test]
    fn an_unconfined_git_is_given_its_settings_by_the_environment() {
        let git = BoundGit { obeys: Vec::new(), given: given() };
        let free = Plan { git, ..plan() };
        let confined = Plan { confinement: Confinement::look_only(Vec::new()), ..free.clone() };
        assert_eq!((plan().environment(), confined.environment()), (plan().env, plan().env));
        let names: Vec<String> =
            free.environment().into_iter().skip(1).map(|(name, value)| format!("{name}={value}")).collect();
        let expected = ["GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0=false", "GIT_CONFIG_COUNT=1"];
        assert_eq!(names, expected);
    }

    #[test]
    fn everything_else_is() {
        let other = [
            Plan { agent: AgentId::new("other").unwrap(), ..plan() },
            Plan { session: Some("s".into()), ..plan() },
            Plan { origin: Origin::AgentShell, ..plan() },
            Plan { call: Some(call("a")), ..plan() },
            Plan { launch: Launch::Argv { argv: vec!["git".into(), "push -f".into()] }, ..plan() },
            Plan { launch: Launch::Shell { text: "git push".into() }, ..plan() },
            Plan { cwd: BoundDir { inode: 3, ..plan().cwd }, ..plan() },
            Plan { env: vec![("LANG".into(), "D".into())], ..plan() },
            Plan { env: Vec::new(), ..plan() },
            Plan { git: BoundGit { obeys: vec!["pre-push".into()], given: Vec::new() }, ..plan() },
            Plan { git: BoundGit { obeys: Vec::new(), given: given() }, ..plan() },
            Plan { confinement: Confinement::look_only(Vec::new()), ..plan() },
            Plan { stdin: PlanStdin::Stream, ..plan() },
            Plan { timeout_ms: None, ..plan() },
        ];
        for other in other {
            assert_ne!(plan().digest(), other.digest(), "{other:?} would run something else");
        }
    }
}
