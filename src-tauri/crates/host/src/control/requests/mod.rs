//! `requests.*`.

mod detail;

use super::{Handle, HostControl, MethodResult, rows};
use crate::ask::ApproverId;
use crate::gate::Killed;
use postern_command::CommandEffect;
use postern_contract::RequestRow;
use postern_contract::methods::{
    Applied, ControlError, FindOutput, GetRequest, KillRequest, ListRequests, OutputSearch, RequestAsk,
    RequestFilter, RequestKill, Requests, RequestsWatch, WatchRequests,
};
use postern_exec::run::Captured;
use postern_protocol::{OutputStream, Signal};
use postern_store::history;
use postern_store::outputs::{self, OutputExcerpt};
use postern_store::requests::{self, Filter, StoredRequest, Summary};
use std::collections::HashSet;
use uuid::Uuid;

/// Default number of requests of a page.
const PAGE: u32 = 100;
/// Number of requests of one beginning that are named.
const SEVERAL: u32 = 4;
const LONGEST_PAGE: u32 = 1000;

impl HostControl {
    async fn list_page(&self, filter: Filter, limit: u32, secrets: bool) -> Result<Requests, ControlError> {
        let found = self.read_record(move |conn| history::read_page(conn, &filter, limit)).await?;
        let requests = list_rows(&found.requests, secrets);
        Ok(Requests { requests, next: found.next.map(|next| next.to_string()) })
    }

    /// Returns the number that a person names: in full, by a beginning that no other has, or `last`, the
    /// newest.
    pub(super) async fn resolve_number(&self, id: &str) -> Result<Uuid, ControlError> {
        if let Ok(number) = Uuid::parse_str(id) {
            return Ok(number);
        }
        let digits = if id == "last" { String::new() } else { beginning(id).ok_or_else(|| missing(id))? };
        let end = |with: char| {
            let padded = digits.chars().chain(std::iter::repeat(with)).take(32).collect::<String>();
            Uuid::parse_str(&padded).map_err(|_| missing(id))
        };
        let (first, last) = (end('0')?, end('f')?);
        let found = self.read_record(move |conn| requests::between(conn, first, last, SEVERAL)).await?;
        match found.as_slice() {
            [] => Err(missing(id)),
            [one, ..] if id == "last" => Ok(*one),
            [one] => Ok(*one),
            several => {
                let names: Vec<String> = several.iter().map(Uuid::to_string).collect();
                // As short as they are told apart, up to a dash.
                let ends = [13, 18, 23, 36];
                let is_told = |end: &usize| {
                    let short: HashSet<&str> = names.iter().map(|name| &name[..*end]).collect();
                    short.len() == names.len()
                };
                let end = ends.into_iter().find(is_told).unwrap_or(36);
                let lines = names.iter().map(|name| &name[..end]).collect::<Vec<_>>().join("\n  ");
                let more = if names.len() == SEVERAL as usize { "\n  …" } else { "" };
                Err(ControlError::invalid(format!("{id:?} begins more than one request:\n  {lines}{more}")))
            }
        }
    }

    pub(super) async fn request(&self, id: &str) -> Result<StoredRequest, ControlError> {
        let number = self.resolve_number(id).await?;
        let found = self.read_record(move |conn| requests::get_request(conn, number)).await?;
        found.ok_or_else(|| missing(id))
    }
}

fn list_rows(found: &[Summary], secrets: bool) -> Vec<RequestRow> {
    let mut requests: Vec<RequestRow> = found.iter().map(rows::request).collect();
    if !secrets {
        for row in &mut requests {
            row.hide_secrets();
        }
    }
    requests
}

/// Returns the most requests to return, as asked for.
pub(super) fn check_limit(asked: Option<u32>, default: u32) -> Result<u32, ControlError> {
    let limit = asked.unwrap_or(default);
    let fits = (1..=LONGEST_PAGE).contains(&limit);
    fits.then_some(limit)
        .ok_or_else(|| ControlError::invalid(format!("limit is between 1 and {LONGEST_PAGE}")))
}

impl Handle<FindOutput> for HostControl {
    async fn handle(&self, _: ApproverId, params: OutputSearch) -> MethodResult<FindOutput> {
        let OutputSearch { text, limit, secrets } = params;
        let limit = usize::try_from(check_limit(limit, PAGE)?).unwrap_or(usize::MAX);
        let found = self.read_record(move |conn| outputs::find_in_output(conn, &text, limit)).await?;
        Ok(Requests { requests: list_rows(&found, secrets), next: None })
    }
}

impl Handle<ListRequests> for HostControl {
    async fn handle(&self, _: ApproverId, params: RequestFilter) -> MethodResult<ListRequests> {
        let limit = check_limit(params.limit, PAGE)?;
        let filter = Filter {
            agent: params.agent,
            phase: params.state,
            since: params.since,
            until: params.until,
            decided: params.decided,
            rule: params.rule,
            effect: params.effect.as_deref().map(effect_named).transpose()?,
            folder: params.folder,
            search: params.search,
            before: params.before.as_deref().map(number).transpose()?,
        };
        self.list_page(filter, limit, params.secrets).await
    }
}

pub(super) fn effect_named(name: &str) -> Result<&'static str, ControlError> {
    CommandEffect::kind_named(name).ok_or_else(|| {
        ControlError::invalid(format!(
            "there is no effect {name:?}; one of {}",
            CommandEffect::KINDS.join(", ")
        ))
    })
}

/// The connection listens to what changes before it comes here.
impl Handle<WatchRequests> for HostControl {
    async fn handle(&self, _: ApproverId, params: RequestsWatch) -> MethodResult<WatchRequests> {
        let limit = params.limit.unwrap_or(PAGE);
        if limit > LONGEST_PAGE {
            return Err(ControlError::invalid(format!("limit is between 0 and {LONGEST_PAGE}")));
        }
        self.list_page(Filter { agent: params.agent, ..Filter::default() }, limit, false).await
    }
}

impl Handle<GetRequest> for HostControl {
    async fn handle(&self, _: ApproverId, params: RequestAsk) -> MethodResult<GetRequest> {
        let id = self.resolve_number(&params.id).await?;
        // Before the record is read: what ended meanwhile is in it, with its output.
        let running = self.parts.gate.running(id).await?;
        let found = self
            .read_record(move |conn| {
                let Some(row) = requests::get_request(conn, id)? else { return Ok(None) };
                let output = |stream| outputs::get_output(conn, id, stream);
                Ok(Some((row, output(OutputStream::Stdout)?, output(OutputStream::Stderr)?)))
            })
            .await?;
        let (row, mut stdout, mut stderr) = found.ok_or_else(|| missing(&params.id))?;
        // What runs has not been written down yet.
        if let Some(running) = running.filter(|_| !row.summary.phase.has_ended()) {
            let so_far = |stream| {
                let Captured { head, tail, bytes } = running.output(stream);
                Some(OutputExcerpt { bytes, head, tail })
            };
            (stdout, stderr) = (so_far(OutputStream::Stdout), so_far(OutputStream::Stderr));
        }
        let mut detail =
            detail::detail(row, stdout.as_ref(), stderr.as_ref(), &self.parts.book.places().home);
        if !params.secrets {
            detail.hide_secrets();
        }
        if let Ok(doors) = self.door_slot().get() {
            detail.timeline.extend(doors.chat_moments(&detail.row).await);
            detail.timeline.sort_by_key(|moment| moment.at);
        }
        Ok(detail)
    }
}

impl Handle<KillRequest> for HostControl {
    async fn handle(&self, _: ApproverId, params: RequestKill) -> MethodResult<KillRequest> {
        let signal = signal(params.signal.as_deref())?;
        let id = self.resolve_number(&params.id).await?.to_string();
        let killed = self.parts.gate.kill_request(id, signal).await?;
        Ok(Applied { applied: matches!(killed, Killed::Stopping | Killed::Denied) })
    }
}

/// Returns the hex digits that an id begins with, at least four; `None` if the text is no such beginning.
fn beginning(id: &str) -> Option<String> {
    let digits: String = id.chars().filter(|c| *c != '-').collect();
    let fits = (4..32).contains(&digits.len()) && digits.chars().all(|c| c.is_ascii_hexdigit());
    fits.then(|| digits.to_ascii_lowercase())
}

/// Reads the number of a request.
pub(super) fn number(id: &str) -> Result<Uuid, ControlError> {
    Uuid::parse_str(id).map_err(|_| missing(id))
}

/// Signals that a person may send.
const SIGNALS: [&str; 9] = ["TERM", "KILL", "HUP", "INT", "QUIT", "USR1", "USR2", "CONT", "STOP"];

fn signal(name: Option<&str>) -> Result<Signal, ControlError> {
    let name = name.unwrap_or("TERM");
    let bare = name.strip_prefix("SIG").unwrap_or(name);
    let known = Signal::from_name(bare).filter(|_| SIGNALS.contains(&bare));
    known.ok_or_else(|| {
        ControlError::invalid(format!("signal is one of {}, not {name:?}", SIGNALS.join(", ")))
    })
}

fn missing(id: &str) -> ControlError {
    ControlError::not_found(if id == "last" {
        "there is no request yet".to_owned()
    } else {
        format!("there is no request {id:?}; postern history lists them")
    })
}
