//! Members that misuse what they may do.
//!
//! Hosts speak of others' questions or never stop asking, approvers never stop sending, and nobody may sign the last document
//! of a publisher any more.

use crate::audit::{anchored_more, verified};
use crate::policy::until_in_force;
use crate::proposals::denies;
use crate::rights::with_noor;
use crate::stage::{AskedFromAfar, Mac, PATIENCE, Stage, invitation, joined, never_ran, until_async};
use async_nats::jetstream::{self, stream};
use async_nats::{Client, HeaderMap};
use postern_doors::fleet::{
    AnswerReply, ApproverLimits, Elsewhere, FleetApprover, FleetChoice, FleetId, FleetRisk, Invitation, Keys,
    News, Publisher, RolloutReach,
};
use postern_fleet::{
    Bundle, BundleRules, FleetClosing, FleetMessageBody, FleetMessageHeader, FleetQuestion, Hash,
    PinnedRoster, RolloutStage, SealKey, Seed, SignKey, SignedEnvelope, Subjects, seal_document,
};
use postern_host::ConnectedApproverKind;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::timeout;
use uuid::Uuid;

/// A member's keys and connection, without Postern.
pub(super) struct Insider {
    pub(super) me: FleetId,
    pub(super) fleet: FleetId,
    pub(super) keys: Keys,
    pinned: PinnedRoster,
    pub(super) client: Client,
}

/// Connects to the broker by a key, without Postern. `name` is the beginning of the subjects on which it gets replies.
async fn connected(stage: &Stage, key: &SignKey, name: &str) -> Client {
    let folder = stage.laptop.folder();
    async_nats::ConnectOptions::with_nkey(key.nkey_seed())
        .add_root_certificates(folder.broker().join("broker.crt"))
        .require_tls(true)
        .custom_inbox_prefix(Subjects::inbox_prefix(name))
        .connect(&folder.membership().unwrap().server)
        .await
        .unwrap()
}

impl Insider {
    /// Speaks as the member of this Mac.
    pub(super) async fn of(stage: &Stage, mac: &Mac, as_host: bool) -> Self {
        let (folder, membership) = (mac.folder(), mac.folder().membership().unwrap());
        let me = membership.own_member_id(as_host).unwrap().clone();
        let keys = folder.read_keys(&me).unwrap();
        let client = connected(stage, &keys.nkey, me.as_str()).await;
        Self { me, fleet: membership.fleet, keys, pinned: folder.pinned().unwrap(), client }
    }

    pub(super) fn header(&self) -> FleetMessageHeader {
        let id = FleetId::random(*Uuid::new_v4().as_bytes());
        FleetMessageHeader { fleet: self.fleet.clone(), from: self.me.clone(), id }
    }

    fn everybody(&self) -> Vec<SealKey> {
        self.pinned.roster.members.iter().map(|member| member.seal).collect()
    }

    /// Says something on its own subject of questions.
    async fn tell_approvers(&self, body: &impl FleetMessageBody) {
        let mut seed = Seed::new(random_bytes());
        let sealed =
            self.header().seal_body(body, &self.everybody(), &self.keys.sign, &mut seed).unwrap().encode();
        let subject = Subjects::for_fleet(&self.fleet).questions(&self.me);
        let stored = async_nats::jetstream::new(self.client.clone()).publish(subject, sealed.into()).await;
        stored.unwrap().await.unwrap();
    }

    /// Signs a message that no host takes.
    fn sign_junk(&self) -> Vec<u8> {
        let body = FleetClosing { question: whole_fleet(), outcome: String::new(), by: None, place: None };
        let mut seed = Seed::new(random_bytes());
        self.header().seal_body(&body, &self.everybody(), &self.keys.sign, &mut seed).unwrap().encode()
    }

    /// Asks what this question asks, under another id and for a day.
    async fn ask_like(&self, asked: &Elsewhere, id: &str) {
        let question = &asked.question;
        let mut facts = serde_json::to_value(question).unwrap();
        facts["id"] = json!(id);
        facts["host"] = Value::Null;
        let body = FleetQuestion {
            revision: 1,
            digest: question.digest.clone(),
            facts,
            groups: vec!["all".parse().unwrap()],
            risk: FleetRisk::Safe,
            expires_in: 24 * 3_600_000,
            approvals: 1,
            fallback: String::new(),
            policy: String::new(),
            roster: self.pinned.hash,
        };
        self.tell_approvers(&body).await;
    }

    /// Signs a document of the group `all`, and stores it whatever is there.
    async fn store(&self, kind: &str, envelope: &SignedEnvelope, to: &[SealKey]) {
        let (key, sealed) = self.seal(kind, envelope, to);
        self.write_stored(&key, sealed).await;
    }

    /// Seals a document of the group `all`, and returns it with its key in the bucket.
    fn seal(&self, kind: &str, envelope: &SignedEnvelope, to: &[SealKey]) -> (String, Vec<u8>) {
        let key = Subjects::for_fleet(&self.fleet).group_key(kind, &whole_fleet());
        let mut seed = Seed::new(random_bytes());
        let sealed = seal_document((&self.fleet, &key), &envelope.encode(), to, &mut seed).unwrap();
        (key, sealed)
    }

    /// Signs a policy and a stage of it, and gives both with their kinds.
    fn sign_policy(&self, version: u64) -> [(&'static str, SignedEnvelope); 2] {
        let bundle = Bundle {
            group: whole_fleet(),
            version,
            previous: None,
            not_before: 0,
            rules: BundleRules::from_values(&[]),
            classes: serde_json::Map::new(),
            limits: serde_json::Map::new(),
            approvals: serde_json::Map::new(),
        };
        let signed = self.header().sign_body(bundle, &[&self.keys.sign]);
        let bundle = Hash::of_bytes(&signed.payload);
        let stage = RolloutStage { group: whole_fleet(), number: version, bundle, reach: RolloutReach::All };
        [("bundle", signed), ("stage", self.header().sign_body(stage, &[&self.keys.sign]))]
    }

    async fn store_bundle(&self, version: u64) {
        for (kind, envelope) in self.sign_policy(version) {
            self.store(kind, &envelope, &self.everybody()).await;
        }
    }

    /// Seals bytes for everybody under a key of the bucket.
    pub(super) fn sealed(&self, key: &str, bytes: &[u8]) -> Vec<u8> {
        let mut seed = Seed::new(random_bytes());
        seal_document((&self.fleet, key), bytes, &self.everybody(), &mut seed).unwrap()
    }

    /// Sends a value for an entry of the bucket as it is, and waits until the broker stored it.
    pub(super) async fn write_stored(&self, key: &str, bytes: Vec<u8>) {
        self.store_bytes(Subjects::for_fleet(&self.fleet).key_subject(key), bytes).await;
    }

    /// Sends a value for an entry of the bucket as it is. Returns true if the broker stored it at once.
    pub(super) async fn write(&self, key: &str, bytes: Vec<u8>, headers: HeaderMap) -> bool {
        self.send_stored(Subjects::for_fleet(&self.fleet).key_subject(key), bytes, headers).await
    }

    /// Sends bytes as they are, and waits until the broker stored them.
    pub(super) async fn store_bytes(&self, subject: String, bytes: Vec<u8>) {
        assert!(self.send_within(PATIENCE, subject, (bytes, HeaderMap::new())).await, "it is stored");
    }

    /// Sends bytes as they are. Returns true if the broker stored them at once: some of what it refuses it does not answer.
    pub(super) async fn send_stored(&self, subject: String, bytes: Vec<u8>, headers: HeaderMap) -> bool {
        self.send_within(Duration::from_secs(2), subject, (bytes, headers)).await
    }

    async fn send_within(
        &self,
        patience: Duration,
        subject: String,
        (bytes, headers): (Vec<u8>, HeaderMap),
    ) -> bool {
        let context = jetstream::context::ContextBuilder::new().timeout(patience).build(self.client.clone());
        let sent = context.publish_with_headers(subject, headers, bytes.into()).await;
        sent.unwrap().await.is_ok()
    }
}

pub(super) fn random_bytes() -> [u8; 32] {
    let (one, other) = (Uuid::new_v4(), Uuid::new_v4());
    [*one.as_bytes(), *other.as_bytes()].concat().try_into().unwrap()
}

pub(super) fn whole_fleet() -> FleetId {
    "all".parse().unwrap()
}

/// Lets another Mac join as a host of a group, whose door stays closed.
pub(super) async fn another_host(stage: &mut Stage, name: &str, group: &str) -> (Mac, Insider) {
    let mac = Mac::start().await;
    let groups = vec![group.parse().unwrap()];
    let invited = Invitation { groups, ..invitation(name, "") };
    joined(&mut stage.owner, &stage.broker, &mac.folder(), &[true], invited).await;
    let insider = Insider::of(stage, &mac, true).await;
    (mac, insider)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_closes_and_replaces_no_question_of_another() {
    let mut stage = Stage::set().await;
    let (_mac, bad) = another_host(&mut stage, "bad", "all").await;
    stage.laptop.call("doors.enable", json!({"door": "fleet"})).await;
    let AskedFromAfar { mut news, file, run, asked } = stage.watch_and_ask("file").await;
    let mara = FleetApprover::connect(&stage.laptop.folder()).await.unwrap();
    let window = stage.laptop.host.add_approver(ConnectedApproverKind::Window);
    let listed = async || {
        let listed = stage.laptop.host.call_by_name(&window.id(), "questions.list", json!({})).await.unwrap();
        listed["questions"].as_array().unwrap().iter().map(|one| one["id"].clone()).collect::<Vec<_>>()
    };
    until_async(async || listed().await == [json!(asked.question.id)]).await;
    let closing = FleetClosing {
        question: asked.question.id.parse().unwrap(),
        outcome: "allowed".to_owned(),
        by: Some("Mara".to_owned()),
        place: Some("MacBook".to_owned()),
    };
    bad.ask_like(&asked, &asked.question.id).await;
    // What is typed names it as well.
    bad.ask_like(&asked, &asked.question.code).await;
    bad.tell_approvers(&closing).await;
    // A question of its own is what shows that all of it was read.
    let own = Uuid::new_v4().to_string();
    bad.ask_like(&asked, &own).await;
    loop {
        match timeout(PATIENCE, news.recv()).await.unwrap().unwrap() {
            News::Waits(one) if one.question.id == own => break,
            // The mini says again who reads it.
            News::Waits(one) => {
                assert_eq!((one.name.as_str(), &one.question.id), ("mini", &asked.question.id));
            }
            News::Closed { name, .. } => panic!("{name} closed it"),
        }
    }
    until_async(async || listed().await.len() == 2).await;
    assert_eq!(listed().await, [json!(asked.question.id), json!(own)]);
    let waiting = mara.waiting().await.unwrap();
    let of: Vec<(&str, &str)> =
        waiting.iter().map(|one| (one.name.as_str(), one.question.id.as_str())).collect();
    assert_eq!(of, [("mini", asked.question.id.as_str()), ("bad", own.as_str())]);
    assert_eq!(
        mara.answer(&waiting[0], FleetChoice::Deny, None, None).await.unwrap(),
        AnswerReply::Applied(0)
    );
    never_ran(run, &file).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_fills_no_inbox() {
    let mut stage = Stage::set().await;
    let (_one, bad) = another_host(&mut stage, "bad", "all").await;
    let (_other, nightly) = another_host(&mut stage, "nightly", "nightly").await;
    stage.laptop.call("doors.enable", json!({"door": "fleet"})).await;
    let AskedFromAfar { news: _news, run, asked, .. } = stage.watch_and_ask("file").await;
    for _ in 0..40 {
        bad.ask_like(&asked, &Uuid::new_v4().to_string()).await;
        nightly.ask_like(&asked, &Uuid::new_v4().to_string()).await;
    }
    let mara = FleetApprover::connect(&stage.laptop.folder()).await.unwrap();
    let waiting = mara.waiting().await.unwrap();
    let of = |name: &str| waiting.iter().filter(|one| one.name == name).count();
    assert_eq!((of("mini"), of("bad"), of("nightly")), (1, 32, 0), "nobody here answers for nightly");
    let latest = postern_host::now_millis() + 32 * 60_000;
    assert!(waiting.iter().all(|one| one.ends < latest), "half an hour, whatever the host says");
    let window = stage.laptop.host.add_approver(ConnectedApproverKind::Window);
    until_async(async || {
        let listed = stage.laptop.host.call_by_name(&window.id(), "questions.list", json!({})).await.unwrap();
        listed["questions"].as_array().unwrap().len() == 33
    })
    .await;
    stage.mini.deny_all().await;
    timeout(PATIENCE, run).await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_keeps_no_answer_of_others_out() {
    let mut stage = Stage::set().await;
    let phone = Mac::start().await;
    joined(&mut stage.owner, &stage.broker, &phone.folder(), &[false], invitation("MacBook Air", "Noor"))
        .await;
    let noor = Insider::of(&stage, &phone, false).await;
    let AskedFromAfar { news: _news, file, run, asked } = stage.watch_and_ask("file").await;
    let mara = FleetApprover::connect(&stage.laptop.folder()).await.unwrap();
    let subject = Subjects::for_fleet(&noor.fleet).answers(&asked.host);
    // Junk, and what an approver signed: for nobody, but it is hers.
    let (kept, inbox) = (noor.sign_junk(), noor.client.new_inbox());
    let flood = tokio::spawn(async move {
        loop {
            for junk in [&b"x"[..], &kept] {
                let sent =
                    noor.client.publish_with_reply(subject.clone(), inbox.clone(), junk.to_vec().into());
                sent.await.unwrap();
            }
            noor.client.flush().await.unwrap();
        }
    });
    let answered = mara.answer(&asked, FleetChoice::Deny, None, None).await.unwrap();
    flood.abort();
    assert_eq!(answered, AnswerReply::Applied(0));
    never_ran(run, &file).await;
}

/// Lets another person join, who publishes as well.
async fn another_publisher(stage: &mut Stage) -> (Mac, Insider) {
    let mac = Mac::start().await;
    let approver = ApproverLimits { groups: vec![whole_fleet()], risk: FleetRisk::Safe, once_only: true };
    let pat = Invitation { publisher: true, approver: Some(approver), ..invitation("pub", "Pat") };
    joined(&mut stage.owner, &stage.broker, &mac.folder(), &[false], pat).await;
    let insider = Insider::of(stage, &mac, false).await;
    (mac, insider)
}

/// Publishes for all, and waits until the mini has it. Returns its name.
async fn published_for_all(publisher: &Publisher, text: &str) -> String {
    let name = publisher.publish(&whole_fleet(), denies(text), Vec::new()).await.unwrap();
    publisher.advance(&whole_fleet(), true).await.unwrap();
    publisher.advance(&whole_fleet(), true).await.unwrap();
    until_in_force(publisher, &name, "mini").await;
    name
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_publisher_s_policy_is_named_and_the_next_one_follows_it() {
    let mut stage = Stage::set().await;
    let (mac, _) = another_publisher(&mut stage).await;
    let pat = Publisher::connect(&mac.folder()).await.unwrap();
    let theirs = published_for_all(&pat, "echo *").await;
    drop(pat);
    assert_eq!(stage.owner.policies_without_publisher().await.unwrap(), [""; 0]);
    assert_eq!(stage.owner.revoke("pub").await.unwrap(), 1);
    stage.broker.reload();
    assert_eq!(stage.owner.policies_without_publisher().await.unwrap(), [theirs]);
    let mara = Publisher::connect(&stage.laptop.folder()).await.unwrap();
    let held = mara.advance(&whole_fleet(), false).await.unwrap_err().to_string();
    assert!(held.contains("does not count"), "{held}");
    let next = published_for_all(&mara, "ls *").await;
    assert!(next.starts_with("all/"), "{next}");
    assert_eq!(stage.owner.policies_without_publisher().await.unwrap(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_document_of_a_publisher_keeps_the_others_from_publishing() {
    let mut stage = Stage::set().await;
    let (_mac, pat) = another_publisher(&mut stage).await;
    let mara = Publisher::connect(&stage.laptop.folder()).await.unwrap();
    published_for_all(&mara, "echo *").await;
    // The last number of all: no host takes it.
    pat.store_bundle(u64::MAX).await;
    published_for_all(&mara, "ls *").await;
    // A document that nobody signed, and one that nobody else can open.
    let bundle = pat.header().sign_body(
        FleetClosing { question: whole_fleet(), outcome: String::new(), by: None, place: None },
        &[&pat.keys.nkey],
    );
    for to in [pat.everybody(), vec![pat.pinned.roster.member(&pat.me).unwrap().seal]] {
        for kind in ["bundle", "stage"] {
            pat.store(kind, &bundle, &to).await;
        }
        published_for_all(&mara, "cat *").await;
    }
    // Somebody who has seen none of it.
    std::fs::remove_file(stage.laptop.folder().path().join("published.json")).unwrap();
    pat.store_bundle(u64::MAX).await;
    published_for_all(&Publisher::connect(&stage.laptop.folder()).await.unwrap(), "mv *").await;
}

/// Headers by which the server stores nothing, and removes what was before a message: of its subject, or of the whole bucket.
#[tokio::test(flavor = "multi_thread")]
async fn what_the_broker_does_not_store_removes_nothing_and_counts_on_no_host() {
    let mut stage = Stage::set().await;
    let (_mac, pat) = another_publisher(&mut stage).await;
    let mara = Publisher::connect(&stage.laptop.folder()).await.unwrap();
    published_for_all(&mara, "echo *").await;
    let context = jetstream::new(pat.client.clone());
    let kept = async || {
        let stream = context.get_stream(format!("KV_pf-{}", pat.fleet)).await.unwrap();
        stream.cached_info().state.messages
    };
    let before = kept().await;
    assert!(before > 4, "rosters, word of them, a bundle and its stages: {before}");
    // The first is that of a publisher who was not the first.
    let refused =
        [("Nats-Expected-Last-Subject-Sequence", "999999"), ("Nats-Rollup", "all"), ("Nats-Rollup", "sub")];
    for ((name, value), (kind, envelope)) in
        refused.into_iter().flat_map(|header| pat.sign_policy(9).map(|signed| (header, signed)))
    {
        let (key, sealed) = pat.seal(kind, &envelope, &pat.everybody());
        let mut headers = HeaderMap::new();
        headers.insert(name, value);
        assert!(!pat.write(&key, sealed, headers).await, "the broker refuses it: {kind}, {name}");
    }
    assert_eq!(kept().await, before);
    // A host that took the version 9 would not take this one, which is older.
    published_for_all(&mara, "ls *").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_publisher_cannot_fill_what_revoking_it_needs() {
    let mut stage = Stage::set().await;
    let (_mac, pat) = another_publisher(&mut stage).await;
    let key = Subjects::for_fleet(&pat.fleet).group_key("stage", &whole_fleet());
    for key in ["stage.a1", "bundle.a1", "roster", "fresh"] {
        assert!(!pat.write(key, vec![0], HeaderMap::new()).await, "no publisher writes {key}");
    }
    // As large and as often as may be.
    for _ in 0..24 {
        pat.write_stored(&key, vec![0; 1_000_000]).await;
    }
    assert_eq!(stage.owner.revoke("pub").await.unwrap(), 1);
    stage.broker.reload();
    let mara = Publisher::connect(&stage.laptop.folder()).await.unwrap();
    published_for_all(&mara, "ls *").await;
}

/// A host may answer any request, and the broker lets it publish wherever the request says. An owner may write every entry.
#[tokio::test(flavor = "multi_thread")]
async fn no_request_has_others_write_what_its_sender_may_not() {
    let (stage, phone) = with_noor().await;
    let noor = Insider::of(&stage, &phone, false).await;
    let _news = stage.watch().await;
    let code = stage.owner.invite().unwrap();
    stage.broker.reload();
    let waiting = stage.owner.await_device(code.clone()).await.unwrap();
    let meeting = tokio::spawn(waiting.meet_device());
    let thief = connected(&stage, &code.broker_key().unwrap(), &format!("join-{}", code.join)).await;
    let names = Subjects::for_fleet(&noor.fleet);
    let mini = stage.mini.folder().membership().unwrap().own_member_id(true).unwrap().clone();
    let commit = json!({"commit": Hash::NONE}).to_string().into_bytes();
    let entry = async |key: &str| {
        let bucket = jetstream::new(noor.client.clone()).get_key_value(names.bucket()).await.unwrap();
        bucket.entry(key).await.unwrap().map(|entry| entry.revision)
    };
    let before = entry("roster").await;
    for (client, subject, said) in [
        (&noor.client, names.answers(&mini), noor.sign_junk()),
        (&noor.client, names.jobs(mini.as_str()), noor.sign_junk()),
        (&thief, names.join_subject(&code.join), commit),
    ] {
        for reply in [names.key_subject("roster"), names.key_subject("a1"), names.stored("roster")] {
            client.publish_with_reply(subject.clone(), reply, said.clone().into()).await.unwrap();
        }
        // Its own replies it gets, after the broker had those.
        timeout(PATIENCE, client.request(subject, said.into())).await.unwrap().unwrap();
    }
    assert_eq!((entry("roster").await, entry("a1").await), (before, None));
    meeting.abort();
}

/// The broker drops the second of two messages with one id in a stream, also of another sender.
#[tokio::test(flavor = "multi_thread")]
async fn no_host_has_the_broker_drop_the_audit_of_another() {
    let mut stage = Stage::set().await;
    let (_mac, bad) = another_host(&mut stage, "bad", "all").await;
    let mara = FleetApprover::connect(&stage.laptop.folder()).await.unwrap();
    until_async(async || verified(&mara).await.last.is_some()).await;
    let mini = verified(&mara).await;
    let next = mini.last.unwrap().seq + 1;
    let context = jetstream::new(bad.client.clone());
    for id in [format!("{}:{next}", mini.host), format!("anchor {next}"), format!("{next}")] {
        let mut headers = HeaderMap::new();
        headers.insert("Nats-Msg-Id", id);
        let subject = Subjects::for_fleet(&bad.fleet).audit(bad.me.as_str());
        let stored = context.publish_with_headers(subject, headers, "x".into()).await.unwrap();
        assert!(!stored.await.unwrap().duplicate);
    }
    anchored_more(&stage, &mara, "echo *").await;
    let after = verified(&mara).await;
    assert!(after.findings.is_empty() && after.last.unwrap().seq >= next, "{after:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_owner_signs_one_roster_of_a_version_whatever_the_broker_says() {
    let mut stage = Stage::set().await;
    let (_one, _) = another_host(&mut stage, "bad", "all").await;
    let (_other, _) = another_host(&mut stage, "other", "all").await;
    let mara = Insider::of(&stage, &stage.laptop, false).await;
    let before = stage.laptop.folder().pinned().unwrap();
    let context = jetstream::new(mara.client.clone());
    let bucket = context.get_stream(format!("KV_pf-{}", mara.fleet)).await.unwrap();
    let config = bucket.cached_info().config.clone();
    let full = stream::Config { max_message_size: 1, ..config.clone() };
    context.update_stream(full).await.unwrap();
    stage.owner.revoke("bad").await.unwrap_err();
    let pending = stage.laptop.folder().path().join("pending-roster.json");
    let signed = std::fs::read(&pending).unwrap();
    stage.owner.revoke("other").await.unwrap_err();
    assert_eq!(std::fs::read(&pending).unwrap(), signed, "nothing else is signed before it");
    assert_eq!(stage.laptop.folder().pinned().unwrap().hash, before.hash);
    context.update_stream(config).await.unwrap();
    assert_eq!(stage.owner.revoke("bad").await.unwrap(), 1, "it is done now");
    let after = stage.laptop.folder().pinned().unwrap();
    assert_eq!((after.roster.version, after.roster.previous), (before.roster.version + 1, Some(before.hash)));
    let names: Vec<_> = after.roster.members.iter().map(|member| member.name.as_str()).collect();
    assert!(!names.contains(&"bad") && names.contains(&"other"), "{names:?}");
    assert!(!pending.exists());
    assert_eq!(stage.owner.revoke("other").await.unwrap(), 1);
}
