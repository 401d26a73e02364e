//! A question as a terminal shows it: everything that the window shows, top to bottom.

use crate::failure::Failure;
use crate::print::{self, bold, shown};
use postern_contract::{
    EnvChangeKind, Proposal, Question, Renewal, ShownProgram, ShownStep, ShownSubject, text,
};
use postern_policy::{Decision, Origin, RiskLevel};

/// Prints the whole question.
#[expect(clippy::too_many_lines, reason = "one part after another, each once")]
pub(crate) fn full(question: &Question) -> Result<(), Failure> {
    let asker = &question.asker;
    heading(question)?;
    let session =
        asker.session.as_ref().map_or_else(String::new, |session| format!(" · session {}", shown(session)));
    print::line(format!("      {}{session} · {}", text(&asker.known_by), place(question)))?;
    print::line("")?;
    if question.subject == ShownSubject::Command {
        print::line(format!("      {}", bold(&question.line)))?;
    }
    for (label, text) in question.subject.rows() {
        print::line(format!("      {label:<10} {}", bold(&shown(&text))))?;
    }
    let asked = question.requests.len();
    if asked > 1 {
        let all =
            format!("asked {asked} times: an approval allows the first only, --all {asked} all of them");
        print::line(format!("      {}", bold(&all)))?;
    }
    if let Some(argv) = question.argv.as_ref().filter(|argv| argv.len() > 6) {
        for (index, word) in argv.iter().enumerate() {
            field(&format!("[{index}]"), &shown(word))?;
        }
    }
    print::line("")?;
    let level = match question.risk.level {
        RiskLevel::Safe => "Safe",
        RiskLevel::NeedsReview => "Needs review",
        RiskLevel::Dangerous => "DANGEROUS",
    };
    field(level, &text(&question.why))?;
    for reason in &question.risk.reasons {
        field("", &text(reason))?;
    }
    if question.shell {
        steps(question)?;
    }
    for program in &question.programs {
        field("runs", &described(program))?;
        if let Some(script) = &program.script {
            field("script", &format!("{} · {}", shown(&script.path), script.short_hash))?;
            for line in &script.preview {
                field("", &format!("| {}", shown(line)))?;
            }
        }
    }
    if let Some(files) = changeable(question) {
        field("not held", &format!("the agent can change {files} until it runs"))?;
    }
    if !question.cwd.is_empty() {
        field("in", &shown(&question.cwd))?;
    }
    environment(question)?;
    if let Some(stdin) = &question.stdin {
        field("stdin", &stdin.words())?;
        for line in stdin.lines() {
            field("", &format!("| {}", shown(line)))?;
        }
    }
    if let Some(says) = &asker.says {
        field("agent says", &format!("“{}”", shown(says)))?;
    }
    field("policy", &text(&question.policy))?;
    if let Some(rule) = &question.rule {
        field("rule", &format!("{} ({})", postern_command::escape::text(&rule.pattern), rule.source))?;
    }
    for renewal in &question.renews {
        field("changed", &renewed(renewal))?;
    }
    for proposal in &question.proposals {
        let seen = proposal
            .would_match
            .map_or_else(String::new, |(hits, of)| format!(" · {hits} of the last {of} requests"));
        field(&typed(proposal), &format!("{}{seen}", shown(&proposal.label)))?;
    }
    if let Some(why) = question.unsaved_words() {
        field("--always", &format!("saves nothing, and is one run: {why}"))?;
    }
    let more = more_waiting(question);
    field("at zero", &format!("{} in {}{more}", text(&question.at_zero), print::until(question.expires_at)))?;
    field("digest", &question.digest)
}

/// Returns the words that choose an offer on the command line.
fn typed(proposal: &Proposal) -> String {
    match proposal.id.as_str() {
        "renew-everyone" => "--always renew --everyone".to_owned(),
        id => format!("--always {id}"),
    }
}

/// Returns a program that changed, and the rules that were given for it as it was.
pub(crate) fn renewed(renewal: &Renewal) -> String {
    let texts: Vec<&str> = renewal.rules.iter().map(|rule| rule.text.as_str()).collect();
    let (count, program) = (renewal.count, shown(&renewal.program));
    let rules = if count == 1 { "rule was" } else { "rules were" };
    let more = if texts.len() < count as usize { ", …" } else { "" };
    format!(
        "{program} ({}); {count} {rules} given for it as it was: {}{more}",
        renewal.change,
        texts.join(", ")
    )
}

/// Formats the number of further questions.
pub(crate) fn more_waiting(question: &Question) -> String {
    match (question.waiting, question.queued) {
        (0, _) => String::new(),
        (waiting, 0) => format!(" · {waiting} more waiting"),
        (waiting, queued) => {
            format!(" · {waiting} more waiting, {queued} of them from {}", question.asker.agent)
        }
    }
}

/// Names the files that the agent can change until they run, or returns `None` if there are none.
pub(crate) fn changeable(question: &Question) -> Option<String> {
    let files: Vec<String> = question.changeable.iter().map(shown).collect();
    (!files.is_empty()).then(|| files.join(" and "))
}

/// Prints what the agent wants.
fn heading(question: &Question) -> Result<(), Failure> {
    print::line(format!("{}  {}", bold(&question.code), bold(&text(&question.headline))))
}

/// Returns where it would run: on this machine, in the agent's own shell, or by a tool of its own.
pub(crate) fn place(question: &Question) -> String {
    match (&question.tool, question.origin) {
        (Some(tool), _) => format!("by its tool {}", shown(tool)),
        (None, Origin::AgentShell) => "in its own shell".to_owned(),
        (None, Origin::Host | Origin::Tool) => match &question.host {
            Some(host) => format!("on {host}"),
            None => "on this machine".to_owned(),
        },
    }
}

fn field(name: &str, value: &str) -> Result<(), Failure> {
    print::line(format!("      {name:<16} {value}"))
}

fn steps(question: &Question) -> Result<(), Failure> {
    for (index, step) in question.steps.iter().enumerate() {
        field(&format!("step {}", index + 1), &self::step(step))?;
    }
    Ok(())
}

/// Returns a step of a shell line: its words, as the host escaped them; what becomes of it; why.
pub(crate) fn step(step: &ShownStep) -> String {
    format!("{}  [{}: {}]", step.text, mark(step.decision), text(&step.why))
}

/// Returns the decision on a step, in a word.
pub(crate) fn mark(decision: Decision) -> &'static str {
    match decision {
        Decision::Allow => "allowed",
        Decision::Ask => "asks",
        Decision::Deny => "denied",
    }
}

fn described(program: &ShownProgram) -> String {
    let mut line = shown(&program.path);
    if let Some(real) = &program.real_path {
        line = format!("{line} → {}", shown(real));
    }
    let signer = program.signer.as_ref().map(shown);
    let parts = [program.version.clone(), program.short_hash.clone(), signer];
    for part in parts.into_iter().flatten().chain(program.remarks.iter().map(|remark| text(remark))) {
        line = format!("{line} · {part}");
    }
    line
}

fn environment(question: &Question) -> Result<(), Failure> {
    if question.env.is_empty() {
        return field("environment", "no changes");
    }
    for change in &question.env {
        let (name, value) = (shown(&change.name), shown(&change.value));
        let was = change.was.as_ref().map_or_else(String::new, |was| format!("  (was {})", shown(was)));
        let line = match change.kind {
            EnvChangeKind::Added => format!("+ {name}={value}"),
            EnvChangeKind::Changed => format!("~ {name}={value}{was}"),
            EnvChangeKind::Refused => format!("refused: {name}"),
        };
        field("environment", &line)?;
    }
    Ok(())
}
