//! Compiled lot of rules: a verdict costs the same with ten of them and with ten thousand.

use super::{BrokenRule, files::FilePattern, index::Index};
use crate::arguments::Arguments;
use crate::facts::Facts;
use crate::path;
use crate::pattern::{self, is_glob};
use crate::readable;
use crate::rule::{Effect, Identity, Lifetime, Millis, Pattern, Rule, RuleId, Usage};
use crate::words::{WordPattern, WordsPattern};
use std::collections::HashMap;

/// Rules that are compiled together, in any order.
#[derive(Debug, Clone)]
pub(crate) struct CompiledRules {
    rules: Vec<Compiled>,
    allow: Index,
    deny: Index,
    broken: Vec<BrokenRule>,
    places: HashMap<RuleId, usize>,
    /// Allow rules that were confirmed as broad and name no profile.
    broad: Vec<usize>,
    /// Allow rules that name a profile.
    confined: Vec<usize>,
    /// Rules about files, whatever the program.
    files: Vec<usize>,
    /// Allow rules for reading a folder.
    opened: Vec<usize>,
    any_case: bool,
}

/// A rule with its pattern taken apart.
#[derive(Debug, Clone)]
pub(crate) struct Compiled {
    /// The rule, but for what only a person looks at: how it was used and its examples.
    pub(crate) rule: Rule,
    pub(crate) command: Option<WordsPattern>,
    /// The patterns of the arguments, where the rule has some.
    pub(crate) args: Option<Arguments>,
    /// True if the rule describes programs rather than naming one.
    pub(crate) is_glob: bool,
    pub(crate) files: Option<FilePattern>,
    /// Folder that it opens for reading: absolute, in normal form.
    opens: Option<String>,
    /// Folder in which it allows, normalized for comparison.
    folder: Option<String>,
}

impl Default for CompiledRules {
    fn default() -> Self {
        Self {
            rules: Vec::new(),
            allow: Index::new(false),
            deny: Index::new(true),
            broken: Vec::new(),
            places: HashMap::new(),
            broad: Vec::new(),
            confined: Vec::new(),
            files: Vec::new(),
            opened: Vec::new(),
            any_case: false,
        }
    }
}

impl CompiledRules {
    pub(super) fn compile<'a>(rules: impl IntoIterator<Item = &'a Rule>, home: &str, any_case: bool) -> Self {
        let mut set = Self { any_case, ..Self::default() };
        for rule in rules {
            if let Err(problem) = set.add_rule(rule, home) {
                set.broken.push(BrokenRule { id: rule.id, effect: rule.effect, problem });
            }
        }
        set.rules.shrink_to_fit();
        set
    }

    pub(super) fn broken(&self) -> &[BrokenRule] {
        &self.broken
    }

    /// Programs that deny rules name, by path or bare name, with the rules' numbers.
    pub(super) fn denied_programs<'a>(
        &'a self,
        home: &'a str,
    ) -> impl Iterator<Item = (RuleId, String)> + 'a {
        let denying = self.rules.iter().filter(|compiled| compiled.rule.effect == Effect::Deny);
        denying.filter_map(move |compiled| {
            let name = compiled.program_name().filter(|name| !is_glob(name))?;
            Some((compiled.rule.id, path::expand_home(name, home).into_owned()))
        })
    }

    /// Returns true if the rule of this number is one of these, and may deny.
    pub(super) fn has_deny(&self, id: RuleId) -> bool {
        self.places.contains_key(&id)
    }

    /// Adds the identity of a program that a deny rule names.
    pub(super) fn identify(&mut self, id: RuleId, identity: &Identity, real_path: &str) {
        if let Some(&at) = self.places.get(&id) {
            self.deny.add_identity(identity, at);
            if matches!(self.rules[at].rule.pattern, Pattern::Path(_)) {
                self.deny.add_path(path::deny_key(real_path).into_owned(), true, at);
            }
        }
    }

    pub(crate) fn all_rules(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter().map(|compiled| &compiled.rule)
    }

    /// Rules that deny or ask.
    pub(crate) fn against(&self) -> impl Iterator<Item = &Compiled> {
        self.places.values().map(|&at| &self.rules[at])
    }

    /// Rules about files, whatever the program.
    pub(crate) fn of_files(&self) -> impl Iterator<Item = &Compiled> {
        self.files.iter().map(|&at| &self.rules[at])
    }

    /// Returns the allow rules for reading a folder, each with its folder.
    pub(crate) fn opened(&self) -> impl Iterator<Item = (&Compiled, &str)> {
        self.opened.iter().filter_map(|&at| Some((&self.rules[at], self.rules[at].opens.as_deref()?)))
    }

    /// Returns the allow rules that name a profile, with their indexes.
    pub(crate) fn confined(&self) -> impl Iterator<Item = (usize, &Compiled)> {
        self.confined.iter().map(|&at| (at, &self.rules[at]))
    }

    /// Returns the allow rules that were confirmed as broad and name no profile, with their indexes.
    pub(crate) fn broad_rules(&self) -> impl Iterator<Item = (usize, &Compiled)> {
        self.broad.iter().map(|&at| (at, &self.rules[at]))
    }

    fn add_rule(&mut self, rule: &Rule, home: &str) -> Result<(), String> {
        let at = self.rules.len();
        let generous = rule.effect != Effect::Allow;
        let any_case = generous || self.any_case;
        let mut compiled = Compiled {
            rule: judged_by(rule),
            command: None,
            args: rule.args.as_deref().map(|args| Arguments::new(args, home)),
            is_glob: false,
            files: None,
            opens: None,
            folder: rule.folder.as_deref().map(|folder| folder_key(folder, home, any_case)),
        };
        let index = if generous { &mut self.deny } else { &mut self.allow };
        match &rule.pattern {
            Pattern::Path(text) => {
                pattern::check_spelling(text).map_err(|error| error.to_string())?;
                let expanded = path::expand_home(text, home);
                compiled.is_glob = is_glob(&expanded);
                if compiled.is_glob {
                    index.add_glob(&expanded, generous, any_case, at)?;
                } else {
                    index.add_path(path_key(&expanded, generous, any_case), generous, at);
                }
            }
            Pattern::Command(text) => {
                let words = postern_command::words_of_at(text, home).map_err(|error| error.to_string())?;
                let command = WordsPattern::of_command(&words);
                let first = command.words.first().filter(|word| word.is_literal() || generous);
                if first.is_none() && !(generous && command.more) {
                    return Err("a command pattern names its program first".to_owned());
                }
                compiled.is_glob = first.is_none();
                index.add_command(words.first().map_or("*", String::as_str), generous, at);
                compiled.command = Some(command);
            }
            Pattern::Exact(argv) if argv.is_empty() => {
                return Err("an exact command has a program".to_owned());
            }
            Pattern::Exact(argv) => index.add_exact(argv, generous, at),
            Pattern::Identity(identity) => {
                compiled.is_glob = !matches!(identity, crate::rule::IdentityPattern::Sha256(_));
                index.add_identity_pattern(identity, at);
            }
            Pattern::Read(text) if !generous => {
                let folder = readable::folder_of(text, home).map_err(|error| error.to_string())?;
                compiled.opens = Some(path::normal(&folder).into_owned());
            }
            Pattern::Write(_) if !generous => {
                return Err(crate::rule_problem::RuleProblem::Writes.to_string());
            }
            Pattern::Read(text) | Pattern::Write(text) => {
                compiled.files = Some(FilePattern::new(text, home)?);
            }
        }
        if let (true, Some(pin)) = (generous, &rule.pin) {
            index.add_identity(&pin.program, at);
        }
        self.list_by_kind(rule, &compiled, at);
        self.rules.push(compiled);
        Ok(())
    }

    /// Lists a rule that is looked up beside the index.
    fn list_by_kind(&mut self, rule: &Rule, compiled: &Compiled, at: usize) {
        if compiled.files.is_some() {
            self.files.push(at);
        } else if compiled.opens.is_some() {
            self.opened.push(at);
        } else if rule.effect != Effect::Allow {
            self.places.insert(rule.id, at);
        } else if rule.confine.is_some() {
            self.confined.push(at);
        } else if rule.broad {
            self.broad.push(at);
        }
    }

    pub(crate) fn get(&self, at: usize) -> &Compiled {
        &self.rules[at]
    }

    pub(crate) fn allow_index(&self) -> &Index {
        &self.allow
    }

    pub(crate) fn deny_index(&self) -> &Index {
        &self.deny
    }

    /// Returns the spelling of a path that an allow rule's is compared with.
    pub(crate) fn allow_key<'a>(&self, path: &'a str) -> std::borrow::Cow<'a, str> {
        if self.any_case { path::fold_case(path) } else { std::borrow::Cow::Borrowed(path) }
    }
}

/// Returns the parts of a rule that a verdict needs: ten thousand of them are kept for as long as Postern
/// runs.
fn judged_by(rule: &Rule) -> Rule {
    Rule {
        id: rule.id,
        effect: rule.effect,
        agent: rule.agent.clone(),
        pattern: rule.pattern.clone(),
        args: rule.args.clone(),
        pin: rule.pin.clone(),
        allow_writes: rule.allow_writes,
        broad: rule.broad,
        confine: rule.confine,
        limits: rule.limits.clone(),
        folder: rule.folder.clone(),
        input: rule.input.clone(),
        origin: rule.origin,
        source: rule.source.clone(),
        lifetime: rule.lifetime.clone(),
        why: rule.why.clone(),
        matches: Vec::new(),
        misses: Vec::new(),
        created_at: rule.created_at,
        usage: Usage::default(),
    }
}

fn path_key(expanded: &str, generous: bool, any_case: bool) -> String {
    if generous {
        path::deny_key(expanded).into_owned()
    } else if any_case {
        path::fold_case(expanded).into_owned()
    } else {
        expanded.to_owned()
    }
}

fn folder_key(folder: &str, home: &str, any_case: bool) -> String {
    let folder = path::expand_home(folder, home);
    let folder = path::normal(&folder);
    if any_case { path::fold_case(&folder).into_owned() } else { folder.into_owned() }
}

impl Compiled {
    /// Returns true if it allows in this folder (a real path).
    pub(crate) fn holds_in(&self, folder: &str, any_case: bool) -> bool {
        let here = path::normal(folder);
        let here = if any_case { path::fold_case(&here) } else { here };
        self.folder.as_deref().is_none_or(|own| path::is_within(&here, own))
    }

    /// Returns the program that the rule names by path or bare name, if it is not known by its identity.
    pub(crate) fn program_name(&self) -> Option<&str> {
        match (&self.rule.pattern, &self.command) {
            (Pattern::Path(text), _) => Some(text),
            (Pattern::Command(_), Some(words)) => words.words.first().map(WordPattern::as_written),
            (Pattern::Exact(argv), _) => argv.first().map(String::as_str),
            (Pattern::Command(_), None)
            | (Pattern::Identity(_) | Pattern::Read(_) | Pattern::Write(_), _) => None,
        }
    }

    /// Returns true if the rule's time has not run out, and it is for requests of this origin.
    pub(crate) fn is_in_force(&self, facts: &Facts<'_>) -> bool {
        self.is_alive(facts.now, facts.session) && self.rule.origin.holds_for(facts.origin)
    }

    /// Returns true if the rule's time has not run out.
    pub(crate) fn is_alive(&self, now: Millis, session: Option<&str>) -> bool {
        match &self.rule.lifetime {
            Lifetime::Forever | Lifetime::Quit => true,
            Lifetime::Until(end) => now < *end,
            Lifetime::Session(name) => session == Some(name),
        }
    }
}
