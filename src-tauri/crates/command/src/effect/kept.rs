//! Names under which a download or a clone is kept if its words name no place: those of its addresses.

use super::command::{ExaminedCommand, ProgramWords};

/// Options of `curl` and `wget` with which the words name the place, or a server the files.
const CURL_NAMES: &str = "-o -J --output --output-dir --remote-header-name";
const WGET_NAMES: &str = "-O -P -i -r -m -p --output-document --directory-prefix --input-file --recursive \
    --mirror --page-requisites --spider --content-disposition --trust-server-names";

/// Returns the names that a command gives to what it fetches, in the folder where it runs; none if one of them is uncertain.
pub fn kept_names(argv: &[String]) -> Vec<String> {
    let mut names = Vec::new();
    if let Some(words) = ProgramWords::from_argv(argv) {
        words.for_each_reading(|command| {
            if names.is_empty() {
                names = names_of(command).unwrap_or_default();
            }
        });
    }
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
            command.operands(1).into_iter().map(file_name).collect()
        }
        "wget" if !command.matches_any(WGET_NAMES) => {
            command.operands(1).into_iter().map(file_name).collect()
        }
        _ => None,
    }
}

/// Returns the name of a file at an address. Programs differ on what is behind `?`.
fn file_name(address: &str) -> Option<String> {
    if address.ends_with('/') { None } else { last_part(address).map(str::to_owned) }
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

    fn kept(line: &str) -> String {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        kept_names(&words).join(" ")
    }

    #[test]
    fn what_is_fetched_has_the_name_of_its_address() {
        for (line, expected) in [
            ("git clone https://github.com/acme/site.git", "site"),
            ("git clone --depth 1 git@github.com:acme/site", "site"),
            ("git clone --bare https://github.com/acme/site/", "site.git"),
            ("git clone ../site", "site"),
            ("curl -sSLO https://example.com/a/x.tgz", "x.tgz"),
            ("wget https://example.com/x https://example.com/y", "x y"),
        ] {
            assert_eq!(kept(line), expected, "{line}");
        }
    }

    #[test]
    fn in_doubt_there_is_no_name() {
        for line in [
            "git clone https://github.com/acme/site vendor/site", "git clone https://github.com",
            "git -C ../x clone https://github.com/acme/site", "git fetch https://github.com/acme/site",
            "git clone https://github.com/acme/..", "git clone https://github.com/acme/$NAME",
            "curl https://example.com/x", "curl -O -o y https://example.com/x",
            "curl -OJ https://example.com/x", "wget -P dl https://example.com/x", "wget https://example.com",
            "wget https://example.com:8080", "wget https://example.com/dl/", "wget https://example.com/x?y",
            "wget -r https://example.com/x", "wget https://example.com/x https://example.com/",
        ] {
            assert_eq!(kept(line), "", "{line}");
        }
    }
}
