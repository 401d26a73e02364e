//! `postern history`, `show` and `kill`.

use super::agents::parse_agent_id;
use super::explain::named_rule;
use crate::failure::Failure;
use crate::history_args::History;
use crate::link::HostLink;
use crate::print::{self, emphasize};
use crate::stages::stage_label;
use postern_command::escape::visible_text as escaped;
use postern_contract::methods::{
    AgentRef, FeedAsk, FeedEvent, FeedKind, FeedTimes, FindOutput, GetAgent, GetRequest, KillRequest,
    ListRequests, NextEvents, OutputSearch, RequestAsk, RequestFilter, RequestKill, Requests,
};
use postern_contract::{RequestDetail, RequestRow, ShownSubject, render};
use postern_doors::fleet::HostPart;
use postern_policy::{AgentId, Millis};
use postern_protocol::Decided;
use serde::Serialize;
use std::path::Path;

pub(crate) fn list_requests(link: &mut HostLink, command: History) -> Result<(), Failure> {
    if command.watch {
        let (agent, since) = (agent_of(&command)?, command.since.map(print::time_before).transpose()?);
        return watch_feed(
            link,
            &command,
            FeedAsk { agent, since, secrets: command.secrets, ..FeedAsk::default() },
        );
    }
    let (json, full, agent) = (command.json.json, command.full, agent_of(&command)?);
    let empty = empty_words(&command);
    let requests = match command.output {
        Some(text) => {
            let search = OutputSearch { text, limit: Some(command.limit), secrets: command.secrets };
            link.call_method::<FindOutput>(&search)?.requests
        }
        None => link.call_method::<ListRequests>(&filter_of(command)?)?.requests,
    };
    if let Some(agent) = agent.filter(|_| requests.is_empty()) {
        // The history of an agent that was removed stays; one that never was has none.
        link.call_method::<GetAgent>(&AgentRef { agent })?;
    }
    if json { print::write_json(&requests) } else { show_requests(&requests, full, empty) }
}

/// Lists the requests of other Macs of the fleet.
pub(crate) fn list_elsewhere(data: &Path, command: History) -> Result<(), Failure> {
    let (host, json, full) = (command.host.clone().unwrap_or_default(), command.json.json, command.full);
    let empty = empty_words(&command);
    let show = |requests: &Vec<RequestRow>| show_requests(requests, full, empty);
    let parts = (|listed: Requests| listed.requests, show);
    let filter = filter_of(command)?;
    super::fleet::read_hosts::<ListRequests, _>(data, (&host, HostPart::History), &filter, json, parts)
}

/// Returns the words for an empty list.
fn empty_words(command: &History) -> &'static str {
    let asked = [&command.agent, &command.search, &command.output];
    let narrowed = asked.into_iter().any(Option::is_some)
        || command.state.is_some()
        || command.since.is_some()
        || command.effect.is_some();
    if narrowed { "no request matches" } else { "nothing yet" }
}

fn agent_of(command: &History) -> Result<Option<AgentId>, Failure> {
    command.agent.as_deref().map(parse_agent_id).transpose()
}

fn filter_of(command: History) -> Result<RequestFilter, Failure> {
    Ok(RequestFilter {
        agent: agent_of(&command)?,
        state: command.state,
        since: command.since.map(print::time_before).transpose()?,
        effect: command.effect.map(str::to_owned),
        search: command.search,
        before: None,
        limit: Some(command.limit),
        secrets: command.secrets,
        ..RequestFilter::default()
    })
}

/// Columns of the list; the command is last, so that a long one moves nothing else.
const HEADINGS: [&str; 6] = ["AT", "AGENT", "STATE", "BY", "REQUEST", "COMMAND"];
/// Number of the column of a request's id.
const REQUEST: usize = 4;
/// Number of the column of a command.
const COMMAND: usize = 5;

/// Lists requests, one per line of a terminal unless their commands are wanted in full.
fn show_requests(requests: &[RequestRow], full: bool, empty: &str) -> Result<(), Failure> {
    let ids: Vec<&str> = requests.iter().map(|request| request.id.as_str()).collect();
    let short = |request: &RequestRow| {
        let mut row = request_row(request);
        row[REQUEST] = print::short_id(&request.id, &ids);
        row
    };
    let mut rows: Vec<[String; 6]> = requests.iter().map(short).collect();
    cut_to_terminal(&mut rows, full);
    print::write_table(HEADINGS, rows, empty)
}

/// Cuts the commands to the width of the terminal, if there is one.
fn cut_to_terminal(rows: &mut [[String; 6]], full: bool) {
    if let Some(width) = print::terminal_width().filter(|_| !full) {
        print::cut_column(HEADINGS, rows, COMMAND, width);
    }
}

fn request_row(request: &RequestRow) -> [String; 6] {
    [
        print::format_time(request.at),
        request.agent.to_string(),
        render::state_words(request),
        render::decided_by(request).unwrap_or_default(),
        request.id.clone(),
        request.line.clone(),
    ]
}

/// Step as a line of JSON: the request's own members, and those of the step.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FeedLine<'a> {
    sequence: i64,
    event: FeedKind,
    event_at: Millis,
    #[serde(flatten)]
    request: Option<&'a RequestRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    times: Option<&'a FeedTimes>,
    #[serde(skip_serializing_if = "Option::is_none")]
    face: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    door: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    who: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
}

/// Time that one call waits for the next step, in milliseconds.
const WAIT: u64 = 20_000;

/// Tells every step as it comes, for as long as the host runs.
fn watch_feed(link: &mut HostLink, command: &History, mut from: FeedAsk) -> Result<(), Failure> {
    from.newest = Some(command.limit);
    from.after = command.after;
    from.wait_ms = Some(WAIT);
    link.whenever_it_runs(|link| {
        loop {
            let page = link.call_method::<NextEvents>(&from)?;
            for event in &page.events {
                if command.json.json { tell_json(event)? } else { print_event(event, command.full)? }
            }
            from.after = Some(page.after);
        }
    })
}

fn print_event(event: &FeedEvent, full: bool) -> Result<(), Failure> {
    if let Some(request) = &event.request {
        let mut row = [request_row(request)];
        cut_to_terminal(&mut row, full);
        return print::write_line(row.concat().join("  "));
    }
    let at = print::format_time(event.event_at);
    let [door, who, message] =
        [event.door.as_ref().or(event.face.as_ref()), event.who.as_ref(), event.message.as_ref()]
            .map(|word| word.map(String::as_str).unwrap_or_default());
    // An author without a name is called by the approver that it came through.
    let who = if who.starts_with(door) { who.to_owned() } else { format!("{door}: {who}") };
    print::say!("{at}  {who}: {message}")
}

fn tell_json(event: &FeedEvent) -> Result<(), Failure> {
    print::json_line(&FeedLine {
        sequence: event.sequence,
        event: event.event,
        event_at: event.event_at,
        request: event.request.as_ref(),
        times: event.times.as_ref(),
        face: event.face.as_deref(),
        door: event.door.as_deref(),
        who: event.who.as_deref(),
        message: event.message.as_deref(),
    })
}

pub(crate) fn show_request(
    link: &mut HostLink,
    id: String,
    secrets: bool,
    json: bool,
) -> Result<(), Failure> {
    let detail = link.call_method::<GetRequest>(&RequestAsk { id, secrets })?;
    if json { print::write_json(&detail) } else { print_detail(&detail) }
}

/// Returns what is said of a request, each with its label.
fn detail_fields(detail: &RequestDetail) -> Vec<(&'static str, String)> {
    let row = &detail.row;
    let mut fields = vec![
        ("request", row.id.clone()),
        ("agent", row.agent.to_string()),
        ("state", render::state_words(row)),
        ("in", escaped(&detail.cwd)),
    ];
    let session_label = if detail.session_kind.is_name() { "session" } else { "session id" };
    // A rule is named once, with its pattern.
    let by_rule = matches!(row.decided, Some(Decided::RuleAllowed | Decided::RuleDenied));
    let has_rule = by_rule && detail.rule.is_some();
    fields.extend(render::decided_by(row).filter(|_| !has_rule).map(|by| ("by", by)));
    fields.extend(row.session.as_deref().map(|session| (session_label, escaped(session))));
    // Why you were asked does not say why it was allowed, and a rule that allowed it says so by itself.
    let rule_allowed = has_rule && row.decided == Some(Decided::RuleAllowed);
    let says_why = row.decided != Some(Decided::YouAllowed) && !rule_allowed;
    let message = detail.message.clone().filter(|_| says_why);
    fields.extend(message.map(|message| ("why", message)));
    fields.extend(
        detail
            .rule
            .as_ref()
            .map(|rule| ("rule", format!("{}: {}", named_rule(rule), escaped(&rule.pattern)))),
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
    fields
}

fn print_detail(detail: &RequestDetail) -> Result<(), Failure> {
    print::write_line(emphasize(&detail.row.line))?;
    for (name, value) in detail_fields(detail) {
        print::say!("  {name:<12} {value}")?;
    }
    for (label, text) in detail.subject.iter().flat_map(ShownSubject::to_rows) {
        print::say!("  {label:<12} {}", postern_contract::pieces_to_text(&text))?;
    }
    for moment in &detail.timeline {
        print::say!("  {:<12} {}", print::format_time(moment.at), render::moment(&moment.what))?;
    }
    for line in &detail.trace {
        let label = stage_label(&line.stage);
        print::say!("  {label:<28} {}", postern_contract::pieces_to_text(&line.found))?;
    }
    for (name, text) in [("stdout", &detail.stdout), ("stderr", &detail.stderr)] {
        if let Some(text) = text.as_ref().filter(|text| !text.is_empty()) {
            print::say!("  {name}:")?;
            for line in text.lines() {
                print::say!("    {line}")?;
            }
        }
    }
    if detail.truncated {
        print::write_line("  (some output was left out)")?;
    }
    if detail.redacted { print::write_line("  (secrets are left out; --secrets shows them)") } else { Ok(()) }
}

pub(crate) fn kill_request(link: &mut HostLink, id: String, signal: Option<String>) -> Result<(), Failure> {
    let done = link.call_method::<KillRequest>(&RequestKill { id: id.clone(), signal })?;
    if done.applied {
        print::write_line("asked to end")
    } else {
        let line = link.call_method::<GetRequest>(&RequestAsk { id, secrets: false })?.row.line;
        Err(Failure::negative(format!("{line} isn’t running")))
    }
}
