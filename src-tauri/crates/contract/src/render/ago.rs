//! Time that has passed, in words.

use super::sentence::Sentence;
use postern_policy::Millis;

const MINUTE: Millis = 60_000;
const HOUR: Millis = 60 * MINUTE;
const DAY: Millis = 24 * HOUR;

/// Adds how long ago `at` is at `now`: `3 days ago`. A time still to come is now, because clocks are set.
pub(super) fn add_ago(sentence: Sentence, at: Millis, now: Millis) -> Sentence {
    let gone = now.saturating_sub(at);
    let (unit, one, many) = match gone {
        ..MINUTE => return sentence.literal("just now"),
        MINUTE..HOUR => (MINUTE, "a minute ago", " minutes ago"),
        HOUR..DAY => (HOUR, "an hour ago", " hours ago"),
        DAY.. => (DAY, "yesterday", " days ago"),
    };
    match gone / unit {
        1 => sentence.literal(one),
        count => sentence.number(count).literal(many),
    }
}

#[cfg(test)]
mod tests {
    use super::{DAY, HOUR, MINUTE, Sentence, add_ago};

    #[test]
    fn a_time_is_as_long_ago_as_people_say() {
        let now = 100 * DAY;
        for (gone, expected) in [
            (-HOUR, "just now"),
            (MINUTE - 1, "just now"),
            (MINUTE, "a minute ago"),
            (59 * MINUTE, "59 minutes ago"),
            (HOUR, "an hour ago"),
            (23 * HOUR, "23 hours ago"),
            (DAY, "yesterday"),
            (2 * DAY, "2 days ago"),
            (3 * DAY + 5 * HOUR, "3 days ago"),
        ] {
            assert_eq!(add_ago(Sentence::default(), now - gone, now).to_text(), expected);
        }
    }
}
