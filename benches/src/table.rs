//! The one table that is printed, or the same as JSON.

use crate::Effort;
use crate::sample::{Sample, ratio};
use serde_json::{Value as Json, json};
use std::fmt;
use std::time::Duration;

/// Measured value, ours or a rival's: shown in the table, and as numbers in JSON.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    /// Nothing to compare with.
    Nothing,
    /// In words.
    Text(String),
    /// Durations of something done many times.
    Times {
        /// Name of the rival; empty for ours.
        of: &'static str,
        p50: Duration,
        p99: Duration,
        count: usize,
    },
    /// A number and its unit.
    Number { of: &'static str, number: f64, unit: &'static str },
}

impl Value {
    /// Makes a number of ours.
    pub(crate) fn number(number: f64, unit: &'static str) -> Self {
        Self::Number { of: "", number, unit }
    }

    /// Marks the value as a rival's, by its name.
    pub(crate) fn of(mut self, name: &'static str) -> Self {
        match &mut self {
            Self::Times { of, .. } | Self::Number { of, .. } => *of = name,
            Self::Nothing | Self::Text(_) => {}
        }
        self
    }

    fn json(&self) -> Json {
        let micros = |duration: &Duration| (duration.as_secs_f64() * 1e9).round() / 1e3;
        match self {
            Self::Nothing => Json::Null,
            Self::Text(text) => text.as_str().into(),
            Self::Times { of, p50, p99, count } => {
                json!({ "of": of, "p50": micros(p50), "p99": micros(p99), "unit": "µs", "count": count })
            }
            Self::Number { of, number, unit } => json!({ "of": of, "value": number, "unit": unit }),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name =
            |f: &mut fmt::Formatter<'_>, of: &str| if of.is_empty() { Ok(()) } else { write!(f, "{of} ") };
        match self {
            Self::Nothing => f.write_str("-"),
            Self::Text(text) => f.write_str(text),
            Self::Times { of, p50, p99, count } => {
                name(f, of)?;
                write!(f, "p50 {}, p99 {} (n {count})", duration(*p50), duration(*p99))
            }
            Self::Number { of, number, unit } => {
                name(f, of)?;
                let digits = usize::from(number.abs() < 100.0 && number.fract() != 0.0);
                write!(f, "{number:.digits$} {unit}")
            }
        }
    }
}

/// A line of the table.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    /// Name of the measurement.
    pub(crate) figure: String,
    pub(crate) ours: Value,
    /// The rival beside it, or where none is what this machine allows.
    pub(crate) rival: Value,
    /// Ours against the rival: what it is, and of what.
    pub(crate) ratio: Option<(f64, &'static str)>,
    /// Goal, in words.
    pub(crate) goal: &'static str,
    /// True if it is so.
    pub(crate) met: bool,
}

impl Row {
    /// Makes a line without a rival.
    pub(crate) fn alone(figure: impl Into<String>, ours: Value, goal: &'static str, met: bool) -> Self {
        Self { figure: figure.into(), ours, rival: Value::Nothing, ratio: None, goal, met }
    }

    /// Makes a line of ours and a rival's, by their medians. `met` gets the number of times that ours takes longer.
    pub(crate) fn beside(
        figure: impl Into<String>,
        (ours, rival): &(Sample, Sample),
        name: &'static str,
        goal: &'static str,
        met: impl FnOnce(f64) -> bool,
    ) -> Self {
        let ratio = ratio(ours.median(), rival.median());
        let (ours, rival) = (times(ours), times(rival).of(name));
        Self { figure: figure.into(), ours, rival, ratio: Some((ratio, "x p50")), goal, met: met(ratio) }
    }

    /// Makes a line of ours, which may take so much longer than a rival's.
    pub(crate) fn longer(
        figure: &str,
        sides: &(Sample, Sample),
        name: &'static str,
        goal: &'static str,
        most: Duration,
    ) -> Self {
        let more = sides.0.median().saturating_sub(sides.1.median());
        let ratio = Some((more.as_secs_f64() * 1e3, "ms more, p50"));
        Self { ratio, ..Self::beside(figure, sides, name, goal, |_| more <= most) }
    }

    fn json(&self) -> Json {
        json!({
            "figure": self.figure, "ours": self.ours.json(), "rival": self.rival.json(),
            "ratio": self.ratio.map(|(ratio, _)| (ratio * 1e3).round() / 1e3), "goal": self.goal, "met": self.met,
        })
    }
}

/// Summarizes a sample as median, 99th percentile and count.
pub(crate) fn times(sample: &Sample) -> Value {
    Value::Times { of: "", p50: sample.median(), p99: sample.percentile(99), count: sample.count() }
}

/// Converts KiB to MiB.
pub(crate) fn mebibytes(kibibytes: u64) -> Value {
    Value::number(f64::from(u32::try_from(kibibytes).unwrap_or(u32::MAX)) / 1024.0, "MiB")
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

/// Prints the rows as one JSON text, with the machine.
#[expect(clippy::print_stdout, reason = "the table is what this program is for")]
pub(crate) fn print_json(rows: &[Row], effort: Effort) {
    let rows: Vec<Json> = rows.iter().map(Row::json).collect();
    println!("{:#}", json!({ "machine": machine(effort), "figures": rows }));
}

/// Prints the rows under a headline, each column as wide as it must be.
#[expect(clippy::print_stdout, reason = "the table is what this program is for")]
pub(crate) fn print(rows: &[Row], effort: Effort) {
    println!("{}\n", machine(effort));
    let head = ["figure", "measured", "rival", "ratio", "goal", ""].map(str::to_owned);
    let lines = rows.iter().map(|row| {
        let met = if row.met { "met" } else { "NOT MET" };
        [
            row.figure.clone(),
            row.ours.to_string(),
            row.rival.to_string(),
            row.ratio.map_or_else(|| "-".to_owned(), |(ratio, of)| format!("{ratio:.2} {of}")),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_the_same_in_the_table_and_in_json() {
        let sample: Sample = [1, 2, 3].map(Duration::from_micros).into_iter().collect();
        let row = Row {
            figure: "round trip".to_owned(),
            ours: times(&sample),
            rival: Value::number(2.0, "a second").of("echo"),
            ratio: Some((1.5, "x p50")),
            goal: "<= 2 x",
            met: true,
        };
        assert_eq!(row.ours.to_string(), "p50 2.0 µs, p99 3.0 µs (n 3)");
        assert_eq!(row.rival.to_string(), "echo 2 a second");
        let wanted = json!({
            "figure": "round trip", "ratio": 1.5, "goal": "<= 2 x", "met": true,
            "ours": {"of": "", "p50": 2.0, "p99": 3.0, "unit": "µs", "count": 3},
            "rival": {"of": "echo", "value": 2.0, "unit": "a second"},
        });
        assert_eq!(row.json(), wanted);
    }
}
