//! Steps that send what is written out in the command.

use postern_command::{Step, Word};

/// Returns true for a call of GitHub's API that sends what is written out in the command and nothing else. To GraphQL it only asks.
///
/// `-f` sends its text, as `-X POST` does with it; `-F` would read a file for `@FILE`.
pub(crate) fn sends_written_text(step: &Step) -> bool {
    let known: Option<Vec<&str>> = step.argv.iter().map(|word| word.value.as_deref()).collect();
    let Some(["gh", "api", path, fields @ ..]) = known.as_deref() else { return false };
    let is_number = |value: &str| {
        let number = value.split_once('=').map(|(_, number)| number);
        number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let asks = *path == "graphql";
    let mut words = fields.iter();
    while let Some(word) = words.next() {
        let fits = match *word {
            "-f" | "--raw-field" => words.next().is_some_and(|field| !asks || only_asks(field)),
            "-q" | "--jq" => words.next().is_some(),
            "-X" | "--method" => words.next().is_some_and(|method| *method == "POST"),
            "-F" | "--field" => words.next().is_some_and(|value| is_number(value)),
            "-i" | "--include" | "--paginate" | "--silent" => true,
            _ => false,
        };
        if !fits {
            return false;
        }
    }
    asks || path.contains('/') && !path.starts_with('-')
}

/// Returns true for a field of a GraphQL call that is a variable, or a document that holds queries alone.
fn only_asks(field: &str) -> bool {
    let Some(document) = field.strip_prefix("query=") else { return true };
    let start = document.trim_start();
    let changes =
        ["mutation", "subscription"].iter().any(|kind| document.to_ascii_lowercase().contains(kind));
    (start.starts_with('{') || start.starts_with("query")) && !changes
}

/// Methods that send; `DELETE` is an effect of its own.
const METHODS: [&str; 3] = ["POST", "PUT", "PATCH"];

/// Returns true for a call of curl that sends texts of the command to one server of this computer, and does nothing else.
///
/// No file, no other host and no redirect: what the server itself does is the effect on show.
pub(crate) fn sends_to_own_server(step: &Step) -> bool {
    let mut servers = 0;
    let mut words = step.argv.iter().skip(1);
    while let Some(word) = words.next() {
        let fits = match word.value.as_deref() {
            Some("-H" | "--header") => words.next().is_some_and(is_written_header),
            Some("-d" | "--data" | "--data-ascii" | "--data-binary" | "--data-raw" | "--json") => {
                is_written(words.next())
            }
            Some("-w" | "--write-out") => {
                let format = words.next();
                is_written(format) && format.is_some_and(|word| !word.raw.contains("%output"))
            }
            Some("-m" | "--max-time" | "--connect-timeout") => words.next().is_some_and(is_decimal),
            Some("-o" | "--output") => words.next().is_some_and(|word| word.raw == "/dev/null"),
            Some("--silent" | "--show-error" | "--fail" | "--include" | "--verbose") => true,
            Some("--request") => is_method(words.next()),
            Some(text) if text.starts_with('-') => {
                match text[1..].trim_start_matches(['s', 'S', 'f', 'i', 'v']).strip_prefix('X') {
                    Some("") => is_method(words.next()),
                    Some(method) => METHODS.contains(&method),
                    None => text.len() > 1 && text[1..].chars().all(|letter| "sSfiv".contains(letter)),
                }
            }
            Some(_) | None => {
                servers += 1;
                is_own_server(word)
            }
        };
        if !fits {
            return false;
        }
    }
    step.program() == Some("curl") && servers == 1
}

fn is_method(word: Option<&Word>) -> bool {
    word.and_then(|word| word.value.as_deref()).is_some_and(|method| METHODS.contains(&method))
}

/// Returns true for a value that is written out and names no file.
fn is_written(word: Option<&Word>) -> bool {
    word.and_then(|word| word.value.as_deref()).is_some_and(|text| !text.starts_with('@'))
}

/// Returns true for a header that is one word, perhaps with a variable behind its name: `"Authorization: Bearer $TOKEN"`.
fn is_written_header(word: &Word) -> bool {
    let one = quoted(&word.raw).filter(|text| text.starts_with(|c: char| c.is_ascii_alphabetic()));
    is_written(Some(word)) || word.value.is_none() && one.is_some()
}

fn is_decimal(word: &Word) -> bool {
    !word.raw.is_empty() && word.raw.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// Returns true for an address of this computer whose host and port are written out.
fn is_own_server(word: &Word) -> bool {
    let Some(text) = word.value.as_deref().or_else(|| quoted(&word.raw)) else { return false };
    let scheme = ["http://", "https://"].iter().find_map(|scheme| text.strip_prefix(*scheme));
    let authority = scheme.unwrap_or(text).split(['/', '?', '#']).next().unwrap_or_default();
    let (host, port) = authority.split_once(':').unwrap_or((authority, ""));
    ["localhost", "127.0.0.1"].contains(&host) && port.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the text between the quotes of a word that is all in one pair of them.
pub(super) fn quoted(raw: &str) -> Option<&str> {
    raw.strip_prefix('"')?.strip_suffix('"').filter(|text| !text.contains(['"', '\\']))
}
