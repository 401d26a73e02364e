//! Enrolling, changing and removing agents.

use super::{World, id, new_agent, open};
use crate::book::{AgentChanges, NewAgent, PolicyStoreError};
use postern_contract::Start;
use postern_policy::{Access, Ask, Preset, Security};
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

fn changes(pairs: &[(&str, &str)]) -> AgentChanges {
    let values: BTreeMap<String, String> =
        pairs.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
    AgentChanges { settings: None, values }
}

#[tokio::test]
async fn an_agent_is_enrolled_with_a_private_folder_and_key() {
    let world = World::new().await;
    let entry = world.book.find_agent(&id("main")).unwrap();
    assert_eq!(entry.agent.settings.preset(), Some(Preset::Ask), "a new agent asks");
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(entry.folder.channel()), mode(&entry.folder.key_file())), (0o700, 0o600));
    let other = world.book.add_agent(new_agent("other")).await.unwrap();
    assert_ne!(other.agent.color, entry.agent.color, "two agents are told apart by colour");
    let again = world.book.add_agent(new_agent("MAIN")).await;
    assert!(
        matches!(again, Err(PolicyStoreError::AgentExists(_))),
        "one folder for both on a Mac: {again:?}"
    );
}

#[tokio::test]
async fn a_new_agent_starts_with_its_classes_in_its_folders() {
    let world = World::new().await;
    let start = |name, folders: &[&str]| NewAgent {
        start: Some(Start::Work),
        folders: folders.iter().map(|folder| (*folder).to_owned()).collect(),
        ..new_agent(name)
    };
    let refused = world.book.add_agent(start("worker", &[])).await.unwrap_err();
    assert!(refused.to_string().contains("name them, too"), "{refused}");
    let refused = world.book.add_agent(start("worker", &["site"])).await.unwrap_err();
    assert!(refused.to_string().contains("begins with / or ~/"), "{refused}");
    let refused = world.book.add_agent(start("worker", &["~/site"])).await.unwrap_err();
    assert!(refused.to_string().contains("\"~/site\" is not there"), "{refused}");
    assert!(world.book.find_agent(&id("worker")).is_none(), "what was refused added nothing");
    std::fs::create_dir(Path::new(&world.book.places().home).join("site")).unwrap();
    let entry = world.book.add_agent(start("worker", &["~/site"])).await.unwrap();
    let settings = &entry.policy.settings;
    assert_eq!((settings.build, settings.network), (Access::Allow, Access::Ask));
    assert_eq!((settings.folders.as_slice(), settings.loopback), (["~/site".to_owned()].as_slice(), true));
    let set = async |folders| world.book.set_agent(&id("worker"), changes(&[("folders", folders)])).await;
    let refused = set("~/site,/nosuch").await.unwrap_err();
    assert!(refused.to_string().contains("\"/nosuch\" is not there"), "{refused}");
    std::fs::remove_dir(Path::new(&world.book.places().home).join("site")).unwrap();
    set("~/site,/usr").await.expect("one that was named before may be away for a while");
}

#[tokio::test]
async fn an_agent_is_the_same_after_a_restart() {
    let world = World::new().await;
    world
        .book
        .set_agent(
            &id("main"),
            changes(&[("name", "Builder"), ("preset", "allow"), ("uids", "1001"), ("confirm", "yes")]),
        )
        .await
        .unwrap();
    let key = world.book.find_agent(&id("main")).unwrap().folder.ensure_key().unwrap().to_text();
    let World { folder, book } = world;
    book.store().close();
    drop(book);
    let book = open(folder.path()).await;
    let entry = book.find_agent(&id("main")).unwrap();
    assert_eq!((entry.agent.name.as_str(), entry.agent.uids.as_slice()), ("Builder", [1001].as_slice()));
    assert_eq!(entry.policy.settings.security, Security::Full);
    assert_eq!(entry.folder.ensure_key().unwrap().to_text(), key);
}

#[tokio::test]
async fn a_change_holds_whole_or_not_at_all() {
    let world = World::new().await;
    let bad =
        world.book.set_agent(&id("main"), changes(&[("ask", "always"), ("approval-timeout", "1s")])).await;
    assert!(bad.unwrap_err().to_string().contains("between 10s and 30m"));
    assert_eq!(world.book.policy(&id("main")).unwrap().settings.ask, Ask::OnMiss, "nothing of it was taken");
    let set =
        world.book.set_agent(&id("main"), changes(&[("ask", "always"), ("preset", "allow")])).await.unwrap();
    let got = (set.agent.settings.security, set.agent.settings.ask);
    assert_eq!(got, (Security::Full, Ask::Always), "a preset goes first");
    let unknown = world.book.set_agent(&id("nobody"), changes(&[])).await;
    assert!(matches!(unknown, Err(PolicyStoreError::NoAgent(_))), "{unknown:?}");
}

#[tokio::test]
async fn every_change_is_another_snapshot() {
    let world = World::new().await;
    let (before, held) = (world.book.version(), world.book.snapshot());
    world.book.set_agent(&id("main"), changes(&[("preset", "deny")])).await.unwrap();
    assert!(world.book.version() > before, "who was judged by the old one can tell");
    let old = held.agents.get(&id("main")).unwrap();
    assert_eq!(old.policy.settings.security, Security::Allowlist, "a snapshot that is held does not change");
}

#[tokio::test]
async fn a_key_is_replaced_and_an_agent_removed_with_its_files() {
    let world = World::new().await;
    let entry = world.book.find_agent(&id("main")).unwrap();
    let key = entry.folder.ensure_key().unwrap().to_text();
    world.book.rotate_key(&id("main")).await.unwrap();
    assert_ne!(entry.folder.ensure_key().unwrap().to_text(), key);
    world.book.remove_agent(&id("main")).await.unwrap();
    assert!(world.book.find_agent(&id("main")).is_none());
    assert!(
        !entry.folder.channel().exists() && !entry.folder.permissions().exists(),
        "nothing of it is left"
    );
}
