//! Stages 1 to 4 for the files that a tool of the agent's own uses, without the agent's file, which the tool
//! gate reads itself.
//!
//! Whether the agent may use this machine at all is another question, which does not arise for a tool.

use super::{Judgement, StepOutcome, doubt, files};
use crate::agent::AgentPolicy;
use crate::cause::Cause;
use crate::classes::{Access, Class};
use crate::decision::{Decision, Reason, RuleRef};
use crate::facts::Facts;
use crate::permissions::FileUse;
use crate::risk::Risk;
use crate::rule::Millis;
use crate::settings::Settings;
use crate::verdict::TraceLine;
use postern_command::CommandEffect;

/// Result of the rules for host commands and the built-in denials for a tool's command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandAgainst {
    /// Allow: they say nothing against it, and whether it may be used is for the tool gate to say.
    pub decision: Decision,
    /// Reason, as a stable name.
    pub reason: Reason,
    pub cause: Cause,
    /// The rule that decided, where one did.
    pub rule: Option<RuleRef>,
    /// Every stage with what it found.
    pub trace: Vec<TraceLine>,
}

/// Looks for what denies, or may deny, a tool's command: managed rules, the built-in core, deny rules of the agent and of
/// everybody. What cannot be read while something denies is asked about, as for a host command.
pub fn against_command_tool(policy: &AgentPolicy, facts: &Facts<'_>) -> CommandAgainst {
    let rules = AgentPolicy {
        rules: policy.rules.clone(),
        managed_problem: policy.managed_problem.clone(),
        ..AgentPolicy::new(policy.agent.clone(), policy.settings.clone())
    };
    let mut judgement = Judgement::new(&rules, facts, rules.settings.ask, None);
    let (steps, whole) = judgement.against_all();
    let strictest = steps
        .into_iter()
        .flatten()
        .chain(whole)
        .max_by_key(|outcome| (outcome.decision, std::cmp::Reverse(outcome.stage_order())));
    let outcome = strictest.unwrap_or_else(nothing);
    CommandAgainst {
        decision: outcome.decision,
        reason: outcome.reason,
        cause: outcome.cause,
        rule: outcome.rule,
        trace: judgement.trace,
    }
}

/// Looks for what denies, or may deny, the files that a tool's call uses.
pub fn against_files(
    policy: &AgentPolicy,
    session: Option<&str>,
    now: Millis,
    used: &[FileUse],
) -> Option<CommandAgainst> {
    let StepOutcome { decision, reason, cause, rule, .. } = files::of_call(policy, session, now, used)?;
    let trace = vec![TraceLine { stage: "deny rules".into(), found: cause.clone().into() }];
    Some(CommandAgainst { decision, reason, cause, rule, trace })
}

/// Looks for a class that the agent is denied among the effects of a tool's call, where no line of the user allows it. No class
/// allows a tool: it acts in the agent's own program, which nothing confines.
pub fn against_classes(settings: &Settings, tool: &str, risk: &Risk) -> Option<CommandAgainst> {
    let classes = risk.effects.iter().filter_map(|rated| class_of(&rated.effect));
    let class = classes.into_iter().find(|class| settings.access(*class) == Access::Deny)?;
    let cause = Cause::ClassDenied { command: Some(tool.to_owned()), class };
    let trace = vec![TraceLine { stage: "classes".into(), found: cause.clone().into() }];
    Some(CommandAgainst { decision: Decision::Deny, reason: Reason::Policy, cause, rule: None, trace })
}

/// Returns the class of an effect by its kind alone.
fn class_of(effect: &CommandEffect) -> Option<Class> {
    Some(match effect {
        CommandEffect::Read { .. } => Class::Look,
        CommandEffect::Write { .. }
        | CommandEffect::Delete { .. }
        | CommandEffect::ChangeRepository { .. } => Class::Files,
        CommandEffect::RunProjectCode { .. }
        | CommandEffect::RunInlineCode { .. }
        | CommandEffect::Serve { .. } => Class::Build,
        CommandEffect::Fetch { .. } => Class::Network,
        CommandEffect::Send { .. } | CommandEffect::Publish { .. } => Class::Share,
        CommandEffect::Install { .. } | CommandEffect::RunDownloadedCode { .. } => Class::Install,
        CommandEffect::RunElsewhere { .. }
        | CommandEffect::ChangeSystem { .. }
        | CommandEffect::ControlApp { .. } => Class::System,
        CommandEffect::UseSecret { .. } => Class::Secrets,
        CommandEffect::Unknown { .. } => return None,
    })
}

fn nothing() -> StepOutcome {
    StepOutcome::new(Decision::Allow, Reason::Policy, Cause::NothingDenies)
}

impl Judgement<'_> {
    /// Runs stages 1 to 4 for each step and the whole, and none of the stages that allow.
    fn against_all(&mut self) -> (Vec<Option<StepOutcome>>, Vec<StepOutcome>) {
        if let Some(outcome) = self.unreadable_request() {
            return (Vec::new(), vec![outcome]);
        }
        let (steps, mut named) = self.against_steps();
        let mut whole = self.against_the_whole();
        let rest = named.as_mut().and_then(doubt::Named::of_rest);
        let rest = rest.or_else(|| self.unseen()).into_iter();
        let rest = rest.chain(files::of_rest(self.policy, &self.line));
        whole.extend(rest.map(|doubt| self.unasked(doubt)));
        self.note_against(&steps, &whole);
        (steps, whole)
    }
}
