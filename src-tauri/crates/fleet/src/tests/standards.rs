//! Published vectors: DSSE's protocol, RFC 8032, RFC 9180 and NATS' documentation.

use crate::{OpenKey, SignKey, SignedEnvelope, pre_auth_encoding};
use hpke::aead::ChaCha20Poly1305;
use hpke::kdf::HkdfSha256;
use hpke::kem::X25519HkdfSha256;
use hpke::rand_core::{TryCryptoRng, TryRng};
use hpke::{Deserializable as _, OpModeR, OpModeS, Serializable as _};
use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use std::convert::Infallible;

fn bytes(hex: &str) -> Vec<u8> {
    let digit = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    (0..hex.len()).step_by(2).map(digit).collect()
}

fn array(hex: &str) -> [u8; 32] {
    bytes(hex).try_into().unwrap()
}

/// The envelope in DSSE's protocol.md is signed with ECDSA over P-256; its signature holds over our encoding.
#[test]
fn the_vector_of_dsse_holds() {
    let envelope = SignedEnvelope::decode(
        br#"{"payload": "aGVsbG8gd29ybGQ=",
            "payloadType": "http://example.com/HelloWorld",
            "signatures": [{"sig": "A3JqsQGtVsJ2O2xqrI5IcnXip5GToJ3F+FnZ+O88SjtR6rDAajabZKciJTfUiHqJPcIAriEGAHTVeCUjW2JIZA=="}]}"#,
        4096,
    )
    .unwrap();
    let encoded = pre_auth_encoding(&envelope.payload_type, &envelope.payload);
    assert_eq!(encoded, b"DSSEv1 29 http://example.com/HelloWorld 11 hello world");
    let public = bytes(concat!(
        "04", "67cd390f77aa359cb08c2235f652270493a9ed832b0abcc01f70954c0390d238",
        "0c782bd54e269125a44f4433aff1432ce94e12bca73aa67ac80cea12608ddf74",
    ));
    let key = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, public);
    key.verify(&encoded, &envelope.signatures[0].sig).unwrap();
}

/// RFC 8032, section 7.1, test 2.
#[test]
fn the_vector_of_ed25519_holds() {
    let key = SignKey::from_seed(array("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"))
        .unwrap();
    let public = array("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c");
    assert_eq!(key.verifier(), crate::VerifyKey::from_bytes(public));
    let signature = bytes(concat!(
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da",
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ));
    assert_eq!(key.sign(&[0x72]).to_vec(), signature);
    assert!(key.verifier().verify(&[0x72], &signature));
    assert!(!key.verifier().verify(&[0x73], &signature));
}

/// Gives the bytes that a vector names as random.
struct Given(Vec<u8>);

impl TryRng for Given {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        panic!("only whole keys are drawn")
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        panic!("only whole keys are drawn")
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        out.copy_from_slice(&self.0);
        Ok(())
    }
}

impl TryCryptoRng for Given {}

/// RFC 9180, A.2.1: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, ChaCha20-Poly1305, base mode, sequence number 0.
#[test]
fn the_vector_of_hpke_holds() {
    let key = OpenKey::from_seed(array("1ac01f181fdf9f352797655161c58b75c656a6cc2716dcb66372da835542e1df"));
    let public = key.sealer().public().unwrap();
    assert_eq!(
        public.to_bytes().to_vec(),
        bytes("4310ee97d88cc1f088a5576c77ab0cf5c3ac797f3d95139c6c84b5429c59662a")
    );
    let (info, aad) = (bytes("4f6465206f6e2061204772656369616e2055726e"), bytes("436f756e742d30"));
    let enc = bytes("1afa08d3dec047a643885163f1180476fa7ddb54c6a8029ea33f95796bf2ac4a");
    let sealed = bytes(concat!(
        "1c5250d8034ec2b784ba2cfd69dbdb8af406cfe3ff938e131f0def8c8b60b4db", "21993c62ce81883d2dd1b51a28",
    ));
    let mut random = Given(bytes("909a9b35d3dc4713a5e72a4da274b55d3d3821a37e5d099e74a647db583a904b"));
    let (our_enc, mut sender) =
        hpke::setup_sender_with_rng::<ChaCha20Poly1305, HkdfSha256, X25519HkdfSha256>(
            &OpModeS::Base,
            &public,
            &info,
            &mut random,
        )
        .unwrap();
    assert_eq!(our_enc.to_bytes().to_vec(), enc);
    assert_eq!(sender.seal(b"Beauty is truth, truth beauty", &aad).unwrap(), sealed);
    let enc = <X25519HkdfSha256 as hpke::Kem>::EncappedKey::from_bytes(&enc).unwrap();
    let mut receiver = hpke::setup_receiver::<ChaCha20Poly1305, HkdfSha256, X25519HkdfSha256>(
        &OpModeR::Base,
        key.secret(),
        &enc,
        &info,
    )
    .unwrap();
    assert_eq!(receiver.open(&sealed, &aad).unwrap(), b"Beauty is truth, truth beauty");
}

/// The pair that NATS' documentation of nkeys shows. Its seed's text holds the bytes of the secret.
#[test]
fn the_nkeys_of_nats_documentation_hold() {
    let text = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY";
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let value = |c: u8| u64::try_from(letters.iter().position(|letter| *letter == c).unwrap()).unwrap();
    let bits: Vec<u64> =
        text.bytes().flat_map(|c| (0..5).rev().map(move |bit| (value(c) >> bit) & 1)).collect();
    let raw: Vec<u8> = bits
        .chunks_exact(8)
        .map(|byte| byte.iter().fold(0, |sum, bit| (sum << 1) | u8::try_from(*bit).unwrap()))
        .collect();
    let key = SignKey::from_seed(raw[2..34].try_into().unwrap()).unwrap();
    assert_eq!(key.nkey_seed(), text);
    assert_eq!(key.verifier().public_nkey(), "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4");
}
