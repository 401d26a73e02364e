//! Tools of other programs, as `permissions.jsonc` names them and compares their values.

use super::{Becomes, LeftOut, PermissionLine, Taking};
use crate::permissions::{EntryOrigin, PermissionEntry};
use crate::rule::Effect;
use crate::subject::{BUILT_IN, tool_of_server};
use crate::words::is_wild_match;

impl Taking {
    /// Makes lines for tools with these patterns.
    pub(super) fn make_lines(
        &self,
        tools: &[&str],
        patterns: &[String],
        effect: Effect,
    ) -> Result<Becomes, LeftOut> {
        let line = |(tool, pattern): (&&str, &String)| {
            PermissionEntry::new(tool, pattern, effect, &self.home, EntryOrigin::Session)
                .map_err(LeftOut::Refused)?;
            Ok(PermissionLine { tool: (*tool).to_owned(), pattern: pattern.clone(), effect })
        };
        let all = tools.iter().flat_map(|tool| patterns.iter().map(move |pattern| (tool, pattern)));
        all.map(line).collect::<Result<_, _>>().map(Becomes::Lines)
    }

    /// Makes a line for every use of a tool.
    pub(super) fn any_use(&self, tool: &str, effect: Effect) -> Result<Becomes, LeftOut> {
        self.make_lines(&[tool], &["*".to_owned()], effect)
    }

    /// Makes a line for tools of MCP servers, each perhaps with wildcards.
    ///
    /// A pattern that also names an agent's own tools would run commands and write files.
    pub(super) fn use_of_server(&self, server: &str, tool: &str, effect: Effect) -> Result<Becomes, LeftOut> {
        if !server.contains('*') && !tool.contains('*') {
            return self.any_use(&tool_of_server(server, tool), effect);
        }
        let name = of_server(server, tool);
        if effect == Effect::Allow && BUILT_IN.iter().any(|own| is_wild_match(&name, own)) {
            return Err(LeftOut::OwnTools);
        }
        self.any_use(&name, effect)
    }

    /// Returns patterns for a path as `.gitignore` writes it: relative to the project, a bare name in any folder, a folder
    /// with everything in it. `//` begins a path at the root, `/` one in the project.
    pub(super) fn path_patterns(&self, written: &str, effect: Effect) -> Result<Vec<String>, LeftOut> {
        let path = written.trim();
        let stops = effect != Effect::Allow;
        // What allows everything in the folder that the agent works in must not allow it everywhere.
        let everything = path.is_empty() || stops && ["*", "**", "./**", "/**"].contains(&path);
        if everything && self.project.is_none() {
            return Ok(vec!["*".to_owned()]);
        }
        let (base, rest) = if let Some(rest) = path.strip_prefix("//") {
            (String::new(), rest)
        } else if let Some(rest) = path.strip_prefix("~/") {
            ("~".to_owned(), rest)
        } else {
            let rest = path.trim_start_matches("./").trim_start_matches('/');
            let named = path.trim_end_matches('/').contains('/');
            let base = match &self.project {
                Some(project) if named => project.clone(),
                Some(project) => format!("{project}/**"),
                // What stops may stop in every folder; what allows must not.
                None if stops => "**".to_owned(),
                None => return Err(LeftOut::Relative),
            };
            (base, rest)
        };
        let rest = rest.trim_end_matches('/');
        if rest.split('/').any(|part| part == "..") {
            return Err(LeftOut::Relative);
        }
        let rest = if stops { rest.to_owned() } else { within_folder(rest) };
        let own = match (base.strip_suffix("/**").unwrap_or(&base), rest.as_str()) {
            (_, "") => base,
            (folder, rest) if base.ends_with("**") && rest.starts_with("**") => {
                if folder == "**" {
                    rest.to_owned()
                } else {
                    format!("{folder}/{rest}")
                }
            }
            (_, rest) => format!("{base}/{rest}"),
        };
        let below = (!own.ends_with("**")).then(|| format!("{own}/**"));
        Ok(std::iter::once(own).chain(below).collect())
    }
}

/// Writes a `*` that stays in its folder there so that it does here, where `*` crosses folders.
fn within_folder(glob: &str) -> String {
    const STAYS: &str = "*([^/])";
    let parts = glob.split("**").map(|part| part.replace('*', STAYS));
    parts.collect::<Vec<_>>().join("**")
}

/// Returns a pattern for the names of an MCP server's tools: letters, digits, `_`, `-` and `*`.
fn of_server(server: &str, tool: &str) -> String {
    let clean = |name: &str| -> String {
        name.chars().map(|c| if c.is_ascii_alphanumeric() || "_-*".contains(c) { c } else { '_' }).collect()
    };
    if server.is_empty() { clean(tool) } else { format!("{}_{}", clean(server), clean(tool)) }
}
