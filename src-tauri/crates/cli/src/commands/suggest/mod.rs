//! `postern suggest`: the fewest rules that would have answered most questions. Saves nothing.

mod transcripts;

use super::agents::parse_agent_id;
use super::rules;
use crate::failure::Failure;
use crate::import_args::Suggest;
use crate::link::HostLink;
use crate::print;
use crate::typed::path_text;
use postern_command::escape::visible_text as escaped;
use postern_command::{quote_argv, quote_word};
use postern_contract::methods::{AgentRef, GetAgent, InsightsAsk, SuggestRules};
use postern_policy::measure::{MeasurementSetup, questions};
use postern_policy::{Origin, PastQuestion, Pattern, Profile, Rule, RuleOrigin, pattern_text, suggest};
use serde::Serialize;
use std::path::Path;

/// The most commands that are shown of a suggestion.
const EXAMPLES: usize = 5;

/// The document of `suggest --json`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SuggestReport {
    /// Questions that were looked at.
    asked: u64,
    suggestions: Vec<SuggestReportEntry>,
}

/// Rules that would have answered questions.
#[derive(Debug, Serialize)]
struct SuggestReportEntry {
    /// Number of questions.
    spares: u64,
    rules: Vec<Rule>,
    /// Some of the commands that they would have let through, as escaped text.
    examples: Vec<String>,
}

pub(crate) fn run(
    link: impl FnOnce() -> Result<HostLink, Failure>,
    home: &Path,
    asked: &Suggest,
) -> Result<(), Failure> {
    let report = if asked.from_transcripts {
        of_transcripts(link, home, asked)?
    } else {
        of_history(&mut link()?, asked)?
    };
    if asked.json.json { print::write_json(&report) } else { print_report(&report, asked) }
}

fn of_history(link: &mut HostLink, asked: &Suggest) -> Result<SuggestReport, Failure> {
    let agent = asked.agent.as_deref().map(parse_agent_id).transpose()?;
    let asking = InsightsAsk { agent: agent.clone(), days: asked.days, effect: None };
    let found = link.call_method::<SuggestRules>(&asking)?;
    if let Some(agent) = agent.filter(|_| found.asked == 0) {
        link.call_method::<GetAgent>(&AgentRef { agent })?;
    }
    let suggestion = |one: postern_contract::methods::Suggestion| SuggestReportEntry {
        spares: one.spares,
        rules: one.offer.rules,
        examples: one.examples,
    };
    let suggestions = found.suggestions.into_iter().take(asked.most).map(suggestion).collect();
    Ok(SuggestReport { asked: found.asked, suggestions })
}

/// Judges what agents ran in their own shells: programs are taken as present and unchanged, so no rule is bound to one.
fn of_transcripts(
    link: impl FnOnce() -> Result<HostLink, Failure>,
    home: &Path,
    asked: &Suggest,
) -> Result<SuggestReport, Failure> {
    let own = path_text(home)?;
    let mut setup = MeasurementSetup { origin: Origin::AgentShell, home: own, ..MeasurementSetup::default() };
    if let Some(agent) = &asked.agent {
        let agent = parse_agent_id(agent)?;
        let mut link = link()?;
        setup.settings = link.call_method::<GetAgent>(&AgentRef { agent: agent.clone() })?.settings;
        setup.settings.folders.clear();
        let rules = rules::fetch_all(&mut link, Some(&agent))?;
        setup.rules = rules.into_iter().map(|row| Rule { pin: None, ..row.rule }).collect();
    }
    let (calls, files) = transcripts::read_calls(home);
    print::remark(format!("{files} transcripts of Claude Code and Codex, {} commands", calls.len()));
    let (questions, places): (Vec<PastQuestion>, Vec<Vec<usize>>) =
        questions(&calls, &setup).map_err(Failure::from_error)?.into_iter().unzip();
    let suggested = suggest(&questions, asked.most).into_iter().map(|one| SuggestReportEntry {
        spares: one.spares,
        rules: one.offer.to_rules(RuleOrigin::AgentShell).map(|rule| Rule { pin: None, ..rule }).collect(),
        examples: examples(
            one.answers.iter().filter_map(|at| places[*at].first()).map(|at| &*calls[*at].shell),
        ),
    });
    let asked = questions.iter().map(|question| question.times).sum();
    Ok(SuggestReport { asked, suggestions: suggested.collect() })
}

fn examples<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut shown: Vec<String> = Vec::new();
    for line in lines.map(escaped) {
        if shown.len() == EXAMPLES {
            break;
        }
        if !shown.contains(&line) {
            shown.push(line);
        }
    }
    shown
}

fn print_report(report: &SuggestReport, asked: &Suggest) -> Result<(), Failure> {
    if report.asked == 0 {
        let found = if asked.from_transcripts {
            "no questions in the transcripts".to_owned()
        } else {
            format!("no questions in the last {} days", asked.days)
        };
        return print::write_line(found);
    }
    let rules: usize = report.suggestions.iter().map(|one| one.rules.len()).sum();
    let spares: u64 = report.suggestions.iter().map(|one| one.spares).sum();
    if rules == 0 {
        let questions = print::counted(report.asked, "question", "questions");
        return print::say!("{questions}, and no rule would have answered any of them");
    }
    let rules = print::counted(rules, "rule", "rules");
    print::say!("{rules} would have answered {spares} of {} questions", report.asked)?;
    for one in &report.suggestions {
        print::say!("{:>5}  it would have let through:", one.spares)?;
        one.examples.iter().try_for_each(|line| print::say!("         {line}"))?;
        one.rules.iter().try_for_each(|rule| print::say!("       {}", rule_command(rule)))?;
    }
    print::write_line("nothing was saved; run the lines that you want")
}

/// Returns the line that saves a rule.
fn rule_command(rule: &Rule) -> String {
    let agent = rule.agent.as_ref().map_or("ID", |agent| agent.as_str());
    let kind = match &rule.pattern {
        Pattern::Exact(_) => Some(" --exact".to_owned()),
        Pattern::Path(_) => Some(" --path".to_owned()),
        Pattern::Command(_) | Pattern::Identity(_) | Pattern::Read(_) | Pattern::Write(_) => None,
    };
    let option = if matches!(rule.pattern, Pattern::Read(_)) { "--read " } else { "" };
    let args = rule.args.as_ref().map(|args| format!(" --args {}", quote_word(&quote_argv(args))));
    let folder = rule.folder.as_ref().map(|folder| format!(" --in {}", quote_word(folder)));
    let own_shell = (rule.origin == RuleOrigin::AgentShell).then(|| " --own-shell".to_owned());
    let confine = rule.confine.map(|profile| match profile {
        Profile::Look => " --confine look".to_owned(),
        Profile::Project => " --confine project".to_owned(),
    });
    let pin = rule.pin.as_ref().map(|_| " --pin".to_owned());
    let flags: String = [kind, args, folder, own_shell, confine, pin].into_iter().flatten().collect();
    let pattern = quote_word(&pattern_text(&rule.pattern));
    escaped(&format!("postern rules allow {option}{pattern} --agent {agent}{flags}"))
}
