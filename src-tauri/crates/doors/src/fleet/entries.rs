//! Messages that a stream of the broker has: read to its end, or as they come. A member asks for so many at a time.
//!
//! The broker would send them by itself as well, and faster than they are read here: what a subscription does not hold is lost.
//! To begin again then, a member would have to delete places in streams, its own and those of others.

use super::FleetError;
use super::connect::{ask_for_stream, jet_stream};
use async_nats::Client;
use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::{AckPolicy, Consumer, DeliverPolicy, pull};
use futures_util::StreamExt as _;
use postern_fleet::{MAX_PAYLOAD, WallMillis};
use std::time::Duration;
use tokio::time::timeout;

/// Most messages that are asked for at a time, and most bytes: half as many again may be under way. A subscription holds 1,024,
/// and a server 64 MiB for a connection.
const MESSAGES: usize = 256;
const BYTES: usize = 16 << 20;
/// Longest time for which a broker keeps a place in a stream that nobody reads on from, and the same where news is awaited.
const UNREAD: Duration = Duration::from_secs(30);
const AWAITED: Duration = Duration::from_mins(5);
/// Milliseconds by which two clocks differ that are read one after the other.
pub(super) const JITTER: WallMillis = 1000;
/// Interval at which the broker says that nothing came.
const NOTHING_CAME: Duration = Duration::from_secs(15);

/// Reads what a stream has about a subject (empty: about all), in its order. Waits so long for each message.
pub(super) async fn read_to_end(
    client: &Client,
    about: (String, String),
    patience: Duration,
) -> Result<Vec<Message>, FleetError> {
    let mut all = Vec::new();
    read_each(client, about, patience, |message| all.push(message)).await?;
    Ok(all)
}

/// Hands over what a stream has about a subject, message by message: a long one is never held whole. Returns the broker's clock.
pub(super) async fn read_each(
    client: &Client,
    (stream, subject): (String, String),
    patience: Duration,
    each: impl FnMut(Message),
) -> Result<BrokerClock, FleetError> {
    let place = open_place(client, stream, place_from(DeliverPolicy::All, subject)).await?;
    let clock = BrokerClock::of_place(&place.0)?;
    read_all(place, patience, each).await?;
    Ok(clock)
}

/// Reads the newest message of each subject of a stream, without what it says.
pub(super) async fn read_newest_headers(
    client: &Client,
    (stream, subject): (String, String),
    patience: Duration,
) -> Result<Vec<Message>, FleetError> {
    let place = pull::Config { headers_only: true, ..place_from(DeliverPolicy::LastPerSubject, subject) };
    let mut all = Vec::new();
    read_all(open_place(client, stream, place).await?, patience, |message| all.push(message)).await?;
    Ok(all)
}

/// Returns what comes into a stream from now on, and the broker's clock.
pub(super) async fn follow_stream(
    client: &Client,
    stream: String,
) -> Result<(pull::Stream, BrokerClock), FleetError> {
    let place = pull::Config { inactive_threshold: AWAITED, ..place_from(DeliverPolicy::New, String::new()) };
    let (consumer, batch) = open_place(client, stream, place).await?;
    let clock = BrokerClock::of_place(&consumer)?;
    let coming = consumer.stream().max_messages_per_batch(batch).heartbeat(NOTHING_CAME).messages().await;
    Ok((coming.map_err(FleetError::broker)?, clock))
}

/// The broker's clock beside this Mac's, which may differ by hours.
#[derive(Debug, Clone, Copy)]
pub(super) struct BrokerClock {
    /// Milliseconds by which it is ahead of this Mac's.
    pub(super) ahead: WallMillis,
    /// Milliseconds by which this Mac's was put ahead by then, since Postern's start.
    put_ahead: WallMillis,
}

impl BrokerClock {
    /// Compares the time at which the broker says that it made a place in a stream.
    fn of_place(consumer: &Consumer<pull::Config>) -> Result<Self, FleetError> {
        let made = consumer.cached_info().created.unix_timestamp_nanos() / 1_000_000;
        let made = WallMillis::try_from(made).map_err(FleetError::broker)?;
        Ok(Self { ahead: made - super::wall_clock(), put_ahead: put_ahead() })
    }

    /// Returns a time of the broker's by this Mac's clock. The same time is the same until this Mac's clock is set.
    pub(super) fn local_time(self, at: WallMillis) -> WallMillis {
        let set_since = put_ahead() - self.put_ahead;
        let set_since = if set_since.abs() < JITTER { 0 } else { set_since };
        at.saturating_sub(self.ahead).saturating_add(set_since)
    }
}

fn put_ahead() -> WallMillis {
    super::wall_clock() - postern_host::lasting()
}

pub(super) async fn broker_clock(client: &Client, stream: String) -> Result<BrokerClock, FleetError> {
    let (consumer, _) = open_place(client, stream, place_from(DeliverPolicy::New, String::new())).await?;
    BrokerClock::of_place(&consumer)
}

/// Describes a place in a stream, which moves on as messages are read.
fn place_from(deliver_policy: DeliverPolicy, filter_subject: String) -> pull::Config {
    pull::Config {
        deliver_policy,
        filter_subject,
        ack_policy: AckPolicy::None,
        memory_storage: true,
        num_replicas: 1,
        inactive_threshold: UNREAD,
        ..pull::Config::default()
    }
}

/// Opens a place in a stream. Returns how many of its largest messages may be asked for at a time as well.
async fn open_place(
    client: &Client,
    stream: String,
    place: pull::Config,
) -> Result<(Consumer<pull::Config>, usize), FleetError> {
    let context = jet_stream(client);
    let stream = ask_for_stream(|| context.get_stream(&stream)).await?;
    let batch = batch_of(stream.cached_info().config.max_message_size);
    Ok((stream.create_consumer(place).await.map_err(FleetError::broker)?, batch))
}

fn batch_of(largest: i32) -> usize {
    // A stream without a limit takes what the broker takes.
    let largest = usize::try_from(largest).ok().filter(|bytes| (1..=MAX_PAYLOAD).contains(bytes));
    (BYTES / largest.unwrap_or(MAX_PAYLOAD)).clamp(1, MESSAGES)
}

/// Reads what is there now. Who adds more meanwhile keeps nobody reading.
async fn read_all(
    (consumer, batch): (Consumer<pull::Config>, usize),
    patience: Duration,
    mut each: impl FnMut(Message),
) -> Result<(), FleetError> {
    let mut left = consumer.cached_info().num_pending;
    let most = usize::try_from(left).unwrap_or(usize::MAX);
    if left == 0 {
        return Ok(());
    }
    let messages = consumer.stream().max_messages_per_batch(batch.min(most)).messages().await;
    let mut messages = messages.map_err(FleetError::broker)?;
    let mut read = 0;
    while left > 0 && read < most {
        let message = timeout(patience, messages.next()).await;
        let stopped = || FleetError::Unreachable(format!("it stopped sending with {left} messages left"));
        let message = message.ok().flatten().ok_or_else(stopped)?.map_err(FleetError::broker)?;
        left = message.info().map_err(FleetError::broker)?.pending;
        each(message);
        read += 1;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{BYTES, BrokerClock, JITTER, MESSAGES, batch_of, put_ahead};

    #[test]
    fn a_time_of_the_broker_is_the_same_here_until_this_clock_is_set() {
        let (hour, at) = (3_600_000, 10_000_000);
        let behind = BrokerClock { ahead: hour, put_ahead: put_ahead() };
        assert_eq!((behind.local_time(at), behind.local_time(at)), (at - hour, at - hour));
        let set = BrokerClock { ahead: hour, put_ahead: put_ahead() - hour };
        assert!((set.local_time(at) - at).abs() < JITTER, "it was put ahead to the broker's");
    }

    #[test]
    fn no_more_is_asked_for_than_a_connection_holds() {
        assert_eq!(batch_of(4 << 10), MESSAGES, "of small ones as many as a subscription holds");
        assert_eq!(batch_of(1 << 20), 16);
        for unlimited in [-1, 0, i32::MAX] {
            assert_eq!(batch_of(unlimited), 16, "as large as the broker takes them");
        }
        for largest in [1, 66_048, 1 << 20] {
            assert!(batch_of(largest) * usize::try_from(largest).unwrap() <= BYTES, "{largest}");
        }
    }
}
