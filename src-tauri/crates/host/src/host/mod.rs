//! The host: everything that runs behind a window, a terminal or `postern serve`.

mod for_doors;

pub(crate) use for_doors::kept_as;

use crate::ask::{ApproverGuard, ApproverId, Approvers, ConnectedApproverKind};
use crate::book::{HostPaths, MANAGED_VARIABLE, ManagedPlace, PolicyStore, PolicyStoreError};
use crate::clock::{lasting, now_millis};
use crate::clock_mark;
use crate::control::{self, ControlListener, Handle as Handles, HostControl, ListenError};
use crate::doors::DoorSlot;
use crate::folder::{self, FolderLock, LockError};
use crate::gate::{self, GateHandle, TriedProfiles, World};
use crate::lanes::{Lanes, PATIENCE};
use crate::last_error;
use crate::own_programs::OwnPrograms;
use crate::own_threads::OwnThreads;
use crate::publish::{ApproverNotifier, Publisher, Stirred};
use crate::session::ScreenSession;
use crate::socket::Channels;
use crate::watch;
use parking_lot::Mutex;
use postern_contract::ApproverNotification;
use postern_contract::methods::{ControlCode, ControlError, Method};
use postern_exec::confine::Confines;
use postern_exec::resolve::Resolver;
use postern_exec::run::OwnEnd;
use postern_exec::threads::start_thread;
use postern_exec::user::HostUser;
use postern_request::{ActivePause, Halt};
use postern_store::{DoubtCause, OpenError, OpenOutcome, Store, audit, settings};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::broadcast::Receiver;
use tokio_util::sync::CancellationToken;

/// Time that running commands have to end when the host does.
///
/// Of the five seconds that the host has itself, a part is left for the record.
const SHUTDOWN: Duration = Duration::from_millis(3_500);
/// Time that a door may take to say goodbye.
const FAREWELL: Duration = Duration::from_millis(500);

/// Configuration of a host. Read once, in `main`.
#[derive(Debug, Clone)]
pub struct HostConfig {
    /// The data folder. Made 0700 where it is missing.
    pub data: PathBuf,
    /// The person: [`HostUser::current`].
    pub user: HostUser,
    /// Tells whether the person can be in front of the screen: [`SystemSession`](crate::session::SystemSession).
    pub session: Arc<dyn ScreenSession>,
}

/// Reason why a host did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Another host owns the data folder: attach to it through its control socket.
    #[error("another Postern already runs on {}", .0.display())]
    AlreadyRunning(PathBuf),
    /// The data folder or something in it could not be used.
    #[error("cannot use {}: {}", path.display(), folder_problem(source))]
    Folder {
        /// Path that could not be used.
        path: PathBuf,
        source: io::Error,
    },
    /// The system does not give the threads of a host.
    #[error("cannot start: {0}")]
    Threads(io::Error),
    #[error(transparent)]
    Record(#[from] OpenError),
    /// The record could not be brought up to date.
    #[error("cannot recover what the last host left behind: {0}")]
    Recover(#[from] postern_store::Error),
    /// Agents, rules or settings could not be read.
    #[error("cannot read agents and rules: {0}")]
    Policy(String),
    /// The control socket could not be opened.
    #[error("cannot open the control socket: {0}")]
    Control(String),
    /// The process was started by a command that the host of this data folder had started.
    #[error("a command that Postern started may not start Postern on {}: start it from your own terminal", .0.display())]
    StartedByARun(PathBuf),
}

/// Says why a folder cannot be used.
fn folder_problem(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
            "a file is where this folder, or one above it, has to be".to_owned()
        }
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

/// A running host. Clones are the same host.
#[derive(Debug, Clone)]
pub struct Host {
    inner: Arc<HostInner>,
}

#[derive(Debug)]
struct HostInner {
    data: PathBuf,
    user: HostUser,
    gate: GateHandle,
    faces: Approvers,
    told: ApproverNotifier,
    store: Store,
    channels: Channels,
    control: HostControl,
    resolver: Resolver,
    listening: Mutex<Option<ControlListener>>,
    closed: CancellationToken,
    /// Of the gate and the person's side.
    own: OwnThreads,
    _lock: FolderLock,
}

impl Host {
    /// Locks the data folder and starts everything in it.
    ///
    /// Must be called inside a tokio runtime. A failure is kept in the folder, for `postern doctor`.
    pub async fn start(config: HostConfig) -> Result<Self, StartError> {
        let data = config.data.clone();
        let started = Self::start_services(config).await;
        match &started {
            Ok(_) => last_error::forget(&data),
            // Of these the folder has a host of its own, or is not theirs to write in.
            Err(StartError::AlreadyRunning(_) | StartError::StartedByARun(_)) => {}
            Err(error) => last_error::save_error(&data, &error.to_string()),
        }
        started
    }

    #[expect(clippy::too_many_lines, reason = "one part after another, each once")]
    async fn start_services(config: HostConfig) -> Result<Self, StartError> {
        let open_files = postern_exec::raise_descriptor_limit();
        #[cfg(target_os = "linux")]
        postern_exec::run::find_own_program();
        let own = OwnThreads::start().map_err(StartError::Threads)?;
        let lock = lock_data_folder(&config.data).await?;
        let failed = |source| StartError::Folder { path: config.data.clone(), source };
        // From here on it counts.
        lasting();
        let data = std::fs::canonicalize(&config.data).map_err(failed)?;
        let path = data.join("postern.db");
        let store = tokio::task::spawn_blocking(move || Store::open(&path))
            .await
            .map_err(|error| failed(io::Error::other(error)))??;
        doubt_a_lost_record(&store, &data);
        #[cfg(target_os = "linux")]
        refuse_runs(&store, &config.data).await?;
        #[cfg(target_os = "linux")]
        postern_exec::run::adopt_orphans().map_err(failed)?;
        gate::recover(&store).await?;
        let clock_carry = clock_mark::carry_over(&store).await?;
        let world = build_world(&config, &data);
        #[cfg(target_os = "linux")]
        postern_exec::run::keep_spare_namespaces();
        let places = HostPaths {
            data: data.clone(),
            home: world.home.clone(),
            managed: {
                let system =
                    ManagedPlace::known_places(config.user.inherited(MANAGED_VARIABLE), &config.user.name);
                system.into_iter().chain([ManagedPlace::fleet(&data)]).collect()
            },
            any_case: world.any_case,
            root_entries: Arc::clone(&world.root_entries),
        };
        // Before anything is judged.
        let mut programs = OwnPrograms::default();
        programs.reload(&data);
        let resolver = world.resolver.clone();
        let book = PolicyStore::open(store.clone(), resolver.clone(), places)
            .await
            .map_err(|error| unread(&error))?;
        let told = ApproverNotifier::new();
        let stirred = Stirred::default();
        let faces = Approvers::new(Arc::clone(&stirred.status));
        let publisher = Publisher::new(store.clone());
        let (gate, received) = gate::create_gate();
        let channels = Channels::new(gate.clone(), publisher.clone(), open_files);
        let pause: Option<ActivePause> = store.read(|conn| settings::get_value(conn, settings::PAUSE))?;
        let lanes = Lanes::new(PATIENCE);
        let parts = gate::GateDeps {
            book: book.clone(),
            store: store.clone(),
            publisher,
            told: told.clone(),
            stirred: stirred.clone(),
            world: Arc::clone(&world),
            lanes: lanes.clone(),
            runtime: Handle::current(),
            faces: faces.clone(),
            session: config.session,
            halt: Halt::new(pause, store.watch_doubt().borrow().is_some()),
        };
        own.start_gate(gate::task(parts, &gate, received)).map_err(StartError::Threads)?;
        let control = HostControl::new(control::ControlDeps {
            book: book.clone(),
            gate: gate.clone(),
            channels: channels.clone(),
            faces: faces.clone(),
            told: told.clone(),
            world: Arc::clone(&world),
            lanes,
            started_at: now_millis(),
            clock_carry,
            doors: DoorSlot::default(),
        });
        open_channels(&book, &channels).await;
        let closed = CancellationToken::new();
        let listening = {
            let own = own.handle();
            let _on_these = own.enter();
            control.tell_seldom(stirred, &closed);
            control.tell_of_changes(&closed);
            tokio::spawn(watch::watch_folders(
                control.clone(),
                book,
                programs,
                world.home.clone(),
                closed.clone(),
            ));
            tokio::spawn(crate::spare::keep_updated(store.clone(), closed.clone()));
            control::listen(control.clone(), &data)
                .map_err(|error: ListenError| StartError::Control(error.to_string()))?
        };
        let listening = Mutex::new(Some(listening));
        let user = config.user;
        let inner = HostInner {
            data,
            user,
            gate,
            faces,
            told,
            store,
            channels,
            control,
            resolver,
            listening,
            closed,
            own,
            _lock: lock,
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Returns the gate: questions, answers, kill, pause.
    pub fn gate(&self) -> &GateHandle {
        &self.inner.gate
    }

    /// Returns the number of flushes of the record to the drive since the start.
    pub fn flushes(&self) -> u64 {
        self.inner.store.flushes()
    }

    /// Returns the data folder, by its real path.
    pub fn data_folder(&self) -> &Path {
        &self.inner.data
    }

    /// Returns the user whose agents these are.
    pub fn user(&self) -> &HostUser {
        &self.inner.user
    }

    /// Returns the program `postern`, which agents' hooks start: this one, or the one beside it.
    pub fn own_program(&self) -> Option<PathBuf> {
        postern_exec::run::postern()
    }

    /// Runs the program `postern` with these arguments and this input, as an agent that has a hook does.
    pub fn run_own_program(
        &self,
        arguments: Vec<String>,
        input: Vec<u8>,
    ) -> impl Future<Output = io::Result<OwnEnd>> + Send + 'static {
        postern_exec::run::run_own_program(arguments, input, self.inner.user.home.clone())
    }

    /// Calls a method of [`postern_contract::methods`] within the process, for the face that asks.
    pub async fn call_method<M: Method>(
        &self,
        face: ApproverId,
        params: &M::Params,
    ) -> Result<M::Result, ControlError>
    where
        HostControl: Handles<M>,
    {
        let (control, params) = (self.inner.control.clone(), params.clone());
        self.on_own(async move { control.call_method::<M>(face, params).await }).await
    }

    /// Calls a control method by its name, with JSON as on the control socket.
    pub async fn call_by_name(
        &self,
        face: &ApproverId,
        method: &str,
        params: serde_json::Value,
    ) -> Result<serde_json::Value, ControlError> {
        let (control, face, method) = (self.inner.control.clone(), *face, method.to_owned());
        self.on_own(async move { control.call_by_name(face, &method, params).await }).await
    }

    /// Does a method's work on the threads of the person's side.
    async fn on_own<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, ControlError>> + Send + 'static,
    ) -> Result<T, ControlError> {
        let called = self.inner.own.handle().spawn(audit::carry_author(work));
        let quitting = |_| ControlError::new(ControlCode::ShuttingDown, "Postern is shutting down");
        called.await.map_err(quitting)?
    }

    /// Returns all notifications to approvers, from now on.
    pub fn subscribe(&self) -> Receiver<ApproverNotification> {
        self.inner.told.subscribe()
    }

    /// Returns the notifications to approvers, from now on, without those of requests: for who shows questions alone.
    pub fn subscribe_without_requests(&self) -> Receiver<ApproverNotification> {
        self.inner.told.subscribe_without_requests()
    }

    /// Adds an approver, which stays connected while the guard is held.
    pub fn add_approver(&self, kind: ConnectedApproverKind) -> ApproverGuard {
        self.inner.faces.connect(kind)
    }

    /// Returns the names of the faces connected.
    pub fn approver_names(&self) -> Vec<String> {
        self.inner.faces.connected_names()
    }

    /// Sets where the user's shell finds programs: what only it finds is asked about, not missing.
    pub fn set_shell_path(&self, folders: Vec<String>) {
        self.inner.resolver.set_shell_path(folders);
    }

    /// Returns the `PATH` of the user's login shell, which is started for it.
    ///
    /// # Errors
    /// Says why the shell told none.
    pub async fn login_path(&self) -> io::Result<String> {
        postern_exec::run::login_path(self.inner.user.clone()).await
    }

    /// Returns the record.
    pub(crate) fn store(&self) -> &Store {
        &self.inner.store
    }

    /// Ends what waits as expired, before the machine goes to sleep.
    pub async fn fall_asleep(&self) {
        // A gate that is gone has nothing that waits.
        _ = self.inner.gate.fall_asleep().await;
    }

    /// Ends what expired while the machine slept.
    pub async fn wake_up(&self) {
        // As above.
        _ = self.inner.gate.wake_up().await;
    }

    /// Denies what waits, ends what runs, closes every socket and the record. The data folder is free when the last
    /// clone is dropped.
    pub async fn shutdown(&self) {
        self.inner.closed.cancel();
        if let Some(doors) = self.inner.control.door_slot().take_doors() {
            match tokio::time::timeout(FAREWELL, doors.close_all()).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::warn!(%error, "a door did not close"),
                Err(_) => tracing::warn!("a door did not close in time"),
            }
        }
        let listening = self.inner.listening.lock().take();
        let ended = tokio::time::timeout(SHUTDOWN, self.inner.gate.shut_down()).await;
        if ended.is_err() {
            tracing::warn!("some commands did not end in time; the next start ends them");
        }
        #[cfg(target_os = "linux")]
        if tokio::task::spawn_blocking(postern_exec::run::end_orphans).await.is_err() {
            tracing::warn!("orphaned processes of runs could not be ended");
        }
        self.inner.channels.close_all().await;
        if let Some(listening) = listening {
            listening.close().await;
        }
        let store = self.inner.store.clone();
        clock_mark::leave_mark(&store);
        // What changed in the last moment; a copy that lacks it says so when it is restored.
        drop(tokio::time::timeout(FAREWELL, crate::spare::write_copy(&store)).await);
        // A record that cannot be closed is recovered at the next start.
        _ = tokio::task::spawn_blocking(move || store.close()).await;
    }
}

/// Under what name the highest mark of a host on this folder is kept.
#[cfg(target_os = "linux")]
const MARK: &str = "host.mark";

/// Refuses a host that carries a run's mark: its own runs would carry a lower one, and it would let its siblings in.
#[cfg(target_os = "linux")]
async fn refuse_runs(store: &Store, data: &Path) -> Result<(), StartError> {
    let own = postern_exec::run::own_mark();
    let known: Option<u64> = store.read(|conn| settings::get_value(conn, MARK))?;
    if known.is_some_and(|known| own < known) {
        return Err(StartError::StartedByARun(data.to_owned()));
    }
    if known != Some(own) {
        store.write_durable(move |conn| settings::set_value(conn, MARK, &own)).await?;
    }
    Ok(())
}

/// Makes the data folder private and takes its lock.
async fn lock_data_folder(data: &Path) -> Result<FolderLock, StartError> {
    let failed = |source| StartError::Folder { path: data.to_owned(), source };
    folder::make_private(data).map_err(failed)?;
    folder::lock_once_free(data).await.map_err(|error| match error {
        LockError::Taken => StartError::AlreadyRunning(data.to_owned()),
        LockError::Io(source) => failed(source),
    })
}

fn build_world(config: &HostConfig, data: &Path) -> Arc<World> {
    let home = std::fs::canonicalize(&config.user.home)
        .map_or_else(|_| config.user.home.clone(), |home| home.to_string_lossy().into_owned());
    let data = data.to_string_lossy().into_owned();
    let places = postern_exec::run::UserPlaces { home: home.clone(), data: data.clone() };
    let tried: TriedProfiles = Arc::new(LazyLock::new(Box::new(move || Confines::relied_on(&places))));
    // Beside the start: a trial starts four programs, and what is removed may be much.
    let (confines, of_runs) = (Arc::clone(&tried), home.clone());
    tokio::task::spawn_blocking(move || _ = LazyLock::force(&tried));
    tokio::task::spawn_blocking(move || postern_exec::confine::clear_temporary(&of_runs));
    Arc::new(World {
        resolver: Resolver::at_home(&home),
        user: Arc::new(config.user.clone()),
        home,
        data,
        any_case: cfg!(target_os = "macos"),
        root_entries: root_entries(),
        confines,
    })
}

/// Returns the names in the root folder. None of them stays missed: those that every system has are known to the judge.
fn root_entries() -> Arc<[String]> {
    let entries = std::fs::read_dir("/").into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// Opens every agent's channel, several at a time. One that cannot be opened does not keep the others closed.
async fn open_channels(book: &PolicyStore, channels: &Channels) {
    let mut opening = Vec::new();
    for entry in book.agents() {
        let channels = channels.clone();
        // Why it stays closed is kept for `status`.
        opening.push(tokio::spawn(async move { drop(channels.open_for(&entry).await) }));
    }
    for opened in opening {
        if let Err(error) = opened.await {
            tracing::error!(%error, "an agent's channel stays closed");
        }
    }
}

/// Notes a doubt if the record was made again beside folders of agents: it was lost, and every prohibition
/// with it.
fn doubt_a_lost_record(store: &Store, data: &Path) {
    if *store.opened() == OpenOutcome::Created && folder::has_agents(data) {
        store.raise_doubt(DoubtCause::Gone);
    }
}

/// Ends this process after `limit` at the latest, whatever still hangs in it: for who was told to end.
///
/// Must be called inside a tokio runtime, whose reserve it takes a thread of where there is no other.
#[expect(clippy::exit, reason = "what hangs cannot be waited for")]
pub fn exit_within(limit: Duration) {
    let end = move || {
        std::thread::sleep(limit);
        tracing::warn!("Postern ends although something still hangs; the next start ends what is left");
        std::process::exit(1);
    };
    if start_thread("end", end).is_err() {
        drop(tokio::task::spawn_blocking(end));
    }
}

fn unread(error: &PolicyStoreError) -> StartError {
    StartError::Policy(error.to_string())
}
