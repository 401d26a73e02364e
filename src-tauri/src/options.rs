//! What the app was started with.

use std::ffi::OsString;
use std::path::PathBuf;

/// Where things are. Read once from arguments and environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The data folder.
    pub data: PathBuf,
    /// Open the settings window at once.
    pub settings: bool,
    /// The environment that the app was started with: an agent's settings may pass single names of it on.
    pub inherited: Vec<(String, String)>,
}

/// Why the app cannot start with what it was given.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadOptions {
    /// An argument that is not known.
    #[error("{0:?} is not an option: --data DIR and --settings are")]
    Unknown(OsString),
    /// `--data` without a folder.
    #[error("--data needs a folder")]
    NoFolder,
    /// No home folder to be found.
    #[error("HOME is not set to an absolute path")]
    NoHome,
}

impl Options {
    /// Reads arguments (without the program's name) and the environment. `--data DIR` wins over `POSTERN_DATA`.
    pub fn read(
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
        let mut settings = false;
        let mut args = args.into_iter();
        while let Some(arg) = args.next() {
            match arg.to_str() {
                Some("--data") => data = Some(args.next().ok_or(BadOptions::NoFolder)?.into()),
                Some("--settings") => settings = true,
                Some(_) | None => return Err(BadOptions::Unknown(arg)),
            }
        }
        let data = data.unwrap_or_else(|| {
            if cfg!(target_os = "macos") {
                home.join("Library/Application Support/Postern")
            } else {
                folder("XDG_DATA_HOME").unwrap_or_else(|| home.join(".local/share")).join("postern")
            }
        });
        Ok(Self { data, settings, inherited: Vec::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::{BadOptions, Options};
    use std::ffi::OsString;
    use std::path::Path;

    fn read(args: &[&str], environment: &[(&str, &str)]) -> Result<Options, BadOptions> {
        Options::read(args.iter().map(OsString::from), |name| {
            environment.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into())
        })
    }

    #[test]
    fn an_argument_wins_over_the_environment() {
        let environment = [("HOME", "/home/kim"), ("POSTERN_DATA", "/env")];
        assert_eq!(read(&["--data", "/arg"], &environment).unwrap().data, Path::new("/arg"));
        assert_eq!(read(&[], &environment).unwrap().data, Path::new("/env"));
        assert!(read(&["--settings"], &environment).unwrap().settings);
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
        assert_eq!(read(&["--data"], &home), Err(BadOptions::NoFolder));
        assert_eq!(read(&["--dta"], &home), Err(BadOptions::Unknown("--dta".into())));
        assert_eq!(read(&[], &[("HOME", "kim")]), Err(BadOptions::NoHome), "a relative home is no home");
    }
}
