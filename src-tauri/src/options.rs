//! Options that the app was started with.

use postern_protocol::default_data_folder;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// Time that the page that asks is kept ready with nothing to ask, unless `--keep-page` says otherwise.
const KEEP_PAGE: Duration = Duration::from_mins(1);

/// Paths and options, read once from arguments and environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppOptions {
    pub data: PathBuf,
    /// Open the settings window at once, at this page.
    pub settings: Option<SettingsPage>,
    /// Open the overview at once: a key can be bound to this where the system has no menu bar.
    pub overview: bool,
    /// Started at login: nothing opens by itself but a question.
    pub background: bool,
    /// Time that the page that asks is kept ready with nothing to ask.
    ///
    /// It costs the memory of a browser, and a fraction of a second when it has to be made again.
    pub keep_page: Duration,
    /// The environment that the app was started with: an agent's settings may pass single names of it on.
    pub inherited: Vec<(String, String)>,
}

/// A page of the main window, or of that of the settings: `activity`, `settings`, or an agent's name. None chosen: the page that is open.
///
/// A part of the settings may have more behind a question mark: what its page is to find.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SettingsPage(Option<String>);

/// The page of the first run.
const FIRST_RUN: &str = "welcome";

/// Parts of the settings.
const SETTINGS: [&str; 9] =
    ["settings", "general", "questions", "privacy", "doors", "skills", "fleet", "advanced", "about"];

impl SettingsPage {
    /// Returns the page of the first run, which has a window of its own size.
    pub(crate) fn first_run() -> Self {
        Self::from_name(FIRST_RUN)
    }

    pub(crate) fn is_first_run(&self) -> bool {
        self.0.as_deref() == Some(FIRST_RUN)
    }

    /// Returns true if this is a part of the settings, which have a window of their own.
    pub(crate) fn is_settings(&self) -> bool {
        let part = self.0.as_deref().and_then(|page| page.split('?').next());
        part.is_some_and(|part| SETTINGS.contains(&part))
    }

    pub(crate) fn from_name(name: &str) -> Self {
        Self(Some(name.to_owned()))
    }

    /// Returns the end of the page's address; `None` for the page that is open.
    pub(crate) fn fragment(&self) -> Option<&str> {
        self.0.as_deref()
    }
}

/// Reason why the app cannot start with its options.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadOptions {
    /// `--help`: the message is the answer.
    #[error(
        "Usage: postern-desktop [--data DIR] [--settings [PAGE]] [--overview] [--background] [--keep-page SECONDS]"
    )]
    Help,
    /// An argument that is not known.
    #[error(
        "{0:?} is not an option: --data DIR, --settings [PAGE], --overview, --background and --keep-page SECONDS are"
    )]
    Unknown(OsString),
    /// `--data` without a folder.
    #[error("--data needs a folder")]
    NoFolder,
    /// `--keep-page` without a time.
    #[error("--keep-page needs a number of seconds, such as 60")]
    NoTime,
    /// No home folder to be found.
    #[error("HOME is not set to an absolute path")]
    NoHome,
}

impl AppOptions {
    /// Reads arguments (without the program's name) and the environment. `--data DIR` wins over `POSTERN_DATA`.
    pub fn from_args(
        args: impl IntoIterator<Item = OsString>,
        environment: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, BadOptions> {
        let folder = |name: &str| {
            environment(name)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        let home = folder("HOME").ok_or(BadOptions::NoHome)?;
        let mut data = environment("POSTERN_DATA").filter(|value| !value.is_empty()).map(PathBuf::from);
        let mut settings = None;
        let mut background = false;
        let mut overview = false;
        let mut keep_page = KEEP_PAGE;
        let mut args = args.into_iter().peekable();
        while let Some(arg) = args.next() {
            match arg.to_str() {
                Some("--help" | "-h") => return Err(BadOptions::Help),
                Some("--background") => background = true,
                Some("--overview") => overview = true,
                Some("--keep-page") => {
                    let seconds = args.next().and_then(|seconds| seconds.to_str()?.parse().ok());
                    keep_page = Duration::from_secs(seconds.ok_or(BadOptions::NoTime)?);
                }
                Some("--data") => data = Some(args.next().ok_or(BadOptions::NoFolder)?.into()),
                Some("--settings") => {
                    settings =
                        Some(SettingsPage(args.next_if(is_page).and_then(|page| page.into_string().ok())));
                }
                Some(_) | None => return Err(BadOptions::Unknown(arg)),
            }
        }
        let data = data.unwrap_or_else(|| default_data_folder(&home, folder("XDG_DATA_HOME")));
        Ok(Self { data, settings, overview, background, keep_page, inherited: Vec::new() })
    }
}

/// Pages are named like agents: letters, digits, dots, dashes and underscores.
fn is_page(argument: &OsString) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    argument
        .to_str()
        .is_some_and(|text| !text.is_empty() && !text.starts_with('-') && text.chars().all(plain))
}

#[cfg(test)]
mod tests {
    use super::{AppOptions, BadOptions, SettingsPage};
    use std::ffi::OsString;
    use std::path::Path;

    fn read(args: &[&str], environment: &[(&str, &str)]) -> Result<AppOptions, BadOptions> {
        AppOptions::from_args(args.iter().map(OsString::from), |name| {
            environment.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into())
        })
    }

    #[test]
    fn an_argument_wins_over_the_environment() {
        let environment = [("HOME", "/home/kim"), ("POSTERN_DATA", "/env")];
        assert_eq!(read(&["--data", "/arg"], &environment).unwrap().data, Path::new("/arg"));
        assert_eq!(read(&[], &environment).unwrap().data, Path::new("/env"));
    }

    #[test]
    fn the_settings_open_at_a_page() {
        let settings = |args: &[&str]| read(args, &[("HOME", "/home/kim")]).map(|options| options.settings);
        assert_eq!(settings(&[]), Ok(None));
        assert_eq!(settings(&["--settings"]), Ok(Some(SettingsPage(None))));
        assert_eq!(settings(&["--settings", "builder"]), Ok(Some(SettingsPage(Some("builder".to_owned())))));
        let got = settings(&["--settings", "--data", "/arg"]);
        assert_eq!(got, Ok(Some(SettingsPage(None))), "that is an option");
        let odd = BadOptions::Unknown("a#b".into());
        assert_eq!(settings(&["--settings", "a#b"]), Err(odd), "no page is named like that");
    }

    #[test]
    fn the_settings_have_a_window_of_their_own() {
        let in_settings = |name| SettingsPage::from_name(name).is_settings();
        assert!(in_settings("privacy") && in_settings("privacy?find=Keep+the+history"));
        assert!(!in_settings("activity") && !in_settings("privacy/rules"), "agents have parts as well");
    }

    #[test]
    fn at_login_nothing_opens_by_itself() {
        let background = |args: &[&str]| read(args, &[("HOME", "/home/kim")]).unwrap().background;
        assert!(background(&["--background"]) && !background(&[]));
        let overview = |args: &[&str]| read(args, &[("HOME", "/home/kim")]).unwrap().overview;
        assert!(overview(&["--overview"]) && !overview(&[]));
    }

    #[test]
    fn the_page_is_kept_for_a_minute_or_as_long_as_is_said() {
        let kept =
            |args: &[&str]| read(args, &[("HOME", "/home/kim")]).map(|options| options.keep_page.as_secs());
        assert_eq!(kept(&[]), Ok(60));
        assert_eq!(kept(&["--keep-page", "3600"]), Ok(3600));
        for bad in [&["--keep-page"][..], &["--keep-page", "-1"], &["--keep-page", "soon"]] {
            assert_eq!(kept(bad), Err(BadOptions::NoTime));
        }
    }

    #[test]
    fn without_either_it_is_the_systems_place_for_data() {
        let data = read(&[], &[("HOME", "/home/kim")]).unwrap().data;
        let place = if cfg!(target_os = "macos") {
            "Library/Application Support/Postern"
        } else {
            ".local/share/postern"
        };
        assert_eq!(data, Path::new("/home/kim").join(place));
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        let home = [("HOME", "/home/kim")];
        assert_eq!(read(&["--overview", "--help"], &home), Err(BadOptions::Help));
        assert_eq!(read(&["--data"], &home), Err(BadOptions::NoFolder));
        assert_eq!(read(&["--dta"], &home), Err(BadOptions::Unknown("--dta".into())));
        assert_eq!(read(&[], &[("HOME", "kim")]), Err(BadOptions::NoHome), "a relative home is no home");
    }
}
