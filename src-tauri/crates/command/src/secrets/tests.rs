//! Tests of secrets, of words that only look like one, and of spans that are cut out of what is shown.

use super::{ReadableText, is_secret_name};
use crate::escape::visible_text;
use proptest::prelude::*;

/// Returns a shown text with a mark in place of each secret.
fn marked(text: &ReadableText, shown: &str) -> String {
    let (mut all, mut from) = (String::new(), 0);
    for secret in text.secrets() {
        for (nth, part) in secret.parts.iter().enumerate() {
            all.push_str(&shown[from..part.start]);
            all.push_str(if nth == 0 { "••••" } else { "" });
            from = part.end;
        }
    }
    all + &shown[from..]
}

fn of_plain(text: &str) -> String {
    let mut read = ReadableText::default();
    read.push_plain(text, 0);
    marked(&read, text)
}

fn of_visible(shown: &str) -> String {
    let mut read = ReadableText::default();
    read.push_visible(shown, 0);
    marked(&read, shown)
}

/// Returns letters and digits as an issuer would draw them: no token of this file ever was one.
fn drawn(length: usize) -> String {
    "a1B2c3D4e5F6g7H8i9J0kLmNoPqRsTuVwXyZ".chars().cycle().take(length).collect()
}

#[test]
fn tokens_keep_their_prefix() {
    for (prefix, length) in crate::tests::rows::<(&str, usize)>(include_str!("prefixes.jsonl")) {
        let token = format!("{prefix}{}", drawn(length));
        for (before, behind) in [("", ""), ("echo ", " | wc"), ("X='", "'"), ("(", ")."), ("at:", ",")] {
            assert_eq!(
                of_plain(&format!("{before}{token}{behind}")),
                format!("{before}{prefix}••••{behind}")
            );
        }
        let short = format!("{prefix}{}", drawn(8));
        assert_eq!(of_plain(&short), short, "too short for one");
        let within = format!("a{token}");
        assert_eq!(of_plain(&within), within, "no word begins here");
    }
}

#[test]
fn secrets_are_left_out_and_what_only_looks_like_one_stays() {
    for (text, shown) in crate::tests::rows::<(String, String)>(include_str!("tests.jsonl")) {
        assert_eq!(of_plain(&text), shown);
    }
}

#[test]
fn of_a_private_key_the_lines_around_it_stay() {
    let line = drawn(64);
    let key =
        |kind: &str| format!("-----BEGIN {kind}-----\n{line}\n{line}\nabc=\n-----END {kind}-----\nbehind");
    for kind in ["PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"] {
        let shown = format!("-----BEGIN {kind}-----\n••••\n-----END {kind}-----\nbehind");
        assert_eq!(of_plain(&key(kind)), shown);
    }
    assert_eq!(of_plain(&key("CERTIFICATE")), key("CERTIFICATE"), "everybody may see it");
    let cut = format!("-----BEGIN PRIVATE KEY-----\n{line}\n{line}\n$ ls of (what) follows");
    assert_eq!(of_plain(&cut), "-----BEGIN PRIVATE KEY-----\n••••\n$ ls of (what) follows");
    let json = format!("\"-----BEGIN PRIVATE KEY-----\\n{line}\\n-----END PRIVATE KEY-----\\n\"");
    assert_eq!(of_plain(&json), "\"-----BEGIN PRIVATE KEY-----••••-----END PRIVATE KEY-----\\n\"");
}

#[test]
fn an_escape_is_one_character_and_colors_are_none() {
    let body = drawn(36);
    let plain = format!("\nghp_{body}\tx");
    assert_eq!(
        of_visible(&visible_text(&plain)),
        "\\nghp_••••\\tx",
        "the n of a line end is no letter before it"
    );
    let colored = format!("\\u{{1b}}[31mghp_\\u{{1b}}[m\\u{{1b}}[K{body}\\u{{1b}}[0m");
    assert_eq!(of_visible(&colored), "\\u{1b}[31mghp_\\u{1b}[m\\u{1b}[K••••\\u{1b}[0m");
    let split = format!("ghp_{}\\u{{1b}}[1m{}", &body[..20], &body[20..]);
    assert_eq!(of_visible(&split), "ghp_••••\\u{1b}[1m", "what is left between its parts are colors");
    assert_eq!(of_visible("PASSWORD='a\\\\b\\u{202e}c' x"), "PASSWORD='••••' x");
    assert_eq!(of_visible("--token=\\xff\\xfeab \\"), "--token=•••• \\");
}

#[test]
fn a_name_is_read_whatever_its_case() {
    for name in [
        "GITHUB_TOKEN", "token", "clientSecret", "DB_PASS", "PGPASSWORD", "x-api-key", "SSHPASS", "MYSQL_PWD",
    ] {
        assert!(is_secret_name(name), "{name}");
    }
    for name in
        ["TOKENIZER", "tokenize", "PWD", "BYPASS", "AWS_ACCESS_KEY_ID", "KEY", "SECRETARY", "PUBLIC_KEY"]
    {
        assert!(!is_secret_name(name), "{name}");
    }
}

/// Texts that name secrets, hide them and break them off, over and over.
fn hostile() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "ghp_", "sk-", "AKIA", "eyJ", ".", "-----BEGIN PRIVATE KEY-----", "-----END", "://", "a:b@",
        "password", "TOKEN", "=", ":", " ", "\"", "'", "\\", "\n", "--token", "curl", "-u", "$", "(", "é",
        "\u{1b}[31m", "\u{202e}", "a1B2c3D4e5F6g7H8i9J0kLmNoPqRsTuVwXyZ", "authorization", "{", "}", ",",
        "-p", "mysql", "😀",
    ]);
    prop_oneof![any::<String>(), prop::collection::vec(pieces, 0..60).prop_map(|all| all.concat())]
}

proptest! {
    #[test]
    fn spans_are_in_order_and_cut_no_character(text in hostile()) {
        let mut read = ReadableText::default();
        read.push_plain(&text, 0);
        let mut end = 0;
        for secret in read.secrets() {
            prop_assert_eq!(secret.parts.len(), 1, "nothing is between the characters of plain text");
            for part in secret.parts {
                prop_assert!(end <= part.start && part.start < part.end);
                prop_assert!(text.get(part.clone()).is_some());
                end = part.end;
            }
        }
    }

    #[test]
    fn no_escape_is_cut(text in hostile()) {
        let shown = visible_text(&text);
        let mut read = ReadableText::default();
        read.push_visible(&shown, 0);
        // The places at which an escape or a character begins.
        let mut begins = vec![0];
        for c in text.chars() {
            begins.push(begins.last().unwrap() + visible_text(&c.to_string()).len());
        }
        prop_assume!(begins.last() == Some(&shown.len()), "no letter is escaped for its neighbors");
        for part in read.secrets().into_iter().flat_map(|secret| secret.parts) {
            prop_assert!(begins.contains(&part.start) && begins.contains(&part.end), "{part:?} of {shown}");
        }
    }

    #[test]
    fn no_surroundings_show_a_token(before in hostile(), behind in hostile()) {
        let body = "zY9xW8vU7tS6rQ5pO4nM3lK2jI1hG0fEdCbA";
        let shown = of_plain(&format!("{before} ghp_{body} {behind}"));
        prop_assert!(!shown.contains(body), "{shown}");
    }
}

/// Texts in which every word begins something that never ends.
#[test]
fn time_is_linear_in_the_text() {
    for word in [
        "sk-", "eyJ-", "ghp_-", "glpat-.", "password=$", "password=", "token='$", "authorization:$",
        "-----BEGIN PRIVATE KEY-----", "://a:b", "password:", "x-api-key:", "\"authorization\":\\",
        "--token ", "curl -u ", "\"password\":\"\\",
    ] {
        // Quadratic, this would look at some 10^12 pairs of characters, and never end.
        let text = word.repeat(1_000_000 / word.len());
        let mut read = ReadableText::default();
        read.push_plain(&text, 0);
        assert!(read.secrets().len() <= text.len());
    }
}
