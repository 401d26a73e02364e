//! Identity: the sha256 of a binary of 100 MiB that is new to Postern, and of a known one. The rival is `openssl dgst`
//! of the same file.

use crate::Effort;
use crate::data::Data;
use crate::processes::spawn_and_wait;
use crate::sample::Sample;
use crate::table::{Row, Value, times};
use anyhow::{Context as _, ensure};
use postern_exec::identity::{Identities, sha256};
use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant};

/// The size of the binary, in bytes.
const SIZE: usize = 100 << 20;
/// Goal for a known one.
const WARM: Duration = Duration::from_micros(20);
/// Look-ups of a known one.
const LOOK_UPS: usize = 2000;

pub(crate) fn measure(postern: &Path, data: &Data, effort: Effort) -> anyhow::Result<[Row; 2]> {
    Ok([cold(data, effort)?, warm(postern)?])
}

fn cold(data: &Data, effort: Effort) -> anyhow::Result<Row> {
    let path = data.folder().join("binary");
    std::fs::write(&path, (0..SIZE).map(|nth| (nth % 251).to_le_bytes()[0]).collect::<Vec<u8>>())?;
    let file = File::open(&path)?;
    let name = path.to_str().context("an odd path")?;
    let (mut ours, mut rival) = (Vec::new(), Vec::new());
    for _ in 0..=effort.turns {
        let begun = Instant::now();
        sha256(&file, SIZE as u64)?;
        ours.push(f64::from(u32::try_from(SIZE)?) / begun.elapsed().as_secs_f64());
        let begun = Instant::now();
        spawn_and_wait(Path::new("/usr/bin/openssl"), &["dgst", "-sha256", name])?;
        rival.push(f64::from(u32::try_from(SIZE)?) / begun.elapsed().as_secs_f64());
    }
    std::fs::remove_file(&path)?;
    let (ours, rival) = (best(&ours), best(&rival));
    let mebibytes = |bytes: f64| bytes / f64::from(1 << 20);
    Ok(Row {
        figure: "identity, new".to_owned(),
        ours: Value::number(mebibytes(ours), "MiB a second"),
        rival: Value::number(mebibytes(rival), "MiB a second").of("openssl dgst"),
        ratio: Some((ours / rival, "x")),
        goal: ">= 1.0 x",
        met: ours >= rival,
    })
}

/// Returns the fastest turn after the warm-up.
///
/// Everything else that a machine does only takes away from it.
fn best(turns: &[f64]) -> f64 {
    turns.iter().skip(1).copied().fold(0.0, f64::max)
}

fn warm(program: &Path) -> anyhow::Result<Row> {
    let file = File::open(program)?;
    let known = Identities::new();
    ensure!(known.identify(&file, program)?.settled, "{} was built a moment ago", program.display());
    let sample = Sample::of(LOOK_UPS, || known.identify(&file, program).map(drop))?;
    Ok(Row::alone("identity, known", times(&sample), "<= 20 µs p50", sample.median() <= WARM))
}
