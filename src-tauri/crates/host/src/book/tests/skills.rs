//! Skills: found, approved, changed.

use super::{World, id};
use crate::book::{AgentChanges, PolicyStoreError, state_of};
use postern_contract::CliState;
use postern_policy::{Decision, Reason};
use std::collections::BTreeMap;

/// Returns a world in which the agent may use skills, with a skill `bird` whose CLI is the program
/// `~/bin/bird`.
async fn with_bird() -> (World, String) {
    let world = World::new().await;
    let bird = world.program("bird", "echo tweet").to_str().unwrap().to_owned();
    write(&world, "bird", &format!("---\nname: bird\ndescription: sings\nclis: [{bird}]\n---\n"));
    world.book.add_skill_folder("~/skills").await.unwrap();
    let values = BTreeMap::from([("allow-skills".to_owned(), "on".to_owned())]);
    world.book.set_agent(&id("main"), AgentChanges { settings: None, values }).await.unwrap();
    (world, bird)
}

fn write(world: &World, name: &str, text: &str) {
    let folder = world.home().join("skills").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("SKILL.md"), text).unwrap();
}

fn state(world: &World, name: &str) -> CliState {
    let snapshot = world.book.snapshot();
    state_of(&snapshot.skills.iter().find(|skill| skill.name == name).unwrap().clis[0])
}

#[tokio::test]
async fn a_cli_is_allowed_once_approved_and_asks_when_it_changed() {
    let (world, bird) = with_bird().await;
    assert_eq!(state(&world, "bird"), CliState::New);
    assert_eq!(world.decision("main", &[&bird]).0, Decision::Ask, "never approved");
    world.book.approve_skill("bird", None).await.unwrap();
    assert_eq!(state(&world, "bird"), CliState::Approved);
    assert_eq!(world.decision("main", &[&bird]), (Decision::Allow, Reason::Skill));

    world.program("bird", "echo something else entirely");
    assert_eq!(world.decision("main", &[&bird]), (Decision::Ask, Reason::BinaryChanged), "another hash asks");
    assert!(world.book.find_skills().await.unwrap(), "the list is looked through again");
    assert_eq!(state(&world, "bird"), CliState::Changed);
    assert_eq!(world.decision("main", &[&bird]).0, Decision::Ask, "and goes on asking until it is approved");
    world.book.approve_skill("bird", None).await.unwrap();
    assert_eq!(world.decision("main", &[&bird]).0, Decision::Allow, "by the person, who asked for just that");
    assert_eq!(state(&world, "bird"), CliState::Approved);
}

#[tokio::test]
async fn a_skill_serves_only_agents_that_may_use_skills() {
    let (world, bird) = with_bird().await;
    world.book.approve_skill("bird", None).await.unwrap();
    let values = BTreeMap::from([("allow-skills".to_owned(), "off".to_owned())]);
    world.book.set_agent(&id("main"), AgentChanges { settings: None, values }).await.unwrap();
    assert_eq!(world.decision("main", &[&bird]).0, Decision::Ask);
}

#[tokio::test]
async fn a_skill_that_goes_takes_its_rule_with_it() {
    let (world, bird) = with_bird().await;
    world.book.approve_skill("bird", None).await.unwrap();
    write(&world, "bird", "---\nname: bird\n  bad: [yaml\n---\n");
    world.book.find_skills().await.unwrap();
    assert!(world.book.snapshot().skills[0].problem.is_some(), "it is said that it cannot be read");
    assert_eq!(
        world.decision("main", &[&bird]).0,
        Decision::Allow,
        "a slip while editing takes nothing away"
    );
    write(&world, "bird", "---\nname: bird\n---\n");
    world.book.find_skills().await.unwrap();
    assert_eq!(world.decision("main", &[&bird]).0, Decision::Ask, "it names the CLI no more");
    world.book.remove_skill_folder("~/skills").await.unwrap();
    assert!(world.book.snapshot().skills.is_empty());
}

#[tokio::test]
async fn a_second_skill_of_the_same_name_does_not_ride_on_the_first() {
    let (world, _) = with_bird().await;
    let other = world.program("other", "echo other").to_str().unwrap().to_owned();
    write(&world, "fake", &format!("---\nname: bird\nclis: [{other}]\n---\n"));
    world.book.find_skills().await.unwrap();
    world.book.approve_skill("bird", None).await.unwrap();
    assert_eq!(world.decision("main", &[&other]).0, Decision::Ask);
    let missing = world.book.approve_skill("nothing", None).await;
    assert!(matches!(missing, Err(PolicyStoreError::NoSkill(_))), "{missing:?}");
}

#[tokio::test]
async fn no_skill_brings_a_program_that_runs_whatever_it_is_told() {
    let world = World::new().await;
    let git = world.program("git", "echo").to_str().unwrap().to_owned();
    let bird = world.program("bird", "echo tweet").to_str().unwrap().to_owned();
    write(&world, "both", &format!("---\nname: both\nclis: [{git}, {bird}]\n---\n"));
    world.book.add_skill_folder("~/skills").await.unwrap();
    let values = BTreeMap::from([("allow-skills".to_owned(), "on".to_owned())]);
    world.book.set_agent(&id("main"), AgentChanges { settings: None, values }).await.unwrap();
    let refused = world.book.approve_skill("both", Some(&git)).await.unwrap_err();
    assert!(refused.to_string().contains("never approved for a skill"), "{refused}");
    world.book.approve_skill("both", None).await.unwrap();
    assert_eq!(world.decision("main", &[&bird]).0, Decision::Allow, "the other one is approved");
    assert_eq!(world.decision("main", &[&git]).0, Decision::Ask);
    let states: Vec<_> = world.book.snapshot().skills[0].clis.iter().map(state_of).collect();
    assert!(states.contains(&CliState::Refused), "the list says so: {states:?}");
}

#[tokio::test]
async fn a_folder_that_an_agent_can_write_holds_no_skills() {
    let (world, bird) = with_bird().await;
    world.book.approve_skill("bird", None).await.unwrap();
    let values = BTreeMap::from([("folders".to_owned(), "~/skills/bird".to_owned())]);
    world.book.set_agent(&id("main"), AgentChanges { settings: None, values }).await.unwrap();
    world.book.find_skills().await.unwrap();
    let snapshot = world.book.snapshot();
    assert!(snapshot.skills[0].problem.is_some(), "it is said why");
    assert!(snapshot.skills[0].clis.is_empty(), "and what was approved of it is forgotten");
    assert_ne!(world.decision("main", &[&bird]).0, Decision::Allow);
    let refused = world.book.add_skill_folder("~/skills/bird").await.unwrap_err();
    assert!(refused.to_string().contains("main"), "it names the agent: {refused}");
}
