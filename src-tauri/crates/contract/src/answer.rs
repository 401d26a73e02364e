//! A person's answer to a question, or change of its command, and the parts that an approver has to show for it.

use crate::not_applied::NotApplied;
use crate::part::Part;
use crate::piece::ShownText;
use crate::question::{Question, ShownProgram};
use postern_policy::Lifetime;
use postern_protocol::RequestedConfinement;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use ts_rs::TS;

/// Command, or its rights, as a person changed them. It is read, looked up and judged as if the agent had asked for it, and
/// then shown.
///
/// It has a digest of its own, is armed again, and runs only when an answer names that digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EditParams {
    /// The question's id or code.
    pub question_id: String,
    /// The digest of what was shown.
    pub digest: String,
    /// The whole command as a line of shell text; absent if it stays. One simple command is started without a shell.
    #[ts(optional)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The rights that it would run with; absent if they stay.
    #[ts(optional)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confine: Option<ConfineChoice>,
}

/// Rights that a person gives a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum ConfineChoice {
    /// At least the profile `look`.
    Look,
    /// At least the profile `project`.
    Project,
    /// As the agent asked for it.
    AsAsked,
}

impl ConfineChoice {
    /// Returns what a request asks for with this choice, in place of what its agent asked for.
    pub fn replaces(self, asked: Option<RequestedConfinement>) -> Option<RequestedConfinement> {
        match self {
            Self::Look => Some(RequestedConfinement::Look),
            Self::Project => Some(RequestedConfinement::Project),
            Self::AsAsked => asked,
        }
    }
}

/// Result of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Edited {
    /// True if it is on show now.
    pub applied: bool,
    /// Reason for a refusal, in words: what it would be denied for, or that it cannot be read. The question
    /// is as it was then.
    pub reason: Option<ShownText>,
}

impl Edited {
    /// Returns the result of a change that is not on show.
    pub fn refused(why: &NotApplied) -> Self {
        Self { applied: false, reason: Some(crate::render::not_applied(why)) }
    }
}

/// A person's answer. It names the question and what was shown, never what to run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub struct AnswerParams {
    /// The question's id or code.
    pub question_id: String,
    /// The digest of what was shown.
    pub digest: String,
    pub answer: Answer,
    /// For whom *always* is saved.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub scope: Scope,
    /// Offer that *always* saves: `Proposal::id`.
    pub proposal: Option<String>,
    /// The offer's pattern as the person edited it (`git push origin *`); it must still match the request.
    pub edited: Option<String>,
    /// Lifetime of what *always* saves.
    pub lifetime: Option<Lifetime>,
    /// Words for the agent.
    pub feedback: Option<String>,
    /// Requests of [`Question::requests`] that an approval covers. Empty is the first alone, because *once* is
    /// one run; the others stay in a question of their own.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub requests: Vec<String>,
    /// True to let *always* hold in every folder, not only in `Proposal::folder` and below.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub anywhere: bool,
    /// Folder in which *always* holds, with everything below, instead of `Proposal::folder`. It holds the request's own.
    pub folder: Option<String>,
    /// True to let *always* hold on the host too, where the agent asked for its own shell.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub on_host: bool,
    /// True to let *always* cover any standard input.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub any_input: bool,
    /// True to let *always* hold for other versions of its programs, where the same developer signed them.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub by_signer: bool,
    /// True to save a rule that allows more than the question shows. Without it, such an answer does not count.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub broad: bool,
}

impl AnswerParams {
    /// Returns an answer and nothing with it: for this agent, without an end, without words.
    pub fn new(question_id: impl Into<String>, digest: impl Into<String>, answer: Answer) -> Self {
        Self {
            question_id: question_id.into(),
            digest: digest.into(),
            answer,
            scope: Scope::Agent,
            proposal: None,
            edited: None,
            lifetime: None,
            feedback: None,
            requests: Vec::new(),
            anywhere: false,
            folder: None,
            on_host: false,
            any_input: false,
            by_signer: false,
            broad: false,
        }
    }

    /// Returns true if it changes what its offer would save: the words, the place, or what else that covers.
    pub fn changes_offer(&self) -> bool {
        let more = self.anywhere || self.on_host || self.any_input || self.by_signer || self.broad;
        more || self.edited.is_some() || self.folder.is_some()
    }

    /// Makes an answer to a question as it is shown.
    pub fn for_question(question: &Question, answer: Answer) -> Self {
        Self::new(&question.id, &question.digest, answer)
    }
}

postern_protocol::named_values! {
    /// Answer of a person.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
    pub enum Answer {
        /// Run it now.
        Once = "once",
        /// Save a rule and run it now.
        Always = "always",
        /// Do not run it.
        Deny = "deny",
        /// Do not run it, and save a deny rule.
        DenyAlways = "deny-always",
        /// Do not run it, nor anything else of this agent for ten minutes.
        DenyAll = "deny-all",
    }
}

/// For whom a rule is saved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    #[default]
    Agent,
    Everyone,
}

impl Question {
    /// Returns the parts that an approver has to show for this answer to count. A denial needs none.
    pub fn parts_for(&self, answer: Answer) -> BTreeSet<Part> {
        let yes = matches!(answer, Answer::Once | Answer::Always);
        let has = [
            (Part::Environment, !self.env.is_empty()),
            (Part::Input, self.stdin.is_some()),
            (Part::Programs, self.programs.iter().any(ShownProgram::is_elsewhere)),
            (Part::Scripts, self.programs.iter().any(|program| program.script.is_some())),
            (Part::Changeable, !self.changeable.is_empty()),
            (Part::Always, answer == Answer::Always && !self.proposals.is_empty()),
        ];
        has.into_iter().filter(|(_, has)| yes && *has).map(|(part, _)| part).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Answer, Part, Question};
    use postern_policy::NothingToSave;
    use serde_json::{Value, json};

    /// Returns a question with these members replaced.
    fn question(members: &Value) -> Question {
        let mut whole = json!({
            "id": "q1", "code": "a1b2", "digest": "d", "requests": [],
            "asker": {"agent": "main", "name": [], "color": "", "knownBy": [], "session": null, "says": null},
            "command": [], "line": "ls", "argv": null, "shell": false, "steps": [], "programs": [], "cwd": [], "env": [],
            "stdin": null, "headline": [], "why": [], "rule": null, "policy": [], "risk": {"level": "safe", "reasons": []},
            "proposals": [], "askedAt": 0, "expiresAt": 1, "atZero": [], "armingMs": 0, "waiting": 0
        });
        for (name, value) in members.as_object().unwrap() {
            whole[name] = value.clone();
        }
        serde_json::from_value(whole).unwrap()
    }

    fn text(text: &str) -> Value {
        json!([{"text": text, "kind": "plain"}])
    }

    fn program(path: &str, script: &Value) -> Value {
        json!({"name": text("run"), "path": text(path), "realPath": null, "version": null, "shortHash": null, "signer": null,
            "remarks": [], "script": script})
    }

    fn offer(folder: &Value) -> Value {
        json!({"id": "exact", "label": text("this"), "folder": folder, "rules": [], "wouldMatch": null})
    }

    #[test]
    fn a_yes_needs_every_part_that_the_question_has_and_a_no_needs_none() {
        let script = json!({"path": text("/w/m.sh"), "sha256": "00", "preview": []});
        let added = json!({"kind": "added", "name": text("A"), "value": text("b"), "was": null});
        for (members, part) in [
            (json!({"env": [added]}), Part::Environment),
            (json!({"stdin": {"kind": "stream"}}), Part::Input),
            (json!({"programs": [program("/opt/bin/run", &Value::Null)]}), Part::Programs),
            (json!({"programs": [program("/usr/bin/run", &script)]}), Part::Scripts),
            (json!({"changeable": [text("/w/m.sh")]}), Part::Changeable),
        ] {
            let question = question(&members);
            assert_eq!(question.parts_for(Answer::Once), [part].into(), "{members}");
            assert_eq!(question.parts_for(Answer::Always), [part].into(), "nothing can be saved: {members}");
            assert!(question.parts_for(Answer::Deny).is_empty());
        }
        let question =
            question(&json!({"proposals": [offer(&Value::Null)], "changeable": [text("/w/m.sh")]}));
        assert_eq!(question.parts_for(Answer::Always), [Part::Changeable, Part::Always].into());
    }

    #[test]
    fn from_afar_only_what_holds_in_the_folder_of_the_request_is_saved() {
        let nothing = question(&json!({"nothingToSave": {"reason": "writes", "text": "it writes"}}));
        assert_eq!(nothing.placed(), Err(NothingToSave::Writes));
        let anywhere = question(&json!({"proposals": [offer(&Value::Null)]}));
        assert_eq!(anywhere.placed(), Err(NothingToSave::EveryFolder));
        let here = question(&json!({"proposals": [offer(&Value::Null), offer(&text("~/w"))]}));
        assert_eq!(here.placed(), Ok(vec![&here.proposals[1]]));
        let tool = question(&json!({"tool": text("write"), "proposals": [offer(&Value::Null)]}));
        assert_eq!(tool.placed().map(|offers| offers.len()), Ok(1), "a tool's line has no folder");
    }
}
