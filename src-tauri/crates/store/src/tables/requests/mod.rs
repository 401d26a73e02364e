//! Requests: every one that ever came in, from the moment it did, and the key of at-most-once.

mod change;
mod decided;
mod filter;
mod key;
mod new;
mod packed;
mod row;

pub use change::{RequestChange, change, forget_body, intend, note_end_event};
pub use filter::Filter;
pub use key::{NewRequestOutcome, find_known, open_as, record_request};
pub use new::NewRequest;
pub(crate) use packed::pack_ended;
pub(crate) use row::{LINE, SUMMARY, summary};
pub use row::{RecordedProcess, StoredRequest, Summary, between, get_by_key, get_request, list_live, oldest};

/// The columns of a list come first, the long ones last: a list does not read over them.
///
/// `number` orders by arrival and is the key of lists and of the search index. The ended ones and the live ones have
/// indexes of their own: a change of a live one touches a small index only.
pub(crate) const SCHEMA: &str = include_str!("../schema/requests.sql");

/// Since format 4: the line as the agent asked it, where a person changed it. `line` is what the person made of it.
pub(crate) const EDITED: &str = "ALTER TABLE requests ADD COLUMN asked_line TEXT;";
/// Since format 5: what was looked up for a request. With it, it can be judged again by another policy, as things were.
pub(crate) const FACTS: &str = "ALTER TABLE requests ADD COLUMN facts TEXT;";
/// Since format 7: the number of the event that told its end.
pub(crate) const TOLD: &str = "ALTER TABLE requests ADD COLUMN told INTEGER;";

/// Column for the folder that a request would run in. Where it is empty, the plan names the folder.
pub(crate) const FOLDER: &str = "ALTER TABLE requests ADD COLUMN folder TEXT;";

/// Columns for the long parts of a request that has ended ([`packed`]), whose own columns are empty then, and for the rule that
/// denied it.
pub(crate) const PACKED: &str = "
ALTER TABLE requests ADD COLUMN packed BLOB;
ALTER TABLE requests ADD COLUMN denied_by INTEGER;
";

/// Column for the digest of the plan as bytes. In older rows it is text.
pub(crate) const DIGEST: &str = "ALTER TABLE requests ADD COLUMN plan_digest BLOB;";

/// Statements that remove the indexes of lists that the search index gives as well: each new request was put into both.
pub(crate) const FEWER_INDEXES: &str = "
DROP INDEX IF EXISTS requests_by_agent;
DROP INDEX IF EXISTS requests_ended;
";

/// Column for the actor that carries out a request.
///
/// Before, only commands of the host were kept; their feed is as it was. A request that is left to its agent
/// is reported once, when that is its end.
pub(crate) const ORIGIN: &str = include_str!("../schema/requests_origin.sql");

#[cfg(test)]
mod tests;
