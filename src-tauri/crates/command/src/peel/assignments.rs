//! Doubts about the variables that a call sets.

use crate::call::CommandCall;
use crate::environment::{decides_what_runs, evaluates, is_harmless, is_harmless_value};
use crate::shell::candidates;
use crate::{Assignment, Note, Unparsed};

/// Notes the doubts about a call's assignments.
///
/// Names that are only to be asked about stay as they are: the policy decides about those. `function`: the
/// call runs a function, whose commands get the variables too.
pub(super) fn check_assignments(call: &mut CommandCall, function: bool) {
    let reads = call.shell.is_some() && call.program_name() == Some("read");
    let value = |assignment: &Assignment| assignment.value.value.clone();
    let wrong = |assignment: &&Assignment| {
        let (name, value) = (assignment.name.as_str(), assignment.value.value.as_deref());
        let steers = decides_what_runs(name, call.shell)
            && !(reads && name == "IFS")
            && !value.is_some_and(|value| is_harmless_value(name, value));
        steers || evaluates(name, value, call.shell) || function && !is_harmless(name, value)
    };
    if let Some(found) = call.assignments.iter().find(wrong) {
        let guess = value(found).as_deref().map_or_else(Vec::new, candidates);
        if evaluates(&found.name, found.value.value.as_deref(), call.shell) {
            return call.add_doubt(
                Unparsed::Arithmetic,
                Note::with_text("it sets ", &found.name, ", and the shell evaluates what that is set to"),
                guess,
            );
        }
        call.add_doubt(
            Unparsed::Environment,
            Note::with_text("it sets ", &found.name, ", which may decide what the program does"),
            guess,
        );
    }
}
