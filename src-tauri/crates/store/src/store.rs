//! The handle that the host holds.

use crate::audit;
use crate::doubt::{self, DoubtCause, Doubts, RecordDoubt};
use crate::error::{Error, OpenError};
use crate::file;
use crate::open::{self, OpenOutcome};
use crate::readers::Readers;
use crate::spare;
use crate::writer::{self, Flush, Receipt, WriteJob, WriterCounts};
use parking_lot::Mutex;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use tokio::sync::watch;

/// The record's file in a data folder.
pub const FILE_NAME: &str = "postern.db";

/// Handle of the record: clones share one writer and the readers. The file is closed when the last one goes.
#[derive(Debug, Clone)]
pub struct Store {
    shared: Arc<StoreShared>,
}

#[derive(Debug)]
struct StoreShared {
    path: PathBuf,
    opened: OpenOutcome,
    place: Arc<doubt::OpenedFiles>,
    doubts: Arc<Doubts>,
    readers: Readers,
    writer: Mutex<Option<Writer>>,
    counts: Arc<WriterCounts>,
    /// Held while the copy of what decides is written: two at a time would take each other's file away.
    spare: Mutex<()>,
}

#[derive(Debug)]
struct Writer {
    jobs: SyncSender<WriteJob>,
    thread: JoinHandle<()>,
}

impl Store {
    /// Opens the record at `path`, which is made (0600, in a folder of 0700) where it is missing.
    ///
    /// A damaged file is moved aside, never deleted: [`Store::opened`] says so. A file of a newer Postern or of another
    /// program is refused and left as it is.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let path = file::prepare(path)?;
        let (conn, opened) = open::open_record(&path)?;
        let (jobs, waiting) = sync_channel(writer::QUEUE);
        let counts = Arc::new(WriterCounts::default());
        let unnamed = |source| OpenError::File { path: path.clone(), source };
        let place = Arc::new(doubt::OpenedFiles::from_path(&path).map_err(unnamed)?);
        let doubts = Arc::new(Doubts::load_for(&path));
        let writer = Arc::new(writer::WriterShared {
            counts: Arc::clone(&counts),
            place: Arc::clone(&place),
            doubts: Arc::clone(&doubts),
        });
        let thread = std::thread::Builder::new()
            .name("store".to_owned())
            .spawn(move || writer::run_writer(&conn, &waiting, &writer))
            .map_err(unnamed)?;
        let writer = Mutex::new(Some(Writer { jobs, thread }));
        let readers = Readers::new(path.clone());
        let spare = Mutex::default();
        Ok(Self {
            shared: Arc::new(StoreShared { path, opened, place, doubts, readers, writer, counts, spare }),
        })
    }

    /// Returns the state in which the record was found when it was opened.
    pub fn opened(&self) -> &OpenOutcome {
        &self.shared.opened
    }

    /// Returns the doubt about the record; `None` while it can be trusted. A doubt holds, over restarts,
    /// until [`Store::settle_doubt`].
    pub fn watch_doubt(&self) -> watch::Receiver<Option<RecordDoubt>> {
        self.shared.doubts.subscribe()
    }

    /// Says that the record cannot be trusted, unless that is known.
    pub fn raise_doubt(&self, cause: DoubtCause) {
        self.shared.doubts.raise_doubt(cause);
    }

    /// Ends the doubt, as a person has seen it and trusts the record as it is now.
    ///
    /// # Errors
    /// [`Error::Displaced`] while the file at the record's path is not the one that was opened: only a restart opens that
    /// one. [`Error::NotDurable`] if the mark beside the record cannot be removed.
    pub fn settle_doubt(&self) -> Result<(), Error> {
        if !self.is_in_place() {
            return Err(Error::Displaced);
        }
        self.shared.doubts.settle().map_err(|error| Error::NotDurable(error.to_string()))
    }

    /// Returns true while the files of the record are the ones that were opened.
    pub fn is_in_place(&self) -> bool {
        self.shared.place.are_in_place()
    }

    /// Returns the file.
    pub fn path(&self) -> &Path {
        &self.shared.path
    }

    /// Hands `work` to the writer as one transaction: if it returns an error, nothing of it is written.
    ///
    /// The receipt resolves when it is committed: it outlives this process, however that ends, but not a
    /// power cut before the next flush. Never waits: if too much waits already, the receipt holds
    /// [`Error::Busy`].
    pub fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    ) -> Receipt<T> {
        self.queue_work(Flush::No, work)
    }

    /// Writes like [`Store::write`], and the receipt resolves when the drive itself has it, with everything
    /// that was written before.
    ///
    /// It outlives a power cut. For what a person decided, what is policy, and what is about to run; a flush
    /// takes milliseconds.
    pub fn write_durable<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    ) -> Receipt<T> {
        self.queue_work(Flush::Yes, work)
    }

    /// Returns the number of groups of writes that were flushed to the drive since the record was opened.
    pub fn flushes(&self) -> u64 {
        self.shared.counts.flushes.load(Ordering::Relaxed)
    }

    /// Changes whenever something was committed: a thread that waits for news looks again then.
    pub fn committed(&self) -> watch::Receiver<u64> {
        self.shared.counts.committed.subscribe()
    }

    /// Changes with every new audit row: holds the number of the newest.
    pub fn recorded(&self) -> watch::Receiver<i64> {
        self.shared.counts.recorded.subscribe()
    }

    /// Changes whenever the writer comes to rest: everything is written and indexed.
    pub fn rested(&self) -> watch::Receiver<u64> {
        self.shared.counts.rested.subscribe()
    }

    /// Gives back what readers hold for work to come. The writer frees its pages by itself when it comes to rest.
    pub fn give_back(&self) {
        self.shared.readers.give_back();
    }

    /// Verifies the whole audit, which takes as long as reading it.
    pub fn verify_audit(&self) -> Result<audit::Verified, Error> {
        self.read(|conn| audit::verify(conn, self.path()))
    }

    fn queue_work<T: Send + 'static>(
        &self,
        flush: Flush,
        work: impl FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    ) -> Receipt<T> {
        let (job, receipt) = writer::job(flush, audit::current(), work);
        let sent = match &*self.shared.writer.lock() {
            Some(writer) => writer.jobs.try_send(job),
            None => return Receipt::refused(Error::Closed),
        };
        match sent {
            Ok(()) => receipt,
            Err(TrySendError::Full(_)) => Receipt::refused(Error::Busy),
            Err(TrySendError::Disconnected(_)) => Receipt::refused(Error::Closed),
        }
    }

    /// Runs `work` on a connection that can only read, on this thread. It sees what was committed when it began.
    pub fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T, Error>) -> Result<T, Error> {
        self.doubting(self.shared.readers.read(work))
    }

    /// Reads like [`Store::read`], for what is found by its key in microseconds: one such look after the
    /// other.
    pub fn look_up<T>(&self, work: impl FnOnce(&Connection) -> Result<T, Error>) -> Result<T, Error> {
        self.doubting(self.shared.readers.look_up(work))
    }

    /// Notes damage that a reader meets as a doubt.
    fn doubting<T>(&self, read: Result<T, Error>) -> Result<T, Error> {
        if let Err(error) = &read
            && error.is_damage()
        {
            self.raise_doubt(DoubtCause::Damaged { what: error.to_string(), aside: None });
        }
        read
    }

    /// Checks the whole file and returns the faults. If there are any, the record is in doubt, and the next
    /// start sets it aside.
    ///
    /// This takes as long as reading the file does: for a thread of its own, when nothing else is to be done.
    pub fn check_file(&self) -> Result<Vec<String>, Error> {
        let found = self.read(|conn| Ok(open::check_all(conn)?))?;
        if let Some(what) = found.first() {
            self.raise_doubt(DoubtCause::Damaged { what: what.clone(), aside: None });
        }
        Ok(found)
    }

    /// Writes the copy of what decides beside the record, for [`crate::restore`]. Returns false where it has everything
    /// already, and while the record is in doubt: the copy of a better one is not overwritten.
    pub fn keep_spare(&self) -> Result<bool, Error> {
        if self.shared.doubts.subscribe().borrow().is_some() {
            return Ok(false);
        }
        let _one_at_a_time = self.shared.spare.lock();
        self.read(|conn| spare::refresh_copy(conn, self.path()))
    }

    /// Writes what still waits, closes the file, and gives back when that is done. Later writes are refused.
    pub fn close(&self) {
        self.shared.close();
    }
}

impl StoreShared {
    fn close(&self) {
        self.readers.close();
        let writer = self.writer.lock().take();
        let Some(Writer { jobs, thread }) = writer else { return };
        drop(jobs);
        // The last handle may have gone within a job: the writer cannot wait for itself.
        if thread.thread().id() != std::thread::current().id() && thread.join().is_err() {
            tracing::error!("the writer of the record panicked");
        }
    }
}

impl Drop for StoreShared {
    fn drop(&mut self) {
        self.close();
    }
}
