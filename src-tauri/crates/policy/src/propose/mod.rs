//! Offers for *Always*, narrowest first; none allows more than the question shows.
//!
//! A pin is offered only if it holds until the program runs. For a file that the agent can change, the offer
//! allows any content and says so.

mod label;
mod renewal;

pub use renewal::{Renewal, propose_renewals};

use crate::agent::AgentPolicy;
use crate::facts::{Facts, Input, Lookup, Program, StepFacts};
use crate::path;
use crate::pattern::{by_arity, is_glob};
use crate::rule::{Effect, Pattern, Pin, Rule, RuleInput, RuleOrigin, ScriptPin};
use crate::verdict::{Decision, Reason, RiskLevel, Verdict};
pub(crate) use label::commands;
pub use label::{OfferLabel, Offered, RenewedProgram};
pub use nothing::NothingToSave;
use postern_command::{Class, Dir, Power, Role, Step, class_of};

mod nothing;

/// One offer. A chain saves one rule for each step that no rule covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// `exact`, `command` or `path`; `renew` or `renew-everyone` where it saves nothing new.
    pub id: &'static str,
    /// What it would save.
    pub label: OfferLabel,
    /// What would be saved.
    pub drafts: Vec<Draft>,
    /// Folder of the rule, with everything below: the request's. `None` if the line changes its folder and so
    /// cannot be bound to one.
    pub folder: Option<String>,
    /// The rules that it would renew instead: they stay as they are, and hold for the program as it is now.
    pub renews: Vec<Renewal>,
}

/// A rule that an offer would save.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// The step that it is for.
    pub step: usize,
    /// What it matches.
    pub pattern: Pattern,
    /// The patterns of its arguments.
    pub args: Option<Vec<String>>,
    /// Pin; `None` if the agent can change the program until it runs.
    pub pin: Option<Pin>,
    /// Input that the rule covers.
    pub input: RuleInput,
}

impl Offer {
    /// Returns its rules, for everybody and as yet without a number.
    pub fn rules(&self, origin: RuleOrigin) -> impl Iterator<Item = Rule> {
        self.drafts.iter().map(move |draft| Rule {
            args: draft.args.clone(),
            pin: draft.pin.clone().map(Box::new),
            folder: self.folder.clone(),
            input: draft.input.clone(),
            origin,
            ..Rule::new(Effect::Allow, draft.pattern.clone())
        })
    }
}

/// What could be saved for one step.
struct Widths {
    exact: Draft,
    command: Option<Draft>,
    path: Option<Draft>,
}

/// Returns at least one offer for a request that needs an answer, or the reason why there is none.
pub fn propose(
    policy: &AgentPolicy,
    facts: &Facts<'_>,
    verdict: &Verdict,
) -> Result<Vec<Offer>, NothingToSave> {
    if !facts.reading.opaque.is_empty() || facts.reading.invalid.is_some() {
        return Err(NothingToSave::Unread);
    }
    if !facts.env_to_ask.is_empty() {
        return Err(NothingToSave::Environment);
    }
    let mut widths = Vec::new();
    for (at, step) in verdict.steps.iter().enumerate() {
        if step.decision == Decision::Allow {
            continue;
        }
        let helps = matches!(
            step.reason,
            Reason::AllowlistMiss | Reason::BinaryChanged | Reason::AgentCanChange | Reason::CannotConfine
        ) && crate::judge::can_be_covered(policy, facts, at);
        let found = widths_of(facts, at)?;
        if !helps {
            return Err(no_rule_helps(step.reason));
        }
        widths.push(found);
    }
    if widths.is_empty() {
        return Err(no_rule_helps(verdict.reason));
    }
    let same = verdict.steps.iter().zip(&facts.reading.steps);
    let moves = same.clone().any(|(said, step)| said.decision != Decision::Allow && step.dir != Dir::Same);
    let folder = (!moves).then(|| path::normal(facts.cwd).into_owned());
    let exact = Offer {
        id: "exact",
        label: label::exact(&widths, facts),
        drafts: distinct(widths.iter().map(|width| width.exact.clone())),
        folder: folder.clone(),
        renews: Vec::new(),
    };
    let mut offers = vec![exact];
    // What is dangerous, or would be with other words, is saved as it is: `rm -rf build` says nothing of every other `rm`.
    let narrow = verdict.risk.level == RiskLevel::Dangerous || verdict.risk.deletes_folders();
    if !narrow && widths.iter().any(|width| width.command.is_some()) {
        let drafts =
            distinct(widths.iter().map(|width| width.command.as_ref().unwrap_or(&width.exact).clone()));
        let (label, folder) = (label::commands(&drafts), folder.clone());
        offers.push(Offer { id: "command", label, drafts, folder, renews: Vec::new() });
    }
    if !narrow && widths.iter().any(|width| width.path.is_some()) {
        let drafts = distinct(widths.iter().map(|width| width.path.as_ref().unwrap_or(&width.exact).clone()));
        let label = label::paths(&drafts, facts);
        offers.push(Offer { id: "path", label, drafts, folder, renews: Vec::new() });
    }
    Ok(offers)
}

fn no_rule_helps(reason: Reason) -> NothingToSave {
    match reason {
        Reason::AskAlways | Reason::Policy => NothingToSave::AlwaysAsks,
        Reason::Opaque | Reason::Invalid => NothingToSave::Unread,
        Reason::NotFound => NothingToSave::Program,
        _ => NothingToSave::NoRuleHelps,
    }
}

fn distinct(drafts: impl Iterator<Item = Draft>) -> Vec<Draft> {
    let mut all: Vec<Draft> = Vec::new();
    for draft in drafts {
        if !all.iter().any(|other| Draft { step: draft.step, ..other.clone() } == draft) {
            all.push(draft);
        }
    }
    all
}

fn widths_of(facts: &Facts<'_>, at: usize) -> Result<Widths, NothingToSave> {
    let (step, found) = (&facts.reading.steps[at], &facts.steps[at]);
    let elsewhere = step.via.iter().any(|via| via.power == Power::Elsewhere);
    if step.role != Role::Program || step.opaque.is_some() || elsewhere {
        return Err(NothingToSave::Unread);
    }
    let Lookup::Found(program) = &found.program else { return Err(NothingToSave::Program) };
    // A rule that allows writing would allow writing anywhere: more than can be seen here.
    if step.redirections.iter().any(postern_command::Redirection::writes) {
        return Err(NothingToSave::Writes);
    }
    let elevated = step.via.iter().any(|via| via.power == Power::Elevated);
    let input = match facts.input {
        Input::Nothing => RuleInput::Nothing,
        Input::Text(_) | Input::Stream if crate::judge::reads_input_as_data(facts, at) => RuleInput::Nothing,
        Input::Text(sha256) => RuleInput::Text(sha256.clone()),
        // A stream's content is not known yet.
        Input::Stream => return Err(NothingToSave::Input),
    };
    let told = input != RuleInput::Nothing;
    if program.identity.is_none() {
        return Err(NothingToSave::Program);
    }
    let exact = exact(step, found, program, at, elevated).ok_or(NothingToSave::Unread)?;
    let exact = Draft { input, ..exact };
    let name = step.program().ok_or(NothingToSave::Unread)?;
    let names = [name, &program.path, &program.real_path];
    let class =
        names.iter().map(|name| class_of(path::base_name(name))).find(|class| *class != Class::Ordinary);
    // Commands from its input are saved only with this exact command.
    let plain = !elevated && !told && step.ways_out.is_empty();
    let script = plain && matches!(class, Some(Class::Shell | Class::Interpreter));
    let path = if script { script_path(step, found, program, at) } else { None };
    let ordinary = plain && class.is_none();
    Ok(Widths {
        command: if ordinary { command(step, program, at) } else { None },
        path: if ordinary { by_path(found, program, at) } else { path },
        exact,
    })
}

/// This argv, while the program and the script that it runs are as they were shown.
fn exact(step: &Step, found: &StepFacts, program: &Program, at: usize, elevated: bool) -> Option<Draft> {
    let wrappers = step.via.iter().filter(|_| elevated).flat_map(|via| via.argv.iter());
    let argv: Option<Vec<String>> = wrappers.chain(&step.argv).map(|word| word.value.clone()).collect();
    let pin = pin(program, found);
    Some(Draft { step: at, pattern: Pattern::Exact(argv?), args: None, pin, input: RuleInput::Nothing })
}

/// The first words with any arguments, while the program is as it was shown.
fn command(step: &Step, program: &Program, at: usize) -> Option<Draft> {
    // By words alone the rule would match every program of that name in every folder.
    if program.agent_can_change {
        return None;
    }
    let known: Vec<&str> = step.argv.iter().map_while(|word| word.value.as_deref()).collect();
    let text = by_arity(&known)?;
    // Words that are only known at run time are further arguments.
    let more = known.len() < step.argv.len() && !text.ends_with(" *");
    let text = if more { format!("{text} *") } else { text };
    let pin = Some(Pin { program: program.identity.clone()?, script: None });
    Some(Draft { step: at, pattern: Pattern::Command(text), args: None, pin, input: RuleInput::Nothing })
}

/// Offers the program at its path, with any arguments.
fn by_path(found: &StepFacts, program: &Program, at: usize) -> Option<Draft> {
    program.identity.as_ref()?;
    let (pattern, pin) = (path_pattern(program)?, pin(program, found));
    Some(Draft { step: at, pattern, args: None, pin, input: RuleInput::Nothing })
}

/// Returns a pin on the program and its script as they are now; `None` if the agent can change one of them, or
/// if one is unknown.
fn pin(program: &Program, found: &StepFacts) -> Option<Pin> {
    let script = found.script.as_ref();
    if program.agent_can_change || script.is_some_and(|script| script.agent_can_change) {
        return None;
    }
    let script = script
        .map(|script| ScriptPin { path: script.real_path.clone(), sha256: script.identity.sha256.clone() });
    Some(Pin { program: program.identity.clone()?, script })
}

/// Offers this script: its interpreter, the script as first argument, and the content of both if it can be
/// pinned.
fn script_path(step: &Step, found: &StepFacts, program: &Program, at: usize) -> Option<Draft> {
    found.script.as_ref()?;
    let written = step.argv.get(1)?.value.clone()?;
    if step.script != Some(1) || written.contains(['*', '?']) {
        return None;
    }
    let args = Some(vec![written, "**".to_owned()]);
    program.identity.as_ref()?;
    let (pattern, pin) = (path_pattern(program)?, pin(program, found));
    Some(Draft { step: at, pattern, args, pin, input: RuleInput::Nothing })
}

fn path_pattern(program: &Program) -> Option<Pattern> {
    let pattern = Pattern::Path(program.path.clone());
    let reads_back = crate::pattern::parse_pattern(&program.path, Some(crate::rule::PatternKind::Path))
        .as_ref()
        == Ok(&pattern);
    (reads_back && !is_glob(&program.path)).then_some(pattern)
}

#[cfg(test)]
mod tests;
