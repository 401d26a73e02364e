use proptest::prelude::*;

use super::invisible::is_invisible;
use super::{Lookalike, Resemblance, is_plain, lookalikes, pieces, visible_bytes, visible_text};

/// Returns true if every character can be seen. (The letters of an escape beside foreign ones may look like a
/// token of two alphabets: that is no reason to escape them again.)
fn is_visible(shown: &str) -> bool {
    !shown.chars().any(is_invisible)
}

#[test]
fn terminal_form() {
    for (hostile, shown) in [
        ("git status", "git status"),
        ("a\\b", "a\\\\b"),
        ("a\nb\tc\rd", "a\\nb\\tc\\rd"),
        ("\u{1b}[2J", "\\u{1b}[2J"),
        ("a\u{202e}b", "a\\u{202e}b"),
        ("a\u{200b}b", "a\\u{200b}b"),
        ("git\u{a0}status", "git\\u{a0}status"),
        ("a\u{2028}b\u{2029}", "a\\u{2028}b\\u{2029}"),
        ("\u{115f}\u{1160}\u{3164}\u{ffa0}", "\\u{115f}\\u{1160}\\u{3164}\\u{ffa0}"),
        ("x\u{fe0f}\u{e0041}\u{e0100}", "x\\u{fe0f}\\u{e0041}\\u{e0100}"),
        ("\u{e000}\u{378}\u{2800}", "\\u{e000}\\u{378}\\u{2800}"),
        ("\u{2066}\u{feff}\u{ad}\u{61c}", "\\u{2066}\\u{feff}\\u{ad}\\u{61c}"),
        ("Ärger 日本 🦀", "Ärger 日本 🦀"),
        ("\u{301}x", "\\u{301}x"),
        ("get.examp\u{456}le.dev", "get.examp\\u{456}le.dev"),
        ("\u{43f}\u{430}\u{443}\u{440}\u{430}l", "\\u{43f}\\u{430}\\u{443}\\u{440}\\u{430}l"),
    ] {
        assert_eq!(visible_text(hostile), shown);
    }
}

#[test]
fn a_fifth_combining_mark_is_escaped() {
    let stacked = format!("e{}", "\u{301}".repeat(6));
    assert_eq!(visible_text(&stacked), format!("e{}\\u{{301}}\\u{{301}}", "\u{301}".repeat(4)));
}

#[test]
fn pieces_set_escapes_apart_and_keep_backslashes() {
    let pieces = pieces("a\\u{a}\nb");
    let parts: Vec<(&str, bool)> = pieces.iter().map(|piece| (piece.text.as_str(), piece.escaped)).collect();
    assert_eq!(parts, [("a\\u{a}", false), ("\\n", true), ("b", false)]);
}

#[test]
fn bytes_that_are_not_text_are_shown_in_hex() {
    assert_eq!(visible_bytes(b"a\xff\xfe\\xff"), "a\\xff\\xfe\\\\xff");
}

#[test]
fn look_alike_letters_are_named() {
    assert_eq!(
        lookalikes("run g\u{456}t now").collect::<Vec<_>>(),
        [Lookalike { span: 4..8, resemblance: Resemblance::Ascii("git".to_owned()) }]
    );
    assert_eq!(lookalikes("ба\u{62}ушка").next().unwrap().resemblance, Resemblance::MixedScripts);
}

#[test]
fn of_many_look_alikes_each_is_escaped_and_nothing_else() {
    let shown = visible_text("é.g\u{456}t.é.ls.g\u{456}t é");
    assert_eq!(shown, "é.g\\u{456}t.é.ls.g\\u{456}t é");
}

#[test]
fn honest_text_has_no_look_alike() {
    for honest in ["git status", "café naïve", "日本語とかな", "привет мир", "git push … “quoted” — 5 µs"]
    {
        assert_eq!(lookalikes(honest).collect::<Vec<_>>(), []);
    }
}

/// Reads the terminal form back; only a test needs it.
fn unescape(shown: &str) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut rest = shown.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            out.extend(c.to_string().bytes());
            continue;
        }
        match rest.next()? {
            '\\' => out.push(b'\\'),
            'n' => out.push(b'\n'),
            'r' => out.push(b'\r'),
            't' => out.push(b'\t'),
            'x' => out.push(u8::from_str_radix(&rest.by_ref().take(2).collect::<String>(), 16).ok()?),
            'u' => {
                let digits: String = rest.by_ref().skip(1).take_while(|&c| c != '}').collect();
                out.extend(char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?.to_string().bytes());
            }
            _ => return None,
        }
    }
    Some(out)
}

proptest! {
    #[test]
    fn the_terminal_form_is_visible_and_reads_back(hostile in any::<String>()) {
        let shown = visible_text(&hostile);
        prop_assert!(is_visible(&shown), "an escape has nothing left to escape: {shown:?}");
        prop_assert_eq!(unescape(&shown), Some(hostile.into_bytes()), "two texts must never look the same");
    }

    #[test]
    fn bytes_read_back(hostile in any::<Vec<u8>>()) {
        let shown = visible_bytes(&hostile);
        prop_assert!(is_visible(&shown));
        prop_assert_eq!(unescape(&shown), Some(hostile));
    }

    #[test]
    fn pieces_lose_nothing(hostile in any::<String>()) {
        let mut back = Vec::new();
        for piece in pieces(&hostile) {
            if piece.escaped {
                back.extend(unescape(&piece.text).unwrap());
            } else {
                prop_assert!(is_visible(&piece.text));
                back.extend(piece.text.bytes());
            }
        }
        prop_assert_eq!(back, hostile.into_bytes());
    }

    #[test]
    fn look_alikes_point_into_the_text(hostile in any::<String>()) {
        for found in lookalikes(&hostile) {
            prop_assert!(hostile.get(found.span).is_some());
        }
    }
}

#[test]
fn a_text_is_plain_where_it_is_shown_as_it_is() {
    assert!(is_plain("rm -rf ä") && is_plain(""));
    for text in ["a\u{202e}b", "a\nb", "a\u{200b}", "\u{1b}[2J", "p\u{430}ypal"] {
        assert!(!is_plain(text), "{text:?}");
    }
}
