//! How the table of ways out is written: a program, how its options are read, and a row for each way out.

use crate::ArgEffect;

/// One program, or a few that share their options.
#[derive(Debug, Clone, Copy)]
pub(in crate::programs) struct Tool {
    /// Names as [`crate::programs::family`] gives them.
    pub(in crate::programs) names: &'static [&'static str],
    /// How its options are spelled.
    pub(super) style: Style,
    /// Options that are known to take a value, or to be complete by themselves although a way out begins with the same
    /// letters (`--text` of `--textconv`). Written as for wrappers. What is not listed counts as taking nothing: too much
    /// is then looked at, never too little.
    pub(super) takes: &'static str,
    /// The same for some subcommands only (names, separated by blanks).
    pub(super) sub_takes: &'static [(&'static str, &'static str)],
    /// Whether its ways out are so mild that an argument known only at run time is no danger.
    pub(super) mild: bool,
    /// Whether `takes` lists every option that is harmless: any other is a way out.
    pub(super) strict: bool,
    /// Its ways out.
    pub(in crate::programs) rows: &'static [Row],
}

/// How a program's options are spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// `-ab`, `-o FILE`, `-oFILE`, `--output=FILE`, and every abbreviation of a long name.
    Getopt,
    /// The same, and letters without a dash in the first word (`tar xf`).
    Bundled,
    /// One word an option, with one dash or two (`find -name`, `go -exec`).
    Words,
}

/// One way out: by which arguments, and what it does.
///
/// Marks are separated by blanks:
///
/// | mark | is |
/// |---|---|
/// | `-o`, `--output`, `-exec` | an option |
/// | `@-c` | an option before the subcommand |
/// | `clone:-u` | an option of a subcommand |
/// | `compose:@-f` | an option of a subcommand behind which its own subcommand does not stand at once |
/// | `config`, `bisect.run` | a subcommand |
/// | `rollout!status,history` | a subcommand, unless one of these stands right behind it |
/// | `!list,print` | any subcommand but these |
/// | `=-delete` | a word as it is |
/// | `^ext::` | any word that begins so |
/// | `~=ext::` | any word that holds this |
/// | `#2` | the second operand |
/// | `#*` | any operand that is a file |
/// | `add:#` | an operand behind a subcommand |
/// | `#*/`, `new:#/` | any operand, or one behind a subcommand, that leads out of the working directory |
/// | `*` | the program, whatever its arguments |
///
/// An option, or `#2`, that ends in `/` counts only where its value leads out of the working directory.
#[derive(Debug, Clone, Copy)]
pub(in crate::programs) struct Row {
    pub(in crate::programs) marks: &'static str,
    pub(in crate::programs) does: ArgEffect,
    /// Manual page, project documentation, GTFOBins page or advisory.
    pub(in crate::programs) source: &'static str,
}

/// A row of the table.
pub(super) const fn row(marks: &'static str, does: ArgEffect, source: &'static str) -> Row {
    Row { marks, does, source }
}

/// A program whose options are read as getopt reads them.
pub(super) const fn tool(names: &'static [&'static str], takes: &'static str, rows: &'static [Row]) -> Tool {
    Tool { names, style: Style::Getopt, takes, sub_takes: &[], mild: false, strict: false, rows }
}

/// The same, with ways out that only read something.
pub(super) const fn mild(names: &'static [&'static str], takes: &'static str, rows: &'static [Row]) -> Tool {
    Tool { mild: true, ..tool(names, takes, rows) }
}

/// A program all of whose harmless options are listed.
pub(super) const fn strict(tool: Tool) -> Tool {
    Tool { strict: true, ..tool }
}

/// A program whose options are whole words.
pub(super) const fn words(names: &'static [&'static str], takes: &'static str, rows: &'static [Row]) -> Tool {
    Tool { style: Style::Words, ..tool(names, takes, rows) }
}
