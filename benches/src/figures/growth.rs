//! Growth: a verdict and a start by the number of rules, and a page of the history by that of past requests.
//!
//! Drawn as curves on axes that both grow tenfold: a time that does not depend on the number is a flat line.

use crate::Effort;
use crate::data::{Data, MANY_RULES};
use crate::figures::{start, verdict};
use crate::sample::Sample;
use crate::table::duration;
use postern_policy::AgentId;
use postern_store::requests::Filter;
use postern_store::{FILE_NAME, Store, history};
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

/// Rows of a page of the history.
const PAGE: u32 = 100;
/// Width and height of the axes, and the margins at the left and at the top.
const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 70.0;
const TOP: f64 = 20.0;
/// Tenfold steps of each axis: from 10 to a million, and from a microsecond to a second.
const NUMBERS: [&str; 6] = ["10", "100", "1,000", "10,000", "100,000", "1,000,000"];
const TIMES: [&str; 7] = ["1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms", "1 s"];
const COLORS: [&str; 4] = ["#2f6fed", "#d9822b", "#2e9e5b", "#a855c7"];

/// Medians of one thing among more and more others.
#[derive(Debug)]
pub(crate) struct GrowthCurve {
    name: &'static str,
    points: Vec<(usize, Duration)>,
}

/// Measures all curves. A history grows up to the length that the effort asks for.
pub(crate) fn measure(postern: &Path, effort: Effort) -> anyhow::Result<Vec<GrowthCurve>> {
    let mut verdicts = GrowthCurve { name: "verdict, by rules", points: Vec::new() };
    let mut starts = GrowthCurve { name: "start, by rules", points: Vec::new() };
    for rules in tenfold(10, MANY_RULES) {
        let policy = verdict::policy(AgentId::new("main")?, rules);
        let judged = verdict::judge_pipeline(&policy, 1_000 * effort.size)?;
        verdicts.points.push((rules, judged.median()));
        let data = Data::with(rules)?;
        let started = (0..effort.turns).map(|_| start::start(postern, &data));
        starts.points.push((rules, started.collect::<anyhow::Result<Sample>>()?.median()));
    }
    let mut pages = GrowthCurve { name: "newest page, by requests", points: Vec::new() };
    let mut searches = GrowthCurve { name: "search, by requests", points: Vec::new() };
    for rows in tenfold(1_000, effort.history) {
        let data = Data::prepare(postern, Effort { history: rows, ..effort })?;
        let store = Store::open(&data.folder().join(FILE_NAME))?;
        let rare = Filter { search: Some("project-77 loglevel".to_owned()), ..Filter::default() };
        for (curve, filter) in [(&mut pages, Filter::default()), (&mut searches, rare)] {
            let read = || store.read(|conn| history::read_page(conn, &filter, PAGE)).map(drop);
            curve.points.push((rows, Sample::of(20 * effort.turns, read)?.median()));
        }
        store.close();
    }
    Ok(vec![verdicts, starts, pages, searches])
}

/// Returns numbers that grow tenfold, up to `most`.
fn tenfold(first: usize, most: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(first), |number| number.checked_mul(10))
        .take_while(move |number| *number <= most)
}

/// Draws the curves as a picture in SVG, which is legible on light and on dark pages.
pub(crate) fn draw(curves: &[GrowthCurve]) -> String {
    let (right, bottom) = (LEFT + WIDTH, TOP + HEIGHT);
    let mut picture = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <style>text {{ fill: #333 }} @media (prefers-color-scheme: dark) {{ text {{ fill: #ddd }} }}</style>\n",
        right + 190.0,
        bottom + 40.0
    );
    for (step, name) in (0_u8..).zip(NUMBERS) {
        let x = LEFT + share(step, NUMBERS.len()) * WIDTH;
        line(&mut picture, (x, TOP), (x, bottom));
        label(&mut picture, (x, bottom + 18.0), "middle", name);
    }
    for (step, name) in (0_u8..).zip(TIMES) {
        let y = bottom - share(step, TIMES.len()) * HEIGHT;
        line(&mut picture, (LEFT, y), (right, y));
        label(&mut picture, (LEFT - 8.0, y + 4.0), "end", name);
    }
    for (curve, color) in curves.iter().zip(COLORS) {
        let places: Vec<(f64, f64)> = curve.points.iter().map(|point| place(*point)).collect();
        let text: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        _ = writeln!(
            picture,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>",
            text.join(" ")
        );
        if let (Some((x, y)), Some((_, last))) = (places.last(), curve.points.last()) {
            let name = format!("{}: {}", curve.name, duration(*last));
            label(&mut picture, (x + 6.0, y + 4.0), "start", &name);
        }
    }
    picture + "</svg>\n"
}

/// Returns the place of a step among so many, from 0 to 1.
fn share(step: u8, steps: usize) -> f64 {
    f64::from(step) / f64::from(u32::try_from(steps - 1).unwrap_or(u32::MAX))
}

/// Returns the place of a point in the picture.
fn place((number, time): (usize, Duration)) -> (f64, f64) {
    let decades = f64::from(u32::try_from(number).unwrap_or(u32::MAX)).log10() - 1.0;
    let micros = (time.as_secs_f64() * 1e6).clamp(1.0, 1e6);
    (LEFT + decades / 5.0 * WIDTH, TOP + (1.0 - micros.log10() / 6.0) * HEIGHT)
}

fn line(picture: &mut String, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
    _ = writeln!(
        picture,
        "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"#8886\"/>"
    );
}

fn label(picture: &mut String, (x, y): (f64, f64), anchor: &str, text: &str) {
    _ = writeln!(picture, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times_that_grow_alike_are_a_straight_line() {
        assert_eq!(tenfold(10, 20_000).collect::<Vec<_>>(), [10, 100, 1_000, 10_000]);
        let point = |number, micros| place((number, Duration::from_micros(micros)));
        let [first, second, third] = [point(10, 1), point(1_000, 100), point(100_000, 10_000)];
        assert!((first.0 - LEFT).abs() < 0.01 && (first.1 - TOP - HEIGHT).abs() < 0.01, "{first:?}");
        assert!((second.0 * 2.0 - first.0 - third.0).abs() < 0.01, "{second:?} {third:?}");
        assert!((second.1 * 2.0 - first.1 - third.1).abs() < 0.01, "{second:?} {third:?}");
        assert!((point(10, 1_000_000).1 - TOP).abs() < 0.01, "a second is at the top");
    }

    #[test]
    fn each_curve_is_drawn_with_its_name_and_its_last_time() {
        let points = vec![(10, Duration::from_micros(20)), (100, Duration::from_micros(40))];
        let picture = draw(&[GrowthCurve { name: "verdict", points }]);
        assert_eq!(picture.matches("<polyline").count(), 1);
        assert!(picture.contains("verdict: 40.0 µs") && picture.ends_with("</svg>\n"), "{picture}");
    }
}
