//! Hosts of addresses.

use super::command::ExaminedCommand;

/// Returns the host of an address: the part between scheme and path, without user and password.
///
/// An address that programs read differently stands for itself: no other one has that name.
pub fn host_of(url: &str) -> &str {
    let behind = match url.split_once("://") {
        Some((scheme, behind)) if is_scheme(scheme) => behind,
        // `evil.example/x://good.example` is a host and a path.
        Some(_) => return url,
        None => url,
    };
    let authority = behind.split(['/', '?', '#']).next().unwrap_or_default();
    let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    // A backslash is a slash to browsers, and a semicolon ends a host for some; to others both are of the user's name.
    if authority.contains(['\\', ';']) || user.contains('@') { url } else { host }
}

/// Returns the machine that a word names, with a port: an address, `user@host:path`, or a bare host.
///
/// A word that programs read differently stands for itself.
pub(super) fn machine_of(word: &str) -> Option<&str> {
    if word.contains("://") {
        return Some(host_of(word)).filter(|host| !host.is_empty());
    }
    if is_read_differently(word) {
        return Some(word);
    }
    let host = word.split([':', '/']).next().unwrap_or(word);
    let start = host.rfind('@').map_or(0, |at| at + 1);
    let name = &host[start..];
    let named = name == "localhost" || name.contains('.') || word.contains('@') || word.contains(':');
    (named && is_plain(name) && !name.is_empty() && !name.starts_with(['.', '-']))
        .then(|| &word[start..host.len() + port_length(&word[host.len()..])])
}

/// Returns the length of a port behind a host, with its colon: each is another service.
fn port_length(behind: &str) -> usize {
    let digits = |port: &str| port.bytes().take_while(u8::is_ascii_digit).count();
    let length = 1 + behind.strip_prefix(':').map_or(0, digits);
    let ends = behind.get(length..).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?', '#']));
    if length > 1 && ends { length } else { 0 }
}

/// Returns true for a word without a scheme in which programs see different hosts.
///
/// `a:b@c` is a file on `a` or a password for `c`; what is behind `?` and `#` is a part of the host for some.
fn is_read_differently(word: &str) -> bool {
    let authority = word.split('/').next().unwrap_or(word);
    authority.rsplit_once('@').is_some_and(|(user, _)| user.contains([':', '?', '#', '\\', ';', '@']))
}

/// Returns true for the name of a scheme (RFC 3986, 3.1).
fn is_scheme(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

/// Returns true if a host, perhaps with a port, is exactly what its characters say: nothing is expanded or decoded.
pub(super) fn is_plain(host: &str) -> bool {
    host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_[]:".contains(&byte))
}

/// Returns true if a word is a file on another machine (`host:path`).
pub(super) fn is_away(word: &str) -> bool {
    word.split_once(':').is_some_and(|(host, _)| !host.is_empty() && !host.contains('/'))
}

pub(super) fn is_this_machine(word: &str) -> bool {
    let host = host_of(word);
    let name = if host.starts_with('[') { host } else { host.split(':').next().unwrap_or(host) };
    let is_here = matches!(name, "localhost" | "127.0.0.1" | "0.0.0.0") || name.starts_with("[::1]");
    is_here && (word.contains("://") || !is_read_differently(word))
}

/// Returns an address of this computer without its quotes, or the word itself. What only the run tells stands behind its host:
/// `"http://localhost:3000/$ID"`.
pub(super) fn own_address(word: &str) -> &str {
    let is_own = |text: &&str| {
        let behind = text.split_once("://").map_or(*text, |(_, behind)| behind);
        let authority = behind.split(['/', '?', '#']).next().unwrap_or_default();
        !text.contains(['"', '\\']) && is_plain(authority) && is_this_machine(text)
    };
    word.strip_prefix('"').and_then(|text| text.strip_suffix('"')).filter(is_own).unwrap_or(word)
}

/// Returns the repositories that the words of a forge's program name: by its option, by an address, or by a path of the API.
pub(super) fn repositories_of<'a>(command: &ExaminedCommand<'a>) -> Vec<&'a str> {
    if !command.is_one_of(&["gh", "glab"]) {
        return Vec::new();
    }
    // The part of a path up to a number of names.
    let names = |path: &'a str, many: usize| {
        let end = path.match_indices('/').nth(many - 1).map_or(path.len(), |(at, _)| at);
        &path[..end]
    };
    let is_api = command.args.first() == Some(&"api");
    // What leads up, as it is or encoded, leaves the repository.
    let leads_up = |word: &str| {
        let decoded = word.to_ascii_lowercase().replace("%2e", ".");
        decoded.split('/').any(|part| part == "." || part.starts_with(".."))
    };
    let named = |word: &'a str| {
        if is_api && leads_up(word) {
            return Some(word);
        }
        if let Some((_, address)) = word.split_once("://") {
            return Some(names(address, 3));
        }
        let path = word.split('?').next().unwrap_or(word).trim_start_matches('/');
        is_api.then(|| path.strip_prefix("repos/").map_or(path, |path| names(path, 2)))
    };
    let by_option = command.values_of("-R").into_iter().chain(command.values_of("--repo"));
    let operands = command.operands(1).into_iter().skip(usize::from(is_api));
    // Of a call of the API that is one path; other words are values of its options.
    let is_field = |word: &&str| word.split('?').next().is_some_and(|path| path.contains('='));
    let mut operands: Vec<&str> = operands.filter(|word| !is_field(word)).collect();
    if is_api {
        let path = operands.iter().position(|word| word.contains('/')).unwrap_or(0);
        operands = operands.into_iter().skip(path).take(1).collect();
    }
    by_option.chain(operands.into_iter().filter_map(named)).collect()
}

/// Returns the registry of an image: what its name says, or the one that docker has built in. Others have settings for that.
pub(super) fn registry_of_image<'a>(image: &'a str, program: &str) -> Option<&'a str> {
    named_registry(image).or_else(|| (program == "docker").then_some("docker.io"))
}

/// Returns the first part of an image's name, if that can be a host.
fn named_registry(image: &str) -> Option<&str> {
    let (first, _) = image.split_once('/')?;
    (first.contains(['.', ':']) || first == "localhost").then_some(first)
}

/// Returns where an image comes from: the registry that its name says, or that name without tag and digest.
pub(super) fn source_of_image(image: &str, program: &str) -> String {
    if let Some(registry) = named_registry(image) {
        return registry.to_owned();
    }
    let name = image.split(['@', ':']).next().unwrap_or(image);
    registry_of_image(image, program).map_or_else(|| name.to_owned(), |built_in| format!("{built_in}/{name}"))
}

/// Returns the branches that the refspecs of a push name there, in place of their own names.
pub(super) fn branches_there(command: &ExaminedCommand<'_>, behind: usize) -> Option<String> {
    let refspecs = command.is_one_of(&["git"]).then(|| command.operands(behind))?;
    let there = refspecs.iter().skip(1).filter_map(|word| {
        let (from, to) = word.split_once(':')?;
        let to = to.strip_prefix("refs/heads/").unwrap_or(to);
        (!from.is_empty() && !to.is_empty()).then_some(to)
    });
    let there: Vec<&str> = there.collect();
    (!there.is_empty()).then(|| there.join(" "))
}

#[cfg(test)]
mod tests {
    use super::{host_of, machine_of, own_address, source_of_image};

    #[test]
    fn the_host_is_the_one_that_is_asked() {
        for (url, host) in [
            ("https://a.example/x", "a.example"),
            ("https://good.example@evil.example:8080/x", "evil.example:8080"),
            ("https://evil.example?@good.example", "evil.example"),
            ("https://a.example/x://b.example", "a.example"),
            ("http://[::1]#x", "[::1]"),
        ] {
            assert_eq!(host_of(url), host, "{url}");
        }
    }

    #[test]
    fn an_address_that_programs_read_differently_stands_for_itself() {
        for address in [
            "https://a.example\\@b.example/", "ftp://a.example;@b.example/",
            "https://a.example@b.example@c.example/", "a.example/x://b.example/", "a.example?://b.example/",
            "a.example:x://b.example/", "hg::https://a.example/x",
        ] {
            assert_eq!(host_of(address), address);
            assert_eq!(machine_of(address), Some(address));
        }
        for word in
            ["a.example:x@b.example", "a.example?@b.example/x", "a.example#@b.example", "a\\@b.example"]
        {
            assert_eq!(machine_of(word), Some(word));
        }
    }

    #[test]
    fn what_the_run_tells_behind_the_host_leaves_the_address_of_this_computer() {
        for text in ["http://localhost:3000/$ID", "localhost:3000/a?b=$(id)", "http://127.0.0.1/${X}/y"] {
            assert_eq!(own_address(&format!("\"{text}\"")), text);
        }
        for word in [
            r#""http://localhost:$PORT/x""#, r#""http://localhost$X/x""#, r#""localhost:3000$X/""#,
            r#""http://$X@localhost/x""#, r#""http://a.example/$X""#, r#""http://localhost/a"$X"b""#,
            r#""http://localhost/"$X"#, r#""http://localhost/a\\"$X\""#, r#""$BASE/x""#,
        ] {
            assert_eq!(own_address(word), word);
        }
    }

    #[test]
    fn an_image_comes_from_its_registry() {
        for (image, program, expected) in [
            ("alpine:3.20", "docker", "docker.io/alpine"),
            ("acme/app@sha256:00", "docker", "docker.io/acme/app"),
            ("ghcr.io/acme/app:1", "docker", "ghcr.io"),
            ("localhost:5000/app", "podman", "localhost:5000"),
            ("alpine:3.20", "podman", "alpine"),
        ] {
            assert_eq!(source_of_image(image, program), expected);
        }
    }

    #[test]
    fn a_word_names_a_machine_or_none() {
        for (word, host) in crate::tests::rows::<(&str, Option<&str>)>(include_str!("hosts.jsonl")) {
            assert_eq!(machine_of(word), host, "{word}");
        }
    }
}
