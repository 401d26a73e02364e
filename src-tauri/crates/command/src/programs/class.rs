//! What kind of program a name stands for: whether it runs other code by itself.

use foldhash::HashMap;
use std::borrow::Cow;
use std::sync::LazyLock;

use super::class_names::{GNU, INTERPRETERS, SHELLS, WRAPPERS};

/// What kind of program a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// Does its own work.
    Ordinary,
    /// Runs shell text.
    Shell,
    /// Runs code in a language of its own.
    Interpreter,
    /// Runs another program that is named in its arguments.
    Wrapper,
    /// Many programs in one file, told apart by name (`busybox`).
    Multicall,
}

/// The class of a program by its base name. Case, directories and version suffixes do not matter (`/BIN/Python3.12`).
pub fn class_of(name: &str) -> Class {
    CLASSES.get(family_of(name).as_ref()).copied().unwrap_or(Class::Ordinary)
}

/// Every name that is no ordinary program's: text that was not understood may hold thousands of words, and each is looked up.
static CLASSES: LazyLock<HashMap<&str, Class>> = LazyLock::new(|| {
    let multicall: &[&str] = &["busybox", "toybox", "coreutils", "uutils"];
    let all = [
        (SHELLS, Class::Shell),
        (INTERPRETERS, Class::Interpreter),
        (WRAPPERS, Class::Wrapper),
        (multicall, Class::Multicall),
    ];
    all.into_iter().flat_map(|(names, class)| names.iter().map(move |name| (*name, class))).collect()
});

/// The base name in lower case, without a version suffix (`python3.12` is `python`) and without the `g` that Homebrew puts
/// before GNU tools. Every dynamic loader is `ld.so`.
pub(crate) fn family(name: &str) -> String {
    family_of(name).into_owned()
}

fn family_of(name: &str) -> Cow<'_, str> {
    let base = name.rsplit('/').next().unwrap_or(name);
    let plain = base.is_ascii() && !base.bytes().any(|byte| byte.is_ascii_uppercase());
    if plain {
        return family_of_lower(base).into();
    }
    // The long s is no capital, and a file system without case takes it for an s all the same.
    family_of_lower(&base.to_lowercase().replace('ſ', "s")).to_owned().into()
}

fn family_of_lower(base: &str) -> &str {
    let base = base.strip_suffix(".exe").unwrap_or(base);
    let unversioned = base.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    if matches!(CLASSES.get(unversioned), Some(Class::Shell | Class::Interpreter)) {
        return unversioned;
    }
    if is_loader(base) {
        return "ld.so";
    }
    base.strip_prefix('g').filter(|plain| GNU.contains(plain)).unwrap_or(base)
}

/// `ld-linux-x86-64.so.2`, `ld-musl-aarch64.so.1`, `ld64.so.2`, `ld-2.31.so`, FreeBSD's `ld-elf.so.1`.
fn is_loader(base: &str) -> bool {
    let loader =
        base.starts_with("ld-") || base.starts_with("ld64") || base.starts_with("ld.so") || base == "rtld";
    loader && (base == "rtld" || base.contains(".so"))
}

#[cfg(test)]
mod tests {
    use super::{Class, INTERPRETERS, SHELLS, WRAPPERS, class_of};

    #[test]
    fn spelling_does_not_change_the_class() {
        for (name, class) in [
            ("/bin/bash", Class::Shell),
            ("ZSH", Class::Shell),
            ("z\u{17f}h", Class::Shell),
            ("/usr/local/bin/python3.12", Class::Interpreter),
            ("perl5.34", Class::Interpreter),
            ("/opt/homebrew/bin/gtimeout", Class::Wrapper),
            ("env", Class::Wrapper),
            ("busybox", Class::Multicall),
            ("git", Class::Ordinary),
            ("gsort", Class::Ordinary),
            ("/lib64/ld-linux-x86-64.so.2", Class::Wrapper),
            ("/lib/ld-musl-x86_64.so.1", Class::Wrapper),
            ("ld", Class::Ordinary),
            ("ld-2.31.so", Class::Wrapper),
            ("rtld", Class::Wrapper),
            ("ld-foo", Class::Ordinary),
        ] {
            assert_eq!(class_of(name), class, "{name}");
        }
    }

    #[test]
    fn a_name_is_of_one_class() {
        let all = [SHELLS, INTERPRETERS, WRAPPERS].into_iter().flatten();
        let mut names: Vec<_> = all.collect();
        names.sort();
        let twice: Vec<_> = names.windows(2).filter(|pair| pair[0] == pair[1]).collect();
        assert!(twice.is_empty(), "{twice:?}");
    }
}
