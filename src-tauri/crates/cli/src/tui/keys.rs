//! Keys of each view: the ones that matter in one line, all of them in a view of their own.

use super::app::{App, InputMode, View};
use super::wrap::{StyledRun, dim_run, plain_run};
use postern_contract::Question;
use ratatui::style::Style;
use ratatui::text::Line;
use unicode_width::UnicodeWidthStr as _;

/// Key with what it does.
type Key = (String, String);

/// Columns between two keys.
const GAP: usize = 3;
/// Columns of the keys in the view of all.
const NAMES: usize = 12;

fn key(name: &str, does: impl Into<String>) -> Key {
    (name.to_owned(), does.into())
}

/// Returns the line of keys: as many as fit, the last one always.
pub(super) fn key_line(app: &App, width: usize) -> Line<'static> {
    let mut keys = keys_of(app);
    let Some(last) = keys.pop() else { return Line::default() };
    let columns = |(name, does): &Key| name.width() + 1 + does.width();
    let mut room = width.saturating_sub(columns(&last));
    let fits = |one: &Key| {
        let left = room.checked_sub(columns(one) + GAP);
        room = left.unwrap_or_default();
        left.is_some()
    };
    let shown: Vec<Key> = keys.into_iter().take_while(fits).chain([last]).collect();
    let ready = app.is_armed();
    let runs = shown.iter().enumerate().flat_map(|(at, (name, does))| {
        let before = if at == 0 { "" } else { "   " };
        // What does not count yet is not emphasized.
        let allows = name.starts_with(['A', 'M', '1']) && app.view == View::Questions;
        let style = if allows && !ready { super::wrap::dim() } else { Style::new().bold() };
        [plain_run(before), (name.clone(), style), dim_run(format!(" {does}"))]
    });
    super::wrap::cut_runs(&runs.collect::<Vec<StyledRun>>(), width.max(8))
}

/// Returns the keys of what is on show, those first that matter most; the last one is always shown.
fn keys_of(app: &App) -> Vec<Key> {
    let back = key("Esc", "Back");
    match &app.mode {
        InputMode::Keys => {}
        InputMode::Words(_) => return vec![key("Return", "Deny with These Words"), back],
        InputMode::Command(_) => return vec![key("Return", "Review Change"), back],
        InputMode::Rule(..) => {
            return vec![key("Return", "Keep These Words"), key("Tab", "Next Offer"), back];
        }
        InputMode::Interrupted(_) => return vec![key("Esc", "Go On")],
    }
    let (quit, all) = (key("q", "Quit"), key("?", "Keys"));
    let undo = app.denial_words().map(|_| key("u", "Undo"));
    match (app.view, app.question()) {
        (View::Keys, _) => vec![quit, key("?", "Back")],
        (View::Activity, _) => vec![key("Tab", "Questions"), quit, key("i", "Inbox"), all],
        (View::Inbox, _) => {
            vec![key("Return", "Show"), quit, key("i", "Question"), key("Tab", "Activity"), all]
        }
        (View::Questions, None) => undo.into_iter().chain([key("Tab", "Activity"), quit, all]).collect(),
        (View::Questions, Some(question)) => {
            let open = (app.folded > 0).then(|| key("o", "Open Lines"));
            let mut keys: Vec<Key> = undo.into_iter().chain(open).chain(answers(app, question)).collect();
            keys.push(key("v", if app.details { "Hide Details" } else { "Details" }));
            if app.questions.len() > 1 {
                keys.push(key("i", "Inbox"));
            }
            keys.extend([key("Tab", "Activity"), quit, all]);
            keys
        }
    }
}

fn answers(app: &App, question: &Question) -> Vec<Key> {
    let mut keys = match app.others().len() + 1 {
        1 => vec![key("d", "Deny"), key("A", "Allow Once")],
        n => vec![
            key("d", format!("Deny These {n}")),
            key("A", format!("Allow These {n}")),
            key("b", "One at a Time"),
        ],
    };
    if let all @ 2.. = question.requests.len() {
        keys.push(key("M", format!("Allow All {all}")));
    }
    match question.proposals.len() {
        0 => {}
        1 => keys.push(key("1", "Always")),
        many => keys.push(key(&format!("1–{}", many.min(9)), "Always")),
    }
    keys
}

/// Keys that the line has no room for, by what they are for.
const ALL: [(&str, &[(&str, &str)]); 3] = [
    (
        "Answer",
        &[
            ("d", "Deny"),
            ("u", "Undo the denial, for 5 seconds"),
            ("w", "Deny with words for the agent"),
            ("x", "Deny, and stop the agent for 10 minutes"),
            ("A", "Allow once"),
            ("1–9", "Allow, and save the rule of this number"),
            ("e", "Change the command, and look at it again"),
        ],
    ),
    (
        "The Rule That Always Saves",
        &[
            ("g", "For this agent, or every agent"),
            ("f", "In this folder, or everywhere"),
            ("l", "How long"),
            ("r", "Which words"),
        ],
    ),
    (
        "Look",
        &[
            ("v", "Details"),
            ("o", "Open folded lines, or fold them"),
            ("Up Down", "Scroll (also j k, PageUp PageDown, Home End)"),
            ("[ ]", "The request before, or the next one"),
            ("i", "Inbox: all that waits, by agent"),
            ("Tab", "Activity: the last requests"),
        ],
    ),
];

pub(super) fn all_keys() -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for (group, keys) in ALL {
        if !lines.is_empty() {
            lines.push(Line::default());
        }
        lines.push(Line::styled(group, Style::new().bold()));
        lines.extend(keys.iter().map(|(name, does)| Line::from(format!("  {name:<NAMES$}{does}"))));
    }
    lines
}
