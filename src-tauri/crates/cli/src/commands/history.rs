//! `postern history`, `show` and `kill`.

use super::agents::named;
use crate::args::History;
use crate::failure::Failure;
use crate::link::Link;
use crate::print::{self, bold};
use postern_command::escape::text as escaped;
use postern_contract::methods::{
    GetRequest, KillRequest, ListRequests, RequestFilter, RequestKill, RequestNumber, RequestsWatch,
    WatchRequests,
};
use postern_contract::{RequestDetail, RequestRow, Told};

pub(crate) fn list(link: &mut Link, command: History) -> Result<(), Failure> {
    let agent = command.agent.as_deref().map(named).transpose()?;
    if command.watch {
        return watch(link, agent, command.json.json);
    }
    let since = command.since.map(|ago| i64::try_from(ago.as_millis()).map_err(Failure::own)).transpose()?;
    let filter = RequestFilter {
        agent,
        state: command.state,
        since: since.map(|ago| jiff::Timestamp::now().as_millisecond().saturating_sub(ago)),
        search: command.search,
        before: None,
        limit: Some(command.limit),
        ..RequestFilter::default()
    };
    let requests = link.call::<ListRequests>(&filter)?.requests;
    if command.json.json {
        return print::json(&requests);
    }
    let headings = ["AT", "AGENT", "STATE", "COMMAND", "BY", "REQUEST"];
    print::table(headings, requests.iter().map(row).collect(), "nothing yet")
}

fn row(request: &RequestRow) -> [String; 6] {
    [
        print::time(request.at),
        request.agent.to_string(),
        state(request),
        request.line.clone(),
        request.by.clone().unwrap_or_default(),
        request.id.clone(),
    ]
}

fn state(request: &RequestRow) -> String {
    match (&request.ending, request.exit_code) {
        (_, Some(code)) => format!("{} {code}", request.state),
        (Some(ending), None) => format!("{} {ending}", request.state),
        (None, None) => request.state.clone(),
    }
}

fn watch(link: &mut Link, agent: Option<postern_policy::AgentId>, json: bool) -> Result<(), Failure> {
    let wanted = agent.clone();
    let tell = |request: &RequestRow| {
        if json { print::json_line(request) } else { print::line(row(request).join("  ")) }
    };
    let first = link.call::<WatchRequests>(&RequestsWatch { agent, limit: Some(20) })?.requests;
    for request in first.iter().rev() {
        tell(request)?;
    }
    loop {
        if let Told::RequestChanged(request) = link.next()?
            && wanted.as_ref().is_none_or(|agent| *agent == request.agent)
        {
            tell(&request)?;
        }
    }
}

pub(crate) fn show(link: &mut Link, id: String, json: bool) -> Result<(), Failure> {
    let detail = link.call::<GetRequest>(&RequestNumber { id })?;
    if json { print::json(&detail) } else { full(&detail) }
}

fn full(detail: &RequestDetail) -> Result<(), Failure> {
    let row = &detail.row;
    print::line(bold(&row.line))?;
    let mut fields = vec![
        ("request", row.id.clone()),
        ("agent", row.agent.to_string()),
        ("state", state(row)),
        ("in", escaped(&detail.cwd)),
    ];
    fields.extend(row.by.clone().map(|by| ("by", by)));
    fields.extend(row.session.as_deref().map(|session| ("session", escaped(session))));
    fields.extend(detail.message.clone().map(|message| ("why", message)));
    fields.extend(
        detail.rule.as_ref().map(|rule| ("rule", format!("{} ({})", escaped(&rule.pattern), rule.source))),
    );
    fields.extend(detail.feedback.as_deref().map(|words| ("feedback", escaped(words))));
    fields.extend(detail.says.as_deref().map(|words| ("agent says", escaped(words))));
    fields.extend(
        detail
            .env
            .iter()
            .map(|(name, value)| ("environment", format!("{}={}", escaped(name), escaped(value)))),
    );
    fields.extend(row.duration_ms.map(|millis| ("took", print::duration(millis))));
    fields.extend(detail.digest.clone().map(|digest| ("digest", digest)));
    for (name, value) in fields {
        print::line(format!("  {name:<12} {value}"))?;
    }
    for moment in &detail.timeline {
        print::line(format!("  {:<12} {}", print::time(moment.at), moment.what))?;
    }
    for line in &detail.trace {
        print::line(format!("  {:<28} {}", line.stage, line.found))?;
    }
    for (name, text) in [("stdout", &detail.stdout), ("stderr", &detail.stderr)] {
        if let Some(text) = text.as_ref().filter(|text| !text.is_empty()) {
            print::line(format!("  {name}:"))?;
            for line in text.lines() {
                print::line(format!("    {line}"))?;
            }
        }
    }
    if detail.truncated { print::line("  (some output was left out)") } else { Ok(()) }
}

pub(crate) fn kill(link: &mut Link, id: String, signal: Option<String>) -> Result<(), Failure> {
    let done = link.call::<KillRequest>(&RequestKill { id, signal })?;
    if done.applied { print::line("asked to end") } else { Err(Failure::no("it does not run (any more)")) }
}
