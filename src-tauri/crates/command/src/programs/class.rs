//! Kind of program that a name stands for: does it run other code by itself?

use std::borrow::Cow;

use postern_programs::ProgramClass;

use super::table::{self, Name, Trait};

/// Returns the class of a program by its base name. Case, directories and version suffixes do not matter
/// (`/BIN/Python3.12`).
pub fn class_of(name: &str) -> ProgramClass {
    known_name(name).map_or(ProgramClass::Ordinary, |known| known.program.class)
}

/// Returns what is known about the name of a program, in any spelling.
pub(crate) fn known_name(name: &str) -> Option<&'static Name> {
    table::find_name(&family_of(name))
}

/// Returns true for a program, by its base name, that obeys what lies in a repository, or starts git.
pub fn obeys_repository(name: &str) -> bool {
    known_name(name).is_some_and(|known| known.has_trait(Trait::ObeysRepository))
}

/// Returns the base name in lower case, without a version suffix (`python3.12` is `python`) and without the
/// `g` that Homebrew puts before GNU tools. Every dynamic loader is `ld.so`.
pub(crate) fn family_of(name: &str) -> Cow<'_, str> {
    let base = name.bytes().rposition(|byte| byte == b'/').map_or(name, |slash| &name[slash + 1..]);
    let plain = base.is_ascii() && !base.bytes().any(|byte| byte.is_ascii_uppercase());
    if plain {
        return family_of_lower(base).into();
    }
    // The long s is no capital, and a file system without case takes it for an s all the same.
    family_of_lower(&base.to_lowercase().replace('ſ', "s")).to_owned().into()
}

/// Returns [`family_of`] as a text of its own.
pub(crate) fn family(name: &str) -> String {
    family_of(name).into_owned()
}

fn family_of_lower(base: &str) -> &str {
    let base = base.strip_suffix(".exe").unwrap_or(base);
    let unversioned = base.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    // Nearly every name is its family's.
    if unversioned.len() == base.len() && !base.starts_with('g') && !is_loader(base) {
        return base;
    }
    let class = table::program(unversioned).map(|program| program.class);
    if matches!(class, Some(ProgramClass::Shell | ProgramClass::Interpreter)) {
        return unversioned;
    }
    if is_loader(base) {
        return "ld.so";
    }
    let gnu = |plain: &&str| table::find_name(plain).is_some_and(|known| known.has_trait(Trait::Gnu));
    base.strip_prefix('g').filter(gnu).unwrap_or(base)
}

/// Returns true for the loader of a system.
///
/// `ld-linux-x86-64.so.2`, `ld-musl-aarch64.so.1`, `ld64.so.2`, `ld-2.31.so`, FreeBSD's `ld-elf.so.1`.
fn is_loader(base: &str) -> bool {
    let loader =
        base.starts_with("ld-") || base.starts_with("ld64") || base.starts_with("ld.so") || base == "rtld";
    loader && (base == "rtld" || base.contains(".so"))
}

#[cfg(test)]
mod tests {
    use super::{ProgramClass, class_of};

    #[test]
    fn spelling_does_not_change_the_class() {
        let classes: [(ProgramClass, &[&str]); 5] = [
            (ProgramClass::Shell, &["/bin/bash", "ZSH", "z\u{17f}h"]),
            (ProgramClass::Interpreter, &["/usr/local/bin/python3.12", "perl5.34"]),
            (
                ProgramClass::Wrapper,
                &[
                    "/opt/homebrew/bin/gtimeout", "env", "/lib64/ld-linux-x86-64.so.2",
                    "/lib/ld-musl-x86_64.so.1", "ld-2.31.so", "rtld",
                ],
            ),
            (ProgramClass::Multicall, &["busybox"]),
            (ProgramClass::Ordinary, &["git", "gsort", "ld", "ld-foo"]),
        ];
        for (class, names) in classes {
            for name in names {
                assert_eq!(class_of(name), class, "{name}");
            }
        }
    }
}
