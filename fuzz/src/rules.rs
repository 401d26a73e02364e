//! Rules: what is typed as a pattern reads back as itself, and globs match what a plain reading of them says.

use postern_policy::case::Case;
use postern_policy::{Decision, Pattern, kind_name, parse_pattern, pattern_text};

/// Bytes of a pattern and of a path: the plain matcher tries every way.
const LONGEST: usize = 96;

/// Checks a pattern, the first line, against the words of a command, the others.
pub fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut lines = text.split('\n');
    let typed = lines.next().unwrap_or_default();
    let argv: Vec<String> = lines.map(str::to_owned).collect();
    let Ok(pattern) = parse_pattern(typed, None) else { return };
    let shown = pattern_text(&pattern);
    assert_eq!(
        parse_pattern(&shown, Some(kind_name(&pattern))).as_ref(),
        Ok(&pattern),
        "reading {shown:?} back"
    );
    let none = judged(&[], &[], &argv);
    let allowed = judged(&[typed], &[], &argv);
    let denied = judged(&[typed], &[typed], &argv);
    assert!(allowed <= none, "an allow rule never tightens: {typed:?} on {argv:?}");
    assert!(denied >= none, "a deny rule never loosens: {typed:?} on {argv:?}");
    if let (Pattern::Path(glob), Some(path)) = (&pattern, plain_path(&argv)) {
        as_plainly_read(glob, path, allowed, denied);
    }
}

/// Checks that a glob allows nothing that it does not match, and denies all that it does.
fn as_plainly_read(glob: &str, path: &str, allowed: Decision, denied: Decision) {
    if glob.len() > LONGEST || !is_simple(glob) {
        return;
    }
    let matches = matches(&parts(glob), &parts(path));
    assert!(matches || allowed != Decision::Allow, "{glob:?} does not match {path:?}, yet allows it");
    assert!(!matches || denied == Decision::Deny, "{glob:?} matches {path:?}, yet does not deny it");
}

fn judged(allow: &[&str], deny: &[&str], argv: &[String]) -> Decision {
    let case =
        serde_json::json!({ "id": "fuzz", "argv": argv, "allow": allow, "deny": deny, "expect": "ask" });
    let outcome = Case::parse(&case.to_string()).and_then(|case| case.run(None));
    outcome.map_or(Decision::Deny, |outcome| outcome.got)
}

/// Returns a request for one program by its absolute path in normal form, with nothing in it that is read
/// otherwise.
fn plain_path(argv: &[String]) -> Option<&str> {
    let [path] = argv else { return None };
    let plain = |part: &str| !part.is_empty() && part != "." && part != ".." && part.bytes().all(plain_byte);
    let normal = path.strip_prefix('/')?.split('/').all(plain);
    (normal && path.len() <= LONGEST && !path.starts_with("/proc/")).then_some(path)
}

fn plain_byte(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_' | b'.')
}

/// Stars and question marks only, `**` only as a whole component.
fn is_simple(glob: &str) -> bool {
    let simple = |part: &str| part == "**" || !part.contains("**");
    let known = |byte: u8| plain_byte(byte) || matches!(byte, b'*' | b'?' | b'/');
    glob.starts_with('/') && glob.bytes().all(known) && glob.split('/').all(simple)
}

fn parts(path: &str) -> Vec<&str> {
    path.trim_start_matches('/').split('/').collect()
}

/// Matches plainly: `**` is any number of components; a last one is at least one.
fn matches(glob: &[&str], path: &[&str]) -> bool {
    match (glob, path) {
        ([], []) => true,
        (["**"], path) => !path.is_empty(),
        (["**", rest @ ..], path) => (0..=path.len()).any(|skip| matches(rest, &path[skip..])),
        ([part, rest @ ..], [name, names @ ..]) => {
            component(part.as_bytes(), name.as_bytes()) && matches(rest, names)
        }
        _ => false,
    }
}

fn component(glob: &[u8], name: &[u8]) -> bool {
    match (glob, name) {
        ([], []) => true,
        ([b'*', rest @ ..], name) => (0..=name.len()).any(|skip| component(rest, &name[skip..])),
        ([b'?', rest @ ..], [_, names @ ..]) => component(rest, names),
        ([one, rest @ ..], [other, names @ ..]) => one == other && component(rest, names),
        _ => false,
    }
}
