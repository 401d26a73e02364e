//! Connections that can only read: a reader never waits for the writer.

use crate::error::Error;
use crate::open::open_reader;
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// How many idle connections are kept.
const KEPT: usize = 4;

#[derive(Debug)]
pub(crate) struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, idle: Mutex::new(Vec::new()) }
    }

    /// Runs `work` on a reader's connection, on this thread.
    pub(crate) fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T, Error>) -> Result<T, Error> {
        let idle = self.idle().pop();
        let conn = match idle {
            Some(conn) => conn,
            None => open_reader(&self.path)?,
        };
        let result = work(&conn);
        let mut idle = self.idle();
        if idle.len() < KEPT {
            idle.push(conn);
        }
        result
    }

    /// Closes the idle connections, so that the writer's is the last and tidies up behind itself.
    pub(crate) fn close(&self) {
        self.idle().clear();
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
