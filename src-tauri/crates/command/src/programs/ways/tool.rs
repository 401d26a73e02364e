//! How the table of ways out is written: a program, how its options are read, and a row for each way out.

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
    pub(in crate::programs) does: Does,
    /// Manual page, project documentation, GTFOBins page or advisory.
    pub(in crate::programs) source: &'static str,
}

/// What a way out does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::programs) enum Does {
    /// Runs a program that is named in the arguments.
    Runs,
    /// Hands a text to a shell.
    Shell,
    /// Runs code of the program's own language, which can do anything.
    Code,
    /// Loads a library, plugin or module.
    Loads,
    /// Sets or reads settings that can run programs.
    Config,
    /// Works with another folder, whose settings can run programs.
    Folder,
    /// Fetches a program and runs it.
    Fetches,
    /// Runs something on another machine or in a container.
    Remote,
    /// Opens an application or an editor.
    Opens,
    /// Writes a file.
    Writes,
    /// Removes what it finds.
    Deletes,
    /// Sends data away.
    Sends,
    /// Reads another file than its operands.
    Reads,
    /// Reads or changes passwords and keys.
    Secrets,
    /// Changes settings of the machine or of a service.
    Changes,
    /// Opens a port.
    Serves,
}

impl Does {
    /// In plain words, after the argument's name.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Runs => "runs another program",
            Self::Shell => "hands a text to a shell, which runs it",
            Self::Code => "runs code",
            Self::Loads => "loads code",
            Self::Config => "decides which programs are run",
            Self::Folder => "works elsewhere, where settings can run programs",
            Self::Fetches => "fetches a program and runs it",
            Self::Remote => "runs something on another machine or in a container",
            Self::Opens => "opens an application, which can run programs",
            Self::Writes => "writes a file",
            Self::Deletes => "removes what it finds",
            Self::Sends => "sends data away",
            Self::Reads => "reads another file",
            Self::Secrets => "reads or changes passwords or keys",
            Self::Changes => "changes settings",
            Self::Serves => "opens a port",
        }
    }

    /// Whether commands may stand in its arguments, which deny rules then look at.
    pub(super) fn runs(self) -> bool {
        matches!(
            self,
            Self::Runs | Self::Shell | Self::Code | Self::Config | Self::Fetches | Self::Remote | Self::Opens
        )
    }
}

/// A row of the table.
pub(super) const fn row(marks: &'static str, does: Does, source: &'static str) -> Row {
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
