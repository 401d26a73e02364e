//! The one clock of the record: what is written down is told in these milliseconds.

use postern_policy::Millis;

/// Now, in milliseconds since 1970.
pub fn now() -> Millis {
    jiff::Timestamp::now().as_millisecond()
}
