//! A NATS in operator mode: users are tokens (JWT) that an account signs, and a Mac has one in a `.creds` file.

use crate::existing::{ExistingServer, answered, founded, write_server};
use crate::stage::{Broker, Stage};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use nkeys::{KeyPair, KeyPairType};
use postern_doors::fleet::{self, BrokerFact, FleetOwner};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

fn key_of(kind: KeyPairType, number: u8) -> KeyPair {
    KeyPair::new_from_raw(kind, [number; 32]).unwrap()
}

/// Returns a token in which `issuer` says something of a key.
fn token(issuer: &KeyPair, subject: &KeyPair, nats: &Value) -> String {
    let claims = json!({
        "jti": subject.public_key(), "iat": 1_790_000_000, "iss": issuer.public_key(), "name": "test",
        "sub": subject.public_key(), "nats": nats
    });
    let header = json!({"typ": "JWT", "alg": "ed25519-nkey"});
    let encoded = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let signed = format!("{}.{}", encoded(&header), encoded(&claims));
    let signature = URL_SAFE_NO_PAD.encode(issuer.sign(signed.as_bytes()).unwrap());
    format!("{signed}.{signature}")
}

/// An account of a server in operator mode.
struct Account {
    key: KeyPair,
}

impl Account {
    /// Writes the configuration of a server with this account, and returns its address and certificate.
    fn configure(&self, folder: &Path) -> (String, String) {
        let (operator, system) = (key_of(KeyPairType::Operator, 1), key_of(KeyPairType::Account, 2));
        let own = json!({"type": "operator", "version": 2, "system_account": system.public_key()});
        fs::write(folder.join("operator.jwt"), token(&operator, &operator, &own)).unwrap();
        let streams = json!({"mem_storage": 0, "disk_storage": 2_u64 << 30, "streams": -1, "consumer": -1});
        let preloaded = [(&system, json!({})), (&self.key, streams)].map(|(key, more)| {
            format!("{}: {}", key.public_key(), token(&operator, key, &account_claims(&more)))
        });
        let accounts = format!(
            "operator: \"{0}/operator.jwt\"\nsystem_account: {system}\n\
             resolver: MEMORY\nresolver_preload: {{\n{preloaded}\n}}\n",
            folder.display(),
            system = system.public_key(),
            preloaded = preloaded.join("\n"),
        );
        write_server(folder, &accounts)
    }

    /// Returns a file of credentials with these rights, as `nsc` makes it.
    fn credentials(&self, number: u8, rights: &Value) -> String {
        let user = key_of(KeyPairType::User, number);
        let mut nats = json!({"type": "user", "version": 2, "subs": -1, "data": -1, "payload": -1});
        nats.as_object_mut().unwrap().extend(rights.as_object().unwrap().clone());
        format!(
            "-----BEGIN NATS USER JWT-----\n{}\n------END NATS USER JWT------\n\n\
             -----BEGIN USER NKEY SEED-----\n{}\n------END USER NKEY SEED------\n",
            token(&self.key, &user, &nats),
            user.seed().unwrap()
        )
    }
}

fn account_claims(more: &Value) -> Value {
    let mut limits = json!({
        "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1,
        "leaf": -1
    });
    limits.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({"type": "account", "version": 2, "limits": limits})
}

/// Reads the rights that `fleet nats-setup` prints for the Mac of a member.
fn rights_of(setup: &str, member: &str) -> Value {
    let begins = format!("nsc add user --name {member} ");
    let line = setup.lines().find_map(|line| line.strip_prefix(&begins)).unwrap();
    let (allowed, rest) = line.strip_prefix("--allow-pub '").unwrap().split_once('\'').unwrap();
    let (heard, rest) = rest.strip_prefix(" --allow-sub '").unwrap().split_once('\'').unwrap();
    assert_eq!(rest, " --allow-pub-response");
    let list = |text: &str| text.split(',').map(ToOwned::to_owned).collect::<Vec<String>>();
    json!({"pub": {"allow": list(allowed)}, "sub": {"allow": list(heard)}, "resp": {"max": 1, "ttl": 0}})
}

/// Gives each Mac credentials with the rights that `fleet nats-setup` prints, and no others.
fn narrow(stage: &Stage, account: &Account) {
    let setup = fleet::account_setup(&stage.laptop.folder()).unwrap();
    let pinned = stage.laptop.folder().pinned().unwrap();
    for (mac, number) in [(&stage.laptop, 5), (&stage.mini, 6)] {
        let own = &mac.folder().membership().unwrap().members[0].id;
        let name = &pinned.roster.member(own).unwrap().name;
        let first = pinned.roster.members.iter().find(|member| member.name == *name).unwrap();
        let credentials = account.credentials(number, &rights_of(&setup, first.id.as_str()));
        mac.folder().write_text("credentials", credentials.as_bytes()).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn credentials_with_a_token_join_a_fleet_and_need_no_more_rights_than_are_printed() {
    let place = tempfile::tempdir().unwrap();
    let account = Account { key: key_of(KeyPairType::Account, 3) };
    let (address, certificate) = account.configure(place.path());
    let broker = Broker::start(place.path());
    let credentials = [7, 8].map(|number| account.credentials(number, &json!({})));
    let mut stage = founded(broker, ExistingServer { address, certificate, credentials }).await;
    answered(&mut stage, "file").await;
    narrow(&stage, &account);
    stage.mini.call("doors.disable", json!({"door": "fleet"})).await;
    stage.mini.call("doors.enable", json!({"door": "fleet"})).await;
    stage.owner = FleetOwner::connect(&stage.laptop.folder()).await.unwrap();
    answered(&mut stage, "second").await;
    for mac in [&stage.laptop, &stage.mini] {
        let facts = fleet::examine_broker(&mac.folder()).await.unwrap();
        assert!(matches!(&facts[0], BrokerFact::Reached { .. }), "{facts:?}");
        assert!(facts.iter().all(|fact| !matches!(fact, BrokerFact::Forbidden(_))), "{facts:?}");
    }
}
