//! Cache of file identities with one share per agent. An agent that asks for thousands of files evicts only its
//! own entries.

use super::allowance::Meter;
use super::{Content, FileState};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// Number of cached files per agent, and for the user.
const SHARE: usize = 1024;

/// The agent that asked for a file first, by its meter; `None` for the user.
type ShareOwner = Option<usize>;

#[derive(Debug, Default)]
pub(super) struct Memory {
    known: HashMap<FileState, Arc<Content>>,
    /// Entries of each owner, oldest first.
    shares: HashMap<ShareOwner, VecDeque<FileState>>,
}

impl Memory {
    pub(super) fn get(&self, state: &FileState) -> Option<Arc<Content>> {
        self.known.get(state).cloned()
    }

    pub(super) fn insert(&mut self, state: FileState, content: &Arc<Content>, meter: Option<&Arc<Meter>>) {
        if self.known.insert(state, Arc::clone(content)).is_some() {
            return;
        }
        let owner = meter.map(|meter| Arc::as_ptr(meter).addr());
        let share = self.shares.entry(owner).or_default();
        share.push_back(state);
        if share.len() > SHARE
            && let Some(oldest) = share.pop_front()
        {
            self.known.remove(&oldest);
        }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.known.len()
    }
}

#[cfg(test)]
mod tests {
    use super::{Memory, SHARE};
    use crate::identity::{Content, FileState};
    use std::sync::Arc;

    fn state(inode: u64) -> FileState {
        FileState { device: 1, inode, size: 0, mtime_ns: 0, ctime_ns: 0 }
    }

    #[test]
    fn an_agent_with_many_files_pushes_out_its_own_and_nobody_elses() {
        let content = Arc::new(Content { sha256: String::new(), signature: None });
        let (greedy, other) = (Arc::default(), Arc::default());
        let mut memory = Memory::default();
        memory.insert(state(0), &content, None);
        memory.insert(state(1), &content, Some(&other));
        for inode in 2..10_000 {
            memory.insert(state(inode), &content, Some(&greedy));
        }
        assert!(memory.get(&state(0)).is_some() && memory.get(&state(1)).is_some(), "the others' are there");
        assert!(memory.get(&state(9_999)).is_some(), "its newest are there");
        assert!(memory.get(&state(2)).is_none(), "its oldest are not");
        assert_eq!(memory.len(), SHARE + 2);
    }
}
