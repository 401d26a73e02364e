//! Front matter of a `SKILL.md`: its name, its description, and the CLIs that it uses.

use yaml_rust2::parser::{Event, Parser};
use yaml_rust2::{Yaml, YamlLoader};

/// The most that is read of a front matter, in bytes.
const LONGEST: usize = 16 * 1024;
/// The most lists and maps inside each other.
const DEEPEST: usize = 16;
const MOST_CLIS: usize = 64;

/// Front matter of a `SKILL.md`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FrontMatter {
    /// The skill's name; `None` if it gives none.
    pub(crate) name: Option<String>,
    pub(crate) description: String,
    /// The CLIs that it uses: names, or absolute paths. Each once, in its order.
    pub(crate) clis: Vec<String>,
}

/// Reason why a front matter could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FrontMatterError {
    #[error("SKILL.md does not begin with a front matter between two lines of ---")]
    Missing,
    #[error("the front matter is longer than 16 KiB")]
    TooLong,
    #[error("the front matter uses YAML aliases or is nested too deeply")]
    TooClever,
    #[error("the front matter is not YAML: {0}")]
    NotYaml(String),
    #[error("the front matter is not a list of names and values")]
    NotAMap,
    #[error("{0:?} is not a CLI: a name without spaces or an absolute path is")]
    NotACli(String),
    #[error("more than 64 CLIs")]
    TooManyClis,
}

/// Reads the front matter of a `SKILL.md`: `name`, `description`, and CLIs from `clis`, `bins` and
/// `metadata.<any>.requires.bins` or `.anyBins`.
pub(crate) fn parse_front_matter(text: &str) -> Result<FrontMatter, FrontMatterError> {
    let block = find_block(text).ok_or(FrontMatterError::Missing)?;
    if block.len() > LONGEST {
        return Err(FrontMatterError::TooLong);
    }
    check_shape(block)?;
    let documents =
        YamlLoader::load_from_str(block).map_err(|error| FrontMatterError::NotYaml(error.to_string()))?;
    let Some(document @ Yaml::Hash(_)) = documents.first() else { return Err(FrontMatterError::NotAMap) };
    let mut clis = Vec::new();
    for key in ["clis", "bins"] {
        add_clis(&mut clis, &document[key])?;
    }
    add_required(&mut clis, &document["metadata"])?;
    Ok(FrontMatter {
        name: scalar_text(&document["name"]),
        description: scalar_text(&document["description"]).unwrap_or_default(),
        clis,
    })
}

/// Returns the text between the first two lines of `---`.
fn find_block(text: &str) -> Option<&str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let first = text.split_inclusive('\n').next()?;
    if first.trim_end() != "---" {
        return None;
    }
    let inside = &text[first.len()..];
    let mut end = 0;
    for line in inside.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some(&inside[..end]);
        }
        end += line.len();
    }
    None
}

/// Refuses what would be expensive to load: aliases (which can double with every line) and deep nesting.
fn check_shape(block: &str) -> Result<(), FrontMatterError> {
    let mut parser = Parser::new_from_str(block);
    let mut depth = 0_usize;
    loop {
        let (event, _) = parser.next_token().map_err(|error| FrontMatterError::NotYaml(error.to_string()))?;
        match event {
            Event::Alias(_) => return Err(FrontMatterError::TooClever),
            Event::SequenceStart(..) | Event::MappingStart(..) => depth += 1,
            Event::SequenceEnd | Event::MappingEnd => depth = depth.saturating_sub(1),
            Event::StreamEnd => return Ok(()),
            Event::Nothing
            | Event::StreamStart
            | Event::DocumentStart
            | Event::DocumentEnd
            | Event::Scalar(..) => {}
        }
        if depth > DEEPEST {
            return Err(FrontMatterError::TooClever);
        }
    }
}

fn scalar_text(value: &Yaml) -> Option<String> {
    match value {
        Yaml::String(text) | Yaml::Real(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Yaml::Integer(number) => Some(number.to_string()),
        Yaml::Boolean(_) | Yaml::Array(_) | Yaml::Hash(_) | Yaml::Alias(_) | Yaml::Null | Yaml::BadValue => {
            None
        }
    }
}

/// Adds a list of CLIs, or a text of them between commas or spaces.
fn add_clis(clis: &mut Vec<String>, value: &Yaml) -> Result<(), FrontMatterError> {
    let named: Vec<String> = match value {
        Yaml::Array(items) => items.iter().filter_map(scalar_text).collect(),
        Yaml::String(text) => {
            text.split([',', ' ']).filter(|name| !name.is_empty()).map(str::to_owned).collect()
        }
        Yaml::Real(_)
        | Yaml::Integer(_)
        | Yaml::Boolean(_)
        | Yaml::Hash(_)
        | Yaml::Alias(_)
        | Yaml::Null
        | Yaml::BadValue => Vec::new(),
    };
    for name in named {
        if !is_cli(&name) {
            return Err(FrontMatterError::NotACli(name));
        }
        if !clis.contains(&name) {
            clis.push(name);
        }
        if clis.len() > MOST_CLIS {
            return Err(FrontMatterError::TooManyClis);
        }
    }
    Ok(())
}

/// Adds the CLIs in OpenClaw's form: `metadata: {"openclaw": {"requires": {"bins": ["gh"]}}}`, as a map or as
/// JSON text.
fn add_required(clis: &mut Vec<String>, metadata: &Yaml) -> Result<(), FrontMatterError> {
    let inner;
    let metadata = match metadata {
        Yaml::String(text) => {
            check_shape(text)?;
            inner = YamlLoader::load_from_str(text)
                .map_err(|error| FrontMatterError::NotYaml(error.to_string()))?;
            inner.first().unwrap_or(&Yaml::Null)
        }
        other => other,
    };
    let Yaml::Hash(vendors) = metadata else { return Ok(()) };
    for vendor in std::iter::once(metadata).chain(vendors.values()) {
        add_clis(clis, &vendor["requires"]["bins"])?;
        add_clis(clis, &vendor["requires"]["anyBins"])?;
    }
    Ok(())
}

/// Returns true for a name that can stand in a search path, or an absolute path. Nothing relative: what it names would
/// depend on where a request runs.
fn is_cli(name: &str) -> bool {
    let plain =
        !name.is_empty() && name.len() <= 255 && !name.chars().any(|c| c.is_whitespace() || c.is_control());
    let absolute = name.starts_with('/') && !name.ends_with('/');
    plain && !matches!(name, "." | "..") && (!name.contains('/') || absolute)
}

#[cfg(test)]
mod tests {
    use super::{FrontMatterError, parse_front_matter};
    use proptest::prelude::*;

    #[test]
    fn every_way_to_name_clis_is_read() {
        let cases = [
            ("clis: [bird, gh]", vec!["bird", "gh"]),
            ("bins:\n  - rg\n  - /opt/homebrew/bin/fd", vec!["rg", "/opt/homebrew/bin/fd"]),
            ("bins: rg, fd", vec!["rg", "fd"]),
            (r#"metadata: {"openclaw":{"requires":{"bins":["gh"],"anyBins":["jq"]}}}"#, vec!["gh", "jq"]),
            (r#"metadata: '{"clawdbot":{"requires":{"bins":["gh"]}}}'"#, vec!["gh"]),
            ("metadata:\n  requires:\n    bins: [gh]", vec!["gh"]),
            ("clis: [gh]\nbins: [gh, rg]", vec!["gh", "rg"]),
            ("license: MIT", vec![]),
        ];
        for (lines, clis) in cases {
            let text = format!(
                "---\nname: a\ndescription: what it does\n{lines}\n---\n# Body\nclis: [not, these]\n"
            );
            let read = parse_front_matter(&text).unwrap();
            assert_eq!(read.clis, clis, "{lines}");
            assert_eq!(read.name.as_deref(), Some("a"));
            assert_eq!(read.description, "what it does");
        }
    }

    #[test]
    fn what_cannot_be_trusted_is_named() {
        let bomb = format!("---\na: &a [x]\nb: [{}]\n---\n", vec!["*a"; 50].join(","));
        let deep = format!("---\na: {}{}\n---\n", "[".repeat(40), "]".repeat(40));
        let dashes = format!("---\na:\n{}x\n---\n", "- ".repeat(2000));
        let many =
            format!("---\nclis: [{}]\n---\n", (0..70).map(|n| format!("c{n}")).collect::<Vec<_>>().join(","));
        let long = format!("---\ndescription: {}\n---\n", "x".repeat(20_000));
        let cases = [
            ("# no front matter", FrontMatterError::Missing),
            ("---\nname: never closed\n", FrontMatterError::Missing),
            ("---\n- a list\n---\n", FrontMatterError::NotAMap),
            ("---\nclis: [../evil]\n---\n", FrontMatterError::NotACli("../evil".into())),
            ("---\nclis: [\"two words\"]\n---\n", FrontMatterError::NotACli("two words".into())),
            (bomb.as_str(), FrontMatterError::TooClever),
            (deep.as_str(), FrontMatterError::TooClever),
            (dashes.as_str(), FrontMatterError::TooClever),
            (many.as_str(), FrontMatterError::TooManyClis),
            (long.as_str(), FrontMatterError::TooLong),
        ];
        for (text, expected) in cases {
            assert_eq!(parse_front_matter(text), Err(expected), "{}", &text[..text.len().min(80)]);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(---\n)?[\\PC\n]{0,200}(\n---\n)?") {
            if let Ok(front) = parse_front_matter(&text) {
                prop_assert!(front.clis.iter().all(|cli| super::is_cli(cli)), "a CLI that is none came through");
            }
        }
    }
}
