//! Rules that people have in other programs: read entry by entry, each taken over, taken over as broad, or left out with
//! the reason. Nothing allows more here than it did there.

mod claude_code;
mod codex;
mod command;
mod cursor;
mod export;
mod gemini_cli;
mod starlark;
mod tool;
mod vscode;

pub use export::{ExportTarget, NotSaid, export};

use crate::check::{check_rule, would_match};
use crate::pretend::{CWD, Pretended};
use crate::rule::{Effect, Lifetime, Pattern, Rule, RuleOrigin, Source};
use crate::rule_problem::RuleProblem;
use crate::settings::Settings;
use crate::subject::Origin;
use postern_command::{Dialect, ParsedCommand, Role, read_shell_at};

/// A program whose rules can be taken over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Product {
    /// `permissions` of `settings.json` and `settings.local.json`.
    ClaudeCode,
    /// `*.rules`.
    Codex,
    /// `permissions.json`, `cli-config.json` and `cli.json`.
    Cursor,
    /// `settings.json` and `policies/*.toml`.
    GeminiCli,
    /// `chat.tools.terminal.autoApprove` of `settings.json`.
    VsCode,
}

/// Options of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taking {
    pub home: String,
    /// The project that the file belongs to; `None` for a file that holds in every project.
    pub project: Option<String>,
    /// Origins that an allowed entry is for.
    pub origin: RuleOrigin,
    /// True if the person confirmed that rules cover whatever their words cover.
    pub broad: bool,
}

/// An entry of another program's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignEntry {
    pub written: String,
    pub effect: Effect,
    pub becomes: Becomes,
}

/// Result for an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Becomes {
    Rules(Vec<Rule>),
    /// Lines of `permissions.jsonc`.
    Lines(Vec<PermissionLine>),
    LeftOut(LeftOut),
}

/// A line of `permissions.jsonc`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermissionLine {
    pub tool: String,
    pub pattern: String,
    pub effect: Effect,
}

/// The reason why an entry is left out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LeftOut {
    #[error("only a broad rule covers it")]
    Broad,
    #[error("it allows every command: set the agent to Allow if you mean that")]
    Everything,
    #[error("it is more than one plain command: write a rule for each program in it")]
    NotPlain,
    #[error("it names no program: begin with the program's name")]
    NoProgram,
    #[error("the shell does this itself: it needs no rule")]
    NeedsNoRule,
    #[error("Postern can't tell what it would run, so no rule covers it")]
    Unreadable,
    #[error("it is a regular expression: write the words of the command")]
    Regex,
    #[error("permissions.jsonc compares no value of {0}, so this would allow or deny all of it")]
    NoValue(String),
    /// Tools of servers by a pattern that names the agent's own, too.
    #[error("it would cover the agent's own tools as well: name the server and the tool")]
    OwnTools,
    #[error("its path depends on the folder that the agent works in")]
    Relative,
    #[error("it holds only in some modes of that program")]
    Sometimes,
    #[error("it is no rule")]
    NoRule,
    /// The rule or line is refused here.
    #[error("{0}")]
    Refused(String),
}

/// Reason why a file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnreadableFile(pub String);

/// Reads a file of another program. `name` is the file's own name.
pub fn read_product_file(
    product: Product,
    name: &str,
    text: &str,
    taking: &Taking,
) -> Result<Vec<ForeignEntry>, UnreadableFile> {
    match product {
        Product::ClaudeCode => claude_code::read_entries(text, taking),
        Product::Codex => Ok(codex::read_entries(text, taking)),
        Product::Cursor => cursor::read_entries(text, taking),
        Product::GeminiCli => gemini_cli::read_entries(name, text, taking),
        Product::VsCode => vscode::read_entries(text, taking),
    }
}

impl ForeignEntry {
    fn new(written: impl Into<String>, effect: Effect, becomes: Result<Becomes, LeftOut>) -> Self {
        let becomes = becomes.unwrap_or_else(Becomes::LeftOut);
        Self { written: written.into(), effect, becomes }
    }
}

/// Reads a JSON document with comments.
fn parse_document(text: &str) -> Result<serde_json::Value, UnreadableFile> {
    let plain = crate::jsonc::to_plain_json(text).map_err(|error| UnreadableFile(error.to_string()))?;
    serde_json::from_str(&plain).map_err(|error| UnreadableFile(error.to_string()))
}

/// Returns the texts of a list in a document: none if it is not there, an error if something else is.
fn list_texts<'a>(document: &'a serde_json::Value, path: &[&str]) -> Result<Vec<&'a str>, UnreadableFile> {
    let list = path.iter().try_fold(document, |value, key| value.get(*key));
    match list {
        None | Some(serde_json::Value::Null) => Ok(Vec::new()),
        Some(serde_json::Value::Array(items)) => {
            Ok(items.iter().filter_map(serde_json::Value::as_str).collect())
        }
        Some(_) => Err(UnreadableFile(format!("{} is not a list", path.join(".")))),
    }
}

impl Taking {
    /// Makes rules of patterns, each as narrow as the person's confirmation wants it.
    fn make_rules(&self, effect: Effect, patterns: Vec<Pattern>) -> Result<Becomes, LeftOut> {
        let rules = patterns.into_iter().map(|pattern| self.make_rule(effect, pattern));
        rules.collect::<Result<_, _>>().map(Becomes::Rules)
    }

    fn make_rule(&self, effect: Effect, pattern: Pattern) -> Result<Rule, LeftOut> {
        let mut rule = Rule { source: Source::Import, ..Rule::new(effect, pattern) };
        if effect == Effect::Allow {
            rule.origin = self.origin;
            rule.folder.clone_from(&self.project);
            rule.broad = self.broad && is_open(&rule);
            self.widen_if_needed(&mut rule)?;
        }
        check_rule(&rule, &self.home).map_err(|problem| LeftOut::Refused(problem.to_string()))?;
        Ok(rule)
    }

    /// Makes a rule broad if nothing narrower covers its own words.
    fn widen_if_needed(&self, rule: &mut Rule) -> Result<(), LeftOut> {
        let carrier = matches!(check_rule(rule, &self.home), Err(RuleProblem::Carrier(_)));
        if !carrier && self.covers_itself(rule)? {
            return Ok(());
        }
        if !self.broad {
            let broad = Rule { broad: true, ..rule.clone() };
            return Err(if self.covers_itself(&broad)? { LeftOut::Broad } else { LeftOut::Unreadable });
        }
        rule.broad = true;
        if self.covers_itself(rule)? { Ok(()) } else { Err(LeftOut::Unreadable) }
    }

    /// Returns true if the rule allows the command of its own words, or that with one more where it takes more.
    fn covers_itself(&self, rule: &Rule) -> Result<bool, LeftOut> {
        let words = words_of(&rule.pattern);
        let longer: Vec<String> = words.iter().cloned().chain(["x".to_owned()]).collect();
        let read =
            |words: &[String]| read_shell_at(&postern_command::quote_argv(words), Dialect::Bash, &self.home);
        let readings = if is_open(rule) { vec![read(&words), read(&longer)] } else { vec![read(&words)] };
        let steps = || readings.iter().flat_map(|reading| &reading.steps);
        if steps().next().is_none() {
            return Err(LeftOut::NotPlain);
        }
        if steps().all(|step| step.role == Role::HarmlessBuiltin) {
            return Err(LeftOut::NeedsNoRule);
        }
        let rule = Rule { folder: None, lifetime: Lifetime::Forever, ..rule.clone() };
        let pretended = Pretended::shell_line(CWD, &self.home, origin_of(rule.origin));
        let settings = Settings::default();
        let covers = |reading: &ParsedCommand| {
            pretended.with_facts(reading, &settings, |facts| would_match(&rule, facts))
        };
        Ok(readings.iter().any(covers))
    }
}

fn origin_of(origin: RuleOrigin) -> Origin {
    match origin {
        RuleOrigin::Any => Origin::Host,
        RuleOrigin::AgentShell => Origin::AgentShell,
    }
}

/// Returns true if a rule leaves words open.
fn is_open(rule: &Rule) -> bool {
    matches!(&rule.pattern, Pattern::Command(text) if text.contains('*'))
}

/// Returns the words of a pattern without its last wildcard, others filled in.
fn words_of(pattern: &Pattern) -> Vec<String> {
    match pattern {
        Pattern::Exact(argv) => argv.clone(),
        Pattern::Command(text) => {
            let mut words = postern_command::words_of(text).unwrap_or_default();
            if words.last().is_some_and(|last| last == "*") {
                words.pop();
            }
            words.iter().map(|word| word.replace('*', "x")).collect()
        }
        Pattern::Path(path) => vec![path.clone()],
        Pattern::Identity(_) | Pattern::Read(_) | Pattern::Write(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
