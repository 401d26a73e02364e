//! Rules that come in parts, until a call takes them up: one call on the socket is too short for a long file.

use parking_lot::Mutex;
use postern_contract::RuleDraft;
use postern_contract::methods::ControlError;
use std::collections::VecDeque;
use uuid::Uuid;

/// The most rules in one batch, and in one import.
pub(super) const MOST: usize = 50_000;
/// Number of batches that are kept: the oldest goes first.
const BATCHES: usize = 4;

/// Batches of an upload.
#[derive(Debug, Default)]
pub(crate) struct Staged {
    batches: Mutex<VecDeque<(String, Vec<RuleDraft>)>>,
}

impl Staged {
    /// Puts rules behind those of a batch; none begins a new one. Gives its name, and how many it holds.
    pub(super) fn add_to_batch(
        &self,
        batch: Option<&str>,
        rules: Vec<RuleDraft>,
    ) -> Result<(String, usize), ControlError> {
        let mut batches = self.batches.lock();
        let Some(name) = batch else {
            check_count(rules.len())?;
            if batches.len() >= BATCHES {
                batches.pop_front();
            }
            let (name, held) = (Uuid::new_v4().to_string(), rules.len());
            batches.push_back((name.clone(), rules));
            return Ok((name, held));
        };
        let (_, held) = batches.iter_mut().find(|(known, _)| known == name).ok_or_else(|| missing(name))?;
        check_count(held.len() + rules.len())?;
        held.extend(rules);
        Ok((name.to_owned(), held.len()))
    }

    /// Takes a batch up; it is gone then.
    pub(super) fn take_batch(&self, batch: &str) -> Result<Vec<RuleDraft>, ControlError> {
        let mut batches = self.batches.lock();
        let at = batches.iter().position(|(known, _)| known == batch).ok_or_else(|| missing(batch))?;
        Ok(batches.remove(at).map(|(_, rules)| rules).unwrap_or_default())
    }

    /// Returns the content of a batch, which stays.
    pub(super) fn peek_batch(&self, batch: &str) -> Result<Vec<RuleDraft>, ControlError> {
        let batches = self.batches.lock();
        let found = batches.iter().find(|(known, _)| known == batch).ok_or_else(|| missing(batch))?;
        Ok(found.1.clone())
    }
}

/// Returns whether so many rules are taken at once.
pub(super) fn check_count(rules: usize) -> Result<(), ControlError> {
    if rules <= MOST {
        return Ok(());
    }
    Err(ControlError::invalid(format!("{rules} rules are too many: {MOST} at a time are the most")))
}

fn missing(batch: &str) -> ControlError {
    ControlError::not_found(format!("there is no batch {batch:?} (any more): send its rules again"))
}

#[cfg(test)]
mod tests {
    use super::{BATCHES, MOST, Staged};
    use postern_contract::RuleDraft;
    use postern_policy::Effect;

    fn draft(text: &str) -> RuleDraft {
        RuleDraft::new(Effect::Allow, text)
    }

    #[test]
    fn parts_come_together_in_their_order_and_are_taken_once() {
        let staged = Staged::default();
        let (batch, held) = staged.add_to_batch(None, vec![draft("a"), draft("b")]).unwrap();
        assert_eq!(held, 2);
        assert_eq!(staged.add_to_batch(Some(&batch), vec![draft("c")]).unwrap().1, 3);
        assert_eq!(staged.peek_batch(&batch).unwrap().len(), 3, "looking leaves it");
        let texts: Vec<String> =
            staged.take_batch(&batch).unwrap().into_iter().map(|draft| draft.text).collect();
        assert_eq!(texts, ["a", "b", "c"]);
        assert!(staged.take_batch(&batch).unwrap_err().message.contains("send its rules again"));
    }

    #[test]
    fn what_nobody_takes_up_goes() {
        let staged = Staged::default();
        let (first, _) = staged.add_to_batch(None, vec![draft("a")]).unwrap();
        for _ in 0..BATCHES {
            staged.add_to_batch(None, Vec::new()).unwrap();
        }
        assert!(staged.take_batch(&first).is_err());
        let many = vec![draft("a"); MOST + 1];
        assert!(staged.add_to_batch(None, many).unwrap_err().message.contains("are the most"));
    }
}
