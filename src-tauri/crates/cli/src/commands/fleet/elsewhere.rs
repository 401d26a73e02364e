//! Questions of other Macs: `postern questions`, `approve` and `deny` with `--host`.

use super::connected;
use crate::answer_args::{AlwaysChoice, Approve, Deny};
use crate::failure::Failure;
use crate::typed::require_approval;
use crate::{print, question};
use postern_command::escape::visible_text as escaped;
use postern_contract::{NotApplied, pieces_to_text};
use postern_doors::fleet::{AnswerReply, Elsewhere, FleetApprover, FleetChoice, FleetError, Folder, News};
use serde_json::json;
use std::collections::BTreeSet;
use std::path::Path;

/// Every host; otherwise a host's name or id, or a group.
const ALL: &str = "all";

/// Checks that a question is still the one with the digest that was named. Returns false if none was named.
fn check_digest(one: &Elsewhere, digest: Option<&str>) -> Result<bool, Failure> {
    match digest {
        Some(digest) if digest != one.question.digest => {
            Err(Failure::negative("the question changed since it was shown: look again"))
        }
        digest => Ok(digest.is_some()),
    }
}

/// Returns the names of a host, a group or all hosts, as questions have them.
pub(crate) fn names_of_hosts(data: &Path, named: &str) -> Result<BTreeSet<String>, Failure> {
    let pinned = Folder::from_data_folder(data).pinned()?;
    let hosts = postern_doors::fleet::hosts_named(&pinned, named);
    let names: BTreeSet<String> = hosts.map(|host| escaped(&host.name)).collect();
    if names.is_empty() && named != ALL {
        let named = escaped(named);
        return Err(Failure::refused(format!(
            "there is no host or group {named}; postern fleet groups shows those there are"
        )));
    }
    Ok(names)
}

/// Prints the questions of other Macs: those that wait, or each as it comes and goes.
pub(crate) fn questions(data: &Path, host: &str, follow: bool, json: bool) -> Result<(), Failure> {
    names_of_hosts(data, host)?;
    if follow { watch_questions(data, host, json) } else { list_questions(data, host, json) }
}

fn list_questions(data: &Path, host: &str, json: bool) -> Result<(), Failure> {
    let folder = Folder::from_data_folder(data);
    let waiting = connected(async { FleetApprover::connect(&folder).await?.waiting().await })?;
    let waiting: Vec<&Elsewhere> = waiting.iter().filter(|one| one.is_on(host)).collect();
    if json {
        let rows: Vec<_> = waiting
            .iter()
            .map(|one| json!({"host": one.host, "name": one.name, "question": one.question}))
            .collect();
        return print::write_json(&rows);
    }
    if waiting.is_empty() {
        return print::write_line("nothing waits");
    }
    for one in waiting {
        show_question(one)?;
        print::write_line("")?;
    }
    Ok(())
}

fn show_question(one: &Elsewhere) -> Result<(), Failure> {
    question::print_full(&one.question)
}

/// Prints each question of other Macs as it comes and goes. This Mac's person is present meanwhile.
fn watch_questions(data: &Path, host: &str, json: bool) -> Result<(), Failure> {
    let folder = Folder::from_data_folder(data);
    let mut unprinted = None;
    let done = connected(async {
        FleetApprover::connect(&folder)
            .await?
            .watch_questions(|news| {
                unprinted = print_news(&news, host, json).err();
                unprinted.is_none()
            })
            .await
    });
    unprinted.map_or(done, Err)
}

fn print_news(news: &News, host: &str, json: bool) -> Result<(), Failure> {
    if !news.is_on(host) {
        return Ok(());
    }
    match news {
        News::Waits(one) if json => {
            print::json_line(&json!({"event": "opened", "host": one.name, "question": one.question}))
        }
        News::Waits(one) => {
            show_question(one)?;
            let (code, name) = (&one.question.code, escaped(&one.name));
            print::say!("      answer it: postern approve {code} --host '{name}'")?;
            print::write_line("")
        }
        News::Closed { name, question, outcome, by, .. } if json => print::json_line(
            &json!({"event": "closed", "host": name, "id": question, "how": outcome, "by": by}),
        ),
        News::Closed { name, outcome, by, .. } => {
            let by = by.as_ref().map(|by| format!(" by {}", escaped(by))).unwrap_or_default();
            print::say!("{}: {}{by}", escaped(name), escaped(outcome))
        }
    }
}

/// Finds the question that a person means by its code or the beginning of its id; the only one if none is named.
fn find_question(waiting: Vec<Elsewhere>, host: &str, named: Option<&str>) -> Result<Elsewhere, Failure> {
    let is_it = |one: &Elsewhere| {
        named.is_none_or(|named| {
            one.question.code == named || named.len() >= 4 && one.question.id.starts_with(named)
        })
    };
    let mut found = waiting.into_iter().filter(|one| one.is_on(host) && is_it(one));
    match (found.next(), found.next()) {
        (None, _) => Err(Failure::negative("no such question waits there")),
        (Some(one), None) => Ok(one),
        (Some(_), Some(_)) => Err(Failure::usage_error("several wait: name one by its code and its host")),
    }
}

pub(crate) fn approve(data: &Path, command: &Approve) -> Result<(), Failure> {
    if command.all.is_some() || command.everyone || command.anywhere || command.lasts.is_some() {
        return Err(Failure::usage_error(
            "--all, --everyone, --anywhere and --for are answered on the computer itself",
        ));
    }
    let rule = command.always.map(AlwaysChoice::id).map(str::to_owned);
    let choice = if rule.is_some() { FleetChoice::Always } else { FleetChoice::Once };
    answer(
        data,
        command.host.as_deref(),
        command.question.as_deref(),
        |one| {
            if check_digest(one, command.digest.as_deref())? {
                return Ok(());
            }
            show_question(one)?;
            require_approval("let it run there")
        },
        (choice, rule, None),
    )
}

pub(crate) fn deny_question(data: &Path, command: &Deny) -> Result<(), Failure> {
    if command.always || command.everyone {
        return Err(Failure::usage_error("--always and --everyone are answered on the computer itself"));
    }
    let saw = |one: &Elsewhere| check_digest(one, command.digest.as_deref()).map(drop);
    answer(
        data,
        command.host.as_deref(),
        command.question.as_deref(),
        saw,
        (FleetChoice::Deny, None, command.feedback.clone()),
    )
}

fn answer(
    data: &Path,
    host: Option<&str>,
    named: Option<&str>,
    confirmed: impl FnOnce(&Elsewhere) -> Result<(), Failure>,
    (choice, rule, feedback): (FleetChoice, Option<String>, Option<String>),
) -> Result<(), Failure> {
    let folder = Folder::from_data_folder(data);
    names_of_hosts(data, host.unwrap_or(ALL))?;
    let told = connected(async {
        let approver = FleetApprover::connect(&folder).await?;
        let one = match find_question(approver.waiting().await?, host.unwrap_or(ALL), named) {
            Ok(one) => one,
            Err(failure) => return Ok(Err(failure)),
        };
        if let Err(failure) = confirmed(&one) {
            return Ok(Err(failure));
        }
        let told = approver.answer(&one, choice, rule, feedback).await?;
        Ok::<_, FleetError>(Ok((one.name, told)))
    })?;
    let (name, told) = told?;
    let name = escaped(&name);
    match told {
        AnswerReply::Applied(0) if choice == FleetChoice::Deny => {
            print::say!("{name}: denied")
        }
        AnswerReply::Applied(0) if choice == FleetChoice::Always => {
            print::say!("{name}: allowed, and remembered")
        }
        AnswerReply::Applied(0) => print::say!("{name}: allowed once"),
        AnswerReply::Applied(1) => print::say!("{name}: one more person has to approve it"),
        AnswerReply::Applied(more) => {
            print::say!("{name}: {more} more people have to approve it")
        }
        AnswerReply::Closed { how, by, place } => {
            let why = NotApplied::AnsweredElsewhere { how, by, place };
            let why = pieces_to_text(&postern_contract::render::not_applied(&why));
            Err(Failure::negative(format!("{name}: {why}")))
        }
        AnswerReply::Refused(reason) => {
            Err(Failure::negative(format!("{name}: not applied: {}", escaped(&reason))))
        }
        AnswerReply::Offline => Err(Failure::negative(format!("{name} is offline: nothing was sent"))),
        AnswerReply::NotConfirmed => {
            Err(Failure::negative(format!("{name}: not confirmed. Sending it again is safe")))
        }
    }
}
