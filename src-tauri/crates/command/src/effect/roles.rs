//! Roles of a command's words: what each one names, where the program's file or git's order of words tells.
//!
//! A wrong name would say that a rule allows less than it does: in doubt a word has none.

use super::command::{ExaminedCommand, ProgramWords};
use super::host::machine_of;
use super::{CommandEffect, effects_of_words};
use serde::{Deserialize, Serialize};

/// Role of a word of a command.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WordRole {
    /// No role that is certain.
    #[default]
    None,
    Branch,
    /// Host, or an address on one.
    Host,
    Path,
    /// Remote of a repository.
    Remote,
}

/// Options with which git's operands mean something else.
const OTHER_ORDER: &str = "^--repo fetch:--all pull:--all fetch:--multiple push:--all push:--mirror";

/// Returns the role of each word of a command, the program first.
pub fn roles_of_words(argv: &[String]) -> Vec<WordRole> {
    let mut roles = vec![WordRole::None; argv.len()];
    if let Some(words) = ProgramWords::from_argv(argv) {
        let named = NamedObjects::from_words(argv);
        words.for_each_reading(|command| {
            for (at, role) in roles_in(command, &named) {
                if let Some(found) = roles.get_mut(at).filter(|found| **found == WordRole::None) {
                    *found = role;
                }
            }
        });
    }
    roles
}

/// Paths and hosts that the effects of a command name.
struct NamedObjects {
    paths: Vec<String>,
    hosts: Vec<String>,
}

impl NamedObjects {
    fn from_words(argv: &[String]) -> Self {
        let (mut paths, mut hosts) = (Vec::new(), Vec::new());
        for found in effects_of_words(argv) {
            paths.extend(found.effect.affected_paths().iter().cloned());
            if let CommandEffect::Fetch { from: to } | CommandEffect::Send { to, .. } = found.effect {
                hosts.extend(to);
            }
        }
        Self { paths, hosts }
    }

    fn role_of(&self, word: &str) -> WordRole {
        let host = machine_of(word).filter(|host| self.hosts.iter().any(|named| named == host));
        if self.paths.iter().any(|path| path == word) {
            WordRole::Path
        } else if host.is_some() {
            WordRole::Host
        } else {
            WordRole::None
        }
    }
}

/// Returns the operands with their roles. Where git's order tells, one that may be the value of an option ends them.
fn roles_in(command: &ExaminedCommand<'_>, named: &NamedObjects) -> Vec<(usize, WordRole)> {
    let read = command.read();
    let is_git = command.is_one_of(&["git"]);
    let is_sure = |at: &usize| !command.may_be_value(*at);
    let find = |verbs: &str| read.find_verb(verbs).filter(|_| is_git && !command.matches_any(OTHER_ORDER));
    let of_transfer = |nth: usize, word: &str| match nth {
        0 if machine_of(word).is_some() => WordRole::Host,
        0 => WordRole::Remote,
        _ => WordRole::Branch,
    };
    let of_clone = |nth: usize, word: &str| match nth {
        0 if machine_of(word).is_some() => WordRole::Host,
        _ => WordRole::Path,
    };
    let (transfer, clone) = (find("push|fetch|pull"), find("clone"));
    let Some((_, verb)) = transfer.or(clone) else {
        let role = |at: usize| Some((at, named.role_of(read.word_at(at)?)));
        return read.operands.iter().copied().filter_map(role).collect();
    };
    let sure = read.operands.iter().copied().take_while(is_sure);
    let behind = sure.filter(|at| *at > verb).enumerate();
    let role = |(nth, at): (usize, usize)| {
        let word = read.word_at(at).filter(|word| !word.contains('*'))?;
        Some((at, if transfer.is_some() { of_transfer(nth, word) } else { of_clone(nth, word) }))
    };
    behind.filter_map(role).collect()
}

#[cfg(test)]
mod tests {
    use super::{WordRole, roles_of_words};
    use WordRole::{Branch, Host, None, Path, Remote};

    fn roles(line: &str) -> Vec<WordRole> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        roles_of_words(&words)[1..].to_vec()
    }

    #[test]
    fn words_of_git_have_the_roles_of_its_order() {
        assert_eq!(roles("git push origin main"), [None, Remote, Branch]);
        let several = [None, None, None, Remote, Branch, Branch];
        assert_eq!(roles("git push --force -u origin fix/x v2"), several);
        assert_eq!(roles("git fetch https://example.com/a.git main"), [None, Host, Branch]);
        assert_eq!(roles("git push origin *"), [None, Remote, None]);
        assert_eq!(roles("git clone https://example.com/a.git b"), [None, Host, Path]);
    }

    #[test]
    fn addresses_and_paths_are_those_of_the_effects() {
        assert_eq!(roles("curl -sSL https://example.com/page/1"), [None, Host]);
        assert_eq!(roles("cat /etc/hosts src/a.ts"), [Path, Path]);
        assert_eq!(roles("rm -rf build"), [None, Path]);
        assert_eq!(roles("npm run build:css"), [None, None]);
    }

    #[test]
    fn in_doubt_a_word_has_no_role() {
        for line in [
            "git push --receive-thing ci.skip origin main", "git commit -m x",
            "git push --repo elsewhere main", "sed s/a/b/ s/a/b.c", "unknown-program origin main",
        ] {
            assert!(
                roles(line).iter().all(|role| !matches!(role, Remote | Branch | Host)),
                "{line}: {:?}",
                roles(line)
            );
        }
    }
}
