//! `postern-run`: the tiny program that lives inside the sandbox and behaves like the command that it forwards.

mod arguments;
mod ending;
mod forward;
mod input;
mod output;
mod signals;
mod waiting;

use arguments::{HELP, RunArguments, Typed};
use ending::{ProgramEnding, TROUBLE};
use forward::{ForwardedRun, WaitTerms};
use input::InputForwarder;
use postern_client::{Channel, ChannelOptions, ConnectError, read_key, tcp_address};
use postern_protocol::{Client, RunParams, RunStdin, What};
use signals::ForwardedSignals;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use uuid::Uuid;

/// Values that are taken from the environment, once.
struct RunEnvironment {
    socket: Option<PathBuf>,
    key_file: Option<PathBuf>,
    cwd: Option<PathBuf>,
    wait: Option<OsString>,
}

fn main() -> ExitCode {
    let ending = match arguments::parse_arguments(std::env::args_os()) {
        Ok(Typed::Help) => printed(HELP),
        Ok(Typed::Version) => printed(concat!("postern-run ", env!("CARGO_PKG_VERSION"), "\n")),
        Ok(Typed::Run(wanted)) => {
            run(wanted, surroundings()).unwrap_or_else(|what| ProgramEnding::trouble(&what))
        }
        Err(what) => ProgramEnding {
            code: TROUBLE,
            says: vec![ending::to_plain_line(&what), "see postern-run --help".to_owned()],
        },
    };
    output::print_lines(ending.says.iter().map(String::as_str));
    ExitCode::from(ending.code)
}

#[expect(clippy::print_stdout, reason = "what was asked for")]
fn printed(text: &str) -> ProgramEnding {
    print!("{text}");
    ProgramEnding::from_code(0)
}

#[expect(clippy::disallowed_methods, reason = "read once, passed in")]
fn surroundings() -> RunEnvironment {
    RunEnvironment {
        socket: std::env::var_os("POSTERN_SOCKET").map(PathBuf::from),
        key_file: std::env::var_os("POSTERN_KEY_FILE").map(PathBuf::from),
        cwd: std::env::current_dir().ok(),
        wait: std::env::var_os("POSTERN_WAIT"),
    }
}

/// Runs what is wanted. The error is one sentence.
fn run(wanted: RunArguments, surroundings: RunEnvironment) -> Result<ProgramEnding, String> {
    let RunEnvironment { socket, key_file, cwd, wait } = surroundings;
    let wait = wait_of(&wanted, wait)?;
    let terms = WaitTerms { wait, quiet: wanted.quiet };
    let socket = socket.ok_or(
        "POSTERN_SOCKET is not set: it names this sandbox's channel to the companion app Postern, which must be \
         running on the host (`postern agents channel` there prints the lines that set it)",
    )?;
    let key_file = match (key_file, tcp_address(&socket)) {
        (Some(file), _) => file,
        (None, None) => socket.with_extension("key"),
        (None, Some(_)) => {
            return Err(
                "POSTERN_KEY_FILE is not set: over TCP it has to name the file with this sandbox's key"
                    .to_owned(),
            );
        }
    };
    let forwarded = input::is_forwarded();
    let request = RunParams { join: terms.wait.is_some(), ..request(wanted, cwd, forwarded)? };
    request.check_limits().map_err(|mistake| mistake.to_string())?;
    let channel = connect(&socket, &key_file).map_err(|error| error.to_string())?;
    let signals =
        ForwardedSignals::start_catching().map_err(|error| format!("signals cannot be caught: {error}"))?;
    let input = InputForwarder::new(request.request_id, forwarded);
    Ok(ForwardedRun::new(channel, request, signals, input, terms).see_through())
}

/// Returns the time to wait: as it was typed, or else as the sandbox is set up.
fn wait_of(wanted: &RunArguments, set_up: Option<OsString>) -> Result<Option<Duration>, String> {
    let set_up = set_up.filter(|_| wanted.wait_ms.is_none() && !wanted.cancel_on_disconnect);
    let set_up = set_up.map(|text| arguments::milliseconds(&text.to_string_lossy())).transpose();
    let wait_ms = wanted.wait_ms.or(set_up.map_err(|what| format!("POSTERN_WAIT: {what}"))?);
    Ok(wait_ms.map(Duration::from_millis))
}

fn connect(socket: &Path, key_file: &Path) -> Result<Channel, ConnectError> {
    // Where there is no socket there may be no key either, and it is the socket that says what is missing.
    if tcp_address(socket).is_none() {
        match socket.try_exists() {
            Ok(true) => {}
            Ok(false) => return Err(ConnectError::NothingListens { socket: socket.to_owned() }),
            Err(error) => return Err(ConnectError::NotAllowed { socket: socket.to_owned(), error }),
        }
    }
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let client = Client { name: "postern-run".to_owned(), version };
    Channel::connect_with(socket, &read_key(key_file)?, ChannelOptions { client, after: None })
}

fn request(wanted: RunArguments, cwd: Option<PathBuf>, forwarded: bool) -> Result<RunParams, String> {
    let folder = match (cwd, wanted.cwd) {
        (Some(here), Some(there)) => Some(here.join(there)),
        (None, Some(there)) => Some(PathBuf::from(there)),
        (here, None) => here,
    };
    let cwd = folder.map(|folder| folder.into_os_string().into_string()).transpose();
    let cwd = cwd.map_err(|folder| format!("the folder {} is not UTF-8", folder.display()))?;
    let what = wanted.shell.map_or(What::Command(wanted.command), What::Shell);
    Ok(RunParams {
        cwd,
        env: wanted.env,
        stdin: if forwarded { RunStdin::Stream } else { RunStdin::Nothing },
        timeout_ms: wanted.timeout_ms,
        reason: wanted.reason,
        confine: wanted.confine,
        session: wanted.session,
        stream: true,
        cancel_on_disconnect: wanted.cancel_on_disconnect,
        ..RunParams::new(Uuid::new_v4(), what)
    })
}
