//! Names under which a download or a clone is kept if its words name no place: those of its addresses.

use super::command::{ExaminedCommand, ProgramWords};

/// Options of `curl` with which the words name the place, or the server the file.
const CURL_NAMES: &str = "-o -J --output --output-dir --remote-header-name";
/// Options of `wget` with which the words name the place, or nothing is kept.
const WGET_NAMES: &str = "-O -P --output-document --directory-prefix --spider";

/// Returns the names that a command gives to what it fetches in the folder where it runs; `None` if it keeps nothing there.
///
/// They are empty where one is uncertain. So are those of `wget`: many pages are one thing to a person.
pub fn kept_names(argv: &[String]) -> Option<Vec<String>> {
    let mut names = None;
    ProgramWords::from_argv(argv)?
        .for_each_reading(|command| names = names.take().or_else(|| names_of(command)));
    names
}

fn names_of(command: &ExaminedCommand<'_>) -> Option<Vec<String>> {
    match command.name {
        "git" => {
            let (_, verb) = command.read().find_verb("clone").filter(|_| !command.matches_any("^-C"))?;
            let &[address] = command.operands(verb + 1).as_slice() else { return None };
            let name = last_part(address)?;
            let name = name.strip_suffix(".git").unwrap_or(name);
            let suffix = if command.matches_any("--bare --mirror") { ".git" } else { "" };
            Some(vec![format!("{name}{suffix}")])
        }
        "curl" if command.matches_any("-O --remote-name") && !command.matches_any(CURL_NAMES) => {
            let names: Option<Vec<String>> = command.operands(1).into_iter().map(file_name).collect();
            Some(names.unwrap_or_default())
        }
        "wget" if !command.matches_any(WGET_NAMES) => Some(Vec::new()),
        _ => None,
    }
}

/// Returns the name of a file at an address. What is behind `?` is not a part of it.
fn file_name(address: &str) -> Option<String> {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    if path.ends_with('/') { None } else { last_part(path).map(str::to_owned) }
}

/// Returns the last part of an address behind its host, if every character of it stands for itself.
fn last_part(address: &str) -> Option<&str> {
    let path = match address.split_once("://") {
        Some((_, rest)) => rest.split_once('/')?.1,
        None => address.split_once(['/', ':'])?.1,
    };
    let name = path.trim_end_matches('/').rsplit(['/', ':']).next()?;
    let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._+@-".contains(&byte));
    (is_plain && !name.is_empty() && !name.starts_with('-') && !name.trim_matches('.').is_empty())
        .then_some(name)
}

#[cfg(test)]
mod tests {
    use super::kept_names;

    fn kept(line: &str) -> Option<String> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        kept_names(&words).map(|names| names.join(" "))
    }

    #[test]
    fn what_is_fetched_has_the_name_of_its_address() {
        for (line, expected) in [
            ("git clone https://github.com/acme/site.git", "site"),
            ("git clone --depth 1 git@github.com:acme/site", "site"),
            ("git clone --bare https://github.com/acme/site/", "site.git"),
            ("git clone ../site", "site"),
            ("curl -sSLO https://example.com/a/x.tgz", "x.tgz"),
            ("curl -O https://example.com/x?y=1", "x"),
        ] {
            assert_eq!(kept(line).as_deref(), Some(expected), "{line}");
        }
    }

    #[test]
    fn in_doubt_there_is_no_name() {
        for line in [
            "curl -O https://example.com", "curl -O https://example.com:8080",
            "curl -O https://example.com/dl/", "curl -O https://example.com/x https://example.com/..",
            "wget https://example.com/x", "wget -r https://example.com/x",
        ] {
            assert_eq!(kept(line).as_deref(), Some(""), "{line}");
        }
        for line in [
            "git clone https://github.com/acme/site vendor/site", "git clone https://github.com",
            "git -C ../x clone https://github.com/acme/site", "git fetch https://github.com/acme/site",
            "git clone https://github.com/acme/..", "git clone https://github.com/acme/$NAME",
            "curl https://example.com/x", "curl -O -o y https://example.com/x",
            "curl -OJ https://example.com/x", "wget -P dl https://example.com/x",
            "wget --spider https://example.com/x", "ls",
        ] {
            assert_eq!(kept(line), None, "{line}");
        }
    }
}
