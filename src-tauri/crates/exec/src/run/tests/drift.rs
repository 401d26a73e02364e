use super::*;

/// Returns the reason of a start that found a difference, and asserts that nothing ran.
pub(super) async fn drifted(prepared: Prepared) -> Drift {
    match finish(prepared).await {
        Err(SpawnError::Drifted(drift)) => drift,
        other => panic!("something else was started: {other:?}"),
    }
}

#[tokio::test]
async fn a_program_that_was_replaced_by_a_rename_does_not_run() {
    let place = Place::new();
    let tool = place.copy("tool", "/bin/true");
    let prepared = place.prepare(&[tool.to_str().unwrap()]);
    std::fs::rename(place.copy("other", "/bin/false"), &tool).unwrap();
    let drift = drifted(prepared).await;
    assert!(matches!(&drift, Drift::Replaced { path } if *path == tool.to_str().unwrap()), "{drift:?}");
}

#[tokio::test]
async fn a_link_that_was_pointed_elsewhere_does_not_run() {
    let place = Place::new();
    let link = place.path("link");
    std::os::unix::fs::symlink("/bin/true", &link).unwrap();
    let prepared = place.prepare(&[link.to_str().unwrap()]);
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink("/bin/false", &link).unwrap();
    drifted(prepared).await;
}

#[tokio::test]
async fn a_program_that_was_written_over_does_not_run() {
    let place = Place::new();
    let tool = place.copy("tool", "/bin/true");
    let prepared = place.prepare(&[tool.to_str().unwrap()]);
    std::fs::write(&tool, std::fs::read("/bin/false").unwrap()).unwrap();
    drifted(prepared).await;
}

#[tokio::test]
async fn a_program_that_its_agent_changed_without_a_trace_does_not_run() {
    let place = Place::new();
    let tool = place.copy("tool", "/bin/true");
    let mut prepared = place.prepare(&[tool.to_str().unwrap()]);
    place.copy("tool", "/bin/false");
    let held = Arc::get_mut(prepared.held.started.as_mut().unwrap()).unwrap();
    (held.settled, held.agent_can_change) = (true, true);
    // A mapping leaves the times as they are.
    held.state = crate::identity::FileState::from_file(held.file()).unwrap();
    let drift = drifted(prepared).await;
    assert!(matches!(&drift, Drift::Changed { path } if *path == tool.to_str().unwrap()), "{drift:?}");
}

#[tokio::test]
async fn the_last_question_comes_when_files_were_read_and_what_it_lets_change_is_found() {
    let place = Place::new();
    let tool = place.copy("tool", "/bin/true");
    let (path, other) = (tool.clone(), place.copy("other", "/bin/false"));
    let replaced: MayStart = Box::new(move || {
        std::fs::rename(other, path).unwrap();
        Ok(())
    });
    let try_to_start = async |prepared: Prepared, may_start: MayStart| {
        let (sink, _events) = mpsc::channel(16);
        let started = spawn_approved(approved(&prepared.plan), prepared, may_start, sink).await;
        started.map(drop)
    };
    let found = try_to_start(place.prepare(&[tool.to_str().unwrap()]), replaced).await;
    assert!(matches!(&found, Err(SpawnError::Drifted(Drift::Replaced { .. }))), "{found:?}");
    let mut prepared = place.prepare(&[tool.to_str().unwrap()]);
    place.copy("tool", "/bin/true");
    let held = Arc::get_mut(prepared.held.started.as_mut().unwrap()).unwrap();
    (held.settled, held.agent_can_change) = (true, true);
    held.state = crate::identity::FileState::from_file(held.file()).unwrap();
    let found = try_to_start(prepared, Box::new(|| panic!("it is asked too soon"))).await;
    assert!(matches!(&found, Err(SpawnError::Drifted(Drift::Changed { .. }))), "{found:?}");
}

#[tokio::test]
async fn a_change_that_sets_the_times_back_is_found() {
    let place = Place::new();
    let script = place.program("script", b"#!/bin/sh\necho BENIGN\n");
    let meta = std::fs::metadata(&script).unwrap();
    let prepared = place.prepare(&[script.to_str().unwrap()]);
    std::fs::write(&script, b"#!/bin/sh\necho EVIL!!\n").unwrap();
    let file = std::fs::File::options().write(true).open(&script).unwrap();
    file.set_modified(meta.modified().unwrap()).unwrap();
    drop(file);
    drifted(prepared).await;
}

#[tokio::test]
async fn a_script_operand_that_was_edited_stops_its_interpreter() {
    let place = Place::new();
    let script = place.program("script.sh", b"touch \"$0\".ran\n");
    let prepared = place.prepare(&["sh", script.to_str().unwrap()]);
    assert_eq!(prepared.held.scripts.len(), 1, "it is bound");
    std::fs::write(&script, b"touch \"$0\".mutated\n").unwrap();
    drifted(prepared).await;
    assert!(
        !place.path("script.sh.ran").exists() && !place.path("script.sh.mutated").exists(),
        "neither ran"
    );
}

#[tokio::test]
async fn a_script_runs_with_the_interpreter_that_was_judged() {
    let place = Place::new();
    let script = place.program("script", b"#!/bin/sh -e\necho \"$0 $*\"\n");
    let prepared = place.prepare(&["script", "a", "b c"]);
    assert_eq!(prepared.plan.programs.len(), 2, "the script and its interpreter are bound");
    let finished = finish(prepared).await.unwrap();
    assert_eq!(text(&finished.stdout), format!("{} a b c\n", script.display()));
}

#[tokio::test]
async fn a_program_of_a_shell_line_is_bound_too() {
    let place = Place::new();
    place.copy("tool", "/bin/true");
    let prepared = place.prepare_shell("tool && echo ran", &["tool"]);
    assert_eq!(prepared.plan.programs.len(), 2, "bash and the tool");
    std::fs::rename(place.copy("other", "/bin/false"), place.path("tool")).unwrap();
    drifted(prepared).await;
}

#[tokio::test]
async fn a_program_that_appears_earlier_on_the_search_path_is_noticed() {
    let place = Place::new();
    let prepared = place.prepare_shell("id", &["id"]);
    place.copy("id", "/bin/false");
    assert!(matches!(drifted(prepared).await, Drift::Shadowed { .. }));
}

#[tokio::test]
async fn a_working_directory_that_was_replaced_is_noticed_and_a_link_to_it_does_not_matter() {
    let place = Place::new();
    std::fs::create_dir(place.path("approved")).unwrap();
    std::fs::create_dir(place.path("other")).unwrap();
    let link = place.path("link");
    std::os::unix::fs::symlink(place.path("approved"), &link).unwrap();
    let prepared = place.prepare_reading(&reading(&["pwd", "-P"]), &link);
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(place.path("other"), &link).unwrap();
    let finished = finish(prepared).await.unwrap();
    assert!(text(&finished.stdout).ends_with("/approved\n"), "the folder that was opened");
    let prepared = place.prepare_reading(&reading(&["pwd", "-P"]), &place.path("approved"));
    std::fs::rename(place.path("approved"), place.path("moved")).unwrap();
    std::fs::create_dir(place.path("approved")).unwrap();
    assert!(matches!(drifted(prepared).await, Drift::Folder { .. }));
}

#[tokio::test]
async fn a_plan_about_other_files_than_are_held_does_not_run() {
    let place = Place::new();
    let mut prepared = place.prepare(&["true"]);
    prepared.plan.programs.clear();
    drifted(prepared).await;
}

#[tokio::test]
async fn a_file_that_is_no_program_is_not_handed_to_a_shell() {
    let place = Place::new();
    let file = place.program("text", b"echo hi\n");
    let prepared = place.prepare(&[file.to_str().unwrap()]);
    assert!(matches!(finish(prepared).await, Err(SpawnError::Failed(_))), "nothing was found to be started");
}

#[tokio::test]
async fn permission_for_another_plan_starts_nothing() {
    let place = Place::new();
    let ran = place.path("ran");
    let prepared = place.prepare(&["touch", ran.to_str().unwrap()]);
    let others = [
        Plan {
            launch: postern_request::Launch::Argv { argv: words(&["touch", "elsewhere"]) },
            ..prepared.plan.clone()
        },
        Plan { env: Vec::new(), ..prepared.plan.clone() },
        Plan { timeout_ms: Some(1), ..prepared.plan.clone() },
    ];
    for other in others {
        let (sink, _events) = mpsc::channel(16);
        let again = place.prepare(&["touch", ran.to_str().unwrap()]);
        let refused = spawn_approved(approved(&other), again, may_always_start(), sink).await;
        assert!(matches!(&refused, Err(SpawnError::Drifted(_))), "{refused:?}");
    }
    assert!(!ran.exists(), "nothing ran");
    finish(prepared).await.unwrap();
    assert!(ran.exists(), "its own permission starts it");
}
