//! Files that a run depends on, kept open from the moment they were judged until the run has started.

use super::format::{ExecutableFormat, HEADER_BYTES, format_of};
use super::kernel_path::{real_path, real_path_of_name};
use super::mutable::is_mutable;
use crate::identity::{FileState, Identified, Identities, IdentityError};
use postern_policy::{FoundProgram, Identity, Script};
use postern_request::BoundFile;
use rustix::fs::{FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An opened file with all that is known about it.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Debug)]
pub struct HeldFile {
    /// Absolute path that it is started by; links not followed. Behind a stand-in it is not [`BoundFile::path`].
    pub path: PathBuf,
    /// Inode and times when it was identified.
    pub state: FileState,
    /// True if that change was so long before that another one cannot hide behind the same time.
    pub settled: bool,
    /// Identity, as the plan holds it.
    pub bound: BoundFile,
    /// The interpreter that the system starts for it, where it is a program with a `#!` line.
    pub interpreter: Option<Arc<HeldFile>>,
    /// The `#!` line's words.
    pub shebang: Option<Vec<String>>,
    /// True if the person's own user could change it.
    pub mutable: bool,
    /// True if the agent could change which file runs, or its content.
    pub agent_can_change: bool,
    /// Number of hard links of the file.
    pub links: u64,
    /// True if it runs as another user or group, or with rights of its own (file capabilities).
    pub setuid: bool,
    /// Paths that come earlier on the search path: a program that appears there would be run instead.
    pub earlier: Vec<PathBuf>,
    /// True if only the user's shell finds it.
    pub shell_only: bool,
    file: File,
}

/// Reason why a file cannot be used.
#[derive(Debug)]
pub(super) enum FileProblem {
    /// There is nothing at that path.
    Missing,
    /// There is something, but it is not to be run: a sentence fragment.
    Unusable(String),
}

/// Purpose that a file is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To be executed.
    Program,
    /// To be read by an interpreter.
    Operand,
}

impl HeldFile {
    /// Returns true if a path leads to this file.
    pub(crate) fn is_at(&self, path: &Path) -> bool {
        std::fs::metadata(path)
            .is_ok_and(|meta| (meta.dev(), meta.ino()) == (self.state.device, self.state.inode))
    }

    /// Opens the file at an absolute path and finds out what it is. Never blocks on a FIFO or a device.
    pub(super) fn open(path: &Path, purpose: Purpose, identities: &Identities) -> Result<Self, FileProblem> {
        let (file, stat) = open_regular(path, purpose)?;
        let (mode, links) = (Mode::from_raw_mode(stat.st_mode), link_count(&stat));
        let own_name = if links > 1 { real_path_of_name(path, &file) } else { None };
        let real = own_name.map_or_else(|| real_path(&file), Ok).map_err(|_| FileProblem::Missing)?;
        let shebang = match purpose {
            Purpose::Program => shebang_of(&file)?,
            Purpose::Operand => None,
        };
        let Identified { state, identity, settled } =
            identities.identify(&file, &real).map_err(|error| unidentified(&error))?;
        let bound = BoundFile { path: path_text(path)?, real_path: path_text(&real)?, identity };
        Ok(Self {
            state,
            settled,
            bound,
            interpreter: None,
            shebang,
            mutable: is_mutable(path, &real),
            agent_can_change: false,
            links,
            setuid: mode.intersects(Mode::SUID | Mode::SGID) || has_capabilities(&file),
            earlier: Vec::new(),
            shell_only: false,
            path: path.to_owned(),
            file,
        })
    }

    /// Opens a program of Postern's own, whose content nothing is compared with.
    #[cfg(target_os = "linux")]
    pub(crate) fn of_postern(path: &Path) -> std::io::Result<Self> {
        let unusable = |_| std::io::Error::other("it is no program");
        let (file, _) = open_regular(path, Purpose::Program).map_err(unusable)?;
        let state = FileState::from_file(&file)?;
        let identity = Identity {
            sha256: String::new(),
            size: state.size,
            mtime_ns: state.mtime_ns.to_string(),
            ctime_ns: state.ctime_ns.to_string(),
            device: state.device,
            inode: state.inode.to_string(),
            version: None,
            signature: None,
        };
        let path = path.canonicalize()?;
        let text = path_text(&path).map_err(unusable)?;
        Ok(Self {
            state,
            settled: true,
            bound: BoundFile { path: text.clone(), real_path: text, identity },
            interpreter: None,
            shebang: None,
            mutable: false,
            agent_can_change: false,
            links: 1,
            setuid: false,
            earlier: Vec::new(),
            shell_only: false,
            path,
            file,
        })
    }

    /// Returns the file as the tool that the stand-in at `path` starts.
    pub(super) fn behind(mut self, path: &Path) -> Result<Self, FileProblem> {
        self.bound.path = path_text(path)?;
        Ok(self)
    }

    /// Returns what the stand-in before this tool would set `SDKROOT` to.
    pub fn sdk_root(&self) -> Option<String> {
        let behind = self.path.as_os_str() != self.bound.path.as_str();
        behind.then(|| super::developer::sdk_root(&self.path)).flatten()?.to_str().map(str::to_owned)
    }

    /// Returns the open file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Returns the open file's descriptor.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// Returns the identity.
    pub fn identity(&self) -> &Identity {
        &self.bound.identity
    }

    /// Returns its first bytes, at most `limit`, for a preview.
    pub fn beginning(&self, limit: usize) -> Vec<u8> {
        let mut bytes = vec![0; limit];
        let read = self.file.read_at(&mut bytes, 0).unwrap_or(0);
        bytes.truncate(read);
        bytes
    }

    /// Returns the fact that policy judges by.
    pub(super) fn program(&self, invoked: &str) -> FoundProgram {
        FoundProgram {
            invoked: invoked.to_owned(),
            path: self.bound.path.clone(),
            real_path: self.bound.real_path.clone(),
            identity: Some(self.bound.identity.clone()),
            shebang: self.shebang.clone(),
            mutable: self.mutable,
            agent_can_change: self.agent_can_change,
            links: self.links,
            setuid: self.setuid,
            shell_only: self.shell_only,
        }
    }

    /// Returns the fact that policy judges a script operand by.
    pub(super) fn script(&self, written: &str) -> Script {
        Script {
            written: written.to_owned(),
            real_path: self.bound.real_path.clone(),
            identity: self.bound.identity.clone(),
            agent_can_change: self.agent_can_change,
        }
    }
}

/// Opens without following the file's own surprises: a FIFO does not hang, a folder or device is told apart.
fn open_regular(path: &Path, purpose: Purpose) -> Result<(File, Stat), FileProblem> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty()).map_err(problem)?);
    let stat = rustix::fs::fstat(&file).map_err(problem)?;
    let what = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => None,
        FileType::Directory => Some("is a folder"),
        FileType::Fifo => Some("is a FIFO"),
        FileType::Socket => Some("is a socket"),
        FileType::CharacterDevice | FileType::BlockDevice => Some("is a device"),
        FileType::Symlink | FileType::Unknown => Some("is no regular file"),
    };
    let executable = purpose == Purpose::Operand
        || (Mode::from_raw_mode(stat.st_mode).intersects(Mode::XUSR | Mode::XGRP | Mode::XOTH)
            && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok());
    match what {
        Some(what) => Err(FileProblem::Unusable(what.to_owned())),
        None if executable => Ok((file, stat)),
        None => Err(FileProblem::Unusable("is not executable".to_owned())),
    }
}

#[cfg(target_os = "linux")]
fn link_count(stat: &Stat) -> u64 {
    stat.st_nlink
}

#[cfg(target_os = "macos")]
fn link_count(stat: &Stat) -> u64 {
    stat.st_nlink.into()
}

/// Returns true if the file itself grants rights (Linux).
fn has_capabilities(file: &File) -> bool {
    cfg!(target_os = "linux") && rustix::fs::fgetxattr(file, "security.capability", &mut [0_u8; 64]).is_ok()
}

fn shebang_of(file: &File) -> Result<Option<Vec<String>>, FileProblem> {
    let mut header = [0; HEADER_BYTES];
    let read = file
        .read_at(&mut header, 0)
        .map_err(|error| FileProblem::Unusable(format!("cannot be read: {error}")))?;
    match format_of(&header[..read]) {
        Ok(ExecutableFormat::Native) => Ok(None),
        Ok(ExecutableFormat::Script(words)) => Ok(Some(words)),
        Err(what) => Err(FileProblem::Unusable(what.to_owned())),
    }
}

fn problem(error: Errno) -> FileProblem {
    match error {
        Errno::NOENT | Errno::NOTDIR | Errno::NAMETOOLONG => FileProblem::Missing,
        Errno::LOOP => FileProblem::Unusable("is a circle of links".to_owned()),
        Errno::ACCESS | Errno::PERM => FileProblem::Unusable("may not be read".to_owned()),
        Errno::NXIO => FileProblem::Unusable("is a socket or a device".to_owned()),
        other => FileProblem::Unusable(format!("cannot be opened: {other}")),
    }
}

fn unidentified(error: &IdentityError) -> FileProblem {
    FileProblem::Unusable(error.to_string())
}

fn path_text(path: &Path) -> Result<String, FileProblem> {
    path.to_str()
        .map(str::to_owned)
        .ok_or_else(|| FileProblem::Unusable("has a path that is not UTF-8".to_owned()))
}
