//! The caches of programs.

use super::known_name;
use super::table::{Caches, PROGRAMS};

/// Returns the caches of a program, by any of its names. People's own files have none.
pub fn caches_of(name: &str) -> Option<&'static Caches> {
    known_name(name)?.program.caches.as_ref()
}

/// Returns the caches of every program that has some.
pub fn all_caches() -> impl Iterator<Item = &'static Caches> {
    PROGRAMS.iter().filter_map(|program| program.caches.as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_by_each_of_its_names() {
        assert_eq!(caches_of("python3.12"), caches_of("python"));
        assert!(caches_of("cargo").is_some_and(|caches| caches.reads.contains(&".cargo/registry")));
        assert_eq!((caches_of("ls"), caches_of("no-such-program")), (None, None));
    }

    #[test]
    fn every_program_that_another_is_with_has_caches() {
        for caches in all_caches() {
            assert_eq!(caches_of(caches.name), Some(caches));
            for name in caches.with {
                assert!(caches_of(name).is_some(), "{}: {name}", caches.name);
            }
        }
    }
}
