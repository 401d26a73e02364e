//! Open sessions of an agent.
//!
//! While one is being opened or closed nothing is judged in it: its layers of rules are not in force yet, or
//! not gone yet.

use std::collections::HashMap;

/// Stage of opening a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Openness {
    /// Opening or closing is under way.
    Changing {
        /// Stage to return to if that fails.
        before: Option<SettledSession>,
    },
    Settled(SettledSession),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SettledSession {
    Open,
    /// Open when the last host ended, and open again. The agent may not know that, and open it once more.
    Kept,
}

/// The sessions of one agent.
#[derive(Debug, Default)]
pub struct AgentSessions(HashMap<String, Openness>);

/// Reason why a session is not opened or closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotSo {
    /// The one that it is to stand under is not open.
    NoParent,
    /// Open already, or about to be.
    OpenAlready,
    /// There is no such session, or it is on its way.
    NotOpen,
}

impl AgentSessions {
    /// Returns the sessions that were open when the last host ended.
    pub fn restore(open: impl IntoIterator<Item = String>) -> Self {
        let kept = Openness::Settled(SettledSession::Kept);
        Self(open.into_iter().map(|session| (session, kept)).collect())
    }

    /// Begins to open a session.
    pub fn begin_open(&mut self, session: &str, parent: Option<&str>) -> Result<(), NotSo> {
        if parent.is_some_and(|parent| !self.is_open(parent)) {
            return Err(NotSo::NoParent);
        }
        let before = match self.0.get(session) {
            Some(Openness::Changing { .. } | Openness::Settled(SettledSession::Open)) => {
                return Err(NotSo::OpenAlready);
            }
            Some(Openness::Settled(SettledSession::Kept)) => Some(SettledSession::Kept),
            None => None,
        };
        self.0.insert(session.to_owned(), Openness::Changing { before });
        Ok(())
    }

    /// Begins to close a session that is not on its way. One that is not known may have layers all the same.
    pub fn begin_close(&mut self, session: &str) -> Result<(), NotSo> {
        if self.is_changing(session) {
            return Err(NotSo::NotOpen);
        }
        // Where it cannot be closed its layers still hold, and it can be closed again.
        let before = Some(SettledSession::Kept);
        self.0.insert(session.to_owned(), Openness::Changing { before });
        Ok(())
    }

    /// Notes that a session is open now, or closed; with `done` false it is as it was before.
    pub fn changed(&mut self, session: &str, open: bool, done: bool) {
        let Some(Openness::Changing { before }) = self.0.remove(session) else { return };
        let settled = if done { open.then_some(SettledSession::Open) } else { before };
        if let Some(settled) = settled {
            self.0.insert(session.to_owned(), Openness::Settled(settled));
        }
    }

    /// Returns whether a session is open.
    pub fn is_open(&self, session: &str) -> bool {
        matches!(self.0.get(session), Some(Openness::Settled(_)))
    }

    /// Returns whether a session is being opened or closed: nothing may be judged in it.
    pub fn is_changing(&self, session: &str) -> bool {
        matches!(self.0.get(session), Some(Openness::Changing { .. }))
    }
}

#[cfg(test)]
mod tests {
    use super::{AgentSessions, NotSo};

    #[test]
    fn a_session_is_open_from_its_record_until_the_record_of_its_end() {
        let mut sessions = AgentSessions::default();
        assert_eq!(sessions.begin_open("s", None), Ok(()));
        assert!(sessions.is_changing("s") && !sessions.is_open("s"), "nothing is judged in it yet");
        assert_eq!(sessions.begin_open("s", None), Err(NotSo::OpenAlready));
        assert_eq!(sessions.begin_open("below", Some("s")), Err(NotSo::NoParent));
        sessions.changed("s", true, true);
        assert!(sessions.is_open("s"));
        assert_eq!(sessions.begin_open("s", None), Err(NotSo::OpenAlready));
        assert_eq!(sessions.begin_open("below", Some("s")), Ok(()));
        assert_eq!(sessions.begin_close("s"), Ok(()));
        assert!(sessions.is_changing("s"));
        assert_eq!(sessions.begin_close("s"), Err(NotSo::NotOpen));
        sessions.changed("s", false, true);
        assert!(!sessions.is_open("s") && !sessions.is_changing("s"));
    }

    #[test]
    fn what_could_not_be_written_down_is_as_it_was_before() {
        let mut sessions = AgentSessions::restore(["kept".to_owned()]);
        assert!(sessions.is_open("kept"));
        assert_eq!(sessions.begin_open("new", None), Ok(()));
        sessions.changed("new", true, false);
        assert!(!sessions.is_open("new") && !sessions.is_changing("new"));
        assert_eq!(sessions.begin_open("kept", None), Ok(()), "its agent may not know that it is open");
        sessions.changed("kept", true, false);
        assert!(sessions.is_open("kept"));
        assert_eq!(sessions.begin_close("kept"), Ok(()));
        sessions.changed("kept", false, false);
        assert!(sessions.is_open("kept"), "its layers still hold");
        assert_eq!(sessions.begin_close("kept"), Ok(()), "and it can be closed again");
    }
}
