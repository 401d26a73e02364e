//! Parts of a question beside its cause: the policy that asks, the result at zero, remarks about programs.

use super::effect::format_size;
use super::sentence::Sentence;
use crate::piece::ShownText;
use postern_policy::{Ask, Fallback, NothingToSave, Security, Settings};

/// Returns the policy that asks.
pub fn policy(settings: &Settings) -> ShownText {
    let words = match (settings.security, settings.ask) {
        (Security::Deny, _) => "Deny everything",
        (Security::Allowlist | Security::Full, Ask::Always) => "Ask every time",
        (Security::Allowlist, Ask::OnMiss) => "Ask when no rule matches",
        (Security::Allowlist, Ask::Off) => "Allow what a rule allows, deny the rest",
        (Security::Full, Ask::Off | Ask::OnMiss) => "Allow what no rule denies",
    };
    Sentence::new(words).pieces()
}

/// Returns the policy that asks about tools.
pub fn tool_policy() -> ShownText {
    Sentence::new("Ask about tools as `permissions.jsonc` says").pieces()
}

/// Returns what happens to a question that no one answers in time.
pub fn at_zero(fallback: Fallback) -> ShownText {
    match fallback {
        Fallback::Deny => denied(),
        Fallback::Allowlist => Sentence::new("Denied, unless a rule allows it").pieces(),
        Fallback::Full => Sentence::new("Allowed").pieces(),
    }
}

/// Returns what happens to a question that ends in a denial.
pub fn denied() -> ShownText {
    Sentence::new("Denied").pieces()
}

/// Returns how many lines a whole text replaces, where they are too many to be shown.
pub fn replaced_lines(count: usize) -> ShownText {
    Sentence::new("this replaces all ").quantity(count).literal(" lines that are there").pieces()
}

/// Returns how much a whole text replaces, where the file is not shown.
pub fn replaced_bytes(bytes: u64) -> ShownText {
    let size = format_size(bytes);
    Sentence::new("this replaces a file of ").fragment(&size).literal(", which isn’t shown").pieces()
}

/// Returns the remark on a last line that has no end.
pub fn no_line_break() -> ShownText {
    Sentence::new("no line break at the end").pieces()
}

/// Returns why *always* saves nothing, as a clause that follows *because*.
pub fn nothing_to_save(why: NothingToSave) -> &'static str {
    match why {
        NothingToSave::Unread => "a part of it is only known when it runs",
        NothingToSave::Environment => "it sets environment variables that always need a question",
        NothingToSave::AlwaysAsks => "a setting or a rule asks every time",
        NothingToSave::Writes => "it writes to a file, and a rule would let it write to any",
        NothingToSave::Input => "the agent sends its input while it runs",
        NothingToSave::Program => "Postern did not find its program, or does not know the program’s content",
        NothingToSave::NoRuleHelps => "no rule would let it through",
        NothingToSave::EveryFolder => {
            "the rule would hold in every folder; only the window and a terminal can save that"
        }
        NothingToSave::HighRisk => "it is dangerous, and this approver may not save that",
        NothingToSave::NotShown => "what would be saved is too long to be shown here",
    }
}

/// Returns how an agent with a channel of its own is known.
pub fn own_channel() -> ShownText {
    Sentence::new("on its own channel").pieces()
}

/// A fact about a program that a person should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProgramRemark {
    Shell,
    Interpreter,
    /// Wrapper, which runs another program.
    Wrapper,
    /// Program file with many programs in it.
    Multicall,
    /// Wrapper that gives more rights.
    MoreRights,
    /// Wrapper that runs the rest somewhere else.
    Elsewhere,
    /// Wrapper that runs the rest as another user.
    OtherUser,
    Script {
        /// The interpreter that its first line names.
        interpreter: String,
    },
    /// File that is no program.
    Unusable {
        /// A sentence fragment of the host.
        what: String,
    },
}

/// Returns a remark about a program, as a fragment.
pub fn remark(remark: &ProgramRemark) -> ShownText {
    let sentence = match remark {
        ProgramRemark::Shell => Sentence::new("a shell"),
        ProgramRemark::Interpreter => Sentence::new("an interpreter: it can run anything"),
        ProgramRemark::Wrapper => Sentence::new("runs another program"),
        ProgramRemark::Multicall => Sentence::new("many programs in one"),
        ProgramRemark::MoreRights => Sentence::new("gives more rights"),
        ProgramRemark::Elsewhere => Sentence::new("runs it somewhere else"),
        ProgramRemark::OtherUser => Sentence::new("runs as another user"),
        ProgramRemark::Script { interpreter } => Sentence::new("a script for ").code(interpreter),
        ProgramRemark::Unusable { what } => Sentence::default().fragment(what),
    };
    sentence.pieces()
}

/// Result of an earlier request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PastOutcome {
    Runs,
    /// The agent may do it itself.
    Allowed,
    /// Let through, but not started.
    NotStarted,
    DeniedByPerson,
    NoAnswer,
    /// The agent withdrew it.
    Withdrawn,
    Denied,
    Exited(i32),
    /// This signal ended it.
    Signalled(i32),
    Timeout,
    /// Stopped by a person.
    Stopped,
    /// A later program of it was not the approved one.
    Drifted,
    /// Unknown end.
    Unknown,
}

/// Returns what became of an earlier request, as a fragment.
pub fn past_outcome(outcome: PastOutcome) -> ShownText {
    let sentence = match outcome {
        PastOutcome::Runs => Sentence::new("runs"),
        PastOutcome::Allowed => Sentence::new("allowed"),
        PastOutcome::NotStarted => Sentence::new("could not start"),
        PastOutcome::DeniedByPerson => Sentence::new("denied by you"),
        PastOutcome::NoAnswer => Sentence::new("nobody answered"),
        PastOutcome::Withdrawn => Sentence::new("withdrawn"),
        PastOutcome::Denied => Sentence::new("denied"),
        PastOutcome::Exited(code) => Sentence::new("exit ").number(code),
        PastOutcome::Signalled(signal) => Sentence::new("signal ").number(signal),
        PastOutcome::Timeout => Sentence::new("ran out of time"),
        PastOutcome::Stopped => Sentence::new("stopped"),
        PastOutcome::Drifted => Sentence::new("a program of it changed"),
        PastOutcome::Unknown => Sentence::new("end not known"),
    };
    sentence.pieces()
}
