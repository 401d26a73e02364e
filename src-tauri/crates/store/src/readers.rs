//! Connections that can only read: a reader never waits for the writer.

use crate::error::Error;
use crate::open::open_reader;
use parking_lot::Mutex;
use rusqlite::Connection;
use std::path::PathBuf;

/// Most idle connections that are kept.
const KEPT: usize = 4;

#[derive(Debug)]
pub(crate) struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
    /// For what is looked up by its key: one after the other, so that a flood of requests opens no connections.
    keyed: Mutex<Option<Connection>>,
}

impl Readers {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, idle: Mutex::new(Vec::new()), keyed: Mutex::new(None) }
    }

    /// Runs `work` on a reader's connection, on this thread.
    pub(crate) fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T, Error>) -> Result<T, Error> {
        let idle = self.idle.lock().pop();
        let conn = match idle {
            Some(conn) => conn,
            None => open_reader(&self.path)?,
        };
        let result = work(&conn);
        let mut idle = self.idle.lock();
        if idle.len() < KEPT {
            idle.push(conn);
        }
        result
    }

    /// Runs `work`, which takes microseconds, on the connection that is kept for such; it waits for others who do.
    pub(crate) fn look_up<T>(&self, work: impl FnOnce(&Connection) -> Result<T, Error>) -> Result<T, Error> {
        let mut kept = self.keyed.lock();
        let conn = match kept.take() {
            Some(conn) => conn,
            None => open_reader(&self.path)?,
        };
        let result = work(&conn);
        *kept = Some(conn);
        result
    }

    /// Closes the connections without work, with the pages, statements and files that they hold. The one for keys frees its pages.
    pub(crate) fn give_back(&self) {
        drop(std::mem::take(&mut *self.idle.lock()));
        self.keyed.lock().iter().for_each(shrink_memory);
    }

    /// Closes the idle connections, so that the writer's is the last and tidies up behind itself.
    pub(crate) fn close(&self) {
        self.idle.lock().clear();
        *self.keyed.lock() = None;
    }
}

/// Frees what a connection keeps in memory without need.
pub(crate) fn shrink_memory(conn: &Connection) {
    if let Err(error) = conn.execute_batch("PRAGMA shrink_memory") {
        tracing::warn!(%error, "memory was not given back");
    }
}
