//! Draws what the terminal view knows. The terminal's own colors: it looks right on light and on dark.

use super::app::{App, InputMode, View};
use super::inbox;
use super::text::{self, wrap_runs};
use crate::print;
use postern_contract::{Batch, Question, RequestRow};
use postern_protocol::{EndReason, RunState};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style, Stylize as _};
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

/// Least columns and lines of a question.
const LEAST: (u16, u16) = (30, 8);

/// Most lines of a request in the activity.
const ROW: usize = 4;

/// Draws everything, and tells the state how much of the question is on show.
pub(super) fn draw_view(frame: &mut Frame<'_>, app: &mut App) {
    let area = frame.area();
    let fits = area.width >= LEAST.0 && area.height >= LEAST.1;
    let shows = app.view == View::Questions && fits;
    app.set_visible(shows);
    if !fits {
        frame.render_widget(Paragraph::new("too small: nothing can be allowed here"), area);
        return;
    }
    let lines = footer_lines(app, area);
    let foot = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    let body = Rect { y: area.y + 1, height: area.height - 1 - foot, ..area };
    frame.render_widget(
        Paragraph::new(header_line(app)).style(Style::new().add_modifier(Modifier::REVERSED)),
        Rect { height: 1, ..area },
    );
    match app.view {
        View::Questions => question(frame, app, body),
        View::Inbox => inbox::draw_inbox(frame, app, body),
        View::Activity => activity(frame, app, body),
    }
    let rest = Rect { y: body.bottom(), height: foot, ..area };
    frame.render_widget(Paragraph::new(lines), rest);
}

/// Returns the lines below: the text that is typed or missing, and the keys; at most half of the screen.
///
/// Of a long line that is typed the end is shown.
fn footer_lines(app: &App, area: Rect) -> Vec<Line<'static>> {
    let most = usize::from(area.height / 2);
    let keys = wrap_runs(&[(key_help(app), Style::new())], area.width.into(), 0);
    let mut lines = wrap_runs(&[(bottom(app), Style::new().bold())], area.width.into(), 0);
    let room = most.saturating_sub(keys.len()).max(1);
    lines.drain(..lines.len().saturating_sub(room));
    lines.extend(keys);
    lines.truncate(most);
    lines
}

fn header_line(app: &App) -> Line<'static> {
    let state = match &app.status {
        Some(status) => match status.mode {
            postern_contract::Mode::Listening => "on",
            postern_contract::Mode::Paused => "blocking all agents",
            postern_contract::Mode::DenyAll => "denying all requests: its history is damaged",
        },
        None => "…",
    };
    let view = match app.view {
        View::Questions => "questions",
        View::Inbox => "inbox",
        View::Activity => "activity",
    };
    let stopped = app.status.iter().flat_map(|status| &status.stopped);
    let stopped: Vec<String> = stopped.map(|one| format!("· {} stopped ", one.agent)).collect();
    let stopped = stopped.concat();
    Line::from(format!(" Postern {state} · {view} · {} waiting {stopped}", app.questions.len()))
}

fn question(frame: &mut Frame<'_>, app: &mut App, body: Rect) {
    let Some(question) = app.question() else {
        app.lines = 0;
        frame.render_widget(Paragraph::new("nothing waits"), body);
        return;
    };
    let others: Vec<Question> = app.others().into_iter().cloned().collect();
    let batch = (!others.is_empty()).then(|| Batch::from_questions(question, &others));
    let lines = text::question(question, batch.as_ref(), app.choice.edited.as_ref(), body.width.into());
    app.lines = lines.len();
    app.room = body.height.into();
    app.scroll = app.scroll.min(app.lines.saturating_sub(app.room));
    app.end_seen |= app.scroll + app.room >= app.lines;
    let shown: Vec<Line<'static>> = lines.into_iter().skip(app.scroll).take(app.room).collect();
    frame.render_widget(Paragraph::new(shown), body);
}

fn activity(frame: &mut Frame<'_>, app: &App, body: Rect) {
    let mut lines: Vec<Line<'static>> =
        app.requests.iter().flat_map(|request| activity_row(request, body.width.into())).collect();
    if lines.is_empty() {
        lines.push(Line::from("nothing yet"));
    }
    let from = app.scroll.min(lines.len().saturating_sub(1));
    let shown: Vec<Line<'static>> = lines.into_iter().skip(from).take(body.height.into()).collect();
    frame.render_widget(Paragraph::new(shown), body);
}

/// Returns a request in the activity: the beginning of it, where it is long.
fn activity_row(request: &RequestRow, width: usize) -> Vec<Line<'static>> {
    let ending = request.ending.map(EndReason::name).unwrap_or_default();
    let code = request.exit_code.map(|code| format!(" {code}")).unwrap_or_default();
    let style = match request.state {
        RunState::Denied | RunState::Failed => Style::new().red(),
        RunState::Asking => Style::new().bold(),
        RunState::Finished | RunState::Allowed => Style::new(),
        RunState::Received
        | RunState::Resolving
        | RunState::Starting
        | RunState::Running
        | RunState::Stopping => Style::new().green(),
    };
    let runs = [
        (format!("{}  ", print::format_time(request.at)), Style::new().dim()),
        (format!("{}  ", request.agent), Style::new().bold()),
        (format!("{} {ending}{code}  ", request.state.name()), style),
        (request.line.clone(), Style::new()),
    ];
    let mut lines = wrap_runs(&runs, width, 4);
    if lines.len() > ROW {
        let more = lines.len() - ROW;
        lines.truncate(ROW);
        lines.push(Line::from(format!("    … and {more} more lines")).dim());
    }
    lines
}

/// Returns the line above the keys: what is typed, what is missing for an approval, what was done.
fn bottom(app: &App) -> String {
    let typed = match &app.mode {
        InputMode::Keys => None,
        InputMode::Words(text) => Some(("words for the agent", text)),
        InputMode::Command(text) => Some(("command", text)),
        InputMode::Rule(_, text) => Some(("rule", text)),
    };
    if let Some((what, text)) = typed {
        return format!("{what}: {}_", postern_command::escape::visible_text(text));
    }
    let Some(question) = app.question().filter(|_| app.view == View::Questions) else {
        return app.message.clone();
    };
    let left = print::time_until(question.expires_at);
    let state = if app.is_armed() {
        "ready".to_owned()
    } else if app.end_seen {
        "look at it for a moment".to_owned()
    } else {
        let below = app.lines.saturating_sub(app.scroll + app.room);
        format!("{below} more lines below")
    };
    let message = if app.message.is_empty() { String::new() } else { format!(" · {}", app.message) };
    let more = crate::question::more_waiting(question);
    format!("{state} · {} in {left}{more}{message}", postern_contract::pieces_to_text(&question.at_zero))
}

fn key_help(app: &App) -> String {
    match &app.mode {
        InputMode::Keys => {}
        InputMode::Words(_) => return "Return: deny with these words   Esc: back".to_owned(),
        InputMode::Command(_) => return "Return: have it judged and shown   Esc: back".to_owned(),
        InputMode::Rule(..) => {
            return "Return: keep these words for the number   Tab: the next offer   Esc: back".to_owned();
        }
    }
    match (app.view, app.question()) {
        (View::Activity, _) => "Tab: questions   i: inbox   Up Down: scroll   q: quit".to_owned(),
        (View::Inbox, _) => {
            "Return: show   Up Down: choose   i: question   Tab: activity   q: quit".to_owned()
        }
        (View::Questions, None) => "Tab: activity   q: quit".to_owned(),
        (View::Questions, Some(question)) => {
            let always = always(app, question);
            let all = match question.requests.len() {
                0 | 1 => String::new(),
                all => format!("   M: allow all {all} once"),
            };
            let inbox = if app.questions.len() > 1 { "   i: inbox   [ ]: others" } else { "" };
            let (deny, once, singly) = match app.others().len() + 1 {
                1 => ("deny".to_owned(), "allow once".to_owned(), ""),
                n => (format!("deny these {n}"), format!("allow these {n} once"), "   b: one at a time"),
            };
            let edit = if question.editable.is_some() { "   e: change the command" } else { "" };
            format!(
                "d: {deny}   A: {once}{singly}{all}{always}{edit}   w: deny with words   x: stop the agent for 10 minutes   Up Down PageUp PageDown: scroll{inbox}   Tab: activity   q: quit"
            )
        }
    }
}

/// Returns the keys that save something, with what they would save.
fn always(app: &App, question: &Question) -> String {
    let keys = match question.proposals.len() {
        0 => return String::new(),
        1 => "1".to_owned(),
        many => format!("1-{}", many.min(9)),
    };
    if question.tool.is_some() {
        return format!("   {keys}: always");
    }
    format!(
        "   {keys}: always ({})   g: for whom   f: where   l: how long   r: which words",
        app.choice.describe()
    )
}
