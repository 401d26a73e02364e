//! User of the host: name, home, shell, language, folder for temporary files. Read once, at the start.
#![expect(unsafe_code, reason = "the password database and confstr have no safe form")]

use postern_policy::environment::BaseEnvironment;
use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;
use std::ptr;

/// Facts that every run's environment is made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostUser {
    /// Login name.
    pub name: String,
    /// Home folder: absolute.
    pub home: String,
    /// Login shell.
    pub shell: String,
    /// `LANG` of a run.
    pub locale: String,
    pub tmpdir: String,
    /// `__CF_USER_TEXT_ENCODING` of a run (macOS).
    pub text_encoding: Option<String>,
    /// The environment that Postern itself was started with: an agent's settings may pass single names of it on.
    pub inherited: Vec<(String, String)>,
}

/// Reason why the user is not known.
#[derive(Debug, thiserror::Error)]
#[error("user {0} is not in the system's list of users, or has no home folder")]
pub struct UnknownUser(u32);

impl HostUser {
    /// Returns the user that this process runs as. `inherited` is the process's own environment, read once in
    /// `main`.
    ///
    /// # Errors
    /// [`UnknownUser`] where the system's list of users does not name it: then nothing can be run for it.
    pub fn current(inherited: Vec<(String, String)>) -> Result<Self, UnknownUser> {
        let uid = rustix::process::getuid().as_raw();
        let entry =
            password_entry(uid).filter(|entry| entry.home.starts_with('/')).ok_or(UnknownUser(uid))?;
        let own =
            |name: &str| inherited.iter().find(|(other, _)| other == name).map(|(_, value)| value.clone());
        let locale = own("LC_ALL").or_else(|| own("LANG")).filter(|locale| is_locale(locale));
        Ok(Self {
            locale: locale.unwrap_or_else(|| DEFAULT_LOCALE.to_owned()),
            tmpdir: tmpdir(own("TMPDIR")),
            text_encoding: cfg!(target_os = "macos").then(|| format!("0x{uid:X}:0x0:0x0")),
            name: entry.name,
            home: entry.home,
            shell: if entry.shell.starts_with('/') { entry.shell } else { "/bin/sh".to_owned() },
            inherited,
        })
    }

    /// Returns a variable of the environment that Postern itself was started with.
    pub fn inherited(&self, name: &str) -> Option<&str> {
        self.inherited.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// Returns the environment that a run in `cwd` (a real path) with programs from `search_path` starts
    /// from.
    pub fn base_environment(&self, search_path: &[String], cwd: &str) -> BaseEnvironment {
        BaseEnvironment {
            user: self.name.clone(),
            home: self.home.clone(),
            shell: self.shell.clone(),
            path: search_path.join(":"),
            tmpdir: self.tmpdir.clone(),
            lang: self.locale.clone(),
            pwd: cwd.to_owned(),
            text_encoding: self.text_encoding.clone(),
            inherited: self.inherited.clone(),
        }
    }
}

#[cfg(target_os = "macos")]
pub(crate) const DEFAULT_LOCALE: &str = "en_US.UTF-8";
#[cfg(not(target_os = "macos"))]
pub(crate) const DEFAULT_LOCALE: &str = "C.UTF-8";

/// Returns true for a locale (`de_CH.UTF-8`, `C`): nothing that could be a path or a format.
fn is_locale(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 64
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.@-".contains(&byte))
}

/// Returns the person's own folder, as the system names it.
#[cfg(target_os = "macos")]
fn tmpdir(_own: Option<String>) -> String {
    let mut path = [0_u8; 1024];
    // SAFETY: the call writes at most the bytes it is told, with a NUL at the end.
    unsafe { libc::confstr(libc::_CS_DARWIN_USER_TEMP_DIR, path.as_mut_ptr().cast(), path.len()) };
    let path = CStr::from_bytes_until_nul(&path).ok().and_then(|path| path.to_str().ok());
    path.filter(|path| path.starts_with('/')).unwrap_or("/tmp").to_owned()
}

#[cfg(not(target_os = "macos"))]
fn tmpdir(own: Option<String>) -> String {
    own.filter(|path| path.starts_with('/')).unwrap_or_else(|| "/tmp".to_owned())
}

struct PasswordEntry {
    name: String,
    home: String,
    shell: String,
}

/// Returns the user's line in the system's list of users.
fn password_entry(uid: u32) -> Option<PasswordEntry> {
    let mut strings: Vec<c_char> = vec![0; 16 * 1024];
    let mut entry = MaybeUninit::<libc::passwd>::uninit();
    let mut found = ptr::null_mut();
    // SAFETY: the call fills `entry`, whose strings lie in `strings`; `found` points to it where there is such a user.
    // All three live until the strings are copied.
    unsafe {
        let status =
            libc::getpwuid_r(uid, entry.as_mut_ptr(), strings.as_mut_ptr(), strings.len(), &raw mut found);
        if status != 0 || found.is_null() {
            return None;
        }
        let entry = entry.assume_init();
        Some(PasswordEntry {
            name: read_c_string(entry.pw_name)?,
            home: read_c_string(entry.pw_dir)?,
            shell: read_c_string(entry.pw_shell)?,
        })
    }
}

/// Reads a C string. SAFETY: `string` is NULL or ends with NUL.
unsafe fn read_c_string(string: *const c_char) -> Option<String> {
    if string.is_null() {
        return None;
    }
    // SAFETY: it is not NULL, and the caller says that it ends.
    unsafe { CStr::from_ptr(string) }.to_str().ok().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(own: &[(&str, &str)]) -> HostUser {
        HostUser::current(own.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
            .unwrap()
    }

    #[test]
    fn the_person_comes_from_the_system_and_not_from_the_environment() {
        let user = with(&[("HOME", "/evil"), ("USER", "evil"), ("SHELL", "/evil")]);
        assert!(user.home.starts_with('/') && user.shell.starts_with('/'));
        assert!(![&user.home, &user.name, &user.shell].iter().any(|value| value.contains("evil")));
    }

    #[test]
    fn a_locale_is_taken_over_only_where_it_is_one() {
        assert_eq!(with(&[("LANG", "de_CH.UTF-8")]).locale, "de_CH.UTF-8");
        assert_eq!(with(&[("LANG", "de_CH"), ("LC_ALL", "C")]).locale, "C");
        for bad in ["../../evil", "%n", ""] {
            assert_eq!(with(&[("LANG", bad)]).locale, DEFAULT_LOCALE, "{bad}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_folder_for_temporary_files_is_absolute() {
        assert_eq!(with(&[("TMPDIR", "/var/tmp")]).tmpdir, "/var/tmp");
        assert_eq!(with(&[("TMPDIR", "here")]).tmpdir, "/tmp");
    }

    #[test]
    fn a_runs_path_is_what_programs_were_looked_up_on() {
        let base = with(&[]).base_environment(&["/opt/bin".to_owned(), "/bin".to_owned()], "/there");
        assert_eq!((base.path.as_str(), base.pwd.as_str()), ("/opt/bin:/bin", "/there"));
    }
}
