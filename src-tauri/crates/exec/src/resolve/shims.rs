//! Stand-ins for developer tools. On macOS `/usr/bin/git`, `/usr/bin/python3` and some eighty others are one file, which
//! starts the tool of its name in the chosen developer folder.
//!
//! A stand-in is taken for a link to its tool: the tool is what is shown, pinned, compared and started.

use super::developer::TOOLS;
use super::held::{FileProblem, HeldFile};
use postern_policy::Authority;
use std::path::{Path, PathBuf};

/// The links that `xcode-select --switch` sets: since macOS 14, and before. The old one may be left of an upgrade.
const CHOSEN: [&str; 2] = ["/var/select/developer_dir", "/var/db/xcode_select_link"];
/// The developer folders without such a link, in the order in which they are looked for.
const DEFAULTS: [&str; 2] =
    ["/Applications/Xcode.app/Contents/Developer", "/Library/Developer/CommandLineTools"];
/// Beginning of the signing ids of all stand-ins.
const SIGNING_ID: &str = "com.apple.dt.xcode_select.tool-shim";

/// The system's stand-ins.
#[derive(Debug, Clone)]
pub(super) struct Shims {
    chosen: Vec<PathBuf>,
    defaults: Vec<PathBuf>,
    is_shim: fn(&HeldFile) -> bool,
}

impl Default for Shims {
    fn default() -> Self {
        Self {
            chosen: CHOSEN.map(PathBuf::from).to_vec(),
            defaults: DEFAULTS.map(PathBuf::from).to_vec(),
            is_shim: is_apples,
        }
    }
}

/// Returns true for a program that Apple signed as a stand-in. A claimed name is not enough.
fn is_apples(file: &HeldFile) -> bool {
    file.identity().signature.as_ref().is_some_and(|signature| {
        signature.authority == Authority::Platform && signature.signing_id.starts_with(SIGNING_ID)
    })
}

impl Shims {
    /// Returns the tool that a stand-in starts, or `None` for every other file.
    pub(super) fn tool_behind(&self, file: &HeldFile) -> Result<Option<PathBuf>, FileProblem> {
        if !(self.is_shim)(file) {
            return Ok(None);
        }
        let name = Path::new(&file.bound.real_path).file_name().unwrap_or_default();
        let tool = self.developer_folder().and_then(|folder| {
            TOOLS.iter().map(|tools| folder.join(tools).join(name)).find(|tool| tool.is_file())
        });
        let missing = || {
            let name = name.to_string_lossy();
            FileProblem::Unusable(format!(
                "is in place of a developer tool that is not installed: install {name} with xcode-select --install"
            ))
        };
        tool.map(Some).ok_or_else(missing)
    }

    fn developer_folder(&self) -> Option<PathBuf> {
        let chosen = self.chosen.iter().find_map(|link| std::fs::read_link(link).ok());
        chosen.or_else(|| self.defaults.iter().find(|folder| folder.is_dir()).cloned())
    }
}

#[cfg(test)]
mod tests {
    use super::Shims;
    use crate::identity::Identities;
    use crate::resolve::held::Purpose;
    use crate::resolve::{Cwd, FileLookup, HeldFile, LookupContext, Resolver};
    use crate::tests::write_file;
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    /// Developer tools as on a Mac: a stand-in with two names, and the tools of two developer folders.
    struct Mac(tempfile::TempDir);

    impl Mac {
        fn new() -> Self {
            let mac = Self(tempfile::tempdir().unwrap());
            mac.program("bin/git", "stand-in");
            fs::hard_link(mac.path("bin/git"), mac.path("bin/python3")).unwrap();
            mac.program("CommandLineTools/usr/bin/git", "git of the tools");
            mac.program("Xcode/Toolchains/XcodeDefault.xctoolchain/usr/bin/git", "git of Xcode");
            symlink(mac.path("CommandLineTools"), mac.path("chosen")).unwrap();
            mac
        }

        fn path(&self, name: &str) -> std::path::PathBuf {
            self.0.path().canonicalize().unwrap().join(name)
        }

        fn program(&self, name: &str, content: &str) {
            write_file(&self.path(name), &format!("#!/bin/sh\n# {content}\n"), 0o755);
        }

        fn resolver(&self) -> Resolver {
            let shims = Shims {
                chosen: vec![self.path("chosen since macOS 14"), self.path("chosen")],
                defaults: vec![self.path("none"), self.path("Xcode")],
                is_shim: |file| file.links > 1,
            };
            Resolver { shims, ..Resolver::new() }
        }

        fn find(&self, name: &str) -> FileLookup {
            let bin = [self.path("bin").to_str().unwrap().to_owned()];
            self.resolver().look_up(
                name,
                &LookupContext { folder: self.path(""), search_path: &bin, shell_path: &[], known: None },
            )
        }
    }

    fn found(found: FileLookup) -> std::sync::Arc<HeldFile> {
        match found {
            FileLookup::File(file) => file,
            FileLookup::Unusable(path, what) => panic!("{} {what}", path.display()),
            FileLookup::Nothing => panic!("nothing was found"),
        }
    }

    #[test]
    fn a_stand_in_is_a_link_to_its_tool_in_the_chosen_folder() {
        let mac = Mac::new();
        let stand_in = mac.path("bin/git").to_str().unwrap().to_owned();
        for name in ["git", stand_in.as_str()] {
            let git = found(mac.find(name));
            assert_eq!(git.bound.path, stand_in, "a rule that names it goes on");
            let tool = mac.path("CommandLineTools/usr/bin/git");
            assert_eq!(Path::new(&git.bound.real_path), tool, "the tool is shown");
            assert_eq!(git.path, tool, "and started");
            let alone = HeldFile::open(&tool, Purpose::Program, &Identities::new()).unwrap();
            fs::create_dir_all(mac.path("CommandLineTools/SDKs/MacOSX.sdk")).unwrap();
            let sdk = mac.path("CommandLineTools/SDKs/MacOSX.sdk");
            assert_eq!(
                (git.sdk_root().as_deref(), alone.sdk_root()),
                (sdk.to_str(), None),
                "as its stand-in sets it"
            );
            assert_eq!(git.identity(), alone.identity(), "and pinned, not the file of eighty names");
        }
    }

    #[test]
    fn another_choice_is_another_program() {
        let mac = Mac::new();
        let before = found(mac.find("git"));
        fs::remove_file(mac.path("chosen")).unwrap();
        let after = found(mac.find("git"));
        assert!(after.bound.real_path.contains("/Xcode/Toolchains/"), "{}", after.bound.real_path);
        assert_ne!(before.identity().sha256, after.identity().sha256, "a rule for the first asks again");
    }

    #[test]
    fn a_choice_of_before_an_upgrade_counts_no_more() {
        let mac = Mac::new();
        symlink(mac.path("Xcode"), mac.path("chosen since macOS 14")).unwrap();
        let git = found(mac.find("git"));
        assert!(git.bound.real_path.contains("/Xcode/Toolchains/"), "{}", git.bound.real_path);
    }

    #[test]
    fn a_stand_in_without_its_tool_is_not_started() {
        let mac = Mac::new();
        let FileLookup::Unusable(_, what) = mac.find("python3") else {
            panic!("it would start an installer")
        };
        assert!(what.contains("xcode-select --install"), "{what}");
    }

    #[test]
    fn a_name_that_only_claims_to_be_apples_is_no_stand_in() {
        let mac = Mac::new();
        let git = found(Resolver::new().look_up(
            mac.path("bin/git").to_str().unwrap(),
            &LookupContext { folder: "/".into(), search_path: &[], shell_path: &[], known: None },
        ));
        assert_eq!(git.bound.path, git.bound.real_path);
    }

    #[test]
    #[ignore = "needs a Mac with developer tools"]
    fn mac_git_and_python3_are_their_tools() {
        let cwd = Cwd::open("/").unwrap();
        let (git, python) = (
            Resolver::new().look_up_program("git", &cwd, &["/usr/bin".to_owned()]),
            Resolver::new().identify("/usr/bin/python3"),
        );
        for lookup in [git, python] {
            let postern_policy::Lookup::Found(program) = lookup else { panic!("{lookup:?}") };
            assert!(program.path.starts_with("/usr/bin/"), "{}", program.path);
            assert!(!program.real_path.starts_with("/usr/bin/"), "{}", program.real_path);
        }
    }
}
