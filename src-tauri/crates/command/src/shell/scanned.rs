//! A word: the scope that it is read in, how its characters may be quoted, and what is read of it.

use std::collections::HashMap;
use std::ops::Range;

use shuck_ast::{StmtSeq, WordPartNode};

use super::variables::Variables;
use crate::{Dialect, Unparsed};

/// Something in a word that is not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WordProblem {
    pub(super) code: Unparsed,
    pub(super) what: &'static str,
    pub(super) advice: Option<&'static str>,
}

pub(super) const fn problem(code: Unparsed, what: &'static str) -> WordProblem {
    WordProblem { code, what, advice: None }
}

#[derive(Clone, Copy)]
pub(super) struct WordScope<'a> {
    pub(super) source: &'a str,
    pub(super) dialect: Dialect,
    /// `$0`, `$1`, … where the text came as `sh -c TEXT ARGS…`.
    pub(super) parameters: Option<&'a [String]>,
    /// The home folder that `~` and `$HOME` stand for, where it is known.
    pub(super) home: Option<&'a str>,
    pub(super) variables: &'a Variables,
    /// Variables whose value is known here.
    pub(super) constants: &'a HashMap<String, String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Quoting {
    Word,
    Double,
    Body,
}

pub(super) enum SubstitutionBody<'a> {
    Commands(&'a StmtSeq),
    /// Parts of the expression.
    Arithmetic(&'a [WordPartNode]),
}

/// Possible values of a word that is not known before the run (see [`crate::call::Arg`]).
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "eight facts, none of which follows from another")]
pub(super) struct Loose {
    /// True if it could begin with a dash.
    pub(super) dash: bool,
    /// Not surely exactly one word.
    pub(super) several: bool,
    /// A word behind the first of those that it is split into could begin with a dash (`x$y`).
    pub(super) splits: bool,
    /// True if its unknown part may be any text, or any path.
    pub(super) free: bool,
    /// May be any text that the request chose.
    pub(super) chosen: bool,
    /// True if its unknown part may lead out of the folder that it begins in.
    pub(super) strays: bool,
    /// True if its known part holds a `..`, so that it may lead anywhere.
    pub(super) climbs: bool,
    /// True if the run makes a part of it, and not only picks one of the values that the text writes out.
    pub(super) computed: bool,
}

/// The reading of one word.
#[derive(Debug, Default)]
pub(super) struct Scanned<'a> {
    /// The words it becomes, where that is known before the run.
    pub(super) values: Option<Vec<String>>,
    /// Possible values, if it is not known before the run.
    pub(super) loose: Loose,
    /// Beginning without quotes, if the rest is known only at run time.
    pub(super) start: String,
    /// The commands inside substitutions.
    pub(super) bodies: Vec<&'a StmtSeq>,
    /// True if it uses what POSIX shells do not have.
    pub(super) beyond_posix: bool,
    /// True if it is one arithmetic expansion, a number of the shell's own or a variable that is set to
    /// numbers only, and nothing else.
    pub(super) number: bool,
    /// True if it is one substitution that prints words of which none begins with a dash, and nothing else.
    pub(super) tame: bool,
    /// The glob qualifiers that it ends in (zsh).
    pub(super) qualifiers: Option<Range<usize>>,
    /// Variables that it gives a value by the way (`${x:=value}`).
    pub(super) sets: Vec<(String, String)>,
    /// Positions of characters that are escaped inside double quotes or a here-document.
    pub(super) escapes: Vec<usize>,
    pub(super) problem: Option<WordProblem>,
}
