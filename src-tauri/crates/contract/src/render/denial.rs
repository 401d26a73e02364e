//! Reason of a denial, with advice to the agent.

use super::audience::Audience;
use super::cause::cause_to;
use super::missing_network;
use super::sentence::Sentence;
use crate::piece::{ShownText, pieces_to_text};
use postern_policy::environment::{NameRefusalReason, RefusedName};
use postern_policy::{Advice, AgentId, Confinement, Verdict};
use postern_protocol::{DenyReason, ExecDenied};
use postern_request::{Denial, Drift, FolderProblem, NotShown, Refusal, Withdrawal};
use std::time::Duration;

/// Returns a denial as its agent is told.
pub fn denial(denial: &Denial) -> ExecDenied {
    ExecDenied {
        reason: denial.reason,
        message: refusal_text(&denial.cause),
        advice: denial_advice(denial),
        feedback: denial.feedback.clone(),
        rule: denial.rule,
        retry_after_ms: denial.retry_after_ms,
    }
}

/// Returns what an agent could do about a denial, as plain text.
pub fn denial_advice(denial: &Denial) -> Option<String> {
    match (&denial.advice, &*denial.cause) {
        (Some(given), _) => Some(pieces_to_text(&advice(given))),
        // It was recorded without any.
        (None, Refusal::Recorded(_)) => None,
        (None, cause) => Some(default_advice(cause, denial).to_text()),
    }
}

/// Returns what an agent could do about a verdict, as plain text.
pub fn verdict_advice(verdict: &Verdict) -> Option<String> {
    verdict.advice.as_ref().map(|given| pieces_to_text(&advice(given)))
}

/// Returns why a request is denied, as plain text to an agent.
pub fn refusal_text(refusal: &Refusal) -> String {
    pieces_to_text(&refusal_to(Audience::Agent, refusal))
}

/// Returns why a request is denied, to the user.
pub fn refusal(refusal: &Refusal) -> ShownText {
    refusal_to(Audience::User, refusal)
}

fn refusal_to(audience: Audience, refusal: &Refusal) -> ShownText {
    let user = audience.choose_words("You", "The user");
    let sentence = match refusal {
        Refusal::Verdict { cause, .. } => return cause_to(audience, cause),
        Refusal::Unreadable(words) => Sentence::new(words.clone()),
        Refusal::Folder { path, problem } => folder(path, problem),
        Refusal::Environment { names } => environment(names),
        Refusal::Paused => Sentence::new("All agents are blocked: every request is denied."),
        Refusal::Stopped { .. } => {
            Sentence::new(user).literal(" denied everything from this agent for a while.")
        }
        Refusal::QueueFull { waiting } => Sentence::default()
            .number(*waiting)
            .literal(" requests of this agent wait to be asked about. Nobody said no to this one."),
        Refusal::TooManyFiles { most } => Sentence::new("It was not looked up: more than ")
            .number(*most)
            .literal(" files are named at once."),
        Refusal::TooManyBytes => {
            Sentence::new("It was not looked up: the files that are named are larger than 1 GiB together.")
        }
        Refusal::LookUpsFull => Sentence::new("Too many requests of this agent wait to be looked up."),
        Refusal::NoThread => {
            Sentence::new("It was not looked up: the system gives Postern no further thread.")
        }
        Refusal::LookUpLate { seconds } => {
            Sentence::new("It could not be looked up within ").number(*seconds).literal(" s.")
        }
        Refusal::NotJudged => Sentence::new("Postern could not judge it."),
        Refusal::TooManyRuns => Sentence::new("Too many commands of this agent wait to be started."),
        Refusal::ConfinedRunUnderWay => Sentence::new(
            "A confined command still runs in this folder, and git could obey what it has written there.",
        ),
        Refusal::TooLongToShow => Sentence::new("The request is too long to be shown to a person in full."),
        Refusal::Person => Sentence::new(user).literal(" denied it."),
        Refusal::Expired { presented: true } => Sentence::new("Nobody answered in time."),
        Refusal::Expired { presented: false } => {
            Sentence::new("Nobody answered in time, and nobody was there who could have seen the question.")
        }
        Refusal::TooFewPeople { approved, needed } => Sentence::default()
            .number(*needed)
            .literal(" people have to approve it, and ")
            .number(*approved)
            .literal(" did in time."),
        Refusal::NotShown(why) => {
            Sentence::new("The question could not be shown: ").append(not_shown(why)).literal(".")
        }
        Refusal::Nobody => Sentence::new(
            "Nobody can answer: no window, terminal, chat or paired device is connected to Postern.",
        ),
        Refusal::Withdrawn(why) => Sentence::new(withdrawal(*why, audience)),
        Refusal::Drifted(drift) => drifted(drift, audience),
        Refusal::NotRecorded => {
            Sentence::new("Postern could not write it down, and what is not written down does not run.")
        }
        Refusal::Quit => Sentence::new("Postern quit before it was decided. It did not run."),
        Refusal::Restarted => {
            Sentence::new("Postern was restarted before it was decided or started. It did not run.")
        }
        Refusal::Recorded(text) => Sentence::default().fragment(text),
    };
    sentence.pieces()
}

fn folder(path: &str, problem: &FolderProblem) -> Sentence {
    let sentence = Sentence::new("The working directory ").fragment(path).literal(" ");
    sentence.fragment(&problem.to_string()).literal(".")
}

/// Returns the advice of a verdict.
pub fn advice(advice: &Advice) -> ShownText {
    let sentence = match advice {
        Advice::WithoutHost => {
            Sentence::new("Host commands are closed to this session. Do it another way, or ask the user.")
        }
        Advice::WithoutShell => Sentence::new(
            "The agent’s permissions.jsonc closes its shell. Do it another way, or ask the user.",
        ),
        Advice::Elevate => Sentence::new("The user would have to switch elevated on for this agent."),
        Advice::ElevateSession => Sentence::new(
            "Let the session above do it, or open this one with elevated: true, which only one that has it can.",
        ),
        Advice::FixFile => Sentence::new("Ask the user to fix permissions.jsonc."),
        Advice::FixManaged => Sentence::new("Ask the user to have the organization’s file of rules fixed."),
        Advice::ChangeSettings => {
            Sentence::new("This agent may not run host commands; the user would have to change its settings.")
        }
        Advice::RunIn { folders } => Sentence::new("Run it in ").fragment(&folders.join(", ")).literal("."),
        Advice::SearchPath { agent, searched } => search_path(agent, searched),
        Advice::CheckName => {
            Sentence::new("Check the name, or give the whole path; system.which tells what can be found.")
        }
        Advice::AskForRule => {
            Sentence::new("Only what a rule allows runs for this agent; ask the user to add a rule.")
        }
        Advice::ChangeRule => Sentence::new(
            "It is denied in every spelling. Do it another way, or ask the user to change the rule.",
        ),
        Advice::ChangeFile => Sentence::new(
            "The agent’s permissions.jsonc denies this. Do it another way, or ask the user to change the file.",
        ),
        Advice::NameExactly => Sentence::new(
            "This is never allowed, in any spelling. Name exactly what is to be changed instead.",
        ),
        Advice::Split => Sentence::new("Split it into several requests."),
        Advice::WriteOut => Sentence::new("Write the words out."),
        Advice::WritePlainly => {
            Sentence::new("Write it as a plain command, without a shell where that is possible.")
        }
        Advice::WriteCommands => {
            Sentence::new("Write it as plain commands, or put the code into a file and run that.")
        }
        Advice::NamePath => Sentence::new("Name the program by its path."),
        Advice::RunReadable => {
            Sentence::new("Run a program that can be read, and ask for it by itself once it is there.")
        }
        Advice::Reader(words) => Sentence::new(words.clone()),
        Advice::Recorded(text) => Sentence::default().fragment(text),
    };
    sentence.pieces()
}

/// Most places that a message names. A run may leave any number, with long paths, and the rest is counted.
const MOST_PLACES: usize = 10;

/// Returns what an agent is told whose confined run created or changed these protected places.
///
/// `kept` are those that could not be moved, each with the reason.
pub fn set_aside(moved: &[&str], kept: &[(&str, &str)]) -> String {
    use postern_command::escape::visible_text;
    let told = "This run was confined and left files that git, an editor or an agent would obey.".to_owned();
    let rest = |all: usize| Some(all.saturating_sub(MOST_PLACES)).filter(|rest| *rest > 0);
    let paths: Vec<String> = moved.iter().take(MOST_PLACES).map(|path| visible_text(path)).collect();
    let more = rest(moved.len()).map(|rest| format!(" and {rest} more")).unwrap_or_default();
    let moved = (!paths.is_empty()).then(|| format!("Postern set them aside: {}{more}.", paths.join(", ")));
    let more = rest(kept.len()).map(|rest| format!("Postern could not set aside {rest} more."));
    let kept = kept.iter().take(MOST_PLACES).map(|(path, why)| {
        format!("Postern could not set aside {}: {}.", visible_text(path), visible_text(why))
    });
    [told].into_iter().chain(moved).chain(kept).chain(more).collect::<Vec<_>>().join(" ")
}

/// Returns what an agent is told whose confined run was ended because another program replaced or removed a protected place.
pub fn unpinned(place: &str) -> String {
    let place = postern_command::escape::visible_text(place);
    format!(
        "Postern ended this run: another program replaced or removed {place} meanwhile, and the run could have written there. \
         Run it again."
    )
}

/// Returns what an agent is told whose line ended because a program of it was not the approved one when its turn came.
pub fn drifted_step(drift: &Drift) -> String {
    let why = crate::pieces_to_text(&drifted(drift, Audience::Agent).pieces());
    format!("{why} What was left of the line did not run. Ask again: the program is judged as it is now.")
}

/// Returns what an agent is told whose confined command failed: what it did not have, and how to ask for it. Reading alone fails
/// with 1 where it finds nothing, which is no failure.
pub fn failed_confined(confinement: &Confinement, code: i32) -> Option<String> {
    let (wrote, missing) = match confinement {
        Confinement::None => return None,
        Confinement::Look { .. } if code == 1 => return None,
        Confinement::Look { .. } => ("it could write nothing", missing_network(false, false)),
        Confinement::Project { network, loopback, .. } => {
            ("it could write only in its own folders", missing_network(*network, *loopback))
        }
    };
    let had = missing.map_or(wrote.to_owned(), |missing| format!("{wrote} and had {missing}"));
    let kept = secrets_kept(confinement).map(|kept| format!("; {kept}")).unwrap_or_default();
    let profile = confinement.name();
    Some(format!(
        "It ran confined ({profile}): {had}{kept}. If that is why it failed, ask for more with `confine: \"none\"` and a reason \
         (postern-run --confine none --reason TEXT). The user is asked."
    ))
}

/// Returns what an agent is told of a confined run from which files that hold secrets were kept.
pub fn secrets_kept(confinement: &Confinement) -> Option<&'static str> {
    let kept = confinement.denied().is_some_and(|denied| denied.secrets);
    kept.then_some("files that hold secrets by their names (.env, id_rsa) were kept from it")
}

/// Returns what an agent is told whose command ran out of time: how to ask for more, and who may give more than that.
pub fn timed_out(agent: &AgentId, limit_ms: u64, cap_ms: Option<u64>) -> String {
    let time = |ms| humantime::format_duration(Duration::from_millis(ms)).to_string();
    let late = format!("Timed out after {}", time(limit_ms));
    match cap_ms {
        Some(cap) if cap > limit_ms => format!(
            "{late}. Ask for more with timeoutMs (postern-run --timeout {0}): this agent may have up to {0}. The user \
             raises that with `postern agents set {agent} run-timeout-cap={1}`.",
            time(cap),
            time(cap.saturating_mul(2)),
        ),
        Some(cap) => format!(
            "{late}, which is the most that this agent may have. The user raises that with \
             `postern agents set {agent} run-timeout-cap={}`.",
            time(cap.saturating_mul(2)),
        ),
        None => format!(
            "{late}. Ask for more with timeoutMs (postern-run --timeout {}).",
            time(limit_ms.saturating_mul(10)),
        ),
    }
}

fn environment(names: &[RefusedName]) -> Sentence {
    let begun = Sentence::new("environment refused: ");
    names.iter().enumerate().fold(begun, |sentence, (at, refused)| {
        let sentence = if at > 0 { sentence.literal("; ") } else { sentence };
        sentence.fragment(&refused.name).literal(" ").literal(refused_name(refused.why))
    })
}

/// Returns the words that follow a refused name.
fn refused_name(why: NameRefusalReason) -> &'static str {
    match why {
        NameRefusalReason::NotAName => "is not a name",
        NameRefusalReason::Twice => "is given twice",
        NameRefusalReason::Computed => "is set by Postern",
        NameRefusalReason::Dangerous => "can make a program load or run other code",
        NameRefusalReason::NotAllowed => "is not allowed for this agent",
        NameRefusalReason::NotForShells => "cannot be set for a shell or an interpreter",
        NameRefusalReason::BadValue => "has a value that is not plain text of at most 64 characters",
        NameRefusalReason::Function => "has a value that holds a shell function, a substitution or NUL",
        NameRefusalReason::TooLong => "is longer than 32 KiB",
        NameRefusalReason::TooMany => "is beyond 64 names or 64 KiB in all",
    }
}

/// Returns why a question can't be shown, as a fragment.
pub fn not_shown(why: &NotShown) -> ShownText {
    let sentence = match why {
        NotShown::Locked => Sentence::new("the screen is locked"),
        NotShown::Away => Sentence::new("the screen does not show this person’s session"),
        NotShown::Nowhere => Sentence::new("no window and no terminal was there"),
        NotShown::Approver(said) => Sentence::default().fragment(said),
    };
    sentence.pieces()
}

fn withdrawal(why: Withdrawal, audience: Audience) -> &'static str {
    match why {
        Withdrawal::TakenBack => "The agent withdrew it.",
        Withdrawal::AgentGone => "It was withdrawn: its agent went away.",
        Withdrawal::SessionClosed => "It was withdrawn: its session closed.",
        Withdrawal::Disconnected => "It was withdrawn: the connection that asked for it ended.",
        Withdrawal::NotEnrolled => "The agent is not enrolled any more.",
        Withdrawal::Ended => audience.choose_words(
            "The agent ended it before it started, or you did.",
            "The agent or the user ended it before it started.",
        ),
    }
}

fn drifted(drift: &Drift, audience: Audience) -> Sentence {
    match drift {
        Drift::Folder { path } => {
            Sentence::new("The working directory ").fragment(path).literal(" is no longer the same folder.")
        }
        Drift::Replaced { path } => {
            Sentence::default().fragment(path).literal(" became another file after it was judged.")
        }
        Drift::Changed { path } => {
            Sentence::default().fragment(path).literal(" was changed after it was judged.")
        }
        Drift::FirstLine { path } => {
            Sentence::new("The first line of ").fragment(path).literal(" changed after it was judged.")
        }
        Drift::Shadowed { path, by } => Sentence::default()
            .fragment(by)
            .literal(" appeared before ")
            .fragment(path)
            .literal(" on the search path."),
        Drift::OtherFiles => Sentence::new("The plan names other files than those that were opened."),
        Drift::OtherFolder => Sentence::new("The plan names another folder than the one that was opened."),
        Drift::OtherPlan => Sentence::new("What was to be started is not what was let through."),
        Drift::Gone => Sentence::new("What was judged is not there any more."),
        Drift::Facts => Sentence::new(
            "Where its paths lead, or which hooks of a repository it would run, changed after it was judged.",
        ),
        Drift::Policy => Sentence::new("The policy changed between the yes and the start."),
        Drift::NotSaved => Sentence::new(audience.choose_words(
            "The rule that you chose could not be saved.", "The rule that the user chose could not be saved.",
        )),
    }
}

fn search_path(agent: &AgentId, searched: &[String]) -> Sentence {
    let searched = searched.join(":");
    Sentence::new("Check the name or give the whole path; or the user adds its folder to the search path: ")
        .literal("postern agents set ")
        .fragment(agent.as_str())
        .literal(" search-path=")
        .fragment(&searched)
        .literal(":FOLDER")
}

/// Returns what an agent can do about a denial that comes without advice.
fn default_advice(cause: &Refusal, denial: &Denial) -> Sentence {
    Sentence::new(match cause {
        Refusal::Verdict { .. } | Refusal::Recorded(_) => of_reason(denial.reason),
        Refusal::Unreadable(_) | Refusal::NotJudged => of_reason(DenyReason::Invalid),
        Refusal::Folder { .. } => {
            "Name a folder that is there and that this agent may work in, or none for the usual one."
        }
        Refusal::Environment { .. } => {
            "Leave these names out. Where one is needed, ask the user to allow it in this agent’s settings."
        }
        Refusal::Paused => "Try again when the user has unblocked all agents.",
        Refusal::Stopped { .. } => "Ask nothing until then: all of it would be denied.",
        Refusal::QueueFull { .. } => {
            "Wait until some of them were answered; what rules allow runs meanwhile."
        }
        Refusal::TooManyFiles { most } => {
            return Sentence::new("Split it: one request may name ")
                .number(*most)
                .literal(" files, programs and scripts together.");
        }
        Refusal::TooManyBytes => "Split it into requests that name less.",
        Refusal::LookUpsFull => "Wait for the answers to what was sent before.",
        Refusal::NoThread => {
            "Ask again later, and tell the user: `postern doctor` says which limit is reached and what to do."
        }
        Refusal::LookUpLate { .. } => {
            "A folder or file that it names does not answer, or there is too much to read: name others, or ask the user."
        }
        Refusal::TooManyRuns => "Wait until some of this agent’s commands have finished.",
        Refusal::ConfinedRunUnderWay => "Wait until it has ended, or stop it, and ask again.",
        Refusal::TooLongToShow => "Write the text to a file and run that, or split the command.",
        Refusal::Person if denial.feedback.is_some() => "Do not ask for the same again: do as they say.",
        Refusal::Person => "Do not ask for the same again; ask the user what to do instead.",
        Refusal::Expired { .. } | Refusal::TooFewPeople { .. } => of_reason(DenyReason::Expired),
        Refusal::NotShown(_) => "Ask again when the user is back.",
        Refusal::Nobody => {
            "Ask the user to open one (the app, `postern tui` in a terminal, or a chat: `postern doors list`), and then ask again."
        }
        Refusal::Withdrawn(_) => "Ask again if it is still needed.",
        Refusal::Drifted(_) => "Ask again: it will be judged as it is now.",
        Refusal::NotRecorded => "Tell the user: Postern’s disk may be full. Ask again when that is fixed.",
        Refusal::Quit | Refusal::Restarted => "Ask again, under a new request id.",
    })
}

/// Returns what an agent can do about a verdict that advises nothing.
fn of_reason(reason: DenyReason) -> &'static str {
    match reason {
        DenyReason::Core => "This is never allowed. Name exactly what is to be changed instead.",
        DenyReason::Denylist => "Do it another way, or ask the user to change the rule.",
        DenyReason::Policy => "Ask the user to change this agent’s settings.",
        DenyReason::NotFound => "Check the name, or give the whole path.",
        DenyReason::Invalid => "Send it again, corrected, under a new request id.",
        DenyReason::EnvRefused => "Leave these names out.",
        DenyReason::CwdRefused => "Run it in a folder that this agent may work in.",
        DenyReason::Expired => "Nobody said no: ask again when the user is back.",
        DenyReason::AllowlistMiss
        | DenyReason::User
        | DenyReason::Cancelled
        | DenyReason::Drifted
        | DenyReason::QueueFull
        | DenyReason::RateLimited
        | DenyReason::CannotPresent
        | DenyReason::NoAnswer
        | DenyReason::Paused
        | DenyReason::Restarted => "Ask the user what to do instead.",
    }
}
