//! `postern policy measure`: the quietness of a policy on commands that agents ran, without a host.

use super::super::rules::file;
use crate::failure::Failure;
use crate::print;
use crate::rule_args::{Answers, Measure};
use postern_command::escape::visible_text as escaped;
use postern_contract::RuleDraft;
use postern_contract::methods::RuleFile;
use postern_policy::measure::{
    AlwaysAnswer, MeasuredCall, Measurement, MeasurementSetup, Stopped, Tally, measure,
};
use postern_policy::{Effect, Origin, Rule, RuleId, check_rule};
use std::path::Path;

/// The most lines of each list, without `--json`.
const SHOWN: usize = 20;

pub(super) fn run(asked: &Measure) -> Result<(), Failure> {
    let calls = read_calls(&asked.commands)?;
    let measured = measure(&calls, &read_setup(asked)?).map_err(Failure::from_error)?;
    match (asked.list, asked.json.json) {
        (true, json) => print_stopped(&calls, &measured.stopped, json),
        (false, true) => print::write_json(&measured),
        (false, false) => print_summary(&measured),
    }
}

/// Most columns of an offer in the list; the JSON has all of it.
const OFFER: usize = 60;

/// Prints each command that is asked about or denied, with its line.
fn print_stopped(calls: &[MeasuredCall], stopped: &[Stopped], json: bool) -> Result<(), Failure> {
    let rows = stopped.iter().filter_map(|one| Some((one, calls.get(one.call)?)));
    if json {
        for (one, call) in rows {
            print::json_line(&serde_json::json!({ "stopped": one, "call": call }))?;
        }
        return Ok(());
    }
    let row = |(one, call): (&Stopped, &MeasuredCall)| {
        let offer = if one.offer.is_empty() { "-".to_owned() } else { one.offer.join("; ") };
        let verdict = one.decision.name();
        let place = (one.call + 1).to_string();
        let offer = print::cut_to(&escaped(&offer), OFFER);
        [place, verdict.to_owned(), one.reason.clone(), offer, escaped(&call.shell)]
    };
    print::write_table(["CALL", "VERDICT", "REASON", "FIRST OFFER", "COMMAND"], rows.map(row).collect(), "")
}

/// Reads one command per line.
fn read_calls(path: &Path) -> Result<Vec<MeasuredCall>, Failure> {
    let text = crate::typed::text_of(path)?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let call = |(at, line): (usize, &str)| {
        let wrong = |error| {
            let place = format!("{}:{}", path.display(), at + 1);
            Failure::usage_error(format!(
                "{place}: {error}; a line is {{\"shell\": \"git status\", \"cwd\": \"/Users/u/x\", \"project\": \"x\"}}"
            ))
        };
        serde_json::from_str(line).map_err(wrong)
    };
    lines.map(call).collect()
}

fn read_setup(asked: &Measure) -> Result<MeasurementSetup, Failure> {
    let mut setup = MeasurementSetup::default();
    if let Some(home) = &asked.home {
        setup.home.clone_from(home);
    }
    if let Some(preset) = asked.preset {
        setup.settings.apply_preset(preset.into());
    }
    for (class, access) in &asked.classes {
        setup.settings.set_access(*class, *access);
    }
    setup.origin = if asked.own_shell { Origin::AgentShell } else { Origin::Host };
    setup.always = match asked.always {
        Answers::None => AlwaysAnswer::Never,
        Answers::Offer => AlwaysAnswer::FirstOffer,
    };
    let typed = |effect: Effect, patterns: &[String]| {
        patterns.iter().map(|text| RuleDraft::new(effect, text)).collect::<Vec<_>>()
    };
    let mut drafts = match &asked.rules {
        Some(path) => file::rules_of(&crate::typed::text_of(path)?, path)?,
        None => RuleFile { version: 1, rules: Vec::new() },
    }
    .rules;
    drafts.extend(typed(Effect::Allow, &asked.allow));
    drafts.extend(typed(Effect::Deny, &asked.deny));
    setup.rules = drafts
        .into_iter()
        .zip(1..)
        .map(|(draft, id)| parse_rule(draft, id, &setup.home))
        .collect::<Result<_, _>>()?;
    Ok(setup)
}

/// Reads a rule as the host would. The pin is left out: programs are taken as unchanged.
fn parse_rule(draft: RuleDraft, id: RuleId, home: &str) -> Result<Rule, Failure> {
    let text = escaped(&draft.text);
    let wrong = |error: &dyn std::fmt::Display| Failure::usage_error(format!("{text}: {error}"));
    let rule = draft.into_rule(home).map_err(|error| wrong(&error))?;
    check_rule(&rule, home).map_err(|error| wrong(&error))?;
    Ok(Rule { id, agent: None, ..rule })
}

fn print_summary(measured: &Measurement) -> Result<(), Failure> {
    let Measurement { calls, allowed, asked, denied, without_offer, dangerous, code_unconfined, .. } =
        *measured;
    for (count, what) in [
        (calls, "calls"),
        (allowed, "allowed"),
        (asked, "asked"),
        (denied, "denied"),
        (without_offer, "asked without an offer"),
        (dangerous, "dangerous"),
        (code_unconfined, "allowed code with your rights"),
    ] {
        print::say!("{count:>8}  {:>5}  {what}", percent(count, calls))?;
    }
    print_tallies("REASON", &measured.by_reason)?;
    print_tallies("PROGRAM", &measured.by_program)?;
    print_tallies("EFFECT", &measured.by_effect)?;
    print_tallies("NO OFFER BECAUSE", &measured.by_nothing_to_save)
}

/// Returns a share in tenths of a percent, without rounding errors of floating point.
fn percent(count: usize, all: usize) -> String {
    let tenths = (count * 2000 + all) / (2 * all).max(1);
    format!("{}.{}%", tenths / 10, tenths % 10)
}

fn print_tallies(heading: &str, tallies: &[Tally]) -> Result<(), Failure> {
    if tallies.is_empty() {
        return Ok(());
    }
    print::write_line("")?;
    let row = |one: &Tally| {
        [escaped(&one.name), one.asked.to_string(), one.without_offer.to_string(), one.denied.to_string()]
    };
    let rows = tallies.iter().take(SHOWN).map(row).collect();
    print::write_table([heading, "ASKED", "WITHOUT OFFER", "DENIED"], rows, "")?;
    match tallies.len().saturating_sub(SHOWN) {
        0 => Ok(()),
        more => print::say!("and {more} more (--json lists all)"),
    }
}

#[cfg(test)]
mod tests {
    use super::percent;

    #[test]
    fn shares_are_rounded_to_tenths() {
        for (count, all, expected) in
            [(1, 3, "33.3%"), (2, 3, "66.7%"), (0, 5, "0.0%"), (5, 5, "100.0%"), (0, 0, "0.0%")]
        {
            assert_eq!(percent(count, all), expected, "{count} of {all}");
        }
    }
}
