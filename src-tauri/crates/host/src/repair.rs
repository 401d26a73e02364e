//! Puts the copy of agents, rules, settings and audit in the place of a record that is lost, while no host runs.

use crate::folder::{self, FolderLock, LockError};
use postern_store::{
    DoubtCause, FILE_NAME, Lost, OpenError, RecordHeader, Spare, find_lost, header, is_whole, read_doubt,
    restore, verify_spare,
};
use std::io;
use std::path::{Path, PathBuf};

/// Repair of a lost record by a copy. The data folder is locked while this lives: no host starts.
#[derive(Debug)]
pub struct Repair {
    /// The copy.
    pub spare: Spare,
    /// Difference to the lost record.
    pub lost: Lost,
    path: PathBuf,
    _lock: FolderLock,
}

/// Reason why nothing can be repaired.
#[derive(Debug, thiserror::Error)]
pub enum NoRepair {
    /// A host runs.
    #[error("Postern runs on {}: end it first", .0.display())]
    Runs(PathBuf),
    /// Nothing is wrong with the record.
    #[error("the record is in order: there is nothing to repair")]
    Sound,
    /// That was done before.
    #[error(
        "the record was restored already: start Postern, look at its agents and rules, then: postern resume"
    )]
    Restored,
    /// File that is not a lost record.
    #[error("{0} is of another program or of a newer Postern, and is left as it is")]
    Foreign(PathBuf),
    #[error("there is no copy of its agents and rules: start Postern, add them again, then: postern resume")]
    NoCopy,
    /// The copy cannot be used.
    #[error("the copy of its agents and rules cannot be used: {0}")]
    BadCopy(postern_store::Error),
    /// The data folder cannot be used.
    #[error("cannot use {}: {source}", path.display())]
    Folder { path: PathBuf, source: io::Error },
}

/// Finds out whether the record of a data folder is lost, and what could take its place. Changes nothing.
///
/// # Errors
/// Where a host runs, where nothing is wrong, and where there is nothing to restore.
pub fn plan_repair(data: &Path) -> Result<Repair, NoRepair> {
    let failed = |source| NoRepair::Folder { path: data.to_owned(), source };
    let data = data.canonicalize().map_err(failed)?;
    let lock = folder::lock_folder(&data).map_err(|error| match error {
        LockError::Taken => NoRepair::Runs(data.clone()),
        LockError::Io(source) => failed(source),
    })?;
    let path = data.join(FILE_NAME);
    let doubt = read_doubt(&path);
    match (header(&path), doubt.as_ref().map(|doubt| &doubt.cause)) {
        (RecordHeader::Foreign | RecordHeader::Newer { .. } | RecordHeader::Unreadable(_), _) => {
            return Err(NoRepair::Foreign(path));
        }
        (RecordHeader::Missing | RecordHeader::Empty, _) if folder::has_agents(&data) => {}
        (RecordHeader::Missing | RecordHeader::Empty, None) => return Err(NoRepair::Sound),
        (RecordHeader::Known, Some(DoubtCause::Restored { .. })) => return Err(NoRepair::Restored),
        (RecordHeader::Known, None) if is_whole(&path) => return Err(NoRepair::Sound),
        (RecordHeader::Known | RecordHeader::Damaged | RecordHeader::Missing | RecordHeader::Empty, _) => {}
    }
    let copy = verify_spare(&path).map_err(NoRepair::BadCopy)?.ok_or(NoRepair::NoCopy)?;
    let lost = find_lost(&path, doubt.as_ref(), &copy);
    Ok(Repair { spare: copy, lost, path, _lock: lock })
}

impl Repair {
    /// Restores the copy, and returns the new path of the lost record. Everything stays denied until the
    /// person resumes.
    ///
    /// # Errors
    /// Where a file cannot be copied or moved; nothing is deleted, and everything is denied.
    pub fn restore(self) -> Result<Option<PathBuf>, OpenError> {
        restore(&self.path, &self.spare, &self.lost)
    }
}
