//! Examination of a fleet's broker for `postern doctor`: reachability, version, clock and rights of this Mac's members. Also
//! the account that its administrator sets up, if others run it.

use super::FleetError;
use super::connect::BrokerLink;
use super::entries::broker_clock;
use super::keep::{Folder, Membership};
use super::streams::streams;
use async_nats::jetstream::stream;
use postern_fleet::{Broker, FleetId, MAX_PAYLOAD, Member, MemberRole, Subjects};
use serde::Deserialize;
use std::fmt::Write as _;
use std::time::Duration;
use tokio::time::timeout;

/// Longest time for the broker to say something about itself.
const PATIENCE: Duration = Duration::from_secs(3);
/// Oldest server with what a fleet uses: `allow_direct`, and consumers that are created by name.
const NEEDED: [u64; 3] = [2, 9, 0];
/// Oldest server that can write an acknowledged message to the disk at once (`sync_interval: always`).
const DURABLE: [u64; 3] = [2, 10, 0];
/// Oldest servers of two lines in which a user of another account can't delete streams (CVE-2025-30215).
const SEPARATE: [[u64; 3]; 2] = [[2, 10, 27], [2, 11, 1]];
/// Difference of two clocks beyond which word of a roster may not count.
const SKEW: i64 = 2 * 60_000;

/// Fact about the broker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BrokerFact {
    /// Broker that a member reaches, and that answers.
    Reached {
        /// Address of the broker.
        server: String,
        /// Version of its server.
        version: String,
    },
    /// Broker that is not reached, or does not let the member in.
    Unreachable {
        /// Address of the broker.
        server: String,
        /// Reason, in words.
        problem: String,
    },
    /// Server that lacks what a fleet uses.
    TooOld(String),
    /// Server that may lose what it acknowledged in the two minutes before a power cut. All else works.
    NotDurable(String),
    /// Server of others in which users of other accounts can delete this fleet's streams.
    OtherAccounts(String),
    /// Server that takes only messages up to this many bytes.
    SmallMessages(usize),
    /// Clock that is so many milliseconds ahead of this Mac's.
    Clock(i64),
    /// Refusal of something that a member has to do, in the server's words.
    Forbidden(String),
}

/// The part of the server's answer about a stream that says what is wrong.
#[derive(Deserialize)]
struct StreamAnswer {
    error: Option<StreamError>,
}

#[derive(Deserialize)]
struct StreamError {
    description: String,
}

/// Examines the broker of this Mac's fleet, as each of its members here.
pub async fn examine_broker(folder: &Folder) -> Result<Vec<BrokerFact>, FleetError> {
    let (membership, pinned) = (folder.membership()?, folder.pinned()?);
    let mut facts = Vec::new();
    for own in &membership.members {
        let keys = folder.read_keys(&own.id)?;
        let server = membership.server.clone();
        match BrokerLink::open_as_member(folder, &membership, (&own.id, &keys.nkey)).await {
            Err(FleetError::Unreachable(problem)) => facts.push(BrokerFact::Unreachable { server, problem }),
            Err(error) => facts.push(BrokerFact::Unreachable { server, problem: error.to_string() }),
            Ok(link) => {
                facts.extend(facts_of_server(&link, server, folder.has_credentials()));
                if let Some(member) = pinned.roster.member(&own.id) {
                    facts.extend(rights(&link, &membership.fleet, member).await);
                }
            }
        }
    }
    // Both members of a Mac see the same server.
    let clock = |one: &BrokerFact| matches!(one, BrokerFact::Clock(_));
    let mut all: Vec<BrokerFact> = Vec::new();
    for fact in facts {
        let known = all.contains(&fact) || clock(&fact) && all.iter().any(clock);
        if !known {
            all.push(fact);
        }
    }
    Ok(all)
}

fn facts_of_server(link: &BrokerLink, server: String, is_shared: bool) -> Vec<BrokerFact> {
    let info = link.client.server_info();
    let mut facts = vec![BrokerFact::Reached { server, version: info.version.clone() }];
    facts.extend(facts_of_version(&info.version, is_shared));
    if info.max_payload < MAX_PAYLOAD {
        facts.push(BrokerFact::SmallMessages(info.max_payload));
    }
    facts
}

/// Returns what a version lacks. On a server of others (`is_shared`) there are other accounts.
fn facts_of_version(version: &str, is_shared: bool) -> Vec<BrokerFact> {
    let (text, version) = (version.to_owned(), numbers(version));
    let [older, newer] = SEPARATE;
    let separate = version >= newer || (older..[2, 11, 0]).contains(&version);
    if version < NEEDED {
        return vec![BrokerFact::TooOld(text)];
    }
    let durable = (version < DURABLE).then(|| BrokerFact::NotDurable(text.clone()));
    durable.into_iter().chain((is_shared && !separate).then_some(BrokerFact::OtherAccounts(text))).collect()
}

/// Reads a version; what cannot be read is the oldest.
fn numbers(version: &str) -> [u64; 3] {
    let plain = version.split(['-', '+']).next().unwrap_or_default();
    let mut parts = plain.split('.').map(|part| part.parse().unwrap_or(0));
    std::array::from_fn(|_| parts.next().unwrap_or(0))
}

/// Tries what a member has to be able to do, short of what would be kept.
async fn rights(link: &BrokerLink, fleet: &FleetId, member: &Member) -> Vec<BrokerFact> {
    let names = Subjects::for_fleet(fleet);
    let mut streams = vec![names.bucket_stream()];
    let mut subjects = vec![names.stored(">")];
    if member.has_role(MemberRole::Host) {
        subjects.extend([names.answers(&member.id), names.presence("*"), names.jobs(member.id.as_str())]);
    }
    if member.has_role(MemberRole::Approver) {
        streams.extend([names.question_stream(), names.audit_stream()]);
        subjects.push(names.host_presence("*"));
    }
    if member.has_role(MemberRole::Auditor) {
        streams.push(names.audit_row_stream());
    }
    let mut listening = Vec::new();
    for subject in subjects {
        listening.push(link.client.subscribe(subject).await);
    }
    // Nobody reads an empty one as presence.
    let places = [
        (MemberRole::Host, names.host_presence(member.id.as_str())),
        (MemberRole::Approver, names.presence(member.id.as_str())),
    ];
    for (_, subject) in places.into_iter().filter(|(role, _)| member.has_role(*role)) {
        drop(link.client.publish(subject, "".into()).await);
    }
    // Nobody has such a place in a stream: nothing is sent, and what is forbidden is said.
    for name in &streams {
        drop(link.client.publish(format!("$JS.API.CONSUMER.MSG.NEXT.{name}.none"), "".into()).await);
    }
    drop(timeout(PATIENCE, link.client.flush()).await);
    let mut facts = Vec::new();
    for name in streams {
        let asked = link.client.request(format!("$JS.API.STREAM.INFO.{name}"), "".into());
        match timeout(PATIENCE, asked).await {
            Ok(Ok(reply)) => facts.extend(fact_of_stream(&name, &reply.payload)),
            Ok(Err(_)) | Err(_) => facts.push(BrokerFact::Forbidden(format!("reading the stream {name}"))),
        }
    }
    facts.extend(clock(link, names.bucket_stream()).await);
    facts.extend(link.violations().into_iter().map(BrokerFact::Forbidden));
    facts
}

fn fact_of_stream(name: &str, answer: &[u8]) -> Option<BrokerFact> {
    let Ok(answer) = serde_json::from_slice::<StreamAnswer>(answer) else {
        return Some(BrokerFact::Forbidden(format!("reading the stream {name}")));
    };
    let error = answer.error?;
    Some(BrokerFact::Forbidden(format!("reading the stream {name}: {}", error.description)))
}

/// Compares the server's clock with this Mac's. Servers before 2.10 say the time only of what they make.
async fn clock(link: &BrokerLink, bucket: String) -> Option<BrokerFact> {
    let asked = timeout(PATIENCE, broker_clock(&link.client, bucket)).await;
    let ahead = asked.ok()?.ok()?.ahead;
    (ahead.abs() > SKEW).then_some(BrokerFact::Clock(ahead))
}

/// Returns what the administrator of a NATS that exists sets up for this fleet: streams, and the rights of its members.
pub fn account_setup(folder: &Folder) -> Result<String, FleetError> {
    let (Membership { fleet, .. }, pinned) = (folder.membership()?, folder.pinned()?);
    let (config, commands) = Broker::account_rights(&fleet, &pinned.roster);
    let streams = streams(&fleet, &pinned.roster);
    let bytes: i64 = streams.iter().map(|stream| stream.max_bytes).sum();
    let mut text = format!(
        "# An account of its own with JetStream: {} MiB of files, messages of {MAX_PAYLOAD} bytes.\n\
         # An owner's Mac makes these streams when it connects:\n",
        bytes >> 20,
    );
    for stream in streams {
        // Writing to a string cannot fail.
        _ = writeln!(text, "#   {}", described(&stream));
    }
    text.push_str("\n# Members, in a configuration with the public nkeys of their credentials:\nusers: [\n");
    text.push_str(&config);
    text.push_str("]\n\n# Or with nsc, in the account:\n");
    text.push_str(&commands);
    Ok(text)
}

fn described(stream: &stream::Config) -> String {
    let stream::Config { name, subjects, max_bytes, max_messages_per_subject, max_age, .. } = stream;
    let mut words = vec![format!("{name} on {}", subjects.join(", ")), format!("{} MiB", max_bytes >> 20)];
    if *max_messages_per_subject > 0 {
        words.push(format!("the newest {max_messages_per_subject} of each subject"));
    }
    if !max_age.is_zero() {
        words.push(format!("{} minutes", max_age.as_secs() / 60));
    }
    if stream.deny_delete {
        words.push("no deletion".to_owned());
    }
    words.join("; ")
}

#[cfg(test)]
mod tests {
    use super::BrokerFact::{NotDurable, OtherAccounts, TooOld};
    use super::facts_of_version;

    #[test]
    fn a_version_is_told_what_it_lacks() {
        let of = |version: &str, is_shared: bool| facts_of_version(version, is_shared);
        let text = |version: &str| version.to_owned();
        assert_eq!(of("2.8.4", true), [TooOld(text("2.8.4"))]);
        assert_eq!(of("none", false), [TooOld(text("none"))], "what cannot be read is the oldest");
        assert_eq!(of("2.9.10", false), [NotDurable(text("2.9.10"))], "as Debian 12 has it");
        assert_eq!(of("2.9.25", true), [NotDurable(text("2.9.25")), OtherAccounts(text("2.9.25"))]);
        assert_eq!(of("2.10.3-beta.1", true), [OtherAccounts(text("2.10.3-beta.1"))]);
        assert_eq!(of("2.11.0", true), [OtherAccounts(text("2.11.0"))]);
        for sound in ["2.10.27", "2.11.1", "2.15.0"] {
            assert_eq!(of(sound, true), []);
        }
        assert_eq!(of("2.10.3", false), [], "the account that Postern configures is the only one");
    }
}
