//! `--host` of `postern history`, `agents list` and `rules list`: rows of other Macs, as far as their people let the fleet read.

use super::connected;
use crate::failure::Failure;
use crate::print;
use postern_command::escape::visible_text as escaped;
use postern_contract::methods::Method;
use postern_contract::{ODD_FROM_AFAR, value_from_afar};
use postern_doors::fleet::{Folder, HostPart, HostReply, Publisher, Reported, Work};
use serde::Serialize;
use std::path::Path;

/// Rows of one Mac, or the reason why there are none.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HostRows<T> {
    host: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

/// Reads rows of a host, a group or all hosts, and shows those of each by `show`. Fails if a host sent none.
pub(crate) fn read_hosts<M: Method, T: Serialize>(
    data: &Path,
    (named, what): (&str, HostPart),
    filter: &M::Params,
    json: bool,
    (rows_of, show): (impl Fn(M::Result) -> T, impl Fn(&T) -> Result<(), Failure>),
) -> Result<(), Failure> {
    let folder = Folder::from_data_folder(data);
    super::names_of_hosts(data, named)?;
    let filter = serde_json::to_value(filter).map_err(Failure::from_error)?;
    let work = Work::Read { what, filter };
    let replies = connected(async { Publisher::connect(&folder).await?.ask_all(named, &work).await })?;
    if replies.is_empty() {
        return Err(Failure::refused("no other host is in the fleet: postern fleet members"));
    }
    let hosts: Vec<HostRows<T>> =
        replies.into_iter().map(|(host, reply)| host_rows::<M, T>(&host, reply, &rows_of)).collect();
    let missing = hosts.iter().any(|host| host.rows.is_none());
    if json {
        print::write_json(&hosts)?;
    } else {
        for host in &hosts {
            let problem = host.problem.as_ref().map(|problem| format!(": {problem}")).unwrap_or_default();
            print::say!("{}{problem}", print::emphasize(&host.host))?;
            if let Some(rows) = &host.rows {
                show(rows)?;
            }
            print::write_line("")?;
        }
    }
    if missing { Err(Failure::negative("")) } else { Ok(()) }
}

fn host_rows<M: Method, T>(host: &str, reply: HostReply, rows_of: &impl Fn(M::Result) -> T) -> HostRows<T> {
    let (rows, problem) = match reply {
        HostReply::Did(Reported::Read(value)) => match value_from_afar::<M::Result>(value) {
            Some(rows) => (Some(rows_of(rows)), None),
            None => (None, Some(ODD_FROM_AFAR.to_owned())),
        },
        HostReply::Did(Reported::Refused(why)) => (None, Some(escaped(&why))),
        HostReply::Offline => (None, Some("offline".to_owned())),
        HostReply::Did(_) | HostReply::Silent => (None, Some("no answer".to_owned())),
    };
    HostRows { host: escaped(host), rows, problem }
}
