//! Results of an answer: whether it counted, and the rules that it saved.

use crate::not_applied::NotApplied;
use crate::renewal::Renewed;
use crate::shown::AlsoCovers;
use postern_policy::{NothingToSave, Profile, RuleId};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Result of an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Answered {
    /// True if this answer decided.
    pub applied: bool,
    /// Reason why it didn't: somebody answered before, or the digest is not the one on show.
    pub reason: Option<String>,
    /// Additions to what was shown that the answer has to say are meant (`AnswerParams::broad`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<_>", optional)]
    pub added: Vec<AlsoCovers>,
    /// Number of further people who have to approve, if the answer counted and does not decide yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub missing: Option<u8>,
    /// Codes of other questions that the new rule answered.
    #[serde(default)]
    pub also: Vec<String>,
    #[serde(default)]
    pub saved: Vec<Saved>,
    /// Numbers of the rules that it saved; a line of `permissions.jsonc` has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<_>", optional)]
    pub rules: Vec<RuleId>,
    /// Reason why an *always* saved nothing and allowed one run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub not_saved: Option<NothingToSave>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub renewed: Option<Renewed>,
}

/// A rule that an answer saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Saved {
    /// Pattern as typed into an editor (`git push *`), escaped.
    pub rule: String,
    pub place: SavedPlace,
    /// True if it holds only while the program (and script) is unchanged.
    pub pinned: bool,
    /// True if it holds for other versions by the same developer, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<_>", optional)]
    pub by_signer: bool,
    /// True if it holds in the agent's own shell alone.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub own_shell: bool,
    /// Profile that what it allows runs in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub confine: Option<Profile>,
}

/// Place where a saved rule holds.
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
    /// A line of the agent's `permissions.jsonc`, for one of its tools.
    Permissions,
    /// The place of the rule of this number, which was renewed.
    Renewed {
        /// The rule.
        rule: RuleId,
    },
}

impl Answered {
    /// Returns the result of an answer that decided.
    pub fn applied() -> Self {
        Self { applied: true, ..Self::default() }
    }

    /// Returns the result of an answer that did not count.
    pub fn refused(why: &NotApplied) -> Self {
        let missing = match why {
            NotApplied::MorePeople(more) => Some(*more),
            _ => None,
        };
        let added = match why {
            NotApplied::Broad(added) => added.iter().map(crate::render::widening).collect(),
            _ => Vec::new(),
        };
        Self { applied: false, missing, added, ..Self::applied_partly(why) }
    }

    /// Returns the result of an answer that decided and could not be carried out in full.
    pub fn applied_partly(why: &NotApplied) -> Self {
        Self {
            reason: Some(crate::piece::pieces_to_text(&crate::render::not_applied(why))),
            ..Self::applied()
        }
    }

    /// Returns one line for each saved rule, or the reason why an *always* saved none.
    pub fn saved_words(&self) -> Vec<String> {
        let saved = self.saved.iter().map(|saved| format!("saved: {saved}"));
        saved.chain(self.not_saved.map(not_saved)).collect()
    }
}

/// Says that an *always* allowed one run, and why.
pub fn not_saved(why: NothingToSave) -> String {
    format!("allowed once; nothing was saved because {}", crate::render::nothing_to_save(why))
}

impl std::fmt::Display for Saved {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}, ", self.rule)?;
        match &self.place {
            SavedPlace::Folder { path } => write!(out, "in {path} and below")?,
            SavedPlace::Anywhere => out.write_str("in any folder")?,
            SavedPlace::Permissions => out.write_str("in permissions.jsonc")?,
            SavedPlace::Renewed { rule } => write!(out, "rule {rule} renewed")?,
        }
        out.write_str(if self.own_shell { ", in the agent’s own shell" } else { "" })?;
        out.write_str(if self.confine.is_some() { ", confined" } else { "" })?;
        out.write_str(match (self.pinned, self.by_signer) {
            (true, true) => "; asks again if another developer signs the program",
            (true, false) => "; asks again if the program is updated",
            (false, _) => "",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Answered, Saved, SavedPlace};
    use postern_policy::NothingToSave;

    #[test]
    fn what_was_saved_is_said_with_its_place_and_whether_it_is_bound_to_the_program() {
        let saved = |place, pinned| {
            Saved {
                rule: "git push *".to_owned(),
                place,
                pinned,
                by_signer: false,
                own_shell: false,
                confine: None,
            }
            .to_string()
        };
        let folder = SavedPlace::Folder { path: "~/work".to_owned() };
        assert_eq!(
            saved(folder, true),
            "git push *, in ~/work and below; asks again if the program is updated"
        );
        assert_eq!(saved(SavedPlace::Anywhere, false), "git push *, in any folder");
        assert_eq!(saved(SavedPlace::Permissions, false), "git push *, in permissions.jsonc");
    }

    #[test]
    fn an_always_that_saved_nothing_says_that_it_was_one_run_and_why() {
        let answered = Answered { not_saved: Some(NothingToSave::Input), ..Answered::applied() };
        let words = answered.saved_words();
        assert_eq!(
            words,
            ["allowed once; nothing was saved because the agent sends its input while it runs"]
        );
        assert!(Answered::applied().saved_words().is_empty());
    }
}
