//! Reasons to deny everything regardless of rules: a pause, records in doubt, the end of the host.
//!
//! Or, for one agent, that a person stopped it for a while.

use postern_policy::Millis;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Everything is denied for now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActivePause {
    /// Until then; `None` is until a person resumes.
    pub until: Option<Millis>,
}

/// Reasons to deny everything at the moment, for all agents.
#[derive(Debug, Default)]
pub struct Halt {
    pause: Option<ActivePause>,
    doubt: bool,
    closing: bool,
}

/// Reason why a request of an agent is denied at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Halted {
    /// Everything of every agent is.
    Everything,
    /// A person stopped this agent, for so many milliseconds more.
    Agent { left_ms: u64 },
}

impl Halt {
    /// Returns what denies from the start: a pause that outlived a restart, and the doubt about the record.
    pub fn new(pause: Option<ActivePause>, doubt: bool) -> Self {
        Self { pause, doubt, closing: false }
    }

    /// Notes that the record cannot be trusted, or can be again. Returns true if that is new.
    pub fn set_doubt(&mut self, doubt: bool) -> bool {
        std::mem::replace(&mut self.doubt, doubt) != doubt
    }

    /// Pauses, or changes the pause.
    pub fn set_pause(&mut self, pause: ActivePause) {
        self.pause = Some(pause);
    }

    /// Pauses, or makes the pause longer. One that lasts longer stays.
    pub fn lengthen_pause(&mut self, pause: ActivePause) {
        let end = |pause: ActivePause| pause.until.unwrap_or(Millis::MAX);
        if self.pause.is_none_or(|now| end(now) < end(pause)) {
            self.pause = Some(pause);
        }
    }

    /// Ends the doubt: a person has seen it and lets requests through again.
    pub fn resume(&mut self) {
        self.pause = None;
        self.doubt = false;
    }

    /// Closes the gate as the host ends: nothing new begins.
    pub fn begin_closing(&mut self) {
        self.closing = true;
    }

    /// Ends a pause whose time is over. Returns whether there was one.
    pub fn end_if_over(&mut self, now: Millis) -> bool {
        self.pause.take_if(|pause| pause.until.is_some_and(|until| until <= now)).is_some()
    }

    /// Returns the pause.
    pub fn paused(&self) -> Option<ActivePause> {
        self.pause
    }

    /// Returns whether the record is in doubt.
    pub fn is_in_doubt(&self) -> bool {
        self.doubt
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
        self.pause.is_some() || self.doubt || self.closing
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
    use super::{ActivePause, Halt, Halted};
    use std::time::Duration;

    #[test]
    fn a_pause_denies_every_agent_until_its_time_is_over_or_a_person_resumes() {
        let mut halt = Halt::default();
        assert_eq!(halt.of_agent(None, 0), None);
        halt.set_pause(ActivePause { until: Some(1_000) });
        assert_eq!(halt.of_agent(None, 0), Some(Halted::Everything));
        assert_eq!(halt.ends_in(400), Some(Duration::from_millis(600)));
        assert_eq!(halt.ends_in(2_000), Some(Duration::ZERO), "it is late already");
        assert!(!halt.end_if_over(999));
        assert!(halt.end_if_over(1_000));
        assert!(!halt.end_if_over(1_000), "it has ended");
        assert_eq!(halt.of_agent(None, 1_000), None);
        halt.set_pause(ActivePause { until: None });
        assert!(!halt.end_if_over(i64::MAX) && halt.ends_in(0).is_none(), "only a person ends it");
        halt.resume();
        assert!(!halt.is_on());
    }

    #[test]
    fn from_afar_a_pause_only_becomes_longer() {
        let mut halt = Halt::default();
        for (asked, lasts) in
            [(Some(5), Some(5)), (Some(9), Some(9)), (Some(7), Some(9)), (None, None), (Some(9), None)]
        {
            halt.lengthen_pause(ActivePause { until: asked });
            assert_eq!(halt.paused(), Some(ActivePause { until: lasts }), "{asked:?}");
        }
    }

    #[test]
    fn records_in_doubt_deny_until_a_person_resumes_and_an_ending_host_for_good() {
        let mut halt = Halt::new(Some(ActivePause { until: Some(1) }), true);
        assert!(halt.end_if_over(2) && halt.is_on(), "the pause is over, the doubt is not");
        halt.resume();
        assert!(!halt.is_on() && !halt.is_in_doubt());
        assert!(halt.set_doubt(true) && !halt.set_doubt(true), "it is new once");
        assert!(halt.is_on());
        halt.begin_closing();
        halt.resume();
        assert!(halt.is_on() && halt.is_closing());
    }

    #[test]
    fn a_stopped_agent_is_denied_alone_and_hears_how_long() {
        let mut halt = Halt::default();
        assert_eq!(halt.of_agent(Some(10), 4), Some(Halted::Agent { left_ms: 6 }));
        assert_eq!(halt.of_agent(Some(10), 10), None, "its time is over");
        halt.set_pause(ActivePause { until: None });
        assert_eq!(halt.of_agent(Some(10), 4), Some(Halted::Everything));
    }
}
