//! Files that shells, git, agents, editors and tools read or run by themselves, by their names in any folder.
//!
//! All are in lower case. What a program puts there is told, and the policy protects most of them.

/// Start files of shells, and of programs that take one from the folder in which they start.
///
/// Those of shells count in any folder, because folders of dotfiles are linked into the home folder.
pub const START_FILES: &[&str] = &[
    ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".bashrc", ".bash_profile", ".bash_login",
    ".bash_logout", ".bash_aliases", ".profile", ".kshrc", ".mkshrc", ".cshrc", ".tcshrc", ".inputrc",
    ".envrc", "mise.toml", ".mise.toml", "mise.local.toml", ".mise.local.toml", ".mise/config.toml",
    "mise/config.toml", ".mise/config.local.toml", "mise/config.local.toml", "mise/conf.d",
    // mise runs what a template in it says (<https://mise.jdx.dev/templates.html>).
    ".tool-versions", ".exrc", ".vimrc", ".gvimrc", ".nvimrc", ".nvim.lua", ".dir-locals.el",
    ".dir-locals-2.el", ".irbrc", ".pryrc", ".pdbrc", ".rprofile", ".renviron", ".rdata", ".octaverc",
    ".ocamlinit", ".erlang", ".perldb", ".byebugrc", ".rdbgrc", ".rdbgrc.rb", ".iex.exs", ".ghci",
];

/// Files that git and others like it run or obey, and what the usual hooks run. `.git` may be a file that leads elsewhere.
pub const OF_REPOSITORIES: &[&str] = &[
    ".git", ".gitmodules",
    // It names where `git push` and `git pull` send and get files (git-lfs-config(5)).
    ".lfsconfig", ".husky", ".githooks", ".lefthook", "lefthook.yml", "lefthook.yaml", "lefthook.toml",
    "lefthook.json", ".lefthook.yml", ".lefthook.yaml", ".lefthook.toml", ".lefthook.json",
    "lefthook-local.yml", "lefthook-local.yaml", "lefthook-local.toml", "lefthook-local.json",
    ".lefthook-local.yml", ".lefthook-local.yaml", ".lefthook-local.toml", ".lefthook-local.json",
    ".pre-commit-config.yaml", "prek.toml", ".overcommit.yml", ".local-overcommit.yml", "captainhook.json",
    "grumphp.yml", "hk.pkl", "hk.local.pkl", ".huskyrc", ".huskyrc.json", ".huskyrc.js", "husky.config.js",
    "rusty-hook.toml", ".rusty-hook.toml", ".gitlint", ".gitconfig", ".hg/hgrc", ".hg/hgrc-not-shared",
    ".hg/sharedpath", ".sl/config", ".jj/repo/config.toml", ".pijul/config", "_darcs/prefs/defaults",
];

/// Settings, hooks and servers of agents and editors: they start programs, and could remove Postern's hook.
pub const OF_AGENTS: &[&str] = &[
    ".claude", ".claude.json", ".mcp.json", ".codex", ".agents", ".cursor", ".cursorrules", ".gemini",
    ".openclaw", ".windsurf", ".codeium", ".cline", ".clinerules", ".kiro", ".opencode", "opencode.json",
    "opencode.jsonc", ".copilot", ".continue", ".aider.conf.yml", ".github/hooks", ".vscode", ".idea",
    ".devcontainer", ".devcontainer.json",
];

/// Settings of agents and editors that few people have.
pub const OF_RARE_AGENTS: &[&str] = &[
    ".zed", ".helix", ".roo", ".kilocode", ".qwen", ".factory", ".amazonq", ".trae", ".junie", ".amp",
    ".augment", ".pi", ".qoder", ".openhands", ".vibe", ".grok", "crush.json", ".crush.json", ".theia",
    ".fleet", ".nova", ".vs", ".goose", ".ai/mcp",
];

/// Settings by which package managers and other tools run or fetch something else.
const OF_TOOLS: &[&str] =
    &[".npmrc", ".cargo", ".gitattributes", ".ssh", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs"];

/// Ending of the files with which VS Code and editors made of it open several folders: settings and tasks, as in `.vscode`.
const WORKSPACE: &str = ".code-workspace";

/// Returns true for the name of a file with which VS Code opens several folders.
pub fn is_workspace_file(name: &str) -> bool {
    let end = name.len().checked_sub(WORKSPACE.len()).and_then(|at| name.get(at..));
    end.is_some_and(|end| end.eq_ignore_ascii_case(WORKSPACE))
}

/// Returns true if a path is one of them, or lies in one.
pub(crate) fn is_obeyed(path: &str) -> bool {
    let all = || [START_FILES, OF_REPOSITORIES, OF_AGENTS, OF_RARE_AGENTS, OF_TOOLS].into_iter().flatten();
    let starts = std::iter::once(0).chain(path.match_indices('/').map(|(at, _)| at + 1));
    starts.filter_map(|at| path.get(at..)).any(|rest| all().any(|name| begins_with(rest, name)))
        || path.split('/').any(is_workspace_file)
}

/// Returns true if a path begins with these names, ignoring case.
pub fn begins_with(path: &str, names: &str) -> bool {
    let (path, names) = (path.as_bytes(), names.as_bytes());
    path.len() >= names.len()
        && path[..names.len()].eq_ignore_ascii_case(names)
        && matches!(path.get(names.len()), None | Some(b'/'))
}

#[cfg(test)]
mod tests {
    use super::is_obeyed;

    #[test]
    fn a_path_is_obeyed_by_any_of_its_names() {
        for path in [
            ".envrc", "a/.Cursor/rules/x", ".codex/config.toml", "./.git", ".github/hooks/x.json",
            "sub/lefthook.yml", "mise.toml", ".npmrc", "sub/Site.code-workspace",
        ] {
            assert!(is_obeyed(path), "{path}");
        }
        for path in
            ["", "envrc", ".envrc.example", ".github/workflows/ci.yml", "x.git", "a/.gitignore", "\u{fe}"]
        {
            assert!(!is_obeyed(path), "{path}");
        }
    }
}
