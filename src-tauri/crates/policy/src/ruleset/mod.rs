//! Rules ready to be looked up: a verdict costs the same with ten of them and with ten thousand.

mod globs;
mod index;

use crate::path;
use crate::pattern::{self, is_glob};
use crate::rule::{Effect, Identity, Lifetime, Millis, Pattern, Rule, RuleId};
use crate::words::WordsPattern;
use index::Index;
use std::collections::HashMap;
use std::sync::Arc;

/// Rules of one agent: its own, everybody's, its skills' and the managed ones, in any order.
#[derive(Debug, Clone)]
pub struct RuleSet {
    rules: Vec<Compiled>,
    allow: Index,
    deny: Index,
    broken: Vec<Broken>,
    places: HashMap<RuleId, usize>,
    any_case: bool,
}

/// A rule that could not be compiled. It allows nothing; where it should deny, everything is at best asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// The rule.
    pub id: RuleId,
    /// What it should have done.
    pub effect: Effect,
    /// What is wrong with it.
    pub problem: String,
}

/// A rule with its pattern taken apart.
#[derive(Debug, Clone)]
pub(crate) struct Compiled {
    /// The rule as the person sees it.
    pub(crate) rule: Arc<Rule>,
    /// A command pattern's words.
    pub(crate) command: Option<WordsPattern>,
    /// The patterns of the arguments, where the rule has some.
    pub(crate) args: Option<WordsPattern>,
    /// Whether the rule describes programs rather than naming one.
    pub(crate) is_glob: bool,
}

impl Default for RuleSet {
    fn default() -> Self {
        Self {
            rules: Vec::new(),
            allow: Index::new(false),
            deny: Index::new(true),
            broken: Vec::new(),
            places: HashMap::new(),
            any_case: false,
        }
    }
}

impl RuleSet {
    /// Compiles rules. `home` is the person's home folder; `any_case` says that names of this volume are compared
    /// without case (deny rules always are).
    pub fn compile(rules: &[Rule], home: &str, any_case: bool) -> Self {
        let mut set = Self { any_case, ..Self::default() };
        for rule in rules {
            if let Err(problem) = set.add(rule, home) {
                set.broken.push(Broken { id: rule.id, effect: rule.effect, problem });
            }
        }
        set
    }

    /// Rules that could not be compiled.
    pub fn broken(&self) -> &[Broken] {
        &self.broken
    }

    /// Every rule that could be compiled.
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter().map(|compiled| compiled.rule.as_ref())
    }

    /// The paths that deny rules name: the host looks up what lies there and tells it by [`RuleSet::identify`], so
    /// that the same program under another name is denied as well.
    pub fn denied_paths(&self, home: &str) -> Vec<(RuleId, String)> {
        let literal = |rule: &Rule| match &rule.pattern {
            Pattern::Path(text) if rule.effect == Effect::Deny && !is_glob(text) => {
                Some((rule.id, path::expand_home(text, home).into_owned()))
            }
            Pattern::Path(_) | Pattern::Command(_) | Pattern::Exact(_) | Pattern::Identity(_) => None,
        };
        self.rules().filter_map(literal).collect()
    }

    /// Tells what lies at a deny rule's path, with the path that the system gives back for it.
    pub fn identify(&mut self, id: RuleId, identity: &Identity, real_path: &str) {
        if let Some(&at) = self.places.get(&id) {
            self.deny.add_identity(identity, at);
            self.deny.add_path(path::deny_key(real_path), at);
        }
    }

    fn add(&mut self, rule: &Rule, home: &str) -> Result<(), String> {
        let at = self.rules.len();
        let generous = rule.effect != Effect::Allow;
        let any_case = generous || self.any_case;
        let mut compiled = Compiled {
            rule: Arc::new(rule.clone()),
            command: None,
            args: rule.args.as_deref().map(WordsPattern::of_arguments),
            is_glob: false,
        };
        let index = if generous { &mut self.deny } else { &mut self.allow };
        match &rule.pattern {
            Pattern::Path(text) => {
                pattern::check_spelling(text).map_err(|error| error.to_string())?;
                let expanded = path::expand_home(text, home);
                compiled.is_glob = is_glob(&expanded);
                if compiled.is_glob {
                    index.add_glob(&expanded, any_case, at)?;
                } else {
                    index.add_path(path_key(&expanded, generous, any_case), at);
                }
            }
            Pattern::Command(text) => {
                let words = postern_command::words_of(text).map_err(|error| error.to_string())?;
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
        }
        if let (true, Some(pin)) = (generous, &rule.pin) {
            index.add_identity(&pin.program, at);
        }
        if generous {
            self.places.insert(rule.id, at);
        }
        self.rules.push(compiled);
        Ok(())
    }

    pub(crate) fn get(&self, at: usize) -> &Compiled {
        &self.rules[at]
    }

    pub(crate) fn allow(&self) -> &Index {
        &self.allow
    }

    pub(crate) fn deny(&self) -> &Index {
        &self.deny
    }

    /// How an allow rule's path is compared.
    pub(crate) fn allow_key<'a>(&self, path: &'a str) -> std::borrow::Cow<'a, str> {
        if self.any_case { path::fold(path) } else { std::borrow::Cow::Borrowed(path) }
    }

    /// Deny rules that could not be compiled.
    pub(crate) fn broken_denies(&self) -> impl Iterator<Item = &Broken> {
        self.broken.iter().filter(|broken| broken.effect != Effect::Allow)
    }
}

fn path_key(expanded: &str, generous: bool, any_case: bool) -> String {
    if generous {
        path::deny_key(expanded)
    } else if any_case {
        path::fold(expanded).into_owned()
    } else {
        expanded.to_owned()
    }
}

impl Compiled {
    /// Whether the rule's time has not run out.
    pub(crate) fn is_alive(&self, now: Millis, session: Option<&str>) -> bool {
        match &self.rule.lifetime {
            Lifetime::Forever | Lifetime::Quit => true,
            Lifetime::Until(end) => now < *end,
            Lifetime::Session(name) => session == Some(name),
        }
    }
}
