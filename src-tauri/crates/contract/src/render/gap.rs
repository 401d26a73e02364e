//! Reasons why rules do not hold, as fragments of a sentence.

use super::cause::argument;
use super::effect;
use super::sentence::Sentence;
use crate::piece::Shown;
use postern_policy::{Change, ClassGap, ContentDifference, Difference, Gap, Obstacle, SignerDifference};

/// Adds what prevents every rule from covering a step.
pub(super) fn obstacle(sentence: Sentence, obstacle: &Obstacle) -> Sentence {
    match obstacle {
        Obstacle::Elsewhere => sentence.say("Postern can't look up here what it runs"),
        Obstacle::NotFound => sentence.say("its program was not found"),
        Obstacle::Unusable { path, what } => sentence.code(path).say(" ").fragment(what),
        Obstacle::ProgramUnknown => sentence.say("its program is only known when it runs"),
        Obstacle::Sets { name } => sentence.say("it sets ").code(name),
        Obstacle::FolderUnknown => sentence.say("the folder it would run in is only known when it runs"),
        Obstacle::Leaves { folder } => sentence.say("it leaves the working directory for ").code(folder),
        Obstacle::StrangeWrapper { name } => {
            sentence.say("its wrapper ").code(name).say(" is not one that Postern knows")
        }
        Obstacle::WrapperUnknown => sentence.say("a wrapper was not looked up"),
    }
}

/// Adds why a rule that matches does not cover a step.
pub(super) fn gap(sentence: Sentence, gap: &Gap) -> Sentence {
    match gap {
        Gap::FolderChanges { folder } => {
            sentence.say("it holds in ").code(folder).say(", and the line changes its folder")
        }
        Gap::OtherFolder { folder, cwd } => {
            sentence.say("it holds in ").code(folder).say(", and this runs in ").code(cwd)
        }
        Gap::OtherInput => sentence.say("it was given with other text on standard input"),
        Gap::NoInput => sentence.say("it was given without standard input"),
        Gap::StreamedInput => sentence
            .say("it does not cover standard input that is sent while it runs (`</dev/null` gives none)"),
        Gap::StartsOthers => sentence.say("it starts other programs: a rule must name it"),
        Gap::OtherUser => sentence.say("it runs with another user's rights: a rule must name it"),
        Gap::UnsafeArg(fact) => argument(sentence, fact).say(": a rule must name that argument"),
        Gap::Writes { target } => {
            sentence.say("it writes to ").code(target).say(", and the rule does not say that it may")
        }
        Gap::Beyond(rated) => {
            sentence.say("this would ").then(effect::effect(rated)).say(", which is more than you allowed")
        }
        Gap::Outside { path } => sentence.code(path).say(" is outside of what you allowed"),
        Gap::RunTimePath => sentence.say("only the run tells which files it is about"),
    }
}

/// Adds why the read-only list, a class or a rule that names a profile does not hold for a step.
pub(super) fn class(sentence: Sentence, gap: &ClassGap) -> Sentence {
    match gap {
        ClassGap::Unconfined => sentence.say("it asks to run with your rights, not confined"),
        ClassGap::CannotConfine => sentence.say("this system can't confine it (`postern doctor` says why)"),
        ClassGap::NotConfined => sentence.say("it would not be confined beside the other steps"),
        ClassGap::OwnShell => sentence.say("nothing confines it in the agent's own shell"),
        ClassGap::ChangesShell => {
            sentence.say("the line ends by changing the agent's shell, which a confined one can't")
        }
        ClassGap::Sends => sentence.say("it sends what it is given to someone else"),
        ClassGap::Dangerous => sentence.say("it is dangerous"),
        ClassGap::AgentWrites => sentence.say("its program is where the agent can write"),
        ClassGap::Outside { path } => sentence.code(path).say(" is outside of its folders"),
        ClassGap::HoldsKeys => sentence.say("it goes through a folder that holds keys"),
        ClassGap::TooWide { folder } => sentence
            .say("nothing confines it in ")
            .code(folder)
            .say(", which holds the home folder or Postern's data"),
        ClassGap::NoFolders => sentence.say("this agent has no folders of its own"),
        ClassGap::Beyond { effect: Some(rated) } => {
            sentence.say("it would ").then(effect::effect(rated)).say(", which that profile doesn't cover")
        }
        ClassGap::Beyond { effect: None } => sentence.say("it reaches further than that profile covers"),
    }
}

/// Adds what changed since a rule was given.
pub(super) fn change(sentence: Sentence, change: &Change) -> Sentence {
    match change {
        Change::NotApproved => sentence.say("this skill's program was not approved yet"),
        Change::Script { path } => sentence.say("the script ").code(path).say(" is not the approved one"),
        Change::Program(between) => sentence.then(difference(between)),
        Change::Unidentified => sentence.say("Postern could not identify it"),
    }
}

/// Returns how two identities of a program differ: `14.1 → 15.0, same signer`.
pub fn difference(difference: &Difference) -> Shown {
    let content = match &difference.content {
        ContentDifference::Versions { was, now } | ContentDifference::Hashes { was, now } => {
            Sentence::default().code(was).say(" → ").code(now)
        }
        ContentDifference::SameVersion(version) => {
            Sentence::new("still ").code(version).say(", other content")
        }
    };
    let signed = match difference.signer {
        Some(SignerDifference::Same) => content.say(", same signer"),
        Some(SignerDifference::Another) => content.say(", another signer"),
        Some(SignerDifference::Lost) => content.say(", no longer signed"),
        Some(SignerDifference::New) => content.say(", now signed"),
        None => content,
    };
    signed.pieces()
}
