//! Programs that a skill may bring: never one that runs other programs or code.

use crate::path::{base_name, fold_case};
use postern_command::{ProgramClass, class_of};

/// Programs that run others' code, change installed software or reach other machines.
const NEVER: [&str; 60] = [
    "git", "hg", "svn", "jj", "gh", "glab", "docker", "podman", "nerdctl", "kubectl", "helm", "limactl",
    "colima", "brew", "port", "apt", "apt-get", "dpkg", "dnf", "yum", "rpm", "pacman", "apk", "zypper",
    "nix", "nix-env", "nix-shell", "snap", "flatpak", "npm", "npx", "pnpm", "pnpx", "yarn", "bun", "bunx",
    "pip", "pipx", "uv", "uvx", "poetry", "conda", "mamba", "cargo", "rustup", "go", "gem", "bundle",
    "composer", "mvn", "gradle", "make", "cmake", "ninja", "mise", "asdf", "curl", "wget", "launchctl",
    "systemctl",
];

/// Returns true if a skill's rule may allow the program at this path with any arguments. Shells, interpreters,
/// wrappers, version control, containers and package managers need rules that name their arguments.
pub fn may_serve_skill(path: &str) -> bool {
    let name = fold_case(base_name(path)).into_owned();
    let unversioned = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    class_of(&name) == ProgramClass::Ordinary
        && !NEVER.contains(&name.as_str())
        && !NEVER.contains(&unversioned)
}

#[cfg(test)]
mod tests {
    use super::may_serve_skill;

    #[test]
    fn what_runs_anything_serves_no_skill() {
        for name in ["bird", "/opt/bin/ffmpeg", "jq", "gitk"] {
            assert!(may_serve_skill(name), "{name}");
        }
        for name in [
            "git", "/usr/bin/GIT", "docker", "pip3.12", "python3", "/bin/sh", "env", "busybox", "npm",
            "node", "curl",
        ] {
            assert!(!may_serve_skill(name), "{name}");
        }
    }
}
