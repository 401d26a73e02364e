//! Hosts that are stopped, killed, or started several at once.

use super::tools::{Marker, PATIENCE, agent, all_is_well, ended, is_ready, until, within, wrong};
use postern_tests::{Postern, answer_args};
use rustix::process::{Pid, Signal, kill_process};
use std::process::{Child, Stdio};

fn has_socket(child: &Child) -> bool {
    let open = std::fs::read_dir(format!("/proc/{}/fd", child.id())).into_iter().flatten().flatten();
    open.filter_map(|file| file.path().read_link().ok())
        .any(|target| target.to_string_lossy().starts_with("socket:"))
}

#[test]
fn of_several_hosts_on_one_folder_one_starts_and_the_others_say_so() {
    let (mut host, main) = Postern::with_allowed_agent();
    host.end();
    for _ in 0..3 {
        let mut serve = host.command(&["serve"]);
        serve.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut all: Vec<Child> = (0..4).map(|_| serve.spawn().unwrap()).collect();
        let ready: Vec<bool> = all.iter_mut().map(is_ready).collect();
        assert_eq!(ready.iter().filter(|ready| **ready).count(), 1, "{ready:?}");
        assert_eq!(ended(agent(&main, &["--", "true"]), PATIENCE).code, 0);
        let mut winner = None;
        for (one, ready) in all.into_iter().zip(ready) {
            if ready {
                winner = Some(one);
            } else {
                let said = ended(one, PATIENCE);
                assert!(said.code > 0 && said.stderr.contains("already runs"), "{said:?}");
            }
        }
        let mut winner = winner.unwrap();
        winner.kill().unwrap();
        winner.wait().unwrap();
    }
    host.start_again();
    assert_eq!(wrong(&host), [] as [String; 0]);
}

#[test]
fn a_host_that_is_stopped_and_goes_on_loses_nothing_and_runs_nothing_twice() {
    let host = Postern::start();
    let (runner, asker) = (host.enrol_allowed("runner"), host.enrol("asker"));
    let watcher = host.watch();
    let (long, asked) = (Marker::new(&host, "long"), Marker::new(&host, "asked"));
    let running = agent(&runner, &["--shell", &long.line()]);
    long.began();
    let asking = agent(&asker, &["--shell", &asked.line()]);
    let question = watcher.question();
    let pid = Pid::from_raw(i32::try_from(host.pid()).unwrap()).unwrap();
    kill_process(pid, Signal::STOP).unwrap();
    long.let_go();
    let found = wrong(&host);
    assert!(found.iter().any(|said| said.contains("was stopped by a signal")), "{found:?}");
    // Typed while it is stopped: both wait in the socket, where a handshake has ten seconds.
    let approve = answer_args("approve", &question, &[]);
    let mut answer = host.command(&approve);
    let answer = answer.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let another = agent(&runner, &["--", "true"]);
    for child in [&answer, &another] {
        until("it opens a socket", || has_socket(child));
    }
    kill_process(pid, Signal::CONT).unwrap();
    long.ends_well(running);
    assert_eq!(ended(another, PATIENCE).code, 0);
    // It counts, or says that it does not; the question is answered once.
    let answered = ended(answer, PATIENCE);
    if answered.code != 0 {
        let again = within(&host, PATIENCE, &approve);
        assert_eq!(again.code, 0, "{answered:?} {again:?}");
    }
    asked.began();
    asked.let_go();
    assert_eq!(ended(asking, PATIENCE).code, 0);
    assert_eq!((long.runs(), asked.runs()), (1, 1));
    all_is_well(&host);
}
