//! What denies everything whatever the rules say: a pause, records in doubt, the end of the host; or, for one agent, that a person
//! stopped it for a while.

use postern_policy::Millis;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Everything is denied for now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pause {
    /// Until then; `None` is until a person resumes.
    pub until: Option<Millis>,
}

/// Why everything is denied at the moment, of all agents.
#[derive(Debug, Default)]
pub struct Halt {
    pause: Option<Pause>,
    doubt: Option<String>,
    closing: bool,
}

/// Why a request of an agent is denied at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Halted {
    /// Everything of every agent is.
    Everything,
    /// A person stopped this agent, for so many milliseconds more.
    Agent {
        /// What is left of that.
        left_ms: u64,
    },
}

impl Halt {
    /// Returns what denies from the start: a pause that outlived a restart, and why the records are in doubt.
    pub fn new(pause: Option<Pause>, doubt: Option<String>) -> Self {
        Self { pause, doubt, closing: false }
    }

    /// Pauses, or changes the pause.
    pub fn pause(&mut self, pause: Pause) {
        self.pause = Some(pause);
    }

    /// A person lets requests through again: they have seen what the doubt was.
    pub fn resume(&mut self) {
        self.pause = None;
        self.doubt = None;
    }

    /// The host ends: nothing new begins.
    pub fn close(&mut self) {
        self.closing = true;
    }

    /// Ends a pause whose time is over. Returns whether there was one.
    pub fn end_if_over(&mut self, now: Millis) -> bool {
        self.pause.take_if(|pause| pause.until.is_some_and(|until| until <= now)).is_some()
    }

    /// Returns the pause.
    pub fn paused(&self) -> Option<Pause> {
        self.pause
    }

    /// Returns why the records are in doubt.
    pub fn doubt(&self) -> Option<&str> {
        self.doubt.as_deref()
    }

    /// Returns whether the host ends.
    pub fn is_closing(&self) -> bool {
        self.closing
    }

    /// Returns after how long the pause is over.
    pub fn ends_in(&self, now: Millis) -> Option<Duration> {
        let left = self.pause?.until?.saturating_sub(now);
        Some(Duration::from_millis(u64::try_from(left).unwrap_or(0)))
    }

    /// Returns whether everything is denied.
    pub fn is_on(&self) -> bool {
        self.pause.is_some() || self.doubt.is_some() || self.closing
    }

    /// Returns why a request of an agent is denied. `stopped` is until when a person stopped that agent.
    pub fn of_agent(&self, stopped: Option<Millis>, now: Millis) -> Option<Halted> {
        if self.is_on() {
            return Some(Halted::Everything);
        }
        let left = u64::try_from(stopped?.saturating_sub(now)).ok().filter(|left| *left > 0);
        left.map(|left_ms| Halted::Agent { left_ms })
    }
}

#[cfg(test)]
mod tests {
    use super::{Halt, Halted, Pause};
    use std::time::Duration;

    #[test]
    fn a_pause_denies_every_agent_until_its_time_is_over_or_a_person_resumes() {
        let mut halt = Halt::default();
        assert_eq!(halt.of_agent(None, 0), None);
        halt.pause(Pause { until: Some(1_000) });
        assert_eq!(halt.of_agent(None, 0), Some(Halted::Everything));
        assert_eq!(halt.ends_in(400), Some(Duration::from_millis(600)));
        assert_eq!(halt.ends_in(2_000), Some(Duration::ZERO), "it is late already");
        assert!(!halt.end_if_over(999));
        assert!(halt.end_if_over(1_000));
        assert!(!halt.end_if_over(1_000), "it has ended");
        assert_eq!(halt.of_agent(None, 1_000), None);
        halt.pause(Pause { until: None });
        assert!(!halt.end_if_over(i64::MAX) && halt.ends_in(0).is_none(), "only a person ends it");
        halt.resume();
        assert!(!halt.is_on());
    }

    #[test]
    fn records_in_doubt_deny_until_a_person_resumes_and_an_ending_host_for_good() {
        let mut halt = Halt::new(Some(Pause { until: Some(1) }), Some("the record was made anew".to_owned()));
        assert!(halt.end_if_over(2) && halt.is_on(), "the pause is over, the doubt is not");
        assert_eq!(halt.doubt(), Some("the record was made anew"));
        halt.resume();
        assert!(!halt.is_on() && halt.doubt().is_none());
        halt.close();
        halt.resume();
        assert!(halt.is_on() && halt.is_closing());
    }

    #[test]
    fn a_stopped_agent_is_denied_alone_and_hears_how_long() {
        let mut halt = Halt::default();
        assert_eq!(halt.of_agent(Some(10), 4), Some(Halted::Agent { left_ms: 6 }));
        assert_eq!(halt.of_agent(Some(10), 10), None, "its time is over");
        halt.pause(Pause { until: None });
        assert_eq!(halt.of_agent(Some(10), 4), Some(Halted::Everything));
    }
}
