//! `postern serve`: the host without a window.

use crate::failure::Failure;
use crate::print;
use postern_doors::DoorRegistry;
use postern_host::{Host, HostConfig, StartError, exit_within, start_host_runtime};
use std::io::IsTerminal as _;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::filter::LevelFilter;

/// Longest time to end, also if something hangs.
const LONGEST_END: Duration = Duration::from_millis(4_800);

pub(crate) fn run(config: HostConfig) -> Result<(), Failure> {
    let log = tracing_subscriber::fmt()
        .with_env_filter(
            tracing_subscriber::EnvFilter::builder()
                .with_env_var("POSTERN_LOG")
                .with_default_directive(LevelFilter::WARN.into())
                .from_env_lossy(),
        )
        .with_writer(std::io::stderr);
    // A file and a journal show the codes of colors as they are.
    if std::io::stderr().is_terminal() {
        log.init();
    } else {
        log.with_ansi(false).init();
    }
    let runtime = start_host_runtime(&config.data, workers()).map_err(Failure::from_error)?;
    let ended = runtime.block_on(serve_host(config));
    // A thread that a disk holds up is not waited for.
    runtime.shutdown_background();
    ended
}

/// Returns the number of threads for agents' messages: a quarter of the cores, at least two. Computing and disk
/// access have threads of their own, and the gate is one task, so more would only wake each other.
fn workers() -> usize {
    std::thread::available_parallelism().map_or(2, |cores| (cores.get() / 4).max(2))
}

async fn serve_host(config: HostConfig) -> Result<(), Failure> {
    let mut term = signal(SignalKind::terminate()).map_err(Failure::from_error)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(Failure::from_error)?;
    let mut hangup = signal(SignalKind::hangup()).map_err(Failure::from_error)?;
    let host = Host::start(config).await.map_err(|error| match error {
        StartError::AlreadyRunning(_) => Failure { code: 3, message: error.to_string() },
        _ => Failure::from_error(error),
    })?;
    DoorRegistry::restore(&host).await;
    print::say!("ready {}", host.data_folder().display())?;
    tokio::select! {
        _ = term.recv() => {}
        _ = interrupt.recv() => {}
        _ = hangup.recv() => {}
    }
    exit_within(LONGEST_END);
    host.shutdown().await;
    Ok(())
}
