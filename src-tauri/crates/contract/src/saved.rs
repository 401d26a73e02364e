//! What became of an answer: whether it counted, and what it saved.

use postern_policy::NothingToSave;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What became of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Answered {
    /// Whether this answer decided.
    pub applied: bool,
    /// Why not: it was answered already, or the digest is not the one on show.
    pub reason: Option<String>,
    /// Other questions that the new rule answered.
    #[serde(default)]
    pub also: Vec<String>,
    /// What it saved, each rule by itself.
    #[serde(default)]
    pub saved: Vec<Saved>,
    /// Why an *always* saved nothing: then it was one run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub not_saved: Option<NothingToSave>,
}

/// A rule that an answer saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Saved {
    /// What it matches, as it is typed into an editor (`git push *`). Escaped.
    pub rule: String,
    /// Where it holds.
    pub place: SavedPlace,
    /// Whether it holds only while the program (and script) is what it was.
    pub pinned: bool,
}

/// Where a rule that was saved holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case", tag = "in")]
pub enum SavedPlace {
    /// In this folder and below.
    Folder {
        /// The folder, escaped; below the person's home as `~`.
        path: String,
    },
    /// In every folder.
    Anywhere,
    /// For one of the agent's tools: a line of its `permissions.jsonc`.
    Permissions,
}

impl Answered {
    /// It decided.
    pub fn done() -> Self {
        Self { applied: true, reason: None, also: Vec::new(), saved: Vec::new(), not_saved: None }
    }

    /// It did not, for this reason.
    pub fn refused(reason: impl Into<String>) -> Self {
        Self { applied: false, reason: Some(reason.into()), ..Self::done() }
    }

    /// What it saved, or why it saved nothing, each a line of words. None where nothing was to be saved.
    pub fn saved_words(&self) -> Vec<String> {
        let saved = self.saved.iter().map(|saved| format!("saved: {saved}"));
        saved.chain(self.not_saved.map(not_saved)).collect()
    }
}

/// That an *always* was one run, in words.
pub fn not_saved(why: NothingToSave) -> String {
    format!("allowed once; nothing was saved because {}", why.words())
}

impl std::fmt::Display for Saved {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}, ", self.rule)?;
        match &self.place {
            SavedPlace::Folder { path } => write!(out, "in {path} and below")?,
            SavedPlace::Anywhere => out.write_str("in any folder")?,
            SavedPlace::Permissions => out.write_str("in permissions.jsonc")?,
        }
        out.write_str(if self.pinned { ", while the program is unchanged" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::{Answered, Saved, SavedPlace};
    use postern_policy::NothingToSave;

    #[test]
    fn what_was_saved_is_said_with_its_place_and_whether_it_is_bound_to_the_program() {
        let saved = |place, pinned| Saved { rule: "git push *".to_owned(), place, pinned }.to_string();
        let folder = SavedPlace::Folder { path: "~/work".to_owned() };
        assert_eq!(saved(folder, true), "git push *, in ~/work and below, while the program is unchanged");
        assert_eq!(saved(SavedPlace::Anywhere, false), "git push *, in any folder");
        assert_eq!(saved(SavedPlace::Permissions, false), "git push *, in permissions.jsonc");
    }

    #[test]
    fn an_always_that_saved_nothing_says_that_it_was_one_run_and_why() {
        let answered = Answered { not_saved: Some(NothingToSave::Input), ..Answered::done() };
        let words = answered.saved_words();
        assert_eq!(words, ["allowed once; nothing was saved because its input is sent while it runs"]);
        assert!(Answered::done().saved_words().is_empty());
    }
}
