//! Envelopes and sealing: what is not exactly what was signed and sealed is refused.

use super::{answer, device, host, id, question, sent};
use crate::message::{FleetMessageKind, payload};
use crate::{
    EnvelopeError, FleetChoice, FleetQuestion, FleetRefusal, SealError, Sealed, Seed, SignedEnvelope,
};

#[test]
fn a_signature_of_one_kind_is_none_of_another() {
    let (mini, mara) = (device("mini"), device("mara"));
    let mut envelope = mara.header("m1").sign_body(
        crate::FleetPresence { at: 1, roster: crate::Hash::NONE, policy: None, blocked: None },
        &[&mara.sign],
    );
    assert_eq!(envelope.signers([(1, &mara.sign.verifier()), (2, &mini.sign.verifier())]), [1].into());
    envelope.payload_type = FleetMessageKind::Fresh.media_type().to_owned();
    assert!(envelope.signers([(1, &mara.sign.verifier())]).is_empty());
}

#[test]
fn the_json_form_is_strict() {
    let decode = |text: &str| SignedEnvelope::decode(text.as_bytes(), 200);
    let form = |text: &str| matches!(decode(text), Err(EnvelopeError::Form(_)));
    assert!(form(r#"{"payload":"aA==","payloadType":"t","signatures":[],"more":1}"#), "unknown member");
    assert!(
        form(r#"{"payload":"aA==","payload":"aA==","payloadType":"t","signatures":[{"sig":""}]}"#),
        "twice"
    );
    assert!(form(r#"{"payload":"aB==","payloadType":"t","signatures":[{"sig":""}]}"#), "bits behind the end");
    assert!(form(r#"{"payload":"a A==","payloadType":"t","signatures":[{"sig":""}]}"#), "blanks");
    assert!(form(r#"{"payload":"aA==","payloadType":"t","signatures":[{"sig":""}]} x"#), "more behind it");
    assert_eq!(
        decode(r#"{"payload":"aA==","payloadType":"t","signatures":[]}"#),
        Err(EnvelopeError::Signatures(0))
    );
    assert!(matches!(decode(&" ".repeat(201)), Err(EnvelopeError::TooLong { length: 201, most: 200 })));
}

#[test]
fn only_recipients_open_and_only_under_the_same_header() {
    let (mara, noor, olu) = (device("mara"), device("noor"), device("olu"));
    let to = [mara.open.sealer(), noor.open.sealer()];
    let sealed = Sealed::seal_bytes(b"head", b"secret words", &to, &mut Seed::new([1; 32])).unwrap();
    for reader in [&mara, &noor] {
        assert_eq!(sealed.open_bytes(b"head", &reader.open).unwrap(), b"secret words");
        assert_eq!(sealed.open_bytes(b"other", &reader.open), Err(SealError::Changed));
    }
    assert_eq!(sealed.open_bytes(b"head", &olu.open), Err(SealError::NotForUs));
    // A recipient whose key was swapped in for another's reads nothing.
    let mut swapped = sealed.clone();
    swapped.recipients[0].keyid = olu.open.sealer().key_id();
    assert_eq!(swapped.open_bytes(b"head", &olu.open), Err(SealError::Changed));
    let mut longer = sealed;
    longer.ciphertext.push(0);
    assert_eq!(longer.open_bytes(b"head", &mara.open), Err(SealError::Changed));
}

#[test]
fn the_same_words_sealed_twice_look_different() {
    let to = [device("mara").open.sealer()];
    let seal = |seed: u8| Sealed::seal_bytes(b"", b"words", &to, &mut Seed::new([seed; 32])).unwrap();
    assert_ne!(seal(1).ciphertext, seal(2).ciphertext);
    assert_ne!(seal(1).recipients[0].enc, seal(2).recipients[0].enc);
    assert!(matches!(
        Sealed::seal_bytes(b"", b"words", &[], &mut Seed::new([1; 32])),
        Err(SealError::Recipients(0))
    ));
}

#[test]
fn a_sealed_body_moved_to_another_sender_does_not_open() {
    // An approver takes the sealed body of another one's answer and signs it as its own.
    let fleet = host();
    let stolen =
        SignedEnvelope::decode(&sent("mara", "a1", &answer(&fleet, FleetChoice::Once)), 8192).unwrap();
    let body = payload::<Sealed>(&stolen, FleetMessageKind::Answer, &id("fleet-1")).unwrap().body;
    let noor = device("noor");
    let moved = serde_json::json!({"v": 1, "fleet": "fleet-1", "from": "noor", "id": "a1", "body": body});
    let envelope = SignedEnvelope::sign(
        FleetMessageKind::Answer.media_type(),
        moved.to_string().into_bytes(),
        &[&noor.sign],
    );
    let payload = payload::<Sealed>(&envelope, FleetMessageKind::Answer, &id("fleet-1")).unwrap();
    assert_eq!(
        payload.open_body::<crate::FleetAnswer>(&fleet.key).unwrap_err(),
        FleetRefusal::Sealed(SealError::Changed)
    );
}

#[test]
fn approvers_read_a_question_and_the_broker_reads_none_of_its_words() {
    let (fleet, mini, mara) = (host(), device("mini"), device("mara"));
    let asked = question(&fleet.pinned);
    let to: Vec<_> = fleet.pinned.roster.approvers_of(fleet.groups()).map(|member| member.seal).collect();
    assert_eq!(to.len(), 4, "Olu answers for another group");
    let envelope = mini.header("q1").seal_body(&asked, &to, &mini.sign, &mut Seed::new([3; 32])).unwrap();
    let bytes = envelope.encode();
    let text = String::from_utf8(bytes.clone()).unwrap();
    let plain = String::from_utf8(envelope.payload.clone()).unwrap();
    for word in ["git", "push", "origin", "builds", "Mara", "needs-review"] {
        assert!(!text.contains(word) && !plain.contains(word), "{word} is readable");
    }
    let read = SignedEnvelope::decode(&bytes, FleetMessageKind::Question.max_bytes()).unwrap();
    let payload = payload::<Sealed>(&read, FleetMessageKind::Question, &id("fleet-1")).unwrap();
    assert_eq!(payload.open_body::<FleetQuestion>(&mara.open).unwrap(), asked);
}

#[test]
fn payloads_of_other_fleets_versions_and_forms_are_refused() {
    let read = |text: &str| {
        let envelope = SignedEnvelope::sign(
            FleetMessageKind::Presence.media_type(),
            text.into(),
            &[&device("mara").sign],
        );
        payload::<crate::FleetPresence>(&envelope, FleetMessageKind::Presence, &id("fleet-1")).map(drop)
    };
    let hash = "0".repeat(64);
    let body = format!(r#"{{"at":1,"roster":"{hash}"}}"#);
    let with = |fleet: &str, v: u32, more: &str| {
        format!(r#"{{"v":{v},"fleet":"{fleet}","from":"mara","id":"m1","body":{body}{more}}}"#)
    };
    assert_eq!(read(&with("fleet-1", 1, "")), Ok(()));
    assert_eq!(read(&with("fleet-2", 1, "")), Err(FleetRefusal::OtherFleet));
    assert_eq!(read(&with("fleet-1", 2, "")), Err(FleetRefusal::Version(2)));
    assert!(matches!(read(&with("fleet-1", 1, r#","also":1"#)), Err(FleetRefusal::Form(_))));
    assert!(
        matches!(read(&with("Fleet.*", 1, "")), Err(FleetRefusal::Form(_))),
        "no wildcard of a subject is an id"
    );
}

#[test]
fn a_block_is_sealed_and_a_presence_without_one_is_as_it_was() {
    let (mini, mara) = (device("mini"), device("mara"));
    let none = crate::FleetPresence { at: 1, roster: crate::Hash::NONE, policy: None, blocked: None };
    let text = serde_json::to_string(&none).unwrap();
    assert!(!text.contains("blocked"), "an older host reads it as well: {text}");
    assert_eq!(serde_json::from_str::<crate::FleetPresence>(&text).unwrap(), none);
    for until in [None, Some(7)] {
        let said = crate::FleetPresence { blocked: Some(crate::HostBlock { until }), ..none.clone() };
        let to = [mara.open.sealer()];
        let envelope = mini.header("p2").seal_body(&said, &to, &mini.sign, &mut Seed::new([3; 32])).unwrap();
        let sealed = payload::<Sealed>(&envelope, FleetMessageKind::Presence, &id("fleet-1")).unwrap();
        assert_eq!(sealed.open_body::<crate::FleetPresence>(&mara.open).unwrap(), said);
        assert!(sealed.open_body::<crate::FleetPresence>(&mini.open).is_err(), "for nobody else");
    }
}
