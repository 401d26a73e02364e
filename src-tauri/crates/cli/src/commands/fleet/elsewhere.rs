//! Questions of other Macs: `postern questions`, `approve` and `deny` with `--host`.

use super::connected;
use crate::args::{Always, Approve, Deny};
use crate::failure::Failure;
use crate::typed::{is_yes, typed};
use crate::{print, question};
use postern_command::escape::text as escaped;
use postern_doors::fleet::{AnswerReply, Approver, Choice, Elsewhere, FleetError, Folder, Id, News};
use serde_json::json;
use std::path::Path;

/// Every host; otherwise a host's name or id, or a group.
const ALL: &str = "all";

fn is_of(one: &Elsewhere, host: &str) -> bool {
    let groups = one.groups.iter().map(Id::as_str);
    host == ALL || groups.chain([one.name.as_str(), one.host.as_str()]).any(|name| name == host)
}

/// Prints the questions of other Macs: those that wait, or each as it comes and goes.
pub(crate) fn questions(data: &Path, host: &str, follow: bool, json: bool) -> Result<(), Failure> {
    if follow { watch(data, host, json) } else { list(data, host, json) }
}

fn list(data: &Path, host: &str, json: bool) -> Result<(), Failure> {
    let folder = Folder::of(data);
    let waiting = connected(async { Approver::connect(&folder).await?.waiting().await })?;
    let waiting: Vec<&Elsewhere> = waiting.iter().filter(|one| is_of(one, host)).collect();
    if json {
        let rows: Vec<_> = waiting
            .iter()
            .map(|one| json!({"host": one.host, "name": one.name, "question": one.question}))
            .collect();
        return print::json(&rows);
    }
    if waiting.is_empty() {
        return print::line("nothing waits");
    }
    for one in waiting {
        show(one)?;
        print::line("")?;
    }
    Ok(())
}

fn show(one: &Elsewhere) -> Result<(), Failure> {
    question::full(&one.question)
}

/// Prints each question of other Macs as it comes and goes. This Mac's person is present meanwhile.
fn watch(data: &Path, host: &str, json: bool) -> Result<(), Failure> {
    let folder = Folder::of(data);
    let mut unprinted = None;
    let done = connected(async {
        Approver::connect(&folder)
            .await?
            .watch(|news| {
                unprinted = tell(&news, host, json).err();
                unprinted.is_none()
            })
            .await
    });
    unprinted.map_or(done, Err)
}

fn tell(news: &News, host: &str, json: bool) -> Result<(), Failure> {
    match news {
        News::Waits(one) if !is_of(one, host) => Ok(()),
        News::Waits(one) if json => {
            print::json_line(&json!({"event": "opened", "host": one.name, "question": one.question}))
        }
        News::Waits(one) => {
            show(one)?;
            let (code, name) = (&one.question.code, escaped(&one.name));
            print::line(format!("      answer it: postern approve {code} --host '{name}'\n"))
        }
        News::Closed { host: name, .. } if host != ALL && name != host => Ok(()),
        News::Closed { host, question, outcome, by } if json => print::json_line(
            &json!({"event": "closed", "host": host, "id": question, "how": outcome, "by": by}),
        ),
        News::Closed { host, outcome, by, .. } => {
            let by = by.as_ref().map(|by| format!(" by {}", escaped(by))).unwrap_or_default();
            print::line(format!("{}: {}{by}", escaped(host), escaped(outcome)))
        }
    }
}

/// Finds the question that a person means by its code or the beginning of its id; the only one if none is named.
fn meant(waiting: Vec<Elsewhere>, host: &str, named: Option<&str>) -> Result<Elsewhere, Failure> {
    let is_it = |one: &Elsewhere| {
        named.is_none_or(|named| {
            one.question.code == named || named.len() >= 4 && one.question.id.starts_with(named)
        })
    };
    let mut found = waiting.into_iter().filter(|one| is_of(one, host) && is_it(one));
    match (found.next(), found.next()) {
        (None, _) => Err(Failure::no("no such question waits there")),
        (Some(one), None) => Ok(one),
        (Some(_), Some(_)) => Err(Failure::usage("several wait: name one by its code and its host")),
    }
}

pub(crate) fn approve(data: &Path, command: &Approve) -> Result<(), Failure> {
    if command.all.is_some() || command.everyone || command.anywhere || command.lasts.is_some() {
        return Err(Failure::usage("--all, --everyone, --anywhere and --for are answered on the Mac itself"));
    }
    let rule = command.always.map(Always::id).map(str::to_owned);
    let choice = if rule.is_some() { Choice::Always } else { Choice::Once };
    answer(
        data,
        command.host.as_deref(),
        command.question.as_deref(),
        |one| {
            if let Some(digest) = &command.digest {
                return if *digest == one.question.digest {
                    Ok(())
                } else {
                    Err(Failure::no("the question changed since it was shown: look again"))
                };
            }
            show(one)?;
            let otherwise =
                "no terminal to ask on: name what was seen with --digest, or run this in a terminal";
            if is_yes(&typed(
                "\nType yes to let it run there, anything else to leave it waiting:",
                otherwise,
            )?) {
                Ok(())
            } else {
                Err(Failure::no("not answered; it still waits"))
            }
        },
        (choice, rule, None),
    )
}

pub(crate) fn deny(data: &Path, command: &Deny) -> Result<(), Failure> {
    if command.always || command.everyone {
        return Err(Failure::usage("--always and --everyone are answered on the Mac itself"));
    }
    let saw = |one: &Elsewhere| match &command.digest {
        Some(digest) if *digest != one.question.digest => {
            Err(Failure::no("the question changed since it was shown: look again"))
        }
        Some(_) | None => Ok(()),
    };
    answer(
        data,
        command.host.as_deref(),
        command.question.as_deref(),
        saw,
        (Choice::Deny, None, command.feedback.clone()),
    )
}

fn answer(
    data: &Path,
    host: Option<&str>,
    named: Option<&str>,
    confirmed: impl FnOnce(&Elsewhere) -> Result<(), Failure>,
    (choice, rule, feedback): (Choice, Option<String>, Option<String>),
) -> Result<(), Failure> {
    let folder = Folder::of(data);
    let told = connected(async {
        let approver = Approver::connect(&folder).await?;
        let one = match meant(approver.waiting().await?, host.unwrap_or(ALL), named) {
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
        AnswerReply::Applied(0) if choice == Choice::Deny => print::line(format!("{name}: denied")),
        AnswerReply::Applied(0) if choice == Choice::Always => {
            print::line(format!("{name}: allowed, and remembered"))
        }
        AnswerReply::Applied(0) => print::line(format!("{name}: allowed once")),
        AnswerReply::Applied(1) => print::line(format!("{name}: one more person has to approve it")),
        AnswerReply::Applied(more) => print::line(format!("{name}: {more} more people have to approve it")),
        AnswerReply::Closed(by, place) => {
            let by = by.map(|by| format!(" by {}", escaped(&by))).unwrap_or_default();
            let place = place.map(|place| format!(" on {}", escaped(&place))).unwrap_or_default();
            Err(Failure::no(format!("{name}: closed already{by}{place}")))
        }
        AnswerReply::Refused(reason) => {
            Err(Failure::no(format!("{name}: not applied: {}", escaped(&reason))))
        }
        AnswerReply::Offline => Err(Failure::no(format!("{name} is offline: nothing was sent"))),
        AnswerReply::NotConfirmed => {
            Err(Failure::no(format!("{name}: not confirmed. Sending it again is safe")))
        }
    }
}
