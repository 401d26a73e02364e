//! Tests an agent's way to Postern, and answers the question of the test.

use crate::failure::Failure;
use crate::link::HostLink;
use crate::setup_args::SetupCommand;
use crate::typed::{is_yes, read_answer};
use crate::{print, question};
use postern_contract::methods::{
    AnswerQuestion, FoundAgent, GetTest, ListQuestions, Nothing, SetupTest, SetupTested, StartTest, TestState,
};
use postern_contract::{Answer, AnswerParams, Question, join_pieces};
use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

/// Time that a test may take, besides the user's.
const PATIENCE: Duration = Duration::from_mins(1);
/// Time between two looks at it.
const BETWEEN: Duration = Duration::from_millis(200);

pub(super) struct TestResult {
    pub(super) tested: SetupTested,
    /// True if its question was answered here.
    answered: bool,
}

impl TestResult {
    /// Returns true if the command was denied without a question: a setting or a rule is in the way.
    pub(super) fn is_refused(&self) -> bool {
        self.tested.state == TestState::Denied && !self.answered
    }
}

/// Runs a test to its end.
pub(super) fn run(
    link: &mut HostLink,
    agent: &FoundAgent,
    asked: &SetupCommand,
) -> Result<TestResult, Failure> {
    // This terminal can show questions from now on.
    link.watch_questions()?;
    let test = link.call_method::<StartTest>(&SetupTest {
        kind: agent.kind,
        agent: agent.agent.clone(),
        asks: false,
    })?;
    let mut end = Instant::now() + PATIENCE;
    let mut answered = false;
    loop {
        let tested = link.call_method::<GetTest>(&test)?;
        if tested.state != TestState::Waiting {
            return Ok(TestResult { tested, answered });
        }
        let waiting = link.call_method::<ListQuestions>(&Nothing {})?.questions;
        if let Some(question) = waiting.iter().find(|question| is_of(question, agent, &test.session)) {
            answer(link, question, asked)?;
            answered = true;
            end = Instant::now() + PATIENCE;
        } else if Instant::now() > end {
            return Err(Failure::negative("the test had no answer within a minute: see postern history"));
        }
        link.next_within(BETWEEN)?;
    }
}

/// Returns true if a question is the test's. A test over a channel has no session of its own.
fn is_of(question: &Question, agent: &FoundAgent, session: &str) -> bool {
    let own = question.asker.session.as_ref().is_none_or(|shown| join_pieces(shown) == session);
    question.asker.agent == agent.agent && own
}

/// Answers the question of a test: as the user says, or no where the user isn't asked.
fn answer(link: &mut HostLink, question: &Question, asked: &SetupCommand) -> Result<(), Failure> {
    let ask = !asked.yes && std::io::stdin().is_terminal();
    let said = if ask {
        print::write_line("a test: this is how the agent asks")?;
        question::print_full(question)?;
        if is_yes(&read_answer("Allow it once? [y/N]", "add --no-test")?) {
            Answer::Once
        } else {
            Answer::Deny
        }
    } else {
        Answer::Deny
    };
    let feedback = (!ask).then(|| "a test by postern setup, denied by itself".to_owned());
    // Someone else may have answered it.
    let params =
        AnswerParams { feedback, ..AnswerParams::new(question.id.clone(), question.digest.clone(), said) };
    link.call_method::<AnswerQuestion>(&params).map(drop)
}

/// Says how a test ended.
pub(super) fn words(agent: &FoundAgent, result: &TestResult) -> String {
    let title = &agent.title;
    let message = result.tested.message.as_deref();
    match result.tested.state {
        TestState::Allowed => format!("test: works. {title} asked, and may run the command"),
        TestState::Denied if result.is_refused() => {
            format!("test: Postern denied it: {}", message.unwrap_or("see postern history"))
        }
        TestState::Denied => match message {
            Some(message) => format!("test: works. {title} asked, and got: {message}"),
            None => format!("test: works. {title} asked, and may not run the command"),
        },
        TestState::LeftToAgent => format!("test: works. {title} asked, and decides by its own rules"),
        TestState::Waiting => "test: no answer yet".to_owned(),
        TestState::Failed => format!("test: failed: {}", message.unwrap_or("see postern history")),
    }
}
