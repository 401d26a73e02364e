//! A NATS that others run: an account of its own, credentials from its administrator, nothing that Postern configures.

use crate::stage::{AskedFromAfar, Broker, Mac, Stage, choices, invitation, joined_with};
use postern_doors::fleet::{
    self, AnswerReply, BrokerChoice, BrokerFact, FleetApprover, FleetChoice, FleetOwner, Folder, Joining,
};
use postern_fleet::SignKey;
use postern_tests::free_port;
use serde_json::json;
use std::fs;
use std::path::Path;

/// Writes the beginning of a server's configuration, with TLS and a store in its folder, before this text. Returns its address
/// and its certificate.
pub(super) fn write_server(folder: &Path, more: &str) -> (String, String) {
    let port = free_port();
    let made = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    let certificate = made.cert.pem();
    fs::write(folder.join("broker.crt"), &certificate).unwrap();
    fs::write(folder.join("broker.pem"), made.signing_key.serialize_pem()).unwrap();
    let text = format!(
        "listen: \"127.0.0.1:{port}\"\n\
         tls {{ cert_file: \"{0}/broker.crt\", key_file: \"{0}/broker.pem\" }}\n\
         jetstream {{ store_dir: \"{0}/jetstream\" }}\n{more}",
        folder.display()
    );
    fs::write(folder.join("broker.conf"), text).unwrap();
    (format!("tls://127.0.0.1:{port}"), certificate)
}

/// Writes the configuration of a server with an account of three users, of whom the last may nearly nothing. Returns its address.
fn configure(folder: &Path, users: &[SignKey; 3]) -> (String, String) {
    let [owner, mini, stranger] = users.each_ref().map(|key| key.verifier().public_nkey());
    let accounts = format!(
        "accounts {{ postern {{ jetstream: enabled, users: [ {{ nkey: {owner} }}, {{ nkey: {mini} }}, \
         {{ nkey: {stranger}, permissions: {{ publish: {{ allow: [\"nothing\"] }}, subscribe: {{ allow: [\"nothing\"] }} }} }} ] }} }}\n"
    );
    write_server(folder, &accounts)
}

/// A server of others, as its administrator describes it.
pub(super) struct ExistingServer {
    pub(super) address: String,
    pub(super) certificate: String,
    /// Credentials of the owner's Mac, and of the mini.
    pub(super) credentials: [String; 2],
}

/// Starts a fleet at such a server, of a laptop and a mini.
pub(super) async fn founded(broker: Broker, server: ExistingServer) -> Stage {
    let ExistingServer { address, certificate, credentials: [owners, minis] } = server;
    let (laptop, mini) = (Mac::start().await, Mac::start().await);
    let wanted = choices(BrokerChoice::Existing {
        server: address,
        certificate: Some(certificate),
        credentials: format!("{owners}\n"),
    });
    let prepared = fleet::prepare_fleet(&laptop.folder(), &wanted).unwrap();
    assert!(prepared.configuration.is_none(), "nothing of it is configured here");
    prepared.save_files(&laptop.folder()).unwrap();
    let mut owner = FleetOwner::connect(&laptop.folder()).await.unwrap();
    let code = owner.invite().unwrap();
    let without = Joining::meet_owner(code, None, &[true]).await.unwrap_err().to_string();
    assert!(without.contains("--credentials FILE"), "{without}");
    joined_with(&mut owner, None, &mini.folder(), &[true], (invitation("mini", ""), Some(minis))).await;
    assert!(!laptop.folder().broker().join("broker.conf").exists());
    mini.call("doors.enable", json!({"door": "fleet"})).await;
    let channel = Some(mini.enrol().await);
    Stage { broker, laptop, mini, owner, channel }
}

/// Lets the mini ask, and Mara answer.
pub(super) async fn answered(stage: &mut Stage, name: &str) {
    let AskedFromAfar { news: _news, file, run, asked } = stage.watch_and_ask(name).await;
    let mara = FleetApprover::connect(&stage.laptop.folder()).await.unwrap();
    assert_eq!(mara.answer(&asked, FleetChoice::Once, None, None).await.unwrap(), AnswerReply::Applied(0));
    stage.end(run).await;
    assert_eq!(fs::read_to_string(&file).unwrap(), "ran\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fleet_meets_at_a_nats_that_others_run() {
    let place = tempfile::tempdir().unwrap();
    let users = [1, 2, 3].map(|number| SignKey::from_seed([number; 32]).unwrap());
    let (address, certificate) = configure(place.path(), &users);
    let broker = Broker::start(place.path());
    let credentials = [users[0].nkey_seed(), users[1].nkey_seed()];
    let mut stage = founded(broker, ExistingServer { address, certificate, credentials }).await;
    answered(&mut stage, "file").await;
    examined(&stage, &users[2]).await;
}

/// Examines the broker as `postern doctor` does: as it is, as a user who may nothing, and without the server.
async fn examined(stage: &Stage, stranger: &SignKey) {
    let setup = fleet::account_setup(&stage.laptop.folder()).unwrap();
    let membership = stage.laptop.folder().membership().unwrap();
    let (fleet, pinned) = (membership.fleet, stage.laptop.folder().pinned().unwrap());
    for part in [format!("KV_pf-{fleet} on $KV.pf-{fleet}.>"), format!("pf-{fleet}-q on pf.{fleet}.q.*")] {
        assert!(setup.contains(&part), "{part}: {setup}");
    }
    let macs =
        pinned.roster.members.iter().filter(|member| member.name == "mini" || !member.person.is_empty());
    for member in macs {
        assert!(setup.contains(&format!("nsc add user --name {} ", member.id)), "{setup}");
        assert!(setup.contains(&format!("nkey: NKEY-OF-{},", member.id)), "{setup}");
    }
    assert_eq!(setup.matches("nsc add user").count(), 2, "one file of credentials for each Mac: {setup}");
    let folder = stage.mini.folder();
    let facts = fleet::examine_broker(&folder).await.unwrap();
    assert!(matches!(&facts[0], BrokerFact::Reached { .. }), "{facts:?}");
    assert!(facts.iter().all(|fact| !matches!(fact, BrokerFact::Forbidden(_))), "{facts:?}");
    forbidden(&folder, stranger).await;
    let mut elsewhere = folder.membership().unwrap();
    "tls://127.0.0.1:1".clone_into(&mut elsewhere.server);
    folder.keep_membership(&elsewhere).unwrap();
    let facts = fleet::examine_broker(&folder).await.unwrap();
    assert!(matches!(facts.as_slice(), [BrokerFact::Unreachable { .. }]), "{facts:?}");
}

async fn forbidden(folder: &Folder, stranger: &SignKey) {
    folder.write_text("credentials", stranger.nkey_seed().as_bytes()).unwrap();
    let facts = fleet::examine_broker(folder).await.unwrap();
    let forbidden = facts.iter().filter(|fact| matches!(fact, BrokerFact::Forbidden(_))).count();
    assert!(forbidden >= 2, "{facts:?}");
}
