//! Parts of a question that not every face shows, checked in one place for all of them.

use crate::piece::join_pieces;
use crate::question::{Answer, Question};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use ts_rs::TS;

/// A part of a question beside its command, folder and risk. A face that does not show it cannot allow a
/// question that has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// Changes to the environment.
    Environment,
    /// Standard input.
    Input,
    /// Programs behind bare names, outside of the system's folders.
    Programs,
    /// Scripts that an interpreter would run, with their first lines.
    Scripts,
    /// Programs and scripts that the agent can change until they run.
    Changeable,
    /// Rule that *always* would save, and where it would hold. Only that answer needs it.
    Always,
}

/// Folders in which only the system installs programs, as they are shown.
const SYSTEM: [&str; 4] = ["/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/"];

impl Part {
    /// All parts.
    pub const ALL: [Self; 6] =
        [Self::Environment, Self::Input, Self::Programs, Self::Scripts, Self::Changeable, Self::Always];

    /// Names the part.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Environment => "the environment",
            Self::Input => "standard input",
            Self::Programs => "where the programs lie",
            Self::Scripts => "the scripts that would run",
            Self::Changeable => "what the agent can change until it runs",
            Self::Always => "what would be saved",
        }
    }
}

impl Question {
    /// Returns the parts that an approver has to show for this answer to count. A denial needs none.
    pub fn parts_for(&self, answer: Answer) -> BTreeSet<Part> {
        let yes = matches!(answer, Answer::Once | Answer::Always);
        let elsewhere = |program: &crate::ShownProgram| {
            let path = join_pieces(&program.path);
            !join_pieces(&program.name).contains('/') && !SYSTEM.iter().any(|folder| path.starts_with(folder))
        };
        let has = [
            (Part::Environment, !self.env.is_empty()),
            (Part::Input, self.stdin.is_some()),
            (Part::Programs, self.programs.iter().any(elsewhere)),
            (Part::Scripts, self.programs.iter().any(|program| program.script.is_some())),
            (Part::Changeable, !self.changeable.is_empty()),
            (Part::Always, answer == Answer::Always && !self.proposals.is_empty()),
        ];
        has.into_iter().filter(|(_, has)| yes && *has).map(|(part, _)| part).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Part;
    use crate::question::{Answer, Question};
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
        let script = json!({"path": text("/w/m.sh"), "shortHash": "00", "preview": []});
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
