//! Tests of runs that need a Mac: a suspended child, and its exit through a queue.

use super::*;
use crate::run::start::start_piped;

#[tokio::test]
#[ignore = "needs a Mac"]
async fn mac_a_child_is_held_and_is_what_was_judged() {
    let place = Place::new();
    let finished = finish(place.prepare(&["/bin/echo", "hi"])).await.unwrap();
    assert_eq!((text(&finished.stdout).as_str(), finished.end.exit), ("hi\n", Some(Exit::Code(0))));
}

#[tokio::test]
#[ignore = "needs a Mac"]
async fn mac_an_exit_is_seen_through_a_queue() {
    let place = Place::new();
    let piped = start_piped(place.prepare(&["/bin/sleep", "60"]), may_always_start()).unwrap();
    let pid = piped.started.child.pid();
    let exit = exit::exit_descriptor(pid).unwrap().expect("it runs");
    let exit = crate::run::exit::readable(exit).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    drop(exit.readable().await.unwrap());
    assert_eq!(crate::run::start::wait_for_end(piped), Exit::Signal(9));
    assert!(exit::exit_descriptor(pid).unwrap().is_none(), "what is gone is not waited for");
}
