//! Profiles on macOS, as text for the system's `sandbox-exec`.
//!
//! Everything is denied that is not named. The last rule that matches decides, so what is denied inside an allowed
//! folder comes last. Paths are real paths; in patterns, letters match in both cases, as they do on the disk.

use super::denied::WithheldFiles;
use super::survey::{PlaceKind, Survey};
#[cfg(target_os = "macos")]
use super::{Aftermath, make_private_cache};
use super::{OWN_PROCESSES, UserPlaces, temporary};
use postern_policy::{
    Confinement, DEVICES, GIT_NESTS, GIT_OBEYS, INSTALLED, LETTER_GROUPS, SYSTEM_PLACES, protected_names,
    protected_places, tool_caches,
};
use std::fmt::Write as _;
use std::path::Path;

/// Longest string of a profile, in bytes.
const LONGEST: usize = 1024;

/// Pattern for folders in a folder, of any names: a dot may not match a line's end.
const BELOW: &str = "([^/]+/)*";

/// Reading: a clone is a copy of what it is made of.
const READS: &str = "file-read* file-map-executable file-clone";

/// Rules that every program needs: to start others like itself, to read the system, and to write to its streams. No
/// rule opens an app, sends an Apple event, or makes a job: what these start is not confined.
///
/// `(deny default)` leaves clones allowed, so these and links are denied by name. The system checks a clone where its original is.
///
/// Rosetta and its translations are in `/Library/Apple` and `oah`.
///
/// Terminals are the run's own, which the kernel marks when they are made. On the user's a program may change modes where
/// typing into it can be told apart.
const EVERY: &str = r#"(version 1)
(deny default)
(allow process-fork)
(allow process-exec)
(allow sysctl-read)
(allow sysctl-write (sysctl-name "kern.grade_cputype"))
(deny file-link)
(deny file-clone)
(allow file-read-metadata)
(allow file-read* (literal "/"))
(allow file-read* (subpath "/private/var/select"))
(allow file-read* (subpath "/private/var/db/timezone"))
(allow file-read* (subpath "/private/var/db/dyld"))
(allow file-read* file-map-executable (subpath "/Library/Apple"))
(allow file-read* file-map-executable (subpath "/private/var/db/oah"))
(allow file-read* (literal "/private/var/db/xcode_select_link"))
(allow file-read* file-write-data (literal "/dev/null"))
(allow file-read* file-write-data (literal "/dev/zero"))
(allow file-read* file-write-data (literal "/dev/tty"))
(allow file-read* file-write-data (literal "/dev/dtracehelper"))
(allow file-read* file-write-data file-ioctl (literal "/dev/ptmx"))
(allow file-read* file-write-data file-ioctl
  (require-all (regex "^/dev/ttys[0-9]+$") (extension "com.apple.sandbox.pty")))
(if (defined? 'TIOCSTI)
  (begin
    (allow file-ioctl (literal "/dev/tty") (regex "^/dev/ttys[0-9]+$"))
    (deny file-ioctl (ioctl-command TIOCSTI))))
(allow file-ioctl (literal "/dev/dtracehelper"))
(allow pseudo-tty)
(allow ipc-posix-sem)
(allow ipc-posix-shm-read* (ipc-posix-name "apple.shm.notification_center"))
(allow user-preference-read (preference-domain "kCFPreferencesAnyApplication"))
(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))
(allow mach-lookup (global-name "com.apple.system.opendirectoryd.membership"))
(allow mach-lookup (global-name "com.apple.system.logger"))
(allow mach-lookup (global-name "com.apple.system.notification_center"))
(allow mach-lookup (global-name "com.apple.logd"))
(allow mach-lookup (global-name "com.apple.cfprefsd.agent"))
(allow mach-lookup (global-name "com.apple.cfprefsd.daemon"))
"#;

/// Denials that `(deny default)` does not imply.
///
/// Two requests to descriptors change a file opened for reading: 80 packs it, 110 gives its blocks to another. The services of
/// frameworks and apps are not confined.
const NEVER: &str = r#"(deny mach-lookup (xpc-service-name-prefix ""))
(if (defined? 'system-fcntl) (deny system-fcntl (fcntl-command 80 110)))
(deny file-write-setugid)
"#;

/// Folders in the system's places that hold data of people and services: the data volume by its other path, and Homebrew's databases.
const DATA_IN_SYSTEM: [&str; 3] = ["/System/Volumes/Data", "/opt/homebrew/var", "/usr/local/var"];

/// Names that are looked up and certificates that are checked, for a run with network.
const NETWORK: &str = r#"(allow network-outbound (remote ip "*:*"))
(allow network-inbound (local ip "*:*"))
(allow network-bind (local ip "*:*"))
(allow network-outbound (literal "/private/var/run/mDNSResponder"))
(allow file-read* (literal "/private/var/run/resolv.conf"))
(allow system-socket (require-all (socket-domain AF_SYSTEM) (socket-protocol 2)))
(allow mach-lookup (global-name "com.apple.dnssd.service"))
(allow mach-lookup (global-name "com.apple.SystemConfiguration.configd"))
(allow mach-lookup (global-name "com.apple.SystemConfiguration.DNSConfiguration"))
(allow mach-lookup (global-name "com.apple.trustd.agent"))
"#;

/// This Mac's own ports. A filter on the local side would admit every address.
const LOOPBACK: &str = r#"(allow network-outbound (remote ip "localhost:*"))
(allow network-inbound (local ip "localhost:*"))
(allow network-bind (local ip "localhost:*"))
"#;

/// A profile, ready for `sandbox-exec`.
#[derive(Debug)]
#[cfg(target_os = "macos")]
pub struct Fence {
    pub(crate) profile: String,
    lasting: Option<Lasting>,
}

/// Work that is left until the run ended.
#[derive(Debug)]
#[cfg(target_os = "macos")]
pub struct Lasting(Aftermath);

#[cfg(target_os = "macos")]
impl Fence {
    /// Returns what lasts until the run ended.
    pub(crate) fn lasting(self) -> Option<Lasting> {
        self.lasting
    }
}

#[cfg(target_os = "macos")]
impl Lasting {
    /// Returns `Ok`: a profile goes by names, so nothing takes a pin away.
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "there are mounts elsewhere")]
    pub(crate) fn hold_pins(&self) -> Result<(), String> {
        Ok(())
    }

    /// Sets aside what the run left in protected places. Blocks.
    pub(crate) fn finish(self) -> Vec<super::SetAside> {
        self.0.set_aside()
    }
}

/// Prepares a run of these programs. The error says what is missing, and then nothing is started.
#[cfg(target_os = "macos")]
pub(crate) fn prepare(
    confinement: &Confinement,
    user: &UserPlaces,
    programs: &[&crate::resolve::HeldFile],
) -> Result<Fence, String> {
    // The system compares real paths when a file is opened: a link at one of these allows nothing else.
    let programs: Vec<&str> = programs.iter().map(|program| program.bound.real_path.as_str()).collect();
    let Confinement::Project { folders, .. } = confinement else {
        let kept = super::withheld_files(confinement, user)?;
        let profile = profile(confinement, user, &programs, "", &Survey::default(), &kept)?;
        return Ok(Fence { profile, lasting: None });
    };
    let aftermath = Aftermath::before(folders, user)?;
    let cache = make_private_cache(folders, user)?;
    let kept = super::withheld_files(confinement, user)?;
    let profile = profile(confinement, user, &programs, &cache, &aftermath.before, &kept)?;
    Ok(Fence { profile, lasting: Some(Lasting(aftermath)) })
}

/// Returns the text of a profile. `private` is the run's own cache folder.
fn profile(
    confinement: &Confinement,
    user: &UserPlaces,
    programs: &[&str],
    private: &str,
    survey: &Survey,
    kept: &WithheldFiles,
) -> Result<String, String> {
    let mut text = ProfileText([EVERY, OWN_PROCESSES].concat());
    let devices = DEVICES.iter().filter(|device| !device.ends_with("/fd"));
    text.add_rules("allow file-read*", "literal", devices.copied())?;
    // `/dev/stderr` leads there. A descriptor is opened for no more than it is open for.
    text.add_rules("allow file-read* file-write-data", "subpath", ["/dev/fd"].into_iter())?;
    let below = |place: &&str| format!("{}/{place}", user.home);
    let installed: Vec<String> = INSTALLED.iter().map(below).collect();
    let places = SYSTEM_PLACES
        .iter()
        .copied()
        .chain(installed.iter().map(String::as_str))
        .chain(programs.iter().copied());
    let places: Vec<&str> = places.collect();
    let readable = format!("allow {READS}");
    text.add_rules(&readable, "subpath", places.into_iter())?;
    // A folder of the run may lie there.
    text.add_rules(&format!("deny {READS}"), "subpath", DATA_IN_SYSTEM.into_iter())?;
    let folders = confinement.folders().iter().map(String::as_str);
    text.add_rules(&readable, "subpath", folders.clone())?;
    let reads = confinement.read_folders().iter().map(String::as_str);
    text.add_rules("allow file-read* file-clone", "subpath", reads)?;
    if let Confinement::Project { network, loopback, caches, folders: tops, .. } = confinement {
        let caches = tool_caches(caches).flat_map(|cache| cache.reads).map(below);
        let caches: Vec<String> = caches.collect();
        text.add_rules(&readable, "subpath", caches.iter().map(String::as_str))?;
        let temporary = temporary(private);
        let own = [private, &temporary];
        text.add_rules(&readable, "subpath", own.into_iter())?;
        text.add_rules("allow file-write*", "subpath", folders.clone().chain(own))?;
        // Nothing takes the place of a folder: a link there would lead the next run elsewhere.
        text.add_rules("deny file-write-create file-write-unlink", "literal", folders.chain(own))?;
        text.protect(tops, survey)?;
        if *network {
            text.0.push_str(NETWORK);
        }
        if *loopback {
            text.0.push_str(LOOPBACK);
        }
    }
    let hidden = format!("deny {READS} file-write*");
    for place in protected_places(&user.home, &user.data) {
        for kind in ["literal", "subpath"] {
            text.add_rules(&hidden, kind, [place.as_str()].into_iter())?;
        }
    }
    text.withhold(kept, confinement.folders(), &hidden)?;
    text.0.push_str(NEVER);
    Ok(text.0)
}

struct ProfileText(String);

impl ProfileText {
    /// Adds one rule a path.
    fn add_rules<'p>(
        &mut self,
        rule: &str,
        filter: &str,
        paths: impl Iterator<Item = &'p str>,
    ) -> Result<(), String> {
        for path in paths {
            let quoted = quoted(path)?;
            // Writing into a String cannot fail.
            _ = writeln!(self.0, "({rule} ({filter} {quoted}))");
        }
        Ok(())
    }

    /// Denies writing the protected places in these folders, at any depth and whether they exist or not, and moving
    /// the folders that hold them.
    fn protect(&mut self, folders: &[String], survey: &Survey) -> Result<(), String> {
        for folder in folders {
            let folder = pattern(folder);
            for name in protected_names().filter(|name| *name != ".git") {
                self.pattern("deny file-write*", &format!("^{folder}/{BELOW}{}(/|$)", name_pattern(name)))?;
            }
            let workspace = name_pattern(".code-workspace");
            self.pattern("deny file-write*", &format!("^{folder}/{BELOW}[^/]*{workspace}(/|$)"))?;
            self.pattern(
                "deny file-write-create file-write-unlink",
                &format!("^{folder}/{BELOW}{}$", name_pattern(".git")),
            )?;
            let obeyed: Vec<String> = GIT_OBEYS.iter().map(|(name, _)| name_pattern(name)).collect();
            let nests: Vec<String> =
                GIT_NESTS.iter().map(|name| format!("{}/([^/]+/)*[^/]+", name_pattern(name))).collect();
            let in_git = format!(
                "^{folder}/{BELOW}[^/]*{}/(({})/)?({})(/|$)",
                name_pattern(".git"),
                nests.join("|"),
                obeyed.join("|")
            );
            self.pattern("deny file-write*", &in_git)?;
        }
        for (place, kind) in &survey.places {
            if matches!(kind, PlaceKind::GitState(_)) {
                continue;
            }
            let place = place.to_str().ok_or("a protected place has a name that is no text")?;
            for filter in ["literal", "subpath"] {
                self.add_rules("deny file-write*", filter, [place].into_iter())?;
            }
            if let PlaceKind::Link(_) = kind
                && let Some(target) = Path::new(place).canonicalize().ok().as_deref().and_then(Path::to_str)
            {
                self.add_rules("deny file-write*", "subpath", [target].into_iter())?;
            }
            self.keep_parents(place, folders)?;
        }
        Ok(())
    }

    /// Denies what deny rules name. `hidden` is the rule for what may not be read.
    fn withhold(&mut self, kept: &WithheldFiles, folders: &[String], hidden: &str) -> Result<(), String> {
        for (rule, places) in [("deny file-write*", &kept.pinned), (hidden, &kept.hidden)] {
            for place in places {
                let place =
                    place.to_str().ok_or("a file that a deny rule names has a name that is no text")?;
                for filter in ["literal", "subpath"] {
                    self.add_rules(rule, filter, [place].into_iter())?;
                }
                self.keep_parents(place, folders)?;
            }
        }
        Ok(())
    }

    /// Denies moving the folders that hold a place.
    fn keep_parents(&mut self, place: &str, folders: &[String]) -> Result<(), String> {
        let parents = Path::new(place).ancestors().skip(1);
        let inside = |parent: &&Path| folders.iter().any(|top| parent.starts_with(top));
        let parents = parents.filter(inside).filter_map(Path::to_str);
        self.add_rules("deny file-write-unlink", "literal", parents)
    }

    fn pattern(&mut self, rule: &str, pattern: &str) -> Result<(), String> {
        self.add_rules(rule, "regex", [pattern].into_iter())
    }
}

/// Returns a string of the profile's language.
fn quoted(text: &str) -> Result<String, String> {
    if text.len() > LONGEST {
        return Err(format!("a path of {} bytes is too long for a profile", text.len()));
    }
    if text.chars().any(char::is_control) {
        return Err("a path with control characters cannot be confined".to_owned());
    }
    Ok(format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")))
}

/// Returns a pattern for exactly this text, in any case.
fn pattern(text: &str) -> String {
    let mut pattern = String::new();
    for letter in text.chars() {
        let (lower, upper) = (letter.to_ascii_lowercase(), letter.to_ascii_uppercase());
        if lower != upper {
            pattern.extend(['[', lower, upper, ']']);
        } else if letter.is_ascii_punctuation() && letter != '/' {
            pattern.extend(['\\', letter]);
        } else {
            pattern.push(letter);
        }
    }
    pattern
}

/// Returns a pattern for a name in every spelling that leads to it. Of a new name, the system does not know yet which one is
/// stored.
fn name_pattern(name: &str) -> String {
    let Some(letter) = name.chars().next() else { return String::new() };
    let (first, rest) = name.split_at(letter.len_utf8());
    let begins = |group: &str| name.get(..group.len()).is_some_and(|own| own.eq_ignore_ascii_case(group));
    let (single, several): (Vec<_>, Vec<_>) =
        LETTER_GROUPS.iter().filter(|(_, group)| begins(group)).partition(|(_, group)| group.len() == 1);
    let first = single.iter().fold(pattern(first), |own, (other, _)| format!("({own}|{other})"));
    let mut spellings = vec![first + &name_pattern(rest)];
    let others = several.iter().map(|(other, group)| (other, name.split_at(group.len()).1));
    spellings.extend(others.map(|(other, rest)| format!("{other}{}", name_pattern(rest))));
    if spellings.len() == 1 { spellings.remove(0) } else { format!("({})", spellings.join("|")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn user() -> UserPlaces {
        UserPlaces {
            home: "/Users/u".to_owned(),
            data: "/Users/u/Library/Application Support/Postern".to_owned(),
        }
    }

    fn text(confinement: &Confinement) -> String {
        let places = [(PathBuf::from("/Users/u/p/a/.vscode"), PlaceKind::Plain)].into();
        let survey = Survey { places, ..Survey::default() };
        let kept = WithheldFiles {
            hidden: [PathBuf::from("/Users/u/p/b/.env")].into(),
            pinned: [PathBuf::from("/Users/u/p/x.lock")].into(),
        };
        profile(confinement, &user(), &["/opt/x"], "/Users/u/Library/Caches/postern/1", &survey, &kept)
            .unwrap()
    }

    fn project() -> Confinement {
        Confinement::project(vec!["/Users/u/p".to_owned()], false, false)
    }

    #[test]
    fn everything_is_denied_that_is_not_named() {
        for confinement in [Confinement::look_only(vec!["/Users/u/p".to_owned()]), project()] {
            let text = text(&confinement);
            assert!(text.starts_with("(version 1)\n(deny default)\n"), "{text}");
            for never in [
                "lsopen", "appleevent", "job-creation", "launchservices", "SecurityServer", "pasteboard",
                "allow default", "user-preference-write", "allow network", "mach-register", "diagnosticd",
            ] {
                assert!(!text.contains(never), "{never}");
            }
            for always in [
                "(deny file-link)",
                "(deny file-clone)",
                "(deny mach-lookup (xpc-service-name-prefix \"\"))",
                "(deny system-fcntl (fcntl-command 80 110))",
                "(deny file-write-setugid)",
                "(deny file-read* file-map-executable file-clone (subpath \"/System/Volumes/Data\"))",
                "(deny file-read* file-map-executable file-clone (subpath \"/opt/homebrew/var\"))",
                "(deny process-info-pidinfo)",
                "(deny sysctl-read (sysctl-name-prefix \"kern.procargs\"))",
                "(deny file-ioctl (ioctl-command TIOCSTI))",
                "(allow file-read* file-write-data (subpath \"/dev/fd\"))",
                "(extension \"com.apple.sandbox.pty\")",
                "(deny file-read* file-map-executable file-clone file-write* (subpath \"/Users/u/.ssh\"))",
            ] {
                assert!(text.contains(always), "{always}");
            }
            let opened = text.matches('(').count() - text.matches("\\\\(").count();
            let closed = text.matches(')').count() - text.matches("\\\\)").count();
            assert_eq!(opened, closed, "its lists are closed");
        }
    }

    #[test]
    fn look_writes_nothing_and_keys_are_denied_last() {
        let text = text(&Confinement::look_only(vec!["/Users/u".to_owned()]));
        assert!(!text.contains("allow file-write*"), "{text}");
        let allowed =
            text.find("(allow file-read* file-map-executable file-clone (subpath \"/Users/u\"))").unwrap();
        let hidden = |place: &str| {
            let rule =
                format!("(deny file-read* file-map-executable file-clone file-write* (subpath \"{place}\"))");
            text.find(&rule).unwrap_or_else(|| panic!("{rule}: {text}"))
        };
        assert!(allowed < hidden("/Users/u/.ssh"), "the last rule decides");
        hidden("/Users/u/Library/Application Support/Postern");
    }

    #[test]
    fn project_writes_its_folders_and_no_protected_place() {
        let text = text(&project());
        let allowed = text.find("(allow file-write* (subpath \"/Users/u/p\"))").unwrap();
        let denied = text.find("\\\\.[cC][lL][aA][uU][dD][eE](/|$)\"").unwrap();
        assert!(allowed < denied, "the last rule decides");
        for part in [
            "(deny file-write-create file-write-unlink (regex \"^/[uU][sS][eE][rR][sS]/[uU]/[pP]/([^/]+/)*\\\\.[gG][iI][tT]$\"))",
            "[hH][oO][oO]([kK]|\u{212a})([sS]|\u{17f})",
            "\\\\.[vV]([sS]|\u{17f})[cC][oO][dD][eE]",
            "([fF][iI][gG]|\u{fb01}[gG])",
            "/([^/]+/)*[^/]*\\\\.[cC][oO][dD][eE]\\\\-[wW][oO][rR]([kK]|\u{212a})([sS]|\u{17f})[pP][aA][cC][eE](/|$)",
            "[cC][oO][mM][mM][oO][nN][dD][iI][rR]",
            "(deny file-write-unlink (literal \"/Users/u/p/a\"))",
            "(deny file-write-unlink (literal \"/Users/u/p\"))",
            "(deny file-write* (subpath \"/Users/u/p/a/.vscode\"))",
            "(deny file-read* file-map-executable file-clone file-write* (literal \"/Users/u/p/b/.env\"))",
            "(deny file-write-create file-write-unlink (literal \"/Users/u/p\"))",
            "(deny file-write-create file-write-unlink (literal \"/Users/u/Library/Caches/postern/1\"))",
            "(deny file-write-create file-write-unlink (literal \"/Users/u/Library/Caches/postern/1.tmp\"))",
            "(deny file-write-unlink (literal \"/Users/u/p/b\"))",
            "(deny file-write* (literal \"/Users/u/p/x.lock\"))",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("network"), "{text}");
    }

    #[test]
    fn network_and_loopback_are_switches_of_their_own() {
        let of = |network, loopback| {
            text(&Confinement::Project {
                folders: vec!["/Users/u/p".to_owned()],
                network,
                loopback,
                reads: Vec::new(),
                denied: postern_policy::Denied::default(),
                caches: Vec::new(),
            })
        };
        assert!(of(true, false).contains("(remote ip \"*:*\")") && !of(true, false).contains("localhost"));
        assert!(of(false, true).contains("(remote ip \"localhost:*\")"));
        assert!(!of(false, true).contains("*:*\""));
        assert!(!of(false, false).contains("mDNSResponder") && of(true, false).contains("mDNSResponder"));
    }

    #[test]
    fn a_path_is_data() {
        assert_eq!(quoted("/a\"b\\c").unwrap(), "\"/a\\\"b\\\\c\"");
        assert!(quoted("/a\nb").is_err() && quoted(&"a".repeat(1025)).is_err());
        assert_eq!(pattern("/a[b.c"), "/[aA]\\[[bB]\\.[cC]");
        assert_eq!(name_pattern("a.st"), "[aA]\\.(([sS]|\u{17f})[tT]|\u{fb05}|\u{fb06})");
        let folders = vec!["/Users/u/x\")(allow default)(\"".to_owned()];
        let text = text(&Confinement::look_only(folders));
        assert!(text.contains("(subpath \"/Users/u/x\\\")(allow default)(\\\"\"))"), "{text}");
    }
}
