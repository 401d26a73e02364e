//! Swaps of every kind, again and again: with any winner, what was not judged never runs.
//!
//! Where something else may change while it is run, a thread swaps all the time. A file's own content is changed between
//! the judging and the run, right behind its last change: the times of a file cannot tell the two apart.

use super::*;
use crate::run::tests::drift::drifted;
use postern_policy::Lookup;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};

/// Rounds of each swap in every test run: a few seconds.
const ROUNDS: usize = 200;
/// Rounds of each swap when it is looked into by hand.
const BY_HAND: usize = 10_000;

#[test]
fn a_program_that_is_renamed_over_all_the_time() {
    rename(ROUNDS);
}

#[test]
fn a_link_that_is_pointed_elsewhere_all_the_time() {
    relink(ROUNDS);
}

#[test]
fn a_program_that_is_written_over_again_and_again() {
    write_over(ROUNDS);
}

#[test]
fn a_script_that_is_edited_again_and_again_while_it_is_asked_about() {
    edit(ROUNDS);
}

#[test]
fn a_working_directory_that_is_pointed_elsewhere_all_the_time() {
    repoint(ROUNDS);
}

#[test]
#[ignore = "minutes; by hand: cargo test --workspace --lib ten_thousand_rounds -- --ignored"]
fn ten_thousand_rounds_of_every_swap() {
    for swap in [rename, relink, write_over, edit, repoint] {
        swap(BY_HAND);
    }
}

fn rename(rounds: usize) {
    let place = Place::new();
    let tool = place.copy("tool", "/bin/true");
    let swap = || {
        for program in ["/bin/false", "/bin/true"] {
            std::fs::rename(place.copy("next", program), &tool).unwrap();
        }
    };
    against(swap, rounds, async || only_what_was_judged(&place, &tool).await);
}

fn relink(rounds: usize) {
    let place = Place::new();
    let link = place.path("link");
    symlink("/bin/true", &link).unwrap();
    let swap = || {
        for program in ["/bin/false", "/bin/true"] {
            point(&place, &link, Path::new(program));
        }
    };
    against(swap, rounds, async || only_what_was_judged(&place, &link).await);
}

fn write_over(rounds: usize) {
    let place = Place::new();
    let tool = place.path("tool");
    let other = std::fs::read("/bin/false").unwrap();
    runtime().block_on(async {
        for _ in 0..rounds {
            place.copy("tool", "/bin/true");
            let prepared = place.prepare(&[tool.to_str().unwrap()]);
            std::fs::write(&tool, &other).unwrap();
            let ran = finish(prepared).await;
            assert!(ran.is_err(), "what was written after the judging ran: {ran:?}");
            std::fs::remove_file(&tool).unwrap();
        }
    });
}

fn edit(rounds: usize) {
    let place = Place::new();
    let script = place.program("script.sh", b"");
    runtime().block_on(async {
        for _ in 0..rounds {
            std::fs::write(&script, "touch \"$0\".approved\n").unwrap();
            let prepared = place.prepare(&["sh", script.to_str().unwrap()]);
            std::fs::write(&script, "touch \"$0\".modified\n").unwrap();
            drifted(prepared).await;
        }
    });
    for ran in ["script.sh.approved", "script.sh.modified"] {
        assert!(!place.path(ran).exists(), "{ran}: neither ran");
    }
}

fn repoint(rounds: usize) {
    let place = Place::new();
    for folder in ["one", "two"] {
        std::fs::create_dir(place.path(folder)).unwrap();
        std::fs::write(place.path(folder).join("mark"), folder).unwrap();
    }
    let link = place.path("link");
    symlink(place.path("one"), &link).unwrap();
    let swap = || {
        for folder in ["two", "one"] {
            point(&place, &link, &place.path(folder));
        }
    };
    against(swap, rounds, async || {
        let prepared = place.prepare_reading(&reading(&["cat", "mark"]), &link);
        let judged = Path::new(&prepared.cwd.bound.path).file_name().unwrap().to_owned();
        let finished = finish(prepared).await.unwrap();
        assert_eq!(judged, *text(&finished.stdout), "it ran in another folder than the judged one");
    });
}

/// Points the link elsewhere in one step: there is always one.
fn point(place: &Place, link: &Path, to: &Path) {
    let next = place.path("next");
    symlink(to, &next).unwrap();
    std::fs::rename(next, link).unwrap();
}

/// Runs `tool`, which is a `true` or a `false`: if it runs, it is the one that was judged.
async fn only_what_was_judged(place: &Place, tool: &Path) {
    let prepared = place.prepare(&[tool.to_str().unwrap()]);
    let Lookup::Found(truth) = place.resolver.identify("/bin/true") else { panic!("/bin/true is there") };
    let Some(judged) = &prepared.held.started else { return };
    let code = i32::from(judged.identity().sha256 != truth.identity.unwrap().sha256);
    if let Ok(finished) = finish(prepared).await {
        assert_eq!(finished.end.exit_code(), Some(code), "another program than the judged one ran");
    }
}

/// Does so many rounds while another thread swaps.
fn against(swap: impl Fn() + Sync, rounds: usize, mut round: impl AsyncFnMut()) {
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                swap();
            }
        });
        // Also when a round fails: the scope waits for the thread.
        let _end = End(&over);
        runtime().block_on(async {
            for _ in 0..rounds {
                round().await;
            }
        });
    });
}

struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}
