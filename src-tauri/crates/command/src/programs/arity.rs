//! How many words are the command: `git push origin main` is `git push`, `npm run build` is all three.

/// Two words are the command.
const TWO: &[&str] = &[
    "git",
    "npm",
    "bun",
    "docker",
    "cargo",
    "kubectl",
    "pip",
    "pnpm",
    "yarn",
    "terraform",
    "systemctl",
    "bunx",
    "go",
    "brew",
    "podman",
    "helm",
    "uv",
    "poetry",
    "pip3",
    "deno",
    "swift",
    "launchctl",
    "defaults",
    "apt",
    "apt-get",
    "gem",
    "bundle",
    "rustup",
    "xcodebuild",
    "make",
    "just",
    "tmux",
    "hg",
    "svn",
];

/// Three words are the command, where these two begin it.
const THREE: &[(&str, &str)] = &[
    ("npm", "run"),
    ("bun", "run"),
    ("pnpm", "run"),
    ("yarn", "run"),
    ("docker", "compose"),
    ("docker", "container"),
    ("docker", "image"),
    ("git", "remote"),
    ("git", "stash"),
    ("git", "worktree"),
    ("git", "submodule"),
    ("git", "bisect"),
    ("uv", "pip"),
    ("go", "mod"),
    ("kubectl", "rollout"),
    ("kubectl", "config"),
];

/// Three words are the command, whatever the second.
const ALWAYS_THREE: &[&str] = &["aws", "gcloud", "gh", "az"];

/// How many words of the argv are the command (source 4's table, and a few more); at least 1, at most its length.
pub fn arity(argv: &[&str]) -> usize {
    let Some(program) = argv.first() else { return 0 };
    let name = super::family(program);
    let second = argv.get(1).copied().unwrap_or_default();
    let words = if ALWAYS_THREE.contains(&name.as_str()) || THREE.contains(&(name.as_str(), second)) {
        3
    } else if TWO.contains(&name.as_str()) {
        2
    } else {
        1
    };
    words.min(argv.len())
}

#[cfg(test)]
mod tests {
    use super::arity;

    #[test]
    fn the_table_of_the_source() {
        for (argv, words) in [
            (&["git", "push", "origin", "main"][..], 2),
            (&["npm", "run", "build"], 3),
            (&["npm", "test"], 2),
            (&["cat", "README.md"], 1),
            (&["docker", "compose", "up", "-d"], 3),
            (&["gh", "pr", "view", "1"], 3),
            (&["git", "stash", "pop"], 3),
            (&["git"], 1),
            (&["/usr/bin/git", "status"], 2),
            (&[], 0),
        ] {
            assert_eq!(arity(argv), words, "{argv:?}");
        }
    }
}
