//! Joining: who has the code, who only stole it, and who sits between.

use super::{START, device, id};
use crate::{CODE_LASTS, CodeError, Hash, Introduction, InvitationCode, JoinError, JoinSide, Party, Reveal};

fn code() -> InvitationCode {
    InvitationCode {
        fleet: id("fleet-1"),
        join: id("join-1"),
        server: "tls://192.0.2.7:7720".to_owned(),
        certificate: Some(Hash::of_bytes(b"certificate")),
        credentials: false,
        roster: Hash::of_bytes(b"roster"),
        secret: [5; 16],
        ends: START + CODE_LASTS,
    }
}

fn introduction(name: &str) -> Introduction {
    let device = device(name);
    Introduction {
        name: name.to_owned(),
        host: false,
        sign: device.sign.verifier(),
        seal: device.open.sealer(),
        nkey: device.nkey.verifier(),
    }
}

fn party(side: JoinSide, name: &str, code: &InvitationCode) -> Party {
    Party::new(code.clone(), side, vec![introduction(name)], *Hash::of_bytes(name.as_bytes()).as_bytes())
}

#[test]
fn both_sides_see_the_same_digits_and_each_other_s_keys() {
    let (owner, joiner) = (party(JoinSide::Owner, "mara", &code()), party(JoinSide::Joiner, "mini", &code()));
    let (of_owner, of_joiner) = (owner.commitment(), joiner.commitment());
    let at_joiner = joiner.finish(of_owner, &owner.reveal(of_joiner)).unwrap();
    let at_owner = owner.finish(of_joiner, &joiner.reveal(of_owner)).unwrap();
    assert_eq!(at_owner.digits, at_joiner.digits);
    assert!(at_owner.digits.len() == 6 && at_owner.digits.bytes().all(|c| c.is_ascii_digit()));
    assert_eq!(at_joiner.members, [introduction("mara")]);
    assert_eq!(at_owner.members, [introduction("mini")]);
}

#[test]
fn a_thief_of_the_code_shows_other_digits() {
    // It stands in for the owner at the joiner, and for the joiner at the owner, with keys of its own.
    let (owner, joiner) = (party(JoinSide::Owner, "mara", &code()), party(JoinSide::Joiner, "mini", &code()));
    let (as_owner, as_joiner) =
        (party(JoinSide::Owner, "eve", &code()), party(JoinSide::Joiner, "eve", &code()));
    let at_joiner =
        joiner.finish(as_owner.commitment(), &as_owner.reveal(joiner.commitment())).unwrap().digits;
    let at_owner =
        owner.finish(as_joiner.commitment(), &as_joiner.reveal(owner.commitment())).unwrap().digits;
    assert_ne!(at_joiner, at_owner);
}

#[test]
fn a_broker_in_between_fails_without_the_secret() {
    let mut other = code();
    other.secret = [6; 16];
    let (owner, joiner) = (party(JoinSide::Owner, "mara", &code()), party(JoinSide::Joiner, "mini", &code()));
    let broker = party(JoinSide::Owner, "eve", &other);
    let refused = joiner.finish(broker.commitment(), &broker.reveal(joiner.commitment()));
    assert_eq!(refused, Err(JoinError::Mac));
    // It reflects what a side said itself, or what was said in another joining.
    let reflected = joiner.reveal(joiner.commitment());
    assert_eq!(joiner.finish(joiner.commitment(), &reflected), Err(JoinError::Mac));
    let replayed = owner.reveal(Hash::of_bytes(b"another commitment"));
    assert_eq!(joiner.finish(owner.commitment(), &replayed), Err(JoinError::Mac));
}

#[test]
fn keys_chosen_after_the_commitment_are_refused() {
    let (owner, joiner) = (party(JoinSide::Owner, "mara", &code()), party(JoinSide::Joiner, "mini", &code()));
    let thief = party(JoinSide::Owner, "eve", &code());
    // A thief that waits for the joiner's keys, and then reveals others than it committed to.
    let late: Reveal = {
        let committed = owner.commitment();
        let forged = Party::new(code(), JoinSide::Owner, vec![introduction("eve")], [9; 32]);
        assert_ne!(forged.commitment(), committed);
        forged.reveal(joiner.commitment())
    };
    assert_eq!(joiner.finish(owner.commitment(), &late), Err(JoinError::Mac));
    let mut swapped = thief.reveal(joiner.commitment());
    swapped.members = vec![introduction("mara")];
    assert_eq!(joiner.finish(thief.commitment(), &swapped), Err(JoinError::Mac));
    swapped.members.clear();
    assert_eq!(joiner.finish(thief.commitment(), &swapped), Err(JoinError::Members));
}

#[test]
fn a_code_is_read_back_and_ends() {
    let text = code().to_text();
    assert_eq!(InvitationCode::parse(&format!("  {text}\n")), Ok(code()));
    for wrong in
        ["", "pf1.", "pf2.abc", &text[1..], &text[..text.len() - 1], &format!("{text}{}", "A".repeat(3000))]
    {
        assert_eq!(InvitationCode::parse(wrong), Err(CodeError::Form), "{wrong}");
    }
    assert_eq!(code().check_expiry(START + CODE_LASTS - 1), Ok(()));
    assert_eq!(code().check_expiry(START + CODE_LASTS), Err(CodeError::Ended));
    assert!(!format!("{:?}", code()).contains("BQUF"), "the secret is not printed");
}

#[test]
fn the_key_for_the_broker_is_both_sides_own_and_not_the_secret() {
    let key = |code: &InvitationCode| code.broker_key().unwrap().verifier();
    assert_eq!(key(&code()), key(&InvitationCode::parse(&code().to_text()).unwrap()));
    let mut other = code();
    other.secret = [6; 16];
    assert_ne!(key(&code()), key(&other));
    assert!(code().broker_key().unwrap().nkey_seed().starts_with("SU"));
}
