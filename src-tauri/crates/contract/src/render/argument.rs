//! Effect of an argument that no rule covers by itself.

use super::sentence::Sentence;
use postern_command::{ArgEffect, ArgFact};

/// Adds what an unsafe argument does.
pub(super) fn argument(sentence: Sentence, fact: &ArgFact) -> Sentence {
    match fact {
        ArgFact::Mark { mark, effect } => sentence.code(mark).literal(" ").literal(arg_effect(*effect)),
        ArgFact::Note(words) => sentence.literal(words.clone()),
    }
}

/// Returns the words that follow an argument's name.
fn arg_effect(effect: ArgEffect) -> &'static str {
    match effect {
        ArgEffect::Runs => "runs another program",
        ArgEffect::Shell => "hands a text to a shell, which runs it",
        ArgEffect::Code => "runs code",
        ArgEffect::NamedCode => "runs code that is found by its name",
        ArgEffect::Loads => "loads code",
        ArgEffect::Config => "decides which programs are run",
        ArgEffect::Folder => "works elsewhere, where settings can run programs",
        ArgEffect::Fetches => "fetches a program and runs it",
        ArgEffect::Remote => "runs something on another machine or in a container",
        ArgEffect::Opens => "opens an application, which can run programs",
        ArgEffect::Writes => "writes a file",
        ArgEffect::Plants => "writes what other programs run or read by themselves",
        ArgEffect::Elevates => "lets the file run with its owner’s rights",
        ArgEffect::Deletes => "removes what it finds",
        ArgEffect::Sends => "sends data away",
        ArgEffect::Reads => "reads another file",
        ArgEffect::Secrets => "reads or changes passwords or keys",
        ArgEffect::Changes => "changes settings",
        ArgEffect::Serves => "opens a port",
        ArgEffect::Outside => "leads out of the working directory",
        ArgEffect::Unlisted => "is an option that is not known here",
        ArgEffect::Pattern => "could match a file whose name is an option",
        ArgEffect::RunTime => "is known only at run time",
    }
}
