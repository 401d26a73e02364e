use super::places::PLACES;
use super::{ProtectedPlace, ProtectedPlaces, Protection, Root};
use proptest::prelude::*;

const HOME: &str = "/Users/u";

fn protected() -> ProtectedPlaces {
    ProtectedPlaces::new(HOME, |path| match path {
        "/Users/u/.vimrc" => Some("/Users/u/dotfiles/vimrc".to_owned()),
        _ => None,
    })
}

fn why(path: &str) -> Vec<Protection> {
    protected().places_at(path).iter().map(|place| place.protection).collect()
}

#[test]
fn a_path_in_a_protected_place_is_found_in_every_spelling() {
    use Protection::{AgentSettings, Autostart, Keys, Repository, StartFile};
    let found: [(Protection, &[&str]); 5] = [
        (
            StartFile,
            &[
                "/Users/u/.zshrc", "/users/U/.ZSHRC", "/Users/u/x/../.zshrc",
                "/Users/u//.config/fish/conf.d/x.fish", "/System/Volumes/Data/Users/u/.zshrc",
                "/Users/u/.z\u{200c}shrc", "/Users/u/dotfiles/vimrc", "/private/etc/sudoers.d/x",
                "/Users/u/p/.tool-versions", "/Users/u/p/.vimrc",
            ],
        ),
        (
            Keys,
            &[
                "/proc/self/root/Users/u/.ssh/config", "/Users/u/.ssh", "/Users/u/.ssh/authorized_keys",
                "/Users/u/.docker/config.json", "/Users/u/Library/Keychains/login.keychain-db",
            ],
        ),
        (Autostart, &["/Users/u/Library/LaunchAgents/x.plist", "/Users/u/.config/systemd/user/x.service"]),
        (
            Repository,
            &[
                "/Users/u/p/.git", "/Users/u/p/.GIT/hooks/pre-commit", "/Users/u/p/vendor/q/.git/config",
                "/Users/u/p/.git/worktrees/w/commondir", "/srv/p.git/hooks/update", "/Users/u/.gitconfig",
                "/Users/u/p/.hg/hgrc", "/Users/u/p/.jj/repo/config.toml",
                "/Users/u/p/.claude/worktrees/w/.git/config",
            ],
        ),
        (
            AgentSettings,
            &[
                "/Users/u/p/.claude/settings.json", "/Users/u/.claude/settings.json", "/Users/u/p/.mcp.json",
                "/Users/u/p/.vscode/tasks.json", "/Users/u/p/.github/hooks/postern.json",
                "/Users/u/p/.junie/mcp/mcp.json", "/Users/u/p/Site.code-workspace",
                "/Users/u/p/.claude/worktrees/w/.claude/settings.json",
            ],
        ),
    ];
    for (expected, paths) in found {
        for path in paths {
            assert_eq!(why(path).first(), Some(&expected), "{path}");
        }
    }
}

#[test]
fn no_first_name_of_a_place_is_too_long_to_be_looked_for() {
    for place in PLACES.iter() {
        let first = super::path_names(place.path).next().unwrap();
        assert!(first.is_ascii() && first.len() <= super::LONGEST_FIRST_NAME, "{}", place.path);
        let spelled = format!("/x/{}/y", place.path.to_uppercase());
        assert!(super::may_lie_in_place(&spelled), "{spelled}");
    }
}

#[test]
fn what_is_near_a_protected_place_is_not_in_it() {
    for path in [
        "/Users/u/p/src/main.rs", "/Users/u/p/.gitignore", "/Users/u/p/.gitattributes",
        "/Users/u/p/.github/workflows/ci.yml", "/Users/u/p/.zshrc.md", "/Users/u/p/AGENTS.md",
        "/Users/u/p/CLAUDE.md", "/Users/u/p/.npmrc", "/Users/u/b.git", "/Users/u/.docker/daemon.json",
        "/Users/u/.sshx/a", "/Users/u/p/.claude/worktrees/w/src/main.rs", "/Users/u/.claude/plans/plan.md",
        "/Users/v/.ssh/config", "/Users/u", "/",
    ] {
        assert!(why(path).is_empty(), "{path}: {:?}", protected().places_at(path));
    }
}

#[test]
fn a_folder_is_known_to_hold_the_places_of_the_home_folder() {
    let holds =
        |folder: &str, place: &str| protected().places_below(folder).iter().any(|held| held.path == place);
    assert!(holds("/Users/u", ".ssh") && holds("/", ".zshrc") && holds("/Users/u/.config", ".config/fish"));
    assert!(!holds("/Users/u/p", ".ssh") && !holds("/Users/u/.config", ".ssh"));
}

#[test]
fn a_pattern_names_a_place_only_by_its_own_words() {
    let names = |path: &str, pattern: &str| {
        let found = protected().places_at(path);
        assert!(!found.is_empty(), "{path}");
        found.iter().all(|place| place.is_named_in(pattern))
    };
    for pattern in ["/Users/u/.ssh/config", "/Users/u/.ssh/*", "**/.ssh/**"] {
        assert!(names("/Users/u/.ssh/config", pattern), "{pattern}");
    }
    for pattern in [
        "*", "**", "/Users/u/**", "/Users/u/.*", "/Users/u/.s*/config", "/Users/u/.ss?/config",
        "{a,/Users/u/.ssh}",
    ] {
        assert!(!names("/Users/u/.ssh/config", pattern), "{pattern}");
    }
    assert!(names("/p/.git/config", "/p/.git/*") && !names("/p/.git/config", "/p/**"));
    assert!(names("/p.git/config", "/p.git/*") && !names("/p.git/config", "/*.git/config"));
    let workspace = "/p/a.code-workspace";
    assert!(names(workspace, "/*/a.code-workspace") && !names(workspace, "/p/*.code-workspace"));
}

#[test]
fn the_table_is_written_as_paths_are_compared() {
    for ProtectedPlace { root, path, .. } in PLACES.iter() {
        let absolute = if *root == Root::System { (*path).to_owned() } else { format!("/{path}") };
        assert_eq!(super::comparison_key(&absolute), absolute, "{path}");
        let written = PLACES.iter().filter(|other| other.path == *path && other.root == *root).count();
        assert_eq!(written, 1, "{path} stands there more than once");
    }
}

proptest! {
    /// Every spelling of a path in a protected place is found.
    #[test]
    fn a_spelling_is_no_way_around(
        at in 0..PLACES.len(),
        folder in "[a-z]{1,6}",
        rest in "(/[a-z.]{1,6}x){0,3}",
        upper in any::<bool>(),
        doubled in any::<bool>(),
    ) {
        let place = &PLACES[at];
        // An exception's content is judged by itself.
        prop_assume!(!rest.starts_with("/worktrees") && !rest.starts_with("/plans"));
        let written = match place.root {
            Root::Home => format!("{HOME}/{folder}/../{}{rest}", place.path),
            Root::Anywhere => format!("/{folder}/./{}{rest}", place.path),
            Root::System => format!("/{folder}/..{}{rest}", place.path),
        };
        let written = if upper { written.to_uppercase() } else { written };
        let written = if doubled { written.replace('/', "//") } else { written };
        prop_assert!(protected().places_at(&written).contains(&place), "{written}");
    }

    #[test]
    fn no_path_is_too_odd(path in ".{0,80}") {
        drop(protected().places_at(&path));
        drop(protected().places_below(&path));
    }
}
