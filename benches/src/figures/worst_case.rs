//! Worst case of the judge: text made to be dear, read and judged, against the everyday pipeline of the
//! verdict figure.
//!
//! No text may take longer than the goal: what is over the reading's budget is asked about, and deny rules
//! still look at every command that can be guessed in it.

use super::verdict::{facts, found, policy};
use crate::Effort;
use crate::data::RULES;
use crate::sample::{Sample, in_turn};
use crate::table::Row;
use postern_command::{Dialect, LONGEST_TEXT, ParsedCommand, read_shell};
use postern_policy::{AgentId, AgentPolicy, Lookup, StepFacts, WantedProgram, judge_request, lookups};
use std::convert::Infallible;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Goal for the dearest text.
const GOAL: Duration = Duration::from_millis(5);
const EVERYDAY: &str = "rg --count error /var/log | sort --numeric-sort | head -n 5";

/// Each is repeated up to the longest text, and up to counts that stay within what is parsed.
const PILES: [&str; 31] = [
    "ls;", "a|", "a&", "a&&", "'a'", "\"a\"", "$x", "\"$x\" ", "{a,b} ", "2>&1 ", "$(a)", "a$(b)", "`a` ",
    "((1));", "if a;then b;fi;", "for x in a;do b;done;", "f(){ a;};f;", "<<E\nE\n", "eval 'a';",
    "sh -c 'a';", "sudo ", "xargs ", "x+=(a b);", "rm -rf x;", "a@", "]%", "é", "$é?\n#", "~/b", "a;b)#c|",
    "=(#x=<(||]]))+=",
];
/// Parts of the dearest texts, each repeated up to the longest text with another number for `N`, so that no
/// two commands are alike.
///
/// They are the dearest of some twenty thousand such lines and pairs of lines.
const DISTINCT: [&str; 23] = [
    "N;", "lN 'a b';", "~/bN;", "{aN,b};", "xN='a b' c;", "xargs aN  $x;", "\"aN b\" $x;", "\"$xN\"; 2>&1 ",
    "sudo rm -rf $xN;", "for xN in a|rm $xN|", "\"aN b\" a ~/éN;", "a ~/éN;a\\N;", "éN;{{{{N",
    "eval \"touch {a,b}/{c,N};\"", "eval \"a{N,{b,c}};\"", "rm -rf ~/N;", "rm -rf /?N/*;",
    "'x=N y';mv ~/N x;", "~/éN $( ", "$( {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}N ", "bash -c \"aN b\" ${xN:-y} ΩN ",
    "{ $'\\x4N' -oN&", ";~/$'Né",
];
const COUNTS: [usize; 4] = [60, 250, 1_000, usize::MAX];

pub(crate) fn measure(effort: Effort) -> anyhow::Result<Row> {
    let policy = policy(AgentId::new("main")?, RULES);
    let worst = texts().into_iter().max_by_key(|text| once(&policy, text)).unwrap_or_default();
    let sample = |text: &str| {
        Sample::of(20 * effort.size, || {
            once(&policy, text);
            Ok::<_, Infallible>(())
        })
    };
    let Ok(sides) = in_turn(effort.turns, || sample(&worst), || sample(EVERYDAY));
    let shown: String = worst.chars().take(16).collect();
    let figure = format!("judge worst case, {} bytes of {shown:?}…", worst.len());
    Ok(Row::beside(figure, &sides, "a pipeline of three", "p50 <= 5 ms", |_| sides.0.median() <= GOAL))
}

fn texts() -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for pile in PILES {
        let most = LONGEST_TEXT / pile.len();
        all.extend(COUNTS.map(|count| pile.repeat(count.min(most))));
    }
    let numbered = |line: &dyn Fn(usize) -> String| (0..LONGEST_TEXT / 4).map(line).collect::<String>();
    all.extend(DISTINCT.map(|line| numbered(&|nth| line.replace('N', &format!("{nth:x}")))));
    let words =
        |line: usize, most: usize| (0..most).map(|nth| format!(" a{nth}{line}")).collect::<Vec<_>>().concat();
    let wrapped = [40, 60].map(|most| numbered(&|nth| format!("sudo{};", words(nth, most))));
    let alike = numbered(&|nth| format!("sudo x{nth}{};", words(0, 40)));
    let fed = format!("eval \"{}echo '{}'\"", "a>\\$x;".repeat(20), words(0, LONGEST_TEXT / 8));
    all.extend([alike, fed].into_iter().chain(wrapped));
    for text in &mut all {
        text.truncate(text.floor_char_boundary(LONGEST_TEXT));
    }
    all
}

/// Reads and judges a text; how long that took.
fn once(policy: &AgentPolicy, text: &str) -> Duration {
    let begun = Instant::now();
    let reading = read_shell(black_box(text), Dialect::Bash);
    let reading_took = begun.elapsed();
    let steps = all_found(&reading);
    let begun = Instant::now();
    drop(black_box(judge_request(policy, &facts(&reading, &steps))));
    reading_took + begun.elapsed()
}

/// Returns every program of it, as if it were installed: looking up is the host's and is measured elsewhere.
fn all_found(reading: &ParsedCommand) -> Vec<StepFacts> {
    let program = |wanted: &WantedProgram<'_>| match wanted {
        WantedProgram::Name(name) | WantedProgram::Path(name) => found(name).program,
        WantedProgram::Nothing => Lookup::Nothing,
    };
    let step = |needed: &postern_policy::Needed<'_>| StepFacts {
        program: program(&needed.program),
        via: needed.via.iter().map(program).collect(),
        script: None,
        targets: Vec::new(),
        hooks: Vec::new(),
    };
    lookups(reading).iter().map(step).collect()
}
