//! Reason of a verdict, in one or two sentences.

mod asked;
mod tool;

pub use asked::{AskedFacts, AskedUse, asked_because};

use super::argument::argument;
use super::audience::Audience;
use super::gap;
use super::risk::protection;
use super::sentence::Sentence;
use crate::piece::ShownText;
use crate::setting_keys::platform_text;
use postern_policy::{
    Cause, Class, Doubt, Effect, Elevation, Fallback, FileAccess, Label, NamedRule, NamedRuleSource, Profile,
    Unidentified,
};

/// Adds what classes allow, as a list of verbs.
fn add_class_verbs(sentence: Sentence, classes: &[Class]) -> Sentence {
    let last = classes.len().saturating_sub(1);
    classes.iter().enumerate().fold(sentence, |sentence, (at, class)| {
        let between = if at == 0 {
            ""
        } else if at == last {
            " and "
        } else {
            ", "
        };
        sentence.literal(between).literal(phrase(*class))
    })
}

/// Returns what a class of effects is, as a verb phrase.
fn phrase(class: Class) -> &'static str {
    match class {
        Class::Look => "look around",
        Class::Files => "change its files",
        Class::Build => "run project code",
        Class::Network => "use the network",
        Class::Share => "share",
        Class::Install => "install software",
        Class::System => platform_text("change this Mac", "change this computer"),
        Class::Secrets => "use secrets",
    }
}

/// Returns the names of managed policies, as the beginning of a sentence.
pub(super) fn policies(names: &[String]) -> Sentence {
    let named = names.iter().enumerate().fold(Sentence::default(), |sentence, (at, name)| {
        sentence.literal(if at == 0 { "" } else { " and " }).code(name)
    });
    if names.is_empty() { Sentence::new("A policy") } else { named }
}

/// Returns why, in one or two sentences to the user.
pub fn cause_sentence(cause: &Cause) -> ShownText {
    cause_to(Audience::User, cause)
}

/// Returns why, in one or two sentences.
#[expect(clippy::too_many_lines, reason = "one line for each kind of cause")]
pub(super) fn cause_to(audience: Audience, cause: &Cause) -> ShownText {
    let sentence = match cause {
        Cause::Invalid(words) => Sentence::new(words.clone()),
        Cause::LookupMismatch => Sentence::new("Postern looked up something else than it read."),
        Cause::NothingRuns => Sentence::new("Nothing in it would run."),
        Cause::RunsAnything => Sentence::new("This agent may run everything that no deny rule names."),
        Cause::AskAlways(would) => {
            Sentence::new("Postern asks about everything from this agent. ").append(cause_to(audience, would))
        }
        Cause::SeveralPeople { people, by, would } => policies(by)
            .literal(" wants ")
            .number(usize::from(*people))
            .literal(" people to approve it, which nothing that is set or saved here does. ")
            .append(cause_to(audience, would)),
        Cause::Steps { cause, asking, steps } => Sentence::default()
            .append(cause_to(audience, cause))
            .literal(" (")
            .number(*asking)
            .literal(" of ")
            .number(*steps)
            .literal(" steps need approval.)"),
        Cause::NoAnswer(Fallback::Full) => {
            Sentence::new("No one answered in time, and this agent’s fallback allows it.")
        }
        Cause::NoAnswer(Fallback::Allowlist) => {
            Sentence::new("No one answered in time, and no rule allows it as it is now.")
        }
        Cause::NoAnswer(Fallback::Deny) => Sentence::new("No one answered in time."),
        Cause::NothingDenies => Sentence::new("No deny rule of host commands matches it."),
        Cause::CannotConfine => Sentence::new(
            "It asks to run confined, and this system can’t do that (`postern doctor` says why).",
        ),
        Cause::ToolPolicy { asks, source: from } => {
            let words = if *asks {
                "Every command of this session on the host needs approval ("
            } else {
                "This session may not run commands on the host ("
            };
            source(Sentence::new(words), from, audience).literal(").")
        }
        Cause::Elevated(elevation) => Sentence::new(elevated(*elevation)),
        Cause::FileUnreadable { problem } => Sentence::filled(
            "Postern can’t read `permissions.jsonc` ({}); it allows nothing until the file is fixed.",
            &[problem],
        ),
        Cause::ManagedUnreadable { problem } => Sentence::new("Postern can’t read ")
            .literal(audience.choose_words("your", "the"))
            .fill(" organization’s rules ({}); it allows nothing until they are fixed.", &[problem]),
        Cause::BrokenDeny { problem } => {
            Sentence::filled("Postern can’t read a deny rule ({}), which may mean this.", &[problem])
        }
        Cause::RunsNothing => Sentence::new("This agent may not run anything."),
        Cause::FolderRefused { folder, folders } => {
            let begun = match folder {
                Some(folder) => Sentence::default().code(folder).literal(" is not one of"),
                None => Sentence::new("It changes to a folder that only the run tells, and may leave"),
            };
            begun.literal(" the folders that it may run in (").code_list(folders).literal(").")
        }
        Cause::NotFound { program } => Sentence::filled("{} was not found.", &[program]),
        Cause::Unusable { path, what } => {
            Sentence::default().code(path).literal(" ").fragment(what).literal(".")
        }
        Cause::OutsideSearchPath { program, folder } => {
            Sentence::filled("{} is in {}, where ", &[program, folder])
                .literal(audience.choose_words("your", "the user’s"))
                .literal(" shell finds it. That folder isn’t on this agent’s search path.")
        }
        Cause::SetsVariables { names } => {
            Sentence::new("It sets ").code_list(names).literal(", which this agent has to ask about.")
        }
        Cause::Rule(rule) => by_rule(rule, audience),
        Cause::LineAsks(from) => {
            source(Sentence::new("A line asks about it ("), from, audience).literal(").")
        }
        Cause::RuleMayMatch { pattern } => Sentence::filled(
            "Some of its words are only known when it runs, and the rule {} may match them.",
            &[pattern],
        ),
        Cause::Core { id, why, command, word } => {
            let named = add_label(
                Sentence::default().literal(why.clone()).literal(" (").code(id).literal(": "),
                command,
            );
            match word {
                Some(word) => named.literal(" with ").code(word).literal(")"),
                None => named.literal(")"),
            }
        }
        Cause::File { path, access, rule } => {
            by_file_rule(Sentence::filled("{} may not be ", &[path]), *access, rule, audience)
        }
        Cause::FileMayBeMeant { word, access, rule } => {
            let begun = Sentence::filled("{} may reach a file that may not be ", &[word]);
            by_file_rule(begun, *access, rule, audience)
        }
        Cause::EmptiesFolder => Sentence::new("It would remove all that is in the folder where it runs."),
        Cause::TooManyCandidates => Sentence::new(
            "A part that Postern can’t read holds more commands that a rule may deny than Postern looks at.",
        ),
        Cause::Unparsed(note) => Sentence::new("Postern can’t read all of it: ").append_note(note),
        Cause::MayMeanNamed { doubt, word, pattern } => {
            unread(doubt).fill("), and it names {}: the rule {} may mean it.", &[word, pattern])
        }
        Cause::MayMeanDenied { doubt } => {
            unread(doubt).literal("), so it can’t tell whether a deny rule applies.")
        }
        Cause::ByNumber { name } => {
            Sentence::filled("{} names a program by the number of its file.", &[name])
        }
        Cause::TooManyWords => {
            Sentence::new("Postern can’t read all of it, and it holds more words than Postern looks at.")
        }
        Cause::BehindTooManyWords { word, program } => Sentence::filled(
            "Postern can’t read all of it, and {} follows more words of {} than Postern looks at: it may never be \
             allowed.",
            &[word, program],
        ),
        Cause::Unidentified { name, why, pattern } => {
            let begun = Sentence::default().code(name).literal(" ");
            let told = match why {
                Unidentified::Unusable(what) => begun.fragment(what),
                Unidentified::NotThere => begun.literal("is not there yet"),
                Unidentified::FolderUnknown => {
                    begun.literal("is in a folder that is only known when it runs")
                }
            };
            told.fill(", so Postern can’t tell what it is: the rule {} may mean it.", &[pattern])
        }
        Cause::NotCoverable { command, obstacle } => {
            gap::obstacle(add_label(Sentence::new("No rule can allow "), command).literal(": "), obstacle)
                .literal(".")
        }
        Cause::Writes { target } => Sentence::filled("It writes to {}.", &[target]),
        Cause::UnsafeArg(fact) => argument(Sentence::default(), fact).literal(".").capitalized(),
        Cause::NeedsNoRule => Sentence::new("Nothing here needs a rule."),
        Cause::ReadsConfined => Sentence::new("It only reads, confined, and this agent may read."),
        Cause::ReadsNoFile => Sentence::new("It only reads, and names no file."),
        Cause::ReadOnlyBut { command, gap: but } => {
            let named = add_label(Sentence::default(), command).literal(" is on the read-only list, but ");
            gap::add_class_gap(named, but).literal(".")
        }
        Cause::Classes { classes, confined } => {
            let may = add_class_verbs(Sentence::new("This agent may "), classes);
            if *confined { may.literal(", confined.") } else { may.literal(".") }
        }
        Cause::ClassesBut { command, classes, gap: but } => {
            let may = add_class_verbs(Sentence::new("This agent may "), classes).literal(", but not ");
            gap::add_class_gap(add_label(may, command).literal(" here: "), but).literal(".")
        }
        Cause::RuleBut { command, rule, profile, gap: but } => {
            let allows = Sentence::filled("The rule {} allows ", &[&rule.pattern]);
            let allows = add_label(allows, command).literal(only_confined(*profile));
            gap::add_class_gap(allows.literal(", but here "), but).literal(".")
        }
        Cause::ClassDenied { command, class } => {
            let denied = Sentence::new("This agent may not ").literal(phrase(*class));
            add_label(denied.literal(", as "), command).literal(" would.")
        }
        Cause::Changed { command, pattern, change } => {
            let named = add_label(Sentence::default(), command);
            gap::change(named.fill(" changed since the rule {} was approved: ", &[pattern]), change)
                .literal(".")
        }
        Cause::NotHeld { pattern, file } => Sentence::filled(
            "The rule {} holds while {} is unchanged, and the agent can change it until it runs.",
            &[pattern, file],
        ),
        Cause::NotCovered { command, pattern, gap } => {
            let named = add_label(Sentence::filled("The rule {} does not cover ", &[pattern]), command);
            gap::add_gap(named.literal(": "), gap).literal(".")
        }
        Cause::NothingKnown => Sentence::new("Nothing is known about it."),
        Cause::Protected { place, protection: of } => Sentence::filled("{} is protected (", &[place])
            .literal(protection(*of))
            .literal("): only a rule or a line of `permissions.jsonc` that names it allows this."),
        Cause::NoRule { command } => add_label(Sentence::new("No rule allows "), command).literal("."),
        Cause::Recorded(text) => Sentence::default().fragment(text),
        Cause::Tool(of) => return tool::tool_cause_to(audience, of),
    };
    sentence.pieces()
}

pub(super) fn add_label(sentence: Sentence, command: &Label) -> Sentence {
    match command {
        Some(words) => sentence.code(words),
        None => sentence.literal("this part"),
    }
}

/// Adds where a rule came from.
fn source(sentence: Sentence, from: &NamedRuleSource, audience: Audience) -> Sentence {
    match from {
        NamedRuleSource::Person => sentence.literal(audience.choose_words("yours", "the user’s own")),
        NamedRuleSource::Always => sentence.literal("always"),
        NamedRuleSource::Skill(name) => sentence.literal("skill ").code(name),
        NamedRuleSource::File => sentence.literal("permissions.jsonc"),
        NamedRuleSource::Line(line) => sentence.literal("permissions.jsonc:").number(*line),
        NamedRuleSource::Managed => sentence.literal("managed"),
        NamedRuleSource::Import => sentence.literal("imported"),
        NamedRuleSource::Subagent => sentence.literal("the subagent’s layer"),
        NamedRuleSource::Session => sentence.literal("this session"),
    }
}

/// Returns the words that follow what is allowed in a profile alone.
fn only_confined(profile: Profile) -> &'static str {
    match profile {
        Profile::Look => " only confined (look)",
        Profile::Project => " only confined (project)",
    }
}

fn by_rule(rule: &NamedRule, audience: Audience) -> Sentence {
    let begun = Sentence::new(match rule.effect {
        Effect::Allow if rule.broad => "Allowed by the broad rule ",
        Effect::Allow => "Allowed by the rule ",
        Effect::Deny => "Denied by the rule ",
        Effect::Ask => "Asked about by the rule ",
    });
    named_rule(begun, rule, audience)
}

fn named_rule(begun: Sentence, rule: &NamedRule, audience: Audience) -> Sentence {
    let named = source(begun.code(&rule.pattern).literal(" ("), &rule.source, audience);
    match &rule.why {
        Some(why) => named.literal(")").literal(confined(rule.confine)).literal(": ").code(why).literal("."),
        None => named.literal(")").literal(confined(rule.confine)).literal("."),
    }
}

fn confined(profile: Option<Profile>) -> &'static str {
    match profile {
        Some(Profile::Look) => ", confined (look)",
        Some(Profile::Project) => ", confined (project)",
        None => "",
    }
}

fn by_file_rule(begun: Sentence, access: FileAccess, rule: &NamedRule, audience: Audience) -> Sentence {
    let done = match access {
        FileAccess::Read => "read: the rule ",
        FileAccess::Write => "written or deleted: the rule ",
    };
    named_rule(begun.literal(done), rule, audience)
}

fn unread(doubt: &Doubt) -> Sentence {
    let begun = Sentence::new("Postern can’t read all of it (");
    match doubt {
        Doubt::Part(note) => begun.append_note(note),
        Doubt::Argument(fact) => argument(begun, fact),
    }
}

pub(super) fn elevated(elevation: Elevation) -> &'static str {
    match elevation {
        Elevation::On => "This agent can run commands on the host.",
        Elevation::OffForAgent => "This agent can’t run commands on the host (setting: elevated).",
        Elevation::OffForSession => {
            "This session can’t run commands on the host: it was not given that right."
        }
    }
}
