//! The gate and its adapters: decides, asks and records, and starts what was approved through `postern-exec`.
//!
//! A request's path through the rooms: `socket` (a frame on an agent's channel) → `exec::resolve`, `exec::identity` (what
//! it would run) → `gate` (judged, written down) → `ask` (a person) → `book` (*always*) → `exec::run` → `publish` (told).

mod ask;
mod book;
mod chats;
mod clock;
mod clock_mark;
mod control;
mod diagnosis;
pub mod doors;
mod folder;
mod gate;
mod host;
mod lanes;
mod last_error;
mod measure;
mod memory;
mod outbox;
mod own_programs;
mod own_threads;
mod publish;
mod record_lock;
mod repair;
mod reply;
pub mod session;
mod socket;
mod spare;
mod touches;
mod watch;

pub use ask::{ApproverGuard, ApproverId, ConnectedApproverKind, FleetPeople};
pub use book::{write_soon, write_whole};
pub use chats::{ChatMessage, QuestionRow};
pub use clock::{lasting, now_millis};
pub use control::{Handle, HostControl, read_audit_row};
pub use diagnosis::{DataFolderOwner, Diagnosis, HostProcess, diagnose};
pub use folder::make_private;
pub use gate::{
    AnswerElsewhere, DecidedElsewhere, GateClosed, GateCounts, GateHandle, Killed, PauseProblem,
    RightsElsewhere, Unwritten,
};
pub use host::{Host, HostConfig, StartError, exit_within};
pub use last_error::LastError;
pub use own_programs::{own_programs, programs_folder, refuse_debuggers};
pub use own_threads::start_host_runtime;
pub use postern_exec::run::OwnEnd;
#[cfg(target_os = "macos")]
pub use postern_exec::run::open_app_after_exit;
pub use postern_exec::threads::start_thread;
pub use postern_exec::user::{HostUser, UnknownUser};
pub use postern_store::{DoubtCause, Lost, RecordDoubt, RecordHeader, Spare};
pub use publish::format_time;
pub use repair::{NoRepair, Repair, plan_repair};
pub use socket::{BindError, BoundSocket, bind_socket};
