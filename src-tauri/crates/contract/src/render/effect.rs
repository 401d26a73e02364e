//! Effects as people read them: a verb and its object.

use super::argument::argument;
use super::files::{add_reach, files, many, objects};
use super::sentence::{Sentence, capitalized};
use crate::piece::ShownText;
use crate::shown::AlsoCovers;
use postern_command::effect::{EffectScope, InstallPlace, Reversible, UnknownEffectReason};
use postern_command::{ArgFact, CommandEffect, Words, escape};
use postern_policy::{AlsoCovered, EffectExtent, NamedFiles, RatedEffect, Widening};

/// Returns an effect as a verb phrase: `push commits to origin`.
pub fn effect(rated: &RatedEffect) -> ShownText {
    phrase(Sentence::default(), rated).pieces()
}

/// Returns an effect as a sentence without its full stop: `Push commits to origin`.
pub fn effect_sentence(rated: &RatedEffect) -> ShownText {
    let said = if rated.guessed {
        phrase(Sentence::new("perhaps "), rated)
    } else {
        phrase(Sentence::default(), rated)
    };
    let said = if is_lost(rated) { said.literal(" (can’t be undone)") } else { said };
    said.capitalized().pieces()
}

/// Returns true if the effect takes away what was there, and nothing brings it back.
pub(super) fn is_lost(rated: &RatedEffect) -> bool {
    rated.reversible == Reversible::No
        && matches!(
            rated.effect,
            CommandEffect::Delete { .. }
                | CommandEffect::ChangeRepository { .. }
                | CommandEffect::ChangeSystem { .. }
        )
}

/// Returns true if both are of one step and about the same things, each in its way: a file is deleted, and so changed.
pub(super) fn is_about_same(one: &RatedEffect, other: &RatedEffect) -> bool {
    fn objects(rated: &RatedEffect) -> &[String] {
        match &rated.effect {
            CommandEffect::Write { paths } | CommandEffect::Delete { paths, .. } => paths,
            CommandEffect::ChangeSystem { names, .. } => names,
            _ => &[],
        }
    }
    let (of_one, of_other) = (objects(one), objects(other));
    one.step == other.step
        && one.effect.kind() != other.effect.kind()
        && !of_one.is_empty()
        && of_one == of_other
}

/// Returns true if it is about how a name looks: where that name stands, its letters are marked.
pub(super) fn is_about_name(effect: &CommandEffect) -> bool {
    matches!(
        effect,
        CommandEffect::Unknown {
            why: UnknownEffectReason::MixedAlphabets(_) | UnknownEffectReason::LooksLikeAscii(_)
        }
    )
}

/// Returns a kind of effect as a verb phrase: `delete files`.
pub fn effect_kind(kind: &str) -> &'static str {
    match kind {
        "read" => "read files",
        "write" => "write files",
        "delete" => "delete files",
        "run-project-code" => "run code of the project",
        "run-inline-code" => "run code in its arguments",
        "run-downloaded-code" => "run code that it downloads",
        "install" => "install software",
        "fetch" => "fetch from the network",
        "send" => "send data",
        "publish" => "publish",
        "change-repository" => "change a repository",
        "run-elsewhere" => "run commands on other machines or in containers",
        "change-system" => "change the system",
        "control-app" => "control apps",
        "use-secret" => "use keys and passwords",
        "serve" => "serve on the network",
        _ => "do what Postern doesn’t know",
    }
}

/// Returns a kind of effect as it stands alone in a list: `Delete files`.
pub fn effect_kind_sentence(kind: &str) -> String {
    capitalized(effect_kind(kind))
}

/// Returns what a broad rule covers besides.
pub fn also_covers(also: &AlsoCovered) -> AlsoCovers {
    let does = also.effect.as_deref().map_or("run any program", effect_kind);
    let by: Vec<String> = also.by.iter().map(|word| escape::visible_text(word)).collect();
    let text = if by.is_empty() { does.to_owned() } else { format!("{does} ({})", by.join(", ")) };
    AlsoCovers { effect: also.effect.clone(), by, text }
}

/// Returns what a person adds to an offer.
pub fn widening(added: &Widening) -> AlsoCovers {
    let text = match added {
        Widening::Effect(also) => return also_covers(also),
        Widening::Reach(kind) => match kind.as_str() {
            "fetch" => "fetch from other hosts".to_owned(),
            "send" => "send data elsewhere".to_owned(),
            "install" => "install other packages".to_owned(),
            "run-downloaded-code" => "run other code that it downloads".to_owned(),
            other => format!("{}, others than shown", effect_kind(other)),
        },
        Widening::Files => "use files in other folders".to_owned(),
        Widening::Commands => "run other commands that it matches".to_owned(),
        Widening::Programs => "run other programs".to_owned(),
        Widening::Reads(folder) => format!("read files in {}", escape::visible_text(folder)),
        Widening::Folder(Some(folder)) => format!("in all of {}", escape::visible_text(folder)),
        Widening::Folder(None) => "in every folder".to_owned(),
        Widening::Host => "on the host, not only in its own shell".to_owned(),
        Widening::Input => "with any input".to_owned(),
        Widening::Signer => "other versions by the same developer".to_owned(),
    };
    let effect = match added {
        Widening::Reach(kind) => Some(kind.clone()),
        _ => None,
    };
    AlsoCovers { effect, by: Vec::new(), text }
}

/// Returns that as a sentence without its full stop; `None` if it covers nothing besides.
pub fn all_also_covered(all: &[AlsoCovers]) -> Option<String> {
    let texts: Vec<&str> = all.iter().map(|one| one.text.as_str()).collect();
    let many = match all.len() {
        0 => return None,
        1 => "1 effect".to_owned(),
        many => format!("{many} effects"),
    };
    Some(format!("Also covers {many}: {}", texts.join("; ")))
}

pub(super) fn phrase(begun: Sentence, rated: &RatedEffect) -> Sentence {
    match &rated.effect {
        CommandEffect::Read { paths } if paths.is_empty() => {
            begun.literal("look something up without changing anything")
        }
        CommandEffect::Read { paths } => files(begun.literal("read "), rated.named.as_ref(), paths, "files"),
        CommandEffect::Write { paths } => {
            add_reach(files(begun.literal("write "), rated.named.as_ref(), paths, "files"), rated, paths)
        }
        CommandEffect::Delete { paths, recursive, found } => {
            deletion(begun, rated, paths, *recursive && !found)
        }
        CommandEffect::RunProjectCode { what, name, folder } => {
            let said = add_name(begun.literal("run ").literal(what.clone()), name.as_deref());
            add_folder(said, folder.as_deref(), rated.scope)
        }
        CommandEffect::RunInlineCode { language } => inline(begun.literal("run inline "), language),
        CommandEffect::RunDownloadedCode { package: Some(package), host } => {
            let said = begun.literal("run ").code(package);
            let said = match host {
                Some(host) => said.literal(" from ").code(host),
                None => said,
            };
            said.literal(", downloading it if needed")
        }
        CommandEffect::RunDownloadedCode { host: Some(host), .. } => {
            begun.literal("run a script from ").code(host)
        }
        CommandEffect::RunDownloadedCode { .. } => begun.literal("run code that it downloads or decodes"),
        CommandEffect::Install { packages, place } => installation(begun, packages, *place),
        CommandEffect::Fetch { .. } => fetching(begun, "fetch from ", rated),
        CommandEffect::Send { what, to, branch } => {
            let said = sending(begun, rated, what, to);
            match branch {
                Some(branch) => said.literal(", branch ").code(branch),
                None => said,
            }
        }
        CommandEffect::Publish { what, place, host, tag } => {
            let said = publication(begun, what, place, address(rated).or(host.as_deref()));
            match tag {
                Some(tag) => said.literal(", tag ").code(tag),
                None => said,
            }
        }
        CommandEffect::ChangeRepository { change, names, folder } => {
            add_folder(changing(begun, rated, change, names), folder.as_deref(), rated.scope)
        }
        CommandEffect::ChangeSystem { change, names } => changing(begun, rated, change, names),
        CommandEffect::RunElsewhere { place, name } => {
            add_name(begun.literal("run commands ").literal(place.clone()), name.as_deref())
        }
        CommandEffect::ControlApp { how, app: name } | CommandEffect::UseSecret { how, which: name } => {
            add_name(begun.literal(how.clone()), name.as_deref())
        }
        CommandEffect::Serve { what, port } => add_name(begun.literal(what.clone()), port.as_deref()),
        CommandEffect::Unknown { why } => unknown(begun, why),
    }
}

fn changing(begun: Sentence, rated: &RatedEffect, change: &Words, names: &[String]) -> Sentence {
    match address(rated) {
        Some(address) => begun.literal(change.clone()).literal(" ").code(address),
        None if names.is_empty() => begun.literal(change.clone()).without_colon(),
        None => named_objects(begun, change, None, names, "of them"),
    }
}

/// Adds words with their objects. Those with a `…` take all objects but the last there: `move … to`.
pub(super) fn named_objects(
    begun: Sentence,
    words: &Words,
    named: Option<&NamedFiles>,
    names: &[String],
    many: &'static str,
) -> Sentence {
    match (words.around_objects(), names) {
        (Some((before, behind)), [rest @ .., last]) => {
            let said = begun.literal(before);
            let said = if rest.is_empty() { said } else { files(said.literal(" "), named, rest, many) };
            files(said.literal(" ").literal(behind).literal(" "), named, std::slice::from_ref(last), many)
        }
        _ => files(begun.literal(words.clone()).literal(" "), named, names, many),
    }
}

pub(super) fn fetching(begun: Sentence, verb: &'static str, rated: &RatedEffect) -> Sentence {
    let begun = begun.literal(verb);
    match (address(rated), &rated.effect) {
        (Some(address), _) => begun.code(address),
        (None, CommandEffect::Fetch { from }) if !from.is_empty() => objects(begun, from, "hosts"),
        (None, _) => begun.literal("the network"),
    }
}

fn add_name(begun: Sentence, name: Option<&str>) -> Sentence {
    match name {
        Some(name) => begun.literal(" ").code(name),
        None => begun.without_colon(),
    }
}

fn add_folder(said: Sentence, folder: Option<&str>, scope: EffectScope) -> Sentence {
    match folder {
        Some(folder) if scope == EffectScope::Outside => {
            said.literal(" in ").code(folder).literal(", outside of its folders")
        }
        Some(folder) => said.literal(" in ").code(folder),
        None => said,
    }
}

fn deletion(begun: Sentence, rated: &RatedEffect, paths: &[String], whole: bool) -> Sentence {
    let begun = begun.literal("delete ");
    let said = match &rated.measured {
        Some(EffectExtent::Files { files: 0, .. }) => {
            objects(begun, paths, "folders").literal(" (without any files)")
        }
        Some(EffectExtent::Files { files, bytes }) => {
            let begun = begun.quantity(*files).literal(if *files == 1 { " file in " } else { " files in " });
            objects(begun, paths, "folders").literal(" (").fragment(&format_size(*bytes)).literal(")")
        }
        Some(EffectExtent::Commits { .. } | EffectExtent::Address { .. }) | None => {
            let said = files(begun, rated.named.as_ref(), paths, "files");
            match paths.len() {
                _ if !whole => said,
                0 => said,
                1 if !many(rated.named.as_ref(), paths) => said.literal(" and everything in it"),
                _ => said.literal(" and everything in them"),
            }
        }
    };
    add_reach(said, rated, paths)
}

/// Returns a number of bytes in words, as file managers show it.
pub(super) fn format_size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["bytes", "KB", "MB", "GB", "TB"];
    let (mut unit, mut rest) = (0, bytes);
    while rest >= 1000 && unit + 1 < UNITS.len() {
        (unit, rest) = (unit + 1, rest.saturating_add(500) / 1000);
    }
    format!("{rest} {}", UNITS[unit])
}

fn sending(begun: Sentence, rated: &RatedEffect, what: &Words, to: &[String]) -> Sentence {
    let begun = match &rated.measured {
        Some(EffectExtent::Commits { ahead: 1, .. }) => begun.literal("push 1 commit"),
        Some(EffectExtent::Commits { ahead, .. }) => {
            begun.literal("push ").quantity(*ahead).literal(" commits")
        }
        Some(EffectExtent::Files { .. } | EffectExtent::Address { .. }) | None => begun.literal(what.clone()),
    };
    match address(rated) {
        Some(address) => begun.literal(" to ").code(address),
        None if to.is_empty() => begun,
        None => objects(begun.literal(" to "), to, "places"),
    }
}

/// Returns the address that the settings have for what an effect names.
fn address(rated: &RatedEffect) -> Option<&str> {
    match rated.measured.as_ref()? {
        EffectExtent::Commits { to, .. } => to.as_deref(),
        EffectExtent::Address { address } => Some(address),
        EffectExtent::Files { .. } => None,
    }
}

/// Registries in which everybody finds what is published.
const PUBLIC: [&str; 5] =
    ["registry.npmjs.org", "crates.io", "index.crates.io", "upload.pypi.org", "rubygems.org"];

fn publication(begun: Sentence, what: &[String], place: &Words, host: Option<&str>) -> Sentence {
    let begun = begun.literal("publish ");
    let said = if what.is_empty() { begun.literal("this project") } else { objects(begun, what, "packages") };
    match host {
        Some(host) if !PUBLIC.contains(&host) => said.literal(" on ").code(host),
        Some(host) => {
            said.literal(" publicly on ").literal(place.clone()).literal(" (").code(host).literal(")")
        }
        None => said.literal(" publicly on ").literal(place.clone()),
    }
}

fn installation(begun: Sentence, packages: &[String], place: InstallPlace) -> Sentence {
    let begun = begun.literal("install ");
    let said =
        if packages.is_empty() { begun.literal("packages") } else { objects(begun, packages, "packages") };
    said.literal(match place {
        InstallPlace::Project => " in this project",
        InstallPlace::User => " for your account",
        InstallPlace::System => " for all users",
    })
}

fn inline(begun: Sentence, language: &str) -> Sentence {
    let code = match language {
        "python" => "Python code",
        "node" | "nodejs" | "bun" | "deno" | "mongosh" | "mongo" => "JavaScript code",
        "ruby" | "rails" => "Ruby code",
        "perl" => "Perl code",
        "php" => "PHP code",
        "lua" => "Lua code",
        "osascript" => "AppleScript code",
        "psql" | "mysql" | "mariadb" | "sqlite3" | "duckdb" => "SQL",
        "sh" | "bash" | "zsh" | "dash" | "shell" => "shell code",
        other => return begun.literal("code through ").code(other),
    };
    begun.literal(code)
}

fn unknown(begun: Sentence, why: &UnknownEffectReason) -> Sentence {
    match why {
        UnknownEffectReason::Program(name) => begun.fill("run {}, which Postern doesn’t know", &[name]),
        UnknownEffectReason::ProgramLater => {
            begun.literal("run a program whose name is only known when it runs")
        }
        UnknownEffectReason::Unparsed(note) => {
            begun.literal("run a command that Postern can’t fully read: ").append_note(note)
        }
        UnknownEffectReason::Argument(ArgFact::Note(note)) => {
            begun.literal("run a command with an unsafe argument: ").literal(note.clone())
        }
        UnknownEffectReason::Argument(fact) => argument(begun.literal("run a command in which "), fact),
        UnknownEffectReason::TooManyCommands => {
            begun.literal("run more commands than Postern can look at one by one")
        }
        UnknownEffectReason::MixedAlphabets(text) => {
            begun.literal("use a name that mixes alphabets: ").code(text)
        }
        UnknownEffectReason::LooksLikeAscii(text) => {
            begun.literal("use a name with letters that only look like others: ").code(text)
        }
        UnknownEffectReason::Tool(name) => begun.literal("use its tool ").code(name),
        UnknownEffectReason::ServerTool { server, tool } => {
            begun.fill("use {} of the MCP server {}", &[tool, server])
        }
    }
}
