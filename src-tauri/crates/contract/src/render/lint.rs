//! Problems of a rule, with their fix.

use super::sentence::Sentence;
use postern_policy::{Carrier, Changeable, LintProblem, NeverMatches, TooBroad};

/// Returns what is wrong with a rule, as plain text.
pub fn problem(problem: &LintProblem) -> String {
    let sentence = match problem {
        LintProblem::Broken(problem) => Sentence::default().fragment(&problem.to_string()).literal("."),
        LintProblem::Expired => Sentence::new("Its time has run out."),
        LintProblem::NeverMatches(why) => never_matches(why),
        LintProblem::Shadowed { by, pattern } => Sentence::new("It never allows anything: rule ")
            .number(*by)
            .literal(" (")
            .fragment(pattern)
            .literal(") denies all of it."),
        LintProblem::TooBroad(how) => too_broad(how),
        LintProblem::Broad { pattern } => Sentence::default()
            .fragment(pattern)
            .literal(" is broad: it allows all that its words cover, as you confirmed."),
        LintProblem::AllowsEverything { tool, pattern } => tool_pattern(tool, pattern)
            .literal(" allows every command that no other line and no deny rule names."),
        LintProblem::Changed { pattern } => Sentence::new("The program is not the one that ")
            .fragment(pattern)
            .literal(" was bound to: it is asked about."),
        LintProblem::Missing { pattern, allows } => {
            let begun = Sentence::new("Nothing lies at ").fragment(pattern);
            begun.literal(if *allows {
                ": every program that is put there may run."
            } else {
                ": the rule denies nothing until something does."
            })
        }
        LintProblem::AgentWritable { pattern, by } => match by {
            Changeable::PinnedByAgent => Sentence::new("The agent can change ")
                .fragment(pattern)
                .literal(" until it runs: what is bound to its content is asked about."),
            Changeable::ByAgent => Sentence::new("The agent can change ")
                .fragment(pattern)
                .literal(" until it runs: all that is in it then is allowed."),
            Changeable::ByAnyone => Sentence::default()
                .fragment(pattern)
                .literal(" can be replaced by every program that runs as you, an agent’s own commands too."),
        },
        LintProblem::Covered { by } => Sentence::new("Rule ").number(*by).literal(" already does the same."),
        LintProblem::CoveredLine { tool, pattern, by } => tool_pattern(tool, pattern)
            .literal(" never decides: line ")
            .number(*by)
            .literal(", further down, already matches the same."),
        LintProblem::Unused => Sentence::new("It was not used in the last 90 days."),
    };
    sentence.to_text()
}

/// Returns how it is fixed.
pub fn suggest_fix(problem: &LintProblem) -> &'static str {
    match problem {
        LintProblem::Broken(_) => "Remove it, and write it again.",
        LintProblem::Expired => "Remove it, or give it a new time.",
        LintProblem::NeverMatches(_) => "Remove it, or correct it.",
        LintProblem::Shadowed { .. } => "Remove one of the two.",
        LintProblem::TooBroad(TooBroad::Carrier { by_path: true, .. }) => {
            "Name the command that it is to run, or bind it to one script."
        }
        LintProblem::TooBroad(TooBroad::Carrier { by_path: false, .. }) => {
            "Name the command that it is to run."
        }
        LintProblem::TooBroad(TooBroad::Folder { .. }) => "Name single programs instead.",
        LintProblem::TooBroad(TooBroad::Developer { .. }) => {
            "Name single programs instead: signing:TEAMID:com.example.tool for each."
        }
        LintProblem::Broad { .. } => "Write narrower rules for what is needed.",
        LintProblem::AllowsEverything { .. } => "Name single commands instead (\"git status\": \"allow\").",
        LintProblem::Changed { .. } => "Answer the question with Always, or bind the rule again.",
        LintProblem::Missing { allows: false, .. } => "Correct the path, or deny by the command’s name.",
        LintProblem::Missing { allows: true, .. } => "Remove it, or correct the path.",
        LintProblem::AgentWritable { by: Changeable::PinnedByAgent, .. } => {
            "Move the program out of the agent’s folders, or allow all that is in it by a rule without --pin."
        }
        LintProblem::AgentWritable { by: Changeable::ByAgent, .. } => {
            "Move the program out of the agent’s folders, and bind the rule to it as it is (--pin)."
        }
        LintProblem::AgentWritable { by: Changeable::ByAnyone, .. } => {
            "Bind it to the program as it is (--pin), or name one that only the system can change."
        }
        LintProblem::Covered { .. } => "Remove it.",
        LintProblem::CoveredLine { .. } => "Move it behind that line: the last match wins.",
        LintProblem::Unused => "Remove it if nobody needs it any more.",
    }
}

fn tool_pattern(tool: &str, pattern: &str) -> Sentence {
    Sentence::default().fragment(tool).literal(": ").fragment(pattern)
}

fn never_matches(why: &NeverMatches) -> Sentence {
    let command = |argv: &[String]| postern_command::quote_argv(argv);
    match why {
        NeverMatches::NotEven { argv, allows, cause } => {
            let begun = Sentence::new("Not even ").fragment(&command(argv));
            let told = begun.literal(if *allows { " is allowed by it." } else { " is denied by it." });
            match cause {
                Some(cause) => told.literal(" ").append(super::cause_sentence(cause)),
                None => told,
            }
        }
        NeverMatches::Wrapper { argv } => Sentence::new("Of ").fragment(&command(argv)).literal(
            " the wrapper is taken off before rules are looked at; write the command that it starts.",
        ),
        NeverMatches::Contradicts { pattern } => Sentence::new("Its arguments contradict its command: ")
            .fragment(pattern)
            .literal(" can never have them."),
        NeverMatches::GlobOfCarrier { name } => Sentence::default()
            .fragment(name)
            .literal(" starts other programs, and a glob never covers such: a rule must name its path."),
    }
}

fn too_broad(how: &TooBroad) -> Sentence {
    match how {
        TooBroad::Carrier { pattern, carrier, .. } => {
            let what = match carrier {
                Carrier::Shell => " is a shell",
                Carrier::Interpreter => " is an interpreter",
                Carrier::Starter => " is a program that starts others",
            };
            let named = Sentence::default().fragment(pattern).literal(what);
            named.literal(": it can start any program, and the rule allows all of them.")
        }
        TooBroad::Folder { pattern } => Sentence::default()
            .fragment(pattern)
            .literal(" allows every program in that folder, also one that is added later."),
        TooBroad::Developer { pattern } => Sentence::default()
            .fragment(pattern)
            .literal(" allows every program of this developer, also those that come later."),
    }
}
