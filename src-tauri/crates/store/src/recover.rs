//! After a restart: what becomes of the requests that the last host left behind. At most once is the promise, so
//! whatever may have been started is never started again.

use crate::error::Error;
use crate::tables::questions::{self, QuestionEnd};
use crate::tables::requests::{self, RequestChange, StoredRequest};
use postern_policy::Millis;
use postern_protocol::{Outcome, RunState};
use postern_request::{Refusal, RequestEnding};
use rusqlite::Connection;

/// Findings of a restart. Those in `ended` are to be sent to their agents, in the same transaction.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recovered {
    pub ended: Vec<(StoredRequest, RequestEnding)>,
    /// Requests that ran. The caller looks whether their processes are alive; one that is gone ends as
    /// [`Outcome::Lost`].
    pub running: Vec<StoredRequest>,
    pub questions: Vec<uuid::Uuid>,
}

/// Ends what cannot go on, and gives what the caller has to do. Doing it again changes nothing.
pub fn recover(conn: &Connection, now: Millis) -> Result<Recovered, Error> {
    let mut found = Recovered::default();
    for row in requests::list_live(conn)? {
        let ending = match (row.summary.phase, row.intended_at) {
            (RunState::Running | RunState::Stopping, _) => {
                found.running.push(row);
                continue;
            }
            (RunState::Starting, Some(_)) => RequestEnding::Finished { end: Outcome::Unknown.into() },
            // Ended phases have an end time and are not live; were there one, it would be denied, not run.
            (
                RunState::Received
                | RunState::Resolving
                | RunState::Asking
                | RunState::Denied
                | RunState::Finished
                | RunState::Failed
                | RunState::Allowed,
                _,
            )
            | (RunState::Starting, None) => RequestEnding::Denied(Refusal::Restarted.into()),
        };
        requests::change(conn, row.summary.id, &RequestChange::from_ending(&ending, now)?)?;
        found.ended.push((row, ending));
    }
    for question in questions::waiting(conn)? {
        let closed = QuestionEnd { at: now, answer: "restarted".to_owned(), face: None, feedback: None };
        questions::close_question(conn, question.id, &closed)?;
        found.questions.push(question.id);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;
    use crate::tables::requests::RecordedProcess;
    use crate::testing::{new_request, open_temp_store};
    use postern_protocol::AllowedBy;
    use postern_request::Exit;

    /// Writes a request that got as far as `phase`.
    fn left(conn: &Connection, name: &str, phase: RunState, intended: bool) -> Result<(), Error> {
        let request = new_request("main", name, 1);
        let id = request.id;
        requests::record_request(conn, &request)?;
        if phase != RunState::Received {
            requests::change(
                conn,
                id,
                &RequestChange::to_phase(phase, 2).with_allowed_by(&AllowedBy::Policy)?,
            )?;
        }
        if intended {
            assert!(requests::intend(conn, id, 3)?, "{name} is starting");
        }
        if phase == RunState::Running {
            let process = RecordedProcess { pid: 9, start_time: 8, boot: "b".into() };
            requests::change(conn, id, &RequestChange::to_phase(RunState::Running, 4).process(process))?;
        }
        Ok(())
    }

    fn recovered(store: &Store) -> Recovered {
        store.write_now(|conn| recover(conn, 100))
    }

    #[test]
    fn what_was_left_behind_ends_and_nothing_is_run_again() {
        let (_folder, store) = open_temp_store();
        store.write_now(|conn| {
            left(conn, "received", RunState::Received, false)?;
            left(conn, "resolving", RunState::Resolving, false)?;
            left(conn, "asking", RunState::Asking, false)?;
            left(conn, "approved", RunState::Starting, false)?;
            left(conn, "intended", RunState::Starting, true)?;
            left(conn, "running", RunState::Running, false)?;
            left(conn, "stopping", RunState::Stopping, false)?;
            let done = new_request("main", "done", 1);
            requests::record_request(conn, &done)?;
            let ending = RequestEnding::Finished { end: Exit::Code(0).into() };
            requests::change(conn, done.id, &RequestChange::from_ending(&ending, 5)?)
        });
        let found = recovered(&store);
        let ended: Vec<_> = found
            .ended
            .iter()
            .map(|(row, ending)| {
                let how = match ending {
                    RequestEnding::Denied(denial) => format!("{:?}", denial.reason),
                    RequestEnding::Finished { end } => format!("{:?}", end.outcome),
                    RequestEnding::Failed { .. } | RequestEnding::Allowed => "failed".into(),
                };
                (row.summary.request_id.as_str(), how)
            })
            .collect();
        let expected = [
            ("received", "Restarted"),
            ("resolving", "Restarted"),
            ("asking", "Restarted"),
            ("approved", "Restarted"),
            ("intended", "Unknown"),
        ];
        assert_eq!(ended, expected.map(|(name, how)| (name, how.to_owned())));
        let running: Vec<_> = found.running.iter().map(|row| row.summary.request_id.as_str()).collect();
        assert_eq!(running, ["running", "stopping"], "the caller looks whether they are alive");
        let process = found.running[0].process.clone();
        assert_eq!(process, Some(RecordedProcess { pid: 9, start_time: 8, boot: "b".into() }));
        let again = recovered(&store);
        assert!(again.ended.is_empty() && again.running == found.running, "doing it again changes nothing");
    }

    #[test]
    fn open_questions_are_closed() {
        let (_folder, store) = open_temp_store();
        let question = questions::QuestionRow::test(1);
        store.write_now({
            let question = question.clone();
            move |conn| questions::upsert_question(conn, &question)
        });
        assert_eq!(recovered(&store).questions, [question.id]);
        let closed =
            store.read(|conn| questions::get_question(conn, question.id)).unwrap().unwrap().closed.unwrap();
        assert_eq!((closed.at, closed.answer.as_str()), (100, "restarted"));
    }
}
