//! Reasons why an answer does not count, and conditions that an approval still lacks.

use super::denial::{not_shown, refusal};
use super::sentence::Sentence;
use crate::closed_by::ClosedBy;
use crate::not_applied::{Missing, NotApplied};
use crate::piece::ShownText;
use postern_protocol::DenyReason;
use postern_request::Refusal;

/// Returns why an answer or a change does not count, as a clause.
#[expect(clippy::too_many_lines, reason = "one line for each kind of cause")]
pub fn not_applied(why: &NotApplied) -> ShownText {
    let sentence = match why {
        NotApplied::Over => Sentence::new("it was answered already, or its time is over"),
        NotApplied::NotOnShow => {
            Sentence::new("what was shown is not what would run or be saved by now; look again")
        }
        NotApplied::OtherQuestion => Sentence::new("another question is on show by now"),
        NotApplied::WaitsNoMore => Sentence::new("it is no longer open"),
        NotApplied::Ended => Sentence::new("it ended before that"),
        NotApplied::Unseen(why) => Sentence::new("not yet: ").append(not_shown(why)),
        NotApplied::NotArmed(what) => Sentence::new("not yet: ").literal(missing(*what)),
        NotApplied::TooSoon => Sentence::new("this question has only just appeared; look again"),
        NotApplied::NotHeld => Sentence::new("hold Allow until it is full, or press it twice"),
        NotApplied::NotConfirmed(words) => Sentence::new(*words),
        NotApplied::Unshown(parts) => {
            let begun = Sentence::new("this approver does not show ");
            let named = parts.iter().enumerate().fold(begun, |sentence, (at, part)| {
                if at > 0 { sentence.literal(", ") } else { sentence }.literal(part.describe())
            });
            named.literal(": say yes where it is shown, or with a client that declares that it shows it")
        }
        NotApplied::NotWaiting => Sentence::new("none of the requests that it names waits any more"),
        NotApplied::FeedbackTooLong { most } => {
            Sentence::new("the words for the agent are longer than ").number(*most).literal(" bytes")
        }
        NotApplied::ToolRule => Sentence::new("for a tool, edit the agent’s permissions.jsonc instead"),
        NotApplied::NotJudged => Sentence::new("Postern could not judge it"),
        NotApplied::EveryFolder => Sentence::new(
            "what would be saved holds in every folder, because the line changes its own: say that this is meant \
             (anywhere), or let the agent name the folder as the request’s own",
        ),
        NotApplied::NoOffer { wanted } => {
            Sentence::new("nothing can be saved as \"").fragment(wanted).literal("\" for this request")
        }
        NotApplied::SeveralRules => Sentence::new("only an offer of one rule can be edited"),
        NotApplied::Broad(added) => {
            let added: Vec<String> = added.iter().map(|one| super::widening(one).text).collect();
            Sentence::new("this rule would allow more than was shown (")
                .fragment(&added.join("; "))
                .literal("): say that this is meant (broad)")
        }
        NotApplied::BroadOnce => Sentence::new("press it twice to save a broad rule"),
        NotApplied::OtherRequest => Sentence::new("the rule would not cover this request"),
        NotApplied::NoFolder(text) => {
            Sentence::default().fragment(text).literal(" is no folder: write the whole path, from / or ~")
        }
        NotApplied::NoSigner => Sentence::new("no known developer signed this program"),
        NotApplied::NoSession => Sentence::new("this request belongs to no session"),
        NotApplied::Pattern(error) => Sentence::default().fragment(&error.to_string()),
        NotApplied::RenewalDenies => {
            Sentence::new("what is renewed allows; a deny rule is made of the exact command")
        }
        NotApplied::RenewalChanges => Sentence::new(
            "rules that are renewed stay as they are: for whom, where, how long and which words are not to be chosen \
             with that",
        ),
        NotApplied::Failed(problem) => Sentence::default().fragment(problem),
        NotApplied::DeniedUnsaved(why) => {
            Sentence::new("denied, but this could not be saved: ").append(not_applied(why))
        }
        NotApplied::DeniedUnwritten(problem) => Sentence::new("denied, but that is not written down yet (")
            .fragment(problem)
            .literal("): Postern tries again until it is"),
        NotApplied::AllowedUnsaved(problem) => {
            Sentence::new("allowed this once; what was to be saved from it could not be: ").fragment(problem)
        }
        NotApplied::Unwritten(problem) => {
            Sentence::new("it could not be written down, so nothing ran: ").fragment(problem)
        }
        NotApplied::Unsaved(why) => {
            Sentence::new("the rule was not saved, so nothing ran: ").append(not_applied(why))
        }
        NotApplied::ChoiceLost => Sentence::new("the choice was lost"),
        NotApplied::AnswerThere => Sentence::new(
            "on another Mac only allow, deny and the rules that the question offers can be answered: answer the rest there",
        ),
        NotApplied::Offline => Sentence::new("that Mac is offline: nothing was sent"),
        NotApplied::Unconfirmed => Sentence::new("not confirmed; sending it again is safe"),
        NotApplied::AnsweredElsewhere { how, by, place } => {
            let told = Sentence::new(match how {
                ClosedBy::Allowed => "allowed already",
                ClosedBy::Denied => "denied already",
                ClosedBy::Expired => "nobody answered it in time",
                ClosedBy::Withdrawn => "its agent withdrew it",
                ClosedBy::Rule => "a rule answered it already",
                ClosedBy::Resolved => "answered already",
            });
            let told = by.iter().fold(told, |told, by| told.literal(" by ").fragment(by));
            place.iter().fold(told, |told, place| told.literal(" on ").fragment(place))
        }
        NotApplied::MorePeople(1) => Sentence::new("noted: one more person has to approve it"),
        NotApplied::MorePeople(more) => {
            Sentence::new("noted: ").number(usize::from(*more)).literal(" more people have to approve it")
        }
        NotApplied::SamePerson(person) => {
            Sentence::default().fragment(person).literal(" approved it already: another person has to")
        }
        NotApplied::NoPerson => Sentence::new(
            "several people have to approve it, each with a key of the fleet: approve it on your own Mac",
        ),
        NotApplied::OnceTogether => {
            Sentence::new("what several people have to approve is allowed once: no rule can save that")
        }
        NotApplied::NoCommand => Sentence::new("there is no command"),
        NotApplied::AgentDoes => Sentence::new("what an agent does itself cannot be changed here"),
        NotApplied::NotEnrolled => Sentence::new("the agent is not enrolled any more"),
        NotApplied::Paused => Sentence::new("all agents are blocked"),
        NotApplied::OthersWait => Sentence::new("others wait for it by now; look again"),
        NotApplied::SameCommand => Sentence::new("it is the same command as before"),
        NotApplied::TooLong => Sentence::new("it is too long to be shown in full"),
        NotApplied::Denied(why) => Sentence::new(would_be(why)).append(refusal(why)),
    };
    sentence.pieces()
}

/// Returns how a change is refused, before the denial that it would get.
fn would_be(denied: &Refusal) -> &'static str {
    match denied.reason() {
        DenyReason::Invalid => "it cannot be read: ",
        DenyReason::Core | DenyReason::Denylist => "it is never allowed: ",
        _ => "it would be denied: ",
    }
}

/// Returns what is missing before an approval counts.
pub fn missing(what: Missing) -> &'static str {
    match what {
        Missing::Question => "it is no longer open",
        Missing::NotShown => "this approver did not show it",
        Missing::OtherDigest => "what is shown is not the question as it is now",
        Missing::NotVisible => "the question is not visible",
        Missing::End => "the end of the question was not seen yet",
        Missing::Time => "the question was not visible and unchanged for long enough",
    }
}
