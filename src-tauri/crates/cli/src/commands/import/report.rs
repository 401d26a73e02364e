//! What became of other programs' rules, told entry by entry.

use super::super::explain::word;
use super::places::Source;
use crate::args::Json;
use crate::failure::Failure;
use crate::print;
use postern_command::escape::text as escaped;
use postern_contract::methods::Replayed;
use postern_policy::import::{Becomes, Entry, Taking};
use postern_policy::{Effect, FileAccess, Rule, pattern_text};
use serde::{Serialize, Serializer};

/// The document of `import --json`.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Report {
    pub(super) files: Vec<File>,
    /// Rules that were added, or would be.
    pub(super) added: u32,
    /// Rules that were there already.
    pub(super) same: u32,
    /// True if nothing was saved.
    pub(super) check: bool,
    /// The last requests, as they would have come out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) replayed: Option<Replayed>,
}

/// One file.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct File {
    path: String,
    project: Option<String>,
    /// Why it cannot be read.
    problem: Option<String>,
    entries: Vec<Taken>,
}

/// One entry with what becomes of it.
#[derive(Debug, Serialize)]
pub(super) struct Taken {
    written: String,
    pub(super) effect: Effect,
    #[serde(flatten, serialize_with = "told")]
    pub(super) becomes: Becomes,
}

/// An entry's end in a document.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Told {
    taken: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rules: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lines: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

impl From<&Becomes> for Told {
    fn from(becomes: &Becomes) -> Self {
        match becomes {
            Becomes::Rules(rules) => Self {
                taken: if rules.iter().any(|rule| rule.broad) { "broad" } else { "rules" },
                rules: rules.iter().map(typed).collect(),
                ..Self::default()
            },
            Becomes::Lines(lines) => {
                let text = |line: &postern_policy::import::Line| format!("{}: {}", line.tool, line.pattern);
                Self { taken: "lines", lines: lines.iter().map(text).collect(), ..Self::default() }
            }
            Becomes::LeftOut(why) => {
                Self { taken: "left-out", why: Some(why.to_string()), ..Self::default() }
            }
        }
    }
}

/// Returns a rule's pattern as it is typed.
fn typed(rule: &Rule) -> String {
    let text = pattern_text(&rule.pattern);
    match rule.pattern.files() {
        Some((FileAccess::Read, _)) => format!("--read {text}"),
        Some((FileAccess::Write, _)) => format!("--write {text}"),
        None => text,
    }
}

fn told<S: Serializer>(becomes: &Becomes, serializer: S) -> Result<S::Ok, S::Error> {
    Told::from(becomes).serialize(serializer)
}

impl Report {
    /// Reads files. One that cannot be read is told, and the others are read all the same.
    pub(super) fn read(sources: &[Source], taking: &Taking) -> Self {
        Self { files: sources.iter().map(|source| File::read(source, taking)).collect(), ..Self::default() }
    }

    /// Returns all entries, to be changed.
    pub(super) fn all(&mut self) -> impl Iterator<Item = &mut Taken> {
        self.files.iter_mut().flat_map(|file| &mut file.entries)
    }

    pub(super) fn show(&self) -> Result<(), Failure> {
        for file in &self.files {
            file.show()?;
        }
        let entries = || self.files.iter().flat_map(|file| &file.entries);
        let count = |which: &str| entries().filter(|taken| Told::from(&taken.becomes).taken == which).count();
        let would = if self.check { " would be" } else { "" };
        print::line(format!(
            "{}{would} taken over, {} of them as broad; {} left out",
            count("rules") + count("broad") + count("lines"),
            count("broad"),
            count("left-out")
        ))?;
        print::line(format!("{} rules{would} added, {} there already", self.added, self.same))?;
        self.replayed.as_ref().map_or(Ok(()), show_replayed)
    }
}

fn show_replayed(replayed: &Replayed) -> Result<(), Failure> {
    for change in &replayed.changes {
        print::line(format!("  {} -> {}  {}", word(change.was), word(change.becomes), change.line))?;
    }
    let (changes, judged) = (replayed.changes.len(), replayed.judged);
    print::line(format!("{changes} of the last {judged} requests would have come out otherwise"))?;
    print::line("nothing was saved")
}

impl File {
    fn read(source: &Source, taking: &Taking) -> Self {
        let (entries, problem) = match source.entries(taking) {
            Ok(entries) => (entries, None),
            Err(problem) => (Vec::new(), Some(problem)),
        };
        let taken = |Entry { written, effect, becomes }| Taken { written, effect, becomes };
        Self {
            path: source.path.display().to_string(),
            project: source.project.as_ref().map(|project| project.display().to_string()),
            problem,
            entries: entries.into_iter().map(taken).collect(),
        }
    }

    fn show(&self) -> Result<(), Failure> {
        print::line(escaped(&self.path))?;
        if let Some(problem) = &self.problem {
            return print::line(format!("  cannot be read: {}", escaped(problem)));
        }
        self.entries.iter().try_for_each(Taken::show)
    }
}

impl Taken {
    fn show(&self) -> Result<(), Failure> {
        let effect = match self.effect {
            Effect::Allow => "allow",
            Effect::Ask => "ask  ",
            Effect::Deny => "deny ",
        };
        print::line(format!("  {effect}  {}", escaped(&self.written)))?;
        let Told { taken, rules, lines, why } = Told::from(&self.becomes);
        let text = match why {
            Some(why) => format!("left out: {}", escaped(&why)),
            None if taken == "broad" => format!("becomes the broad rule {}", escaped(&rules.join("; "))),
            None if taken == "lines" => {
                format!("becomes, in permissions.jsonc: {}", escaped(&lines.join("; ")))
            }
            None => format!("becomes {}", escaped(&rules.join("; "))),
        };
        print::line(format!("         {text}"))
    }
}

/// A file in a list.
#[derive(Debug, Serialize)]
struct Listed {
    from: &'static str,
    path: String,
    project: Option<String>,
    entries: Option<usize>,
    problem: Option<String>,
}

/// Lists files with the number of their entries.
pub(super) fn list(sources: &[Source], taking: &Taking, json: Json) -> Result<(), Failure> {
    let listed = |source: &Source| {
        let entries = source.entries(taking);
        Listed {
            from: source.from.name(),
            path: source.path.display().to_string(),
            project: source.project.as_ref().map(|project| project.display().to_string()),
            entries: entries.as_ref().ok().map(Vec::len),
            problem: entries.err(),
        }
    };
    let listed: Vec<Listed> = sources.iter().map(listed).collect();
    if json.json {
        return print::json(&listed);
    }
    let row = |one: &Listed| {
        let entries = one.entries.map_or_else(|| "cannot be read".to_owned(), |count| count.to_string());
        [one.from.to_owned(), entries, escaped(&one.path)]
    };
    print::table(
        ["PROGRAM", "ENTRIES", "FILE"],
        listed.iter().map(row).collect(),
        "no rules of other programs are here",
    )
}
