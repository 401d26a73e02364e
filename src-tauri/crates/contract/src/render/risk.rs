//! Why a request needs care: sentences without their full stop.

use super::cause::argument;
use super::sentence::Sentence;
use crate::piece::Shown;
use postern_policy::{Protection, RiskReason};

/// Returns a reason as a sentence without its full stop.
pub fn reason(reason: &RiskReason) -> Shown {
    let sentence = match reason {
        RiskReason::Danger(words) => Sentence::new(words.clone()),
        RiskReason::Elsewhere => Sentence::new("Runs on another machine or in a container"),
        RiskReason::Writes { target } => Sentence::new("Writes to ").code(target),
        RiskReason::UnsafeArg(fact) => argument(Sentence::default(), fact),
        RiskReason::ProgramUnknown => Sentence::new("The program's name is only known when it runs"),
        RiskReason::RunsCode { program } => Sentence::new("Runs code: ").code(program),
        RiskReason::Starts { program } => Sentence::new("Starts another program: ").code(program),
        RiskReason::CanChange { program } => Sentence::default().code(program).say(" may change something"),
        RiskReason::Unparsed(note) => Sentence::new("Not understood: ").note(note),
        RiskReason::TooManyCommands => Sentence::new("May run more commands than Postern weighs one by one"),
        RiskReason::MixedAlphabets { text } => Sentence::new("Mixes alphabets: ").code(text),
        RiskReason::LooksLikeAscii { text } => {
            Sentence::new("Letters that only look like ASCII ones: ").code(text)
        }
        RiskReason::RunsDownload => Sentence::new("Runs what it downloaded or decoded"),
        RiskReason::OwnTool => Sentence::new("A tool of the agent's own"),
        RiskReason::Touches { reads, path, protection: of } => {
            let begun = Sentence::new(if *reads { "Reads " } else { "Changes " });
            begun.code(path).say(": ").say(protection(*of))
        }
        RiskReason::Recorded(text) => Sentence::default().fragment(text),
    };
    sentence.pieces()
}

/// Returns what is in a protected place, as a noun phrase.
pub fn protection(protection: Protection) -> &'static str {
    match protection {
        Protection::StartFile => "a start file of a shell or program",
        Protection::Keys => "keys or passwords",
        Protection::Autostart => "what the system starts by itself",
        Protection::Repository => "git's configuration or hooks",
        Protection::AgentSettings => "settings or hooks of an agent",
    }
}
