//! Start of a process, in the system's form.

use super::Prepared;
use super::pipes::Theirs;
use crate::confine::Fence;
use crate::resolve::HeldFile;
use std::ffi::CString;
use std::os::fd::OwnedFd;
use std::sync::Arc;

/// Start of a process, in the system's form, so that nothing is left to do between fork and exec.
#[derive(Debug)]
pub(super) struct SpawnCall<'a> {
    pub(super) path: CString,
    pub(super) argv: Vec<CString>,
    pub(super) env: Vec<CString>,
    pub(super) theirs: Theirs,
    pub(super) prepared: &'a Prepared,
    pub(super) program: Arc<HeldFile>,
    /// True if it leads its own session.
    pub(super) session: bool,
    /// Confinement of the child.
    pub(super) fence: Option<Fence>,
    /// Descriptor that it inherits by its number: the orders of its steps.
    pub(super) orders: Option<OwnedFd>,
}

/// Program that runs in the shell's place for a line that needs none.
#[derive(Debug)]
pub(super) struct Runner {
    pub(super) program: Arc<HeldFile>,
    pub(super) argv: Vec<CString>,
    /// Orders, and afterwards the report. Inherited by its number.
    pub(super) orders: OwnedFd,
}
