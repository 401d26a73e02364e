//! A question as a terminal shows it: everything that the window shows, top to bottom.

use crate::command_lines::CommandLines;
use crate::failure::Failure;
use crate::print::{self, emphasize, to_terminal_text};
use postern_command::quote_word;
use postern_contract::{
    EnvChangeKind, Proposal, Question, Renewal, ShownProgram, ShownStep, ShownSubject, THIS_COMPUTER,
    pieces_to_text,
};
use postern_policy::{Decision, Origin, RiskLevel};

/// Space in front of all that stands below the headline of a question.
const BESIDE: &str = "      ";
/// Columns of a label.
const LABEL: usize = 16;

/// Returns the words about the session, if it has a name. Its agent chose the name: in quotes it is no sentence of Postern.
pub(crate) fn session_words(question: &Question) -> Option<String> {
    let session = question.asker.session_name()?;
    Some(format!(" · session {}", quote_word(&to_terminal_text(session))))
}

#[expect(clippy::too_many_lines, reason = "one part after another, each once")]
pub(crate) fn print_full(question: &Question) -> Result<(), Failure> {
    let asker = &question.asker;
    heading(question)?;
    let session = session_words(question).unwrap_or_default();
    print::write_hanging(&format!("{BESIDE}{}{session}", origin_words(question)), BESIDE.len())?;
    print::write_line("")?;
    if question.subject == ShownSubject::Command {
        print_command(question)?;
    }
    for (label, text) in question.subject.to_rows() {
        print_field(&label, &emphasize(&to_terminal_text(&text)))?;
    }
    let asked = question.requests.len();
    if asked > 1 {
        let all =
            format!("asked {asked} times: an approval allows the first only, --all {asked} all of them");
        print::write_hanging(&format!("{BESIDE}{}", emphasize(&all)), BESIDE.len())?;
    }
    if let Some(argv) = question.argv.as_ref().filter(|argv| argv.len() > 6) {
        for (index, word) in argv.iter().enumerate() {
            print_field(&format!("[{index}]"), &to_terminal_text(word))?;
        }
    }
    print::write_line("")?;
    if question.risk.level == RiskLevel::Dangerous {
        for sentence in &question.danger {
            print_field("DANGEROUS", &pieces_to_text(sentence))?;
        }
    }
    let level = match question.risk.level {
        RiskLevel::Safe => "Reads only",
        RiskLevel::NeedsReview => "Needs review",
        RiskLevel::Dangerous if question.danger.is_empty() => "DANGEROUS",
        RiskLevel::Dangerous => "asks",
    };
    print_field(level, &pieces_to_text(&question.why))?;
    for reason in &question.risk.reasons {
        print_field("effect", &pieces_to_text(reason))?;
    }
    if question.shell {
        print_steps(question)?;
    }
    for program in &question.programs {
        print_field("runs", &described(program))?;
        if let Some(script) = &program.script {
            let said = script.news().unwrap_or("as it was allowed before");
            let path = to_terminal_text(&script.path);
            print_field("script", &format!("{path} · {} · {said}", script.short_hash()))?;
            for line in script.preview.iter().filter(|_| script.is_unknown()) {
                print_field("", &format!("| {}", to_terminal_text(line)))?;
            }
            if script.more && script.is_unknown() {
                print_field("", "| …")?;
            }
        }
    }
    if let Some(files) = changeable(question) {
        let words = format!("the agent can change {files}, or what is found in its place, until it runs");
        print_field("may change", &words)?;
    }
    if !question.cwd.is_empty() {
        let mut place = to_terminal_text(&question.cwd);
        for (label, text) in [(" on branch ", &question.branch), (" of ", &question.repository)] {
            if let Some(text) = text.as_ref().filter(|text| !text.is_empty()) {
                place += label;
                place += &to_terminal_text(text);
            }
        }
        print_field("in", &place)?;
    }
    if !question.confinement.is_empty() {
        print_field("rights", &pieces_to_text(&question.confinement))?;
    }
    environment(question)?;
    if let Some(stdin) = &question.stdin {
        print_field("stdin", &stdin.describe())?;
        for line in stdin.text_lines() {
            print_field("", &format!("| {}", to_terminal_text(line)))?;
        }
    }
    if let Some(says) = &asker.says {
        print_field("agent says", &format!("“{}”", to_terminal_text(says)))?;
    }
    if let Some(id) = asker.session_id() {
        print_field("session", &to_terminal_text(id))?;
    }
    print_field("policy", &pieces_to_text(&question.policy))?;
    if let Some(rule) = &question.rule {
        print_field(
            "rule",
            &format!("{} ({})", postern_command::escape::visible_text(&rule.pattern), rule.source),
        )?;
    }
    for renewal in &question.renews {
        print_field("changed", &renewed(renewal))?;
    }
    for proposal in &question.proposals {
        let seen = proposal.would_match.filter(|(_, of)| *of > 0).map_or_else(String::new, |(hits, of)| {
            format!(" · would have matched {hits} of the last {of} requests")
        });
        print_field(&always_option(proposal), &format!("{}{seen}", to_terminal_text(&proposal.label)))?;
    }
    if let Some(why) = question.unsaved_words() {
        print_field("--always", &format!("saves nothing, and is one run: {why}"))?;
    }
    let more = more_waiting(question, question.waiting);
    print_field(
        "expires",
        &format!("{} in {}{more}", pieces_to_text(&question.at_zero), print::time_until(question.expires_at)),
    )?;
    print_field("digest", &question.digest)
}

/// Returns the words that choose an offer on the command line.
fn always_option(proposal: &Proposal) -> String {
    match proposal.id.as_str() {
        "renew-everyone" => "--always renew --everyone".to_owned(),
        id => format!("--always {id}"),
    }
}

/// Returns a program that changed, and the rules that were given for it as it was.
pub(crate) fn renewed(renewal: &Renewal) -> String {
    let texts: Vec<&str> = renewal.rules.iter().map(|rule| rule.text.as_str()).collect();
    let program = to_terminal_text(&renewal.program);
    let rules = print::counted(renewal.count, "rule was", "rules were");
    let more = if texts.len() < renewal.count as usize { ", …" } else { "" };
    format!("{program} ({}); {rules} given for it as it was: {}{more}", renewal.change, texts.join(", "))
}

/// Formats the number of further questions.
pub(crate) fn more_waiting(question: &Question, others: u32) -> String {
    match (others, question.queued.min(others)) {
        (0, _) => String::new(),
        (waiting, 0) => format!(" · {waiting} more waiting"),
        (waiting, queued) => {
            format!(" · {waiting} more waiting, {queued} of them from {}", question.asker.agent)
        }
    }
}

/// Names the files that the agent can change until they run, or returns `None` if there are none.
pub(crate) fn changeable(question: &Question) -> Option<String> {
    let files: Vec<String> = question.changeable.iter().map(to_terminal_text).collect();
    (!files.is_empty()).then(|| files.join(" and "))
}

/// Prints what the agent wants.
fn heading(question: &Question) -> Result<(), Failure> {
    let (code, headline) = (emphasize(&question.code), emphasize(&pieces_to_text(&question.headline)));
    print::write_hanging(&format!("{code}  {headline}"), BESIDE.len())
}

/// Returns where it would run: on this computer, in the agent's own shell, or by a tool of its own.
pub(crate) fn origin_words(question: &Question) -> String {
    match (&question.tool, question.origin) {
        (Some(tool), _) => format!("by its tool {}", to_terminal_text(tool)),
        (None, Origin::AgentShell) => "in its own shell".to_owned(),
        (None, Origin::Host | Origin::Tool) => match &question.host {
            Some(host) => format!("on {host}"),
            None => format!("on {THIS_COMPUTER}"),
        },
    }
}

/// Prints the command: shell text of several lines as lines, each behind the mark of its step, and none left out.
fn print_command(question: &Question) -> Result<(), Failure> {
    let all = CommandLines::from_question(question);
    if !all.rows.iter().any(|row| row.lines.iter().any(|line| line.ends)) {
        return print::write_hanging(&format!("{BESIDE}{}", emphasize(&question.line)), BESIDE.len() + 2);
    }
    for row in &all.rows {
        for (nth, line) in row.lines.iter().enumerate() {
            let mark = row.marked.filter(|_| nth == 0).map_or(" ", mark_of);
            let text = format!("{BESIDE}{mark} {}", emphasize(&line.to_text()));
            print::write_hanging(&text, BESIDE.len() + 4)?;
        }
    }
    Ok(())
}

pub(crate) fn mark_of(step: &ShownStep) -> &'static str {
    match (step.decision, step.dangerous) {
        (Decision::Deny, _) => "✕",
        (_, true) => "■",
        (Decision::Ask, false) => "●",
        (Decision::Allow, false) => "✓",
    }
}

fn print_field(name: &str, value: &str) -> Result<(), Failure> {
    print::write_hanging(&format!("{BESIDE}{name:<LABEL$} {value}"), BESIDE.len() + LABEL + 1)
}

fn print_steps(question: &Question) -> Result<(), Failure> {
    let asking = question.steps.iter().filter(|step| step.decision == Decision::Ask).count();
    for (index, step) in question.steps.iter().enumerate() {
        // Why the question is asked stands above.
        let why = step.decision != Decision::Ask || asking > 1;
        print_field(&format!("step {}", index + 1), &step_line(step, why))?;
    }
    Ok(())
}

/// Returns a step of a shell line: its words, as the host escaped them; what becomes of it; why.
fn step_line(step: &ShownStep, with_why: bool) -> String {
    let why = if with_why { format!(": {}", pieces_to_text(&step.why)) } else { String::new() };
    format!("{}  [{}{why}]", step.text, decision_mark(step.decision))
}

/// Returns the decision on a step, in a word.
pub(crate) fn decision_mark(decision: Decision) -> &'static str {
    match decision {
        Decision::Allow => "allowed",
        Decision::Ask => "asks",
        Decision::Deny => "denied",
    }
}

fn described(program: &ShownProgram) -> String {
    let mut line = to_terminal_text(&program.path);
    if let Some(real) = &program.real_path {
        line = format!("{line} → {}", to_terminal_text(real));
    }
    let signer = program.signer.as_ref().map(to_terminal_text);
    let parts = [program.version.clone(), program.short_hash.clone(), signer];
    for part in parts.into_iter().flatten().chain(program.remarks.iter().map(|remark| pieces_to_text(remark)))
    {
        line = format!("{line} · {part}");
    }
    line
}

fn environment(question: &Question) -> Result<(), Failure> {
    for change in &question.env {
        let (name, value) = (to_terminal_text(&change.name), to_terminal_text(&change.value));
        let was =
            change.was.as_ref().map_or_else(String::new, |was| format!("  (was {})", to_terminal_text(was)));
        let line = match change.kind {
            EnvChangeKind::Added => format!("+ {name}={value}"),
            EnvChangeKind::Changed => format!("~ {name}={value}{was}"),
            EnvChangeKind::Refused => format!("refused: {name}"),
        };
        print_field("environment", &line)?;
    }
    Ok(())
}
