//! `test` and `[`: harmless, but for the operators whose operand bash or zsh evaluates.

use super::{Arg, Ruling, known_value};
use crate::{Dialect, Unparsed};

const EVALUATES: Ruling = Ruling::Doubt(Unparsed::Arithmetic, "this test may evaluate a subscript");

const UNARY: &[&str] = &[
    "-a", "-b", "-c", "-d", "-e", "-f", "-g", "-h", "-k", "-n", "-p", "-r", "-s", "-t", "-u", "-w", "-x",
    "-z", "-G", "-L", "-N", "-O", "-S", "-o",
];

const NUMBERS: &[&str] = &["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];

/// Checks `test`.
///
/// `-v` and `-R` evaluate a subscript in bash; in zsh a comparison of numbers may. A word that is known only
/// at run time must not be able to become one of them.
pub(super) fn test(name: &str, arguments: &[Arg], shell: Dialect) -> Ruling {
    let operands = match arguments.split_last() {
        Some((last, operands)) if name == "[" && known_value(last) == Some("]") => operands,
        _ => arguments,
    };
    let evaluates = |arg: &Arg| known_value(arg).is_some_and(|value| matches!(value, "-v" | "-R"));
    if operands.iter().any(evaluates) || operands.iter().any(|arg| arg.several && arg.chosen) {
        return EVALUATES;
    }
    for at in 0..operands.len() {
        let word = |at: Option<usize>| at.and_then(|at| operands.get(at)).and_then(known_value);
        let (before, after) = (word(at.checked_sub(1)), word(at.checked_add(1)));
        let here = &operands[at];
        if shell == Dialect::Zsh && known_value(here).is_some_and(|value| NUMBERS.contains(&value)) {
            let number = |value: Option<&str>| {
                value.is_some_and(|v| v.trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit()))
            };
            let counted = |at: Option<usize>| {
                number(word(at))
                    || at
                        .and_then(|at| operands.get(at))
                        .is_some_and(|arg| known_value(arg).is_none() && !arg.dash)
            };
            if !counted(at.checked_sub(1)) || !counted(at.checked_add(1)) {
                return EVALUATES;
            }
        }
        // zsh evaluates which descriptor is asked about, and `sh` may be zsh.
        let terminal = known_value(here) == Some("-t") && shell != Dialect::Bash;
        if terminal && operands.get(at + 1).is_some_and(|next| !next.is_number()) {
            return EVALUATES;
        }
        let operand = operands.len() == 1
            || before.is_some_and(|word| UNARY.contains(&word) || is_binary(word))
            || after.is_some_and(is_binary)
            || at + 1 == operands.len() && before.is_some_and(|word| matches!(word, "!" | "("));
        if known_value(here).is_none() && here.dash && !operand {
            return EVALUATES;
        }
    }
    Ruling::Harmless
}

fn is_binary(word: &str) -> bool {
    matches!(word, "=" | "==" | "!=" | "<" | ">" | "-nt" | "-ot" | "-ef" | "-a" | "-o")
        || NUMBERS.contains(&word)
}
