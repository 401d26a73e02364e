//! Deny rules about files: they deny what a step reads or writes, with any program.
//!
//! What may be one of these files, because a path is known only at run time or a program goes through a
//! folder, is asked about, and denied if nobody is asked.

mod spelled;
mod uses;
mod walk;

use super::doubt::{doubt_outcome, may_hide_program};
use super::line::JudgmentContext;
use super::mention;
use super::outcome::{StepOutcome, rule_ref, to_named_rule, whole_pattern};
use crate::advice::Advice;
use crate::agent::AgentPolicy;
use crate::cause::{Cause, Doubt};
use crate::decision::{Decision, Reason};
use crate::glob::ANY_PATH;
use crate::path;
use crate::permissions::FileUse;
use crate::rule::{FileAccess, Millis, Source};
use crate::ruleset::{Compiled, FilePattern};
use crate::settings::{Ask, Fallback};
use postern_command::{ProgramClass, Step, Unparsed, UnparsedSpan, class_of};
use uses::StepFileUse;
pub(super) use walk::{opens_named, opens_unnamed, reads_folders};

/// Returns what denies, or may deny, what a step does to files.
pub(super) fn of_step(policy: &AgentPolicy, line: &JudgmentContext<'_>, at: usize) -> Option<StepOutcome> {
    let mut rules = policy.rules.of_files(line.now, line.session).peekable();
    rules.peek()?;
    let step = &line.reading.steps[at];
    let uses = uses::of_step(step, &line.steps[at], line);
    let texts = code_of(step, line);
    let found = rules.flat_map(|rule| [against(rule, &uses), by_text(rule, step, &texts, line)]);
    found.flatten().min_by_key(weight)
}

/// Returns the same for what belongs to no step and was not understood.
pub(super) fn of_rest(policy: &AgentPolicy, line: &JudgmentContext<'_>) -> Option<StepOutcome> {
    let part = line.reading.opaque.first()?;
    let rule = policy.rules.of_files(line.now, line.session).min_by_key(|rule| rule.rule.id)?;
    let mut rules = policy.rules.of_files(line.now, line.session);
    let doubt = Doubt::Part(part.note().clone());
    let named = rules
        .find_map(|rule| Some(may_mean(rule, mentioned(rule, &line.reading.text, line)?, doubt.clone())));
    Some(named.unwrap_or_else(|| unread(rule, part)))
}

/// Returns what denies, or may deny, what a call of a tool does to files, and if that is in doubt only.
pub(crate) fn of_call(
    policy: &AgentPolicy,
    session: Option<&str>,
    now: Millis,
    used: &[FileUse],
) -> Option<StepOutcome> {
    let uses: Vec<StepFileUse> = used.iter().map(of_tool).collect();
    let found =
        policy.rules.of_files(now, session).filter_map(|rule| against(rule, &uses)).min_by_key(weight)?;
    let nobody = policy.settings.ask == Ask::Off || policy.settings.fallback == Fallback::Full;
    let denied = found.doubt && nobody;
    Some(if denied {
        StepOutcome { decision: Decision::Deny, reason: Reason::Denylist, ..found }
    } else {
        found
    })
}

fn of_tool(used: &FileUse) -> StepFileUse {
    let paths = std::iter::once(&used.path).chain(&used.real);
    let known: Vec<String> = paths.map(|path| path::reached("/", path)).collect();
    let walks = if used.whole { known.clone() } else { Vec::new() };
    let written = used.written.clone();
    StepFileUse { written, known, walks, reads: used.reads, writes: used.writes, ..StepFileUse::default() }
}

fn weight(outcome: &StepOutcome) -> (std::cmp::Reverse<Decision>, bool, i64) {
    let id = outcome.rule.as_ref().map_or(0, |rule| rule.id);
    (std::cmp::Reverse(outcome.decision), outcome.reason != Reason::Managed, id)
}

/// Compares a rule with what is used.
fn against(rule: &Compiled, uses: &[StepFileUse]) -> Option<StepOutcome> {
    let (access, files) = file_pattern(rule)?;
    let meant = || uses.iter().filter(|one| if access == FileAccess::Read { one.reads } else { one.writes });
    let sure = |one: &&StepFileUse| {
        let whole = |folder: &String| files.holds_path(folder) || one.writes && files.lie_in(folder);
        one.known.iter().any(|path| files.holds_path(path)) || one.walks.iter().any(whole)
    };
    let unsure = |one: &&StepFileUse| {
        let walks = one.walks.iter().filter(|folder| !(one.visible && files.are_hidden_below(folder)));
        let mut below = walks.map(|folder| format!("{}/{ANY_PATH}", folder.trim_end_matches('/')));
        one.open.iter().any(|path| files.may_hold(path)) || below.any(|path| files.may_hold(&path))
    };
    if let Some(one) = meant().find(sure) {
        let cause = Cause::File { path: one.written.clone(), access, rule: to_named_rule(&rule.rule).into() };
        let reason = if rule.rule.source == Source::Managed { Reason::Managed } else { Reason::Denylist };
        let denied = StepOutcome::new(Decision::Deny, reason, cause).advise(Advice::ChangeRule);
        return Some(denied.with_rule(rule_ref(&rule.rule)));
    }
    let one = meant().find(unsure)?;
    Some(may_be_meant(rule, one.written.clone()))
}

fn file_pattern(rule: &Compiled) -> Option<(FileAccess, &FilePattern)> {
    let (access, _) = rule.rule.pattern.file_access()?;
    Some((access, rule.files.as_ref()?))
}

fn in_doubt(rule: &Compiled, cause: Cause, advice: Advice) -> StepOutcome {
    doubt_outcome(cause, Some(advice)).with_rule(rule_ref(&rule.rule))
}

/// Returns the texts of a step that hold code: what was not understood, and words of what runs code or is told to.
fn code_of(step: &Step, line: &JudgmentContext<'_>) -> Vec<String> {
    let part = step.opaque.as_ref().and_then(|_| line.reading.text.get(step.span.clone()));
    let carries = !step.ways_out.is_empty()
        || step.program().is_some_and(|name| class_of(name) != ProgramClass::Ordinary);
    let words = step.argv.iter().filter(|_| carries).filter_map(|word| word.value.as_deref());
    let code = words.filter(|word| word.contains(|c: char| c.is_whitespace() || "'\"(".contains(c)));
    part.into_iter().chain(code).map(str::to_owned).collect()
}

fn by_text(
    rule: &Compiled,
    step: &Step,
    texts: &[String],
    line: &JudgmentContext<'_>,
) -> Option<StepOutcome> {
    let doubt = match (&step.opaque, step.ways_out.first()) {
        (Some(part), _) => Some(Doubt::Part(part.note().clone())),
        (None, way) => way.map(|way| Doubt::Argument(way.fact().clone())),
    };
    let named = texts.iter().find_map(|text| mentioned(rule, text, line)).map(|word| match doubt {
        Some(doubt) => may_mean(rule, word, doubt),
        None => may_be_meant(rule, word),
    });
    // Code in a request's own words says what it opens; other text that is not understood may become any command.
    let part = step.opaque.as_ref().filter(|part| {
        may_hide_program(step, part) && !matches!(part.kind, Unparsed::InlineCode | Unparsed::InputCode)
    });
    named.or_else(|| part.map(|part| unread(rule, part)))
}

/// Returns the word of a text that names a file of the rule.
fn mentioned(rule: &Compiled, text: &str, line: &JudgmentContext<'_>) -> Option<String> {
    let (_, files) = file_pattern(rule)?;
    let is_meant = |word: &&str| {
        let path = super::places::resolved(word, line.cwd, line);
        files.holds_path(&path)
    };
    let spelled = mention::spellings(text);
    spelled.iter().flat_map(|text| mention::path_words(text)).find(is_meant).map(str::to_owned)
}

fn may_mean(rule: &Compiled, word: String, doubt: Doubt) -> StepOutcome {
    let pattern = whole_pattern(&rule.rule);
    in_doubt(rule, Cause::MayMeanNamed { doubt, word, pattern }, Advice::WriteCommands)
}

fn may_be_meant(rule: &Compiled, word: String) -> StepOutcome {
    let access = file_pattern(rule).map_or(FileAccess::Read, |(access, _)| access);
    in_doubt(
        rule,
        Cause::FileMayBeMeant { word, access, rule: to_named_rule(&rule.rule).into() },
        Advice::WriteOut,
    )
}

fn unread(rule: &Compiled, part: &UnparsedSpan) -> StepOutcome {
    let advice = part.advice().map_or(Advice::WriteCommands, |words| Advice::Reader(words.into()));
    in_doubt(rule, Cause::MayMeanDenied { doubt: Doubt::Part(part.note().clone()) }, advice)
}
