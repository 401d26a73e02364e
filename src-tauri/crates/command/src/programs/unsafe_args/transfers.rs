//! Addresses that are fetched from, and data that is sent with the request.

use super::{FoundArg, files};
use crate::ArgEffect;
use crate::cloud::gives_keys;
use crate::invocation::{GivenOption, Invocation};
use crate::obeyed::is_obeyed;

pub(super) fn by_curl(read: &Invocation<'_>) -> FoundArg {
    writes_out(read).or_else(|| other_protocol(read)).or_else(|| sends_output_of_command(read))
}

pub(super) fn by_wget(read: &Invocation<'_>) -> impl IntoIterator<Item = (usize, ArgEffect, &'static str)> {
    let writes = writes_download(read);
    let plants = writes.and_then(|_| plants_download(read));
    writes.or_else(|| sends_output_of_command(read)).into_iter().chain(plants)
}

/// Finds downloads that tools read by themselves: by the file or folder that they are put to, or named by their address.
pub(super) fn plants_download(read: &Invocation<'_>) -> FoundArg {
    const TO: [&str; 10] = [
        "-D", "-o", "-O", "-P", "-c", "--cookie-jar", "--directory-prefix", "--dump-header", "--output",
        "--output-dir",
    ];
    let curl =
        read.args.first().and_then(crate::call::Arg::known_value).is_some_and(|name| name.ends_with("curl"));
    let takes_name = |given: &GivenOption<'_>| {
        matches!(&*given.name, "-O" | "--remote-name" | "--remote-name-all")
            || matches!(&*given.name, "-o" | "--output")
                && given.value.is_some_and(|value| value.contains('#'))
    };
    let by_address = !curl || read.options.iter().any(takes_name);
    let is_named = |at: &&usize| {
        let address = read.beginning(**at).unwrap_or_default();
        let path = address.split(['?', '#']).next().unwrap_or_default();
        let name = path.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
        let spelled = name.contains(['{', '[']) || ["%2e", "%2f", "%5c"].iter().any(|dot| name.contains(dot));
        path.contains('/') && (is_obeyed(&name) || spelled)
    };
    let named = || {
        read.operands
            .iter()
            .find(is_named)
            .filter(|_| by_address)
            .map(|at| (*at, ArgEffect::Plants, files::PLANTS))
    };
    files::plants(read, &TO).or_else(named)
}

/// Finds output of a command that goes to the server: `curl "http://h/?x=$(cat f)"`, `dig "$(cat f).h"`.
pub(super) fn sends_output_of_command(read: &Invocation<'_>) -> FoundArg {
    let printed = |at: &usize| {
        let arg = &read.args[*at];
        arg.known_value().is_none() && arg.free && (arg.word.raw.contains("$(") || arg.word.raw.contains('`'))
    };
    (1..read.args.len())
        .find(printed)
        .map(|at| (at, ArgEffect::Sends, "tells another machine what a command prints"))
}

/// Finds other protocols of curl: it reads files, mails and talks to directories by the beginning of an
/// address.
///
/// In any case and through its own patterns (`{file,http}://`). curl(1)
fn other_protocol(read: &Invocation<'_>) -> FoundArg {
    const WEB: [&str; 4] = ["http", "https", "ftp", "ftps"];
    let is_other = |address: &str| {
        let address = address.to_ascii_lowercase();
        match address.split_once("://") {
            Some((scheme, _)) if scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c)) => {
                !WEB.contains(&scheme)
            }
            // `h/?to=http://…` has no protocol of its own.
            Some((before, _)) => before.starts_with(['{', '[']),
            None => address.starts_with("file:"),
        }
    };
    let what = "an address that is no web page’s";
    let keys = |at: &usize| read.beginning(*at).is_some_and(gives_keys);
    if let Some(at) = (1..read.args.len()).find(keys) {
        return Some((at, ArgEffect::Secrets, "asks the machine’s cloud for its keys"));
    }
    let by_operand = read.operands.iter().copied().find(|at| read.beginning(*at).is_some_and(is_other));
    let by_option = || {
        let other = |given: &&GivenOption<'_>| match &*given.name {
            "--url" => read.value_or_start(given).is_some_and(is_other),
            "--proto-default" => !given.value.is_some_and(|value| WEB.contains(&value)),
            _ => false,
        };
        read.options.iter().find(other).map(|given| given.at)
    };
    by_operand.or_else(by_option).map(|at| (at, ArgEffect::Reads, what))
}

/// Finds curl's `-w '%output{file}'`, `-w @file`, `-H @file`, and methods that change something.
///
/// A file that a text names is no word, which a rule's limits could look at: it may lie anywhere.
fn writes_out(read: &Invocation<'_>) -> FoundArg {
    read.options.iter().find_map(|given| {
        let value = read.value_or_start(given);
        let file = value.is_none_or(|value| value.starts_with('@'));
        match &*given.name {
            "-w" | "--write-out" if file || value.is_some_and(|value| value.contains("%output")) => {
                Some((given.at, ArgEffect::Plants, "`-w` writes to a file that its text names"))
            }
            "-H" | "--header" | "-b" | "--cookie" if file => {
                Some((given.at, ArgEffect::Reads, "reads another file"))
            }
            "-X" | "--request" if !["GET", "HEAD", "OPTIONS"].contains(&given.value.unwrap_or_default()) => {
                Some((given.at, ArgEffect::Sends, "chooses the method of a call"))
            }
            _ => None,
        }
    })
}

/// Finds wget's writes: all that it fetches, but for `-O -`, which prints it.
///
/// Options that are not known to be harmless beside that may write as well (`-o`, `-p`, `--warc-file`).
/// wget(1)
fn writes_download(read: &Invocation<'_>) -> FoundArg {
    const HARMLESS: [&str; 14] = [
        "--spider", "-q", "-n", "-v", "-S", "-4", "-6", "-T", "-t", "-U", "--quiet", "--timeout", "--tries",
        "--user-agent",
    ];
    let to = |given: &&GivenOption<'_>| matches!(&*given.name, "-O" | "--output-document");
    let (documents, others): (Vec<_>, Vec<_>) = read.options.iter().partition(to);
    // It only asks whether the page is there.
    let looks = documents.is_empty() && others.iter().any(|given| given.name == "--spider");
    let prints = looks || !documents.is_empty() && documents.iter().all(|given| given.value == Some("-"));
    // A word of several letters counts letter by letter.
    let mut single =
        others.iter().filter(|given| given.name.starts_with("--") || given.name.chars().count() == 2);
    let plain = single.all(|given| HARMLESS.contains(&&*given.name));
    (!(prints && plain)).then_some((0, ArgEffect::Writes, "writes what it fetches"))
}
