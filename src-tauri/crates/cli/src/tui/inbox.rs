//! Draws the list of all that waits, by agent, as the window's inbox has it. It answers nothing: a question is answered where
//! all of it is on show.

use super::app::App;
use super::wrap::{StyledRun, cut_runs, dim_run, shown_runs, wrap_runs};
use crate::print;
use postern_contract::Question;
use postern_policy::RiskLevel;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

pub(super) fn draw_inbox(frame: &mut Frame<'_>, app: &mut App, body: Rect) {
    let width = usize::from(body.width);
    let chosen = app.question().map(|question| question.id.as_str());
    let mut lines: Vec<Line<'static>> = Vec::new();
    let mut at = 0..0;
    for (agent, questions) in app.by_agent() {
        let host = questions.first().and_then(|question| question.host.as_ref());
        let host = host.map(|host| format!("{host} · ")).unwrap_or_default();
        let heading: StyledRun = (format!("{host}{agent}  {}", questions.len()), Style::new().bold());
        lines.extend(wrap_runs(&[heading], width, 0));
        for question in questions {
            let from = lines.len();
            let is_chosen = chosen == Some(question.id.as_str());
            lines.extend(question_row(question, is_chosen, width));
            if is_chosen {
                at = from..lines.len();
            }
        }
    }
    if lines.is_empty() {
        lines.push(Line::from("nothing waits"));
    }
    // The chosen one is on show, with its first line if it does not fit.
    let room = usize::from(body.height);
    app.list = app.list.max(at.end.saturating_sub(room)).min(at.start);
    let list: Vec<Line<'static>> = lines.into_iter().skip(app.list).take(room).collect();
    frame.render_widget(Paragraph::new(list), body);
}

/// Returns a question: its effect and the time left, and the beginning of its command.
fn question_row(question: &Question, is_chosen: bool, width: usize) -> Vec<Line<'static>> {
    let dangerous = question.risk.level == RiskLevel::Dangerous;
    let mark = if dangerous { ("■ ", Style::new().red().bold()) } else { ("● ", Style::new().yellow()) };
    let style = if is_chosen { Style::new().add_modifier(Modifier::REVERSED) } else { Style::new() };
    let pointer = if is_chosen { "> " } else { "  " };
    let times = match question.requests.len() {
        0 | 1 => String::new(),
        many => format!("  ×{many}"),
    };
    let zero = if question.allowed_at_zero { "allowed in " } else { "" };
    let left = format!("  {zero}{}{times}", print::time_until(question.expires_at));
    let mut runs: Vec<StyledRun> = vec![(pointer.to_owned(), Style::new()), (mark.0.to_owned(), mark.1)];
    if dangerous {
        runs.push(("Dangerous: ".to_owned(), Style::new().red()));
    }
    runs.extend(shown_runs(&question.headline, style));
    runs.push(dim_run(left));
    let mut lines = wrap_runs(&runs, width, 4);
    lines.push(cut_runs(&[dim_run(format!("    {}", question.line))], width));
    lines
}
