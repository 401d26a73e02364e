//! Real processes with the profile `look`: what the kernel refuses them, and what they can still do.

use super::*;
use postern_policy::Confinement;
use std::net::TcpListener;
use std::os::unix::net::UnixListener;

/// Returns a place with a home, data and a project beside each other, each with one file.
fn place() -> Place {
    let place = Place::new();
    for name in ["home/.ssh", "home/notes", "data", "project/src"] {
        std::fs::create_dir_all(place.path(name)).unwrap();
    }
    for name in
        ["home/.ssh/id_rsa", "home/notes/a", "data/control.key", "project/a", "project/src/b", "other"]
    {
        std::fs::write(place.path(name), format!("content of {name}")).unwrap();
    }
    place
}

fn confined(place: &Place, text: &str, folders: &[&str]) -> Prepared {
    let mut prepared = place.prepare_shell(text, &["/bin/bash"]);
    let path = |name: &str| place.path(name).to_str().unwrap().to_owned();
    let folders: Vec<String> = folders.iter().map(|name| path(name)).collect();
    prepared.plan.confinement = Confinement::look_only(folders);
    prepared.user = UserPlaces { home: path("home"), data: path("data") };
    prepared
}

/// Returns what a line prints on both outputs while it may read the project.
async fn printed(place: &Place, line: &str) -> String {
    let finished = finish(confined(place, line, &["project"])).await.expect("it starts");
    text(&finished.stdout) + &text(&finished.stderr)
}

#[tokio::test]
async fn it_reads_its_folders_and_the_system() {
    let place = place();
    let said = printed(&place, "cd project; cat a src/b; ls -R; head -c 4 /etc/passwd; cat <<< here | tr a-z A-Z; echo x > /dev/null; id -u; find . -type f | sort | wc -l").await;
    for part in ["content of project/a", "content of project/src/b", "src:", "root", "HERE", "2"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!said.contains("denied") && !said.contains("not permitted"), "{said}");
}

#[tokio::test]
async fn it_reads_nothing_else() {
    let place = place();
    let other = place.path("");
    std::os::unix::fs::symlink(&other, place.path("project/up")).unwrap();
    for name in ["home/.ssh/id_rsa", "home/notes/a", "data/control.key", "other"] {
        for text in [
            format!("cat {name}"),
            format!("cat project/up/{name}"),
            format!("cat < {name}"),
            format!("cd project && cat ../{name} up/../*/{name}"),
            format!("cat /proc/self/root{}/{name} /proc/$PPID/root{0}/{name}", other.display()),
        ] {
            let said = printed(&place, &text).await;
            assert!(!said.contains("content of"), "{text}: {said}");
        }
    }
    let said = printed(&place, "cat /proc/$PPID/environ /proc/1/environ | wc -c; ls data home").await;
    assert!(said.lines().any(|line| line.trim() == "0") && !said.contains("control.key"), "{said}");
}

#[tokio::test]
async fn its_programs_are_the_files_that_were_opened_whatever_lies_at_their_paths() {
    let place = place();
    let mut prepared = confined(&place, "cat home/notes/a", &["project"]);
    // As if its agent had put a link to other files there, for as long as the run is prepared.
    let held = Arc::get_mut(prepared.held.started.as_mut().unwrap()).unwrap();
    held.bound.real_path = place.path("home/notes").to_str().unwrap().to_owned();
    prepared.plan.programs = prepared.held.bound_programs();
    let finished = finish(prepared).await.expect("it starts");
    assert_eq!(text(&finished.stdout), "");
    assert!(text(&finished.stderr).contains("denied"), "{}", text(&finished.stderr));
}

#[tokio::test]
async fn a_link_in_its_folders_makes_nothing_else_a_place_of_installed_programs() {
    let place = place();
    std::fs::create_dir_all(place.path("home/go")).unwrap();
    std::os::unix::fs::symlink(place.path("home/notes"), place.path("home/go/bin")).unwrap();
    for (folder, expected) in [("home/go", ""), ("project", "content of home/notes/a")] {
        let finished = finish(confined(&place, "cat home/notes/a", &[folder])).await.expect("it starts");
        assert_eq!(text(&finished.stdout), expected, "{folder}: the user's own link counts");
    }
}

#[tokio::test]
async fn a_home_folder_hides_its_keys() {
    let place = place();
    let look = async |line: &str| {
        let finished = finish(confined(&place, line, &["home"])).await.expect("it starts");
        text(&finished.stdout)
    };
    assert_eq!(look("cat home/notes/a").await, "content of home/notes/a");
    assert_eq!(look("cat home/.ssh/id_rsa; cd home; grep -r content . | grep -v notes").await, "");
    let finished = finish(confined(&place, "cat data/control.key", &["data"])).await.expect("it starts");
    assert_eq!(text(&finished.stdout), "", "Postern's data are no agent's folder");
}

#[tokio::test]
async fn it_changes_nothing() {
    let place = place();
    let before = std::fs::metadata(place.path("project/a")).unwrap();
    for text in [
        "echo x > project/new", "echo x >> project/a", "rm -f project/a", "mv project/a project/b",
        "ln project/a project/c", "ln -s a project/d", "mkdir project/e", "chmod 777 project/a",
        "touch -d 2000-01-01 project/a", "truncate -s 0 project/a", "cp project/a /tmp/postern-look-test",
        "mkfifo project/f",
    ] {
        let finished = finish(confined(&place, text, &["project"])).await.expect("it starts");
        assert_ne!(finished.end.exit, Some(Exit::Code(0)), "{text}");
    }
    let after = std::fs::metadata(place.path("project/a")).unwrap();
    assert_eq!(std::fs::read(place.path("project/a")).unwrap(), b"content of project/a");
    assert_eq!(
        (before.permissions(), before.modified().unwrap()),
        (after.permissions(), after.modified().unwrap())
    );
    assert_eq!(std::fs::read_dir(place.path("project")).unwrap().count(), 2, "nothing new");
}

#[tokio::test]
async fn it_reaches_nobody() {
    let place = place();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let socket = place.path("project/s");
    let unix = UnixListener::bind(&socket).unwrap();
    listener.set_nonblocking(true).unwrap();
    unix.set_nonblocking(true).unwrap();
    let own = std::process::id();
    let python = include_str!("reaches.py").replace("OWN", &own.to_string());
    std::fs::write(place.path("project/p.py"), python).unwrap();
    let said = printed(&place, "/usr/bin/python3 project/p.py").await;
    assert_eq!(said.trim(), "done", "each was refused");
    let said = printed(&place, &format!("exec 3<>/dev/tcp/127.0.0.1/{port} && echo connected")).await;
    assert!(!said.contains("connected"), "{said}");
    assert!(listener.accept().is_err() && unix.accept().is_err(), "nobody came");
}

#[tokio::test]
async fn it_changes_and_holds_no_file_through_a_descriptor() {
    let place = place();
    // The number of a file's generation, verity, a snapshot and a subvolume of two file systems, flags; a lease, a watch.
    let python = include_str!("descriptors.py");
    std::fs::write(place.path("project/p.py"), python).unwrap();
    let said = printed(&place, "/usr/bin/python3 project/p.py").await;
    assert_eq!(said.trim(), "done", "each was refused, and a terminal's are not");
}

#[tokio::test]
async fn it_leaves_processes_for_the_user() {
    use rustix::process::{Resource, getrlimit};
    let all = getrlimit(Resource::Nproc).current;
    let expected = all.map_or("unlimited".to_owned(), |all| (all - all / 8).to_string());
    assert_eq!(printed(&place(), "ulimit -u; ulimit -Hu").await, format!("{expected}\n{expected}\n"));
}

#[tokio::test]
async fn it_starts_no_file_of_the_folder() {
    let place = place();
    place.program("project/x", b"#!/bin/sh\necho ran\n");
    place.copy("project/t", "/bin/true");
    let said = printed(&place, "project/x; project/t && echo ran; sh project/x").await;
    assert_eq!(said.matches("ran").count(), 1, "only what a shell reads, confined: {said}");
}

#[tokio::test]
async fn a_folder_that_became_a_link_is_not_followed() {
    let place = place();
    let prepared = confined(&place, "cat project/a", &["project"]);
    std::fs::rename(place.path("project"), place.path("gone")).unwrap();
    std::os::unix::fs::symlink(place.path("home"), place.path("project")).unwrap();
    let Err(SpawnError::Failed(what)) = finish(prepared).await else { panic!("it is not started") };
    assert!(what.contains("is no longer the same folder"), "{what}");
}
