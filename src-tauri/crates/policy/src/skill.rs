//! Which programs a skill may bring: never one that runs whatever it is told.

use crate::path::{base_name, fold};
use postern_command::{Class, class_of};

/// Programs that run code of others, change what is installed or reach other machines, whatever a skill wants them for.
const NEVER: [&str; 60] = [
    "git",
    "hg",
    "svn",
    "jj",
    "gh",
    "glab",
    "docker",
    "podman",
    "nerdctl",
    "kubectl",
    "helm",
    "limactl",
    "colima",
    "brew",
    "port",
    "apt",
    "apt-get",
    "dpkg",
    "dnf",
    "yum",
    "rpm",
    "pacman",
    "apk",
    "zypper",
    "nix",
    "nix-env",
    "nix-shell",
    "snap",
    "flatpak",
    "npm",
    "npx",
    "pnpm",
    "pnpx",
    "yarn",
    "bun",
    "bunx",
    "pip",
    "pipx",
    "uv",
    "uvx",
    "poetry",
    "conda",
    "mamba",
    "cargo",
    "rustup",
    "go",
    "gem",
    "bundle",
    "composer",
    "mvn",
    "gradle",
    "make",
    "cmake",
    "ninja",
    "mise",
    "asdf",
    "curl",
    "wget",
    "launchctl",
    "systemctl",
];

/// Whether a skill's rule may allow the program at this path with any arguments: not a shell, an interpreter, a wrapper,
/// a version control system, a container or a package manager. Those are allowed by rules that name their arguments.
pub fn may_serve_skill(path: &str) -> bool {
    let name = fold(base_name(path)).into_owned();
    let unversioned = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    class_of(&name) == Class::Ordinary && !NEVER.contains(&name.as_str()) && !NEVER.contains(&unversioned)
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
            "git",
            "/usr/bin/GIT",
            "docker",
            "pip3.12",
            "python3",
            "/bin/sh",
            "env",
            "busybox",
            "npm",
            "node",
            "curl",
        ] {
            assert!(!may_serve_skill(name), "{name}");
        }
    }
}
