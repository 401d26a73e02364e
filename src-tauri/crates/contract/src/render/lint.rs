//! Problems of a rule, with their fix.

use super::sentence::Sentence;
use postern_policy::{Carrier, Changeable, NeverMatches, Problem, TooBroad};

/// Returns what is wrong with a rule, as plain text.
pub fn problem(problem: &Problem) -> String {
    let sentence = match problem {
        Problem::Broken(problem) => Sentence::default().fragment(&problem.to_string()).say("."),
        Problem::Expired => Sentence::new("Its time has run out."),
        Problem::NeverMatches(why) => never_matches(why),
        Problem::Shadowed { by, pattern } => Sentence::new("It never allows anything: rule ")
            .number(*by)
            .say(" (")
            .fragment(pattern)
            .say(") denies all of it."),
        Problem::TooBroad(how) => too_broad(how),
        Problem::Broad { pattern } => Sentence::default()
            .fragment(pattern)
            .say(" is broad: it allows all that its words cover, as you confirmed."),
        Problem::AllowsEverything { tool, pattern } => {
            line(tool, pattern).say(" allows every command that no other line and no deny rule names.")
        }
        Problem::Changed { pattern } => Sentence::new("The program is not the one that ")
            .fragment(pattern)
            .say(" was bound to: it is asked about."),
        Problem::Missing { pattern, allows } => {
            let begun = Sentence::new("Nothing lies at ").fragment(pattern);
            begun.say(if *allows {
                ": every program that is put there may run."
            } else {
                ": the rule denies nothing until something does."
            })
        }
        Problem::AgentWritable { pattern, by } => match by {
            Changeable::PinnedByAgent => Sentence::new("The agent can change ")
                .fragment(pattern)
                .say(" until it runs: what is bound to its content is asked about."),
            Changeable::ByAgent => Sentence::new("The agent can change ")
                .fragment(pattern)
                .say(" until it runs: all that is in it then is allowed."),
            Changeable::ByAnyone => Sentence::default()
                .fragment(pattern)
                .say(" can be replaced by every program that runs as you, an agent's own commands too."),
        },
        Problem::Covered { by } => Sentence::new("Rule ").number(*by).say(" does all that it does."),
        Problem::CoveredLine { tool, pattern, by } => line(tool, pattern)
            .say(" never decides: line ")
            .number(*by)
            .say(", further down, matches all that it does."),
        Problem::Unused => Sentence::new("It was not used in the last 90 days."),
    };
    sentence.text()
}

/// Returns how it is fixed.
pub fn fix(problem: &Problem) -> &'static str {
    match problem {
        Problem::Broken(_) => "Remove it, and write it again.",
        Problem::Expired => "Remove it, or give it a new time.",
        Problem::NeverMatches(_) => "Remove it, or write what was meant.",
        Problem::Shadowed { .. } => "Remove one of the two.",
        Problem::TooBroad(TooBroad::Carrier { by_path: true, .. }) => {
            "Name the command that it is to run, or bind it to one script."
        }
        Problem::TooBroad(TooBroad::Carrier { by_path: false, .. }) => "Name the command that it is to run.",
        Problem::TooBroad(TooBroad::Folder { .. }) => "Name the programs that are meant.",
        Problem::TooBroad(TooBroad::Developer { .. }) => {
            "Name the programs that are meant: signing:TEAMID:com.example.tool for each."
        }
        Problem::Broad { .. } => "Write narrower rules for what is needed.",
        Problem::AllowsEverything { .. } => "Name the commands that are meant (\"git status\": \"allow\").",
        Problem::Changed { .. } => "Answer the question with Always, or bind the rule again.",
        Problem::Missing { allows: false, .. } => "Correct the path, or deny by the command's name.",
        Problem::Missing { allows: true, .. } => "Remove it, or correct the path.",
        Problem::AgentWritable { by: Changeable::PinnedByAgent, .. } => {
            "Move the program out of the agent's folders, or allow all that is in it by a rule without --pin."
        }
        Problem::AgentWritable { by: Changeable::ByAgent, .. } => {
            "Move the program out of the agent's folders, and bind the rule to it as it is (--pin)."
        }
        Problem::AgentWritable { by: Changeable::ByAnyone, .. } => {
            "Bind it to the program as it is (--pin), or name one that only the system can change."
        }
        Problem::Covered { .. } => "Remove it.",
        Problem::CoveredLine { .. } => "Move it behind that line: the last match wins.",
        Problem::Unused => "Remove it if nobody needs it any more.",
    }
}

fn line(tool: &str, pattern: &str) -> Sentence {
    Sentence::default().fragment(tool).say(": ").fragment(pattern)
}

fn never_matches(why: &NeverMatches) -> Sentence {
    let command = |argv: &[String]| postern_command::quote(argv);
    match why {
        NeverMatches::NotEven { argv, allows, cause } => {
            let begun = Sentence::new("Not even ").fragment(&command(argv));
            let told = begun.say(if *allows { " is allowed by it." } else { " is denied by it." });
            match cause {
                Some(cause) => told.say(" ").then(super::cause(cause)),
                None => told,
            }
        }
        NeverMatches::Wrapper { argv } => Sentence::new("Of ")
            .fragment(&command(argv))
            .say(" the wrapper is taken off before rules are looked at; write the command that it starts."),
        NeverMatches::Contradicts { pattern } => Sentence::new("Its arguments contradict its command: ")
            .fragment(pattern)
            .say(" can never have them."),
        NeverMatches::GlobOfCarrier { name } => Sentence::default()
            .fragment(name)
            .say(" starts other programs, and a glob never covers such: a rule must name its path."),
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
            let named = Sentence::default().fragment(pattern).say(what);
            named.say(": it can start any program, and the rule allows all of them.")
        }
        TooBroad::Folder { pattern } => Sentence::default()
            .fragment(pattern)
            .say(" allows every program in there, also those that come later."),
        TooBroad::Developer { pattern } => Sentence::default()
            .fragment(pattern)
            .say(" allows every program of this developer, also those that come later."),
    }
}
