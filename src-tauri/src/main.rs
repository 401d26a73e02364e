//! Starts the desktop app.

use anyhow::Context;
use postern_desktop::AppOptions;

fn main() -> anyhow::Result<()> {
    postern_host::refuse_debuggers();
    postern_desktop::init_logging();
    let options =
        AppOptions::from_args(std::env::args_os().skip(1), environment).context("cannot start Postern")?;
    postern_desktop::run_app(&AppOptions { inherited: inherited(), ..options })
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
