//! Draws what the terminal view knows. The terminal's own colors: it looks right on light and on dark.

use super::app::{App, InputMode, View};
use super::wrap::{StyledRun, cut_runs, dim, dim_run, plain_run, wrap_runs};
use super::{inbox, keys, text};
use crate::commands::status::mode_words;
use crate::print;
use postern_contract::{Batch, Mode, Question, RequestRow, render};
use postern_protocol::RunState;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Margin, Rect};
use ratatui::style::{Color, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

/// Least columns and lines of a question.
const LEAST: (u16, u16) = (30, 8);

/// Draws everything, and tells the state how much of the question is on show.
pub(super) fn draw_view(frame: &mut Frame<'_>, app: &mut App) {
    let area = frame.area();
    let fits = area.width >= LEAST.0 && area.height >= LEAST.1;
    let shows = app.view == View::Questions && fits;
    app.set_visible(shows);
    if fits {
        draw_parts(frame, app, area.inner(Margin::new(1, 0)));
    } else {
        frame.render_widget(Paragraph::new("too small to answer: enlarge it"), area);
    }
    if app.plain {
        drop_colors(frame.buffer_mut());
    }
}

fn draw_parts(frame: &mut Frame<'_>, app: &mut App, area: Rect) {
    let lines = footer_lines(app, area);
    let foot = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    let body = Rect { y: area.y + 2, height: area.height - 2 - foot, ..area };
    frame.render_widget(Paragraph::new(status_line(app)), Rect { height: 1, ..area });
    match app.view {
        View::Questions => question(frame, app, body),
        View::Inbox => inbox::draw_inbox(frame, app, body),
        View::Activity => activity(frame, app, body),
        View::Keys => frame.render_widget(Paragraph::new(keys::all_keys()), body),
    }
    let rest = Rect { y: body.bottom(), height: foot, ..area };
    frame.render_widget(Paragraph::new(lines), rest);
}

/// Leaves bold, dim and inverse text (`NO_COLOR`).
fn drop_colors(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        cell.fg = Color::Reset;
        cell.bg = Color::Reset;
    }
}

/// Returns the lines below: the text that is typed or missing, and the keys; at most half of the screen.
///
/// Of a long line that is typed the end is shown.
fn footer_lines(app: &App, area: Rect) -> Vec<Line<'static>> {
    let most = usize::from(area.height / 2);
    let mut lines = wrap_runs(&bottom(app), area.width.into(), 0);
    lines.drain(..lines.len().saturating_sub(most - 1));
    lines.push(keys::key_line(app, area.width.into()));
    lines
}

/// Returns the first line: quiet, unless agents are blocked.
fn status_line(app: &App) -> Line<'static> {
    let state = app.status.as_ref().map_or_else(|| "…".to_owned(), mode_words);
    let style = match app.status.as_ref().map(|status| status.mode) {
        Some(Mode::Listening) | None => dim(),
        Some(Mode::Paused) => Style::new().yellow(),
        Some(Mode::DenyAll) => Style::new().red(),
    };
    let view = match app.view {
        View::Questions => "",
        View::Inbox => " · inbox",
        View::Activity => " · activity",
        View::Keys => " · keys",
    };
    let stopped = app.status.iter().flat_map(|status| &status.stopped);
    let stopped: Vec<String> = stopped.map(|one| format!(" · {} stopped", one.agent)).collect();
    let rest = format!(" · {} waiting{view}{}", app.questions.len(), stopped.concat());
    Line::from(vec![Span::styled("Postern ", dim()), Span::styled(state, style), Span::styled(rest, dim())])
}

fn question(frame: &mut Frame<'_>, app: &mut App, body: Rect) {
    let Some(question) = app.question() else {
        app.lines = 0;
        frame.render_widget(Paragraph::new("nothing waits").style(dim()), body);
        return;
    };
    let others: Vec<Question> = app.others().into_iter().cloned().collect();
    let batch = (!others.is_empty()).then(|| Batch::from_questions(question, &others));
    let (batch, width) = (batch.as_ref(), body.width.into());
    let shape = text::Shape { batch, choice: &app.choice, open: app.details, unfolded: app.unfolded, width };
    let rows = text::question(question, &shape);
    app.folded = rows.folded;
    let lines = rows.into_lines();
    // What has come since then may stand below the screen.
    app.end_seen &= lines.len() <= app.lines;
    app.lines = lines.len();
    app.room = body.height.into();
    app.scroll = app.scroll.min(app.lines.saturating_sub(app.room));
    // What is folded has not been seen.
    app.end_seen = app.folded == 0 && (app.end_seen || app.scroll + app.room >= app.lines);
    let shown: Vec<Line<'static>> = lines.into_iter().skip(app.scroll).take(app.room).collect();
    frame.render_widget(Paragraph::new(shown), body);
}

fn activity(frame: &mut Frame<'_>, app: &App, body: Rect) {
    let mut lines: Vec<Line<'static>> =
        app.requests.iter().map(|request| activity_row(request, body.width.into())).collect();
    if lines.is_empty() {
        lines.push(Line::styled("nothing yet", dim()));
    }
    let from = app.scroll.min(lines.len().saturating_sub(1));
    let shown: Vec<Line<'static>> = lines.into_iter().skip(from).take(body.height.into()).collect();
    frame.render_widget(Paragraph::new(shown), body);
}

/// Returns a request in the activity: one line, with its beginning if it is long.
fn activity_row(request: &RequestRow, width: usize) -> Line<'static> {
    let state = render::state_words(request);
    let by = render::decided_by(request).filter(|_| state == "denied");
    let by = by.map(|by| format!(" by {by}")).unwrap_or_default();
    let (mark, style) = match request.state {
        RunState::Denied | RunState::Failed => ("✕", Style::new().red()),
        RunState::Asking => ("●", Style::new().yellow()),
        RunState::Finished | RunState::Allowed => ("✓", Style::new().green()),
        RunState::Received
        | RunState::Resolving
        | RunState::Starting
        | RunState::Running
        | RunState::Stopping => ("▸", Style::new().cyan()),
    };
    let runs = [
        (format!("{mark} "), style),
        dim_run(format!("{}  {}  ", print::format_time(request.at), request.agent)),
        plain_run(request.line.clone()),
        dim_run(format!("  {state}{by}")),
    ];
    cut_runs(&runs, width)
}

/// Returns a number of lines or questions, as they are counted in words.
fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Returns the line above the keys: what is typed, what is missing for an approval, what was done.
fn bottom(app: &App) -> Vec<StyledRun> {
    let typed = match &app.mode {
        InputMode::Keys => None,
        InputMode::Words(text) => Some(("words for the agent", text)),
        InputMode::Command(text) => Some(("command", text)),
        InputMode::Rule(_, text) => Some(("rule", text)),
        InputMode::Interrupted(text) => Some(("the question is over or changed; you typed", text)),
    };
    if let Some((what, text)) = typed {
        let text = format!("{what}: {}_", postern_command::escape::visible_text(text));
        return vec![(text, Style::new().bold())];
    }
    let Some(question) = app.question().filter(|_| app.view == View::Questions) else {
        return app
            .denial_words()
            .map(plain_run)
            .into_iter()
            .chain([plain_run(app.message.clone())])
            .collect();
    };
    let left = print::time_until(question.expires_at);
    let state = if app.is_armed() {
        "ready".to_owned()
    } else if app.end_seen {
        "look at it for a moment".to_owned()
    } else if app.folded > 0 {
        format!("{} folded", print::counted(count(app.folded), "line", "lines"))
    } else {
        let below = app.lines.saturating_sub(app.scroll + app.room);
        format!("{} below", print::counted(count(below), "more line", "more lines"))
    };
    let others = count(app.questions.len().saturating_sub(1));
    let more = crate::question::more_waiting(question, others);
    let zero = postern_contract::pieces_to_text(&question.at_zero);
    let style = if question.allowed_at_zero { Style::new().red() } else { dim() };
    let mut runs = vec![(format!("{zero} in {left}"), style), dim_run(format!(" · {state}{more}"))];
    let words = app.denial_words().into_iter().chain(Some(app.message.clone()));
    runs.extend(words.filter(|words| !words.is_empty()).map(|words| plain_run(format!(" · {words}"))));
    runs
}
