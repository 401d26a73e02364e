//! Protected places at the tool gate: no default and no wildcard allows a call that touches one.

use super::verdict::ToolVerdict;
use crate::agent::AgentPolicy;
use crate::cause::{StageFinding, ToolCause};
use crate::decision::Decision;
use crate::path::{expand_home, normal};
use crate::permissions::{EntryOrigin, PathUse, PermissionEntry};
use crate::protected::{ProtectedPlace, ProtectedPlaces, Protection};
use crate::risk::touch_effect;
use crate::rule::Effect;
use crate::verdict::TraceLine;

/// A protected place that a call touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touch {
    pub place: &'static ProtectedPlace,
    /// The path that touches it: absolute, or a word of a shell line.
    pub path: String,
    /// True if the call only reads there.
    pub reads: bool,
}

impl Touch {
    /// Returns the places that a path touches: any if the call may write, keys if it may read. `path` is
    /// absolute, `real` is its target.
    pub fn of_path(protected: &ProtectedPlaces, path: &str, real: Option<&str>, used: PathUse) -> Vec<Self> {
        let reads = matches!(used, PathUse::Read | PathUse::ReadAll);
        let whole = matches!(used, PathUse::ReadAll | PathUse::WriteAll);
        let at = |path: &str| {
            let mut places = protected.places_at(path);
            if whole {
                places.extend(protected.places_below(path));
            }
            places.retain(|place| !reads || place.protection == Protection::Keys);
            places
        };
        let touch = |place, path: &str| Self { place, path: normal(path).into_owned(), reads };
        let named = at(path);
        let mut touches: Vec<Self> = named.iter().map(|place| touch(place, path)).collect();
        for (real, place) in
            real.into_iter().flat_map(|real| at(real).into_iter().map(move |place| (real, place)))
        {
            // A place that is a link itself is named by its own path.
            let is_the_place_itself = named.contains(&place) && protected.leads_to(place, real);
            if real != path && !is_the_place_itself {
                touches.push(touch(place, real));
            }
        }
        touches
    }
}

impl ToolVerdict {
    /// Applies protected places to a verdict: the call is dangerous, and only an entry that names each place allows it.
    #[must_use]
    pub fn protect(
        mut self,
        policy: &AgentPolicy,
        session: Option<&str>,
        tool: &str,
        touches: &[Touch],
        home: &str,
    ) -> Self {
        let Some(first) = touches.first() else { return self };
        self.by_default = false;
        let effect = |of: &Touch| touch_effect(&of.path, of.place.protection, of.reads, None);
        self.risk = self.risk.touching(touches.iter().map(effect));
        let layers = policy.layers(session);
        // The last entry that denies or names the place wins; a wildcard that allows is skipped.
        let is_named = |touch: &&Touch| {
            let counts = |entry: &PermissionEntry| {
                is_met(entry, touch)
                    && (entry.effect != Effect::Allow || entry_names_touch(entry, touch, home))
            };
            layers.decide(tool, counts).is_some_and(|entry| entry.effect == Effect::Allow)
        };
        let unnamed = touches.iter().find(|touch| !is_named(touch));
        if !self.always.is_empty() {
            let would = |pattern: &String| {
                let entry = PermissionEntry::new(tool, pattern, Effect::Allow, home, EntryOrigin::Session);
                entry.is_ok_and(|entry| {
                    touches
                        .iter()
                        .all(|touch| is_met(&entry, touch) && entry_names_touch(&entry, touch, home))
                })
            };
            if !self.always.iter().all(would) {
                self.always.clear();
            }
        }
        let found = match unnamed {
            Some(touch) if self.decision == Decision::Allow => {
                self.decision = Decision::Ask;
                self.entry = None;
                let (place, protection) = (touch.place.display_path(), touch.place.protection);
                self.cause = ToolCause::Protected { place, protection }.into();
                self.cause.clone().into()
            }
            Some(touch) => StageFinding::Touched { place: touch.place.display_path(), named: false },
            None => StageFinding::Touched { place: first.place.display_path(), named: true },
        };
        self.trace.push(TraceLine { stage: "protected places".into(), found });
        self
    }
}

/// Returns true if an entry is about the touch's path.
fn is_met(entry: &PermissionEntry, touch: &Touch) -> bool {
    match entry.effect {
        Effect::Allow => entry.allows_value(&touch.path),
        Effect::Deny | Effect::Ask => entry.stops_value(&touch.path),
    }
}

/// Returns true if an entry names the touch's place.
fn entry_names_touch(entry: &PermissionEntry, touch: &Touch, home: &str) -> bool {
    touch.place.is_named_in(&expand_home(&entry.written, home))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permissions::{DEFAULT_FILE, FileLayer};
    use crate::settings::{AgentId, Settings};
    use crate::tool_gate::check_tool;
    use serde_json::json;

    const HOME: &str = "/Users/u";

    fn judged(file: &str, tool: &str, path: &str, real: Option<&str>) -> ToolVerdict {
        let mut policy = AgentPolicy::new(AgentId::new("main").unwrap(), Settings::default());
        policy.file = Some(FileLayer::parse(file, HOME).unwrap());
        let protected = ProtectedPlaces::of_home(HOME);
        let used = if tool == "read_file" { PathUse::Read } else { PathUse::Write };
        let touches = Touch::of_path(&protected, path, real, used);
        let verdict = check_tool(&policy, None, tool, &json!({ "path": path }), HOME);
        verdict.protect(&policy, None, tool, &touches, HOME)
    }

    #[test]
    fn only_a_line_that_names_the_place_allows() {
        use Decision::{Allow, Ask, Deny};
        let zshrc = "/Users/u/.zshrc";
        for (file, tool, path, expected) in [
            (DEFAULT_FILE, "write_file", zshrc, Ask),
            (DEFAULT_FILE, "write_file", "/Users/u/p/a.rs", Allow),
            (DEFAULT_FILE, "read_file", "/Users/u/.ssh/id_ed25519", Ask),
            (DEFAULT_FILE, "read_file", zshrc, Allow),
            (DEFAULT_FILE, "write_file", "/Users/u/.ssh/.env", Deny),
            (r#"{ "*": "allow" }"#, "write_file", zshrc, Ask),
            (r#"{ "*": "allow" }"#, "fs_put", zshrc, Ask),
            (r#"{ "write_file": { "~/**": "allow" } }"#, "write_file", zshrc, Ask),
            (r#"{ "write_file": { "~/.z*": "allow" } }"#, "write_file", zshrc, Ask),
            (r#"{ "write_file": { "~/.zshrc": "allow" } }"#, "write_file", zshrc, Allow),
            (r#"{ "write_file": { "~/.ssh/*": "allow" } }"#, "write_file", "/Users/u/.ssh/config", Allow),
            (r#"{ "write_file": { "~/.zshrc": "allow", "~/**": "ask" } }"#, "write_file", zshrc, Ask),
            (r#"{ "write_file": { "~/.zshrc": "allow", "~/**": "allow" } }"#, "write_file", zshrc, Allow),
        ] {
            let verdict = judged(file, tool, path, None);
            assert_eq!(verdict.decision, expected, "{file} {tool} {path}: {:?}", verdict.cause);
        }
    }

    #[test]
    fn a_link_into_a_place_is_not_named_by_its_own_path() {
        let file = r#"{ "write_file": { "/w/link": "allow" } }"#;
        let verdict = judged(file, "write_file", "/w/link", Some("/Users/u/.zshrc"));
        assert_eq!(verdict.decision, Decision::Ask, "{:?}", verdict.cause);
        assert_eq!(verdict.risk.level, crate::RiskLevel::Dangerous);
        assert_eq!(judged(file, "write_file", "/w/link", Some("/w/other")).decision, Decision::Allow);
    }

    #[test]
    fn always_is_offered_only_where_it_would_help() {
        let verdict = judged(DEFAULT_FILE, "write_file", "/Users/u/.zshrc", None);
        assert_eq!(verdict.always, ["/Users/u/.zshrc"]);
        let verdict = judged(r#"{ "*": "ask" }"#, "fs_put", "/Users/u/.zshrc", None);
        assert!(verdict.always.is_empty(), "{:?}", verdict.always);
    }

    #[test]
    fn a_default_is_known_from_a_line_of_the_person() {
        let by_default = |file: &str, tool: &str| judged(file, tool, "/w/a.rs", None).by_default;
        assert!(by_default(DEFAULT_FILE, "write_file") && by_default(DEFAULT_FILE, "TodoWrite"));
        assert!(by_default("{}", "write_file"), "no line is nobody's");
        let mine = r#"{ "*": "ask", "write_file": { "/w/*": "allow" }, "TodoWrite": "ask" }"#;
        assert!(!by_default(mine, "write_file") && !by_default(mine, "TodoWrite"));
    }
}
