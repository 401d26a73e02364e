//! The steps of a line that needs no shell, with the program of each.

use super::lookup::{FileLookup, LookupContext};
use super::search::lexical;
use super::{Held, HeldFile, Resolver};
use postern_command::Sequence;
use std::sync::Arc;

/// A line that needs no shell.
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "every line goes to the shell there"))]
#[derive(Debug)]
pub struct HeldSteps {
    /// The line.
    pub(crate) sequence: Sequence,
    /// The program of each command, in their order; `None` for a builtin.
    pub(crate) programs: Vec<Option<Arc<HeldFile>>>,
}

impl Resolver {
    /// Looks up the program of each command of a line. Returns `None` if it needs a shell, or names a program that was not judged.
    pub(super) fn held_steps(&self, text: &str, here: &LookupContext<'_>, held: &Held) -> Option<HeldSteps> {
        let sequence = Sequence::parse_text(text)?;
        let mut folder = here.folder.clone();
        let mut programs = Vec::new();
        for command in sequence.commands() {
            if let ["cd", to] = command.words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
                folder = lexical(&folder.join(to));
            }
            if command.is_builtin() {
                programs.push(None);
                continue;
            }
            let place = LookupContext {
                folder: folder.clone(),
                search_path: here.search_path,
                shell_path: here.shell_path,
                known: None,
            };
            let FileLookup::File(file) = self.look_up(command.name(), &place) else { return None };
            let judged =
                held.all_files().find(|other| other.path == file.path && other.state == file.state)?;
            programs.push(Some(Arc::clone(judged)));
        }
        Some(HeldSteps { sequence, programs })
    }
}
