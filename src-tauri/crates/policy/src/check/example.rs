//! Examples of a rule: read as shell text, with programs taken to lie where the rule says.

use crate::facts::{Facts, FoundProgram, Lookup, StepFacts};
use crate::needed::{Needed, WantedProgram, folder_of, lookups};
use crate::path;
use crate::pattern::is_glob;
use crate::rule::{Lifetime, Pattern, Rule, RuleOrigin, Source};
use crate::skill::may_serve_skill;
use postern_command::{Dialect, ParsedCommand, read_shell};

/// Returns whether the example is matched; `None` if it cannot be read.
pub(super) fn matches(rule: &Rule, example: &str, home: &str) -> Option<bool> {
    // The shell expands a leading `~` before it looks the program up; the home folder is known here.
    let expanded = path::expand_home(example, home);
    let reading = read_shell(&expanded, Dialect::Bash);
    if reading.invalid.is_some() || reading.steps.is_empty() {
        return None;
    }
    let steps = steps_of(&reading, rule, home);
    Some(super::would_match(&timeless(rule), &example_facts(&reading, &steps, (rule, home), true)))
}

/// Returns the rule with its pattern alone for an example, without time, content and place.
pub(super) fn timeless(rule: &Rule) -> Rule {
    // Without its pin a skill's rule would wait for approval: it is looked at as if a person had written it.
    let served = matches!(&rule.pattern, Pattern::Path(text) if may_serve_skill(text));
    let source = match &rule.source {
        Source::Skill(_) if served => Source::Person,
        other => other.clone(),
    };
    // What a profile holds depends on the place: the words alone are read as a broad rule's.
    let (broad, confine) = (rule.broad || rule.confine.is_some(), None);
    Rule { pin: None, lifetime: Lifetime::Forever, folder: None, source, broad, confine, ..rule.clone() }
}

pub(super) fn steps_of(reading: &ParsedCommand, rule: &Rule, home: &str) -> Vec<StepFacts> {
    lookups(reading).iter().map(|needed| step_facts(needed, rule, home)).collect()
}

/// Makes the facts that an example of a rule is judged by: asked for where the rule holds.
pub(super) fn example_facts<'a>(
    reading: &'a ParsedCommand,
    steps: &'a [StepFacts],
    (rule, home): (&Rule, &'a str),
    shell: bool,
) -> Facts<'a> {
    Facts {
        origin: match rule.origin {
            RuleOrigin::Any => crate::Origin::Host,
            RuleOrigin::AgentShell => crate::Origin::AgentShell,
        },
        reading,
        steps,
        cwd: home,
        home,
        data: "/var/empty/postern",
        own_pid: None,
        session: None,
        now: 0,
        case_insensitive: false,
        shell,
        folders: &[],
        root_entries: &[],
        confinable: crate::Confinable::ALL,
        confine: None,
        env_to_ask: &[],
        input: &crate::facts::Input::Nothing,
    }
}

fn step_facts(needed: &Needed<'_>, rule: &Rule, home: &str) -> StepFacts {
    let at = |wanted: &WantedProgram<'_>| lookup(wanted, needed, rule, home);
    StepFacts {
        program: at(&needed.program),
        via: needed.via.iter().map(at).collect(),
        script: None,
        targets: Vec::new(),
        hooks: Vec::new(),
    }
}

fn lookup(wanted: &WantedProgram<'_>, needed: &Needed<'_>, rule: &Rule, home: &str) -> Lookup {
    let path = match wanted {
        WantedProgram::Nothing => return Lookup::Nothing,
        WantedProgram::Name(name) => path_of_name(name, rule, home),
        WantedProgram::Path(written) => {
            let expanded = path::expand_home(written, home);
            match folder_of(home, needed.dir) {
                Some(folder) => path::join_path(&folder, &expanded),
                None => return Lookup::Nothing,
            }
        }
    };
    let invoked = match wanted {
        WantedProgram::Name(text) | WantedProgram::Path(text) => (*text).to_owned(),
        WantedProgram::Nothing => String::new(),
    };
    Lookup::Found(Box::new(FoundProgram { invoked, ..FoundProgram::at_path(path) }))
}

/// Returns the path of a name: a bare name lies where the rule's path ends in it, else among the system's
/// programs.
fn path_of_name(name: &str, rule: &Rule, home: &str) -> String {
    if let Pattern::Path(text) = &rule.pattern {
        let expanded = path::expand_home(text, home);
        if !is_glob(&expanded) && path::base_name(&expanded) == name {
            return expanded.into_owned();
        }
    }
    format!("/usr/bin/{name}")
}
