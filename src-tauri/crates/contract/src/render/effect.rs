//! Effects as people read them: a verb and its object.

use super::cause::argument;
use super::sentence::Sentence;
use crate::methods::AlsoCovers;
use crate::piece::{Piece, PieceKind, Shown};
use postern_command::effect::{InstallPlace, Reversible, Scope, Why};
use postern_command::{Effect, Words};
use postern_policy::{AlsoCovered, Cause, Measured, RatedEffect, Risk, RiskLevel};

/// Objects that are named; more are counted.
const MOST_NAMED: usize = 3;

/// Returns an effect as a verb phrase: `push commits to origin`.
pub fn effect(rated: &RatedEffect) -> Shown {
    phrase(Sentence::default(), rated).pieces()
}

/// Returns an effect as a sentence without its full stop: `Push commits to origin`.
pub fn effect_sentence(rated: &RatedEffect) -> Shown {
    let said = if rated.guessed {
        phrase(Sentence::new("perhaps "), rated)
    } else {
        phrase(Sentence::default(), rated)
    };
    let is_final = rated.reversible == Reversible::No
        && matches!(rated.effect, Effect::Delete { .. } | Effect::ChangeRepository { .. });
    let said = if is_final { said.say(" (can't be undone)") } else { said };
    let mut pieces = said.pieces();
    if let Some(Piece { text, kind: PieceKind::Plain }) = pieces.first_mut() {
        let (first, rest) = text.split_at(text.chars().next().map_or(0, char::len_utf8));
        *text = format!("{}{rest}", first.to_uppercase());
    }
    pieces
}

/// Returns the most consequential effect as a sentence about the agent: `builder wants to push commits to origin`.
pub fn headline(agent: &Shown, risk: &Risk) -> Shown {
    let begun = Sentence::default().then(agent.clone());
    let Some(first) = risk.effects.first() else {
        return begun.say(" wants to run a harmless shell command").pieces();
    };
    let begun = begun.say(if first.guessed {
        " wants to run a command that Postern can't fully read, which may "
    } else {
        " wants to "
    });
    let said = phrase(begun, first);
    match second(risk) {
        Some(second) => phrase(said.say(" and "), second).pieces(),
        None => said.pieces(),
    }
}

/// Returns the other effects that a headline names: a second one that is dangerous as well.
fn second(risk: &Risk) -> Option<&RatedEffect> {
    let (first, second) = (risk.effects.first()?, risk.effects.get(1)?);
    let both = [first, second].iter().all(|rated| rated.level == RiskLevel::Dangerous && !rated.guessed);
    // What a name looks like is no effect: it is among what makes it dangerous.
    (both && !is_about_name(&second.effect) && first.effect.kind() != second.effect.kind()).then_some(second)
}

/// Returns true if it is about how a name looks: where that name stands, its letters are marked.
pub(super) fn is_about_name(effect: &Effect) -> bool {
    matches!(effect, Effect::Unknown { why: Why::MixedAlphabets(_) | Why::LooksLikeAscii(_) })
}

/// Returns how many effects the headline names: the first ones.
pub(super) fn named_by_headline(risk: &Risk) -> usize {
    1 + usize::from(second(risk).is_some())
}

/// Returns the effects that need care and that the headline does not name, as sentences.
pub fn beyond_headline(risk: &Risk) -> Vec<Shown> {
    let rest =
        risk.effects.iter().skip(named_by_headline(risk)).filter(|rated| rated.level != RiskLevel::Safe);
    rest.map(effect_sentence).collect()
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
        "change-system" => "change this machine",
        "control-app" => "control apps",
        "use-secret" => "use keys and passwords",
        "serve" => "serve on the network",
        _ => "do what Postern doesn't know",
    }
}

/// Returns a kind of effect as it stands alone in a list: `Delete files`.
pub fn effect_kind_sentence(kind: &str) -> String {
    let words = effect_kind(kind);
    let (first, rest) = words.split_at(1);
    format!("{}{rest}", first.to_uppercase())
}

/// Returns what a broad rule covers besides.
pub fn also_covers(also: &AlsoCovered) -> AlsoCovers {
    let does = also.effect.as_deref().map_or("run any program", effect_kind);
    let by: Vec<String> = also.by.iter().map(|word| postern_command::escape::text(word)).collect();
    let text = if by.is_empty() { does.to_owned() } else { format!("{does} ({})", by.join(", ")) };
    AlsoCovers { effect: also.effect.clone(), by, text }
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

/// Returns why a question is asked, to the person.
pub fn asked_because(cause: &Cause, agent: &Shown) -> Shown {
    match cause {
        Cause::NoRule { command: Some(command) } => {
            let begun = Sentence::new("You haven't allowed ").code(command).say(" for ");
            begun.then(agent.clone()).say(".").pieces()
        }
        Cause::NoRule { command: None } => Sentence::new("You haven't allowed this part yet.").pieces(),
        Cause::Steps { cause, asking, steps } => {
            let begun = Sentence::default().then(asked_because(cause, agent));
            match (asking, steps) {
                (2, 2) => begun.say(" Both need your approval."),
                (asking, steps) if asking == steps => {
                    begun.say(" All ").number(*steps).say(" need your approval.")
                }
                _ => begun.say(" ").number(*asking).say(" of ").number(*steps).say(" need your approval."),
            }
            .pieces()
        }
        _ => super::cause(cause),
    }
}

fn phrase(begun: Sentence, rated: &RatedEffect) -> Sentence {
    match &rated.effect {
        Effect::Read { paths } if paths.is_empty() => begun.say("look something up, changing nothing"),
        Effect::Read { paths } => objects(begun.say("read "), paths, "files"),
        Effect::Write { paths } => place(objects(begun.say("write "), paths, "files"), rated.scope),
        Effect::Delete { paths, recursive } => deletion(begun, rated, paths, *recursive),
        Effect::RunProjectCode { what, name } => named(begun.say("run ").say(what.clone()), name.as_deref()),
        Effect::RunInlineCode { language } => inline(begun.say("run inline "), language).say(" code"),
        Effect::RunDownloadedCode { package: Some(package), .. } => {
            begun.say("run ").code(package).say(", downloading it if needed")
        }
        Effect::RunDownloadedCode { host: Some(host), .. } => begun.say("run a script from ").code(host),
        Effect::RunDownloadedCode { .. } => begun.say("run code that it downloads or decodes"),
        Effect::Install { packages, place } => installation(begun, packages, *place),
        Effect::Fetch { from } => match address(rated) {
            Some(address) => begun.say("fetch from ").code(address),
            None if from.is_empty() => begun.say("fetch from the network"),
            None => objects(begun.say("fetch from "), from, "hosts"),
        },
        Effect::Send { what, to } => sending(begun, rated, what, to),
        Effect::Publish { what, place, host } => {
            publication(begun, what, place, address(rated).or(host.as_deref()))
        }
        Effect::ChangeRepository { change, names } | Effect::ChangeSystem { change, names } => {
            let said = begun.say(change.clone());
            match address(rated) {
                Some(address) => said.say(" ").code(address),
                None if names.is_empty() => said,
                None => objects(said.say(" "), names, "of them"),
            }
        }
        Effect::RunElsewhere { place, name } => {
            named(begun.say("run commands ").say(place.clone()), name.as_deref())
        }
        Effect::ControlApp { how, app: name } | Effect::UseSecret { how, which: name } => {
            named(begun.say(how.clone()), name.as_deref())
        }
        Effect::Serve { what, port } => named(begun.say(what.clone()), port.as_deref()),
        Effect::Unknown { why } => unknown(begun, why),
    }
}

fn named(begun: Sentence, name: Option<&str>) -> Sentence {
    match name {
        Some(name) => begun.say(" ").code(name),
        None => begun,
    }
}

/// Adds objects: named where they are few, counted where they are many.
fn objects(begun: Sentence, all: &[String], many: &'static str) -> Sentence {
    match all {
        [] => begun.say(many),
        _ if all.len() > MOST_NAMED => begun.number(all.len()).say(" ").say(many),
        [one] => begun.code(one),
        [rest @ .., last] => begun.list(rest).say(" and ").code(last),
    }
}

fn place(said: Sentence, scope: Scope) -> Sentence {
    match scope {
        Scope::Outside => said.say(", outside of its folders"),
        Scope::Inside | Scope::Machine | Scope::Remote => said,
    }
}

fn deletion(begun: Sentence, rated: &RatedEffect, paths: &[String], recursive: bool) -> Sentence {
    let begun = begun.say("delete ");
    let said = match &rated.measured {
        Some(Measured::Files { files, bytes }) => {
            let begun = begun.number(*files).say(if *files == 1 { " file in " } else { " files in " });
            objects(begun, paths, "folders").say(" (").fragment(&size(*bytes)).say(")")
        }
        Some(Measured::Commits { .. } | Measured::Address { .. }) | None => {
            let said = objects(begun, paths, "files");
            match paths.len() {
                _ if !recursive => said,
                0 => said,
                1 => said.say(" and everything in it"),
                _ => said.say(" and everything in them"),
            }
        }
    };
    place(said, rated.scope)
}

/// Returns a number of bytes in words, as file managers show it.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["bytes", "KB", "MB", "GB", "TB"];
    let (mut unit, mut rest) = (0, bytes);
    while rest >= 1000 && unit + 1 < UNITS.len() {
        (unit, rest) = (unit + 1, rest.saturating_add(500) / 1000);
    }
    format!("{rest} {}", UNITS[unit])
}

fn sending(begun: Sentence, rated: &RatedEffect, what: &Words, to: &[String]) -> Sentence {
    let begun = match &rated.measured {
        Some(Measured::Commits { ahead: 1, .. }) => begun.say("push 1 commit"),
        Some(Measured::Commits { ahead, .. }) => begun.say("push ").number(*ahead).say(" commits"),
        Some(Measured::Files { .. } | Measured::Address { .. }) | None => begun.say(what.clone()),
    };
    match address(rated) {
        Some(address) => begun.say(" to ").code(address),
        None if to.is_empty() => begun,
        None => objects(begun.say(" to "), to, "places"),
    }
}

/// Returns the address that the settings have for what an effect names.
fn address(rated: &RatedEffect) -> Option<&str> {
    match rated.measured.as_ref()? {
        Measured::Commits { to, .. } => to.as_deref(),
        Measured::Address { address } => Some(address),
        Measured::Files { .. } => None,
    }
}

/// Registries in which everybody finds what is published.
const PUBLIC: [&str; 5] =
    ["registry.npmjs.org", "crates.io", "index.crates.io", "upload.pypi.org", "rubygems.org"];

fn publication(begun: Sentence, what: &[String], place: &Words, host: Option<&str>) -> Sentence {
    let begun = begun.say("publish ");
    let said = if what.is_empty() { begun.say("this project") } else { objects(begun, what, "packages") };
    match host {
        Some(host) if !PUBLIC.contains(&host) => said.say(" on ").code(host),
        Some(host) => said.say(" publicly on ").say(place.clone()).say(" (").code(host).say(")"),
        None => said.say(" publicly on ").say(place.clone()),
    }
}

fn installation(begun: Sentence, packages: &[String], place: InstallPlace) -> Sentence {
    let begun = begun.say("install ");
    let said = if packages.is_empty() { begun.say("packages") } else { objects(begun, packages, "packages") };
    said.say(match place {
        InstallPlace::Project => " in this project",
        InstallPlace::User => " for your account",
        InstallPlace::System => " for everybody on this machine",
    })
}

fn inline(begun: Sentence, language: &str) -> Sentence {
    match language {
        "python" => begun.say("Python"),
        "node" | "nodejs" | "bun" | "deno" => begun.say("JavaScript"),
        "ruby" => begun.say("Ruby"),
        "perl" => begun.say("Perl"),
        "sh" | "bash" | "zsh" | "dash" | "shell" => begun.say("shell"),
        other => begun.code(other),
    }
}

fn unknown(begun: Sentence, why: &Why) -> Sentence {
    match why {
        Why::Program(name) => begun.say("run ").code(name).say(", which Postern doesn't know"),
        Why::ProgramLater => begun.say("run a program whose name is only known when it runs"),
        Why::Unparsed(note) => begun.say("run a command that Postern can't fully read: ").note(note),
        Why::Argument(fact) => argument(begun.say("run a command in which "), fact),
        Why::TooManyCommands => begun.say("run more commands than Postern can look at one by one"),
        Why::MixedAlphabets(text) => begun.say("use a name that mixes alphabets: ").code(text),
        Why::LooksLikeAscii(text) => {
            begun.say("use a name with letters that only look like others: ").code(text)
        }
        Why::Tool(name) => begun.say("use its tool ").code(name),
    }
}
