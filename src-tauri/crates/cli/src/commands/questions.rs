//! `postern questions`, `approve` and `deny`.

use super::rules::lasting;
use crate::answer_args::{AlwaysChoice, Approve, Deny};
use crate::failure::Failure;
use crate::link::HostLink;
use crate::typed::require_approval;
use crate::{print, question};
use postern_contract::methods::{AnswerQuestion, AuditRow, GetQuestion, ListQuestions, Nothing, QuestionRef};
use postern_contract::{Answer, AnswerParams, Answered, ApproverNotification, ClosedBy, Question, Scope};
use serde::Serialize;

pub(crate) fn list_questions(link: &mut HostLink, json: bool) -> Result<(), Failure> {
    let questions = link.call_method::<ListQuestions>(&Nothing {})?.questions;
    if json {
        return print::write_json(&questions);
    }
    if questions.is_empty() {
        return print::write_line("nothing waits");
    }
    for one in &questions {
        question::print_full(one)?;
        print::write_line("")?;
    }
    Ok(())
}

/// Line of `questions --watch --json`.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case", tag = "event")]
enum WatchLine<'a> {
    /// First line of each connection: from here on everything is told.
    Watching,
    Opened {
        question: &'a Question,
    },
    Changed {
        question: &'a Question,
    },
    Closed {
        id: &'a str,
        code: &'a str,
        how: ClosedBy,
    },
    Widened {
        change: &'a AuditRow,
    },
    Attention {
        message: &'a str,
    },
}

/// Tells each question as it comes and goes, also after the host was restarted. The terminal is connected meanwhile.
pub(crate) fn watch_questions(link: &mut HostLink, json: bool) -> Result<(), Failure> {
    link.whenever_it_runs(|link| watch_once(link, json))
}

fn watch_once(link: &mut HostLink, json: bool) -> Result<(), Failure> {
    let waiting = link.watch_questions()?;
    print_change(&WatchLine::Watching, json)?;
    for question in &waiting {
        print_change(&WatchLine::Opened { question }, json)?;
    }
    loop {
        match &link.next_notification()? {
            // It opened while the list was on its way, and was in it.
            ApproverNotification::QuestionOpened(question)
                if waiting.iter().any(|told| told.id == question.id) => {}
            ApproverNotification::QuestionOpened(question) => {
                print_change(&WatchLine::Opened { question }, json)?;
            }
            ApproverNotification::QuestionChanged(question) => {
                print_change(&WatchLine::Changed { question }, json)?;
            }
            ApproverNotification::QuestionClosed(closed) => {
                print_change(
                    &WatchLine::Closed { id: &closed.id, code: &closed.code, how: closed.how },
                    json,
                )?;
            }
            ApproverNotification::PolicyWidened(change) => {
                print_change(&WatchLine::Widened { change }, json)?;
            }
            ApproverNotification::Attention(told) => {
                print_change(&WatchLine::Attention { message: &told.message }, json)?;
            }
            ApproverNotification::RequestChanged(_)
            | ApproverNotification::StatusChanged(_)
            | ApproverNotification::AgentsChanged
            | ApproverNotification::RulesChanged
            | ApproverNotification::SkillsChanged
            | ApproverNotification::ToolApprovalRequired(_)
            | ApproverNotification::ToolApprovalResolved(_) => {}
        }
    }
}

fn print_change(seen: &WatchLine<'_>, json: bool) -> Result<(), Failure> {
    if json {
        return print::json_line(seen);
    }
    match seen {
        WatchLine::Opened { question } => {
            question::print_full(question)?;
            print::say!("      answer it: postern approve {0} · postern deny {0}", question.code)?;
            print::write_line("")
        }
        WatchLine::Watching | WatchLine::Changed { .. } => Ok(()),
        WatchLine::Widened { change } => {
            print::say!("more may run now: {} ({})", change.summary, change.by.describe())
        }
        WatchLine::Attention { message } => print::write_line(message),
        WatchLine::Closed { code, how, .. } => {
            print::say!("{code} closed: {}", how.name())?;
            print::write_line("")
        }
    }
}

/// Returns the question that a person means: by its code, a beginning of its id, `last`, or the only one.
/// What waits no more is passed on as it was typed: the host says what became of it.
fn find_question(link: &mut HostLink, named: Option<&str>) -> Result<String, Failure> {
    let waiting = link.call_method::<ListQuestions>(&Nothing {})?.questions;
    let line = |one: &Question| format!("{}  {}: {}", one.code, one.asker.agent, one.line);
    let several = |why: &str, questions: &[&Question]| {
        let lines: Vec<String> = questions.iter().map(|one| format!("  {}", line(one))).collect();
        Err(Failure::usage_error(format!("{why}\n{}", lines.join("\n"))))
    };
    let chosen = match (named, waiting.as_slice()) {
        (None | Some("last"), []) => return Err(Failure::negative("nothing waits")),
        (None, [one]) | (Some("last"), [.., one]) => one,
        (None, all) => return several("several wait: name one by its code", &all.iter().collect::<Vec<_>>()),
        (Some(named), all) => {
            let begins = |one: &&Question| named.len() >= 4 && one.id.starts_with(named);
            let begun: Vec<&Question> = all.iter().filter(begins).collect();
            return match (all.iter().find(|one| one.is_named(named)), begun.as_slice()) {
                (Some(one), _) => Ok(one.id.clone()),
                (None, [one]) => Ok(one.id.clone()),
                (None, []) => Ok(named.to_owned()),
                (None, more) => several(&format!("{named} begins more than one: name its code"), more),
            };
        }
    };
    print::write_line(line(chosen))?;
    Ok(chosen.id.clone())
}

pub(crate) fn approve(link: &mut HostLink, command: &Approve) -> Result<(), Failure> {
    let (always, scope) = match (command.always, command.everyone) {
        (Some(AlwaysChoice::Renew), true) => (Some("renew-everyone"), Scope::Agent),
        (Some(always), true) => (Some(always.id()), Scope::Everyone),
        (Some(always), false) => (Some(always.id()), Scope::Agent),
        (None, _) => (None, Scope::Agent),
    };
    let named = find_question(link, command.question.as_deref())?;
    let (digest, seen) = match &command.digest {
        Some(digest) => (digest.clone(), None),
        None => confirm(link, &named, always, command)?,
    };
    let requests = match command.all {
        None => Vec::new(),
        Some(all) => all_of(link, &named, seen.as_ref(), all)?,
    };
    let said = if always.is_some() { Answer::Always } else { Answer::Once };
    let answered = link.call_method::<AnswerQuestion>(&AnswerParams {
        scope,
        proposal: always.map(str::to_owned),
        requests,
        // Said by a flag of its own, it is meant.
        anywhere: command.anywhere,
        broad: command.anywhere,
        lifetime: command.lasts.map(lasting).transpose()?,
        ..AnswerParams::new(named, digest, said)
    })?;
    // What is renewed lasts as long as it did.
    let done = match command.lasts.filter(|_| answered.renewed.is_none()) {
        _ if answered.saved.is_empty() => "allowed once".to_owned(),
        Some(lasts) => format!("allowed, and remembered for {lasts}"),
        None => "allowed, and remembered".to_owned(),
    };
    report_answer(&answered, &done)
}

/// Returns the requests that an approval covers, if their number is the one given.
fn all_of(
    link: &mut HostLink,
    question: &str,
    seen: Option<&Question>,
    all: usize,
) -> Result<Vec<String>, Failure> {
    let requests = match seen {
        Some(seen) => seen.requests.clone(),
        None => link.call_method::<GetQuestion>(&QuestionRef { question_id: question.to_owned() })?.requests,
    };
    if requests.len() == all {
        return Ok(requests);
    }
    let now = requests.len();
    Err(Failure::refused(format!(
        "{now} identical requests wait, not {all}: check the question again, then use --all {now}"
    )))
}

/// Shows the question in full and asks for an approval on the terminal.
fn confirm(
    link: &mut HostLink,
    id: &str,
    always: Option<&str>,
    command: &Approve,
) -> Result<(String, Option<Question>), Failure> {
    let seen = link.call_method::<GetQuestion>(&QuestionRef { question_id: id.to_owned() })?;
    question::print_full(&seen)?;
    let what = always.map(|wanted| what_is_saved(&seen, wanted, command)).transpose()?;
    require_approval(what.as_deref().unwrap_or("let it run"))?;
    Ok((seen.digest.clone(), Some(seen)))
}

/// Names the rule that an approval would save, and what options change of it; an error if it is not offered.
fn what_is_saved(question: &Question, wanted: &str, command: &Approve) -> Result<String, Failure> {
    if question.proposals.is_empty() {
        return Ok("let it run".to_owned());
    }
    if let Some(proposal) = question.proposals.iter().find(|proposal| proposal.id == wanted) {
        let mut what = format!("run it and save the rule \"{}\"", print::to_terminal_text(&proposal.label));
        // What is renewed stays as it is otherwise.
        if proposal.renews == 0 {
            what.push_str(if command.anywhere { ", but in every folder" } else { "" });
            what.push_str(if command.everyone { ", for every agent" } else { "" });
            what.extend(command.lasts.map(|lasts| format!(", for {lasts}")));
        }
        Ok(what)
    } else {
        let offered: Vec<_> = question.proposals.iter().map(|proposal| proposal.id.as_str()).collect();
        Err(Failure::refused(format!(
            "--always {wanted} is not offered for this question; offered: {}",
            offered.join(", ")
        )))
    }
}

pub(crate) fn deny_question(link: &mut HostLink, command: Deny) -> Result<(), Failure> {
    let named = find_question(link, command.question.as_deref())?;
    let digest = match command.digest {
        Some(digest) => digest,
        None => link.call_method::<GetQuestion>(&QuestionRef { question_id: named.clone() })?.digest,
    };
    let said = if command.always { Answer::DenyAlways } else { Answer::Deny };
    let answered = link.call_method::<AnswerQuestion>(&AnswerParams {
        scope: if command.everyone { Scope::Everyone } else { Scope::Agent },
        feedback: command.feedback,
        ..AnswerParams::new(named, digest, said)
    })?;
    report_answer(&answered, if command.always { "denied, and remembered" } else { "denied" })
}

fn report_answer(answered: &Answered, done: &str) -> Result<(), Failure> {
    if !answered.applied {
        let why = answered.reason.as_deref().unwrap_or("it was answered already");
        return Err(Failure::negative(format!("not applied: {why}")));
    }
    // It holds, and something that goes with it does not.
    if let Some(reason) = &answered.reason {
        return Err(Failure::negative(reason.clone()));
    }
    // An answer that saved nothing says that it allowed one run.
    if answered.not_saved.is_none() {
        print::write_line(done)?;
    }
    let numbered = answered.rules.len() == answered.saved.len();
    for (at, words) in answered.saved_words().into_iter().enumerate() {
        match answered.rules.get(at).filter(|_| numbered && answered.renewed.is_none()) {
            Some(rule) => print::say!("{words}  (postern rules remove {rule})")?,
            None => print::write_line(words)?,
        }
    }
    if let Some(renewed) = &answered.renewed {
        print::say!("  undo it: postern rules undo {}", renewed.entry)?;
    }
    if answered.also.is_empty() {
        return Ok(());
    }
    print::say!("the new rule also answered {}", answered.also.join(", "))
}

#[cfg(test)]
mod tests {
    use super::what_is_saved;
    use crate::args::{Cli, CliCommand};
    use crate::tui::tests::question;
    use clap::Parser as _;

    fn saved(options: &str) -> String {
        let line = format!("postern approve a1b2 --always exact{options}");
        let Cli { command: CliCommand::Approve(command), .. } = Cli::try_parse_from(line.split(' ')).unwrap()
        else {
            panic!("{line}");
        };
        what_is_saved(&question("git push", 2), "exact", &command).unwrap()
    }

    #[test]
    fn what_is_confirmed_names_what_options_change_of_the_rule() {
        let rule = "run it and save the rule \"this exact command\"";
        assert_eq!(saved(""), rule);
        let wider = format!("{rule}, but in every folder, for every agent, for 1h");
        assert_eq!(saved(" --anywhere --everyone --for 1h"), wider);
    }
}
