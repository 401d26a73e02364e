//! Contract of the profiles on every system. On a Mac these are tried by hand or by a runner:
//! `cargo test -p postern-host --lib mac_ -- --ignored`.

use super::*;
use crate::resolve::Resolver;
use postern_policy::Confinement;
use std::fs;
use std::net::TcpListener;

/// Returns a place with a home, data and a project in it, as a user has them.
pub(super) fn place() -> Place {
    // Not below /tmp, which a run has of its own.
    let folder = tempfile::Builder::new().prefix("pst").tempdir_in("/var/tmp").unwrap();
    let place = Place { folder, resolver: Resolver::new() };
    for name in ["home/.ssh", "data", "project/src", "other"] {
        fs::create_dir_all(place.path(name)).unwrap();
    }
    for name in ["home/.ssh/id_rsa", "home/notes", "data/control.key", "project/a", "other/b"] {
        fs::write(place.path(name), format!("content of {name}")).unwrap();
    }
    place
}

pub(super) fn user(place: &Place) -> UserPlaces {
    let path = |name: &str| place.path(name).to_str().unwrap().to_owned();
    UserPlaces { home: path("home"), data: path("data") }
}

pub(super) fn folders(place: &Place) -> Vec<String> {
    vec![place.path("project").to_str().unwrap().to_owned()]
}

/// Returns a line of shell text in the project.
pub(super) fn confined(place: &Place, text: &str, confinement: Confinement) -> Prepared {
    let shell = ParsedCommand { text: text.to_owned(), plain: None, ..reading(&["/bin/bash"]) };
    let mut prepared = place.prepare_reading(&shell, &place.path("project"));
    let user = user(place);
    prepared.plan.env = vec![("PATH".into(), "/usr/bin:/bin".into()), ("HOME".into(), user.home.clone())];
    prepared.plan.env.extend(crate::confine::environment(&confinement, &user.home));
    prepared.plan.confinement = confinement;
    prepared.user = user;
    prepared
}

/// Creates a repository with a nested one, as git does.
fn repositories(place: &Place) {
    for git in ["project/.git", "project/vendor/x/.git"] {
        for part in ["objects", "refs", "hooks"] {
            fs::create_dir_all(place.path(git).join(part)).unwrap();
        }
        fs::write(place.path(git).join("HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(place.path(git).join("config"), "[core]\n").unwrap();
    }
}

/// Lines of shell text that fail in every profile.
const REFUSED: &str = include_str!("refused.txt");

async fn ended(place: &Place, text: &str, confinement: &Confinement, port: u16) -> (bool, String) {
    let text = text.replace("$PORT", &port.to_string()).replace("$OUTSIDE", &std::process::id().to_string());
    let finished = finish(confined(place, &text, confinement.clone())).await.expect("it starts");
    let said = super::text(&finished.stdout) + &super::text(&finished.stderr);
    (finished.end.exit == Some(Exit::Code(0)), said)
}

async fn holds(confinement: impl Fn(Vec<String>) -> Confinement, allowed: &[&str]) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let place = place();
    repositories(&place);
    std::os::unix::fs::symlink(place.path("other"), place.path("project/out")).unwrap();
    let confinement = confinement(folders(&place));
    for line in allowed {
        let (worked, said) = ended(&place, line, &confinement, port).await;
        assert!(worked, "{line} works: {said}");
    }
    for line in REFUSED.lines() {
        let (worked, said) = ended(&place, line, &confinement, port).await;
        assert!(!worked && !said.contains("content of"), "{line} is refused: {said}");
    }
    assert!(listener.accept().is_err(), "nobody came");
    assert_eq!(fs::read_to_string(place.path("other/b")).unwrap(), "content of other/b");
    assert_eq!(fs::read_to_string(place.path("project/vendor/x/.git/config")).unwrap(), "[core]\n");
}

#[tokio::test]
#[cfg_attr(target_os = "macos", ignore = "needs a Mac outside of any sandbox")]
async fn mac_look_holds() {
    let mut allowed =
        vec!["cat a", "ls -R src", "echo x > /dev/null", "cat a | sort | wc -l", "head -c 4 /etc/hosts"];
    if cfg!(target_os = "macos") {
        allowed.extend(["echo x > /dev/stderr", "id", "/usr/bin/git --version", "date"]);
    }
    holds(Confinement::look_only, &allowed).await;
}

#[tokio::test]
#[cfg_attr(target_os = "macos", ignore = "needs a Mac outside of any sandbox")]
async fn mac_project_holds() {
    let allowed = [
        "cat a", "echo x > src/new && mv src/new src/moved && rm src/moved",
        "mkdir -p x/y && printf '#!/bin/sh\\necho ran' > x/s && chmod +x x/s && x/s",
        "echo x > \"$TMPDIR/t\" && cat \"$TMPDIR/t\"",
        "echo x > .git/index.lock && mv .git/index.lock .git/index",
    ];
    holds(|folders| Confinement::project(folders, false, false), &allowed).await;
}

#[tokio::test]
#[cfg_attr(target_os = "macos", ignore = "needs a Mac outside of any sandbox")]
async fn mac_what_a_run_leaves_is_set_aside() {
    let place = place();
    let text = "mkdir -p src/sub; echo x > src/sub/.envrc 2>/dev/null; true";
    let finished =
        finish(confined(&place, text, Confinement::project(folders(&place), false, false))).await.unwrap();
    assert_eq!(finished.end.exit, Some(Exit::Code(0)));
    assert!(
        !place.path("project/src/sub/.envrc").exists(),
        "refused, or set aside: {:?}",
        finished.set_aside
    );
}
