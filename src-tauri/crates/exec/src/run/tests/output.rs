use super::*;

#[tokio::test]
async fn both_outputs_and_the_exit_code_are_told() {
    let finished = Place::new().finish(&["sh", "-c", "echo out; echo err >&2; exit 3"]).await;
    assert_eq!(finished.end.exit_code(), Some(3));
    assert_eq!((text(&finished.stdout), text(&finished.stderr)), ("out\n".into(), "err\n".into()));
    assert!(!finished.leaked_pipes && !finished.stdout.truncated());
}

#[tokio::test]
async fn a_signal_is_told_by_its_number() {
    let finished = Place::new().finish(&["sh", "-c", "kill -9 $$"]).await;
    assert_eq!((finished.end.outcome, finished.end.exit), (Outcome::Signalled, Some(Exit::Signal(9))));
}

#[tokio::test]
async fn arguments_arrive_as_they_are() {
    let finished = Place::new().finish(&["printf", "%s\\n", "*", "~", "$HOME", "a b", "", "é"]).await;
    assert_eq!(text(&finished.stdout), "*\n~\n$HOME\na b\n\né\n", "nothing expands anything");
}

#[tokio::test]
async fn the_environment_is_exactly_the_plans() {
    let place = Place::new();
    let mut prepared = place.prepare(&["env"]);
    prepared.plan.env.push(("ODD".into(), "a=b c".into()));
    let expected: Vec<String> =
        prepared.plan.env.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let finished = finish(prepared).await.unwrap();
    assert_eq!(text(&finished.stdout).lines().collect::<Vec<_>>(), expected);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_child_has_three_descriptors_its_own_session_no_core_and_default_signals() {
    let place = Place::new();
    let kept: Vec<std::fs::File> = (0..20).map(|_| std::fs::File::open("/dev/null").unwrap()).collect();
    for file in &kept {
        // Even one that somebody forgot to close on exec.
        rustix::io::fcntl_setfd(file, rustix::io::FdFlags::empty()).unwrap();
    }
    let finished = place.finish(&["ls", "/proc/self/fd"]).await;
    assert_eq!(text(&finished.stdout), "0\n1\n2\n3\n", "3 is the folder that ls itself reads");
    let status = place.finish(&["cat", "/proc/self/status", "/proc/self/stat", "/proc/self/limits"]).await;
    let status = text(&status.stdout);
    let line = |name: &str| status.lines().find(|line| line.starts_with(name)).unwrap_or_default().to_owned();
    for mask in ["SigIgn", "SigBlk"] {
        assert!(line(mask).ends_with("\t0000000000000000"), "{}", line(mask));
    }
    let core: Vec<String> = line("Max core file size").split_whitespace().map(str::to_owned).collect();
    assert_eq!(core[4..6], ["0", "0"], "no core file");
    let stat = status.lines().find(|line| line.contains("(cat)")).unwrap();
    let fields: Vec<&str> = stat.split(' ').collect();
    assert_eq!((fields[0], fields[0]), (fields[4], fields[5]), "leads its group and its session");
    drop(kept);
}

#[tokio::test]
async fn the_name_a_program_gets_is_its_own() {
    let finished = Place::new().finish(&["/usr/bin/../bin/sh", "-c", "echo $0"]).await;
    assert_eq!(text(&finished.stdout), "/usr/bin/sh\n");
    let finished = Place::new().finish(&["sh", "-c", "echo $0"]).await;
    assert_eq!(text(&finished.stdout), "sh\n");
}

#[tokio::test]
async fn it_runs_in_the_working_directory() {
    let place = Place::new();
    let finished = place.finish(&["pwd", "-P"]).await;
    assert_eq!(text(&finished.stdout).trim_end(), place.path("").to_str().unwrap().trim_end_matches('/'));
}

#[tokio::test]
async fn shell_text_runs_under_bash_without_its_start_files() {
    let place = Place::new();
    let finished = finish(place.prepare_shell("echo $BASH; shopt -q login_shell || echo plain", &["true"]))
        .await
        .unwrap();
    assert_eq!(text(&finished.stdout), "/bin/bash\nplain\n");
}

#[tokio::test]
async fn inline_input_arrives_whole_and_ends() {
    let place = Place::new();
    let mut prepared = place.prepare(&["cat"]);
    let bytes: Vec<u8> = (0..128 * 1024).map(|at| u8::try_from(at % 251).unwrap()).collect();
    prepared.input = ProcessInput::Inline(bytes.clone());
    let finished = finish(prepared).await.unwrap();
    assert_eq!(finished.stdout.joined(), bytes);
}

#[tokio::test]
async fn no_input_is_an_empty_input() {
    let finished = Place::new().finish(&["wc", "-c"]).await;
    assert_eq!(text(&finished.stdout).trim(), "0");
}

#[tokio::test]
async fn streamed_input_is_answered_when_it_was_written_and_refused_after_its_end() {
    let place = Place::new();
    let mut prepared = place.prepare(&["cat"]);
    prepared.input = ProcessInput::Stream;
    let (running, mut events) = begin(prepared).await.unwrap();
    assert_eq!(running.write_input(b"one ".to_vec(), false).await, Ok(()));
    assert_eq!(running.write_input(b"two".to_vec(), true).await, Ok(()));
    assert_eq!(text(&end(&mut events).await.stdout), "one two");
    assert_eq!(running.write_input(b"late".to_vec(), false).await, Err(InputError::Closed));
}

#[tokio::test]
async fn input_of_a_run_that_did_not_ask_for_a_stream_is_refused() {
    let place = Place::new();
    let (running, mut events) = begin(place.prepare(&["true"])).await.unwrap();
    assert_eq!(running.write_input(b"x".to_vec(), true).await, Err(InputError::Closed));
    end(&mut events).await;
}

#[tokio::test]
async fn a_flood_is_kept_in_bounds_and_counted() {
    let place = Place::new();
    let mut prepared = place.prepare(&["sh", "-c", "yes | head -c 20000000"]);
    prepared.output_cap = 64 * 1024;
    let finished = finish(prepared).await.unwrap();
    assert_eq!(finished.stdout.bytes, 20_000_000);
    assert_eq!(finished.stdout.head.len() + finished.stdout.tail.len(), 64 * 1024);
    assert!(finished.stdout.truncated());
}

#[tokio::test]
async fn pieces_are_streamed_in_order_and_the_child_waits_for_them() {
    let place = Place::new();
    let mut prepared = place.prepare(&["sh", "-c", "yes | head -c 3000000; echo e >&2"]);
    prepared.stream = true;
    let (_running, mut events) = begin(prepared).await.unwrap();
    let mut counts = [0_u64, 0];
    let finished = loop {
        match events.recv().await.unwrap() {
            RunEvent::Output { stream, offset, bytes } => {
                let count = &mut counts[usize::from(stream == OutputStream::Stderr)];
                assert_eq!(offset, *count, "no gap");
                *count += bytes.len() as u64;
            }
            RunEvent::Exited(finished) => break finished,
            RunEvent::TimedOut => panic!("it has no limit"),
        }
    };
    assert_eq!(counts, [3_000_000, 2]);
    assert_eq!((finished.stdout.bytes, finished.stderr.bytes), (3_000_000, 2));
}

#[tokio::test]
async fn output_so_far_can_be_read_while_it_runs() {
    let place = Place::new();
    let mut prepared = place.prepare(&["cat"]);
    prepared.input = ProcessInput::Stream;
    prepared.stream = true;
    let (running, mut events) = begin(prepared).await.unwrap();
    running.write_input(b"so far".to_vec(), false).await.unwrap();
    assert!(matches!(events.recv().await, Some(RunEvent::Output { .. })));
    assert_eq!(text(&running.output(OutputStream::Stdout)), "so far");
    running.write_input(Vec::new(), true).await.unwrap();
    end(&mut events).await;
}

#[tokio::test]
async fn a_run_goes_on_when_nobody_listens() {
    let place = Place::new();
    let marker = place.path("marker");
    let line = format!("yes | head -c 1000000; touch {}; cat", marker.display());
    let mut prepared = place.prepare(&["sh", "-c", &line]);
    prepared.stream = true;
    prepared.input = ProcessInput::Stream;
    let (running, events) = begin(prepared).await.unwrap();
    drop(events);
    while !marker.exists() {
        tokio::task::yield_now().await;
    }
    assert_eq!(
        running.write_input(Vec::new(), true).await,
        Ok(()),
        "it was not held up by its unread output"
    );
}
