//! Starts the desktop app.

use postern_desktop::{AppOptions, BadOptions};
use std::fmt::Display;
use std::io::{Write, stderr, stdout};
use std::process::ExitCode;

fn main() -> ExitCode {
    postern_host::refuse_debuggers();
    postern_desktop::init_logging();
    let options = match AppOptions::from_args(std::env::args_os().skip(1), environment) {
        Ok(options) => options,
        Err(usage @ BadOptions::Help) => return write_line(stdout(), usage, ExitCode::SUCCESS),
        Err(error) => {
            return write_line(stderr(), format_args!("postern-desktop: {error}"), ExitCode::from(2));
        }
    };
    match postern_desktop::run_app(&AppOptions { inherited: inherited(), ..options }) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => write_line(stderr(), format_args!("postern-desktop: {error:#}"), ExitCode::FAILURE),
    }
}

/// Writes a line, and returns the exit code that goes with it.
fn write_line(mut place: impl Write, text: impl Display, code: ExitCode) -> ExitCode {
    // Nobody may read it.
    _ = writeln!(place, "{text}");
    code
}

#[expect(clippy::disallowed_methods, reason = "the environment is read once, here")]
fn environment(name: &str) -> Option<std::ffi::OsString> {
    std::env::var_os(name)
}

fn inherited() -> Vec<(String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}
