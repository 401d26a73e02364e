//! The one table that is printed.

use crate::Effort;
use crate::sample::Sample;
use std::time::Duration;

/// A line of the table.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) figure: &'static str,
    /// Ours.
    pub(crate) measured: String,
    /// The rival beside it.
    pub(crate) rival: String,
    /// Ours against the rival.
    pub(crate) ratio: String,
    pub(crate) goal: &'static str,
    /// True if it is so.
    pub(crate) met: bool,
}

impl Row {
    /// Returns a line without a rival.
    pub(crate) fn alone(figure: &'static str, measured: String, goal: &'static str, met: bool) -> Self {
        Self { figure, measured, rival: "-".to_owned(), ratio: "-".to_owned(), goal, met }
    }
}

/// Formats median, 99th percentile and count of a sample.
pub(crate) fn times(sample: &Sample) -> String {
    format!(
        "p50 {}, p99 {} (n {})",
        duration(sample.median()),
        duration(sample.percentile(99)),
        sample.count()
    )
}

/// Returns a duration in the unit that fits, three digits or so.
pub(crate) fn duration(duration: Duration) -> String {
    let micros = duration.as_secs_f64() * 1e6;
    match micros {
        micros if micros < 1000.0 => format!("{micros:.1} µs"),
        micros if micros < 1e6 => format!("{:.2} ms", micros / 1e3),
        micros => format!("{:.2} s", micros / 1e6),
    }
}

/// Prints the rows under a headline, each column as wide as it must be.
#[expect(clippy::print_stdout, reason = "the table is what this program is for")]
pub(crate) fn print(rows: &[Row], effort: Effort) {
    println!("{}\n", machine(effort));
    let head = ["figure", "measured", "rival", "ratio", "goal", ""].map(str::to_owned);
    let lines = rows.iter().map(|row| {
        let met = if row.met { "met" } else { "NOT MET" };
        [
            row.figure.to_owned(),
            row.measured.clone(),
            row.rival.clone(),
            row.ratio.clone(),
            row.goal.to_owned(),
            met.to_owned(),
        ]
    });
    let lines: Vec<[String; 6]> = std::iter::once(head).chain(lines).collect();
    let widths: Vec<usize> = (0..6)
        .map(|column| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or_default())
        .collect();
    for line in &lines {
        let padded: Vec<String> =
            line.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        println!("{}", padded.join("  ").trim_end());
    }
}

/// Describes the machine and the effort.
fn machine(effort: Effort) -> String {
    let cpus = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let model = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = model.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    format!(
        "{} {}, {cpus} CPUs{}; 10,000 rules, {} rows of history; sides in turn, {} turns after a warm-up",
        std::env::consts::OS,
        std::env::consts::ARCH,
        model.map(|(_, model)| format!(" ({model})")).unwrap_or_default(),
        effort.history,
        effort.turns,
    )
}
