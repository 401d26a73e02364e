//! A rise in denials or questions after a policy came into force, which holds its next stage.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Requests since a policy came into force, below which nothing can be said.
const LEAST: u32 = 20;
/// Rise in a share, in requests of a hundred, that a policy allows if it names no other.
const USUAL: u8 = 10;

/// Counts of a host's requests in a time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VerdictCounts {
    /// All of them.
    pub judged: u32,
    pub denied: u32,
    /// Requests that a person was asked about.
    pub asked: u32,
}

/// The most that the shares of a hundred requests may rise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RiseLimits {
    /// Of denied ones.
    pub denials: u8,
    /// Of those that a person is asked about.
    pub questions: u8,
}

/// A share that rose too much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rise {
    /// Kind of requests: *denials* or *questions*.
    pub what: &'static str,
    /// Share of a hundred requests before the policy.
    pub before: u8,
    /// Share of a hundred requests since.
    pub since: u8,
}

impl RiseLimits {
    /// Reads the limits of a policy: `{"denials": 10, "questions": 10}`.
    pub fn read(limits: &Map<String, Value>) -> Result<Self, String> {
        let mut read = Self { denials: USUAL, questions: USUAL };
        for (name, value) in limits {
            let share =
                value.as_u64().and_then(|share| u8::try_from(share).ok()).filter(|share| *share <= 100);
            let share = share.ok_or_else(|| format!("limits.{name}: a number of requests of a hundred"))?;
            match name.as_str() {
                "denials" => read.denials = share,
                "questions" => read.questions = share,
                _ => return Err(format!("limits.{name}: only denials and questions are limited")),
            }
        }
        Ok(read)
    }
}

impl VerdictCounts {
    /// Returns the share that rose above its limit since another count, or `None`.
    pub fn risen_since(&self, before: &Self, most: RiseLimits) -> Option<Rise> {
        let of =
            |part: u32, all: u32| u8::try_from(100 * u64::from(part) / u64::from(all.max(1))).unwrap_or(100);
        let shares = [
            ("denials", most.denials, of(before.denied, before.judged), of(self.denied, self.judged)),
            ("questions", most.questions, of(before.asked, before.judged), of(self.asked, self.judged)),
        ];
        let known = self.judged >= LEAST;
        let mut risen =
            shares.into_iter().filter(|(_, most, before, since)| since.saturating_sub(*before) > *most);
        risen.next().filter(|_| known).map(|(what, _, before, since)| Rise { what, before, since })
    }
}
