//! Reasons why rules do not hold, as fragments of a sentence.

use super::argument::argument;
use super::effect;
use super::sentence::Sentence;
use crate::piece::ShownText;
use postern_policy::{ClassGap, ContentDifference, Difference, Gap, Obstacle, PinMismatch, SignerDifference};

/// Adds what prevents every rule from covering a step.
pub(super) fn obstacle(sentence: Sentence, obstacle: &Obstacle) -> Sentence {
    match obstacle {
        Obstacle::Elsewhere => sentence.literal("Postern can’t look up here what it runs"),
        Obstacle::NotFound => sentence.literal("its program isn’t installed (not found in PATH)"),
        Obstacle::Unusable { path, what } => sentence.code(path).literal(" ").fragment(what),
        Obstacle::ProgramUnknown => sentence.literal("its program is only known when it runs"),
        Obstacle::Sets { name } => sentence.literal("it sets ").code(name),
        Obstacle::FolderUnknown => sentence.literal("the folder it would run in is only known when it runs"),
        Obstacle::Leaves { folder } => sentence.literal("it leaves the working directory for ").code(folder),
        Obstacle::StrangeWrapper { name } => {
            sentence.fill("its wrapper {} isn’t installed, or is not one of the system’s programs", &[name])
        }
        Obstacle::WrapperUnknown => sentence.literal("a wrapper was not looked up"),
    }
}

/// Adds why a rule that matches does not cover a step.
pub(super) fn add_gap(sentence: Sentence, gap: &Gap) -> Sentence {
    match gap {
        Gap::FolderChanges { folder } => {
            sentence.fill("it holds in {}, and the line changes its folder", &[folder])
        }
        Gap::OtherFolder { folder, cwd } => {
            sentence.fill("it holds in {}, and this runs in {}", &[folder, cwd])
        }
        Gap::OtherInput => sentence.literal("it was given with other text on standard input"),
        Gap::NoInput => sentence.literal("it was given without standard input"),
        Gap::OtherSurroundings => {
            sentence.literal("it was given for this command with other files, variables or wrappers")
        }
        Gap::StreamedInput => sentence
            .literal("it does not cover standard input that is sent while it runs (`</dev/null` gives none)"),
        Gap::StartsOthers => sentence.literal("it starts other programs: a rule must name it"),
        Gap::OtherUser => sentence.literal("it runs with another user’s rights: a rule must name it"),
        Gap::UnsafeArg(fact) => argument(sentence, fact).literal(": a rule must name that argument"),
        Gap::Writes { target } => {
            sentence.fill("it writes to {}, and the rule does not say that it may", &[target])
        }
        Gap::Beyond(rated) => sentence
            .literal("this would ")
            .append(effect::effect(rated))
            .literal(", which is more than you allowed"),
        Gap::Outside { path } => sentence.fill("{} is outside of what you allowed", &[path]),
        Gap::RunTimePath => sentence.literal("only the run tells which files it is about"),
    }
}

/// Adds why the read-only list, a class or a rule that names a profile does not hold for a step.
pub(super) fn add_class_gap(sentence: Sentence, gap: &ClassGap) -> Sentence {
    match gap {
        ClassGap::Unconfined => sentence.literal("it asks to run with your rights, not confined"),
        ClassGap::CannotConfine => {
            sentence.literal("this system can’t confine it (`postern doctor` says why)")
        }
        ClassGap::NotConfined => sentence.literal("it would not be confined beside the other steps"),
        ClassGap::OwnShell => sentence.literal("nothing confines it in the agent’s own shell"),
        ClassGap::ChangesShell => {
            sentence.literal("the line ends by changing the agent’s shell, which a confined one can’t")
        }
        ClassGap::Sends => sentence.literal("it sends what it is given to someone else"),
        ClassGap::Dangerous => sentence.literal("it is dangerous"),
        ClassGap::AgentWrites => sentence.literal("its program is where the agent can write"),
        ClassGap::Outside { path } => sentence.fill("{} is outside of its folders", &[path]),
        ClassGap::HoldsKeys => sentence.literal("it goes through a folder that holds keys"),
        ClassGap::TooWide { folder } => sentence
            .fill("nothing confines it in {}, which holds the home folder or Postern’s data", &[folder]),
        ClassGap::NoFolders => sentence.literal("this agent has no folders of its own"),
        ClassGap::Beyond { effect: Some(rated) } => sentence
            .literal("it would ")
            .append(effect::effect(rated))
            .literal(", which that profile doesn’t cover"),
        ClassGap::Beyond { effect: None } => sentence.literal("it reaches further than that profile covers"),
    }
}

/// Adds what changed since a rule was given.
pub(super) fn change(sentence: Sentence, change: &PinMismatch) -> Sentence {
    match change {
        PinMismatch::NotApproved => sentence.literal("this skill’s program was not approved yet"),
        PinMismatch::Script { path } => sentence.fill("the script {} is not the approved one", &[path]),
        PinMismatch::Program(between) => sentence.append(difference(between)),
        PinMismatch::Unidentified => sentence.literal("Postern could not identify it"),
    }
}

/// Returns how two identities of a program differ: `14.1 → 15.0, same signer`.
pub fn difference(difference: &Difference) -> ShownText {
    let content = match &difference.content {
        ContentDifference::Versions { was, now } | ContentDifference::Hashes { was, now } => {
            Sentence::filled("{} → {}", &[was, now])
        }
        ContentDifference::SameVersion(version) => Sentence::filled("still {}, other content", &[version]),
    };
    let signed = match difference.signer {
        Some(SignerDifference::Same) => content.literal(", same signer"),
        Some(SignerDifference::Another) => content.literal(", another signer"),
        Some(SignerDifference::Lost) => content.literal(", no longer signed"),
        Some(SignerDifference::New) => content.literal(", now signed"),
        None => content,
    };
    signed.pieces()
}
