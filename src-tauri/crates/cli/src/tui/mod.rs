//! `postern tui`: questions and activity live in a terminal, over ssh as well.
//!
//! The rules are those of the window: *Deny* has the focus, Return never allows, an approval counts only
//! after the host saw the question armed: visible and unchanged for a moment, its end seen.

mod app;
mod choice;
mod denial;
mod details;
mod inbox;
mod keys;
mod rows;
#[cfg(test)]
pub(crate) mod tests;
mod text;
mod view;
mod wrap;

use crate::failure::Failure;
use crate::link::HostLink;
use app::{Act, App, TuiKey};
use postern_contract::methods::{
    AnswerQuestion, Arming, EditQuestion, GetStatus, ListQuestions, Nothing, PresentQuestion, Presented,
    RequestsWatch, WatchRequests,
};
use postern_contract::{Answer, AnswerParams, Answered, EditParams, Question, Scope};
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{
    self, DisableFocusChange, EnableFocusChange, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers,
};
use ratatui::crossterm::execute;
use std::collections::BTreeSet;
use std::io::{IsTerminal as _, stdout};
use std::time::{Duration, Instant};

/// Time that the host is listened to before keys are read again.
const LISTEN: Duration = Duration::from_millis(40);
/// Interval at which the host gets what is on show.
const PRESENT: Duration = Duration::from_millis(200);

/// Shows questions and activity until the person quits. A host that ends is waited for.
///
/// With the names of other Macs, only their questions are shown. A `plain` view has no colors.
pub(crate) fn run(link: &mut HostLink, hosts: Option<BTreeSet<String>>, plain: bool) -> Result<(), Failure> {
    if !stdout().is_terminal() {
        return Err(Failure::usage_error(
            "standard output is no terminal; postern questions --watch prints the same, line by line",
        ));
    }
    let mut app = App::for_hosts(hosts, plain);
    load_all(link, &mut app)?;
    let mut terminal = ratatui::init();
    // A terminal that does not tell its focus is looked at by whoever types into it.
    drop(execute!(stdout(), EnableFocusChange));
    let ended = until_quit(&mut terminal, link, &mut app, Instant::now());
    drop(execute!(stdout(), DisableFocusChange));
    ratatui::restore();
    ended
}

/// Asks for everything that is shown.
fn load_all(link: &mut HostLink, app: &mut App) -> Result<(), Failure> {
    let questions = link.watch_questions()?;
    app.set_questions(questions);
    app.requests =
        link.call_method::<WatchRequests>(&RequestsWatch { agent: None, limit: Some(100) })?.requests.into();
    app.status = Some(link.call_method::<GetStatus>(&Nothing {})?);
    Ok(())
}

fn until_quit(
    terminal: &mut DefaultTerminal,
    link: &mut HostLink,
    app: &mut App,
    started: Instant,
) -> Result<(), Failure> {
    let mut ended = run_connected(terminal, link, app, started);
    loop {
        match ended {
            Err(failure) if failure.is_gone() => app.on_host_lost(&failure.message),
            ended => return ended,
        }
        if !link.come_back(|pause| wait_for_host(terminal, app, pause))? {
            return Ok(());
        }
        ended = load_all(link, app).and_then(|()| {
            "Postern runs again".clone_into(&mut app.message);
            run_connected(terminal, link, app, started)
        });
    }
}

/// Shows that the host is gone for this long. Returns false where the person quits.
fn wait_for_host(terminal: &mut DefaultTerminal, app: &mut App, pause: Duration) -> Result<bool, Failure> {
    let end = Instant::now() + pause;
    loop {
        terminal.draw(|frame| view::draw_view(frame, app)).map_err(Failure::from_error)?;
        if !event::poll(end.saturating_duration_since(Instant::now())).map_err(Failure::from_error)? {
            return Ok(true);
        }
        if let Event::Key(pressed) = event::read().map_err(Failure::from_error)?
            && pressed.kind == KeyEventKind::Press
            && is_quit_key(pressed)
        {
            return Ok(false);
        }
    }
}

fn is_quit_key(pressed: KeyEvent) -> bool {
    match pressed.code {
        KeyCode::Char('c') => pressed.modifiers.contains(KeyModifiers::CONTROL),
        KeyCode::Char('q') => true,
        _ => false,
    }
}

fn run_connected(
    terminal: &mut DefaultTerminal,
    link: &mut HostLink,
    app: &mut App,
    started: Instant,
) -> Result<(), Failure> {
    let mut presented = Instant::now();
    loop {
        terminal.draw(|frame| view::draw_view(frame, app)).map_err(Failure::from_error)?;
        app.set_clock(started.elapsed());
        let due = app.due_denial();
        give_denial(link, app, &due)?;
        if presented.elapsed() >= PRESENT {
            presented = Instant::now();
            present(link, app)?;
        }
        while event::poll(Duration::ZERO).map_err(Failure::from_error)? {
            let event = event::read().map_err(Failure::from_error)?;
            let act = act_of(app, &event);
            if !carry_out(link, app, act)? {
                return Ok(());
            }
        }
        if let Some(told) = link.next_within(LISTEN)? {
            app.on_notification(told);
        }
    }
}

/// Returns what an event of the terminal asks for.
fn act_of(app: &mut App, event: &Event) -> Act {
    match event {
        Event::Key(pressed) if pressed.kind == KeyEventKind::Press => {
            if pressed.modifiers.contains(KeyModifiers::CONTROL) && pressed.code == KeyCode::Char('c') {
                return Act::Quit;
            }
            to_tui_key(pressed.code).map_or(Act::Nothing, |key| app.handle_key(key))
        }
        Event::Resize(..) | Event::FocusGained | Event::FocusLost => {
            app.reset_arming();
            Act::Nothing
        }
        Event::Key(_) | Event::Mouse(_) | Event::Paste(_) => Act::Nothing,
    }
}

/// Carries out an action. Returns false if the view ends with it.
fn carry_out(link: &mut HostLink, app: &mut App, act: Act) -> Result<bool, Failure> {
    match act {
        Act::Nothing => {}
        Act::Quit => {
            let held = app.take_denial();
            give_denial(link, app, &held)?;
            return Ok(false);
        }
        Act::Answer { answer, proposal, feedback } => {
            send_answer(link, app, KeyedAnswer { answer, proposal, feedback, requests: Vec::new() })?;
        }
        Act::AllowAll(requests) => {
            let answer = Answer::Once;
            send_answer(link, app, KeyedAnswer { answer, proposal: None, feedback: None, requests })?;
        }
        Act::Edit(text) => edit_command(link, app, text)?,
    }
    Ok(true)
}

/// Gives the answers of a denial that is undone no longer. A question that it did not end is shown again.
fn give_denial(link: &mut HostLink, app: &mut App, answers: &[AnswerParams]) -> Result<(), Failure> {
    let mut ended = true;
    for answer in answers {
        ended &= link.call_method::<AnswerQuestion>(answer)?.applied;
    }
    if !ended {
        app.set_questions(link.call_method::<ListQuestions>(&Nothing {})?.questions);
    }
    Ok(())
}

fn to_tui_key(code: KeyCode) -> Option<TuiKey> {
    Some(match code {
        KeyCode::Char(c) => TuiKey::Char(c),
        KeyCode::Enter => TuiKey::Enter,
        KeyCode::Esc => TuiKey::Escape,
        KeyCode::Backspace => TuiKey::Backspace,
        KeyCode::Tab => TuiKey::Tab,
        KeyCode::Up => TuiKey::Up,
        KeyCode::Down => TuiKey::Down,
        KeyCode::PageUp => TuiKey::PageUp,
        KeyCode::PageDown => TuiKey::PageDown,
        KeyCode::Home => TuiKey::Home,
        KeyCode::End => TuiKey::End,
        _ => return None,
    })
}

/// Tells the host what is on show; it says whether an approval would count.
fn present(link: &mut HostLink, app: &mut App) -> Result<(), Failure> {
    let mut arming: Option<Arming> = None;
    for question in app.question().into_iter().chain(app.others()) {
        let seen = Presented {
            question_id: question.id.clone(),
            digest: question.digest.clone(),
            visible: app.visible,
            end_seen: app.end_seen,
            change: app.change,
        };
        // All of them have to be armed.
        let told = link.call_method::<PresentQuestion>(&seen)?;
        if arming.as_ref().is_none_or(|arming| arming.armed) {
            arming = Some(told);
        }
    }
    if arming.is_some() {
        app.arming = arming;
    }
    Ok(())
}

struct KeyedAnswer {
    answer: Answer,
    proposal: Option<String>,
    feedback: Option<String>,
    /// The requests that it covers; empty means the first alone.
    requests: Vec<String>,
}

/// Returns the answer to the question on show, and to those that are shown as one with it.
fn answers_of(app: &App, question: &Question, given: &KeyedAnswer) -> Vec<AnswerParams> {
    let KeyedAnswer { answer, proposal, feedback, requests } = given;
    // What is saved for a tool is its pattern, always, in the agent's own file.
    let saved = (*answer == Answer::Always && question.tool.is_none()).then_some(&app.choice);
    let params = AnswerParams {
        scope: saved.map_or(Scope::Agent, |choice| choice.scope),
        edited: saved.and_then(|choice| choice.edited(proposal.as_deref())),
        lifetime: saved.map(|choice| choice.lifetime(question, postern_host::now_millis())),
        anywhere: saved.is_some_and(|choice| choice.anywhere),
        broad: saved.is_some_and(|choice| choice.is_broad(proposal.as_deref())),
        proposal: proposal.clone(),
        feedback: feedback.clone(),
        requests: requests.clone(),
        ..AnswerParams::for_question(question, *answer)
    };
    // *Once* and *deny* are about all that is shown as one.
    let others = if matches!(answer, Answer::Once | Answer::Deny) { app.others() } else { Vec::new() };
    let others = others.into_iter().map(|other| AnswerParams {
        question_id: other.id.clone(),
        digest: other.digest.clone(),
        ..params.clone()
    });
    std::iter::once(params.clone()).chain(others.collect::<Vec<_>>()).collect()
}

fn send_answer(link: &mut HostLink, app: &mut App, given: KeyedAnswer) -> Result<(), Failure> {
    let Some(question) = app.question().cloned() else { return Ok(()) };
    let answers = answers_of(app, &question, &given);
    let now = postern_host::now_millis();
    let undone = std::iter::once(&question).chain(app.others()).all(|one| one.may_hold_denial(now));
    app.on_answered();
    // One denial at a time can be undone.
    let held = app.take_denial();
    give_denial(link, app, &held)?;
    if given.answer == Answer::Deny && undone {
        app.message.clear();
        app.hold_denial(answers);
        return Ok(());
    }
    let mut all = Vec::new();
    for params in &answers {
        let answered = link.call_method::<AnswerQuestion>(params)?;
        if !answered.added.is_empty() {
            app.confirm_broad(given.proposal, &answered.added);
            return Ok(());
        }
        all.push(answered);
    }
    app.message = match all.as_slice() {
        [one] => answered_words(&question, &given, one),
        several => {
            let done = if given.answer == Answer::Once { "allowed once" } else { "denied" };
            format!("{} {done}", several.iter().filter(|one| one.applied).count())
        }
    };
    Ok(())
}

/// Returns what became of an answer.
fn answered_words(question: &Question, given: &KeyedAnswer, answered: &Answered) -> String {
    let code = &question.code;
    let done = match given.answer {
        Answer::Once if given.requests.len() > 1 => "allowed, each of them once",
        Answer::Once => "allowed once",
        Answer::Always => "allowed, and remembered",
        Answer::Deny | Answer::DenyAlways => "denied",
        Answer::DenyAll => "denied, and the agent is stopped for 10 minutes",
    };
    match (answered.applied, answered.saved_words()) {
        (true, words) if answered.not_saved.is_some() => format!("{code} {}", words.join("; ")),
        (true, words) => {
            let said = std::iter::once(done.to_owned()).chain(words).chain(answered.reason.clone());
            format!("{code} {}", said.collect::<Vec<_>>().join("; "))
        }
        (false, _) => answered.reason.clone().unwrap_or_else(|| "it was answered already".to_owned()),
    }
}

/// Has another command judged and shown in place of the one on show.
fn edit_command(link: &mut HostLink, app: &mut App, text: String) -> Result<(), Failure> {
    let Some(question) = app.question() else { return Ok(()) };
    let (question_id, digest) = (question.id.clone(), question.digest.clone());
    let edited = link.call_method::<EditQuestion>(&EditParams {
        question_id,
        digest,
        text: Some(text),
        confine: None,
    })?;
    app.message = if edited.applied {
        "this is your command now: look at it before you allow it".to_owned()
    } else {
        let why = edited.reason.map(|why| postern_contract::pieces_to_text(&why));
        format!("not changed: {}", why.unwrap_or_else(|| "it was answered already".to_owned()))
    };
    Ok(())
}
